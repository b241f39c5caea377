"""Solve coverage problems by general solvers, to compare ``auto`` with: HiGHS, and CP-SAT of OR-Tools."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping

from summc.records import CoverageGraph, Selection
from summc.selectors.base import make_selection
from summc.selectors.exact import solve_program
from summc.selectors.reduction import reduce_problem

#: A function (problem of one level, budget, seconds that it may take) -> the best selection found.
Solver = Callable[[CoverageGraph, float, float], Selection]


def by_highs(graph: CoverageGraph, budget: float, seconds: float) -> Selection:
    """Return the best selection that HiGHS finds by branch and cut within some seconds."""
    problem = reduce_problem(graph, budget)
    result = solve_program(problem, budget, {"time_limit": seconds})
    n = len(problem.cost)
    taken = [] if result.x is None else problem.sentence[result.x[:n] > 0.5].tolist()
    return make_selection(graph, budget, "HiGHS", taken)


def by_cp_sat(graph: CoverageGraph, budget: float, seconds: float) -> Selection:
    """Return the best selection that CP-SAT finds within some seconds.

    Weights and costs must be whole numbers.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in graph.cost]
    covered = [model.new_bool_var("") for _ in graph.weight]
    for a, is_covered in enumerate(covered):
        holders = graph.edge_sentence[graph.edge_word == a].tolist()
        model.add_bool_or([*(chosen[i] for i in holders), is_covered.negated()])
    model.add(cp_model.LinearExpr.weighted_sum(chosen, graph.cost.astype(int).tolist()) <= int(budget))
    model.maximize(cp_model.LinearExpr.weighted_sum(covered, graph.weight.astype(int).tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    found = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return make_selection(
        graph, budget, "CP-SAT", [i for i, var in enumerate(chosen) if found and solver.value(var)]
    )


def solvers() -> Mapping[str, Solver]:
    """Return the solvers that are installed, by name."""
    return {"HiGHS": by_highs} | ({"CP-SAT": by_cp_sat} if importlib.util.find_spec("ortools") else {})
