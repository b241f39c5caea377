"""A quick estimate of the weight that a budget can cover."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from summc.graph.build import within_budget
from summc.graph.coverage import gains_alone, total_weight
from summc.records import CoverageGraph
from summc.selectors.base import per_cost
from summc.selectors.greedy import GGreedy

#: g-greedy gets at most about this many times as many sentences as fit the budget, to save time.
_MANY = 50


def reached(graph: CoverageGraph, budget: float) -> float:
    """Return about the weight that g-greedy covers within a budget.

    If g-greedy covers nothing, for example because no sentence fits, return the total weight of the graph.
    """
    return GGreedy().select(_promising(graph, budget), budget).covered_weight or total_weight(graph)


def _promising(graph: CoverageGraph, budget: float) -> CoverageGraph:
    """Return the graph of only the sentences that cover the most per unit of cost, to save time.

    It still has about ``_MANY`` times as many sentences as g-greedy can choose.
    """
    size = len(graph.cost)
    most = _MANY * (1 + math.ceil(budget / max(float(graph.cost.mean()), 1.0))) if size else 0
    if size <= most:
        return graph
    kept = np.argsort(-per_cost(gains_alone(graph), graph.cost), kind="stable")[:most]
    cost = np.full(len(graph.cost), np.inf)
    cost[kept] = graph.cost[kept]
    return within_budget(dataclasses.replace(graph, cost=cost), budget)[0]
