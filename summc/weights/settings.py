"""Stage 3 on one cluster: its settings, the question, and what the user boosts or ignores.

The user's words become terms by stage 2: ``terms_in`` returns, for a language, the function ``terms_of`` that
finds the terms of a text.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from summc.errors import SettingError, as_typed
from summc.records import TokenizedCluster, WordWeights
from summc.settings import own_of, rules, same_setting, setting
from summc.system.plugins import blamed, fault
from summc.weights import WEIGHTINGS, Expected, Weigher
from summc.weights.rates import read_rates
from summc.weights.steering import asked_terms

log = logging.getLogger("summc")

#: Returns the terms of a text, such as a question or a boosted word.
TermsOf = Callable[[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class WeighSettings:
    """The settings of stage 3 that are not fields of a weighting's own class."""

    weighting: str = setting("mixed", "How to weigh words.", choices=tuple(WEIGHTINGS))
    background: tuple[str, ...] = setting(
        (), "tfidf: more text to count words in, a path or a data set; repeatable.", metavar="NAME|PATH"
    )
    boost: tuple[str, ...] = setting(
        (), "Weigh a word more or less (dam=2, dam=0.5); repeatable.",
        metavar="WORD=FACTOR", common=True, heading="Steering",
    )  # fmt: skip
    ignore: tuple[str, ...] = setting(
        (), "Give a word no weight; repeatable.", metavar="WORD", common=True, heading="Steering"
    )
    query: str = setting("", "Question that the summary should answer.", common=True, heading="Steering")
    use_query: bool = setting(
        True,  # noqa: FBT003
        "Answer the question that comes with the documents, if any.",
        off="no-query",
        heading="Steering",
    )

    @property
    def forecasts(self) -> bool:
        """Whether the covered weight says how much of a person's summary a summary contains."""
        return self.weighting == "expected" and not (self.boost or self.ignore)

    def fitted(self, texts: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> Weigher:
        """Return the weighting that is configured, fitted on the clusters of a call and background texts.

        If words are boosted, concepts in only one document have weight too: the user asked for them.
        """
        make = WEIGHTINGS[self.weighting]
        own = own_of(self, make)
        if self.boost and "least_documents" in own:
            own["least_documents"] = 1
        with self.blamed():
            return make(**own).fit(texts, background)

    def blamed(self) -> AbstractContextManager[None]:
        """Return a context in which errors name the weighting's package, if that is not summc itself."""
        return blamed(WEIGHTINGS.package_of(self.weighting), f"weighting {self.weighting}")


#: The fields of all weightings. One that several of them have is declared in the same way, and appears once.
_FIELDS = {
    name: (name, type(default), same_setting(weighting, name))
    for weighting in WEIGHTINGS.values()
    for name, (default, _) in rules(weighting).items()
}
#: The settings of stage 3: those of ``WeighSettings`` and of all weightings.
AllWeighSettings: type[WeighSettings] = dataclasses.make_dataclass(
    "AllWeighSettings", _FIELDS.values(), bases=(WeighSettings,), frozen=True
)
AllWeighSettings.__module__ = __name__  # so that pickle finds the class


def weigh_words(
    text: TokenizedCluster,
    weigher: Weigher,
    settings: WeighSettings,
    length: float,
    question: str,
    terms_in: Callable[[str], TermsOf],
) -> WordWeights:
    """Return the weights of a cluster's words for a summary of ``length`` words, with the boosts applied."""
    language = text.cluster.language
    with settings.blamed():
        asked = asked_terms(text, question, terms_in(language)) if question else {}
        weights = weigher.weigh(text, length, partial(_count, asked) if question else None)
        package = WEIGHTINGS.package_of(settings.weighting)
        if package and not (np.isfinite(weights.weight).all() and (weights.weight >= 0).all()):
            problem = f"weighting {settings.weighting} weighs a word with less than 0, or with no number"
            raise fault(package, problem)
    if not (settings.boost or settings.ignore):
        return weights
    return _boosted(weights, factors_of(settings, terms_in(language)))


def _boosted(weights: WordWeights, factors: Mapping[str, float]) -> WordWeights:
    """Return the weights, each multiplied by the factors of the terms of its concept."""
    factor = np.array(
        [math.prod(factors.get(term, 1.0) for term in set(word.split(" "))) for word in weights.words],
        dtype=np.float64,
    )
    repeats = weights.repeats
    if repeats is not None and weights.repeats_start is not None:
        repeats = repeats * np.repeat(factor, np.diff(weights.repeats_start))
    return dataclasses.replace(weights, weight=weights.weight * factor, repeats=repeats)


def question_for(text: TokenizedCluster, settings: WeighSettings, terms_in: Callable[[str], TermsOf]) -> str:
    """Return the question that the summary of a cluster should answer, or "" without a question.

    The setting ``query`` replaces the cluster's own question. If the documents have no word of the question
    and no related word, there is a warning.
    """
    question = (settings.query or text.cluster.query) if settings.use_query else ""
    if question and not asked_terms(text, question, terms_in(text.cluster.language)):
        problem = "no word of the question stands in the documents"
        log.warning("%s: %s; summarized without the question", text.cluster.id, problem)
        return ""
    return question


def _count(asked: Mapping[str, float], concept: str) -> float:
    """Return how much a concept (a term or a bigram) belongs to the question."""
    return max(asked.get(term, 0.0) for term in concept.split(" "))


def check_settings(
    settings: WeighSettings, languages: Iterable[str], terms_in: Callable[[str], TermsOf]
) -> None:
    """Raise ``SettingError`` if settings of stage 3 contradict each other or have no effect.

    Two boosted words may have the same stem in one of the ``languages``, and their factors may then conflict.
    """
    if settings.boost or settings.ignore:
        for terms_of in (lambda word: [" ".join(word.casefold().split())], *map(terms_in, languages)):
            factors_of(settings, terms_of)
    weighting = settings.weighting
    if settings.background and not WEIGHTINGS[weighting].uses_other_texts:
        users = " or ".join(name for name, other in WEIGHTINGS.items() if other.uses_other_texts)
        problem = f"weighting {weighting} looks at no other text"
        raise SettingError(as_typed("background"), problem, f"choose {users}")
    model = own_of(settings, Expected)["model"]
    if model and "model" in rules(WEIGHTINGS[weighting]):
        read_rates(Path(model))


def warn_of_unknown_words(
    settings: WeighSettings, known: Mapping[TermsOf, set[str]], words_in: Callable[[str], Iterable[str]]
) -> None:
    """Warn of boosted or ignored words that occur in no document, because most of them are typos.

    ``known`` has the terms of the clusters by the function ``terms_of`` that found them. ``words_in`` splits
    what the user wrote into words.
    """
    for name, _, phrase, _ in _steered(settings):
        if not any(terms_of(phrase) for terms_of in known):
            if name == "boost":  # no harm in ignoring a word that has no weight
                log.warning('%s: "%s" is no word that counts; it has no effect', as_typed(name), phrase)
            continue
        for word in dict.fromkeys(words_in(phrase)):
            if not any(terms_of(word) <= terms for terms_of, terms in known.items()):
                log.warning('%s: no document holds "%s"; it has no effect', as_typed(name), word)


def factors_of(settings: WeighSettings, terms_of: Callable[[str], Iterable[str]]) -> dict[str, float]:
    """Return the factor by which to multiply the weight of each boosted or ignored term; ignored means 0.

    Words with the same stem have the same factor. Raise ``SettingError`` if a term gets two factors.
    """
    found: dict[str, tuple[str, float]] = {}
    for name, written, phrase, factor in _steered(settings):
        for term in sorted(terms_of(phrase)):
            before, known = found.setdefault(term, (phrase, factor))
            if known != factor:
                problem = f"{written} conflicts with {as_typed('boost')} {before}={known:g}"
                raise SettingError(as_typed(name), problem, "give each word one factor")
    return {term: factor for term, (_, factor) in found.items()}


def _steered(settings: WeighSettings) -> Iterator[tuple[str, str, str, float]]:
    """Yield the boosted and ignored words: the setting, the text that was given, its words and the factor.

    Raise ``SettingError`` if a boost is malformed.
    """
    for boost in settings.boost:
        phrase, _, number = boost.rpartition("=")
        try:
            factor = float(number)
        except ValueError:
            factor = math.nan
        if not (phrase.strip() and 0 <= factor <= 1e6):  # noqa: PLR2004 (sane)
            problem = f"must be WORD=FACTOR, got {boost}"
            raise SettingError(as_typed("boost"), problem, "write dam=2, or dam=0.5")
        yield "boost", boost, phrase.strip(), factor
    for phrase in settings.ignore:
        yield "ignore", phrase, phrase, 0.0
