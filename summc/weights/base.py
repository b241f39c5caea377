"""The contract of a weighting, and what most of them count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Small, TokenizedCluster, distinct

#: The opening of a document: so many whole sentences, and what stands before and between them.
OPENING = 3


class Weigher(Protocol):
    """A weighting that has seen all it needs of the other clusters."""

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

    @property
    def size(self) -> int:
        """D, how many documents there are."""
        return len(self.tokenized.cluster.documents)

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
        factor = (1 + np.array(ranks_of(self.tokenized), dtype=np.float64)) ** -power
        if emphasis is not None:
            factor = factor * emphasis
        made: Floats = np.bincount(places.concept, factor[places.sentence], len(self.words)).astype(
            np.float64
        )
        return made

    @cached_property
    def first(self) -> Floats:
        """Where it first stands in a document, from 0 (the front) to 1 (the end), on average."""
        cluster, (holding, size) = self.tokenized.cluster, self._holdings
        pair, at = np.unique(holding, return_index=True)  # of each document that holds a concept
        place = np.array([s.position for s in cluster.sentences], dtype=np.float64)
        last = np.array([max(len(d.sentences) - 1, 1) for d in cluster.documents], dtype=np.float64)
        share = place[self.tokenized.places.sentence[at]] / last[pair % size]
        return np.bincount(pair // size, share, len(self.words)) / self.documents

    @cached_property
    def _rank(self) -> Small:
        """How many whole sentences stand before the sentence of each place, in its document."""
        return np.array(ranks_of(self.tokenized), dtype=np.int32)[self.tokenized.places.sentence]

    @cached_property
    def _whole(self) -> NDArray[np.bool_]:
        """Whether the sentence of each place is whole."""
        is_whole = np.zeros(len(self.tokenized.tokens), dtype=bool)
        is_whole[list(whole_of(self.tokenized))] = True
        return is_whole[self.tokenized.places.sentence]

    @cached_property
    def _holdings(self) -> tuple[NDArray[np.int64], int]:
        return holdings(self.tokenized)

    def _holders(self, where: NDArray[np.bool_] | slice) -> Floats:
        """Return how many documents hold each concept at one of some places."""
        holding, size = self._holdings
        return np.bincount(distinct(holding[where]) // size, minlength=len(self.words)).astype(np.float64)


def holdings(tokenized: TokenizedCluster) -> tuple[NDArray[np.int64], int]:
    """Return a number for the concept and document of each place, shape (P,): a D + d; and D, 1 or more."""
    size = max(len(tokenized.cluster.documents), 1)
    document = np.array([s.document for s in tokenized.cluster.sentences], dtype=np.int32)
    return tokenized.places.concept.astype(np.int64) * size + document[tokenized.places.sentence], size


def whole_of(tokenized: TokenizedCluster) -> frozenset[int]:
    """Return the sentences that are whole."""
    return frozenset(range(len(tokenized.tokens)) if tokenized.whole is None else tokenized.whole)


def ranks_of(tokenized: TokenizedCluster) -> list[int]:
    """Return how many whole sentences stand before each sentence in its document."""
    whole, before, ranks = whole_of(tokenized), Counter[int](), []
    for i, sentence in enumerate(tokenized.cluster.sentences):
        ranks.append(before[sentence.document])
        before[sentence.document] += i in whole
    return ranks
