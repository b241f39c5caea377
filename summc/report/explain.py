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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.errors import SettingError, as_typed
from summc.graph import cost_in, curves, gains, gains_alone, left_after, nodes_of, occurrences, within_budget
from summc.method import prices_of
from summc.preprocess.analysis import is_bigram, parts
from summc.preprocess.candidates import required
from summc.preprocess.terms import Span, words
from summc.records import Cluster, CoverageGraph, Floats, Indices, Run, Selection, Sentence
from summc.selectors import BeliefPropagation, Selector
from summc.selectors.base import per_cost
from summc.selectors.belief_propagation import propagate
from summc.selectors.reading import in_words
from summc.settings.config import Config

#: Some weightings reward a sentence for its place in the document. The graph then has an extra word for it,
#: whose weight is the reward. This is the name that is shown for the extra word.
PLACE = "its place and act"
#: The most uncovered words to show.
MOST_MISSED = 6
#: A fault that makes a summary hard to read has a price, as a share of the coverage. Faults with a lower
#: price than the first number are not named. The second number is the most faults to name.
_LEAST_PRICE, _MOST_REASONS = 0.002, 2


@dataclass(frozen=True, slots=True)
class Word:
    """A word or bigram in its most frequent form, and the weight that a sentence covers of it.

    ``function`` is true for function words, such as "of" or "in the".
    """

    text: str
    weight: float
    function: bool = False


@dataclass(frozen=True, slots=True)
class Location:
    """A sentence and where it is: its index in the cluster, and the id, length and date of its document."""

    index: int
    document: str
    length: int
    sentence: Sentence
    date: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The change in covered weight if another sentence replaced one of the summary.

    ``location`` is the new sentence, but the replaced one in an ``Answer``. ``reasons`` say why the new
    sentence would be hard to read.
    """

    location: Location
    change: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenSentence:
    """A sentence of the summary, and what it contributes.

    Attributes:
        cost: c_i, the part of the budget that the sentence uses.
        total: the weight that the sentence would cover by itself.
        loss: the weight that the summary would lose without the sentence.
        alone: the words that make up the loss, each with its part of it, largest first.
        shared: the words that other chosen sentences have too, with the parts of ``total`` that are not lost.
        field: h_i of belief propagation, if belief propagation ranked the sentences.
        runner_up: the best sentence that could replace this one within the budget, if any adds weight.
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
    """A word of which one more occurrence would add weight, with the best sentence to add for it.

    That sentence adds the weight ``gain``. ``covered`` is how often the summary has the word already.
    """

    word: Word
    location: Location
    gain: float
    covered: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a sentence that the user asked about is not in the summary.

    Attributes:
        quoted: whether the sentence holds the text ``question``; otherwise it is the most similar sentence.
        room: the unused part of the budget.
        number: its number in the summary, from 1, if it is in the summary after all.
        total: the weight that the sentence would cover by itself.
        gain: the weight that the sentence would add to the summary.
        new: the words that make up the gain, each with its part of it, largest first.
        covered: the numbers of the chosen sentences that have words in common with this one, each with these
            words and the weights that both sentences cover.
        exchange: the best way to put the sentence in place of a chosen one that is not required, if any fits.
        reason: why the sentence may not be chosen, or "".
    """

    question: str
    quoted: bool
    location: Location
    cost: float
    room: float
    number: int | None = None
    total: float = 0.0
    gain: float = 0.0
    new: tuple[Word, ...] = ()
    covered: tuple[tuple[int, tuple[Word, ...]], ...] = ()
    field: float | None = None
    exchange: Exchange | None = None
    reason: str = ""

    @property
    def fits(self) -> bool:
        """Whether the sentence fits into the unused part of the budget."""
        return self.cost <= self.room


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the sentences of a summary were chosen; they are in reading order.

    ``missed`` has words that would add weight to the summary. ``answers`` say why sentences that the user
    misses are not in it. ``cut`` is the last sentence if it was cut to fill the budget; it is not in
    ``sentences``. ``levels`` tells whether further occurrences of a word can add weight.
    """

    summary: Run
    sentences: tuple[ChosenSentence, ...]
    missed: tuple[MissedWord, ...]
    answers: tuple[Answer, ...]
    cut: Location | None = None
    levels: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A text that the user misses, and the index in the cluster of the sentence that is meant.

    ``quoted`` tells whether the sentence holds the text; otherwise it is the most similar sentence.
    """

    text: str
    sentence: int
    quoted: bool


def explain_all(made: Sequence[Run], config: Config, questions: Sequence[str] = ()) -> list[Explanation]:
    """Return the explanation of each summary; a question is answered in those of the cluster it is about."""
    clusters = [each.tokenized.cluster for each in made]
    found = [find(text, clusters) for text in questions]
    asked = [(clusters[number], question) for number, question in found]
    distinct = {id(each): each for each in clusters}  # a cluster may have several summaries
    forms = {key: surface_forms(each, config.analysis.locate(each)) for key, each in distinct.items()}
    return [
        explain(each, config, [question for about, question in asked if about is cluster], forms[id(cluster)])
        for each, cluster in zip(made, clusters, strict=True)
    ]


def explain(
    made: Run, config: Config, questions: Iterable[Question] = (), forms: Mapping[str, str] | None = None
) -> Explanation:
    """Return the explanation of a summary; ``forms`` maps a term to the form that readers see."""
    view = _View(made, config, forms or {})
    return Explanation(
        made,
        tuple(view.chosen_sentence(i) for i in view.members),
        tuple(view.missed_words()),
        tuple(view.answer(question) for question in questions),
        view.cut(),
        levels=len(made.graph.repeats) > 0,
    )


def field_of(graph: CoverageGraph, selection: Selection, selector: Selector) -> Floats | None:
    """Return the field h_i that belief propagation gives each sentence before any sentence is chosen.

    It is NaN for a sentence that is longer than the budget, and None for other selectors.
    """
    if not isinstance(selector, BeliefPropagation) or "beta" not in selection.diagnostics:
        return None  # no beta: required sentences left no room, so none was ranked
    part, kept = within_budget(graph, selection.budget)
    beta, mu = selection.diagnostics["beta"], selection.diagnostics["mu"]
    damping = None if isinstance(selector.damping, str) else selector.damping
    field = np.full(len(graph.cost), np.nan)
    field[kept] = propagate(part, beta, mu, selector.iterations, damping, selector.tolerance).field
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
    """Return the name to show for each word of the graph; an extra word that rewards a place is ``PLACE``."""
    concepts = made.weights.words
    return [
        forms.get(concepts[a], concepts[a]) if a < len(concepts) else PLACE
        for a in made.graph.word_ids.tolist()
    ]


def function_concepts(made: Run, config: Config) -> list[bool]:
    """Return for each word of the graph whether it is a function word, or a bigram of two function words."""
    function, concepts = config.analysis.kept_stop_terms(made.cluster.language), made.weights.words
    return [
        bool(function) and a < len(concepts) and function.issuperset(parts(concepts[a]))
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

    Returns the index of its cluster, and the question about it.
    """
    wanted = _plain_text(text)
    places = [(number, i) for number, cluster in enumerate(clusters) for i in range(len(cluster.sentences))]
    for number, i in places:
        if wanted and wanted in _plain_text(clusters[number].sentences[i].text):
            return number, Question(text, i, quoted=True)
    likeness: dict[tuple[int, int], tuple[int, int]] = {}
    for number, i in places:
        language = clusters[number].language
        asked = set(words(text, language))
        own = set(words(clusters[number].sentences[i].text, language))
        if asked & own:
            likeness[number, i] = len(asked & own), -len(own - asked)
    if not likeness:
        raise SettingError(
            as_typed("why_not"), f'no sentence has a word of "{text}"', "quote some words of it"
        )
    number, i = max(likeness, key=likeness.__getitem__)
    return number, Question(text, i, quoted=False)


def _plain_text(text: str) -> str:
    return " ".join(text.casefold().split())


class _Cover:
    """The chosen sentences of a graph, and the words that they cover.

    Sentences and words are given by their indices in the graph. ``members`` are the chosen sentences,
    ``room`` is the unused part of the budget, and ``times`` is how often each word occurs in the members.
    """

    def __init__(self, graph: CoverageGraph, selection: Selection) -> None:
        self.graph, self.members = graph, selection.chosen
        self.room = selection.budget - math.fsum(graph.cost[list(self.members)].tolist())
        self.curve, self.times = curves(graph), occurrences(graph, self.members)

    def held(self, i: int) -> tuple[Indices, Indices]:
        """Return the words of a sentence, and how often the sentence holds each of them."""
        edges = slice(*np.searchsorted(self.graph.edge_sentence, [i, i + 1]))
        return self.graph.edge_word[edges], self.graph.count[edges]

    def times_without(self, member: int | None) -> Indices:
        """Return how often each word occurs in the chosen sentences, but for one of them."""
        times = self.times.copy()
        if member is not None:
            words_, count = self.held(member)
            times[words_] -= count
        return times

    def added(self, i: int, without: int | None = None) -> dict[int, float]:
        """Return for each word of a sentence the weight that it would add to the chosen sentences.

        The chosen sentence ``without`` is taken out before; if that is ``i``, the result is what would be
        lost without it. Words that are covered completely without the new sentence are left out.
        """
        if i in self.members and i != without:
            return {}
        words_, count = self.held(i)
        times = self.times_without(without)[words_]
        return _by_word(words_, self.curve.step(words_, times, count), times < self.curve.levels[words_])

    def loss(self, member: int) -> float:
        return math.fsum(self.added(member, without=member).values())

    def total(self, i: int) -> float:
        """Return the weight that a sentence covers by itself."""
        return math.fsum(self.curve.at(*self.held(i)).tolist())

    def shared(self, member: int) -> dict[int, float]:
        """Return the words that a chosen sentence shares with others, with the weights that would stay."""
        words_, count = self.held(member)
        rest = self.times[words_] - count
        kept = self.curve.at(words_, count) - self.curve.step(words_, rest, count)
        return _by_word(words_, kept, rest > 0)

    def common(self, i: int, j: int) -> dict[int, float]:
        """Return for each word that two sentences have in common the weight that both of them cover."""
        (words_, count), (others, times) = self.held(i), self.held(j)
        both, first, second = np.intersect1d(words_, others, assume_unique=True, return_indices=True)
        count, times = count[first], times[second]
        together = self.curve.at(both, count + times)
        return _by_word(both, self.curve.at(both, count) + self.curve.at(both, times) - together)

    def gains(self, without: int | None = None) -> Floats:
        """Return the weight that each sentence would add to the chosen sentences, but for ``without``.

        The values of the chosen sentences themselves are meaningless.
        """
        return gains(self.graph, self.times_without(without))

    def runner_up(self, member: int) -> int | None:
        """Return the sentence that adds the most in place of ``member`` within the budget, or None."""
        gain = self.gains(without=member)
        gain[self.graph.cost > self.room + self.graph.cost[member]] = 0.0
        gain[list(self.members)] = 0.0
        best = int(gain.argmax())
        return best if gain[best] > 0 else None

    def change(self, out: int, into: int) -> float:
        """Return the change in covered weight if ``into`` replaced the chosen sentence ``out``."""
        return math.fsum(self.added(into, without=out).values()) - self.loss(out)


def figures_of(made: Run) -> list[tuple[float, float]]:
    """Return for each sentence of the graph the weight that it covers by itself, and the weight it adds.

    The latter is what it adds, or would add, to the other chosen sentences.
    """
    cover = _Cover(made.graph, made.selection)
    total = gains_alone(made.graph).tolist()
    gain = cover.gains().tolist()
    for i in cover.members:
        gain[i] = cover.loss(i)
    return list(zip(total, gain, strict=True))


def _by_word(words_: Indices, values: Floats, listed: NDArray[np.bool_] | None = None) -> dict[int, float]:
    """Return word -> value for the ``listed`` words; rounding may make a value negative, which becomes 0."""
    pairs = zip(words_.tolist(), np.maximum(values, 0.0).tolist(), strict=True)
    return dict(pairs if listed is None else itertools.compress(pairs, listed))


class _View(_Cover):
    """A summary with everything that the parts of its explanation are made from."""

    def __init__(self, made: Run, config: Config, forms: Mapping[str, str]) -> None:
        graph, selection, cluster = made.graph, made.selection, made.cluster
        super().__init__(graph, selection)
        self.made, self.config, self.cluster = made, config, cluster
        self.words, self.function = concept_names(made, forms), function_concepts(made, config)
        self.field = field_of(graph, selection, config.selector)
        wanted = nodes_of(required(config.select.must, cluster).values(), graph, cluster).values()
        self.fixed = {*wanted} & {*self.members}  # the chosen sentences that the user requires
        settings = dataclasses.replace(config.select, budget=selection.budget)
        self.prices = prices_of(graph, made.tokenized, settings)

    def chosen_sentence(self, i: int) -> ChosenSentence:
        other = None if i in self.fixed else self.runner_up(i)
        return ChosenSentence(
            location=self.location(i),
            cost=float(self.graph.cost[i]),
            total=self.total(i),
            loss=self.loss(i),
            alone=self.heaviest_first(self.added(i, without=i)),
            shared=self.heaviest_first(self.shared(i)),
            field=self.field_at(i),
            runner_up=None if other is None else self.exchange(i, other, other),
            required=i in self.fixed,
        )

    def missed_words(self) -> Iterator[MissedWord]:
        """Yield ``MOST_MISSED`` of all words, and as many that are not function words.

        The best sentence for a word adds the most weight per cost; those that are too long come last.
        """
        graph = self.graph
        fits = graph.cost <= self.made.selection.budget
        value = per_cost(self.gains(), graph.cost)
        left_out = ~np.isin(graph.edge_sentence, self.members)
        in_text = graph.word_ids < len(self.made.weights.words)
        held = in_text & (np.bincount(graph.edge_word[left_out], minlength=len(graph.weight)) > 0)
        weight = left_after(graph, self.times)[0]
        left = [int(a) for a in np.argsort(-weight, kind="stable") if held[a] and weight[a] > 0]
        listed = {*left[:MOST_MISSED], *[a for a in left if not self.function[a]][:MOST_MISSED]}
        for a in filter(listed.__contains__, left):
            holders = graph.edge_sentence[left_out & (graph.edge_word == a)]
            best = int(max(holders, key=lambda i: (fits[i], value[i], -i)))
            gain = math.fsum(self.added(best).values())
            yield MissedWord(self.word(a, float(weight[a])), self.location(best), gain, int(self.times[a]))

    def cut(self) -> Location | None:
        node, sentences = self.made.selection.cut, self.made.sentences
        if node is None or len(sentences) == len(self.members):
            return None
        return dataclasses.replace(self.location(node), sentence=sentences[-1])

    def answer(self, question: Question) -> Answer:
        """Return the answer about a sentence, or about the one with the same text that may be chosen."""
        index = question.sentence
        i = nodes_of([index], self.graph, self.cluster).get(index)
        if i is None:  # not a candidate, or none of its words has weight
            location, reason = (
                self.location_of(index),
                self.config.candidates.reason(self.made.tokenized, index),
            )
            cost = cost_in(location.sentence, self.made.selection.unit)
            return Answer(question.text, question.quoted, location, cost, self.room, reason=reason)
        new = self.added(i)
        common = [(number, self.common(i, member)) for number, member in enumerate(self.members, start=1)]
        return Answer(
            question.text,
            question.quoted,
            self.location(i),
            float(self.graph.cost[i]),
            self.room,
            number=self.members.index(i) + 1 if i in self.members else None,
            total=self.total(i),
            gain=math.fsum(new.values()),
            new=self.heaviest_first(new),
            covered=tuple((number, self.heaviest_first(each)) for number, each in common if each),
            field=self.field_at(i),
            exchange=None if i in self.members else self.best_exchange(i),
        )

    def best_exchange(self, i: int) -> Exchange | None:
        cost = self.graph.cost
        possible = [m for m in self.members if m not in self.fixed and cost[i] <= self.room + cost[m]]
        if not possible:
            return None
        best = max(possible, key=lambda member: self.change(member, i))
        return self.exchange(best, i, best)

    def exchange(self, out: int, into: int, shown: int) -> Exchange:
        """Return the effect of replacing ``out`` by ``into``; ``shown`` is the sentence to name."""
        return Exchange(self.location(shown), self.change(out, into), self.reasons(out, into))

    def reasons(self, out: int, into: int) -> tuple[str, ...]:
        """Return why ``into`` would be hard to read in place of ``out``, the worst fault first."""
        if self.prices is None:
            return ()
        members = sorted({*self.members, into} - {out})
        numbers = {i: number for number, i in enumerate(self.members, start=1)}
        faults = [each for each in self.prices.faults(members) if each.sentence == into]
        dear = sorted((each for each in faults if each.price >= _LEAST_PRICE), key=lambda each: -each.price)
        return tuple(dict.fromkeys(in_words(fault, numbers) for fault in dear))[:_MOST_REASONS]

    def word(self, a: int, weight: float) -> Word:
        return Word(self.words[a], weight, self.function[a])

    def heaviest_first(self, weights: Mapping[int, float]) -> tuple[Word, ...]:
        ordered = sorted(weights.items(), key=lambda each: (-each[1], each[0]))
        return tuple(self.word(a, weight) for a, weight in ordered)

    def location(self, i: int) -> Location:
        return self.location_of(int(self.graph.sentence_ids[i]))

    def location_of(self, index: int) -> Location:
        sentence = self.cluster.sentences[index]
        document = self.cluster.documents[sentence.document]
        return Location(index, document.id, len(document.sentences), sentence, document.date)

    def field_at(self, i: int) -> float | None:
        return None if self.field is None or np.isnan(self.field[i]) else float(self.field[i])
