"""The selector for everyday use: g-greedy, then local search from many starts, within a fixed amount of work.

Work is counted, never timed, so that the same problem has the same answer everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Selection
from summc.selectors.base import make_selection
from summc.selectors.local_search import LocalSearch, State
from summc.selectors.reduction import reduce_problem
from summc.settings import setting

#: Effort -> how many starts, and entries of matrices to go through at most.
EFFORTS = {"low": (10, 2 * 10**8), "normal": (60, 10**9), "high": (600, 4 * 10**10)}

_SEED = 1999
#: How many sentences a disturbance takes out at most.
_MOST_EXCHANGED = 6
#: The search goes on from a choice that covers less than the best by no more than this part.
_SLACK = 0.006


@dataclass(frozen=True, slots=True)
class Auto:
    """Iterated local search: disturb the choice, refill it greedily with a random preference, improve it."""

    effort: str = setting("normal", "How long auto searches.", choices=tuple(EFFORTS))
    name: ClassVar[str] = "auto"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best choice found; the same every time."""
        problem = reduce_problem(graph, budget)
        if not len(problem.cost):
            return make_selection(graph, budget, self.name, [])
        search = LocalSearch(problem, budget)
        starts, most_work = EFFORTS[self.effort]
        state, rounds = _search(search, starts, most_work)
        chosen = problem.sentence[state.chosen].tolist()
        diagnostics = {"effort": self.effort, "starts": rounds, "work": search.work}
        return make_selection(graph, budget, self.name, chosen, diagnostics)


def _search(search: LocalSearch, starts: int, most_work: int) -> tuple[State, int]:
    per_word = np.divide(1.0, search.cost, out=np.full(len(search.cost), 1e9), where=search.cost > 0)
    # By turns a sentence is preferred by its gain a word, and by something between that and its gain alone.
    scales = (per_word, np.sqrt(per_word))
    state = search.empty()
    search.fill(state, per_word)
    search.improve(state)
    best = current = (search.value(state), state)
    rng = np.random.default_rng(_SEED)
    everything = float(search.weight.sum() + search.own.sum())
    done = 0
    while done < starts and search.work < most_work and best[0] < everything:
        state = _disturbed(search, current[1], rng, scales[done % 2])
        search.improve(state)
        value = search.value(state)
        if value >= current[0] - _SLACK * best[0]:
            current = (value, state)
        if value > best[0]:
            best = (value, state)
        done += 1
    return best[1], done


def _disturbed(search: LocalSearch, state: State, rng: np.random.Generator, scale: Floats) -> State:
    """Return the choice without about a third of its sentences, filled again with others."""
    members = np.flatnonzero(state.chosen)
    gone = rng.permutation(members)[: min(max(round(len(members) / 3), 2), _MOST_EXCHANGED)]
    new = search.without(state, gone)
    # Whole hundredths, so that the preferences are the same numbers on every machine.
    preference = scale * (rng.integers(60, 160, len(scale)) / 100)
    preference[gone] /= 2
    search.fill(new, preference)
    return new
