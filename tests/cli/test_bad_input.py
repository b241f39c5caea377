"""Bad input gets one line that says where, what is wrong and what to do, and the exit code of its kind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, Cli, wait_until
from tests.support.forks import start
from tests.support.sessions import replay, sessions

GRAPH = {"graph": {"cost": [5], "weight": [1], "edge_sentence": [0], "edge_word": [0]}}
STORY = " ".join(f"The dam number {n} broke on the night of day {n}." for n in range(9))


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with one bad input of each kind, and work in it."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "blank.txt").write_bytes(b" \n\n")
    (tmp_path / "binary.dat").write_bytes(bytes(range(256)))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "latin.txt").write_bytes("Café.".encode("latin-1"))
    (tmp_path / "odd.txt").write_bytes(b"Caf\x81.")
    (tmp_path / "long.txt").write_text("One such sentence has quite a lot more words than the budget allows.")
    (tmp_path / "long.txt").chmod(0o444)
    (tmp_path / "broken.jsonl").write_text(
        '{"id": "a", "documents": ["Fine."]}\n{"id": "b", "documents": [\n'
    )
    (tmp_path / "bad.toml").write_text("[select]\nbugdet = 3\n")
    (tmp_path / "huge.toml").write_text(f"[select]\nbudget = {'9' * 400}\n")
    (tmp_path / "deep.toml").write_text(f"a = {'[' * 5000}")
    (tmp_path / "good.txt").write_text("The dam broke. Nobody was hurt.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("session", sessions("bad_input.txt"))
def test_bad_input_gives_a_one_line_error(summc: Cli, session: str) -> None:
    assert replay(summc, session) == session


@pytest.mark.parametrize(
    ("stage", "stdin", "code", "message"),
    [
        ("preprocess", "", 3, "standard input: no lines; pipe the stage before into it, as in: summc load docs/ | ..."),
        ("preprocess", '{"a": 1}\n{"clust', 3, 'standard input:1: no "cluster" on this line; run summc load before'),
        ("weigh", '{"cluster": 3, "tokenized": {}}', 3, "standard input:1: cluster must be an object; see the guide for its shape"),
        ("graph", "[1]", 3, 'standard input:1: not a JSON object; give {"cluster": ...} or {"graph": ...}'),
        ("select", json.dumps(GRAPH) + "\n{oops", 3,
         "standard input:2: not JSON (Expecting property name enclosed in double quotes); give one JSON object a line, or remove this line"),
        ("render", json.dumps(GRAPH), 3, 'standard input:1: no "cluster" on this line; run summc load before'),
        ("select", json.dumps(GRAPH).replace("[1]", "[1e999]"), 3, "standard input:1: not JSON (1e999 is too large a number); give one JSON object a line, or remove this line"),
        ("select", json.dumps(GRAPH).replace("[1]", f"[{'9' * 5000}]"), 3, "standard input:1: not JSON (a number of 5000 digits); give one JSON object a line, or remove this line"),
        ("select", json.dumps(GRAPH).replace("[1]", "[1e308]"), 3, "standard input:1: graph.weight[0] must be 0 or a number from 1e-100 to 1e100, got 1e+308; see the guide for its shape"),
        ("select", '{"q": "\\ud800", ' + json.dumps(GRAPH)[1:], 3, "standard input:1: holds half a surrogate pair; write it as whole characters"),
        ("select", json.dumps(GRAPH).replace('"weight": [1]', '"weight": [0]'), 5,
         "standard input:1: no sentence within 100 words has a word worth covering; raise --budget, keep stop words or give more text"),
    ],
)  # fmt: skip
def test_an_error_names_the_number_of_the_bad_line(
    summc: Cli, stage: str, stdin: str, code: int, message: str
) -> None:
    result = summc(stage, stdin=stdin)
    assert result.err == f"error: {message}\n"
    assert result.code == code


def test_select_reports_a_graph_that_nothing_fits_and_solves_the_rest(summc: Cli) -> None:
    small = {"graph": {**GRAPH["graph"], "cost": [1]}}
    result = summc("select", "-k", 2, stdin=f"{json.dumps(GRAPH)}\n{json.dumps(small)}\n")
    assert result.code == 5
    assert "standard input:1: no sentence fits a budget of 2 words (the shortest has 5)" in result.err
    failed, made = map(json.loads, result.out.splitlines())
    assert failed["failure"].startswith("standard input:1: no sentence fits")
    assert made["selection"]["chosen"] == [0]


def test_failing_clusters_do_not_stop_the_others(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    texts = {"a": "One far too long sentence.", "b": "Dams broke.", "c": " "}
    path.write_text("\n".join(json.dumps({"id": id_, "documents": [text]}) for id_, text in texts.items()))
    result = summc("summarize", "-k", 2, path)
    assert (result.code, result.out) == (3, "==> b <==\nDams broke.\n")
    assert f"error: {path}:3: no text;" in result.err
    assert "error: a: no sentence fits a budget of 2 words" in result.err
    assert "Dams broke." in summc("load", path).out


def test_an_internal_error_is_one_line_too(summc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("summc.method.fit", fail)
    result = summc("summarize", "-", stdin=STORY)
    assert (result.code, result.out) == (70, "")
    assert (
        result.err
        == "error: internal: ZeroDivisionError: oops; run again as summc --debug ... and report it\n"
    )
    assert "Traceback" in summc("--debug", "summarize", "-", stdin=STORY).err


def test_an_empty_path_is_not_the_working_folder(summc: Cli) -> None:
    assert (
        summc("summarize", "").err
        == "error: PATH: is empty; name a file or folder; a variable may not be set\n"
    )
    assert summc("summarize", "--sample", "-o", "").err.startswith("error: -o: is empty")


def test_summc_without_arguments_prints_help(summc: Cli) -> None:
    result = summc()
    assert result.code == 2
    assert "Commands:\n  summarize" in result.err


def test_a_name_that_is_not_utf_8_can_be_printed(summc: Cli, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/p\xff\n.txt")
    Path(path).write_text("The dam broke.")
    for format_ in ("text", "json", "jsonl", "md"):
        result = summc("summarize", path, "--format", format_)
        assert (result.code, result.err) == (0, "")
        assert "The dam broke." in result.out


def test_links_that_go_in_circles_are_followed_once(summc: Cli, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "all" / name).mkdir(parents=True)
        (tmp_path / "all" / name / "x.txt").write_text(f"Dam {name} broke.")
    (tmp_path / "all" / "self").symlink_to(".")
    (tmp_path / "all" / "up").symlink_to("..")
    result = summc("summarize", tmp_path / "all")
    assert result.code == 0
    assert result.out.count("==>") == 2
    assert "self: a folder that was read already; left out" in result.err


def test_an_unreadable_folder_is_an_error_or_a_warning(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "all" / "shut").mkdir(parents=True)
    (tmp_path / "all" / "open").mkdir()
    (tmp_path / "all" / "open" / "x.txt").write_text("The dam broke.")
    listed = Path.iterdir

    def refuse(path: Path) -> Iterator[Path]:
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    shut = summc("summarize", tmp_path / "all" / "shut")
    assert shut.code == 3
    assert shut.err.endswith("shut: cannot be read (Permission denied); check its permissions\n")
    found = summc("summarize", tmp_path / "all")
    assert (found.code, found.out) == (0, "The dam broke.\n")
    assert "warning: " in found.err


def test_json_lines_are_recognised_by_content_not_by_name(summc: Cli, tmp_path: Path) -> None:
    line = json.dumps({"id": "x", "documents": ["The dam broke."]})
    for name, data in {
        "x.json": line.encode(),
        "x.txt": line.encode(),
        "x.jsonl": line.encode("utf-16"),
    }.items():
        (tmp_path / name).write_bytes(data)
        assert json.loads(summc("load", tmp_path / name).out)["cluster"]["id"] == "x"


def test_a_failed_line_loses_its_earlier_selection(summc: Cli) -> None:
    line = summc("select", "-k", 5, stdin=json.dumps(GRAPH)).out
    failed = json.loads(summc("select", "-k", 2, stdin=line).out)
    assert "selection" not in failed
    assert failed["signature"] == {}
    again = json.loads(summc("select", "-k", 5, stdin=json.dumps(failed)).out)
    assert "failure" not in again
    assert again["selection"]["chosen"] == [0]


# Pipes, disks and signals, with real processes

SUMMC = [sys.executable, "-m", "summc"]


def shell(line: str) -> subprocess.CompletedProcess[str]:
    command = line.replace("summc", f"'{sys.executable}' -m summc", 1)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}  # the working folder may be another
    return subprocess.run(
        ["bash", "-c", command],  # noqa: S607
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments", [["load", "a.txt"], ["summarize", "--help"], ["--version"], ["datasets"]]
)
def test_a_closed_pipe_ends_the_command_quietly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("dam " * 50_000)  # larger than a pipe's buffer
    read, write = os.pipe()
    if arguments[0] != "load":
        os.close(read)
    command = start(*arguments, stdout=write)
    os.close(write)
    if arguments[0] == "load":  # its reader goes in the middle of a line
        assert os.read(read, 11) == b'{"cluster":'
        os.close(read)
    assert command.ended() == (141, "")


FULL = "error: standard output: cannot be written (No space left on device); free some space there\n"


@pytest.mark.usefixtures("inputs")
def test_a_full_disk_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("wb") as full:
        assert start("load", "good.txt", stdout=full.fileno()).ended() == (6, FULL)
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    ran = shell("summc --help > /dev/full")
    assert (ran.returncode, ran.stderr) == (6, FULL)


@pytest.mark.usefixtures("inputs")
def test_closed_streams_are_reported() -> None:
    assert shell("summc summarize - <&-").stderr.startswith("error: standard input: closed;")
    ran = shell("summc load good.txt >&-")
    assert (ran.returncode, ran.stderr) == (
        6,
        "error: standard output: closed; give it somewhere to go, or use -o\n",
    )


@pytest.mark.usefixtures("inputs")
def test_output_can_go_to_a_device_that_is_a_pipe() -> None:
    read, write = os.pipe()
    command = start("load", "good.txt", "-o", "/dev/stdout", stdout=write)
    os.close(write)
    with os.fdopen(read) as lines:
        assert [json.loads(line)["cluster"]["id"] for line in lines] == ["good"]
    assert command.ended() == (0, "")


def test_an_interrupted_command_leaves_no_partial_file(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    process = subprocess.Popen(
        [*SUMMC, "preprocess", "-o", str(out)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    line = '{"cluster": {"id": "a", "documents": [], "references": [], "language": "en"}}\n'
    process.stdin.write(line)
    process.stdin.flush()
    wait_until(
        lambda: any(tmp_path.iterdir()), process
    )  # the command is at work once its temporary file exists
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, "error: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def chosen() -> dict[str, dict[str, object]]:
    """Return a line as ``summc select`` writes it."""
    sentences = [{"text": "The dam broke.", "words": 3}, {"text": "Nobody was hurt.", "words": 3}]
    return {
        "cluster": {
            "id": "a", "language": "en", "documents": [{"id": "1", "sentences": sentences}], "references": []
        },
        "tokenized": {"tokens": [["dam"], ["hurt"]]},
        "weights": {"words": ["dam", "hurt"], "weight": [1, 1], "idf_unit": "none"},
        "graph": {"cost": [3, 3], "weight": [1, 1], "edge_sentence": [0, 1], "edge_word": [0, 1]},
        "selection": {
            "selector": "bp", "budget": 6, "chosen": [0, 1], "cost": 6, "covered_weight": 2, "bound": 2,
            "diagnostics": {},
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "member", "more", "problem"),
    [
        ("render -v", "selection", {"covered_weight": 10**399}, "selection.covered_weight must be a number"),
        ("render -v", "selection", {"bound": 10**399}, "selection.bound must be a number at least 0"),
        ("render", "selection", {"chosen": [1, 0]}, "selection.chosen must be sentences, ascending"),
        ("render", "selection", {"chosen": [0, 0]}, "selection.chosen must be sentences, ascending"),
        ("render", "selection", {"chosen": []}, "selection.chosen must be"),
        ("render", "selection", {"chosen": [0, 1], "budget": 5}, "selection.chosen must be"),
        ("render", "graph", {"sentence_ids": [1, 1]}, "graph.sentence_ids names a sentence twice"),
        ("graph", "tokenized", {"candidates": [1, 1]}, "tokenized.candidates must be sentences, ascending"),
        ("graph", "tokenized", {"whole": [1, 0]}, "tokenized.whole must be sentences, ascending"),
        (
            "graph",
            "weights",
            {"words": ["dam", "dam"]},
            "weights.words must be a list of texts, none of them",
        ),
    ],
)
def test_a_line_with_impossible_values_is_refused(
    summc: Cli,
    chosen: dict[str, dict[str, object]],
    command: str,
    member: str,
    more: dict[str, object],
    problem: str,
) -> None:
    line = {**chosen, member: {**chosen[member], **more}}
    result = summc(*command.split(), stdin=json.dumps(line))
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith(f"error: standard input:1: {problem}")


def test_an_absurd_word_count_is_refused(summc: Cli, chosen: dict[str, dict[str, object]]) -> None:
    documents = [{"id": "1", "sentences": [{"text": "The dam broke.", "words": 10**390}]}]
    result = summc("preprocess", stdin=json.dumps({"cluster": {**chosen["cluster"], "documents": documents}}))
    assert (result.code, result.out) == (3, "")
    assert "words must be a count" in result.err


def test_rerunning_a_stage_drops_the_results_of_later_stages(
    summc: Cli, chosen: dict[str, dict[str, object]]
) -> None:
    line = {**chosen, "signature": {"load": {}, "preprocess": {}, "weigh": {}, "select": {}}}
    again = json.loads(summc("preprocess", "--keep-stopwords", stdin=json.dumps(line)).out)
    assert list(again) == ["cluster", "signature", "tokenized"]
    assert list(again["signature"]) == ["load", "preprocess"]


@pytest.mark.parametrize("before", ["\ufeff", "\n", " \n"])
def test_score_recognises_lines_after_a_mark_or_blank_lines(
    summc: Cli, chosen: dict[str, dict[str, object]], before: str
) -> None:
    line = {**chosen, "cluster": {**chosen["cluster"], "references": ["The dam broke."]}}
    result = summc("score", "--format", "json", stdin=f"{before}{json.dumps(line)}\n")
    assert (result.err, json.loads(result.out)["id"]) == ("", "a")


@pytest.mark.parametrize(
    "diagnostics",
    [
        {"beta": "x"},
        {"mu": 10**399},
        {"converged": True},
        {"converged": True, "iterations": [1], "last_change": "x"},
    ],
)
def test_unknown_diagnostics_are_ignored(
    summc: Cli, chosen: dict[str, dict[str, object]], diagnostics: object
) -> None:
    line = {**chosen, "selection": {**chosen["selection"], "diagnostics": diagnostics}}
    result = summc("render", "-v", stdin=json.dumps(line))
    assert (result.code, result.out) == (0, "The dam broke.\nNobody was hurt.\n")
    assert result.err == (
        "a: 6 of 6 words in 2 sentences, weight 2 of 2 covered (100.0%), by bp, "
        "covers 100.0% of the best possible, proven\n"
    )
