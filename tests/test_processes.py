"""Work in several processes: results come in order, and no process is left behind."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
from functools import partial

import pytest

from summc.errors import InternalError
from summc.processes.pool import map_in_order
from tests.conftest import PATIENCE, ROOT
from tests.work import die, double, fail, fail_oddly, wait


@pytest.mark.parametrize(("jobs", "chunk"), [(1, 1), (2, 1), (3, 4)])
def test_results_come_in_order(jobs: int, chunk: int) -> None:
    assert list(map_in_order(double, range(20), jobs, chunk=chunk)) == [2 * n for n in range(20)]
    assert list(map_in_order(double, [], jobs, chunk=chunk)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_items_are_taken_only_when_needed(jobs: int) -> None:
    results = map_in_order(double, itertools.count(), jobs)
    assert [next(results) for _ in range(5)] == [0, 2, 4, 6, 8]
    results.close()


def test_leaving_early_does_not_wait_for_the_rest() -> None:
    results = map_in_order(wait, range(9), 2)
    assert next(results) == 0
    results.close()
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_in_a_worker_is_raised_in_the_caller(jobs: int) -> None:
    with pytest.raises(ZeroDivisionError, match="oops"):
        list(map_in_order(partial(fail, 3), range(9), jobs))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_leaving_does_not_wait_for_killed_workers(sent: signal.Signals) -> None:
    results = map_in_order(wait, range(2), 2)
    assert next(results) == 0  # now one worker is busy and one waits for work
    for worker in multiprocessing.active_children():
        assert worker.pid is not None
        os.kill(worker.pid, sent)
    with pytest.raises(InternalError, match="a process was killed before it was done"):
        next(results)
    assert multiprocessing.active_children() == []


def test_workers_end_when_their_parent_is_killed() -> None:
    imports = "from summc.processes.pool import map_in_order; from tests.work import tell_and_wait"
    code = f"{imports}; list(map_in_order(tell_and_wait, [1, 2], 2))"
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    assert parent.stdout
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    try:
        # The workers hold their end of the pipe, so that it ends with them.
        assert parent.communicate(timeout=PATIENCE)[0] == b""
    finally:
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
    assert parent.returncode == -signal.SIGKILL


def test_too_many_processes_for_the_system_are_reported() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.closing(map_in_order(double, range(4), 2)) as results:
        assert next(results) == 0  # the watcher of processes is running now
    os.close(lowest := os.dup(0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 9, hard))  # new files get the lowest free number
    try:
        with pytest.raises(InternalError, match=r"`jobs`: no further process can be started .*; give fewer"):
            list(map_in_order(double, range(999), 99))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert multiprocessing.active_children() == []


def test_errors_that_cannot_be_pickled_are_still_reported() -> None:
    with pytest.raises(RuntimeError, match="NeedsTwoError: oops"):
        list(map_in_order(fail_oddly, [1], 2))
    with pytest.raises(ValueError, match="0") as caught:
        list(map_in_order(fail_oddly, [0], 2))
    assert "in fail_oddly" in caught.value.__notes__[0]  # the traceback for --debug


def test_a_killed_worker_is_reported() -> None:
    with pytest.raises(InternalError, match="a process was killed before it was done; give more memory"):
        list(map_in_order(die, range(9), 2))
    assert multiprocessing.active_children() == []
