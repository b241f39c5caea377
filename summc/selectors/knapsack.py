"""Relevance minus redundancy, maximized approximately by dynamic programming over the budget.

R. McDonald, "A study of global inference algorithms in multi-document summarization", ECIR 2007. The score of
a summary is the sum of the relevance of its sentences, minus the redundancy of every pair of them. The
knapsack algorithm is applied to this score, with sentences in order of relevance, as if the best summary
always consisted of best partial summaries. On a coverage graph, the relevance of a sentence is the weight it
covers alone, and the redundancy of a pair is the sum of their relevance minus the weight that they cover
together. The score then equals the covered weight if no word is in more than two chosen sentences, and is
smaller otherwise.
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

#: The approximate maximum number of lengths in the table. Fractional or large costs are rounded up to fit it.
_LENGTHS = 4096
#: The number of sentences whose redundancies are computed together.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Knapsack:
    """McDonald's approximate algorithm."""

    name: ClassVar[str] = "knapsack"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the set with the best score; its covered weight is computed from the graph."""
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
    """Return each cost in whole units, rounded up, and the budget in whole units, rounded down.

    A unit is 1 if all costs are whole and the table is large enough, else another power of two, so that
    products are exact. A set that fits the budget in units therefore fits it in words.
    """
    fitting = np.where(cost <= budget, cost, 0.0)  # larger costs might overflow in units
    room = min(budget, float(fitting.sum()))
    unit = 2.0 ** np.ceil(np.log2(room / _LENGTHS)) if room > 0 else 1.0
    if np.array_equal(fitting, np.round(fitting)):
        unit = max(unit, 1.0)
    units = np.ceil(fitting / unit).astype(np.intp)
    lengths = int(min(budget // unit, units.sum()))
    return np.minimum(units, lengths), lengths  # a sentence that fits alone still fits


def _added_beside(additions: Additions, order: Indices) -> Iterator[tuple[int, Floats]]:
    """Yield the sentences in order, each with the weight that every sentence adds beside it, shape (N,)."""
    for first in range(0, len(order), _BLOCK):
        block = order[first : first + _BLOCK]
        yield from zip(block.tolist(), additions.gains(additions.counts(block)), strict=True)


class _Table:
    """The best set found so far for each maximum length from 0 to K: its score and its members.

    ``members`` has a row for each length, padded with the index N, a dummy whose redundancy with
    every sentence is 0.
    """

    def __init__(self, lengths: int, sentences: int) -> None:
        self.none = sentences
        self.score = np.zeros(lengths + 1)
        self.size = np.zeros(lengths + 1, dtype=np.intp)
        self.members = np.full((lengths + 1, 8), sentences, dtype=np.int32)

    def offer(self, i: int, length: int, relevance: float, redundancy: Floats) -> None:
        """Add a sentence to each set with room for it, if the result beats the best set of its length."""
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
        # Indexing copies the rows before they are overwritten: source and target may overlap.
        self.members[target] = self.members[source]
        self.members[target, self.size[source]] = i
        self.size[target] = self.size[source] + 1
        self.score[target] = new[source]

    def best(self) -> tuple[float, list[int]]:
        """Return the best score and its set; ties go to the shortest."""
        k = int(self.score.argmax())
        return float(self.score[k]), self.members[k, : self.size[k]].tolist()
