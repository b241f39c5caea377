"""Make the concepts of a sentence from its terms. Concepts are what a summary should cover.

A term is a word in lower case, reduced to its stem. A concept is a single term, or a bigram: two neighbouring
terms joined by a space. No term contains a space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from summc.records import ConceptIndex

_JOINT = " "


@dataclass(frozen=True, slots=True)
class Concepts:
    """A kind of concept that the user can choose by its name: words, bigrams or both.

    Words are the concepts of Kitano and Takeda's paper, and bigrams those of ICSISumm (Gillick and Favre,
    ILP-NLP 2009).
    """

    name: str
    words: bool
    bigrams: bool

    def of(self, terms: ConceptIndex, stop: frozenset[str]) -> ConceptIndex:
        """Return the concepts of each sentence, given its terms: first its words, then its bigrams.

        Both are in order, and a concept that occurs twice is returned twice. ``stop`` has the terms of stop
        words. A concept that consists only of such terms is left out.
        """
        term, sentence = terms.concept.astype(np.int64), terms.sentence
        is_stop = np.fromiter(map(stop.__contains__, terms.words), dtype=bool, count=len(terms.words))[term]
        # A concept is a number here: most bigrams occur once, and texts take twice as long to compare. The
        # numbers ascend as the texts do: "dam", "dam broke", "damage".
        size = len(terms.words) + 1
        found = []
        if self.words:
            at = np.flatnonzero(~is_stop)
            found.append((sentence[at], term[at] * size))
        if self.bigrams:
            at = np.flatnonzero((sentence[1:] == sentence[:-1]) & ~(is_stop[1:] & is_stop[:-1]))
            found.append((sentence[at], term[at] * size + term[at + 1] + 1))
        home, number = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        order = np.argsort(home, kind="stable")
        once, concept = np.unique(number[order], return_inverse=True)
        pairs = zip(*(part.tolist() for part in np.divmod(once, size)), strict=True)
        words = tuple(
            terms.words[first] + _JOINT + terms.words[second - 1] if second else terms.words[first]
            for first, second in pairs
        )
        return ConceptIndex(words, concept.astype(np.int32), home[order], terms.size)


#: The name a user types -> the kind of concept.
CONCEPTS: Mapping[str, Concepts] = {
    each.name: each
    for each in (
        Concepts("words", words=True, bigrams=False),
        Concepts("bigrams", words=False, bigrams=True),
        Concepts("words+bigrams", words=True, bigrams=True),
    )
}


def join(terms: tuple[str, str]) -> str:
    """Return two terms as one bigram: the terms with a space between them."""
    return _JOINT.join(terms)


def parts(concept: str) -> list[str]:
    """Return the one or two terms of a concept."""
    return concept.split(_JOINT)


def is_bigram(concept: str) -> bool:
    """Tell whether a concept is a bigram, which has two terms."""
    return _JOINT in concept
