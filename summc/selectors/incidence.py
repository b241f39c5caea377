"""Compute the weight that every sentence would add to each of many selections, by matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from summc.graph.coverage import AnyProblem, Curves, make_curves
from summc.records import Floats, Indices

#: Matrices with up to this many entries are dense, larger ones are sparse.
_DENSE = 4_000_000


class Additions:
    """Computes the weights that the sentences of a problem would add to selections (their gains).

    The problem has n sentences and m words. If a selection holds a word k times, a sentence that holds it c
    times adds the weights of the occurrences k + 1 to k + c. Therefore there is a matrix for each t from 0:
    ``held[t]`` is 1 where a sentence holds a word more than t times, shape (n, m). ``entries`` is the number
    of matrix entries that ``gains`` processes for each selection.

    ``weight`` and ``repeats`` are used instead of the weights of ``problem``. Callers pass weights rounded to
    multiples of a power of two, so that sums of them have no rounding error.
    """

    def __init__(self, problem: AnyProblem, weight: Floats, repeats: Floats) -> None:
        self.curves: Curves = make_curves(weight, repeats, problem.repeats_start)
        most = int(problem.count.max(initial=1))
        self.held = [_matrix(problem, problem.count > t) for t in range(most)]
        self.entries = sum(
            matrix.size if isinstance(matrix, np.ndarray) else matrix.nnz for matrix in self.held
        )
        # The weights of the levels of each word, followed by a 0 for all later occurrences.
        self._levels = np.append(np.diff(self.curves.value), 0.0)
        self._levels[self.curves.start[1:] - 1] = 0.0

    def gains(self, times: Indices) -> Floats:
        """Return the weight that each sentence would add to each of B selections, shape (B, n).

        ``times`` is how often each selection holds each word, shape (B, m).
        """
        first, end = self.curves.start[:-1], self.curves.start[1:] - 1
        total = np.zeros((len(times), self.held[0].shape[0]))
        for t, matrix in enumerate(self.held):
            following = self._levels[np.minimum(first + times + t, end)]
            total += np.asarray(matrix @ following.T).T
        return total

    def value(self, times: Indices) -> Floats:
        """Return the weight that each of B selections covers, shape (B,).

        ``times`` is how often each selection holds each word, shape (B, m).
        """
        return np.asarray(self.curves.at(np.arange(times.shape[1]), times).sum(axis=1))

    def counts(self, sentences: Indices) -> Indices:
        """Return how often each of B sentences holds each word, shape (B, m)."""
        rows = (matrix[sentences] for matrix in self.held)
        return np.asarray(sum(row if isinstance(row, np.ndarray) else row.toarray() for row in rows)).astype(
            np.intp
        )


def _matrix(problem: AnyProblem, edges: Any) -> Any:
    """Return a matrix of shape (n, m) that is 1 for each given edge (sentence, word) and 0 elsewhere.

    ``edges`` is a mask of the problem's edges. The matrix is dense if it is small, else sparse.
    """
    sentence, word = problem.edge_sentence[edges], problem.edge_word[edges]
    n, m = len(problem.cost), len(problem.weight)
    if n * m <= _DENSE:
        dense = np.zeros((n, m))
        dense[sentence, word] = 1.0
        return dense
    from scipy.sparse import csr_array  # noqa: PLC0415 (a quarter of a second of imports, for large problems)

    return csr_array((np.ones(len(word)), (sentence, word)), shape=(n, m))
