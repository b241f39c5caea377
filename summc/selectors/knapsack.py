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

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.amounts import exact_costs
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
        cost, room = exact_costs(graph.cost, budget)
        units, lengths = _whole_lengths(cost, room)
        weight, repeats = exact_amounts(graph.weight, graph.repeats)
        additions = Additions(dataclasses.replace(graph, weight=weight, repeats=repeats))
        relevance = additions.gains(np.zeros((1, len(graph.weight)), dtype=np.intp))[0]
        order = np.argsort(-relevance, kind="stable")
        order = order[(cost[order] <= room) & (units[order] <= lengths) & (relevance[order] > 0)]
        # The best set found for each maximum length: its score, its size, and its sentences, padded with n,
        # which stands for no sentence and has no redundancy.
        n, most = len(graph.cost), np.searchsorted(np.cumsum(np.sort(units[order])), lengths, side="right")
        score, size = np.zeros(lengths + 1), np.zeros(lengths + 1, dtype=np.intp)
        members = np.full((lengths + 1, int(most)), n, dtype=np.int32)
        for i, added in _added_beside(additions, order):
            before, redundancy = lengths + 1 - units[i], np.append(relevance - added, 0.0)
            new = score[:before] + relevance[i] - redundancy[members[:before, : size.max()]].sum(axis=1)
            source = np.flatnonzero(new > score[units[i] :])
            # Source and target may overlap. That is safe, because indexing copies the source first.
            target = source + units[i]
            members[target] = members[source]
            members[target, size[source]] = i
            size[target], score[target] = size[source] + 1, new[source]
        best = int(score.argmax())  # of equal scores, that of the shortest length
        diagnostics = {"score": float(score[best]), "lengths": lengths}
        return make_selection(graph, budget, self.name, members[best, : size[best]].tolist(), diagnostics)


def _whole_lengths(cost: Floats, budget: float) -> tuple[Indices, int]:
    """Return each whole cost as a whole number of units, rounded up, and the budget, rounded down.

    The unit is 1 if the table is large enough, and otherwise a larger power of two. Because of the directions
    of rounding, a set that fits the budget in units also fits the budget.
    """
    fitting = np.where(cost <= budget, cost, 0.0)  # a huge cost, divided by the unit, might overflow
    room = min(budget, float(fitting.sum()))
    unit = max(2.0 ** np.ceil(np.log2(room / _LENGTHS)), 1.0) if room > 0 else 1.0
    units = np.ceil(fitting / unit).astype(np.intp)
    lengths = int(min(budget // unit, units.sum()))
    return np.minimum(units, lengths), lengths  # rounding up must not exclude a sentence that fits alone


def _added_beside(additions: Additions, order: Indices) -> Iterator[tuple[int, Floats]]:
    """Yield each sentence of ``order``, and the weight that every sentence would add to it, shape (N,)."""
    for first in range(0, len(order), _BLOCK):
        block = order[first : first + _BLOCK]
        yield from zip(block.tolist(), additions.gains(additions.count[block].toarray()), strict=True)
