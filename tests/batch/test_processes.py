"""Work in several processes: results come in order, and no process is left behind."""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from operator import mul, truediv
from pathlib import Path
from typing import Any

import pytest

from summc.documents.formats import READERS
from summc.errors import InputError, InternalError
from summc.system import processes
from summc.system.processes import CRASH, MEMORY, TIME, Limits, map_in_order
from tests.conftest import PATIENCE, ROOT
from tests.support import work

DOUBLE = partial(mul, 2)


def children() -> set[int]:
    return {int(each) for each in Path("/proc/thread-self/children").read_text().split()}


@pytest.fixture
def own() -> Iterator[set[int]]:
    """Return the processes that this one has, and check that the test leaves no others."""
    before = children()
    yield before
    assert children() == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order_and_items_are_taken_when_needed(jobs: int, own: set[int]) -> None:
    assert list(map_in_order(DOUBLE, range(20), jobs)) == [2 * n for n in range(20)]
    results = map_in_order(DOUBLE, itertools.count(), jobs)
    assert [next(results) for _ in range(5)] == [0, 2, 4, 6, 8]
    results.close()
    assert list(map_in_order(DOUBLE, [], jobs)) == []
    assert own == children()


def test_results_behind_a_slow_item_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_AHEAD", 5)
    drawn, jobs = 0, 2

    def items() -> Iterator[int]:
        nonlocal drawn
        while drawn < 100:
            drawn += 1
            yield drawn - 1

    def release() -> None:
        """Let the first item end when no further items have been drawn for a while."""
        before = -1
        while before != drawn:
            before = drawn
            time.sleep(0.3)
        ahead.append(drawn)
        (tmp_path / "go").touch()

    ahead: list[int] = []
    thread = threading.Thread(target=release)
    results = map_in_order(partial(work.wait_for_file, str(tmp_path / "go")), items(), jobs)
    thread.start()
    assert list(results) == list(range(100))
    thread.join()
    assert ahead[0] <= 5 * jobs + 1


def test_leaving_early_does_not_wait_for_the_rest(own: set[int]) -> None:
    results = map_in_order(work.wait, range(9), 2)
    assert next(results) == 0
    results.close()
    assert own == children()


def test_errors_in_a_worker_are_raised_in_the_caller(own: set[int]) -> None:
    for jobs in (1, 2):
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            list(map_in_order(partial(truediv, 1), range(9), jobs))
    with pytest.raises(MemoryError):
        list(map_in_order(bytearray, [1, 10**15], 2))
    with pytest.raises(RuntimeError, match="NeedsTwoError: oops"):  # it cannot be pickled
        list(map_in_order(work.fail_oddly, [1], 2))
    with pytest.raises(ValueError, match="0") as caught:
        list(map_in_order(work.fail_oddly, [0], 2))
    assert "in fail_oddly" in caught.value.__notes__[0]  # the traceback for --debug
    assert own == children()


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_worker_is_reported(sent: signal.Signals, own: set[int]) -> None:
    results = map_in_order(work.wait, range(2), 2)
    assert next(results) == 0  # now one worker is busy and one waits for work
    for worker in children() - own:
        os.kill(worker, sent)
    with pytest.raises(InternalError, match="a process was killed before it was done; give more memory"):
        next(results)


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("list(processes.map_in_order(work.tell_and_wait, [1, 2], 2))", 2),
        ("work.tell_helper_and_wait()", 1),
    ],
)
def test_workers_and_helpers_end_when_their_parent_is_killed(code: str, count: int) -> None:
    imports = "from summc.system import processes; from tests.support import work"
    command = [sys.executable, "-c", f"{imports}; {code}"]
    parent = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    assert parent.stderr
    started = [int(parent.stderr.readline()) for _ in range(count)]
    parent.kill()
    parent.communicate()
    until = time.monotonic() + PATIENCE
    while any(map(is_running, started)):
        assert time.monotonic() < until, "a process is still there"
        time.sleep(0.01)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # it has ended, but nobody asked for its exit code


def test_too_many_processes_for_the_system_are_reported(own: set[int]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.closing(map_in_order(DOUBLE, range(4), 2)) as results:
        assert next(results) == 0  # all modules are loaded now
    os.close(lowest := os.dup(0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 9, hard))  # new files get the lowest free number
    try:
        with pytest.raises(InternalError, match=r"`jobs`: no further process can be started .*; give fewer"):
            list(map_in_order(DOUBLE, range(999), 99))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert own == children()


# Calls within limits

ROOMY = Limits(60, 4096)


def in_helper(function: Callable[..., Any], *arguments: Any, limits: Limits = ROOMY) -> Any:
    return READERS.call(function, *arguments, limits=limits)


@pytest.mark.parametrize(
    ("function", "arguments", "limits", "reason"),
    [
        (work.be_busy, (1e9,), Limits(0.1, 4096), TIME),
        (bytearray, (900 << 20,), Limits(60, 100), MEMORY),
        (bytearray, (10**12,), Limits(60, 100), MEMORY),  # more than the system gives
        (os.abort, (), ROOMY, CRASH),
    ],
)
def test_a_call_that_takes_too_much_ends_alone(
    function: Callable[..., Any], arguments: tuple[Any, ...], limits: Limits, reason: str
) -> None:
    with pytest.raises(processes.LimitError) as raised:
        in_helper(function, *arguments, limits=limits)
    assert str(raised.value) == reason
    assert in_helper(mul, 2, 4) == 8


@pytest.mark.skipif(sys.platform != "linux", reason="memory is not reserved on other systems")
def test_space_that_was_only_reserved_does_not_count() -> None:
    helper = processes.Helper()
    helper.call(work.reserve, 2000)
    assert [helper.call(mul, 2, 4, limits=Limits(60, 100)) for _ in range(2)] == [8, 8]
    helper.end()


def test_one_helper_serves_many_calls_and_each_has_its_own_time() -> None:
    assert len({in_helper(os.getpid) for _ in range(3)} | {os.getpid()}) == 2
    for _ in range(6):
        in_helper(work.be_busy, 0.1, limits=Limits(0.5, 4096))  # a slow machine may count more than 0.1


def test_errors_of_a_call_are_raised_and_its_output_is_ignored(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="x: it is wrong; mend it"):
        in_helper(work.print_and_refuse, "x")
    assert in_helper(mul, 2, 4) == 8
    assert capfd.readouterr() == ("", "")


def test_each_worker_has_a_helper_of_its_own() -> None:
    helpers = set(map_in_order(work.process_of_helper, range(4), 2))
    assert len(helpers) <= 2
    assert os.getpid() not in helpers


def test_an_interrupted_call_does_not_answer_the_next_one() -> None:
    before = in_helper(os.getpid)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            in_helper(work.interrupt_and_wait)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert in_helper(mul, 2, 4) == 8
    assert not is_running(before)
