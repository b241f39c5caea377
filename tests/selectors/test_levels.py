"""Problems whose words are worth covering more than once, against plain enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from summc.graph.build import make_graph, within_budget, without_sentences
from summc.graph.coverage import curves, gains, left_after, make_curves, occurrences, total_weight
from summc.records import CoverageGraph
from summc.selectors import SELECTORS, Auto, GGreedy, SimpleGreedy, auto, polish, upper_bound
from summc.selectors.base import make_selection
from summc.selectors.compiled_search import make_search
from summc.selectors.enumerated import EnumeratedGreedy
from summc.selectors.exact import Exact
from summc.selectors.greedy import GuaranteedGreedy, lazy_greedy
from summc.selectors.local_search import LocalSearch
from summc.selectors.reduction import ReducedProblem, reduce_problem
from summc.selectors.stack import StackDecoding
from summc.selectors.tabu import tabu_search
from tests.oracles import algorithm_1, coverage, holdings, levels, optimum
from tests.support.depth import few_examples
from tests.support.strategies import graphs

problems = graphs(most_levels=4, most_count=3, least_edges=4)
budgets = st.integers(0, 30)


@few_examples()
@given(problems, st.data())
def test_a_choice_covers_the_first_levels_of_its_words(graph: CoverageGraph, data: st.DataObject) -> None:
    chosen = sorted(data.draw(st.sets(st.integers(0, len(graph.cost) - 1))))
    assert make_selection(graph, 100, "x", chosen).covered_weight == coverage(graph, tuple(chosen))
    curve, times = curves(graph), occurrences(graph, chosen)
    added = gains(graph, curve, times)
    for i in range(len(graph.cost)):
        if i not in chosen:
            more = coverage(graph, (*chosen, i)) - coverage(graph, tuple(chosen))
            assert added[i] == pytest.approx(more, abs=1e-9)
    assert total_weight(graph) == pytest.approx(coverage(graph, tuple(range(len(graph.cost)))))


@given(problems, st.data())
def test_the_graph_without_chosen_sentences_covers_the_rest(
    graph: CoverageGraph, data: st.DataObject
) -> None:
    chosen = sorted(data.draw(st.sets(st.integers(0, len(graph.cost) - 1))))
    others = tuple(i for i in range(len(graph.cost)) if i not in chosen)
    rest = without_sentences(graph, chosen)
    assert coverage(rest, others) + coverage(graph, tuple(chosen)) == pytest.approx(
        coverage(graph, tuple(range(len(graph.cost))))
    )


@given(problems, budgets, st.booleans())
def test_greedy_equals_algorithm_1_with_levels(graph: CoverageGraph, budget: int, by_cost: bool) -> None:
    assert lazy_greedy(graph, budget, by_cost=by_cost) == algorithm_1(graph, budget, by_cost=by_cost)


def as_graph(problem: ReducedProblem) -> CoverageGraph:
    """Return a reduced problem as a graph. The weight that only one sentence holds becomes a word."""
    own = len(problem.weight)
    alone = range(own, own + len(problem.cost))
    return make_graph(
        problem.cost,
        [*problem.weight, *problem.own],
        [*problem.edge_sentence, *range(len(problem.cost))],
        [*problem.edge_word, *alone],
        count=[*problem.count, *(1 for _ in alone)],
        repeats=problem.repeats,
        repeats_start=[*problem.repeats_start, *(len(problem.repeats) for _ in alone)],
    )


@few_examples()
@given(problems, budgets)
def test_a_reduced_problem_has_the_same_optimum(graph: CoverageGraph, budget: int) -> None:
    same = as_graph(reduce_problem(graph, budget))
    assert optimum(same, budget) == pytest.approx(optimum(graph, budget))


@few_examples()
@given(problems, budgets)
def test_exact_is_optimal_and_bounds_hold(graph: CoverageGraph, budget: int) -> None:
    part, _ = within_budget(graph, budget)
    best = optimum(part, budget)
    assert upper_bound(part, budget, 0.0) >= best - 1e-9
    found = Exact().select(part, budget)
    assert found.covered_weight == pytest.approx(best)
    assert found.bound is not None
    assert found.bound >= best - 1e-9


@few_examples(90)
@given(graphs(most_levels=4, most_count=3, least_edges=12), st.integers(5, 20))
def test_selectors_fit_the_budget_and_report_their_coverage(graph: CoverageGraph, budget: int) -> None:
    part, _ = within_budget(graph, budget)
    best = optimum(part, budget)
    for name in sorted(SELECTORS):
        note(name)
        found = SELECTORS[name]().select(part, budget)
        assert found.cost <= budget
        assert found.covered_weight == coverage(part, found.chosen) <= best + 1e-9
        assert found.bound is None or found.bound >= best - 1e-9
        better = polish(part, found)
        assert found.covered_weight <= better.covered_weight <= best + 1e-9


@few_examples()
@given(problems, budgets)
def test_a_beam_that_keeps_everything_finds_the_optimum(graph: CoverageGraph, budget: int) -> None:
    part, _ = within_budget(graph, budget)
    found = StackDecoding(beam=10_000).select(part, budget)
    assert found.covered_weight == pytest.approx(optimum(part, budget))


@few_examples()
@given(problems, budgets)
def test_greedy_keeps_its_guarantees_with_levels(graph: CoverageGraph, budget: int) -> None:
    part, _ = within_budget(graph, budget)
    best = optimum(part, budget)
    share = 1 - 1 / math.e
    assert GuaranteedGreedy().select(part, budget).covered_weight >= share / 2 * best - 1e-9
    assert EnumeratedGreedy().select(part, budget).covered_weight >= share * best - 1e-9


def test_curves_rise_by_the_weights_of_their_levels() -> None:
    graph = make_graph(
        [1, 1], [5, 2], [0, 1, 1], [0, 0, 1], count=[2, 1, 3], repeats=[3, 1], repeats_start=[0, 2, 2]
    )
    assert levels(graph) == [[5, 3, 1], [2]]
    assert holdings(graph) == [{0: 2}, {0: 1, 1: 1}]
    curve = make_curves(graph.weight, graph.repeats, graph.repeats_start)
    assert curve.value.tolist() == [0, 5, 8, 9, 0, 2]
    assert curve.levels.tolist() == [3, 1]
    weight, repeats, start = left_after(graph, occurrences(graph, [0]))
    assert (weight.tolist(), repeats.tolist(), start.tolist()) == ([1, 2], [], [0, 0, 0])


# Local search

implementations = pytest.mark.parametrize("implementation", [LocalSearch, make_search])
shared = graphs(most_sentences=8, most_levels=4, most_count=3, least_edges=12)
Make = Callable[[ReducedProblem, float], LocalSearch]


@implementations
@few_examples()
@given(shared, st.integers(1, 30), st.lists(st.integers(0, 7), max_size=20))
def test_the_figures_of_a_state_match_enumeration(
    implementation: Make, graph: CoverageGraph, budget: int, moves: list[int]
) -> None:
    problem = reduce_problem(graph, budget)
    n, same = len(problem.cost), as_graph(problem)
    assume(n > 0)
    search = implementation(problem, budget)
    state = search.empty()
    for move in moves:
        (search.remove if state.chosen[move % n] else search.add)(state, move % n)
    chosen = set(np.flatnonzero(state.chosen).tolist())
    assert set(state.member[state.member >= 0].tolist()) == chosen

    def covered(*sentences: int) -> float:
        return coverage(same, sentences)

    value = covered(*chosen)
    assert search.value(state) == value
    for i in set(range(n)) - chosen:
        assert state.gain[i] == covered(*chosen, i) - value
    for slot, member in enumerate(state.member.tolist()):
        rest = chosen - {member}
        if member < 0:
            assert not state.loss[slot]
            assert not state.freed[slot].any()
            continue
        assert state.loss[slot] == value - covered(*rest)
        for i in set(range(n)) - chosen:
            assert state.freed[slot, i] + state.gain[i] == covered(*rest, i) - covered(*rest)


def exchanged(chosen: tuple[int, ...], n: int) -> Iterator[tuple[int, ...]]:
    """Yield the choice after each exchange: up to two sentences in, two out, three in total."""
    others = [i for i in range(n) if i not in chosen]
    for gone, come in ((0, 1), (1, 1), (2, 1), (1, 2)):
        for out, into in itertools.product(
            itertools.combinations(chosen, gone), itertools.combinations(others, come)
        ):
            yield tuple(set(chosen) - set(out) | set(into))


@implementations
@few_examples()
@given(shared, st.integers(1, 30), st.lists(st.integers(1, 9), min_size=8, max_size=8))
def test_no_exchange_improves_an_improved_choice(
    implementation: Make, graph: CoverageGraph, budget: int, preference: list[int]
) -> None:
    problem = reduce_problem(graph, budget)
    n, same = len(problem.cost), as_graph(problem)
    assume(n > 0)
    search = implementation(problem, budget)
    state = search.empty()
    search.fill(state, np.array(preference[:n], dtype=float))
    search.improve(state)
    chosen = tuple(np.flatnonzero(state.chosen).tolist())
    assert same.cost[list(chosen)].sum() <= budget
    for new in exchanged(chosen, n):
        if same.cost[list(new)].sum() <= budget:
            assert coverage(same, new) <= search.value(state)


@few_examples()
@given(shared, budgets)
def test_polish_is_never_worse(graph: CoverageGraph, budget: int) -> None:
    for selector in (SimpleGreedy(), GGreedy()):
        before = selector.select(graph, budget)
        after = polish(graph, before)
        assert after.cost <= budget
        assert after.covered_weight == coverage(graph, after.chosen) >= before.covered_weight


def random_problem(rng: np.random.Generator) -> tuple[CoverageGraph, int]:
    """Return a problem of up to nine sentences that share most of their words, and a budget."""
    n, m = rng.integers(4, 10), rng.integers(3, 10)
    held = np.argwhere(rng.random((n, m)) < 0.5)
    length = rng.integers(0, 4, m)
    weight = rng.integers(1, 100, m).astype(float)
    repeats = [w * share for w, size in zip(weight, length, strict=True) for share in falling(rng, size)]
    graph = make_graph(
        rng.integers(1, 10, n), weight, held[:, 0], held[:, 1], count=rng.integers(1, 4, len(held)),
        repeats=repeats, repeats_start=np.concatenate([[0], np.cumsum(length)]),
    )  # fmt: skip
    return graph, int(rng.integers(5, 30))


def falling(rng: np.random.Generator, size: int) -> list[float]:
    return sorted((rng.integers(0, 101, size) / 100).tolist(), reverse=True)


def best_by_enumeration(graph: CoverageGraph, budget: int) -> float:
    """Return the weight that the best choice covers, by evaluating all choices at once."""
    n, m = len(graph.cost), len(graph.weight)
    choices = np.array(list(itertools.product((0, 1), repeat=n)))
    held = np.zeros((n, m), dtype=np.intp)
    held[graph.edge_sentence, graph.edge_word] = graph.count
    fits = choices @ graph.cost <= budget
    return float(curves(graph).at(np.arange(m), choices[fits] @ held).sum(axis=1).max())


def test_auto_finds_the_optimum_of_nearly_all_small_problems() -> None:
    rng = np.random.default_rng(17)
    share = []
    for _ in range(80):
        graph, budget = random_problem(rng)
        best = best_by_enumeration(graph, budget)
        found = Auto().select(graph, budget)
        assert found.cost <= budget
        share.append(found.covered_weight / best if best else 1.0)
    assert min(share) > 0.95
    assert np.mean(np.array(share) > 1 - 1e-9) > 0.995


def news_problem(budget: float, sentences: int = 120) -> CoverageGraph:
    """Return a problem like a cluster of news: a few words are in nearly all sentences, and most in few.

    The levels of a word follow its expected number of occurrences in a summary that fills the budget.
    """
    rng = np.random.default_rng(5)
    words = 900
    share = 1 / np.arange(2, words + 2)
    share /= share.sum()
    length = rng.integers(8, 40, sentences)
    counts = np.array([rng.multinomial(size, share) for size in length])
    level = np.arange(1, 40)
    expected = budget * share * rng.gamma(2, 0.5, words)
    # P(N >= l) of a geometric N. It falls slowly, as for a word whose count is uncertain.
    value = (expected / (1 + expected))[:, None] ** level
    number = np.maximum((value >= 1e-3).sum(axis=1), 1)
    sentence, word = np.nonzero(counts)
    return make_graph(
        length, value[:, 0], sentence, word, count=counts[sentence, word],
        repeats=value[:, 1:][level[1:] <= number[:, None]],
        repeats_start=np.concatenate([[0], np.cumsum(number - 1)]),
    )  # fmt: skip


def test_auto_is_close_to_exact_on_a_problem_like_news() -> None:
    graph = news_problem(100, sentences=40)
    best = Exact().select(graph, 100)
    assert best.diagnostics["optimal"]
    assert Auto().select(graph, 100).covered_weight >= 0.999 * best.covered_weight


@implementations
def test_tabu_search_leaves_a_local_optimum(implementation: Make) -> None:
    graph = news_problem(250)
    search = implementation(reduce_problem(graph, 250), 250)
    state = search.empty()
    search.fill(state, np.random.default_rng(1).random(len(search.cost)))
    search.improve(state)
    better = tabu_search(search, state, 100, 10**9, np.random.default_rng(1))
    assert search.value(better) > search.value(state)
    assert better.spent <= 250


def test_both_implementations_agree_on_a_problem_like_news(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = news_problem(100, sentences=60)
    quick = Auto("low").select(graph, 100)
    monkeypatch.setattr(auto, "make_search", LocalSearch)
    assert Auto("low").select(graph, 100) == quick
