"""The price of a selection: a number that is larger, the harder the selection is to read.

A fault is something that makes a summary hard to read. Each fault has a price, and the price of a selection
is the sum over its faults. Prices are shares of the best coverage: the weight that the selector's first
selection covers, which is made without regard to other faults than the kinds of sentences.

- A lead is the first sentence of a document. The opening is the first sentence of the summary.
- The rank of a sentence says how late it comes in its document. A lead has rank 0.
- A sentence stands apart if the sentence before it in its document is not chosen.
- The stages of a story are its early, middle and late documents, by date.
- Methods of ``ReadingPrices`` refer to a sentence by ``i``, its index in the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import regex

from summc.graph import LARGEST, gains, run_from
from summc.records import (
    ANNOUNCES,
    HEADINGS,
    KINDS,
    PROSE,
    WHOLE_WORDS,
    CoverageGraph,
    Floats,
    Mask,
    TokenizedCluster,
    distinct,
)
from summc.selectors.introductions import Introductions
from summc.system.resources import word_lists
from summc.text.arithmetic import log, power

#: If a sentence refers back to several names or things that no sentence introduces, at most this many of them
#: have a price.
_MOST_NEEDS = 2
#: A sentence with fewer words is a fragment if the sentence before it in its document is not chosen.
_SHORT = 16
#: The usual length of a sentence in words.
_USUAL = 20
#: A summary has at least about this many sentences, so in a short one they are shorter than usual.
_FEWEST = 5
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
#: With fewer first sentences of documents, their usual length is unknown.
_ENOUGH_LEADS = 3
#: In a good first sentence of a document, the words that occur in no other document typically have this share
#: of the summed idf of all its words.
_UNSHARED = 0.25

_INNER_NAME = regex.compile(r"(?<=[\p{Ll}\p{M}\p{N},;:'\u2019)\"] )\p{Lu}|\p{Lu}[\p{L}'\u2019-]* \p{Lu}")
_DIGIT = regex.compile(r"\p{N}")
_HAS_CASE = regex.compile(r"\p{Lu}|\p{Ll}")
_DAY = regex.compile(r"(?i)\b(?:today|yesterday|tomorrow|tonight)\b")
_WEEKDAY_OR_MONTH = regex.compile(rf"\b(?:{'|'.join(word_lists()['calendar'])})\b")
_REPORTED = regex.compile(
    r"(?i)\b(?:said|says|today|yesterday|tonight|last night|according|announce[ds]|report(?:s|ed|edly)?|"
    r"confirmed|declared)\b"
)
#: The most frequent verb forms in news, and all words in -ed. A line of a report with none of them is
#: probably a caption.
_VERB = regex.compile(rf"\b(?:{'|'.join(word_lists()['verbs'])})\b")


@dataclass(frozen=True, slots=True)
class PriceList:
    """The price of each kind of fault.

    The first five are shares of the best coverage. The others are multiplied by the share of the budget that
    the sentence takes, so that at 0.1 a fault costs a tenth of what such a sentence covers on average.

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


#: The prices of texts that are not reports of one story, which may be of any kind. They were chosen on 13
#: research papers, invented everyday texts and product reviews.
_OTHER_TEXTS = PriceList(
    opening=0.03, no_lead=0.05, side_story=0.0, introduction=0.05, apart=0.0, fragment=0.0, restated=0.0
)

#: The price of a sentence for its kind, multiplied by the share of the budget that the sentence takes. In
#: reports of one story and in papers every kind costs ``_DEAR``, because another sentence says the same
#: better. In other texts, where it may be said only once, kinds cost this:
_DEAR = 2.0
_NEVER = 100.0
_ABOVE = frozenset(("date", "headline", *HEADINGS))
_KIND_PRICES = {
    **dict.fromkeys(_ABOVE, _NEVER), "fragment": 1.5,
    "courtesy": 1.0, "item": 0.6, "routine": 0.4, "pointer": 0.5, "question": 0.2,
    **dict.fromkeys(("half quotation", "small letter", "linked"), 0.1),
    **dict.fromkeys(("quotation", "quoted"), 0.05), "voice": 0.0,
}  # fmt: skip
#: The price of a second sentence of a document while another document has none, if they tell several stories.
_CROWDED = 2.0
#: The price, in other texts, of a sentence that leans on the one before it, or announces the one after it or
#: is limited by it, if that is not chosen. It is hardly ever worth paying.
_LEANING = 4.0
#: With a question, prices in other texts are multiplied by this: a caption or an item that answers is better
#: than a whole sentence that does not.
_ASKED = 0.25
#: In terse notes and logs these kinds, and asides in prose, cost this share of their price.
_NOTES, _TERSE = frozenset((PROSE, "fragment", "item", "routine")), 0.25
#: The price of an aside in other texts: a sentence of fewer than ``WHOLE_WORDS`` words.
_ASIDE = 0.2
#: The price in other texts of a sentence that is twice as long as usual and takes more than this share of
#: the budget: shorter ones state more.
_HALF, _HEAVY = 0.5, 1.0


class Fault(NamedTuple):
    """Something that makes a selection hard to read: what, in which sentence of the graph, and its price.

    ``name`` is that of its price in ``PriceList``, "kind", "heavy" or "crowded". ``about`` is what the
    sentence refers back to ("introduction"), the index of the other sentence ("restated"), its kind ("kind"),
    or "".
    """

    name: str
    sentence: int
    about: str
    price: float


_REASONS = {
    "opening": "it lacks the context of an opening",
    "apart": "it is torn from the sentence before it",
    "hanging": "the sentence that it announces, or that limits it, is left out",
    "bland": "it names nobody and no figure",
    "teaser": "it is a short first sentence, as features and interviews have",
    "trivia": "no other document speaks of most of it",
    "loose_day": '"today" and the like do not say which day',
    "no_verb": "it looks like a caption",
    "missed_stage": "it leaves out a stage of the story",
    "heavy": "it takes more than half of the length",
    "crowded": "its document has a sentence already, and another document has none",
}
_NEEDS = {
    "the": 'nothing before it introduces "the {}"',
    "name": 'nothing before it gives the full name of "{}"',
    "pronoun": 'nothing before it says who or what "{}" is',
    "place": 'nothing before it says where "{}" is',
    "line": "the line that introduces its list is missing",
}


def describe_fault(fault: Fault, numbers: Mapping[int, int]) -> str:
    """Return what is wrong with a sentence, as text to print after "but": "it is torn from ...".

    ``numbers`` maps the graph index of each chosen sentence to its number in the output.
    """
    if fault.name == "introduction":
        kind, _, what = fault.about.partition(" ")
        return _NEEDS[kind].format(what)
    if fault.name == "kind":
        return KINDS[fault.about].reason if fault.about in KINDS else "it is short, as asides are"
    if fault.name == "restated":
        number = numbers.get(int(fault.about))
        return f"it repeats much of sentence {number}" if number else "it repeats much of another sentence"
    return _REASONS[fault.name]


def _is_lead_in(need: str) -> bool:
    return need.startswith("line ")


class _SentenceFaults(NamedTuple):
    """The faults that a sentence has in every selection, except its kind, and the sentences that it restates.

    ``restated`` has the price of choosing both, by the index of the other sentence. ``leaning`` is the price
    of the sentence without the one before it in its document.
    """

    alone: tuple[Fault, ...]
    restated: dict[int, float]
    leaning: float


class ReadingPrices:
    """Computes how hard selections from one coverage graph are to read, as a price.

    The price of a selection is the sum of the prices of its faults, times ``factor``. A price of 0.1 is a
    tenth of the best coverage. ``ranks`` says how late each sentence of the cluster comes in its document.
    ``kind_prices`` has the price of each sentence of the graph for its kind.
    """

    def __init__(
        self, tokenized: TokenizedCluster, graph: CoverageGraph, budget: float, ranks: Sequence[float],
        factor: float = 1.0, *, is_terse: bool = False,
    ) -> None:  # fmt: skip
        cluster, documents = tokenized.cluster, len(tokenized.cluster.documents)
        self._are_reports = tokenized.are_reports
        self._is_asked = bool(cluster.query) and not self._are_reports
        self._budget, self._node = budget, graph.sentence_ids
        self._factor = _ASKED * factor if self._is_asked else factor
        self._ids: list[int] = graph.sentence_ids.tolist()
        self._sentences = list(map(cluster.sentences.__getitem__, self._ids))
        # A sentence that is left out has an infinite cost.
        self._words, share = cluster.lengths[self._node], np.minimum(graph.cost, LARGEST) / budget
        self._share: list[float] = share.tolist()
        # A headline stands before the first sentence, but does not count as the first.
        is_whole = np.fromiter(map(attrgetter("is_whole"), self._sentences), bool, len(self._ids))
        self._rank: list[float] = (np.array(ranks, dtype=float)[self._node] + ~is_whole).tolist()
        self._is_english = cluster.language == "en"
        self._price = PriceList() if self._are_reports else _OTHER_TEXTS
        may_be_dear = self._are_reports or tokenized.has_abstract
        above = [cluster.sentences[max(i - 1, 0)].kind for i in self._ids]
        opens = np.fromiter(map(HEADINGS.__contains__, above), bool, len(above))
        self.kind_prices = self._of_kinds(opens, may_be_dear=may_be_dear, is_terse=is_terse)
        dates = list(map(attrgetter("date"), cluster.documents))
        has_stages = documents >= _ENOUGH_DOCUMENTS and all(dates) and dates == sorted(dates)
        # The stage of each sentence, or nothing if the documents are not divided into stages.
        home = cluster.document_of[self._node]
        self._stage: list[int] = (home * _STAGES // max(documents, 1)).tolist() if has_stages else []
        # The parts of a summary of several stories are its documents. What a sentence refers back to must be
        # introduced in the same part.
        self._part: list[int] = (home if cluster.stories > 1 else np.zeros_like(home)).tolist()
        self._parts = 0 if self._is_asked else len(set(self._part))
        # How central each sentence is to the story, from 0 to 1: its density, divided by that of a good lead.
        dense = gains(graph) / power(np.maximum(graph.cost, 1e-9), _LENGTH_POWER)
        is_lead = np.array(self._rank) == 0
        # np.quantile gives the same, but imports modules that take longer than a small summary.
        ascending = np.sort(dense[is_lead] if is_lead.any() else dense)
        place, places = _GOOD_LEAD * (len(ascending) - 1), np.arange(len(ascending))
        good = float(np.interp(place, places, ascending)) if len(ascending) else 0.0
        self._central: list[float] = np.minimum(dense / max(good, 1e-300), 1.0).tolist()
        # The median length of the leads in words, or 0 if there are too few leads to know.
        lengths = np.sort(self._words[is_lead])
        usual_lead = lengths[len(lengths) // 2] if len(lengths) >= _ENOUGH_LEADS else 0.0
        # What a sentence costs: for each thing that it refers back to and that is not introduced; if it
        # stands apart; as a short lead; and as the first of the summary, if it is short or no lead.
        price = self._price
        self._introduction: list[float] = (price.introduction * share).tolist()
        torn = map(self._torn_price, range(len(self._ids)))
        self._lead_in: list[float] = list(map(max, self._introduction, torn))
        apart = price.apart * share + self._short_prices(price.fragment, _SHORT)
        self._apart: list[float] = np.where(is_lead, 0.0, apart).tolist()
        self._teaser: list[float] = self._short_prices(price.teaser, usual_lead / 2).tolist()
        short_opening = self._short_prices(price.fragment, usual_lead / 2)
        self._short_opening: list[float] = np.where(is_lead, 0.0, short_opening).tolist()
        self._no_lead: list[float] = np.where(is_lead, 0.0, price.no_lead).tolist()
        whole = frozenset(range(tokenized.index.size) if tokenized.whole is None else tokenized.whole)
        self._introductions, self._likeness = Introductions(cluster, whole), _Likeness(tokenized)
        self._hanging = [
            self._torn_price(i) / (_ASKED if self._is_asked else 1.0)
            if sentence.text.endswith(ANNOUNCES) or self._introductions.is_limited(self._ids[i])
            else 0.0
            for i, sentence in enumerate(self._sentences)
        ]
        self._faults: dict[int, _SentenceFaults] = {}
        self._prices: dict[tuple[int, ...], float] = {}  # selection -> its price

    def of(self, chosen: Sequence[int]) -> float:
        """Return the price of a selection, as a share of the best coverage.

        ``chosen``: the indices of the sentences in the graph, ascending, which is the order of reading.
        """
        key = tuple(chosen)
        if key not in self._prices:
            self._prices[key] = self._factor * sum(map(attrgetter("price"), self.faults(chosen)))
        return self._prices[key]

    def faults(self, chosen: Sequence[int]) -> Iterator[Fault]:
        """Yield the faults of a selection with their prices, before ``factor`` is applied; a price may be 0.

        ``chosen`` is as in ``of``.
        """
        before = list[int]()  # the sentences before, as indices in the cluster
        parts = list(map(self._part.__getitem__, chosen))
        leaves_out = len(set(parts)) < self._parts
        for place, i in enumerate(chosen):
            of_sentence = self._faults_of(i)
            if self.kind_prices[i]:
                kind, is_long = self._sentences[i].kind, self._words[i] >= WHOLE_WORDS
                name = "heavy" if is_long and kind not in KINDS else "kind"
                yield Fault(name, i, kind, self.kind_prices[i])
            yield from of_sentence.alone
            follows = before[-1:] == [self._ids[i] - 1] and self._sentences[i].position > 0
            same_part = [index for index, part in zip(before, parts, strict=False) if part == parts[place]]
            missing = [] if follows else self._introductions.missing(self._ids[i], same_part)[:_MOST_NEEDS]
            if leaves_out and same_part:
                yield Fault("crowded", i, "", _CROWDED * self._share[i])
            for need in missing:
                prices = self._lead_in if _is_lead_in(need) else self._introduction
                yield Fault("introduction", i, need, prices[i])
            if place == 0:
                price = self._price.opening if missing else self._no_lead[i]
                price += self._context_price(i) + self._short_opening[i] + of_sentence.leaning
                yield Fault("opening", i, "", price)
            elif not follows:
                yield Fault("apart", i, "", self._apart[i] + of_sentence.leaning)
            for j in chosen[:place] if of_sentence.restated else ():
                if price := of_sentence.restated.get(j, 0.0):
                    yield Fault("restated", i, str(j), price)
            before.append(self._ids[i])
        ids = {self._ids[i] for i in chosen}
        yield from (Fault("hanging", i, "", self._hanging[i]) for i in chosen if self._ids[i] + 1 not in ids)
        if self._stage:
            missed = _STAGES - len(set(map(self._stage.__getitem__, chosen)))
            yield Fault("missed_stage", chosen[-1], "", missed * self._price.missed_stage)

    def openings(self) -> Iterator[int]:
        """Yield the sentences that are good first sentences of a summary, best first, as graph indices."""
        front = list[tuple[float, float, int]]()
        for i, rank in enumerate(self._rank):
            if rank < _FRONT and self._share[i] <= 1:
                price = self._context_price(i) + self._price.no_lead * (rank > 0)
                front.append((price, -self._central[i], i))
        for _, _, i in sorted(front):
            if not self._introductions.needs(self._ids[i]):
                yield i

    def table(self) -> dict[str, Any]:
        """Return all prices as plain lists, so that another program can compute the price of a selection.

        It compares all pairs of sentences: only for small graphs.
        Sentences are given by their indices in the graph. Prices that are marked with * are for a budget of
        1; for another budget they are divided by it. ``faults`` shows how to add them up.

        Members:
            alone: * the price of each sentence in every selection, except for its kind.
            introduction: * its price for each thing that it refers back to and that is not introduced.
            lead_in: * the same if that thing is the line that introduces its list.
            apart: * its price if the sentence before it in its document is not chosen.
            hanging: * its price if the sentence that it announces, or that limits it, is not chosen.
            short_opening, lead: its price as the first of the summary: * if it is short, if it is no lead.
            bare: the price of a first sentence that refers back to something.
            needs: the things that each sentence refers back to, as indices into ``introduced``.
            introduced: for each of these things, the sentences that introduce it.
            lead_ins: those of these things that are lines that introduce a list.
            restated: * pairs of sentences that say partly the same, each with its price.
            most_needs: at most this many things of a sentence have a price.
            stage: the stage of each sentence, from 0: whether its document is an early, middle or late one.
                The list is empty if the documents are not divided into stages.
            stages: the number of stages.
            missed_stage: the price of each stage from which no sentence is chosen.
            part: the part of each sentence: its document if there are several stories, or else 0.
            parts: the number of parts, or 0 with a question, which few parts may answer.
            crowded: * its price if a sentence before it is of the same part, and another part has none.
            factor: every price is multiplied by this.
        """
        n, budget, ids, introduces = len(self._ids), self._budget, self._ids, self._introductions.introduces
        needs_of = [
            [(part, need) for need in self._introductions.needs(i)]
            for part, i in zip(self._part, ids, strict=True)
        ]
        faults, needs = list(map(self._faults_of, range(n))), [*dict.fromkeys(chain.from_iterable(needs_of))]
        return {
            "alone": [budget * sum(fault.price for fault in entry.alone) for entry in faults],
            "introduction": [budget * price for price in self._introduction],
            "lead_in": [budget * price for price in self._lead_in],
            "lead_ins": [number for number, (_, need) in enumerate(needs) if _is_lead_in(need)],
            "apart": [budget * (self._apart[i] + faults[i].leaning) for i in range(n)],
            "hanging": [budget * price for price in self._hanging],
            "short_opening": [budget * (self._short_opening[i] + faults[i].leaning) for i in range(n)],
            "lead": self._no_lead, "bare": self._price.opening,
            "needs": [list(map(needs.index, sentence_needs)) for sentence_needs in needs_of],
            "introduced": [
                [i for i in range(n) if self._part[i] == part and introduces(ids[i], need)]
                for part, need in needs
            ],
            "restated": [
                (i, j, budget * price) for i in range(n) for j, price in faults[i].restated.items() if j < i
            ],
            "most_needs": _MOST_NEEDS, "stage": self._stage, "stages": _STAGES,
            "missed_stage": self._price.missed_stage, "factor": self._factor,
            "part": self._part, "parts": self._parts,
            "crowded": [budget * _CROWDED * share for share in self._share],
        }  # fmt: skip

    def opening_prices(self) -> list[float]:
        """Return the price of each sentence as the first of the summary, if it is not central or not news.

        These prices depend on the weights of words, and those may depend on the budget.
        """
        return [self._context_price(i) for i in range(len(self._ids))]

    def _of_kinds(self, opens: Mask, *, may_be_dear: bool, is_terse: bool) -> list[float]:
        """Return the price of each sentence for its kind, or for being an aside of a few words.

        ``opens``: it is the first below a heading, and no aside however short: "This plan was rejected."
        ``may_be_dear``: another sentence probably says the same better, as in reports and papers.
        ``is_terse``: the text has few whole sentences.
        """
        kinds, share = list(map(attrgetter("kind"), self._sentences)), np.array(self._share)
        is_line = np.fromiter(map("line".__eq__, kinds), bool, len(kinds))  # a log has short lines
        is_aside = (self._words < WHOLE_WORDS) & ~is_line & ~opens
        is_clear = ~is_aside & ~np.fromiter(map(_KIND_PRICES.__contains__, kinds), bool, len(kinds))
        price = np.fromiter(map(_KIND_PRICES.get, kinds, repeat(_ASIDE)), float, len(kinds))
        price[is_aside] = np.maximum(price[is_aside], _ASIDE)
        if is_terse:
            price *= [_TERSE if kind in _NOTES else 1.0 for kind in kinds]
        # Another sentence says it better only if there are enough other sentences.
        if may_be_dear and sum(compress(self._share, is_clear)) >= 1:
            price[:] = _DEAR
        if self._is_asked:  # a heading has the words of a question, and labels show it
            price[[kind in _ABOVE for kind in kinds]] = _NEVER
        is_heavy = (share > _HALF) & (self._words > 2 * _USUAL) & is_clear & (not may_be_dear)
        # A short sentence pays as much as one of usual length. Otherwise short ones would fill the rest.
        usual = min(_USUAL / self._budget, 1 / _FEWEST)
        priced = np.where(is_clear, 0.0, price * np.maximum(share, usual))
        prices: list[float] = np.where(is_heavy, _HEAVY * share, priced).tolist()
        return prices

    def _faults_of(self, i: int) -> _SentenceFaults:
        if i not in self._faults:
            likeness, restated = self._likeness.to_all(self._ids[i])[self._node], dict[int, float]()
            for j in np.flatnonzero(likeness > _ALIKE).tolist():
                part = (float(likeness[j]) - _ALIKE) / (1 - _ALIKE)
                restated[j] = self._price.restated * min(self._share[i], self._share[j]) * part
            alone = tuple(self._alone(i)) if self._are_reports else ()
            self._faults[i] = _SentenceFaults(alone, restated, self._leaning_price(i))
        return self._faults[i]

    def _alone(self, i: int) -> Iterator[Fault]:
        """Yield the faults that a sentence of a report has in every selection, except its kind."""
        text, share, price = self._sentences[i].text, self._share[i], self._price
        yield Fault("trivia", i, "", price.trivia * share * self._likeness.triviality[self._ids[i]])
        # In scripts without capital letters names cannot be found.
        if _HAS_CASE.search(text) and not (_DIGIT.search(text) or _INNER_NAME.search(text)):
            yield Fault("bland", i, "", price.bland * share)
        if self._rank[i] == 0:
            yield Fault("teaser", i, "", self._teaser[i])
        if self._is_english and _DAY.search(text):
            yield Fault("loose_day", i, "", price.loose_day * share)
        if self._is_english and not _VERB.search(text):
            yield Fault("no_verb", i, "", price.no_verb * share)

    def _context_price(self, i: int) -> float:
        """Return the price of a first sentence that is not central to the story, or does not report news."""
        text, price = self._sentences[i].text, self._price
        must_report = self._is_english and self._are_reports
        no_news = must_report and not (_WEEKDAY_OR_MONTH.search(text) or _REPORTED.search(text))
        return price.side_story * (1 - self._central[i]) + (price.no_news if no_news else 0.0)

    def _leaning_price(self, i: int) -> float:
        """Return the price of a sentence of other texts that leans on a sentence that is not chosen."""
        if self._rank[i] == 0 or not self._introductions.leans(self._ids[i]):
            return 0.0
        return self._torn_price(i)

    def _torn_price(self, i: int) -> float:
        """Return the price of a sentence without another that it needs; a short one costs as a usual one."""
        shortness = max(_USUAL / max(float(self._words[i]), 1.0), 1.0)
        return 0.0 if self._are_reports else _LEANING * self._share[i] * shortness

    def _short_prices(self, price: float, least: float) -> Floats:
        """Return the price of each sentence with fewer than ``least`` words; the shorter, the higher."""
        lacks = np.maximum(0.0, 1 - self._words / least) if least else np.zeros(len(self._words))
        # A short sentence pays as much as one of usual length. Otherwise it would be cheap, and short
        # sentences would fill what is left of the budget.
        return np.asarray(price * lacks * self._share * _USUAL / np.maximum(self._words, 1))


class _Likeness:
    """Compares the sentences of a cluster as TF-IDF vectors of length 1, without bigrams.

    The fewer sentences contain a word, the more it counts, so function words count for almost nothing.
    ``triviality`` says how trivial each sentence is, from 0 to 1. A sentence is trivial if many of its words,
    counted by idf, occur in no other document. It is 0 if the share of such words is at most what is usual in
    a good first sentence of a document.
    """

    def __init__(self, tokenized: TokenizedCluster) -> None:
        index, cluster = tokenized.index, tokenized.cluster
        sentence, concept, count = index.pairs
        holders = np.bincount(concept, minlength=len(index.concepts))
        documents = max(len(cluster.documents), 1)
        pairs = distinct(concept.astype(np.int64) * documents + cluster.document_of[sentence])
        is_in_one = np.bincount(pairs // documents, minlength=len(index.concepts)) == 1
        is_word = ~index.is_bigram[concept]
        sentence, concept = sentence[is_word], concept[is_word]
        idf = log(max(index.size, 1) / np.maximum(holders, 1))[concept]
        total = np.bincount(sentence, idf, index.size)
        unshared = np.bincount(sentence, idf * is_in_one[concept], index.size)
        share = np.divide(unshared, total, out=np.zeros(index.size), where=total > 0)
        self.triviality: list[float] = (np.maximum(share - _UNSHARED, 0.0) / (1 - _UNSHARED)).tolist()
        weight = count[is_word] * idf
        length = np.sqrt(np.bincount(sentence, weight * weight, index.size))[sentence]
        self._concept, self._weight = concept, weight / np.where(length > 0, length, 1.0)
        self._start = np.searchsorted(sentence, np.arange(index.size + 1))
        # The same by word: word a is in the sentences from ``_first[a]`` on, ``_holders[a]`` of them.
        self._by_word = np.argsort(concept, kind="stable")
        self._sentence, self._size = sentence[self._by_word], index.size
        self._holders = np.bincount(concept, minlength=len(index.concepts))
        self._first = np.cumsum(self._holders) - self._holders

    def to_all(self, sentence: int) -> Floats:
        """Return the cosine similarity of a sentence to each sentence of the cluster, from 0 to 1."""
        entries = slice(self._start[sentence], self._start[sentence + 1])
        word, weight = self._concept[entries], self._weight[entries]
        edges = run_from(self._first[word], self._holders[word])
        product = np.repeat(weight, self._holders[word]) * self._weight[self._by_word[edges]]
        return np.bincount(self._sentence[edges], product, self._size).astype(float)
