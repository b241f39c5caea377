from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.graph import (
    build_graph,
    describe,
    gains,
    make_graph,
    occurrences,
    total_weight,
    without_sentences,
)
from summc.records import CoverageGraph, WordWeights
from summc.selectors.amounts import within_budget
from summc.selectors.base import make_selection
from tests import oracles
from tests.support.depth import few_examples
from tests.support.strategies import graphs
from tests.weights.test_weights import tokenized

problems = graphs(most_levels=4, most_count=3, least_edges=4)

CLUSTER = tokenized("c", ["dam broke dam", "nothing", "town"], ["dam broke dam", "town dam"])
WEIGHTS = WordWeights(("broke", "dam", "nothing", "town"), np.array([0.5, 0.25, 0.0, 1.0]), "sentence")


def test_the_graph_of_a_cluster_has_its_costs_weights_and_edges() -> None:
    graph = build_graph(CLUSTER, WEIGHTS)
    # Left out are "nothing", which has no weight, and the second "dam broke dam".
    assert graph.sentence_ids.tolist() == [0, 2, 4]
    assert graph.word_ids.tolist() == [0, 1, 3]
    assert graph.cost.tolist() == [3, 1, 2]
    assert graph.weight.tolist() == [0.5, 0.25, 1.0]
    edges = list(zip(graph.edge_sentence.tolist(), graph.edge_word.tolist(), strict=True))
    assert edges == [(0, 0), (0, 1), (1, 2), (2, 1), (2, 2)]


def test_edges_are_sorted_unique_and_read_only() -> None:
    graph = make_graph([1, 1], [1, 1], [1, 0, 1, 1], [1, 1, 0, 1])
    assert (graph.edge_sentence.tolist(), graph.edge_word.tolist()) == ([0, 1, 1], [1, 0, 1])
    for array in (graph.cost, graph.weight, graph.edge_sentence, graph.edge_word):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@given(graph=graphs(), budget=st.integers(0, 12))
def test_removing_sentences_over_budget_keeps_the_optimum(graph: CoverageGraph, budget: int) -> None:
    part, sentences = within_budget(graph, budget)
    assert (part.cost <= budget).all()
    assert (part.weight > 0).all()
    assert part.cost.tolist() == graph.cost[sentences].tolist()
    assert part.sentence_ids.tolist() == graph.sentence_ids[sentences].tolist()
    assert oracles.optimum(part, budget) == oracles.optimum(graph, budget)


def test_describe_gives_the_size_of_a_graph() -> None:
    size = describe(build_graph(CLUSTER, WEIGHTS))
    assert (size["sentences"], size["words"], size["edges"]) == (3, 3, 5)
    assert (size["words in one sentence"], size["largest degree of a word"]) == (1, 2)
    assert size["mean degree of a sentence"] == pytest.approx(5 / 3)
    assert describe(make_graph([], [], [], []))["edges"] == 0


@few_examples()
@given(problems, st.data())
def test_a_choice_covers_the_first_levels_of_its_words(graph: CoverageGraph, data: st.DataObject) -> None:
    chosen = sorted(data.draw(st.sets(st.integers(0, len(graph.cost) - 1))))
    assert make_selection(graph, 100, "x", chosen).covered_weight == oracles.coverage(graph, tuple(chosen))
    times = occurrences(graph, chosen)
    added = gains(graph, times)
    for i in range(len(graph.cost)):
        if i not in chosen:
            more = oracles.coverage(graph, (*chosen, i)) - oracles.coverage(graph, tuple(chosen))
            assert added[i] == pytest.approx(more, abs=1e-9)
    assert total_weight(graph) == pytest.approx(oracles.coverage(graph, tuple(range(len(graph.cost)))))
    others = tuple(i for i in range(len(graph.cost)) if i not in chosen)
    left = total_weight(graph) - oracles.coverage(graph, tuple(chosen))
    assert oracles.coverage(without_sentences(graph, chosen), others) == pytest.approx(left)
