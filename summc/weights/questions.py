"""Change weights so that a summary answers a question.

Only the weights of the coverage problem change, so the selectors and their bounds work as before. Words of
the question, and words near them, weigh more, and so do sentences that are relevant to the question.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Mapping

import numpy as np

from summc.records import Cluster, Floats, Question, TokenizedCluster, WordWeights
from summc.system.resources import common_words, word_families, wordnet_exceptions
from summc.text.arithmetic import log, power
from summc.weights.acts import gives_answer

#: Returns the terms of a text, such as a question or a boosted word.
TermsOf = Callable[[str], frozenset[str]]

#: What a sentence promises is its relevance by words, or its nearness in meaning, to this power: the best
#: sentences come first.
_POWER = 4.0
#: The documents seem to have no answer if they lack more than this share of the words of the question; or, by
#: meaning, if no sentence that may answer is so near to the question.
_MOST_UNKNOWN, _NEAR = 0.75, 0.25
#: How far BM25 is divided by the length of a sentence, from 0 to 1.
_BY_LENGTH = 0.5
#: BM25 of nearby sentences is added to that of a sentence, times these factors: for the sentence before it
#: and the one after it, for those two places away, and for those three places away.
_NEIGHBOURS = ((0.5, 0.3), (0.3, 0.2), (0.2, 0.1))
#: How much a word of the question counts if it stands in the heading above a sentence, or only in the title.
_HEADING, _TITLE = 0.5, 0.3
#: How much a word counts that is common in the language, such as "get" or "start".
_COMMON = 0.5
#: What remains of the relevance of a sentence that has no number, if the question asks for one; or no name.
_NO_ANSWER = 0.4
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


def asked_terms(tokenized: TokenizedCluster, question: str, terms_of: TermsOf) -> dict[str, float]:
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


def ask(
    tokenized: TokenizedCluster, text: str, terms_of: TermsOf, nearness: Floats | None = None
) -> Question | None:
    """Return what a question asks of a cluster; None if the documents have nothing to do with it.

    ``nearness`` says how near each sentence is to the question in meaning, at most 1, shape (N,). Without it,
    the answer is looked for in one sentence only if the question asks for a number, a date or a name.
    """
    terms = asked_terms(tokenized, text, terms_of)
    gives = gives_answer(tokenized.cluster, text)
    may_answer = np.ones(tokenized.index.size, dtype=bool) if gives is None else gives
    if nearness is None:
        relevance = relevance_of(tokenized, text, terms, terms_of)
        best = relevance * np.where(may_answer, 1.0, _NO_ANSWER)
        promise = None if gives is None else power(best, _POWER)
        answered = _unknown_share(text, terms, terms_of) <= _MOST_UNKNOWN
    else:
        best = np.maximum(nearness, 0.0)
        relevance = promise = power(best, _POWER)
        answered = bool((best * may_answer).max(initial=0.0) >= _NEAR)
    if not relevance.any():
        return None
    return Question(text, terms, relevance / relevance.mean(), promise, answered, int(best.argmax()))


def _unknown_share(text: str, terms: Mapping[str, float], terms_of: TermsOf) -> float:
    """Return the share of the words of a question that the documents do not have, nor a related word."""
    words = [terms_of(word) for word in dict.fromkeys(re.findall(r"\w+", text.lower())) if terms_of(word)]
    return sum(not of_word & terms.keys() for of_word in words) / max(len(words), 1)


def relevance_of(
    tokenized: TokenizedCluster, text: str, terms: Mapping[str, float], terms_of: TermsOf
) -> Floats:
    """Return how relevant each sentence is to a question by its words, shape (N,).

    It is BM25 of the sentence and, in part, of the sentences near it, because the answer may follow the
    sentence that has the word. The heading of its section and the title of its document count too. A question
    is rarely an answer.
    """
    cluster, index = tokenized.cluster, tokenized.index
    sentence, concept, count = index.pairs
    asked = re.findall(r"\w+", text.lower())
    common = terms_of(" ".join(word for word in asked if word in common_words(cluster.language)))
    counts_for = [terms.get(word, 0.0) * (_COMMON if word in common else 1.0) for word in index.concepts]
    holders = np.bincount(concept, minlength=len(index.concepts))
    worth = np.array(counts_for) * log(1 + (index.size - holders + 0.5) / (holders + 0.5))
    length = np.bincount(sentence, ~index.is_bigram[concept] * count, index.size)
    longer = 1 - _BY_LENGTH + _BY_LENGTH * length / max(float(length.mean()), 1e-300)
    alone = np.bincount(sentence, (worth[concept] * 2 * count) / (count + longer[sentence]), index.size)
    relevance = alone + _above(cluster, dict(zip(index.concepts, worth.tolist(), strict=True)), terms_of)
    for distance, (after, before) in enumerate(_NEIGHBOURS, start=1):
        together = cluster.document_of[distance:] == cluster.document_of[:-distance]
        relevance[distance:] += after * np.where(together, alone[:-distance], 0.0)
        relevance[:-distance] += before * np.where(together, alone[distance:], 0.0)
    is_asked = [sentence.text.endswith("?") for sentence in cluster.sentences]
    return np.asarray(relevance * np.where(is_asked, _NO_ANSWER, 1.0))


def _above(cluster: Cluster, worth: Mapping[str, float], terms_of: TermsOf) -> Floats:
    """Return what the headings and titles above the sentences add to their relevance, shape (N,)."""
    adds = list[float]()
    for document in cluster.documents:
        of_title = terms_of(document.title)
        heading, add = None, 0.0
        for heading_above in document.headings:
            if heading_above != heading:
                heading, of_heading = heading_above, terms_of(heading_above)
                add = _HEADING * sum(worth.get(term, 0.0) for term in sorted(of_heading))
                add += _TITLE * sum(worth.get(term, 0.0) for term in sorted(of_title - of_heading))
            adds.append(add)
    return np.array(adds)


def turned_toward(weights: WordWeights, tokenized: TokenizedCluster, question: Question) -> WordWeights:
    """Return weights that favour the words of a question, and the words that occur near them.

    The more of a word's sentences contain a word of the question, the more of its weight the word keeps.
    Words of the question become heavier than all others. A sentence without a word of the question keeps
    little of its position bonus. If the documents have no word of the question, nothing changes.
    """
    number = {word: a for a, word in enumerate(weights.words)}
    sentences, near = np.zeros(len(number)), np.zeros(len(number))
    answers = np.array([max(map(question.asks_for, terms), default=0.0) for terms in tokenized.tokens])
    for terms, answer in zip(tokenized.tokens, answers.tolist(), strict=True):
        indices = [number[term] for term in set(terms) if term in number]
        sentences[indices] += 1
        near[indices] += answer
    if not near.any():
        return weights
    weight = weights.weight * (_FAR + (1 - _FAR) * near / np.maximum(sentences, 1))
    counts = np.array([question.asks_for(word) for word in weights.words])
    weight = np.where(counts > 0, _ASKED * counts * weights.weight.max(), weight)
    bonus = None if weights.bonus is None else weights.bonus * (_FAR + (1 - _FAR) * answers)
    return dataclasses.replace(weights, weight=weight, bonus=bonus)
