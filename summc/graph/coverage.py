"""The weight that a selection of sentences covers, including the weights of repeated words.

The first occurrence of word a in a summary is worth its weight w_a. Each further occurrence is worth no more
than the occurrence before it. Level n of a word is the weight of its nth occurrence, and a word has as many
levels as occurrences that are worth something. The curve of word a is ``V_a(n)``, the worth of n occurrences
together: the sum of its first n levels. If every word has one level, ``V_a(n)`` is w_a for every n >= 1, and
the problem is that of the paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices

#: The limits of a weight or cost other than 0. Within them, sums, products and quotients of weights and costs
#: neither overflow nor become 0.
SMALLEST, LARGEST = 1e-100, 1e100
#: ``make_curves`` sums the levels up to this one for all words together.
_TOGETHER = 8


class Words(Protocol):
    """M words, with the weights of their first and further occurrences."""

    @property
    def weight(self) -> Floats:
        """w_a, the weight of the first occurrence of each word, shape (M,)."""

    @property
    def repeats(self) -> Floats:
        """The weights of the second, third, ... occurrence of each word, word by word, shape (F,)."""

    @property
    def repeats_start(self) -> Indices:
        """The index in ``repeats`` where the weights of each word begin, shape (M + 1,).

        Those of word a are ``repeats[repeats_start[a] : repeats_start[a + 1]]``. The last entry is F, the
        length of ``repeats``.
        """


class AnyProblem(Words, Protocol):
    """N sentences and M words, with E edges between them: a ``CoverageGraph`` or a ``ReducedProblem``.

    An edge says that a sentence holds a word.
    """

    @property
    def cost(self) -> Floats:
        """The cost c_i of each sentence, shape (N,)."""

    @property
    def edge_sentence(self) -> Indices:
        """The sentence of each edge, shape (E,)."""

    @property
    def edge_word(self) -> Indices:
        """The word of each edge, shape (E,)."""

    @property
    def count(self) -> Indices:
        """How often the sentence of each edge holds its word, shape (E,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """``V_a(n)``, the worth of n occurrences of word a, for each of M words.

    It is stored for n from 0 to the last occurrence that is worth something. For larger n it does not change.

    Attributes:
        value: V_a(0) = 0, V_a(1), ... word by word, shape (M + L,), where L is the number of occurrences of
            all words that are worth something.
        start: the index in ``value`` where each word begins, shape (M + 1,).
    """

    value: Floats
    start: Indices

    @property
    def levels(self) -> Indices:
        """The number of levels of each word (occurrences that are worth something), shape (M,)."""
        return np.diff(self.start) - 1

    def at(self, word: Indices, occurrences: Indices) -> Floats:
        """Return V_a(n), the worth of n occurrences of word a.

        ``word`` has each a, and ``occurrences`` each n; the two arrays must broadcast.
        """
        start = self.start[word]
        return np.asarray(self.value[np.minimum(start + occurrences, self.start[word + 1] - 1)])

    def step(self, word: Indices, occurrences: Indices, more: Indices) -> Floats:
        """Return V_a(n + more) - V_a(n): what ``more`` occurrences of word a add to n occurrences."""
        return self.at(word, occurrences + more) - self.at(word, occurrences)


def curves(problem: AnyProblem) -> Curves:
    """Return V_a(n), the worth of n occurrences, for each word of a problem."""
    return make_curves(problem.weight, problem.repeats, problem.repeats_start)


def make_curves(weight: Floats, repeats: Floats, repeats_start: Indices) -> Curves:
    """Return V_a(n), the worth of n occurrences, for words with the given weights of occurrences.

    ``weight`` has the weight of the first occurrence of each word. ``repeats`` has the weights of the second,
    third, ... occurrences, word by word; those of word a begin at ``repeats_start[a]``.
    """
    words = len(weight)
    start = 2 * np.arange(words + 1) + repeats_start
    value = np.zeros(2 * words + len(repeats))
    value[start[:-1] + 1] = weight
    value[run_from(start[:-1] + 2, np.diff(repeats_start))] = repeats
    # One cumulative sum over the levels of all words would round, and V_a(1) would differ from w_a. So add
    # level 2 of all words to level 1, then level 3 to the sum, and so on up to _TOGETHER. Few words have more
    # levels; those are summed word by word.
    levels = np.diff(repeats_start) + 1
    deep, n = np.flatnonzero(levels > 1), 2
    while len(deep) and n <= _TOGETHER:
        place = start[deep] + n
        value[place] += value[place - 1]
        n += 1
        deep = deep[levels[deep] >= n]
    for first, end in zip((start[deep] + n - 1).tolist(), start[deep + 1].tolist(), strict=True):
        np.add.accumulate(value[first:end], out=value[first:end])
    return Curves(value, start)


def run_from(start: Indices, length: Indices) -> Indices:
    """Return one array of ranges: ``length[0]`` integers from ``start[0]`` on, then the next range, ..."""
    before = np.cumsum(length) - length
    return np.asarray(np.repeat(start - before, length) + np.arange(int(length.sum())))


def levels_of(repeats: Floats, repeats_start: Indices, words: Indices) -> tuple[Floats, Indices]:
    """Return the weights of the second, third, ... occurrences of the given words only.

    ``repeats`` has these weights for all words, word by word; those of word a begin at ``repeats_start[a]``.
    The result has both arrays for the given words.
    """
    length = repeats_start[words + 1] - repeats_start[words]
    return repeats[run_from(repeats_start[words], length)], np.concatenate([[0], np.cumsum(length)])


def left_after(problem: Words, times: Indices) -> tuple[Floats, Floats, Indices]:
    """Return the weights of the occurrences that can follow ``times[a]`` occurrences of each word a.

    They are returned as the arrays ``weight``, ``repeats`` and ``repeats_start`` of a new ``Words``, in which
    the next occurrence of a word is its first. If it is worth nothing, the weight of the word is 0.
    """
    levels = np.diff(problem.repeats_start) + 1
    left = np.maximum(levels - times, 0)
    # The index in ``repeats`` of the next occurrence, if ``times`` is above 0.
    first = problem.repeats_start[:-1] + times - 1
    weight = np.where(times == 0, problem.weight, 0.0)
    begun = np.flatnonzero((times > 0) & (left > 0))
    weight[begun] = problem.repeats[first[begun]]
    length = np.maximum(left - 1, 0)
    repeats = problem.repeats[run_from(first + 1, length)]
    return weight, repeats, np.concatenate([[0], np.cumsum(length)])


def level_weights(problem: AnyProblem) -> list[list[float]]:
    """Return, for each word, the list of the weights of its 1st, 2nd, ... occurrence."""
    repeats = problem.repeats.tolist()
    ends = problem.repeats_start.tolist()
    first = problem.weight.tolist()
    return [[first[a], *repeats[ends[a] : ends[a + 1]]] for a in range(len(first))]


def occurrences(problem: AnyProblem, chosen: Iterable[int] | NDArray[np.bool_]) -> Indices:
    """Return how often the chosen sentences together hold each word, shape (M,).

    ``chosen`` is either a list of sentence indices or a boolean mask of shape (N,).
    """
    is_chosen = chosen
    if not isinstance(is_chosen, np.ndarray) or is_chosen.dtype != bool:
        indices = np.fromiter(chosen, dtype=np.intp)
        is_chosen = np.zeros(len(problem.cost), dtype=bool)
        is_chosen[indices] = True
    held = is_chosen[problem.edge_sentence]
    total = np.bincount(problem.edge_word[held], problem.count[held], len(problem.weight))
    return total.astype(np.intp)


def gains(problem: AnyProblem, curve: Curves, times: Indices) -> Floats:
    """Return the weight that each sentence would add to a selection, shape (N,).

    ``curve`` has the worth of occurrences of the problem's words. ``times`` is how often the selection holds
    each word so far, shape (M,).
    """
    added = curve.step(problem.edge_word, times[problem.edge_word], problem.count)
    return np.bincount(problem.edge_sentence, added, len(problem.cost)).astype(float)


def worth_alone(problem: Words, word: Indices, count: Indices) -> Floats:
    """Return V_a(n), the worth of n occurrences of word a, for each pair of a in ``word`` and n in ``count``.

    Most counts are 1, so this is faster than making ``Curves`` first and calling ``Curves.at``.
    """
    worth: Floats = problem.weight[word]
    repeats, start = problem.repeats, problem.repeats_start
    several, n = np.flatnonzero(count > 1), 1
    while len(several):
        place = start[word[several]] + n - 1
        several, place = (part[place < start[word[several] + 1]] for part in (several, place))
        worth[several] += repeats[place]
        n += 1
        several = several[count[several] > n]
    return worth


def gains_alone(problem: AnyProblem) -> Floats:
    """Return the weight that each sentence would cover if it were the only one chosen, shape (N,)."""
    worth = worth_alone(problem, problem.edge_word, problem.count)
    return np.bincount(problem.edge_sentence, worth, len(problem.cost)).astype(float)


def covered_levels(problem: AnyProblem, times: Indices) -> Floats:
    """Return the weight of each occurrence that a selection covers; the sum is the covered weight.

    ``times`` is how often the selection holds each word, shape (M,).
    """
    length = np.diff(problem.repeats_start)
    level = np.arange(len(problem.repeats)) - np.repeat(problem.repeats_start[:-1], length) + 2
    return np.concatenate([problem.weight[times > 0], problem.repeats[np.repeat(times, length) >= level]])


def total_weight(problem: AnyProblem) -> float:
    """Return the weight that all sentences together cover. No selection covers more."""
    curve = curves(problem)
    times = occurrences(problem, np.ones(len(problem.cost), dtype=bool))
    return float(curve.at(np.arange(len(problem.weight)), times).sum())
