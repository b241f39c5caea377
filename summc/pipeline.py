"""The stages in order: from clusters to summaries."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from summc.amounts import SUFFIXES
from summc.candidates import Candidates
from summc.concepts import CONCEPTS
from summc.concepts.base import join, parts
from summc.config import Config, WeighSettings, settings_of
from summc.documents import cluster_of_texts, load
from summc.documents.catalogue import data_folders, read_text_of
from summc.documents.datelines import cut_datelines
from summc.documents.sentences import count_words, first_words
from summc.errors import NoSummaryError, SettingError, SummcError
from summc.graph import build_graph, in_unit, within_budget, without_sentences
from summc.languages import language_code
from summc.preprocess import (
    Span,
    load_stopwords,
    make_stemmer,
    stemmer_library,
    stemmer_used,
    stop_terms,
    term_spans,
    terms,
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
from summc.selectors.base import make_selection, per_cost
from summc.settings import plain, shown
from summc.steering import boosted, check_required, parse_boosts, required, turned_toward
from summc.stemmers import Stem
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
    must = config.select.must
    tokenized = [_with_required(preprocess(cluster, config), must) for cluster in clusters]
    check_required(must, [text for each in tokenized for text in required(must, each.cluster)])
    weigher = fit(tokenized, config, background)
    for each in tokenized:
        try:
            weights = weigh(each, weigher, config)
        except SummcError as error:
            yield error
            continue
        graph = build_graph(each, weights)
        for one in (config, *others):
            try:
                yield _worked_out(each, weights, graph, weigher, one)
            except SummcError as error:
                yield error


def _worked_out(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    in_words: CoverageGraph,
    weigher: Weigher,
    config: Config,
) -> Workings:
    cluster = tokenized.cluster
    graph = in_unit(in_words, cluster, config.select.unit)
    selection = solve_as(graph, with_budget_of(config, cluster), cluster.id, cluster)
    signature = {
        "load": load_signature(cluster, config),
        "preprocess": preprocess_signature(cluster, config),
        "weigh": weigh_signature(weigher, config),
        "select": select_signature(config),
    }
    return Workings(tokenized, weights, graph, make_summary(cluster, graph, selection, signature))


def _with_required(tokenized: TokenizedCluster, must: Sequence[str]) -> TokenizedCluster:
    """Return a cluster among whose candidates are the required sentences."""
    if tokenized.candidates is None or not must:
        return tokenized
    wanted = required(must, tokenized.cluster).values()
    return dataclasses.replace(tokenized, candidates=tuple(sorted({*tokenized.candidates, *wanted})))


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
    stem, stopwords = _analysis(code, config)
    neighbours = CONCEPTS[settings.concepts].neighbours
    found = (
        term_spans(s.text, code, stem, frozenset() if neighbours else stopwords) for s in cluster.sentences
    )
    return tuple((*spans, *(_pairs(spans) if neighbours else ())) for spans in found)


def _pairs(spans: Sequence[Span]) -> Iterator[Span]:
    for first, second in pairwise(spans):
        yield Span(first.start, second.end, join(first.term, second.term))


def _analysis(language: str, config: Config) -> tuple[Stem, frozenset[str]]:
    stem = make_stemmer(stemmer_used(config.preprocess.stemmer, language), language)
    return stem, load_stopwords(language) if config.preprocess.remove_stopwords else frozenset()


def with_budget_of(config: Config, cluster: Cluster) -> Config:
    """Return a configuration whose budget is a number of units; a share of a cluster is a number of words."""
    if config.select.unit != "percent":
        return config
    total = sum(sentence.words for sentence in cluster.sentences)
    budget = math.floor(total * config.select.budget / 100)
    if budget < 1:
        problem = f"{plain(config.select.budget)}% of {total} words is less than one"
        raise NoSummaryError(cluster.id, problem, "raise --budget")
    return config.with_settings({"budget": budget, "unit": "words"})


def fit(
    tokenized: Sequence[TokenizedCluster],
    config: Config,
    background: Sequence[TokenizedCluster] | None = None,
) -> Weigher:
    """Fit the weighting on the clusters of a run and on the background that a configuration names."""
    check_background(config)
    if background is None:
        background = read_background(config, tokenized[0].cluster.language if tokenized else "en")
    make = WEIGHTINGS[config.weigh.weighting]
    return make(**_own(config.weigh, make)).fit(tokenized, background)


def check_background(config: Config) -> None:
    """Refuse a background that the weighting would not look at."""
    weighting = config.weigh.weighting
    if config.weigh.background and not WEIGHTINGS[weighting].others:
        users = " or ".join(name for name, other in WEIGHTINGS.items() if other.others)
        raise SettingError("--background", f"weighting {weighting} looks at no other text", f"choose {users}")


def weigh(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> WordWeights:
    """Run stage 3 on one cluster as a configuration says: weights, then what the user asked of them."""
    settings, language = config.weigh, tokenized.cluster.language
    weights = _shape(settings).weigh(tokenized, weigher)
    if not (settings.boost or settings.ignore or settings.query):
        return weights
    stem, stopwords = _analysis(language, config)

    def terms_of(text: str) -> frozenset[str]:
        return frozenset(terms(text, language, stem, stopwords))

    if settings.query:
        asked = terms_of(settings.query)
        weights = turned_toward(weights, tokenized, lambda concept: not asked.isdisjoint(parts(concept)))
    factors = {**parse_boosts(settings.boost), **dict.fromkeys(settings.ignore, 0.0)}
    by_term = {term: factor for word, factor in factors.items() for term in terms_of(word)}
    return boosted(weights, lambda concept: math.prod(by_term.get(term, 1.0) for term in set(parts(concept))))


def _shape(settings: WeighSettings) -> Shape:
    """Return what holds for every weighting; what the user asks for counts even if one document holds it."""
    shape = Shape(**_own(settings, Shape))
    return dataclasses.replace(shape, least_documents=1) if settings.boost or settings.query else shape


def _own(settings: object, kind: Any) -> dict[str, Any]:
    """Return those of the settings of a stage that a class has a field for."""
    return {field.name: getattr(settings, field.name) for field in dataclasses.fields(kind)}


def read_background(config: Config, language: str) -> list[TokenizedCluster]:
    """Return the background that a configuration names, read and preprocessed as clusters are."""
    folders = data_folders(config.load.data)
    return [
        preprocess(cluster, config)
        for path in config.weigh.background
        for cluster in read_text_of(path, folders, encoding=config.load.encoding, language=language)
    ]


def solve(
    graph: CoverageGraph,
    budget: float,
    selector: Selector,
    place: str,
    *,
    polished: bool = False,
    certified: bool = False,
    fixed: Sequence[int] = (),
    unit: str = "words",
) -> Selection:
    """Return a selector's choice of sentences, as indices of the graph given.

    What cannot be chosen and what is not worth covering is taken out of the problem before. ``polished``:
    improved by local search; ``certified``: with a proven bound, where the selector brings none. ``fixed``:
    sentences that must be chosen; the rest is a smaller problem of the same kind.
    """
    if fixed:
        return _solve_beside(graph, budget, selector, place, polished, certified, fixed, unit)
    if not len(graph.cost):
        raise NoSummaryError(
            place, "no sentence has a word worth covering", "keep stop words or give more text"
        )
    part, sentences = within_budget(graph, budget)
    if not len(sentences):
        shortest = plain(graph.cost.min())
        problem = f"no sentence fits a budget of {plain(budget)} {unit} (the shortest has {shortest})"
        raise NoSummaryError(place, problem, "raise --budget")
    if not len(part.weight):
        problem = f"no sentence within {plain(budget)} {unit} has a word worth covering"
        raise NoSummaryError(place, problem, "raise --budget, keep stop words or give more text")
    selection = selector.select(part, budget)
    if polished:
        selection = polish(part, selection)
    if certified and selection.bound is None:
        selection = dataclasses.replace(selection, bound=upper_bound(part, budget, selection.covered_weight))
    chosen = tuple(sentences[list(selection.chosen)].tolist())
    return dataclasses.replace(selection, chosen=chosen, unit=unit)


def _solve_beside(
    graph: CoverageGraph,
    budget: float,
    selector: Selector,
    place: str,
    polished: bool,  # noqa: FBT001 (as solve was asked)
    certified: bool,  # noqa: FBT001 (the same)
    fixed: Sequence[int],
    unit: str,
) -> Selection:
    alone = make_selection(graph, budget, selector.name, fixed)
    if alone.cost > budget:
        problem = f"the required sentences take {plain(alone.cost)} of {plain(budget)} {unit}"
        raise NoSummaryError(place, problem, "raise --budget")
    rest, room = without_sentences(graph, fixed), budget - alone.cost
    try:
        found = solve(rest, room, selector, place, polished=polished, certified=certified, unit=unit)
    except NoSummaryError:  # nothing more fits, or is worth it
        bound = alone.covered_weight if certified else None
        return dataclasses.replace(alone, bound=bound, unit=unit)
    both = make_selection(graph, budget, selector.name, {*fixed, *found.chosen}, found.diagnostics)
    bound = None if found.bound is None else alone.covered_weight + found.bound
    return dataclasses.replace(both, bound=bound, unit=unit)


def solve_as(
    graph: CoverageGraph, config: Config, place: str, cluster: Cluster | None = None, name: str = ""
) -> Selection:
    """Run stage 5 as a configuration says, by the chosen selector or another.

    ``cluster``: where the sentences that must be chosen are looked for.
    """
    select = config.select
    unit = "words" if select.unit == "percent" else select.unit
    if select.fill != "whole" and unit != "words":
        raise SettingError(
            "--fill", f"cuts at words, where the budget counts {unit}", "leave one of them out"
        )
    made = solve(
        graph,
        select.budget,
        config.selector_named(name or select.selector),
        place,
        polished=select.polish,
        certified=select.certify,
        fixed=_fixed(graph, select.must, cluster) if select.must and cluster else (),
        unit=unit,
    )
    return made if select.fill == "whole" else dataclasses.replace(made, cut=next_sentence(graph, made))


def _fixed(graph: CoverageGraph, must: Sequence[str], cluster: Cluster) -> list[int]:
    """Return the required sentences as they stand in the graph, where only the first of equal ones does."""
    texts = [sentence.text for sentence in cluster.sentences]
    node = {texts[sentence]: i for i, sentence in enumerate(graph.sentence_ids.tolist())}
    wanted = [texts[i] for i in required(must, cluster).values()]
    for text in wanted:
        if text not in node:
            raise NoSummaryError(
                cluster.id,
                f'"{text[:60]}" is not in the graph: no candidate, or no word of it is worth covering',
                "leave it out of --must",
            )
    return sorted({node[text] for text in wanted})


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


@cache
def version(library: str) -> str:
    """Return the version of an installed library; each look reads a file, which many clusters would feel."""
    return metadata.version(library)


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
    stemmer = stemmer_used(config.preprocess.stemmer, cluster.language)
    library = stemmer_library(stemmer)
    return {
        "stemmer": stemmer,
        "stopwords": _stopwords_signature(cluster.language, config),
        **_coverage_signature(config),
        **({library: version(library)} if library else {}),
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
        "documents": f"{_shape(settings).least_documents}+",
        "bigrams": 1 if words_alone else plain(settings.bigram_factor),
        "place": f"{plain(settings.place_bonus)}/{settings.place_fades}" if settings.place_bonus else "none",
    }
    said = {name: value for name, value in shape.items() if value != _THE_PAPERS[name]}
    return {"weights": settings.weighting, **own, **said, **_steering_signature(settings)}


def _steering_signature(settings: WeighSettings) -> dict[str, Any]:
    """Return what the user asked of the weights, where anything was asked."""
    asked = {"boosted": settings.boost, "ignored": settings.ignore, "query": settings.query}
    return {
        name: value if isinstance(value, str) else ",".join(value) for name, value in asked.items() if value
    }


def select_signature(config: Config, name: str = "") -> dict[str, Any]:
    """Return a selector, by default the chosen one, with its own settings, and the budget K."""
    selector = config.selector_named(name or config.select.selector)
    settings = {name: shown(value) for name, value in settings_of(selector).items()}
    return {
        "selector": selector.name,
        **settings,
        **({} if config.select.fill == "whole" else {"fill": config.select.fill}),
        "k": f"{plain(config.select.budget)}{SUFFIXES[config.select.unit]}"
        if config.select.unit != "words"
        else plain(config.select.budget),
        **({"must": len(config.select.must)} if config.select.must else {}),
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
