"""Reduce a coverage problem to a smaller one with the same optimum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress, pairwise

import numpy as np
from numpy.typing import NDArray

from summc.graph import curves, levels_of
from summc.records import CoverageGraph, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class ReducedProblem:
    """A coverage problem after the reductions. At least one best selection of the graph is still possible.

    Attributes:
        sentence: the index in the graph of each remaining sentence, shape (n,).
        cost: c_i of each sentence, shape (n,).
        own: the weight that each sentence covers of the words that no other sentence holds, shape (n,). These
            words are not among the remaining words.
        weight: w_a of each remaining word, shape (m,). Words that the same sentences hold equally often are
            merged into one word, with the sum of their weights.
        repeats, repeats_start: the weights of the second, third, ... occurrence of each remaining word,
            stored as in ``CoverageGraph``.
        edge_sentence, edge_word, count: for each edge, its sentence, its word, and how often the sentence
            holds the word, shape (e,).
        repeats_word: the word of each entry of ``repeats``.
    """

    sentence: Indices
    cost: Floats
    own: Floats
    weight: Floats
    repeats: Floats
    repeats_start: Indices
    edge_sentence: Indices
    edge_word: Indices
    count: Indices
    repeats_word: Indices


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
        repeats_word=np.repeat(np.arange(len(weight)), np.diff(repeats_start)),
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


def _first_equal(values: Indices, start: Indices) -> Indices:
    """Return, for each list, the index of the first list equal to it. List l begins at ``start[l]``."""
    known: dict[bytes, int] = {}
    lists = (values[begin:end].tobytes() for begin, end in pairwise(start.tolist()))
    return np.array([known.setdefault(each, i) for i, each in enumerate(lists)], dtype=np.intp)


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
        repeats_word=np.repeat(np.arange(len(words)), np.diff(repeats_start)),
    )


def _undominated(graph: CoverageGraph, budget: float) -> list[int]:
    """Return the sentences that fit the budget and are not dominated by another sentence.

    Sentence k dominates sentence i if k costs no more and covers all words of i completely: it holds each of
    them at least as often as occurrences of the word have a weight. Of equal sentences, only the first is
    returned.
    """
    start = np.searchsorted(graph.edge_sentence, np.arange(len(graph.cost) + 1))
    fitting = np.flatnonzero((graph.cost <= budget) & (np.diff(start) > 0))
    # In this order every sentence comes after those that may dominate it: by rising cost, then falling number
    # of words, then index. Only what is not dominated itself can be the reason to drop another sentence.
    order = fitting[np.lexsort((-np.diff(start)[fitting], graph.cost[fitting]))].tolist()
    full = graph.count > np.diff(graph.repeats_start)[graph.edge_word]
    words, covers, begin = graph.edge_word.tolist(), full.tolist(), start.tolist()
    kept: dict[int, set[int]] = {}  # the words that each kept sentence covers completely
    holders: list[list[int]] = [
        [] for _ in range(len(graph.weight))
    ]  # the kept sentences that cover a word so
    for i in order:
        edges = slice(begin[i], begin[i + 1])
        own = words[edges]
        rarest = min([holders[a] for a in own], key=len)
        if not any(kept[k].issuperset(own) for k in rarest):
            kept[i] = set(compress(own, covers[edges]))
            for a in kept[i]:
                holders[a].append(i)
    return list(kept)
