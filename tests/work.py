"""Functions for worker processes.

They have a module of their own that imports little: a worker imports the module of its function, and the
modules of the tests import all of summc, which takes more than a second.
"""

from __future__ import annotations

import os
import signal
import threading

from summc.errors import NoSummaryError, named


def double(number: int) -> int:
    return 2 * number


def wait(number: int) -> int:
    """Return the first item, and never return for the others."""
    if number:
        threading.Event().wait()
    return number


def tell_and_wait(number: int) -> int:
    """Print the process and never return."""
    os.write(1, f"{os.getpid()}\n".encode())
    return wait(number)


def die(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(at: int, number: int) -> int:
    if number == at:
        raise ZeroDivisionError("oops")
    return number


class NeedsTwoError(Exception):
    """An error that cannot be unpickled from its message alone."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def fail_oddly(number: int) -> int:
    raise NeedsTwoError("o", "ops") if number else ValueError(number)


def refuse(budget: int) -> str:
    return str(NoSummaryError("", f"{budget} is too little", f"raise {named('budget')}"))
