"""``summc bench`` end to end, and the inputs that it measures."""

from __future__ import annotations

import fcntl
import io
import json
import runpy
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from summc.bench import measures
from summc.bench.commands import Command, run_in_turn, run_once
from summc.bench.commands import Run as CommandRun
from summc.bench.inputs import make_text_graph, make_texts, vocabulary
from summc.bench.measures import QUICK, SECTIONS, Figure, a_word
from summc.bench.report import machine, read_figures, render_figures
from summc.cli import main
from summc.errors import InternalError
from tests.conftest import Run, wait_until
from tests.terminals import on_terminal


def run_here(command: Command) -> CommandRun:
    """Run a command that is to be measured in this process, without workers.

    A new process would take a second for its imports.
    """
    way, program, *arguments = command.arguments
    for option in {"--jobs", "--scheduler"}.intersection(arguments):
        place = arguments.index(option)
        del arguments[place : place + 2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
        patch.setattr(sys, "argv", ["summc", *arguments])
        for name, value in command.environment.items():
            patch.setenv(name, value)
        try:
            if way == "-c":
                exec(program, {})  # noqa: S102 (one of the program's own)
            elif program == "summc":
                main()
            else:
                runpy.run_module(program, run_name="__main__")
        except SystemExit as leaving:
            assert leaving.code == 0, command  # noqa: PT017 (not every command exits by an exception)
    return CommandRun(seconds=0.5, cpu_seconds=0.25, megabytes=100)


def test_a_quick_run_measures_every_section(summc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Command] = []

    def run_and_note(command: Command) -> CommandRun:
        ran.append(command)
        return run_here(command)

    monkeypatch.setattr("summc.bench.commands.run_once", run_and_note)
    monkeypatch.setattr("summc.bench.measures.run_once", run_and_note)
    monkeypatch.setattr("summc.bench.measures._dask_workers", lambda _: nullcontext("tcp://here:1"))
    monkeypatch.setattr("summc.bench.inputs._SENTENCES", 5)  # in a text
    monkeypatch.setattr("summc.bench.measures.QUICK", replace(QUICK, items=(9,), batch=1, evaluated=1))
    result = summc("bench", "--quick", "--format", "json")
    assert (result.code, result.err) == (0, "")
    report = json.loads(result.out)
    assert {"time", "load", "python", "cores", "numpy", "summc"} <= report["machine"].keys()
    assert report["machine"]["measured"] == "quick"
    figures = report["figures"]
    assert all(figure["value"] > 0 for figure in figures)
    sections = [figure["section"] for figure in figures]
    assert len(set(sections)) == len(SECTIONS) + 2  # peers and coverage have two sections each
    covered = {
        f["name"]: f["ratio"] for f in figures if f["section"] == "against exact" and f["unit"] == "weight"
    }
    assert covered["exact"] == 1
    assert covered.keys() == {"exact", "auto", "g-greedy", "bp"}
    assert all(0.7 < share <= 1 for share in covered.values())
    jobs = {f["name"]: f["to"] for f in figures if f["section"].startswith("batch")}
    assert jobs == {"jobs 1": "jobs 1", "jobs 2": "jobs 1", "Dask, workers 2": "jobs 2"}
    batches = [command.arguments[-2:] for command in ran if "batch" in command.arguments]
    assert batches == [["--jobs", "1"], ["--jobs", "2"], ["--scheduler", "tcp://here:1"]]
    (python,) = (f for f in figures if f["name"] == "python -c pass")
    (help_,) = (f for f in figures if f["name"] == "summc --help")
    assert help_["ratio"] == pytest.approx(help_["value"] / python["value"])


def test_one_section_as_text(summc: Run) -> None:
    result = summc("bench", "bp", "--quick")
    assert result.out.startswith("bp, an edge and iteration")
    assert " ns " in result.out
    assert "x first" in result.out


THEN = [
    Figure("start-up", "python", 0.02, "s", 1.0, "python"),
    Figure("start-up", "help", 0.08, "s", 4.0, "python"),
    Figure("scaling", "gone", 3.0, "s"),
]
NOW = [
    Figure("start-up", "python", 0.01, "s", 1.0, "python"),
    Figure("start-up", "help", 0.1, "s", 10.0, "python"),
    Figure("scaling", "new", 7.0, "s"),
]


def test_a_run_can_be_compared_with_an_earlier_one(tmp_path: Path) -> None:
    kept = tmp_path / "then.json"
    kept.write_text(render_figures(THEN, machine("full"), "json"))
    before = read_figures(str(kept), "full")
    assert list(before.values()) == THEN
    assert render_figures(NOW, {"cores": 2}, "text", before) == (
        "start-up                 ratio  before  ratio before  change\n"
        "python    0.01  s   1 x python    0.02    1 x python    -50%\n"
        "help       0.1  s  10 x python    0.08    4 x python    +25%\n"
        "\n"
        "scaling        ratio  before  ratio before  change\n"
        "new      7  s      -       -             -       -\n"
        "\n"
        "cores 2\n"
    )
    _, help_, new = json.loads(render_figures(NOW, {}, "json", before))["figures"]
    assert (help_["value"], help_["before"], help_["ratio_before"]) == (0.1, 0.08, 4.0)
    assert (new["value"], new["before"], new["ratio_before"]) == (7.0, None, None)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("[1]", "not a JSON object; give what summc bench --format json wrote"),
        ('{"figures": []}', "no figures of a bench; give what summc bench --format json wrote"),
        ('{"machine": {}, "figures": [{"value": 0}]}', "no figures of a bench; give what summc bench"),
        (
            '{"machine": {"measured": "quick"}, "figures": []}',
            "of a run that was quick, and this one is full; compare",
        ),
    ],
)
def test_an_earlier_run_that_cannot_be_compared_is_refused_at_once(
    summc: Run, tmp_path: Path, kept: str, told: str
) -> None:
    (tmp_path / "then.json").write_text(kept)
    result = summc("bench", "--against", tmp_path / "then.json")
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith(f"error: {tmp_path}/then.json: {told}")


def test_a_terminal_shows_what_is_measured_unless_quiet(summc: Run) -> None:
    with on_terminal("stderr") as shown:
        assert summc("bench", "--quick", "bp").code == 0
        assert shown() == "measuring bp\r\n"
        assert summc("bench", "--quick", "bp", "-q").code == 0
        assert shown() == ""


def test_an_unknown_section_is_refused(summc: Run) -> None:
    result = summc("bench", "scalling")
    assert (result.code, result.out) == (2, "")
    assert result.err == 'error: scalling: no such section; perhaps "scaling"?\n'


def test_a_failing_command_is_reported() -> None:
    with pytest.raises(InternalError, match=r"-c raise SystemExit.*: no luck; run it by itself to see"):
        run_once(Command(["-c", "raise SystemExit('no luck')"]))


# The measured command: it and its child process hold a lock as long as they run.
HELD = """
import fcntl, pathlib, subprocess, sys
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
late = "import pathlib, time; time.sleep(30); pathlib.Path('survived').touch()"
child = subprocess.Popen([sys.executable, "-c", late], pass_fds=[lock.fileno()])
pathlib.Path("begun").touch()
child.wait()
"""
MEASURED_SO = f"""
from summc.bench import measures
from summc.bench.commands import Command
from summc.cli import main
measures.summc = lambda *_, **__: Command(["-c", {HELD!r}])
main(["bench", "start-up"])
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_bench_leaves_no_process_running(
    tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    process = subprocess.Popen([sys.executable, "-c", MEASURED_SO], cwd=tmp_path, stderr=subprocess.PIPE)
    wait_until((tmp_path / "begun").exists, process)
    process.send_signal(sent)
    _, told = process.communicate()
    assert (process.returncode, told) == (code, b"error: interrupted\n")
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # no process holds it any more
    assert not (tmp_path / "survived").exists()


def test_summc_itself_is_measured_in_a_process_of_its_own() -> None:
    run = run_once(measures.summc("--help"))
    assert (run.seconds > 0, run.cpu_seconds > 0, run.megabytes > 0) == (True, True, True)


def test_commands_are_run_in_turn(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = "import os; open(os.environ['LOG'], 'a').write(os.environ['WHO'])"
    commands = {who: Command(["-c", code], {"WHO": who, "LOG": str(log)}) for who in "ab"}
    runs = run_in_turn(commands, repeat=2)
    assert log.read_text() == "abab"
    assert all(run.seconds > 0 and run.megabytes > 0 for run in runs.values())


def test_a_failing_command_of_another_tool_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    commands = {"well": Command(["-c", "pass"]), "ill": Command(["-c", "raise SystemExit('no model')"])}
    assert run_in_turn(commands, 2, ["ill"]).keys() == {"well"}
    assert caplog.messages == ["ill: fails (no model); left out"]
    with pytest.raises(InternalError, match="no model"):
        run_in_turn(commands, 2)


def test_a_run_as_short_as_a_bare_start_gives_no_cost_per_word() -> None:
    bare = CommandRun(seconds=0.3, cpu_seconds=0.3, megabytes=30)
    run = CommandRun(seconds=0.4, cpu_seconds=0.4, megabytes=40)
    assert a_word(run, bare, 1000) == pytest.approx({"CPU us a word": 100, "bytes a word": 10 * 2**20 / 1000})
    busy_start = CommandRun(seconds=0.5, cpu_seconds=0.5, megabytes=30)
    assert a_word(run, busy_start, 1000).keys() == {"bytes a word"}
    assert a_word(run, run, 1000) == {}


def test_texts_are_the_same_every_time_and_shaped_like_news() -> None:
    texts = list(make_texts(20))
    assert texts == list(make_texts(20))
    assert texts != list(make_texts(20, seed=2))
    words = [len(text.split()) for text in texts]
    assert 400 < np.mean(words) < 600
    assert all(text.count(".") == 23 for text in texts)


def test_made_up_words_are_all_different() -> None:
    made = vocabulary(10_000)
    assert len(set(made)) == 10_000


def test_the_graph_of_a_seed_is_the_same_every_time() -> None:
    one, other = make_text_graph(50), make_text_graph(50)
    assert one.edge_word.tobytes() == other.edge_word.tobytes()
    assert one.weight.tobytes() == other.weight.tobytes()
