"""What fits a budget: costs are summed as on paper, so that 0.1 and 0.2 fit a budget of 0.3."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from summc.graph import part_of
from summc.records import CoverageGraph, Floats, Indices

#: Costs of up to this many decimals, such as prices, become whole numbers quickly.
_DECIMALS = 6
#: Amounts of at most this many digits, and fractions of at most this denominator, are read as on paper.
_DIGITS, _DENOMINATOR = 15, 1000
#: Sums of whole numbers up to this are exact.
_EXACT = 2**53


def exact_costs(cost: Floats, budget: float) -> tuple[Floats, float]:
    """Return the costs and the budget as multiples of one unit, in which every sum of costs is exact.

    Sentences fit a budget if they do in this unit. Whole costs stay as they are. For decimals and for
    fractions such as 1/3 the unit is the last digit or the common denominator. For other costs it is the last
    binary digit of the budget, and each cost is lowered by less than two units. Sentences then fit if the
    amounts did before they became binary numbers. Costs of more than two budgets may become infinite.
    """
    reached = cost <= 2 * budget
    costs = cost[reached]
    total = min(budget, float(costs.sum()))
    for digits in range(_DECIMALS + 1):
        scale = 10.0**digits
        if total * scale < _EXACT and np.array_equal(np.round(costs * scale) / scale, costs):
            if digits == 0 and budget % 1 == 0:
                return cost, budget
            most = float(_units_in(budget, 10**digits))
            return (np.round(cost * scale), most) if digits else (cost, max(most, budget))
    values, place, counts = np.unique(costs, return_inverse=True, return_counts=True)
    units, most = _whole_units(values, counts.tolist(), budget)
    if most >= _EXACT:
        rounding = math.ulp(total)
        units, most = np.maximum(np.floor(values / rounding - 0.5), 0.0), budget / rounding
    exact = np.full(len(cost), np.inf)
    exact[reached] = units[place]
    return exact, most


def fits(cost: Floats, chosen: Iterable[int], budget: float) -> bool:
    """Tell whether the chosen sentences fit the budget."""
    exact, most = exact_costs(cost, budget)
    return bool(exact[list(chosen)].sum() <= most)


def room_beside(budget: float, costs: Sequence[float], new_costs: Floats) -> float:
    """Return what is left of the budget beside chosen sentences: enough for all that fits.

    It may be too much, by the roundings of the amounts.
    """
    left = Fraction(budget) - sum(map(Fraction, costs))
    most = left + (len(costs) + 1) * Fraction(math.ulp(budget)) / 2
    if np.array_equal(new_costs, np.round(new_costs)):
        most = Fraction(math.floor(most))
    enough = float(most)
    enough = math.nextafter(enough, math.inf) if enough < most else enough
    return min(max(enough, 0.0), budget)


def within_budget(graph: CoverageGraph, budget: float) -> tuple[CoverageGraph, Indices]:
    """Return the graph without what does not fit or has no weight, and the old indices of its sentences."""
    cost, most = exact_costs(graph.cost, budget)
    kept = cost <= most
    part, words = part_of(graph, kept)
    part += [graph.sentence_ids[kept], graph.word_ids[words]]
    return CoverageGraph(*part), np.flatnonzero(kept)


def _whole_units(values: Floats, counts: Sequence[int], budget: float) -> tuple[Floats, float]:
    """Return amounts and the budget as multiples of the largest unit that the amounts share on paper.

    ``counts`` is the number of sentences with each cost. If the amounts share no unit, or have too many
    digits, the budget is infinite. Between the digits of very large and of very small costs there may be
    digits that no sum of the small ones reaches. They are left out: 1000 and 3 become 10 and 3 if sums of the
    small ones are below 10.
    """
    paper = list[Fraction]()
    for value in values.tolist():
        if (amount := _read(value)) is None:
            return values, math.inf
        paper.append(amount)
    unit = math.lcm(*(amount.denominator for amount in paper))
    amounts, radix = [int(amount * unit) for amount in paper], 10
    most = _units_in(budget, unit)
    if most >= _EXACT:  # the budget may be more than all costs
        most = min(most, sum(map(operator.mul, amounts, counts)))
    while most >= _EXACT and radix <= most:
        small = sum(amount % radix * count for amount, count in zip(amounts, counts, strict=True))
        if small + 1 < radix:
            amounts = [amount // radix * (small + 1) + amount % radix for amount in amounts]
            most = most // radix * (small + 1) + min(most % radix, small)
            radix = small + 1
        radix *= 10
    return (np.array(amounts, dtype=np.float64), float(most)) if most < _EXACT else (values, math.inf)


def _read(amount: float) -> Fraction | None:
    """Return the decimal or the simple fraction that an amount stands for, or None."""
    same = (simple for simple in _simple(amount) if float(simple) == amount)
    return min(same, key=operator.attrgetter("denominator"), default=None)


def _units_in(budget: float, unit: int) -> int:
    """Return how many times 1 / ``unit`` fits a budget on paper.

    A computed budget, such as 0.7 + 0.1 or 2 / 11 + 1 / 13, may be two roundings below what it stands for.
    """
    paper, exact = _read(budget), Fraction(budget)
    if paper is not None and unit % paper.denominator == 0:
        return int(paper * unit)
    nearest = round(exact * unit)
    is_near = Fraction(nearest, unit) - exact <= 2 * Fraction(math.ulp(budget))
    return nearest if is_near else nearest - 1


def _simple(amount: float) -> Iterator[Fraction]:
    """Yield the decimal and the simple fraction next to an amount."""
    yield Fraction(f"{amount:.{_DIGITS}g}")
    yield Fraction(amount).limit_denominator(_DENOMINATOR)
