from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.lab.experiments.random_graphs import Ensemble, Result, method_rows
from summc.selectors import SELECTORS
from tests.conftest import Cli


@given(
    sentences=st.sampled_from([6, 12, 30]),
    degrees=st.sampled_from([(2, 2), (3, 2), (4, 3), (6, 4), (5, 5), (6, 6)]),
    number=st.integers(0, 50),
)
def test_graphs_are_simple_and_biregular(sentences: int, degrees: tuple[int, int], number: int) -> None:
    ensemble = Ensemble(sentences, *degrees, costs=(2, 4), weights=(1, 3))
    ensemble.check()
    graph = ensemble.graph(number)
    edges = set(zip(graph.edge_sentence.tolist(), graph.edge_word.tolist(), strict=True))
    assert len(edges) == sentences * degrees[0]
    assert set(np.bincount(graph.edge_sentence).tolist()) == {degrees[0]}
    assert set(np.bincount(graph.edge_word).tolist()) == {degrees[1]}
    assert set(graph.cost.tolist()) <= {2, 3, 4}
    assert set(graph.weight.tolist()) <= {1, 2, 3}


@pytest.mark.parametrize(("sentences", "degree"), [(20, 18), (20, 20), (30, 27), (1, 1)])
def test_dense_graphs_are_drawn_too(sentences: int, degree: int) -> None:
    graph = Ensemble(sentences, degree, degree).graph(1)
    assert len(graph.edge_word) == sentences * degree
    for ends in (graph.edge_sentence, graph.edge_word):
        assert np.bincount(ends).tolist() == [degree] * sentences


def test_a_graph_depends_on_the_seed_and_its_number_alone() -> None:
    assert Ensemble().graph(3).edge_word.tolist() == Ensemble().graph(3).edge_word.tolist()
    assert Ensemble().graph(3).edge_word.tolist() != Ensemble().graph(4).edge_word.tolist()
    assert Ensemble(seed=1).graph(3).edge_word.tolist() != Ensemble().graph(3).edge_word.tolist()


def test_means_errors_and_shares_match_values_by_hand() -> None:
    first = {"g-greedy": Result(8, 0), "bp": Result(9, 1), "exact": Result(10, 2, proven=True)}
    second = {"g-greedy": Result(10, 0), "bp": Result(10, 3), "exact": Result(10, 2, proven=True)}
    rows = method_rows([first, second])
    bp = rows[1]
    assert (bp.mean, bp.error) == (9.5, 0.5)
    assert (bp.difference, bp.difference_error) == (0.5, 0.5)
    assert bp.share == pytest.approx(0.95)
    assert bp.solved == 0.5
    assert bp.seconds == 2


def test_an_unproven_solution_does_not_count_as_the_optimum() -> None:
    first = {"g-greedy": Result(8, 0), "exact": Result(10, 0, proven=True)}
    second = {"g-greedy": Result(9, 0), "exact": Result(9, 0)}
    assert [(row.share, row.solved) for row in method_rows([first, second])] == [(0.8, 0), (1, 1)]
    assert [(row.share, row.solved) for row in method_rows([second])] == [(None, None), (None, None)]


def test_a_budget_that_nothing_fits_counts_as_solved(summc: Cli) -> None:
    nothing = "--graphs 1 --costs 5:9 -k 1 --exact --selector auto"
    result = summc("experiment", "random-graphs", *nothing.split())
    assert [line.split()[-2:] for line in result.out.splitlines()[1:3]] == 2 * [["1.00000", "100%"]]


def test_an_optimum_that_was_not_proven_in_time_is_not_shown(summc: Cli) -> None:
    hard = "--graphs 2 --sentences 200 -k 200 --selector exact --time-limit 0.000001 --exact"
    lines = summc("experiment", "random-graphs", *hard.split()).out.splitlines()
    assert [line.split()[-2:] for line in lines[1:3]] == [["-", "-"], ["-", "-"]]
    assert lines[-1] == "note: the optimum is proven on 0 of 2 graphs; shares are over these alone"


def test_figure_2_can_be_printed_as_a_table(summc: Cli) -> None:
    arguments = ["experiment", "random-graphs", "--config", "paper-fig2", "--graphs", 2, "--mu", "4,5"]
    small = ("--sentences", 30, "-k", 30, "--selector", "bp,auto", "--exact")  # quickly solved
    found = json.loads(summc(*arguments, *small, "--format", "json").out)
    assert [row["method"] for row in found["rows"]] == [
        "g-greedy", "bp, mu = 4", "bp, mu = 5", "auto", "exact",
    ]  # fmt: skip
    assert (found["graphs"], found["k"]) == (2, 30)
    assert found["rows"][-1]["share"] == found["rows"][-1]["solved"] == 1
    assert found["rows"][3]["share"] > found["rows"][0]["share"]
    text = summc(*arguments).out
    assert text == summc(*arguments, "--jobs", 2).out
    heading = summc(*arguments, "--format", "csv").out.splitlines()[0].replace('"', "")
    assert heading.startswith("method,mean,error,difference,difference_error,share,solved,difference_low")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "--right-degree 7",
            "--right-degree: 100 x 9 edges cannot be shared out by 7; change a degree or --sentences",
        ),
        (
            "--sentences 2 --right-degree 3",
            "--left-degree: more edges than there are ends for; lower the degrees",
        ),
        ("--costs ten", "--costs: must be two whole numbers, got ten; write LOW:HIGH, such as 1:10"),
        ("--weights 0:3", "--weights: must go from 1 or more up, got 0:3; write LOW:HIGH, such as 1:10"),
        ("--mu 5:1:1", "--mu: must be values of mu, got 5:1:1; write LOW:HIGH:STEP, such as 3:8:0.5"),
        (
            "--selector lead",
            f'--selector: unknown selector "lead"; give {", ".join(SELECTORS)}',
        ),
        ("-k 5s", "--budget: counts sentences, where a random graph has costs alone; give a number"),
        ("--must dam", '--must: no such option; perhaps "--mu"?'),
        ("--selector bpp", '--selector: unknown selector "bpp"; perhaps "bp"?'),
    ],
)
def test_impossible_experiments_are_refused(summc: Cli, arguments: str, message: str) -> None:
    result = summc("experiment", "random-graphs", *arguments.split())
    assert (result.code, result.err) == (2, f"error: {message}\n")
