"""How much two sentences say the same, and how much of one no other document says."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from summc.records import Floats, Indices, Small, TokenizedCluster, distinct

#: Leads that tell the story share all but this much with other documents.
_USUAL_OWN = 0.25


class Likeness:
    """Sentences of a cluster as vectors of their words, each worked out when it is asked for.

    A word counts for more the fewer sentences hold it, so that function words count for next to nothing.
    """

    def __init__(self, tokenized: TokenizedCluster) -> None:
        self._tokenized = tokenized
        self._vectors: dict[int, dict[int, float]] = {}

    def between(self, one: int, other: int) -> float:
        """Return the cosine of two sentences, from 0 to 1."""
        short, long = self._vector(one), self._vector(other)
        if len(long) < len(short):
            short, long = long, short
        return sum([weight * long[word] for word, weight in short.items() if word in long])

    def triviality(self, index: int) -> float:
        """Return how much more of a sentence than usual no other document speaks of, from 0 to 1."""
        concepts, _ = self._words(index)
        weights = self._idf[concepts]
        total, own = float(weights.sum()), float(weights[self._documents[concepts] == 1].sum())
        return max(0.0, own / total - _USUAL_OWN) / (1 - _USUAL_OWN) if total else 0.0

    def _words(self, index: int) -> tuple[Small, Small]:
        """Return the words of a sentence, as numbers, and how often it holds each."""
        start, concept, count = self._held
        held = slice(start[index], start[index + 1])
        return concept[held], count[held]

    def _vector(self, index: int) -> dict[int, float]:
        if index not in self._vectors:
            concepts, count = self._words(index)
            weights = count * self._idf[concepts]
            length = math.sqrt(float((weights * weights).sum())) or 1.0
            self._vectors[index] = dict(zip(concepts.tolist(), (weights / length).tolist(), strict=True))
        return self._vectors[index]

    @cached_property
    def _held(self) -> tuple[list[int], Small, Small]:
        """Where the words of each sentence begin; these words; and how often the sentence holds each."""
        sentence, concept, count = self._tokenized.places.held
        is_word = ~self._tokenized.places.is_bigram[concept]
        start = np.searchsorted(sentence[is_word], np.arange(len(self._tokenized.tokens) + 1))
        return start.tolist(), concept[is_word], count[is_word]

    @cached_property
    def _idf(self) -> Floats:
        """The logarithm of N/n for each word that n of the N sentences hold."""
        places = self._tokenized.places
        holders = np.bincount(places.held[1], minlength=len(places.words))
        return np.asarray(np.log(max(len(self._tokenized.tokens), 1) / np.maximum(holders, 1)))

    @cached_property
    def _documents(self) -> Indices:
        """How many documents hold each word."""
        places, cluster = self._tokenized.places, self._tokenized.cluster
        size = max(len(cluster.documents), 1)
        document = np.array([sentence.document for sentence in cluster.sentences], dtype=np.int64)
        pairs = distinct(places.held[1].astype(np.int64) * size + document[places.held[0]])
        return np.bincount(pairs // size, minlength=len(places.words))
