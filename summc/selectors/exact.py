"""The integer program (1) of the paper, solved by HiGHS to proven optimality, or as far as time allows."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.records import CoverageGraph, Selection
from summc.selectors.auto import Auto
from summc.selectors.base import make_selection
from summc.selectors.bounds import upper_bound
from summc.selectors.highs import covering_matrix, quiet
from summc.selectors.reduction import ReducedProblem, reduce_problem
from summc.settings import setting

#: HiGHS works within tolerances: its bound is widened by this part before it is called proven.
_TOLERANCE = 1e-6
#: With more edges than these, presolving takes no notice of the time limit, and finds nothing.
_PRESOLVED = 100_000


@dataclass(frozen=True, slots=True)
class Exact:
    """Integer programming by branch and cut; optimal, or the gap that is left when time runs out."""

    time_limit: float = setting(60.0, "Seconds that exact may take for a cluster.", above=0, at_most=1e6)
    name: ClassVar[str] = "exact"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best choice, with its bound; never worse than auto's."""
        problem = reduce_problem(graph, budget)
        found = Auto().select(graph, budget)
        if not len(problem.cost):
            return dataclasses.replace(found, selector=self.name, bound=0.0)
        everything = math.fsum(problem.weight) + math.fsum(problem.own)
        if found.covered_weight >= everything * (1 - 1e-12):
            diagnostics = {"optimal": True, "gap": 0.0}
            return dataclasses.replace(
                found, selector=self.name, bound=found.covered_weight, diagnostics=diagnostics
            )
        options = {
            "time_limit": self.time_limit,
            "mip_rel_gap": 0.0,
            "presolve": len(problem.edge_word) <= _PRESOLVED,
        }
        result = _solve(problem, budget, options)
        if result.x is not None:
            taken = problem.sentence[result.x[: len(problem.cost)] > 0.5]  # noqa: PLR2004 (rounding)
            better = make_selection(graph, budget, self.name, taken.tolist())
            if better.cost <= budget and better.covered_weight > found.covered_weight:
                found = better
        optimal = result.status == 0
        dual = getattr(result, "mip_dual_bound", None)
        bound = float(graph.weight.sum()) if dual is None else -float(dual)
        bound = max(bound * (1 + _TOLERANCE), found.covered_weight)
        if not optimal:
            bound = min(bound, upper_bound(graph, budget, found.covered_weight))
        if optimal and bound <= found.covered_weight * (1 + 2 * _TOLERANCE):
            bound = found.covered_weight
        gap = bound / found.covered_weight - 1 if found.covered_weight else 0.0
        diagnostics = {"optimal": optimal, "gap": gap}
        return dataclasses.replace(found, selector=self.name, bound=bound, diagnostics=diagnostics)


def _solve(problem: ReducedProblem, budget: float, options: dict[str, Any]) -> Any:
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 (half a second of imports)

    n, m = len(problem.cost), len(problem.weight)
    limits = np.concatenate([[budget], np.zeros(m)])
    with quiet():
        return milp(
            -np.concatenate([problem.own, problem.weight]),
            integrality=np.concatenate([np.ones(n), np.zeros(m)]),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(covering_matrix(problem, budget_row=True), ub=limits),
            options=options,
        )
