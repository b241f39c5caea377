"""What every sentence would add to many choices at once, by products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from summc.graph.coverage import Curves, Problem, make_curves
from summc.records import Floats, Indices

#: Matrices of up to this many entries are dense: one product then does all the work of a step.
_DENSE = 4_000_000


class Additions:
    """The gains of all sentences of a problem, beside choices that are given by how often they hold words.

    ``held[t]`` tells which sentence holds which word more than t times, shape (n, m): a sentence that holds a
    word c times covers the next c levels of it. ``entries`` is how many entries one product goes through.

    The weights are given apart from the problem, since callers round them so that every sum is exact.
    """

    def __init__(self, problem: Problem, weight: Floats, further: Floats) -> None:
        self.curves: Curves = make_curves(weight, further, problem.further_start)
        most = int(problem.count.max(initial=1))
        self.held = [_matrix(problem, problem.count > t) for t in range(most)]
        self.entries = sum(
            matrix.size if isinstance(matrix, np.ndarray) else matrix.nnz for matrix in self.held
        )
        # The weight of each level, and a 0 behind those of each word.
        self._levels = np.append(np.diff(self.curves.value), 0.0)
        self._levels[self.curves.start[1:] - 1] = 0.0

    def gains(self, met: Indices) -> Floats:
        """Return what each sentence would add where words have been met so often: (B, m) to (B, n)."""
        first, end = self.curves.start[:-1], self.curves.start[1:] - 1
        total = np.zeros((len(met), self.held[0].shape[0]))
        for t, matrix in enumerate(self.held):
            following = self._levels[np.minimum(first + met + t, end)]
            total += np.asarray(matrix @ following.T).T
        return total

    def value(self, met: Indices) -> Floats:
        """Return what is covered where words have been met so often: (B, m) to (B,)."""
        return np.asarray(self.curves.at(np.arange(met.shape[1]), met).sum(axis=1))

    def counts(self, sentences: Indices) -> Indices:
        """Return how often each of some sentences holds each word, shape (B, m)."""
        rows = (matrix[sentences] for matrix in self.held)
        return np.asarray(sum(row if isinstance(row, np.ndarray) else row.toarray() for row in rows)).astype(
            np.intp
        )


def _matrix(problem: Problem, edges: Any) -> Any:
    """Return 1 where a sentence holds a word by one of some edges: dense, or sparse where that is large."""
    sentence, word = problem.edge_sentence[edges], problem.edge_word[edges]
    n, m = len(problem.cost), len(problem.weight)
    if n * m <= _DENSE:
        dense = np.zeros((n, m))
        dense[sentence, word] = 1.0
        return dense
    from scipy.sparse import csr_array  # noqa: PLC0415 (a quarter of a second of imports, for large problems)

    return csr_array((np.ones(len(word)), (sentence, word)), shape=(n, m))
