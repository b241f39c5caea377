"""The best exchanges in a selection: remove up to two sentences, and add up to two.

Not all pairs of sentences are tried, only the most promising ones. C and NumPy find the same exchanges in the
same order. The gain of a sentence is the weight that it would add to the selection.
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

# These numbers must be the same as in search.c.
#: The largest number of exchanges returned, and of single sentences to add that are tried without a removal.
_MOST = 40
#: After a removal, this many sentences are tried as the first sentence to add, and for each of these, this
#: many as the second sentence to add.
_FIRSTS, _SECONDS = 6, 2
#: Two sentences are removed together only if at most ``_FEW`` chosen sentences may be removed. Two sentences
#: are added together only if at most ``_MANY`` may be removed.
_FEW, _MANY = 6, 40


class Exchange(NamedTuple):
    """An exchange of sentences.

    Attributes:
        value: the weight covered after the exchange.
        out: the sentences to remove.
        into: the sentences to add.
    """

    value: float
    out: tuple[int, ...]
    into: tuple[int, ...]


def best_exchanges(search: LocalSearch, state: State, may_go: Mask, least: float) -> list[Exchange]:
    """Return the exchanges after which the most weight is covered, best first, at most ``_MOST``.

    Only exchanges after which more than ``least`` is covered are returned. ``may_go`` is a mask of the
    sentences that may be removed, shape (n,).
    """
    if isinstance(search, CompiledSearch):
        return [Exchange(*each) for each in search.exchanges(state, may_go, least, _MOST)]
    return in_numpy(search, state, may_go, least)


def in_numpy(search: LocalSearch, state: State, may_go: Mask, least: float) -> list[Exchange]:
    """Return the same as ``best_exchanges`` for the same arguments, without the compiled library."""
    better = (each for each in _exchanges(search, state, may_go, least) if each.value > least)
    return heapq.nsmallest(_MOST, better, key=lambda each: (-each.value, each.out, each.into))


def _exchanges(search: LocalSearch, state: State, may_go: Mask, least: float) -> Iterator[Exchange]:
    """Yield the exchanges to try, each with the weight covered after it.

    ``may_go`` is a mask of the sentences that may be removed, shape (n,). Exchanges after which at most
    ``least`` is covered may be left out, to save time.
    """
    size = int(state.chosen.sum())
    members = np.flatnonzero(state.chosen & may_go).tolist()
    outs: list[tuple[int, ...]] = [(), *((i,) for i in members)]
    if len(members) <= _FEW:
        outs += combinations(members, 2)
    for out in outs:
        left = _without(search, state, out)
        # Keep at least one sentence: an empty summary has no faults, but says nothing.
        if out and len(out) < size:
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
            # A second sentence adds at most as much beside the first sentence as without it. So the largest
            # gain shows whether any second sentence can reach ``least``.
            if added + float(left.gain[fits].max(initial=0.0)) <= least:
                continue
            if scratch is None:
                scratch = search.without(state, np.array(out, dtype=np.intp))
            search.add(scratch, first)
            for second in _largest(np.where(fits, scratch.gain, 0.0), _SECONDS):
                yield Exchange(added + float(scratch.gain[second]), out, (first, second))
            search.remove(scratch, first)


class _Left(NamedTuple):
    """A selection after some sentences were removed.

    Attributes:
        value: the covered weight.
        gain: the weight that each sentence would add, shape (n,).
        room: the part of the budget that is not spent.
    """

    value: float
    gain: Floats
    room: float


def _without(search: LocalSearch, state: State, out: tuple[int, ...]) -> _Left:
    """Return the covered weight, the gains and the free budget after the sentences ``out`` are removed."""
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
    """Return the ``most`` sentences with the largest gains, largest first, without gains of 0 or less."""
    order = np.argsort(-gain, kind="stable")[:most]
    return [int(i) for i in order if gain[i] > 0]
