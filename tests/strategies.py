"""Hypothesis strategies for coverage problems."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from summc.graph.build import make_graph
from summc.records import CoverageGraph


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

    Hypothesis draws only about five edges by default. Give ``least_edges`` if words must be shared. A word
    has up to ``most_levels`` weights, and a sentence holds it up to ``most_count`` times.
    """
    sentences = draw(st.integers(1, most_sentences))
    words = draw(st.integers(1, most_words))
    amounts = st.integers(0, 9) if integers else st.just(0.0) | st.floats(1e-6, 10)
    edges = st.tuples(st.integers(0, sentences - 1), st.integers(0, words - 1))
    held = draw(st.lists(edges, min_size=least_edges, max_size=30))
    weights = [
        sorted(draw(st.lists(amounts, min_size=1, max_size=most_levels)), reverse=True) for _ in range(words)
    ]
    counts = st.lists(st.integers(1, most_count), min_size=len(held), max_size=len(held))
    return make_graph(
        draw(st.lists(st.integers(0, 9), min_size=sentences, max_size=sentences)),
        [levels[0] for levels in weights],
        [i for i, _ in held],
        [a for _, a in held],
        count=draw(counts) if most_count > 1 else None,
        further=[weight for levels in weights for weight in levels[1:]],
        further_start=list(itertools.accumulate((len(levels) - 1 for levels in weights), initial=0)),
    )


@st.composite
def trees(draw: st.DrawFn, *, most_levels: int = 1, most_count: int = 1) -> CoverageGraph:
    """Draw connected graphs without cycles, on which BP is exact: each node is joined to an earlier one.

    Levels and counts are as for ``graphs``.
    """
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    sentences, words, edges = 1, 1, [(0, 0)]
    for is_sentence in kinds:
        if is_sentence:
            edges.append((sentences, draw(st.integers(0, words - 1))))
            sentences += 1
        else:
            edges.append((draw(st.integers(0, sentences - 1)), words))
            words += 1
    weight = draw(st.lists(st.floats(0.1, 5), min_size=words, max_size=words))
    cost = draw(st.lists(st.integers(1, 5), min_size=sentences, max_size=sentences))
    ends = [i for i, _ in edges], [a for _, a in edges]
    if most_levels == most_count == 1:
        return make_graph(np.array(cost), weight, *ends)
    parts = st.lists(st.floats(0, 1), max_size=most_levels - 1)
    further = [[w * part for part in sorted(draw(parts), reverse=True)] for w in weight]
    return make_graph(
        np.array(cost),
        weight,
        *ends,
        count=draw(st.lists(st.integers(1, most_count), min_size=len(edges), max_size=len(edges))),
        further=list(itertools.chain.from_iterable(further)),
        further_start=list(itertools.accumulate(map(len, further), initial=0)),
    )
