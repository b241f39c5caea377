"""What a user asks for beyond the documents: words made heavier or lighter, a question, required sentences.

All of it changes weights, or fixes choices, in the same coverage problem: bounds hold as ever.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable

import numpy as np

from summc.errors import SettingError, named
from summc.records import Floats, TokenizedCluster, WordWeights

#: What a word that never stands near the question keeps of its weight, and what one of the question is worth
#: against the heaviest word.
_FAR, _ASKED = 0.1, 3.0


def factors_of(
    boosts: Iterable[str],
    ignored: Iterable[str],
    terms_of: Callable[[str], Iterable[str]] = lambda word: [_folded(word)],
) -> dict[str, float]:
    """Return the factor of each term that is made heavier or lighter, 0 of what is not worth covering.

    ``terms_of`` has the terms of a text; words of one term are one word. By default a text stands for itself.
    """
    factors: dict[str, float] = {}
    said: dict[str, str] = {}
    for boost in boosts:
        word, factor = _parse_boost(boost)
        for term in sorted(terms_of(word)):
            if factors.setdefault(term, factor) != factor:
                before = "it" if _folded(said[term]) == _folded(word) else said[term]
                problem = f"{boost}, where {before} was {factors[term]:g} before"
                raise SettingError(named("boost"), problem, "give each word one factor")
            said.setdefault(term, word)
    for word in ignored:
        for term in sorted(terms_of(word)):
            if factors.get(term):
                other = "" if _folded(said[term]) == _folded(word) else f" as {said[term]}"
                problem = f"{word}, which {named('boost')} makes count{other}"
                raise SettingError(named("ignore"), problem, "give one of them")
            factors[term] = 0.0
    return factors


def words_said(boosts: Iterable[str], ignored: Iterable[str]) -> list[tuple[str, str]]:
    """Return the texts that are made heavier or lighter, each behind the setting that it was said with."""
    return [
        *(("boost", _parse_boost(boost)[0]) for boost in boosts),
        *(("ignore", word) for word in ignored),
    ]


def _parse_boost(boost: str) -> tuple[str, float]:
    """Return the word and the factor of ``WORD=FACTOR``."""
    word, _, given = boost.rpartition("=")
    try:
        factor = float(given)
    except ValueError:
        factor = math.nan
    if not (word.strip() and 0 <= factor <= 1e6):  # noqa: PLR2004 (sane)
        raise SettingError(named("boost"), f"must be WORD=FACTOR, got {boost}", "write dam=2, or dam=0.5")
    return word.strip(), factor


def boosted(weights: WordWeights, factor_of: Callable[[str], float]) -> WordWeights:
    """Return the weights, each multiplied by what its word is made heavier or lighter by."""
    factor = np.array([factor_of(word) for word in weights.words], dtype=np.float64)
    made = _with(weights, weights.weight * factor, weights.bonus)
    if weights.further is None or weights.further_start is None:
        return made
    further = weights.further * np.repeat(factor, np.diff(weights.further_start))
    further.flags.writeable = False
    return dataclasses.replace(made, further=further)


def turned_toward(
    weights: WordWeights, tokenized: TokenizedCluster, is_asked: Callable[[str], bool]
) -> WordWeights:
    """Return the weights turned toward the words of a question.

    A word counts by the share of its sentences that hold a word of the question, and these words more than
    any other. A place is worth little to a sentence that holds none. A question none of whose words stands
    in the documents changes nothing.
    """
    number = {word: a for a, word in enumerate(weights.words)}
    sentences, near = np.zeros(len(number)), np.zeros(len(number))
    answers = np.array([any(map(is_asked, terms)) for terms in tokenized.tokens])
    for terms, answer in zip(tokenized.tokens, answers.tolist(), strict=True):
        held = [number[term] for term in set(terms) if term in number]
        sentences[held] += 1
        near[held] += answer
    if not near.any():
        return weights
    weight = weights.weight * (_FAR + (1 - _FAR) * near / np.maximum(sentences, 1))
    weight[[a for word, a in number.items() if is_asked(word)]] = _ASKED * weights.weight.max()
    bonus = None if weights.bonus is None else weights.bonus * np.where(answers, 1.0, _FAR)
    return _with(weights, weight, bonus)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _with(weights: WordWeights, weight: Floats, bonus: Floats | None) -> WordWeights:
    for array in (weight, bonus):
        if array is not None:
            array.flags.writeable = False
    return dataclasses.replace(weights, weight=weight, bonus=bonus)
