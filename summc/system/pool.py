"""Apply a function to many items in several worker processes, and return the results in order.

Each worker has its own pipe, and the parent uses no threads and no locks. So if a signal ends the parent, or
if a worker is killed, no other process waits forever for it.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar, cast

from summc.errors import InternalError, as_typed
from summc.system.limited import portable
from summc.system.signals import hear, undisturbed

Item = TypeVar("Item")
Result = TypeVar("Result")

#: How many chunks a worker may be ahead of the chunk whose results come next.
_AHEAD = 64


def map_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int, *, chunk: int = 1
) -> Generator[Result]:
    """Yield ``work(item)`` for each item, in the order of the items, computed by ``jobs`` processes.

    With one job, no other process is started. A worker gets ``chunk`` items at a time. Items are read only
    when a worker is free, so that there may be more items than fit into memory. For the same reason workers
    wait if too many results (``_AHEAD``) are waiting for an item that takes long.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    source = enumerate(_chunks(items, chunk))
    done: dict[int, _Answer[Result]] = {}
    turn = sent = 0  # the number of the chunk to yield next, and the number of chunks sent to workers
    with _started(work, jobs) as workers:
        idle, busy = list(workers), dict[Connection, int]()
        while True:
            room = turn + _AHEAD * jobs - sent
            for connection, (number, chunk_) in zip(tuple(idle)[:room], source, strict=False):
                _send(connection, chunk_, workers)
                sent = number + 1
                idle.remove(connection)
                busy[connection] = number
            if turn not in done and not busy:
                return
            for connection in _ready(busy, 0 if turn in done else None):
                done[busy.pop(connection)] = _receive(connection, workers)
                idle.append(connection)
            if turn in done:
                yield from done.pop(turn).results()
                turn += 1


@dataclass(frozen=True, slots=True)
class _Answer(Generic[Result]):
    """A worker's answer to a chunk of items: the result of each item (``made``), or the error."""

    made: list[Result]
    error: Exception | None = None

    def results(self) -> list[Result]:
        if self.error is not None:
            raise self.error
        return self.made


def _chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    source = iter(items)
    return iter(lambda: list(itertools.islice(source, size)), [])


def _ready(busy: Iterable[Connection], seconds: float | None) -> list[Connection]:
    return cast("list[Connection]", wait(list(busy), seconds))


def _send(connection: Connection, items: Sequence[Item], workers: dict[Connection, BaseProcess]) -> None:
    try:
        connection.send(items)
    except OSError:
        raise _killed(workers[connection]) from None


def _receive(connection: Connection, workers: dict[Connection, BaseProcess]) -> _Answer[Result]:
    try:
        answer: _Answer[Result] = connection.recv()
    except (EOFError, OSError):
        raise _killed(workers[connection]) from None
    return answer


def _killed(worker: BaseProcess) -> InternalError:
    # The signal that killed the worker may have been sent to this process too. Then it arrives during the
    # join, and this error is not reported.
    worker.join()
    remedy = f"give more memory, or fewer {as_typed('jobs')}"
    return InternalError("", "a process was killed before it was done", remedy)


# Workers


@contextmanager
def _started(work: Callable[[Item], Result], jobs: int) -> Iterator[dict[Connection, BaseProcess]]:
    """Start ``jobs`` workers, which apply ``work`` to items, and yield them as pipe -> process.

    They are killed at the end of the ``with`` block. So a caller that stops early need not wait for results
    that it does not need.
    """
    workers: dict[Connection, BaseProcess] = {}
    # Starting this helper process unblocks signals. So start it now, not with the first worker below.
    resource_tracker.ensure_running()
    try:
        with undisturbed():
            for _ in range(jobs):
                connection, process = _start(work)
                workers[connection] = process
        yield workers
    finally:
        with undisturbed():
            for process in workers.values():
                process.kill()
            for connection, process in workers.items():
                process.join()
                connection.close()


def _start(work: Callable[[Item], Result]) -> tuple[Connection, BaseProcess]:
    context = multiprocessing.get_context("spawn")
    try:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        process.start()
    except OSError as error:
        problem = f"no further process can be started ({error.strerror})"
        remedy = "give fewer, or allow more (ulimit -n, ulimit -u)"
        raise InternalError(as_typed("jobs"), problem, remedy) from None
    theirs.close()
    return ours, process


def _serve(connection: Connection, work: Callable[[Item], Result]) -> None:
    """Answer each chunk of items that comes through the pipe, until the parent closes the pipe or ends.

    This runs in a worker. It ignores Ctrl-C, so that only the parent reports it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hear()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            items: list[Item] = connection.recv()
        except EOFError:
            return
        connection.send(_answer(work, items))


def _answer(work: Callable[[Item], Result], items: Sequence[Item]) -> _Answer[Result]:
    try:
        return _Answer([work(item) for item in items])
    except Exception as error:  # noqa: BLE001 (the parent raises it)
        error.add_note(traceback.format_exc())
        return _Answer([], portable(error))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
