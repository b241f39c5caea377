"""The protocols of a weighting, and the counts that most weightings use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Small, TokenizedCluster, WordWeights, distinct
from summc.weights.units import Units, units_of

#: The number of whole sentences in the opening of a document. Headlines before or between them belong to it.
OPENING = 3


class Weigher(Protocol):
    """A fitted weighting.

    ``by_length``: whether the weight of a word depends on the length of the summary.
    """

    by_length: ClassVar[bool]

    @property
    def unit(self) -> str:
        """The unit that document frequencies count: cluster, document or sentence."""

    @property
    def signature(self) -> Mapping[str, Any]:
        """Its settings, and the text it was fitted on; the pipeline fills in ``background``."""


class WordWeigher(Weigher, Protocol):
    """A weighting that gives a word the same weight in a summary of any length."""

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster, sorted, and the weight of each, 0 or more."""


class LengthWeigher(Weigher, Protocol):
    """A weighting whose weights depend on the length of the summary."""

    def weigh_for(
        self, tokenized: TokenizedCluster, length: float, relevance: Floats | None = None
    ) -> WordWeights:
        """Return the weights of a cluster's words for a summary of ``length`` words.

        ``relevance``: how relevant each sentence is to a question, shape (N,), 1 on average, or None.
        """


class Weighting(Protocol):
    """A weighting with its settings, not fitted yet.

    ``others``: whether it uses texts other than the cluster. ``needs_stopwords``: whether stop words count.
    """

    others: ClassVar[bool]
    needs_stopwords: ClassVar[bool]

    def __init__(self, **settings: Any) -> None: ...

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> Weigher:
        """Return the weighting fitted on the clusters to be summarized and on the background."""


class Unfitted:
    """Base of weightings that look at one cluster alone and so need no fitting."""

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


@dataclass(frozen=True, eq=False)  # no slots, because cached properties need a ``__dict__``
class Counts:
    """Counts of each concept of a cluster, arrays of shape (M,).

    If the cluster is one long document, "documents" are its sections (``units.py``). Each array is computed
    on first use, because few weightings need all of them.
    """

    tokenized: TokenizedCluster

    @property
    def words(self) -> tuple[str, ...]:
        """The concepts, sorted."""
        return self.tokenized.index.words

    @cached_property
    def units(self) -> Units:
        """The units that count as documents, and how early each sentence stands in its unit."""
        return units_in(self.tokenized)

    @property
    def size(self) -> int:
        """D, the number of documents, or of sections if the cluster is one long document."""
        return self.units.size

    @cached_property
    def documents(self) -> Floats:
        """df, the number of documents that hold the concept."""
        return self._holders(slice(None))

    @cached_property
    def leads(self) -> Floats:
        """The number of documents whose first whole sentence holds the concept."""
        return self._holders((self._rank == 0) & self._whole)

    @cached_property
    def openings(self) -> Floats:
        """The number of documents that hold the concept in their opening."""
        return self._holders(self._rank < OPENING)

    @cached_property
    def headlines(self) -> Floats:
        """The number of documents that hold the concept before their first whole sentence."""
        return self._holders((self._rank == 0) & ~self._whole)

    @cached_property
    def occurrences(self) -> Floats:
        """tf, the number of occurrences in all documents."""
        return np.bincount(self.tokenized.index.concept, minlength=len(self.words)).astype(np.float64)

    @cached_property
    def sentences(self) -> Floats:
        """The number of sentences that hold the concept."""
        held = self.tokenized.index.held[1]
        return np.bincount(held, minlength=len(self.words)).astype(np.float64)

    def emphasized(self, power: float, emphasis: Floats | None = None) -> Floats:
        """Return the sum of (1 + r)^-power over the occurrences of each concept; r is the sentence's rank.

        ``emphasis``: a factor for each sentence of the cluster, shape (N,).
        """
        places = self.tokenized.index
        factor = (1 + self.units.rank) ** -power
        if emphasis is not None:
            factor = factor * emphasis
        made: Floats = np.bincount(places.concept, factor[places.sentence], len(self.words)).astype(
            np.float64
        )
        return made

    @cached_property
    def first(self) -> Floats:
        """The mean position of the concept's first sentence in a document, from 0 (first) to 1 (last)."""
        holding, size = self._holdings
        pair, at = np.unique(holding, return_index=True)  # its first occurrence in each document
        lengths = np.bincount(self.units.unit, minlength=size)
        position = np.arange(len(self.units.unit)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        share = position[self.tokenized.index.sentence[at]] / np.maximum(lengths - 1, 1)[pair % size]
        return np.bincount(pair // size, share, len(self.words)) / self.documents

    @cached_property
    def _rank(self) -> Small:
        """The number of whole sentences before the sentence of each place, in its document."""
        return self.units.place[self.tokenized.index.sentence]

    @cached_property
    def _whole(self) -> NDArray[np.bool_]:
        """Whether the sentence of each place is a whole sentence."""
        is_whole = np.zeros(len(self.tokenized.tokens), dtype=bool)
        is_whole[list(whole_of(self.tokenized))] = True
        return is_whole[self.tokenized.index.sentence]

    @cached_property
    def _holdings(self) -> tuple[NDArray[np.int64], int]:
        return holdings(self.tokenized, self.units)

    def _holders(self, where: NDArray[np.bool_] | slice) -> Floats:
        """Return how many documents hold each concept at the selected places."""
        holding, size = self._holdings
        return np.bincount(distinct(holding[where]) // size, minlength=len(self.words)).astype(np.float64)


def holdings(tokenized: TokenizedCluster, units: Units) -> tuple[NDArray[np.int64], int]:
    """Return the number a D + d of the concept a and unit d at each place, shape (P,), and D, at least 1."""
    size = max(units.size, 1)
    return tokenized.index.concept.astype(np.int64) * size + units.unit[tokenized.index.sentence], size


def whole_of(tokenized: TokenizedCluster) -> frozenset[int]:
    """Return the indices of whole sentences: those that are not headlines, dates or captions."""
    return frozenset(range(len(tokenized.tokens)) if tokenized.whole is None else tokenized.whole)


def units_in(tokenized: TokenizedCluster) -> Units:
    """Return the units of a cluster: its documents, or the sections of one long document."""
    return units_of(tokenized, whole_of(tokenized))


def ranks_of(tokenized: TokenizedCluster) -> Floats:
    """Return the rank of each sentence, shape (N,): 0 is the earliest, and early sentences count more."""
    return units_in(tokenized).rank
