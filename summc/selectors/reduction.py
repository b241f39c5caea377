"""A smaller graph with the same optimum: what an exact solver need not look at."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.records import CoverageGraph, Floats, Indices
from summc.selectors.base import per_cost

#: Pairs of sentences that are looked at together.
_PAIRS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ReducedProblem:
    """A coverage problem after the reductions, which keep at least one optimum.

    Attributes:
        sentence: index in the graph of each remaining sentence, shape (n,).
        cost: c_i of each, shape (n,).
        own: weight of the words that only this sentence holds, shape (n,).
        weight: w_a of each remaining word, of equal neighbourhoods one with their sum, shape (m,).
        edge_sentence, edge_word: the edges, shape (e,).
    """

    sentence: Indices
    cost: Floats
    own: Floats
    weight: Floats
    edge_sentence: Indices
    edge_word: Indices


def reduce_problem(graph: CoverageGraph, budget: float, keep: Iterable[int] = ()) -> ReducedProblem:
    """Drop sentences that do not fit or are dominated, merge words held by the same, fold words held by one.

    A sentence is dominated by one that costs no more and holds all its words: it can be exchanged for that.
    ``keep``: sentences that stay even so.
    """
    kept = np.zeros(len(graph.cost), dtype=bool)
    kept[_undominated(graph, budget)] = True
    kept[list(keep)] = True
    weighty = kept[graph.edge_sentence] & (graph.weight[graph.edge_word] > 0)
    column, word = (np.cumsum(kept) - 1)[graph.edge_sentence[weighty]], graph.edge_word[weighty]
    by_word = np.argsort(word, kind="stable")
    column, word = column[by_word], word[by_word]
    degree = np.bincount(word, minlength=len(graph.weight))
    alone = degree[word] == 1
    own = np.bincount(column[alone], weights=graph.weight[word[alone]], minlength=int(kept.sum()))
    lists = _Lists(column[~alone], np.concatenate([[0], np.cumsum(degree[degree > 1])]))
    same = _first_equal(lists)
    firsts = same == np.arange(len(same))
    place = np.cumsum(firsts) - 1
    return ReducedProblem(
        sentence=np.flatnonzero(kept),
        cost=graph.cost[kept],
        own=own.astype(float),
        weight=np.bincount(place[same], weights=graph.weight[degree > 1]).astype(float),
        edge_sentence=lists.values[np.repeat(firsts, lists.length)],
        edge_word=np.repeat(np.arange(int(firsts.sum())), lists.length[firsts]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Lists of sentences, ascending, one after another: the list l is ``values[start[l]:start[l + 1]]``."""

    values: Indices
    start: Indices

    @property
    def length(self) -> Indices:
        """The length of each list, none of which is empty."""
        return np.diff(self.start)

    def folded(self, fold: np.ufunc, marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return of each list the marks of its numbers put together."""
        marked = marks[self.values]
        return np.asarray(fold.reduceat(marked, self.start[:-1]) if len(marked) else marked)


def _marks(size: int) -> NDArray[np.uint64]:
    """Return a number of 64 random bits for each of so many, the same every time."""
    return np.random.default_rng(0).integers(2**64, size=size, dtype=np.uint64)


def _first_equal(lists: _Lists) -> Indices:
    """Return of each list the first one that is equal to it, itself where no earlier one is.

    Equal lists have equal sums of marks, so only those that share a sum are compared.
    """
    marks = lists.folded(np.add, _marks(int(lists.values.max(initial=-1)) + 1))
    _, group, count = np.unique(marks, return_inverse=True, return_counts=True)
    first = np.arange(len(marks))
    known: dict[bytes, int] = {}
    for each in np.flatnonzero(count[group] > 1).tolist():
        values = lists.values[lists.start[each] : lists.start[each + 1]]
        first[each] = known.setdefault(values.tobytes(), each)
    return first


def restricted(problem: ReducedProblem, kept: NDArray[np.bool_]) -> ReducedProblem:
    """Return the problem of some of its sentences; a word that none of these holds leaves it."""
    edges = kept[problem.edge_sentence]
    words, edge_word = np.unique(problem.edge_word[edges], return_inverse=True)
    return ReducedProblem(
        sentence=problem.sentence[kept],
        cost=problem.cost[kept],
        own=problem.own[kept],
        weight=problem.weight[words],
        edge_sentence=(np.cumsum(kept) - 1)[problem.edge_sentence[edges]],
        edge_word=edge_word,
    )


def most_promising(problem: ReducedProblem, chosen: NDArray[np.bool_], most: int) -> ReducedProblem:
    """Return the problem of at most so many sentences: the chosen ones, and what adds most a word to them."""
    left = problem.weight.copy()
    left[problem.edge_word[chosen[problem.edge_sentence]]] = 0.0
    gain = problem.own + np.bincount(
        problem.edge_sentence, weights=left[problem.edge_word], minlength=len(problem.cost)
    )
    value = np.where(chosen, np.inf, per_cost(gain, problem.cost))
    kept = np.zeros_like(chosen)
    kept[np.argsort(-value, kind="stable")[:most]] = True
    return restricted(problem, kept)


def _undominated(graph: CoverageGraph, budget: float) -> Indices:
    """Return the sentences worth keeping; of equals the first.

    A sentence that holds all words of another holds its rarest one too: only those need to be looked at, and
    of these only such as have all the bits that the words of the other set in a number. Of sentences with the
    same words all but one go before: each of many would be looked at for each of the others.
    """
    n, m = len(graph.cost), len(graph.weight)
    degree = np.bincount(graph.edge_sentence, minlength=n)
    filled = np.flatnonzero(degree)
    words = _Lists(graph.edge_word, np.concatenate([[0], np.cumsum(degree[filled])]))
    rank = np.empty(n, dtype=np.intp)  # what is cheaper, or holds more, or comes first, goes before
    rank[np.lexsort((np.arange(n), -degree, graph.cost))] = np.arange(n)
    usable = np.zeros(n, dtype=bool)
    usable[filled] = (graph.cost[filled] <= budget) & _is_least(rank[filled], _first_equal(words))
    if not usable.any():
        return np.flatnonzero(usable)
    looked_at = usable[graph.edge_sentence]
    holder, held = graph.edge_sentence[looked_at], graph.edge_word[looked_at]
    frequency = np.bincount(held, minlength=m)
    # The rarest word of each sentence, of equals the first.
    rarest = np.full(n, -1)
    rarest[filled] = (
        np.minimum.reduceat(frequency[graph.edge_word] * m + graph.edge_word, words.start[:-1]) % m
    )
    bits = np.zeros(n, dtype=np.uint64)
    bits[filled] = words.folded(np.bitwise_or, np.uint64(1) << (_marks(m) >> np.uint64(58)))
    start = np.zeros(n, dtype=np.intp)
    start[filled] = words.start[:-1]
    holder = holder[np.argsort(held, kind="stable")]
    first_holder = np.concatenate([[0], np.cumsum(frequency)])

    def words_of(i: int) -> frozenset[int]:
        return frozenset(graph.edge_word[start[i] : start[i] + degree[i]].tolist())

    dominated = np.zeros(n, dtype=bool)
    for chunk in _chunks(np.flatnonzero(usable & (frequency[rarest] > 1)), frequency[rarest]):
        count = frequency[rarest[chunk]]
        i = np.repeat(chunk, count)
        k = holder[
            np.arange(len(i)) + np.repeat(first_holder[rarest[chunk]] - (np.cumsum(count) - count), count)
        ]
        able = (rank[k] < rank[i]) & (degree[k] >= degree[i]) & (bits[i] & ~bits[k] == 0)
        for one, pairs in itertools.groupby(zip(i[able].tolist(), k[able].tolist(), strict=True), _sentence):
            own = words_of(one)
            dominated[one] = any(own <= words_of(other) for _, other in pairs)
    return np.flatnonzero(usable & ~dominated)


def _is_least(values: Indices, group: Indices) -> NDArray[np.bool_]:
    """Return whether each of different values is the least of its group."""
    least = values.copy()
    np.minimum.at(least, group, values)
    return np.asarray(least[group] == values)


def _sentence(pair: tuple[int, int]) -> int:
    return pair[0]


def _chunks(sentences: Indices, size: Indices) -> Iterator[Indices]:
    """Yield the sentences in parts whose sizes make up about a number that memory has room for."""
    part = np.cumsum(size[sentences]) // _PAIRS
    yield from np.split(sentences, np.flatnonzero(np.diff(part)) + 1)
