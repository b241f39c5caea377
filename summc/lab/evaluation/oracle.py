"""The oracle: the extract with the highest possible ROUGE-1 recall.

The oracle reads the references and solves a coverage problem. The value of each occurrence of a word in the
summary is the recall that it adds. Occurrences beyond those in a reference add nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from summc.graph.build import make_graph
from summc.records import Floats
from summc.selectors.exact import solve_exactly

#: Most branch-and-bound nodes that the solver may visit. This limits the search instead of a time limit, with
#: which the answer would depend on the machine.
NODES = 2000


@dataclass(frozen=True, slots=True)
class Oracle:
    """The indices of the chosen sentences, and whether it is proven that no other choice scores higher."""

    chosen: tuple[int, ...]
    proven: bool


def best_extract(
    sentences: Sequence[Sequence[str]],
    cost: Floats,
    references: Sequence[Sequence[str]],
    budget: float,
    *,
    pooled: bool,
) -> Oracle:
    """Return the sentences whose total cost is within the budget and whose ROUGE-1 recall is the highest.

    Each sentence and each reference is a list of words. If ``pooled``, the references are scored together as
    one text. Otherwise the recall is the mean over the references.
    """
    gain = _gains(references, pooled=pooled)
    fits = [i for i in range(len(sentences)) if cost[i] <= budget]
    if not fits or not gain:
        return Oracle((), proven=True)
    number = {word: a for a, word in enumerate(gain)}
    edges = [(place, number[word], count) for place, i in enumerate(fits)
             for word, count in Counter(w for w in sentences[i] if w in number).items()]  # fmt: skip
    graph = make_graph(
        cost=cost[fits],
        weight=[values[0] for values in gain.values()],
        edge_sentence=[place for place, _, _ in edges],
        edge_word=[word for _, word, _ in edges],
        count=[count for _, _, count in edges],
        repeats=[value for values in gain.values() for value in values[1:]],
        repeats_start=np.cumsum([0, *(len(values) - 1 for values in gain.values())]),
    )
    found = solve_exactly(graph, budget, {"node_limit": NODES})
    return Oracle(tuple(fits[i] for i in found.chosen), proven=bool(found.diagnostics["optimal"]))


def _gains(references: Sequence[Sequence[str]], *, pooled: bool) -> dict[str, list[float]]:
    """Return how much the first, second, ... occurrence of each word adds to the recall.

    If ``pooled``, it is the recall of all references as one text, otherwise the mean over the references.
    """
    total = sum(len(reference) for reference in references)
    gain: dict[str, list[float]] = {}
    for reference in references:
        share = 1 / total if pooled else 1 / (len(reference) * len(references))
        for word, count in Counter(reference).items():
            values = gain.setdefault(word, [])
            values.extend([0.0] * (count - len(values)))
            for occurrence in range(count):
                values[occurrence] += share
    return gain
