"""``summc curve``: the coverage of ``summarize`` at each length, and a proven upper bound for it."""

from __future__ import annotations

import csv
import io
import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given

from summc.config import Config
from summc.lab.evaluation import Case
from summc.lab.experiments.budgets import Length, measure
from summc.records import Cluster, CoverageGraph
from tests import oracles
from tests.conftest import Cli, examples
from tests.support.small import DAM, write_lines
from tests.support.strategies import graphs

BUDGETS = [1, 5, 13, 40]
#: Problems whose sentences share words, so that selectors miss the optimum.
shared = graphs(least_edges=8)
BY_COVERAGE = ["--selector", "g-greedy", "--weighting", "position", "--reading", "0"]


def curve_of(graph: CoverageGraph, **settings: object) -> list[Length]:
    configs = [Config().with_settings({**settings, "budget": budget}) for budget in BUDGETS[::-1]]
    (curve,) = measure([Case(Cluster("x", ()), graph)], configs)
    return curve


@pytest.mark.parametrize(
    "settings",
    [{"selector": name} for name in ("bp", "g-greedy", "exact")] + [{"selector": "bp-decimation", "mu": 0.3}],
)
@given(graph=shared | graphs())
@examples(15)
def test_no_curve_exceeds_its_bound_and_bounds_rise(
    graph: CoverageGraph, settings: dict[str, object]
) -> None:
    curve = curve_of(graph, **settings)
    assert [row["k"] for row in curve] == BUDGETS
    for row in curve:
        # Rounding alone may put a bound below the optimum.
        assert row["covered_weight"] <= row["bound"]
        assert (
            oracles.optimum(graph, row["k"]) <= row["bound"] * (1 + 1e-9) <= row["total_weight"] * (1 + 1e-6)
        )
        assert row["words"] <= row["k"]
        if settings["selector"] == "exact":
            assert row["covered_weight"] == row["bound"] == pytest.approx(oracles.optimum(graph, row["k"]))
    assert all(a["bound"] <= b["bound"] for a, b in itertools.pairwise(curve))


def test_each_row_is_the_summary_of_that_length(summc: Cli) -> None:
    arguments = [*BY_COVERAGE, *DAM]
    rows = json.loads(summc("curve", "-k", "30:120:30", *arguments, "--format", "json").out)["rows"]
    assert [row["k"] for row in rows] == [30, 60, 90, 120]
    for row in rows:
        made = json.loads(summc("summarize", "-k", row["k"], *arguments, "--format", "json").out)
        assert (row["words"], row["sentences"]) == (made["words"], len(made["sentences"]))
        assert row["covered_weight"] == made["covered_weight"]
        assert row["share"] == row["covered_weight"] / row["total_weight"]
        assert row["proven"] == row["covered_weight"] / row["bound"] <= 1
    assert all(a["covered_weight"] <= b["covered_weight"] for a, b in itertools.pairwise(rows))


def test_nothing_is_proven_beyond_all_if_no_candidate_fits_small_budgets(summc: Cli) -> None:
    # Below 8 words no candidate fits, so that all sentences are taken, with other bounds.
    arguments = ["-k", "3:13:1", "--selector", "g-greedy", "--weighting", "tfidf", "--format", "json"]
    rows = json.loads(summc("curve", *DAM, *arguments, "--least-words", "8").out)["rows"]
    assert any(row["k"] < 8 and row["covered_weight"] for row in rows)
    assert all(row["proven"] <= 1 for row in rows if row["proven"] is not None)


def test_the_table_and_its_hint(summc: Cli) -> None:
    result = summc("curve", "-k", "3,50,150", *BY_COVERAGE, *DAM, "-v")
    table, note = result.out.split("\n\n")
    lines = [line.split() for line in table.splitlines()]
    assert lines[0] == ["K", "words", "sentences", "covered", "proven"]
    assert lines[1] == ["3", "0", "0", "0.0%", "-"]
    assert [line[0] for line in lines[1:]] == ["3", "50", "150"]
    assert note == "note: half of the weight is covered from K = 150\n"
    assert "selector:g-greedy|numpy:" in result.err
    assert "|k:" not in result.err
    low = summc("curve", "-k", "80", *BY_COVERAGE, *DAM).out
    assert "note: half of the weight takes more than K = 80\n" in low


def test_several_clusters_have_a_row_for_each_budget(summc: Cli, tmp_path: Path) -> None:
    arguments = ["curve", "-k", "150,50", *BY_COVERAGE, write_lines(tmp_path / "two.jsonl")]
    rows = list(csv.DictReader(io.StringIO(summc(*arguments, "--format", "csv").out)))
    assert [(row["cluster"], row["k"]) for row in rows] == [
        (name, k) for name in ("d90001t", "d90002t") for k in ("50", "150")
    ]
    text = summc(*arguments).out
    assert text.startswith("cluster    K  words")
    shares = [sum(float(row["share"]) for row in rows if row["k"] == k) / 2 for k in ("50", "150")]
    assert shares[0] < 0.5 <= shares[1]
    assert "note: on average half of the weight is covered from K = 150\n" in text


def test_a_required_sentence_is_in_every_length(summc: Cli) -> None:
    quoted = "No. 9, in Lower Ansby, was silent"  # a candidate only because it is required
    result = summc("curve", "-k", "20,40", "--must", quoted, "--format", "json", *DAM)
    for row in json.loads(result.out)["rows"]:
        alone = json.loads(summc("summarize", "-k", row["k"], "--must", quoted, "--format", "json", *DAM).out)
        assert quoted in alone["text"]
        assert row["covered_weight"] == alone["covered_weight"]
