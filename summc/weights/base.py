"""The contract of a weighting, and what most of them count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, TokenizedCluster, distinct

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

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster, sorted, and what each is worth, 0 or more."""


class Weighting(Protocol):
    """A way of weighing with its settings.

    ``others``: whether it looks at other texts than the cluster; ``capitals``: whether it looks at capital
    letters, which somebody has to find for it.
    """

    others: ClassVar[bool]
    capitals: ClassVar[bool]

    def __init__(self, **settings: Any) -> None: ...

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> Weigher:
        """Return it fitted on the clusters to be summarized and on the background."""


class Unfitted:
    """What a weighting of the cluster alone shares: it weighs a cluster the same in any company."""

    __slots__ = ()

    others: ClassVar[bool] = False
    capitals: ClassVar[bool] = False
    unit: ClassVar[str] = "document"

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],  # noqa: ARG002 (the protocol's)
        background: Sequence[TokenizedCluster],  # noqa: ARG002
    ) -> Self:
        """Return itself."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Where the concepts of a cluster stand; every array has an entry for each, shape (M,).

    Attributes:
        words: the concepts, sorted.
        size: D, how many documents there are.
        documents: df, how many of them hold each.
        leads: in how many the first whole sentence holds it.
        openings: in how many one of the first ``OPENING`` whole sentences does, or a headline there.
        headlines: in how many something before the first whole sentence does.
        occurrences: tf, how often it stands in all of them.
        first: where it first stands in a document, from 0 (the front) to 1 (the end), on average.
        capitals: how often it has capital letters within sentences, from 0 to 1; NaN where that is not known.
    """

    words: tuple[str, ...]
    size: int
    documents: Floats
    leads: Floats
    openings: Floats
    headlines: Floats
    occurrences: Floats
    first: Floats
    capitals: Floats


def count(tokenized: TokenizedCluster) -> Counts:
    """Return where the concepts of a cluster stand."""
    sentences, documents = tokenized.cluster.sentences, tokenized.cluster.documents
    places = tokenized.places
    words, concept, sentence = places.words, places.concept, places.sentence
    rank = np.array(ranks_of(tokenized), dtype=np.int32)[sentence]
    is_whole = np.zeros(len(sentences), dtype=bool)
    is_whole[list(whole_of(tokenized))] = True
    whole = is_whole[sentence]
    holding, size = holdings(tokenized)

    def holders(where: NDArray[np.bool_]) -> Floats:
        """Return how many documents hold each concept at one of some places."""
        return np.bincount(distinct(holding[where]) // size, minlength=len(words)).astype(np.float64)

    # An entry for each document that holds a concept: where it stands first, from 0 to 1.
    pair, first = np.unique(holding, return_index=True)
    position = np.array([s.position for s in sentences], dtype=np.float64)[sentence[first]]
    last = np.array([max(len(d.sentences) - 1, 1) for d in documents], dtype=np.float64)
    held = np.bincount(pair // size, minlength=len(words)).astype(np.float64)
    return Counts(
        words,
        size=len(documents),
        documents=held,
        leads=holders((rank == 0) & whole),
        openings=holders(rank < OPENING),
        headlines=holders((rank == 0) & ~whole),
        occurrences=np.bincount(concept, minlength=len(words)).astype(np.float64),
        first=np.bincount(pair // size, position / last[pair % size], len(words)) / held,
        capitals=_capitals(tokenized, words),
    )


def holdings(tokenized: TokenizedCluster) -> tuple[NDArray[np.int64], int]:
    """Return a number for the concept and document of each place, shape (P,): a D + d; and D, 1 or more."""
    size = max(len(tokenized.cluster.documents), 1)
    document = np.array([s.document for s in tokenized.cluster.sentences], dtype=np.int32)
    return tokenized.places.concept.astype(np.int64) * size + document[tokenized.places.sentence], size


def _capitals(tokenized: TokenizedCluster, words: Sequence[str]) -> Floats:
    if tokenized.capitals is None:
        return np.full(len(words), np.nan)
    return np.array([tokenized.capitals.get(word, np.nan) for word in words], dtype=np.float64)


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


def document_frequencies(units: Iterable[Iterable[str]]) -> Counter[str]:
    """Return in how many units each term stands."""
    return Counter(term for terms in units for term in set(terms))
