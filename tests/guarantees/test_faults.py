"""Full disks and killed processes, at every step at which a command touches the disk.

A hook is called before each such step, for example before a file is opened, renamed or removed. It injects the
fault: it sends a signal, or lets the system call fail. A command that is to be killed runs in a fork of this
process.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from summc.errors import is_lack_of_memory
from tests.conftest import Cli, held, wait_until
from tests.support.forks import start

#: Audit events that touch the disk, and the index of the path among their arguments.
STEPS = {"open": 0, "os.rename": 1, "os.remove": 0, "os.chmod": 0, "os.mkdir": 0, "os.truncate": 0}
KILL, INTERRUPT, TERMINATE = signal.SIGKILL, signal.SIGINT, signal.SIGTERM
FULL, READ_ONLY = errno.ENOSPC, errno.EROFS
#: Settings with which a run is short.
QUICK = ("--config", "paper", "-k", "3")
CODES = {INTERRUPT: 130, TERMINATE: 143, FULL: 6, READ_ONLY: 6}
Arguments = list[str | Path]


@dataclass
class Injector:
    """An audit hook that injects a fault at the nth step below a folder; 0 ``left`` means none to come."""

    folder: str = ""
    fault: int = 0
    left: int = 0

    def __call__(self, event: str, details: tuple[Any, ...]) -> None:
        if not self.left or event not in STEPS or not str(details[STEPS[event]]).startswith(self.folder):
            return
        if event == "os.mkdir" and Path(details[0]).is_dir():
            return  # the folder exists, so nothing is written
        self.left -= 1
        if self.left == 0:
            if self.fault in (FULL, READ_ONLY):
                raise OSError(self.fault, os.strerror(self.fault))
            signal.raise_signal(self.fault)  # to this thread: another one would handle it at any later moment


@cache
def injector() -> Injector:
    """Return the one hook of this process: Python cannot remove a hook."""
    hook = Injector()
    sys.addaudithook(hook)
    return hook


def run_with_fault(
    summc: Cli, arguments: Arguments, folder: Path, fault: int, moment: int
) -> tuple[int, str]:
    """Run the command with a fault at the nth step below a folder; return the exit code and stderr."""
    hook = injector()
    hook.folder, hook.fault, hook.left = str(folder), fault, moment
    if fault == KILL:
        with Path(os.devnull).open("w") as nowhere:
            code, _ = start(*arguments, stdout=nowhere.fileno()).ended()
        hook.left = 0
        assert code == -KILL
        return code, ""
    ended = summc(*arguments)
    assert hook.left == 0  # the fault was injected
    return ended.code, ended.err


def at_every_step(
    summc: Cli, arguments: Arguments, folder: Path, faults: list[int], before: Callable[[], None]
) -> Iterator[tuple[int, bool]]:
    """Run the command with each fault at its first step, at its second, and so on to the last.

    Yields the fault, and whether it left the folder in a state that no earlier one did. Faults leave few
    states, and what a later command makes of one need be tested only once.
    """
    states = []
    before()
    hook = injector()
    hook.folder, hook.left = str(folder), 1000
    assert summc(*arguments).code == 0
    steps, hook.left = 1000 - hook.left, 0
    assert steps > 1  # the command did touch the disk
    for fault in faults:
        for moment in range(1, steps + 1):
            before()
            code, err = run_with_fault(summc, arguments, folder, fault, moment)
            if fault != KILL:
                assert code == CODES[fault], err
                assert err.startswith("error: ")
                assert len(err.splitlines()) == 1
            state = state_of(folder)
            yield fault, state not in states
            states.append(state)


def state_of(folder: Path) -> list[tuple[str, bytes | None]]:
    """Return the names and contents below a folder, without the random endings of temporary files."""
    return sorted(
        (
            str(path.relative_to(folder)) if path.name[0] != "." else str(path.with_suffix("").name),
            None if path.is_dir() else path.read_bytes(),
        )
        for path in folder.rglob("*")
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder to write to."""
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a file of two small clusters with references."""
    path = tmp_path / "two.jsonl"
    path.write_text(
        '{"id": "a", "documents": ["The dam broke. Nobody was hurt there."], "references": ["The dam broke."]}\n'
        '{"id": "b", "documents": ["The lake fell. It rose by day."], "references": ["The lake rose."]}\n'
    )
    return path


@pytest.mark.parametrize("old", [b"", b"what was there\n"])
def test_an_output_file_is_either_old_or_new(summc: Cli, folder: Path, data: Path, old: bytes) -> None:
    out = folder / "out.txt"
    new = summc("summarize", *QUICK, data).out.encode()

    def before() -> None:
        for path in folder.iterdir():
            path.unlink()
        if old:
            out.write_bytes(old)

    arguments: Arguments = ["summarize", *QUICK, data, "-o", out]
    faults = [KILL, INTERRUPT, TERMINATE, FULL, READ_ONLY]
    for fault, is_new in at_every_step(summc, arguments, folder, faults, before):
        assert (out.read_bytes() if out.exists() else b"") in (old, new)
        if fault != KILL:  # a killed process cannot clean up; after other faults nothing is left
            assert [path.name for path in folder.iterdir()] in ([], ["out.txt"])
        if is_new:
            assert summc(*arguments).code == 0
            assert out.read_bytes() == new


def test_a_replaced_file_keeps_its_mode(summc: Cli, folder: Path, data: Path) -> None:
    before = os.umask(0o077)
    (folder / "old").touch()
    (folder / "old").chmod(0o664)
    for name, mode in (("old", 0o664), ("new", 0o600)):
        assert summc("load", data, "-o", folder / name).code == 0
        assert (folder / name).stat().st_mode & 0o777 == mode
    os.umask(before)


def test_a_saved_evaluation_is_complete_or_absent(summc: Cli, folder: Path, data: Path) -> None:
    data.write_text(data.read_text().splitlines()[0])  # one cluster shows as much as two, with fewer steps
    common = ("evaluate", "--dataset", data, "--config", "paper", "--selector", "lead", "--format", "json")
    earlier = folder.parent / "earlier"
    old = summc(*common, "-k", "3", "--save", earlier).out
    new = summc(*common, "-k", "7").out
    assert old != new

    def before() -> None:
        shutil.rmtree(folder)
        shutil.copytree(earlier, folder)

    saving: Arguments = [*common, "-k", "7", "--save", folder]
    for _, is_new in at_every_step(summc, saving, folder, [KILL, FULL], before):
        if is_new:
            shown = summc("evaluate", "--saved", folder, "--format", "json")
            assert (shown.code, shown.out) in ((0, old), (0, new), (4, ""))
            assert summc(*saving).out == new
            assert summc("evaluate", "--saved", folder, "--format", "json").out == new


@pytest.mark.parametrize(
    ("command", "faults"),
    [
        ("batch {data} --part-size 1 -o", [KILL, INTERRUPT, FULL, READ_ONLY]),
        ("sweep --dataset {data} --selector bp --mu 0.01 --iterations 9 --save", [KILL, FULL]),
    ],
)
def test_a_resumed_run_ends_with_the_same_bytes(
    summc: Cli, folder: Path, data: Path, command: str, faults: list[int]
) -> None:
    out = folder / "out"
    if command.startswith("sweep"):  # it has two points, so that one cluster is enough
        data.write_text(data.read_text().splitlines()[0])
    run: Arguments = [*command.format(data=data).split(), out, *QUICK]
    undisturbed = summc(*run)
    assert undisturbed.code == 0
    whole = state_of(out)

    def before() -> None:
        shutil.rmtree(out, ignore_errors=True)

    for fault, is_new in at_every_step(summc, run, folder, faults, before):
        there = state_of(out) if out.exists() else []
        if run[0] == "batch":  # each file is complete or absent; digests are added as parts are
            there = [each for each in there if each[0] != "digests.json"]
            assert {each for each in there if each[0][0] != "."} <= {*whole}
            assert fault == KILL or {*there} <= {*whole}
        if is_new:
            assert summc(*run) == undisturbed
            # A sweep leaves the temporary file of a killed run where it is.
            assert [each for each in state_of(out) if run[0] == "batch" or each[0][0] != "."] == whole
            assert summc(*run) == undisturbed  # once more, now that it is finished


# Real disks and processes


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 16 kB, or skip the test if that is not allowed."""
    place = tmp_path / "tiny"
    place.mkdir()
    mount = [shutil.which("mount") or "false", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)  # noqa: S607 (mount was found on the path)


def test_a_full_disk_is_reported_and_loses_nothing(
    summc: Cli, tmp_path: Path, tiny_disk: Path, data: Path
) -> None:
    out = tiny_disk / "out.jsonl"
    out.write_text("what was there\n")
    (tmp_path / "long.txt").write_text("The dam broke. " * 2000)
    result = summc("load", tmp_path / "long.txt", "-o", out)
    full = "cannot be written (No space left on device); nothing was changed there"
    assert (result.code, result.err) == (6, f"error: {out}: {full}\n")
    assert [path.name for path in tiny_disk.iterdir()] == ["out.jsonl"]
    assert out.read_text() == "what was there\n"
    saved = summc("evaluate", "--dataset", data, *QUICK, "--selector", "lead", "--save", tiny_disk / "run")
    assert saved.code == 6
    assert summc("evaluate", "--saved", tiny_disk / "run").code == 4
    (tmp_path / "six.jsonl").write_text(data.read_text() * 3)
    batch = ["batch", tmp_path / "six.jsonl", *QUICK, "--part-size", 1, "-o", tiny_disk / "batch"]
    result = summc(*batch)
    assert (result.code, "No space left on device" in result.err) == (6, True)
    out.unlink()
    shutil.rmtree(tiny_disk / "run")
    subprocess.run(["mount", "-o", "remount,size=1m", tiny_disk], check=True)  # noqa: S607 (it was found)
    assert (summc(*batch).code, len(list((tiny_disk / "batch").iterdir()))) == (0, 6 + 3)


def test_a_second_batch_into_the_same_folder_is_refused(summc: Cli, tmp_path: Path, data: Path) -> None:
    """The second run is refused at any stage of the first, and changes nothing."""
    out = tmp_path / "out"
    batch: Arguments = ["batch", data, *QUICK, "--part-size", "1", "-o", out]
    assert summc(*batch[:-1], tmp_path / "alone").code == 0
    remedy = "wait until it has ended, or write to another folder"
    refused = (6, f"error: {out}: another run is writing there; {remedy}\n")
    ended = (0, f"{out}: 2 clusters in 2 parts, all there already\n")
    with held(tmp_path / "go", *map(str, batch)) as first:
        for done in ("manifest.json", "part-00000.jsonl"):  # at the start, and with one part left
            wait_until((out / done).exists, first)
            second = summc(*batch, "-v")
            assert (second.code, second.err) == refused
        (tmp_path / "go").touch()
        while first.poll() is None:
            second = summc(*batch, "-v")
            assert (second.code, second.err) in (refused, ended)
    assert first.returncode == 0
    assert state_of(out) == state_of(tmp_path / "alone")


@pytest.mark.parametrize("closed", ["-v 2>&-", "-v >&- 2>/dev/full"])
def test_a_batch_finishes_with_closed_output_streams(tmp_path: Path, data: Path, closed: str) -> None:
    data.write_text(
        data.read_text() + '{"id": "c", "documents": ["The dam broke. It held.", ""]}'
    )  # the empty document gives a warning
    batch = f"batch '{data}' --selector greedy -k 3 -o '{tmp_path}/out'"
    command = f"exec '{sys.executable}' -m summc {batch} {closed}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)  # noqa: S607
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "out" / "finished.json").exists()


@pytest.mark.parametrize(
    ("kilobytes", "message"),
    [
        (100_000, "out of memory: 97 MB are allowed (ulimit -v); allow 256 MB or more"),
        (265_000, "out of memory; give less text at once, or more memory"),
    ],
)
def test_too_little_memory_gives_a_one_line_error(kilobytes: int, message: str) -> None:
    # With the lower limit not even the libraries can be loaded, and each fails in its own way.
    command = f"ulimit -v {kilobytes}; exec '{sys.executable}' -m summc summarize --sample"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)  # noqa: S607
    assert (ran.returncode, ran.stdout) == (70, "")
    assert ran.stderr == f"error: {message}\n"


def test_errors_of_libraries_that_mean_too_little_memory_are_recognised() -> None:
    caused = ValueError("cannot read it")
    caused.__cause__ = MemoryError()
    for error, is_one in (
        (OSError(errno.ENOMEM, "no memory"), True),
        (ImportError("libx.so: cannot allocate memory in static TLS block"), True),
        (ImportError("no module x"), False),
        (ValueError("cannot allocate memory"), False),  # perhaps a text that a user gave
        (caused, True),
    ):
        assert is_lack_of_memory(error) == is_one, error
