"""The frozen records that flow between the stages, and nothing else.

Indices, never texts, are keys: two equal sentences stay two sentences. Arrays are read-only.
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
#: Of what there are many millions of: half the memory.
Small = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A candidate for the summary.

    ``document`` and ``position`` are indices, from 0, of the document in its cluster and of the sentence
    in its document; ``words`` is its cost c_i, the words a reader counts. ``paragraph``, from 0 in its
    document, and ``page``, from 1, are where it begins, or None where that is not known.
    """

    document: int
    position: int
    text: str
    words: int
    paragraph: int | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A text, as its sentences in reading order; ``date`` as 2005-01-08, or nothing where none is known."""

    id: str
    sentences: tuple[Sentence, ...]
    date: str = ""


@dataclass(frozen=True)  # without slots, so that it can keep its sentences
class Cluster:
    """Documents to be summarized together, and the summaries that people wrote of them, if any.

    ``language`` is a code such as ``en``; ``query`` is the question that a summary should answer, or "".
    ``title`` is what a cluster is about that was found by topic, or "".
    """

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...] = ()
    language: str = "en"
    query: str = ""
    title: str = ""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, by document and then position; the order every index of a sentence refers to."""
        return tuple(sentence for document in self.documents for sentence in document.sentences)


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return values of 0 or more once each, ascending; on millions quicker than ``np.unique`` by far."""
    ascending = np.sort(values)
    return ascending[np.diff(ascending, prepend=-1) > 0] if len(values) else ascending


@dataclass(frozen=True, eq=False)  # without slots, so that it can keep what each sentence holds
class Places:
    """Where the concepts of a cluster stand, as numbers.

    Attributes:
        words: the concepts, sorted.
        concept, sentence: what stands at each place, in reading order, and in which sentence, shape (P,).
    """

    words: tuple[str, ...]
    concept: Small
    sentence: Small

    @classmethod
    def of(cls, tokens: Sequence[Sequence[str]]) -> Places:
        """Return where the concepts of sentences stand."""
        words = tuple(sorted(set(chain.from_iterable(tokens))))
        number = dict(zip(words, range(len(words)), strict=True))
        lengths = np.array([len(terms) for terms in tokens], dtype=np.intp)
        stands = map(number.__getitem__, chain.from_iterable(tokens))
        concept = np.fromiter(stands, dtype=np.int32, count=int(lengths.sum()))
        return cls(words, concept, np.repeat(np.arange(len(tokens), dtype=np.int32), lengths))

    @cached_property
    def is_bigram(self) -> NDArray[np.bool_]:
        """Which concepts are made of two terms, a space between."""
        return np.array([" " in word for word in self.words], dtype=bool)

    @cached_property
    def held(self) -> tuple[Small, Small, Small]:
        """Each sentence with each of its concepts, both ascending, and how often it holds that one."""
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
        """Return of each concept its place among words, -1 where it is not there."""
        if words is self.words:
            return np.arange(len(words))
        before, found = self._last_numbers.get("last", ((), None))
        if found is None or before is not words:  # asked again and again of the same weights
            number = dict(zip(words, range(len(words)), strict=True))
            found = np.fromiter(map(number.get, self.words, repeat(-1)), np.intp, count=len(self.words))
            self._last_numbers["last"] = (words, found)
        return found

    @cached_property
    def _last_numbers(self) -> dict[str, tuple[Sequence[str], Indices]]:
        return {}


@dataclass(frozen=True)  # without slots, so that it can keep its places
class TokenizedCluster:
    """The terms of each sentence, or what else is covered; ``tokens[i]`` belongs to ``cluster.sentences[i]``.

    ``candidates`` are the sentences that may be chosen, ``whole`` those that are no headline, date or caption
    and so count where it matters how early one stands; indices, ascending, or None: all of them.
    """

    cluster: Cluster
    tokens: tuple[tuple[str, ...], ...]
    whole: tuple[int, ...] | None = None
    candidates: tuple[int, ...] | None = None

    @cached_property
    def places(self) -> Places:
        """Where the concepts stand."""
        return Places.of(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class WordWeights:
    """The words of a cluster and how much covering each is worth.

    ``weight[a]`` is w_a of ``words[a]``; ``idf_unit`` says what the document frequencies really counted.
    ``bonus[i]`` is what sentence i is worth for its place alone, as if it held a word of its own; None where
    places do not count. ``further`` are the weights of the second, third, ... occurrence of each word, word
    by word; those of ``words[a]`` begin at ``further_start[a]``. None where only the first occurrence counts.
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

    A word may be worth covering more than once: its further occurrences have weights of their own, each no
    more than the one before. Without further weights, and with counts of 1, it is the paper's problem.

    Attributes:
        cost: c_i of each sentence, shape (N,).
        weight: w_a of each word, what its first occurrence in a summary is worth, shape (M,).
        edge_sentence: the sentence of each edge, shape (E,).
        edge_word: the word of each edge, shape (E,). Edges are sorted by sentence, then word; none twice.
        sentence_ids: what each sentence is called outside, shape (N,): its index in the cluster.
        word_ids: what each word is called outside, shape (M,): its index among the weighted words, or their
            number plus the index of the sentence whose place it stands for.
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

    ``chosen`` holds sentence indices of the graph, ascending; ``bound`` is a proven upper bound on the
    weight that any selection within the budget can cover, or None where nothing was proven; ``unit`` is what
    the budget counts: words, sentences or characters. ``cut`` is one sentence more, to be cut where the
    budget ends, or None; neither cost nor weight counts it.
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
    """The chosen sentences of a cluster in reading order, and how they came to be chosen.

    ``total_weight`` is what all sentences together cover; ``forecast`` the share of a person's summary of
    that length that this one is expected to contain, None where the weighting says nothing of that.
    """

    cluster: Cluster
    sentences: tuple[Sentence, ...]
    selection: Selection
    total_weight: float
    signature: str
    forecast: float | None = None

    @property
    def text(self) -> str:
        """The summary as it is read: one sentence a line."""
        return "\n".join(sentence.text for sentence in self.sentences)

    @property
    def words(self) -> int:
        """How many words a reader counts in it."""
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
    """What one selector, or another system, made of one cluster, and how it scored by each metric.

    ``words`` is a mean where ``text`` is one of several; ``selection`` is None for what did not choose
    sentences; ``problem`` says why there is nothing, where there is nothing.
    """

    cluster: str
    selector: str
    text: str = ""
    words: float = 0.0
    scores: Mapping[str, Score] = field(default_factory=dict)
    selection: Selection | None = None
    problem: str = ""
