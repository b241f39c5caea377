"""Run stage 2 (find terms and candidates) and stage 3 (weigh the terms) with the settings of a run."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from summc.documents.catalogue import data_folders, is_in_several_languages, read_text_of
from summc.documents.settings import LoadSettings
from summc.errors import SettingError, named
from summc.graph.build import build_graph
from summc.pipeline.signatures import weigh_signature
from summc.preprocess import preprocess as run_stage_2
from summc.preprocess.analysis import factor_of, holds_any
from summc.preprocess.candidates import Candidates
from summc.preprocess.concepts import parts
from summc.preprocess.required import check_required, required
from summc.preprocess.settings import PreprocessSettings
from summc.preprocess.terms import (
    words,
)
from summc.records import Cluster, TokenizedCluster, WordWeights
from summc.selectors.reached import reached
from summc.settings import own_of, rules
from summc.settings.config import Config
from summc.system.plugins import blamed, fault
from summc.text.languages import AUTO, asked_language
from summc.weights import WEIGHTINGS, Expected, Weigher
from summc.weights.rates import read_rates
from summc.weights.steering import boosted, factors_of, words_said
from summc.weights.weighing import weigh_words

log = logging.getLogger("summc")


def preprocess_all(clusters: Iterable[Cluster], config: Config) -> list[TokenizedCluster]:
    """Run stage 2 on all clusters of a run: find their terms, concepts and candidate sentences.

    Raise an error if the user requires a sentence (``must``) that no cluster contains.
    """
    must = config.select.must
    tokenized = [preprocess(cluster, config) for cluster in clusters]
    check_required(must, [text for each in tokenized for text in required(must, each.cluster)])
    return tokenized


def preprocess(cluster: Cluster, config: Config) -> TokenizedCluster:
    """Run stage 2 on one cluster: find its terms, concepts and candidate sentences."""
    return run_stage_2(cluster, config.analysis, config.candidates, config.select.must)


def fit(
    tokenized: Sequence[TokenizedCluster],
    config: Config,
    background: Sequence[TokenizedCluster] | None = None,
) -> Weigher:
    """Return the configured weighting, fitted on the clusters of a run and on the background texts.

    ``background`` has the background texts: texts that the user gave to count words in, besides the clusters.
    If it is None, they are read now.
    """
    check_weighing(config, _languages(tokenized))
    # If the background is given, the caller is batch, which passes one cluster at a time. A boosted or
    # ignored word may occur in another cluster, so do not warn.
    if background is None:
        _warn_of_unknown_words(tokenized, [config] * len(tokenized))
        background = read_background(config, _first_language(tokenized))
    return _fitted(tokenized, config, background)


def fit_each(tokenized: Sequence[TokenizedCluster], configs: Sequence[Config]) -> list[Weigher]:
    """Return a fitted weighting for each cluster. Use it if clusters were preprocessed in different ways.

    ``configs`` has the configuration of each cluster; they differ only in how text is loaded and
    preprocessed. The weighting for a cluster is fitted on all clusters as they are, and on the background
    texts, which are preprocessed as this cluster was.
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
    """Return the settings that change how text is loaded and preprocessed, to compare configurations."""
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
    """Raise ``SettingError`` if settings of stage 3 contradict each other or have no effect.

    ``languages`` are the languages of the clusters. They matter because two boosted words may have the same
    stem in one language, and their factors may then conflict. Call this function once for a run, not for each
    cluster.
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
    if model and "model" in rules(WEIGHTINGS[weighting]):
        read_rates(Path(model))


def question_of(tokenized: TokenizedCluster, config: Config) -> str:
    """Return the question that the summary of a cluster should answer, or "" if there is no question.

    The setting ``query`` replaces the cluster's own question. If no word of ``query`` occurs in the
    documents, an error is raised, because the user can ask again. If no word of the cluster's own question
    occurs in them, the question is ignored with a warning, so that the cluster is summarized all the same.
    """
    cluster = tokenized.cluster
    question = config.weigh.question_for(cluster.query)
    if not question:
        return ""
    asked = config.analysis.terms_in(cluster.language)(question)
    if any(not asked.isdisjoint(parts(concept)) for concept in tokenized.index.words):
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
    """Run stage 3 on one cluster: return the weights of its words, with the user's boosts applied.

    ``weigher`` is the fitted weighting. ``question`` is the question that the summary should answer, or "".
    ``length`` is the length of the summary in words, for weightings that depend on it.
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
    weights = dataclasses.replace(weights, signature=weigh_signature(weigher, config, [question]))
    if not (config.weigh.boost or config.weigh.ignore):
        return weights
    return boosted(weights, factor_of(factors_of(config.weigh.boost, config.weigh.ignore, terms_of)))


def _blamed(config: Config) -> AbstractContextManager[None]:
    """Return a context in which errors name the weighting's package, if that is not summc itself."""
    name = config.weigh.weighting
    return blamed(WEIGHTINGS.package_of(name), f"weighting {name}")


def _check_weights(weights: WordWeights, config: Config) -> None:
    """Raise an error if a weighting of another package returned negative, infinite or NaN weights."""
    name = config.weigh.weighting
    package = WEIGHTINGS.package_of(name)
    if package and not (np.isfinite(weights.weight).all() and (weights.weight >= 0).all()):
        raise fault(package, f"weighting {name} weighs a word with less than 0, or with no number")


def _warn_of_unknown_words(tokenized: Sequence[TokenizedCluster], configs: Sequence[Config]) -> None:
    """Warn of boosted or ignored words that occur in no document, because most of them are typos.

    ``configs`` has the configuration of each cluster; all of them boost and ignore the same words.
    """
    said = words_said(configs[0].weigh.boost, configs[0].weigh.ignore) if configs else []
    finders: dict[Any, tuple[str, Callable[[str], frozenset[str]], set[str]]] = {}
    for each, config in zip(tokenized, configs, strict=True) if said else ():
        language = each.cluster.language
        kind = (language, config.preprocess)
        if kind not in finders:
            finders[kind] = (language, config.analysis.terms_in(language), set())
        finders[kind][2].update(term for concept in each.index.words for term in parts(concept))
    known_terms = list(finders.values())
    for setting, text in said:
        if not any(terms_of(text) for _, terms_of, _ in known_terms):
            if setting == "boost":  # no harm in ignoring a word that has no weight
                log.warning('%s: "%s" is no word that counts; it has no effect', named(setting), text)
            continue
        for word in dict.fromkeys(words(text, known_terms[0][0])):
            if not any(terms_of(word) <= known for _, terms_of, known in known_terms):
                log.warning('%s: no document holds "%s"; it has no effect', named(setting), word)


def read_background(config: Config, language: str) -> list[TokenizedCluster]:
    """Return the background texts of the configuration, loaded and preprocessed like the clusters.

    They are read in the configured language; if that is ``auto``, each in its own. ``language`` is the
    language of the clusters: it says which part of a data set in several languages to read.
    """
    folders, encoding = data_folders(config.load.data), config.load.encoding
    asked = asked_language(config.load.language)
    return [
        preprocess(cluster, config)
        for path in config.weigh.background
        for cluster in read_text_of(
            path,
            folders,
            encoding=encoding,
            language=language if asked == AUTO and is_in_several_languages(path) else asked,
        )
    ]
