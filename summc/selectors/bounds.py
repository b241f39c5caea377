"""A proven upper bound on the weight that any selection within the budget covers.

Give each word a price from 0 to its weight. No selection then covers more than the sum of two amounts: weight
minus price, summed over all words; and the best fractional filling of the budget, where a sentence is worth
the prices of its words. The reason is that a covered word pays its price to at least one chosen sentence, and
the rest of its weight is counted once. The lowest bound that any prices give is the value of the LP
relaxation of the paper's integer program, Eq. (1). HiGHS finds the prices of small problems, and subgradient
steps find those of large problems. This module then computes the bound from the prices. The bound holds for
any prices, so no error of the solver can make it wrong.

If costs are whole numbers, the best filling by whole sentences gives a smaller, and so better, upper bound. A
dynamic program finds this filling, and more subgradient steps find better prices for it.

A filling says which fraction x_i of each sentence is chosen. Level n of a word is the weight of its nth
occurrence. "Further weights" are those of levels 2, 3, ...
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.processes.highs import solve_linear
from summc.records import CoverageGraph, Floats, Indices
from summc.selectors.highs import covering_program
from summc.selectors.reduction import ReducedProblem, reduce_problem, restricted

#: Problems with at most this many edges are solved by HiGHS.
SMALL = 20_000
#: The same limit for selectors that use the fractions x_i of the relaxation, not only its bound. The exact
#: solution matters more to them.
LARGE = 500_000
_STEPS = 400
#: Fillings by whole sentences are computed if the number of sentences, times the budget, is at most this.
_TABLE = 100_000
_WHOLE_STEPS = 80
#: The relative rounding error of a bound is less than this.
_ROUNDING = 1e-12
#: A sentence is hopeless if every selection that contains it covers less than (1 - this) times the weight of
#: the known selection.
_SHORT = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """A solution of the LP relaxation, in which fractions of sentences may be chosen.

    Attributes:
        bound: a proven upper bound on the weight that any selection covers.
        filling: x_i, the fraction of each sentence that the relaxation chooses, shape (n,).
        penalty: an amount for each sentence, shape (n,). A selection covers at most the bound minus the sum
            of the penalties of its sentences.
        prices: the prices of the words that give the bound, shape (m,).
    """

    bound: float
    filling: Floats
    penalty: Floats
    prices: Floats


def upper_bound(graph: CoverageGraph, budget: float, known: float) -> float:
    """Return a proven upper bound on the weight that any selection within the budget covers.

    ``known`` is a weight that some selection covers, so the bound is never below ``known``.
    """
    problem = reduce_problem(graph, budget)
    if not len(problem.cost):
        return 0.0
    relaxation = relax(problem, budget, known, SMALL)
    return widened(graph, _whole_bound(problem, budget, known, relaxation), known)


def relax(problem: ReducedProblem, budget: float, known: float, most_edges: int = LARGE) -> Relaxation:
    """Return the LP relaxation: solved by HiGHS for at most ``most_edges`` edges, else approximated.

    ``known`` is a weight that some selection covers. The approximation stops if its bound reaches it.
    """
    solve = solve_relaxation if len(problem.edge_word) <= most_edges else approach_relaxation
    return solve(problem, budget, known)


def widened(graph: CoverageGraph, bound: float, known: float) -> float:
    """Return a bound raised enough to hold in spite of rounding errors.

    If all weights are whole numbers, the bound is then rounded down to a whole number. ``known`` is a weight
    that some selection covers, so the result is never below it.
    """
    bound *= 1 + _ROUNDING
    if all(np.array_equal(weights, np.round(weights)) for weights in (graph.weight, graph.further)):
        bound = float(np.floor(bound))  # the sum of whole weights is whole
    return max(bound, known)


def without_hopeless(problem: ReducedProblem, relaxation: Relaxation, known: float) -> ReducedProblem:
    """Return the problem without the sentences that cannot be in a better selection than the known one.

    ``known`` is the weight that the known selection covers. The relaxation gives an upper bound on every
    selection that contains a sentence: its bound minus the penalty of the sentence.
    """
    needed = known * (1 - _SHORT)
    amounts = (problem.weight, problem.further, problem.own)
    if all(np.array_equal(weights, np.round(weights)) for weights in amounts):
        needed = known + 1 - 1e-6  # with whole weights, a better selection covers at least 1 more
    return restricted(problem, relaxation.bound * (1 + _ROUNDING) - relaxation.penalty >= needed)


def bound_at(problem: ReducedProblem, budget: float, prices: Floats) -> Relaxation:
    """Return the upper bound that prices of the words give, and the fractions x_i of sentences at that bound.

    ``prices`` has the price p_a of each word a, shape (m,). It must be from 0 to w_a, the weight of the first
    occurrence of the word; otherwise the bound is not proven. The bound is

        max over x of sum_i x_i worth_i  +  sum over a and n of max(0, v_an - p_a),

    where x_i is from 0 to 1 and the sum of x_i c_i is at most the budget. v_an is the weight of the nth
    occurrence of word a. worth_i is the weight of the words that only sentence i holds (``problem.own``),
    plus the price of each occurrence of its other words.

    The penalty of sentence i says how much less than the bound a selection with this sentence covers, at
    least. It is max(0, r c_i - worth_i). Sentences are chosen in falling order of worth_i / c_i, and r is
    that ratio for the first sentence that does not fit as a whole, or 0 if all fit.
    """
    n = len(problem.cost)
    worth = _worth(problem, prices)
    ratio = np.divide(worth, problem.cost, out=np.full(n, np.inf), where=problem.cost > 0)
    order = np.argsort(-ratio, kind="stable")
    spent = np.cumsum(problem.cost[order])
    room = np.clip(budget - (spent - problem.cost[order]), 0, problem.cost[order])
    filling = np.divide(room, problem.cost[order], out=np.ones(n), where=problem.cost[order] > 0)
    x = np.empty(n)
    x[order] = filling
    bound = _excess(problem, prices) + float((worth * x).sum())
    rate = float(ratio[order][np.flatnonzero(filling < 1)[0]]) if (filling < 1).any() else 0.0
    return Relaxation(bound, x, np.maximum(rate * problem.cost - worth, 0), prices)


def _worth(problem: ReducedProblem, prices: Floats) -> Floats:
    """Return what each sentence is worth: its ``own`` weight plus the prices of its words, shape (n,).

    The ``own`` weight is that of the words that no other sentence holds.
    """
    paid = prices[problem.edge_word] * problem.count
    return np.asarray(problem.own + np.bincount(problem.edge_sentence, paid, len(problem.cost)))


def _excess(problem: ReducedProblem, prices: Floats) -> float:
    """Return by how much the weights exceed the prices, summed over all occurrences of all words.

    An occurrence whose weight is below the price of its word counts as 0.
    """
    above = np.maximum(problem.further - prices[_word_of_further(problem)], 0)
    return float((problem.weight - prices).sum() + above.sum())


def _word_of_further(problem: ReducedProblem) -> Indices:
    """Return the index of the word to which each entry of ``problem.further`` belongs."""
    return np.repeat(np.arange(len(problem.weight)), np.diff(problem.further_start))


def approach_relaxation(problem: ReducedProblem, budget: float, known: float) -> Relaxation:
    """Return the relaxation with the best bound found by subgradient steps on the prices of words.

    The price of a word is its Lagrange multiplier. Each step finds the best filling at the current prices: a
    fraction x_i of each sentence. It then compares how often the filling holds each word with the number of
    occurrences of the word that weigh more than its price (at least 1; exactly 1 if only first occurrences
    have a weight). If the filling holds the word more often, its price is lowered; if less often, raised.

    ``known`` is a weight that some selection covers; the search stops if the bound reaches it. The returned
    filling is the mean over the steps in the second half of the ``_STEPS`` that are allowed, or over all
    steps if the search stops in the first half.
    """
    degree = np.bincount(problem.edge_word, weights=problem.count, minlength=len(problem.weight))
    prices = problem.weight / np.maximum(degree, 1)
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
            if since >= 10:  # noqa: PLR2004 (after 10 steps without progress, halve the step length)
                scale, since = scale / 2, 0
        slope = _slope(problem, prices, x)
        length = float(slope @ slope)
        if length == 0 or best.bound <= known:
            break
        prices = np.clip(prices - scale * (now.bound - known) / length * slope, 0, problem.weight)
    return dataclasses.replace(best, filling=fillings / met)


def _slope(problem: ReducedProblem, prices: Floats, filling: Floats) -> Floats:
    """Return, for each word, how fast the bound falls as the price of the word is lowered, shape (m,).

    ``filling`` is the fraction of each sentence that is chosen at these prices. A price can neither rise
    above the weight of its word nor fall below 0, so a slope in such a direction is set to 0.
    """
    word, held = _word_of_further(problem), filling[problem.edge_sentence] * problem.count
    covered = np.bincount(problem.edge_word, weights=held, minlength=len(prices))
    slope = covered - 1 - np.bincount(word[problem.further > prices[word]], minlength=len(prices))
    slope[(slope < 0) & (prices >= problem.weight)] = 0
    slope[(slope > 0) & (prices <= 0)] = 0
    return np.asarray(slope, dtype=np.float64)


def _whole_bound(problem: ReducedProblem, budget: float, known: float, relaxation: Relaxation) -> float:
    """Return the smallest upper bound found: that of the relaxation, or one from filling by whole sentences.

    The latter is tried only if costs are whole numbers and the table is small enough. ``known`` is a weight
    that some selection covers. The search for better prices stops if a bound reaches it.
    """
    best = relaxation.bound
    total = min(budget, float(problem.cost.sum()))
    if len(problem.cost) * total > _TABLE or not np.array_equal(problem.cost, np.round(problem.cost)):
        return best
    cost, prices, scale, since = problem.cost.astype(np.intp), relaxation.prices, 1.0, 0
    for _ in range(_WHOLE_STEPS):
        worth = _worth(problem, prices)
        chosen = _best_whole(worth, cost, int(total))
        bound = _excess(problem, prices) + float(worth[chosen].sum())
        since = 0 if bound < best * (1 - 1e-6) else since + 1
        best = min(best, bound)
        if since >= 10:  # noqa: PLR2004 (after 10 steps without progress, halve the step length)
            scale, since = scale / 2, 0
        slope = _slope(problem, prices, chosen.astype(float))
        length = float(slope @ slope)
        if length == 0 or best <= known:
            break
        prices = np.clip(prices - scale * (bound - known) / length * slope, 0, problem.weight)
    return best


def _best_whole(worth: Floats, cost: Indices, total: int) -> NDArray[np.bool_]:
    """Return a mask of the sentences that are worth the most together, at a cost of at most ``total``.

    They are found by dynamic programming.
    """
    best = np.zeros(total + 1)  # the most that sentences of this cost or less are worth
    taken = np.zeros((len(cost), total + 1), dtype=bool)
    for i, length in enumerate(cost.tolist()):
        if length <= total:
            more = best[: total + 1 - length] + worth[i]
            taken[i, length:] = more > best[length:]
            best[length:] = np.maximum(more, best[length:])
    chosen = np.zeros(len(cost), dtype=bool)
    left = total
    for i in reversed(range(len(cost))):
        if taken[i, left]:
            chosen[i], left = True, left - int(cost[i])
    return chosen


def solve_relaxation(problem: ReducedProblem, budget: float, known: float) -> Relaxation:
    """Return the LP relaxation solved by HiGHS, or approximated if HiGHS fails.

    ``known`` is a weight that some selection covers; only the approximation needs it.
    """
    n, m = len(problem.cost), len(problem.weight)
    if not m:
        return bound_at(problem, budget, problem.weight)
    # The simplex method is faster on small problems, and far slower on large dense ones.
    method = "highs" if len(problem.edge_word) <= SMALL else "highs-ipm"
    result = solve_linear(covering_program(problem, budget), method)
    if result.x is None or result.marginals is None or len(result.x) != n + m + len(problem.further):
        return approach_relaxation(problem, budget, known)
    dual = bound_at(problem, budget, np.clip(-result.marginals[1:], 0, problem.weight))
    return dataclasses.replace(dual, filling=result.x[:n])
