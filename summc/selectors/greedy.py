"""The greedy algorithms: repeatedly take the sentence that adds the most weight, in total or per cost.

``g-greedy`` is the paper's Algorithm 1, of S. Khuller, A. Moss and J. Naor, Inf. Process. Lett. 70 (1999). It
divides the added weight of sentence i by its cost c_i. ``greedy``, of E. Filatova and V. Hatzivassiloglou,
COLING 2004, does not.
"""

from __future__ import annotations

import dataclasses
import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.graph import gains_alone, run_from
from summc.records import CoverageGraph, Selection
from summc.selectors.base import DIGITS, ROUNDED_UP, make_selection, per_cost, rounded, still_fits


@dataclass(frozen=True, slots=True)
class GuaranteedGreedy:
    """Take the better of two selections: that of g-greedy, and the best single sentence that fits."""

    name: ClassVar[str] = "g-greedy-guaranteed"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the selection of g-greedy, or the best single sentence that fits, if it covers more.

        The diagnostic ``single_sentence`` is true if the single sentence is returned.
        """
        greedy = GGreedy().select(graph, budget)
        worth = gains_alone(graph)
        fitting = np.flatnonzero(graph.cost <= budget)
        best = fitting[rounded(worth[fitting]).argmax()] if len(fitting) else None
        single = make_selection(graph, budget, self.name, [] if best is None else [int(best)])
        alone = single.covered_weight > greedy.covered_weight
        return dataclasses.replace(
            single if alone else greedy, selector=self.name, diagnostics={"single_sentence": alone}
        )


@dataclass(frozen=True, slots=True)
class GGreedy:
    """Algorithm 1: repeatedly take the sentence that adds the most weight per unit of cost and fits."""

    name: ClassVar[str] = "g-greedy"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the sentences taken in order of added weight per unit of cost, within the budget K."""
        return make_selection(graph, budget, self.name, lazy_greedy(graph, budget, by_cost=True))


@dataclass(frozen=True, slots=True)
class SimpleGreedy:
    """Repeatedly take the sentence that adds the most weight and fits, whatever its cost."""

    name: ClassVar[str] = "greedy"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the sentences taken in order of added weight, within the budget K."""
        return make_selection(graph, budget, self.name, lazy_greedy(graph, budget, by_cost=False))


def lazy_greedy(graph: CoverageGraph, budget: float, *, by_cost: bool) -> list[int]:
    """Return the sentences that the greedy algorithm chooses, in the order in which it chooses them.

    ``by_cost``: rank sentences by added weight per unit of cost (g-greedy), else by added weight. Ties go to
    the lowest index. The weight that a sentence adds (its gain) only shrinks as words are covered, so an
    earlier gain is an upper bound. Therefore only the gain of the sentence at the front of the queue is
    computed again. The first bounds are raised by the largest possible rounding error.
    """
    left = _Left(graph)
    cost = graph.cost.tolist()

    def priority(i: int) -> float:
        gain = left.gain(i)
        if not by_cost or gain == 0:
            return _rounded(gain)
        return _rounded(gain / cost[i]) if cost[i] else math.inf

    queue = _bounds(graph, budget, by_cost=by_cost)
    cheapest = min((cost[i] for _, i in queue), default=0.0)
    heapq.heapify(queue)
    chosen: list[int] = []
    spent = 0.0
    while queue and spent + cheapest <= budget:
        i = queue[0][1]
        if not still_fits(cost, chosen, i, spent, budget):
            heapq.heappop(queue)
            continue
        fresh = (-priority(i), i)
        heapq.heapreplace(queue, fresh)
        if queue[0] == fresh:
            heapq.heappop(queue)
            chosen.append(i)
            spent += cost[i]
            left.cover(i)
    return chosen


def _rounded(value: float) -> float:
    """Return one value rounded to about 12 digits: the same as ``base.rounded``, but faster."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 2**DIGITS), exponent - DIGITS)


class _Left:
    """The weights that are left to cover while sentences are chosen.

    ``level`` has the weights of the 1st, 2nd, ... occurrence of each word, then a 0 for all later ones. The
    weight of the next occurrence of word a is at ``following[a]``, and the 0 at ``last[a]``.
    """

    def __init__(self, graph: CoverageGraph) -> None:
        start = graph.repeats_start + 2 * np.arange(len(graph.weight) + 1)
        level = np.zeros(start[-1])
        level[start[:-1]] = graph.weight
        level[run_from(start[:-1] + 1, np.diff(graph.repeats_start))] = graph.repeats
        self.level, self.following, self.last = level.tolist(), start[:-1].tolist(), (start[1:] - 1).tolist()
        self.edge_word, self.count = graph.edge_word.tolist(), graph.count.tolist()
        self.start = np.searchsorted(graph.edge_sentence, np.arange(len(graph.cost) + 1)).tolist()

    def gain(self, i: int) -> float:
        """Return the weight that sentence i would cover now."""
        level, following, last = self.level, self.following, self.last
        # fsum rounds the exact sum, so a gain cannot grow by rounding errors when weights shrink.
        return math.fsum([level[min(following[a] + t, last[a])] for a, c in self._words(i) for t in range(c)])

    def cover(self, i: int) -> None:
        """Remove the weights that sentence i covers, because it was chosen."""
        for a, c in self._words(i):
            self.following[a] = min(self.following[a] + c, self.last[a])

    def _words(self, i: int) -> Iterator[tuple[int, int]]:
        edges = slice(self.start[i], self.start[i + 1])
        return zip(self.edge_word[edges], self.count[edges], strict=True)


def _bounds(graph: CoverageGraph, budget: float, *, by_cost: bool) -> list[tuple[float, int]]:
    """Return (-bound, i) for each sentence i that costs at most the budget.

    The bound is an upper bound on what sentence i adds: per unit of cost if ``by_cost``, else in total.
    """
    gain = gains_alone(graph)
    # A sum of d terms has at most d rounding errors; 4 more allow for the division and this product.
    degree = np.bincount(graph.edge_sentence, weights=graph.count, minlength=len(graph.cost))
    bound = per_cost(gain, graph.cost) if by_cost else gain
    bound = bound * (1 + (degree + 4) * np.finfo(float).eps) * ROUNDED_UP
    fits = np.flatnonzero(graph.cost <= budget)
    return list(zip((-bound[fits]).tolist(), fits.tolist(), strict=True))
