"""Call functions in helper processes, within limits of time and memory.

A helper is a Python process that answers calls, one at a time, through its standard input and output. It ends
as soon as its input is closed, so none outlives this process, not even one that is killed. Ctrl-C does not
reach it: this process ends it.

A library may fill the memory on a small file, or not react to signals. In a helper it can be ended at any
moment. Time is limited on every system, memory on Linux and macOS.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import logging
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any, NamedTuple, TypeVar, cast

from summc.errors import InternalError, as_typed

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Reasons for a LimitError.
TIME, MEMORY, CRASH = "time", "memory", "crash"

_TOO_SLOW, _TOO_LARGE = 81, 82
#: Exit code of a helper -> the reason why it ended.
_REASONS = {_TOO_SLOW: TIME, _TOO_LARGE: MEMORY, -getattr(signal, "SIGXCPU", 0): TIME}

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from summc.system.processes import serve; serve()"
_MEGABYTE = 1024**2
#: Seconds between two checks of a call. A library may fill some megabytes meanwhile.
_PAUSE = 0.01
#: Seconds after which a killed process is reported.
_SOON = 0.1
#: The operating system ends a helper that exceeds its limits by these seconds and megabytes: a library may
#: keep the helper from checking itself.
_MORE_SECONDS, _MORE_MEGABYTES = 2, 300
#: How many results for each process may wait for an item that takes long.
_AHEAD = 64


class LimitError(Exception):
    """A call exceeded its limits or crashed, which ended the helper; the text is TIME, MEMORY or CRASH."""


class Limits(NamedTuple):
    """The limits of a call: seconds of CPU time, and megabytes of memory for the whole helper."""

    seconds: float
    megabytes: int


class Helper:
    """A running helper process. It ends after a call that returned no answer."""

    def __init__(self, place: str = "", remedy: str = "allow more", *, quiet: bool = True) -> None:
        try:
            self.process: Any = subprocess.Popen(  # noqa: S603 (it runs this Python)
                [sys.executable, "-P", "-c", _PROGRAM, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if quiet else None,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
            )
        except OSError as error:
            problem = f"no further process can be started ({error.strerror})"
            raise InternalError(place, problem, f"{remedy} (ulimit -n, ulimit -u)") from None

    def call(self, function: Callable[..., Result], *arguments: Any, limits: Limits | None = None) -> Result:
        """Return the result of a call; raise the error that it raised."""
        try:
            with contextlib.suppress(OSError):  # it has ended: then there is no answer either
                self.process.stdin.write(pickle.dumps((function, arguments, limits)))
                self.process.stdin.flush()
            result, error = pickle.load(self.process.stdout)  # noqa: S301 (of our own process)
        except (EOFError, pickle.UnpicklingError):  # it ended, perhaps in the middle of an answer
            self.process.wait()
            self.end()
            reason = _REASONS.get(self.process.returncode, CRASH)
            raise (MemoryError() if limits is None and reason == MEMORY else LimitError(reason)) from None
        except BaseException:  # also Ctrl-C: a late answer must not be taken for that of the next call
            self.end()
            raise
        if error is not None:
            raise error
        return cast("Result", result)

    def end(self) -> None:
        """Kill the process. It has nothing to clean up."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(OSError):  # a part of the request may still be in the buffer
            self.process.stdin.close()


class Helpers:
    """Helpers for calls of one kind: as many as there are threads that call at the same time."""

    def __init__(self) -> None:
        self._idle: list[Helper] = []
        atexit.register(self._end)
        if hasattr(os, "register_at_fork"):  # a forked process must not use the helpers of the first one
            os.register_at_fork(after_in_child=self._idle.clear)

    def call(self, function: Callable[..., Result], *arguments: Any, limits: Limits | None = None) -> Result:
        """Return the result of a call; raise the error that it raised, or a LimitError."""
        try:
            helper = self._idle.pop()
        except IndexError:
            helper = Helper()
        try:
            return helper.call(function, *arguments, limits=limits)
        finally:
            if helper.process.returncode is None:  # it was not ended
                self._idle.append(helper)

    def _end(self) -> None:
        for helper in self._idle:
            helper.end()


# Work that several processes share


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """Yield ``work(item)`` for each item, in the order of the items, computed by ``jobs`` processes.

    With one job, no other process is started. At most one item is drawn before a process is free, so that
    there may be more items than fit into memory. No items are drawn while too many results wait.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    idle: queue.SimpleQueue[Helper] = queue.SimpleQueue()
    waiting: deque[Future[Result]] = deque()

    def done(item: Item, helper: Helper) -> Result:
        try:
            return helper.call(work, item)
        except LimitError:
            time.sleep(_SOON)  # the signal that killed it may be on its way to this process too
            remedy = f"give more memory, or fewer {as_typed('jobs')}"
            raise InternalError("", "a process was killed before it was done", remedy) from None
        finally:
            idle.put(helper)

    # A caller that stops early need not wait for results that it does not need: the helpers are ended first.
    with ThreadPoolExecutor(jobs) as threads, contextlib.ExitStack() as ending:
        for _ in range(jobs):
            helper = Helper(as_typed("jobs"), "give fewer, or allow more", quiet=False)
            ending.callback(helper.end)
            idle.put(helper)
        for item in items:
            waiting.append(threads.submit(done, item, idle.get()))
            while waiting and (waiting[0].done() or len(waiting) >= _AHEAD * jobs):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


# In a helper


def serve() -> None:
    """Answer each call that comes through standard input, until the caller closes it or ends."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    gc.set_threshold(100_000, 50, 50)  # collect garbage as rarely as the command line does
    os.dup2(2, 1)  # what a library prints must not get among the answers
    logging.getLogger("summc.plugins").disabled = True  # the first process has warned of packages
    requests: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(calls, requests), daemon=True).start()
    while True:
        answers.write(_answer(*requests.get()))
        answers.flush()


def _listen(calls: IO[bytes], requests: queue.SimpleQueue[tuple[Any, ...]]) -> None:
    try:
        while True:
            requests.put(pickle.load(calls))  # noqa: S301 (it comes from our own process)
    finally:
        os._exit(0)  # even within a call: nobody waits for its answer


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...], limits: Limits | None) -> bytes:
    done = threading.Event()
    if limits:
        # The thread first: if there were no memory for it, its start would wait for ever.
        threading.Thread(target=_watch, args=(limits, time.process_time(), done), daemon=True).start()
        _set_system_limits(limits)
    try:
        return pickle.dumps((function(*arguments), None))
    except MemoryError:
        os._exit(_TOO_LARGE)
    except Exception as error:  # noqa: BLE001 (the caller raises it)
        error.add_note(traceback.format_exc())
        try:
            answer = pickle.dumps((None, error))
            pickle.loads(answer)  # noqa: S301 (this process pickled it)
        except Exception:  # noqa: BLE001 (pickling may raise anything)
            answer = pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))
        return answer
    finally:
        done.set()
        if limits:
            _set_system_limits(None)  # the next call begins a thread


def _watch(limits: Limits, start: float, done: threading.Event) -> None:
    """End this process as soon as it exceeds its limits, unless the call is done before."""
    while not done.wait(_PAUSE):
        if time.process_time() - start > limits.seconds:
            os._exit(_TOO_SLOW)
        if _memory() > limits.megabytes * _MEGABYTE:
            os._exit(_TOO_LARGE)


def _memory() -> int:
    """Return the bytes of memory that this process takes, or 0 where the system does not report them."""
    taken = 0
    if sys.platform == "linux":
        _, taken = _space()
    elif sys.platform == "darwin":
        import resource  # noqa: PLC0415 (Windows has none)

        taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return taken


def _space() -> tuple[int, int]:
    """Return how many bytes this process has reserved, as for threads, and how many it takes."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (quicker)
        reserved, taken, *_ = map(int, file.read().split())
    return reserved * os.sysconf("SC_PAGE_SIZE"), taken * os.sysconf("SC_PAGE_SIZE")


def _set_system_limits(limits: Limits | None) -> None:
    """Let the operating system limit a call too; without limits, lift the limit of memory after the call."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 (Windows has none)

    highest = {resource.RLIMIT_CORE: 0}
    if limits:
        highest[resource.RLIMIT_CPU] = math.ceil(time.process_time() + limits.seconds) + _MORE_SECONDS
    if sys.platform == "linux":  # macOS ignores it
        reserved, taken = _space()
        room = (limits.megabytes + _MORE_MEGABYTES) * _MEGABYTE if limits else sys.maxsize
        # The limit is on reserved space, most of which is never taken.
        highest[resource.RLIMIT_AS] = min(room + reserved - taken, sys.maxsize)
    for kind, most in highest.items():
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
