"""Why a summary is what it is, as numbers: what each sentence brings, what stands behind it, what is missing.

Everything is counted from the graph and the choice alone, whichever selector made it.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from summc.config import Config
from summc.errors import SettingError, named
from summc.graph.build import cost_in, within_budget
from summc.graph.coverage import Curves, curves, gains, left_after, occurrences
from summc.pipeline import Workings, prices_of
from summc.preprocess.concepts import is_bigram, parts
from summc.preprocess.required import required
from summc.preprocess.terms import Span, words
from summc.reading import ReadingPrices, in_words
from summc.records import Cluster, CoverageGraph, Floats, Indices, Selection, Sentence, Summary
from summc.selectors import BeliefPropagation, Selector
from summc.selectors.base import per_cost
from summc.selectors.belief_propagation import propagate

#: What the word that stands for the place of a sentence is called.
PLACE = "its place"
#: How many of the words that are left uncovered are shown.
MOST_MISSED = 6
#: A fault that costs less than this share of the coverage decides nothing; so many are named.
_LEAST_PRICE, _MOST_REASONS = 0.002, 2


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or two, as people read it, in the most frequent of its forms, and what of it is counted.

    With one level that is its weight w_a. ``function`` marks what readers learn nothing from: "of", "in the".
    """

    text: str
    weight: float
    function: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence and where it stands: ``index`` in the cluster, and the document it is in, with its date."""

    index: int
    document: str
    length: int  # of the document, in sentences
    sentence: Sentence
    date: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One sentence in the place of another: ``change`` is what would be covered more, or, below 0, less.

    ``reasons`` say why it would be worse to read all the same.
    """

    place: Place
    change: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenSentence:
    """What a sentence of the summary is there for.

    Attributes:
        place: the sentence.
        cost: c_i, what it takes of the budget.
        total: what it would cover by itself.
        loss: what would be lost without it.
        alone: its words with what would be lost of each, the most first. They add up to the loss; with one
            level they are the words that it alone covers.
        shared: its words that another chosen sentence has too, with what would not be lost of each.
        field: h_i of belief propagation, where that ranked the sentences.
        runner_up: the best sentence that could take its place within the budget, if one brings anything.
        required: whether it must be in, so that none could take its place.
    """

    place: Place
    cost: float
    total: float
    loss: float
    alone: tuple[Word, ...]
    shared: tuple[Word, ...]
    field: float | None
    runner_up: Exchange | None
    required: bool = False


@dataclass(frozen=True, slots=True)
class MissedWord:
    """A word that is worth covering once more, with a sentence that holds it: the best for its cost.

    ``gain`` is what that sentence would add; one that fits the budget goes before one that does not.
    ``covered`` is how often the summary has the word already: 0 where words have one level.
    """

    word: Word
    place: Place
    gain: float
    covered: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a sentence that somebody asked for is not in the summary.

    Attributes:
        question: what was asked for.
        quoted: whether the sentence holds that text, or is only the nearest to it.
        place: the sentence.
        number: its number in the summary, from 1, where it is in it after all.
        cost, total, field: as of a chosen sentence.
        gain: the weight it would add.
        new: its words with what it would add of each, the most first. They add up to the gain; with one
            level they are the words that the summary does not have.
        covered: by the number of the chosen sentence, the words both have, with what both cover of each.
        room: what is left of the budget.
        exchange: the chosen sentence, but none that must be in, in whose place it would do best.
        reason: why it could not be chosen at all, where it could not.
    """

    question: str
    quoted: bool
    place: Place
    number: int | None
    cost: float
    total: float
    field: float | None
    gain: float
    new: tuple[Word, ...]
    covered: tuple[tuple[int, tuple[Word, ...]], ...]
    room: float
    exchange: Exchange | None
    reason: str = ""

    @property
    def fits(self) -> bool:
        """Whether it could be added to the summary as it is."""
        return self.cost <= self.room


@dataclass(frozen=True, slots=True)
class Explanation:
    """All of it; the sentences in reading order, as the summary has them.

    ``cut`` is the sentence that was cut to fill the rest of the budget, as much of it as is there; ``levels``
    says whether a word may be worth covering more than once.
    """

    summary: Summary
    sentences: tuple[ChosenSentence, ...]
    missed: tuple[MissedWord, ...]
    answers: tuple[Answer, ...]
    cut: Place | None = None
    levels: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A text that somebody misses, and the sentence of the cluster, by its index, that was meant."""

    text: str
    sentence: int
    quoted: bool


def explain_all(made: Sequence[Workings], config: Config, questions: Sequence[str] = ()) -> list[Explanation]:
    """Return the explanation of each summary; each question goes to the cluster that it is about.

    A cluster may have several summaries, one for each budget: then it is answered for each.
    """
    tokenized = [each.tokenized for each in made]
    found = [find(text, [each.cluster for each in tokenized]) for text in questions]
    asked = [(tokenized[number], question) for number, question in found]
    forms: dict[int, dict[str, str]] = {}  # of each cluster, which may have several summaries
    for each in tokenized:
        if id(each) not in forms:
            forms[id(each)] = surface_forms(each.cluster, config.analysis.locate(each.cluster))
    return [
        explain(
            each,
            forms[id(each.tokenized)],
            field_of(each.graph, each.summary.selection, config.selector),
            [question for about, question in asked if about is each.tokenized],
            partial(config.candidates.reason, each.tokenized),
            config.select.must,
            config.analysis.kept_stop_terms(each.tokenized.cluster.language),
            prices_of(each.graph, each.tokenized, each.summary.selection.budget, config.select.reading),
        )
        for each in made
    ]


def explain(
    made: Workings,
    forms: Mapping[str, str],
    field: Floats | None = None,
    questions: Iterable[Question] = (),
    reason: Callable[[int], str] = lambda _: "",
    must: Sequence[str] = (),
    function: Collection[str] = (),
    prices: ReadingPrices | None = None,
) -> Explanation:
    """Return why a summary is what it is.

    ``forms`` has each term as people read it; ``field`` is h_i of each sentence of the graph;
    ``reason`` says of a sentence of the cluster why it is no candidate; ``must`` has texts of required ones;
    ``function`` are the terms of function words; ``prices`` tell what is hard to read.
    """
    view = dataclasses.replace(_View.of(made, forms, field, must, function), prices=prices)
    chosen = view.cover.members
    return Explanation(
        made.summary,
        tuple(view.chosen_sentence(i) for i in chosen),
        tuple(view.missed_words(MOST_MISSED)),
        tuple(view.answer(question, reason) for question in questions),
        view.cut(made.summary),
        levels=len(made.graph.further) > 0,
    )


def field_of(graph: CoverageGraph, selection: Selection, selector: Selector) -> Floats | None:
    """Return h_i of each sentence before any is chosen, where a selector ranks by it; NaN where none fits.

    Beta and mu are those that the selection was made with, given or found.
    """
    if not isinstance(selector, BeliefPropagation) or "beta" not in selection.diagnostics:
        return None  # nothing was ranked where what must be in leaves no room
    part, kept = within_budget(graph, selection.budget)
    beta, mu = selection.diagnostics["beta"], selection.diagnostics["mu"]
    damping = None if isinstance(selector.damping, str) else selector.damping
    beliefs = propagate(part, beta, mu, selector.iterations, damping, selector.tolerance)
    field = np.full(len(graph.cost), np.nan)
    field[kept] = beliefs.field
    return field


def surface_forms(cluster: Cluster, spans: Sequence[Sequence[Span]]) -> dict[str, str]:
    """Return each term as people read it: the form that it most often has, the first of equals.

    The spans of a sentence have its words before its bigrams.
    """
    forms: dict[str, Counter[str]] = {}
    for sentence, found in zip(cluster.sentences, spans, strict=True):
        ends: dict[int, int] = {}  # of the words, by their other end
        starts: dict[int, int] = {}
        for span in found:
            if is_bigram(span.term):  # two words, whatever stands between them
                parts = [(span.start, ends[span.start]), (starts[span.end], span.end)]
            else:
                ends[span.start], starts[span.end] = span.end, span.start
                parts = [(span.start, span.end)]
            form = " ".join(sentence.text[start:end] for start, end in parts)
            forms.setdefault(span.term, Counter())[form] += 1
    return {term: counts.most_common(1)[0][0] for term, counts in forms.items()}


def concept_names(made: Workings, forms: Mapping[str, str]) -> list[str]:
    """Return each word of a graph as people read it: a bigram as two words, a bonus as a place."""
    concepts = made.weights.words
    return [
        forms.get(concepts[a], concepts[a]) if a < len(concepts) else PLACE
        for a in made.graph.word_ids.tolist()
    ]


def function_concepts(made: Workings, function: Collection[str]) -> list[bool]:
    """Return which words of a graph are function words, or two of them; ``function`` has their terms."""
    concepts = made.weights.words
    return [
        bool(function) and a < len(concepts) and all(term in function for term in parts(concepts[a]))
        for a in made.graph.word_ids.tolist()
    ]


def worth_showing(words_: Sequence[Word]) -> Sequence[Word]:
    """Return words without the function words among them, where there are others."""
    return [word for word in words_ if not word.function] or words_


def missed_to_show(explanation: Explanation) -> Sequence[MissedWord]:
    """Return the heaviest of the missed words, without function words where there are others."""
    missed = explanation.missed
    return ([each for each in missed if not each.word.function] or missed)[:MOST_MISSED]


def find(text: str, clusters: Sequence[Cluster]) -> tuple[int, Question]:
    """Return the cluster, and in it the sentence, that holds a text, or else has the most of its words."""
    wanted = _plain_text(text)
    for number, cluster in enumerate(clusters):
        for i, sentence in enumerate(cluster.sentences):
            if wanted and wanted in _plain_text(sentence.text):
                return number, Question(text, i, quoted=True)
    best: tuple[float, float] = (0, 0)
    nearest: tuple[int, Question] | None = None
    for number, cluster in enumerate(clusters):
        asked = set(words(text, cluster.language))
        for i, sentence in enumerate(cluster.sentences):
            own = set(words(sentence.text, cluster.language))
            likeness = (len(asked & own), -len(own - asked))
            if likeness[0] and (nearest is None or likeness > best):
                best, nearest = likeness, (number, Question(text, i, quoted=False))
    if nearest is None:
        raise SettingError(named("why_not"), f'no sentence has a word of "{text}"', "quote some words of it")
    return nearest


def _plain_text(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """A choice of sentences of a graph, and what it covers.

    Attributes:
        graph: the problem.
        members: the chosen sentences, ascending.
        room: what is left of the budget.
        curve: what each word is worth by its occurrences.
        met: how often the chosen sentences hold each word, shape (M,).
    """

    graph: CoverageGraph
    members: tuple[int, ...]
    room: float
    curve: Curves
    met: Indices

    @classmethod
    def of(cls, graph: CoverageGraph, members: tuple[int, ...], budget: float) -> Cover:
        """Return what chosen sentences cover."""
        room = budget - math.fsum(graph.cost[list(members)].tolist())
        return cls(graph, members, room, curves(graph), occurrences(graph, members))

    def held(self, i: int) -> tuple[Indices, Indices]:
        """Return the words that a sentence holds, and how often it holds each."""
        edges = slice(*np.searchsorted(self.graph.edge_sentence, [i, i + 1]))
        return self.graph.edge_word[edges], self.graph.count[edges]

    def values(self, i: int) -> dict[int, float]:
        """Return what a sentence by itself covers of each of its words."""
        words_, count = self.held(i)
        return _by_word(words_, self.curve.at(words_, count))

    def lost(self, i: int) -> dict[int, float]:
        """Return what would be lost of each word without a chosen sentence, where anything could be."""
        words_, count = self.held(i)
        rest = self.met[words_] - count
        loss = self.curve.at(words_, rest + count) - self.curve.at(words_, rest)
        return _by_word(words_, loss, rest < self.curve.levels[words_])

    def shared(self, i: int) -> dict[int, float]:
        """Return what would stay of each word that other chosen sentences have too."""
        words_, count = self.held(i)
        rest = self.met[words_] - count
        loss = self.curve.at(words_, rest + count) - self.curve.at(words_, rest)
        return _by_word(words_, self.curve.at(words_, count) - loss, rest > 0)

    def common(self, i: int, j: int) -> dict[int, float]:
        """Return what two sentences both cover: of each word, what the second adds less beside the first."""
        (words_, count), (others, times) = self.held(i), self.held(j)
        both, first, second = np.intersect1d(words_, others, assume_unique=True, return_indices=True)
        count, times = count[first], times[second]
        together = self.curve.at(both, count + times)
        return _by_word(both, self.curve.at(both, count) + self.curve.at(both, times) - together)

    def added(self, i: int, without: int | None = None) -> dict[int, float]:
        """Return what a sentence would add of each word to the choice, or to it without one member.

        Words of which all is covered are not in it.
        """
        if i in self.members and i != without:
            return {}
        words_, count = self.held(i)
        met = self._met(without)[words_]
        more = self.curve.at(words_, met + count) - self.curve.at(words_, met)
        return _by_word(words_, more, met < self.curve.levels[words_])

    def next_levels(self) -> Floats:
        """Return what one occurrence more of each word would be worth, shape (M,)."""
        return left_after(self.graph, self.met)[0]

    def gains(self, without: int | None = None) -> Floats:
        """Return what each sentence would add to the choice, or to it without one member, shape (N,).

        What it says of members is meaningless.
        """
        return gains(self.graph, self.curve, self._met(without))

    def figures(self) -> list[tuple[float, float]]:
        """Return what each sentence covers by itself, and what it adds or would add to the others chosen."""
        total = gains(self.graph, self.curve, np.zeros_like(self.met)).tolist()
        gain = self.gains().tolist()
        for i in self.members:
            gain[i] = math.fsum(self.lost(i).values())
        return list(zip(total, gain, strict=True))

    def _met(self, without: int | None) -> Indices:
        if without is None:
            return self.met
        met = self.met.copy()
        words_, count = self.held(without)
        met[words_] -= count
        return met

    def runner_up(self, member: int) -> int | None:
        """Return the sentence that would add the most in the place of a member and fits there."""
        gain = self.gains(without=member)
        gain[self.graph.cost > self.room + self.graph.cost[member]] = 0.0
        gain[list(self.members)] = 0.0
        best = int(gain.argmax())
        return best if gain[best] > 0 else None

    def exchange(self, out: int, into: int) -> float:
        """Return what would be covered more with one sentence in the place of a member; below 0: less."""
        return math.fsum(self.added(into, without=out).values()) - math.fsum(self.lost(out).values())


def _by_word(words_: Indices, values: Floats, listed: NDArray[np.bool_] | None = None) -> dict[int, float]:
    """Return values by their words, or those of the listed words alone; rounding makes none negative."""
    pairs = zip(words_.tolist(), np.maximum(values, 0.0).tolist(), strict=True)
    return dict(pairs if listed is None else itertools.compress(pairs, listed))


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A choice with the texts that it is about."""

    cluster: Cluster
    sentences: tuple[Sentence, ...]
    cover: Cover
    budget: float
    unit: str
    words: list[str]  # each word of the graph as people read it
    function: list[bool]  # whether it is a function word
    concepts: NDArray[np.bool_]  # which of them stand in the text, and not for a place
    field: Floats | None
    fixed: frozenset[int]  # members that must be in
    prices: ReadingPrices | None = None

    @classmethod
    def of(
        cls,
        made: Workings,
        forms: Mapping[str, str],
        field: Floats | None,
        must: Sequence[str],
        function: Collection[str],
    ) -> _View:
        cluster, graph, selection = made.tokenized.cluster, made.graph, made.summary.selection
        cover = Cover.of(graph, selection.chosen, selection.budget)
        concepts = graph.word_ids < len(made.weights.words)
        names = concept_names(made, forms)
        texts = [sentence.text for sentence in cluster.sentences]
        wanted = {texts[i] for i in required(must, cluster).values()}
        fixed = frozenset(i for i in selection.chosen if texts[graph.sentence_ids[i]] in wanted)
        return cls(
            cluster, cluster.sentences, cover, selection.budget, selection.unit,
            names, function_concepts(made, function), concepts, field, fixed,
        )  # fmt: skip

    def chosen_sentence(self, i: int) -> ChosenSentence:
        cover = self.cover
        lost = cover.lost(i)
        other = None if i in self.fixed else cover.runner_up(i)
        return ChosenSentence(
            place=self.place(i),
            cost=float(cover.graph.cost[i]),
            total=math.fsum(cover.values(i).values()),
            loss=math.fsum(lost.values()),
            alone=self.named(lost),
            shared=self.named(cover.shared(i)),
            field=self.field_of(i),
            runner_up=None if other is None else self.exchange(i, other, other),
            required=i in self.fixed,
        )

    def missed_words(self, most: int) -> Iterable[MissedWord]:
        cover, graph = self.cover, self.cover.graph
        fits = graph.cost <= self.budget
        value = per_cost(cover.gains(), graph.cost)
        left_out = ~np.isin(graph.edge_sentence, cover.members)
        held = self.concepts & (np.bincount(graph.edge_word[left_out], minlength=len(graph.weight)) > 0)
        weight = cover.next_levels()
        left = [int(a) for a in np.argsort(-weight, kind="stable") if held[a] and weight[a] > 0]
        # As many of all words, and as many that are no function words.
        listed = {*left[:most], *[a for a in left if not self.function[a]][:most]}
        for a in filter(listed.__contains__, left):
            holders = graph.edge_sentence[left_out & (graph.edge_word == a)]
            best = int(max(holders, key=lambda i: (fits[i], value[i], -i)))
            gain = math.fsum(cover.added(best).values())
            yield MissedWord(self.word(a, float(weight[a])), self.place(best), gain, int(cover.met[a]))

    def cut(self, summary: Summary) -> Place | None:
        node = summary.selection.cut
        if node is None or len(summary.sentences) == len(self.cover.members):
            return None
        return dataclasses.replace(self.place(node), sentence=summary.sentences[-1])

    def answer(self, question: Question, reason: Callable[[int], str]) -> Answer:
        """Return what there is to say of a sentence; one that is repeated stands for its first occurrence."""
        cover, text = self.cover, self.sentences[question.sentence].text
        ids = cover.graph.sentence_ids.tolist()
        i = next((i for i, id_ in enumerate(ids) if self.sentences[id_].text == text), None)
        make: Callable[..., Answer] = lambda **parts: Answer(  # noqa: E731 (what both cases share)
            question=question.text, quoted=question.quoted, room=cover.room, **parts
        )
        if i is None:  # it is no candidate, or no word of it has weight
            sentence = self.sentences[question.sentence]
            return make(
                place=self.place_of(question.sentence), number=None, cost=cost_in(sentence, self.unit),
                total=0.0, field=None, gain=0.0, new=(), covered=(), exchange=None,
                reason=reason(question.sentence),
            )  # fmt: skip
        new = cover.added(i)
        by_member = [(number, cover.common(i, m)) for number, m in enumerate(cover.members, start=1)]
        return make(
            place=self.place(i),
            number=cover.members.index(i) + 1 if i in cover.members else None,
            cost=float(cover.graph.cost[i]),
            total=math.fsum(cover.values(i).values()),
            field=self.field_of(i),
            gain=math.fsum(new.values()),
            new=self.named(new),
            covered=tuple((number, self.named(common)) for number, common in by_member if common),
            exchange=None if i in cover.members else self.best_exchange(i),
        )

    def best_exchange(self, i: int) -> Exchange | None:
        cover = self.cover
        possible = [
            member
            for member in cover.members
            if member not in self.fixed and cover.graph.cost[i] <= cover.room + cover.graph.cost[member]
        ]
        if not possible:
            return None
        best = max(possible, key=lambda member: cover.exchange(member, i))
        return self.exchange(best, i, best)

    def exchange(self, out: int, into: int, shown: int) -> Exchange:
        """Return what comes of one sentence in the place of a member; ``shown`` is the one to name."""
        return Exchange(self.place(shown), self.cover.exchange(out, into), self.reasons(out, into))

    def reasons(self, out: int, into: int) -> tuple[str, ...]:
        """Return what makes a sentence hard to read in the place of a member, the dearest first."""
        if self.prices is None:
            return ()
        members = sorted({*self.cover.members, into} - {out})
        numbers = {i: number for number, i in enumerate(self.cover.members, start=1)}
        faults = [fault for fault in self.prices.faults(members) if fault.sentence == into]
        dear = sorted(
            (fault for fault in faults if fault.price >= _LEAST_PRICE), key=lambda each: -each.price
        )
        return tuple(dict.fromkeys(in_words(fault, numbers) for fault in dear))[:_MOST_REASONS]

    def word(self, a: int, weight: float) -> Word:
        return Word(self.words[a], weight, self.function[a])

    def named(self, weights: Mapping[int, float]) -> tuple[Word, ...]:
        """Return words as people read them, the heaviest first."""
        ordered = sorted(weights.items(), key=lambda each: (-each[1], each[0]))
        return tuple(self.word(a, weight) for a, weight in ordered)

    def place(self, i: int) -> Place:
        return self.place_of(int(self.cover.graph.sentence_ids[i]))

    def place_of(self, index: int) -> Place:
        sentence = self.sentences[index]
        document = self.cluster.documents[sentence.document]
        return Place(index, document.id, len(document.sentences), sentence, document.date)

    def field_of(self, i: int) -> float | None:
        return None if self.field is None or np.isnan(self.field[i]) else float(self.field[i])
