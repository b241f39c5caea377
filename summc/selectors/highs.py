"""The program (1) of the paper as HiGHS takes it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from summc.selectors.reduction import ReducedProblem


def covering_matrix(problem: ReducedProblem, *, budget_row: bool) -> Any:
    """Return the rows y_a - sum of n_ia x_i over the sentences that hold a, over the variables x, then y.

    y_a is the sum of a variable for each level of the word: first those of the first levels, then the
    further ones. ``budget_row``: below the row of the costs.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 (a quarter of a second of imports)

    n, m, f = len(problem.cost), len(problem.weight), len(problem.further)
    first = 1 if budget_row else 0
    further = np.repeat(np.arange(m), np.diff(problem.further_start))
    rows = [first + np.arange(m), first + further, first + problem.edge_word]
    columns = [n + np.arange(m), n + m + np.arange(f), problem.edge_sentence]
    values = [np.ones(m), np.ones(f), -problem.count.astype(float)]
    if budget_row:
        rows, columns, values = [np.zeros(n, int), *rows], [np.arange(n), *columns], [problem.cost, *values]
    # Older versions of HiGHS in scipy take indices of 32 bits alone.
    where = (np.concatenate(rows).astype(np.int32), np.concatenate(columns).astype(np.int32))
    return coo_array((np.concatenate(values), where), shape=(m + first, n + m + f)).tocsc()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
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
