"""The contract of a kind of concept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

_JOINT = " "


class Concepts(Protocol):
    """A kind of concept.

    ``neighbours`` says whether it matters which terms stand side by side: then its terms come with the stop
    words among them, and it is told which those are.
    """

    @property
    def name(self) -> str:
        """The name a user types."""

    @property
    def neighbours(self) -> bool:
        """Whether terms must come with the stop words among them."""

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, as often as it has each; ``stop`` are terms of stop words."""


def join(terms: tuple[str, str]) -> str:
    """Return the bigram of two terms."""
    return _JOINT.join(terms)


def parts(concept: str) -> list[str]:
    """Return the terms that a concept is made of."""
    return concept.split(_JOINT)


def is_bigram(concept: str) -> bool:
    """Tell whether a concept is made of two terms."""
    return _JOINT in concept
