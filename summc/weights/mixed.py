"""Half coverage by ``position``, half ``expected`` overlap: what informs and reads well at the same time.

``position`` looks for the facts that many documents share and open with; ``expected`` for what a person would
write, function words and repetitions included. Each half is divided by the coverage that it can reach within
the budget, so that both count the same. The pipeline, which knows budget and selectors, finds that out.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, Indices, TokenizedCluster, WordWeights
from summc.weights.base import Unfitted, WordWeigher
from summc.weights.expected import Expected
from summc.weights.position import Position

#: What can be reached is worth 100 in all, so that a weight reads as a percentage of it.
_HALF = 50.0


@dataclasses.dataclass(frozen=True, slots=True)
class Mixed:
    """The settings of the two weightings."""

    power: float = 1.5
    lead_factor: float = 4.0
    opening_factor: float = 1.0
    early_power: float = 0.85
    share_power: float = 0.6
    bigram_share: float = 1.25
    dispersion: float = 3.0
    model: str = ""

    others: ClassVar[bool] = False
    needs_stopwords: ClassVar[bool] = True

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],
        background: Sequence[TokenizedCluster],
    ) -> MixedWeigher:
        """Return both weightings, made ready; a file of rates is read here, once."""
        position = Position(self.power, self.lead_factor, self.opening_factor)
        expected = Expected(
            self.early_power, self.share_power, self.bigram_share, self.dispersion, self.model
        )
        return MixedWeigher(position, expected.fit(clusters, background))


@dataclasses.dataclass(frozen=True, slots=True)
class MixedWeigher:
    """The half that covers what documents share, and the half that covers what a person would write."""

    position: Position
    expected: Expected

    by_length: ClassVar[bool] = True
    unit: ClassVar[str] = "document"

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of both; those of the second begin with its name, since both have bigrams."""
        second = {f"expected-{name}": value for name, value in self.expected.signature.items()}
        return {**self.position.signature, **second}


@dataclasses.dataclass(frozen=True, slots=True)
class ContentWeigher(Unfitted):
    """A weighting by which what is made of function words alone is worth nothing."""

    weigher: WordWeigher
    function: frozenset[str]

    @property
    def signature(self) -> Mapping[str, Any]:
        """That of the weighting."""
        return self.weigher.signature

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts that are left, and what each is worth."""
        words, weight = self.weigher.weigh(tokenized)
        kept = np.ones(len(words), dtype=bool)
        kept[list(_made_of(self.function, words))] = False
        return tuple(compress(words, kept)), weight[kept]


def _made_of(function: frozenset[str], words: Sequence[str]) -> Iterator[int]:
    """Yield the places of the words, which are sorted, that are function words, or pairs of them."""
    for term in function:
        start = bisect_left(words, term)
        if not words[start : start + 1] or not words[start].startswith(term):
            continue
        for a in range(start, bisect_left(words, f"{term}!", lo=start)):  # "!" comes right after the space
            first, _, second = words[a].partition(" ")
            if first == term and (not second or second in function):
                yield a


def mixed(first: WordWeights, second: WordWeights, number: Indices, reached: Sequence[float]) -> WordWeights:
    """Return the mean of two weights, each divided by the coverage that it can reach.

    The words of the first are among those of the second, which alone has further levels. ``number``: of each
    word of the second, its place among those of the first, or -1.
    """
    scale = [_HALF / each if each > 0 else 0.0 for each in reached]
    weight: Floats = scale[1] * second.weight
    weight[number >= 0] += scale[0] * first.weight[number[number >= 0]]
    further = None if second.further is None else scale[1] * second.further
    bonus = None if first.bonus is None else scale[0] * first.bonus
    for array in (weight, further, bonus):
        if array is not None:
            array.flags.writeable = False
    return WordWeights(second.words, weight, second.idf_unit, bonus, further, second.further_start)
