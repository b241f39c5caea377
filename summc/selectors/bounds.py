"""A proven upper bound on the weight that any selection within the budget covers.

Give each word a price from 0 to its weight. No selection then covers more than the sum of two amounts: weight
minus price, summed over all words; and the best fractional filling of the budget, where a sentence is worth
the prices of its words. The reason is that a covered word pays its price to at least one chosen sentence, and
the rest of its weight is counted once. The lowest bound that any prices give is the value of the LP
relaxation of the paper's integer program, Eq. (1). Subgradient steps find prices that come within a few parts
in ten thousand of it. The bound holds for any prices.

Three things then lower the bound. Sentences that cannot be in a better selection than a known one are left
out, and prices are found again. If costs are whole numbers, the best filling by whole sentences gives a lower
bound than the fractional one; a dynamic program finds it. More steps find better prices for this filling.

Everything here is sums, products and comparisons in a fixed order, so the bound is the same on every machine.

A filling says which fraction x_i of each sentence is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from summc.records import CoverageGraph, Floats, Indices
from summc.selectors.reduction import ReducedProblem, folded, reduce_problem, restricted

#: The largest number of steps with fractional fillings, and with fillings by whole sentences.
_STEPS, _WHOLE_STEPS = 300, 100
#: After this many steps without progress the step length is halved. At ``_SHORTEST`` the search ends.
_PATIENCE, _SHORTEST = 10, 1e-3
#: The direction of a step is the slope plus this share of the direction before it, which damps zigzags.
_MOMENTUM = 0.8
#: Prices are found again if leaving out hopeless sentences leaves at most this share of the sentences.
_MUCH_SMALLER = 0.9
#: Fillings by whole sentences are computed if the number of sentences, times the budget, is at most this.
_TABLE = 100_000
#: The relative rounding error of a bound is less than this.
_ROUNDING = 1e-12
#: A sentence is hopeless if every selection that contains it covers less than (1 - this) times the weight of
#: the known selection.
_SHORT = 1e-9


#: Returns the bound that prices of words give, and the best filling there.
_BoundOf = Callable[[Floats], tuple[float, Floats]]


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


def upper_bound(graph: CoverageGraph, budget: float, known: float) -> float:
    """Return a proven upper bound on the weight that any selection within the budget covers.

    ``known`` is a weight that some selection covers, so the bound is never below ``known``.
    """
    problem = reduce_problem(graph, budget)
    relaxation = relax(problem, budget, known)
    while relaxation.bound > known:
        left = without_hopeless(problem, relaxation, known)
        if len(left.cost) > _MUCH_SMALLER * len(problem.cost):
            break
        kept = np.zeros(len(graph.cost), dtype=bool)
        kept[left.sentence] = True
        problem = folded(graph, kept)
        relaxation = relax(problem, budget, known)
    return widened(graph, _whole_bound(problem, budget, known, relaxation), known)


def relax(problem: ReducedProblem, budget: float, known: float, steps: int = _STEPS) -> Relaxation:
    """Return the LP relaxation, solved approximately by subgradient steps on the prices of words.

    ``known`` is a weight that some selection covers. The search stops if the bound reaches it, or after so
    many ``steps``.
    """
    degree = np.bincount(problem.edge_word, weights=problem.count, minlength=len(problem.weight))

    first, bound_of = problem.weight / np.maximum(degree, 1), partial(_fractional, problem, budget)
    bound, prices, filling = _lowest(problem, known, bound_of, first, steps)
    worth, cut = _worth(problem, prices), bound_of(prices)[1] < 1
    rate = float((worth[cut] / problem.cost[cut]).max(initial=0.0))
    return Relaxation(bound, filling, np.maximum(rate * problem.cost - worth, 0), prices, rate)


def _lowest(
    problem: ReducedProblem, known: float, bound_of: _BoundOf, prices: Floats, steps: int
) -> tuple[float, Floats, Floats]:
    """Change the prices of words step by step, and return the lowest bound, and its prices.

    The third result is the mean of the fillings in the second half of the steps.

    If the best filling holds a word more often than the occurrences of the word that weigh more than its
    price, the price is lowered; if less often, raised. The price of a word is a Lagrange multiplier, and the
    length of a step is that of Polyak: it would reach the bound ``known`` if the bound were linear.
    """
    best, best_prices, direction = np.inf, prices, np.zeros(len(prices))
    scale, since = 1.0, 0
    fillings, summed = np.zeros(len(problem.cost)), 0
    for step in range(steps):
        bound, filling = bound_of(prices)
        if step == steps // 2:
            fillings, summed = np.zeros_like(fillings), 0
        fillings, summed = fillings + filling, summed + 1
        since = 0 if bound < best * (1 - 1e-6) else since + 1
        if bound < best:
            best, best_prices = bound, prices
        if since == _PATIENCE:
            scale, since = scale / 2, 0
        direction = _slope(problem, prices, filling) + _MOMENTUM * direction  # positive lowers prices
        direction[np.where(direction < 0, prices >= problem.weight, prices <= 0)] = 0.0
        length = float((direction * direction).sum())
        if length == 0 or best <= known or scale < _SHORTEST:
            break
        prices = prices - scale * (bound - known) / length * direction
        prices = np.minimum(np.maximum(prices, 0), problem.weight)
    return best, best_prices, fillings / summed


def widened(graph: CoverageGraph, bound: float, known: float) -> float:
    """Return a bound raised enough to hold in spite of rounding errors.

    If all weights are whole numbers, the bound is then rounded down to a whole number. ``known`` is a weight
    that some selection covers, so the result is never below it.
    """
    bound *= 1 + _ROUNDING
    if all(np.array_equal(weights, np.round(weights)) for weights in (graph.weight, graph.repeats)):
        bound = float(np.floor(bound))  # the sum of whole weights is whole
    return max(bound, known)


def without_hopeless(problem: ReducedProblem, relaxation: Relaxation, known: float) -> ReducedProblem:
    """Return the problem without the sentences that cannot be in a better selection than the known one.

    ``known`` is the weight that the known selection covers. The relaxation gives an upper bound on every
    selection that contains a sentence: its bound minus the penalty of the sentence.
    """
    needed = known * (1 - _SHORT)
    amounts = (problem.weight, problem.repeats, problem.own)
    if all(np.array_equal(weights, np.round(weights)) for weights in amounts):
        needed = np.floor(known + 1e-6) + 1 - 1e-6  # a better selection covers the next whole number
    return restricted(problem, relaxation.bound * (1 + _ROUNDING) - relaxation.penalty >= needed)


def _fractional(problem: ReducedProblem, budget: float, prices: Floats) -> tuple[float, Floats]:
    """Return the upper bound that prices p_a of the words give, and the fractions x_i of sentences there.

    A price must be from 0 to w_a; otherwise the bound is not proven. The bound is

        max over x of sum_i x_i worth_i  +  sum over a and n of max(0, v_an - p_a),

    where x_i is from 0 to 1 and the sum of x_i c_i is at most the budget. v_an is the weight of the nth
    occurrence of word a, and worth_i the own weight of sentence i plus the prices of its other words.
    Sentences are chosen in falling order of worth_i / c_i.
    """
    n = len(problem.cost)
    worth = _worth(problem, prices)
    ratio = np.divide(worth, problem.cost, out=np.full(n, np.inf), where=problem.cost > 0)
    order = np.argsort(-ratio, kind="stable")
    cost = problem.cost[order]
    room = np.minimum(np.maximum(budget - (np.cumsum(cost) - cost), 0), cost)
    x = np.empty(n)
    x[order] = np.divide(room, cost, out=np.ones(n), where=cost > 0)
    return _excess(problem, prices) + float((worth * x).sum()), x


def _worth(problem: ReducedProblem, prices: Floats) -> Floats:
    """Return what each sentence is worth: its ``own`` weight plus the prices of its words, shape (n,)."""
    paid = prices[problem.edge_word] * problem.count
    return np.asarray(problem.own + np.bincount(problem.edge_sentence, paid, len(problem.cost)))


def _excess(problem: ReducedProblem, prices: Floats) -> float:
    """Return by how much weights of occurrences exceed the prices of their words, in all."""
    above = np.maximum(problem.repeats - prices[problem.repeats_word], 0)
    return float((problem.weight - prices).sum() + above.sum())


def _slope(problem: ReducedProblem, prices: Floats, filling: Floats) -> Floats:
    """Return, for each word, how fast the bound falls as the price of the word is lowered, shape (m,)."""
    word, held = problem.repeats_word, filling[problem.edge_sentence] * problem.count
    covered = np.bincount(problem.edge_word, weights=held, minlength=len(prices))
    dearer = np.bincount(word[problem.repeats > prices[word]], minlength=len(prices))
    return np.asarray(covered - 1 - dearer, dtype=np.float64)


def _whole_bound(problem: ReducedProblem, budget: float, known: float, relaxation: Relaxation) -> float:
    """Return the bound of the relaxation, or a lower one from filling by whole sentences.

    The latter is tried only if costs are whole numbers and the table is small enough.
    """
    total = min(budget, float(problem.cost.sum()))
    if len(problem.cost) * total > _TABLE or not np.array_equal(problem.cost, np.round(problem.cost)):
        return relaxation.bound
    cost = problem.cost.astype(np.intp)

    def bound(prices: Floats) -> tuple[float, Floats]:
        worth = _worth(problem, prices)
        chosen = _best_whole(worth, cost, int(total))
        return _excess(problem, prices) + float(worth[chosen].sum()), chosen.astype(float)

    return min(relaxation.bound, _lowest(problem, known, bound, relaxation.prices, _WHOLE_STEPS)[0])


def _best_whole(worth: Floats, cost: Indices, total: int) -> NDArray[np.bool_]:
    """Return a mask of the sentences that are worth the most together, by dynamic programming."""
    best = np.zeros(total + 1)  # the most that sentences of this cost or less are worth
    taken = np.zeros((len(cost), total + 1), dtype=bool)
    for i, length in enumerate(cost.tolist()):
        if length <= total:
            more = best[: total + 1 - length] + worth[i]
            taken[i, length:] = more > best[length:]
            best[length:] = np.maximum(more, best[length:])
    chosen, left = np.zeros(len(cost), dtype=bool), total
    for i in reversed(range(len(cost))):
        if taken[i, left]:
            chosen[i], left = True, left - int(cost[i])
    return chosen
