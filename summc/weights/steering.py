"""Change weights as the user asks: make words heavier or lighter, and answer a question.

Only the weights of the coverage problem change, so the selectors and their bounds work as before.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable

import numpy as np

from summc.errors import SettingError, as_typed
from summc.records import Floats, TokenizedCluster, WordWeights
from summc.text.arithmetic import log

#: The relevance of nearby sentences is added to that of a sentence, multiplied by these factors: one for the
#: sentences next to it, one for the sentences two places away.
_NEIGHBOURS = (0.5, 0.25)


def relevance_of(tokenized: TokenizedCluster, is_asked: Callable[[str], bool]) -> Floats | None:
    """Return the relevance of each sentence, 1 on average, or None if no sentence has a word of the question.

    The relevance of a sentence is the sum of the idf of the question's words in it, divided by the square
    root of its length. A part of the relevance of the two sentences before it and the two after it, in the
    same document, is added. ``is_asked`` tells whether a word belongs to the question.
    """
    held = [{term for term in terms if " " not in term and is_asked(term)} for terms in tokenized.tokens]
    frequency: dict[str, int] = {}
    for terms in held:
        for term in terms:
            frequency[term] = frequency.get(term, 0) + 1
    size = len(held)
    idf = {term: float(log(size / n)) + 1 / size for term, n in frequency.items()}
    length = np.array([max(sum(" " not in term for term in terms), 1) for terms in tokenized.tokens])
    alone = np.array([sum(idf[term] for term in sorted(terms)) for terms in held]) / np.sqrt(length)
    smooth = alone.copy()
    document = np.array([sentence.document for sentence in tokenized.cluster.sentences])
    for distance, share in enumerate(_NEIGHBOURS, start=1):
        together = document[distance:] == document[:-distance]
        smooth[distance:] += share * np.where(together, alone[:-distance], 0.0)
        smooth[:-distance] += share * np.where(together, alone[distance:], 0.0)
    return smooth / smooth.mean() if smooth.any() else None


#: If there is a question: the share of its weight that a word keeps if it never occurs in a sentence with a
#: word of the question; and the weight of a word of the question, relative to the heaviest word.
_FAR, _ASKED = 0.1, 3.0


def factors_of(
    boosts: Iterable[str],
    ignored: Iterable[str],
    terms_of: Callable[[str], Iterable[str]] = lambda word: [_folded(word)],
) -> dict[str, float]:
    """Return the factor by which to multiply the weight of each boosted or ignored term; ignored means 0.

    ``boosts`` are texts such as "dam=2". ``terms_of`` returns the terms (stems) of a text, so that words
    with the same stem have the same factor. By default a text is its own term. Raise ``SettingError`` if a
    term gets two factors.
    """
    factors: dict[str, float] = {}
    said: dict[str, str] = {}
    for boost in boosts:
        word, factor = _parse_boost(boost)
        for term in sorted(terms_of(word)):
            if factors.setdefault(term, factor) != factor:
                problem = f"{boost} conflicts with {said[term]}={factors[term]:g}"
                raise SettingError(as_typed("boost"), problem, "give each word one factor")
            said.setdefault(term, word)
    for word in ignored:
        for term in sorted(terms_of(word)):
            if factors.get(term):
                problem = f"{word} conflicts with {as_typed('boost')} {said[term]}={factors[term]:g}"
                raise SettingError(as_typed("ignore"), problem, "give one of them")
            factors[term] = 0.0
    return factors


def words_said(boosts: Iterable[str], ignored: Iterable[str]) -> list[tuple[str, str]]:
    """Return, for each text that the user boosts or ignores, the pair ("boost" or "ignore", text).

    ``boosts`` are texts such as "dam=2", and ``ignored`` are texts without a factor.
    """
    return [
        *(("boost", _parse_boost(boost)[0]) for boost in boosts),
        *(("ignore", word) for word in ignored),
    ]


def _parse_boost(boost: str) -> tuple[str, float]:
    """Return the word and the factor of a text such as "dam=2"; raise ``SettingError`` if it is malformed."""
    word, _, given = boost.rpartition("=")
    try:
        factor = float(given)
    except ValueError:
        factor = math.nan
    if not (word.strip() and 0 <= factor <= 1e6):  # noqa: PLR2004 (sane)
        raise SettingError(as_typed("boost"), f"must be WORD=FACTOR, got {boost}", "write dam=2, or dam=0.5")
    return word.strip(), factor


def boosted(weights: WordWeights, factor_of: Callable[[str], float]) -> WordWeights:
    """Return the weights of words, each multiplied by ``factor_of(word)``."""
    factor = np.array([factor_of(word) for word in weights.words], dtype=np.float64)
    made = _with(weights, weights.weight * factor, weights.bonus)
    if weights.repeats is None or weights.repeats_start is None:
        return made
    repeats = weights.repeats * np.repeat(factor, np.diff(weights.repeats_start))
    repeats.flags.writeable = False
    return dataclasses.replace(made, repeats=repeats)


def turned_toward(
    weights: WordWeights, tokenized: TokenizedCluster, is_asked: Callable[[str], bool]
) -> WordWeights:
    """Return weights that favour the words of a question, and the words that occur near them.

    ``is_asked`` tells whether a word belongs to the question. The more of a word's sentences contain a word
    of the question, the more of its weight the word keeps. Words of the question themselves become heavier
    than all others. A sentence without a word of the question keeps little of its position bonus. If no word
    of the question occurs in the documents, the weights are returned unchanged.
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
