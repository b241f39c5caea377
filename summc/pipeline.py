"""The stages in order: from clusters to summaries."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from summc.config import Config
from summc.documents import cluster_of_texts, load
from summc.documents.catalogue import data_folders, read_text_of
from summc.documents.settings import LoadSettings
from summc.errors import NoSummaryError, SettingError, SummcError, named
from summc.files.plugins import blamed, fault
from summc.graph.build import build_graph, cost_in, in_unit
from summc.graph.coverage import covered_levels, occurrences, total_weight
from summc.preprocess import preprocess as run_stage_2
from summc.preprocess.analysis import factor_of, holds_any
from summc.preprocess.candidates import Candidates
from summc.preprocess.concepts import parts
from summc.preprocess.required import check_required, nodes_of, required
from summc.preprocess.settings import PreprocessSettings
from summc.preprocess.terms import (
    words,
)
from summc.reading import ReadingPrices
from summc.records import Cluster, CoverageGraph, Selection, Sentence, Summary, TokenizedCluster, WordWeights
from summc.selectors import improve_reading
from summc.selectors.reached import reached
from summc.selectors.solving import next_sentence, solve
from summc.settings import own_of, rules
from summc.signatures import (
    Signature,
    load_signature,
    preprocess_signature,
    select_signature,
    signature_text,
    weigh_signature,
)
from summc.text.languages import asked_language
from summc.text.lengths import count_words, first_words
from summc.text.numbers import plain
from summc.weights import WEIGHTINGS, Expected, Weigher
from summc.weights.base import ranks_of
from summc.weights.expected import calibrated
from summc.weights.rates import read_rates
from summc.weights.shape import bigrams_among
from summc.weights.steering import boosted, factors_of, words_said
from summc.weights.weighing import weigh_words

log = logging.getLogger("summc")


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
    cluster = cluster_of_texts(documents, language=asked_language(chosen.load.language))
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


def with_budget_of(config: Config, cluster: Cluster) -> Config:
    """Return a configuration whose budget is a number of units; a share of a cluster is a number of words."""
    if config.select.unit != "percent":
        return config
    total = sum(sentence.words for sentence in cluster.sentences)
    budget = math.floor(total * config.select.budget / 100)
    if budget < 1:
        problem = f"{plain(config.select.budget)}% of {total} words is less than one"
        raise NoSummaryError(cluster.id, problem, f"raise {named('budget')}")
    return config.with_settings({"budget": budget, "unit": "words"})


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


def solve_as(
    graph: CoverageGraph,
    config: Config,
    place: str,
    text: TokenizedCluster | None = None,
    name: str = "",
    cluster: Cluster | None = None,
) -> Selection:
    """Run stage 5 as a configuration says, by the chosen selector or another.

    ``text``: the cluster with its terms, by which required sentences are found and reading is priced.
    ``cluster``: where required sentences are found if there are no terms.
    """
    select = config.select
    unit = "words" if select.unit == "percent" else select.unit
    if select.fill != "whole" and unit != "words":
        raise SettingError(
            named("fill"), f"cuts at words, where the budget counts {unit}", "leave one of them out"
        )
    searched = text.cluster if text else cluster
    fixed = _fixed(graph, select.must, searched) if select.must and searched else []
    made = solve(
        graph,
        select.budget,
        config.selector_named(name or select.selector),
        place,
        polished=select.polish,
        certified=select.certify,
        fixed=fixed,
        unit=unit,
    )
    prices = prices_of(graph, text, select.budget, select.reading) if text is not None else None
    if prices is not None:
        made = _readable(graph, made, prices, fixed)
    return made if select.fill == "whole" else dataclasses.replace(made, cut=next_sentence(graph, made))


def prices_of(
    graph: CoverageGraph, text: TokenizedCluster, budget: float, factor: float
) -> ReadingPrices | None:
    """Return what reading costs; None where nothing is given up for it."""
    return ReadingPrices(text, graph, budget, ranks_of(text).tolist(), factor) if factor else None


def _readable(
    graph: CoverageGraph, selection: Selection, prices: ReadingPrices, fixed: Sequence[int]
) -> Selection:
    """Return a choice that reads better; a second search replaces the stale figures that the first chose."""
    made = improve_reading(graph, selection, prices, fixed)
    if "given_up" not in made.diagnostics or not prices.stale(made.chosen):
        return made
    made = improve_reading(graph, made, prices.renewing(made.chosen), fixed)
    given_up = max(0.0, 1 - made.covered_weight / selection.covered_weight)
    return dataclasses.replace(made, diagnostics={**made.diagnostics, "given_up": given_up})


def _fixed(graph: CoverageGraph, must: Sequence[str], cluster: Cluster) -> list[int]:
    """Return the required sentences as they stand in the graph, which may hold only the first of equals."""
    wanted = required(must, cluster).values()
    node = nodes_of(wanted, graph, cluster)
    for sentence in wanted:
        if sentence not in node:
            raise NoSummaryError(
                cluster.id,
                f'"{cluster.sentences[sentence].text[:60]}" is not in the graph: '
                "no candidate, or no word of it is worth covering",
                f"leave it out of {named('must')}",
            )
    return sorted(set(node.values()))


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
    tokenized = [preprocess(cluster, config) for cluster in clusters]
    check_required(must, [text for each in tokenized for text in required(must, each.cluster)])
    return tokenized


def preprocess(cluster: Cluster, config: Config) -> TokenizedCluster:
    """Run stage 2 as a configuration says."""
    return run_stage_2(cluster, config.analysis, config.candidates, config.select.must)


def fit(
    tokenized: Sequence[TokenizedCluster],
    config: Config,
    background: Sequence[TokenizedCluster] | None = None,
) -> Weigher:
    """Fit the weighting on the clusters of a run and on the background that a configuration names."""
    check_weighing(config, _languages(tokenized))
    if background is None:  # who brings one has a cluster at a time, and what it lacks another may hold
        _warn_of_unknown_words(tokenized, [config] * len(tokenized))
        background = read_background(config, _first_language(tokenized))
    return _fitted(tokenized, config, background)


def fit_each(tokenized: Sequence[TokenizedCluster], configs: Sequence[Config]) -> list[Weigher]:
    """Return the weighting for each cluster, where clusters may have been preprocessed in different ways.

    ``configs`` has the configuration of each cluster; they differ in nothing but how text is read and
    preprocessed. Words are counted over all clusters, and over the background as each configuration reads it.
    """
    kinds = [_reading_of(config) for config in configs]
    config_of = dict(zip(kinds, configs, strict=True))
    for kind, config in config_of.items():
        of_kind = (each for each, other in zip(tokenized, kinds, strict=True) if other == kind)
        check_weighing(config, _languages(of_kind))
    _warn_of_unknown_words(tokenized, configs)
    language = _first_language(tokenized)
    weigher_of = {
        kind: _fitted(tokenized, config, read_background(config, language))
        for kind, config in config_of.items()
    }
    return [weigher_of[kind] for kind in kinds]


def _reading_of(config: Config) -> tuple[LoadSettings, PreprocessSettings, Candidates]:
    """Return all that makes a difference to how a text is read and preprocessed."""
    return config.load, config.preprocess, config.candidates


def _languages(tokenized: Iterable[TokenizedCluster]) -> list[str]:
    return list(dict.fromkeys(each.cluster.language for each in tokenized))


def _first_language(tokenized: Sequence[TokenizedCluster]) -> str:
    return tokenized[0].cluster.language if tokenized else "en"


def _fitted(
    tokenized: Sequence[TokenizedCluster], config: Config, background: Sequence[TokenizedCluster]
) -> Weigher:
    make = WEIGHTINGS[config.weigh.weighting]
    with _blamed(config):
        return make(**own_of(config.weigh, make)).fit(tokenized, background)


def check_weighing(config: Config, languages: Iterable[str]) -> None:
    """Refuse, once and not for each cluster, a background or model without effect and what no word can be.

    ``languages``: those of the clusters, which tell what is one word.
    """
    boosts, ignored = config.weigh.boost, config.weigh.ignore
    factors_of(boosts, ignored)
    for language in languages if boosts or ignored else ():
        factors_of(boosts, ignored, config.analysis.terms_in(language))
    weighting = config.weigh.weighting
    if config.weigh.background and not WEIGHTINGS[weighting].others:
        users = " or ".join(name for name, other in WEIGHTINGS.items() if other.others)
        problem = f"weighting {weighting} looks at no other text"
        raise SettingError(named("background"), problem, f"choose {users}")
    model = own_of(config.weigh, Expected)["model"]
    if model and "model" not in rules(WEIGHTINGS[weighting]):
        raise SettingError(named("model"), f"weighting {weighting} has no model", "choose expected")
    if model:
        read_rates(Path(model))


def question_of(tokenized: TokenizedCluster, config: Config) -> str:
    """Return the question that the summary of a cluster should answer, or "" if it has no question.

    ``query`` wins over the cluster's own question. If no word of the question stands in the documents,
    ``query`` is refused: the user can ask again. A cluster's own question is left out with a warning, so
    that one bad question does not cost a data set a cluster.
    """
    cluster = tokenized.cluster
    question = config.weigh.question_for(cluster.query)
    if not question:
        return ""
    asked = config.analysis.terms_in(cluster.language)(question)
    if any(not asked.isdisjoint(parts(concept)) for concept in tokenized.places.words):
        return question
    if config.weigh.query:
        problem = f"none of its words stands in the documents of {cluster.id}"
        raise SettingError(named("query"), problem, "ask in words that they use")
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
    analysis, language = config.analysis, tokenized.cluster.language
    terms_of = analysis.terms_in(language)
    with _blamed(config):
        weights = weigh_words(
            tokenized,
            weigher,
            config.weigh.shape_for(question),
            length=length,
            stop=analysis.stop_terms(language),
            reach=lambda weights: reached(build_graph(tokenized, weights), length),
            is_asked=holds_any(terms_of(question)) if question else None,
        )
        _check_weights(weights, config)
    if not (config.weigh.boost or config.weigh.ignore):
        return weights
    return boosted(weights, factor_of(factors_of(config.weigh.boost, config.weigh.ignore, terms_of)))


def _blamed(config: Config) -> AbstractContextManager[None]:
    """Name the package of the weighting, if it is another's, in whatever goes wrong."""
    name = config.weigh.weighting
    return blamed(WEIGHTINGS.package_of(name), f"weighting {name}")


def _check_weights(weights: WordWeights, config: Config) -> None:
    """Refuse weights of another package that are not what a problem is made of."""
    name = config.weigh.weighting
    package = WEIGHTINGS.package_of(name)
    if package and not (np.isfinite(weights.weight).all() and (weights.weight >= 0).all()):
        raise fault(package, f"weighting {name} weighs a word with less than 0, or with no number")


def _warn_of_unknown_words(tokenized: Sequence[TokenizedCluster], configs: Sequence[Config]) -> None:
    """Warn of what is made heavier or lighter without effect: typos, for the most part.

    ``configs`` has the configuration of each cluster; all of them ask for the same words.
    """
    said = words_said(configs[0].weigh.boost, configs[0].weigh.ignore) if configs else []
    finders: dict[Any, tuple[str, Callable[[str], frozenset[str]], set[str]]] = {}
    for each, config in zip(tokenized, configs, strict=True) if said else ():
        language = each.cluster.language
        kind = (language, config.preprocess)
        if kind not in finders:
            finders[kind] = (language, config.analysis.terms_in(language), set())
        finders[kind][2].update(term for concept in each.places.words for term in parts(concept))
    known_terms = list(finders.values())
    for setting, text in said:
        if not any(terms_of(text) for _, terms_of, _ in known_terms):
            if setting == "boost":  # to ignore what never counts is no mistake
                log.warning('%s: "%s" is no word that counts; it has no effect', named(setting), text)
            continue
        for word in dict.fromkeys(words(text, known_terms[0][0])):
            if not any(terms_of(word) <= known for _, terms_of, known in known_terms):
                log.warning('%s: no document holds "%s"; it has no effect', named(setting), word)


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
