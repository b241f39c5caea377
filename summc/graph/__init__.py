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


class Words(Protocol):
    """M words: weight w_a of the first occurrence, and of further ones, as ``CoverageGraph`` has them."""

    @property
    def weight(self) -> Floats: ...  # noqa: D102
    @property
    def repeats(self) -> Floats: ...  # noqa: D102
    @property
    def repeats_start(self) -> Indices: ...  # noqa: D102


class AnyProblem(Words, Protocol):
    """N sentences and M words, with E edges between them: a ``CoverageGraph`` or a ``ReducedProblem``."""

    @property
    def cost(self) -> Floats: ...  # noqa: D102
    @property
    def edge_sentence(self) -> Indices: ...  # noqa: D102
    @property
    def edge_word(self) -> Indices: ...  # noqa: D102
    @property
    def count(self) -> Indices: ...  # noqa: D102


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """``V_a(n)``, the worth of n occurrences of word a, for each of M words.

    ``value`` has V_a(0) = 0, V_a(1), ... up to the last level of each word, word by word. ``start`` is the
    index in ``value`` where each word begins, shape (M + 1,).
    """

    value: Floats
    start: Indices

    @property
    def levels(self) -> Indices:
        """The number of levels of each word, shape (M,)."""
        return np.diff(self.start) - 1

    def at(self, word: Indices, occurrences: Indices) -> Floats:
        """Return V_a(n) for each a in ``word`` and n in ``occurrences``; the two arrays must broadcast."""
        start = self.start[word]
        return np.asarray(self.value[np.minimum(start + occurrences, self.start[word + 1] - 1)])

    def step(self, word: Indices, occurrences: Indices, more: Indices) -> Floats:
        """Return V_a(n + more) - V_a(n): what ``more`` occurrences of word a add to n occurrences."""
        return self.at(word, occurrences + more) - self.at(word, occurrences)


def curves(problem: AnyProblem) -> Curves:
    """Return V_a(n), the worth of n occurrences, for each word of a problem."""
    return make_curves(problem.weight, problem.repeats, problem.repeats_start)


def make_curves(weight: Floats, repeats: Floats, repeats_start: Indices) -> Curves:
    """Return V_a(n) for words with the given weights of first and further occurrences."""
    words = len(weight)
    start = 2 * np.arange(words + 1) + repeats_start
    value = np.zeros(2 * words + len(repeats))
    value[start[:-1] + 1] = weight
    value[run_from(start[:-1] + 2, np.diff(repeats_start))] = repeats
    # One cumulative sum over the levels of all words would round, and V_a(1) would differ from w_a. So add
    # level 2 of all words to level 1, then level 3 to the sum, and so on.
    levels = np.diff(repeats_start) + 1
    deep, n = np.flatnonzero(levels > 1), 2
    while len(deep):
        place = start[deep] + n
        value[place] += value[place - 1]
        n += 1
        deep = deep[levels[deep] >= n]
    return Curves(value, start)


def run_from(start: Indices, length: Indices) -> Indices:
    """Return one array of ranges: ``length[0]`` integers from ``start[0]`` on, then the next range, ..."""
    before = np.cumsum(length) - length
    return np.asarray(np.repeat(start - before, length) + np.arange(int(length.sum())))


def levels_of(repeats: Floats, repeats_start: Indices, words: Indices) -> tuple[Floats, Indices]:
    """Return ``repeats`` and ``repeats_start`` of the given words only."""
    length = repeats_start[words + 1] - repeats_start[words]
    return repeats[run_from(repeats_start[words], length)], np.concatenate([[0], np.cumsum(length)])


def left_after(problem: Words, times: Indices) -> tuple[Floats, Floats, Indices]:
    """Return ``weight``, ``repeats`` and ``repeats_start`` of what is left after some occurrences.

    ``times[a]`` is how often word a has occurred. If its next occurrence is worth nothing, its weight is 0.
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
    """Return how often the chosen sentences (indices or a mask) together hold each word, shape (M,)."""
    is_chosen = chosen
    if not isinstance(is_chosen, np.ndarray) or is_chosen.dtype != bool:
        indices = np.fromiter(chosen, dtype=np.intp)
        is_chosen = np.zeros(len(problem.cost), dtype=bool)
        is_chosen[indices] = True
    held = is_chosen[problem.edge_sentence]
    total = np.bincount(problem.edge_word[held], problem.count[held], len(problem.weight))
    return total.astype(np.intp)


def gains(problem: AnyProblem, curve: Curves, times: Indices) -> Floats:
    """Return the weight that each sentence would add if word a has occurred ``times[a]`` times."""
    added = curve.step(problem.edge_word, times[problem.edge_word], problem.count)
    return np.bincount(problem.edge_sentence, added, len(problem.cost)).astype(float)


def gains_alone(problem: AnyProblem) -> Floats:
    """Return the weight that each sentence would cover if it were the only one chosen, shape (N,)."""
    worth = curves(problem).at(problem.edge_word, problem.count)
    return np.bincount(problem.edge_sentence, worth, len(problem.cost)).astype(float)


def covered_levels(problem: AnyProblem, times: Indices) -> Floats:
    """Return the weight of each occurrence that a selection covers, if it holds word a ``times[a]`` times."""
    length = np.diff(problem.repeats_start)
    level = np.arange(len(problem.repeats)) - np.repeat(problem.repeats_start[:-1], length) + 2
    return np.concatenate([problem.weight[times > 0], problem.repeats[np.repeat(times, length) >= level]])


def total_weight(problem: AnyProblem) -> float:
    """Return the weight that all sentences together cover. No selection covers more."""
    times = occurrences(problem, np.ones(len(problem.cost), dtype=bool))
    return float(curves(problem).at(np.arange(len(problem.weight)), times).sum())
