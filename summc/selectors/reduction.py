"""Reduce a coverage problem to a smaller one with the same optimum."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from summc.graph import curves, levels_of
from summc.records import CoverageGraph, Floats, Indices, Problem

#: About the number of pairs of sentences that are compared at once.
_PAIRS = 2_000_000


@dataclass(frozen=True, eq=False)  # without slots, because cached_property needs a place to store its value
class ReducedProblem(Problem):
    """A coverage problem after the reductions. At least one best selection of the graph is still possible.

    Words that the same sentences hold equally often are merged into one word, with the sum of their weights.

    Attributes:
        sentence: the index in the graph of each remaining sentence, shape (n,).
        own: the weight that each sentence covers of the words that no other sentence holds, shape (n,). These
            words are not among the remaining words.
    """

    sentence: Indices
    own: Floats

    @cached_property
    def repeats_word(self) -> Indices:
        """The word of each entry of ``repeats``."""
        return np.repeat(np.arange(len(self.weight)), np.diff(self.repeats_start))


def reduce_problem(graph: CoverageGraph, budget: float, keep: Iterable[int] = ()) -> ReducedProblem:
    """Return the problem without sentences that do not fit or are dominated, and with words merged.

    A sentence is dominated if another sentence costs no more and covers all its words completely (with all
    occurrences that have a weight). The sentences in ``keep`` always stay.
    """
    kept = np.zeros(len(graph.cost), dtype=bool)
    kept[_undominated(graph, budget)] = True
    kept[list(keep)] = True
    return folded(graph, kept)


def folded(graph: CoverageGraph, kept: NDArray[np.bool_]) -> ReducedProblem:
    """Return the problem that has only the ``kept`` sentences (a mask), and with words merged.

    Words that the same sentences hold equally often are merged. A word that only one sentence holds becomes
    part of the ``own`` weight of this sentence.
    """
    weighty = kept[graph.edge_sentence] & (graph.weight[graph.edge_word] > 0)
    column, word = (np.cumsum(kept) - 1)[graph.edge_sentence[weighty]], graph.edge_word[weighty]
    by_word = np.argsort(word, kind="stable")
    column, word, count = column[by_word], word[by_word], graph.count[weighty][by_word]
    degree = np.bincount(word, minlength=len(graph.weight))
    alone = degree[word] == 1
    worth = curves(graph).at(word[alone], count[alone])
    own = np.bincount(column[alone], weights=worth, minlength=int(kept.sum()))
    column, count, shared = column[~alone], count[~alone], np.flatnonzero(degree > 1)
    # Encode sentence and count in one number, because words are merged only if each sentence holds them
    # equally often.
    most = int(count.max(initial=1))
    length = degree[shared]
    same = _first_equal(column * most + count - 1, np.concatenate([[0], np.cumsum(length)]))
    firsts = same == np.arange(len(same))
    place = np.cumsum(firsts) - 1
    edges = np.repeat(firsts, length)
    weight, repeats, repeats_start = _merged(graph, shared, place[same])
    return ReducedProblem(
        sentence=np.flatnonzero(kept),
        cost=graph.cost[kept],
        own=own.astype(float),
        weight=weight,
        repeats=repeats,
        repeats_start=repeats_start,
        edge_sentence=column[edges],
        edge_word=np.repeat(np.arange(int(firsts.sum())), length[firsts]),
        count=count[edges],
    )


def _merged(graph: CoverageGraph, words: Indices, group: Indices) -> tuple[Floats, Floats, Indices]:
    """Return ``weight``, ``repeats`` and ``repeats_start`` of merged words: sums over the words of a group.

    ``group[k]`` is the group of ``words[k]``; groups are numbered from 0.
    """
    weight = np.bincount(group, weights=graph.weight[words]).astype(float)
    repeats, start = levels_of(graph.repeats, graph.repeats_start, words)
    length = np.diff(start)
    level = np.arange(len(repeats)) - np.repeat(start[:-1], length)
    most = np.zeros(len(weight), dtype=np.intp)
    np.maximum.at(most, group, length)
    new_start = np.concatenate([[0], np.cumsum(most)])
    place = new_start[np.repeat(group, length)] + level
    return weight, np.bincount(place, weights=repeats, minlength=int(most.sum())).astype(float), new_start


@cache
def _marks(bits: int) -> NDArray[np.uint64]:
    """Return 64-bit hashes of the numbers of some bits, the same every time, and for fewer bits as well."""
    return np.asarray(np.random.default_rng(0).integers(2**64, size=2**bits, dtype=np.uint64))


def _first_equal(values: Indices, start: Indices) -> Indices:
    """Return, for each list, the index of the first list equal to it. List l begins at ``start[l]``.

    To save time, each number gets a random mark, and only lists with equal sums of marks are compared.
    """
    marks = _marks((int(values.max(initial=-1)) + 1).bit_length())[values]
    sums = np.add.reduceat(marks, start[:-1]) if len(marks) else marks
    _, group, count = np.unique(sums, return_inverse=True, return_counts=True)
    first = np.arange(len(sums))
    known: dict[bytes, int] = {}
    for each in np.flatnonzero(count[group] > 1).tolist():
        first[each] = known.setdefault(values[start[each] : start[each + 1]].tobytes(), each)
    return first


def restricted(problem: ReducedProblem, kept: NDArray[np.bool_]) -> ReducedProblem:
    """Return the problem that has only the ``kept`` sentences (a mask) and the words that they hold."""
    edges = kept[problem.edge_sentence]
    words, edge_word = np.unique(problem.edge_word[edges], return_inverse=True)
    repeats, repeats_start = levels_of(problem.repeats, problem.repeats_start, words)
    return ReducedProblem(
        sentence=problem.sentence[kept],
        cost=problem.cost[kept],
        own=problem.own[kept],
        weight=problem.weight[words],
        repeats=repeats,
        repeats_start=repeats_start,
        edge_sentence=(np.cumsum(kept) - 1)[problem.edge_sentence[edges]],
        edge_word=edge_word,
        count=problem.count[edges],
    )


def _undominated(graph: CoverageGraph, budget: float) -> Indices:
    """Return the sentences that fit the budget and are not dominated by another sentence.

    Sentence k dominates sentence i if k costs no more and covers all words of i completely. Of equal
    sentences, only the first is returned. An edge is ``full`` if its sentence covers its word completely: it
    holds the word at least as often as occurrences of the word have a weight. Only full edges of k matter.

    If k holds all words of i, it also holds the rarest word of i, so i is compared only with the sentences
    that hold this word. A 64-bit mask of the words rules out most of these. Of sentences with the same words,
    all but one are dropped beforehand, because comparing every pair of them would be slow.
    """
    n, m = len(graph.cost), len(graph.weight)
    full = graph.count > np.diff(graph.repeats_start)[graph.edge_word]
    degree = np.bincount(graph.edge_sentence, minlength=n)
    full_degree = np.bincount(graph.edge_sentence[full], minlength=n)
    filled = np.flatnonzero(degree)
    begin = np.concatenate([[0], np.cumsum(degree[filled])])
    rank = np.empty(n, dtype=np.intp)  # by rising cost, then falling number of words, then index
    rank[np.lexsort((np.arange(n), -degree, graph.cost))] = np.arange(n)
    usable = np.zeros(n, dtype=bool)
    only_full = full_degree[filled] == degree[filled]
    same = np.where(only_full, _first_equal(graph.edge_word, begin), np.arange(len(filled)))
    same = np.where(only_full[same], same, np.arange(len(filled)))
    least = rank[filled].copy()
    np.minimum.at(least, same, rank[filled])
    usable[filled] = (graph.cost[filled] <= budget) & (least[same] == rank[filled])
    if not usable.any():
        return np.flatnonzero(usable)
    looked_at = usable[graph.edge_sentence] & full
    holder, held = graph.edge_sentence[looked_at], graph.edge_word[looked_at]
    frequency = np.bincount(held, minlength=m)
    # The rarest word of each sentence; ties go to the lowest index.
    rarest = np.full(n, -1)
    rarest[filled] = np.minimum.reduceat(frequency[graph.edge_word] * m + graph.edge_word, begin[:-1]) % m
    bits, full_bits = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    marks = np.uint64(1) << (_marks(m.bit_length())[graph.edge_word] >> np.uint64(58))
    bits[filled] = np.bitwise_or.reduceat(marks, begin[:-1])
    full_bits[filled] = np.bitwise_or.reduceat(np.where(full, marks, np.uint64(0)), begin[:-1])
    start = np.zeros(n, dtype=np.intp)
    start[filled] = begin[:-1]
    holder = holder[np.argsort(held, kind="stable")]
    first_holder = np.concatenate([[0], np.cumsum(frequency)])

    def words_of(i: int, *, only_full: bool) -> frozenset[int]:
        edges = slice(start[i], start[i] + degree[i])
        words = graph.edge_word[edges]
        return frozenset((words[full[edges]] if only_full else words).tolist())

    dominated = np.zeros(n, dtype=bool)
    asked = np.flatnonzero(usable & (frequency[rarest] > 0))
    part = np.cumsum(frequency[rarest[asked]]) // _PAIRS  # in parts, to limit memory
    for chunk in np.split(asked, np.flatnonzero(np.diff(part)) + 1):
        count = frequency[rarest[chunk]]
        i = np.repeat(chunk, count)
        k = holder[
            np.arange(len(i)) + np.repeat(first_holder[rarest[chunk]] - (np.cumsum(count) - count), count)
        ]
        able = (rank[k] < rank[i]) & (full_degree[k] >= degree[i]) & (bits[i] & ~full_bits[k] == 0)
        pairs_able = zip(i[able].tolist(), k[able].tolist(), strict=True)
        for one, pairs in itertools.groupby(pairs_able, itemgetter(0)):
            own = words_of(one, only_full=False)
            dominated[one] = any(own <= words_of(other, only_full=True) for _, other in pairs)
    return np.flatnonzero(usable & ~dominated)
