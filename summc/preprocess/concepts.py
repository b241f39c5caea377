"""Make the concepts of a sentence, which a summary should cover, from its terms.

The concept of a word is its term. A bigram is two terms joined by a space; no term contains a space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse, pairwise
from typing import Protocol

_JOINT = " "


class Concepts(Protocol):
    """A kind of concept."""

    @property
    def name(self) -> str:
        """The name that a user types."""

    @property
    def neighbours(self) -> bool:
        """Whether concepts depend on which terms are neighbours, so that ``of`` needs the stop words too."""

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, one for each occurrence; ``stop`` are stop terms."""


@dataclass(frozen=True, slots=True)
class Words:
    """The paper's concepts: every term that is not a stop word."""

    name: str = "words"
    neighbours: bool = False

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, one for each occurrence."""
        return tuple(filterfalse(stop.__contains__, terms))


@dataclass(frozen=True, slots=True)
class Bigrams:
    """Pairs of neighbours that are not both stop words, as in ICSISumm (Gillick and Favre, ILP-NLP 2009)."""

    name: str = "bigrams"
    neighbours: bool = True

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, one for each occurrence."""
        return tuple(map(join, filterfalse(stop.issuperset, pairwise(terms))))


@dataclass(frozen=True, slots=True)
class WordsAndBigrams:
    """Words and bigrams together."""

    name: str = "words+bigrams"
    neighbours: bool = True

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, one for each occurrence."""
        return Words().of(terms, stop) + Bigrams().of(terms, stop)


#: The name a user types -> the kind of concept.
CONCEPTS: Mapping[str, Concepts] = {each.name: each for each in (Words(), Bigrams(), WordsAndBigrams())}


def join(terms: tuple[str, str]) -> str:
    """Return the bigram of two terms."""
    return _JOINT.join(terms)


def parts(concept: str) -> list[str]:
    """Return the terms that a concept is made of."""
    return concept.split(_JOINT)


def is_bigram(concept: str) -> bool:
    """Tell whether a concept is made of two terms."""
    return _JOINT in concept
