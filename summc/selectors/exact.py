"""The paper's integer program, Eq. (1), solved by HiGHS to proven optimality or until time runs out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from summc.errors import InternalError
from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.auto import Auto
from summc.selectors.base import make_selection
from summc.selectors.bounds import relax, widened, without_hopeless
from summc.selectors.reduction import ReducedProblem, reduce_problem
from summc.settings import same_setting
from summc.system.processes import Helpers, LimitError

#: HiGHS works within tolerances. Its bound is raised by this fraction, so that the result is surely a bound.
_TOLERANCE = 1e-6
#: Two selections whose covered weights differ by less than this fraction cover the same.
_ROUNDING = 1e-12
#: Weights are scaled so that their sum is about this number, and so are costs. The tolerances of HiGHS are
#: absolute, so they are small in relation to such sums.
_SCALE = 2.0**20
#: Presolve of HiGHS is used up to this many edges. With more edges, presolve ignores the time limit and finds
#: nothing to simplify.
_PRESOLVED = 100_000
#: Processes that run HiGHS.
_SOLVERS = Helpers()


@dataclass(frozen=True, slots=True)
class Exact:
    """Integer programming by branch and cut: the optimum, or the best selection found and a proven bound.

    The selector ``auto`` runs first. Sentences that cannot be in a better selection than that of ``auto`` are
    left out of the program.
    """

    time_limit: float = same_setting(Auto, "time_limit")
    name: ClassVar[str] = "exact"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best selection found, with its bound. It never covers less than that of ``auto``."""
        return solve_exactly(graph, budget, {"time_limit": self.time_limit})


def solve_exactly(graph: CoverageGraph, budget: float, limits: Mapping[str, float]) -> Selection:
    """Return the selection of ``auto``, or a better one that HiGHS finds, with its bound.

    So where ``auto`` reaches the optimum, its selection is the answer, whichever optimum HiGHS finds.
    ``limits`` are options of HiGHS that end the search: ``time_limit`` or ``node_limit``.
    """
    problem = reduce_problem(graph, budget)
    selection = Auto().select(graph, budget)
    covered = selection.covered_weight
    if covered >= _everything(problem) * (1 - 1e-12):
        return _answer(selection, covered, optimal=True)
    relaxation = relax(problem, covered)
    problem = without_hopeless(problem, relaxation, covered)
    bound = widened(graph, relaxation.bound, covered)
    if not len(problem.cost):
        return _answer(selection, covered, optimal=True)
    options = {"mip_rel_gap": 0.0, "presolve": len(problem.edge_word) <= _PRESOLVED, **limits}
    result, scale = solve_program(problem, options)
    optimal = result.status == 0
    if result.x is not None:
        taken = result.x[: len(problem.cost)] > 0.5  # noqa: PLR2004 (x_i is about 0 or 1)
        better = make_selection(graph, budget, Exact.name, problem.sentence[taken].tolist())
        fit = bool(problem.cost[taken].sum() <= problem.budget)
        optimal &= fit  # HiGHS may exceed the budget within its tolerance
        if fit and better.covered_weight > covered * (1 + _ROUNDING):
            selection = better
    if result.mip_dual_bound is not None:
        bound = min(bound, -result.mip_dual_bound / scale * (1 + _TOLERANCE))
    return _answer(selection, bound, optimal=optimal)


def _answer(selection: Selection, bound: float, *, optimal: bool) -> Selection:
    """Return a selection with its bound, its gap (bound / covered weight - 1), and whether it is optimal.

    A bound below the covered weight is raised to it. This happens because the program leaves out sentences
    that cannot improve on the selection of ``auto``, so its own optimum may be lower.
    """
    bound = max(bound, selection.covered_weight)
    if optimal and bound <= selection.covered_weight * (1 + 2 * _TOLERANCE):
        bound = selection.covered_weight
    gap = bound / selection.covered_weight - 1 if selection.covered_weight else 0.0
    diagnostics = {"optimal": optimal, "gap": gap}
    return dataclasses.replace(selection, selector=Exact.name, bound=bound, diagnostics=diagnostics)


def _everything(problem: ReducedProblem) -> float:
    """Return the sum of all weights, which is an upper bound on the weight that any selection covers."""
    return math.fsum([*problem.weight, *problem.repeats, *problem.unique_weight])


def _scale(total: float, *amounts: Floats) -> float:
    """Return a power of two by which to multiply amounts, or 1 for whole numbers with a small sum."""
    whole = all(np.array_equal(values, np.round(values)) for values in amounts)
    if total == 0 or (whole and total <= _SCALE):
        return 1.0
    return 2.0 ** math.floor(math.log2(_SCALE / total))


def solve_program(problem: ReducedProblem, options: Mapping[str, Any]) -> tuple[ProgramResult, float]:
    """Solve the integer program by HiGHS, in a helper process; return also the factor of its weights.

    ``x`` of the solution begins with x_i of each sentence: 1 if chosen, else 0. ``options`` are those of
    ``scipy.optimize.milp``.

    The variables are x_i of each sentence, then y of the first occurrence of each word, then y of the further
    occurrences, word by word. y says whether the occurrence is covered. The first row has the costs of the
    sentences, which must be at most the budget. Then there is a row for each word a: the sum of its variables
    y, minus n_ia x_i summed over the sentences i that hold the word n_ia times. This must be at most 0.
    """
    n, m, f = len(problem.cost), len(problem.weight), len(problem.repeats)
    rows = [np.zeros(n, int), 1 + np.arange(m), 1 + problem.repeats_word, 1 + problem.edge_word]
    columns = [np.arange(n), n + np.arange(m), n + m + np.arange(f), problem.edge_sentence]
    room = min(problem.budget, math.fsum(problem.cost))
    by_cost = _scale(room, problem.cost)
    by_weight = _scale(_everything(problem), problem.weight, problem.repeats, problem.unique_weight)
    values = [problem.cost * by_cost, np.ones(m), np.ones(f), -problem.count.astype(float)]
    objective = -by_weight * np.concatenate([problem.unique_weight, problem.weight, problem.repeats])
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    limit, integral = np.append(room * by_cost, np.zeros(m)), (np.arange(n + m + f) < n).astype(float)
    return solve_integer(objective, entries, limit, integral, options), by_weight


class ProgramResult(NamedTuple):
    """Members of the result of ``scipy.optimize.milp``: ``status`` is 0 if ``x`` is proven to be the best."""

    status: int
    x: Floats | None
    mip_dual_bound: float | None


def solve_integer(*program: Any) -> ProgramResult:
    """Solve an integer program, which is given as in ``run_highs``.

    HiGHS runs in a helper, because it does not react to signals, and prints a line now and then.
    """
    try:
        return _SOLVERS.call(run_highs, *program)
    except LimitError:
        problem = "HiGHS was killed before it was done"
        raise InternalError("", problem, "give more memory, or another selector") from None


def run_highs(
    objective: Floats, entries: tuple[Floats, tuple[Indices, Indices]], limit: Floats, integral: Floats,
    options: Mapping[str, Any],
) -> ProgramResult:  # fmt: skip
    """Minimize ``objective @ x``, where each x is from 0 to 1, and ``matrix @ x <= limit``. Runs in a helper.

    ``entries`` of the matrix are the values, and the row and the column of each. All others are 0. Where
    ``integral`` is 1, x is 0 or 1. ``options`` are those of ``scipy.optimize.milp``.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 (half a second of imports)
    from scipy.sparse import coo_array  # noqa: PLC0415 (the same)

    value, where = entries
    # Older versions of HiGHS in scipy accept only 32-bit indices.
    places = tuple(indices.astype("int32") for indices in where)
    matrix = coo_array((value, places), shape=(len(limit), len(objective))).tocsc()
    rules = {"bounds": Bounds(0, 1), "constraints": LinearConstraint(matrix, ub=limit)}
    result = milp(objective, integrality=integral, **rules, options=options)
    return ProgramResult(result.status, result.x, result.get("mip_dual_bound"))
