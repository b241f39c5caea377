"""The selector for everyday use: local search from many starts and tabu search, within an amount of work.

Work is counted, never timed, so that the same problem has the same answer everywhere.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Selection
from summc.selectors import local_search
from summc.selectors.base import make_selection
from summc.selectors.compiled_search import make_search
from summc.selectors.greedy import GGreedy
from summc.selectors.local_search import LocalSearch, State
from summc.selectors.reduction import ReducedProblem, most_promising, reduce_problem
from summc.selectors.tabu import tabu_search
from summc.settings import setting


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to search.

    Attributes:
        starts: how often local search begins at most.
        stretch: after so many starts, each from what the last left, the search begins afresh.
        agreement: it ends when so many stretches have come to the same best.
        patience: where they do not agree, tabu search goes on until so many steps have found no better.
        work: after so many entries of matrices no search begins, and after twice as many none goes on.
    """

    starts: int
    stretch: int
    agreement: int
    patience: int
    work: int


EFFORTS = {
    "low": Effort(12, 12, 1, 0, 5 * 10**7),
    "normal": Effort(80, 8, 3, 1500, 3 * 10**8),
    "high": Effort(900, 15, 9, 10_000, 10**10),
}

#: Where words have levels, so many times as many starts and agreeing stretches are asked for: stretches agree
#: more often on what is not the best.
_WITH_LEVELS = 3
#: Not so in problems of more sentences than this if further levels weigh less than this share of the first.
_MANY, _SHALLOW = 500, 0.25
_SEED = 1999
#: How many sentences a disturbance takes out at most.
_MOST_EXCHANGED = 6
#: The search goes on from a choice that covers less than the best by no more than this part.
_SLACK = 0.006
#: Preferences vary by these parts: whole hundredths, so that they are the same numbers on every machine.
_LEAST, _MOST = 60, 160


@dataclass(frozen=True, slots=True)
class Auto:
    """Iterated local search: disturb the choice, refill it greedily with a random preference, improve it."""

    effort: str = setting("normal", "How long auto searches.", choices=tuple(EFFORTS))
    name: ClassVar[str] = "auto"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best choice found; the same every time."""
        problem = reduce_problem(graph, budget)
        if _most_chosen(problem, budget) * len(problem.cost) <= local_search.TABLE:
            return self._searched(graph, budget, problem)
        greedy = GGreedy().select(graph, budget)
        is_chosen = np.isin(problem.sentence, greedy.chosen)
        most = local_search.TABLE // max(int(is_chosen.sum()), 1)
        problem = most_promising(problem, is_chosen, most if most >= is_chosen.sum() else 0)
        found = self._searched(graph, budget, problem)
        if found.covered_weight >= greedy.covered_weight:
            return found
        return dataclasses.replace(greedy, selector=self.name, diagnostics=found.diagnostics)

    def _searched(self, graph: CoverageGraph, budget: float, problem: ReducedProblem) -> Selection:
        effort, chosen, starts, work = EFFORTS[self.effort], list[int](), 0, 0
        is_shallow = problem.further.sum() < _SHALLOW * problem.weight.sum()
        if len(problem.further) and not (is_shallow and len(problem.cost) > _MANY):
            effort = dataclasses.replace(
                effort, starts=_WITH_LEVELS * effort.starts, agreement=_WITH_LEVELS * effort.agreement
            )
        if len(problem.cost):
            search = make_search(problem, budget, 2 * effort.work)
            state, starts = _search(search, effort)
            chosen, work = problem.sentence[state.chosen].tolist(), search.work
        diagnostics = {"effort": self.effort, "starts": starts, "work": work}
        return make_selection(graph, budget, self.name, chosen, diagnostics)


def _most_chosen(problem: ReducedProblem, budget: float) -> int:
    """Return a number of sentences that no choice within the budget has more of."""
    return int(np.searchsorted(np.cumsum(np.sort(problem.cost)), budget, side="right"))


def _search(search: LocalSearch, effort: Effort) -> tuple[State, int]:
    """Return the best of several stretches, the first of which begins with g-greedy, and the starts made."""
    per_word = np.divide(1.0, search.cost, out=np.full(len(search.cost), 1e9), where=search.cost > 0)
    # By turns a sentence is preferred by its gain a word, and by something between that and its gain alone.
    scales = (per_word, np.sqrt(per_word))
    rng = np.random.default_rng(_SEED)
    best, best_state, agreeing = -1.0, search.empty(), 0
    starts, stretches = 0, 0
    while starts < effort.starts and search.work < effort.work and agreeing < effort.agreement:
        state = search.empty()
        search.fill(state, per_word if stretches == 0 else _varied(scales[stretches % 2], rng))
        search.improve(state)
        value, state, made = _stretch(search, state, best, effort, rng, scales)
        agreeing = agreeing + 1 if value == best else 1 if value > best else agreeing
        if value > best:
            best, best_state = value, state
        starts, stretches = starts + made, stretches + 1
        if best == search.everything:
            return best_state, starts
    if agreeing < effort.agreement:
        best_state = tabu_search(search, best_state, effort.patience, effort.work, rng)
        search.improve(best_state)
    return best_state, starts


def _stretch(
    search: LocalSearch,
    state: State,
    best: float,
    effort: Effort,
    rng: np.random.Generator,
    scales: tuple[Floats, Floats],
) -> tuple[float, State, int]:
    """Return the best choice that disturbances lead to from one, what it covers, and the starts made."""
    found = current = (search.value(state), state)
    starts = 1
    while starts < effort.stretch and search.work < effort.work and found[0] < search.everything:
        state = _disturbed(search, current[1], rng, scales[starts % 2])
        value = search.value(state)
        if value >= current[0] - _SLACK * max(best, found[0]):
            current = (value, state)
        if value > found[0]:
            found = (value, state)
        starts += 1
    return *found, starts


def _disturbed(search: LocalSearch, state: State, rng: np.random.Generator, scale: Floats) -> State:
    """Return a choice without about a third of its sentences, filled again with others and improved."""
    members = np.flatnonzero(state.chosen)
    gone = rng.permutation(members)[: min(max(round(len(members) / 3), 2), _MOST_EXCHANGED)]
    preference = _varied(scale, rng)
    preference[gone] /= 2
    return search.refilled(state, gone, preference)


def _varied(scale: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(scale * (rng.integers(_LEAST, _MOST, len(scale)) / 100))
