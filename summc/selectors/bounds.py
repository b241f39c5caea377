"""A proven upper bound on the weight that any choice within the budget covers.

For any price of each word, from 0 to its weight, no choice covers more than the sum over all words of weight
less price, plus the best fractional filling of the budget with sentences worth the prices of their words:
a covered word is worth its price to some chosen sentence, and the rest of its weight once. The lowest such
bound over all prices is that of the LP relaxation of (1). Prices are found by HiGHS where the problem is
small, and by subgradient steps where it is large; whatever they are, the bound is computed from them here,
and holds.
"""

from __future__ import annotations

import numpy as np

from summc.records import CoverageGraph, Floats
from summc.selectors.exact import covering_matrix, quiet
from summc.selectors.reduction import ReducedProblem, reduce_problem

#: Problems of so many edges go to HiGHS.
SMALL = 20_000
_STEPS = 400
#: The sums of a bound are off by less than this part of it.
_ROUNDING = 1e-12


def upper_bound(graph: CoverageGraph, budget: float, known: float) -> float:
    """Return a bound; ``known`` is a weight that some choice covers, which it cannot be below."""
    problem = reduce_problem(graph, budget)
    if not len(problem.cost):
        return 0.0
    if len(problem.edge_word) <= SMALL:
        bound = dual_bound(problem, budget, _lp_prices(problem, budget))
    else:
        bound = subgradient_bound(problem, budget, known)
    bound *= 1 + _ROUNDING
    if np.array_equal(graph.weight, np.round(graph.weight)):
        bound = float(np.floor(bound))  # whole weights add up to whole weights
    return max(bound, known)


def dual_bound(problem: ReducedProblem, budget: float, prices: Floats) -> float:
    """Return the bound that prices of the words give; outside 0 to w_a they would prove nothing."""
    return _dual(problem, budget, np.clip(prices, 0, problem.weight))[0]


def _dual(problem: ReducedProblem, budget: float, prices: Floats) -> tuple[float, Floats]:
    """Return the bound at some prices, and the fractional filling x_i that it is reached by."""
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
    return float((problem.weight - prices).sum() + (worth * x).sum()), x


def subgradient_bound(problem: ReducedProblem, budget: float, known: float) -> float:
    """Return the best bound along steps that lower it: a word covered more than once is overpriced."""
    degree = np.bincount(problem.edge_word, minlength=len(problem.weight))
    prices = problem.weight / np.maximum(degree, 1)
    best, scale, since = np.inf, 1.0, 0
    for _ in range(_STEPS):
        bound, x = _dual(problem, budget, prices)
        if bound < best * (1 - 1e-6):
            best, since = bound, 0
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
    return best


def _lp_prices(problem: ReducedProblem, budget: float) -> Floats:
    from scipy.optimize import linprog  # noqa: PLC0415 (half a second of imports)

    if not len(problem.weight):
        return problem.weight
    n, m = len(problem.cost), len(problem.weight)
    matrix = covering_matrix(problem, budget_row=True)
    with quiet():
        result = linprog(
            -np.concatenate([problem.own, problem.weight]),
            A_ub=matrix,
            b_ub=np.concatenate([[budget], np.zeros(m)]),
            bounds=(0, 1),
            method="highs",
        )
    if result.x is None or len(result.x) != n + m:
        return np.zeros(m)
    return np.asarray(-result.ineqlin.marginals[1:])
