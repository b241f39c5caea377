"""What a user means is done without being spelled out, and what cannot be meant is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

FLOOD = "The dam above the old mill broke on Monday. Nobody in the village below it was hurt by the water."
QUICK = ("--selector", "g-greedy", "-k", "10")


@pytest.fixture
def flood(tmp_path: Path) -> Path:
    path = tmp_path / "flood.txt"
    path.write_text(FLOOD)
    return path


# The ending of the output file


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.html", "<!doctype html>"),
        ("a.HTM", "<!doctype html>"),
        ("a.json", "{\n"),
        ("a.jsonl", '{"id"'),
        ("a.md", "## flood"),
        ("a.txt", "The dam"),
        ("a.out", "The dam"),
        ("a", "The dam"),
    ],
)
def test_the_ending_of_the_output_file_decides_its_format(
    summc: Run, flood: Path, tmp_path: Path, name: str, start: str
) -> None:
    assert summc("summarize", *QUICK, flood, "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_text().startswith(start)


@pytest.mark.parametrize(
    ("command", "ending", "start"),
    [
        ("explain -k 10 {flood}", "json", '{\n  "id"'),
        ("curve -k 10,20 --selector g-greedy {flood}", "csv", "cluster,k,"),
        ("score {flood} --reference {flood}", "md", "| summary"),
        ("datasets", "json", '{\n  "looked_in"'),
        ("evaluate --dataset sample --config paper --selector lead", "csv", "selector,"),
        ("sweep --dataset sample --config paper-fig3 --mu 0.04 --versus greedy", "json", "{"),
        ("experiment random-graphs --graphs 1 --mu 5 --sentences 20", "csv", "method,"),
    ],
)
def test_every_command_with_formats_looks_at_the_ending(
    summc: Run, flood: Path, tmp_path: Path, command: str, ending: str, start: str
) -> None:
    output = tmp_path / f"out.{ending}"
    result = summc(*command.format(flood=flood).split(), "-o", output)
    assert (result.code, result.err) == (0, "")
    assert output.read_text().startswith(start)


def test_a_format_that_is_given_wins_over_the_ending(summc: Run, flood: Path, tmp_path: Path) -> None:
    assert summc("summarize", *QUICK, flood, "-o", tmp_path / "a.json", "--format", "text").code == 0
    assert (tmp_path / "a.json").read_text().startswith("The dam")
    assert summc("summarize", *QUICK, flood, "--format", "json", "-o", tmp_path / "a.csv").code == 0
    assert json.loads((tmp_path / "a.csv").read_text())["id"] == "flood"


def test_an_ending_that_the_command_does_not_write_is_refused(
    summc: Run, flood: Path, tmp_path: Path
) -> None:
    output = tmp_path / "a.csv"
    result = summc("summarize", *QUICK, flood, "-o", output)
    assert result.code == 2
    assert result.err == (
        f"error: -o: {output}: summarize does not write csv; "
        "name a .json, .jsonl, .md, .html or .txt file, or give --format\n"
    )
    assert not output.exists()
