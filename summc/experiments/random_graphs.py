"""Figure 2: coverage on random biregular graphs.

Every sentence holds ``left_degree`` words, every word stands in ``right_degree`` sentences, no edge stands
twice; costs and weights are whole numbers drawn uniformly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from time import perf_counter

import numpy as np

from summc.errors import SettingError, named
from summc.graph.build import make_graph
from summc.processes.pool import map_in_order
from summc.records import CoverageGraph, Indices
from summc.selectors import Exact, GGreedy, Selector

#: What every row is compared with.
BASE = GGreedy.name
#: What tells the optimum, where it has proven it.
OPTIMUM = Exact.name
_CHUNK = 8


@dataclass(frozen=True, slots=True)
class Ensemble:
    """A set of random graphs: graph number s of it is made from the seed and s alone."""

    sentences: int = 100
    left_degree: int = 9
    right_degree: int = 3
    costs: tuple[int, int] = (1, 10)
    weights: tuple[int, int] = (1, 10)
    seed: int = 2004

    @property
    def words(self) -> int:
        """M, which the degrees lay down."""
        return self.sentences * self.left_degree // self.right_degree

    def check(self) -> None:
        """Refuse degrees that no simple graph has."""
        if self.sentences * self.left_degree % self.right_degree:
            problem = (
                f"{self.sentences} x {self.left_degree} edges cannot be shared out by {self.right_degree}"
            )
            remedy = f"change a degree or {named('sentences')}"
            raise SettingError(named("right_degree"), problem, remedy)
        if self.left_degree > self.words or self.right_degree > self.sentences:
            problem = "more edges than there are ends for"
            raise SettingError(named("left_degree"), problem, "lower the degrees")

    def graph(self, number: int) -> CoverageGraph:
        """Return one graph."""
        rng = np.random.default_rng([self.seed, number])
        sentence, word = self._edges(rng)
        return make_graph(
            rng.integers(self.costs[0], self.costs[1], self.sentences, endpoint=True),
            rng.integers(self.weights[0], self.weights[1], self.words, endpoint=True),
            sentence,
            word,
        )

    def _edges(self, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return the ends of each edge.

        Where most ends are joined, what is drawn is which are not: a double edge would find no place there.
        """
        n, m, left, right = self.sentences, self.words, self.left_degree, self.right_degree
        if 2 * left <= m:
            return _drawn(n, m, left, right, rng)
        joined = np.ones((n, m), dtype=bool)
        joined[_drawn(n, m, m - left, n - right, rng)] = False
        sentence, word = np.nonzero(joined)
        return sentence, word


def _drawn(
    sentences: int, words: int, left_degree: int, right_degree: int, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Return the ends of random edges, every double one exchanged for another at random."""
    word = np.repeat(np.arange(words), right_degree)
    sentence = rng.permutation(np.repeat(np.arange(sentences), left_degree))
    while True:
        _, first = np.unique(sentence * words + word, return_index=True)
        double = np.setdiff1d(np.arange(len(word)), first)
        if not len(double):
            return sentence, word
        for edge, other in zip(double, rng.integers(len(word), size=len(double)), strict=True):
            sentence[edge], sentence[other] = sentence[other], sentence[edge]


@dataclass(frozen=True, slots=True)
class Row:
    """The mean weight that one method covers on the graphs, each mean with its standard error.

    ``difference`` is paired against g-greedy; ``share`` is of the optimum, and ``solved`` the part of the
    graphs where it is reached, of those where it is proven, if there are any; ``seconds`` is what a graph
    takes.
    """

    method: str
    mean: float
    error: float
    difference: float
    difference_error: float
    share: float | None
    solved: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Covered:
    """The weight that a method covers on a graph, the seconds that it takes, and whether it is the optimum.

    Nobody knows whether it is, where ``proven`` is false.
    """

    weight: float
    seconds: float
    proven: bool = False


def run(
    ensemble: Ensemble,
    methods: Mapping[str, Selector],
    graphs: int,
    budget: float,
    *,
    exact: bool,
    jobs: int = 1,
) -> Iterator[dict[str, Covered]]:
    """Yield what each method covers on each graph, with ``exact`` the optimum too."""
    tried = {BASE: GGreedy(), **methods}
    if exact:
        tried.setdefault(OPTIMUM, Exact())
    return map_in_order(partial(_covered, ensemble, tried, budget), range(graphs), jobs, chunk=_CHUNK)


def _covered(
    ensemble: Ensemble, methods: Mapping[str, Selector], budget: float, number: int
) -> dict[str, Covered]:
    graph = ensemble.graph(number)
    return {name: _timed(selector, graph, budget) for name, selector in methods.items()}


def _timed(selector: Selector, graph: CoverageGraph, budget: float) -> Covered:
    begin = perf_counter()
    made = selector.select(graph, budget)
    return Covered(made.covered_weight, perf_counter() - begin, made.diagnostics.get("optimal", False))


def tabulate(covered: Sequence[Mapping[str, Covered]]) -> list[Row]:
    """Return a row for each method."""
    return [_row(method, covered) for method in covered[0]]


def proven(covered: Sequence[Mapping[str, Covered]]) -> list[Mapping[str, Covered]]:
    """Return the graphs whose optimum is known."""
    return [each for each in covered if OPTIMUM in each and each[OPTIMUM].proven]


def _row(method: str, covered: Sequence[Mapping[str, Covered]]) -> Row:
    values = [each[method].weight for each in covered]
    differences = [each[method].weight - each[BASE].weight for each in covered]
    shares = [_share(each[method].weight, each[OPTIMUM].weight) for each in proven(covered)]
    solved = [share >= 1 - 1e-9 for share in shares]
    return Row(
        method, fmean(values), _error(values), fmean(differences), _error(differences),
        fmean(shares) if shares else None, fmean(solved) if solved else None,
        fmean(each[method].seconds for each in covered),
    )  # fmt: skip


def _share(weight: float, optimum: float) -> float:
    return weight / optimum if optimum else 1.0  # where nothing fits, nothing is all there is


def _error(values: Sequence[float]) -> float:
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
