"""Pairs of neighbours, as ICSISumm has them (Gillick and Favre, ILP-NLP 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import filterfalse, pairwise

from summc.concepts.base import join


@dataclass(frozen=True, slots=True)
class Bigrams:
    """Every two neighbouring terms that are not both stop words."""

    name: str = "bigrams"
    neighbours: bool = True

    def of(self, terms: Sequence[str], stop: frozenset[str]) -> tuple[str, ...]:
        """Return the concepts of a sentence, as often as it has each."""
        return tuple(map(join, filterfalse(stop.issuperset, pairwise(terms))))
