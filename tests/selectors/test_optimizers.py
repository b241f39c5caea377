"""The selectors beyond the paper, and proofs of their quality."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summc.graph.build import make_graph, within_budget
from summc.records import CoverageGraph, Selection
from summc.report.codec import encode_graph
from summc.selectors import (
    SELECTORS,
    Auto,
    BeliefPropagation,
    Decimation,
    Exact,
    GGreedy,
    LpRounding,
    auto,
    local_search,
    polish,
    upper_bound,
)
from summc.selectors.auto import EFFORTS, Effort
from summc.selectors.belief_propagation import propagate
from summc.selectors.bounds import (
    _whole_bound,
    bound_at,
    relax,
    without_hopeless,
)
from summc.selectors.compiled_search import make_search
from summc.selectors.decimation import start
from summc.selectors.exact import _answer
from summc.selectors.local_search import LocalSearch, State, exact_amounts
from summc.selectors.readable import best_exchanges
from summc.selectors.reduction import ReducedProblem, reduce_problem
from summc.selectors.tabu import _best_step, tabu_search
from tests import oracles
from tests.bench.inputs import make_text_graph
from tests.conftest import SAMPLE, Cli, examples
from tests.support.depth import few_examples
from tests.support.strategies import graphs


@given(graph=graphs(), budget=st.integers(0, 30))
def test_reductions_keep_an_optimum(graph: CoverageGraph, budget: int) -> None:
    problem = reduce_problem(graph, budget)
    n, m = len(problem.cost), len(problem.weight)
    own = [(i, m + i) for i in range(n)]
    edges = [*zip(problem.edge_sentence.tolist(), problem.edge_word.tolist(), strict=True), *own]
    reduced = make_graph(
        problem.cost,
        np.concatenate([problem.weight, problem.own]),
        [i for i, _ in edges],
        [a for _, a in edges],
    )
    assert oracles.optimum(reduced, budget) == oracles.optimum(graph, budget)


@examples(60)
@given(graph=graphs(integers=False), budget=st.integers(0, 30))
def test_exact_is_the_optimum_and_proves_it(graph: CoverageGraph, budget: int) -> None:
    selection = Exact().select(graph, budget)
    best = oracles.optimum(graph, budget)
    assert selection.covered_weight == pytest.approx(best, rel=1e-6)
    assert selection.bound is not None
    assert best * (1 - 1e-12) <= selection.bound <= best * (1 + 1e-5)


@few_examples()
@given(graph=graphs(integers=False), budget=st.integers(0, 30), share=st.floats(0, 1))
def test_no_bound_is_below_the_optimum(graph: CoverageGraph, budget: int, share: float) -> None:
    best = oracles.optimum(graph, budget)
    problem = reduce_problem(graph, budget)
    assert upper_bound(graph, budget, share * best) >= best * (1 - 1e-12)
    if len(problem.cost):
        assert relax(problem, budget, share * best).bound >= best * (1 - 1e-9)


@given(graph=graphs(), budget=st.integers(0, 30), data=st.data())
def test_any_prices_give_a_bound(graph: CoverageGraph, budget: int, data: st.DataObject) -> None:
    problem = reduce_problem(graph, budget)
    prices = data.draw(
        st.lists(st.floats(-5, 15), min_size=len(problem.weight), max_size=len(problem.weight))
    )
    within = np.clip(prices, 0, problem.weight)
    assert bound_at(problem, budget, within).bound >= oracles.optimum(graph, budget) - 1e-9


def test_the_bound_is_tight_if_the_relaxation_is() -> None:
    graph = make_graph([2, 3, 4], [5, 6, 7], [0, 1, 2], [0, 1, 2])
    assert upper_bound(graph, 5, 0) == 11
    assert upper_bound(graph, 9, 0) == 18


def test_whole_sentences_give_a_lower_bound_than_parts_of_them() -> None:
    # Two of three sentences fit. A part of the third would be worth 4 more.
    graph = make_graph([4, 4, 3], [8, 8, 6], [0, 1, 2], [0, 1, 2])
    assert relax(reduce_problem(graph, 10), 10, 0).bound == pytest.approx(20)
    assert upper_bound(graph, 10, 0) == 16
    assert upper_bound(graph, 2, 0) == 0  # nothing fits
    halves = make_graph([1.5, 1.5], [3, 3], [0, 1], [0, 1])  # fractional costs have no table
    assert upper_bound(halves, 2, 0) == 4


@pytest.mark.parametrize(("budget", "bound"), [(0.5, 1.5), (1, 3), (1.2, 3.6), (1.5, 4.5), (3, 4.5)])
def test_the_bound_of_a_triangle(budget: float, bound: float) -> None:
    # Each of three sentences shares a word with each other one. Halves of them cover all, so that the
    # relaxation covers twice 1.5 for each unit of the budget until all is covered.
    graph = make_graph([1, 1, 1], [1.5, 1.5, 1.5], [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0])
    problem = reduce_problem(graph, 3)
    assert relax(problem, budget, 0).bound == pytest.approx(bound, rel=1e-3)


@pytest.mark.parametrize("levels", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_steps_come_near_the_lowest_bound(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    sentence, word = np.nonzero(rng.random((12, 20)) < 0.3)
    weight = rng.random(20)
    repeats = weight[:, None] * np.multiply.accumulate(rng.random((20, levels - 1)), axis=1)
    graph = make_graph(
        rng.integers(1, 9, 12),
        weight,
        sentence,
        word,
        count=rng.integers(1, 3, len(word)),
        repeats=repeats.ravel(),
        repeats_start=np.arange(21) * (levels - 1),
    )
    problem = reduce_problem(graph, 15)
    lowest = highest_covered(problem, 15)
    assert lowest * (1 - 1e-9) <= relax(problem, 15, 0).bound <= lowest * 1.005


def test_steps_lower_the_bounds_as_far_as_measured() -> None:
    """Faults in the steps or their length keep a bound valid, but make it higher."""
    parts = whole = 0.0
    for seed in (4, 7):
        rng = np.random.default_rng(seed)
        sentence, word = np.nonzero(rng.random((14, 16)) < 0.35)
        graph = make_graph(rng.integers(3, 9, 14), rng.integers(1, 20, 16), sentence, word)
        problem = reduce_problem(graph, 14)
        relaxation = relax(problem, 14, 0)
        parts += relaxation.bound
        whole += _whole_bound(problem, 14, 0, relaxation)
    assert (parts, whole) == pytest.approx((250.535, 243.903), abs=0.01)


def highest_covered(problem: ReducedProblem, budget: float) -> float:
    """What a fractional choice covers at most: the relaxation as a linear program, solved by scipy."""
    from scipy.optimize import linprog

    n, m, f = len(problem.cost), len(problem.weight), len(problem.repeats)
    holds = np.zeros((1 + m, n + m + f))
    holds[0, :n] = problem.cost
    holds[1 + problem.edge_word, problem.edge_sentence] = -problem.count
    holds[1 + np.arange(m), n + np.arange(m)] = 1
    holds[1 + np.repeat(np.arange(m), np.diff(problem.repeats_start)), n + m + np.arange(f)] = 1
    worth = np.concatenate([problem.own, problem.weight, problem.repeats])
    return float(-linprog(-worth, holds, [budget, *np.zeros(m)], bounds=(0, 1)).fun)


@pytest.mark.parametrize(
    ("values", "stretches"),
    [
        ((5, 5, 5), 3),  # three agree
        ((5, 3, 5, 4, 5), 5),  # what is worse agrees with nothing
        ((3, 3, 3), 3),
        ((3, 3, 5, 5, 5), 5),  # what is better begins anew
        ((5, 3, 3, 3, 3, 3, 3, 3, 3, 3), 10),  # as many as there may be: 80 starts of 8 each
    ],
)
def test_search_ends_when_stretches_agree_on_the_best(
    monkeypatch: pytest.MonkeyPatch, values: tuple[int, ...], stretches: int
) -> None:
    script = iter(values)

    def stretch(search: LocalSearch, state: State, best: float, effort: Effort, *_: object) -> object:
        del search, best
        return float(next(script)), state, effort.stretch

    monkeypatch.setattr(auto, "_stretch", stretch)
    found = Auto("normal").select(oracles.biregular(np.random.default_rng(2), sentences=30), 20)
    assert found.diagnostics["starts"] == stretches * EFFORTS["normal"].stretch


@pytest.mark.parametrize(
    ("sentences", "share", "stretches"),
    [(30, 0.0, 3), (30, 0.1, 9), (30, 0.9, 9), (600, 0.1, 3), (600, 0.9, 9)],
)
def test_levels_take_more_agreement_unless_they_weigh_little_in_a_large_problem(
    monkeypatch: pytest.MonkeyPatch, sentences: int, share: float, stretches: int
) -> None:
    made = 0

    def stretch(search: LocalSearch, state: State, *_: object) -> object:
        nonlocal made
        del search
        made += 1
        return 1.0, state, 1

    monkeypatch.setattr(auto, "_stretch", stretch)
    # Each sentence holds a word of its own and one that all hold, which alone has a further level.
    numbers = np.arange(sentences)
    graph = make_graph(
        np.full(sentences, 2),
        np.append(np.ones(sentences), [2]),
        np.concatenate([numbers, numbers]),
        np.append(numbers, np.full(sentences, sentences)),
        repeats=[2 * share] if share else [],
        repeats_start=np.append(np.zeros(sentences + 1, int), [1 if share else 0]),
    )
    Auto("normal").select(graph, 10)
    assert made == stretches


def test_search_ends_when_everything_is_covered() -> None:
    graph = make_graph([2, 3, 4, 4], [1, 2, 7], [0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2])
    assert Auto("high").select(graph, 7).diagnostics["starts"] == 1


def test_what_can_only_cover_as_much_is_hopeless_where_weights_are_whole() -> None:
    graph = make_graph([1, 1, 1], [5, 5, 6], [0, 1, 2], [0, 1, 2])
    problem = reduce_problem(graph, 1)
    for known, left in ((4, [0, 1, 2]), (5, [0, 1, 2]), (6, [])):
        assert without_hopeless(problem, relax(problem, 1, known), known).sentence.tolist() == left


@few_examples(90)
@given(graph=graphs(most_sentences=9, least_edges=12), budget=st.integers(5, 20))
def test_no_exchange_improves_a_polished_choice(graph: CoverageGraph, budget: int) -> None:
    ends: dict[tuple[int, ...], float] = {}  # many starts end in the same few choices
    for name in sorted(set(SELECTORS) - {"exact"}):  # an optimum cannot be improved
        note(name)
        before = SELECTORS[name]().select(graph, budget)
        after = polish(graph, before)
        assert after.cost <= budget
        assert after.covered_weight == oracles.coverage(graph, after.chosen) >= before.covered_weight
        ends[after.chosen] = after.covered_weight
    for chosen, covered in ends.items():
        for new in _exchanged(graph, chosen):
            if sum(graph.cost[i] for i in new) <= budget:
                assert oracles.coverage(graph, new) <= covered


def _exchanged(graph: CoverageGraph, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the choice after each exchange: up to two sentences in, two out, three in total."""
    others = [i for i in range(len(graph.cost)) if i not in chosen]
    for gone, come in itertools.product(range(3), range(3)):
        if gone + come > 3 or not come:
            continue
        for out in itertools.combinations(chosen, gone):
            for into in itertools.combinations(others, come):
                yield tuple(sorted(set(chosen) - set(out) | set(into)))


def test_polish_keeps_the_proven_bound() -> None:
    graph = oracles.biregular(np.random.default_rng(0))
    before = LpRounding(draws=1).select(graph, 100)
    after = polish(graph, before)
    assert after.covered_weight > before.covered_weight
    assert after.bound == before.bound


@few_examples()
@given(graph=graphs(most_sentences=9), budget=st.integers(0, 30))
def test_auto_is_never_below_g_greedy_and_nearly_always_the_optimum(
    graph: CoverageGraph, budget: int
) -> None:
    covered = Auto().select(graph, budget).covered_weight
    assert covered >= GGreedy().select(graph, budget).covered_weight
    assert covered >= 0.95 * oracles.optimum(graph, budget)


@given(graph=graphs(most_sentences=9), budget=st.integers(0, 30), table=st.integers(0, 30))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_auto_on_a_part_of_a_large_problem_is_never_below_g_greedy(
    monkeypatch: pytest.MonkeyPatch, graph: CoverageGraph, budget: int, table: int
) -> None:
    monkeypatch.setattr(local_search, "TABLE", table)
    selection = Auto().select(graph, budget)
    assert selection.cost <= budget
    assert selection.selector == "auto"
    assert selection.covered_weight >= GGreedy().select(graph, budget).covered_weight


@given(graph=graphs(most_sentences=9), budget=st.integers(0, 30), table=st.integers(0, 30))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_polishing_a_part_of_a_large_problem_never_loses(
    monkeypatch: pytest.MonkeyPatch, graph: CoverageGraph, budget: int, table: int
) -> None:
    monkeypatch.setattr(local_search, "TABLE", table)
    before = GGreedy().select(graph, budget)
    after = polish(graph, before)
    assert after.cost <= budget
    assert after.covered_weight >= before.covered_weight


def test_auto_searches_a_selection_that_is_too_large_for_one_table() -> None:
    graph = make_text_graph(4_000)
    budget = float(graph.cost.sum() * 0.7)
    greedy, selection = GGreedy().select(graph, budget), Auto("low").select(graph, budget)
    assert len(greedy.chosen) * len(graph.cost) > local_search.TABLE
    assert selection.cost <= budget
    assert selection.covered_weight > greedy.covered_weight
    assert selection.covered_weight == pytest.approx(oracles.coverage(graph, selection.chosen))
    assert selection == Auto("low").select(graph, budget)
    assert polish(graph, greedy).covered_weight >= selection.covered_weight


def test_auto_keeps_its_work_limit_for_very_large_choices() -> None:
    graph = make_text_graph(2_000)
    budget = float(graph.cost.sum() // 4)
    selection, greedy = Auto("low").select(graph, budget), GGreedy().select(graph, budget)
    assert len(greedy.chosen) > 500
    assert selection.diagnostics["work"] <= 2.5 * auto.EFFORTS["low"].work
    assert selection.covered_weight > greedy.covered_weight


@pytest.mark.parametrize("factor", [0.1, 10, 1e6])
def test_the_scale_of_the_weights_changes_nothing(factor: float) -> None:
    graph = oracles.biregular(np.random.default_rng(4), sentences=40)
    scaled = make_graph(graph.cost, graph.weight * factor, graph.edge_sentence, graph.edge_word)
    assert Auto().select(scaled, 60).chosen == Auto().select(graph, 60).chosen


def test_auto_is_close_to_exact_on_biregular_graphs() -> None:
    rng = np.random.default_rng(1)
    cases = [oracles.biregular(rng, 80) for _ in range(2)]  # few cases, as proving the optimum is slow
    best = [Exact(time_limit=1e6).select(graph, 80) for graph in cases]
    assert all(selection.diagnostics["optimal"] for selection in best)
    share = [Auto().select(g, 80).covered_weight / b.covered_weight for g, b in zip(cases, best, strict=True)]
    assert np.mean(share) > 0.9995
    assert Auto("low").select(cases[1], 80).covered_weight < 0.9995 * best[1].covered_weight


def test_the_work_of_auto_is_unchanged_for_words_with_one_level() -> None:
    """Counting work differently would stop searches earlier or later, and change the answers."""
    found = [
        Auto().select(oracles.biregular(np.random.default_rng(0)), 100),
        Auto().select(make_text_graph(200), 250),
    ]
    assert [(each.diagnostics["starts"], each.diagnostics["work"]) for each in found] == [
        (40, 1_339_642),
        (24, 965_657),
    ]


def test_exact_reports_a_valid_gap_when_time_runs_out() -> None:
    rng = np.random.default_rng(3)
    words = np.concatenate([rng.choice(300, 30, replace=False) for _ in range(300)])
    graph = make_graph(
        rng.integers(100, 300, 300), rng.integers(100, 300, 300), np.repeat(np.arange(300), 30), words
    )
    selection = Exact(time_limit=0.1).select(graph, 2000)
    assert not selection.diagnostics["optimal"]
    assert selection.bound is not None
    assert selection.bound > selection.covered_weight >= Auto().select(graph, 2000).covered_weight
    assert selection.diagnostics["gap"] == pytest.approx(selection.bound / selection.covered_weight - 1)
    assert selection.bound <= upper_bound(graph, 2000, selection.covered_weight)


def test_exact_improves_on_the_selection_it_starts_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summc.selectors.exact.Auto", GGreedy)  # it takes the short sentence first
    graph = make_graph([1, 5, 5], [3.5, 10.25, 10.25], range(3), range(3))
    found = Exact().select(graph, 10)
    assert (found.chosen, found.covered_weight, found.bound) == ((1, 2), 20.5, 20.5)


def test_a_choice_that_covers_everything_is_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = make_graph([2, 3, 4], [0.1, 0.2, 0.7], [0, 1, 1, 2, 2], [0, 0, 1, 1, 2])
    monkeypatch.delattr("summc.selectors.exact.solve_program")
    selection = Exact().select(graph, 7)
    assert selection.covered_weight == selection.bound == pytest.approx(1)
    assert selection.diagnostics == {"optimal": True, "gap": 0.0}


@pytest.mark.parametrize(
    ("bound", "optimal", "expected"),
    [
        (9, False, 10),  # a bound is never below the coverage
        (12, False, 12),
        (12, True, 12),
        (10.00001, True, 10),  # within the tolerance of HiGHS
        (10.00001, False, 10.00001),
        (10.0001, True, 10.0001),
    ],
)
def test_an_optimum_is_its_own_bound(bound: float, optimal: bool, expected: float) -> None:
    found = _answer(Selection("auto", 9, (0,), 4, 10), bound, optimal=optimal)
    assert (found.selector, found.bound) == ("exact", expected)
    assert found.diagnostics == {"optimal": optimal, "gap": pytest.approx(expected / 10 - 1)}
    assert _answer(Selection("auto", 9, (), 0, 0), 0, optimal=optimal).diagnostics["gap"] == 0


@few_examples()
@given(graph=graphs(most_sentences=9, least_edges=12), budget=st.integers(5, 20))
def test_removing_hopeless_sentences_keeps_the_optimum(graph: CoverageGraph, budget: int) -> None:
    problem = reduce_problem(graph, budget)
    if not len(problem.cost):
        return
    best = oracles.optimum(graph, budget)
    known = GGreedy().select(graph, budget).covered_weight
    left = without_hopeless(problem, relax(problem, budget, known), known)
    kept = make_graph(
        graph.cost[left.sentence], graph.weight,
        np.searchsorted(left.sentence, graph.edge_sentence[np.isin(graph.edge_sentence, left.sentence)]),
        graph.edge_word[np.isin(graph.edge_sentence, left.sentence)],
    )  # fmt: skip
    assert max(oracles.optimum(kept, budget), known) == pytest.approx(best)


@few_examples()
@given(
    graph=graphs(most_sentences=8), budget=st.integers(1, 30), moves=st.lists(st.integers(0, 7), max_size=20)
)
def test_the_figures_of_a_state_match_a_recount(graph: CoverageGraph, budget: int, moves: list[int]) -> None:
    problem = reduce_problem(graph, budget)
    n = len(problem.cost)
    if not n:
        return
    search = LocalSearch(problem, budget)
    state = search.empty()
    for move in moves:
        (search.remove if state.chosen[move % n] else search.add)(state, move % n)
    fresh = search.choose(np.flatnonzero(state.chosen))
    slots, places = (np.flatnonzero(each.member >= 0) for each in (state, fresh))
    order, again = slots[np.argsort(state.member[slots])], places[np.argsort(fresh.member[places])]
    assert state.spent == pytest.approx(fresh.spent)
    assert state.gain.tolist() == fresh.gain.tolist()
    assert state.freed[order].tolist() == fresh.freed[again].tolist()
    assert state.loss[order].tolist() == fresh.loss[again].tolist()
    chosen = tuple(np.flatnonzero(state.chosen).tolist())
    value = search.value(state)
    for i in range(n):
        if i not in chosen:
            search.add(fresh, i)
            assert search.value(fresh) == value + state.gain[i]
            search.remove(fresh, i)
    for slot in order.tolist():
        search.remove(fresh, int(state.member[slot]))
        assert search.value(fresh) == value - state.loss[slot]
        gained = state.gain + state.freed[slot]
        assert fresh.gain[~fresh.chosen].tolist() == gained[~fresh.chosen].tolist()
        search.add(fresh, int(state.member[slot]))


def test_tabu_search_leaves_a_local_optimum() -> None:
    rng = np.random.default_rng(9)
    words = np.concatenate([rng.choice(80, 12, replace=False) for _ in range(60)])
    graph = make_graph(
        rng.integers(150, 290, 60), rng.integers(150, 290, 80), np.repeat(np.arange(60), 12), words
    )
    search = LocalSearch(reduce_problem(graph, 1500), 1500)
    state = search.empty()
    search.fill(state, 1 / search.cost)
    search.improve(state)
    better = tabu_search(search, state, 150, 10**9, np.random.default_rng(1))
    assert search.value(better) > search.value(state)
    assert better.spent <= 1500


@pytest.mark.parametrize(
    ("chosen", "tabu", "best", "expected"),
    [
        ([], [], 0, (None, 1)),  # the largest gain
        ([], [1], 0, (None, 0)),
        ([1], [], 6, (None, 3)),  # the only one but 4 that fits beside it
        ([1], [3, 4], 6, (1, 0)),  # the best exchange; it loses weight
        ([1, 3], [1], 6.5, (3, 4)),
        ([2], [1, 3, 4], 3, (2, 1)),  # tabu, but better than any so far
        ([1, 3], [1, 3], 9, (3, None)),  # nothing is allowed: remove the smallest loss
    ],
)
def test_a_tabu_step_adds_or_exchanges_a_sentence(
    chosen: list[int], tabu: list[int], best: float, expected: tuple[int | None, int | None]
) -> None:
    graph = make_graph([5, 4, 4, 1, 1], [5, 6, 3, 0.5, 0.25], range(5), range(5))
    search = LocalSearch(reduce_problem(graph, 5), 5)
    state = search.choose(np.array(chosen, dtype=np.intp))
    assert _best_step(search, state, np.isin(np.arange(5), tabu), best) == expected


@pytest.mark.parametrize("search_of", [LocalSearch, make_search])
def test_all_sentences_that_fit_are_tried_if_none_is_removed(search_of: Callable[..., LocalSearch]) -> None:
    graph = make_graph([1] * 12, range(1, 13), range(12), range(12))
    search = search_of(reduce_problem(graph, 5), 5)
    found = best_exchanges(search, search.empty(), np.ones(12, dtype=bool), 0)
    assert [each.into for each in found if len(each.into) == 1] == [(i,) for i in range(11, -1, -1)]


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=50))
def test_sums_of_exact_amounts_do_not_depend_on_their_order(values: list[float]) -> None:
    (amounts,) = exact_amounts(np.array(values))
    assert amounts == pytest.approx(values, rel=1e-6, abs=1e-14 * sum(values))
    forward = backward = 0.0
    for amount in amounts:
        forward += amount
    for amount in amounts[::-1]:
        backward += amount
    assert forward == backward == amounts.sum()


# BP-guided decimation


@few_examples()
@given(graph=graphs(), budget=st.integers(0, 30))
def test_decimation_tends_to_g_greedy_as_mu_grows(graph: CoverageGraph, budget: int) -> None:
    costly = make_graph(np.maximum(graph.cost, 1), graph.weight, graph.edge_sentence, graph.edge_word)
    weighty = within_budget(costly, budget)[0]
    chosen = Decimation(beta=500, mu=60).select(weighty, budget).chosen
    assert chosen == GGreedy().select(weighty, budget).chosen


def test_decimation_covers_more_than_the_papers_algorithm() -> None:
    rng = np.random.default_rng(21)
    cases = [oracles.biregular(rng) for _ in range(5)]
    ranked = [BeliefPropagation(beta=3, mu=5).select(g, 100).covered_weight for g in cases]
    decimated = [Decimation(beta=3, mu=5).select(g, 100).covered_weight for g in cases]
    greedy = [GGreedy().select(g, 100).covered_weight for g in cases]
    assert np.mean(decimated) > max(np.mean(ranked), np.mean(greedy)) * 1.001


def test_decimation_starts_with_the_fields_of_bp() -> None:
    graph = oracles.biregular(np.random.default_rng(8), sentences=30)
    live, _ = start(graph, 3, 2).settled(150, 0.5, 1e-6)
    assert live.field() / 3 == pytest.approx(propagate(graph, 3, 2, 150, 0.5, 1e-6).field)
    assert not start(graph, 3, 2).messages.message.any()


# The command


def test_verbose_shows_the_proven_share(summc: Cli) -> None:
    result = summc("summarize", "-v", "--certify", "--selector", "auto", SAMPLE / "docs" / "d90001t")
    assert "% of the best possible, proven" in result.err
    piped = summc("load", SAMPLE / "docs" / "d90001t").out
    for stage in ("preprocess", "weigh", "graph"):
        piped = summc(stage, stdin=piped).out
    select = ["select", "--selector", "g-greedy", "--reading", 0]
    selection = json.loads(summc(*select, "--certify", stdin=piped).out)["selection"]
    assert selection["bound"] >= selection["covered_weight"]
    polished = json.loads(summc(*select, "--polish", stdin=piped).out)["selection"]
    assert polished["covered_weight"] > selection["covered_weight"]


def test_evaluate_shows_the_proven_share(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "docs" / "d90002t").mkdir(parents=True)
    for path in sorted((SAMPLE / "docs" / "d90002t").iterdir())[:3]:
        shutil.copy(path, tmp_path / "docs" / "d90002t")
    shutil.copytree(SAMPLE / "models", tmp_path / "models")
    arguments = ["evaluate", "--dataset", tmp_path, "-k", 80, "--selector", "auto,g-greedy,lead"]
    found = json.loads(summc(*arguments, "--certify", "--format", "json").out)["rows"]
    assert 0.95 < found[0]["proven"] <= 1
    assert found[1]["proven"] < found[0]["proven"]
    assert found[2]["proven"] is None
    assert "proven" in summc(*arguments, "--certify").out.splitlines()[0]
    assert "proven" not in summc(*arguments).out


def test_the_solver_prints_nothing_of_its_own(summc: Cli) -> None:
    graph = oracles.biregular(np.random.default_rng(9), sentences=30)
    line = {"graph": encode_graph(graph)}
    result = summc("select", "-k", 30, "--selector", "exact", stdin=json.dumps(line))
    assert (len(result.out.splitlines()), result.err) == (1, "")
    assert json.loads(result.out)["selection"]["diagnostics"]["optimal"]


def test_decimation_reports_its_parameters() -> None:
    graph = oracles.biregular(np.random.default_rng(2), sentences=40)
    found = Decimation().select(graph, 60).diagnostics
    assert set(found) == {"iterations", "beta", "mu", "damping"}
    assert 0.5 <= found["damping"] <= 0.97
    assert Decimation(beta=3, mu=5, damping=0.3).select(graph, 60).diagnostics["damping"] == 0.3
    alone = make_graph([1, 1], [1, 1], [0, 1], [0, 1])  # no shared word, so no message to update
    assert Decimation().select(alone, 2).diagnostics["iterations"] == 0
