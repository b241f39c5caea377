"""The weight that every sentence would add to many selections at once, by matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from summc.graph.coverage import Curves, Problem, make_curves
from summc.records import Floats, Indices

#: Matrices with up to this many entries are dense, larger ones are sparse.
_DENSE = 4_000_000


class Additions:
    """The gains of all sentences of a problem, given how often selections hold each word.

    ``held[t]`` is 1 where a sentence holds a word more than t times, shape (n, m), because a sentence that
    holds a word c times covers its next c levels. ``entries`` is the number of matrix entries of one call of
    ``gains`` per selection.

    The weights are separate from the problem, because callers round them so that every sum is exact.
    """

    def __init__(self, problem: Problem, weight: Floats, further: Floats) -> None:
        self.curves: Curves = make_curves(weight, further, problem.further_start)
        most = int(problem.count.max(initial=1))
        self.held = [_matrix(problem, problem.count > t) for t in range(most)]
        self.entries = sum(
            matrix.size if isinstance(matrix, np.ndarray) else matrix.nnz for matrix in self.held
        )
        # The weights of the levels of each word, followed by a 0.
        self._levels = np.append(np.diff(self.curves.value), 0.0)
        self._levels[self.curves.start[1:] - 1] = 0.0

    def gains(self, met: Indices) -> Floats:
        """Return the weight each sentence would add, shape (B, n), given word counts of shape (B, m)."""
        first, end = self.curves.start[:-1], self.curves.start[1:] - 1
        total = np.zeros((len(met), self.held[0].shape[0]))
        for t, matrix in enumerate(self.held):
            following = self._levels[np.minimum(first + met + t, end)]
            total += np.asarray(matrix @ following.T).T
        return total

    def value(self, met: Indices) -> Floats:
        """Return the covered weight, shape (B,), given word counts of shape (B, m)."""
        return np.asarray(self.curves.at(np.arange(met.shape[1]), met).sum(axis=1))

    def counts(self, sentences: Indices) -> Indices:
        """Return how often each of the given sentences holds each word, shape (B, m)."""
        rows = (matrix[sentences] for matrix in self.held)
        return np.asarray(sum(row if isinstance(row, np.ndarray) else row.toarray() for row in rows)).astype(
            np.intp
        )


def _matrix(problem: Problem, edges: Any) -> Any:
    """Return a matrix, dense or sparse by its size, with 1 for each of the given edges, shape (n, m)."""
    sentence, word = problem.edge_sentence[edges], problem.edge_word[edges]
    n, m = len(problem.cost), len(problem.weight)
    if n * m <= _DENSE:
        dense = np.zeros((n, m))
        dense[sentence, word] = 1.0
        return dense
    from scipy.sparse import csr_array  # noqa: PLC0415 (a quarter of a second of imports, for large problems)

    return csr_array((np.ones(len(word)), (sentence, word)), shape=(n, m))
