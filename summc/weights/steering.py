"""Change weights so that a summary answers a question.

Only the weights of the coverage problem change, so the selectors and their bounds work as before.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from summc.records import Floats, TokenizedCluster, WordWeights
from summc.system.resources import word_families, wordnet_exceptions
from summc.text.arithmetic import log

#: The relevance of nearby sentences is added to that of a sentence, multiplied by these factors: one for the
#: sentences next to it, one for the sentences two places away.
_NEIGHBOURS = (0.5, 0.25)
#: The share of its weight that a word keeps if it never occurs in a sentence with a word of the question; and
#: the weight of a word of the question, relative to the heaviest word.
_FAR, _ASKED = 0.1, 3.0
#: How much a word of the same family counts ("decision" for "decide"); a word of the question counts 1.
_RELATED = 0.5
#: Two terms are of one family if they begin with the same letters, and one root begins with the other: equal
#: roots have at least ``_EQUAL`` letters, others at least ``_SHORTEST`` and this share of the longer root.
_START, _EQUAL, _SHORTEST, _SHARE = 4, 4, 6, 0.6
#: A root has no accents and no final vowels. Consonants that replace each other in a family are one: decide,
#: decision; permit, permission; believe, belief.
_ONE_LETTER = {**dict.fromkeys(range(0x300, 0x370)), **str.maketrans("dtzf", "sssv")}
_VOWELS = "aeiouy\u0430\u0435\u0438\u0439\u043e\u0443\u044b\u044c\u044d\u044e\u044f\u0451\u0456"


def asked_terms(
    tokenized: TokenizedCluster, question: str, terms_of: Callable[[str], frozenset[str]]
) -> dict[str, float]:
    """Return the terms of a cluster that a question asks for, with how much each counts.

    Irregular forms count as the word itself: "went" as "go". A word of the same family counts less.
    """
    vocabulary = {term for concept in tokenized.index.concepts for term in concept.split(" ")}
    terms, listed = terms_of(question), set[str]()
    if tokenized.cluster.language == "en":
        base_of = wordnet_exceptions()
        words = (word for word in re.findall(r"\w+", question.lower()) if terms_of(word))
        terms |= terms_of(" ".join(base_of.get(word, word) for word in words))
        starts = {term[:2] for term in terms}  # a quick test, before words are stemmed
        forms = [f for f, base in base_of.items() if base[:2] in starts and terms & terms_of(base)]
        terms |= terms_of(" ".join(forms))
        listed = {term for family in word_families() if terms & terms_of(family) for term in terms_of(family)}
    # Spelling finds related words only for words of the question that the text lacks.
    related = {
        term: _RELATED
        for term in vocabulary - tokenized.function_terms
        if term in listed or any(_are_related(term, other) for other in terms - vocabulary)
    }
    return {**related, **dict.fromkeys(terms & vocabulary, 1.0)}


def how_asked(terms: Mapping[str, float], concept: str) -> float:
    """Return how much a concept (a term or a bigram) belongs to the question, given ``asked_terms``."""
    return max(terms.get(term, 0.0) for term in concept.split(" "))


def _are_related(term: str, other: str) -> bool:
    """Guess from the spelling of two terms whether they are of one family, in any language."""
    if term[:_START] != other[:_START] or len(term) < _START or term[0].isdigit():
        return False
    shorter, longer = sorted((_root(term), _root(other)), key=len)
    if shorter == longer:
        return len(shorter) >= _EQUAL
    return longer.startswith(shorter) and len(shorter) >= max(_SHORTEST, _SHARE * len(longer))


def _root(term: str) -> str:
    return unicodedata.normalize("NFD", term).translate(_ONE_LETTER).rstrip(_VOWELS)


def relevance_of(tokenized: TokenizedCluster, question: Callable[[str], float]) -> Floats | None:
    """Return the relevance of each sentence, 1 on average, or None if no sentence has a word of the question.

    It is the sum of the idf of the question's words in the sentence, each times how much it counts, divided
    by the square root of its length. A part of the relevance of the two sentences before it and the two
    after it, in the same document, is added.
    """
    matches = [{term for term in terms if " " not in term and question(term)} for terms in tokenized.tokens]
    frequency = Counter(term for terms in matches for term in terms)
    size = len(matches)
    worth = {term: question(term) * (float(log(size / n)) + 1 / size) for term, n in frequency.items()}
    length = np.array([max(sum(" " not in term for term in terms), 1) for terms in tokenized.tokens])
    alone = np.array([sum(worth[term] for term in sorted(terms)) for terms in matches]) / np.sqrt(length)
    smooth = alone.copy()
    document = tokenized.cluster.document_of
    for distance, share in enumerate(_NEIGHBOURS, start=1):
        together = document[distance:] == document[:-distance]
        smooth[distance:] += share * np.where(together, alone[:-distance], 0.0)
        smooth[:-distance] += share * np.where(together, alone[distance:], 0.0)
    return smooth / smooth.mean() if smooth.any() else None


def turned_toward(
    weights: WordWeights, tokenized: TokenizedCluster, question: Callable[[str], float]
) -> WordWeights:
    """Return weights that favour the words of a question, and the words that occur near them.

    The more of a word's sentences contain a word of the question, the more of its weight the word keeps.
    Words of the question become heavier than all others. A sentence without a word of the question keeps
    little of its position bonus. If the documents have no word of the question, nothing changes.
    """
    number = {word: a for a, word in enumerate(weights.words)}
    sentences, near = np.zeros(len(number)), np.zeros(len(number))
    answers = np.array([max(map(question, terms), default=0.0) for terms in tokenized.tokens])
    for terms, answer in zip(tokenized.tokens, answers.tolist(), strict=True):
        indices = [number[term] for term in set(terms) if term in number]
        sentences[indices] += 1
        near[indices] += answer
    if not near.any():
        return weights
    weight = weights.weight * (_FAR + (1 - _FAR) * near / np.maximum(sentences, 1))
    counts = np.array([question(word) for word in weights.words])
    weight = np.where(counts > 0, _ASKED * counts * weights.weight.max(), weight)
    bonus = None if weights.bonus is None else weights.bonus * (_FAR + (1 - _FAR) * answers)
    return dataclasses.replace(weights, weight=weight, bonus=bonus)
