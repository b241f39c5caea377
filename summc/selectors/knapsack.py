"""Relevance minus redundancy, maximized approximately by dynamic programming over the budget.

R. McDonald, "A study of global inference algorithms in multi-document summarization", ECIR 2007. The score of
a summary is the sum of the relevance of its sentences, minus the redundancy of every pair of them. The
knapsack algorithm is applied to this score, with sentences in order of relevance. It assumes that the best
summary consists of best shorter summaries. For this score that is not always true, so the result is
approximate.

On a coverage graph, the relevance of a sentence is the weight that it covers alone. The redundancy of a pair
is the sum of their relevance minus the weight that the two cover together. The score then equals the covered
weight if no word is in more than two chosen sentences, and is smaller otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.base import exact_amounts, make_selection
from summc.selectors.completion import Additions

#: The table has a row for each length up to the budget, at most about this many. To achieve that, fractional
#: or large costs are rounded up to multiples of a unit of length.
_LENGTHS = 4096
#: The number of sentences whose redundancies are computed together.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Knapsack:
    """McDonald's approximate knapsack algorithm: maximize relevance minus redundancy."""

    name: ClassVar[str] = "knapsack"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the selection with the best score (relevance minus redundancy) that was found."""
        units, lengths = _whole_lengths(graph.cost, budget)
        additions = Additions(graph, *exact_amounts(graph.weight, graph.repeats))
        relevance = additions.gains(np.zeros((1, len(graph.weight)), dtype=np.intp))[0]
        order = np.argsort(-relevance, kind="stable")
        order = order[(graph.cost[order] <= budget) & (units[order] <= lengths) & (relevance[order] > 0)]
        table = _Table(lengths, len(graph.cost))
        for i, added in _added_beside(additions, order):
            table.offer(i, int(units[i]), float(relevance[i]), relevance - added)
        score, chosen = table.best()
        return make_selection(graph, budget, self.name, chosen, {"score": score, "lengths": lengths})


def _whole_lengths(cost: Floats, budget: float) -> tuple[Indices, int]:
    """Return each cost as a whole number of units, rounded up, and the budget, rounded down.

    The unit is 1 if all costs are whole numbers and the table is large enough. Otherwise it is another power
    of two, so that products with it are exact. Because of the directions of rounding, a set that fits the
    budget in units also fits the real budget.
    """
    fitting = np.where(cost <= budget, cost, 0.0)  # a huge cost, divided by the unit, might overflow
    room = min(budget, float(fitting.sum()))
    unit = 2.0 ** np.ceil(np.log2(room / _LENGTHS)) if room > 0 else 1.0
    if np.array_equal(fitting, np.round(fitting)):
        unit = max(unit, 1.0)
    units = np.ceil(fitting / unit).astype(np.intp)
    lengths = int(min(budget // unit, units.sum()))
    return np.minimum(units, lengths), lengths  # rounding up must not exclude a sentence that fits alone


def _added_beside(additions: Additions, order: Indices) -> Iterator[tuple[int, Floats]]:
    """Yield each sentence of ``order``, and the weight that every sentence would add to it, shape (N,)."""
    for first in range(0, len(order), _BLOCK):
        block = order[first : first + _BLOCK]
        yield from zip(block.tolist(), additions.gains(additions.count[block].toarray()), strict=True)


class _Table:
    """The best set of sentences found so far for each maximum length, from 0 to the budget.

    Attributes:
        none: the index N, which means "no sentence". Its redundancy with every sentence is 0.
        score: relevance minus redundancy of the best set of each length.
        size: the number of sentences in the best set of each length.
        members: a row for each length with the sentences of its best set, padded with ``none``.
    """

    def __init__(self, lengths: int, sentences: int) -> None:
        self.none = sentences
        self.score = np.zeros(lengths + 1)
        self.size = np.zeros(lengths + 1, dtype=np.intp)
        self.members = np.full((lengths + 1, 8), sentences, dtype=np.int32)

    def offer(self, i: int, length: int, relevance: float, redundancy: Floats) -> None:
        """Add sentence i to each set that has room for it, if the new set is the best of its length.

        ``length`` is its cost in rows of the table. ``redundancy`` is that with each sentence, shape (N,).
        """
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
        # Source and target rows may overlap. That is safe, because indexing copies the source rows first.
        self.members[target] = self.members[source]
        self.members[target, self.size[source]] = i
        self.size[target] = self.size[source] + 1
        self.score[target] = new[source]

    def best(self) -> tuple[float, list[int]]:
        """Return the best score, and the sentences of its set. Ties go to the shortest length."""
        k = int(self.score.argmax())
        return float(self.score[k]), self.members[k, : self.size[k]].tolist()
