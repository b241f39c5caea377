"""The contract of a weighting, and what most of them count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from summc.records import Floats, TokenizedCluster

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
    words = tuple(sorted({term for terms in tokenized.tokens for term in terms}))
    ranks = ranks_of(tokenized)
    whole = whole_of(tokenized)
    holders: dict[str, dict[int, int]] = {word: {} for word in words}  # document -> where it stands first
    leads, openings, headlines = ({word: set[int]() for word in words} for _ in range(3))
    for i, (sentence, terms) in enumerate(zip(sentences, tokenized.tokens, strict=True)):
        for term in set(terms):
            holders[term].setdefault(sentence.document, sentence.position)
            if ranks[i] < OPENING:
                openings[term].add(sentence.document)
            if ranks[i] == 0:
                (leads if i in whole else headlines)[term].add(sentence.document)
    often = Counter(term for terms in tokenized.tokens for term in terms)
    lengths = [max(len(document.sentences) - 1, 1) for document in documents]
    first = [fmean(at / lengths[d] for d, at in holders[word].items()) for word in words]
    return Counts(
        words,
        size=len(documents),
        documents=_sizes(words, holders),
        leads=_sizes(words, leads),
        openings=_sizes(words, openings),
        headlines=_sizes(words, headlines),
        occurrences=np.array([often[word] for word in words], dtype=np.float64),
        first=np.array(first, dtype=np.float64),
        capitals=np.array([(tokenized.capitals or {}).get(word, np.nan) for word in words], dtype=np.float64),
    )


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


def _sizes(words: Sequence[str], found: Mapping[str, Collection[int]]) -> Floats:
    return np.array([len(found[word]) for word in words], dtype=np.float64)
