"""The default selector: local search from many starts, tabu search and recombination, within limited work.

Work is counted in table entries, not in seconds, so that the same problem has the same answer on every
machine. In a large problem the search starts from the better selection of g-greedy and belief propagation. If
it is too large for the tables of the search, it is searched block by block.

A stretch is a series of local searches. The first one starts from the empty selection. Each later one starts
from the selection that the series has reached, with some of its sentences removed (a disturbance).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Selection
from summc.selectors import local_search
from summc.selectors.base import make_selection, per_cost
from summc.selectors.belief_propagation import BeliefPropagation
from summc.selectors.bounds import relax
from summc.selectors.greedy import GGreedy
from summc.selectors.local_search import LocalSearch, State
from summc.selectors.polish import improve_in_blocks
from summc.selectors.reduction import ReducedProblem, reduce_problem, restricted
from summc.settings import setting


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to search.

    Attributes:
        starts: the number of local searches after which no new stretch begins.
        stretch: the number of local searches in a stretch. The first search of a stretch starts from the
            empty selection. Each later one removes some sentences of an earlier result and improves the rest.
        agreement: the search ends when this many stretches have reached the same best selection.
        patience: if fewer stretches agree, tabu search follows. It ends after this many steps in which it has
            found nothing better.
        first_children: if fewer stretches agree, the number of selections that a short recombination makes.
        children: the number of selections that the recombination after it makes; 0 leaves it out.
        work: after this many processed table entries, no new search begins. After twice as many, a running
            search stops too.
    """

    starts: int
    stretch: int
    agreement: int
    patience: int
    first_children: int
    children: int
    work: int


#: Each effort from "normal" on begins with what the one before it does, so that it never covers less.
EFFORTS = {
    "low": Effort(12, 12, 1, 0, 0, 0, 5 * 10**7),
    "normal": Effort(80, 8, 3, 1500, 70, 0, 3 * 10**8),
    "high": Effort(80, 8, 3, 1500, 70, 2000, 15 * 10**8),
    "max": Effort(80, 8, 3, 1500, 70, 20_000, 10**12),
}
#: The number of table entries that stands for a second of ``time_limit``: about what the compiled search
#: processes in one.
_WORK_PER_SECOND = 3 * 10**8

#: If words have several levels, ``starts`` and ``agreement`` are multiplied by this factor, because stretches
#: then agree more often on a selection that is not the best.
_WITH_LEVELS = 3
#: This factor is not used if there are more than ``_MANY`` sentences and the weights of the second, third,
#: ... occurrences add up to less than ``_SHALLOW`` times the weights of the first occurrences.
_MANY, _SHALLOW = 500, 0.25
_SEED = 1999
#: A problem is large if more than this many sentences can be chosen. There the work ends before many starts
#: were tried, and BP is a better start than g-greedy.
LARGE = 100
#: BP in large problems: steps to find mu, iterations, and the work of both for each edge. BP may take
#: ``_BP_SHARE`` times the work of the effort: there it gains more than searching, in less time than g-greedy.
_BP_STEPS, _BP_ITERATIONS, _BP_PER_EDGE, _BP_SHARE = 60, 30, 1000, 10
#: Recombination chooses from the sentences that cover the most weight per unit of cost: this many, or this
#: many times the rank of the last chosen one, whichever is more. In text, a good selection holds sentences of
#: every rank, so that all remain. In dense random problems it holds only the first ones.
_CANDIDATES, _BEYOND_CHOSEN = 250, 1.5
#: The largest number of sentences that a disturbance removes.
_MOST_EXCHANGED = 6
#: A stretch continues from a new selection that covers less than the last one, if the difference is at most
#: this fraction of the best covered weight.
_SLACK = 0.006
#: Recombination keeps at most ``_KEPT`` selections, a short one ``_FIRST_KEPT``, with at most ``_ENTRIES``
#: entries in all their tables. In large problems the second limit is reached first.
_KEPT, _FIRST_KEPT, _ENTRIES = 60, 8, 2 * 10**7
#: The tabu search of a new selection ends after this many steps in which it has found nothing better.
_PATIENCE = 50
#: The preference for the parents' sentences is multiplied by a random integer from 1 to below this.
_FAMILY = 4
#: If all sentences of one parent are in the other, this many of them are removed, so that the child differs.
_LEAST_REMOVED = 4
#: ``_preference`` multiplies by a random number of hundredths in this range. Hundredths are drawn as whole
#: numbers, so that the factors are the same on every machine.
_LEAST, _MOST = 60, 160


@dataclass(frozen=True, slots=True)
class Auto:
    """Iterated local search: remove some sentences, refill the budget by random preferences, improve."""

    effort: str = setting("normal", "auto: how long to search.", choices=tuple(EFFORTS))
    time_limit: float = setting(
        60.0, "auto, exact: seconds that a cluster may take; auto counts work.", above=0, at_most=1e6
    )
    name: ClassVar[str] = "auto"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the best selection found. The same graph and budget always give the same selection."""
        problem, effort = reduce_problem(graph, budget), EFFORTS[self.effort]
        most_work = int(self.time_limit * _WORK_PER_SECOND)
        most_bp, effort = (
            effort.work * _BP_SHARE,
            dataclasses.replace(effort, work=min(effort.work, most_work)),
        )
        # No selection within the budget has more sentences than this.
        most_chosen = int(np.searchsorted(np.cumsum(np.sort(problem.cost)), problem.budget, side="right"))
        if most_chosen == 1:  # local search finds the best single sentence
            effort = dataclasses.replace(effort, starts=1, stretch=1, agreement=1, children=0)
        table, start, before = most_chosen * len(problem.cost), list[int](), 0
        if most_chosen > LARGE or table > local_search.TABLE:
            selection, before = _large_start(graph, budget, problem, most_bp)
            if table > local_search.TABLE:
                selection, work = improve_in_blocks(graph, selection, effort.work)
                diagnostics = {"effort": self.effort, "starts": 1, "work": before + work}
                return dataclasses.replace(selection, selector=self.name, diagnostics=diagnostics)
            problem = reduce_problem(graph, budget, keep=selection.chosen)
            start = np.flatnonzero(np.isin(problem.sentence, selection.chosen)).tolist()
        chosen, starts, work = list[int](), 0, 0
        if len(problem.cost):
            search = LocalSearch(problem, 2 * effort.work)
            state, starts = _search(search, problem, effort, start)
            if effort.children and search.value(state) < search.everything:
                state = _recombined(problem, search, state, effort, effort.children, _KEPT)
            chosen, work = problem.sentence[state.chosen].tolist(), search.work
        diagnostics = {"effort": self.effort, "starts": starts, "work": before + work}
        return make_selection(graph, budget, self.name, chosen, diagnostics)


def _large_start(
    graph: CoverageGraph, budget: float, problem: ReducedProblem, most_work: int
) -> tuple[Selection, int]:
    """Return the better selection of g-greedy and BP, from which a large problem is searched, and the work.

    BP runs at one mu: what a unit of the budget is worth in the LP relaxation. It is left out if it would
    take more than ``most_work``.
    """
    greedy, work = GGreedy().select(graph, budget), _BP_PER_EDGE * len(graph.edge_word)
    if work > most_work:
        return greedy, 0
    mu = relax(problem, greedy.covered_weight, _BP_STEPS).rate * (problem.budget / budget if budget else 1.0)
    by_bp = BeliefPropagation(mu=mu, iterations=_BP_ITERATIONS).select(graph, budget)
    return (by_bp if by_bp.covered_weight > greedy.covered_weight else greedy), work


def _search(
    search: LocalSearch, problem: ReducedProblem, effort: Effort, start: Sequence[int]
) -> tuple[State, int]:
    """Search by stretches of local searches, then by tabu search if too few of them agree.

    Return the best selection found, and the number of local searches. The first search starts from the
    sentences ``start``, filled up as g-greedy does (most added weight per unit of cost first).
    """
    is_shallow = problem.repeats.sum() < _SHALLOW * problem.weight.sum()
    more = _WITH_LEVELS if len(problem.repeats) and not (is_shallow and len(problem.cost) > _MANY) else 1
    most_starts, agreement = more * effort.starts, more * effort.agreement
    rng = np.random.default_rng(_SEED)
    best, best_state, agreeing = -1.0, search.choose(), 0
    starts, stretches = 0, 0
    while starts < most_starts and search.work < effort.work and agreeing < agreement:
        state = search.choose(() if stretches else start)
        search.fill(state, _preference(search.cost, stretches, rng if stretches else None))
        search.improve(state)
        value, state, searches = _stretch(search, state, best, effort, rng)
        if value > best:
            best, best_state, agreeing = value, state, 1
        elif np.array_equal(state.chosen, best_state.chosen):
            agreeing += 1
        starts, stretches = starts + searches, stretches + 1
        if best == search.everything:
            return best_state, starts
    if agreeing < agreement and effort.patience:
        best_state = search.tabu(best_state, effort.patience, effort.work, rng)
        search.improve(best_state)
        if search.work < effort.work and search.value(best_state) < search.everything:
            children = effort.first_children
            best_state = _recombined(problem, search, best_state, effort, children, _FIRST_KEPT)
    return best_state, starts


def _recombined(
    problem: ReducedProblem, search: LocalSearch, state: State, effort: Effort, children: int, kept: int
) -> State:
    """Search on by recombination, and return the better of its result and ``state``.

    Recombination sees only the most promising sentences, which makes it several times as fast. If it covers
    more than ``state``, a tabu search among all sentences follows.
    """
    order = np.argsort(-per_cost(search.alone, search.cost), kind="stable")
    last = int(np.flatnonzero(state.chosen[order]).max(initial=0)) + 1
    candidates = np.isin(np.arange(len(order)), order[: max(_CANDIDATES, round(_BEYOND_CHOSEN * last))])
    few = LocalSearch(restricted(problem, candidates), search.most_work)
    few.work, rng = search.work, np.random.default_rng(_SEED)
    begin = few.choose(np.flatnonzero(state.chosen[candidates]))
    best = recombined(few, begin, children, kept, effort.work, rng)
    search.work = few.work
    if few.value(best) <= few.value(begin):
        return state
    better = search.choose(np.flatnonzero(candidates)[best.chosen])
    better = search.tabu(better, effort.patience, effort.work, rng)
    search.improve(better)
    return better


def _stretch(
    search: LocalSearch, state: State, best: float, effort: Effort, rng: np.random.Generator
) -> tuple[float, State, int]:
    """Repeatedly remove some sentences from a state, refill and improve it (a stretch of local searches).

    Return the best weight, its state, and the number of searches, with the one that led to the given state.
    ``best`` is the best weight of earlier stretches. Each time, about a third of the sentences are removed at
    random. The budget is refilled in order of gain times a random preference. Removed sentences may return,
    but the preference for them is halved.
    """
    stretch_best = current = (search.value(state), state)
    starts = 1
    while starts < effort.stretch and search.work < effort.work and stretch_best[0] < search.everything:
        members = np.flatnonzero(current[1].chosen)
        gone = rng.permutation(members)[: min(max(round(len(members) / 3), 2), _MOST_EXCHANGED)]
        preference = _preference(search.cost, starts, rng)
        preference[gone] /= 2
        state = search.refilled(current[1], gone, preference)
        value = search.value(state)
        if value >= current[0] - _SLACK * max(best, stretch_best[0]):
            current = (value, state)
        if value > stretch_best[0]:
            stretch_best = (value, state)
        starts += 1
    return *stretch_best, starts


def _preference(cost: Floats, number: int, rng: np.random.Generator | None) -> Floats:
    """Return a factor for the gain of each sentence, by which a search ranks the sentences, shape (n,).

    It is 1 / cost for an even ``number`` and 1 / sqrt(cost) for an odd one, so that searches reach different
    selections. With ``rng``, each factor is multiplied by a random one from 0.6 to 1.59.
    """
    factor = np.divide(1.0, cost, out=np.full(len(cost), 1e9), where=cost > 0)
    factor = np.sqrt(factor) if number % 2 else factor
    return factor if rng is None else np.asarray(factor * (rng.integers(_LEAST, _MOST, len(cost)) / 100))


# Recombination: search on from what two of the best selections have in common. Such a search is a memetic
# algorithm (P. Moscato, Caltech report 826, 1989). A new selection (a child) begins with the sentences that
# are in both of its parents, and is filled up with a preference for sentences of one parent. In time all
# selections that are kept are alike. So every other selection (a newcomer) is made without parents.


def recombined(
    search: LocalSearch, state: State, children: int, kept: int, most_work: int, rng: np.random.Generator
) -> State:
    """Return the best selection found by recombination, which begins with ``state``.

    Recombination ends when ``children`` selections were made, when one covers everything, or when
    ``search.work`` reaches ``most_work``.
    """
    best = (search.value(state), state)
    pool, number = {state.chosen.tobytes(): best}, 0  # selections and their weights, the best first
    most = min(kept, max(2, _ENTRIES // max(state.freed.size, 1)))
    while number < children and search.work < most_work and best[0] < search.everything:
        # From ``most`` on, two children and two newcomers alternate: one with each of the two scales.
        if number >= most and len(pool) > 1 and number // 2 % 2 == 0:
            new = _child(search, [parent for _, parent in pool.values()], number, rng)
        else:
            new = search.choose()
            search.fill(new, _preference(search.cost, number, rng))
            search.improve(new)
        number += 1
        new = search.tabu(new, _PATIENCE, most_work, rng)
        search.improve(new)
        pool.setdefault(new.chosen.tobytes(), (search.value(new), new))
        pool = dict(sorted(pool.items(), key=lambda entry: -entry[1][0])[:most])
        best = next(iter(pool.values()))
    return best[1]


def _child(search: LocalSearch, pool: Sequence[State], number: int, rng: np.random.Generator) -> State:
    """Return a selection made of two random selections of ``pool``.

    ``number`` is the number of selections made so far. Even and odd ones rank sentences differently.
    """
    first, second = (pool[i] for i in rng.permutation(len(pool))[:2].tolist())
    gone = np.flatnonzero(first.chosen & ~second.chosen)
    if not len(gone):
        gone = rng.permutation(np.flatnonzero(first.chosen))[:_LEAST_REMOVED]
    preference = _preference(search.cost, number, rng)
    preference[first.chosen | second.chosen] *= rng.integers(1, _FAMILY)
    return search.refilled(first, gone, preference)
