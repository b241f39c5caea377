"""Make the concepts of a sentence from its terms. Concepts are what a summary should cover.

A term is a word in lower case, reduced to its stem. A concept is a single term, or a bigram: two neighbouring
terms joined by a space. No term contains a space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse, pairwise
from typing import Protocol

_JOINT = " "


class Concepts(Protocol):
    """A kind of concept that the user can choose: words, bigrams or both."""

    @property
    def name(self) -> str:
        """The name by which a user chooses this kind: "words", "bigrams" or "words+bigrams"."""

    @property
    def neighbours(self) -> bool:
        """Whether concepts depend on which terms are neighbours.

        If so, ``of`` must be called with all terms of a sentence, stop words included.
        """

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, given its terms; a concept that occurs twice is returned twice.

        ``stop`` has the terms of stop words. A concept that consists only of such terms is left out.
        """


@dataclass(frozen=True, slots=True)
class Words:
    """The concepts of Kitano and Takeda's paper: every term that is not a stop word."""

    name: str = "words"
    neighbours: bool = False

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the terms of a sentence that are not in ``stop``, in order and with repetitions."""
        return tuple(filterfalse(stop.__contains__, terms))


@dataclass(frozen=True, slots=True)
class Bigrams:
    """Two neighbouring terms that are not both stop words.

    These are the concepts of ICSISumm (Gillick and Favre, ILP-NLP 2009).
    """

    name: str = "bigrams"
    neighbours: bool = True

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the bigrams of a sentence in order, with repetitions.

        A bigram whose two terms are both in ``stop`` is left out.
        """
        pairs = pairwise(terms)
        return tuple(map(_JOINT.join, filterfalse(stop.issuperset, pairs) if stop else pairs))


@dataclass(frozen=True, slots=True)
class WordsAndBigrams:
    """Both kinds of concepts: the words and the bigrams."""

    name: str = "words+bigrams"
    neighbours: bool = True

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the terms of a sentence and then its bigrams, each in order and with repetitions.

        Terms in ``stop`` are left out, and so are bigrams of two such terms.
        """
        return Words().of(terms, stop) + Bigrams().of(terms, stop)


#: The name a user types -> the kind of concept.
CONCEPTS: Mapping[str, Concepts] = {each.name: each for each in (Words(), Bigrams(), WordsAndBigrams())}


def join(terms: tuple[str, str]) -> str:
    """Return two terms as one bigram: the terms with a space between them."""
    return _JOINT.join(terms)


def parts(concept: str) -> list[str]:
    """Return the one or two terms of a concept."""
    return concept.split(_JOINT)


def is_bigram(concept: str) -> bool:
    """Tell whether a concept is a bigram, which has two terms."""
    return _JOINT in concept
