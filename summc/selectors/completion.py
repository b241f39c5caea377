"""Complete many partial selections at once by g-greedy, the paper's Algorithm 1.

g-greedy repeatedly adds the sentence that adds the most weight per unit of cost and fits the budget.
"""

from __future__ import annotations

import numpy as np

from summc.graph import curves
from summc.records import Coverage, Floats, Indices, Mask
from summc.selectors.base import rounded
from summc.selectors.reduction import ReducedProblem, exact

#: The tables of all selections that are completed together have at most this many entries in all.
_ENTRIES = 100_000


class Additions:
    """Computes the weights that the sentences of a problem would add to selections, by matrix products.

    ``count`` says how often each sentence holds each word, and ``holds_more[t]`` is 1 where it does so more
    than t times; both are sparse, shape (n, m). Sums of the weights of ``problem`` must be exact.
    """

    def __init__(self, problem: Coverage) -> None:
        from scipy.sparse import csr_array  # noqa: PLC0415 (a quarter of a second of imports)

        self.curves = curves(problem)
        edges, shape = (problem.edge_sentence, problem.edge_word), (len(problem.cost), len(problem.weight))
        self.count = csr_array((problem.count, edges), shape=shape)
        self.holds_more = [(self.count > t).astype(float) for t in range(problem.count.max(initial=1))]
        # The weights of the levels of each word, followed by a 0 for all later occurrences.
        self._levels = np.append(np.diff(self.curves.value), 0.0)
        self._levels[self.curves.start[1:] - 1] = 0.0

    def gains(self, times: Indices) -> Floats:
        """Return what each sentence would add to each of B selections, which hold words ``times`` times."""
        first, end = self.curves.start[:-1], self.curves.start[1:] - 1
        total = np.zeros((len(times), self.holds_more[0].shape[0]))
        for t, matrix in enumerate(self.holds_more):
            total += (matrix @ self._levels[np.minimum(first + times + t, end)].T).T
        return total

    def value(self, times: Indices) -> Floats:
        """Return the weight that each of B selections covers, which hold words ``times`` times."""
        return np.asarray(self.curves.at(np.arange(times.shape[1]), times).sum(axis=1))

    def times(self, chosen: Mask) -> Indices:
        """Return how often each of B selections (rows of a mask) holds each word, shape (B, m)."""
        return np.asarray(chosen @ self.count)


class Completion:
    """g-greedy on one problem, from any partial selection (a start).

    ``work`` counts the matrix entries processed so far. Callers should pass ``batch`` starts at once.
    """

    def __init__(self, problem: ReducedProblem) -> None:
        problem = exact(problem)
        self.cost, self.unique_weight, self.budget = problem.cost, problem.unique_weight, problem.budget
        self.additions, self.work = Additions(problem), 0
        self.batch = max(_ENTRIES // max(len(self.cost), len(problem.weight), 1), 1)

    def best(self, starts: Mask, penalty: Floats, slack: float) -> Indices:
        """Complete each start by g-greedy, and return the sentences of the completion that covers the most.

        Ties go to the selection that was complete first. ``starts`` is a mask of sentences for each start,
        shape (starts, n). A selection is abandoned when the penalties of its sentences add up to ``slack`` or
        more.
        """
        chosen = starts.copy()
        best, best_value = np.flatnonzero(chosen[0]), -1.0
        room = self.budget - chosen @ self.cost
        times = self.additions.times(chosen)
        gain = np.where(chosen, 0.0, self.additions.gains(times) + self.unique_weight)
        while len(chosen):
            with np.errstate(divide="ignore", invalid="ignore"):  # a cost of 0 gives an infinite ratio
                ratio = np.where((self.cost <= room[:, None]) & (gain > 0), gain / self.cost, -1.0)
            picked = rounded(ratio).argmax(axis=1)
            rows = np.arange(len(chosen))
            full = ratio[rows, picked] < 0
            if full.any():
                value = self.additions.value(times[full]) + chosen[full] @ self.unique_weight
                if value.max() > best_value:
                    best, best_value = np.flatnonzero(chosen[full][value.argmax()]), float(value.max())
            left = ~full & (chosen @ penalty < slack)
            if not left.all():
                arrays = (chosen, room, times, gain, picked)
                chosen, room, times, gain, picked = (array[left] for array in arrays)
                rows = np.arange(len(chosen))
            chosen[rows, picked] = True
            room -= self.cost[picked]
            times += self.additions.count[picked].toarray()
            gain = np.where(chosen, 0.0, self.additions.gains(times) + self.unique_weight)
            self.work += int(self.additions.count.sum()) * len(chosen)
        return best
