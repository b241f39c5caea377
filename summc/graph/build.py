"""Stage 4: build the graph of sentences and the words that they hold, as flat read-only arrays."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable
from operator import attrgetter

import numpy as np
from numpy.typing import ArrayLike

from summc.graph import left_after, levels_of, occurrences, total_weight
from summc.records import Cluster, CoverageGraph, Floats, Indices, Sentence, TokenizedCluster, WordWeights
from summc.text.numbers import plain

log = logging.getLogger("summc")


def build_graph(tokenized: TokenizedCluster, weights: WordWeights) -> CoverageGraph:
    """Return the coverage problem of a cluster.

    The graph leaves out words of weight 0, sentences without a word of positive weight, and sentences that
    are not candidates. Of sentences with the same text it keeps only the first, because a summary should not
    repeat a sentence. A sentence may earn extra weight (a bonus) for its position in the document. The graph
    contains this bonus as the weight of a pseudo-word that only this sentence holds.
    """
    sentences = tokenized.cluster.sentences
    bonus = np.zeros(len(sentences)) if weights.bonus is None else weights.bonus
    weight = np.concatenate([weights.weight, bonus])
    sentence, word, count = _held(tokenized, weights, bonus)
    holds = np.bincount(sentence, minlength=len(sentences)) > 0
    first: dict[str, int] = {}
    for i in range(len(holds)) if tokenized.candidates is None else tokenized.candidates:
        if holds[i]:
            first.setdefault(sentences[i].text, i)
    kept = np.array(sorted(first.values()), dtype=np.intp)
    node = np.full(len(sentences), -1)
    node[kept] = np.arange(len(kept))
    stays = node[sentence] >= 0
    word_ids, edge_word = np.unique(word[stays], return_inverse=True)
    repeats, repeats_start = np.zeros(0), np.zeros(len(weight) + 1, dtype=np.intp)
    if weights.repeats is not None and weights.repeats_start is not None:
        end = np.full(len(bonus), len(weights.repeats))  # pseudo-words have no further weights
        repeats, repeats_start = weights.repeats, np.concatenate([weights.repeats_start, end])
    levels = levels_of(repeats, repeats_start, word_ids)
    cost = list(map(attrgetter("words"), map(sentences.__getitem__, kept.tolist())))
    edges = (node[sentence[stays]], edge_word)
    return make_graph(cost, weight[word_ids], *edges, kept, word_ids, count[stays], *levels)


def build_problem(
    tokenized: TokenizedCluster, weights: WordWeights, budget: float, unit: str = "words"
) -> CoverageGraph:
    """Return the coverage problem of a cluster, with costs in the unit of the budget.

    If every sentence that may be chosen is longer than the budget, all sentences may be chosen, with a
    warning.
    """
    graph = in_unit(build_graph(tokenized, weights), tokenized.cluster, unit)
    return fitting(graph, tokenized, weights, budget, unit)


def fitting(
    graph: CoverageGraph, tokenized: TokenizedCluster, weights: WordWeights, budget: float, unit: str
) -> CoverageGraph:
    """Return a graph of candidates if one of them fits the budget, otherwise a graph of all sentences.

    If another sentence fits, a warning says that all are used. Costs are in the unit of the budget.
    """
    if tokenized.candidates is None or (graph.cost <= budget).any():
        return graph
    everything = build_graph(dataclasses.replace(tokenized, candidates=None), weights)
    everything = in_unit(everything, tokenized.cluster, unit)
    if (everything.cost <= budget).any():
        problem = f"no sentence that may be chosen fits {plain(budget)} {unit}"
        log.warning("%s: %s; all are taken", tokenized.cluster.id, problem)
    return everything


def _held(
    tokenized: TokenizedCluster, weights: WordWeights, bonus: Floats
) -> tuple[Indices, Indices, Indices]:
    """Return the edges (sentence, word, count) of all words with a positive weight.

    A sentence that earns a bonus for its position also gets an edge, of count 1, to its own pseudo-word.
    """
    sentence, concept, count = tokenized.index.held
    word = tokenized.index.numbers_among(weights.words)[concept]
    # A concept without a weight has the index -1, which reads the appended False.
    weighs = np.append(weights.weight > 0, [False])[word]
    size, early = len(weights.words) + len(bonus), np.flatnonzero(bonus > 0)
    edges, counts = sentence[weighs].astype(np.int64) * size + word[weighs], count[weighs].astype(np.intp)
    if (edges[1:] <= edges[:-1]).any():  # not sorted yet: the weighted words are in another order
        order = np.argsort(edges)
        edges, counts = edges[order], counts[order]
    places = early * size + len(weights.words) + early
    before = np.searchsorted(edges, places)
    return *np.divmod(np.insert(edges, before, places), max(size, 1)), np.insert(counts, before, 1)


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
    start: Indices = np.zeros(len(weight) + 1, dtype=np.intp)
    if repeats_start is not None:
        start = np.array(repeats_start, dtype=np.intp)
    edges = sentence * max(len(weight), 1) + word
    # Sort only if needed, because sorting would take longer than the rest of this function.
    if (edges[1:] <= edges[:-1]).any():
        order = np.lexsort((-counts, edges))
        first = np.diff(edges[order], prepend=-1) > 0
        edges, counts = edges[order][first], counts[order][first]
    edge_word = edges % max(len(weight), 1)
    levels = np.diff(start) + 1
    arrays = (
        cost,
        weight,
        edges // max(len(weight), 1),
        edge_word,
        np.arange(len(cost)) if sentence_ids is None else np.array(sentence_ids, dtype=np.intp),
        np.arange(len(weight)) if word_ids is None else np.array(word_ids, dtype=np.intp),
        np.minimum(counts, levels[edge_word]),
        np.zeros(0) if repeats is None else np.array(repeats, dtype=np.float64),
        start,
    )
    for each in arrays:
        each.flags.writeable = False
    return CoverageGraph(*arrays)


def in_unit(graph: CoverageGraph, cluster: Cluster | None, unit: str) -> CoverageGraph:
    """Return a graph whose costs are in words with the costs in ``unit``; characters need the cluster."""
    if unit == "sentences":
        cost = np.ones(len(graph.cost))
    elif unit == "characters" and cluster is not None:
        sentences = cluster.sentences
        cost = np.array([cost_in(sentences[i], unit) for i in graph.sentence_ids.tolist()], dtype=np.float64)
    else:
        return graph
    cost.flags.writeable = False
    return dataclasses.replace(graph, cost=cost)


def cost_in(sentence: Sentence, unit: str) -> float:
    """Return the cost of a sentence in words, in sentences (1), or in characters (with a line end)."""
    if unit == "sentences":
        return 1.0
    return float(len(sentence.text) + 1 if unit == "characters" else sentence.words)


def nodes_of(wanted: Iterable[int], graph: CoverageGraph, cluster: Cluster) -> dict[int, int]:
    """Return, for each wanted sentence of a cluster, its index in the graph, or that of one with its text.

    A sentence without either is left out.
    """
    sentences = cluster.sentences
    node = {sentence: i for i, sentence in enumerate(graph.sentence_ids.tolist())}
    first: dict[str, int] = {}
    for sentence, i in sorted(node.items()):
        first.setdefault(sentences[sentence].text, i)
    found = {sentence: node.get(sentence, first.get(sentences[sentence].text)) for sentence in wanted}
    return {sentence: i for sentence, i in found.items() if i is not None}


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


def within_budget(graph: CoverageGraph, budget: float) -> tuple[CoverageGraph, Indices]:
    """Return the graph without what does not fit or has no weight, and the old indices of its sentences."""
    fits = graph.cost <= budget
    kept_edges = fits[graph.edge_sentence] & (graph.weight[graph.edge_word] > 0)
    sentences = np.flatnonzero(fits)
    words, edge_word = np.unique(graph.edge_word[kept_edges], return_inverse=True)
    levels = levels_of(graph.repeats, graph.repeats_start, words)
    edges = ((np.cumsum(fits) - 1)[graph.edge_sentence[kept_edges]], edge_word)
    ids, count = (graph.sentence_ids[sentences], graph.word_ids[words]), graph.count[kept_edges]
    return make_graph(graph.cost[sentences], graph.weight[words], *edges, *ids, count, *levels), sentences


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
