"""Stage 4: the sentence-word graph, as flat read-only arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from summc.records import CoverageGraph, Indices, TokenizedCluster, WordWeights


def build_graph(tokenized: TokenizedCluster, weights: WordWeights) -> CoverageGraph:
    """Return the coverage problem of a cluster.

    Left out of it: words without weight, sentences without a word of weight, those that are no candidates,
    and every repetition of a sentence (the same text covers the same words at the same cost, so once is
    enough). What a sentence is worth for its place is a word that no other sentence holds.
    """
    number = {word: a for a, word in enumerate(weights.words) if weights.weight[a] > 0}
    bonus = np.zeros(len(tokenized.tokens)) if weights.bonus is None else weights.bonus
    candidates = None if tokenized.candidates is None else frozenset(tokenized.candidates)
    seen: set[str] = set()
    kept: list[int] = []
    rows: list[list[int]] = []
    for i, (sentence, terms) in enumerate(zip(tokenized.cluster.sentences, tokenized.tokens, strict=True)):
        if candidates is not None and i not in candidates:
            continue
        words = sorted({number[term] for term in terms if term in number})
        if bonus[i] > 0:
            words.append(len(weights.words) + i)
        if words and sentence.text not in seen:
            seen.add(sentence.text)
            kept.append(i)
            rows.append(words)
    sentences = tokenized.cluster.sentences
    word_ids, edge_word = np.unique(
        np.array([a for row in rows for a in row], dtype=np.intp), return_inverse=True
    )
    return make_graph(
        cost=[sentences[i].words for i in kept],
        weight=np.concatenate([weights.weight, bonus])[word_ids],
        edge_sentence=np.repeat(np.arange(len(rows)), [len(row) for row in rows]),
        edge_word=edge_word,
        sentence_ids=kept,
        word_ids=word_ids,
    )


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
    edges = np.unique(sentence * max(len(weight), 1) + word)
    arrays = (
        cost,
        weight,
        edges // max(len(weight), 1),
        edges % max(len(weight), 1),
        np.arange(len(cost)) if sentence_ids is None else np.array(sentence_ids, dtype=np.intp),
        np.arange(len(weight)) if word_ids is None else np.array(word_ids, dtype=np.intp),
    )
    for array in arrays:
        array.flags.writeable = False
    return CoverageGraph(*arrays)


def within_budget(graph: CoverageGraph, budget: float) -> tuple[CoverageGraph, Indices]:
    """Return the part of a graph that matters under a budget K, and where its sentences stood.

    Sentences that cost more than K can be in no answer, and words that carry no weight or that no
    remaining sentence holds change none; all of them leave the problem.
    """
    fits = graph.cost <= budget
    kept_edges = fits[graph.edge_sentence] & (graph.weight[graph.edge_word] > 0)
    sentences = np.flatnonzero(fits)
    words = np.unique(graph.edge_word[kept_edges])
    part = make_graph(
        cost=graph.cost[sentences],
        weight=graph.weight[words],
        edge_sentence=np.searchsorted(sentences, graph.edge_sentence[kept_edges]),
        edge_word=np.searchsorted(words, graph.edge_word[kept_edges]),
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
