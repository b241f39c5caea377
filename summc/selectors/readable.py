"""Give up a little coverage for a selection that reads better.

Faults that disturb a reader have a price: a subject without an introduction, a fact stated twice, an opening
without context. A price is a fraction of the weight that the selection of a selector covers. This search
starts from that selection and maximizes covered weight minus price. Prices are never negative, so an upper
bound on the covered weight is also an upper bound on covered weight minus price.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import Protocol

import numpy as np

from summc.records import CoverageGraph, Mask, Selection
from summc.selectors.base import make_selection
from summc.selectors.local_search import Exchange, LocalSearch, State
from summc.selectors.reduction import promising

#: The search considers at most this many sentences: the chosen sentences and the most promising others.
_MOST_SENTENCES = 400
#: Selections of more sentences are left unchanged, because the time grows with the third power of the number.
_MOST_CHOSEN = 100
#: The largest number of exchanges from one start, and the largest selection for which an opening is tried.
_MOST_STEPS, _LARGE = 40, 40
#: An exchange must improve coverage minus price by more than this, which is more than a rounding error.
_LEAST_GAIN = 1e-9


class Prices(Protocol):
    """The price of the faults that disturb a reader of a selection, and good opening sentences.

    ``kind_prices`` has the price of each sentence of the graph for its kind.
    """

    kind_prices: list[float]

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
    most = max(_MOST_SENTENCES, len(selection.chosen))
    problem = promising(graph, selection.budget, selection.chosen, most)
    may_go = np.isin(problem.sentence, np.array(fixed, dtype=np.intp), invert=True)
    search = LocalSearch(problem)
    priced = _PricedSearch(search, problem.sentence.tolist(), prices, best, may_go)
    starts = [search.choose(np.flatnonzero(np.isin(problem.sentence, selection.chosen)))]
    if len(selection.chosen) <= _LARGE:
        starts += priced.opened()
    _, chosen = max(map(priced.improved, starts), key=itemgetter(0))
    improved = make_selection(graph, selection.budget, selection.selector, chosen)
    diagnostics = {**selection.diagnostics, "given_up": max(0.0, 1 - improved.covered_weight / best)}
    return dataclasses.replace(improved, diagnostics=diagnostics, bound=selection.bound, unit=selection.unit)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _PricedSearch:
    """A local search that maximizes coverage minus price. Sentences are numbered as in ``search``.

    Attributes:
        search: the local search, which knows only the coverage.
        sentence: the index of each sentence in the graph. ``prices`` needs these indices.
        prices: the prices of faults.
        best: the weight that the selector's selection covers. Prices are fractions of this weight.
        may_go: whether each sentence may be removed, shape (n,).
    """

    search: LocalSearch
    sentence: list[int]
    prices: Prices
    best: float
    may_go: Mask

    def improved(self, state: State) -> tuple[float, list[int]]:
        """Make the best exchange of sentences in ``state``, until no exchange improves coverage minus price.

        Return coverage minus price, as a fraction of ``best``, and the chosen sentences as indices in the
        graph.
        """
        members = frozenset(np.flatnonzero(state.chosen).tolist())
        current = self._worth(self.search.value(state), members)
        for _ in range(_MOST_STEPS):
            best_exchange, best = None, current + _LEAST_GAIN
            exchanges = self.search.exchanges(state, self.may_go, current * self.best)
            for exchange in chain(exchanges, self._removals(state, members)):
                if exchange.value / self.best > best:  # no price is negative
                    worth = self._worth(exchange.value, members.difference(exchange.out).union(exchange.into))
                    if worth > best:
                        best_exchange, best = exchange, worth
            if best_exchange is None:
                break
            current, members = best, members.difference(best_exchange.out).union(best_exchange.into)
            self.search.exchange(state, best_exchange.out, best_exchange.into)
        return current, list(map(self.sentence.__getitem__, sorted(members)))

    def _removals(self, state: State, members: frozenset[int]) -> Iterator[Exchange]:
        """Yield the removal of each sentence that pays for its kind, perhaps more than it covers."""
        value, loss = self.search.value(state), dict(zip(state.member.tolist(), state.loss, strict=True))
        for out in members if len(members) > 1 else ():
            if self.may_go[out] and self.prices.kind_prices[self.sentence[out]]:
                yield Exchange(value - float(loss[out]), (out,), ())

    def opened(self) -> list[State]:
        """Return a selection that begins with the best opening sentence and continues with later sentences.

        It contains the sentences that must not be removed. The list is empty if such a sentence would come
        before the opening, or would not fit beside it.
        """
        place = dict(zip(self.sentence, count(), strict=False))
        first = next(filter(place.__contains__, self.prices.openings()), None)
        opening = -1 if first is None else place[first]
        chosen = np.array(sorted({opening, *np.flatnonzero(~self.may_go).tolist()}))
        if opening < 0 or chosen[0] < opening or self.search.cost[chosen].sum() > self.search.budget:
            return []
        state = self.search.choose([opening, *chosen[1:].tolist()])
        after = np.arange(len(self.sentence)) > opening
        self.search.fill(state, np.where(after, 1 / np.maximum(self.search.cost, 1e-9), 0.0))
        return [state]

    def _worth(self, value: float, chosen: frozenset[int]) -> float:
        """Return coverage minus price of a selection that covers ``value``, as a fraction of ``best``."""
        return value / self.best - self.prices.of(list(map(self.sentence.__getitem__, sorted(chosen))))
