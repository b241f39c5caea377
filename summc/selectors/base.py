"""What a selector is, and what every selector needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from summc.graph.coverage import covered_levels, occurrences
from summc.records import CoverageGraph, Floats, Selection

#: Sums of costs, added up in any order, are off by less than this part.
_ROUNDING = 1e-9


class Selector(Protocol):
    """Chooses sentences within a budget; its own settings went to its constructor."""

    name: ClassVar[str]  # what a user types

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return sentences of the graph that cost at most the budget K together."""


def per_cost(value: Floats, cost: Floats) -> Floats:
    """Return value / cost of each sentence, with what is free infinitely good or bad, by its sign."""
    ratio = np.divide(value, cost, out=np.zeros_like(value), where=cost > 0)
    return np.where(cost > 0, ratio, np.where(value == 0, 0.0, np.copysign(np.inf, value)))


def fill_in_order(cost: Floats, order: Iterable[int], budget: float) -> list[int]:
    """Return the sentences that are taken when each in turn is taken if it still fits."""
    chosen: list[int] = []
    spent = 0.0
    costs = cost.tolist()
    for i in order:
        if still_fits(costs, chosen, i, spent, budget):
            chosen.append(i)
            spent += costs[i]
    return chosen


def still_fits(cost: Sequence[float], chosen: Sequence[int], i: int, spent: float, budget: float) -> bool:
    """Tell whether a sentence fits beside the chosen ones, whatever the order that costs are added up in.

    ``spent`` is what the chosen cost, off by rounding: where that could matter they are summed again exactly.
    """
    total = spent + cost[i]
    if cost[i] == 0 or abs(total - budget) > _ROUNDING * budget:
        return cost[i] == 0 or total <= budget
    return math.fsum([*(cost[j] for j in chosen), cost[i]]) <= budget


def make_selection(
    graph: CoverageGraph,
    budget: float,
    selector: str,
    chosen: Iterable[int],
    diagnostics: Mapping[str, Any] | None = None,
) -> Selection:
    """Return the record of a choice, its cost and coverage counted afresh from the graph."""
    indices = sorted(chosen)
    covered = covered_levels(graph, occurrences(graph, indices))
    return Selection(
        selector=selector,
        budget=budget,
        chosen=tuple(indices),
        cost=math.fsum(graph.cost[indices].tolist()),
        covered_weight=math.fsum(covered.tolist()),
        diagnostics=diagnostics or {},
    )
