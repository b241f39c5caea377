"""Measure how similar two sentences are, and how much of a sentence occurs in no other document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from summc.records import Floats, Indices, Small, TokenizedCluster, distinct
from summc.text.arithmetic import log

#: In a good first sentence of a document, the words that occur in no other document typically have this share
#: of the summed idf of all its words.
_USUAL_OWN = 0.25


class Likeness:
    """Compares the sentences of a cluster as TF-IDF vectors, which are computed on first use.

    The fewer sentences contain a word, the more it counts, so function words count for almost nothing.
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

    def pairs(self, sentences: Sequence[int], least: float) -> list[tuple[int, int]]:
        """Return the pairs of sentences whose similarity is at least ``least``, up to rounding.

        A pair (i, j) has the indices of its two sentences in ``sentences``, and i > j. This is much faster
        than calling ``between`` for each pair, but rounds differently.
        """
        from scipy.sparse import csr_array  # noqa: PLC0415 (a quarter of a second of imports)

        vectors = [self._vector(sentence) for sentence in sentences]
        matrix = csr_array(
            (
                np.array([weight for vector in vectors for weight in vector.values()], dtype=float),
                np.array([word for vector in vectors for word in vector], dtype=np.intp),
                np.cumsum([0, *map(len, vectors)]),
            ),
            shape=(len(vectors), len(self._tokenized.index.words)),
        )
        both = (matrix @ matrix.T).toarray()
        rows, columns = np.nonzero(np.tril(both, -1) >= least)
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def triviality(self, index: int) -> float:
        """Return how trivial a sentence is, from 0 to 1.

        A sentence is trivial if many of its words occur in no other document. The result is 0 if the share of
        such words is at most what is usual in a good first sentence of a document, and 1 if all words are
        such words. Words count by their idf.
        """
        concepts, _ = self._words(index)
        weights = self._idf[concepts]
        total, own = float(weights.sum()), float(weights[self._documents[concepts] == 1].sum())
        return max(0.0, own / total - _USUAL_OWN) / (1 - _USUAL_OWN) if total else 0.0

    def _words(self, index: int) -> tuple[Small, Small]:
        """Return the indices of the words of a sentence, without bigrams, and how often each occurs in it."""
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
        """The words of all sentences, without bigrams, as three arrays.

        The first says where each sentence begins in the other two. The second has the indices of the words,
        the third how often each occurs in the sentence.
        """
        sentence, concept, count = self._tokenized.index.held
        is_word = ~self._tokenized.index.is_bigram[concept]
        start = np.searchsorted(sentence[is_word], np.arange(self._tokenized.index.size + 1))
        return start.tolist(), concept[is_word], count[is_word]

    @cached_property
    def _idf(self) -> Floats:
        """The idf of each word: log(N / n) if n of the N sentences contain it."""
        places = self._tokenized.index
        holders = np.bincount(places.held[1], minlength=len(places.words))
        return log(max(self._tokenized.index.size, 1) / np.maximum(holders, 1))

    @cached_property
    def _documents(self) -> Indices:
        """The number of documents that contain each word."""
        places, cluster = self._tokenized.index, self._tokenized.cluster
        size = max(len(cluster.documents), 1)
        document = np.array([sentence.document for sentence in cluster.sentences], dtype=np.int64)
        pairs = distinct(places.held[1].astype(np.int64) * size + document[places.held[0]])
        return np.bincount(pairs // size, minlength=len(places.words))
