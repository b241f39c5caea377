"""Work done in several processes, its results in order."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from multiprocessing.pool import IMapIterator
from multiprocessing.process import BaseProcess
from typing import TypeVar

from summc.errors import InternalError

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Seconds after which to look whether the workers still live.
_PATIENCE = 1.0


def map_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int, *, chunk: int = 1
) -> Iterator[Result]:
    """Yield the result of each item in order, whatever the jobs; with one job, all in this process.

    Items are taken as the workers come to them, so that there may be more than memory holds.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    others = set(multiprocessing.active_children())
    # A pool ends its workers when it is left, so that whoever leaves early waits for nothing.
    with multiprocessing.get_context("spawn").Pool(jobs, _begin) as pool:
        workers = set(multiprocessing.active_children()) - others
        results = pool.imap(partial(_each, work), _chunks(items, chunk))
        while (done := _next(results, workers)) is not None:
            yield from done


def _chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    source = iter(items)
    return iter(lambda: list(itertools.islice(source, size)), [])


def _each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    return [work(item) for item in items]


def _next(results: IMapIterator[Result], workers: Collection[BaseProcess]) -> Result | None:
    """Return the next result, or None after the last.

    A pool replaces a worker that was killed, but what that had at hand is lost.
    """
    while True:
        try:
            return results.next(_PATIENCE)
        except StopIteration:
            return None
        except multiprocessing.TimeoutError:
            if not all(worker.is_alive() for worker in workers):
                problem = "a process was killed before it was done"
                raise InternalError("", problem, "give more memory, or fewer --jobs") from None


def _begin() -> None:
    """Leave Ctrl-C to the parent, which tells of it once, and do not outlive the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
