"""Clusters with their own question, in every command that weighs words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SAMPLE, Cli
from tests.support.small import DAM

COST = "What did the repairs cost?"
FIRE = "sirens and firefighters"
UNKNOWN = "zebra"


def cluster_line(query: Any = None, id_: str = "dam") -> str:
    """Return a JSON line with two documents of the sample, their references, and the question if given."""
    documents = [{"id": path.name, "text": path.read_text()} for path in DAM]
    references = [
        path.read_text() for path in sorted((SAMPLE / "models").iterdir()) if path.name.startswith("D90004")
    ]
    line = {"id": id_, "documents": documents, "references": references}
    return json.dumps(line if query is None else {**line, "query": query})


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text(cluster_line(COST))
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.jsonl"
    path.write_text(cluster_line())
    return path


def made_by(summc: Cli, *arguments: str | Path, stdin: str = "") -> str:
    result = summc(*arguments, stdin=stdin)
    assert (result.code, result.err) == (0, "")
    return result.out


def test_the_clusters_own_question_is_answered_unless_the_flag_asks_another(
    summc: Cli, own: Path, plain: Path
) -> None:
    cost, fire = (made_by(summc, "summarize", "-k", "40", "--query", each, plain) for each in (COST, FIRE))
    assert "repairs at 95 million crowns" in cost
    assert made_by(summc, "summarize", "-k", "40", own) == cost
    assert made_by(summc, "summarize", "-k", "40", "--query", FIRE, own) == fire
    assert len({cost, fire, made_by(summc, "summarize", "-k", "40", plain)}) == 3


@pytest.mark.parametrize("query", ["", "  \n ", None])
def test_an_empty_question_is_no_question(summc: Cli, tmp_path: Path, plain: Path, query: str | None) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(json.dumps({**json.loads(cluster_line()), "query": query}))
    expected = made_by(summc, "summarize", "--format", "json", plain)
    assert made_by(summc, "summarize", "--format", "json", path) == expected


@pytest.mark.parametrize("query", [7, True, ["a"], {"text": "a"}])
def test_an_error_names_the_line_of_a_question_that_is_not_a_text(
    summc: Cli, tmp_path: Path, query: object
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(f"{cluster_line()}\n{cluster_line(query)}\n")
    result = summc("summarize", path)
    assert (result.code, result.err) == (3, f"error: {path}:2: query is not a text; give a string\n")


def test_batch_uses_the_clusters_own_question(summc: Cli, tmp_path: Path, own: Path) -> None:
    summc("batch", own, "-k", "40", "-o", tmp_path / "out")
    (line,) = (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()
    assert json.loads(line) == json.loads(made_by(summc, "summarize", "-k", "40", "--format", "jsonl", own))
    assert "repairs at 95 million crowns" in json.loads(line)["text"]


def test_the_stages_pass_the_question_on(summc: Cli, own: Path) -> None:
    lines = made_by(summc, "load", own)
    assert json.loads(lines)["cluster"]["query"] == COST
    for stage in (["preprocess"], ["weigh"], ["graph"], ["select", "-k", "40"]):
        lines = made_by(summc, *stage, stdin=lines)
    assert made_by(summc, "render", stdin=lines) == made_by(summc, "summarize", "-k", "40", own)
    assert json.loads(lines)["signature"]["weigh"]["query"] == "own"


def test_a_stage_refuses_a_question_that_is_not_a_text(summc: Cli, own: Path) -> None:
    line = json.loads(made_by(summc, "load", own))
    line["cluster"]["query"] = 7
    result = summc("preprocess", stdin=json.dumps(line))
    assert result.code == 3
    assert result.err == (
        "error: standard input:1: cluster.query must be a text; see the guide for its shape\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        "explain -k 40 --format json", "curve -k 40 --selector g-greedy --format csv",
        "evaluate -k 40 --selector g-greedy --format csv --dataset",
        "sweep -k 40 --mu 0.01 --format csv --dataset",
    ],
)  # fmt: skip
def test_other_commands_use_the_clusters_own_question(
    summc: Cli, own: Path, plain: Path, command: str
) -> None:
    def told(path: Path, *flags: str) -> str:
        out = made_by(summc, *command.split(), path, *flags)
        return re.sub(r"(encoding:|\"signature\").*", "", out)

    with_question, without = told(own), told(plain)
    assert with_question == told(plain, "--query", COST)
    assert without == told(own, "--no-query")
    assert with_question != without


def test_the_signature_of_evaluate_names_the_question(summc: Cli, own: Path, plain: Path) -> None:
    def signature(path: Path, *flags: str) -> str:
        table = made_by(
            summc, "evaluate", "--selector", "auto", "--dataset", path, "--format", "json", *flags
        )
        return str(json.loads(table)["signature"])

    assert "|query:own|" in signature(own)
    assert "|query:none|" in signature(own, "--no-query")
    assert f"|query:{FIRE}|" in signature(own, "--query", FIRE)
    assert "query" not in signature(plain)
    assert "query" not in json.loads(made_by(summc, "load", plain))["cluster"]


def test_clusters_with_and_without_questions_can_be_mixed(summc: Cli, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(f"{cluster_line(COST, 'a')}\n{cluster_line(id_='b')}\n{cluster_line(FIRE, 'c')}\n")
    lines = made_by(summc, "summarize", "--format", "jsonl", mixed).splitlines()
    first, second, third = (json.loads(line)["signature"] for line in lines)
    assert "|query:own|" in first
    assert "documents:" not in first  # a single document may answer a question
    assert "query" not in second
    assert "|documents:2+|" in second
    assert "|query:own|" in third
    table = made_by(summc, "evaluate", "--selector", "auto", "--dataset", mixed, "--format", "json")
    assert "|documents:1+,2+|" in json.loads(table)["signature"]
    assert "|query:own|" in json.loads(table)["signature"]


def test_a_cluster_question_without_known_words_is_ignored_with_a_warning(
    summc: Cli, tmp_path: Path, plain: Path
) -> None:
    path = tmp_path / "unknown.jsonl"
    path.write_text(cluster_line(UNKNOWN))
    result = summc("summarize", "--format", "json", path)
    assert result.code == 0
    assert result.err == (
        "warning: dam: no word of its question stands in its documents; summarized without the question\n"
    )
    assert json.loads(result.out) == json.loads(made_by(summc, "summarize", "--format", "json", plain))
    assert made_by(summc, "summarize", "--no-query", path) == made_by(summc, "summarize", plain)


def test_a_query_flag_without_known_words_is_refused(summc: Cli, own: Path) -> None:
    result = summc("summarize", "--query", UNKNOWN, own)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: --query: none of its words stands in the documents of dam; ask in words that they use\n"
    )


def test_no_query_wins_over_the_query_of_a_file(summc: Cli, own: Path, plain: Path, tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(f'[weigh]\nquery = "{COST}"\n')
    left_out = made_by(summc, "summarize", "--config", file, "--no-query", own)
    assert left_out == made_by(summc, "summarize", plain)
