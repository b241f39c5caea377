"""What a choice of sentences costs a reader, in shares of the best coverage."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from summc.graph.coverage import gains_alone
from summc.reading import marks
from summc.reading.figures import Figures, Later
from summc.reading.introductions import Introductions
from summc.reading.likeness import Likeness
from summc.records import CoverageGraph, Floats, TokenizedCluster

#: Of this many missing introductions in one sentence and more, the price is the same.
_MOST_NEEDS = 2
#: A sentence apart from others that has fewer words is a fragment of its document.
_SHORT = 16
#: Words of a usual sentence.
_USUAL = 20
#: A lead opens well if it covers as much as the best fifth do. Longer ones need not cover as much more.
_GOOD_LEAD, _LENGTH_POWER = 0.8, 0.85
#: The sentences at the front of a document that may open a summary.
_FRONT = 3
#: The stages of a story: the documents in order, in this many parts of equal size, if they are enough.
_STAGES, _ENOUGH_DOCUMENTS = 3, 5
#: Two sentences say the same, in part, if their cosine is above this.
_ALIKE = 0.35
#: What one of this many documents says alone may be beside the point.
_ENOUGH_TO_AGREE = 3


@dataclass(frozen=True, slots=True)
class PriceList:
    """What each fault costs.

    The first five are shares of the best coverage. The others are shares of what a sentence takes of the
    budget: at 0.1, a fault costs a tenth of what such a sentence covers on average.
    """

    opening: float = 0.12
    no_lead: float = 0.03
    side_story: float = 0.08
    no_news: float = 0.05
    missed_stage: float = 0.02
    introduction: float = 0.12
    apart: float = 0.05
    fragment: float = 0.6
    bland: float = 0.15
    trivia: float = 0.2
    loose_day: float = 0.03
    no_verb: float = 0.8
    stale: float = 1.0
    restated: float = 1.0


#: One or two documents may be anything: they open with a lead, and name things as they go. Set on 13 papers.
_OTHER_TEXTS = PriceList(no_lead=0.12, introduction=0.06)


class Fault(NamedTuple):
    """What is hard to read: its kind, the sentence of the graph, what it is about, and its price."""

    kind: str
    sentence: int
    about: str
    price: float


class _Fixed(NamedTuple):
    """What a sentence costs in any company, alone, and what else depends on it alone.

    Attributes:
        alone: the price whatever else is chosen.
        introduction: the price of each missing introduction.
        apart: the price if the sentence before it in its document is not chosen.
        opening: the price as an opening that needs no introduction and is a lead.
        follows: that sentence, as it is numbered in the cluster, or -1.
        needs: what has to be introduced.
    """

    alone: float
    introduction: float
    apart: float
    opening: float
    follows: int
    needs: tuple[str, ...]


class ReadingPrices:
    """The prices of choices among the sentences of one graph; each is worked out when it is asked for.

    ``ranks``: how late each sentence of the cluster stands in its document, 0 for leads. ``factor``
    multiplies every price. Stale figures have a price only in what ``renewing`` returns.
    """

    def __init__(
        self, tokenized: TokenizedCluster, graph: CoverageGraph, budget: float, ranks: Sequence[float],
        factor: float = 1.0,
    ) -> None:  # fmt: skip
        self._graph, self._budget = graph, budget
        cluster = tokenized.cluster
        self._ids: list[int] = graph.sentence_ids.tolist()
        self._node = {sentence: i for i, sentence in enumerate(self._ids)}
        self._sentences = [cluster.sentences[i] for i in self._ids]
        whole = frozenset(range(len(tokenized.tokens)) if tokenized.whole is None else tokenized.whole)
        self._rank = [float(ranks[i]) for i in self._ids]
        self._is_english = cluster.language == "en"
        self._documents = len(cluster.documents)
        self._are_reports = self._documents >= _ENOUGH_TO_AGREE
        self._price = PriceList() if self._are_reports else _OTHER_TEXTS
        self._factor = factor
        self._has_stages = self._documents >= _ENOUGH_DOCUMENTS and all(d.date for d in cluster.documents)
        self._introductions, self._likeness = Introductions(cluster, whole), Likeness(tokenized)
        self._figures = Figures(cluster, self._likeness)
        self._known: list[_Fixed | None] = [None] * len(self._ids)
        self._restated: list[dict[int, float]] = [{} for _ in self._ids]
        self._renewed: dict[int, Later] | None = None

    def of(self, chosen: Sequence[int]) -> float:
        """Return the price of sentences, ascending, as a share of the best coverage.

        It is the sum over ``faults``, without naming them: the search asks for a thousand prices.
        """
        total, before = 0.0, -1
        for place, i in enumerate(chosen):
            fixed = self._fixed(i)
            total += fixed.alone
            follows = place > 0 and fixed.follows == before
            missing = 0
            if fixed.needs and not follows:
                missing = min(len(self._missing(i, chosen[:place])), _MOST_NEEDS)
                total += missing * fixed.introduction
            if place == 0:
                total += self._opening_price(i, is_bare=missing > 0)
            elif not follows:
                total += fixed.apart
            known = self._restated[i]
            for j in chosen[:place]:
                price = known.get(j)
                total += self._restated_price(i, j) if price is None else price
            before = self._ids[i]
        stale = sum(fault.price for fault in self._not_renewed(chosen)) if self._renewed else 0.0
        return self._factor * (total + stale + self._stage_price(chosen))

    def stale(self, chosen: Sequence[int]) -> dict[int, Later]:
        """Return the sentences with a figure that later documents replace, and what replaces it."""
        found = ((i, self._later(i)) for i in chosen)
        return {i: later for i, later in found if later}

    def renewing(self, chosen: Sequence[int]) -> ReadingPrices:
        """Return these prices with those of stale figures: of the ones in a choice, and of all others.

        A first search goes without them, so that nothing moves where its choice has no stale figure.
        """
        prices = copy.copy(self)
        prices._renewed, prices._known = self.stale(chosen), [None] * len(self._ids)  # noqa: SLF001 (its own)
        return prices

    def openings(self) -> Iterator[int]:
        """Yield the sentences that are good to begin with, the best first."""
        front = [i for i, rank in enumerate(self._rank) if rank < _FRONT and self._share(i) <= 1]
        for i in sorted(
            front, key=lambda i: (self._context_price(i) + self._lead_price(i), -self._central[i])
        ):
            if not self._introductions.needs(self._ids[i]):
                yield i

    def faults(self, chosen: Sequence[int]) -> Iterator[Fault]:
        """Yield what a reader meets in sentences, ascending, that are read in this order."""
        for place, i in enumerate(chosen):
            fixed = self._fixed(i)
            follows = place > 0 and fixed.follows == self._ids[chosen[place - 1]]
            missing = [] if follows else self._missing(i, chosen[:place])[:_MOST_NEEDS]
            yield from (Fault("introduction", i, need, fixed.introduction) for need in missing)
            if place == 0:
                yield Fault("opening", i, "", self._opening_price(i, is_bare=bool(missing)))
            elif not follows:
                yield Fault("apart", i, "", fixed.apart)
            yield from self._alone(i)
            for j in chosen[:place]:
                yield Fault("restated", i, str(j), self._restated_price(i, j))
        yield from self._not_renewed(chosen)
        yield Fault("stage", chosen[-1], "", self._stage_price(chosen))

    def _fixed(self, i: int) -> _Fixed:
        """Return what does not depend on the other sentences."""
        found = self._known[i]
        if found is None:
            share, sentence = self._share(i), self._ids[i]
            found = self._known[i] = _Fixed(
                alone=sum(fault.price for fault in self._alone(i)),
                introduction=self._price.introduction * share,
                apart=self._apart_price(i) if self._rank[i] > 0 else 0.0,
                opening=self._context_price(i),
                follows=sentence - 1 if self._sentences[i].position > 0 else -1,
                needs=self._introductions.needs(sentence),
            )
        return found

    def _stage_price(self, chosen: Sequence[int]) -> float:
        """Return what it costs to leave out stages of the story."""
        if not self._has_stages:
            return 0.0
        told = {self._sentences[i].document * _STAGES // self._documents for i in chosen}
        return (_STAGES - len(told)) * self._price.missed_stage

    def _share(self, i: int) -> float:
        """Return what a sentence takes of the budget."""
        return float(self._graph.cost[i]) / self._budget

    def _missing(self, i: int, before: Sequence[int]) -> list[str]:
        """Return what a sentence needs that none of those before it introduces."""
        introductions, ids = self._introductions, [self._ids[j] for j in before]
        return [need for need in introductions.needs(self._ids[i]) if not introductions.met(need, ids)]

    def _opening_price(self, i: int, *, is_bare: bool) -> float:
        """Return what it costs to open with a sentence; ``is_bare``: it needs an introduction."""
        return self._fixed(i).opening + (self._price.opening if is_bare else self._lead_price(i))

    def _lead_price(self, i: int) -> float:
        return self._price.no_lead if self._rank[i] > 0 else 0.0

    def _context_price(self, i: int) -> float:
        """Return what it costs to open with a sentence that is about something else, or is no news."""
        is_news = not (self._is_english and self._are_reports) or marks.is_news(self._sentences[i].text)
        side_story = self._price.side_story * (1 - float(self._central[i]))
        return side_story + (0.0 if is_news else self._price.no_news)

    @cached_property
    def _central(self) -> Floats:
        """How central each sentence is, from 0 to 1: what it covers for its length, as the best leads do."""
        graph = self._graph
        dense = gains_alone(graph) / np.maximum(graph.cost, 1e-9) ** _LENGTH_POWER
        leads = dense[[rank == 0 for rank in self._rank]]
        good = float(np.quantile(leads if len(leads) else dense, _GOOD_LEAD))
        return np.asarray(np.minimum(dense / max(good, 1e-300), 1.0))

    def _apart_price(self, i: int) -> float:
        """Return what it costs to tear a sentence from the one before it."""
        words, share, price = self._sentences[i].words, self._share(i), self._price
        lacks = max(0, _SHORT - words) / _SHORT
        # What is too short pays as a sentence of usual length: a budget leaves gaps that only fragments fit.
        usual = share * _USUAL / max(words, 1)
        return float(price.apart * share + price.fragment * lacks * usual)

    def _alone(self, i: int) -> Iterator[Fault]:
        """Yield the faults that a sentence has in any company."""
        text, share, price = self._sentences[i].text, self._share(i), self._price
        if self._are_reports:
            yield Fault("trivia", i, "", price.trivia * share * self._likeness.triviality(self._ids[i]))
            if marks.is_bland(text):
                yield Fault("bland", i, "", price.bland * share)
            if self._renewed is not None and i not in self._renewed and (later := self._later(i)):
                yield Fault("stale", i, later.shown, price.stale * share)
        if self._are_reports and self._is_english:
            if marks.has_loose_day(text):
                yield Fault("day", i, "", price.loose_day * share)
            if not marks.has_verb(text):
                yield Fault("verb", i, "", price.no_verb * share)

    def _later(self, i: int) -> Later | None:
        """Return what replaces a figure of a sentence, in sentences of the graph that fit the budget."""
        later = self._figures.later(self._ids[i])
        nodes = (self._node[each] for each in later.sentences if each in self._node) if later else ()
        fitting = frozenset(j for j in nodes if self._share(j) <= 1)
        return Later(later.shown, fitting) if later and fitting else None

    def _not_renewed(self, chosen: Sequence[int]) -> Iterator[Fault]:
        """Yield the stale figures that stay, and those that leave while nothing has the last figure.

        Both cost the same: a summary without the figure is no better than one with an old figure.
        """
        for i, later in (self._renewed or {}).items():
            price = self._price.stale * self._share(i)
            if i in chosen:
                yield Fault("stale", i, later.shown, price)
            elif later.sentences.isdisjoint(chosen):
                yield Fault("figure", chosen[-1], later.shown, price)

    def _restated_price(self, i: int, j: int) -> float:
        """Return what it costs that two sentences say much the same."""
        known = self._restated[i]
        if j not in known:
            part = max(0.0, self._likeness.between(self._ids[i], self._ids[j]) - _ALIKE) / (1 - _ALIKE)
            known[j] = self._price.restated * min(self._share(i), self._share(j)) * part
        return known[j]
