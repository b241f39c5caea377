"""Program (1) of the paper in the form that HiGHS takes."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import threading
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
    # Older versions of HiGHS in scipy accept only 32-bit indices.
    where = (np.concatenate(rows).astype(np.int32), np.concatenate(columns).astype(np.int32))
    return coo_array((np.concatenate(values), where), shape=(m + first, n + m + f)).tocsc()


class _Printing:
    """What C code prints to its own standard output, switched off while any thread asks for that.

    HiGHS prints a line now and then whatever its options say. Python writes to the file descriptor and not
    through C's stream, so only the stream is exchanged: what Python prints arrives, from every thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._kept: int | None = None

    def switch_off(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                stream, null = _c_streams()
                if stream is not None and null:
                    self._kept, stream.value = stream.value, null

    def switch_on(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._kept is not None:
                stream, _ = _c_streams()
                if stream is not None:
                    stream.value, self._kept = self._kept, None


@functools.cache
def _c_streams() -> tuple[ctypes.c_void_p | None, int | None]:
    """Return C's variable ``stdout`` and a stream to nowhere; None where the variable cannot be set.

    glibc allows it; in other C libraries it may be a constant.
    """
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018 (which only glibc has)
        library.fopen.restype = ctypes.c_void_p
        library.fopen.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
        return ctypes.c_void_p.in_dll(library, "stdout"), library.fopen(os.devnull.encode(), b"w")
    except (AttributeError, OSError, TypeError, ValueError):
        return None, None


_PRINTING = _Printing()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Discard what HiGHS prints to C's standard output, so that it does not mix with results."""
    _PRINTING.switch_off()
    try:
        yield
    finally:
        _PRINTING.switch_on()
