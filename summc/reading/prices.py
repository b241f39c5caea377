"""The price that a reader pays for a selection, as a share of the best coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from summc.graph.coverage import gains_alone
from summc.reading import marks
from summc.reading.introductions import Introductions
from summc.reading.likeness import Likeness
from summc.records import CoverageGraph, Floats, TokenizedCluster

#: At most this many missing introductions are priced in one sentence.
_MOST_NEEDS = 2
#: A sentence with fewer words is a fragment, if the sentence before it is not chosen.
_SHORT = 16
#: The usual length of a sentence in words.
_USUAL = 20
#: A lead is fully central if its density reaches this quantile of the leads. Density is the weight covered
#: divided by the length to this power.
_GOOD_LEAD, _LENGTH_POWER = 0.8, 0.85
#: Only sentences of a lower rank in their document may open a summary.
_FRONT = 3
#: The documents of a story, in order, form this many stages of equal size, if there are enough documents.
_STAGES, _ENOUGH_DOCUMENTS = 3, 5
#: Above this cosine similarity, two sentences say partly the same.
_ALIKE = 0.35
#: With this many documents or more, they are reports of one story: what only one of them says may be trivial.
_ENOUGH_TO_AGREE = 3


@dataclass(frozen=True, slots=True)
class PriceList:
    """The price of each fault.

    The first five are shares of the best coverage. The others are multiplied by the share of the budget that
    the sentence takes: at 0.1, a fault costs a tenth of what a sentence of its length covers on average.
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
    restated: float = 1.0


#: The prices for one or two documents, which may be of any kind. Chosen on 13 research papers.
_OTHER_TEXTS = PriceList(no_lead=0.12, introduction=0.06)


class Fault(NamedTuple):
    """Something that is hard to read: its kind, the node of the sentence, what it is about, and its price."""

    kind: str
    sentence: int
    about: str
    price: float


class _Fixed(NamedTuple):
    """The prices and facts of a sentence that do not depend on the other chosen sentences.

    Attributes:
        alone: the price that it has in every selection.
        introduction: the price of each missing introduction.
        apart: the price if the sentence before it in its document is not chosen.
        opening: the price as an opening that needs no introduction and is a lead.
        follows: the index in the cluster of the sentence before it, or -1.
        needs: the names and things that must be introduced.
    """

    alone: float
    introduction: float
    apart: float
    opening: float
    follows: int
    needs: tuple[str, ...]


class ReadingPrices:
    """The prices of selections from one graph, computed when they are first needed.

    ``ranks`` says how late each sentence of the cluster comes in its document, 0 for leads. ``factor``
    multiplies every price.
    """

    def __init__(
        self, tokenized: TokenizedCluster, graph: CoverageGraph, budget: float, ranks: Sequence[float],
        factor: float = 1.0,
    ) -> None:  # fmt: skip
        self._graph, self._budget = graph, budget
        cluster = tokenized.cluster
        self._ids: list[int] = graph.sentence_ids.tolist()
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
        self._known: list[_Fixed | None] = [None] * len(self._ids)
        self._restated: list[dict[int, float]] = [{} for _ in self._ids]

    def of(self, chosen: Sequence[int]) -> float:
        """Return the price of a selection, given in ascending order, as a share of the best coverage.

        It equals the sum over ``faults``, computed without building them, because a search asks for about a
        thousand prices.
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
        return self._factor * (total + self._stage_price(chosen))

    def openings(self) -> Iterator[int]:
        """Yield sentences that make good openings, the best first."""
        front = [i for i, rank in enumerate(self._rank) if rank < _FRONT and self._share(i) <= 1]
        for i in sorted(
            front, key=lambda i: (self._context_price(i) + self._lead_price(i), -self._central[i])
        ):
            if not self._introductions.needs(self._ids[i]):
                yield i

    def faults(self, chosen: Sequence[int]) -> Iterator[Fault]:
        """Yield the faults of a selection, given in ascending order, which is the order of reading."""
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
        yield Fault("stage", chosen[-1], "", self._stage_price(chosen))

    def _fixed(self, i: int) -> _Fixed:
        """Return the part that does not depend on the other sentences, computed once."""
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
        """Return the price of the stages of the story that a selection leaves out."""
        if not self._has_stages:
            return 0.0
        told = {self._sentences[i].document * _STAGES // self._documents for i in chosen}
        return (_STAGES - len(told)) * self._price.missed_stage

    def _share(self, i: int) -> float:
        """Return the share of the budget that a sentence takes."""
        return float(self._graph.cost[i]) / self._budget

    def _missing(self, i: int, before: Sequence[int]) -> list[str]:
        """Return the names and things that a sentence needs and no chosen sentence before it introduces."""
        introductions, ids = self._introductions, [self._ids[j] for j in before]
        return [need for need in introductions.needs(self._ids[i]) if not introductions.met(need, ids)]

    def _opening_price(self, i: int, *, is_bare: bool) -> float:
        """Return the price of a sentence as the opening; ``is_bare`` if it needs an introduction."""
        return self._fixed(i).opening + (self._price.opening if is_bare else self._lead_price(i))

    def _lead_price(self, i: int) -> float:
        return self._price.no_lead if self._rank[i] > 0 else 0.0

    def _context_price(self, i: int) -> float:
        """Return the price of an opening that is not central to the story, or is not news."""
        is_news = not (self._is_english and self._are_reports) or marks.is_news(self._sentences[i].text)
        side_story = self._price.side_story * (1 - float(self._central[i]))
        return side_story + (0.0 if is_news else self._price.no_news)

    @cached_property
    def _central(self) -> Floats:
        """How central each sentence is, from 0 to 1: its density relative to that of the best leads."""
        graph = self._graph
        dense = gains_alone(graph) / np.maximum(graph.cost, 1e-9) ** _LENGTH_POWER
        leads = dense[[rank == 0 for rank in self._rank]]
        good = float(np.quantile(leads if len(leads) else dense, _GOOD_LEAD))
        return np.asarray(np.minimum(dense / max(good, 1e-300), 1.0))

    def _apart_price(self, i: int) -> float:
        """Return the price of a sentence without the one before it."""
        words, share, price = self._sentences[i].words, self._share(i), self._price
        lacks = max(0, _SHORT - words) / _SHORT
        # A fragment pays like a usual sentence. Otherwise fragments would fill the gaps of the budget.
        usual = share * _USUAL / max(words, 1)
        return float(price.apart * share + price.fragment * lacks * usual)

    def _alone(self, i: int) -> Iterator[Fault]:
        """Yield the faults that a sentence has in every selection."""
        text, share, price = self._sentences[i].text, self._share(i), self._price
        if self._are_reports:
            yield Fault("trivia", i, "", price.trivia * share * self._likeness.triviality(self._ids[i]))
            if marks.is_bland(text):
                yield Fault("bland", i, "", price.bland * share)
        if self._are_reports and self._is_english:
            if marks.has_loose_day(text):
                yield Fault("day", i, "", price.loose_day * share)
            if not marks.has_verb(text):
                yield Fault("verb", i, "", price.no_verb * share)

    def _restated_price(self, i: int, j: int) -> float:
        """Return the price of two sentences that say partly the same."""
        known = self._restated[i]
        if j not in known:
            part = max(0.0, self._likeness.between(self._ids[i], self._ids[j]) - _ALIKE) / (1 - _ALIKE)
            known[j] = self._price.restated * min(self._share(i), self._share(j)) * part
        return known[j]
