"""Which sentence holds which word, as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from summc.records import CoverageGraph
from summc.selectors.reduction import ReducedProblem

#: A matrix of so many entries is kept dense, where one product does all the work of a step.
_DENSE = 4_000_000


def incidence_matrix(problem: ReducedProblem | CoverageGraph) -> Any:
    """Return 1 where a sentence holds a word, shape (n, m): dense, or sparse where that would be large."""
    n, m = len(problem.cost), len(problem.weight)
    if n * m <= _DENSE:
        dense = np.zeros((n, m))
        dense[problem.edge_sentence, problem.edge_word] = 1.0
        return dense
    from scipy.sparse import csr_array  # noqa: PLC0415 (a quarter of a second of imports, for large problems)

    ones = np.ones(len(problem.edge_word))
    return csr_array((ones, (problem.edge_sentence, problem.edge_word)), shape=(n, m))
