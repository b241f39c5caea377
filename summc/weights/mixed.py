"""The mean of ``position`` and ``expected``, for summaries that both inform and read well.

``position`` favours the facts that many documents share and open with. ``expected`` favours the words that a
person would write, including function words and repetitions. Each half is divided by the coverage that it can
reach within the budget, so that both count the same. The pipeline computes that coverage, because it knows
the budget and the selectors.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, Indices, TokenizedCluster, WordWeights
from summc.settings import same_setting
from summc.weights.base import Unfitted, WordWeigher
from summc.weights.expected import Expected
from summc.weights.position import Position

#: Each half is scaled to reach this coverage. Together they reach 100, so a weight reads as a percentage.
_HALF = 50.0


@dataclasses.dataclass(frozen=True, slots=True)
class Mixed:
    """The settings of the two weightings."""

    power: float = same_setting(Position, "power")
    lead_factor: float = same_setting(Position, "lead_factor")
    opening_factor: float = same_setting(Position, "opening_factor")
    early_power: float = same_setting(Expected, "early_power")
    share_power: float = same_setting(Expected, "share_power")
    bigram_share: float = same_setting(Expected, "bigram_share")
    dispersion: float = same_setting(Expected, "dispersion")
    model: str = same_setting(Expected, "model")

    others: ClassVar[bool] = False
    needs_stopwords: ClassVar[bool] = True

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],
        background: Sequence[TokenizedCluster],
    ) -> MixedWeigher:
        """Return both weightings, fitted; the file of rates, if any, is read here, once."""
        position = Position(self.power, self.lead_factor, self.opening_factor)
        expected = Expected(
            self.early_power, self.share_power, self.bigram_share, self.dispersion, self.model
        )
        return MixedWeigher(position, expected.fit(clusters, background))


@dataclasses.dataclass(frozen=True, slots=True)
class MixedWeigher:
    """The two fitted halves: one for what documents share, one for what a person would write."""

    position: Position
    expected: Expected

    by_length: ClassVar[bool] = True
    unit: ClassVar[str] = "document"

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of both halves; those of ``expected`` have its name as a prefix."""
        second = {f"expected-{name}": value for name, value in self.expected.signature.items()}
        return {**self.position.signature, **second}


@dataclasses.dataclass(frozen=True, slots=True)
class ContentWeigher(Unfitted):
    """A weighting without the concepts that consist of function words alone."""

    weigher: WordWeigher
    function: frozenset[str]

    @property
    def signature(self) -> Mapping[str, Any]:
        """The signature of the inner weighting."""
        return self.weigher.signature

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts that are left and their weights."""
        words, weight = self.weigher.weigh(tokenized)
        kept = np.ones(len(words), dtype=bool)
        kept[list(_made_of(self.function, words))] = False
        return tuple(compress(words, kept)), weight[kept]


def _made_of(function: frozenset[str], words: Sequence[str]) -> Iterator[int]:
    """Yield the index of each function word, and of each pair of them, among sorted words."""
    for term in function:
        start = bisect_left(words, term)
        if not words[start : start + 1] or not words[start].startswith(term):
            continue
        for a in range(start, bisect_left(words, f"{term}!", lo=start)):  # "!" comes right after the space
            first, _, second = words[a].partition(" ")
            if first == term and (not second or second in function):
                yield a


def mixed(first: WordWeights, second: WordWeights, number: Indices, reached: Sequence[float]) -> WordWeights:
    """Return the mean of two sets of weights, each divided by the coverage it can reach, as percentages.

    Every word of ``first`` is also one of ``second``, and only ``second`` has further levels.
    ``number``: the index in ``first`` of each word of ``second``, or -1. ``reached``: the two coverages.
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
