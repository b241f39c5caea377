"""The errors that summc reports, each class with its own exit code.

A message names a setting by ``named("boost")``. A Python caller reads the name in backquotes. The command
line runs inside ``spelled``, which writes the flag instead. Names are spelled when a message is made.
Finished text is never translated, so text from a user stays as it is, even with a name in backquotes.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Parts of messages that mean "out of memory": from libraries, and from Python itself when it had no memory
#: left even for the exception.
_NO_MEMORY = (
    "failed to map segment",
    "allocate memory",
    "without setting an exception",
    "without exception set",
)


def _in_python(name: str) -> str:
    return f"`{name}`"


_SPELLING: ContextVar[Callable[[str], str]] = ContextVar("spelling", default=_in_python)


def named(name: str) -> str:
    """Return how messages write a setting, or anything else that a user can call, given its Python name."""
    return _SPELLING.get()(name)


@contextmanager
def spelled(spelling: Callable[[str], str]) -> Iterator[None]:
    """Write the names in messages by ``spelling`` while inside."""
    token = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(token)


def spelled_as_here(work: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """Return work for another process, whose messages spell names as in this one."""
    return partial(_spelled_work, _SPELLING.get(), work)


def _spelled_work(spelling: Callable[[str], str], work: Callable[[Item], Result], item: Item) -> Result:
    with spelled(spelling):
        return work(item)


class SummcError(Exception):
    """A problem that the user can fix: where it is, what is wrong, what to do.

    It prints as one line, ``PLACE: what is wrong; what to do``.
    """

    exit_code = 1

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        line = ": ".join(part for part in (place, problem) if part)
        super().__init__(f"{line}; {remedy}" if remedy else line)

    def __reduce__(self) -> tuple[type[SummcError], tuple[str, str, str]]:
        """Return the class and its arguments, so that a worker process can send the error to its parent."""
        return type(self), (self.place, self.problem, self.remedy)


class SettingError(SummcError):
    """An option or a configuration value that cannot be used."""

    exit_code = 2


class InputError(SummcError):
    """A file or a line that exists but does not hold what it should."""

    exit_code = 3


class NotFoundError(SummcError):
    """A file, folder or data set that was not found."""

    exit_code = 4


class NoSummaryError(SummcError):
    """Good input that allows no summary: for example, every sentence is longer than the budget."""

    exit_code = 5


class OutputError(SummcError):
    """A result that could not be written."""

    exit_code = 6


class InternalError(SummcError):
    """A fault in summc, or in the machine it runs on."""

    exit_code = 70


def is_lack_of_memory(error: BaseException | None) -> bool:
    """Tell whether memory ran out, even if a library reported it with an error of its own."""
    if error is None:
        return False
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    told = isinstance(error, ImportError | SystemError) and any(words in str(error) for words in _NO_MEMORY)
    return told or is_lack_of_memory(error.__cause__ or error.__context__)
