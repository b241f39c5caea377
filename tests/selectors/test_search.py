"""Local search, tabu search, recombination and polish, against plain enumeration."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from summc.graph import make_graph
from summc.lab.experiments.random_graphs import Ensemble, Family
from summc.records import CoverageGraph, Indices
from summc.selectors import SELECTORS, Auto, GGreedy, LpRounding, auto, local_search, polish
from summc.selectors.auto import EFFORTS
from summc.selectors.base import exact_amounts
from summc.selectors.local_search import Exchange, LocalSearch, State
from summc.selectors.polish import improve_in_blocks
from summc.selectors.reduction import reduce_problem
from tests import oracles
from tests.bench.inputs import make_dense_graph, make_text_graph
from tests.oracles import as_graph, coverage
from tests.support.depth import few_examples
from tests.support.strategies import graphs

shared = graphs(most_sentences=8, most_levels=4, most_count=3, least_edges=12) | graphs(most_sentences=8)
budgets = st.integers(1, 30)


def chosen_in(state: State) -> list[int]:
    found: list[int] = np.flatnonzero(state.chosen).tolist()
    return found


def exchanged(chosen: Sequence[int], n: int) -> Iterator[tuple[int, ...]]:
    """Yield the choice after each exchange: up to two sentences in, two out, three in total."""
    others = [i for i in range(n) if i not in chosen]
    for gone, come in ((0, 1), (1, 1), (2, 1), (1, 2)):
        for out, into in itertools.product(
            itertools.combinations(chosen, gone), itertools.combinations(others, come)
        ):
            yield tuple(sorted(set(chosen) - set(out) | set(into)))


def plain_exchanges(
    graph: CoverageGraph, budget: float, chosen: list[int], may_go: Sequence[bool], least: float
) -> list[Exchange]:
    """Return the 40 best exchanges of those that ``LocalSearch.exchanges`` tries."""

    def covered(sentences: set[int]) -> float:
        return coverage(graph, tuple(sentences))

    def largest(kept: set[int], most: int) -> list[tuple[float, int]]:
        room = budget - graph.cost[list(kept)].sum()
        others = [i for i in range(len(graph.cost)) if i not in {*chosen, *kept} and graph.cost[i] <= room]
        gains = sorted((covered(kept) - covered(kept | {i}), i) for i in others)
        return [(-gain, i) for gain, i in gains if gain < 0][:most]

    members = [i for i in chosen if may_go[i]]
    pairs = list(itertools.combinations(members, 2)) if len(members) <= 6 else []
    found = []
    for out in [(), *((i,) for i in members), *pairs]:
        kept = set(chosen) - set(out)
        if out and kept:
            found.append(Exchange(covered(kept), out, ()))
        for _, first in largest(kept, 6 if out else 40):
            found.append(Exchange(covered(kept | {first}), out, (first,)))
            for gain, second in largest(kept | {first}, 2) if out and len(members) <= 40 else []:
                found.append(Exchange(covered(kept | {first}) + gain, out, (first, second)))
    better = [each for each in found if each.value > least]
    return sorted(better, key=lambda each: (-each.value, each.out, each.into))[:40]


@few_examples(100)
@given(graphs(most_sentences=12, most_words=10, least_edges=15, most_levels=3, most_count=2) | shared,
       budgets, st.integers(0, 99), st.sampled_from([0.0, 0.8, 1.0]))  # fmt: skip
def test_the_best_exchanges_are_found_in_order(
    graph: CoverageGraph, budget: int, seed: int, share: float
) -> None:
    problem = reduce_problem(graph, budget)
    rng = np.random.default_rng(seed)
    search = LocalSearch(problem)
    state = search.choose()
    search.fill(state, rng.random(len(search.cost)))
    may_go, least = rng.random(len(search.cost)) < share, share * search.value(state)
    before = [chosen_in(state), state.gain.tolist(), state.freed.tolist(), state.count.tolist()]
    found = list(search.exchanges(state, may_go, least))
    assert before == [chosen_in(state), state.gain.tolist(), state.freed.tolist(), state.count.tolist()]
    assert found == plain_exchanges(as_graph(problem), budget, before[0], may_go.tolist(), least)


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=50))
def test_sums_of_exact_amounts_do_not_depend_on_their_order(values: list[float]) -> None:
    (amounts,) = exact_amounts(np.array(values))
    assert amounts == pytest.approx(values, rel=1e-6, abs=1e-14 * sum(values))
    assert sum(amounts.tolist()) == sum(amounts[::-1].tolist()) == amounts.sum()


# Tabu search


def plain_tabu(graph: CoverageGraph, budget: float, patience: int, more: Indices) -> list[int]:
    """Return the best choice of a tabu search from nothing, by the rules that ``LocalSearch.tabu`` states."""
    chosen, until = list[int](), [0] * len(graph.cost)
    best, best_chosen, step, last = 0.0, list[int](), 0, 0
    while step - last < patience:
        step += 1
        value, room = coverage(graph, tuple(chosen)), budget - graph.cost[chosen].sum()
        outside = [i for i in range(len(graph.cost)) if i not in chosen]
        gain = {i: coverage(graph, (*chosen, i)) - value for i in outside}
        free = [i for i in outside if graph.cost[i] <= room and until[i] <= step and gain[i] > 0]
        swaps = []
        for k, i in itertools.product(chosen, outside):
            after = coverage(graph, (*(j for j in chosen if j != k), i))
            is_allowed = after > best or (until[k] <= step and until[i] <= step)
            if graph.cost[i] <= room + graph.cost[k] and is_allowed:
                swaps.append((after, k, i))
        gone, came = None, None
        if free:
            came = max(free, key=lambda i: gain[i])
        elif swaps:
            _, gone, came = max(swaps, key=lambda swap: swap[0])
        elif chosen:
            gone = max(chosen, key=lambda k: coverage(graph, tuple(j for j in chosen if j != k)))
        else:
            break
        if gone is not None:
            until[gone] = step + 10 + int(more[2 * step % len(more)])
        if came is not None:
            until[came] = step + 3 + int(more[(2 * step + 1) % len(more)])
        # As in slots: a new sentence takes the first free place.
        chosen = _placed(chosen, gone, came)
        value = coverage(graph, tuple(chosen))
        if value > best:
            best, best_chosen, last = value, list(chosen), step
    return sorted(best_chosen)


def _placed(chosen: list[int], gone: int | None, came: int | None) -> list[int]:
    if gone is not None and came is not None:
        return [came if j == gone else j for j in chosen]
    return [j for j in chosen if j != gone] if came is None else [*chosen, came]


@few_examples(60)
@given(shared, budgets, st.integers(0, 99))
def test_tabu_search_follows_its_rules(graph: CoverageGraph, budget: int, seed: int) -> None:
    problem = reduce_problem(graph, budget)
    assume(len(problem.cost) > 0)
    same = as_graph(problem)
    search = LocalSearch(problem)
    more = np.random.default_rng(seed).integers(4, size=8192)
    found = search.tabu(search.choose(), 25, 10**9, np.random.default_rng(seed))
    expected = plain_tabu(same, budget, 25, more)
    assert search.value(found) == coverage(same, tuple(expected))


# Polish


@few_examples(90)
@given(graph=graphs(most_sentences=9, least_edges=12, most_levels=3), budget=st.integers(5, 20))
# Two sentences share a word of two levels. The third is worth more than both, and fits only in place of both.
@example(make_graph([2, 2, 4], [4, 7.5], [0, 1, 2], [0, 0, 1], repeats=[3], repeats_start=[0, 1, 1]), 4)
def test_no_exchange_improves_a_polished_choice(graph: CoverageGraph, budget: int) -> None:
    ends: dict[tuple[int, ...], float] = {}  # many starts end in the same few choices
    for name in ("bp", "g-greedy", "knapsack", "stack"):
        before = SELECTORS[name]().select(graph, budget)
        after = polish(graph, before)
        assert after.cost <= budget
        assert after.covered_weight == coverage(graph, after.chosen) >= before.covered_weight
        ends[after.chosen] = after.covered_weight
    for chosen, covered in ends.items():
        for new in exchanged(chosen, len(graph.cost)):
            if sum(graph.cost[i] for i in new) <= budget:
                assert coverage(graph, new) <= covered + 1e-9


def test_blocks_are_searched_until_no_block_can_be_improved() -> None:
    graph = oracles.biregular(np.random.default_rng(5), sentences=500)
    greedy = GGreedy().select(graph, 700)  # 233 sentences, which are two blocks
    found, _ = improve_in_blocks(graph, greedy, 10**9)
    assert found.covered_weight > greedy.covered_weight
    assert improve_in_blocks(graph, found, 10**9)[0].covered_weight == found.covered_weight


def test_polish_keeps_the_proven_bound() -> None:
    graph = oracles.biregular(np.random.default_rng(0))
    before = LpRounding(draws=1).select(graph, 100)
    after = polish(graph, before)
    assert after.covered_weight > before.covered_weight
    assert after.bound == before.bound


@given(
    graph=graphs(most_sentences=9),
    budget=st.integers(0, 30),
    large=st.integers(0, 30),
    in_blocks=st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_selections_of_a_large_problem_are_never_below_g_greedy(
    monkeypatch: pytest.MonkeyPatch, graph: CoverageGraph, budget: int, large: int, in_blocks: bool
) -> None:
    monkeypatch.setattr(auto, "LARGE", large)
    monkeypatch.setattr(local_search, "TABLE", large if in_blocks else 10**7)
    before = GGreedy().select(graph, budget)
    for found in (Auto().select(graph, budget), polish(graph, before)):
        assert found.cost <= budget
        assert found.covered_weight >= before.covered_weight
    assert Auto().select(graph, budget).selector == "auto"


@pytest.mark.parametrize("work", [EFFORTS["low"].work, 500_000])  # more than enough, and too little
def test_auto_searches_a_selection_that_is_too_large_for_one_table(
    monkeypatch: pytest.MonkeyPatch, work: int
) -> None:
    monkeypatch.setattr(local_search, "TABLE", 100_000)
    monkeypatch.setitem(EFFORTS, "low", dataclasses.replace(EFFORTS["low"], work=work))
    graph = make_text_graph(500)
    budget = float(graph.cost.sum() * 0.7)
    greedy, selection = GGreedy().select(graph, budget), Auto("low").select(graph, budget)
    assert len(greedy.chosen) * len(graph.cost) > local_search.TABLE
    assert selection.cost <= budget
    assert selection.diagnostics["work"] <= 2.5 * work
    assert selection.covered_weight > greedy.covered_weight
    assert selection.covered_weight == pytest.approx(coverage(graph, selection.chosen))
    assert polish(graph, greedy).covered_weight >= selection.covered_weight


# The selector auto


@few_examples()
@given(graph=shared, budget=st.integers(0, 30))
def test_auto_is_never_below_g_greedy_and_nearly_always_the_optimum(
    graph: CoverageGraph, budget: int
) -> None:
    covered = Auto().select(graph, budget).covered_weight
    assert covered >= GGreedy().select(graph, budget).covered_weight
    assert covered >= 0.95 * oracles.optimum(graph, budget)


@pytest.mark.parametrize("factor", [0.1, 1e6])
def test_the_scale_of_the_weights_changes_nothing(factor: float) -> None:
    graph = oracles.biregular(np.random.default_rng(4), sentences=40)
    scaled = make_graph(graph.cost, graph.weight * factor, graph.edge_sentence, graph.edge_word)
    assert Auto().select(scaled, 60).chosen == Auto().select(graph, 60).chosen


def shallow(sentences: int, share: float) -> CoverageGraph:
    """Return a problem with one word in all sentences, which has a further level of this share."""
    rng, numbers = np.random.default_rng(3), np.arange(sentences)
    sentence, word = np.nonzero(rng.random((sentences, 60)) < 0.05)
    return make_graph(
        rng.integers(3, 9, sentences),
        [*rng.integers(1, 9, 60), 200],
        [*sentence, *numbers],
        [*word, *np.full(sentences, 60)],
        repeats=[200 * share],
        repeats_start=[*np.zeros(61, int), 1],
    )


@pytest.mark.parametrize(
    ("graph", "budget", "effort", "starts", "work", "covered"),
    [
        (oracles.biregular(np.random.default_rng(0)), 100, "normal", 40, 1_339_642, 1481),
        (make_text_graph(200), 250, "normal", 24, 965_657, 4.062822963),
        (make_text_graph(200), 250, "low", 12, 482_909, 4.062822963),
        # Few levels in a large problem do not need more agreement.
        (shallow(600, 0.1), 30, "normal", 80, 22_668_099, 492),
        (shallow(600, 0.9), 30, "normal", 240, 27_169_357, 652),
        (shallow(60, 0.1), 30, "normal", 72, 117_515, 375),
        (make_dense_graph(60, 0.1, 100, seed=3), 1000, "high", 48, 3_307_916, 7577),
        (make_dense_graph(400, 0.05, 100, seed=2), 900, "high", 24, 17_643_372, 28015),
        # A large problem is searched from what belief propagation chooses. From g-greedy's choice: 6746.
        (Family(sentences=600, right="power:3").problem(0)[0], 590, "low", 5, 64_363_532, 6761),
    ],
)
def test_the_search_of_auto_is_unchanged(
    monkeypatch: pytest.MonkeyPatch,
    graph: CoverageGraph,
    budget: int,
    effort: str,
    starts: int,
    work: int,
    covered: float,
) -> None:
    """Another order of searches, or other work, would change the answers."""
    few = dataclasses.replace(EFFORTS["high"], children=90)
    monkeypatch.setattr(auto, "EFFORTS", {**EFFORTS, "high": few})
    found = Auto(effort).select(graph, budget)
    assert (found.diagnostics["starts"], found.diagnostics["work"]) == (starts, work)
    assert found.covered_weight == pytest.approx(covered)


@pytest.mark.parametrize("number", [2, 3])
def test_equal_weights_of_different_selections_do_not_end_the_search(number: int) -> None:
    """Without weights many selections cover equally much, so that their agreement says nothing."""
    graphs = Ensemble(sentences=40, left_degree=3, right_degree=3, costs=(1, 1), weights=(1, 1))
    assert Auto().select(graphs.graph(number), 12).covered_weight == 36  # 12 sentences without a common word


def test_search_ends_when_everything_is_covered() -> None:
    graph = make_graph([2, 3, 4, 4], [1, 2, 7], [0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2])
    assert Auto("high").select(graph, 7).diagnostics["starts"] == 1


def test_a_time_limit_limits_the_work_and_not_the_clock() -> None:
    graph = make_dense_graph(150, 0.06, 100)
    brief = Auto("max", time_limit=0.01).select(graph, 1000)
    assert Auto("max", time_limit=0.01).select(graph, 1000) == brief
    assert brief.diagnostics["work"] < 2 * 0.01 * 3 * 10**8
    assert brief.covered_weight > 0


def test_high_effort_never_covers_less_than_normal_and_sometimes_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = dataclasses.replace(EFFORTS["high"], children=60)
    monkeypatch.setattr(auto, "EFFORTS", {**EFFORTS, "high": few})
    graphs = [make_dense_graph(80, 0.1, 100, seed) for seed in (0, 2, 4)]
    normal, high = (
        [Auto(effort).select(graph, 1000).covered_weight for graph in graphs] for effort in ("normal", "high")
    )
    assert all(more >= less for less, more in zip(normal, high, strict=True))
    assert high != normal


def test_auto_finds_disjoint_sentences_where_all_weights_are_equal() -> None:
    ensemble = Ensemble(sentences=60, left_degree=3, right_degree=3, costs=(1, 1), weights=(1, 1), seed=2004)
    assert Auto().select(ensemble.graph(1), 18).covered_weight == 18 * 3
