"""Recombination: keep the best selections found, and search on from what two of them have in common.

Such a search is a memetic algorithm (P. Moscato, Caltech report 826, 1989). A child begins with the sentences
that both parents chose, is filled up with a preference for those that one of them chose, and is improved by
local search and a short tabu search. It takes the place of the worst selection that is kept, if it is better.
In time all selections that are kept are alike, and a better one that is far from them is not found. So every
other selection is made anew, without parents. Keeping many selections and searching briefly from each did
better than the reverse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from summc.selectors.local_search import LocalSearch, State, scales_of, varied
from summc.selectors.tabu import tabu_search

#: The number of selections that are kept, and the most entries in all of their tables together: fewer
#: selections are kept of large problems.
_KEPT, _ENTRIES = 60, 2 * 10**7
#: The tabu search of a new selection ends after this many steps in which it has found nothing better.
_PATIENCE = 50
#: The preference for sentences that one of the parents chose is multiplied by a whole number below this, and
#: at least 1.
_FAMILY = 4
#: If both parents are nearly the same, this many of the common sentences are removed.
_LEAST_REMOVED = 4


@dataclass(frozen=True, slots=True)
class _Kept:
    value: float
    state: State
    chosen: bytes  # which sentences it has chosen, to compare it with others


def recombined(
    search: LocalSearch, state: State, children: int, most_work: int, rng: np.random.Generator
) -> State:
    """Return the best selection found by recombination, which begins with ``state``.

    It ends when ``children`` selections were made, when one covers everything, or when ``search.work``
    reaches ``most_work``.
    """
    best = _kept(search, state)
    kept, made = [best], 0
    most = min(_KEPT, max(2, _ENTRIES // max(state.freed.size, 1)))
    while made < children and search.work < most_work and best.value < search.everything:
        # From ``most`` on, two children and two newcomers alternate: one with each of the two scales.
        has_parents = made >= most and len(kept) > 1 and made // 2 % 2 == 0
        new = _child(search, kept, made, rng) if has_parents else _newcomer(search, made, rng)
        made += 1
        new = tabu_search(search, new, _PATIENCE, most_work, rng)
        search.improve(new)
        child = _kept(search, new)
        if child.value > best.value:
            best = child
        if all(child.chosen != other.chosen for other in kept):
            kept = sorted([*kept, child], key=lambda each: -each.value)[:most]
    return best.state


def _kept(search: LocalSearch, state: State) -> _Kept:
    return _Kept(search.value(state), state, state.chosen.tobytes())


def _newcomer(search: LocalSearch, number: int, rng: np.random.Generator) -> State:
    """Return a selection that is filled from nothing by random preferences."""
    state = search.empty()
    search.fill(state, varied(scales_of(search.cost)[number % 2], rng))
    search.improve(state)
    return state


def _child(search: LocalSearch, kept: list[_Kept], number: int, rng: np.random.Generator) -> State:
    """Return a selection made of two of those that are kept."""
    first, second = (kept[i].state for i in rng.permutation(len(kept))[:2].tolist())
    gone = np.flatnonzero(first.chosen & ~second.chosen)
    if not len(gone):
        gone = rng.permutation(np.flatnonzero(first.chosen))[:_LEAST_REMOVED]
    preference = varied(scales_of(search.cost)[number % 2], rng)
    preference[first.chosen | second.chosen] *= rng.integers(1, _FAMILY)
    return search.refilled(first, gone, preference)
