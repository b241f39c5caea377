"""Evaluation from Python: the records are those of the commands."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import logging
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import summc
from tests.conftest import Cli
from tests.support.small import write_lines

FEW = ["auto", "lead"]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "two.jsonl")


def table_of(summc: Cli, *command: object) -> list[dict[str, str]]:
    """Return the rows of a command's CSV."""
    return list(csv.DictReader(io.StringIO(summc(*command, "--format", "csv").out)))


def as_texts(records: list[dict[str, object]]) -> list[dict[str, str]]:
    return [{name: "" if value is None else str(value) for name, value in each.items()} for each in records]


def test_records_are_the_rows_of_the_commands(summc: Cli, two: Path) -> None:
    from summc import compare, curve, evaluate, sweep  # the fixture hides the package

    rows = evaluate(two, FEW, budget=30, metrics=["rouge1", "rouge2"])
    command = ("--dataset", two, "-k", 30)
    shown = table_of(summc, "evaluate", *command, "--selector", "auto,lead", "--metrics", "rouge1,rouge2")
    assert as_texts(rows) == shown
    swept = table_of(summc, "sweep", *command, "--mu", "0.1:0.2:0.1", "--beta", 20)
    assert as_texts(sweep(two, [0.1, 0.2], [20.0], budget=30)) == swept
    drawn = table_of(summc, "curve", two, "-k", "20:40:20", "--selector", "g-greedy")
    assert as_texts(curve(two, [20, 40], config={"selector": "g-greedy"})) == drawn
    per_cluster = evaluate(two, FEW, budget=30, per_cluster=True)
    compared = {row["selector"]: row for row in compare(per_cluster, ["rouge1_recall"])}
    assert compare(pd.DataFrame(per_cluster), "rouge1_recall") == [compared[name] for name in FEW]  # type: ignore[arg-type]
    assert compared["lead"]["p"] == rows[1]["rouge1_p"]
    assert list(pd.DataFrame(per_cluster).groupby("selector")["rouge1_recall"].mean().round(6)) == [
        round(compared[name]["mean"], 6) for name in FEW
    ]


def test_progress_is_told_after_each_summary(two: Path) -> None:
    seen: list[tuple[int, int]] = []
    summc.evaluate(two, FEW, budget=30, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    seen.clear()
    summc.evaluate(two, "lead", presets="paper-fig3", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def clusters_about_the_dam(*references: str) -> list[summc.Cluster]:
    """Return two clusters, both called "texts", with these references."""
    texts = ("The dam broke. It rained.", "Nobody was hurt at the dam.")
    return [dataclasses.replace(summc.load(text)[0], references=references) for text in texts]


def test_clusters_of_one_name_are_told_apart() -> None:
    clusters = clusters_about_the_dam("The dam broke and nobody was hurt.")
    rows = summc.evaluate(clusters, "lead")
    each = summc.evaluate(clusters, "lead", per_cluster=True)
    assert len({row["cluster"] for row in each}) == 2
    assert rows[0]["rouge1"] == pytest.approx(sum(row["rouge1_recall"] for row in each) / 2)


def test_empty_references_of_clusters_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    rows = summc.evaluate(clusters_about_the_dam("", "The dam broke."), "lead")
    assert rows[0]["clusters"] == 2
    assert "an empty reference; left out of the mean" in caplog.text


def test_clusters_that_fail_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    first, second = clusters_about_the_dam("The dam broke.")
    rows = summc.evaluate([first, dataclasses.replace(second, references=())], "lead")
    assert rows[0]["clusters"] == 1
    assert "texts#2: no references; give some or leave the cluster out" in caplog.text
    of_stop_words = summc.load("The of and.")[0]
    assert len(summc.curve([first, of_stop_words], 5, config="paper-fig3")) == 1
    assert "texts: no sentence has a word worth covering; keep stop words" in caplog.text


def test_one_value_a_generator_and_numbers_of_numpy_are_taken(two: Path) -> None:
    rows = summc.sweep(two, np.float32(0.5), versus=(each for each in ["lead", "lead"]), budget=30)  # type: ignore[arg-type]
    assert [(row["selector"], row["mu"]) for row in rows] == [("lead", None), ("bp", 0.5)]
    assert [row["k"] for row in summc.curve("The dam broke.", np.arange(20, 41, 20))] == [20, 40]
    rows = summc.evaluate(two, [], presets=[Path("configs/paper-fig3.toml")], budget=np.int64(30))
    assert [row["selector"] for row in rows] == ["configs/paper-fig3.toml"]


def test_scores_may_be_whole_numbers_and_columns_of_pandas() -> None:
    frame = pd.DataFrame([{"selector": "a", "cluster": n, "f": n, "problem": math.nan} for n in (1, 2)])
    (row,) = summc.compare((line for _, line in frame.iterrows()), "f")  # type: ignore[misc]
    assert (row["mean"], row["low"], row["high"]) == (1.5, -4.853102, 7.853102)


def test_clusters_presets_and_other_systems_can_be_compared(tmp_path: Path) -> None:
    clusters = clusters_about_the_dam("The dam broke and nobody was hurt.")
    clusters = [dataclasses.replace(each, id=name) for each, name in zip(clusters, "ab", strict=True)]
    (tmp_path / "peers.jsonl").write_text('{"system": "mine", "cluster": "a", "text": "The dam broke."}\n')
    rows = summc.evaluate(clusters, [], presets=["default", "paper-fig3"], peers=tmp_path / "peers.jsonl")
    assert [(row["selector"], row["clusters"]) for row in rows] == [
        ("default", 2),
        ("paper-fig3", 2),
        ("mine", 1),
    ]


def test_peers_that_wrote_references_are_scored_without_themselves(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    [cluster, _] = clusters_about_the_dam("The dam broke.")
    texts = ["The old dam broke.", "A storm came."]
    references = {"a": texts, "b": [*texts, "Rain fell."], "c": ["Rain fell."], "d": texts}
    clusters = [dataclasses.replace(cluster, id=c, references=tuple(references[c])) for c in references]
    peers = {
        "A": dict.fromkeys("ab", texts[0] + "\n"),
        "B": {"c": "Rain fell."},
        "system": {"a": texts[0], "b": "Rain."},
    }
    lines = [{"system": s, "cluster": c, "text": text} for s in peers for c, text in peers[s].items()]
    (tmp_path / "peers.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    rows = summc.evaluate(clusters, [], peers=tmp_path / "peers.jsonl", per_cluster=True)
    recalls = [(row["selector"], row["cluster"], row["rouge1_recall"]) for row in rows]
    assert recalls == [
        ("A", "a", 0), ("A", "b", 0), ("B", "c", None),
        ("system", "a", 0.5), ("system", "b", pytest.approx(1 / 6)),
        ("system", "c", None), ("system", "d", None),
    ]  # fmt: skip
    caplog.clear()
    summc.evaluate(clusters, [], peers=tmp_path / "peers.jsonl")
    assert [
        record.getMessage() for record in caplog.records if "words a summary" not in record.getMessage()
    ] == [
        "A, B: also references; each is scored against the other references",
        "c: the only reference is by B; give two or more",
        "c and 1 more: no summary by system; add c.system",
    ]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(summc.SettingError, match="dataset: must be the name of a data set"):
        summc.evaluate([])
    with pytest.raises(summc.SettingError, match='unknown selector "leed"; perhaps "lead"'):
        summc.evaluate("sample", ["leed"])
    with pytest.raises(summc.InputError, match="records: must be mappings with cluster, selector and scores"):
        summc.compare([{"selector": "a"}])
    row: dict[str, object] = {"selector": "a", "cluster": 1, "f": 0.5}
    for rows, message in (
        ([row], "not all have the score g"),
        ([{**row, "g": math.nan}], "not all have the score g"),
        ([{**row, "g": 10**400}], "not all have the score g"),
        ([row, row], "two have the same cluster and selector"),
        ([1], "must be mappings with cluster, selector and scores"),
    ):
        with pytest.raises(summc.InputError, match=f"records: {message}"):
            summc.compare(rows, ["g"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: summc.evaluate("sample", []), "selectors: nothing to compare"),
        (lambda: summc.evaluate("sample", versus="befor"), '`versus`: must be "first" or "before"'),
        (lambda: summc.evaluate("sample", jobs=0), "`jobs`: must be a whole number at least 1, got 0"),
        (lambda: summc.sweep("sample", []), "`mu`: no value; give at least one"),
        (lambda: summc.curve("The dam broke.", []), "budgets: no value; give at least one"),
        (lambda: summc.curve("The dam broke.", [100, "5s"]), "`budget`: is counted in words"),  # type: ignore[list-item]
    ],
)
def test_arguments_are_checked_before_the_work(call: Callable[[], object], message: str) -> None:
    with pytest.raises(summc.SettingError, match=message):
        call()


def test_warnings_go_to_the_logger_of_the_package(two: Path, caplog: pytest.LogCaptureFixture) -> None:
    summc.evaluate(two, ["lead", "human"], budget=10)
    assert {(each.name, each.levelno) for each in caplog.records} == {("summc", logging.WARNING)}
    assert "recall favours the longer" in caplog.text
