"""Reduce a coverage problem to a smaller one with the same optimum."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from summc.graph import curves, gains, levels_of, part_of
from summc.records import Coverage, CoverageGraph, Floats, Indices, Mask
from summc.selectors.amounts import exact_costs
from summc.selectors.base import exact_amounts, per_cost


@dataclass(frozen=True, eq=False)  # without slots, because cached_property needs a place to store its value
class ReducedProblem(Coverage):
    """A coverage problem after the reductions. At least one best selection of the graph is still possible.

    Words that the same sentences hold equally often are merged into one word, with the sum of their weights.

    Attributes:
        sentence: the index in the graph of each remaining sentence, shape (n,).
        unique_weight: what each sentence covers of the words that no other sentence holds, shape (n,). These
            words are not among the remaining words.
        budget: the budget, in the unit of the costs. Both are those of ``exact_costs``.
    """

    sentence: Indices
    unique_weight: Floats
    budget: float

    @cached_property
    def repeats_word(self) -> Indices:
        """The word of each entry of ``repeats``."""
        return np.repeat(np.arange(len(self.weight)), np.diff(self.repeats_start))


def reduce_problem(graph: CoverageGraph, budget: float, keep: Iterable[int] = ()) -> ReducedProblem:
    """Return the problem without sentences that do not fit or are dominated, and with words merged.

    A sentence is dominated if another sentence costs no more and covers all its words completely (with all
    occurrences that have a weight). The sentences in ``keep`` always stay.
    """
    graph, budget = with_exact_costs(graph, budget)
    n, m = len(graph.cost), max(len(graph.weight), 1)
    degree = np.bincount(graph.edge_sentence, minlength=n)
    kept = (graph.cost <= budget) & (degree > 0)
    # A sentence can dominate others only by the words that it covers completely.
    full = (graph.count > np.diff(graph.repeats_start)[graph.edge_word]) & kept[graph.edge_sentence]
    word, covered = graph.edge_word.tolist(), graph.edge_word[full].tolist()
    start = [0, *np.cumsum(degree).tolist()]
    covered_start = np.searchsorted(graph.edge_sentence[full], np.arange(n + 1)).tolist()
    # The rarest word of each sentence. If no other sentence covers it, none dominates the sentence.
    other_holders = np.bincount(graph.edge_word[full], minlength=m)[graph.edge_word] - full
    rarest = np.full(n, n * m)
    np.minimum.at(rarest, graph.edge_sentence, other_holders * m + graph.edge_word)
    rarest = np.where(kept & (rarest >= m), rarest % m, -1)
    # For each of these words, what each kept sentence with the word covers. Sentences come by rising cost,
    # then falling number of words, so that only a sentence kept before can dominate another.
    rivals, rarest_words = defaultdict[int, list[set[int]]](list), set(rarest.tolist())
    order = np.lexsort((-degree, graph.cost))
    for i, a in zip(order.tolist(), rarest[order].tolist(), strict=True):
        if rivals[a] and any(map(set(word[start[i] : start[i + 1]]).issubset, rivals[a])):
            kept[i] = False
        else:
            words = set(covered[covered_start[i] : covered_start[i + 1]])
            for b in words & rarest_words:
                rivals[b].append(words)
    kept[list(keep)] = True
    return folded(graph, kept, budget)


def with_exact_costs(graph: CoverageGraph, budget: float) -> tuple[CoverageGraph, float]:
    """Return the graph and the budget with costs whose sums are exact."""
    cost, most = exact_costs(graph.cost, budget)
    return dataclasses.replace(graph, cost=cost), most


def promising(graph: CoverageGraph, budget: float, chosen: Sequence[int], most: int) -> ReducedProblem:
    """Return the problem of at most ``most`` sentences, with words merged, for a search from ``chosen``.

    They are the chosen sentences and those that cover the most weight per unit of cost and fit the budget.
    """
    graph, budget = with_exact_costs(graph, budget)
    value = per_cost(gains(graph), graph.cost)
    value[graph.cost > budget] = 0.0
    value[list(chosen)] = np.inf
    first = np.argsort(-value, kind="stable")[:most]
    return folded(graph, np.isin(np.arange(len(value)), first[value[first] > 0]), budget)


def exact(problem: ReducedProblem) -> ReducedProblem:
    """Return the problem with weights rounded so that every sum of them is exact."""
    weight, repeats, unique = exact_amounts(problem.weight, problem.repeats, problem.unique_weight)
    return dataclasses.replace(problem, weight=weight, repeats=repeats, unique_weight=unique)


def folded(graph: CoverageGraph, kept: Mask, budget: float = math.inf) -> ReducedProblem:
    """Return the problem that has only the ``kept`` sentences (a mask), and with words merged.

    Words that the same sentences hold equally often are merged. A word that only one sentence holds becomes
    part of the ``unique_weight`` of this sentence.
    """
    weighty = kept[graph.edge_sentence] & (graph.weight[graph.edge_word] > 0)
    column, word = (np.cumsum(kept) - 1)[graph.edge_sentence[weighty]], graph.edge_word[weighty]
    by_word = np.argsort(word, kind="stable")
    column, word, count = column[by_word], word[by_word], graph.count[weighty][by_word]
    degree = np.bincount(word, minlength=len(graph.weight))
    alone = degree[word] == 1
    worth = curves(graph).at(word[alone], count[alone])
    unique = np.bincount(column[alone], weights=worth, minlength=int(kept.sum()))
    column, count, shared = column[~alone], count[~alone], np.flatnonzero(degree > 1)
    # Encode sentence and count in one number, because words are merged only if each sentence holds them
    # equally often.
    code, length = column * int(count.max(initial=1)) + count - 1, degree[shared]
    group_of, numbers = dict[bytes, int](), list[int]()
    for a, b in pairwise([0, *np.cumsum(length).tolist()]):
        numbers.append(group_of.setdefault(code[a:b].tobytes(), len(group_of)))
    group = np.array(numbers, dtype=np.intp)
    firsts = np.diff(np.maximum.accumulate(group), prepend=-1) > 0
    edges, edge_word = np.repeat(firsts, length), np.repeat(np.arange(len(group_of)), length[firsts])
    problem = (*_merged(graph, shared, group), graph.cost[kept], column[edges], edge_word, count[edges])
    return ReducedProblem(*problem, np.flatnonzero(kept), unique.astype(float), budget)


def _merged(graph: CoverageGraph, words: Indices, group: Indices) -> tuple[Floats, Floats, Indices]:
    """Return ``weight``, ``repeats`` and ``repeats_start`` of merged words: sums over the words of a group.

    ``group[k]`` is the group of ``words[k]``; groups are numbered from 0.
    """
    every, repeats, start = levels_of(graph, words)
    weight = np.bincount(group, weights=every).astype(float)
    length = np.diff(start)
    level = np.arange(len(repeats)) - np.repeat(start[:-1], length)
    most = np.zeros(len(weight), dtype=np.intp)
    np.maximum.at(most, group, length)
    new_start = np.append(0, np.cumsum(most))
    place = new_start[np.repeat(group, length)] + level
    return weight, np.bincount(place, weights=repeats, minlength=int(most.sum())).astype(float), new_start


def restricted(problem: ReducedProblem, kept: Mask) -> ReducedProblem:
    """Return the problem that has only the ``kept`` sentences (a mask) and the words that they hold."""
    arrays: list[Any] = part_of(problem, kept)[0]
    arrays += [problem.sentence[kept], problem.unique_weight[kept], problem.budget]
    return ReducedProblem(*arrays)
