"""Stage 4: build the coverage problem as flat read-only arrays, and compute what a selection covers.

The first occurrence of word a in a summary is worth its weight w_a. Each further occurrence is worth no more
than the occurrence before it. Level n of a word is the weight of its nth occurrence, and a word has as many
levels as occurrences that are worth something. The curve of word a is ``V_a(n)``, the worth of n occurrences
together: the sum of its first n levels. If every word has one level, ``V_a(n)`` is w_a for every n >= 1, and
the problem is that of the paper.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from summc.records import (
    Cluster,
    Coverage,
    CoverageGraph,
    Floats,
    Indices,
    Levels,
    Mask,
    Sentence,
    TokenizedCluster,
    WordWeights,
    distinct_with_index,
)
from summc.system.compiled import library
from summc.system.logs import log
from summc.text.numbers import plain

#: The limits of a weight or cost other than 0. Within them, sums, products and quotients of weights and costs
#: neither overflow nor become 0.
SMALLEST, LARGEST = 1e-100, 1e100


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """``V_a(n)``, the worth of n occurrences of word a, for each of M words.

    ``value`` has V_a(0) = 0, V_a(1), ... up to the last level of each word, word by word. ``start`` is the
    index in ``value`` where each word begins, shape (M + 1,).
    """

    value: Floats
    start: Indices

    def at(self, word: Indices, occurrences: Indices) -> Floats:
        """Return V_a(n) for each a in ``word`` and n in ``occurrences``; the two arrays must broadcast."""
        start = self.start[word]
        return np.asarray(self.value[np.minimum(start + occurrences, self.start[word + 1] - 1)])

    def step(self, word: Indices, occurrences: Indices, more: Indices) -> Floats:
        """Return V_a(n + more) - V_a(n): what ``more`` occurrences of word a add to n occurrences."""
        return self.at(word, occurrences + more) - self.at(word, occurrences)


def curves(words: Levels) -> Curves:
    """Return V_a(n), the worth of n occurrences, for each word."""
    start = 2 * np.arange(len(words.weight) + 1, dtype=np.int64) + words.repeats_start
    value = np.zeros(start[-1])
    value[start[:-1] + 1] = words.weight
    value[run_from(start[:-1] + 2, np.diff(words.repeats_start))] = words.repeats
    # One cumulative sum over the levels of all words would round, and V_a(1) would differ from w_a.
    library().summc_accumulate(len(words.weight), start.ctypes.data, value.ctypes.data)
    return Curves(value, start)


def run_from(start: Indices, length: Indices) -> Indices:
    """Return one array of ranges: ``length[0]`` integers from ``start[0]`` on, then the next range, ..."""
    before = np.cumsum(length) - length
    return np.asarray(np.repeat(start - before, length) + np.arange(int(length.sum())))


def levels_of(levels: Levels, words: Indices) -> tuple[Floats, Floats, Indices]:
    """Return ``weight``, ``repeats`` and ``repeats_start`` of the given words only."""
    start = levels.repeats_start[words]
    length = levels.repeats_start[words + 1] - start
    return levels.weight[words], levels.repeats[run_from(start, length)], np.append(0, np.cumsum(length))


def left_after(problem: Levels, times: Indices) -> tuple[Floats, Floats, Indices]:
    """Return ``weight``, ``repeats`` and ``repeats_start`` of what is left after some occurrences.

    ``times[a]`` is how often word a has occurred. If its next occurrence is worth nothing, its weight is 0.
    """
    levels = np.diff(problem.repeats_start) + 1
    left = np.maximum(levels - times, 0)
    # The index in ``repeats`` of the next occurrence, if ``times`` is above 0.
    first = problem.repeats_start[:-1] + times - 1
    weight = np.where(times == 0, problem.weight, 0.0)
    begun = np.flatnonzero((times > 0) & (left > 0))
    weight[begun] = problem.repeats[first[begun]]
    length = np.maximum(left - 1, 0)
    repeats = problem.repeats[run_from(first + 1, length)]
    return weight, repeats, np.append(0, np.cumsum(length))


def level_weights(words: Levels) -> list[list[float]]:
    """Return, for each word, the list of the weights of its 1st, 2nd, ... occurrence."""
    repeats = words.repeats.tolist()
    ends = pairwise(words.repeats_start.tolist())
    return [[first, *repeats[a:b]] for first, (a, b) in zip(words.weight.tolist(), ends, strict=True)]


def occurrences(problem: Coverage, chosen: Iterable[int] | Mask) -> Indices:
    """Return how often the chosen sentences (indices or a mask) together hold each word, shape (M,)."""
    is_chosen = np.zeros(len(problem.cost), dtype=bool)
    is_chosen[chosen if isinstance(chosen, np.ndarray) else list(chosen)] = True
    edges = is_chosen[problem.edge_sentence]
    total = np.bincount(problem.edge_word[edges], problem.count[edges], len(problem.weight))
    return total.astype(np.intp)


def gains(problem: Coverage, times: Indices | None = None) -> Floats:
    """Return what each sentence adds, shape (N,), if word a has occurred ``times[a]`` times (default: 0)."""
    before = np.zeros_like(problem.edge_word) if times is None else times[problem.edge_word]
    added = curves(problem).step(problem.edge_word, before, problem.count)
    return np.bincount(problem.edge_sentence, added, len(problem.cost)).astype(float)


def covered_levels(problem: Coverage, times: Indices) -> Floats:
    """Return the weight of each occurrence that a selection covers, if it holds word a ``times[a]`` times."""
    length = np.diff(problem.repeats_start)
    level = np.arange(len(problem.repeats)) - np.repeat(problem.repeats_start[:-1], length) + 2
    return np.concatenate([problem.weight[times > 0], problem.repeats[np.repeat(times, length) >= level]])


def total_weight(problem: Coverage) -> float:
    """Return the weight that all sentences together cover. No selection covers more."""
    times = occurrences(problem, np.ones(len(problem.cost), dtype=bool))
    return float(curves(problem).at(np.arange(len(problem.weight)), times).sum())


def build_graph(tokenized: TokenizedCluster, weights: WordWeights) -> CoverageGraph:
    """Return the coverage problem of a cluster.

    The graph leaves out words of weight 0, sentences without a word of positive weight, and sentences that
    are banned or no candidates. Of sentences with the same text it keeps only the first: a summary should not
    repeat a sentence. A sentence may earn extra weight (a bonus) for its position in the document. The graph
    contains this bonus as the weight of a pseudo-word that only this sentence holds.
    """
    sentences, size = tokenized.cluster.sentences, len(weights.words)
    bonus = np.zeros(len(sentences)) if weights.bonus is None else weights.bonus
    holder, concept, counts = tokenized.index.pairs
    number = tokenized.index.numbers_among(weights.words)[concept]
    # A concept without a weight has the index -1, which reads the appended False.
    weighs, early = np.append(weights.weight > 0, [False])[number], np.flatnonzero(bonus > 0)
    sentence, word = np.append(holder[weighs], early), np.append(number[weighs], size + early)
    count = np.append(counts[weighs], np.ones(len(early), dtype=np.intp))
    holds = np.bincount(sentence, minlength=len(sentences)) > 0
    first: dict[str, int] = {}
    for i in range(len(holds)) if tokenized.candidates is None else tokenized.candidates:
        if holds[i] and i not in tokenized.banned:
            first.setdefault(sentences[i].text, i)
    ids = np.array(sorted(first.values()), dtype=np.intp)
    node = np.full(len(sentences), -1)
    node[ids] = np.arange(len(ids))
    stays = node[sentence] >= 0
    word_ids, edge_word = distinct_with_index(word[stays])
    repeats = np.zeros(0) if weights.repeats is None else weights.repeats
    start = np.zeros(size + 1, dtype=np.intp) if weights.repeats_start is None else weights.repeats_start
    # Pseudo-words have no further weights.
    levels = Levels(
        np.append(weights.weight, bonus), repeats, np.append(start, np.full(len(bonus), len(repeats)))
    )
    cost = tokenized.cluster.lengths[ids]
    weight, *further = levels_of(levels, word_ids)
    return make_graph(cost, weight, node[sentence[stays]], edge_word, ids, word_ids, count[stays], *further)


def build_problem(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    budget: float,
    unit: str,
    graph: CoverageGraph | None = None,
) -> CoverageGraph:
    """Return the coverage problem of a cluster, with costs in the unit of the budget.

    ``graph`` is that of the candidates with costs in words, if it is known. If every candidate is longer than
    the budget, all sentences may be chosen, with a warning.
    """
    graph = in_unit(graph or build_graph(tokenized, weights), tokenized.cluster, unit)
    if tokenized.candidates is None or (graph.cost <= budget).any():
        return graph
    everything = build_problem(dataclasses.replace(tokenized, candidates=None), weights, budget, unit)
    if (everything.cost <= budget).any():
        problem = f"no sentence that may be chosen fits {plain(budget)} {unit}"
        log.warning("%s: %s; all are taken", tokenized.cluster.id, problem)
    return everything


def make_graph(
    cost: ArrayLike,
    weight: ArrayLike,
    edge_sentence: ArrayLike,
    edge_word: ArrayLike,
    sentence_ids: ArrayLike | None = None,
    word_ids: ArrayLike | None = None,
    count: ArrayLike | None = None,
    repeats: ArrayLike | None = None,
    repeats_start: ArrayLike | None = None,
) -> CoverageGraph:
    """Return a graph from its arrays, which are copied; the edges may be given in any order.

    Without ``sentence_ids`` and ``word_ids``, the ids are 0, 1, ...; without ``count``, all counts are 1. If
    an edge is given twice, the larger count is kept. A count is capped at the number of occurrences of the
    word that have a weight, because more occurrences are worth nothing.
    """
    cost, weight = np.array(cost, dtype=np.float64), np.array(weight, dtype=np.float64)
    sentence, word = np.array(edge_sentence, dtype=np.intp), np.array(edge_word, dtype=np.intp)
    counts = np.ones(len(sentence), dtype=np.intp) if count is None else np.array(count, dtype=np.intp)
    start = np.array([0] * (len(weight) + 1) if repeats_start is None else repeats_start, dtype=np.intp)
    edges = sentence * max(len(weight), 1) + word
    # Sort only if needed, because sorting would take longer than the rest of this function.
    if (edges[1:] <= edges[:-1]).any():
        order = np.argsort(edges, kind="stable")
        first = np.flatnonzero(np.diff(edges[order], prepend=-1))
        edges, counts = edges[order][first], np.maximum.reduceat(counts[order], first)
    edge_sentence, edge_word = edges // max(len(weight), 1), edges % max(len(weight), 1)
    counts = np.minimum(counts, np.diff(start)[edge_word] + 1)
    further = np.array([] if repeats is None else repeats, dtype=np.float64)
    ids = np.arange(len(cost)) if sentence_ids is None else np.array(sentence_ids, dtype=np.intp)
    words = np.arange(len(weight)) if word_ids is None else np.array(word_ids, dtype=np.intp)
    return CoverageGraph(weight, further, start, cost, edge_sentence, edge_word, counts, ids, words)


def in_unit(graph: CoverageGraph, cluster: Cluster | None, unit: str) -> CoverageGraph:
    """Return a graph whose costs are in words with the costs in ``unit``; some units need the cluster."""
    if unit == "sentences":
        cost = np.ones(len(graph.cost))
    elif unit in ("characters", "tokens") and cluster is not None:
        sentences = cluster.sentences
        cost = np.array([cost_in(sentences[i], unit) for i in graph.sentence_ids.tolist()], dtype=np.float64)
    else:
        return graph
    return dataclasses.replace(graph, cost=cost)


def cost_in(sentence: Sentence, unit: str) -> float:
    """Return the cost of a sentence in a unit; characters and tokens count the end of its line too."""
    if unit == "tokens":
        # Without a tokenizer: common ones make about one token of four bytes of English.
        return float(sentence.tokens or -(-len(f"{sentence.text}\n".encode()) // 4))
    costs = {"sentences": 1, "characters": len(sentence.text) + 1, "words": sentence.words}
    return float(costs[unit])


def nodes_of(indices: Iterable[int], graph: CoverageGraph, cluster: Cluster) -> dict[int, int]:
    """Return the graph index of each of these sentences of a cluster (sentence -> graph index).

    A sentence that is not in the graph has the index of one with the same text, or is left out.
    """
    sentences = cluster.sentences
    node = {sentence: i for i, sentence in enumerate(graph.sentence_ids.tolist())}
    first = {sentences[sentence].text: i for sentence, i in sorted(node.items(), reverse=True)}
    node_of = {sentence: node.get(sentence, first.get(sentences[sentence].text)) for sentence in indices}
    return {sentence: i for sentence, i in node_of.items() if i is not None}


def without_sentences(graph: CoverageGraph, sentences: Iterable[int]) -> CoverageGraph:
    """Return the problem that remains after the given sentences are chosen.

    Indices stay the same: the chosen sentences remain in the graph, but at an infinite cost.
    """
    chosen = np.zeros(len(graph.cost), dtype=bool)
    chosen[list(sentences)] = True
    times = occurrences(graph, chosen)
    weight, *levels = left_after(graph, times)
    left = times[graph.edge_word] <= np.diff(graph.repeats_start)[graph.edge_word]
    edges = (graph.edge_sentence[left], graph.edge_word[left])
    ids, cost = (graph.sentence_ids, graph.word_ids), np.where(chosen, np.inf, graph.cost)
    return make_graph(cost, weight, *edges, *ids, graph.count[left], *levels)


def part_of(problem: Coverage, kept: Mask) -> tuple[list[NDArray[Any]], Indices]:
    """Return the arrays of a ``Coverage`` that has only the ``kept`` sentences (a mask), and its words.

    These are the words of positive weight that the sentences hold, as indices in the given problem.
    """
    edges = kept[problem.edge_sentence] & (problem.weight[problem.edge_word] > 0)
    words, edge_word = distinct_with_index(problem.edge_word[edges])
    edge_sentence = (np.cumsum(kept) - 1)[problem.edge_sentence[edges]]
    levels = levels_of(problem, words)
    return [*levels, problem.cost[kept], edge_sentence, edge_word, problem.count[edges]], words


def describe(graph: CoverageGraph) -> dict[str, float]:
    """Return the size of a graph as numbers by name. The degree of a sentence or word is its edges."""
    by_sentence = np.bincount(graph.edge_sentence, minlength=len(graph.cost))
    by_word = np.bincount(graph.edge_word, minlength=len(graph.weight))
    edges = len(graph.edge_word)
    return {
        "sentences": len(graph.cost),
        "words": len(graph.weight),
        "edges": edges,
        "words in one sentence": int((by_word == 1).sum()),
        "largest degree of a sentence": int(by_sentence.max(initial=0)),
        "mean degree of a sentence": edges / max(len(graph.cost), 1),
        "largest degree of a word": int(by_word.max(initial=0)),
        "mean degree of a word": edges / max(len(graph.weight), 1),
        "total cost": float(graph.cost.sum()),
        "total weight": total_weight(graph),
    }
