"""Figure 2 of the paper: the weight that selectors cover on random biregular graphs.

In a biregular graph every sentence holds ``left_degree`` words, and every word is in ``right_degree``
sentences. No edge occurs twice. Costs and weights are whole numbers drawn uniformly. A method is a selector,
or a selector with one value of mu.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from time import perf_counter

import numpy as np

from summc.errors import SettingError, as_typed
from summc.graph.build import make_graph
from summc.lab.evaluation.intervals import Interval, estimate
from summc.records import CoverageGraph, Indices
from summc.selectors import Exact, GGreedy, Selector
from summc.system.processes import map_in_order

#: The method that every other method is compared with.
BASE = GGreedy.name
#: The method whose covered weight is taken as the optimum on graphs where it proves that it is.
OPTIMUM = Exact.name
_CHUNK = 8


@dataclass(frozen=True, slots=True)
class Ensemble:
    """The parameters of a set of random graphs; graph number s depends only on them and on s.

    ``costs`` and ``weights`` are the smallest and the largest value to draw.
    """

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
            problem = (
                f"{self.sentences} x {self.left_degree} edges cannot be shared out by {self.right_degree}"
            )
            remedy = f"change a degree or {as_typed('sentences')}"
            raise SettingError(as_typed("right_degree"), problem, remedy)
        if self.left_degree > self.words or self.right_degree > self.sentences:
            problem = "more edges than there are ends for"
            raise SettingError(as_typed("left_degree"), problem, "lower the degrees")

    def graph(self, number: int) -> CoverageGraph:
        """Return graph number ``number`` of the set."""
        rng = np.random.default_rng([self.seed, number])
        sentence, word = self._edges(rng)
        return make_graph(
            rng.integers(self.costs[0], self.costs[1], self.sentences, endpoint=True),
            rng.integers(self.weights[0], self.weights[1], self.words, endpoint=True),
            sentence,
            word,
        )

    def _edges(self, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return the sentence and the word of each edge of a random graph.

        If every sentence holds more than half of the words, the pairs without an edge are drawn instead, and
        all other pairs become edges. In such a dense graph ``_drawn`` would swap edges for very long before
        no edge occurs twice.
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
    """Return the sentence and the word of each edge of a random graph with these degrees.

    While edges occur twice, each of them swaps its sentence with that of a random edge.
    """
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
class MethodRow:
    """The mean weight that one method covers on the graphs, with its standard error.

    ``difference`` is the mean paired difference from g-greedy, with its standard error and its 95% interval.
    ``share`` is the mean share of the optimum that the method covers. ``solved`` is the share of graphs on
    which it reaches the optimum. Both are over the graphs whose optimum is proven, and None if there are no
    such graphs. ``seconds`` is the mean time for a graph.
    """

    method: str
    mean: float
    error: float
    difference: float
    difference_error: float
    difference_ci: Interval | None
    share: float | None
    solved: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Covered:
    """The weight that a method covers on a graph, and the seconds that it takes.

    If ``proven``, the method has proven that this weight is the optimum. Otherwise it may still be the
    optimum.
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
    """Yield for each graph a mapping from method to the weight that it covers.

    g-greedy is always among the methods, and the exact selector is if ``exact``. ``graphs`` is the number of
    graphs.
    """
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


def method_rows(covered: Sequence[Mapping[str, Covered]]) -> list[MethodRow]:
    """Return a row of means for each method; ``covered`` has the results on each graph."""
    return [_row(method, covered) for method in covered[0]]


def proven(covered: Sequence[Mapping[str, Covered]]) -> list[Mapping[str, Covered]]:
    """Return the results on those graphs whose optimum is proven."""
    return [each for each in covered if OPTIMUM in each and each[OPTIMUM].proven]


def _row(method: str, covered: Sequence[Mapping[str, Covered]]) -> MethodRow:
    values = [each[method].weight for each in covered]
    differences = [each[method].weight - each[BASE].weight for each in covered]
    shares = [_share(each[method].weight, each[OPTIMUM].weight) for each in proven(covered)]
    solved = [share >= 1 - 1e-9 for share in shares]
    return MethodRow(
        method, fmean(values), _error(values), fmean(differences), _error(differences),
        estimate(differences).ci,
        fmean(shares) if shares else None, fmean(solved) if solved else None,
        fmean(each[method].seconds for each in covered),
    )  # fmt: skip


def _share(weight: float, optimum: float) -> float:
    return weight / optimum if optimum else 1.0  # an optimum of 0 is always reached


def _error(values: Sequence[float]) -> float:
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
