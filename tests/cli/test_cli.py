"""The command as users see it: its output for people and for pipes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from summc.config import Config
from summc.errors import SummcError
from summc.method import load, preprocess_background, summarize
from summc.report.summaries import RESULT_MEMBERS
from summc.signatures import signature_of_run
from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.languages import TEXTS

FOLDERS = [SAMPLE / "docs" / f"d9000{n}t" for n in range(1, 7)]
GOLDEN = ROOT / "tests" / "golden"
STAGES = ("preprocess", "weigh", "graph", "select")
DAM = SAMPLE / "docs" / "d90004t"
FLOOD = "The dam above the old mill broke on Monday. Nobody in the village below it was hurt by the water."

#: Two small clusters.
TWO = """\
{"id": "dam", "documents": ["The old dam above the town broke. Nobody was hurt, the mayor said. It rained.", \
"HILLTON (AP) - Heavy rain broke the dam above the town. The mayor said that 300 people fled."]}
{"id": "ferry", "documents": [{"id": "f1", "date": "2030-01-07", "text": "The ferry left late. Fog lay on \
the lake."}, {"id": "f2", "date": "2030-01-08", "text": "Fog kept the ferry in port. The crew waited."}]}
"""


# Summaries


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("auto", FOLDERS),
        ("bp", [*FOLDERS, "--config", "paper", "--selector", "bp"]),
        ("g-greedy", ["--sample", "--config", "paper"]),
        ("greedy", [SAMPLE, "--config", "paper", "--selector", "greedy"]),
        ("paper-fig3", [*FOLDERS, "--config", "paper-fig3"]),
    ],
)
def test_summaries_of_the_sample_match_the_golden_files(summc: Cli, name: str, options: list[str]) -> None:
    result = summc("summarize", *options)
    assert (result.code, result.err) == (0, "")
    assert result.out == (GOLDEN / f"sample-{name}.txt").read_text()


@pytest.mark.parametrize("source", [TWO, TWO.splitlines()[0]], ids=["several", "one"])
def test_stages_piped_equal_summarize(summc: Cli, source: str) -> None:
    lines = source
    for command in ("load -", "preprocess", "weigh -k 20", "graph", "select -k 20"):
        lines = summc(*command.split(), stdin=lines).out
    for format_ in ("text", "json", "jsonl", "md"):
        whole = summc("summarize", "-", "-k", 20, "--format", format_, stdin=source)
        assert whole.code == 0
        assert summc("render", "--format", format_, stdin=lines).out == whole.out


def test_a_background_is_read_in_its_own_language(tmp_path: Path) -> None:
    (tmp_path / "fr.txt").write_text(TEXTS["fr"])
    config = Config().with_settings({"weighting": "tfidf", "background": (str(tmp_path / "fr.txt"),)})
    assert [each.cluster.language for each in preprocess_background(config, "en")] == ["fr"]
    german = config.with_settings({"language": "german"})
    assert [each.cluster.language for each in preprocess_background(german, "en")] == ["de"]
    (run,) = summarize(list(load([str(DAM)], config)), config)
    assert not isinstance(run, SummcError)
    assert re.search(r"idf:\w+/2\|.*background:fr", signature_of_run(run))


def test_json_has_the_documented_members_and_is_the_same_in_lines(summc: Cli) -> None:
    found = json.loads(summc("summarize", "-k", 50, DAM, "--format", "json").out)
    members = "id budget unit words covered_weight covered text sentences signature"
    assert list(found) == members.split()
    assert (found["id"], found["budget"]) == ("d90004t", 50)
    assert found["words"] == len(found["text"].split()) <= 50
    assert found["text"].split("\n") == [sentence["text"] for sentence in found["sentences"]]
    members = "document date position paragraph text words start end"
    assert list(found["sentences"][0]) == members.split()
    assert "selector:auto|effort:normal|time_limit:60|k:50" in found["signature"]
    several, lines = (summc("summarize", "-", "--format", each, stdin=TWO).out for each in ("json", "jsonl"))
    assert [json.loads(line) for line in lines.splitlines()] == json.loads(several)
    assert [each["id"] for each in json.loads(several)] == ["dam", "ferry"]


def test_every_member_that_summc_writes_is_protected(summc: Cli) -> None:
    options = ["-k", "10", "--weighting", "expected", "--explain", "--by-topic", "--format", "json"]
    (made,) = json.loads(summc("summarize", *options, "-", stdin=FLOOD).out)
    assert {"forecast", "explanation", "title"} < made.keys() <= RESULT_MEMBERS


def test_verbose_reports_settings_and_coverage_on_stderr(summc: Cli) -> None:
    source = SAMPLE / "docs" / "d90001t"
    quiet = summc("summarize", source)
    covered = r"d90001t: \d+ of 100 words in \d+ sentences, weight [\d.]+ of [\d.]+ covered \([\d.]+%\), by "
    for flags, told in {
        "auto": r"auto, [\d.]+% given up for reading",
        "auto --reading 0": "auto",
        "greedy": "greedy",  # a named selector gives its own choice
        "greedy --reading 1": r"greedy, [\d.]+% given up for reading",
        "bp --mu 0.04": r"bp at beta [\d.]+, mu 0.04, damping 0.[5-9]\d*, which (converged|did not converge)"
        r" in \d+ iterations \(last change .*\)",
    }.items():
        shown = summc("summarize", "-v", "--selector", *flags.split(), source)
        assert re.fullmatch(rf"d90001t: language: English, detected\n{covered}{told}\n", shown.err), shown.err
        assert flags != "auto" or (shown.out, quiet.err) == (quiet.out, "")


def test_a_configuration_is_what_its_flags_are(summc: Cli) -> None:
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
        if stage == "weigh":
            lines = json.dumps(line)
    sizes = summc("graph", "--stats", stdin=lines).out.splitlines()[1:]
    stated = {name: int(size) for name, size in (each.rsplit(maxsplit=1) for each in sizes) if size.isdigit()}
    graph = line["graph"]
    assert (stated["sentences"], stated["edges"]) == (len(graph["cost"]), len(graph["edge_word"]))
    short = json.loads(summc("graph", "-k", "10", stdin=lines).out)["graph"]
    assert 0 < len(short["cost"]) < len(graph["cost"])
    assert max(short["cost"]) <= 10


# The real command


def test_the_installed_command_runs_anywhere(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "summc"
    ran = subprocess.run(
        [command, "summarize", "--sample", "--config", "paper"], cwd=tmp_path, capture_output=True, check=True
    )
    assert ran.stdout.startswith(b"==> d90001t <==\n")
