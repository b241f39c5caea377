"""The paper's integer program, Eq. (1), as a matrix for the solver HiGHS, and a way to silence HiGHS."""

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
    """Return the sparse matrix of the constraints: a covered word must be held by a chosen sentence.

    There is a row for each word a: the sum of its variables y, minus n_ia x_i summed over the sentences i
    that hold the word. This must be at most 0. Here n_ia is how often sentence i holds word a, and x_i tells
    whether sentence i is chosen. A word has a variable y for each occurrence that has a weight, which tells
    whether this occurrence is covered. The columns are x_i of each sentence, then y of the first occurrence
    of each word, then y of the further occurrences, word by word. With ``budget_row``, a first row has the
    costs of the sentences.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 (a quarter of a second of imports)

    n, m, f = len(problem.cost), len(problem.weight), len(problem.further)
    first = 1 if budget_row else 0
    rows = [first + np.arange(m), first + problem.further_word, first + problem.edge_word]
    columns = [n + np.arange(m), n + m + np.arange(f), problem.edge_sentence]
    values = [np.ones(m), np.ones(f), -problem.count.astype(float)]
    if budget_row:
        rows, columns, values = [np.zeros(n, int), *rows], [np.arange(n), *columns], [problem.cost, *values]
    # Older versions of HiGHS in scipy accept only 32-bit indices.
    where = (np.concatenate(rows).astype(np.int32), np.concatenate(columns).astype(np.int32))
    return coo_array((np.concatenate(values), where), shape=(m + first, n + m + f)).tocsc()


class _Printing:
    """A switch for what C code prints to standard output. It stays off while any thread wants it off.

    HiGHS prints a line now and then whatever its options say. Only C's stream ``stdout`` is replaced. Python
    writes to the file descriptor and does not use C's stream, so what Python prints still appears, from every
    thread.
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
    """Return C's variable ``stdout`` and a stream to the null device, or (None, None) without glibc.

    In C libraries other than glibc, ``stdout`` may be a constant that cannot be replaced.
    """
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018 (raises AttributeError without glibc)
        library.fopen.restype = ctypes.c_void_p
        library.fopen.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
        return ctypes.c_void_p.in_dll(library, "stdout"), library.fopen(os.devnull.encode(), b"w")
    except (AttributeError, OSError, TypeError, ValueError):
        return None, None


_PRINTING = _Printing()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Discard what HiGHS prints to standard output, so that its lines do not get between summc's output."""
    _PRINTING.switch_off()
    try:
        yield
    finally:
        _PRINTING.switch_on()
