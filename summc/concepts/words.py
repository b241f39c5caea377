"""The paper's concepts: the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import filterfalse


@dataclass(frozen=True, slots=True)
class Words:
    """Every term that is no stop word."""

    name: str = "words"
    neighbours: bool = False

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, as often as it has each."""
        return tuple(filterfalse(stop.__contains__, terms))
