"""``summc experiment``: random problems of many kinds, and where belief propagation passes g-greedy."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.lab.experiments.random_graphs import AMOUNTS, DEGREES, Ensemble, Family
from summc.lab.experiments.runs import (
    BOUND,
    Restarts,
    Result,
    checked_grid,
    families_of,
    is_noise,
    map_rows,
    method_rows,
    methods_of,
)
from summc.records import CoverageGraph
from summc.selectors import BeliefPropagation, GGreedy
from tests.conftest import Cli, examples
from tests.support.strategies import graphs

MAP = ("experiment", "map")
#: Indices32 problems, so that a map takes a fraction of a second.
SMALL = (*MAP, "--vary", "sentences=20", "--vary", "left=regular:4")


# The problems


@pytest.mark.parametrize("left", [f"{kind}:4" for kind in DEGREES])
@pytest.mark.parametrize("right", [f"{kind}:3" for kind in DEGREES])
def test_a_family_has_its_size_and_its_mean_degrees(left: str, right: str) -> None:
    graph, _ = Family(60, left, right).problem(0)
    assert (len(graph.cost), len(graph.weight)) == (60, 80)
    by_sentence, by_word = np.bincount(graph.edge_sentence), np.bincount(graph.edge_word, minlength=80)
    assert by_sentence.mean() == pytest.approx(4, abs=0.05)
    assert by_word.mean() == pytest.approx(3, abs=0.05)
    assert min(by_sentence.min(), by_word.min()) >= 1
    pairs = set(zip(graph.edge_sentence.tolist(), graph.edge_word.tolist(), strict=True))
    assert len(pairs) == len(graph.edge_word)
    for text, degree in ((left, by_sentence), (right, by_word)):
        if text.startswith("regular"):
            assert set(degree.tolist()) == {round(degree.mean())}


def test_degrees_and_weights_spread_more_from_kind_to_kind() -> None:
    graphs = [Family(400, right=f"{kind}:4").problem(0)[0] for kind in DEGREES]
    regular, poisson, power = (np.bincount(graph.edge_word).std() for graph in graphs)
    assert (regular, poisson) == pytest.approx((0, 2), abs=0.3)
    assert power > 2 * poisson
    drawn = [draw(np.random.default_rng(1), 20_000) for draw in AMOUNTS.values()]
    assert [values.std() / values.mean() for values in drawn] == pytest.approx([0, 0.52, 1, 1.31], abs=0.07)
    assert all(values.min() > 0 for values in drawn)


def test_weights_and_costs_can_grow_with_the_degree() -> None:
    graph, _ = Family(50, "poisson:6", "power:3", "equal:degree", "equal:degree").problem(2)
    # A few edges of a heavy-tailed graph may be dropped, so the degrees that were drawn are the larger ones.
    by_word = np.bincount(graph.edge_word, minlength=len(graph.weight))
    for degree, drawn in ((by_word, graph.weight), (np.bincount(graph.edge_sentence), graph.cost)):
        assert np.corrcoef(degree, drawn)[0, 1] > 0.99


def test_the_budget_is_a_share_of_all_costs_and_leaves_the_graph_alone() -> None:
    (graph, budget), (same, twice) = (Family(30, levels=3, budget=share).problem(4) for share in (0.2, 0.4))
    assert budget == pytest.approx(0.2 * graph.cost.sum())
    assert twice == 2 * budget
    assert same.edge_word.tolist() == graph.edge_word.tolist()
    # Each level is worth half of the one before.
    assert graph.repeats.reshape(-1, 2) == pytest.approx(graph.weight[:, None] * [0.5, 0.25])


def test_every_other_change_draws_other_graphs() -> None:
    family = Family(30)
    others = [replace(family, weights="exponential"), replace(family, levels=2), replace(family, seed=1)]
    edges = [each.problem(0)[0].edge_word.tolist() for each in (family, *others)]
    edges.append(family.problem(1)[0].edge_word.tolist())
    assert all(one != another for i, one in enumerate(edges) for another in edges[:i])


# The rows


def test_rows_match_values_by_hand() -> None:
    grid = checked_grid({"sentences": [10], "mu": [0.5, "auto"]}, "")
    methods = methods_of(["bp", "exact"], {"mu": [0.5]})
    family, (base, bp, exact) = families_of(grid, 1)[0], methods
    results = {
        (family, 0): {
            base: Result(8.0), bp: Result(10.0, 1.0, converged=True), exact: Result(10.0, proven=True),
            BOUND: Result(11.0),
        },
        (family, 1): {
            base: Result(10.0), bp: Result(9.0, 3.0, converged=False), exact: Result(11.0), BOUND: Result(12.0)
        },
    }  # fmt: skip
    greedy, own, best = map_rows(grid, methods, results)
    assert (greedy["sentences"], own["sentences"], own["mu"], "mu" in greedy) == (10, 10, 0.5, False)
    assert (greedy["difference"], greedy["difference_ci"], is_noise(greedy)) == (0, (0, 0), True)
    assert own["difference"] == pytest.approx((25 - 10) / 2)
    assert (own["better"], own["worse"], own["converged"], own["seconds"]) == (0.5, 0.5, 0.5, 2)
    assert own["share"] == pytest.approx((10 / 10 + 9 / 12) / 2)  # of the optimum, then of the bound
    assert (own["solved"], best["solved"], greedy["solved"]) == (1, 1, 0)


def test_cells_are_pooled_over_the_axes_that_are_not_shown() -> None:
    grid = checked_grid({"sentences": [10], "budget": [0.1, 0.2]}, "")
    methods = methods_of(["greedy"], grid)
    results = {
        (family, 0): {"g-greedy": Result(10.0), "greedy": Result(10.0 + i), BOUND: Result(20.0)}
        for i, family in enumerate(families_of(grid, 1))
    }
    (_, greedy) = map_rows(grid, methods, results, ["sentences"])
    assert (greedy["graphs"], greedy["sentences"], "budget" in greedy) == (2, 10, False)
    assert greedy["difference"] == pytest.approx(5)


def test_only_bp_selectors_run_once_for_each_tuning() -> None:
    methods = methods_of(["bp", "g-greedy", "auto"], {"mu": [0.3, 0.5]})
    found = [label.partition(" damping")[0] for label in methods]
    assert found == ["g-greedy", "bp beta=auto mu=0.3", "bp beta=auto mu=0.5", "auto"]


@examples(30)
@given(graph=graphs(most_levels=3, most_count=2), budget=st.integers(0, 20))
def test_the_control_is_never_below_g_greedy(graph: CoverageGraph, budget: int) -> None:
    made, greedy = Restarts().select(graph, budget), GGreedy().select(graph, budget)
    assert made.covered_weight >= greedy.covered_weight
    assert made.cost <= budget
    assert made == Restarts().select(graph, budget)


def test_the_control_gains_by_its_tries() -> None:
    graph, budget = Family(40, weights="equal", costs="equal").problem(0)
    assert Restarts().select(graph, budget).covered_weight > GGreedy().select(graph, budget).covered_weight


# The command


def test_the_command_reports_what_the_selectors_cover(summc: Cli) -> None:
    command = (*SMALL, "--vary", "budget=0.3", "--vary", "mu=0.4", "--vary", "beta=6", "--graphs", 1)
    result = summc(*command, "--selector", "bp,exact", "--format", "json")
    base, bp, exact = json.loads(result.out)["rows"]
    graph, budget = Family(20, "regular:4", budget=0.3).problem(0)
    greedy = GGreedy().select(graph, budget).covered_weight
    own = BeliefPropagation(beta=6 / graph.weight.mean(), mu=0.4 * greedy / budget).select(graph, budget)
    assert bp["difference"] == pytest.approx(100 * (own.covered_weight - greedy) / greedy)
    assert bp["converged"] == own.diagnostics["converged"]
    assert (exact["share"], exact["solved"]) == (1, 1)
    assert base["share"] == pytest.approx(greedy / (own.covered_weight / bp["share"]))
    assert "seconds" not in bp


def test_a_saved_map_is_continued_and_extended(summc: Cli, tmp_path: Path) -> None:
    journal = tmp_path / "map.jsonl"

    def run(*more: object) -> tuple[list[str], list[str]]:
        flags = ("--vary", "budget=0.1,0.3", "--graphs", 2, "--save", tmp_path, "--format", "csv")
        out = summc(*SMALL, "--selector", "bp", *flags, *more).out
        return out.splitlines(), journal.read_text().splitlines(keepends=True)

    whole, lines = run()
    assert len(lines) == 1 + 2 * 2
    journal.write_text("".join(lines[:4]) + lines[4][:30])  # as if killed while writing
    again, lines = run("--jobs", 2)
    assert (again, len(lines)) == (whole, 1 + 2 * 2)
    # Another selector, more graphs, and a part of the map.
    assert len(run("--selector", "greedy", "--graphs", 3)[1]) == 1 + 2 * 2 + 2 * 3
    again, lines = run()
    assert (again, len(lines)) == (whole, 1 + 2 * 2 + 2 * 3)
    assert run("--vary", "budget=0.3")[0][1:] == [line for line in whole if ",0.3," in line]
    with journal.open("a") as stream:
        stream.write('{"family": {"sentences": 3}, "graph": "x", "results": {}}\n')
    assert "map.jsonl:12: not a result of a map" in summc(*SMALL, "--graphs", 2, "--save", tmp_path).err


def test_text_tables_fit_80_columns(summc: Cli) -> None:
    axes = ("right=regular:3,power:3", "weights=exponential,lognormal:degree", "mu=0.25,0.5")
    vary = [part for axis in (*axes, "costs=lognormal,exponential:degree") for part in ("--vary", axis)]
    text = summc(*SMALL, *vary, "--selector", "bp", "--graphs", 1, "--time").out
    table, signature = text.rstrip().rsplit("\n", 1)
    assert max(map(len, table.splitlines())) <= 80
    assert "not shown: share" in table
    assert "|levels:1|budget:0.18|" in signature
    assert "graphs:1" in signature
    one_cell = summc(*SMALL, "--selector", "bp", "--graphs", 1, "--format", "md").out
    assert "| 20 | regular:4 |" in " ".join(one_cell.split())


def test_the_phase_diagram_marks_cells_within_noise(summc: Cli, tmp_path: Path) -> None:
    picture, again = tmp_path / "map.svg", tmp_path / "again.svg"
    flags = "--vary budget=0.2,1 --vary mu=0.4,1 --selector bp,greedy --graphs 2 --x mu --y budget --plot"
    command = (*SMALL, *flags.split())
    result = summc(*command, picture, "--format", "json")
    assert (result.code, result.err) == (0, "")
    drawn = picture.read_text()
    assert "bp less g-greedy, %" in drawn
    assert "greedy less g-greedy" not in drawn.replace("bp less g-greedy", "")  # it has no mu
    # With a budget for all sentences every selector covers everything.
    assert drawn.count(">+0.00<") == 2
    rows = [row for row in json.loads(result.out)["rows"] if row["selector"] == "bp"]
    assert all(f">{row['difference']:+.2f}<" in drawn for row in rows)
    summc(*command, again)
    assert again.read_bytes() == picture.read_bytes()


# Figure 2 of the paper


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
    draws = ((2, 3), (2, 3), (2, 4), (1, 3))
    first, same, *others = (Ensemble(seed=s).graph(n).edge_word.tolist() for s, n in draws)
    assert first == same
    assert first not in others


def test_means_errors_and_shares_match_values_by_hand() -> None:
    first = {"g-greedy": Result(8, 0), "bp": Result(9, 1), "exact": Result(10, 2, proven=True)}
    second = {"g-greedy": Result(10, 0), "bp": Result(10, 3), "exact": Result(10, 2)}
    base, bp, _ = method_rows([first, second])
    assert (bp["mean"], bp["error"], bp["seconds"]) == (9.5, 0.5, 2)
    assert (bp["difference"], bp["difference_error"]) == (0.5, 0.5)
    # The optimum of the second graph is not proven.
    assert (base["share"], base["solved"], bp["share"], bp["solved"]) == (0.8, 0, 0.9, 0)
    assert [(row["share"], row["solved"]) for row in method_rows([second])] == [(None, None)] * 3


def test_an_optimum_that_was_not_proven_in_time_is_not_shown(summc: Cli) -> None:
    hard = "--graphs 2 --sentences 80 -k 80 --selector exact --time-limit 0.000001 --exact"
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
    heading = summc(*arguments, "--format", "csv").out.splitlines()[0].replace('"', "")
    assert heading.startswith("method,mean,error,difference,difference_error,share,solved,difference_low")
