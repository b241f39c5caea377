"""The best exchanges in a selection: remove up to two sentences, and add up to two.

Only the most promising pairs of sentences are tried. C and NumPy find the same exchanges in the same order.
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
#: Sentences to add that are tried after others were removed, and as a second one beside each of them.
_FIRSTS, _SECONDS = 6, 2
#: The largest selections from which two sentences are removed together, and to which two are added together.
_FEW, _MANY = 6, 40


class Exchange(NamedTuple):
    """The weight covered after an exchange, the sentences it removes, and those it adds."""

    value: float
    out: tuple[int, ...]
    into: tuple[int, ...]


def best_exchanges(search: LocalSearch, state: State, may_go: Mask, least: float) -> list[Exchange]:
    """Return the best exchanges, best first, among those after which more than ``least`` is covered.

    ``may_go`` says which sentences may be removed, shape (n,).
    """
    if isinstance(search, CompiledSearch):
        return [Exchange(*each) for each in search.exchanges(state, may_go, least, _MOST)]
    return in_numpy(search, state, may_go, least)


def in_numpy(search: LocalSearch, state: State, may_go: Mask, least: float) -> list[Exchange]:
    """Return the same without the compiled search."""
    better = (each for each in _exchanges(search, state, may_go, least) if each.value > least)
    return heapq.nsmallest(_MOST, better, key=lambda each: (-each.value, each.out, each.into))


def _exchanges(search: LocalSearch, state: State, may_go: Mask, least: float) -> Iterator[Exchange]:
    """Yield the exchanges to try; some that cover no more than ``least`` are left out."""
    size = int(state.chosen.sum())
    members = np.flatnonzero(state.chosen & may_go).tolist()
    outs: list[tuple[int, ...]] = [(), *((i,) for i in members)]
    if len(members) <= _FEW:
        outs += combinations(members, 2)
    for out in outs:
        left = _without(search, state, out)
        if out and len(out) < size:  # an empty summary has no faults, but says nothing
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
            # A second sentence adds no more beside the first than it would alone.
            if added + float(left.gain[fits].max(initial=0.0)) <= least:
                continue
            if scratch is None:
                scratch = search.without(state, np.array(out, dtype=np.intp))
            search.add(scratch, first)
            for second in _largest(np.where(fits, scratch.gain, 0.0), _SECONDS):
                yield Exchange(added + float(scratch.gain[second]), out, (first, second))
            search.remove(scratch, first)


class _Left(NamedTuple):
    """The covered weight, the gain of each sentence, and the budget that is left."""

    value: float
    gain: Floats
    room: float


def _without(search: LocalSearch, state: State, out: tuple[int, ...]) -> _Left:
    """Return the coverage and the gains after some sentences are removed."""
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
    """Return up to ``most`` sentences of largest gain above 0, the largest first."""
    order = np.argsort(-gain, kind="stable")[:most]
    return [int(i) for i in order if gain[i] > 0]
