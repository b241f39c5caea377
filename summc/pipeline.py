"""The stages in order: from clusters to summaries."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from summc.candidates import Candidates
from summc.concepts import CONCEPTS
from summc.concepts.base import join
from summc.config import Config, settings_of
from summc.documents import cluster_of_texts, load
from summc.documents.catalogue import data_folders, read_text_of
from summc.documents.datelines import cut_datelines
from summc.documents.sentences import count_words, first_words
from summc.errors import NoSummaryError, SettingError, SummcError
from summc.graph import build_graph, within_budget
from summc.languages import language_code
from summc.preprocess import (
    Span,
    load_stopwords,
    make_stemmer,
    stemmer_used,
    stop_terms,
    term_spans,
    tokenize,
)
from summc.records import (
    Cluster,
    CoverageGraph,
    Selection,
    Sentence,
    Summary,
    TokenizedCluster,
    WordWeights,
)
from summc.selectors import Selector, polish, upper_bound
from summc.selectors.base import per_cost
from summc.settings import plain, shown
from summc.weights import WEIGHTINGS, Shape, Weigher

#: What goes without saying in a signature.
_THE_PAPERS = {
    "concepts": "words",
    "datelines": "kept",
    "left-out": Candidates(leave_out=(), least_words=1).signature,
    "documents": "1+",
    "bigrams": 1,
    "place": "none",
}

#: The settings that each stage has run with so far, stage by stage.
Signature = Mapping[str, Mapping[str, Any]]


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


def summarize_clusters(
    clusters: Iterable[Cluster], config: Config, budgets: Sequence[float] = ()
) -> Iterator[Summary | SummcError]:
    """Yield the summary of each cluster in order, or in its place the reason why there is none."""
    for result in work_out(clusters, config, budgets):
        yield result if isinstance(result, SummcError) else result.summary


def work_out(
    clusters: Iterable[Cluster], config: Config, budgets: Sequence[float] = ()
) -> Iterator[Workings | SummcError]:
    """Yield the summary of each cluster with its workings, or in its place the reason why there is none.

    With several ``budgets`` in the place of the configured one, a summary for each of them, cluster by
    cluster.
    """
    configs = [config.with_settings({"budget": budget}) for budget in budgets] or [config]
    tokenized = [preprocess(cluster, config) for cluster in clusters]
    weigher = fit(tokenized, config)
    for each in tokenized:
        weights = weigh(each, weigher, config)
        graph = build_graph(each, weights)
        for one in configs:
            try:
                selection = solve_as(graph, one, each.cluster.id)
            except SummcError as error:
                yield error
            else:
                signature = {
                    "load": load_signature(each.cluster, one),
                    "preprocess": preprocess_signature(each.cluster, one),
                    "weigh": weigh_signature(weigher, one),
                    "select": select_signature(one),
                }
                summary = make_summary(each.cluster, graph, selection, signature)
                yield Workings(each, weights, graph, summary)


def preprocess(cluster: Cluster, config: Config) -> TokenizedCluster:
    """Run stage 2 as a configuration says; datelines that it cuts are gone from the cluster it returns."""
    settings, concepts = config.preprocess, CONCEPTS[config.preprocess.concepts]
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
    stem = make_stemmer(stemmer_used(settings.stemmer, code), code)
    neighbours = CONCEPTS[settings.concepts].neighbours
    stopwords = load_stopwords(code) if settings.remove_stopwords and not neighbours else frozenset()
    found = (term_spans(s.text, code, stem, stopwords) for s in cluster.sentences)
    return tuple((*spans, *(_pairs(spans) if neighbours else ())) for spans in found)


def _pairs(spans: Sequence[Span]) -> Iterator[Span]:
    for first, second in pairwise(spans):
        yield Span(first.start, second.end, join(first.term, second.term))


def fit(tokenized: Sequence[TokenizedCluster], config: Config) -> Weigher:
    """Fit the weighting on the clusters of a run and on the background that a configuration names.

    The background is read and preprocessed as the clusters were.
    """
    settings = config.weigh
    make = WEIGHTINGS[settings.weighting]
    if settings.background and not make.others:
        users = " or ".join(name for name, other in WEIGHTINGS.items() if other.others)
        raise SettingError(
            "--background", f"weighting {settings.weighting} looks at no other text", f"choose {users}"
        )
    weighting = make(**_own(settings, make))
    language = tokenized[0].cluster.language if tokenized else "en"
    folders = data_folders(config.load.data)
    background = [
        preprocess(cluster, config)
        for path in settings.background
        for cluster in read_text_of(path, folders, encoding=config.load.encoding, language=language)
    ]
    return weighting.fit(tokenized, background)


def weigh(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> WordWeights:
    """Run stage 3 on one cluster as a configuration says."""
    return Shape(**_own(config.weigh, Shape)).weigh(tokenized, weigher)


def _own(settings: object, kind: Any) -> dict[str, Any]:
    """Return those of the settings of a stage that a class has a field for."""
    return {field.name: getattr(settings, field.name) for field in dataclasses.fields(kind)}


def solve(
    graph: CoverageGraph,
    budget: float,
    selector: Selector,
    place: str,
    *,
    polished: bool = False,
    certified: bool = False,
) -> Selection:
    """Return a selector's choice of sentences, as indices of the graph given.

    What cannot be chosen and what is not worth covering is taken out of the problem before. ``polished``:
    improved by local search; ``certified``: with a proven bound, where the selector brings none.
    """
    if not len(graph.cost):
        raise NoSummaryError(
            place, "no sentence has a word worth covering", "keep stop words or give more text"
        )
    part, sentences = within_budget(graph, budget)
    if not len(sentences):
        shortest = plain(graph.cost.min())
        problem = f"no sentence fits a budget of {plain(budget)} words (the shortest has {shortest})"
        raise NoSummaryError(place, problem, "raise --budget")
    if not len(part.weight):
        problem = f"no sentence within {plain(budget)} words has a word worth covering"
        raise NoSummaryError(place, problem, "raise --budget, keep stop words or give more text")
    selection = selector.select(part, budget)
    if polished:
        selection = polish(part, selection)
    if certified and selection.bound is None:
        selection = dataclasses.replace(selection, bound=upper_bound(part, budget, selection.covered_weight))
    return dataclasses.replace(selection, chosen=tuple(sentences[list(selection.chosen)].tolist()))


def solve_as(graph: CoverageGraph, config: Config, place: str, name: str = "") -> Selection:
    """Run stage 5 as a configuration says, by the chosen selector or another."""
    select = config.select
    selector = config.selector_named(name or select.selector)
    made = solve(graph, select.budget, selector, place, polished=select.polish, certified=select.certify)
    return made if select.fill == "whole" else dataclasses.replace(made, cut=next_sentence(graph, made))


def next_sentence(graph: CoverageGraph, selection: Selection) -> int | None:
    """Return the sentence that adds the most a word to a choice, fit or not; None if none adds anything."""
    chosen = np.isin(graph.edge_sentence, selection.chosen)
    left = graph.weight.copy()
    left[graph.edge_word[chosen]] = 0.0
    gain = np.bincount(graph.edge_sentence, left[graph.edge_word], len(graph.cost)).astype(float)
    value = per_cost(gain, graph.cost)
    best = int(value.argmax())
    return best if gain[best] > 0 else None


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


# What a run was made with, a part for each stage


def load_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the encoding, the language and the library that split its sentences."""
    splitter = "nupunkt" if cluster.language == "en" else "sentencex"
    return {
        "encoding": config.load.encoding,
        "language": cluster.language,
        "splitter": f"{splitter}-{version(splitter)}",
    }


def preprocess_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the stemmer that was really used, and whether stop words were kept."""
    return {
        "stemmer": stemmer_used(config.preprocess.stemmer, cluster.language),
        "stopwords": _stopwords_signature(cluster.language, config),
        **_coverage_signature(config),
        "nltk": version("nltk"),
    }


def _coverage_signature(config: Config) -> dict[str, Any]:
    """Return what is covered and which sentences may be chosen, where that is not all as the paper has it."""
    concepts, candidates = config.preprocess.concepts, config.candidates
    found = {"concepts": concepts, "datelines": candidates.datelines, "left-out": candidates.signature}
    return {name: value for name, value in found.items() if value != _THE_PAPERS[name]}


def _stopwords_signature(language: str, config: Config) -> str:
    if not config.preprocess.remove_stopwords:
        return "kept"
    return "removed" if load_stopwords(language) else "none-known"


def weigh_signature(weigher: Weigher, config: Config) -> dict[str, Any]:
    """Return how words, or whatever is covered, were weighed."""
    settings, own = config.weigh, dict(weigher.signature)
    if "background" in own:
        own["background"] = ",".join(Path(path).name for path in settings.background) or "none"
    words_alone = config.preprocess.concepts == "words"
    shape = {
        "documents": f"{settings.least_documents}+",
        "bigrams": 1 if words_alone else plain(settings.bigram_factor),
        "place": f"{plain(settings.place_bonus)}/{settings.place_fades}" if settings.place_bonus else "none",
    }
    said = {name: value for name, value in shape.items() if value != _THE_PAPERS[name]}
    return {"weights": settings.weighting, **own, **said}


def select_signature(config: Config, name: str = "") -> dict[str, Any]:
    """Return a selector, by default the chosen one, with its own settings, and the budget K."""
    selector = config.selector_named(name or config.select.selector)
    settings = {name: shown(value) for name, value in settings_of(selector).items()}
    return {
        "selector": selector.name,
        **settings,
        **({} if config.select.fill == "whole" else {"fill": config.select.fill}),
        "k": plain(config.select.budget),
        "numpy": version("numpy"),
    }


def run_signature(cluster: Cluster, weighing: Mapping[str, Any], config: Config) -> str:
    """Return on one line what all summaries of a run share, whatever their budgets."""
    select = {name: value for name, value in select_signature(config).items() if name != "k"}
    return signature_text(
        {
            "load": load_signature(cluster, config),
            "preprocess": preprocess_signature(cluster, config),
            "weigh": weighing,
            "select": select,
        }
    )


def with_signature(config: Config, signature: Signature) -> Config:
    """Return a configuration that reads and preprocesses text as the stages of a signature did."""
    loaded, preprocessed = signature.get("load", {}), signature.get("preprocess", {})
    given: dict[str, Any] = {}
    if "encoding" in loaded:
        given["encoding"] = loaded["encoding"]
    if "stemmer" in preprocessed:
        given["stemmer"] = preprocessed["stemmer"]
    if "stopwords" in preprocessed:
        given["remove_stopwords"] = preprocessed["stopwords"] == "removed"
        for name in ("concepts", "datelines"):
            given[name] = preprocessed.get(name, _THE_PAPERS[name])
    return config.with_settings(given)


def signature_text(signature: Signature) -> str:
    """Return a signature on one line."""
    parts = {name: value for stage in signature.values() for name, value in stage.items()}
    return "|".join(f"{name}:{value}" for name, value in {**parts, "summc": version("summc")}.items())
