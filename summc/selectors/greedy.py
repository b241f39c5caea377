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

from summc.graph import gains, level_weights
from summc.records import CoverageGraph, Selection
from summc.selectors.amounts import exact_costs
from summc.selectors.base import DIGITS, make_selection, per_cost, rounded

#: The first priorities are raised by this factor, which is more than any rounding error.
_ABOVE_ROUNDING = 1 + 1e-6


@dataclass(frozen=True, slots=True)
class GuaranteedGreedy:
    """Take the better of two selections: that of g-greedy, and the best single sentence that fits."""

    name: ClassVar[str] = "g-greedy-guaranteed"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the selection of g-greedy, or the best single sentence that fits, if it covers more.

        The diagnostic ``single_sentence`` is true if the single sentence is returned.
        """
        greedy = GGreedy().select(graph, budget)
        worth = gains(graph)
        cost, most = exact_costs(graph.cost, budget)
        fitting = np.flatnonzero(cost <= most)
        best = fitting[rounded(worth[fitting]).argmax()] if len(fitting) else None
        single = make_selection(graph, budget, self.name, [] if best is None else [int(best)])
        alone = single.covered_weight > greedy.covered_weight
        better = single if alone else greedy
        return dataclasses.replace(better, selector=self.name, diagnostics={"single_sentence": alone})


@dataclass(frozen=True, slots=True)
class GGreedy:
    """Algorithm 1: repeatedly take the sentence that adds the most weight per unit of cost and fits."""

    name: ClassVar[str] = "g-greedy"
    by_cost: ClassVar[bool] = True

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the sentences taken in order of added weight, or of that per cost, within the budget K."""
        return make_selection(graph, budget, self.name, lazy_greedy(graph, budget, by_cost=self.by_cost))


@dataclass(frozen=True, slots=True)
class SimpleGreedy(GGreedy):
    """Repeatedly take the sentence that adds the most weight and fits, whatever its cost."""

    name: ClassVar[str] = "greedy"
    by_cost: ClassVar[bool] = False


def lazy_greedy(graph: CoverageGraph, budget: float, *, by_cost: bool) -> list[int]:
    """Return the sentences that the greedy algorithm chooses, in the order in which it chooses them.

    ``by_cost``: rank sentences by added weight per unit of cost (g-greedy), else by added weight. Ties go to
    the lowest index. The weight that a sentence adds only shrinks as words are covered, so an earlier
    priority is an upper bound, and only that of the sentence at the front of the queue is computed again.
    """
    cost, word, count = graph.cost.tolist(), graph.edge_word.tolist(), graph.count.tolist()
    start = np.searchsorted(graph.edge_sentence, np.arange(len(cost) + 1)).tolist()
    left = level_weights(graph)  # for each word, the weights of the occurrences that are not covered yet

    def words(i: int) -> Iterator[tuple[int, int]]:
        edges = slice(start[i], start[i + 1])
        return zip(word[edges], count[edges], strict=True)

    def priority(i: int) -> float:
        # fsum rounds the exact sum, so a gain cannot grow by rounding errors when weights shrink.
        gain = math.fsum([weight for a, c in words(i) for weight in left[a][:c]])
        if not by_cost or gain == 0:
            return _rounded(gain)
        return _rounded(gain / cost[i]) if cost[i] else math.inf

    costs, most = exact_costs(graph.cost, budget)
    alone, fits, exact = gains(graph), np.flatnonzero(costs <= most), costs.tolist()
    bound = _ABOVE_ROUNDING * (per_cost(alone, graph.cost) if by_cost else alone)
    queue = list(zip((-bound[fits]).tolist(), fits.tolist(), strict=True))
    cheapest = min((exact[i] for _, i in queue), default=0.0)
    heapq.heapify(queue)
    chosen, spent = list[int](), 0.0
    while queue and spent + cheapest <= most:
        i = queue[0][1]
        if spent + exact[i] > most:
            heapq.heappop(queue)
            continue
        fresh = (-priority(i), i)
        heapq.heapreplace(queue, fresh)
        if queue[0] == fresh:
            heapq.heappop(queue)
            chosen.append(i)
            spent += exact[i]
            for a, c in words(i):
                left[a] = left[a][c:]
    return chosen


def _rounded(value: float) -> float:
    """Return one value rounded to about 12 digits: the same as ``base.rounded``, but faster."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 2**DIGITS), exponent - DIGITS)
