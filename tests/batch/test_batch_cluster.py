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
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from summc import batch
from summc.config import Config
from summc.errors import InternalError, NoSummaryError, NotFoundError, SettingError, SummcError
from summc.system import scheduler
from tests.conftest import ROOT, Cli
from tests.support.batches import QUICK, content, make_thirty, output_of, parts_in
from tests.support.held import holding


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """Return a file of 30 clusters, the first one broken, and the batch output for it."""
    return make_thirty(tmp_path_factory.mktemp("thirty"))


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Start a scheduler and two workers, in a folder of their own."""
    import dask  # both imported late: they take half a second
    import distributed

    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    logs = logging.CRITICAL
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        forked = distributed.utils.get_mp_context()  # type: ignore[no-untyped-call]
        forked.set_forkserver_preload(["distributed", "summc.batch", "tests.support.held"])  # imports once
        with distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0, silence_logs=logs
        ) as started:
            yield started


def test_losing_a_worker_does_not_change_the_output(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, thirty: tuple[Path, bytes], cluster: Any
) -> None:
    address = cluster.scheduler_address
    (tmp_path / "thirty.jsonl").write_bytes(thirty[0].read_bytes())
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    arguments = ["batch", "thirty.jsonl", "-o", "out", "--part-size", "3", *QUICK]
    mapped = holding(scheduler.map_on_cluster, str(tmp_path / "go"))

    def lose_a_worker(*given: Any) -> Iterator[Any]:
        for number, done in enumerate(mapped(*given), start=1):
            if number == 4:
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
                assert len(parts_in(out)) < 10
                (tmp_path / "go").touch()
            yield done

    with monkeypatch.context() as patched:
        patched.setattr(scheduler, "map_on_cluster", lose_a_worker)
        result = summc(*arguments, "--scheduler", address)
    expected = thirty[1].replace(str(thirty[0]).encode(), b"thirty.jsonl")
    assert output_of(out) == expected
    told = 'error: out: 1 of 30 clusters without a summary; see their lines with "error"\n'
    assert (result.code, result.out, result.err[-len(told) :]) == (5, "", told)
    assert len(content(out)) == 10 + 3
    # A single machine can finish what a cluster began.
    (out / "part-00007.jsonl").unlink()
    assert summc(*arguments).code == 5
    assert output_of(out) == expected
    # There may be no workers yet. If many are lost, more items may be waiting than there should be.
    threads = iter([9, 0, 9, *[1] * 99])
    monkeypatch.setattr("distributed.Client.nthreads", lambda _: {"all": next(threads)})
    assert sorted(scheduler.map_on_cluster(abs, range(50), address)) == list(range(50))
    # A part that ends each worker it is given to is given up.
    cluster.scheduler.allowed_failures = 0
    with pytest.raises(InternalError, match="a part was lost with 1 workers, one after another; give"):
        list(scheduler.map_on_cluster(os._exit, [1], address))


@pytest.mark.parametrize("name", ["numpy", "SUMMC_MOST_MB"])
def test_a_worker_with_other_libraries_is_refused(name: str) -> None:
    here = batch.libraries()
    other = {**here, name: "other"}
    told = f"`scheduler`: a worker has {name} {here[name]}, and here it is other; make it the same everywhere"
    with pytest.raises(SettingError, match=f"^{re.escape(told)}$"):
        batch.do_part(batch.Job(Config(), "", json.dumps(other)), ("", ()))


def test_errors_can_be_pickled() -> None:
    for error in (NoSummaryError("a", "b", "c"), SettingError("a", "b"), SummcError("", "b")):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 (pickled here)
        assert (type(again), str(again)) == (type(error), str(error))


def test_a_scheduler_that_does_not_answer_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_PATIENCE", 0.2)
    names = ("distributed", "tornado", "tornado.application", "asyncio")
    levels = {name: logging.getLogger(name).level for name in names}
    with pytest.raises(NotFoundError, match=r"tcp://127.0.0.1:1: no scheduler answers there; start one"):
        list(scheduler.map_on_cluster(str, [1], "tcp://127.0.0.1:1"))
    # An interrupted run leaves connections open, and these loggers would report them.
    assert not any(logging.getLogger(name).isEnabledFor(logging.ERROR) for name in names)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_another_program_at_the_address_of_the_scheduler_is_reported(
    monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(scheduler, "_PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        callers: list[socket.socket] = []

        def serve() -> None:
            with contextlib.suppress(OSError):  # the test has ended
                while True:
                    callers.append(server.accept()[0])
                    callers[-1].sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(NotFoundError, match=f"{address}: no scheduler answers there; start one by: dask"):
            list(scheduler.map_on_cluster(str, [1], address))
        server.shutdown(socket.SHUT_RDWR)  # wakes the thread
        for caller in callers:
            caller.close()
