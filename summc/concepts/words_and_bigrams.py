"""Words and pairs of neighbours together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from summc.concepts.bigrams import Bigrams
from summc.concepts.words import Words


@dataclass(frozen=True, slots=True)
class WordsAndBigrams:
    """Every term that is no stop word, and every two neighbours that are not both stop words."""

    name: str = "words+bigrams"
    neighbours: bool = True

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, as often as it has each."""
        return Words().of(terms, stop) + Bigrams().of(terms, stop)
