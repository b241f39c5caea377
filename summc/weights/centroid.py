"""The centroid (Radev, Jing, Stys and Tam, Information Processing & Management 40, 2004).

The mean of the TF-IDF vectors of a cluster's documents, each of length 1, and of it what stands out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, TokenizedCluster
from summc.settings import plain
from summc.weights.base import document_frequencies
from summc.weights.tfidf import split_units


@dataclass(frozen=True, slots=True)
class Centroid:
    """Concepts below ``centroid_least`` of the heaviest are worth nothing. Idf counts documents."""

    others: ClassVar[bool] = True
    capitals: ClassVar[bool] = False

    centroid_least: float = 0.1

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> _Fitted:
        """Return it with the document frequencies of the clusters and the background."""
        units = [terms for each in (*clusters, *background) for terms in split_units(each, "document")]
        return _Fitted(self.centroid_least, document_frequencies(units), len(units))


@dataclass(frozen=True, slots=True)
class _Fitted:
    least: float
    frequencies: Counter[str]
    units: int
    unit: str = "document"

    @property
    def signature(self) -> Mapping[str, Any]:
        """The threshold, and how many documents idf counts."""
        return {"idf": f"{self.unit}/{self.units}", "background": "", "least": plain(self.least)}

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster and what each is worth."""
        words = tuple(sorted({term for terms in tokenized.tokens for term in terms}))
        number = {word: a for a, word in enumerate(words)}
        idf = np.array([math.log((1 + self.units) / (1 + self.frequencies[word])) + 1 for word in words])
        total = np.zeros(len(words))
        for terms in split_units(tokenized, "document"):
            if terms:
                # Of its own words alone: a vector as long as the vocabulary would take each document longer
                # the more there are.
                held, occurrences = np.unique([number[term] for term in terms], return_counts=True)
                vector = occurrences * idf[held]
                total[held] += vector / np.sqrt(np.square(vector).sum())
        centroid = total / max(len(tokenized.cluster.documents), 1)
        return words, np.where(centroid >= self.least * centroid.max(initial=0.0), centroid, 0.0)
