"""Solve integer programs by HiGHS, in a helper process.

While HiGHS runs, Python cannot react to Ctrl-C or SIGTERM. The helper can be killed at once instead. HiGHS
also prints a line now and then, whatever its options say. What the helper prints goes nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from summc.errors import InternalError
from summc.system.limited import MEMORY, Helpers, LimitError

#: HiGHS has helpers of its own: those that read documents have limits.
_HELPERS = Helpers()


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Minimize ``objective @ x``, where each x is from 0 to 1, and ``matrix @ x <= limit``.

    Entry e of the matrix is ``value[e]``, at ``row[e]`` and ``column[e]``. All others are 0.
    """

    objective: NDArray[Any]
    row: NDArray[Any]
    column: NDArray[Any]
    value: NDArray[Any]
    limit: NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What HiGHS found; the members are those of the result of ``scipy.optimize.milp``.

    ``status`` is 0 if ``x`` is proven to be the best. ``x`` is None if nothing was found.
    """

    status: int
    x: NDArray[Any] | None
    mip_dual_bound: float | None


def solve_integer(program: Program, integral: NDArray[Any], options: Mapping[str, Any]) -> Solution:
    """Solve a program in which each x with ``integral`` 1 is 0 or 1; ``options`` are those of ``milp``."""
    try:
        solution, _ = _HELPERS.call((__name__, "_solve", (program, integral, options), None))
    except LimitError as error:
        if error.reason == MEMORY:
            raise MemoryError from None
        problem = "HiGHS was killed before it was done"
        raise InternalError("", problem, "give more memory, or another selector") from None
    found: Solution = solution
    return found


# In the helper


def _solve(program: Program, integral: NDArray[Any], options: Mapping[str, Any]) -> Solution:
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 (half a second of imports)

    result = milp(
        program.objective,
        integrality=integral,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(_matrix(program), ub=program.limit),
        options=options,
    )
    return Solution(result.status, result.x, result.get("mip_dual_bound"))


def _matrix(program: Program) -> Any:
    from scipy.sparse import coo_array  # noqa: PLC0415 (a quarter of a second of imports)

    # Older versions of HiGHS in scipy accept only 32-bit indices.
    where = (program.row.astype("int32"), program.column.astype("int32"))
    return coo_array((program.value, where), shape=(len(program.limit), len(program.objective))).tocsc()
