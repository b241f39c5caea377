"""Call functions in a helper process that ends if a call takes too much time or memory, or is interrupted.

Some libraries cannot be stopped in this process: a small file may make them fill the memory. A helper is
started at the first call and serves the later ones. After a call that ended it, another one is started.

The helper is not started by ``multiprocessing``, because a worker of ``summc.system.pool`` may start no
process that way, and because a user's script would then have to guard its main module.

Time is limited on every system. Memory is limited on Linux and macOS.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import math
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from summc.errors import InternalError

if TYPE_CHECKING:
    from subprocess import Popen

#: Reasons for a LimitError.
TIME, MEMORY, CRASH = "time", "memory", "crash"

#: Exit code of the helper -> the reason why it ended.
_REASONS = {81: TIME, 82: MEMORY, -getattr(signal, "SIGXCPU", 0): TIME}
_TOO_SLOW, _TOO_LARGE = 81, 82

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from summc.system.limited import serve; serve()"
_LENGTH = struct.Struct("<Q")
_WINDOWS_PROCESS_GROUP = 0x200  # CREATE_NEW_PROCESS_GROUP
_MEGABYTE = 1024**2
#: Seconds between two checks of a call. A library may fill some megabytes meanwhile.
_PAUSE = 0.01
#: The operating system ends the helper if it exceeds the limits of a call by these seconds and megabytes. It
#: is needed if a library keeps the helper from checking itself.
_MORE_SECONDS, _MORE_MEGABYTES = 2, 300


class LimitError(Exception):
    """A call exceeded its limits or crashed, which ended the helper; ``reason`` is TIME, MEMORY or CRASH."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Limits:
    """What a call may take: seconds of CPU time, and megabytes of memory for the whole helper."""

    seconds: float
    megabytes: int


#: The names of a module and of its function, the arguments, and the limits; None for no limits.
Request = tuple[str, str, tuple[Any, ...], Limits | None]


def call(module: str, function: str, arguments: tuple[Any, ...], limits: Limits) -> tuple[Any, float]:
    """Call a function in a helper; return its result, and the seconds of CPU time that it took.

    The function is given by the names of its module and itself. An exception that it raises is raised here
    too. A call that exceeds its limits raises a LimitError.
    """
    if limits.seconds <= 0:
        raise LimitError(TIME)
    return _HELPERS.call((module, function, arguments, limits))


# In this process


@dataclass(slots=True)
class Helper:
    """A helper process. It serves one call at a time.

    ``process`` is None while it is not running. ``owner`` is the id of the process that started it.
    """

    process: Popen[bytes] | None = None
    owner: int = 0

    def call(self, request: Request) -> tuple[Any, float]:
        """Return the result of a call, and its seconds of CPU time; start the helper if it is not running."""
        try:
            answer = self._ask(pickle.dumps(request))
        except BaseException:  # also Ctrl-C: a late answer must not be taken for that of the next call
            self.end()
            raise
        result, error, seconds = pickle.loads(answer)  # noqa: S301 (it comes from our own process)
        if error is not None:
            raise error
        return result, seconds

    def _ask(self, request: bytes) -> bytes:
        process = self.process if self.owner == os.getpid() else None  # a forked process needs its own
        if process is None:
            process = self.process = _start()
            self.owner = os.getpid()
        if process.stdin is None or process.stdout is None:
            raise ValueError("the helper has no pipes")
        with contextlib.suppress(OSError):  # it has ended: then there is no answer either
            _write(process.stdin, request)
        answer = _read(process.stdout)
        if answer is None:
            raise LimitError(_REASONS.get(process.wait(), CRASH))
        return answer

    def end(self) -> None:
        """Kill the helper process if this process has started one. It has nothing to clean up."""
        process, self.process = self.process, None
        if process is None or self.owner != os.getpid():
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                with contextlib.suppress(OSError):  # a part of the request may still be in the buffer
                    stream.close()


class Helpers:
    """Helpers for calls of one kind: as many as there are threads that call at the same time."""

    def __init__(self) -> None:
        self._idle: list[Helper] = []
        atexit.register(self._end)

    def call(self, request: Request) -> tuple[Any, float]:
        """Return the result of a call, and its seconds of CPU time."""
        try:
            helper = self._idle.pop()
        except IndexError:
            helper = Helper()
        try:
            return helper.call(request)
        finally:
            self._idle.append(helper)

    def _end(self) -> None:
        for helper in self._idle:
            helper.end()


_HELPERS = Helpers()


def _start() -> Popen[bytes]:
    import subprocess  # noqa: PLC0415 (the helper does not need it)

    # Ctrl-C must reach only this process, which then ends the helper.
    windows = sys.platform == "win32"
    try:
        return subprocess.Popen(  # noqa: S603 (it runs this Python)
            [sys.executable, "-P", "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=not windows,
            creationflags=_WINDOWS_PROCESS_GROUP if windows else 0,
        )
    except OSError as error:
        problem = f"no further process can be started ({error.strerror})"
        raise InternalError("", problem, "allow more (ulimit -n, ulimit -u)") from None


def _write(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes | None:
    """Return the next message of the other process, or None if that process has ended."""
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(length)
    data = stream.read(size)
    return data if len(data) == size else None


def portable(error: Exception) -> Exception:
    """Return the error, or a RuntimeError with the same message if the error cannot be pickled.

    Only pickled errors can be sent to another process, and the errors of some libraries cannot be pickled.
    """
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (this process pickled it)
    except Exception:  # noqa: BLE001 (pickling may raise anything)
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


# In the helper


def serve() -> None:
    """Answer each call that comes through standard input, until the caller closes it or ends."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    gc.set_threshold(100_000, 50, 50)  # collect garbage as rarely as the command line does
    os.dup2(2, 1)  # what a library prints must not get among the answers
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(calls, requests), daemon=True).start()
    while True:
        _write(answers, _answer(pickle.loads(requests.get())))  # noqa: S301 (it comes from our own process)


def _listen(calls: IO[bytes], requests: queue.SimpleQueue[bytes]) -> None:
    while (request := _read(calls)) is not None:
        requests.put(request)
    os._exit(0)  # even within a call: nobody waits for its answer


def _answer(request: Request) -> bytes:
    module, function, arguments, limits = request
    work: Callable[..., Any] = getattr(import_module(module), function)
    start, result, failure = time.process_time(), None, None
    with _watched(limits) if limits else contextlib.nullcontext():
        try:
            result = work(*arguments)
        except MemoryError:
            os._exit(_TOO_LARGE)
        except Exception as error:  # noqa: BLE001 (the caller raises it)
            failure = portable(error)
        return pickle.dumps((result, failure, time.process_time() - start))


@contextlib.contextmanager
def _watched(limits: Limits) -> Iterator[None]:
    """End this process as soon as the ``with`` block exceeds its limits."""
    _set_system_limits(limits)
    done = threading.Event()
    threading.Thread(target=_watch, args=(limits, time.process_time(), done), daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _watch(limits: Limits, start: float, done: threading.Event) -> None:
    while not done.wait(_PAUSE):
        if time.process_time() - start > limits.seconds:
            os._exit(_TOO_SLOW)
        if _memory() > limits.megabytes * _MEGABYTE:
            os._exit(_TOO_LARGE)


def _memory() -> int:
    """Return the bytes of memory that this process takes, or 0 where that cannot be told."""
    found = 0
    if sys.platform == "linux":
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (quicker)
            found = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    elif sys.platform == "darwin":
        import resource  # noqa: PLC0415 (Windows has none)

        found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found


def _set_system_limits(limits: Limits) -> None:
    """Let the operating system end this process beyond its limits.

    It is needed if a library keeps the thread ``_watch`` from running.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 (Windows has none)

    seconds = math.ceil(time.process_time() + limits.seconds) + _MORE_SECONDS
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: seconds}
    if sys.platform == "linux":  # macOS ignores it
        wanted[resource.RLIMIT_AS] = (limits.megabytes + _MORE_MEGABYTES) * _MEGABYTE
    for kind, most in wanted.items():
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
