"""The contract of a weighting, and what most of them count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Small, TokenizedCluster, WordWeights, distinct
from summc.weights.units import Units, units_of

#: The opening of a document: so many whole sentences, and what stands before and between them.
OPENING = 3


class Weigher(Protocol):
    """A weighting that has seen all it needs of the other clusters.

    ``by_length``: whether a word is worth something else in a summary of another length.
    """

    by_length: ClassVar[bool]

    @property
    def unit(self) -> str:
        """What its document frequencies count: cluster, document or sentence."""

    @property
    def signature(self) -> Mapping[str, Any]:
        """Its settings, and what it was fitted on; ``background`` is for the pipeline to name."""


class WordWeigher(Weigher, Protocol):
    """A weighting by which a word is worth the same in a summary of any length."""

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster, sorted, and what each is worth, 0 or more."""


class LengthWeigher(Weigher, Protocol):
    """A weighting by which what a word is worth depends on the length of the summary."""

    def weigh_for(
        self, tokenized: TokenizedCluster, length: float, relevance: Floats | None = None
    ) -> WordWeights:
        """Return the weights of a cluster's words for a summary of ``length`` words."""


class Weighting(Protocol):
    """A way of weighing with its settings.

    ``others``: whether it looks at other texts than the cluster; ``needs_stopwords``: whether stop words
    count.
    """

    others: ClassVar[bool]
    needs_stopwords: ClassVar[bool]

    def __init__(self, **settings: Any) -> None: ...

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> Weigher:
        """Return it fitted on the clusters to be summarized and on the background."""


class Unfitted:
    """What a weighting of the cluster alone shares: it weighs a cluster the same in any company."""

    __slots__ = ()

    others: ClassVar[bool] = False
    needs_stopwords: ClassVar[bool] = False
    by_length: ClassVar[bool] = False
    unit: ClassVar[str] = "document"

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],  # noqa: ARG002 (the protocol's)
        background: Sequence[TokenizedCluster],  # noqa: ARG002
    ) -> Self:
        """Return itself."""
        return self


@dataclass(frozen=True, eq=False)  # without slots, so that it can keep what was counted
class Counts:
    """Where the concepts of a cluster stand; every array has an entry for each, shape (M,).

    Each is counted when it is asked for: few weightings look at all of them.
    """

    tokenized: TokenizedCluster

    @property
    def words(self) -> tuple[str, ...]:
        """The concepts, sorted."""
        return self.tokenized.places.words

    @cached_property
    def units(self) -> Units:
        """What counts as a document, and how early each sentence stands."""
        return units_in(self.tokenized)

    @property
    def size(self) -> int:
        """D, how many documents there are, or sections of a document that is alone."""
        return self.units.size

    @cached_property
    def documents(self) -> Floats:
        """df, how many documents hold each."""
        return self._holders(slice(None))

    @cached_property
    def leads(self) -> Floats:
        """In how many documents the first whole sentence holds it."""
        return self._holders((self._rank == 0) & self._whole)

    @cached_property
    def openings(self) -> Floats:
        """In how many one of the first ``OPENING`` whole sentences does, or a headline there."""
        return self._holders(self._rank < OPENING)

    @cached_property
    def headlines(self) -> Floats:
        """In how many something before the first whole sentence does."""
        return self._holders((self._rank == 0) & ~self._whole)

    @cached_property
    def occurrences(self) -> Floats:
        """tf, how often it stands in all of them."""
        return np.bincount(self.tokenized.places.concept, minlength=len(self.words)).astype(np.float64)

    @cached_property
    def sentences(self) -> Floats:
        """How many sentences hold it."""
        held = self.tokenized.places.held[1]
        return np.bincount(held, minlength=len(self.words)).astype(np.float64)

    def emphasized(self, power: float, emphasis: Floats | None = None) -> Floats:
        """Return the sum of (1 + r)^-power over the occurrences of each, r the rank of the sentence.

        ``emphasis``: a factor for each sentence of the cluster, shape (N,).
        """
        places = self.tokenized.places
        factor = (1 + self.units.rank) ** -power
        if emphasis is not None:
            factor = factor * emphasis
        made: Floats = np.bincount(places.concept, factor[places.sentence], len(self.words)).astype(
            np.float64
        )
        return made

    @cached_property
    def first(self) -> Floats:
        """Where it first stands in a document, from 0 (the front) to 1 (the end), on average."""
        holding, size = self._holdings
        pair, at = np.unique(holding, return_index=True)  # of each document that holds a concept
        lengths = np.bincount(self.units.unit, minlength=size)
        position = np.arange(len(self.units.unit)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        share = position[self.tokenized.places.sentence[at]] / np.maximum(lengths - 1, 1)[pair % size]
        return np.bincount(pair // size, share, len(self.words)) / self.documents

    @cached_property
    def _rank(self) -> Small:
        """How many whole sentences stand before the sentence of each place, in its document."""
        return self.units.place[self.tokenized.places.sentence]

    @cached_property
    def _whole(self) -> NDArray[np.bool_]:
        """Whether the sentence of each place is whole."""
        is_whole = np.zeros(len(self.tokenized.tokens), dtype=bool)
        is_whole[list(whole_of(self.tokenized))] = True
        return is_whole[self.tokenized.places.sentence]

    @cached_property
    def _holdings(self) -> tuple[NDArray[np.int64], int]:
        return holdings(self.tokenized, self.units)

    def _holders(self, where: NDArray[np.bool_] | slice) -> Floats:
        """Return how many documents hold each concept at one of some places."""
        holding, size = self._holdings
        return np.bincount(distinct(holding[where]) // size, minlength=len(self.words)).astype(np.float64)


def holdings(tokenized: TokenizedCluster, units: Units) -> tuple[NDArray[np.int64], int]:
    """Return a number for the concept and unit of each place, shape (P,): a D + d; and D, 1 or more."""
    size = max(units.size, 1)
    return tokenized.places.concept.astype(np.int64) * size + units.unit[tokenized.places.sentence], size


def whole_of(tokenized: TokenizedCluster) -> frozenset[int]:
    """Return the sentences that are whole."""
    return frozenset(range(len(tokenized.tokens)) if tokenized.whole is None else tokenized.whole)


def units_in(tokenized: TokenizedCluster) -> Units:
    """Return what counts as a document in a cluster, and how early each sentence stands."""
    return units_of(tokenized, whole_of(tokenized))


def ranks_of(tokenized: TokenizedCluster) -> Floats:
    """Return how late each sentence stands where early ones count more, shape (N,); 0 is the earliest."""
    return units_in(tokenized).rank
