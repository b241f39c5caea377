"""``summc sweep``: the same numbers as ``evaluate``, and the same bytes however it is run."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from summc.config import Config
from summc.documents.sources import cluster_of_texts
from summc.errors import InputError, SettingError
from summc.lab.evaluation import Case, make_cases
from summc.lab.evaluation.report import decode, encode
from summc.lab.experiments import journal
from summc.lab.experiments.sweep import best, conditions, make_points, sweep_rows
from summc.records import Outcome, Score, Selection
from tests.conftest import Cli
from tests.support.small import write_lines

FEW_STEPS = Config().with_settings({"selector": "bp", "iterations": 9})
Arguments = list[str]


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Arguments:
    """Return the arguments of a sweep over three values of mu, of two clusters with two documents each."""
    two = write_lines(tmp_path_factory.mktemp("two") / "two.jsonl")
    command = f"sweep --config paper-fig3 --dataset {two} --mu 0.02:0.06:0.02 --versus g-greedy,greedy"
    return command.split()


# The numbers


def test_every_point_matches_evaluate(summc: Cli, sweep: Arguments) -> None:
    points = ["--mu", "0.02,0.06", "--beta", "20,45"]
    found = json.loads(summc(*sweep, *points, "--format", "json").out)
    assert [(row["selector"], row["beta"], row["mu"]) for row in found["rows"]] == [
        ("g-greedy", None, None), ("greedy", None, None),
        *(("bp", beta, mu) for beta in (20, 45) for mu in (0.02, 0.06)),
    ]  # fmt: skip
    assert len({row["weight"]["mean"] for row in found["rows"]}) == 6  # all points differ
    for row in found["rows"]:
        flags = [] if row["mu"] is None else ["--beta", row["beta"], "--mu", row["mu"]]
        names = dict.fromkeys(("g-greedy", row["selector"]))
        evaluate = ["evaluate", *sweep[1:5], "--selector", ",".join(names)]
        same = json.loads(summc(*evaluate, *flags, "--format", "json").out)["rows"][-1]
        figures, score = row["rouge1"], same["rouge1"]
        assert row["weight"]["mean"] == same["covered_weight"]
        assert (figures["mean"], figures["ci"]) == (score["recall"], score["ci"])
        assert (row["converged"], row["clusters"]) == (same["converged"], same["clusters"])
        if versus := score["versus"]:
            assert (figures["difference"], figures["difference_ci"]) == (versus["difference"], versus["ci"])


def test_the_best_is_the_largest_and_comes_with_a_caveat(summc: Cli, sweep: Arguments) -> None:
    found = json.loads(summc(*sweep, "--format", "json").out)
    for measure in ("weight", "rouge1"):
        swept = [row for row in found["rows"] if row["mu"] is not None]
        top = max(swept, key=lambda row: row[measure]["mean"])
        assert found["best"][measure] == {"beta": 45, "mu": top["mu"], **top[measure]}
    rows = list(csv.DictReader(io.StringIO(summc(*sweep, "--format", "csv").out)))
    for row, same in zip(rows, found["rows"], strict=True):
        assert float(row["weight"]) == same["weight"]["mean"]
        assert [float(row["rouge1_low"]), float(row["rouge1_high"])] == same["rouge1"]["ci"]
    result = summc(*sweep, "-v")
    table, not_shown, remarks = result.out.split("\n\n")
    assert len(table.splitlines()) == 1 + 2 + 3
    assert not_shown == "not shown: 95% interval, clusters; --wide shows all"
    assert remarks.startswith(f"best weight: {found['best']['weight']['mean']:.3f} at beta = 45")
    assert remarks.endswith(
        "note: the best of 3 points is picked on the same 2 clusters that it is measured\n"
        "  on, so it looks better than it is; measure it on others\n"
    )
    assert result.err.startswith("selector:bp|beta:45|mu:0.02..0.06|iterations:150|")
    wide = summc(*sweep, "--wide").out
    assert "95% interval" in wide.splitlines()[0]
    assert f"note: {found['note']}\n" in wide


def outcome(point: str, cluster: str, weight: float, recall: float, *, converged: bool | None) -> Outcome:
    selection = Selection("bp", 9, (0,), 4, weight, None, {"converged": converged})
    return Outcome(cluster, point, "x", 1, {"rouge1": Score(recall, recall, recall, "s")}, selection)


def test_means_and_differences_match_values_by_hand() -> None:
    points = make_points(Config(), "bp", [1.0, 2.0], [], {"lead": ("lead", Config())})
    base, first, second = (point.label for point in points)
    rows = sweep_rows(
        points,
        [
            outcome(base, "a", 1, 0.5, converged=None),
            outcome(base, "b", 3, 0.25, converged=None),
            outcome(first, "a", 2, 0.5, converged=True),
            outcome(first, "b", 5, 0.75, converged=False),
            outcome(second, "a", 4, 0.25, converged=True),
            Outcome("b", second, problem="failed"),
        ],
    )
    assert [row.clusters for row in rows] == [2, 2, 1]
    weights = [row.means["weight"] for row in rows]
    assert [(each.mean, each.difference) for each in weights] == [(2, None), (3.5, 1.5), (4, 3)]
    assert (rows[1].means["rouge1"].difference, rows[1].converged) == (0.25, 0.5)
    t = 12.7062047  # of one degree of freedom
    assert weights[1].difference_ci == pytest.approx((1.5 - 0.5 * t, 1.5 + 0.5 * t))
    assert weights[2].difference_ci is None  # over the one cluster that both measured
    assert (best(rows, "weight"), best(rows, "rouge1")) == (rows[2], rows[1])


# Jobs and resuming


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Return two small clusters, as they are measured many times."""
    texts = ["The dam broke at night. The lake fell by day.", "The dam held. Nobody saw the lake at night."]
    clusters = [cluster_of_texts(texts[:count], id_=str(count)) for count in (1, 2)]
    return make_cases([replace(each, references=("The lake fell.",)) for each in clusters], FEW_STEPS)[0]


def test_a_journal_cut_anywhere_keeps_its_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    results: list[dict[str, object]] = [{"a": 1}, {"b": "ä"}]
    journal.resume(path, {"k": 1})
    for result in results:
        journal.append(path, result)
    data = path.read_bytes()
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        kept = [line for _, line in journal.resume(path, {"k": 1})]
        assert kept == results[: max(0, data[:size].count(b"\n") - 1)]
        for result in results[len(kept) :]:
            journal.append(path, result)
        assert path.read_bytes() == data


def test_a_finished_sweep_measures_nothing_again(
    summc: Cli, sweep: Arguments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summc(*sweep, "--save", tmp_path, "--mu", "0.04")
    first = summc(*sweep, "--save", tmp_path)  # a wider range resumes from a narrower one
    assert first.out == summc(*sweep).out
    saved = (tmp_path / "sweep.jsonl").read_bytes()

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("summc.lab.evaluation.evaluate_case", fail)
    assert summc(*sweep, "--save", tmp_path) == first
    assert summc(*sweep, "--save", tmp_path, "--mu", "0.04").code == 0
    assert (tmp_path / "sweep.jsonl").read_bytes() == saved


def test_a_journal_does_not_depend_on_what_is_swept(cases: list[Case]) -> None:
    other = FEW_STEPS.with_table("selectors.bp", {"beta": 7.0, "mu": 1.0}, {"beta": "", "mu": ""})
    assert conditions(other, cases, "bp") == conditions(FEW_STEPS, cases, "bp")


def test_a_journal_of_another_commit_resumes_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "j.jsonl"
    journal.resume(path, {"summc": "0.2.0+gc0ffee0"})
    journal.append(path, {"a": 1})
    assert [line for _, line in journal.resume(path, {"summc": "0.2.0"})] == [{"a": 1}]
    told = f"{path}: begun with summc 0.2.0+gc0ffee0, now it is 0.2.0; results may differ"
    assert caplog.messages == [told]
    with pytest.raises(SettingError, match=r"summc: 0\.2\.0, now 0\.3\.0"):
        journal.resume(path, {"summc": "0.3.0"})


def test_a_file_that_is_not_a_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    for content in (b"{}\n", b'{"conditions": {}}\n', b'[1]\n{"conditions": {}}\n', b"\x00\n"):
        path.write_bytes(content)
        with pytest.raises(SettingError if content.startswith(b'{"c') else InputError):
            journal.resume(path, {"a": 1})
        assert path.read_bytes() == content


def test_a_line_that_is_not_an_outcome_is_refused() -> None:
    made = outcome("g-greedy", "d90001t", 1, 0.5, converged=None)
    line = json.loads(json.dumps(encode(made)))
    assert decode(line, "j:8", "", "") == made
    for member, value in (("selector", []), ("cluster", {}), ("scores", []), ("selection", {"weight": 1})):
        with pytest.raises(InputError, match="j:8: not an outcome; remove it"):
            decode({**line, member: value}, "j:8", "an outcome", "remove it")
