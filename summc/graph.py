"""Stage 4: the sentence-word graph, as flat read-only arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from summc.records import Cluster, CoverageGraph, Floats, Indices, Sentence, TokenizedCluster, WordWeights


def build_graph(tokenized: TokenizedCluster, weights: WordWeights) -> CoverageGraph:
    """Return the coverage problem of a cluster.

    Left out of it: words without weight, sentences without a word of weight, those that are no candidates,
    and every repetition of a sentence (the same text covers the same words at the same cost, so once is
    enough). What a sentence is worth for its place is a word that no other sentence holds.
    """
    sentences = tokenized.cluster.sentences
    bonus = np.zeros(len(sentences)) if weights.bonus is None else weights.bonus
    weight = np.concatenate([weights.weight, bonus])
    sentence, word = _held(tokenized, weights, bonus)
    kept = _kept(tokenized, np.bincount(sentence, minlength=len(sentences)) > 0)
    node = np.full(len(sentences), -1)
    node[kept] = np.arange(len(kept))
    stays = node[sentence] >= 0
    word_ids, edge_word = _numbered(word[stays], len(weight))
    return make_graph(
        cost=[sentences[i].words for i in kept.tolist()],
        weight=weight[word_ids],
        edge_sentence=node[sentence[stays]],
        edge_word=edge_word,
        sentence_ids=kept,
        word_ids=word_ids,
    )


def _held(tokenized: TokenizedCluster, weights: WordWeights, bonus: Floats) -> tuple[Indices, Indices]:
    """Return each sentence with each of its words that has a weight, and with its place if that has one."""
    sentence, concept = tokenized.places.held
    word = tokenized.places.numbers_among(weights.words)[concept]
    weighs = np.append(weights.weight > 0, [False])[word]  # of what is not among the words, -1, the last
    size, early = len(weights.words) + len(bonus), np.flatnonzero(bonus > 0)
    edges = np.concatenate([
        sentence[weighs].astype(np.int64) * size + word[weighs], early * size + len(weights.words) + early
    ])  # fmt: skip
    return np.divmod(np.sort(edges), max(size, 1))


def _kept(tokenized: TokenizedCluster, holds: NDArray[np.bool_]) -> Indices:
    """Return the candidates among sentences that hold something, each text once."""
    may = range(len(holds)) if tokenized.candidates is None else tokenized.candidates
    sentences = tokenized.cluster.sentences
    first: dict[str, int] = {}
    for i in may:
        if holds[i]:
            first.setdefault(sentences[i].text, i)
    return np.array(sorted(first.values()), dtype=np.intp)


def _numbered(values: Indices, size: int) -> tuple[Indices, Indices]:
    """Return which of the numbers below a size occur, and of each value the place of its number among them.

    What ``np.unique`` returns, without its sorting.
    """
    occurs = np.zeros(size, dtype=bool)
    occurs[values] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[values]


def make_graph(
    cost: ArrayLike,
    weight: ArrayLike,
    edge_sentence: ArrayLike,
    edge_word: ArrayLike,
    sentence_ids: ArrayLike | None = None,
    word_ids: ArrayLike | None = None,
) -> CoverageGraph:
    """Return a graph from its parts, edges sorted by sentence and then word and each kept once."""
    cost, weight = np.array(cost, dtype=np.float64), np.array(weight, dtype=np.float64)
    sentence, word = np.array(edge_sentence, dtype=np.intp), np.array(edge_word, dtype=np.intp)
    edges = sentence * max(len(weight), 1) + word
    if (
        edges[1:] <= edges[:-1]
    ).any():  # most come in order: sorting them would take longer than all the rest
        edges = np.unique(edges)
    arrays = (
        cost,
        weight,
        edges // max(len(weight), 1),
        edges % max(len(weight), 1),
        np.arange(len(cost)) if sentence_ids is None else np.array(sentence_ids, dtype=np.intp),
        np.arange(len(weight)) if word_ids is None else np.array(word_ids, dtype=np.intp),
    )
    for each in arrays:
        each.flags.writeable = False
    return CoverageGraph(*arrays)


def in_unit(graph: CoverageGraph, cluster: Cluster | None, unit: str) -> CoverageGraph:
    """Return a graph whose costs count a unit in the place of words.

    A sentence takes a character more than it has, the line end after it. Without its cluster a graph
    knows no characters.
    """
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
    """Return what a sentence takes of a budget that counts a unit."""
    if unit == "sentences":
        return 1.0
    return float(len(sentence.text) + 1 if unit == "characters" else sentence.words)


def without_sentences(graph: CoverageGraph, sentences: Iterable[int]) -> CoverageGraph:
    """Return what is left to cover when some sentences are chosen: they cost nothing more and add nothing."""
    chosen = np.zeros(len(graph.cost), dtype=bool)
    chosen[list(sentences)] = True
    covered = np.zeros(len(graph.weight), dtype=bool)
    covered[graph.edge_word[chosen[graph.edge_sentence]]] = True
    left = ~covered[graph.edge_word]
    # Beyond any budget, so that their indices stay what they are and they cannot be chosen again.
    cost = np.where(chosen, np.inf, graph.cost)
    return dataclasses.replace(
        graph, cost=cost, edge_sentence=graph.edge_sentence[left], edge_word=graph.edge_word[left]
    )


def within_budget(graph: CoverageGraph, budget: float) -> tuple[CoverageGraph, Indices]:
    """Return the part of a graph that matters under a budget K, and where its sentences stood.

    Sentences that cost more than K can be in no answer, and words that carry no weight or that no
    remaining sentence holds change none; all of them leave the problem.
    """
    fits = graph.cost <= budget
    kept_edges = fits[graph.edge_sentence] & (graph.weight[graph.edge_word] > 0)
    sentences = np.flatnonzero(fits)
    words, edge_word = _numbered(graph.edge_word[kept_edges], len(graph.weight))
    part = make_graph(
        cost=graph.cost[sentences],
        weight=graph.weight[words],
        edge_sentence=(np.cumsum(fits) - 1)[graph.edge_sentence[kept_edges]],
        edge_word=edge_word,
        sentence_ids=graph.sentence_ids[sentences],
        word_ids=graph.word_ids[words],
    )
    return part, sentences


def describe(graph: CoverageGraph) -> dict[str, float]:
    """Return the size of a graph: sentences, words, edges, degrees."""
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
        "total weight": float(graph.weight.sum()),
    }
