"""A quick estimate of the weight that a budget can cover."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from summc.graph.build import within_budget
from summc.graph.coverage import curves, gains, total_weight
from summc.records import CoverageGraph
from summc.selectors.base import per_cost
from summc.selectors.greedy import GGreedy

#: g-greedy sees this many times as many sentences as fit the budget.
_MANY = 50


def reached(graph: CoverageGraph, budget: float) -> float:
    """Return the weight that g-greedy covers within a budget, or the total weight if no sentence fits."""
    return GGreedy().select(_promising(graph, budget), budget).covered_weight or total_weight(graph)


def _promising(graph: CoverageGraph, budget: float) -> CoverageGraph:
    """Return the graph with only the sentences that cover the most per unit of cost.

    These are far more than g-greedy can choose, so the estimate hardly changes.
    """
    if not len(graph.cost):
        return graph
    most = _MANY * (1 + math.ceil(budget / max(float(graph.cost.mean()), 1.0)))
    alone = gains(graph, curves(graph), np.zeros(len(graph.weight), dtype=np.intp))
    kept = np.argsort(-per_cost(alone, graph.cost), kind="stable")[:most]
    cost = np.full(len(graph.cost), np.inf)
    cost[kept] = graph.cost[kept]
    return within_budget(dataclasses.replace(graph, cost=cost), budget)[0]
