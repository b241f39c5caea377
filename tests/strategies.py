"""Inputs that hypothesis makes."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from summc.graph import make_graph
from summc.records import CoverageGraph


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    most_sentences: int = 7,
    most_words: int = 8,
    least_edges: int = 0,
    integers: bool = True,
) -> CoverageGraph:
    """Small coverage problems, with free sentences, worthless words and wordless sentences among them.

    Left to itself hypothesis draws few edges, about five: ``least_edges`` where words must be shared.
    """
    sentences = draw(st.integers(1, most_sentences))
    words = draw(st.integers(1, most_words))
    amounts = st.integers(0, 9) if integers else st.just(0.0) | st.floats(1e-6, 10)
    edges = st.tuples(st.integers(0, sentences - 1), st.integers(0, words - 1))
    held = draw(st.lists(edges, min_size=least_edges, max_size=30))
    return make_graph(
        draw(st.lists(st.integers(0, 9), min_size=sentences, max_size=sentences)),
        draw(st.lists(amounts, min_size=words, max_size=words)),
        [i for i, _ in held],
        [a for _, a in held],
    )


@st.composite
def trees(draw: st.DrawFn) -> CoverageGraph:
    """Connected graphs without a cycle, on which BP is exact: each node hangs on an earlier one."""
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
    return make_graph(np.array(cost), weight, [i for i, _ in edges], [a for _, a in edges])
