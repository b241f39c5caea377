"""The weight that a selection of sentences covers, including the worth of repeated words.

The first occurrence of a word in a summary is worth its weight w_a. Each further occurrence is worth no more
than the one before it. ``V_a(n)`` is the worth of n occurrences of word a together. With one level,
``V_a(n)`` is w_a for every n >= 1: the paper's problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices

#: Levels up to this one are summed for all words together.
_TOGETHER = 8


class Words(Protocol):
    """Words and the weights of their occurrences."""

    @property
    def weight(self) -> Floats:
        """w_a, the weight of the first occurrence of each word, shape (M,)."""

    @property
    def further(self) -> Floats:
        """The weights of the second, third, ... occurrence of each word, word by word, shape (F,)."""

    @property
    def further_start(self) -> Indices:
        """The index in ``further`` where the weights of each word begin, shape (M + 1,)."""


class Problem(Words, Protocol):
    """Sentences that hold words: a coverage graph, or a problem that a selector derived from one."""

    @property
    def cost(self) -> Floats:
        """c_i of each sentence, shape (N,)."""

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
    """``V_a(n)`` of each word for n from 0 to its number of levels; V_a is constant from there on.

    Attributes:
        value: V_a(0) = 0, V_a(1), ... word by word, shape (M + L,) for L levels in all.
        start: the index in ``value`` where each word begins, shape (M + 1,).
    """

    value: Floats
    start: Indices

    @property
    def levels(self) -> Indices:
        """The number of levels of each word, shape (M,)."""
        return np.diff(self.start) - 1

    def at(self, word: Indices, occurrences: Indices) -> Floats:
        """Return V_a(n) for words a and numbers of occurrences n, arrays that broadcast together."""
        start = self.start[word]
        return np.asarray(self.value[np.minimum(start + occurrences, self.start[word + 1] - 1)])

    def step(self, word: Indices, occurrences: Indices, more: Indices) -> Floats:
        """Return the worth of additional occurrences: V_a(n + more) - V_a(n)."""
        return self.at(word, occurrences + more) - self.at(word, occurrences)


def curves(problem: Problem) -> Curves:
    """Return the curves of a problem's words."""
    return make_curves(problem.weight, problem.further, problem.further_start)


def make_curves(weight: Floats, further: Floats, further_start: Indices) -> Curves:
    """Return the curves of words, given the weights of their levels."""
    words = len(weight)
    start = 2 * np.arange(words + 1) + further_start
    value = np.zeros(2 * words + len(further))
    value[start[:-1] + 1] = weight
    value[run_from(start[:-1] + 2, np.diff(further_start))] = further
    # Sum word by word, not with one cumulative sum over all words: V_a(1) stays exactly w_a. The first levels
    # are summed for all words together. Further levels, which few words have, are summed word by word.
    levels = np.diff(further_start) + 1
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
    """Return the ranges ``start, start + 1, ...`` of the given lengths, one range after another."""
    before = np.cumsum(length) - length
    return np.asarray(np.repeat(start - before, length) + np.arange(int(length.sum())))


def levels_of(further: Floats, further_start: Indices, words: Indices) -> tuple[Floats, Indices]:
    """Return the further weights of the given words, and the index where those of each word begin."""
    length = further_start[words + 1] - further_start[words]
    return further[run_from(further_start[words], length)], np.concatenate([[0], np.cumsum(length)])


def left_after(problem: Words, met: Indices) -> tuple[Floats, Floats, Indices]:
    """Return the weights of the levels that are not covered after ``met[a]`` occurrences of each word a.

    They are returned as ``weight``, ``further`` and ``further_start``. A word with no level left weighs 0.
    """
    levels = np.diff(problem.further_start) + 1
    left = np.maximum(levels - met, 0)
    first = problem.further_start[:-1] + met - 1  # the first weight that is left, if met > 0
    weight = np.where(met == 0, problem.weight, 0.0)
    begun = np.flatnonzero((met > 0) & (left > 0))
    weight[begun] = problem.further[first[begun]]
    length = np.maximum(left - 1, 0)
    further = problem.further[run_from(first + 1, length)]
    return weight, further, np.concatenate([[0], np.cumsum(length)])


def level_weights(problem: Problem) -> list[list[float]]:
    """Return the weights of the levels of each word as lists, for code that loops over words."""
    further = problem.further.tolist()
    ends = problem.further_start.tolist()
    first = problem.weight.tolist()
    return [[first[a], *further[ends[a] : ends[a + 1]]] for a in range(len(first))]


def occurrences(problem: Problem, chosen: Iterable[int] | NDArray[np.bool_]) -> Indices:
    """Return how often the chosen sentences (indices or a mask) hold each word, shape (M,)."""
    is_chosen = chosen
    if not isinstance(is_chosen, np.ndarray) or is_chosen.dtype != bool:
        indices = np.fromiter(chosen, dtype=np.intp)
        is_chosen = np.zeros(len(problem.cost), dtype=bool)
        is_chosen[indices] = True
    held = is_chosen[problem.edge_sentence]
    total = np.bincount(problem.edge_word[held], problem.count[held], len(problem.weight))
    return total.astype(np.intp)


def gains(problem: Problem, curve: Curves, met: Indices) -> Floats:
    """Return the weight each sentence would add, shape (N,), given ``met`` occurrences so far, shape (M,)."""
    added = curve.step(problem.edge_word, met[problem.edge_word], problem.count)
    return np.bincount(problem.edge_sentence, added, len(problem.cost)).astype(float)


def worth_alone(problem: Words, word: Indices, count: Indices) -> Floats:
    """Return V of each word at its count, without the curves, which is faster because most counts are 1."""
    worth: Floats = problem.weight[word]
    further, start = problem.further, problem.further_start
    several, n = np.flatnonzero(count > 1), 1
    while len(several):
        place = start[word[several]] + n - 1
        several, place = (part[place < start[word[several] + 1]] for part in (several, place))
        worth[several] += further[place]
        n += 1
        several = several[count[several] > n]
    return worth


def gains_alone(problem: Problem) -> Floats:
    """Return what each sentence covers by itself, shape (N,)."""
    worth = worth_alone(problem, problem.edge_word, problem.count)
    return np.bincount(problem.edge_sentence, worth, len(problem.cost)).astype(float)


def covered_levels(problem: Problem, met: Indices) -> Floats:
    """Return the weights of the covered levels, given ``met`` occurrences of each word, shape (M,)."""
    length = np.diff(problem.further_start)
    level = np.arange(len(problem.further)) - np.repeat(problem.further_start[:-1], length) + 2
    return np.concatenate([problem.weight[met > 0], problem.further[np.repeat(met, length) >= level]])


def total_weight(problem: Problem) -> float:
    """Return the weight that all sentences together cover."""
    curve = curves(problem)
    met = occurrences(problem, np.ones(len(problem.cost), dtype=bool))
    return float(curve.at(np.arange(len(problem.weight)), met).sum())
