"""The default selector: local search from many starts, then tabu search, within a limit on work.

Work is counted, not timed, so that the same problem has the same answer on every machine.
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
        starts: the largest number of local searches.
        stretch: the number of local searches in a stretch. Each disturbs and improves an earlier result. The
            next stretch begins again from nothing.
        agreement: the search ends when this many stretches have reached the same best weight.
        patience: if they do not agree, tabu search runs until this many steps have found nothing better.
        work: the number of matrix entries after which no search begins; at twice as many, all stop.
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

#: Factor of starts and agreement if words have levels, because stretches then agree more often on a selection
#: that is not the best.
_WITH_LEVELS = 3
#: The factor is not used with more sentences than this if further levels weigh less than this share of first
#: levels.
_MANY, _SHALLOW = 500, 0.25
_SEED = 1999
#: The largest number of sentences that a disturbance removes.
_MOST_EXCHANGED = 6
#: A stretch continues from a worse selection if the loss is at most this share of the best covered weight.
_SLACK = 0.006
#: Random factors of preferences, in whole hundredths, so that they are the same numbers on every machine.
_LEAST, _MOST = 60, 160


@dataclass(frozen=True, slots=True)
class Auto:
    """Iterated local search: disturb the selection, refill it with random preferences, improve it."""

    effort: str = setting("normal", "How long auto searches.", choices=tuple(EFFORTS))
    name: ClassVar[str] = "auto"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best selection found; the same every time."""
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
    """Return an upper bound on the number of sentences in any selection within the budget."""
    return int(np.searchsorted(np.cumsum(np.sort(problem.cost)), budget, side="right"))


def _search(search: LocalSearch, effort: Effort) -> tuple[State, int]:
    """Return the best state of several stretches and the number of starts; the first is from g-greedy."""
    per_word = np.divide(1.0, search.cost, out=np.full(len(search.cost), 1e9), where=search.cost > 0)
    # Alternate between gain per unit of cost and gain per square root of the cost.
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
    """Return the best weight and state that disturbances of a state lead to, and the number of starts."""
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
    """Return the selection with about a third of its sentences removed, then filled again and improved."""
    members = np.flatnonzero(state.chosen)
    gone = rng.permutation(members)[: min(max(round(len(members) / 3), 2), _MOST_EXCHANGED)]
    preference = _varied(scale, rng)
    preference[gone] /= 2
    return search.refilled(state, gone, preference)


def _varied(scale: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(scale * (rng.integers(_LEAST, _MOST, len(scale)) / 100))
