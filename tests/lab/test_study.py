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
from tests.conftest import SAMPLE, Cli
from tests.conftest import Cli as Command

FEW = ["auto", "lead"]


def table_of(summc: Command, *command: object) -> list[dict[str, str]]:
    """Return the rows of a command's CSV."""
    return list(csv.DictReader(io.StringIO(summc(*command, "--format", "csv").out)))


def as_texts(records: list[dict[str, object]]) -> list[dict[str, str]]:
    return [{name: "" if value is None else str(value) for name, value in each.items()} for each in records]


def test_records_are_the_rows_of_the_commands(summc: Cli) -> None:
    from summc import compare, curve, evaluate, sweep  # the fixture hides the package

    rows = evaluate("sample", FEW, budget=30, metrics=["rouge1", "rouge2"])
    command = ("--dataset", "sample", "-k", 30)
    shown = table_of(summc, "evaluate", *command, "--selector", "auto,lead", "--metrics", "rouge1,rouge2")
    assert as_texts(rows) == shown
    assert as_texts(sweep("sample", [0.1, 0.2], [20.0], budget=30)) == table_of(
        summc, "sweep", *command, "--mu", "0.1:0.2:0.1", "--beta", 20
    )
    document = SAMPLE / "docs" / "d90001t"
    assert as_texts(curve(document, [20, 40])) == table_of(summc, "curve", document, "-k", "20:40:20")
    per_cluster = evaluate("sample", FEW, budget=30, per_cluster=True)
    compared = {row["selector"]: row for row in compare(per_cluster, ["rouge1_recall"])}
    assert compared["lead"]["p"] == evaluate("sample", FEW, budget=30)[1]["rouge1_p"]
    assert list(pd.DataFrame(per_cluster).groupby("selector")["rouge1_recall"].mean().round(6)) == [
        round(compared[name]["mean"], 6) for name in FEW
    ]


def test_progress_is_told_after_each_summary() -> None:
    seen: list[tuple[int, int]] = []
    summc.evaluate("sample", FEW, budget=30, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 12) for done in range(1, 13)]


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
