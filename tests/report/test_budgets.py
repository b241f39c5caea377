"""Several budgets in one run: ``summarize -k 50,100``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.support.small import write_lines


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Return a data set of the clusters d90001t and d90002t."""
    return write_lines(tmp_path / "two.jsonl")


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "one.jsonl", 1)


def test_each_budget_gives_the_same_summary_as_alone(summc: Cli, two: Path) -> None:
    budgets = [30, 60, 90]
    found = json.loads(summc("summarize", "-k", "30,60,90", two, "--format", "json").out)
    alone = [json.loads(summc("summarize", "-k", k, two, "--format", "json").out) for k in budgets]
    assert found == [alone[b][c] for c in range(2) for b in range(3)]
    assert summc("summarize", "-k", "30:90:30", two, "--format", "json").out == json_of(found)


def json_of(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def test_headings_name_the_budget_if_there_are_several(summc: Cli, one: Path) -> None:
    text = summc("summarize", "-k", "30,60", one).out
    assert [line for line in text.splitlines() if line.startswith("==>")] == [
        "==> d90001t, K = 30 <==",
        "==> d90001t, K = 60 <==",
    ]
    alone = summc("summarize", "-k", 30, one).out
    assert text.startswith(f"==> d90001t, K = 30 <==\n{alone}\n==>")
    assert "## d90001t, K = 60\n" in summc("summarize", "-k", "30,60", one, "--format", "md").out
    assert summc("summarize", "-k", "30,30", one).out == alone


def test_several_budgets_work_with_output_files_and_verbose(summc: Cli, two: Path, tmp_path: Path) -> None:
    result = summc("summarize", "-v", "-k", "30,60", two, "-o", tmp_path / "out.txt")
    assert (result.code, result.out) == (0, "")
    assert (tmp_path / "out.txt").read_text() == summc("summarize", "-k", "30,60", two).out
    said = [line.split(" words")[0].rsplit(" ", 1) for line in result.err.splitlines() if " words" in line]
    assert [(words[0].split(":")[0], words[1]) for words in said] == [
        ("d90001t", "30"), ("d90001t", "60"), ("d90002t", "30"), ("d90002t", "60"),
    ]  # fmt: skip


def test_a_budget_that_nothing_fits_does_not_stop_the_others(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The dam broke. Nobody at all was hurt.")
    result = summc("summarize", "-k", "2,3", tmp_path / "a.txt")
    assert (result.code, result.out) == (5, "==> a, K = 3 <==\nThe dam broke.\n")
    assert result.err == (
        "error: a: no sentence fits a budget of 2 words (the shortest has 3); raise --budget\n"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("0,50", "--budget: must be a number at least 1, got 0"),
        ("50,many", "--budget: 'many' is not a length; write 100, 5s, 600c or 10%"),
        ("50,", "--budget: '' is not a length; write 100, 5s, 600c or 10%"),
        ("90:30:30", "--budget: must be budgets, got 90:30:30; write LOW:HIGH:STEP, such as 25:400:25"),
        ("30:90", "--budget: must be budgets, got 30:90; write LOW:HIGH:STEP, such as 25:400:25"),
        ("30:90:0", "--budget: must be budgets, got 30:90:0; write LOW:HIGH:STEP, such as 25:400:25"),
        ("1:9:nan", "--budget: must be budgets, got 1:9:nan; write LOW:HIGH:STEP, such as 25:400:25"),
        ("1:9000:1", "--budget: must be budgets, got 1:9000:1; write LOW:HIGH:STEP, such as 25:400:25"),
    ],
)
def test_invalid_budgets_are_refused(summc: Cli, given: str, message: str) -> None:
    result = summc("summarize", "-k", given, "--sample")
    assert (result.code, result.err) == (2, f"error: {message}\n")
