"""Tabu search: continue past a local optimum without going straight back to it.

F. Glover, ORSA Journal on Computing 1 (1989). Each step makes the best exchange of one chosen sentence for
another sentence, even if less is covered after it. For a few steps (the tabu tenure), a removed sentence may
not be added again, and an added sentence may not be removed, unless the exchange covers more than the best
selection so far.
"""

from __future__ import annotations

import numpy as np

from summc.records import Indices
from summc.selectors.compiled_search import CompiledSearch
from summc.selectors.local_search import LocalSearch, State

#: Tabu tenure in steps, for added and for removed sentences.
TERMS = (3, 10)
#: A random integer from 0 to below this number is added to each tenure.
_MORE = 4
#: The number of these random integers drawn in advance. When all were used, they are used again.
_DRAWN = 8192


def tabu_search(
    search: LocalSearch, state: State, patience: int, most_work: int, rng: np.random.Generator
) -> State:
    """Run tabu search from ``state``, and return the best state found.

    Stop after ``patience`` steps without improvement, or when ``search.work`` reaches ``most_work``.
    """
    more = rng.integers(_MORE, size=_DRAWN)
    if isinstance(search, CompiledSearch):
        return search.tabu(state, patience, most_work, more, *TERMS)
    return in_numpy(search, state, patience, most_work, more)


def in_numpy(search: LocalSearch, state: State, patience: int, most_work: int, more: Indices) -> State:
    """Return the same state as ``tabu_search``, without the compiled library.

    ``more`` are the random integers that are added to the tabu tenures: the numbers of steps for which a
    sentence may be neither added nor removed. The other arguments are those of ``tabu_search``.
    """
    state = state.copy()
    best, best_state = search.value(state), state.copy()
    bound_until = np.zeros(len(search.cost), dtype=np.intp)
    (stay, away), step, last = TERMS, 0, 0
    while step - last < patience and search.work < most_work:
        step += 1
        gone, came = _best_step(search, state, bound_until > step, best)
        if came is None and gone is None:
            break
        if gone is not None:
            search.remove(state, gone)
            bound_until[gone] = step + away + more[2 * step % _DRAWN]
        if came is not None:
            search.add(state, came)
            bound_until[came] = step + stay + more[(2 * step + 1) % _DRAWN]
        value = search.value(state)
        if value > best:
            best, best_state, last = value, state.copy(), step
    return best_state


def _best_step(
    search: LocalSearch, state: State, bound: np.ndarray[tuple[int], np.dtype[np.bool_]], best: float
) -> tuple[int | None, int | None]:
    """Return the sentence to remove and the sentence to add in the next step; either may be None.

    If a sentence that adds weight fits, it is added and none is removed. Otherwise the best allowed exchange
    is made. ``bound`` is a mask of the sentences that are tabu: they may be neither added nor removed, except
    by an exchange that covers more than ``best``, the best weight so far.
    """
    room = search.budget - state.spent
    addable = (search.cost <= room) & ~state.chosen & ~bound & (state.gain > 0)
    if addable.any():
        return None, int(np.where(addable, state.gain, -1.0).argmax())
    slots = np.flatnonzero(state.member >= 0)
    members = state.member[slots]
    if not len(members):
        return None, None
    search.work += len(slots) * len(search.cost)
    rooms = room + search.cost[members]
    # Skip sentences that do not fit even after the removal of a member. In real texts these are most.
    fits = np.flatnonzero((search.cost <= rooms.max()) & ~state.chosen)
    more = state.freed[np.ix_(slots, fits)] + state.gain[fits] - state.loss[slots][:, None]
    no_room = search.cost[fits] > rooms[:, None]
    forbidden = bound[fits] | bound[members][:, None]
    more[no_room | (forbidden & (more + search.value(state) <= best))] = -np.inf
    best_place = int(more.argmax()) if more.size else 0
    if not more.size or more.flat[best_place] == -np.inf:
        # No exchange is allowed: remove the member with the smallest loss to make room.
        return int(members[state.loss[slots].argmin()]), None
    out, came = divmod(best_place, len(fits))
    return int(members[out]), int(fits[came])
