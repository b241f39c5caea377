"""The reduction of a problem against its plain definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.graph import make_graph
from summc.records import CoverageGraph
from summc.selectors.reduction import promising, reduce_problem
from tests.bench.inputs import make_text_graph
from tests.oracles import as_graph, optimum, words_of
from tests.support.strategies import graphs

Plain = tuple[list[int], list[float], dict[tuple[int, ...], float]]


def plain_reduction(graph: CoverageGraph, budget: float, keep: Sequence[int]) -> Plain:
    """Return the kept sentences, the weight that each holds alone, and the weight that each set shares."""
    words, cost = words_of(graph), graph.cost.tolist()

    def dominated(i: int) -> bool:
        return any(
            words[i] <= words[k] and (cost[k], -len(words[k]), k) < (cost[i], -len(words[i]), i)
            for k in range(len(cost))
        )

    kept = [i for i in range(len(cost)) if i in keep or (words[i] and cost[i] <= budget and not dominated(i))]
    own, shared = [0.0] * len(kept), {}  # type: tuple[list[float], dict[tuple[int, ...], float]]
    for a, weight in enumerate(graph.weight.tolist()):
        holders = tuple(column for column, i in enumerate(kept) if a in words[i])
        if weight > 0 and len(holders) == 1:
            own[holders[0]] += weight
        elif weight > 0 and holders:
            shared[holders] = shared.get(holders, 0.0) + weight
    return kept, own, shared


def assert_reduced(graph: CoverageGraph, budget: float, keep: Sequence[int] = ()) -> None:
    problem = reduce_problem(graph, budget, keep)
    kept, own, shared = plain_reduction(graph, budget, keep)
    assert problem.sentence.tolist() == kept
    assert problem.cost.tolist() == graph.cost[kept].tolist()
    assert problem.unique_weight.tolist() == own
    assert problem.weight.tolist() == list(shared.values())
    held = zip(problem.edge_word.tolist(), problem.edge_sentence.tolist(), strict=True)
    assert list(held) == [(a, column) for a, holders in enumerate(shared) for column in holders]


@given(graph=graphs(integers=False), budget=st.integers(0, 12), data=st.data())
def test_small_graphs_are_reduced_by_the_definition(
    graph: CoverageGraph, budget: int, data: st.DataObject
) -> None:
    keep = data.draw(st.lists(st.integers(0, len(graph.cost) - 1), unique=True, max_size=2))
    assert_reduced(graph, budget, keep)


@given(graph=graphs() | graphs(most_levels=4, most_count=3, least_edges=4), budget=st.integers(0, 30))
def test_a_reduced_problem_has_the_same_optimum(graph: CoverageGraph, budget: int) -> None:
    same = as_graph(reduce_problem(graph, budget))
    assert optimum(same, budget) == pytest.approx(optimum(graph, budget))


def test_large_graphs_are_reduced_by_the_definition() -> None:
    rng = np.random.default_rng(4)
    sentence = np.repeat(np.arange(300), rng.integers(1, 5, 300))
    graph = make_graph(rng.integers(1, 9, 300), rng.random(40), sentence, rng.integers(0, 40, len(sentence)))
    assert len(reduce_problem(graph, 8).cost) < 250
    assert_reduced(graph, 8)
    assert_reduced(make_text_graph(200), 20)


def test_very_many_sentences_with_the_same_words_are_reduced_quickly() -> None:
    # Comparing all pairs would take minutes.
    n = 30_000
    sentence = np.repeat(np.arange(n), 2)
    graph = make_graph(5 - np.arange(n) % 4, np.ones(2), sentence, np.tile([0, 1], n))
    problem = reduce_problem(graph, 9)
    assert (problem.sentence.tolist(), problem.cost.tolist()) == ([3], [2.0])


def test_a_search_among_few_sentences_has_the_chosen_and_the_best_ones() -> None:
    # Sentence i covers word i alone; the last one does not fit, and is worth the most.
    graph = make_graph([1, 1, 1, 1, 9], [3.0, 1, 4, 2, 99], range(5), range(5))
    assert promising(graph, 4, [1], 3).sentence.tolist() == [0, 1, 2]
    assert promising(graph, 4, [1], 9).sentence.tolist() == [0, 1, 2, 3]
