"""What a user asks for beyond the documents: words made heavier or lighter, a question, required sentences.

All of it changes weights, or fixes choices, in the same coverage problem: bounds hold as ever.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from summc.errors import SettingError
from summc.records import Cluster, Floats, TokenizedCluster, WordWeights

#: What a word that never stands near the question keeps of its weight, and what one of the question is worth
#: against the heaviest word.
_FAR, _ASKED = 0.1, 3.0


def factors_of(boosts: Iterable[str], ignored: Iterable[str]) -> dict[str, float]:
    """Return the factor of each word that is made heavier or lighter, 0 of what is not worth covering."""
    factors = _parse_boosts(boosts)
    counting = {_folded(word) for word, factor in factors.items() if factor}
    for word in ignored:
        if _folded(word) in counting:
            raise SettingError("--ignore", f"{word}, which --boost makes count", "give one of them")
        factors[word] = 0.0
    return factors


def _parse_boosts(boosts: Iterable[str]) -> dict[str, float]:
    """Return the factor of each word from ``WORD=FACTOR``."""
    found: dict[str, float] = {}
    said: dict[str, float] = {}
    for boost in boosts:
        word, _, given = boost.rpartition("=")
        try:
            factor = float(given)
        except ValueError:
            factor = math.nan
        if not (word.strip() and 0 <= factor <= 1e6):  # noqa: PLR2004 (sane)
            raise SettingError("--boost", f"must be WORD=FACTOR, got {boost}", "write dam=2, or dam=0.5")
        if said.setdefault(_folded(word), factor) != factor:
            problem = f"{boost}, where it was {said[_folded(word)]:g} before"
            raise SettingError("--boost", problem, "give each word one factor")
        found[word.strip()] = factor
    return found


def boosted(weights: WordWeights, factor_of: Callable[[str], float]) -> WordWeights:
    """Return the weights, each multiplied by what its word is made heavier or lighter by."""
    factor = np.array([factor_of(word) for word in weights.words], dtype=np.float64)
    return _with(weights, weights.weight * factor, weights.bonus)


def turned_toward(
    weights: WordWeights, tokenized: TokenizedCluster, is_asked: Callable[[str], bool]
) -> WordWeights:
    """Return the weights turned toward the words of a question.

    A word counts by the share of its sentences that hold a word of the question, and these words more than
    any other. A place is worth little to a sentence that holds none.
    """
    number = {word: a for a, word in enumerate(weights.words)}
    sentences, near = np.zeros(len(number)), np.zeros(len(number))
    answers = np.array([any(map(is_asked, terms)) for terms in tokenized.tokens])
    for terms, answer in zip(tokenized.tokens, answers.tolist(), strict=True):
        held = [number[term] for term in set(terms) if term in number]
        sentences[held] += 1
        near[held] += answer
    if not near.any():
        place, problem = "--query", "none of its words stands in the documents"
        raise SettingError(place, problem, "ask in words that they use")
    weight = weights.weight * (_FAR + (1 - _FAR) * near / np.maximum(sentences, 1))
    weight[[a for word, a in number.items() if is_asked(word)]] = _ASKED * weights.weight.max()
    bonus = None if weights.bonus is None else weights.bonus * np.where(answers, 1.0, _FAR)
    return _with(weights, weight, bonus)


def required(texts: Sequence[str], cluster: Cluster) -> dict[str, int]:
    """Return for each text that a sentence of a cluster holds that sentence, the first of several."""
    folded = [_folded(sentence.text) for sentence in cluster.sentences]
    found: dict[str, int] = {}
    for text in texts:
        wanted = _folded(text)
        if not wanted:
            raise SettingError("--must", "is empty", "give words of a sentence")
        for i, sentence in enumerate(folded):
            if wanted in sentence:
                found[text] = i
                break
    return found


def check_required(texts: Iterable[str], found: Iterable[str]) -> None:
    """Refuse a text that no sentence anywhere holds."""
    missing = [text for text in texts if text not in set(found)]
    if missing:
        problem = f'no sentence holds "{missing[0]}"'
        raise SettingError("--must", problem, "copy a part of the sentence as it stands")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _with(weights: WordWeights, weight: Floats, bonus: Floats | None) -> WordWeights:
    for array in (weight, bonus):
        if array is not None:
            array.flags.writeable = False
    return dataclasses.replace(weights, weight=weight, bonus=bonus)
