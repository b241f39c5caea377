"""A smaller graph with the same optimum: what an exact solver need not look at."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.records import CoverageGraph, Floats, Indices


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
    words = _words_of(graph)
    kept = sorted({*_undominated(graph, words, budget), *keep})
    holders: dict[int, list[int]] = {}
    for column, i in enumerate(kept):
        for a in words[i]:
            holders.setdefault(a, []).append(column)
    merged: dict[tuple[int, ...], float] = {}
    own = np.zeros(len(kept))
    for a in sorted(holders):
        if graph.weight[a] <= 0:
            continue
        if len(holders[a]) == 1:
            own[holders[a][0]] += graph.weight[a]
        else:
            key = tuple(holders[a])
            merged[key] = merged.get(key, 0.0) + float(graph.weight[a])
    return ReducedProblem(
        sentence=np.array(kept, dtype=np.intp),
        cost=graph.cost[kept],
        own=own,
        weight=np.array(list(merged.values())),
        edge_sentence=np.array([i for key in merged for i in key], dtype=np.intp),
        edge_word=np.repeat(np.arange(len(merged)), [len(key) for key in merged]),
    )


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


def _words_of(graph: CoverageGraph) -> list[frozenset[int]]:
    start = np.searchsorted(graph.edge_sentence, np.arange(len(graph.cost) + 1)).tolist()
    words = graph.edge_word.tolist()
    return [frozenset(words[a:b]) for a, b in itertools.pairwise(start)]


def _undominated(graph: CoverageGraph, words: list[frozenset[int]], budget: float) -> list[int]:
    """Return the sentences worth keeping; of equals the first.

    A sentence that holds all words of another holds its rarest one too: only those need to be looked at.
    """
    cost = graph.cost.tolist()
    holders: dict[int, list[int]] = {}
    for i, own in enumerate(words):
        for a in own:
            holders.setdefault(a, []).append(i)
    kept = []
    for i, own in enumerate(words):
        if cost[i] > budget or not own:
            continue
        rarest = min(own, key=lambda a: (len(holders[a]), a))
        if not any(
            k != i and (cost[k], -len(words[k]), k) < (cost[i], -len(own), i) and own <= words[k]
            for k in holders[rarest]
            if cost[k] <= cost[i]
        ):
            kept.append(i)
    return kept
