"""The command as users see it: its output for people and for pipes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SAMPLE, Cli
from tests.support.forks import start

GOLDEN = Path(__file__).parent.parent / "golden"
STAGES = ("preprocess", "weigh", "graph", "select")
DAM = SAMPLE / "docs" / "d90004t"

#: Two small clusters.
TWO = [
    {
        "id": "dam",
        "documents": [
            "The old dam above the town broke on Monday night. Nobody was hurt, the mayor said. It rained.",
            "HILLTON (AP) - Heavy rain broke the dam above the town. The mayor said that 300 people fled.",
        ],
        "references": ["The dam above the town broke."],
    },
    {
        "id": "ferry",
        "documents": [
            {"id": "f1", "date": "2030-01-07", "text": "The ferry left late. Fog lay on the lake all day."},
            {"id": "f2", "date": "2030-01-08", "text": "Fog kept the ferry in port. The crew waited there."},
        ],
        "references": ["Fog kept the ferry in port.", "The ferry left late."],
    },
]


def piped(summc: Cli, load: list[str | Path], stages: dict[str, list[str]]) -> str:
    """Pipe the stages one into the next, and return the lines with the selections."""
    lines = summc("load", *load).out
    for stage in STAGES:
        lines = summc(stage, *stages.get(stage, []), stdin=lines).out
    return lines


# Summaries


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("auto", []),
        ("bp", ["--config", "paper", "--selector", "bp"]),
        ("g-greedy", ["--config", "paper"]),
        ("greedy", ["--config", "paper", "--selector", "greedy"]),
        ("paper-fig3", ["--config", "paper-fig3"]),
    ],
)
def test_summaries_of_the_sample_match_the_golden_files(summc: Cli, name: str, options: list[str]) -> None:
    folders = [SAMPLE / "docs" / f"d9000{n}t" for n in range(1, 7)]
    result = summc("summarize", *options, *folders)
    assert (result.code, result.err) == (0, "")
    assert result.out == (GOLDEN / f"sample-{name}.txt").read_text()


@pytest.mark.parametrize("clusters", [TWO, TWO[:1]], ids=["several", "one"])
def test_stages_piped_equal_summarize(summc: Cli, tmp_path: Path, clusters: list[dict[str, object]]) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join(map(json.dumps, clusters)))
    lines = piped(summc, [source], {"weigh": ["-k", "20"], "select": ["-k", "20"]})
    for format_ in ("text", "json", "jsonl", "md"):
        whole = summc("summarize", source, "-k", 20, "--format", format_)
        assert whole.code == 0
        assert summc("render", "--format", format_, stdin=lines).out == whole.out


def test_stages_piped_equal_summarize_with_options(summc: Cli) -> None:
    stages = {
        "preprocess": ["--keep-stopwords", "--stemmer", "snowball"],
        "weigh": "--weighting tfidf --idf-unit document --first-sentence-boost 2 --place-bonus 0.5 "
        f"--least-documents 3 --background {DAM}".split(),
        "select": ["-k", "150", "--beta", "80", "--mu", "0.03", "--iterations", "9"],
    }
    source = SAMPLE / "docs" / "d90002t"
    options = [option for each in stages.values() for option in each]
    whole = summc("summarize", source, *options, "--format", "json")
    assert summc("render", "--format", "json", stdin=piped(summc, [source], stages)).out == whole.out


def test_json_has_the_documented_members_and_is_the_same_in_lines(summc: Cli) -> None:
    found = json.loads(summc("summarize", "-k", 50, SAMPLE / "docs" / "d90001t", "--format", "json").out)
    members = "id budget unit words covered_weight text sentences signature"
    assert list(found) == members.split()
    assert (found["id"], found["budget"]) == ("d90001t", 50)
    assert found["words"] == len(found["text"].split()) <= 50
    assert found["text"].split("\n") == [sentence["text"] for sentence in found["sentences"]]
    assert list(found["sentences"][0]) == ["document", "date", "position", "paragraph", "text", "words"]
    assert "selector:auto|effort:normal|time_limit:60|k:50" in found["signature"]
    by_flag = json.loads(summc("summarize", "--sample", "--config", "paper", "--format", "json").out)
    assert [each["id"] for each in by_flag] == [f"d9000{n}t" for n in range(1, 7)]
    by_path = summc("summarize", SAMPLE, "--config", "paper", "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in by_path] == by_flag


def test_standard_input_is_a_document_or_lines_and_output_can_go_to_a_file(
    summc: Cli, tmp_path: Path
) -> None:
    text = "The dam broke. Nobody was hurt."
    assert summc("summarize", "-", stdin=text).out == "The dam broke.\nNobody was hurt.\n"
    result = summc("summarize", "-", "-o", tmp_path / "out.txt", stdin=text)
    assert (result.code, result.out) == (0, "")
    assert (tmp_path / "out.txt").read_text() == "The dam broke.\nNobody was hurt.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]
    line = json.dumps({"id": "x", "documents": [{"id": "a", "text": "The dam broke."}]})
    assert json.loads(summc("load", "-", stdin=line).out)["cluster"]["id"] == "x"


@pytest.mark.parametrize(
    ("flags", "given_up"),
    [("auto", True), ("greedy", False), ("greedy --reading 1", True), ("auto --reading 0", False)],
)
def test_a_named_selector_gives_its_own_choice(summc: Cli, flags: str, given_up: bool) -> None:
    told = summc("summarize", "-v", "--selector", *flags.split(), SAMPLE / "docs" / "d90001t").err
    assert ("given up for reading" in told) == given_up


def test_verbose_reports_settings_and_coverage_on_stderr(summc: Cli) -> None:
    source = SAMPLE / "docs" / "d90001t"
    quiet, loud = summc("summarize", source), summc("summarize", "-v", source)
    by_bp = summc("summarize", "-v", "--selector", "bp", "--mu", 0.04, "--reading", 0, source)
    assert (loud.out, quiet.err) == (quiet.out, "")
    assert re.match(
        r"d90001t: language: English, detected\n"
        r"d90001t: \d+ of 100 words in \d+ sentences, weight [\d.]+ of [\d.]+ covered",
        loud.err,
    )
    assert re.search(r"%\), by auto, [\d.]+% given up for reading\n$", loud.err)
    assert re.search(
        r"%\), by bp at beta [\d.]+, mu 0.04, damping 0.[5-9]\d*, "
        r"which (converged|did not converge) in \d+ iterations \(last change .*\)\n$",
        by_bp.err,
    )


def test_flags_override_a_configuration(summc: Cli) -> None:
    shown = summc("summarize", "--config", "paper-fig4", "--mu", "0.05", "--show-config").out
    assert "remove_stopwords = false" in shown
    assert "beta = 80" in shown
    assert "mu = 0.05" in shown
    by_config = summc("summarize", DAM, "--config", "paper-fig4", "--format", "jsonl").out
    by_flags = summc(
        *("summarize", DAM, "--keep-stopwords", "--concepts", "words", "--order", "given"),
        *("--datelines", "kept", "--leave-out", "nothing", "--least-words", "1", "--weighting", "tfidf"),
        *("--least-documents", "1", "--place-bonus", "0", "--reading", "0"),
        *("--format", "jsonl", "--selector", "bp", "--beta", "80", "--mu", "0.03", "--damping", "0.5"),
    ).out
    assert by_config == by_flags


# Stages


def test_each_stage_adds_its_member_and_passes_on_the_rest(summc: Cli) -> None:
    line = {**json.loads(summc("load", DAM).out), "topic": {"mine": [1, None]}}
    for stage, member in zip(STAGES, ("tokenized", "weights", "graph", "selection"), strict=True):
        before, line = line, json.loads(summc(stage, stdin=json.dumps(line)).out)
        assert list(line) == [*before, member]
        kept = set(before) - {"signature", "cluster" if stage == "preprocess" else ""}  # it cuts datelines
        assert {name: line[name] for name in kept} == {name: before[name] for name in kept}


def test_select_solves_any_coverage_problem(summc: Cli) -> None:
    graph = {"cost": [10, 4, 4], "weight": [10, 6.5, 6], "edge_sentence": [0, 1, 2], "edge_word": [0, 1, 2]}
    result = summc(
        "select", "-k", 10, "--selector", "g-greedy", stdin=json.dumps({"graph": graph, "name": "mine"})
    )
    line = json.loads(result.out)
    assert line["graph"] == graph
    assert line["name"] == "mine"
    assert line["selection"] == {
        "selector": "g-greedy", "budget": 10, "chosen": [1, 2], "cost": 8, "covered_weight": 12.5,
        "bound": None, "diagnostics": {},
    }  # fmt: skip
    by_bp = json.loads(summc("select", "-k", 10, "--selector", "bp", stdin=json.dumps({"graph": graph})).out)
    assert list(by_bp["selection"]["diagnostics"]) == [
        "converged", "iterations", "last_change", "beta", "mu", "damping",
    ]  # fmt: skip


def test_graph_prints_its_size(summc: Cli) -> None:
    lines = summc("load", SAMPLE / "docs" / "d90001t").out
    for stage in ("preprocess", "weigh"):
        lines = summc(stage, stdin=lines).out
    sizes = dict(
        line.rsplit(maxsplit=1) for line in summc("graph", "--stats", stdin=lines).out.splitlines()[1:]
    )
    line = json.loads(summc("graph", stdin=lines).out)
    assert int(sizes["sentences"]) == len(line["graph"]["cost"])
    assert int(sizes["edges"]) == len(line["graph"]["edge_word"])
    short = json.loads(summc("graph", "-k", "10", stdin=lines).out)["graph"]
    assert 0 < len(short["cost"]) < len(line["graph"]["cost"])
    assert max(short["cost"]) <= 10


def test_preprocess_takes_a_language(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Les maisons.")
    lines = summc("load", tmp_path / "a.txt").out
    line = json.loads(summc("preprocess", "--language", "french", stdin=lines).out)
    assert line["tokenized"]["tokens"] == [["le", "maison", "le maison"]]
    assert line["cluster"]["language"] == "fr"


# Scores


def test_score_of_files(summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("the dam broke\n")
    (tmp_path / "b.txt").write_text("the dam held out")
    result = summc("score", "a.txt", "--reference", "a.txt", "--reference", "b.txt", "-v")
    assert result.out.splitlines()[1:] == ["a.txt    rouge1  0.7500     0.8333  0.7857"]
    assert result.err.startswith("rouge1|references:2,mean|")
    same = json.loads(
        summc("score", "--reference", tmp_path / "a.txt", "--format", "json", stdin="the dam broke").out
    )
    assert same["rouge1"] == {"recall": 1, "precision": 1, "f1": 1}


def test_score_of_lines_uses_the_clusters_own_references(summc: Cli, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join(map(json.dumps, TWO)))
    lines = piped(summc, [source], {"select": ["-k", "12"]})
    scores = json.loads(summc("score", "--format", "json", stdin=lines).out)
    assert [(score["id"], score["rouge1"]["precision"]) for score in scores] == [("dam", 0.6), ("ferry", 0.5)]
    assert summc("score", stdin=lines).out.splitlines()[3] == "mean     rouge1  1.0000     0.5500  0.7054"


# The real command


def test_a_real_pipe_equals_summarize(summc: Cli) -> None:
    commands, source = [], os.open(os.devnull, os.O_RDONLY)
    for stage in (f"load {DAM}", *STAGES, "render"):
        read, write = os.pipe()
        commands.append(start(*stage.split(" ", 1), stdin=source, stdout=write))
        os.close(source)
        os.close(write)
        source = read
    with os.fdopen(source) as stream:
        summary = stream.read()
    assert [command.ended() for command in commands] == [(0, "")] * 6
    assert summary == summc("summarize", DAM).out
    assert len(summary.split()) > 80


def test_the_installed_command_runs_anywhere(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "summc"
    ran = subprocess.run(
        [command, "summarize", "--sample", "--config", "paper"], cwd=tmp_path, capture_output=True, check=True
    )
    assert ran.stdout.startswith(b"==> d90001t <==\n")
