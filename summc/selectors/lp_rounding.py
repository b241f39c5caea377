"""Randomized rounding of the LP relaxation of the coverage problem, Eq. (1) of Kitano and Takeda.

H. Takamura and M. Okumura, "Text summarization model based on maximum coverage problem and its variant", EACL
2009. The LP relaxation chooses a fraction x_i of each sentence. ``bounds.relax`` solves it approximately: a
linear program may have many optimal solutions, and which of them a solver finds depends on its version. In a
draw, each sentence is drawn with the probability x_i, and the best of several draws is kept. Here a draw
takes the drawn sentences that fit, in random order, and g-greedy fills the rest of the budget. The selection
of g-greedy alone is tried first, so the result never covers less.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Mask, Selection
from summc.selectors.base import better_of, fill_in_order
from summc.selectors.bounds import relax, widened
from summc.selectors.completion import Completion
from summc.selectors.greedy import GGreedy
from summc.selectors.reduction import ReducedProblem, reduce_problem
from summc.settings import setting

_SEED = 2009


@dataclass(frozen=True, slots=True)
class LpRounding:
    """Randomized rounding of the LP relaxation, with a fixed seed, so that the draws are always the same."""

    draws: int = setting(100, "lp-rounding: number of random draws.", at_least=1, at_most=1_000_000)
    name: ClassVar[str] = "lp-rounding"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best selection of all draws, with a bound from the LP relaxation."""
        selection = GGreedy().select(graph, budget)
        problem = reduce_problem(graph, budget)
        if not len(problem.cost):
            return dataclasses.replace(selection, selector=self.name, bound=0.0)
        relaxation = relax(problem, selection.covered_weight)
        completion, rng = Completion(problem), np.random.default_rng(_SEED)
        for done in range(0, self.draws, completion.batch):
            now = min(completion.batch, self.draws - done)
            starts = np.stack([_drawn(relaxation.filling, problem, rng) for _ in range(now)])
            chosen = completion.best(starts, relaxation.penalty, np.inf)
            selection = better_of(graph, selection, problem.sentence[chosen])
        bound = widened(graph, relaxation.bound, selection.covered_weight)
        return dataclasses.replace(selection, selector=self.name, bound=bound)


def _drawn(part: Floats, problem: ReducedProblem, rng: np.random.Generator) -> Mask:
    """Draw each sentence i with the probability ``part[i]``, and return a mask of those that are taken.

    The drawn sentences are gone through in random order, and each is taken if it still fits the budget.
    """
    drawn = rng.permutation(np.flatnonzero(rng.random(len(part)) < part))
    return np.isin(np.arange(len(part)), fill_in_order(problem.cost, drawn.tolist(), problem.budget))
