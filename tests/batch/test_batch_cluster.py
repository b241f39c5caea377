"""A batch on Dask's scheduler: real workers, lost workers, and workers that would compute differently."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from summc import batch
from summc.batch import scheduler
from summc.errors import NoSummaryError, NotFoundError, SettingError, SummcError
from summc.settings.config import Config
from tests.conftest import PATIENCE, ROOT, Cli, held, wait_until
from tests.support.batches import QUICK, content, make_thirty, output_of, parts_in


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """Return a file of 30 clusters, the first one broken, and the batch output for it."""
    return make_thirty(tmp_path_factory.mktemp("thirty"))


#: Runs each of several Dask commands in a fork, and prints its process id. So Dask and the modules of a
#: worker are imported only once.
DASK = """
import json, os, sys
import distributed.cli.dask_scheduler, distributed.cli.dask_worker, summc.batch
from dask.__main__ import main
for arguments in json.loads(sys.argv[1]):
    if fork := os.fork():
        print(fork, flush=True)
    else:
        sys.argv[1:] = arguments
        main()
for _ in range(3):
    _, status = os.wait()
    if not os.WIFSIGNALED(status):
        sys.exit("a Dask command ended by itself")
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[int]]]:
    """Start a scheduler and two workers, each in a process; return its address and their process ids."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    told = elsewhere / "scheduler.json"
    quiet = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OPENBLAS_NUM_THREADS": "1",
        "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "false",
    }
    common = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(told)]
    worker = ["worker", "--nthreads", "1", "--no-nanny", *common]
    programs = json.dumps([["scheduler", "--port", "0", *common], worker, worker])
    running: list[int] = []
    with (elsewhere / "log").open("wb") as log:
        dask = subprocess.Popen(
            [sys.executable, "-c", DASK, programs],
            cwd=elsewhere, env=quiet, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
    try:
        assert dask.stdout is not None
        running.extend(int(dask.stdout.readline()) for _ in range(3))
        wait_until(lambda: told.exists() and told.read_text().endswith("}"), dask)
        yield json.loads(told.read_text())["address"], running[1:]
    finally:
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        dask.communicate(timeout=PATIENCE)


def test_losing_a_worker_does_not_change_the_output(
    summc: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    thirty: tuple[Path, bytes],
    cluster: tuple[str, list[int]],
) -> None:
    address, workers = cluster
    (tmp_path / "thirty.jsonl").write_bytes(thirty[0].read_bytes())
    out = tmp_path / "out"
    arguments = ["batch", "thirty.jsonl", "-o", "out", "--part-size", "3", *QUICK]
    with held(tmp_path / "go", *arguments, "--scheduler", address, cwd=tmp_path) as process:
        wait_until(lambda: len(parts_in(out)) >= 4, process)
        os.kill(workers[0], signal.SIGKILL)
        assert len(parts_in(out)) < 10
        (tmp_path / "go").touch()
        stdout, stderr = process.communicate(timeout=PATIENCE)
    expected = thirty[1].replace(str(thirty[0]).encode(), b"thirty.jsonl")
    assert output_of(out) == expected
    told = b'error: out: 1 of 30 clusters without a summary; see their lines with "error"\n'
    assert (process.returncode, stdout, stderr[-len(told) :]) == (5, b"", told)
    assert len(content(out)) == 10 + 2
    # A single machine can finish what a cluster began.
    (out / "part-00007.jsonl").unlink()
    monkeypatch.chdir(tmp_path)
    assert summc(*arguments).code == 5
    assert output_of(out) == expected


@pytest.mark.parametrize("name", ["numpy", "SUMMC_MOST_MB"])
def test_a_worker_with_other_libraries_is_refused(name: str) -> None:
    here = batch.libraries()
    other = {**here, name: "other"}
    told = f"`scheduler`: a worker has {name} {here[name]}, and here it is other; make it the same everywhere"
    with pytest.raises(SettingError, match=f"^{re.escape(told)}$"):
        batch.do_part(batch.Job(Config(), "", other), batch.Part("", ()))


def test_errors_can_be_pickled() -> None:
    for error in (NoSummaryError("a", "b", "c"), SettingError("a", "b"), SummcError("", "b")):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 (pickled here)
        assert (type(again), str(again)) == (type(error), str(error))


@pytest.mark.parametrize(
    "address", ["head", "tcp://", "tcp://head", "tcp://:8786", "tcp://head:x", "tpc://head:1"]
)
def test_an_impossible_scheduler_address_is_refused(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.delattr("distributed.Client")  # no connection is tried
    result = summc("batch", clusters, "-o", tmp_path / "out", "--scheduler", address, *QUICK)
    told = "unknown address scheme 'tpc'" if "tpc" in address else f"no host and port in {address}; "
    assert (result.code, result.err.startswith(f"error: --scheduler: {told}")) == (2, True)
    assert result.err.endswith("; write tcp://HOST:8786\n")


def test_a_scheduler_that_does_not_answer_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_PATIENCE", 0.2)
    names = ("distributed", "tornado", "tornado.application", "asyncio")
    levels = {name: logging.getLogger(name).level for name in names}
    with pytest.raises(NotFoundError, match=r"tcp://127.0.0.1:1: no scheduler answers; start one by: dask"):
        list(scheduler.map_on_cluster(str, [1], "tcp://127.0.0.1:1"))
    # An interrupted run leaves connections open, and these loggers would report them.
    assert not any(logging.getLogger(name).isEnabledFor(logging.ERROR) for name in names)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [(b"", "no scheduler answers"), (b"HTTP/1.1 400 Bad Request\r\n\r\n", "another program answers there")],
)
def test_another_program_at_the_address_of_the_scheduler_is_reported(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, problem: str
) -> None:
    monkeypatch.setattr(scheduler, "_PATIENCE", 2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        callers: list[socket.socket] = []

        def serve() -> None:
            with contextlib.suppress(OSError):  # the test has ended
                while True:
                    callers.append(server.accept()[0])
                    callers[-1].sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(NotFoundError, match=rf"{address}: {problem}; start one by: dask"):
            list(scheduler.map_on_cluster(str, [1], address))
        server.shutdown(socket.SHUT_RDWR)  # wakes the thread
        for caller in callers:
            caller.close()
