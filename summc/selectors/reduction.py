"""A smaller graph with the same optimum: what an exact solver need not look at."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from summc.coverage import curves, gains, levels_of, occurrences, worth_alone
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
        further, further_start: the weights of its further occurrences, as in the graph.
        edge_sentence, edge_word, count: the edges, shape (e,).
    """

    sentence: Indices
    cost: Floats
    own: Floats
    weight: Floats
    further: Floats
    further_start: Indices
    edge_sentence: Indices
    edge_word: Indices
    count: Indices


def reduce_problem(graph: CoverageGraph, budget: float, keep: Iterable[int] = ()) -> ReducedProblem:
    """Drop sentences that do not fit or are dominated, merge words held by the same, fold words held by one.

    A sentence is dominated by one that costs no more and holds all its words as often as that counts: it adds
    nothing to that one, and can be exchanged for it. ``keep``: sentences that stay even so.
    """
    kept = np.zeros(len(graph.cost), dtype=bool)
    kept[_undominated(graph, budget)] = True
    kept[list(keep)] = True
    return folded(graph, kept)


def folded(graph: CoverageGraph, kept: NDArray[np.bool_]) -> ReducedProblem:
    """Return the problem of some sentences: words held by the same are merged, words held by one folded."""
    weighty = kept[graph.edge_sentence] & (graph.weight[graph.edge_word] > 0)
    column, word = (np.cumsum(kept) - 1)[graph.edge_sentence[weighty]], graph.edge_word[weighty]
    by_word = np.argsort(word, kind="stable")
    column, word, count = column[by_word], word[by_word], graph.count[weighty][by_word]
    degree = np.bincount(word, minlength=len(graph.weight))
    alone = degree[word] == 1
    worth = worth_alone(graph, word[alone], count[alone])
    own = np.bincount(column[alone], weights=worth, minlength=int(kept.sum()))
    column, count, shared = column[~alone], count[~alone], np.flatnonzero(degree > 1)
    # A sentence that holds a word twice is, in the list of that word, another than one that holds it once.
    most = int(count.max(initial=1))
    lists = _Lists(column * most + count - 1, np.concatenate([[0], np.cumsum(degree[shared])]))
    same = _first_equal(lists)
    firsts = same == np.arange(len(same))
    place = np.cumsum(firsts) - 1
    edges = np.repeat(firsts, lists.length)
    weight, further, further_start = _merged(graph, shared, place[same])
    return ReducedProblem(
        sentence=np.flatnonzero(kept),
        cost=graph.cost[kept],
        own=own.astype(float),
        weight=weight,
        further=further,
        further_start=further_start,
        edge_sentence=column[edges],
        edge_word=np.repeat(np.arange(int(firsts.sum())), lists.length[firsts]),
        count=count[edges],
    )


def _merged(graph: CoverageGraph, words: Indices, group: Indices) -> tuple[Floats, Floats, Indices]:
    """Return the weights of groups of words, level by level the sum of those of its members.

    ``group``: of each of the words, from 0. The weights come as ``weight``, ``further``, ``further_start``.
    """
    weight = np.bincount(group, weights=graph.weight[words]).astype(float)
    further, start = levels_of(graph.further, graph.further_start, words)
    length = np.diff(start)
    level = np.arange(len(further)) - np.repeat(start[:-1], length)
    most = np.zeros(len(weight), dtype=np.intp)
    np.maximum.at(most, group, length)
    new_start = np.concatenate([[0], np.cumsum(most)])
    place = new_start[np.repeat(group, length)] + level
    return weight, np.bincount(place, weights=further, minlength=int(most.sum())).astype(float), new_start


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
    return _drawn(2 ** size.bit_length())[:size]


@cache
def _drawn(size: int) -> NDArray[np.uint64]:
    """Return random numbers; more of them begin with the same ones."""
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
    further, further_start = levels_of(problem.further, problem.further_start, words)
    return ReducedProblem(
        sentence=problem.sentence[kept],
        cost=problem.cost[kept],
        own=problem.own[kept],
        weight=problem.weight[words],
        further=further,
        further_start=further_start,
        edge_sentence=(np.cumsum(kept) - 1)[problem.edge_sentence[edges]],
        edge_word=edge_word,
        count=problem.count[edges],
    )


def most_promising(problem: ReducedProblem, chosen: NDArray[np.bool_], most: int) -> ReducedProblem:
    """Return the problem of at most so many sentences: the chosen ones, and what adds most a word to them."""
    gain = problem.own + gains(problem, curves(problem), occurrences(problem, chosen))
    value = np.where(chosen, np.inf, per_cost(gain, problem.cost))
    kept = np.zeros_like(chosen)
    kept[np.argsort(-value, kind="stable")[:most]] = True
    return restricted(problem, kept)


def _undominated(graph: CoverageGraph, budget: float) -> Indices:
    """Return the sentences worth keeping; of equals the first.

    A sentence that holds all words of another holds its rarest one too: only those need to be looked at, and
    of these only such as have all the bits that the words of the other set in a number. Of sentences with the
    same words all but one go before: each of many would be looked at for each of the others.

    Only words that a sentence holds as often as they have levels count for it here: ``full`` edges.
    """
    n, m = len(graph.cost), len(graph.weight)
    full = graph.count > np.diff(graph.further_start)[graph.edge_word]
    degree = np.bincount(graph.edge_sentence, minlength=n)
    full_degree = np.bincount(graph.edge_sentence[full], minlength=n)
    filled = np.flatnonzero(degree)
    words = _Lists(graph.edge_word, np.concatenate([[0], np.cumsum(degree[filled])]))
    rank = np.empty(n, dtype=np.intp)  # what is cheaper, or holds more, or comes first, goes before
    rank[np.lexsort((np.arange(n), -degree, graph.cost))] = np.arange(n)
    usable = np.zeros(n, dtype=bool)
    only_full = full_degree[filled] == degree[filled]
    same = np.where(only_full, _first_equal(words), np.arange(len(filled)))
    same = np.where(only_full[same], same, np.arange(len(filled)))
    usable[filled] = (graph.cost[filled] <= budget) & _is_least(rank[filled], same)
    if not usable.any():
        return np.flatnonzero(usable)
    looked_at = usable[graph.edge_sentence] & full
    holder, held = graph.edge_sentence[looked_at], graph.edge_word[looked_at]
    frequency = np.bincount(held, minlength=m)
    # The rarest word of each sentence, of equals the first.
    rarest = np.full(n, -1)
    rarest[filled] = (
        np.minimum.reduceat(frequency[graph.edge_word] * m + graph.edge_word, words.start[:-1]) % m
    )
    bits, full_bits = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    marks = (np.uint64(1) << (_marks(m) >> np.uint64(58)))[graph.edge_word]
    bits[filled] = np.bitwise_or.reduceat(marks, words.start[:-1])
    full_bits[filled] = np.bitwise_or.reduceat(np.where(full, marks, np.uint64(0)), words.start[:-1])
    start = np.zeros(n, dtype=np.intp)
    start[filled] = words.start[:-1]
    holder = holder[np.argsort(held, kind="stable")]
    first_holder = np.concatenate([[0], np.cumsum(frequency)])

    def words_of(i: int) -> frozenset[int]:
        return frozenset(graph.edge_word[start[i] : start[i] + degree[i]].tolist())

    def full_words_of(i: int) -> frozenset[int]:
        edges = slice(start[i], start[i] + degree[i])
        return frozenset(graph.edge_word[edges][full[edges]].tolist())

    dominated = np.zeros(n, dtype=bool)
    for chunk in _chunks(np.flatnonzero(usable & (frequency[rarest] > 0)), frequency[rarest]):
        count = frequency[rarest[chunk]]
        i = np.repeat(chunk, count)
        k = holder[
            np.arange(len(i)) + np.repeat(first_holder[rarest[chunk]] - (np.cumsum(count) - count), count)
        ]
        able = (rank[k] < rank[i]) & (full_degree[k] >= degree[i]) & (bits[i] & ~full_bits[k] == 0)
        for one, pairs in itertools.groupby(zip(i[able].tolist(), k[able].tolist(), strict=True), _sentence):
            own = words_of(one)
            dominated[one] = any(own <= full_words_of(other) for _, other in pairs)
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
