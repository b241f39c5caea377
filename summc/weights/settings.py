"""The settings of stage 3, and what the user boosts or ignores.

The user's words become terms by stage 2: ``terms_in`` returns, for a language, the function ``terms_of`` that
finds the terms of a text.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from summc.errors import SettingError, as_typed
from summc.records import TokenizedCluster, WordWeights
from summc.settings import rules, same_setting, setting
from summc.system.logs import log
from summc.weights import WEIGHTINGS
from summc.weights.questions import TermsOf


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
        "Answer the question that comes with the documents, if any.", off="no-query", heading="Steering",
    )  # fmt: skip
    embedder: str = setting(
        "", "Model that finds sentences near the question in meaning; none for words alone.",
        metavar="NAME|PATH", heading="Steering",
    )  # fmt: skip


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


def boosted(weights: WordWeights, settings: WeighSettings, terms_of: TermsOf) -> WordWeights:
    """Return the weights, each multiplied by the factors of the boosted or ignored terms of its concept."""
    factors = factors_of(settings, terms_of)
    products = [math.prod(factors.get(term, 1.0) for term in set(word.split(" "))) for word in weights.words]
    factor = np.array(products, dtype=np.float64)
    repeats = weights.repeats
    if repeats is not None and weights.repeats_start is not None:
        repeats = repeats * np.repeat(factor, np.diff(weights.repeats_start))
    return dataclasses.replace(weights, weight=weights.weight * factor, repeats=repeats)


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


def warn_of_unknown_words(
    settings: WeighSettings, tokenized_clusters: Sequence[TokenizedCluster], finders: Iterable[TermsOf],
    words_in: Callable[[str], Iterable[str]],
) -> None:  # fmt: skip
    """Warn of boosted or ignored words that occur in no document, because most of them are typos.

    ``finders`` has the function ``terms_of`` of each cluster. ``words_in`` splits what the user wrote into
    words.
    """
    terms_by_finder: dict[TermsOf, set[str]] = {}
    for tokenized, terms_of in zip(tokenized_clusters, finders, strict=True):
        terms = (term for concept in tokenized.index.concepts for term in concept.split(" "))
        terms_by_finder.setdefault(terms_of, set()).update(terms)
    for name, _, phrase, _ in _steered(settings):
        if not any(terms_of(phrase) for terms_of in terms_by_finder):
            if name == "boost":  # no harm in ignoring a word that has no weight
                log.warning('%s: "%s" is no word that counts; it has no effect', as_typed(name), phrase)
            continue
        for word in dict.fromkeys(words_in(phrase)):
            if not any(terms_of(word) <= terms for terms_of, terms in terms_by_finder.items()):
                log.warning('%s: no document holds "%s"; it has no effect', as_typed(name), word)


def factors_of(settings: WeighSettings, terms_of: Callable[[str], Iterable[str]]) -> dict[str, float]:
    """Return the factor by which to multiply the weight of each boosted or ignored term; ignored means 0.

    Words with the same stem have the same factor. Raise ``SettingError`` if a term gets two factors.
    """
    by_term: dict[str, tuple[str, float]] = {}
    for name, written, phrase, factor in _steered(settings):
        for term in sorted(terms_of(phrase)):
            first_phrase, first_factor = by_term.setdefault(term, (phrase, factor))
            if first_factor != factor:
                problem = f"{written} conflicts with {as_typed('boost')} {first_phrase}={first_factor:g}"
                raise SettingError(as_typed(name), problem, "give each word one factor")
    return {term: factor for term, (_, factor) in by_term.items()}


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
