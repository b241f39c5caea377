"""The greedy algorithms: largest uncovered weight first, outright or per word.

``g-greedy`` is the paper's Algorithm 1, of S. Khuller, A. Moss and J. Naor, Inf. Process. Lett. 70 (1999);
``greedy`` is the same without the division by c_i, of E. Filatova and V. Hatzivassiloglou, COLING 2004.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Selection
from summc.selectors.base import make_selection, per_cost, still_fits


@dataclass(frozen=True, slots=True)
class GGreedy:
    """Algorithm 1: the sentence of largest uncovered weight per word first."""

    name: ClassVar[str] = "g-greedy"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the greedy choice within the budget K."""
        return make_selection(graph, budget, self.name, lazy_greedy(graph, budget, by_cost=True))


@dataclass(frozen=True, slots=True)
class SimpleGreedy:
    """The sentence of largest uncovered weight first, whatever its length."""

    name: ClassVar[str] = "greedy"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the greedy choice within the budget K."""
        return make_selection(graph, budget, self.name, lazy_greedy(graph, budget, by_cost=False))


def lazy_greedy(graph: CoverageGraph, budget: float, *, by_cost: bool) -> list[int]:
    """Return the sentences in the order they are chosen; among equals the lowest index first.

    The best sentence is taken if it fits and dropped if not, until none is left. Gains only shrink as words
    are covered, so a gain computed earlier bounds today's: only the sentence on top of the queue is
    computed again, and it is taken if it stays on top. The first bounds are sums by numpy, raised by what
    rounding may have taken from them: most sentences are never looked at again.
    """
    start = np.searchsorted(graph.edge_sentence, np.arange(len(graph.cost) + 1))
    worth = graph.weight.tolist()  # of each word; 0 once it is covered
    cost = graph.cost.tolist()
    held: dict[int, list[int]] = {}

    def words(i: int) -> list[int]:
        found = held.get(i)
        if found is None:
            found = held[i] = graph.edge_word[start[i] : start[i + 1]].tolist()
        return found

    def priority(i: int) -> float:
        # fsum is exact, so that a gain cannot grow by rounding when a word drops out of it.
        gain = math.fsum(map(worth.__getitem__, words(i)))
        if not by_cost or gain == 0:
            return gain
        return gain / cost[i] if cost[i] else math.inf

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
            for a in words(i):
                worth[a] = 0.0
    return chosen


def _bounds(graph: CoverageGraph, budget: float, *, by_cost: bool) -> list[tuple[float, int]]:
    """Return each sentence that fits, after an upper bound on its first priority, with the sign turned."""
    n = len(graph.cost)
    gain = np.bincount(graph.edge_sentence, weights=graph.weight[graph.edge_word], minlength=n).astype(float)
    # A sum of d terms is off by less than d roundings; a few more for the division and for this product.
    degree = np.bincount(graph.edge_sentence, minlength=n)
    bound = (per_cost(gain, graph.cost) if by_cost else gain) * (1 + (degree + 4) * np.finfo(float).eps)
    fits = np.flatnonzero(graph.cost <= budget)
    return list(zip((-bound[fits]).tolist(), fits.tolist(), strict=True))
