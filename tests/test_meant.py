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


# A URL in the place of a path


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        (
            "https://example.org/",
            "run curl -L https://example.org/ -o page.html, then give page.html instead",
        ),
        (
            "https://example.org/a.pdf?x=1&y=2",
            "run curl -L 'https://example.org/a.pdf?x=1&y=2' -o page.pdf, then give page.pdf instead",
        ),
        ("s3://bucket/a.jsonl", "copy it to a file first, and give that instead"),
        ("file:///a/b.txt", "give /a/b.txt instead"),
    ],
)
@pytest.mark.parametrize("command", ["summarize", "load", "score", "evaluate --dataset"])
def test_the_error_for_a_url_says_how_to_fetch_it(summc: Run, command: str, url: str, remedy: str) -> None:
    result = summc(*command.split(), url)
    assert (result.code, result.out) == (4, "")
    assert result.err == f"error: {url}: a URL, which summc does not fetch; {remedy}\n"


# Lines that are broken


def line(name: str, **members: object) -> str:
    return json.dumps({"id": name, "documents": [FLOOD], **members})


@pytest.mark.parametrize("source", ["in.jsonl", "-", "folder"])
def test_a_broken_line_does_not_stop_the_other_clusters(
    summc: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "\n".join(["{broken", line("a"), "", '{"id": "x"}', line("b")])
    place = {"-": "standard input", "folder": "folder/in.jsonl"}.get(source, source)
    (tmp_path / "folder").mkdir()
    for name in ("in.jsonl", "folder/in.jsonl"):
        (tmp_path / name).write_text(lines)
    result = summc("summarize", *QUICK, "--format", "json", source, stdin=lines)
    assert [each["id"] for each in json.loads(result.out)] == ["a", "b"]
    assert result.code == 3
    first, second = result.err.splitlines()
    assert first.startswith(f"error: {place}:1: not JSON")
    assert second.startswith(f'error: {place}:4: no list "documents"')


def test_lines_that_are_too_long_or_not_utf_8_do_not_stop_the_others(
    summc: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"\n".join([b"x" * 3 * 1024**2, line("a").encode(), b"\xff", line("b").encode()]))
    result = summc("load", "--encoding", "utf-8", path)
    assert [json.loads(each)["cluster"]["id"] for each in result.out.splitlines()] == ["a", "b"]
    assert result.code == 3
    assert [each.split(": ")[1] for each in result.err.splitlines()] == [f"{path}:1", f"{path}:3"]


def test_only_broken_lines_are_one_error_each(summc: Run, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text("{a\n{b\n")
    result = summc("summarize", path)
    assert (result.code, result.out) == (3, "")
    assert [each.partition(": not")[0] for each in result.err.splitlines()] == [
        f"error: {path}:1",
        f"error: {path}:2",
    ]
