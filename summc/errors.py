"""The errors that summc reports, each class with its own exit code.

Messages name a setting as Python has it, in backquotes: ``as_typed("least_words")`` is "`least_words`". The
command line writes the flag in its place when it prints a message.
"""

from __future__ import annotations

import errno

#: Parts of error messages that mean "out of memory". Some come from libraries, others from Python itself if
#: it has no memory left even for the exception.
_NO_MEMORY = (
    "failed to map segment",
    "allocate memory",
    "without setting an exception",
    "without exception set",
)


def as_typed(name: str) -> str:
    """Return how messages write the name of a setting or a function."""
    return f"`{name}`"


class SummcError(Exception):
    """Base class of all errors that summc reports: where the problem is, what is wrong, what to do.

    It prints as one line, ``PLACE: what is wrong; what to do``.
    """

    exit_code = 1

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place = place
        self.problem = " ".join(problem.splitlines())
        self.remedy = remedy
        line = ": ".join(part for part in (place, self.problem) if part)
        super().__init__(f"{line}; {remedy}" if remedy else line)

    def __reduce__(self) -> tuple[type[SummcError], tuple[str, str, str]]:
        """Return the class and its arguments, so that a worker process can send the error to its parent."""
        return type(self), (self.place, self.problem, self.remedy)


class SettingError(SummcError):
    """An option or a configuration value that cannot be used."""

    exit_code = 2


class InputError(SummcError):
    """A file or a line that exists, but has content that cannot be used."""

    exit_code = 3


class MissingExtraError(InputError):
    """A document that cannot be read, because libraries of an extra such as summc[documents] are missing."""


class NotFoundError(SummcError):
    """A file, folder or data set that was not found."""

    exit_code = 4


class NoSummaryError(SummcError):
    """Valid input from which no summary can be made, for example because every sentence is too long."""

    exit_code = 5


class OutputError(SummcError):
    """A result that could not be written."""

    exit_code = 6


class InternalError(SummcError):
    """A fault in summc, in a package that extends it, or in the machine it runs on."""

    exit_code = 70


def is_lack_of_memory(error: BaseException | None) -> bool:
    """Tell whether an error, or an error that caused it, means that memory ran out.

    Libraries report this with errors of their own, which are recognized by their messages.
    """
    if error is None:
        return False
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    matches = isinstance(error, ImportError | SystemError) and any(part in str(error) for part in _NO_MEMORY)
    return matches or is_lack_of_memory(error.__cause__ or error.__context__)
