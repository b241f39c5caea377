"""The frozen records that one stage hands to the next.

Sentences and words are referred to by index, never by text, so that two equal sentences stay two. Arrays are
read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
#: For arrays of many millions of entries: half the memory of ``Indices``.
Small = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: its text, where it stands and what it costs.

    ``document`` is the index of its document in the cluster, and ``position`` is its own index in that
    document; both count from 0. ``words`` is its cost c_i: how many words a reader counts. It begins in
    ``paragraph``, counted from 0 in its document, and on ``page``, counted from 1; each is None if unknown.
    """

    document: int
    position: int
    text: str
    words: int
    paragraph: int | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A text, as its sentences in reading order; ``date`` is written as 2005-01-08, or "" if unknown."""

    id: str
    sentences: tuple[Sentence, ...]
    date: str = ""


@dataclass(frozen=True)  # without slots, because cached_property needs a place to store its value
class Cluster:
    """Documents to be summarized together, and the summaries that people wrote of them, if any.

    ``language`` is a code such as ``en``. ``query`` is the question that a summary should answer, or "".
    ``title`` says what a cluster made by topic is about; it is "" for any other cluster.
    """

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...] = ()
    language: str = "en"
    query: str = ""
    title: str = ""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, by document and then position. Every index of a sentence refers to this order."""
        return tuple(sentence for document in self.documents for sentence in document.sentences)


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each value once, ascending; no value may be negative.

    On millions of values this is far quicker than ``np.unique``.
    """
    ascending = np.sort(values)
    return ascending[np.diff(ascending, prepend=-1) > 0] if len(values) else ascending


@dataclass(frozen=True, eq=False)  # without slots, because cached_property needs a place to store its value
class ConceptIndex:
    """Where each concept of a cluster occurs, with concepts and sentences as numbers.

    Attributes:
        words: the concepts, sorted.
        concept: the concept of each occurrence, in reading order, as an index into ``words``, shape (P,).
        sentence: the sentence of each occurrence, shape (P,).
    """

    words: tuple[str, ...]
    concept: Small
    sentence: Small

    @classmethod
    def of(cls, tokens: Sequence[Sequence[str]]) -> ConceptIndex:
        """Return where each concept occurs, from the concepts of each sentence."""
        words = tuple(sorted(set(chain.from_iterable(tokens))))
        number = dict(zip(words, range(len(words)), strict=True))
        lengths = np.array([len(terms) for terms in tokens], dtype=np.intp)
        stands = map(number.__getitem__, chain.from_iterable(tokens))
        concept = np.fromiter(stands, dtype=np.int32, count=int(lengths.sum()))
        return cls(words, concept, np.repeat(np.arange(len(tokens), dtype=np.int32), lengths))

    @cached_property
    def is_bigram(self) -> NDArray[np.bool_]:
        """Whether each concept is a bigram: two terms joined by a space."""
        return np.array([" " in word for word in self.words], dtype=bool)

    @cached_property
    def held(self) -> tuple[Small, Small, Small]:
        """Each pair of a sentence and a concept in it, and how often the sentence holds the concept.

        Three arrays: sentences, concepts, counts. Pairs are sorted by sentence, then concept.
        """
        size = max(len(self.words), 1)
        ascending = np.sort(self.sentence.astype(np.int64) * size + self.concept)
        starts = np.flatnonzero(np.diff(ascending, prepend=-1))
        count = np.diff(starts, append=len(ascending))
        once = ascending[starts]
        arrays = (once // size).astype(np.int32), (once % size).astype(np.int32), count.astype(np.int32)
        for array in arrays:
            array.flags.writeable = False
        return arrays

    def numbers_among(self, words: Sequence[str]) -> Indices:
        """Return the index of each concept in ``words``, or -1 for a concept that is not there."""
        if words is self.words:
            return np.arange(len(words))
        before, found = self._last_numbers.get("last", ((), None))
        if found is None or before is not words:  # callers often ask with the same words again
            number = dict(zip(words, range(len(words)), strict=True))
            found = np.fromiter(map(number.get, self.words, repeat(-1)), np.intp, count=len(self.words))
            self._last_numbers["last"] = (words, found)
        return found

    @cached_property
    def _last_numbers(self) -> dict[str, tuple[Sequence[str], Indices]]:
        return {}


@dataclass(frozen=True)  # without slots, because cached_property needs a place to store its value
class TokenizedCluster:
    """The terms or concepts of each sentence; ``tokens[i]`` belongs to ``cluster.sentences[i]``.

    ``candidates`` are the sentences that may be chosen. ``whole`` are the sentences that are not headlines,
    dates or captions; only these are counted to find how early a sentence stands. Both are ascending
    indices, or None for all sentences.
    """

    cluster: Cluster
    tokens: tuple[tuple[str, ...], ...]
    whole: tuple[int, ...] | None = None
    candidates: tuple[int, ...] | None = None

    @cached_property
    def index(self) -> ConceptIndex:
        """Where the concepts occur."""
        return ConceptIndex.of(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class WordWeights:
    """The words of a cluster and how much covering each is worth.

    ``weight[a]`` is w_a of ``words[a]``. ``idf_unit`` says what the document frequencies counted.
    ``bonus[i]`` is what sentence i earns for its position alone, as if it held a word of its own; ``bonus``
    is None if positions earn nothing. ``further`` has the weights of the second, third, ... occurrence of
    each word, word by word; those of ``words[a]`` begin at ``further_start[a]``. Both are None if only the
    first occurrence counts.
    """

    words: tuple[str, ...]
    weight: Floats
    idf_unit: str
    bonus: Floats | None = None
    further: Floats | None = None
    further_start: Indices | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CoverageGraph:
    """A weighted maximum-coverage problem: N sentences, M words, E edges, and nothing about text.

    A word may be worth covering more than once: each further occurrence has a weight of its own, no larger
    than the one before. Without further weights and with all counts 1, this is the paper's problem.

    Attributes:
        cost: c_i of each sentence, shape (N,).
        weight: w_a of each word, what its first occurrence in a summary is worth, shape (M,).
        edge_sentence: the sentence of each edge, shape (E,).
        edge_word: the word of each edge, shape (E,). Edges are sorted by sentence, then word, without
            duplicates.
        sentence_ids: the index of each sentence in the cluster, shape (N,).
        word_ids: the index of each word among the V weighted words, shape (M,). A word that stands for the
            position bonus of sentence i has V + i.
        count: how often the sentence of each edge holds its word, 1 or more, shape (E,).
        further: what the second, third, ... occurrence of each word is worth, word by word, shape (F,).
        further_start: where the further weights of each word begin, shape (M + 1,).
    """

    cost: Floats
    weight: Floats
    edge_sentence: Indices
    edge_word: Indices
    sentence_ids: Indices
    word_ids: Indices
    count: Indices
    further: Floats
    further_start: Indices


@dataclass(frozen=True, slots=True)
class Selection:
    """The answer of a selector.

    ``chosen`` holds sentence indices of the graph, ascending. ``bound`` is a proven upper bound on the
    weight that any selection within the budget can cover, or None if nothing was proven. ``unit`` is what
    the budget counts: words, sentences or characters. ``cut`` is one more sentence, to be cut off where the
    budget ends, or None; it is not part of the cost or the weight.
    """

    selector: str
    budget: float
    chosen: tuple[int, ...]
    cost: float
    covered_weight: float
    bound: float | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    unit: str = "words"
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The chosen sentences of a cluster in reading order, and how they were chosen.

    ``total_weight`` is the weight that all sentences of the cluster cover together. ``forecast`` is the share
    of a human summary of the same length that this summary is expected to contain, or None if the weighting
    cannot tell.
    """

    cluster: Cluster
    sentences: tuple[Sentence, ...]
    selection: Selection
    total_weight: float
    signature: str
    forecast: float | None = None

    @property
    def text(self) -> str:
        """The text of the summary, one sentence a line."""
        return "\n".join(sentence.text for sentence in self.sentences)

    @property
    def words(self) -> int:
        """How many words a reader counts in the summary."""
        return sum(sentence.words for sentence in self.sentences)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Score:
    """ROUGE of one summary against its references, with the signature that states every option."""

    recall: float
    precision: float
    f1: float
    signature: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The summary that a selector or another system made of one cluster, and its score by each metric.

    If ``text`` is one of several summaries, ``words`` is their mean length. ``selection`` is None if the
    system did not choose sentences. If there is no summary, ``problem`` says why.
    """

    cluster: str
    selector: str
    text: str = ""
    words: float = 0.0
    scores: Mapping[str, Score] = field(default_factory=dict)
    selection: Selection | None = None
    problem: str = ""
