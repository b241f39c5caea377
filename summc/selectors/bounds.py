"""A proven upper bound on the weight that any selection within the budget covers.

Give each word a price from 0 to its weight. No selection then covers more than the sum of two amounts: weight
minus price, summed over all words; and the best fractional filling of the budget, where a sentence is worth
the prices of its words. The reason is that a covered word pays its price to at least one chosen sentence, and
the rest of its weight is counted once. The lowest bound that any prices give is the value of the LP
relaxation of the paper's integer program, Eq. (1). Subgradient steps find prices that come within a few parts
in ten thousand of it, in C (``compiled/bounds.c``). The bound holds for any prices.

Three things then lower the bound. Sentences that cannot be in a better selection than a known one are left
out, and prices are found again. If costs are small numbers of a unit, the best filling by whole sentences
gives a lower bound than the fractional one; a dynamic program finds it. More steps find
better prices for this filling.

Everything here is sums, products and comparisons in a fixed order, so the bound is the same on every machine.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from summc.records import CoverageGraph, Floats
from summc.selectors.base import for_c
from summc.selectors.reduction import ReducedProblem, folded, reduce_problem, restricted, with_exact_costs
from summc.system.compiled import Prices, library

#: The largest number of steps with fractional fillings, and with fillings by whole sentences.
_STEPS, _WHOLE_STEPS = 300, 100
#: Prices are found again if leaving out hopeless sentences leaves at most this share of the sentences.
_MUCH_SMALLER = 0.9
#: Fillings by whole sentences are computed if the number of sentences, times the budget, is at most this.
_TABLE = 100_000
#: The relative rounding error of a bound is less than this.
_ROUNDING = 1e-12
#: A sentence is hopeless if every selection that contains it covers less than (1 - this) times the weight of
#: the known selection.
_SHORT = 1e-9


class Relaxation(NamedTuple):
    """A solution of the LP relaxation, in which fractions of sentences may be chosen.

    Attributes:
        bound: a proven upper bound on the weight that any selection covers.
        filling: x_i, the fraction of each sentence that the relaxation chooses, shape (n,).
        penalty: an amount for each sentence, shape (n,). A selection covers at most the bound minus the sum
            of the penalties of its sentences. It is rate times cost minus worth, but not below 0.
        prices: the prices of the words that give the bound, shape (m,).
        rate: what one more unit of the budget is worth there: worth by cost of the first sentence that does
            not fit as a whole, or 0 if all fit. This is the paper's mu.
    """

    bound: float
    filling: Floats
    penalty: Floats
    prices: Floats
    rate: float


def upper_bound(graph: CoverageGraph, budget: float, covered: float) -> float:
    """Return a proven upper bound on the weight that any selection within the budget covers.

    ``covered`` is the weight that some selection covers, so the bound is never below it.
    """
    graph, budget = with_exact_costs(graph, budget)
    problem = reduce_problem(graph, budget)
    relaxation = relax(problem, covered)
    while relaxation.bound > covered:
        left = without_hopeless(problem, relaxation, covered)
        if len(left.cost) > _MUCH_SMALLER * len(problem.cost):
            break
        problem = folded(graph, np.isin(np.arange(len(graph.cost)), left.sentence), budget)
        relaxation = relax(problem, covered)
    return widened(graph, _whole_bound(problem, covered, relaxation), covered)


def relax(problem: ReducedProblem, covered: float, steps: int = _STEPS) -> Relaxation:
    """Return the LP relaxation, solved approximately by subgradient steps on the prices of words.

    ``covered`` is the weight that some selection covers. The search stops when the bound reaches it, at the
    latest after ``steps`` steps.
    """
    degree = np.bincount(problem.edge_word, weights=problem.count, minlength=len(problem.weight))
    lowest = _lowest(problem, covered, problem.weight / np.maximum(degree, 1), steps)
    cut = lowest.filling < 1
    rate = float((lowest.worth[cut] / problem.cost[cut]).max(initial=0.0))
    penalty = np.maximum(rate * problem.cost - lowest.worth, 0)
    return Relaxation(lowest.bound, lowest.mean, penalty, lowest.prices, rate)


class _Lowest(NamedTuple):
    """The lowest bound, the prices of words that give it, and the best filling of the budget by them.

    ``worth`` is what each sentence is worth: its ``unique_weight`` plus the prices of its words. ``filling``
    is the fraction of each that fills the budget best, and ``mean`` the mean of this over half the steps.
    """

    bound: float
    prices: Floats
    worth: Floats
    filling: Floats
    mean: Floats


def _lowest(
    problem: ReducedProblem, covered: float, prices: Floats, steps: int, *, whole: bool = False
) -> _Lowest:
    """Change the prices of words step by step; fill the budget by fractions, or by whole sentences."""
    n, m = len(problem.cost), len(problem.weight)
    lowest, worth, filling, fillings = np.empty(m), np.empty(n), np.empty(n), np.empty(n)
    total = int(problem.budget) if whole else -1
    in_c = for_c(
        Prices, sentences=n, words=m, edges=len(problem.count),
        cost=problem.cost, own=problem.unique_weight, weight=problem.weight, repeats=problem.repeats,
        edge_sentence=problem.edge_sentence, edge_word=problem.edge_word, count=problem.count,
        repeats_start=problem.repeats_start, budget=problem.budget, known=covered, steps=steps, whole=total,
        prices=prices.copy(), direction=np.zeros(m), lowest=lowest, worth=worth, filling=filling,
        fillings=fillings, bound=np.inf, scale=1.0,
        room=np.empty(2 * n + m + max(n, m, len(problem.repeats))), order=np.arange(n), left=np.arange(n),
        best=np.empty(total + 1), taken=np.empty(n * (total + 1), dtype=np.uint8),
    )  # fmt: skip
    while library().summc_lower(in_c):
        pass
    return _Lowest(in_c.bound, lowest, worth, filling, fillings / in_c.summed)


def widened(graph: CoverageGraph, bound: float, covered: float) -> float:
    """Return a bound raised enough to hold in spite of rounding errors.

    If all weights are whole numbers, the bound is then rounded down to a whole number. ``covered`` is the
    weight that some selection covers, so the result is never below it.
    """
    bound *= 1 + _ROUNDING
    if all(np.array_equal(weights, np.round(weights)) for weights in (graph.weight, graph.repeats)):
        bound = float(np.floor(bound))  # the sum of whole weights is whole
    return max(bound, covered)


def without_hopeless(problem: ReducedProblem, relaxation: Relaxation, covered: float) -> ReducedProblem:
    """Return the problem without the sentences that cannot be in a better selection than the known one.

    ``covered`` is the weight that the known selection covers. The relaxation gives an upper bound on every
    selection that contains a sentence: its bound minus the penalty of the sentence.
    """
    needed = covered * (1 - _SHORT)
    amounts = (problem.weight, problem.repeats, problem.unique_weight)
    if all(np.array_equal(weights, np.round(weights)) for weights in amounts):
        needed = np.floor(covered + 1e-6) + 1 - 1e-6  # a better selection covers the next whole number
    return restricted(problem, relaxation.bound * (1 + _ROUNDING) - relaxation.penalty >= needed)


def _whole_bound(problem: ReducedProblem, covered: float, relaxation: Relaxation) -> float:
    """Return the bound of the relaxation, or a lower one from filling by whole sentences.

    The latter is tried only if the table is small enough.
    """
    total = min(problem.budget, float(problem.cost.sum()))
    if len(problem.cost) * total > _TABLE:
        return relaxation.bound
    problem = dataclasses.replace(problem, budget=total)
    lowest = _lowest(problem, covered, relaxation.prices, _WHOLE_STEPS, whole=True)
    return min(relaxation.bound, lowest.bound)
