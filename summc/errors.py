"""What can go wrong, each kind with the exit code a shell script sees.

A message names a setting by ``named("boost")``: a Python caller reads the name in backquotes, and the command
line, which works inside ``spelled``, has its flag written instead. Names are spelled when a message is made
and no finished text is translated, so that what a user wrote stays as it is, even a name in backquotes.
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

#: How libraries, and Python where it could not even make the exception, say that there was no memory left.
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
    """Return how a message writes the Python name of a setting, or of what else the user can turn to."""
    return _SPELLING.get()(name)


@contextmanager
def spelled(spelling: Callable[[str], str]) -> Iterator[None]:
    """Let messages that are made inside write names as ``spelling`` has them."""
    token = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(token)


def spelled_as_here(work: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """Return work for another process, whose messages write names as those of this one do."""
    return partial(_spelled_work, _SPELLING.get(), work)


def _spelled_work(spelling: Callable[[str], str], work: Callable[[Item], Result], item: Item) -> Result:
    with spelled(spelling):
        return work(item)


class SummcError(Exception):
    """A problem the user can mend: where it is, what is wrong, what to do.

    Prints as one line, ``PLACE: what is wrong; what to do``.
    """

    exit_code = 1

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        line = ": ".join(part for part in (place, problem) if part)
        super().__init__(f"{line}; {remedy}" if remedy else line)

    def __reduce__(self) -> tuple[type[SummcError], tuple[str, str, str]]:
        """Return what another process makes it again of."""
        return type(self), (self.place, self.problem, self.remedy)


class SettingError(SummcError):
    """An option or a configuration value that cannot be used."""

    exit_code = 2


class InputError(SummcError):
    """A file or a line that is there but cannot be read as what it should be."""

    exit_code = 3


class NotFoundError(SummcError):
    """A file, folder or data set that is not where it was looked for."""

    exit_code = 4


class NoSummaryError(SummcError):
    """Good input from which no summary can be made, such as a budget no sentence fits."""

    exit_code = 5


class OutputError(SummcError):
    """A result that could not be written."""

    exit_code = 6


class InternalError(SummcError):
    """A fault of summc, or of the machine it runs on."""

    exit_code = 70


def is_lack_of_memory(error: BaseException | None) -> bool:
    """Tell whether memory ran out, also where a library found out and says so in its own way."""
    if error is None:
        return False
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    told = isinstance(error, ImportError | SystemError) and any(words in str(error) for words in _NO_MEMORY)
    return told or is_lack_of_memory(error.__cause__ or error.__context__)
