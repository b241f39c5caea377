"""Costs with decimals, such as prices: a choice fits if it fits on paper."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import summc
from tests import oracles
from tests.conftest import examples

NAMES = ("auto", "exact", "g-greedy", "lp-rounding", "bp", "bp-decimation", "stack")
#: Costs whose sums are rounded: decimals, thirds, and very large ones beside very small ones.
COSTS: tuple[list[float], ...] = (
    [0.1, 0.2, 0.3, 0.7, 1.1, 1.6, 0],
    [1 / 3, 2 / 3, 5 / 3, 1],
    [1e100, 1e16, 1, 1e-16, 1e-100, 0],
    [6, 7, 3],
)

PROBLEMS = st.integers(1, 6).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(1, 60), min_size=size, max_size=size),
        st.lists(st.sets(st.integers(0, 4)), min_size=size, max_size=size),
    )
)


@pytest.mark.parametrize("selector", NAMES)
def test_costs_that_sum_to_the_budget_fit(selector: str) -> None:
    for costs, budget in (([1.6, 0.4], 2), ([0.1, 0.2], 0.3), ([19.99, 24.5, 9.95], 54.44)):
        problem = summc.Problem(costs, [1] * len(costs), [(i, i) for i in range(len(costs))])
        found = summc.solve(problem, budget, selector)
        assert found.chosen == tuple(range(len(costs)))
        assert found.cost <= budget


@given(PROBLEMS, st.integers(0, 3), st.integers(1, 200))
def test_decimals_are_solved_as_whole_numbers_are(
    drawn: tuple[list[int], list[set[int]]], digits: int, most: int
) -> None:
    whole, held = drawn
    edges = [(i, a) for i, each in enumerate(held) for a in each]
    problem = summc.Problem([cost / 10**digits for cost in whole], [1, 2, 3, 4, 5], edges)
    sets = range(len(whole))
    best = max(
        sum(1 + a for a in set[int]().union(*(held[i] for i in chosen)))
        for size in range(len(whole) + 1)
        for chosen in itertools.combinations(sets, size)
        if sum(whole[i] for i in chosen) <= most
    )
    for selector in ("auto", "exact"):
        found = summc.solve(problem, most / 10**digits, selector)
        assert found.covered_weight == best
        assert found.bound is not None
        assert found.bound >= best
        assert sum(whole[i] for i in found.chosen) <= most
        assert found.cost <= found.budget


@examples(90)
@given(
    costs=st.sampled_from(COSTS).flatmap(lambda few: st.lists(st.sampled_from(few), min_size=1, max_size=6)),
    counts=st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), min_size=3, max_size=3),
    marks=st.lists(st.sampled_from(["in", "out", "fits", ""]), min_size=6, max_size=6),
    below=st.booleans(),
)
@example(
    costs=[0.2, 0.4, 0.4], counts=[[1, 1, 1], [0, 0, 0], [0, 0, 0]], marks=["in", "in", "fits"], below=False
)
@example(costs=[6, 0, 7], counts=[[1, 0, 1], [1, 0, 0], [0, 0, 1]], marks=["fits", "in", "fits"], below=True)
def test_no_bound_beside_included_sets_is_below_the_best_choice(
    costs: list[float], counts: list[list[int]], marks: list[str], *, below: bool
) -> None:
    places = {mark: [i for i in range(len(costs)) if marks[i] == mark] for mark in ("in", "out", "fits", "")}
    edges = [(i, a, row[i]) for a, row in enumerate(counts) for i in range(len(costs)) if row[i]]
    problem = summc.Problem(costs, [[5, 3.5, 1], [4, 4], 2], edges)
    budget = min(math.fsum(costs[i] for i in places["in"] + places["fits"]), 1e100)
    budget = math.nextafter(budget, 0) if below else budget  # one rounding above a budget fits it

    def cost(chosen: tuple[int, ...]) -> float:
        exact = math.fsum(costs[i] for i in chosen)
        return budget if exact == math.nextafter(budget, math.inf) else exact

    others = [i for i in places["fits"] + places[""] if costs[i] <= budget]
    sizes = range(len(others) + 1)
    choices = [(*places["in"], *more) for size in sizes for more in itertools.combinations(others, size)]
    best = max(
        (oracles.coverage(problem.graph, each) for each in choices if cost(each) <= budget), default=-1
    )
    for name in NAMES if best >= 0 else ():
        found = summc.solve(problem, budget, name, include=places["in"], exclude=places["out"])
        assert found.bound is not None
        assert found.bound >= best * (1 - 1e-12), name
        assert set(places["in"]) <= set(found.chosen) <= {*places["in"], *others}, name
        assert found.cost == cost(found.chosen) <= budget, name
