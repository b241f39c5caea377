"""The stages in order: from clusters to summaries."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import regex

from summc.concepts import CONCEPTS
from summc.concepts.base import join, parts
from summc.config import Config, own_of
from summc.documents import cluster_of_texts, load
from summc.documents.catalogue import data_folders, read_text_of
from summc.documents.datelines import cut_datelines
from summc.documents.dates import in_order_of_dates
from summc.errors import SettingError, SummcError
from summc.graph import build_graph, in_unit
from summc.languages import language_code
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
from summc.weights import WEIGHTINGS, Weigher
from summc.weights.base import whole_of

log = logging.getLogger("summc")

_FIRST, _INITIALS = regex.compile(r"[\p{L}\p{N}]"), regex.compile(r"\b\p{L}")


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
    cluster = cluster_of_texts(documents, language=language_code(chosen.load.language, "language"))
    summary = next(iter(summarize_clusters([cluster], chosen)))
    if isinstance(summary, SummcError):
        raise summary
    return summary


def load_clusters(
    paths: Sequence[str], config: Config, on_error: Callable[[SummcError], None] | None = None
) -> Iterator[Cluster]:
    """Yield the clusters of paths; one without text raises, or goes to ``on_error``."""
    language = language_code(config.load.language)
    return load(paths, encoding=config.load.encoding, language=language, on_error=on_error)


@dataclass(frozen=True, slots=True, eq=False)
class Workings:
    """A summary and what it was made of, for whoever asks why."""

    tokenized: TokenizedCluster
    weights: WordWeights
    graph: CoverageGraph
    summary: Summary


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
            question = question_of(each, config)
            weights = weigh(each, weigher, config, question)
        except SummcError as error:
            yield error
            continue
        weighing = weigh_signature(weigher, config, [question])
        graph = build_graph(each, weights)
        for one in (config, *others):
            try:
                yield _worked_out(each, weights, graph, weighing, one)
            except SummcError as error:
                yield error


def _worked_out(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    in_words: CoverageGraph,
    weighing: Mapping[str, Any],
    config: Config,
) -> Workings:
    cluster = tokenized.cluster
    used = with_budget_of(config, cluster)
    graph = fitting(in_unit(in_words, cluster, config.select.unit), tokenized, weights, used)
    selection = solve_as(graph, used, cluster.id, cluster)
    signature = {
        "load": load_signature(cluster, config),
        "preprocess": preprocess_signature(cluster, config),
        "weigh": weighing,
        "select": select_signature(config),
    }
    return Workings(tokenized, weights, graph, make_summary(cluster, graph, selection, signature))


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
    remove = settings.remove_stopwords and not concepts.neighbours
    tokenized = tokenize(cluster, stemmer=settings.stemmer, remove_stopwords=remove)
    stop = _stop_among(cluster.language, config)
    tokens = tuple(concepts.of(terms, stop) for terms in tokenized.tokens)
    return config.candidates.mark(dataclasses.replace(tokenized, tokens=tokens))


def _stop_among(language: str, config: Config) -> frozenset[str]:
    """Return the terms of stop words, where those are kept for the sake of their neighbours."""
    settings = config.preprocess
    if not (settings.remove_stopwords and CONCEPTS[settings.concepts].neighbours):
        return frozenset()
    return stop_terms(settings.stemmer, language)


def locate_terms(cluster: Cluster, config: Config) -> tuple[tuple[Span, ...], ...]:
    """Return where the concepts of each sentence, as stage 2 finds them, stand in its text.

    A term stands there by itself too where it only is part of a bigram, for whoever is to name that.
    """
    settings, code = config.preprocess, cluster.language
    stem, stopwords = _analysis(code, config)
    neighbours = CONCEPTS[settings.concepts].neighbours
    found = (
        term_spans(s.text, code, stem, frozenset() if neighbours else stopwords) for s in cluster.sentences
    )
    return tuple((*spans, *(_pairs(spans) if neighbours else ())) for spans in found)


def with_capitals(tokenized: TokenizedCluster, config: Config) -> TokenizedCluster:
    """Return a cluster that knows how often its concepts have capital letters within whole sentences.

    Headlines say nothing of that, nor does the front of a sentence. Of several words all must have one.
    """
    if tokenized.capitals is not None:
        return tokenized
    whole = whole_of(tokenized)
    seen, capital = Counter[str](), Counter[str]()
    cluster = tokenized.cluster
    for i, (sentence, spans) in enumerate(zip(cluster.sentences, locate_terms(cluster, config), strict=True)):
        if i not in whole or not spans:
            continue
        front = _FIRST.search(sentence.text)
        for span in spans:
            initials = [
                c for c in _INITIALS.findall(sentence.text[span.start : span.end]) if c.upper() != c.lower()
            ]
            if initials and front and span.start > front.start():
                seen[span.term] += 1
                capital[span.term] += all(map(str.isupper, initials))
    return dataclasses.replace(tokenized, capitals={term: capital[term] / n for term, n in seen.items()})


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
    """Refuse, once and not for each cluster, a background that nobody looks at and what no word can be.

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


def question_of(tokenized: TokenizedCluster, config: Config) -> str:
    """Return the question that the summary of a cluster should answer, or "" where there is none.

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


def weigh(tokenized: TokenizedCluster, weigher: Weigher, config: Config, question: str = "") -> WordWeights:
    """Run stage 3 on one cluster as a configuration says: weights, then what the user asked of them.

    ``question`` comes from ``question_of``.
    """
    settings, language = config.weigh, tokenized.cluster.language
    if WEIGHTINGS[settings.weighting].capitals:
        tokenized = with_capitals(tokenized, config)
    weights = settings.shape_for(question).weigh(tokenized, weigher)
    if not (settings.boost or settings.ignore or question):
        return weights
    terms_of = _terms_in(language, config)
    if question:
        asked = terms_of(question)
        weights = turned_toward(weights, tokenized, lambda concept: not asked.isdisjoint(parts(concept)))
    factors = factors_of(settings.boost, settings.ignore, terms_of)
    return boosted(weights, lambda concept: math.prod(factors.get(term, 1.0) for term in set(parts(concept))))


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
    cluster: Cluster, graph: CoverageGraph, selection: Selection, signature: Signature
) -> Summary:
    """Return the chosen sentences in reading order: by document, then position."""
    sentences = sentences_of(cluster, graph, selection)
    return Summary(cluster, sentences, selection, float(graph.weight.sum()), signature_text(signature))


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
