"""Costs with decimals, such as prices: a choice fits if it fits on paper."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import summc

PROBLEMS = st.integers(1, 6).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(1, 60), min_size=size, max_size=size),
        st.lists(st.sets(st.integers(0, 4)), min_size=size, max_size=size),
    )
)


@pytest.mark.parametrize("selector", ["auto", "exact", "g-greedy", "bp", "bp-decimation", "stack"])
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
