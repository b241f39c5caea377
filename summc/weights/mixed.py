"""The mean of the weightings ``position`` and ``expected``, for summaries that both inform and read well.

``position`` favours the facts that many documents share and begin with. ``expected`` favours the words that a
person would write, including function words and repetitions. The weights of each half are divided by the
coverage that a summary can reach with them within the budget, so that both halves matter equally. The
pipeline computes that coverage, because it knows the budget and the selectors.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, Indices, TokenizedCluster, WordWeights
from summc.settings import same_setting
from summc.weights.base import Unfitted
from summc.weights.expected import Expected
from summc.weights.position import Position

#: The weights of each half are scaled so that a summary can reach this coverage with them. Both halves
#: together reach 100, so a weight can be read as a percentage.
_HALF = 50.0


@dataclasses.dataclass(frozen=True, slots=True)
class Mixed:
    """The weighting ``mixed`` with the settings of its two halves, not fitted yet."""

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
        """Return both weightings, fitted. If there is a ``model`` file, it is read now, and only once."""
        position = Position(self.power, self.lead_factor, self.opening_factor)
        expected = Expected(
            self.early_power, self.share_power, self.bigram_share, self.dispersion, self.model
        )
        return MixedWeigher(position, expected.fit(clusters, background))


@dataclasses.dataclass(frozen=True, slots=True)
class MixedWeigher:
    """The two fitted halves of the mixture.

    ``position`` favours what documents share, ``expected`` what a person would write.
    """

    position: Position
    expected: Expected

    by_length: ClassVar[bool] = True
    unit: ClassVar[str] = "document"

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of both halves, to be printed with a result.

        The names of the settings of ``expected`` get the prefix "expected-".
        """
        second = {f"expected-{name}": value for name, value in self.expected.signature.items()}
        return {**self.position.signature, **second}


@dataclasses.dataclass(frozen=True, slots=True)
class ContentWeigher(Unfitted):
    """The weighting ``position``, without the concepts that consist only of function words.

    ``function`` has the function words, as terms.
    """

    weigher: Position
    function: frozenset[str]

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of the weighting ``position``; they are printed with a result."""
        return self.weigher.signature

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts that contain a content word, and their weights."""
        words, weight = self.weigher.weigh(tokenized)
        kept = np.ones(len(words), dtype=bool)
        kept[list(_made_of(self.function, words))] = False
        return tokenized.index.only(kept), weight[kept]


def _made_of(function: frozenset[str], words: Sequence[str]) -> Iterator[int]:
    """Yield the index of each function word, and of each bigram of two function words, in ``words``.

    ``words`` must be sorted. ``function`` has the function words.
    """
    for term in function:
        # "!" sorts right after " ", so these are the term itself and the bigrams that begin with it.
        for a in range(bisect_left(words, term), bisect_left(words, f"{term}!")):
            _, _, second = words[a].partition(" ")
            if not second or second in function:
                yield a


def mixed(first: WordWeights, second: WordWeights, number: Indices, reached: Sequence[float]) -> WordWeights:
    """Return the mean of two sets of weights, each divided by the coverage it can reach, as percentages.

    Every word of ``first`` is also a word of ``second``. Only ``second`` has weights for the second and later
    occurrences of a word. ``number``: for each word of ``second``, its index in ``first``, or -1.
    ``reached``: the coverage that a summary can reach with the first weights, and with the second.
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
