"""Recombination: keep the best selections found, and search on from what two of them have in common.

Such a search is a memetic algorithm (P. Moscato, Caltech report 826, 1989). A new selection (a child) is made
of two selections (its parents). It begins with the sentences that are in both parents. It is then filled up,
with a preference for sentences that are in one parent, and improved by local search and a short tabu search.
If a child is better than the worst selection that is kept, it replaces that selection.

In time all selections that are kept are alike, and a better one that is far from them is not found. So every
other selection (a newcomer) is made without parents. Two alternatives covered less: keeping fewer selections
and searching longer from each child, and starting again from sentences that were seldom chosen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from summc.selectors.local_search import LocalSearch, State, scales_of, varied
from summc.selectors.tabu import tabu_search

#: The largest number of selections that are kept, and the largest number of entries in all their tables. In
#: large problems the second limit is reached first.
_KEPT, _ENTRIES = 60, 2 * 10**7
#: The tabu search of a new selection ends after this many steps in which it has found nothing better.
_PATIENCE = 50
#: The preference for the parents' sentences is multiplied by a random integer from 1 to below this.
_FAMILY = 4
#: If all sentences of one parent are in the other, this many of them are removed, so that the child differs.
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

    Recombination ends when ``children`` selections were made, when one covers everything, or when
    ``search.work`` reaches ``most_work``.
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
    """Return a selection without parents: the empty one, filled by random preferences and improved.

    ``number`` is the number of selections made so far. Even and odd ones rank sentences differently.
    """
    state = search.empty()
    search.fill(state, varied(scales_of(search.cost)[number % 2], rng))
    search.improve(state)
    return state


def _child(search: LocalSearch, kept: list[_Kept], number: int, rng: np.random.Generator) -> State:
    """Return a selection made of two random selections that are kept.

    ``number`` is the number of selections made so far. Even and odd ones rank sentences differently.
    """
    first, second = (kept[i].state for i in rng.permutation(len(kept))[:2].tolist())
    gone = np.flatnonzero(first.chosen & ~second.chosen)
    if not len(gone):
        gone = rng.permutation(np.flatnonzero(first.chosen))[:_LEAST_REMOVED]
    preference = varied(scales_of(search.cost)[number % 2], rng)
    preference[first.chosen | second.chosen] *= rng.integers(1, _FAMILY)
    return search.refilled(first, gone, preference)
