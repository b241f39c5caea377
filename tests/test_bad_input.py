"""Whatever comes in: one line with where it is, what is wrong and what to do, and an exit code by kind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import SAMPLE, Run

GRAPH = {"graph": {"cost": [5], "weight": [1], "edge_sentence": [0], "edge_word": [0]}}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of each bad input, as the working folder."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "blank.txt").write_bytes(b" \n\n")
    (tmp_path / "binary.dat").write_bytes(bytes(range(256)))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "latin.txt").write_bytes("Café.".encode("latin-1"))
    (tmp_path / "odd.txt").write_bytes(b"Caf\x81.")
    (tmp_path / "long.txt").write_text("This one sentence has quite a lot more words than the budget allows.")
    (tmp_path / "broken.jsonl").write_text(
        '{"id": "a", "documents": ["Fine."]}\n{"id": "b", "documents": [\n'
    )
    (tmp_path / "bad.toml").write_text("[select]\nbugdet = 3\n")
    (tmp_path / "good.txt").write_text("The dam broke. Nobody was hurt.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("summarize nothing.txt", 4, "nothing.txt: no such file or folder; check the path"),
        ("summarize empty", 3, "empty: an empty folder; put text files into it"),
        ("summarize empty.txt", 3, "empty.txt: an empty file; give a file that holds text"),
        ("summarize blank.txt", 3, "blank.txt: an empty file; give a file that holds text"),
        ("summarize binary.dat", 3, "binary.dat: a binary file, not text; leave it out, or name its encoding with --encoding"),
        ("summarize picture.png", 3, "picture.png: a PNG picture, not a text file; convert it to text first"),
        ("summarize --encoding utf-8 latin.txt", 3, "latin.txt: not utf-8 at byte 3; name its encoding with --encoding"),
        ("summarize odd.txt", 3, "odd.txt: not UTF-8 or Windows-1252 at byte 3; name its encoding with --encoding"),
        ("summarize --encoding utf-9 good.txt", 2, '--encoding: unknown encoding "utf-9"; try utf-8 or latin-1'),
        ("summarize -k 5 long.txt", 5, "long: no sentence fits a budget of 5 words (the shortest has 13); raise --budget"),
        ("summarize -k 0 good.txt", 2, "--budget: must be a number at least 1, got 0"),
        ("summarize -k -3 good.txt", 2, "--budget: must be a number at least 1, got -3"),
        ("summarize -k many good.txt", 2, "--budget: 'many' is not a valid float; see summc summarize --help"),
        ("summarize --selector gredy good.txt", 2,
         '--selector: must be one of bp, g-greedy, greedy, got "gredy"; perhaps "greedy"?'),
        ("summarize --beta -1 good.txt", 2, "--beta: must be a number above 0, got -1"),
        ("summarize --mu nan good.txt", 2, "--mu: must be a number at least 0, got nan"),
        ("summarize --selector greedy --beta 3 good.txt", 2,
         "--beta: not a setting of greedy; leave it out or choose another selector"),
        ("summarize --config bad.toml good.txt", 2, 'bad.toml: select.bugdet: unknown key; perhaps "budget"?'),
        ("summarize --config none.toml good.txt", 4,
         "none.toml: no such configuration; give a TOML file or one of default, paper-fig3, paper-fig4"),
        ("summarize --language englsh good.txt", 2, '--language: unknown language "englsh"; perhaps english?'),
        ("summarize --background nothing good.txt", 4, "nothing: no such file or folder; check the path"),
        ("summarize", 2, "PATH: nothing to read; name files or folders, - for standard input, or --sample"),
        ("summarize --sample good.txt", 2, "--sample: given with good.txt; give one or the other"),
        ("graph -k 0", 2, "--budget: must be a number at least 1, got 0"),
        ("summarize --bugdet 3 good.txt", 2, '--bugdet: no such option; perhaps "--budget"?'),
        ("sumarize good.txt", 2, 'sumarize: no such command; perhaps "summarize"?'),
        ("summarize -o no/out.txt good.txt", 6,
         "no/out.txt: cannot be written (No such file or directory); nothing was changed there"),
        ("load broken.jsonl", 3, "broken.jsonl:2: not JSON (Expecting value); give one JSON object a line"),
        ("preprocess nothing.jsonl", 4, "nothing.jsonl: no such file; check the path"),
        ("score good.txt", 3, "good.txt: no reference to score against; name one with --reference FILE"),
        ("score good.txt --reference gone.txt", 4, "gone.txt: no such file; check the path"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_line(summc: Run, arguments: str, code: int, message: str) -> None:
    result = summc(*arguments.split())
    assert result.err == f"error: {message}\n"
    assert result.code == code


@pytest.mark.parametrize(
    ("stage", "stdin", "code", "message"),
    [
        ("preprocess", "", 3, "standard input: no lines; pipe the stage before into it, as in: summc load docs/ | ..."),
        ("preprocess", '{"a": 1}\n{"clust', 3, 'standard input:1: no "cluster" on this line; run summc load before'),
        ("weigh", '{"cluster": 3, "tokenized": {}}', 3, "standard input:1: cluster must be an object; see the README for its shape"),
        ("graph", "[1]", 3, 'standard input:1: not a JSON object; give {"cluster": ...} or {"graph": ...}'),
        ("select", json.dumps(GRAPH) + "\n{oops", 3,
         "standard input:2: not JSON (Expecting property name enclosed in double quotes); give one JSON object a line"),
        ("render", json.dumps(GRAPH), 3, 'standard input:1: no "cluster" on this line; run summc load before'),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_by_its_number(
    summc: Run, stage: str, stdin: str, code: int, message: str
) -> None:
    result = summc(stage, stdin=stdin)
    assert result.err == f"error: {message}\n"
    assert result.code == code


def test_select_says_when_nothing_fits_and_goes_on(summc: Run) -> None:
    small = {"graph": {**GRAPH["graph"], "cost": [1]}}
    result = summc("select", "-k", 2, stdin=f"{json.dumps(GRAPH)}\n{json.dumps(small)}\n")
    assert result.code == 5
    assert "standard input:1: no sentence fits a budget of 2 words (the shortest has 5)" in result.err
    assert json.loads(result.out)["selection"]["chosen"] == [0]


def test_a_wrong_encoding_is_read_with_a_warning(summc: Run, inputs: Path) -> None:
    result = summc("summarize", "latin.txt")
    assert result.out == "Café.\n"
    assert result.code == 0
    assert (
        result.err
        == "warning: latin.txt: not UTF-8, read as Windows-1252; give --encoding if that is wrong\n"
    )
    assert inputs


def test_bad_files_in_a_folder_are_named_and_the_rest_is_summarized(summc: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The dam broke.")
    (tmp_path / "b.bin").write_bytes(b"\x00\x01")
    result = summc("summarize", tmp_path)
    assert (result.code, result.out) == (0, "The dam broke.\n")
    assert result.err == f"warning: {tmp_path}/b.bin: a binary file, not text; left out\n"


def test_one_cluster_that_fails_does_not_lose_the_others(summc: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    lines = [
        {"id": "a", "documents": ["One far too long sentence."]},
        {"id": "b", "documents": ["It broke."]},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    result = summc("summarize", "-k", 2, path)
    assert (result.code, result.out) == (5, "It broke.\n")
    assert result.err.startswith("error: a: no sentence fits a budget of 2 words")


def test_an_unexpected_failure_is_one_line_too(summc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("summc.pipeline.fit", fail)
    result = summc("summarize", "--sample")
    assert (result.code, result.out) == (70, "")
    assert (
        result.err
        == "error: internal: ZeroDivisionError: oops; run again as summc --debug ... and report it\n"
    )
    assert "Traceback" in summc("--debug", "summarize", "--sample").err


# Pipes, disks and signals, with real processes

SUMMC = [sys.executable, "-m", "summc"]


def shell(line: str) -> subprocess.CompletedProcess[str]:
    command = line.replace("summc", f"'{sys.executable}' -m summc", 1)
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)  # noqa: S607


def test_a_closed_pipe_ends_it_quietly() -> None:
    # The lines of the sample are larger than a pipe holds, so the writer meets the closed end.
    ran = shell(
        f"summc load '{SAMPLE}' '{SAMPLE}' '{SAMPLE}' | head -1 | cut -c 1-11; echo ${{PIPESTATUS[0]}}"
    )
    assert ran.stdout == '{"cluster":\n141\n'
    assert ran.stderr == ""


def test_a_full_disk_is_told() -> None:
    ran = shell(f"summc load '{SAMPLE}' > /dev/full")
    assert ran.returncode == 6
    assert (
        ran.stderr
        == "error: standard output: cannot be written (No space left on device); free some space there\n"
    )


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_leaves_no_half_file(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    out = tmp_path / "out.txt"
    process = subprocess.Popen(
        [*SUMMC, "preprocess", "-o", str(out)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    line = '{"cluster": {"id": "a", "documents": [], "references": [], "language": "en"}}\n'
    process.stdin.write(line)
    process.stdin.flush()
    until = time.monotonic() + 30
    while not list(tmp_path.iterdir()) and time.monotonic() < until:  # its temporary file: it is at work
        time.sleep(0.02)
    process.send_signal(sent)
    _, err = process.communicate()
    assert process.returncode == code
    assert err == "error: interrupted\n"
    assert list(tmp_path.iterdir()) == []
