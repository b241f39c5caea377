"""Stage 3 on one cluster: its weighting, the question and what the user boosts or ignores.

The user's words become terms by ``terms_of``, a function of stage 2 that finds the terms of a text.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np

from summc.errors import SettingError, as_typed
from summc.records import TokenizedCluster, WordWeights
from summc.settings import own_of, rules
from summc.system.plugins import blamed, fault
from summc.weights import WEIGHTINGS, Expected, Weigher
from summc.weights.rates import read_rates
from summc.weights.settings import WeighSettings
from summc.weights.steering import boosted, factors_of, words_said

log = logging.getLogger("summc")

#: Returns the terms of a text, such as a question or a boosted word.
TermsOf = Callable[[str], frozenset[str]]


def weigh_words(
    text: TokenizedCluster,
    weigher: Weigher,
    settings: WeighSettings,
    length: float,
    question: str,
    terms_of: TermsOf,
) -> WordWeights:
    """Return the weights of a cluster's words for a summary of ``length`` words, with the boosts applied.

    ``question`` is the question that the summary should answer, or "".
    """
    with blaming(settings):
        weights = weigher.weigh(text, length, _holds_any(terms_of(question)) if question else None)
        _check(weights, settings)
    if not (settings.boost or settings.ignore):
        return weights
    return boosted(weights, _factor_of(factors_of(settings.boost, settings.ignore, terms_of)))


def question_for(text: TokenizedCluster, settings: WeighSettings, terms_of: TermsOf) -> str:
    """Return the question that the summary of a cluster should answer, or "" if there is no question.

    The setting ``query`` replaces the cluster's own question. If no word of ``query`` occurs in the
    documents, an error is raised, because the user can ask again. If no word of the cluster's own question
    occurs in them, the question is ignored with a warning, so that the cluster is summarized all the same.
    """
    cluster = text.cluster
    question = settings.question_for(cluster.query)
    if not question:
        return ""
    if any(map(_holds_any(terms_of(question)), text.index.words)):
        return question
    if settings.query:
        problem = f"none of its words stands in the documents of {cluster.id}"
        raise SettingError(as_typed("query"), problem, "ask in words that they use")
    problem = "no word of its question stands in its documents"
    log.warning("%s: %s; summarized without the question", cluster.id, problem)
    return ""


def check_settings(
    settings: WeighSettings, languages: Iterable[str], terms_in: Callable[[str], TermsOf]
) -> None:
    """Raise ``SettingError`` if settings of stage 3 contradict each other or have no effect.

    ``languages`` are the languages of the clusters: two boosted words may have the same stem in one of them,
    and their factors may then conflict. ``terms_in`` returns the function ``terms_of`` of a language. Call
    this function once for a run, not for each cluster.
    """
    boosts, ignored = settings.boost, settings.ignore
    factors_of(boosts, ignored)
    for language in languages if boosts or ignored else ():
        factors_of(boosts, ignored, terms_in(language))
    weighting = settings.weighting
    if settings.background and not WEIGHTINGS[weighting].others:
        users = " or ".join(name for name, other in WEIGHTINGS.items() if other.others)
        problem = f"weighting {weighting} looks at no other text"
        raise SettingError(as_typed("background"), problem, f"choose {users}")
    model = own_of(settings, Expected)["model"]
    if model and "model" in rules(WEIGHTINGS[weighting]):
        read_rates(Path(model))


def warn_of_unknown_words(
    settings: WeighSettings,
    texts: Sequence[tuple[TokenizedCluster, TermsOf]],
    words_in: Callable[[str], Iterable[str]],
) -> None:
    """Warn of boosted or ignored words that occur in no document, because most of them are typos.

    ``texts`` has each cluster with the function that finds terms in its language. ``words_in`` splits what
    the user wrote into words.
    """
    said = words_said(settings.boost, settings.ignore)
    known: dict[TermsOf, set[str]] = {}
    for text, terms_of in texts if said else ():
        terms = known.setdefault(terms_of, set())
        terms.update(term for concept in text.index.words for term in concept.split(" "))
    for setting, written in said:
        if not any(terms_of(written) for terms_of in known):
            if setting == "boost":  # no harm in ignoring a word that has no weight
                log.warning('%s: "%s" is no word that counts; it has no effect', as_typed(setting), written)
            continue
        for word in dict.fromkeys(words_in(written)):
            if not any(terms_of(word) <= terms for terms_of, terms in known.items()):
                log.warning('%s: no document holds "%s"; it has no effect', as_typed(setting), word)


def blaming(settings: WeighSettings) -> AbstractContextManager[None]:
    """Return a context in which errors name the weighting's package, if that is not summc itself."""
    return blamed(WEIGHTINGS.package_of(settings.weighting), f"weighting {settings.weighting}")


def _check(weights: WordWeights, settings: WeighSettings) -> None:
    """Raise an error if a weighting of another package returned negative, infinite or NaN weights."""
    package = WEIGHTINGS.package_of(settings.weighting)
    if package and not (np.isfinite(weights.weight).all() and (weights.weight >= 0).all()):
        problem = f"weighting {settings.weighting} weighs a word with less than 0, or with no number"
        raise fault(package, problem)


def _holds_any(wanted: frozenset[str]) -> Callable[[str], bool]:
    """Return a function that tells whether a concept (a term or a bigram) contains a wanted term."""
    return lambda concept: not wanted.isdisjoint(concept.split(" "))


def _factor_of(factors: Mapping[str, float]) -> Callable[[str], float]:
    """Return a function that gives the number by which the user wants to multiply the weight of a concept.

    ``factors`` maps terms to such numbers; a term that is not in it has the number 1. For a bigram the
    function returns the product of the numbers of its two terms; a term that is repeated counts once.
    """
    return lambda concept: math.prod(factors.get(term, 1.0) for term in set(concept.split(" ")))
