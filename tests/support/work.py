"""Functions for worker processes and helpers.

They have a module of their own that imports little: a process imports the module of its function, and the
modules of the tests import all of summc, which takes more than a second.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
import time

from summc.documents.formats import READERS
from summc.errors import InputError, NoSummaryError, as_typed
from summc.system import processes

RESERVED: list[mmap.mmap] = []


def wait(number: int) -> int:
    """Return the first item, and never return for the others."""
    if number:
        threading.Event().wait()
    return number


def wait_for_file(path: str, number: int) -> int:
    """Return the item; with the first one, wait until the file exists."""
    while number == 0 and not os.path.exists(path):  # noqa: PTH110
        time.sleep(0.01)
    return number


def tell_and_wait(number: int) -> int:
    """Print the process, on stderr, since standard output has the answers, and never return."""
    os.write(2, f"{os.getpid()}\n".encode())
    return wait(number)


def interrupt_and_wait() -> None:
    """Interrupt the process that called, as Ctrl-C does, and never return."""
    os.kill(os.getppid(), signal.SIGINT)
    wait(1)


class NeedsTwoError(Exception):
    """An error that cannot be unpickled from its message alone."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def fail_oddly(number: int) -> int:
    raise NeedsTwoError("o", "ops") if number else ValueError(number)


def refuse(budget: int) -> str:
    return str(NoSummaryError("", f"{budget} is too little", f"raise {as_typed('budget')}"))


def reserve(megabytes: int) -> None:
    RESERVED.append(mmap.mmap(-1, megabytes << 20))


def be_busy(seconds: float) -> None:
    start = time.process_time()
    while time.process_time() < start + seconds:
        pass


def print_and_refuse(place: str) -> None:
    """Print on standard output, also as a library in C does it, and raise an error."""
    os.write(1, b"a line that nobody asked for\n")
    print("another one")
    sys.stdout.flush()
    raise InputError(place, "it is wrong", "mend it")


def process_of_helper(_number: int) -> int:
    """Return the id of the helper of this process."""
    return READERS.call(os.getpid, limits=processes.Limits(9, 999))


def tell_helper_and_wait() -> None:
    """Print the id of the helper of this process, and never return."""
    os.write(2, f"{process_of_helper(0)}\n".encode())
    wait(1)
