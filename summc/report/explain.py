"""Explain a summary in numbers: what each sentence adds, what could replace it, and which words are missing.

The numbers depend only on the graph and the chosen sentences, not on the selector that chose them.

In the simplest weighting a summary gets the weight of a word for the first occurrence of the word, and
nothing for further ones. In other weightings a word has several levels: the nth level is the weight that the
nth occurrence of the word adds.
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

from summc.errors import SettingError, as_typed
from summc.graph import Curves, curves, gains, left_after, occurrences
from summc.graph.build import cost_in, nodes_of, within_budget
from summc.method import prices_of
from summc.preprocess.analysis import is_bigram, parts
from summc.preprocess.candidates import required
from summc.preprocess.terms import Span, words
from summc.records import Cluster, CoverageGraph, Floats, Indices, Run, Selection, Sentence
from summc.selectors import BeliefPropagation, Selector
from summc.selectors.base import per_cost
from summc.selectors.belief_propagation import propagate
from summc.selectors.reading import ReadingPrices, in_words
from summc.settings.config import Config

#: Some weightings reward a sentence for its place in the document. The graph then has an extra word for it,
#: whose weight is the reward. This is the name that is shown for the extra word.
PLACE = "its place"
#: The most uncovered words to show.
MOST_MISSED = 6
#: A fault that makes a summary hard to read has a price, as a share of the coverage. Faults with a lower
#: price than the first number are not named. The second number is the most faults to name.
_LEAST_PRICE, _MOST_REASONS = 0.002, 2


@dataclass(frozen=True, slots=True)
class Word:
    """A word or bigram of a sentence in its most frequent form, with a weight that the sentence covers of it.

    If only the first occurrence of a word has weight, this is w_a, the weight of the word. ``function`` is
    true for function words, such as "of" or "in the".
    """

    text: str
    weight: float
    function: bool = False


@dataclass(frozen=True, slots=True)
class Location:
    """A sentence, and where it is.

    ``index`` is its index in the cluster. ``document``, ``length`` and ``date`` are the id of its document,
    the number of sentences in that document, and its date, or "" if that is unknown.
    """

    index: int
    document: str
    length: int
    sentence: Sentence
    date: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The effect of replacing a sentence of the summary by another sentence.

    ``location`` is the other sentence: the new one for a chosen sentence, the replaced one for a sentence
    that was left out. ``change`` is the change in covered weight. ``reasons`` say why the new sentence would
    be hard to read in the summary.
    """

    location: Location
    change: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenSentence:
    """A sentence of the summary, and what it contributes.

    Attributes:
        location: the sentence and where it is.
        cost: c_i, the part of the budget that the sentence uses.
        total: the weight that the sentence would cover by itself.
        loss: the weight that the summary would lose without the sentence.
        alone: the words of the sentence, each with the part of the loss that is due to the word, largest
            first. If only first occurrences have weight, these are the words that no other chosen sentence
            has.
        shared: the words that another chosen sentence has too, each with the part of ``total`` that is due to
            the word and would not be lost without this sentence.
        field: h_i of belief propagation, if belief propagation ranked the sentences.
        runner_up: the best sentence that could replace this one within the budget, if any adds weight.
        required: whether the user requires the sentence, so that no other sentence can replace it.
    """

    location: Location
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
    """A word of which one more occurrence would add weight, with the best sentence that holds the word.

    That is the sentence outside the summary that adds the most weight per cost. Sentences that are longer
    than the budget come last. ``gain`` is the weight that the sentence would add. ``covered`` is how often
    the word occurs in the summary already. It is 0 if only first occurrences have weight.
    """

    word: Word
    location: Location
    gain: float
    covered: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a sentence that the user asked about is not in the summary.

    Attributes:
        question: the text that the user gave.
        quoted: whether the sentence holds that text; otherwise it is the sentence most similar to the text.
        location: the sentence and where it is.
        number: its number in the summary, from 1, if it is in the summary after all; otherwise None.
        cost: c_i, the part of the budget that the sentence would use.
        total: the weight that the sentence would cover by itself.
        field: h_i of belief propagation, if belief propagation ranked the sentences.
        gain: the weight that the sentence would add to the summary.
        new: the words of the sentence, each with the part of the gain that is due to the word, largest first.
            If only first occurrences have weight, these are the words that the summary does not have.
        covered: the number of each chosen sentence that has words in common with this one, and these words,
            each with the weight that both sentences cover.
        room: the unused part of the budget.
        exchange: the best way to put the sentence in place of a chosen one that is not required, if any fits.
        reason: why the sentence is not a candidate (may not be chosen), or "".
    """

    question: str
    quoted: bool
    location: Location
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
        """Whether the sentence fits into the unused part of the budget."""
        return self.cost <= self.room


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a summary; its sentences are in reading order.

    ``missed`` has words that would add weight to the summary. ``answers`` say why sentences that the user
    misses are not in it. ``cut`` is the sentence that was cut to fill the rest of the budget, if any; it is
    the last of the summary and not in ``sentences``. ``levels`` tells whether further occurrences of a word
    can add weight.
    """

    summary: Run
    sentences: tuple[ChosenSentence, ...]
    missed: tuple[MissedWord, ...]
    answers: tuple[Answer, ...]
    cut: Location | None = None
    levels: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A text that the user misses in a summary, and the index in the cluster of the sentence that is meant.

    ``quoted`` tells whether the sentence holds the text; otherwise it is the most similar sentence.
    """

    text: str
    sentence: int
    quoted: bool


def explain_all(made: Sequence[Run], config: Config, questions: Sequence[str] = ()) -> list[Explanation]:
    """Return the explanation of each summary, with answers to ``questions``.

    A question is a text that the user misses. It is answered for the cluster that has the text, in the
    explanation of each of its summaries (a cluster may have one for each budget).
    """
    tokenized = [each.tokenized for each in made]
    found = [find(text, [each.cluster for each in tokenized]) for text in questions]
    asked = [(tokenized[number], question) for number, question in found]
    forms: dict[int, dict[str, str]] = {}  # made once for each cluster, for all its summaries
    for each in tokenized:
        if id(each) not in forms:
            forms[id(each)] = surface_forms(each.cluster, config.analysis.locate(each.cluster))
    return [
        explain(
            each,
            forms[id(each.tokenized)],
            field_of(each.graph, each.selection, config.selector),
            [question for about, question in asked if about is each.tokenized],
            partial(config.candidates.reason, each.tokenized),
            config.select.must,
            config.analysis.kept_stop_terms(each.tokenized.cluster.language),
            prices_of(
                each.graph, each.tokenized, dataclasses.replace(config.select, budget=each.selection.budget)
            ),
        )
        for each in made
    ]


def explain(
    made: Run,
    forms: Mapping[str, str],
    field: Floats | None = None,
    questions: Iterable[Question] = (),
    reason: Callable[[int], str] = lambda _: "",
    must: Sequence[str] = (),
    function: Collection[str] = (),
    prices: ReadingPrices | None = None,
) -> Explanation:
    """Return the explanation of a summary.

    ``forms`` maps a term to the form of the word that readers see. ``field`` is h_i of each sentence of the
    graph. ``reason`` returns why a sentence of the cluster is not a candidate (may not be chosen), or "".
    ``must`` has texts of required sentences. ``function`` has the terms of function words. ``prices`` finds
    what would be hard to read in a summary.
    """
    view = dataclasses.replace(_View.of(made, forms, field, must, function), prices=prices)
    chosen = view.cover.members
    return Explanation(
        made,
        tuple(view.chosen_sentence(i) for i in chosen),
        tuple(view.missed_words(MOST_MISSED)),
        tuple(view.answer(question, reason) for question in questions),
        view.cut(made),
        levels=len(made.graph.repeats) > 0,
    )


def field_of(graph: CoverageGraph, selection: Selection, selector: Selector) -> Floats | None:
    """Return the field h_i that belief propagation gives each sentence before any sentence is chosen.

    Returns None if the selector is not belief propagation. The field is NaN for a sentence that is longer
    than the budget. Beta and mu are those that the selection used.
    """
    if not isinstance(selector, BeliefPropagation) or "beta" not in selection.diagnostics:
        return None  # no beta: required sentences left no room, so none was ranked
    part, kept = within_budget(graph, selection.budget)
    beta, mu = selection.diagnostics["beta"], selection.diagnostics["mu"]
    damping = None if isinstance(selector.damping, str) else selector.damping
    beliefs = propagate(part, beta, mu, selector.iterations, damping, selector.tolerance)
    field = np.full(len(graph.cost), np.nan)
    field[kept] = beliefs.field
    return field


def surface_forms(cluster: Cluster, spans: Sequence[Sequence[Span]]) -> dict[str, str]:
    """Return for each term its most frequent form in the text; on a tie, the form that occurs first.

    ``spans`` has the positions of the terms in each sentence, words before bigrams.
    """
    forms: dict[str, Counter[str]] = {}
    for sentence, found in zip(cluster.sentences, spans, strict=True):
        ends: dict[int, int] = {}  # start of a word -> its end; ``starts`` is the inverse
        starts: dict[int, int] = {}
        for span in found:
            if is_bigram(span.term):  # show its two words without the text between them
                parts = [(span.start, ends[span.start]), (starts[span.end], span.end)]
            else:
                ends[span.start], starts[span.end] = span.end, span.start
                parts = [(span.start, span.end)]
            form = " ".join(sentence.text[start:end] for start, end in parts)
            forms.setdefault(span.term, Counter())[form] += 1
    return {term: counts.most_common(1)[0][0] for term, counts in forms.items()}


def concept_names(made: Run, forms: Mapping[str, str]) -> list[str]:
    """Return the name to show for each word of the graph.

    That is the most frequent form of the word, or ``PLACE`` for an extra word that rewards a sentence's
    place.
    """
    concepts = made.weights.words
    return [
        forms.get(concepts[a], concepts[a]) if a < len(concepts) else PLACE
        for a in made.graph.word_ids.tolist()
    ]


def function_concepts(made: Run, function: Collection[str]) -> list[bool]:
    """Return for each word of the graph whether it is a function word, or a bigram of two function words.

    ``function`` has the terms of function words.
    """
    concepts = made.weights.words
    return [
        bool(function) and a < len(concepts) and all(term in function for term in parts(concepts[a]))
        for a in made.graph.word_ids.tolist()
    ]


def worth_showing(words_: Sequence[Word]) -> Sequence[Word]:
    """Return the words that are not function words; if all are function words, return all."""
    return [word for word in words_ if not word.function] or words_


def missed_to_show(explanation: Explanation) -> Sequence[MissedWord]:
    """Return the heaviest missed words, without function words unless all missed words are function words."""
    missed = explanation.missed
    return ([each for each in missed if not each.word.function] or missed)[:MOST_MISSED]


def find(text: str, clusters: Sequence[Cluster]) -> tuple[int, Question]:
    """Find the sentence that holds a text, or else the sentence that has the most words of the text.

    Returns the index of its cluster, and the question about it. Raises ``SettingError`` if no sentence has a
    word of the text.
    """
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
        raise SettingError(
            as_typed("why_not"), f'no sentence has a word of "{text}"', "quote some words of it"
        )
    return nearest


def _plain_text(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """The chosen sentences of a graph, and the words that they cover.

    Sentences and words are given by their indices in the graph. M is the number of words, and N that of
    sentences.

    Attributes:
        graph: the graph.
        members: the chosen sentences, ascending.
        room: the unused part of the budget.
        curve: the covered weight of each word as a function of its number of occurrences.
        times: how often each word occurs in the chosen sentences, shape (M,).
    """

    graph: CoverageGraph
    members: tuple[int, ...]
    room: float
    curve: Curves
    times: Indices

    @classmethod
    def of(cls, graph: CoverageGraph, members: tuple[int, ...], budget: float) -> Cover:
        """Return the cover that consists of the chosen sentences ``members``."""
        room = budget - math.fsum(graph.cost[list(members)].tolist())
        return cls(graph, members, room, curves(graph), occurrences(graph, members))

    def held(self, i: int) -> tuple[Indices, Indices]:
        """Return the words of a sentence, and how often the sentence holds each of them."""
        edges = slice(*np.searchsorted(self.graph.edge_sentence, [i, i + 1]))
        return self.graph.edge_word[edges], self.graph.count[edges]

    def values(self, i: int) -> dict[int, float]:
        """Return for each word of a sentence the weight that the sentence covers of it by itself."""
        words_, count = self.held(i)
        return _by_word(words_, self.curve.at(words_, count))

    def lost(self, i: int) -> dict[int, float]:
        """Return for each word of a chosen sentence the weight that would be lost without the sentence.

        Words that the other chosen sentences cover completely are left out.
        """
        words_, count = self.held(i)
        rest = self.times[words_] - count
        loss = self.curve.at(words_, rest + count) - self.curve.at(words_, rest)
        return _by_word(words_, loss, rest < self.curve.levels[words_])

    def shared(self, i: int) -> dict[int, float]:
        """Return the words that a chosen sentence shares with other chosen sentences, each with a weight.

        The weight is the part of what the sentence covers by itself that would stay covered without it.
        """
        words_, count = self.held(i)
        rest = self.times[words_] - count
        loss = self.curve.at(words_, rest + count) - self.curve.at(words_, rest)
        return _by_word(words_, self.curve.at(words_, count) - loss, rest > 0)

    def common(self, i: int, j: int) -> dict[int, float]:
        """Return for each word that two sentences have in common the weight that both of them cover.

        If one of them is chosen already, the other one adds that much less.
        """
        (words_, count), (others, times) = self.held(i), self.held(j)
        both, first, second = np.intersect1d(words_, others, assume_unique=True, return_indices=True)
        count, times = count[first], times[second]
        together = self.curve.at(both, count + times)
        return _by_word(both, self.curve.at(both, count) + self.curve.at(both, times) - together)

    def added(self, i: int, without: int | None = None) -> dict[int, float]:
        """Return for each word of a sentence the weight that it would add to the chosen sentences.

        If ``without`` is given, this chosen sentence is taken out before. Words that are covered completely
        without the new sentence are left out.
        """
        if i in self.members and i != without:
            return {}
        words_, count = self.held(i)
        times = self._met(without)[words_]
        more = self.curve.at(words_, times + count) - self.curve.at(words_, times)
        return _by_word(words_, more, times < self.curve.levels[words_])

    def next_levels(self) -> Floats:
        """Return the weight that one more occurrence of each word would add, shape (M,)."""
        return left_after(self.graph, self.times)[0]

    def gains(self, without: int | None = None) -> Floats:
        """Return the weight that each sentence would add to the chosen sentences, shape (N,).

        If ``without`` is given, this chosen sentence is taken out before. The values of the chosen sentences
        themselves are meaningless.
        """
        return gains(self.graph, self.curve, self._met(without))

    def figures(self) -> list[tuple[float, float]]:
        """Return for each sentence the weight that it covers by itself, and the weight that it adds.

        The latter is what it adds, or would add, to the other chosen sentences.
        """
        total = gains(self.graph, self.curve, np.zeros_like(self.times)).tolist()
        gain = self.gains().tolist()
        for i in self.members:
            gain[i] = math.fsum(self.lost(i).values())
        return list(zip(total, gain, strict=True))

    def _met(self, without: int | None) -> Indices:
        if without is None:
            return self.times
        times = self.times.copy()
        words_, count = self.held(without)
        times[words_] -= count
        return times

    def runner_up(self, member: int) -> int | None:
        """Return the sentence that adds the most in place of ``member`` within the budget, or None."""
        gain = self.gains(without=member)
        gain[self.graph.cost > self.room + self.graph.cost[member]] = 0.0
        gain[list(self.members)] = 0.0
        best = int(gain.argmax())
        return best if gain[best] > 0 else None

    def exchange(self, out: int, into: int) -> float:
        """Return the change in covered weight if ``into`` replaced the chosen sentence ``out``."""
        return math.fsum(self.added(into, without=out).values()) - math.fsum(self.lost(out).values())


def _by_word(words_: Indices, values: Floats, listed: NDArray[np.bool_] | None = None) -> dict[int, float]:
    """Return word -> value, for all words or only for the ``listed`` ones.

    Negative values can only come from rounding, so they become 0.
    """
    pairs = zip(words_.tolist(), np.maximum(values, 0.0).tolist(), strict=True)
    return dict(pairs if listed is None else itertools.compress(pairs, listed))


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A summary with everything that the parts of its explanation are made from."""

    cluster: Cluster
    sentences: tuple[Sentence, ...]
    cover: Cover
    budget: float
    unit: str
    words: list[str]  # the name to show for each word of the graph
    function: list[bool]  # whether each word is a function word
    concepts: NDArray[np.bool_]  # whether each word occurs in the text; false for a reward for place
    field: Floats | None
    fixed: frozenset[int]  # the chosen sentences that the user requires
    prices: ReadingPrices | None = None

    @classmethod
    def of(
        cls,
        made: Run,
        forms: Mapping[str, str],
        field: Floats | None,
        must: Sequence[str],
        function: Collection[str],
    ) -> _View:
        cluster, graph, selection = made.tokenized.cluster, made.graph, made.selection
        cover = Cover.of(graph, selection.chosen, selection.budget)
        concepts = graph.word_ids < len(made.weights.words)
        names = concept_names(made, forms)
        wanted = nodes_of(required(must, cluster).values(), graph, cluster).values()
        fixed = frozenset(wanted) & frozenset(selection.chosen)
        return cls(
            cluster, cluster.sentences, cover, selection.budget, selection.unit,
            names, function_concepts(made, function), concepts, field, fixed,
        )  # fmt: skip

    def chosen_sentence(self, i: int) -> ChosenSentence:
        cover = self.cover
        lost = cover.lost(i)
        other = None if i in self.fixed else cover.runner_up(i)
        return ChosenSentence(
            location=self.location(i),
            cost=float(cover.graph.cost[i]),
            total=math.fsum(cover.values(i).values()),
            loss=math.fsum(lost.values()),
            alone=self.as_typed(lost),
            shared=self.as_typed(cover.shared(i)),
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
        # Up to ``most`` of all words, and up to ``most`` that are not function words.
        listed = {*left[:most], *[a for a in left if not self.function[a]][:most]}
        for a in filter(listed.__contains__, left):
            holders = graph.edge_sentence[left_out & (graph.edge_word == a)]
            best = int(max(holders, key=lambda i: (fits[i], value[i], -i)))
            gain = math.fsum(cover.added(best).values())
            yield MissedWord(self.word(a, float(weight[a])), self.location(best), gain, int(cover.times[a]))

    def cut(self, summary: Run) -> Location | None:
        node = summary.selection.cut
        if node is None or len(summary.sentences) == len(self.cover.members):
            return None
        return dataclasses.replace(self.location(node), sentence=summary.sentences[-1])

    def answer(self, question: Question, reason: Callable[[int], str]) -> Answer:
        """Return the answer about the sentence of a question.

        If only another sentence with an equal text may be chosen, the answer is about that one. ``reason``
        returns why a sentence of the cluster may not be chosen.
        """
        cover = self.cover
        i = nodes_of([question.sentence], cover.graph, self.cluster).get(question.sentence)
        make: Callable[..., Answer] = lambda **parts: Answer(  # noqa: E731 (what both cases share)
            question=question.text, quoted=question.quoted, room=cover.room, **parts
        )
        if i is None:  # not a candidate, or none of its words has weight
            sentence = self.sentences[question.sentence]
            return make(
                location=self.location_of(question.sentence), number=None, cost=cost_in(sentence, self.unit),
                total=0.0, field=None, gain=0.0, new=(), covered=(), exchange=None,
                reason=reason(question.sentence),
            )  # fmt: skip
        new = cover.added(i)
        by_member = [(number, cover.common(i, m)) for number, m in enumerate(cover.members, start=1)]
        return make(
            location=self.location(i),
            number=cover.members.index(i) + 1 if i in cover.members else None,
            cost=float(cover.graph.cost[i]),
            total=math.fsum(cover.values(i).values()),
            field=self.field_of(i),
            gain=math.fsum(new.values()),
            new=self.as_typed(new),
            covered=tuple((number, self.as_typed(common)) for number, common in by_member if common),
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
        """Return the effect of replacing ``out`` by ``into``; ``shown`` is the sentence to name."""
        return Exchange(self.location(shown), self.cover.exchange(out, into), self.reasons(out, into))

    def reasons(self, out: int, into: int) -> tuple[str, ...]:
        """Return why ``into`` would be hard to read in place of ``out``, the worst fault first."""
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

    def as_typed(self, weights: Mapping[int, float]) -> tuple[Word, ...]:
        """Return words with their weights, heaviest first, as records that can be shown to the user.

        ``weights`` maps the index of each word in the graph to its weight.
        """
        ordered = sorted(weights.items(), key=lambda each: (-each[1], each[0]))
        return tuple(self.word(a, weight) for a, weight in ordered)

    def location(self, i: int) -> Location:
        return self.location_of(int(self.cover.graph.sentence_ids[i]))

    def location_of(self, index: int) -> Location:
        sentence = self.sentences[index]
        document = self.cluster.documents[sentence.document]
        return Location(index, document.id, len(document.sentences), sentence, document.date)

    def field_of(self, i: int) -> float | None:
        return None if self.field is None or np.isnan(self.field[i]) else float(self.field[i])
