"""Costs that are not whole: a choice fits if it fits on paper."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

import summc
from summc.selectors import SELECTORS
from summc.selectors.amounts import exact_costs
from tests import oracles

#: Amounts on paper, which floats round.
FAMILIES = {
    "tenths": [Fraction(n, 10) for n in range(30)],
    "long decimals": [Fraction(n, 10**9) for n in (0, 1, 7, 1_310_398_001, 10**12 + 1, 2 * 10**12 - 3)],
    "thirds": [Fraction(n, 3) for n in range(8)] + [Fraction(5, 7), Fraction(1, 10)],
    "fractions": [Fraction(n, d) for n in (1, 5) for d in (3, 7, 9, 11, 13)],
    "distant": [n * Fraction(10) ** d for n in (0, 1, 3) for d in (-7, 0, 7)],
    "extremes": [Fraction(10) ** n for n in (99, 16, 15, 1, 0, -1, -16, -100)] + [Fraction(0)],
}


def alone(costs: Sequence[float], weights: Sequence[float]) -> summc.Problem:
    """Return the problem in which each set holds one element of its own."""
    return summc.Problem(costs, weights, [(i, i) for i in range(len(costs))])


@pytest.mark.parametrize("selector", sorted({*SELECTORS} - {"knapsack"}))  # its lengths are rounded
def test_costs_that_sum_to_the_budget_fit(selector: str) -> None:
    decimals = ([1.6, 0.4], 2), ([0.1, 0.2], 0.3), ([19.99, 24.5, 9.95], 54.44), ([0.7, 0.1], 0.7 + 0.1)
    for costs, budget in (
        *decimals,
        ([1 / 3] * 3, 1),
        ([5 / 3] * 3, 5),
        ([1.310398], 1.310398001310398),
        ([5 / 7, 2 / 11, 1 / 13], 5 / 7 + 2 / 11 + 1 / 13),
    ):
        found = summc.solve(alone(costs, [1, 5, 5][: len(costs)]), budget, selector)
        assert found.chosen == tuple(range(len(costs)))
        assert found.cost <= budget


def test_included_sets_fit_as_others_do() -> None:
    found = summc.solve(alone([0.2, 1.1, 0.7], [1, 5, 5]), 2, "exact", include=[1, 2])
    assert found.chosen == (0, 1, 2)
    assert found.bound == 11
    assert summc.solve(alone([1, 1e-8, 1e8], [1, 2, 5]), 1e8 + 1, include=[0]).chosen == (0, 2)
    parts = [1 / 3, 11 / 13, 2 / 11, 1 / 13, 5 / 11, 1 / 9]
    assert summc.solve(alone(parts, [1] * 6), 2579 / 1287, include=range(6)).cost == 2579 / 1287
    assert summc.solve(alone([0.1, 0.2], [1, 1]), 0.3, include=[0, 1]).chosen == (0, 1)
    assert summc.solve(alone([1, 1, 1], [1, 2, 3]), 2, include=[0, 0]).chosen == (0, 2)


def test_the_least_budget_of_one_set_is_its_cost() -> None:
    for cost in (1.66, 1 / 3, 1e-100):
        assert summc.least_budget(alone([cost], [1]), 1).cost == cost
    nothing = summc.least_budget(alone([1.66, 3], [1, 1]), 0)
    assert (nothing.chosen, nothing.cost) == ((), 0)
    assert nothing.diagnostics == {"too_small": None, "optimal": True}


def test_whole_costs_stay_as_they_are_and_sums_of_others_are_exact() -> None:
    cost = np.array([3.0, 2.0, np.inf, 1e100])
    assert exact_costs(cost, 4.5) == (cost, 4.5)
    rng = np.random.default_rng(1)
    units, most = exact_costs(rng.random(1000), 100.0)
    assert most == 100 / 2.0**-46
    assert (units == np.round(units)).all()


def check(family: str, seed: int) -> None:
    """Compare selectors, bounds, sets to include and the least budget with enumeration on paper."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 7))
    paper = [FAMILIES[family][i] for i in rng.integers(0, len(FAMILIES[family]), size)]
    held = rng.random((size, 4)) < 0.4
    problem = summc.Problem(list(map(float, paper)), [5, 4, 2.5, 1], np.argwhere(held))
    most = sum(itertools.compress(paper, rng.random(size) < 0.6), Fraction(0))
    budget = float(most)
    if family == "extremes":  # their sums are rounded
        most = next(
            amount for amount in (Fraction(f"{budget:.15g}"), Fraction(budget)) if float(amount) == budget
        )
    sizes = range(size + 1)
    every = [chosen for n in sizes for chosen in itertools.combinations(range(size), n)]
    cost = {chosen: sum((paper[i] for i in chosen), Fraction(0)) for chosen in every}
    covered = {chosen: oracles.coverage(problem.graph, chosen) for chosen in every}
    within = [chosen for chosen in every if cost[chosen] <= most]
    include = within[int(rng.integers(len(within)))] if rng.random() < 0.5 else ()
    best = max(covered[chosen] for chosen in within if set(include) <= set(chosen))
    for name in SELECTORS:
        found = summc.solve(problem, budget, name, include=include)
        assert set(include) <= set(found.chosen), name
        assert cost[found.chosen] <= most, name
        assert found.cost <= budget, name
        assert found.bound is not None
        assert found.bound >= best, name
        if name in ("auto", "exact"):
            assert found.covered_weight == best, name
    share = float(rng.choice([0, 0.3, 0.8, 1]))
    target = share * covered[tuple(range(size))] * (1 - 1e-9)
    least = summc.least_budget(problem, share)
    cheapest = min(cost[chosen] for chosen in every if covered[chosen] >= target)
    assert cost[least.chosen] <= cheapest * (1 + Fraction(1, 10**9))
    assert least.diagnostics["too_small"] is None or least.diagnostics["too_small"] < cheapest


@pytest.mark.parametrize("family", FAMILIES)
def test_amounts_are_summed_as_on_paper(family: str) -> None:
    for seed in range(3):
        check(family, seed)
