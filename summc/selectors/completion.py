"""Complete many partial selections at once by g-greedy, the paper's Algorithm 1.

g-greedy repeatedly adds the sentence that adds the most weight per unit of cost and fits the budget.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices
from summc.selectors.base import rounded
from summc.selectors.incidence import Additions
from summc.selectors.local_search import exact_amounts, exact_costs
from summc.selectors.reduction import ReducedProblem

Mask = NDArray[np.bool_]

#: The tables of all selections that are completed together have at most this many entries in all.
_ENTRIES = 100_000


class Completion:
    """g-greedy on one problem, from any partial selection (a start).

    Weights and costs are rounded so that all their sums are exact. ``work`` counts the matrix entries
    processed so far. ``batch`` is the number of starts that callers should pass at once.
    """

    def __init__(self, problem: ReducedProblem, budget: float) -> None:
        self.cost, self.budget = exact_costs(problem.cost, budget), budget
        weight, repeats, self.own = exact_amounts(problem.weight, problem.repeats, problem.own)
        self.additions = Additions(problem, weight, repeats)
        self.work = 0
        self.batch = max(_ENTRIES // max(len(self.cost), len(weight), 1), 1)

    def best(self, starts: Mask, penalty: Floats | None = None, slack: float = 0.0) -> Indices:
        """Complete each start by g-greedy, and return the sentences of the completion that covers the most.

        Ties go to the selection that was complete first. ``starts`` is a mask of sentences for each start,
        shape (starts, n). Each start must fit the budget. ``penalty`` is how much each sentence lowers the
        upper bound on a selection that contains it, shape (n,). ``slack`` is how much the bound exceeds the
        best known weight. A selection is abandoned when the penalties of its sentences add up to ``slack`` or
        more, because it cannot become the best.
        """
        chosen = starts.copy()
        lost = np.zeros(len(self.cost)) if penalty is None else penalty
        most = np.inf if penalty is None else slack
        best, best_value = np.flatnonzero(chosen[0]), -1.0
        room = self.budget - chosen @ self.cost
        times = np.stack([self.additions.counts(np.flatnonzero(start)).sum(axis=0) for start in chosen])
        gain = np.where(chosen, 0.0, self.additions.gains(times) + self.own)
        while len(chosen):
            with np.errstate(divide="ignore", invalid="ignore"):  # a cost of 0 gives an infinite ratio
                ratio = np.where((self.cost <= room[:, None]) & (gain > 0), gain / self.cost, -1.0)
            picked = rounded(ratio).argmax(axis=1)
            each = np.arange(len(chosen))
            full = ratio[each, picked] < 0
            if full.any():
                value = self.additions.value(times[full]) + chosen[full] @ self.own
                if value.max() > best_value:
                    best, best_value = np.flatnonzero(chosen[full][value.argmax()]), float(value.max())
            left = ~full & (chosen @ lost < most)
            if not left.all():
                chosen, room, times, gain, picked = (
                    part[left] for part in (chosen, room, times, gain, picked)
                )
                each = np.arange(len(chosen))
            chosen[each, picked] = True
            room -= self.cost[picked]
            times += self.additions.counts(picked)
            gain = np.where(chosen, 0.0, self.additions.gains(times) + self.own)
            self.work += self.additions.entries * len(chosen)
        return best
