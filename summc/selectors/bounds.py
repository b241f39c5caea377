"""A proven upper bound on the weight that any choice within the budget covers.

For any price of each word, from 0 to its weight, no choice covers more than the sum over all words of weight
less price, plus the best fractional filling of the budget with sentences worth the prices of their words:
a covered word is worth its price to some chosen sentence, and the rest of its weight once. The lowest such
bound over all prices is that of the LP relaxation of (1). Prices are found by HiGHS where the problem is
small, and by subgradient steps where it is large; whatever they are, the bound is computed from them here,
and holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from summc.records import CoverageGraph, Floats
from summc.selectors.highs import relax
from summc.selectors.reduction import ReducedProblem, reduce_problem, restricted

#: Problems of so many edges go to HiGHS.
SMALL = 20_000
_STEPS = 400
#: The sums of a bound are off by less than this part of it.
_ROUNDING = 1e-12
#: A sentence is hopeless when a choice that holds it falls short of a known one by this part.
_SHORT = 1e-9


def upper_bound(graph: CoverageGraph, budget: float, known: float) -> float:
    """Return a bound; ``known`` is a weight that some choice covers, which it cannot be below."""
    bound = problem_bound(reduce_problem(graph, budget), budget, known).bound
    if np.array_equal(graph.weight, np.round(graph.weight)):
        bound = float(np.floor(bound))  # whole weights add up to whole weights
    return max(bound, known)


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A bound, and the prices of the words that prove it, shape (m,)."""

    bound: float
    prices: Floats


def problem_bound(problem: ReducedProblem, budget: float, known: float) -> Bound:
    """Return the bound of a reduced problem; ``known`` is what some choice covers, to step toward."""
    if not len(problem.cost):
        return Bound(0.0, problem.weight)
    if len(problem.edge_word) <= SMALL:
        prices = np.clip(relax(problem, budget)[1], 0, problem.weight)
        bound = dual_bound(problem, budget, prices)
    else:
        bound, prices = subgradient_bound(problem, budget, known)
    return Bound(bound * (1 + _ROUNDING), prices)


def without_hopeless(problem: ReducedProblem, budget: float, known: float, prices: Floats) -> ReducedProblem:
    """Return the problem without sentences that no choice better than a known one holds.

    At the given prices the budget is filled from the sentences of most worth a word; the last of these sets
    the price of a word of the budget. A choice with a sentence worth less than that loses the difference.
    """
    if not len(problem.cost):
        return problem
    worth, x = _filling(problem, budget, prices)
    part = (x > 0) & (problem.cost > 0)
    price = float((worth[part] / problem.cost[part]).min()) if part.any() else 0.0
    if float(problem.cost.sum()) <= budget:
        price = 0.0  # all of it fits: nothing competes for the budget
    loss = np.maximum(price * problem.cost - worth, 0.0)
    bound = float((problem.weight - prices).sum() + (worth * x).sum()) * (1 + _ROUNDING)
    needed = known * (1 - _SHORT)
    if all(np.array_equal(weights, np.round(weights)) for weights in (problem.weight, problem.own)):
        needed = known + 1 - 1e-6  # whole weights: more is more by one at least
    return restricted(problem, bound - loss >= needed)


def dual_bound(problem: ReducedProblem, budget: float, prices: Floats) -> float:
    """Return the bound that prices of the words give; outside 0 to w_a they would prove nothing."""
    return _dual(problem, budget, np.clip(prices, 0, problem.weight))[0]


def _dual(problem: ReducedProblem, budget: float, prices: Floats) -> tuple[float, Floats]:
    """Return the bound at some prices, and the fractional filling x_i that it is reached by."""
    worth, x = _filling(problem, budget, prices)
    return float((problem.weight - prices).sum() + (worth * x).sum()), x


def _filling(problem: ReducedProblem, budget: float, prices: Floats) -> tuple[Floats, Floats]:
    """Return what each sentence is worth at some prices, and the best fractional filling x_i, shape (n,)."""
    n = len(problem.cost)
    worth = problem.own + np.bincount(problem.edge_sentence, weights=prices[problem.edge_word], minlength=n)
    ratio = np.divide(worth, problem.cost, out=np.full(n, np.inf), where=problem.cost > 0)
    order = np.argsort(-ratio, kind="stable")
    spent = np.cumsum(problem.cost[order])
    filling = np.clip(
        (budget - (spent - problem.cost[order])) / np.maximum(problem.cost[order], 1e-300), 0, 1
    )
    filling[problem.cost[order] == 0] = 1.0
    x = np.empty(n)
    x[order] = filling
    return worth, x


def subgradient_bound(problem: ReducedProblem, budget: float, known: float) -> tuple[float, Floats]:
    """Return the best bound, and its prices, along steps that lower it.

    A word that is covered more than once is overpriced.
    """
    degree = np.bincount(problem.edge_word, minlength=len(problem.weight))
    prices = problem.weight / np.maximum(degree, 1)
    best, best_prices = np.inf, prices
    scale, since = 1.0, 0
    for _ in range(_STEPS):
        bound, x = _dual(problem, budget, prices)
        progress = bound < best * (1 - 1e-6)
        if bound < best:
            best, best_prices = bound, prices
        if progress:
            since = 0
        else:
            since += 1
            if since >= 10:  # noqa: PLR2004 (steps without progress: go on with shorter ones)
                scale, since = scale / 2, 0
        covered = np.bincount(problem.edge_word, weights=x[problem.edge_sentence], minlength=len(prices))
        # A word at its full price need not be covered; one at no price need not be left.
        slope = covered - 1
        slope[(slope < 0) & (prices >= problem.weight)] = 0
        slope[(slope > 0) & (prices <= 0)] = 0
        length = float(slope @ slope)
        if length == 0 or best <= known:
            break
        prices = np.clip(prices - scale * (bound - known) / length * slope, 0, problem.weight)
    return best, best_prices
