"""Measure how similar two sentences are, and how much of a sentence no other document mentions."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from summc.records import Floats, Indices, Small, TokenizedCluster, distinct

#: Typical share of a good lead sentence, weighed by idf, that no other document mentions.
_USUAL_OWN = 0.25


class Likeness:
    """The sentences of a cluster as TF-IDF vectors; computed on first use.

    A word counts more the fewer sentences hold it, so function words count for almost nothing.
    """

    def __init__(self, tokenized: TokenizedCluster) -> None:
        self._tokenized = tokenized
        self._vectors: dict[int, dict[int, float]] = {}

    def between(self, one: int, other: int) -> float:
        """Return the cosine similarity of two sentences, from 0 to 1."""
        short, long = self._vector(one), self._vector(other)
        if len(long) < len(short):
            short, long = long, short
        return sum([weight * long[word] for word, weight in short.items() if word in long])

    def triviality(self, index: int) -> float:
        """Return how trivial a sentence is, from 0 to 1.

        That is the share of it that no other document mentions, weighed by idf, beyond the usual share.
        """
        concepts, _ = self._words(index)
        weights = self._idf[concepts]
        total, own = float(weights.sum()), float(weights[self._documents[concepts] == 1].sum())
        return max(0.0, own / total - _USUAL_OWN) / (1 - _USUAL_OWN) if total else 0.0

    def _words(self, index: int) -> tuple[Small, Small]:
        """Return the word ids of a sentence, without bigrams, and how often it holds each."""
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
        """The start of each sentence in two arrays: its word ids, and how often it holds each."""
        sentence, concept, count = self._tokenized.index.held
        is_word = ~self._tokenized.index.is_bigram[concept]
        start = np.searchsorted(sentence[is_word], np.arange(len(self._tokenized.tokens) + 1))
        return start.tolist(), concept[is_word], count[is_word]

    @cached_property
    def _idf(self) -> Floats:
        """The idf of each word: log(N / n) if n of the N sentences hold it."""
        places = self._tokenized.index
        holders = np.bincount(places.held[1], minlength=len(places.words))
        return np.asarray(np.log(max(len(self._tokenized.tokens), 1) / np.maximum(holders, 1)))

    @cached_property
    def _documents(self) -> Indices:
        """The number of documents that hold each word."""
        places, cluster = self._tokenized.index, self._tokenized.cluster
        size = max(len(cluster.documents), 1)
        document = np.array([sentence.document for sentence in cluster.sentences], dtype=np.int64)
        pairs = distinct(places.held[1].astype(np.int64) * size + document[places.held[0]])
        return np.bincount(pairs // size, minlength=len(places.words))
