"""Proven bounds, and the optimum by integer programming."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.graph import make_graph
from summc.records import CoverageGraph, Selection
from summc.report.codec import encode_graph
from summc.selectors import Auto, Exact, GGreedy, upper_bound
from summc.selectors.bounds import relax, without_hopeless
from summc.selectors.exact import _answer
from summc.selectors.reduction import reduce_problem
from tests import oracles
from tests.conftest import Cli, examples
from tests.support.small import lines_of, write_lines
from tests.support.strategies import graphs

problems = graphs(integers=False) | graphs(most_levels=4, most_count=3, least_edges=4)


@examples(80)
@given(graph=problems, budget=st.integers(0, 30), share=st.floats(0, 1))
def test_exact_is_the_optimum_and_no_bound_is_below_it(
    graph: CoverageGraph, budget: int, share: float
) -> None:
    best = oracles.optimum(graph, budget)
    selection = Exact().select(graph, budget)
    assert selection.covered_weight == pytest.approx(best, rel=1e-6)
    assert selection.bound is not None
    assert best * (1 - 1e-12) <= selection.bound <= best * (1 + 1e-5)
    assert upper_bound(graph, budget, share * best) >= best * (1 - 1e-12)
    problem = reduce_problem(graph, budget)
    if len(problem.cost):
        assert relax(problem, budget, share * best).bound >= best * (1 - 1e-9)


def test_whole_sentences_give_a_lower_bound_than_parts_of_them() -> None:
    # Two of three sentences fit. A part of the third would be worth 4 more.
    graph = make_graph([4, 4, 3], [8, 8, 6], [0, 1, 2], [0, 1, 2])
    assert relax(reduce_problem(graph, 10), 10, 0).bound == pytest.approx(20)
    assert [upper_bound(graph, budget, 0) for budget in (10, 11, 2)] == [16, 22, 0]
    halves = make_graph([1.5, 1.5], [3, 3], [0, 1], [0, 1])  # fractional costs have no table
    assert upper_bound(halves, 2, 0) == 4
    # Of the sentences that a better selection may hold, none gives one: the known selection is the best.
    assert upper_bound(oracles.biregular(np.random.default_rng(10), 40), 12, 369) == 369


def test_steps_lower_the_bounds_as_far_as_measured() -> None:
    """Faults in the steps or their length keep a bound valid, but make it higher."""
    parts = whole = filled = hopeful = 0.0
    for seed, levels in enumerate((1, 3, 1, 3)):
        rng = np.random.default_rng(seed)
        sentence, word = np.nonzero(rng.random((14, 16)) < 0.35)
        weight = rng.uniform(1, 20, 16)
        repeats = weight[:, None] * np.multiply.accumulate(rng.random((16, levels - 1)), axis=1)
        graph = make_graph(
            rng.integers(3, 9, 14), weight, sentence, word, count=rng.integers(1, 3, len(word)),
            repeats=repeats.ravel(), repeats_start=np.arange(17) * (levels - 1),
        )  # fmt: skip
        problem = reduce_problem(graph, 14)
        relaxation = relax(problem, 14, 0)
        parts += relaxation.bound
        hopeful += len(without_hopeless(problem, relaxation, 0.96 * relaxation.bound).cost)
        filled += float((relaxation.filling**2).sum())
        whole += upper_bound(graph, 14, 0)
    assert (parts, whole, filled, hopeful) == pytest.approx((785.053, 777.049, 7.259, 37), abs=0.01)


# The selector exact


def test_exact_reports_a_valid_gap_when_time_runs_out() -> None:
    rng = np.random.default_rng(3)
    words = np.concatenate([rng.choice(300, 20, replace=False) for _ in range(200)])
    graph = make_graph(
        rng.integers(100, 300, 200), rng.integers(100, 300, 300), np.repeat(np.arange(200), 20), words
    )
    selection = Exact(time_limit=0.1).select(graph, 2000)
    assert not selection.diagnostics["optimal"]
    assert selection.bound is not None
    assert selection.bound > selection.covered_weight >= Auto().select(graph, 2000).covered_weight
    assert selection.diagnostics["gap"] == pytest.approx(selection.bound / selection.covered_weight - 1)
    assert selection.bound <= upper_bound(graph, 2000, selection.covered_weight)


def test_exact_improves_on_the_selection_it_starts_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summc.selectors.exact.Auto", GGreedy)  # it takes the short sentence first
    graph = make_graph([1, 5, 5], [3.5, 10.25, 10.25], range(3), range(3))
    found = Exact().select(graph, 10)
    assert (found.chosen, found.covered_weight, found.bound) == ((1, 2), 20.5, 20.5)


def test_a_choice_that_covers_everything_or_cannot_be_improved_is_optimal() -> None:
    graph = make_graph([2, 3, 4], [0.1, 0.2, 0.7], [0, 1, 1, 2, 2], [0, 0, 1, 1, 2])
    selection = Exact().select(graph, 7)
    assert selection.covered_weight == selection.bound == pytest.approx(1)
    assert selection.diagnostics == {"optimal": True, "gap": 0.0}
    without_hopeless = Exact().select(make_graph([1, 1, 1], [3, 2, 1], range(3), range(3)), 2)
    assert without_hopeless.diagnostics == {"optimal": True, "gap": 0.0}
    nothing = Exact().select(graph, 1)
    assert (nothing.chosen, nothing.bound, nothing.diagnostics["gap"]) == ((), 0, 0)


def test_an_optimum_is_its_own_bound() -> None:
    near = 10.00001  # within the tolerance of HiGHS
    for bound, optimal, expected in ((9, False, 10), (12, True, 12), (near, True, 10), (near, False, near)):
        assert _answer(Selection("auto", 9, (0,), 4, 10), bound, optimal=optimal).bound == expected


# The command


def test_certified_and_polished_selections(summc: Cli) -> None:
    graph = oracles.biregular(np.random.default_rng(9), sentences=30)

    def selected(*flags: str) -> Any:
        result = summc("select", "-k", 30, *flags, stdin=json.dumps({"graph": encode_graph(graph)}))
        assert (len(result.out.splitlines()), result.err) == (1, "")  # HiGHS prints nothing
        return json.loads(result.out)["selection"]

    exact = selected("--selector", "exact")
    assert exact["diagnostics"]["optimal"]
    greedy = selected("--selector", "greedy", "--certify")
    assert greedy["bound"] >= exact["covered_weight"]
    polished = selected("--selector", "greedy", "--polish")["covered_weight"]
    assert greedy["covered_weight"] < polished <= exact["covered_weight"]


def test_evaluate_shows_the_proven_share(summc: Cli, tmp_path: Path) -> None:
    data = write_lines(tmp_path / "one.jsonl", 1)
    arguments = ["evaluate", "--dataset", data, "-k", 50, "--selector", "auto,greedy,lead"]
    found = json.loads(summc(*arguments, "--certify", "--format", "json").out)["rows"]
    assert 0.95 < found[0]["proven"] <= 1
    assert found[1]["proven"] < found[0]["proven"]
    assert found[2]["proven"] is None
    quick = ["evaluate", "--dataset", lines_of(data, ["The dam broke."]), "--selector", "greedy"]
    assert "proven" in summc(*quick, "--certify").out
    assert "proven" not in summc(*quick).out
