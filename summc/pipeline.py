"""The stages in order: from clusters to summaries."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np

from summc.concepts import CONCEPTS
from summc.concepts.base import join, parts
from summc.config import Config, own_of
from summc.coverage import covered_levels, gains_alone, occurrences, total_weight
from summc.documents import cluster_of_texts, load
from summc.documents.catalogue import data_folders, read_text_of
from summc.documents.datelines import cut_datelines
from summc.documents.dates import in_order_of_dates
from summc.errors import SettingError, SummcError
from summc.graph import build_graph, cost_in, in_unit, within_budget
from summc.languages import asked_language
from summc.lengths import count_words, first_words
from summc.preprocess import (
    Span,
    load_stopwords,
    make_stemmer,
    stemmer_used,
    stop_terms,
    term_spans,
    terms,
    tokenize,
    words,
)
from summc.records import Cluster, CoverageGraph, Selection, Sentence, Summary, TokenizedCluster, WordWeights
from summc.selectors import GGreedy
from summc.selectors.base import per_cost
from summc.settings import plain
from summc.signatures import (
    Signature,
    load_signature,
    preprocess_signature,
    select_signature,
    signature_text,
    weigh_signature,
)
from summc.solving import solve_as, with_budget_of
from summc.steering import boosted, check_required, factors_of, required, turned_toward, words_said
from summc.stemmers import Stem
from summc.weights import WEIGHTINGS, ContentWeigher, Expected, MixedWeigher, Weigher, mixed
from summc.weights.base import WordWeigher
from summc.weights.expected import calibrated
from summc.weights.rates import read_rates
from summc.weights.relevance import relevance_of
from summc.weights.shape import bigrams_among

log = logging.getLogger("summc")

#: Of so many times as many sentences as fit a budget, those that cover most for their cost.
_MANY = 50


def summarize(
    documents: Sequence[str],
    budget: float = 100,
    *,
    config: Config | None = None,
    **settings: Any,
) -> Summary:
    """Return the summary of texts in at most ``budget`` words.

    Settings are those of the command line, with underscores: ``selector="g-greedy"``, ``language="french"``,
    ``remove_stopwords=True``, ``beta=45``.

    >>> summarize(["The dam broke. Nobody was hurt."], budget=3).text
    'The dam broke.'
    """
    chosen = (config or Config()).with_settings({"budget": budget, **settings})
    cluster = cluster_of_texts(documents, language=asked_language(chosen.load.language, "language"))
    summary = next(iter(summarize_clusters([cluster], chosen)))
    if isinstance(summary, SummcError):
        raise summary
    return summary


def load_clusters(
    paths: Sequence[str], config: Config, on_error: Callable[[SummcError], None] | None = None
) -> Iterator[Cluster]:
    """Yield the clusters of paths; one without text raises, or goes to ``on_error``."""
    language = asked_language(config.load.language)
    return load(paths, encoding=config.load.encoding, language=language, on_error=on_error)


@dataclass(frozen=True, eq=False)  # without slots, so that it can keep what does not depend on the budget
class Prepared:
    """A cluster read into terms, with what weighs them: ready for any budget.

    ``question`` is what its summary should answer, or "".
    """

    tokenized: TokenizedCluster
    weigher: Weigher
    question: str
    config: Config

    @cached_property
    def weights(self) -> WordWeights:
        """The weights of its words, where they are the same for every length."""
        return weigh(self.tokenized, self.weigher, self.config, self.question)

    @cached_property
    def graph(self) -> CoverageGraph:
        """Its coverage problem with costs in words, where that is the same for every length."""
        return build_graph(self.tokenized, self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """The coverage problem of a cluster under one budget.

    ``graph`` has its costs in the unit of the budget; ``config`` has the budget as a number of units.
    """

    weights: WordWeights
    graph: CoverageGraph
    config: Config


def prepare(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> Prepared:
    """Return a cluster made ready for any budget."""
    return Prepared(tokenized, weigher, question_of(tokenized, config), config)


def pose(prepared: Prepared, config: Config) -> Posed:
    """Return the problem of a cluster under the budget that a configuration has.

    Where no candidate fits, all sentences are in it, with a warning.
    """
    tokenized, cluster = prepared.tokenized, prepared.tokenized.cluster
    used = with_budget_of(config, cluster)
    weights = weights_for(prepared, used)
    in_words = build_graph(tokenized, weights) if prepared.weigher.by_length else prepared.graph
    graph = fitting(in_unit(in_words, cluster, used.select.unit), tokenized, weights, used)
    return Posed(weights, graph, used)


def weights_for(prepared: Prepared, config: Config) -> WordWeights:
    """Return the weights of a cluster's words for the budget that a configuration has."""
    if not prepared.weigher.by_length:
        return prepared.weights
    cluster, select = prepared.tokenized.cluster, with_budget_of(config, prepared.tokenized.cluster).select
    length = length_in_words(cluster, select.budget, select.unit)
    return weigh(prepared.tokenized, prepared.weigher, config, prepared.question, length)


@dataclass(frozen=True, slots=True, eq=False)
class Workings:
    """A summary and what it was made of, so that it can be explained.

    ``prepared`` makes summaries of other lengths; None if only this one is needed.
    """

    tokenized: TokenizedCluster
    weights: WordWeights
    graph: CoverageGraph
    summary: Summary
    prepared: Prepared | None = None


def summarize_clusters(clusters: Iterable[Cluster], config: Config) -> Iterator[Summary | SummcError]:
    """Yield the summary of each cluster in order, or in its place the reason why there is none."""
    for result in work_out(clusters, config):
        yield result if isinstance(result, SummcError) else result.summary


def work_out(
    clusters: Iterable[Cluster],
    config: Config,
    *others: Config,
    background: Sequence[TokenizedCluster] | None = None,
) -> Iterator[Workings | SummcError]:
    """Yield the summary of each cluster with its workings, or in its place the reason why there is none.

    With ``others``, which differ in their budget alone, a summary for each of them too, cluster by cluster.
    ``background``: what the configured one has been read as already.
    """
    tokenized = preprocess_all(clusters, config)
    weigher = fit(tokenized, config, background)
    for each in tokenized:
        try:
            prepared = prepare(each, weigher, config)
        except SummcError as error:
            yield error
            continue
        for one in (config, *others):
            try:
                yield work_out_one(prepared, one)
            except SummcError as error:
                yield error


def work_out_one(prepared: Prepared, config: Config) -> Workings:
    """Return the summary of a prepared cluster within the budget of a configuration."""
    cluster = prepared.tokenized.cluster
    posed = pose(prepared, config)
    selection = solve_as(posed.graph, posed.config, cluster.id, prepared.tokenized)
    signature = {
        "load": load_signature(cluster, config),
        "preprocess": preprocess_signature(cluster, config),
        "weigh": weigh_signature(prepared.weigher, config, [prepared.question]),
        "select": select_signature(config),
    }
    forecast = forecast_of(posed, selection, cluster)
    summary = make_summary(cluster, posed.graph, selection, signature, forecast)
    return Workings(prepared.tokenized, posed.weights, posed.graph, summary, prepared)


def forecast_of(posed: Posed, selection: Selection, cluster: Cluster) -> float | None:
    """Return the share of a person's summary of that length that a choice is expected to contain.

    None where the weights say nothing of that: with another weighting, where the user changed them, where
    bigrams alone are covered, or where a number of sentences leaves the length open.
    """
    weigh_settings, words = posed.config.weigh, posed.weights.words
    changed = weigh_settings.boost or weigh_settings.ignore
    if weigh_settings.weighting != "expected" or changed or selection.unit == "sentences":
        return None
    length = length_in_words(cluster, selection.budget, selection.unit)
    is_word = ~np.append(bigrams_among(words), [True])[np.minimum(posed.graph.word_ids, len(words))]
    if not is_word.any():
        return None
    met = np.where(is_word, occurrences(posed.graph, selection.chosen), 0)
    return calibrated(float(covered_levels(posed.graph, met).sum()) / length, cluster.language)


def length_in_words(cluster: Cluster, budget: float, unit: str) -> float:
    """Return about how many words a summary within a budget has: no more than the documents."""
    words = sum(sentence.words for sentence in cluster.sentences)
    units = sum(cost_in(sentence, unit) for sentence in cluster.sentences)
    return budget if unit == "words" and budget <= words else words * min(budget / units, 1.0)


def fitting(
    graph: CoverageGraph, tokenized: TokenizedCluster, weights: WordWeights, config: Config
) -> CoverageGraph:
    """Return the problem of a budget; where no candidate fits, all sentences are in it, with a warning.

    ``graph`` has its costs in the unit of the budget, and so has what is returned.
    """
    budget, cluster = config.select.budget, tokenized.cluster
    if tokenized.candidates is None or (graph.cost <= budget).any():
        return graph
    everything = build_graph(dataclasses.replace(tokenized, candidates=None), weights)
    everything = in_unit(everything, cluster, config.select.unit)
    if (everything.cost <= budget).any():
        problem = f"no sentence that may be chosen fits {plain(budget)} {config.select.unit}"
        log.warning("%s: %s; all are taken", cluster.id, problem)
    return everything


def preprocess_all(clusters: Iterable[Cluster], config: Config) -> list[TokenizedCluster]:
    """Run stage 2 on all clusters of a run: what must be chosen stands in one of them, and may be."""
    must = config.select.must
    tokenized = [_with_required(preprocess(cluster, config), must) for cluster in clusters]
    check_required(must, [text for each in tokenized for text in required(must, each.cluster)])
    return tokenized


def _with_required(tokenized: TokenizedCluster, must: Sequence[str]) -> TokenizedCluster:
    """Return a cluster among whose candidates are the required sentences."""
    if tokenized.candidates is None or not must:
        return tokenized
    wanted = required(must, tokenized.cluster).values()
    return dataclasses.replace(tokenized, candidates=tuple(sorted({*tokenized.candidates, *wanted})))


def preprocess(cluster: Cluster, config: Config) -> TokenizedCluster:
    """Run stage 2 as a configuration says.

    The cluster that it returns has its documents in the order they are read in, and no datelines to be cut.
    """
    settings, concepts = config.preprocess, CONCEPTS[config.preprocess.concepts]
    if settings.order == "dates":
        cluster = in_order_of_dates(cluster)
    if config.candidates.datelines == "cut":
        cluster = cut_datelines(cluster)
    remove = config.removes_stopwords and not concepts.neighbours
    tokenized = tokenize(cluster, stemmer=settings.stemmer, remove_stopwords=remove)
    left_out = config.removes_stopwords and concepts.neighbours
    stop = _stop_among(cluster.language, config) if left_out else frozenset()
    tokens = tuple(concepts.of(terms, stop) for terms in tokenized.tokens)
    must = config.select.must
    wanted = frozenset(required(must, cluster).values()) if must else frozenset()
    return config.candidates.mark(dataclasses.replace(tokenized, tokens=tokens), wanted)


def _stop_among(language: str, config: Config) -> frozenset[str]:
    """Return the terms of stop words, unless they are to be covered too."""
    settings = config.preprocess
    return stop_terms(settings.stemmer, language) if settings.remove_stopwords else frozenset()


def content_of(tokenized: TokenizedCluster, config: Config) -> TokenizedCluster:
    """Return a cluster without what is made of stop words alone, unless they are to be covered too."""
    stop = _stop_among(tokenized.cluster.language, config)
    tokens = tuple(
        tuple(concept for concept in concepts if not stop.issuperset(parts(concept)))
        for concepts in tokenized.tokens
    )
    return dataclasses.replace(tokenized, tokens=tokens)


def function_terms(language: str, config: Config) -> frozenset[str]:
    """Return the terms of function words where a weighting counts them, so that lists can leave them out."""
    if not WEIGHTINGS[config.weigh.weighting].needs_stopwords:
        return frozenset()
    return stop_terms(config.preprocess.stemmer, language)


def locate_terms(cluster: Cluster, config: Config) -> tuple[tuple[Span, ...], ...]:
    """Return where the concepts of each sentence, as stage 2 finds them, stand in its text.

    A term stands there by itself too where it only is part of a bigram, for whoever is to name that.
    """
    settings, code = config.preprocess, cluster.language
    stem, stopwords = _analysis(code, config)
    neighbours = CONCEPTS[settings.concepts].neighbours
    left_out = stopwords if config.removes_stopwords and not neighbours else frozenset()
    found = (term_spans(s.text, code, stem, left_out) for s in cluster.sentences)
    return tuple((*spans, *(_pairs(spans) if neighbours else ())) for spans in found)


def _pairs(spans: Sequence[Span]) -> Iterator[Span]:
    for first, second in pairwise(spans):
        yield Span(first.start, second.end, join((first.term, second.term)))


def _analysis(language: str, config: Config) -> tuple[Stem, frozenset[str]]:
    stem = make_stemmer(stemmer_used(config.preprocess.stemmer, language), language)
    return stem, load_stopwords(language) if config.preprocess.remove_stopwords else frozenset()


def fit(
    tokenized: Sequence[TokenizedCluster],
    config: Config,
    background: Sequence[TokenizedCluster] | None = None,
) -> Weigher:
    """Fit the weighting on the clusters of a run and on the background that a configuration names."""
    languages = list(dict.fromkeys(each.cluster.language for each in tokenized))
    check_weighing(config, languages)
    if background is None:  # who brings one has a cluster at a time, and what it lacks another may hold
        _warn_of_unknown_words(tokenized, config)
        background = read_background(config, tokenized[0].cluster.language if tokenized else "en")
    make = WEIGHTINGS[config.weigh.weighting]
    return make(**own_of(config.weigh, make)).fit(tokenized, background)


def check_weighing(config: Config, languages: Iterable[str]) -> None:
    """Refuse, once and not for each cluster, a background or model without effect and what no word can be.

    ``languages``: those of the clusters, which tell what is one word.
    """
    boosts, ignored = config.weigh.boost, config.weigh.ignore
    factors_of(boosts, ignored)
    for language in languages if boosts or ignored else ():
        factors_of(boosts, ignored, _terms_in(language, config))
    weighting = config.weigh.weighting
    if config.weigh.background and not WEIGHTINGS[weighting].others:
        users = " or ".join(name for name, other in WEIGHTINGS.items() if other.others)
        raise SettingError("--background", f"weighting {weighting} looks at no other text", f"choose {users}")
    if config.weigh.model and "model" not in own_of(config.weigh, WEIGHTINGS[weighting]):
        raise SettingError("--model", f"weighting {weighting} has no model", "choose expected")
    if config.weigh.model:
        read_rates(Path(config.weigh.model))


def question_of(tokenized: TokenizedCluster, config: Config) -> str:
    """Return the question that the summary of a cluster should answer, or "" if it has no question.

    ``--query`` wins over the cluster's own question. If no word of the question stands in the documents,
    ``--query`` is refused: the user can ask again. A cluster's own question is left out with a warning, so
    that one bad question does not cost a data set a cluster.
    """
    cluster = tokenized.cluster
    question = config.weigh.question_for(cluster.query)
    if not question:
        return ""
    asked = _terms_in(cluster.language, config)(question)
    if any(not asked.isdisjoint(parts(concept)) for concept in tokenized.places.words):
        return question
    if config.weigh.query:
        problem = f"none of its words stands in the documents of {cluster.id}"
        raise SettingError("--query", problem, "ask in words that they use")
    problem = "no word of its question stands in its documents"
    log.warning("%s: %s; summarized without the question", cluster.id, problem)
    return ""


def weigh(
    tokenized: TokenizedCluster, weigher: Weigher, config: Config, question: str = "", length: float = 0
) -> WordWeights:
    """Run stage 3 on one cluster as a configuration says: weights, then what the user asked of them.

    ``question`` comes from ``question_of``; ``length`` is that of the summary in words, for weightings by
    which it matters.
    """
    settings, language = config.weigh, tokenized.cluster.language
    asked = _terms_in(language, config)(question) if question else frozenset()

    def is_asked(concept: str) -> bool:
        return not asked.isdisjoint(parts(concept))

    def covering(by: WordWeigher) -> WordWeights:
        weights = settings.shape_for(question).weigh(tokenized, by)
        return turned_toward(weights, tokenized, is_asked) if asked else weights

    def overlapping(by: Expected) -> WordWeights:
        return by.weigh_for(tokenized, length, relevance_of(tokenized, is_asked) if asked else None)

    if isinstance(weigher, MixedWeigher):
        content = ContentWeigher(weigher.position, _stop_among(language, config))
        halves = covering(content), overlapping(weigher.expected)
        number = tokenized.places.numbers_among(halves[0].words)
        weights = mixed(*halves, number, [_reached(tokenized, half, length) for half in halves])
    elif isinstance(weigher, Expected):
        weights = overlapping(weigher)
    else:
        weights = covering(cast("WordWeigher", weigher))
    if not (settings.boost or settings.ignore):
        return weights
    terms_of = _terms_in(language, config)
    factors = factors_of(settings.boost, settings.ignore, terms_of)
    return boosted(weights, lambda concept: math.prod(factors.get(term, 1.0) for term in set(parts(concept))))


def _reached(tokenized: TokenizedCluster, weights: WordWeights, length: float) -> float:
    """Return about how much weight a summary of a length in words can cover; all of it if nothing fits."""
    graph = build_graph(tokenized, weights)
    part = _promising(graph, length)
    return GGreedy().select(part, length).covered_weight or total_weight(graph)


def _promising(graph: CoverageGraph, budget: float) -> CoverageGraph:
    """Return the sentences among which g-greedy chooses: those that cover most for their cost.

    There are far more of them than it can choose, so that it makes no difference.
    """
    size = len(graph.cost)
    most = _MANY * (1 + math.ceil(budget / max(float(graph.cost.mean()), 1.0))) if size else 0
    if size <= most:
        return graph
    kept = np.argsort(-per_cost(gains_alone(graph), graph.cost), kind="stable")[:most]
    cost = np.full(len(graph.cost), np.inf)
    cost[kept] = graph.cost[kept]
    return within_budget(dataclasses.replace(graph, cost=cost), budget)[0]


def _terms_in(language: str, config: Config) -> Callable[[str], frozenset[str]]:
    """Return what finds the terms of a text that a user gives."""
    stem, stopwords = _analysis(language, config)
    return lambda text: frozenset(terms(text, language, stem, stopwords))


def _warn_of_unknown_words(tokenized: Sequence[TokenizedCluster], config: Config) -> None:
    """Warn of what is made heavier or lighter without effect: typos, for the most part."""
    said = words_said(config.weigh.boost, config.weigh.ignore)
    held: dict[str, set[str]] = {}  # the terms of the clusters in each language
    for each in tokenized if said else ():
        known = held.setdefault(each.cluster.language, set())
        known.update(term for concept in each.places.words for term in parts(concept))
    finders = [(language, _terms_in(language, config), known) for language, known in held.items()]
    for flag, text in said:
        if not any(terms_of(text) for _, terms_of, _ in finders):
            if flag == "--boost":  # to ignore what never counts is no mistake
                log.warning('%s: "%s" is no word that counts; it has no effect', flag, text)
            continue
        for word in dict.fromkeys(words(text, finders[0][0])):
            if not any(terms_of(word) <= known for _, terms_of, known in finders):
                log.warning('%s: no document holds "%s"; it has no effect', flag, word)


def read_background(config: Config, language: str) -> list[TokenizedCluster]:
    """Return the background that a configuration names, read and preprocessed as clusters are."""
    folders = data_folders(config.load.data)
    return [
        preprocess(cluster, config)
        for path in config.weigh.background
        for cluster in read_text_of(path, folders, encoding=config.load.encoding, language=language)
    ]


def make_summary(
    cluster: Cluster,
    graph: CoverageGraph,
    selection: Selection,
    signature: Signature,
    forecast: float | None = None,
) -> Summary:
    """Return the chosen sentences in reading order: by document, then position."""
    sentences = sentences_of(cluster, graph, selection)
    return Summary(cluster, sentences, selection, total_weight(graph), signature_text(signature), forecast)


def sentences_of(cluster: Cluster, graph: CoverageGraph, selection: Selection) -> tuple[Sentence, ...]:
    """Return the chosen sentences in reading order, and at the end the one that is to be cut, cut."""
    sentences = cluster.sentences
    chosen = tuple(sentences[i] for i in sorted(graph.sentence_ids[list(selection.chosen)].tolist()))
    room = int(selection.budget - sum(sentence.words for sentence in chosen))
    if selection.cut is None or room < 1:
        return chosen
    last = sentences[int(graph.sentence_ids[selection.cut])]
    text = first_words(last.text, room)
    return (*chosen, dataclasses.replace(last, text=text, words=count_words(text))) if text else chosen
