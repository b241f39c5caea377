"""The integer program (1) of the paper, solved by HiGHS to proven optimality, or as far as time allows."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

from summc.records import CoverageGraph, Selection
from summc.selectors.auto import Auto
from summc.selectors.base import make_selection
from summc.selectors.bounds import problem_bound, without_hopeless
from summc.selectors.highs import solve_program
from summc.selectors.reduction import reduce_problem
from summc.settings import setting

#: HiGHS works within tolerances: its bound is widened by this part before it is called proven.
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Exact:
    """Integer programming by branch and cut; optimal, or the gap that is left when time runs out.

    What ``auto`` covers is known from the start: sentences that no better choice can hold leave the program.
    """

    time_limit: float = setting(60.0, "Seconds that exact may take for a cluster.", above=0, at_most=1e6)
    name: ClassVar[str] = "exact"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best choice, with its bound; never worse than auto's."""
        whole = reduce_problem(graph, budget)
        found = Auto().select(graph, budget)
        known = found.covered_weight
        outer = problem_bound(whole, budget, known)
        problem = without_hopeless(whole, budget, known, outer.prices)
        bound, optimal = outer.bound, not len(problem.cost)
        if not optimal:
            result = solve_program(problem, budget, {"time_limit": self.time_limit, "mip_rel_gap": 0.0})
            if result.x is not None:
                taken = problem.sentence[result.x[: len(problem.cost)] > 0.5]  # noqa: PLR2004 (rounding)
                better = make_selection(graph, budget, self.name, taken.tolist())
                if better.cost <= budget and better.covered_weight > known:
                    found = better
            optimal = result.status == 0
            dual = getattr(result, "mip_dual_bound", None)
            if dual is not None:
                bound = min(bound, -float(dual) * (1 + _TOLERANCE))
        # A choice that the program no longer holds covers what auto does at most.
        bound = max(bound, found.covered_weight)
        if optimal and bound <= found.covered_weight * (1 + 2 * _TOLERANCE):
            bound = found.covered_weight
        gap = bound / found.covered_weight - 1 if found.covered_weight else 0.0
        diagnostics = {"optimal": optimal, "gap": gap}
        return dataclasses.replace(found, selector=self.name, bound=bound, diagnostics=diagnostics)
