"""A proven upper bound on the weight that any choice within the budget covers.

For any price of each word, from 0 to its weight, no choice covers more than the sum over all words of weight
less price, plus the best fractional filling of the budget with sentences worth the prices of their words:
a covered word is worth its price to some chosen sentence, and the rest of its weight once. The lowest such
bound over all prices is that of the LP relaxation of (1). Prices are found by HiGHS where the problem is
small, and by subgradient steps where it is large; whatever they are, the bound is computed from them here,
and holds.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from summc.records import CoverageGraph, Floats, Indices
from summc.selectors.highs import covering_matrix, quiet
from summc.selectors.reduction import ReducedProblem, reduce_problem, restricted

#: Problems of so many edges go to HiGHS.
SMALL = 20_000
#: Larger ones too where the filling matters, but none with more edges than these.
LARGE = 500_000
_STEPS = 400
#: The sums of a bound are off by less than this part of it.
_ROUNDING = 1e-12
#: A sentence is hopeless when a choice that holds it falls short of a known one by this part.
_SHORT = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """The LP relaxation of (1).

    Attributes:
        bound: no choice covers more; proven, from prices of the words.
        filling: the part x_i of each sentence in the relaxation, shape (n,).
        penalty: a choice with these sentences covers less than the bound by the sum of theirs, shape (n,).
    """

    bound: float
    filling: Floats
    penalty: Floats


def upper_bound(graph: CoverageGraph, budget: float, known: float) -> float:
    """Return a bound; ``known`` is a weight that some choice covers, which it cannot be below."""
    problem = reduce_problem(graph, budget)
    if not len(problem.cost):
        return 0.0
    return widened(graph, relax(problem, budget, known, SMALL).bound, known)


def relax(problem: ReducedProblem, budget: float, known: float, most_edges: int = LARGE) -> Relaxation:
    """Return the LP relaxation, solved where it has at most so many edges, or else approached."""
    solve = solve_relaxation if len(problem.edge_word) <= most_edges else approach_relaxation
    return solve(problem, budget, known)


def widened(graph: CoverageGraph, bound: float, known: float) -> float:
    """Return a bound that holds whatever was lost in rounding, and not below what is known to be covered."""
    bound *= 1 + _ROUNDING
    if all(np.array_equal(weights, np.round(weights)) for weights in (graph.weight, graph.further)):
        bound = float(np.floor(bound))  # whole weights add up to whole weights
    return max(bound, known)


def without_hopeless(problem: ReducedProblem, relaxation: Relaxation, known: float) -> ReducedProblem:
    """Return the problem without sentences that no choice better than a known one holds."""
    needed = known * (1 - _SHORT)
    amounts = (problem.weight, problem.further, problem.own)
    if all(np.array_equal(weights, np.round(weights)) for weights in amounts):
        needed = known + 1 - 1e-6  # whole weights: more is more by one at least
    return restricted(problem, relaxation.bound * (1 + _ROUNDING) - relaxation.penalty >= needed)


def bound_at(problem: ReducedProblem, budget: float, prices: Floats) -> Relaxation:
    """Return the bound that prices of the words give, and the fractional filling x_i that it is reached by.

    Prices are from 0 to w_a, shape (M,): others would prove nothing. Each occurrence of a word in a sentence
    is worth its price, and each level what it weighs above the price.

    A word of a sentence is worth as much as in the last sentence that the budget has room for, or nothing
    where all have: what a sentence is worth less than its words cost at that is its penalty.
    """
    n = len(problem.cost)
    paid = prices[problem.edge_word] * problem.count
    worth = problem.own + np.bincount(problem.edge_sentence, weights=paid, minlength=n)
    ratio = np.divide(worth, problem.cost, out=np.full(n, np.inf), where=problem.cost > 0)
    order = np.argsort(-ratio, kind="stable")
    spent = np.cumsum(problem.cost[order])
    room = np.clip(budget - (spent - problem.cost[order]), 0, problem.cost[order])
    filling = np.divide(room, problem.cost[order], out=np.ones(n), where=problem.cost[order] > 0)
    x = np.empty(n)
    x[order] = filling
    above = np.maximum(problem.further - prices[_word_of_further(problem)], 0)
    bound = float((problem.weight - prices).sum() + above.sum() + (worth * x).sum())
    rate = float(ratio[order][np.flatnonzero(filling < 1)[0]]) if (filling < 1).any() else 0.0
    return Relaxation(bound, x, np.maximum(rate * problem.cost - worth, 0))


def _word_of_further(problem: ReducedProblem) -> Indices:
    """Return the word of each further weight."""
    return np.repeat(np.arange(len(problem.weight)), np.diff(problem.further_start))


def approach_relaxation(problem: ReducedProblem, budget: float, known: float) -> Relaxation:
    """Return the best bound along steps that lower it: a word covered more than once is overpriced.

    The filling is the mean of those that the steps of the second half met.
    """
    degree = np.bincount(problem.edge_word, weights=problem.count, minlength=len(problem.weight))
    prices = problem.weight / np.maximum(degree, 1)
    word = _word_of_further(problem)
    best = bound_at(problem, budget, prices)
    scale, since = 1.0, 0
    fillings, met = np.zeros(len(problem.cost)), 0
    for step in range(_STEPS):
        now = bound_at(problem, budget, prices)
        x = now.filling
        if step in {0, _STEPS // 2}:
            fillings, met = np.zeros_like(x), 0
        fillings, met = fillings + x, met + 1
        if now.bound < best.bound * (1 - 1e-6):
            best, since = now, 0
        else:
            since += 1
            if since >= 10:  # noqa: PLR2004 (steps without progress: go on with shorter ones)
                scale, since = scale / 2, 0
        held = x[problem.edge_sentence] * problem.count
        covered = np.bincount(problem.edge_word, weights=held, minlength=len(prices))
        # A word at its full price need not be covered; one at no price need not be left.
        slope = covered - 1 - np.bincount(word[problem.further > prices[word]], minlength=len(prices))
        slope[(slope < 0) & (prices >= problem.weight)] = 0
        slope[(slope > 0) & (prices <= 0)] = 0
        length = float(slope @ slope)
        if length == 0 or best.bound <= known:
            break
        prices = np.clip(prices - scale * (now.bound - known) / length * slope, 0, problem.weight)
    return dataclasses.replace(best, filling=fillings / met)


def solve_relaxation(problem: ReducedProblem, budget: float, known: float) -> Relaxation:
    """Return the LP relaxation as HiGHS solves it, or as it is approached where HiGHS gives up."""
    from scipy.optimize import linprog  # noqa: PLC0415 (half a second of imports)

    n, m = len(problem.cost), len(problem.weight)
    if not m:
        return bound_at(problem, budget, problem.weight)
    with quiet():
        result = linprog(
            -np.concatenate([problem.own, problem.weight, problem.further]),
            A_ub=covering_matrix(problem, budget_row=True),
            b_ub=np.concatenate([[budget], np.zeros(m)]),
            bounds=(0, 1),
            # The simplex method is the quicker one on small problems, and far slower on large dense ones.
            method="highs" if len(problem.edge_word) <= SMALL else "highs-ipm",
        )
    if result.x is None or len(result.x) != n + m + len(problem.further):
        return approach_relaxation(problem, budget, known)
    dual = bound_at(problem, budget, np.clip(-result.ineqlin.marginals[1:], 0, problem.weight))
    return dataclasses.replace(dual, filling=result.x[:n])
