"""Random coverage problems.

An ``Ensemble`` is the paper's: every sentence holds ``left_degree`` words, every word is in ``right_degree``
sentences, and no edge occurs twice. A ``Family`` draws degrees, weights, costs and levels as its fields say.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from summc.errors import SettingError, as_typed
from summc.graph import make_graph
from summc.records import CoverageGraph, Floats, Indices
from summc.settings import perhaps

Random: TypeAlias = "np.random.Generator"

#: The share of nodes of degree d in a power law falls as d to the power of -(1 + _TAIL). At 1.5 the variance
#: of the degrees grows with the size of the graph.
_TAIL = 1.5
#: How many times a family swaps the edges that occur twice with others. If edges still occur twice, they are
#: dropped, because in a dense graph there may be no way to place them all.
_SWAPS = 50
#: Level n of a word is worth this times level n - 1.
_NEXT_LEVEL = 0.5
_BY_DEGREE = "degree"

#: Kind of degrees -> draws with a given mean, before they are rounded.
DEGREES: Mapping[str, Callable[[Random, float, int], Floats]] = {
    "regular": lambda _rng, mean, size: np.full(size, mean),
    "poisson": lambda rng, mean, size: rng.poisson(mean, size).astype(float),
    "power": lambda rng, mean, size: mean * (_TAIL - 1) / _TAIL * (1 + rng.pareto(_TAIL, size)),
}
#: Kind of weights or costs -> draws, in order of rising spread: their standard deviation is 0, 0.52, 1 and
#: 1.31 times their mean. The uniform ones are those of the paper's Figure 2.
AMOUNTS: Mapping[str, Callable[[Random, int], Floats]] = {
    "equal": lambda _rng, size: np.ones(size),
    "uniform": lambda rng, size: rng.integers(1, 10, size, endpoint=True).astype(float),
    "exponential": lambda rng, size: rng.exponential(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
}


@dataclass(frozen=True, slots=True)
class Ensemble:
    """The parameters of a set of random graphs; ``costs`` and ``weights`` are the ends of what is drawn."""

    sentences: int = 100
    left_degree: int = 9
    right_degree: int = 3
    costs: tuple[int, int] = (1, 10)
    weights: tuple[int, int] = (1, 10)
    seed: int = 2004

    @property
    def words(self) -> int:
        """M, the number of words, which follows from the number of sentences and the degrees."""
        return self.sentences * self.left_degree // self.right_degree

    def check(self) -> None:
        """Raise ``SettingError`` if no graph without double edges has these degrees."""
        if self.sentences * self.left_degree % self.right_degree:
            edges, by = f"{self.sentences} x {self.left_degree} edges", self.right_degree
            remedy = f"change a degree or {as_typed('sentences')}"
            raise SettingError(as_typed("right_degree"), f"{edges} cannot be shared out by {by}", remedy)
        if self.left_degree > self.words or self.right_degree > self.sentences:
            problem = "more edges than there are ends for"
            raise SettingError(as_typed("left_degree"), problem, "lower the degrees")

    def graph(self, number: int) -> CoverageGraph:
        """Return graph number ``number`` of the set, which depends only on it and on the parameters."""
        rng = np.random.default_rng([self.seed, number])
        n, m, left, right = self.sentences, self.words, self.left_degree, self.right_degree
        # In a dense graph, draw the pairs without an edge: swapping double edges would take very long.
        dense = 2 * left > m
        degrees = (m - left, n - right) if dense else (left, right)
        sentence, word = _joined(np.full(n, degrees[0]), np.full(m, degrees[1]), rng, sys.maxsize)
        if dense:
            joined = np.ones((n, m), dtype=bool)
            joined[sentence, word] = False
            sentence, word = np.nonzero(joined)
        cost = rng.integers(*self.costs, n, endpoint=True)
        weight = rng.integers(*self.weights, m, endpoint=True)
        return make_graph(cost, weight, sentence, word)


@dataclass(frozen=True, slots=True)
class Family:
    """What random problems have in common. The defaults are those of the paper's Figure 2.

    Degrees are ``KIND:MEAN``, such as ``power:3``. Weights and costs are ``KIND``, or ``KIND:degree`` to
    multiply each draw by the degree.
    """

    sentences: int = 100
    left: str = "regular:9"  # the degrees of sentences (words in each)
    right: str = "regular:3"  # the degrees of words, from which their number follows
    weights: str = "uniform"
    costs: str = "uniform"
    levels: int = 1  # how many occurrences of a word are worth something, each half of the one before
    budget: float = 0.18  # K as a share of the cost of all sentences
    seed: int = 2004

    def problem(self, number: int) -> tuple[CoverageGraph, float]:
        """Return graph and budget K of a problem; families that differ only in the budget share graphs."""
        text = repr(dataclasses.astuple(dataclasses.replace(self, budget=0)))
        family_seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        rng = np.random.default_rng([self.seed, number, family_seed])
        left, left_mean = degrees_of(self.left, "left")
        right, right_mean = degrees_of(self.right, "right")
        edges = round(self.sentences * left_mean)
        words = max(1, round(edges / right_mean))
        by_sentence = _degrees(left, left_mean, self.sentences, edges, words, rng)
        by_word = _degrees(right, right_mean, words, int(by_sentence.sum()), self.sentences, rng)
        sentence, word = _joined(by_sentence, by_word, rng, _SWAPS)
        cost = _amounts(self.costs, "costs", by_sentence, rng)
        weight = _amounts(self.weights, "weights", by_word, rng)
        repeats = weight[:, None] * _NEXT_LEVEL ** np.arange(1, self.levels)
        start = np.arange(words + 1) * (self.levels - 1)
        graph = make_graph(cost, weight, sentence, word, repeats=repeats.ravel(), repeats_start=start)
        return graph, self.budget * float(graph.cost.sum())


def degrees_of(text: str, axis: str) -> tuple[str, float]:
    """Return the kind and the mean of degrees that are written ``KIND:MEAN``; ``axis`` is for errors."""
    kind, _, mean = text.partition(":")
    try:
        number = float(mean)
    except ValueError:
        number = 0.0
    if kind not in DEGREES or not 1 <= number <= 1e4:  # noqa: PLR2004 (far more than fits in memory)
        problem = f"must be KIND:MEAN, where KIND is one of {', '.join(DEGREES)}, got {text}"
        raise SettingError(axis, problem, perhaps(kind, DEGREES) or "write for example power:3")
    return kind, number


def amounts_of(text: str, axis: str) -> tuple[str, bool]:
    """Return the kind of weights or costs, and whether they grow with the degree; ``axis`` is for errors."""
    kind, _, by = text.partition(":")
    if kind not in AMOUNTS or by not in ("", _BY_DEGREE) or text.endswith(":"):
        problem = f"must be one of {', '.join(AMOUNTS)}, alone or with :{_BY_DEGREE}, got {text}"
        raise SettingError(axis, problem, perhaps(kind, AMOUNTS) or f"write for example uniform:{_BY_DEGREE}")
    return kind, bool(by)


def _amounts(text: str, axis: str, degree: Indices, rng: Random) -> Floats:
    kind, by_degree = amounts_of(text, axis)
    drawn = AMOUNTS[kind](rng, len(degree))
    return drawn * degree / degree.mean() if by_degree else drawn


def _degrees(kind: str, mean: float, size: int, total: int, opposite: int, rng: Random) -> Indices:
    """Return ``size`` random degrees whose sum is ``total``, or as near to it as the limits allow.

    A degree is at most half of ``opposite``, the number of nodes on the other side, or the mean if that is
    larger. Degrees are drawn, scaled to the sum and rounded at random. Then random nodes gain or lose an edge
    until the sum is right.
    """
    most = min(opposite, max(opposite // 2, math.ceil(mean)))
    drawn = DEGREES[kind](rng, mean, size)
    scaled = drawn * (total / drawn.sum()) if drawn.any() else np.full(size, total / size)
    degree = np.clip(np.floor(scaled + rng.random(size)), 1, most).astype(np.intp)
    total = min(max(total, size), size * most)
    while missing := total - int(degree.sum()):
        step = 1 if missing > 0 else -1
        room = np.flatnonzero(degree < most if step > 0 else degree > 1)
        if kind == "regular":  # keep the degrees level
            room = room[degree[room] == (degree[room].min() if step > 0 else degree[room].max())]
        degree[rng.choice(room, min(abs(missing), len(room)), replace=False)] += step
    return degree


def _joined(by_sentence: Indices, by_word: Indices, rng: Random, swaps: int) -> tuple[Indices, Indices]:
    """Return the sentence and the word of each edge of a random graph with these degrees.

    While edges occur twice, each of them swaps its sentence with that of a random edge. Edges that still
    occur twice after ``swaps`` rounds are dropped.
    """
    words = len(by_word)
    word = np.repeat(np.arange(words), by_word)
    sentence = rng.permutation(np.repeat(np.arange(len(by_sentence)), by_sentence))[: len(word)]
    word = word[: len(sentence)]
    for _ in range(swaps):
        _, first = np.unique(sentence * words + word, return_index=True)
        double = np.setdiff1d(np.arange(len(word)), first)
        if not len(double):
            break
        for edge, other in zip(double, rng.integers(len(word), size=len(double)), strict=True):
            sentence[edge], sentence[other] = sentence[other], sentence[edge]
    edges = np.unique(sentence * words + word)
    return edges // words, edges % words
