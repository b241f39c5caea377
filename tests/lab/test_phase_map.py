"""``summc experiment map``: random problems of many kinds, and where belief propagation passes g-greedy."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.graph.build import make_graph
from summc.lab.experiments.phase_map import (
    BOUND,
    Method,
    Restarts,
    Tuning,
    cells_of,
    checked_grid,
    map_rows,
    methods_of,
)
from summc.lab.experiments.random_graphs import AMOUNTS, DEGREES, Family, Result
from summc.records import CoverageGraph
from summc.selectors import BeliefPropagation, Decimation, GGreedy
from summc.selectors.belief_propagation import propagate
from summc.selectors.updates import softplus
from tests.conftest import Cli, examples
from tests.support.strategies import graphs

MAP = ("experiment", "map")
#: Small problems, so that a map takes a fraction of a second.
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


def test_degrees_spread_more_from_kind_to_kind() -> None:
    spread = [
        np.bincount(Family(400, right=f"{kind}:4").problem(0)[0].edge_word).std()
        for kind in ("regular", "poisson", "power")
    ]
    assert spread[0] == 0
    assert spread[1] == pytest.approx(2, abs=0.3)
    assert spread[2] > 2 * spread[1]


def test_weights_spread_more_from_kind_to_kind() -> None:
    drawn = [draw(np.random.default_rng(1), 20_000) for draw in AMOUNTS.values()]
    assert [values.std() / values.mean() for values in drawn] == pytest.approx([0, 0.52, 1, 1.31], abs=0.07)
    assert all(values.min() > 0 for values in drawn)


def test_weights_and_costs_can_grow_with_the_degree() -> None:
    graph, _ = Family(50, "poisson:6", "power:3", "equal:degree", "equal:degree").problem(2)
    # A few edges of a heavy-tailed graph may be dropped, so the degrees that were drawn are the larger ones.
    by_word = np.bincount(graph.edge_word, minlength=len(graph.weight))
    by_sentence = np.bincount(graph.edge_sentence)
    assert np.corrcoef(by_word, graph.weight)[0, 1] > 0.99
    assert np.corrcoef(by_sentence, graph.cost)[0, 1] > 0.99


def test_each_level_is_worth_half_of_the_one_before() -> None:
    graph, _ = Family(20, levels=3).problem(0)
    assert graph.repeats.reshape(-1, 2) == pytest.approx(graph.weight[:, None] * [0.5, 0.25])


def test_the_budget_is_a_share_of_all_costs_and_leaves_the_graph_alone() -> None:
    (graph, budget), (same, twice) = (Family(30, budget=share).problem(4) for share in (0.2, 0.4))
    assert budget == pytest.approx(0.2 * graph.cost.sum())
    assert twice == 2 * budget
    assert same.edge_word.tolist() == graph.edge_word.tolist()


def test_every_other_change_draws_other_graphs() -> None:
    family = Family(30)
    others = [replace(family, weights="exponential"), replace(family, levels=2), replace(family, seed=1)]
    edges = [each.problem(0)[0].edge_word.tolist() for each in (family, *others)]
    edges.append(family.problem(1)[0].edge_word.tolist())
    assert all(one != another for i, one in enumerate(edges) for another in edges[:i])


# The rows


def test_rows_match_values_by_hand() -> None:
    grid = checked_grid({"sentences": [10], "mu": [0.5, "auto"]}, "")
    methods = [Method("g-greedy"), Method("bp", Tuning(mu=0.5)), Method("exact")]
    family = cells_of(grid, 1).families[0]
    results = {
        (family, 0): {
            "g-greedy": Result(8.0),
            methods[1].label: Result(10.0, converged=True, seconds=1.0),
            "exact": Result(10.0, proven=True),
            BOUND: Result(11.0),
        },
        (family, 1): {
            "g-greedy": Result(10.0),
            methods[1].label: Result(9.0, converged=False, seconds=3.0),
            "exact": Result(11.0),
            BOUND: Result(12.0),
        },
    }
    base, bp, exact = map_rows(grid, list(grid), 1, 2, methods, results)
    assert dict(base.axes) == {"sentences": 10}
    assert dict(bp.axes) == {"sentences": 10, "mu": 0.5}
    assert (base.difference, base.ci, base.is_noise) == (0, (0, 0), True)
    assert bp.difference == pytest.approx((25 - 10) / 2)
    assert (bp.better, bp.worse, bp.converged, bp.seconds) == (0.5, 0.5, 0.5, 2)
    assert bp.share == pytest.approx((10 / 10 + 9 / 12) / 2)  # of the optimum, then of the bound
    assert (bp.solved, exact.solved, base.solved) == (1, 1, 0)


def test_cells_are_pooled_over_the_axes_that_are_not_shown() -> None:
    grid = checked_grid({"sentences": [10], "budget": [0.1, 0.2]}, "")
    methods = [Method("g-greedy"), Method("greedy")]
    results = {
        (family, 0): {"g-greedy": Result(10.0), "greedy": Result(10.0 + i), BOUND: Result(20.0)}
        for i, family in enumerate(cells_of(grid, 1).families)
    }
    (_, greedy) = map_rows(grid, ["sentences"], 1, 1, methods, results)
    assert (greedy.graphs, dict(greedy.axes)) == (2, {"sentences": 10})
    assert greedy.difference == pytest.approx(5)


def test_only_bp_selectors_run_once_for_each_tuning() -> None:
    tunings = [Tuning(mu=0.3), Tuning(mu=0.5)]
    found = [
        method.label.partition(" damping")[0] for method in methods_of(["bp", "g-greedy", "auto"], tunings)
    ]
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


def test_the_output_is_the_same_with_several_jobs(summc: Cli) -> None:
    command = (*SMALL, "--vary", "budget=0.1,0.3", "--graphs", 1, "--selector", "bp", "--format", "csv")
    alone = summc(*command)
    assert alone.code == 0
    assert summc(*command, "--jobs", 2).out == alone.out


def test_a_saved_map_is_continued_and_extended(summc: Cli, tmp_path: Path) -> None:
    save, journal = tmp_path / "run", tmp_path / "run" / "map.jsonl"
    command = (*SMALL, "--selector", "bp", "--format", "csv")
    whole = summc(*command, "--vary", "budget=0.1,0.3", "--graphs", 3, "--save", save).out
    lines = journal.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 3
    journal.write_text("".join(lines[:4]) + lines[4][:30])  # as if killed while writing
    assert summc(*command, "--vary", "budget=0.1,0.3", "--graphs", 3, "--save", save).out == whole
    assert len(journal.read_text().splitlines()) == 1 + 2 * 3
    # Another selector, more graphs, and a part of the map.
    summc(*command, "--selector", "greedy", "--vary", "budget=0.1,0.3", "--graphs", 4, "--save", save)
    assert len(journal.read_text().splitlines()) == 1 + 2 * 3 + 2 * 4
    assert summc(*command, "--vary", "budget=0.1,0.3", "--graphs", 3, "--save", save).out == whole
    assert len(journal.read_text().splitlines()) == 1 + 2 * 3 + 2 * 4
    part = summc(*command, "--vary", "budget=0.3", "--graphs", 3, "--save", save).out.splitlines()
    assert part[1:] == [line for line in whole.splitlines() if ",0.3," in line]


def test_a_folder_of_other_conditions_is_refused(summc: Cli, tmp_path: Path) -> None:
    command = (*SMALL, "--graphs", 1, "--selector", "greedy", "--save", tmp_path)
    assert summc(*command).code == 0
    result = summc(*command, "--time-limit", 3)
    assert (result.code, result.err) == (2, f"error: {tmp_path}/map.jsonl: made with other settings (exact_seconds: 10, now 3); save to another folder, or remove it\n")  # fmt: skip # noqa: E501
    with (tmp_path / "map.jsonl").open("a") as stream:
        stream.write('{"family": {"sentences": 3}, "graph": "x", "results": {}}\n')
    assert "map.jsonl:3: not a result of a map" in summc(*command).err


def test_text_tables_fit_80_columns(summc: Cli) -> None:
    axes = {"right": "regular:3,power:3", "weights": "exponential,lognormal:degree",
            "costs": "lognormal,exponential:degree", "mu": "0.25,0.5"}  # fmt: skip
    vary = [part for axis, values in axes.items() for part in ("--vary", f"{axis}={values}")]
    text = summc(*SMALL, *vary, "--selector", "bp", "--graphs", 2, "--time").out
    table, signature = text.rstrip().rsplit("\n", 1)
    assert max(map(len, table.splitlines())) <= 80
    assert "right = power:3" in table
    assert "graphs:2" in signature
    rows = csv.DictReader(io.StringIO(summc(*SMALL, *vary, "--graphs", 1, "--selector", "bp", "-o", "-",
                                            "--format", "csv").out))  # fmt: skip
    assert len(list(rows)) == 8 + 16


def test_a_grid_comes_from_a_file_and_flags_replace_its_axes(summc: Cli, tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    file.write_text('sentences = [10]\nleft = ["regular:3"]\nbudget = [0.2, 0.3]\n')
    result = summc(*MAP, "--grid", file, "--vary", "budget=0.1:0.2:0.1", "--graphs", 1, "--format", "json")
    about = json.loads(result.out)
    assert (about["sentences"], about["left"], about["budget"]) == ("10", "regular:3", "0.1,0.2")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--vary", "rigth=power:3"], '--vary: no axis rigth; perhaps "right"?'),
        (["--vary", "right"], "--vary: must be AXIS=VALUE,..., got right; write for example levels=1,2"),
        (["--vary", "right=powr:3"], '--vary: right: must be KIND:MEAN, where KIND is one of regular, poisson, power, got powr:3; perhaps "power"?'),  # noqa: E501
        (["--vary", "left=power:0.5"], '--vary: left: must be KIND:MEAN, where KIND is one of regular, poisson, power, got power:0.5; perhaps "power"?'),  # noqa: E501
        (["--vary", "costs=equal:size"], '--vary: costs: must be one of equal, uniform, exponential, lognormal, alone or with :degree, got equal:size; perhaps "equal"?'),  # noqa: E501
        (["--vary", "budget=2"], "--vary: budget: must be a number from 1e-06 to 1, got 2"),
        (["--vary", "levels=1.5"], "--vary: levels: must be a whole number from 1 to 100, got 1.5"),
        (["--vary", "mu=high"], "--vary: mu: must be a number from 0 to 1000000, or auto, got high"),
        (["--vary", "sentences=1000000", "--vary", "left=regular:999"], "sentences: 1000000 sentences of degree regular:999 are too large; at most 1e+08 edges fit"),  # noqa: E501
        (["--selector", "greedy", "--plot", "a.png", "--vary", "sentences=5", "--vary", "mu=1,2"], "--plot: no selector has the axes mu and sentences; add bp, or choose others by --x and --y"),  # noqa: E501
        (["--selector", "gredy"], '--selector: unknown selector "gredy"; perhaps "greedy"?'),
        (["--grid", "none.toml"], "none.toml: no such file; name a TOML file"),
        (["--jobs", "2", "--scheduler", "tcp://a:1"], "--jobs: given with --scheduler; the workers of the cluster decide"),  # noqa: E501
        (["--plot", "a.png", "--x", "mu"], "--x: mu is not in the grid; give one of right, weights"),
        (["--plot", "a.png", "--vary", "mu=0.1,0.2"], "--plot: needs two axes; give --vary twice, with different axes"),  # noqa: E501
    ],
)  # fmt: skip
def test_bad_grids_are_refused(summc: Cli, flags: list[str], message: str) -> None:
    result = summc(*MAP, *flags)
    assert (result.out, result.err) == ("", f"error: {message}\n")
    assert result.code != 0


def test_a_budget_that_no_sentence_fits_is_level(summc: Cli) -> None:
    result = summc(
        *SMALL, "--vary", "budget=0.001", "--vary", "mu=0.5,auto", "--graphs", 1, "--format", "json"
    )
    assert {(row["difference"], row["share"]) for row in json.loads(result.out)["rows"]} == {(0, 1)}


def test_a_grid_file_that_is_not_one_is_refused(summc: Cli, tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    for text, problem in (("right = 3", f"{file}: right: must be a list of values"), ("right", "not TOML")):
        file.write_text(text)
        assert problem in summc(*MAP, "--grid", file).err


def test_the_phase_diagram_marks_cells_within_noise(summc: Cli, tmp_path: Path) -> None:
    picture = tmp_path / "map.svg"
    command = (
        *SMALL,
        "--vary",
        "budget=0.2,1",
        "--vary",
        "mu=0.4,1",
        "--selector",
        "bp,greedy",
        "--graphs",
        2,
    )
    result = summc(*command, "--plot", picture, "--x", "mu", "--y", "budget", "--format", "json")
    assert (result.code, result.err) == (0, "")
    drawn = picture.read_text()
    assert "bp less g-greedy, %" in drawn
    assert "greedy less g-greedy" not in drawn.replace("bp less g-greedy", "")  # it has no mu
    # With a budget for all sentences every selector covers everything.
    assert drawn.count(">+0.00<") == 2
    rows = [row for row in json.loads(result.out)["rows"] if row["selector"] == "bp"]
    for row in rows:
        assert f">{row['difference']:+.2f}<" in drawn
    again = tmp_path / "again.svg"
    summc(*command, "--plot", again, "--x", "mu", "--y", "budget")
    assert again.read_bytes() == picture.read_bytes()


# What the map shows, on a small part of it


def test_where_bp_wins_and_where_it_does_not(summc: Cli) -> None:
    equal = ("--vary", "sentences=60", "--vary", "weights=equal", "--vary", "costs=equal")

    def interval(right: str, *vary: str) -> tuple[float, float]:
        flags = [part for each in (f"right={right}", *vary) for part in ("--vary", each)]
        result = summc(*MAP, *equal, *flags, "--selector", "bp", "--graphs", 6, "--format", "json")
        row = json.loads(result.out)["rows"][-1]
        return row["difference_low"], row["difference_high"]

    # All sentences of a regular graph look the same to BP. Unequal degrees tell them apart.
    assert interval("regular:3", "mu=1")[1] < 0
    assert interval("power:3")[0] > 0
    # Without propagation the same number of rankings is worse than g-greedy, and so is a mu that is too high.
    assert interval("regular:3", "weights=uniform", "iterations=1")[1] < 0
    assert interval("power:3", "mu=3")[1] < 0


# Theory: the limit of large mu, and the tie of equal degrees


def _positive(graph: CoverageGraph, seed: int) -> CoverageGraph:
    """Return the graph with random costs of at least 1 and random weights, so that there are no ties."""
    rng = np.random.default_rng(seed)
    repeats = np.diff(graph.repeats_start)
    weight = 1 + rng.random(len(graph.weight))
    # Level n of a word is worth no more than level n - 1.
    levels = [weight[a] * 0.5**n for a, count in enumerate(repeats.tolist()) for n in range(1, count + 1)]
    return make_graph(
        1 + rng.random(len(graph.cost)), weight, graph.edge_sentence, graph.edge_word, count=graph.count,
        repeats=levels, repeats_start=graph.repeats_start,
    )  # fmt: skip


@examples(30)
@given(
    graph=graphs(most_levels=3, most_count=2), beta=st.sampled_from([0.5, 2.0, 10.0]), seed=st.integers(0, 9)
)
def test_at_large_mu_the_field_is_a_sum_over_words_that_ignores_overlap(
    graph: CoverageGraph, beta: float, seed: int
) -> None:
    graph = _positive(graph, seed)
    mu = 200.0 + 50 / beta
    field = propagate(graph, beta, mu, iterations=50, damping=0, tolerance=0).field
    alone = softplus(beta * graph.weight) / beta  # the message of a word that nobody else is likely to cover
    repeats = softplus(beta * graph.repeats) / beta
    expected = -mu * graph.cost
    for i, a, count in zip(graph.edge_sentence, graph.edge_word, graph.count, strict=True):
        start = graph.repeats_start[a]
        expected[i] += alone[a] + repeats[start : start + count - 1].sum()
    assert field == pytest.approx(expected, rel=1e-12)


@examples(30)
@given(graph=graphs(), seed=st.integers(0, 9), share=st.floats(0.2, 0.9), beta=st.sampled_from([0.5, 2.0]))
def test_at_large_mu_decimation_is_g_greedy_with_softened_weights(
    graph: CoverageGraph, seed: int, share: float, beta: float
) -> None:
    graph = _positive(graph, seed)
    budget = share * float(graph.cost.sum())
    made = Decimation(beta=beta, mu=200.0 + 50 / beta, damping=0.0).select(graph, budget)
    softened = make_graph(
        graph.cost, softplus(beta * graph.weight) / beta, graph.edge_sentence, graph.edge_word
    )
    assert made.chosen == GGreedy().select(softened, budget).chosen


def test_on_a_regular_graph_with_equal_weights_bp_cannot_tell_sentences_apart() -> None:
    graph, budget = Family(weights="equal", costs="equal", budget=0.18).problem(0)
    greedy = GGreedy().select(graph, budget)
    for price in (1.0, 2.0):
        mu = price * greedy.covered_weight / budget
        assert np.ptp(propagate(graph, 8.0, mu, 150, 0.5, 1e-6).field) < 1e-9
        chosen = BeliefPropagation(beta=8.0, mu=mu).select(graph, budget).chosen
        assert chosen == tuple(range(18))  # the first ones, whatever they hold
