"""Change weights so that a summary answers a question.

Only the weights of the coverage problem change, so the selectors and their bounds work as before.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable

import numpy as np

from summc.records import Floats, TokenizedCluster, WordWeights
from summc.text.arithmetic import log

#: The relevance of nearby sentences is added to that of a sentence, multiplied by these factors: one for the
#: sentences next to it, one for the sentences two places away.
_NEIGHBOURS = (0.5, 0.25)
#: The share of its weight that a word keeps if it never occurs in a sentence with a word of the question; and
#: the weight of a word of the question, relative to the heaviest word.
_FAR, _ASKED = 0.1, 3.0


def relevance_of(text: TokenizedCluster, is_asked: Callable[[str], bool]) -> Floats | None:
    """Return the relevance of each sentence, 1 on average, or None if no sentence has a word of the question.

    It is the sum of the idf of the question's words in the sentence, divided by the square root of its
    length. A part of the relevance of the two sentences before it and the two after it, in the same document,
    is added.
    """
    held = [{term for term in terms if " " not in term and is_asked(term)} for terms in text.tokens]
    frequency = Counter(term for terms in held for term in terms)
    size = len(held)
    idf = {term: float(log(size / n)) + 1 / size for term, n in frequency.items()}
    length = np.array([max(sum(" " not in term for term in terms), 1) for terms in text.tokens])
    alone = np.array([sum(idf[term] for term in sorted(terms)) for terms in held]) / np.sqrt(length)
    smooth = alone.copy()
    document = np.array([sentence.document for sentence in text.cluster.sentences])
    for distance, share in enumerate(_NEIGHBOURS, start=1):
        together = document[distance:] == document[:-distance]
        smooth[distance:] += share * np.where(together, alone[:-distance], 0.0)
        smooth[:-distance] += share * np.where(together, alone[distance:], 0.0)
    return smooth / smooth.mean() if smooth.any() else None


def turned_toward(
    weights: WordWeights, text: TokenizedCluster, is_asked: Callable[[str], bool]
) -> WordWeights:
    """Return weights that favour the words of a question, and the words that occur near them.

    The more of a word's sentences contain a word of the question, the more of its weight the word keeps.
    Words of the question become heavier than all others. A sentence without a word of the question keeps
    little of its position bonus. If the documents have no word of the question, nothing changes.
    """
    number = {word: a for a, word in enumerate(weights.words)}
    sentences, near = np.zeros(len(number)), np.zeros(len(number))
    answers = np.array([any(map(is_asked, terms)) for terms in text.tokens])
    for terms, answer in zip(text.tokens, answers.tolist(), strict=True):
        held = [number[term] for term in set(terms) if term in number]
        sentences[held] += 1
        near[held] += answer
    if not near.any():
        return weights
    weight = weights.weight * (_FAR + (1 - _FAR) * near / np.maximum(sentences, 1))
    weight[[a for word, a in number.items() if is_asked(word)]] = _ASKED * weights.weight.max()
    bonus = None if weights.bonus is None else weights.bonus * np.where(answers, 1.0, _FAR)
    return dataclasses.replace(weights, weight=weight, bonus=bonus)
