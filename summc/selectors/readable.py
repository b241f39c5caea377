"""Give up a little coverage for a selection that reads better.

Faults that disturb a reader have a price: a subject without an introduction, a fact stated twice, an opening
without context. A price is a fraction of the weight that the selection of a selector covers. This search
starts from that selection and maximizes covered weight minus price. Prices are never negative, so an upper
bound on the covered weight is also an upper bound on covered weight minus price.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple, Protocol

import numpy as np

from summc.graph.coverage import gains_alone
from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.base import make_selection, per_cost
from summc.selectors.compiled_search import CompiledSearch, make_search
from summc.selectors.local_search import LocalSearch, Mask, State
from summc.selectors.reduction import folded

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


#: The search considers at most this many sentences: the chosen sentences and the most promising others.
_MOST_SENTENCES = 400
#: Besides the selector's selection, the search starts from selections that begin with one of the best opening
#: sentences. This is the number of these openings.
_OPENINGS = 1
#: Selections of more sentences are left unchanged, because the time grows with the third power of the number.
_MOST_CHOSEN = 100
#: The largest number of exchanges from one start, and the largest selection for which openings are tried.
_MOST_STEPS, _LARGE = 40, 40
#: An exchange must improve coverage minus price by more than this, which is more than a rounding error.
_LEAST_GAIN = 1e-9


class Prices(Protocol):
    """The price of the faults that disturb a reader of a selection, and good opening sentences."""

    def of(self, chosen: Sequence[int]) -> float:
        """Return the price of the faults in a selection, as a fraction of the weight the selector covered.

        ``chosen`` are sentences of the graph in ascending order. A price is never negative.
        """

    def openings(self) -> Iterator[int]:
        """Yield the sentences that are good openings of a summary, best first, as indices in the graph."""


def improve_reading(
    graph: CoverageGraph, selection: Selection, prices: Prices, fixed: Sequence[int] = ()
) -> Selection:
    """Improve coverage minus price of a selector's selection, and return the best selection found.

    ``fixed`` are chosen sentences that must not be removed. An empty or very large selection is returned
    unchanged.
    """
    best = selection.covered_weight
    if best <= 0 or not 0 < len(selection.chosen) <= _MOST_CHOSEN:
        return selection
    search, sentence = _make_search(graph, selection)
    may_go = np.isin(sentence, np.array(fixed, dtype=np.intp), invert=True)
    asked = _Asked(search, sentence.tolist(), prices, best, may_go)
    starts = [search.choose(np.flatnonzero(np.isin(sentence, selection.chosen)))]
    if len(selection.chosen) <= _LARGE:
        starts += asked.from_openings()
    found = max((asked.improved(state) for state in starts), key=lambda each: each[0])
    chosen = found[1]
    made = make_selection(graph, selection.budget, selection.selector, chosen)
    given_up = {"given_up": max(0.0, 1 - made.covered_weight / best)}
    made = dataclasses.replace(made, diagnostics={**selection.diagnostics, **given_up})
    return dataclasses.replace(made, bound=selection.bound, unit=selection.unit)


def _make_search(graph: CoverageGraph, selection: Selection) -> tuple[LocalSearch, Indices]:
    """Return a local search among the most promising sentences, and the index of each in the graph.

    The chosen sentences are among them.
    """
    worth = per_cost(gains_alone(graph), graph.cost)
    worth[graph.cost > selection.budget] = -1.0
    worth[list(selection.chosen)] = np.inf
    kept = np.argsort(-worth, kind="stable")[: max(_MOST_SENTENCES, len(selection.chosen))]
    may = np.zeros(len(graph.cost), dtype=bool)
    may[kept[worth[kept] > 0]] = True
    problem = folded(graph, may)
    return make_search(problem, selection.budget), problem.sentence


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A local search that maximizes coverage minus price. Sentences are numbered as in ``search``.

    Attributes:
        search: the local search, which knows only the coverage.
        sentence: the index of each sentence in the graph. ``prices`` needs these indices.
        prices: the prices of faults.
        best: the weight that the selector's selection covers. Prices are fractions of this weight.
        may_go: whether each sentence may be removed, shape (n,).
        known: the prices computed so far, by selection.
    """

    search: LocalSearch
    sentence: list[int]
    prices: Prices
    best: float
    may_go: Mask
    known: dict[frozenset[int], float] = dataclasses.field(default_factory=dict)

    def improved(self, state: State) -> tuple[float, list[int]]:
        """Make the best exchange of sentences in ``state``, until no exchange improves coverage minus price.

        Return coverage minus price, as a fraction of ``best``, and the chosen sentences as indices in the
        graph.
        """
        value = self.search.value(state)
        current = value / self.best - self._price(frozenset(np.flatnonzero(state.chosen).tolist()))
        for _ in range(_MOST_STEPS):
            step = self._best_exchange(state, current)
            if step is None:
                break
            current, exchange = step
            self.search.exchange(state, exchange.out, exchange.into)
        return current, [self.sentence[i] for i in np.flatnonzero(state.chosen)]

    def from_openings(self) -> Iterator[State]:
        """Yield selections that begin with a good opening sentence and continue with later sentences.

        They contain the sentences that must not be removed. An opening is skipped if such a sentence would
        come before it, or would not fit beside it.
        """
        place = {sentence: i for i, sentence in enumerate(self.sentence)}
        openings = (place[i] for i in self.prices.openings() if i in place)
        stays = np.flatnonzero(~self.may_go).tolist()
        for opening in islice(openings, _OPENINGS):
            if any(i < opening for i in stays):
                continue
            state = self.search.choose(np.array([opening]))
            others = [i for i in stays if i != opening]
            if self.search.cost[[opening, *others]].sum() > self.search.budget:
                continue
            self.search.exchange(state, (), others)
            after = np.arange(len(self.sentence)) > opening
            per_word = 1 / np.maximum(self.search.cost, 1e-9)
            self.search.fill(state, np.where(after, per_word, 0.0))
            yield state

    def _best_exchange(self, state: State, current: float) -> tuple[float, Exchange] | None:
        """Return the best exchange of sentences as (coverage minus price after it, exchange).

        Return None if no exchange improves on ``current``, the coverage minus price of the state.
        """
        members = frozenset(np.flatnonzero(state.chosen).tolist())
        found, best = None, current + _LEAST_GAIN
        for each in best_exchanges(self.search, state, self.may_go, current * self.best):
            if each.value / self.best <= best:  # later exchanges cover less, and prices are never negative
                break
            chosen = members.difference(each.out).union(each.into)
            worth = each.value / self.best - self._price(chosen)
            if worth > best:
                found, best = each, worth
        return None if found is None else (best, found)

    def _price(self, chosen: frozenset[int]) -> float:
        price = self.known.get(chosen)
        if price is None:
            price = self.known[chosen] = self.prices.of([self.sentence[i] for i in sorted(chosen)])
        return price
