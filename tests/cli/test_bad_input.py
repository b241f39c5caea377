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

from summc.cli.options import Sources
from summc.errors import SettingError
from tests.conftest import ROOT, Cli, wait_until
from tests.support.forks import start
from tests.support.sessions import check
from tests.support.terminals import on_terminal

TEXT = "The dam broke. Nobody was hurt."
FULL = "error: standard output: cannot be written (No space left on device); free some space there\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["bad_input.txt", "flags.txt", "meant.txt"])
def test_sessions(summc: Cli, tmp_path: Path, name: str) -> None:
    check(summc, tmp_path, name)


def test_nothing_is_read_from_a_terminal_unless_asked_for() -> None:
    with on_terminal("stdin"):
        assert Sources(("-",)).inputs() == ["-"]
        with pytest.raises(SettingError, match="PATH: nothing to read; name files or folders"):
            Sources().inputs()


def test_an_internal_error_is_one_line_too(summc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("summc.method.fit", fail)
    result = summc("summarize", "-", stdin=TEXT)
    told = "error: internal: ZeroDivisionError: oops; run again as summc --debug ... and report it\n"
    assert (result.code, result.out, result.err) == (70, "", told)
    assert "Traceback" in summc("--debug", "summarize", "-", stdin=TEXT).err


def test_an_unreadable_folder_is_an_error_or_a_warning(summc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("all/shut").mkdir(parents=True)
    Path("all/open").mkdir()
    Path("all/open/x.txt").write_text("The dam broke.")
    listed = Path.iterdir

    def refuse(path: Path) -> Iterator[Path]:
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    shut = summc("summarize", "all/shut")
    told = "error: all/shut: cannot be read (Permission denied); check its permissions\n"
    assert (shut.code, shut.err) == (3, told)
    found = summc("summarize", "all")
    assert (found.code, found.out) == (0, "The dam broke.\n")
    assert "warning: " in found.err


# Pipes, disks and signals, with real processes


def shell(line: str) -> subprocess.CompletedProcess[str]:
    command = line.replace("summc", f"'{sys.executable}' -m summc", 1)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return subprocess.run(
        ["bash", "-c", command],  # noqa: S607
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments", [["load", "a.txt"], ["summarize", "--help"], ["--version"], ["datasets"]]
)
def test_a_closed_pipe_ends_the_command_quietly(arguments: list[str]) -> None:
    Path("a.txt").write_text("The dam above the town broke. " * 1500)  # larger than a pipe's buffer
    read, write = os.pipe()
    if arguments[0] != "load":
        os.close(read)
    command = start(*arguments, stdout=write)
    os.close(write)
    if arguments[0] == "load":  # its reader goes in the middle of a line
        assert os.read(read, 11) == b'{"cluster":'
        os.close(read)
    assert command.ended() == (141, "")


def test_full_disks_and_closed_streams_are_reported() -> None:
    Path("good.txt").write_text(TEXT)
    with Path("/dev/full").open("wb") as full:
        assert start("load", "good.txt", stdout=full.fileno()).ended() == (6, FULL)
    ran = shell("summc --help > /dev/full")
    assert (ran.returncode, ran.stderr) == (6, FULL)
    assert shell("summc summarize - <&-").stderr.startswith("error: standard input: closed;")
    ran = shell("summc load good.txt >&-")
    told = "error: standard output: closed; give it somewhere to go, or use -o\n"
    assert (ran.returncode, ran.stderr) == (6, told)


def test_output_can_go_to_a_device_that_is_a_pipe() -> None:
    Path("good.txt").write_text(TEXT)
    read, write = os.pipe()
    command = start("load", "good.txt", "-o", "/dev/stdout", stdout=write)
    os.close(write)
    with os.fdopen(read) as lines:
        assert [json.loads(line)["cluster"]["id"] for line in lines] == ["good"]
    assert command.ended() == (0, "")


def test_an_interrupted_command_leaves_no_partial_file(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "summc", "preprocess", "-o", str(tmp_path / "out.txt")],
        cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write('{"cluster": {"id": "a", "documents": [], "references": [], "language": "en"}}\n')
        process.stdin.flush()
        wait_until(lambda: any(tmp_path.iterdir()), process)  # its temporary file: it is at work
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()  # its input stays open, so only the signal can end it
    assert (process.returncode, err) == (130, "error: interrupted\n")
    assert list(tmp_path.iterdir()) == []
