"""Explain a summary in numbers: what each sentence adds, what could replace it, and which words are missing.

The numbers depend only on the graph and the chosen sentences, not on the selector that chose them.

In the simplest weighting a summary gets the weight of a word for the first occurrence of the word, and
nothing for further ones. In other weightings a word has several levels: the nth level is the weight that the
nth occurrence of the word adds.

The attributes of the records here are named and ordered as the members of their JSON objects.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import KW_ONLY, dataclass
from itertools import chain, islice, pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from summc.errors import NoSummaryError, SettingError, as_typed
from summc.graph import cost_in, curves, gains, left_after, nodes_of, occurrences
from summc.method import fit, reading_prices, summarize_one, weigh
from summc.preprocess.concepts import is_bigram
from summc.preprocess.quoting import quoted_sentences
from summc.preprocess.terms import Span, words
from summc.records import Cluster, CoverageGraph, Document, Floats, Indices, Run, Selection, Sentence, Summary
from summc.selectors import BeliefPropagation, Selector
from summc.selectors.amounts import within_budget
from summc.selectors.base import per_cost
from summc.selectors.belief_propagation import propagate
from summc.selectors.prices import describe_fault
from summc.system.resources import stopwords
from summc.text.numbers import plain

#: Some weightings reward a sentence for its place in the document, or for answering the question. The graph
#: then has an extra word for it, whose weight is the reward. These are the names shown for the extra word.
PLACE, BY_WORDS, BY_MEANING = "its place and act", "its answer, by words", "its answer, by meaning"
#: The most uncovered words to show. A number is shown if it has as many digits as a year.
MOST_MISSED, _YEAR = 6, 4
#: A fault that makes a summary hard to read has a price, as a share of the coverage. Faults with a lower
#: price than the first number are not named. The second number is the most faults to name.
_LEAST_PRICE, _MOST_REASONS = 0.002, 2


@dataclass(frozen=True, slots=True)
class Word:
    """A word or bigram in its most frequent form, and the weight that a sentence covers of it.

    ``function`` is true for function words, such as "of" or "in the".
    """

    word: str
    weight: float
    function: bool


AnyWord = TypeVar("AnyWord", bound=Word)


@dataclass(frozen=True, slots=True)
class Location:
    """A sentence, its index in the cluster, and its document."""

    index: int
    document: Document
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Replacement:
    """The change in covered weight if another sentence replaced one of the summary.

    ``location`` is the new sentence, but the replaced one in an ``Answer``. ``reading`` says why the new
    sentence would be hard to read.
    """

    location: Location
    change: float
    reading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenSentence:
    """A sentence of the summary, and what it contributes.

    Attributes:
        cost: c_i, the part of the budget that the sentence uses.
        weight: the weight that the sentence would cover by itself.
        lost_without: the weight that the summary would lose without the sentence.
        alone: the words that make up this loss, each with its part of it, largest first.
        shared: the words that other chosen sentences have too, with the parts of ``weight`` that are kept.
        field: h_i of belief propagation, if belief propagation ranked the sentences.
        runner_up: the best sentence that could replace this one within the budget, if any adds weight.
    """

    location: Location
    cost: float
    weight: float
    lost_without: float
    alone: tuple[Word, ...]
    shared: tuple[Word, ...]
    field: float | None
    runner_up: Replacement | None
    required: bool = False


@dataclass(frozen=True, slots=True)
class MissedWord(Word):
    """A word that would add ``weight`` if it occurred once more, and ``in_``, the best sentence with it.

    That sentence ``adds`` weight. ``occurrences`` is how often the summary has the word already.
    """

    in_: Location
    adds: float
    occurrences: int


@dataclass(frozen=True, slots=True)
class Common:
    """The words that a sentence shares with chosen sentence number ``sentence``, and what both cover."""

    sentence: int
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a sentence that the user ``asked`` about is not in the summary.

    Attributes:
        quoted: whether the sentence holds the text ``asked``; otherwise it is the most similar sentence.
        chosen_as: its number in the summary, from 1, if it is in the summary after all.
        no_candidate: why the sentence may not be chosen, if it may not.
        weight: the weight that the sentence would cover by itself.
        adds: the weight that the sentence would add to the summary.
        new: the words that make up this weight, each with its part of it, largest first.
        covered_by: the words that chosen sentences have in common with this one.
        room: the unused part of the budget.
        exchange: the best way to put the sentence in place of a chosen one that is not required, if any fits.
    """

    asked: str
    quoted: bool
    location: Location
    cost: float
    _: KW_ONLY
    chosen_as: int | None = None
    no_candidate: str | None = None
    weight: float = 0.0
    adds: float = 0.0
    new: tuple[Word, ...] = ()
    covered_by: tuple[Common, ...] = ()
    room: float
    fits: bool
    field: float | None = None
    exchange: Replacement | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the sentences of a summary were chosen; they are in reading order.

    ``uncovered`` has words that would add weight to the summary. ``why_not`` says why sentences that the user
    misses are not in it. ``cut`` is the last sentence if it was cut to fill the budget; it is not in
    ``sentences``. ``levels`` tells whether further occurrences of a word can add weight. ``figures`` has for
    each sentence of the graph the weight that it covers by itself, and the weight that it adds, or would add,
    to the other chosen sentences.
    """

    run: Run
    levels: bool
    figures: Sequence[tuple[float, float]]
    sentences: tuple[ChosenSentence, ...]
    cut: Location | None
    uncovered: tuple[MissedWord, ...]
    why_not: tuple[Answer, ...]

    @property
    def summary(self) -> Summary:
        """The summary that is explained."""
        return self.run.summary


class MissedText(NamedTuple):
    """A text that the user misses, and the index in the cluster of the sentence that is meant.

    ``quoted`` tells whether the sentence holds the text; otherwise it is the most similar sentence.
    """

    text: str
    sentence: int
    quoted: bool


def explain_all(runs: Sequence[Run], questions: Sequence[str] = ()) -> list[Explanation]:
    """Return the explanation of each summary, with answers to the questions about its cluster."""
    clusters = [run.summary.cluster for run in runs]
    pairs = [find(text, clusters) for text in questions]
    asked = ([question for about, question in pairs if about is cluster] for cluster in clusters)
    return list(map(explain, runs, asked))


def explain(
    run: Run, questions: Iterable[MissedText] = (), forms: Mapping[str, str] | None = None
) -> Explanation:
    """Return the explanation of a summary; ``forms`` has the result of ``surface_forms`` if it is known."""
    cluster = run.summary.cluster
    view = _View(run, forms or surface_forms(cluster, run.config.preprocessor.locate(cluster)))
    sentences, answers = map(view.chosen_sentence, view.members), map(view.answer, questions)
    missed, has_levels = tuple(view.missed_words()), len(run.graph.repeats) > 0
    return Explanation(run, has_levels, view.figures(), tuple(sentences), view.cut(), missed, tuple(answers))


def field_of(graph: CoverageGraph, selection: Selection, selector: Selector) -> Floats | None:
    """Return the field h_i that belief propagation gives each sentence before any sentence is chosen.

    It is NaN for a sentence that is longer than the budget, and None for other selectors.
    """
    if not isinstance(selector, BeliefPropagation) or "beta" not in selection.diagnostics:
        return None  # no beta: required sentences left no room, so none was ranked
    part, indices = within_budget(graph, selection.budget)
    beta, mu = selection.diagnostics["beta"], selection.diagnostics["mu"]
    limits = (selector.iterations, selector.damping, selector.tolerance)
    field = np.full(len(graph.cost), np.nan)
    field[indices] = propagate(part, beta, [mu], *limits)[0].field
    return field


def surface_forms(cluster: Cluster, spans: Sequence[Sequence[Span]]) -> dict[str, str]:
    """Return for each term its most frequent form in the text; on a tie, the form that occurs first.

    ``spans`` has the positions of the terms in each sentence: its words, then their bigrams, if any.
    """
    forms: dict[str, Counter[str]] = {}
    for sentence, positions in zip(cluster.sentences, spans, strict=True):
        words_ = [sentence.text[span.start : span.end] for span in positions if not is_bigram(span.term)]
        pairs = map(" ".join, pairwise(words_))  # without the text between two words
        for span, form in zip(positions, chain(words_, pairs), strict=False):  # there may be no bigrams
            forms.setdefault(span.term, Counter())[form] += 1
    return {term: counts.most_common(1)[0][0] for term, counts in forms.items()}


def concepts_of(run: Run, forms: Mapping[str, str]) -> list[Word]:
    """Return each word of the graph as it is shown, also the extra words that reward sentences."""
    question = run.weights.question
    is_answer = question is not None and question.promise is not None
    reward = PLACE if not is_answer else BY_MEANING if question and question.model else BY_WORDS
    function = run.config.preprocessor.kept_stop_terms(run.summary.cluster.language)
    terms, concepts = run.weights.words, []
    for a, weight in zip(run.graph.word_ids.tolist(), run.graph.weight.tolist(), strict=True):
        term = terms[a] if a < len(terms) else reward
        is_function = bool(function) and function.issuperset(term.split(" "))
        concepts.append(Word(forms.get(term, term), weight, is_function))
    return concepts


def worth_showing(words_: Sequence[AnyWord], most: int | None = None) -> Sequence[AnyWord]:
    """Return the words that are not function words, or all if there are no others; at most ``most``."""
    return ([word for word in words_ if not word.function] or words_)[:most]


def location(cluster: Cluster, index: int) -> Location:
    """Return the location of a sentence, given by its index in the cluster."""
    sentence = cluster.sentences[index]
    return Location(index, cluster.documents[sentence.document], sentence)


def says_something(term: str, function: AbstractSet[str]) -> bool:
    """Tell whether a reader learns something from a term: "dam", "1755", but not "the dam" or "9 40".

    ``function`` has the function words.
    """
    parts = term.split(" ")
    is_year = len(parts) == 1 and len(term) >= _YEAR
    is_clear = is_year or all(any(map(str.isalpha, part)) for part in parts)
    return is_clear and function.isdisjoint(parts)


def find(text: str, clusters: Sequence[Cluster]) -> tuple[Cluster, MissedText]:
    """Find the sentence that holds a text, or else the sentence that has the most words of the text.

    Returns its cluster, and the question about it.
    """
    quote = _plain_text(text)
    alike: list[tuple[int, int, Cluster, int]] = []
    for cluster in clusters:
        text_words = {*words(text, cluster.language)}
        for i, sentence in enumerate(cluster.sentences):
            if quote and quote in _plain_text(sentence.text):
                return cluster, MissedText(text, i, quoted=True)
            in_sentence = {*words(sentence.text, cluster.language)}
            if text_words & in_sentence:
                alike.append((len(text_words & in_sentence), -len(in_sentence - text_words), cluster, i))
    if not alike:
        problem = f'no sentence has a word of "{text}"'
        raise SettingError(as_typed("why_not"), problem, "quote some words of it")
    *_, cluster, i = max(alike, key=lambda match: match[:2])
    return cluster, MissedText(text, i, quoted=False)


def _plain_text(text: str) -> str:
    return " ".join(text.casefold().split())


class _View:
    """A summary with everything that the parts of its explanation are made from.

    Sentences and words are given by their indices in the graph. ``members`` are the chosen sentences,
    ``room`` is the unused part of the budget, and ``times`` is how often each word occurs in the members.
    """

    def __init__(self, run: Run, forms: Mapping[str, str]) -> None:
        graph, selection, cluster, config = run.graph, run.summary.selection, run.summary.cluster, run.config
        self.run, self.summary, self.graph, self.members = run, run.summary, graph, selection.chosen
        self.words, self.ids = concepts_of(run, forms), graph.sentence_ids.tolist()
        self.function = {*config.preprocessor.kept_stop_terms(cluster.language), *stopwords(cluster.language)}
        self.room = plain(selection.budget - math.fsum(graph.cost[list(self.members)].tolist()))
        self.curve, self.times = curves(graph), occurrences(graph, self.members)
        self.total, self.gain = gains(graph), gains(graph, self.times)
        # The weight that each sentence would add to the chosen ones other than i; meaningless for those.
        self.without = {i: gains(graph, occurrences(graph, {*self.members} - {i})) for i in self.members}
        self.field = field_of(graph, selection, config.selector)
        required = nodes_of(quoted_sentences(config.select.must, cluster).values(), graph, cluster).values()
        self.fixed = {*required} & {*self.members}  # the chosen sentences that the user requires
        settings = dataclasses.replace(config.select, budget=selection.budget)
        self.prices = reading_prices(graph, run.tokenized, settings)
        if run.weights.question is not None and run.weights.question.model:
            self.name_nearest_words(run.weights.question.text)

    def name_nearest_words(self, question: str) -> None:
        """Show with the reward of each answer by meaning which of its words is nearest to the question."""
        from summc.weights.embedders import embedder_by_name, nearest_word  # noqa: PLC0415 (few need it)

        embedder = embedder_by_name(self.run.config.weigh.embedder)
        if embedder is None:  # the question was asked elsewhere, with a model that is not here
            return
        for i in self.members:
            concepts, _ = self.words_in(i)
            rewards = concepts[self.graph.word_ids[concepts] >= len(self.run.weights.words)]
            in_text = [self.words[a] for a in concepts if a not in rewards]
            single = [word.word for word in in_text if not (word.function or " " in word.word)]
            for a in rewards if single else ():
                nearest = nearest_word(embedder, question, single)
                self.words[a] = dataclasses.replace(self.words[a], word=f"{BY_MEANING}, near “{nearest}”")

    def words_in(self, i: int) -> tuple[Indices, Indices]:
        """Return the words of a sentence, and how often the sentence holds each of them."""
        edges = slice(*np.searchsorted(self.graph.edge_sentence, [i, i + 1]))
        return self.graph.edge_word[edges], self.graph.count[edges]

    def figures(self) -> list[tuple[float, float]]:
        gain = self.gain.copy()
        gain[list(self.members)] = [self.without[i][i] for i in self.members]
        return list(zip(self.total.tolist(), gain.tolist(), strict=True))

    def chosen_sentence(self, i: int) -> ChosenSentence:
        words_, count = self.words_in(i)
        rest = self.times[words_] - count
        remainder = self.curve.at(words_, count) - self.curve.step(words_, rest, count)
        return ChosenSentence(
            location=self.location(self.ids[i]), cost=plain(float(self.graph.cost[i])),
            weight=float(self.total[i]), lost_without=float(self.without[i][i]),
            alone=self.added(words_, count, rest),
            shared=self.heaviest_first(words_[rest > 0], remainder[rest > 0]), field=self.field_at(i),
            runner_up=None if i in self.fixed else self.runner_up(i), required=i in self.fixed,
        )  # fmt: skip

    def runner_up(self, member: int) -> Replacement | None:
        """Return the sentence that adds the most in place of ``member`` within the budget, or None."""
        gain = self.without[member].copy()
        gain[self.graph.cost > self.room + self.graph.cost[member]] = 0.0
        gain[list(self.members)] = 0.0
        best = int(gain.argmax())
        return self.exchange(member, best, best) if gain[best] > 0 else None

    def missed_words(self) -> Iterator[MissedWord]:
        """Yield the heaviest words that say something: no function words, no parts of numbers.

        The best sentence for a word adds the most weight per cost; sentences that are too long come last.
        """
        graph = self.graph
        fits = graph.cost <= self.summary.selection.budget
        value = per_cost(self.gain, graph.cost)
        left_out = ~np.isin(graph.edge_sentence, self.members)
        in_text = graph.word_ids < len(self.run.weights.words)
        available = in_text & (np.bincount(graph.edge_word[left_out], minlength=len(graph.weight)) > 0)
        weight = left_after(graph, self.times)[0]
        weight = np.where(available, weight, 0.0)
        heaviest, term = np.argsort(-weight, kind="stable").tolist(), self.run.weights.words
        telling = (a for a in heaviest if weight[a] > 0)
        left = (a for a in telling if says_something(term[graph.word_ids[a]], self.function))
        for a in islice(left, MOST_MISSED):
            holders = graph.edge_sentence[left_out & (graph.edge_word == a)]
            best = int(max(holders, key=lambda i: (fits[i], value[i], -i)))
            word, sentence, adds = self.words[a], self.location(self.ids[best]), float(self.gain[best])
            yield MissedWord(word.word, float(weight[a]), word.function, sentence, adds, int(self.times[a]))

    def cut(self) -> Location | None:
        node, sentences = self.summary.selection.cut, self.summary.sentences
        if node is None or len(sentences) == len(self.members):
            return None
        return dataclasses.replace(self.location(self.ids[node]), sentence=sentences[-1])

    def answer(self, question: MissedText) -> Answer:
        """Return the answer about a sentence, or about the one with the same text that may be chosen."""
        index = question.sentence
        i = nodes_of([index], self.graph, self.summary.cluster).get(index)
        location = self.location(index if i is None else self.ids[i])
        unit, room = self.summary.selection.unit, self.room
        cost = plain(cost_in(location.sentence, unit) if i is None else float(self.graph.cost[i]))
        answer = Answer(question.text, question.quoted, location, cost, room=room, fits=cost <= room)
        if i is None:  # not a candidate, or none of its words has weight
            reason = self.run.config.candidates.reason(self.run.tokenized, index)
            return dataclasses.replace(answer, no_candidate=reason or None)
        is_new, (words_, count) = i not in self.members, self.words_in(i)
        return dataclasses.replace(
            answer, chosen_as=None if is_new else self.members.index(i) + 1,
            weight=float(self.total[i]), adds=float(self.gain[i]) if is_new else 0.0,
            new=self.added(words_, count, self.times[words_]) if is_new else (),
            covered_by=tuple(self.common(i)), field=self.field_at(i),
            exchange=self.best_exchange(i) if is_new else None,
        )  # fmt: skip

    def common(self, i: int) -> Iterator[Common]:
        """Yield the words that each member shares with a sentence, if any."""
        at = self.curve.at
        words_, count = self.words_in(i)
        for number, member in enumerate(self.members, start=1):
            in_member, times = self.words_in(member)
            both, first, second = np.intersect1d(words_, in_member, assume_unique=True, return_indices=True)
            if len(both):
                one, two = count[first], times[second]
                shared = at(both, one) + at(both, two) - at(both, one + two)
                yield Common(number, self.heaviest_first(both, shared))

    def best_exchange(self, i: int) -> Replacement | None:
        cost = self.graph.cost
        possible = [m for m in self.members if m not in self.fixed and cost[i] <= self.room + cost[m]]
        best = max(possible, key=lambda m: self.without[m][i] - self.without[m][m], default=None)
        return None if best is None else self.exchange(best, i, best)

    def exchange(self, out: int, into: int, sentence: int) -> Replacement:
        """Return the effect of replacing ``out`` by ``into``; ``sentence`` is the one to name."""
        change = float(self.without[out][into] - self.without[out][out])
        return Replacement(self.location(self.ids[sentence]), change, self.reasons(out, into))

    def reasons(self, out: int, into: int) -> tuple[str, ...]:
        """Return why ``into`` would be hard to read in place of ``out``, the worst fault first."""
        if self.prices is None:
            return ()
        members = sorted({*self.members, into} - {out})
        numbers = {i: number for number, i in enumerate(self.members, start=1)}
        faults = sorted(self.prices.faults(members), key=lambda fault: -fault.price)
        dear = [fault for fault in faults if fault.sentence == into and fault.price >= _LEAST_PRICE]
        return tuple(dict.fromkeys(describe_fault(fault, numbers) for fault in dear))[:_MOST_REASONS]

    def added(self, words_: Indices, count: Indices, before: Indices) -> tuple[Word, ...]:
        """Return the weight that words add after ``before`` occurrences, unless these cover a word fully."""
        left = before <= np.diff(self.graph.repeats_start)[words_]
        return self.heaviest_first(words_[left], self.curve.step(words_, before, count)[left])

    def heaviest_first(self, words_: Indices, values: Floats) -> tuple[Word, ...]:
        """Return words with some weights; rounding may make a weight negative, which becomes 0."""
        weights = np.maximum(values, 0.0)
        order = np.lexsort((words_, -weights))
        pairs = zip(words_[order].tolist(), weights[order].tolist(), strict=True)
        return tuple(dataclasses.replace(self.words[a], weight=weight) for a, weight in pairs)

    def location(self, index: int) -> Location:
        return location(self.summary.cluster, index)

    def field_at(self, i: int) -> float | None:
        return None if self.field is None or np.isnan(self.field[i]) else float(self.field[i])


def why_idle(run: Run) -> str:
    """Return on one line that ``boost`` and ``ignore`` do not change a summary, or "" if they do.

    Words that no document holds have a warning of their own, so they give "" too.
    """
    tokenized, weights, cluster = run.tokenized, run.weights, run.summary.cluster
    settings = [name for name in ("boost", "ignore") if getattr(run.config.weigh, name)]
    if not settings or weights.weigher is None:
        return ""
    without = run.config.with_settings(dict.fromkeys(settings, ()))
    unsteered = weigh(tokenized, weights.weigher, without.for_cluster(cluster), weights.question)
    if np.array_equal(unsteered.weight, weights.weight):
        return ""
    try:
        other = summarize_one(tokenized, fit([tokenized], without), without, weights.question)
    except NoSummaryError:
        return ""
    it = "it" if len(settings) == 1 else "them"
    names = " and ".join(map(as_typed, settings))
    is_same = other.summary.sentences == run.summary.sentences
    return f"{names}: the summary is the same without {it}" if is_same else ""
