"""Relevance less redundancy, by a dynamic programme over the budget.

R. McDonald, "A study of global inference algorithms in multi-document summarization", ECIR 2007: the score of
a summary is the sum of the relevance of its sentences less that of the redundancy of every two of them, and
the algorithm for the knapsack problem is run on it as if a best summary were made of best parts, sentences in
order of relevance. On a coverage graph the relevance of a sentence is what it covers alone, and the
redundancy of two is what they cover less together than each alone. The score is then the covered weight where
no word stands in more than two of the chosen sentences, and less where one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.base import make_selection
from summc.selectors.incidence import Additions
from summc.selectors.local_search import exact_amounts

#: The table has about so many lengths at most; costs that are not whole, or too large for it, are rounded up.
_LENGTHS = 4096
#: Rows of the table of redundancies that are computed together.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Knapsack:
    """McDonald's approximate algorithm."""

    name: ClassVar[str] = "knapsack"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the set of the table that has the best score; its coverage is told as it really is."""
        units, lengths = _whole_lengths(graph.cost, budget)
        additions = Additions(graph, *exact_amounts(graph.weight, graph.further))
        relevance = additions.gains(np.zeros((1, len(graph.weight)), dtype=np.intp))[0]
        order = np.argsort(-relevance, kind="stable")
        order = order[(graph.cost[order] <= budget) & (units[order] <= lengths) & (relevance[order] > 0)]
        table = _Table(lengths, len(graph.cost))
        for i, added in _added_beside(additions, order):
            table.offer(i, int(units[i]), float(relevance[i]), relevance - added)
        score, chosen = table.best()
        return make_selection(graph, budget, self.name, chosen, {"score": score, "lengths": lengths})


def _whole_lengths(cost: Floats, budget: float) -> tuple[Indices, int]:
    """Return each cost in whole units, rounded up, and how many units the budget has, rounded down.

    A unit is 1 where all costs are whole and the table has the room, or else a power of two, so that nothing
    is lost in the products: what fits in units fits in words.
    """
    fitting = np.where(cost <= budget, cost, 0.0)  # what does not fit may be too large for any unit
    room = min(budget, float(fitting.sum()))
    unit = 2.0 ** np.ceil(np.log2(room / _LENGTHS)) if room > 0 else 1.0
    if np.array_equal(fitting, np.round(fitting)):
        unit = max(unit, 1.0)
    units = np.ceil(fitting / unit).astype(np.intp)
    lengths = int(min(budget // unit, units.sum()))
    return np.minimum(units, lengths), lengths  # what fits alone still does


def _added_beside(additions: Additions, order: Indices) -> Iterator[tuple[int, Floats]]:
    """Yield sentences in order, each with what every sentence adds beside it, shape (N,)."""
    for first in range(0, len(order), _BLOCK):
        block = order[first : first + _BLOCK]
        yield from zip(block.tolist(), additions.gains(additions.counts(block)), strict=True)


class _Table:
    """The best set found so far of each length at most, 0 to K: its score and its members.

    ``members`` has a row for each length, filled up with N, which is redundant with nothing.
    """

    def __init__(self, lengths: int, sentences: int) -> None:
        self.none = sentences
        self.score = np.zeros(lengths + 1)
        self.size = np.zeros(lengths + 1, dtype=np.intp)
        self.members = np.full((lengths + 1, 8), sentences, dtype=np.int32)

    def offer(self, i: int, length: int, relevance: float, redundancy: Floats) -> None:
        """Put a sentence to the set that leaves it room, wherever that is better than the set without it."""
        before = len(self.score) - length
        redundancy = np.append(redundancy, 0.0)
        members = self.members[:before, : self.size.max()]
        new = self.score[:before] + relevance - redundancy[members].sum(axis=1)
        source = np.flatnonzero(new > self.score[length:])
        if not len(source):
            return
        if self.size[source].max() == self.members.shape[1]:
            self.members = np.hstack([self.members, np.full_like(self.members, self.none)])
        target = source + length
        # Read before written: a set may be both.
        self.members[target] = self.members[source]
        self.members[target, self.size[source]] = i
        self.size[target] = self.size[source] + 1
        self.score[target] = new[source]

    def best(self) -> tuple[float, list[int]]:
        """Return the best score and its set; of equals the shortest."""
        k = int(self.score.argmax())
        return float(self.score[k]), self.members[k, : self.size[k]].tolist()
