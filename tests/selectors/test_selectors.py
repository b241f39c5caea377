from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from summc.graph import make_graph
from summc.records import CoverageGraph
from summc.selectors import SELECTORS, GGreedy
from summc.selectors.greedy import lazy_greedy
from summc.selectors.solving import next_sentence, solve
from tests import oracles
from tests.conftest import examples
from tests.support.depth import few_examples
from tests.support.strategies import graphs

SELECTOR_NAMES = sorted(SELECTORS)


#: Problems with whole or real weights, with few or many shared words, and with several levels.
problems = (
    graphs()
    | graphs(least_edges=12)
    | graphs(least_edges=12, integers=False)
    | graphs(most_levels=4, most_count=3, least_edges=12)
)


@few_examples(120)
@given(graph=problems, budget=st.integers(0, 30))
def test_a_selection_fits_the_budget_and_reports_its_coverage(graph: CoverageGraph, budget: int) -> None:
    best = oracles.optimum(graph, budget)
    for name in SELECTOR_NAMES:
        note(name)
        selection = SELECTORS[name]().select(graph, budget)
        assert selection.selector == name
        assert selection.budget == budget
        assert selection.cost == sum(graph.cost[list(selection.chosen)]) <= budget
        assert list(selection.chosen) == sorted(set(selection.chosen))
        assert selection.covered_weight == oracles.coverage(graph, selection.chosen) <= best + 1e-9
        assert selection.bound is None or selection.bound >= best * (1 - 1e-12)


@few_examples(90)
@given(graph=problems, budget=st.integers(1, 6))
def test_a_share_of_the_optimum_is_covered_if_all_costs_are_equal(graph: CoverageGraph, budget: int) -> None:
    equal = dataclasses.replace(graph, cost=np.ones_like(graph.cost))
    best = oracles.optimum(equal, budget)
    for name in set(SELECTORS) - {"bp", "bp-decimation", "knapsack"}:  # which guarantee nothing
        covered = SELECTORS[name]().select(equal, budget).covered_weight
        assert covered >= (1 - 1e-9) * (1 if name == "exact" else 1 - 1 / math.e) * best, name


@examples(300)
@given(
    graph=problems | graphs(most_sentences=12, most_words=12, integers=False),
    budget=st.integers(0, 60),
    by_cost=st.booleans(),
)
def test_lazy_greedy_equals_algorithm_1(graph: CoverageGraph, budget: int, by_cost: bool) -> None:
    expected = oracles.algorithm_1(graph, budget, by_cost=by_cost)
    assert lazy_greedy(graph, budget, by_cost=by_cost) == expected


def test_g_greedy_divides_by_cost_and_greedy_does_not() -> None:
    # A long sentence is worth 10, two short ones 6 each. Either the long one or both short ones fit.
    graph = make_graph([10, 4, 4], [10, 6, 6], [0, 1, 2], [0, 1, 2])
    assert SELECTORS["greedy"]().select(graph, 10).chosen == (0,)
    assert SELECTORS["g-greedy"]().select(graph, 10).chosen == (1, 2)


@pytest.mark.parametrize("name", SELECTOR_NAMES)
def test_ties_go_to_the_lowest_index(name: str) -> None:
    many = range(30)
    graph = make_graph([2] * 30, [1 + i % 3 for i in many], many, many)
    expected = sorted(many, key=lambda i: (-(i % 3), i))[:15]
    assert SELECTORS[name]().select(graph, 30).chosen == tuple(sorted(expected))


@pytest.mark.parametrize("name", SELECTOR_NAMES)
def test_sentences_that_do_not_fit_are_skipped(name: str) -> None:
    graph = make_graph([5, 6, 4], [9, 8, 1], [0, 1, 2], [0, 1, 2])
    assert SELECTORS[name]().select(graph, 10).chosen == (0, 2)
    free = make_graph([5, 0, 7], [3, 2, 2, 1], [0, 1, 2, 1], [0, 1, 2, 3])
    assert SELECTORS[name]().select(free, 4).chosen == (1,)


def test_a_rounding_error_does_not_decide_a_tie() -> None:
    # Two sentences of the same worth, per word or in total. In floating-point numbers the second is worth
    # more, because 0.1 + 0.1 + 0.1 > 0.3.
    per_word = make_graph([4, 3], [0.1] * 7, [0] * 4 + [1] * 3, range(7))
    in_total = make_graph([3, 3], [0.3, 0.1, 0.1, 0.1], [0, 1, 1, 1], range(4))
    for name in ("g-greedy", "g-greedy-guaranteed"):
        assert SELECTORS[name]().select(per_word, 4).chosen == (0,)
    for name in ("g-greedy", "greedy"):
        assert SELECTORS[name]().select(in_total, 3).chosen == (0,)


def test_the_next_sentence_adds_the_most_for_its_cost() -> None:
    graph = make_graph([2, 2, 9, 1], [5, 6, 9], [0, 1, 2, 3], [0, 1, 2, 0])
    chosen = solve(graph, 4, GGreedy(), "here")
    assert chosen.chosen == (1, 3)
    assert next_sentence(graph, chosen) == 2
    everything = solve(graph, 99, GGreedy(), "here")
    assert next_sentence(graph, everything) is None
