"""Partial enumeration, of S. Khuller, A. Moss and J. Naor, Inf. Process. Lett. 70, 39 (1999).

Try all sets of fewer than three sentences. Then complete every set of three sentences (a seed) by g-greedy.
The best selection found covers at least 1 - 1/e of the optimum, and no polynomial-time algorithm guarantees
more unless P = NP.

There are about N^3 / 6 seeds. A seed is skipped if the LP relaxation proves that no selection that contains
the seed covers more than the best known selection. The proof uses penalties: a penalty is how much a sentence
lowers the upper bound on any selection that contains it. The other seeds are tried in order of falling bound,
which is rising penalty. If there are too many seeds to try, the diagnostic ``complete`` is false and the
guarantee does not hold.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.base import better_of, rounded
from summc.selectors.bounds import relax, widened
from summc.selectors.completion import Completion
from summc.selectors.greedy import GGreedy
from summc.selectors.reduction import reduce_problem
from summc.settings import setting

#: The largest number of seeds to list. If there would be more, seeds are formed only of the sentences with
#: the lowest penalties.
_SCANNED = 3_200_000
#: A seed is tried only if its bound exceeds the best covered weight by more than this fraction of the weight.
_MORE = 1e-9
#: No seed is tried after this many matrix entries were processed. Entries are counted instead of seconds, so
#: that answers are reproducible.
_WORK = 2 * 10**10


@dataclass(frozen=True, slots=True)
class EnumeratedGreedy:
    """Complete every small set of sentences (a seed) by g-greedy, and keep the best result."""

    seeds: int = setting(3, "g-greedy-enumerated: size of the seed sets.", at_least=1, at_most=3)
    seed_sets: int = setting(
        10_000, "g-greedy-enumerated: how many seed sets to try at most, the best first.",
        at_least=1, at_most=1_000_000_000,
    )  # fmt: skip
    name: ClassVar[str] = "g-greedy-enumerated"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best selection found. It never covers less than the selection of g-greedy."""
        selection = GGreedy().select(graph, budget)
        problem = reduce_problem(graph, budget)
        if not len(problem.cost):
            diagnostics = {"complete": True, "seed_sets": 0}
            return dataclasses.replace(selection, selector=self.name, diagnostics=diagnostics)
        relaxation = relax(problem, selection.covered_weight)
        bound = widened(graph, relaxation.bound, selection.covered_weight)
        completion = Completion(problem)

        def slack() -> float:
            return bound - selection.covered_weight * (1 + _MORE)

        pool, whole = _pool(relaxation.penalty, slack(), self.seeds)
        for chosen in _small_sets(completion, pool, self.seeds):
            selection = better_of(graph, selection, problem.sentence[chosen])
        sets, penalty = _seeds(completion, relaxation.penalty, pool, self.seeds, slack())
        tried, most = 0, min(len(sets), self.seed_sets)
        while tried < most and penalty[tried] < slack() and completion.work < _WORK:
            now = sets[tried : min(tried + completion.batch, most)]
            starts = np.zeros((len(now), len(problem.cost)), dtype=bool)
            np.put_along_axis(starts, now, values=True, axis=1)
            chosen = completion.best(starts, relaxation.penalty, slack())
            selection = better_of(graph, selection, problem.sentence[chosen])
            tried += len(now)
        complete = whole and (tried == len(sets) or bool(penalty[tried] >= slack()))
        diagnostics = {"complete": complete, "seed_sets": tried}
        return dataclasses.replace(selection, selector=self.name, bound=bound, diagnostics=diagnostics)


def _pool(penalty: Floats, slack: float, size: int) -> tuple[Indices, bool]:
    """Return sentences to form seeds of, and whether these are all that a better selection may contain.

    If there are too many, only those with the lowest penalties are returned. ``slack`` is how much the bound
    exceeds the best known weight.
    """
    able = np.flatnonzero(penalty < slack)
    most = len(able)
    while math.comb(most, size) > _SCANNED:
        most = most * 99 // 100
    return np.sort(able[np.argsort(penalty[able], kind="stable")[:most]]), most == len(able)


def _small_sets(completion: Completion, pool: Indices, seeds: int) -> list[Indices]:
    """Return the best single sentence and the best pair of a pool, as far as they are smaller than a seed."""
    if not len(pool) or seeds == 1:
        return []
    additions, unique, cost = completion.additions, completion.unique_weight[pool], completion.cost[pool]
    counts = additions.count[pool].toarray()
    worth = additions.value(counts) + unique
    best = [pool[[rounded(worth).argmax()]]]
    if seeds > 2:  # noqa: PLR2004 (more than a pair)
        pairs = worth[:, None] + additions.gains(counts)[:, pool] + unique
        pairs[cost[:, None] + cost > completion.budget] = -1.0
        np.fill_diagonal(pairs, worth)
        best.append(pool[np.unique(np.unravel_index(rounded(pairs).argmax(), pairs.shape))])
    return best


def _seeds(
    completion: Completion, penalty: Floats, pool: Indices, size: int, slack: float
) -> tuple[Indices, Floats]:
    """Return the seeds to try, shape (seeds, size), and the total penalty of each, which rises.

    They are the sets of sentences of ``pool`` that fit the budget and have a total penalty below ``slack``.
    """
    sets = pool[(penalty[pool] < slack) & (completion.cost[pool] <= completion.budget)][:, None]
    for _ in range(size - 1):
        total = penalty[sets].sum(axis=1)[:, None] + penalty[pool]
        spent = completion.cost[sets].sum(axis=1)[:, None] + completion.cost[pool]
        row, added = np.nonzero((total < slack) & (spent <= completion.budget) & (pool > sets[:, -1:]))
        sets = np.column_stack([sets[row], pool[added]])
    total = penalty[sets].sum(axis=1)
    order = np.argsort(total, kind="stable")
    return sets[order], total[order]
