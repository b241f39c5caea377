"""Hypothesis strategies for coverage problems.

Hypothesis draws the sizes of a problem and a seed, so that a failing problem shrinks to few sentences and
words. The numbers come from the seed: drawing each of them by Hypothesis takes longer than most tests.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from summc.graph import make_graph
from summc.records import CoverageGraph, Floats, Indices

seeds = st.integers(0, 2**32 - 1)


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    most_sentences: int = 7,
    most_words: int = 8,
    least_edges: int = 0,
    integers: bool = True,
    most_levels: int = 1,
    most_count: int = 1,
) -> CoverageGraph:
    """Draw small coverage problems, some with free sentences, worthless words or wordless sentences.

    Give ``least_edges`` if words must be shared. A word has up to ``most_levels`` weights, and a sentence
    holds it up to ``most_count`` times.
    """
    sentences, words = draw(st.integers(1, most_sentences)), draw(st.integers(1, most_words))
    edges = draw(st.integers(least_edges, 10 + 2 * least_edges))
    rng = np.random.default_rng(draw(seeds))
    repeats = rng.integers(most_levels, size=words)
    weights = [np.sort(amounts(rng, 1 + more, integers=integers))[::-1] for more in repeats]
    return make_graph(
        rng.integers(10, size=sentences),
        [levels[0] for levels in weights],
        rng.integers(sentences, size=edges),
        rng.integers(words, size=edges),
        count=rng.integers(1, most_count + 1, edges),
        repeats=np.concatenate([levels[1:] for levels in weights]),
        repeats_start=starts(repeats),
    )


def amounts(rng: np.random.Generator, size: int, *, integers: bool) -> Floats:
    """Return numbers from 0 to 9, or also numbers of very different size among them."""
    whole = rng.integers(10, size=size).astype(float)
    return whole if integers else np.where(rng.random(size) < 0.5, whole, 10 ** rng.uniform(-6, 1, size))


def starts(sizes: Indices) -> Indices:
    """Return where each part begins if parts of these sizes follow one another, and where the last ends."""
    return np.concatenate([[0], np.cumsum(sizes)])


@st.composite
def trees(draw: st.DrawFn, *, most_levels: int = 1, most_count: int = 1) -> CoverageGraph:
    """Draw connected graphs without cycles, on which BP is exact: each node is joined to an earlier one.

    Levels and counts are as for ``graphs``.
    """
    nodes = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(seeds))
    sentences, words, edges = 1, 1, [(0, 0)]
    for _ in range(nodes):
        if rng.integers(2):
            edges.append((sentences, int(rng.integers(words))))
            sentences += 1
        else:
            edges.append((int(rng.integers(sentences)), words))
            words += 1
    weight, repeats = rng.uniform(0.1, 5, words), rng.integers(most_levels, size=words)
    parts = [w * np.sort(rng.random(more))[::-1] for w, more in zip(weight, repeats, strict=True)]
    return make_graph(
        rng.integers(1, 6, sentences),
        weight,
        [i for i, _ in edges],
        [a for _, a in edges],
        count=rng.integers(1, most_count + 1, len(edges)),
        repeats=np.concatenate(parts),
        repeats_start=starts(repeats),
    )
