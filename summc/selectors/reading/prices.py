"""The price of a selection: a number that is larger, the harder the selection is to read.

A fault is something that makes a summary hard to read. Each fault has a price, and the price of a selection
is the sum over its faults. Prices are shares of the best coverage: the weight that the selector's first
selection covers, which is made without regard to faults.

- A lead is the first sentence of a document. The opening is the first sentence of the summary.
- The rank of a sentence says how late it comes in its document. A lead has rank 0.
- A sentence stands apart if the sentence before it in its document is not chosen.
- The stages of a story are its early, middle and late documents, by date.
- Methods refer to a sentence by ``i``, its index in the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from summc.graph.coverage import gains_alone
from summc.records import CoverageGraph, Floats, TokenizedCluster
from summc.selectors.reading import marks
from summc.selectors.reading.introductions import Introductions
from summc.selectors.reading.likeness import Likeness
from summc.text.arithmetic import power

#: If a sentence refers back to several names or things that no sentence introduces, at most this many of them
#: have a price.
_MOST_NEEDS = 2
#: A sentence with fewer words is a fragment if the sentence before it in its document is not chosen.
_SHORT = 16
#: The usual length of a sentence in words.
_USUAL = 20
#: The density of a sentence is the weight that it covers, divided by its length to the power of
#: ``_LENGTH_POWER``. A sentence is fully central to the story if its density reaches the quantile
#: ``_GOOD_LEAD`` of the densities of all leads.
_GOOD_LEAD, _LENGTH_POWER = 0.8, 0.85
#: Only sentences of a lower rank in their document are proposed as the opening of a summary.
_FRONT = 3
#: If there are at least ``_ENOUGH_DOCUMENTS`` documents, in the order of their dates, they are divided into
#: ``_STAGES`` stages of the story: early, middle and late documents, about equal in number.
_STAGES, _ENOUGH_DOCUMENTS = 3, 5
#: Two sentences say partly the same if their cosine similarity is above this.
_ALIKE = 0.35
#: This many documents or more are taken as reports of one story. Then facts in only one of them may be
#: trivial.
_ENOUGH_TO_AGREE = 3


@dataclass(frozen=True, slots=True)
class PriceList:
    """The price of each kind of fault.

    The first five prices are shares of the best coverage: the weight that the selector's first selection
    covers. The other prices are multiplied by the share of the budget that the sentence takes. So at 0.1, a
    fault costs a tenth of what a sentence of its length covers on average.

    Attributes:
        opening: the first sentence of the summary refers back to something.
        no_lead: the first sentence of the summary is not the first of its document.
        side_story: the first sentence of the summary is not central to the story.
        no_news: the first sentence of the summary does not read like news.
        missed_stage: the summary has no sentence from the early, middle or late documents.
        introduction: a sentence refers back to something that no sentence before it introduces.
        apart: the sentence before it in its document is not chosen.
        fragment: a short sentence stands apart, or is the first of the summary.
        bland: a sentence has neither a name nor a number.
        teaser: a lead is less than half as long as most leads, as those of features and interviews are.
        trivia: most of a sentence occurs in no other document.
        loose_day: a sentence has "today" or the like.
        no_verb: a sentence has no verb, so it is probably a caption.
        restated: two sentences say partly the same.
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
    teaser: float = 1.2
    trivia: float = 0.2
    loose_day: float = 0.03
    no_verb: float = 0.8
    restated: float = 1.0


#: The prices if there are only one or two documents, which may be texts of any kind. They were chosen on 13
#: research papers.
_OTHER_TEXTS = PriceList(no_lead=0.12, introduction=0.06)


class Fault(NamedTuple):
    """Something that makes a selection hard to read.

    Attributes:
        kind: such as "opening" or "introduction"; ``reasons.py`` has a text for each kind.
        sentence: the index of the sentence in the graph.
        about: for "introduction", what the sentence refers back to; for "restated", the index of the other
            sentence; else "".
        price: as a share of the best coverage.
    """

    kind: str
    sentence: int
    about: str
    price: float


class _Fixed(NamedTuple):
    """The prices and facts of a sentence that do not depend on the other chosen sentences.

    Attributes:
        alone: the price of the faults that the sentence has in every selection.
        introduction: the price of each name or thing that the sentence refers back to and no sentence before
            it introduces.
        apart: the price if the sentence before it in its document is not chosen.
        short_opening: the price as the first of the summary, if it is far shorter than most leads.
        opening: the price as the first sentence of the summary, if it is not central or not news.
        follows: the index in the cluster of the sentence before it in its document, or -1.
        needs: the names and things that the sentence refers back to.
    """

    alone: float
    introduction: float
    apart: float
    short_opening: float
    opening: float
    follows: int
    needs: tuple[str, ...]


class PriceTable(NamedTuple):
    """All prices of a graph as plain lists, so that another program can compute the price of a selection.

    Sentences are given by their indices in the graph. Prices that are marked with * are for a budget of 1;
    for another budget they are divided by it. ``ReadingPrices.of`` shows how to add them up.

    Attributes:
        alone: * the price of the faults that each sentence has in every selection.
        introduction: * the price of each thing that a sentence refers back to and that is not introduced.
        apart: * the price of each sentence if the sentence before it in its document is not chosen.
        short_opening: * the price of each sentence as the first of the summary, because it is short.
        lead: the price of each sentence as the first of the summary, because it is not first in its document.
        bare: the price of a first sentence that refers back to something.
        needs: the things that each sentence refers back to, as indices into ``introduced``.
        introduced: for each of these things, the sentences that introduce it.
        restated: * pairs of sentences that say partly the same, each with its price.
        most_needs: at most this many things of a sentence have a price.
        stage: the stage of each sentence, from 0: whether its document is an early, middle or late one. The
            list is empty if the documents are not divided into stages.
        stages: the number of stages.
        missed_stage: the price of each stage from which no sentence is chosen.
        factor: every price is multiplied by this.
    """

    alone: list[float]
    introduction: list[float]
    apart: list[float]
    short_opening: list[float]
    lead: list[float]
    bare: float
    needs: list[list[int]]
    introduced: list[list[int]]
    restated: list[tuple[int, int, float]]
    most_needs: int
    stage: list[int]
    stages: int
    missed_stage: float
    factor: float


class ReadingPrices:
    """Computes how hard selections from one coverage graph are to read, as a price.

    A search then looks for the selection with the largest coverage minus price. The price of a selection is
    the sum of the prices of its faults, such as a name that no sentence introduces, times ``factor``. A price
    of 0.1 is a tenth of the best coverage, the weight that the selector's first selection covers.

    ``ranks`` says how late each sentence of the cluster comes in its document: 0 for the first sentence.
    Everything is computed on first use.
    """

    def __init__(
        self, tokenized: TokenizedCluster, graph: CoverageGraph, budget: float, ranks: Sequence[float],
        factor: float = 1.0,
    ) -> None:  # fmt: skip
        self._graph, self._budget = graph, budget
        cluster = tokenized.cluster
        self._ids: list[int] = graph.sentence_ids.tolist()
        self._sentences = [cluster.sentences[i] for i in self._ids]
        whole = frozenset(range(tokenized.index.size) if tokenized.whole is None else tokenized.whole)
        self._rank = [float(ranks[i]) for i in self._ids]
        self._is_english = cluster.language == "en"
        self._documents = len(cluster.documents)
        self._are_reports = self._documents >= _ENOUGH_TO_AGREE
        self._price = PriceList() if self._are_reports else _OTHER_TEXTS
        self._factor = factor
        dates = [document.date for document in cluster.documents]
        self._has_stages = self._documents >= _ENOUGH_DOCUMENTS and all(dates) and dates == sorted(dates)
        self._introductions, self._likeness = Introductions(cluster, whole), Likeness(tokenized)
        self._known: list[_Fixed | None] = [None] * len(self._ids)
        self._restated: list[dict[int, float]] = [{} for _ in self._ids]

    def of(self, chosen: Sequence[int]) -> float:
        """Return the price of a selection, as a share of the weight that the selector's first one covers.

        ``chosen``: the indices of the sentences in the graph, ascending. The result equals the sum of the
        prices of ``faults``, times ``factor``. It is computed without making the faults, to be fast: a search
        asks for about a thousand prices.
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
                total += self._opening_price(i, is_bare=missing > 0) + fixed.short_opening
            elif not follows:
                total += fixed.apart
            known = self._restated[i]
            for j in chosen[:place]:
                price = known.get(j)
                total += self._restated_price(i, j) if price is None else price
            before = self._ids[i]
        return self._factor * (total + self._stage_price(chosen))

    def openings(self) -> Iterator[int]:
        """Yield the sentences that are good first sentences of a summary, best first, as graph indices."""
        front = [i for i, rank in enumerate(self._rank) if rank < _FRONT and self._share(i) <= 1]
        for i in sorted(
            front, key=lambda i: (self._context_price(i) + self._lead_price(i), -self._central[i])
        ):
            if not self._introductions.needs(self._ids[i]):
                yield i

    def faults(self, chosen: Sequence[int]) -> Iterator[Fault]:
        """Yield the faults of a selection with their prices, before ``factor`` is applied; a price may be 0.

        ``chosen``: the indices of the sentences in the graph, ascending, which is the order of reading.
        """
        for place, i in enumerate(chosen):
            fixed = self._fixed(i)
            follows = place > 0 and fixed.follows == self._ids[chosen[place - 1]]
            missing = [] if follows else self._missing(i, chosen[:place])[:_MOST_NEEDS]
            yield from (Fault("introduction", i, need, fixed.introduction) for need in missing)
            if place == 0:
                price = self._opening_price(i, is_bare=bool(missing)) + fixed.short_opening
                yield Fault("opening", i, "", price)
            elif not follows:
                yield Fault("apart", i, "", fixed.apart)
            yield from self._alone(i)
            for j in chosen[:place]:
                yield Fault("restated", i, str(j), self._restated_price(i, j))
        yield Fault("stage", chosen[-1], "", self._stage_price(chosen))

    def table(self) -> PriceTable:
        """Return all prices as plain lists. It compares all pairs of sentences: only for small graphs."""
        n, budget = len(self._ids), self._budget
        fixed = [self._fixed(i) for i in range(n)]
        number = {
            need: k for k, need in enumerate(dict.fromkeys(need for each in fixed for need in each.needs))
        }
        alike = self._likeness.pairs(self._ids, _ALIKE)
        return PriceTable(
            alone=[budget * each.alone for each in fixed],
            introduction=[budget * each.introduction for each in fixed],
            apart=[budget * each.apart for each in fixed],
            short_opening=[budget * each.short_opening for each in fixed],
            lead=[self._lead_price(i) for i in range(n)],
            bare=self._price.opening,
            needs=[[number[need] for need in each.needs] for each in fixed],
            introduced=[
                [i for i in range(n) if self._introductions.introduces(self._ids[i], need)] for need in number
            ],
            restated=[(i, j, budget * self._restated_price(i, j)) for i, j in alike],
            most_needs=_MOST_NEEDS,
            stage=[self._stage(i) for i in range(n)] if self._has_stages else [],
            stages=_STAGES,
            missed_stage=self._price.missed_stage,
            factor=self._factor,
        )

    def opening_prices(self) -> list[float]:
        """Return the price of each sentence as the first of the summary, if it is not central or not news.

        These prices depend on the weights of words, and those may depend on the budget.
        """
        return [self._context_price(i) for i in range(len(self._ids))]

    def _fixed(self, i: int) -> _Fixed:
        """Return the prices of a sentence that do not depend on the other sentences; computed only once."""
        found = self._known[i]
        if found is None:
            price, share, sentence = self._price, self._share(i), self._ids[i]
            is_lead = self._rank[i] == 0
            fragment = self._short_price(i, price.fragment, _SHORT)
            short_opening = self._short_price(i, price.fragment, self._usual_lead / 2)
            found = self._known[i] = _Fixed(
                alone=sum(fault.price for fault in self._alone(i)),
                introduction=price.introduction * share,
                apart=0.0 if is_lead else price.apart * share + fragment,
                short_opening=0.0 if is_lead else short_opening,
                opening=self._context_price(i),
                follows=sentence - 1 if self._sentences[i].position > 0 else -1,
                needs=self._introductions.needs(sentence),
            )
        return found

    def _stage_price(self, chosen: Sequence[int]) -> float:
        """Return the price of the stages (early, middle, late documents) from which no sentence is chosen.

        It is ``missed_stage`` times the number of these stages, or 0 if the documents are not divided into
        stages.
        """
        if not self._has_stages:
            return 0.0
        return (_STAGES - len(set(map(self._stage, chosen)))) * self._price.missed_stage

    def _stage(self, i: int) -> int:
        return int(self._sentences[i].document) * _STAGES // self._documents

    def _share(self, i: int) -> float:
        """Return the share of the budget that a sentence takes."""
        return float(self._graph.cost[i]) / self._budget

    def _missing(self, i: int, before: Sequence[int]) -> list[str]:
        """Return the names and things that a sentence refers to and no sentence of ``before`` introduces.

        Each is a text such as "the crack", as ``Introductions.needs`` returns it.
        """
        introductions, ids = self._introductions, [self._ids[j] for j in before]
        return [need for need in introductions.needs(self._ids[i]) if not introductions.times(need, ids)]

    def _opening_price(self, i: int, *, is_bare: bool) -> float:
        """Return the price of a sentence as the first of the summary.

        ``is_bare``: whether the sentence refers back to something that was not introduced.
        """
        return self._fixed(i).opening + (self._price.opening if is_bare else self._lead_price(i))

    def _lead_price(self, i: int) -> float:
        return self._price.no_lead if self._rank[i] > 0 else 0.0

    def _context_price(self, i: int) -> float:
        """Return the price of a first sentence that is not central to the story, or does not report news."""
        is_news = not (self._is_english and self._are_reports) or marks.is_news(self._sentences[i].text)
        side_story = self._price.side_story * (1 - float(self._central[i]))
        return side_story + (0.0 if is_news else self._price.no_news)

    @cached_property
    def _central(self) -> Floats:
        """How central each sentence is to the story, from 0 to 1, shape (N,).

        It is the density of the sentence divided by the density of a good lead, at most 1. Density is the
        weight that a sentence covers, divided by a power of its length.
        """
        graph = self._graph
        dense = gains_alone(graph) / power(np.maximum(graph.cost, 1e-9), _LENGTH_POWER)
        leads = dense[[rank == 0 for rank in self._rank]]
        # np.quantile gives the same, but imports modules that take longer than a small summary.
        ascending = np.sort(leads if len(leads) else dense)
        good = float(np.interp(_GOOD_LEAD * (len(ascending) - 1), np.arange(len(ascending)), ascending))
        return np.asarray(np.minimum(dense / max(good, 1e-300), 1.0))

    def _short_price(self, i: int, price: float, least: float) -> float:
        """Return the price of a sentence with fewer than ``least`` words; the shorter it is, the higher."""
        words = self._sentences[i].words
        lacks = max(0.0, 1 - words / least) if least else 0.0
        # A short sentence pays as much as one of usual length. Otherwise it would be cheap, and short
        # sentences would fill what is left of the budget.
        return float(price * lacks * self._share(i) * _USUAL / max(words, 1))

    @cached_property
    def _usual_lead(self) -> float:
        """The median length of the leads in words, or 0 if there are too few leads to know."""
        leads = (each.words for each, rank in zip(self._sentences, self._rank, strict=True) if rank == 0)
        lengths = sorted(leads)
        return lengths[len(lengths) // 2] if len(lengths) >= _ENOUGH_TO_AGREE else 0

    def _alone(self, i: int) -> Iterator[Fault]:
        """Yield the faults that a sentence has in every selection, whatever the other sentences are."""
        text, share, price = self._sentences[i].text, self._share(i), self._price
        if self._are_reports:
            yield Fault("trivia", i, "", price.trivia * share * self._likeness.triviality(self._ids[i]))
            if marks.is_bland(text):
                yield Fault("bland", i, "", price.bland * share)
            if self._rank[i] == 0:
                yield Fault("teaser", i, "", self._short_price(i, price.teaser, self._usual_lead / 2))
        if self._are_reports and self._is_english:
            if marks.has_loose_day(text):
                yield Fault("day", i, "", price.loose_day * share)
            if not marks.has_verb(text):
                yield Fault("verb", i, "", price.no_verb * share)

    def _restated_price(self, i: int, j: int) -> float:
        """Return the price of choosing both of two sentences: 0 unless they say partly the same."""
        known = self._restated[i]
        if j not in known:
            part = max(0.0, self._likeness.between(self._ids[i], self._ids[j]) - _ALIKE) / (1 - _ALIKE)
            known[j] = self._price.restated * min(self._share(i), self._share(j)) * part
        return known[j]
