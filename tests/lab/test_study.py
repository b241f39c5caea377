"""Evaluation from Python: the records are those of the commands."""

from __future__ import annotations

import csv
import dataclasses
import io
import logging
from pathlib import Path

import pandas as pd
import pytest

import summc
from tests.conftest import Cli
from tests.conftest import Cli as Command
from tests.support.small import write_lines

FEW = ["auto", "lead"]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "two.jsonl")


def table_of(summc: Command, *command: object) -> list[dict[str, str]]:
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
    assert as_texts(curve(two, [20, 40])) == table_of(summc, "curve", two, "-k", "20:40:20")
    per_cluster = evaluate(two, FEW, budget=30, per_cluster=True)
    compared = {row["selector"]: row for row in compare(per_cluster, ["rouge1_recall"])}
    assert compared["lead"]["p"] == evaluate(two, FEW, budget=30)[1]["rouge1_p"]
    assert list(pd.DataFrame(per_cluster).groupby("selector")["rouge1_recall"].mean().round(6)) == [
        round(compared[name]["mean"], 6) for name in FEW
    ]


def test_progress_is_told_after_each_summary(two: Path) -> None:
    seen: list[tuple[int, int]] = []
    summc.evaluate(two, FEW, budget=30, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_clusters_presets_and_other_systems_can_be_compared(tmp_path: Path) -> None:
    clusters = [
        dataclasses.replace(each, references=("The dam broke and nobody was hurt.",))
        for each in (summc.load("The dam broke. It rained.")[0], summc.load("Nobody was hurt at the dam.")[0])
    ]
    clusters = [dataclasses.replace(each, id=name) for each, name in zip(clusters, "ab", strict=True)]
    (tmp_path / "peers.jsonl").write_text('{"system": "mine", "cluster": "a", "text": "The dam broke."}\n')
    rows = summc.evaluate(clusters, [], presets=["default", "paper-fig3"], peers=tmp_path / "peers.jsonl")
    assert [(row["selector"], row["clusters"]) for row in rows] == [
        ("default", 2),
        ("paper-fig3", 2),
        ("mine", 1),
    ]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(summc.SettingError, match="dataset: must be the name of a data set"):
        summc.evaluate([])
    with pytest.raises(summc.SettingError, match='unknown selector "leed"; perhaps "lead"'):
        summc.evaluate("sample", ["leed"])
    with pytest.raises(summc.InputError, match="records: must be mappings with cluster, selector and scores"):
        summc.compare([{"selector": "a"}])
    rows: list[dict[str, object]] = [{"selector": "a", "cluster": 1, "f": 0.5}]
    with pytest.raises(summc.InputError, match="records: not all have the score g"):
        summc.compare(rows, ["g"])


def test_warnings_go_to_the_logger_of_the_package(caplog: pytest.LogCaptureFixture) -> None:
    summc.evaluate("sample", ["lead", "human"], budget=10)
    assert {(each.name, each.levelno) for each in caplog.records} == {("summc", logging.WARNING)}
    assert "recall favours the longer" in caplog.text
