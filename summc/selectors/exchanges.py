"""What may be exchanged in a choice: take out up to two sentences, and put in up to two.

Not all pairs of sentences are tried, only the most promising ones. In C where that is to be had, else in
numpy: the same exchanges in the same order.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from summc.records import Floats
from summc.selectors.compiled_search import CompiledSearch
from summc.selectors.local_search import LocalSearch, Mask, State

# As in search.c.
#: How many exchanges are returned.
_MOST = 40
#: Sentences that are tried after others were taken out, and beside each of them.
_FIRSTS, _SECONDS = 6, 2
#: Two sentences are taken out together while the choice has at most this many, and two put in while it has at
#: most this many.
_FEW, _MANY = 6, 40


class Exchange(NamedTuple):
    """The sentences that go, those that come, and what the choice covers then."""

    value: float
    out: tuple[int, ...]
    into: tuple[int, ...]


def best_exchanges(search: LocalSearch, state: State, may_go: Mask, least: float) -> list[Exchange]:
    """Return the exchanges of largest coverage, the largest first, that cover more than some least.

    ``may_go``: which sentences may be taken out, shape (n,).
    """
    if isinstance(search, CompiledSearch):
        return [Exchange(*each) for each in search.exchanges(state, may_go, least, _MOST)]
    return in_numpy(search, state, may_go, least)


def in_numpy(search: LocalSearch, state: State, may_go: Mask, least: float) -> list[Exchange]:
    """Return the same without the compiled search."""
    better = (each for each in _exchanges(search, state, may_go, least) if each.value > least)
    return heapq.nsmallest(_MOST, better, key=lambda each: (-each.value, each.out, each.into))


def _exchanges(search: LocalSearch, state: State, may_go: Mask, least: float) -> Iterator[Exchange]:
    """Yield the exchanges that are tried; of those that cover no more than the least, not all."""
    size = int(state.chosen.sum())
    members = np.flatnonzero(state.chosen & may_go).tolist()
    outs: list[tuple[int, ...]] = [(), *((i,) for i in members)]
    if len(members) <= _FEW:
        outs += combinations(members, 2)
    for out in outs:
        left = _without(search, state, out)
        if out and len(out) < size:  # a summary that says nothing has no faults either
            yield Exchange(left.value, out, ())
        may = (search.cost <= left.room) & ~state.chosen
        scratch: State | None = None
        for first in _largest(np.where(may, left.gain, 0.0), _FIRSTS if out else _MOST):
            added = left.value + float(left.gain[first])
            yield Exchange(added, out, (first,))
            if not out or len(members) > _MANY:
                continue
            fits = may & (search.cost <= left.room - search.cost[first])
            fits[first] = False
            # Beside the first, none adds more than it would without it.
            if added + float(left.gain[fits].max(initial=0.0)) <= least:
                continue
            if scratch is None:
                scratch = search.without(state, np.array(out, dtype=np.intp))
            search.add(scratch, first)
            for second in _largest(np.where(fits, scratch.gain, 0.0), _SECONDS):
                yield Exchange(added + float(scratch.gain[second]), out, (first, second))
            search.remove(scratch, first)


class _Left(NamedTuple):
    """What is covered, what each sentence would add, and what is left of the budget."""

    value: float
    gain: Floats
    room: float


def _without(search: LocalSearch, state: State, out: tuple[int, ...]) -> _Left:
    """Return what a choice covers without some sentences, and what the others would add to that."""
    room = search.budget - state.spent + float(search.cost[list(out)].sum())
    if len(out) > 1:
        left = search.without(state, np.array(out, dtype=np.intp))
        return _Left(search.value(left), left.gain, room)
    value = search.value(state)
    if not out:
        return _Left(value, state.gain, room)
    slot = int(np.flatnonzero(state.member == out[0])[0])
    return _Left(value - float(state.loss[slot]), state.gain + state.freed[slot], room)


def _largest(gain: Floats, most: int) -> list[int]:
    """Return the sentences of largest gain, those without any left out."""
    order = np.argsort(-gain, kind="stable")[:most]
    return [int(i) for i in order if gain[i] > 0]
