"""The integer program (1) of the paper and its LP relaxation, as HiGHS takes them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from summc.records import Floats
from summc.selectors.reduction import ReducedProblem


def solve_program(problem: ReducedProblem, budget: float, options: dict[str, Any]) -> Any:
    """Return scipy's result for the integer program; its first variables are the x_i."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 (half a second of imports)

    n, m = len(problem.cost), len(problem.weight)
    limits = np.concatenate([[budget], np.zeros(m)])
    with _quiet():
        return milp(
            -np.concatenate([problem.own, problem.weight]),
            integrality=np.concatenate([np.ones(n), np.zeros(m)]),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(_rows(problem), ub=limits),
            options=options,
        )


def relax(problem: ReducedProblem, budget: float) -> tuple[Floats, Floats]:
    """Return x_i of the LP relaxation, shape (n,), and the price of each word, shape (m,).

    Both are 0 where HiGHS finds no solution.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 (half a second of imports)

    n, m = len(problem.cost), len(problem.weight)
    with _quiet():
        result = linprog(
            -np.concatenate([problem.own, problem.weight]),
            A_ub=_rows(problem),
            b_ub=np.concatenate([[budget], np.zeros(m)]),
            bounds=(0, 1),
            method="highs",
        )
    if result.x is None or len(result.x) != n + m:
        return np.zeros(n), np.zeros(m)
    return np.asarray(result.x[:n]), np.asarray(-result.ineqlin.marginals[1:])


def _rows(problem: ReducedProblem) -> Any:
    """Return the row of the costs, then y_a less the x_i of the sentences that hold a, over x and y."""
    from scipy.sparse import coo_array  # noqa: PLC0415 (a quarter of a second of imports)

    n, m = len(problem.cost), len(problem.weight)
    rows = [np.zeros(n, int), 1 + np.arange(m), 1 + problem.edge_word]
    columns = [np.arange(n), n + np.arange(m), problem.edge_sentence]
    values = [problem.cost, np.ones(m), -np.ones(len(problem.edge_word))]
    where = (np.concatenate(rows), np.concatenate(columns))
    return coo_array((np.concatenate(values), where), shape=(m + 1, n + m)).tocsc()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what HiGHS prints past Python off standard output, where a result may be on its way."""
    sys.stdout.flush()
    kept, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)
