"""Show output: results on stdout, messages and progress on stderr, and each error on one line.

This module also determines the exit code, and handles SIGINT and SIGTERM.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn, TextIO, TypeVar

import click

from summc.errors import InternalError, OutputError, SettingError, SummcError, is_lack_of_memory
from summc.system.logs import log

Item = TypeVar("Item")

# These patterns are compiled when they are first used, because compiling them would make help slower.
#: Characters that are not safe in a message: control characters, bidirectional marks, and surrogates, which
#: Python uses for bytes in a file name that are not UTF-8.
_CONTROL = "[\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
#: Characters that are not safe in a result on a terminal: control characters, except tabs, line ends and
#: colours, and characters that reverse the order of text.
OBEYED = "\\x1b(?!\\[[0-9;]*m)|[\\x00-\\x08\\x0b-\\x1a\\x1c-\\x1f\\x7f-\\x9f\u202a-\u202e\u2066-\u2069]"
#: What a message names in backquotes for users of Python.
_NAME = r"`([a-z_]+|Config\(\)\.to_toml\(\)|[a-z_]+=\w+|rouge=\"official\"|summc\.[a-z]+)`"
#: Such a name -> the text for the command line. Other names are settings, and their flags have these names.
_TYPED = {
    "Config().to_toml()": "summc summarize --show-config", "references": "--reference FILE",
    "remove_stopwords=False": "--keep-stopwords", "use_query=False": "--no-query",
    'rouge="official"': "--rouge official", "summc.summarize": "summc --debug summarize",
    "traceback": "summc --debug ...",
}  # fmt: skip
#: The most warnings to show.
_MOST_WARNINGS = 1000
#: The kind of a message -> its colour on a terminal.
_COLOURS = {"error": "red", "warning": "yellow"}
#: The width of a table in columns if it does not go to a terminal.
USUAL_COLUMNS = 80
#: Errors of a disk that is full, of a quota and of ``ulimit -f``.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: The exit code if the reader of a pipe, such as head, has closed it. click leaves with 1.
_CLOSED_PIPE = 141

#: Errors that do not end the command. They are shown when it ends, and the first one gives the exit code.
failures: list[SummcError] = []


# Running a command


def run(command: click.Command, args: Sequence[str]) -> int:
    """Run a command and return its exit code; a failure is reported on one line."""
    come: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        come.append(128 + number)
        sys.unraisablehook = lambda _: None  # else Python prints the exit where it cannot raise it
        raise SystemExit(come[0])

    failures.clear()
    log.handlers, log.propagate = [_Warnings()], False
    log.setLevel(logging.NOTSET if {"-q", "--quiet"}.isdisjoint(args) else logging.ERROR)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        code: Any = command.main(list(args), prog_name="summc", standalone_mode=False)
        for message in dict.fromkeys(map(str, failures)):
            say(message, "error")
        code = failures[0].exit_code if failures else code
    except SystemExit as leaving:
        code = _CLOSED_PIPE if leaving.code == 1 else leaving.code
    except Exception as error:  # noqa: BLE001 (the last resort: a line instead of a traceback)
        if "--debug" in args:
            traceback.print_exc()
        code = 1 if come else _explain(error)
    finally:  # nothing is left to clean up, so from now on the signals end the process at once
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
    if come:  # whatever the result is, because libraries may replace or swallow the exception
        say("interrupted", "error")
        code = come[0]
    return int(code or 0)


def _explain(error: Exception) -> int:
    """Show the failures and the error that ended the command, and return the exit code of the error."""
    for message in dict.fromkeys(map(str, failures)):
        say(message, "error")
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return SettingError.exit_code
    if isinstance(error, click.ClickException):
        error = _usage_error(error)
    elif isinstance(error, OSError) and error.errno in _NO_ROOM:  # as a result or help was written
        _give_up(sys.stdout)
        problem = f"cannot be written ({error.strerror})"
        error = OutputError("standard output", problem, "free some space there")
    known = reported(error)
    say(str(known), "error")
    return known.exit_code


def reported(error: Exception) -> SummcError:
    """Return an error of summc as it is, and one of another library as an ``InternalError``."""
    if isinstance(error, SummcError):
        return error
    if is_lack_of_memory(error):
        return InternalError("", "out of memory", "give less text at once, or more memory")
    remedy = "run again as summc --debug ... and report it"
    return InternalError("internal", f"{type(error).__name__}: {error}", remedy)


def _usage_error(error: click.ClickException) -> SettingError:
    """Return the error of summc that reports a usage error of click."""
    context, param = getattr(error, "ctx", None), getattr(error, "param", None)
    remedy = f"see {context.command_path if context else 'summc'} --help"
    if hasattr(error, "possibilities"):  # an unknown option or command
        kind = "option" if isinstance(error, click.NoSuchOption) else "command"
        name = getattr(error, f"{kind}_name")
        if kind == "command" and os.path.exists(name):  # noqa: PTH110 (unlike Path's, it does not raise)
            remedy = f"to summarize it, write summc summarize {name}"
        elif error.possibilities:
            remedy = f'perhaps "{error.possibilities[0]}"?'
        elif kind == "option" and context and context.parent:
            remedy += "-all"
        return SettingError(name, f"no such {kind}", remedy)
    if param and error.message:
        return SettingError(max(param.opts, key=len), error.message.rstrip("."), remedy)
    return SettingError("", error.format_message().rstrip("."), remedy)


# Messages


def in_flags(message: str) -> str:
    """Return a message with flags instead of names in backquotes: --idf-unit instead of `idf_unit`."""
    return re.sub(_NAME, lambda name: _TYPED.get(name[1]) or f"--{name[1].replace('_', '-')}", message)


def say(message: str, kind: str = "") -> None:
    """Write a message to stderr on one line, after its ``kind``; control characters in it are replaced."""
    line = " ".join(re.sub(_CONTROL, "\N{REPLACEMENT CHARACTER}", in_flags(message)).split())
    label = click.style(f"{kind}:", fg=_COLOURS[kind], bold=True) + " " if kind else ""
    try:
        click.echo(f"{label}{line}", err=True, color=in_colour(sys.stderr))
    except OSError:  # stderr is closed, which must not stop the work
        _give_up(sys.stderr)


class _Warnings(logging.Handler):
    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a warning, or a message of a lower level, to stderr."""
        kind = "warning" if record.levelno >= logging.WARNING else ""
        self.count += bool(kind)
        if self.count <= _MOST_WARNINGS or not kind:
            say(record.getMessage(), kind)
        elif self.count == _MOST_WARNINGS + 1:
            say(f"more than {_MOST_WARNINGS} warnings; the others are not shown", "warning")


def _give_up(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that flushing its buffer at exit does not raise again."""
    with suppress(AttributeError, OSError):  # the stream may be closed, or not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# Terminals


def in_colour(stream: TextIO | None) -> bool:
    """Tell whether to use colour: on a terminal, unless NO_COLOR is set or TERM is "dumb".

    FORCE_COLOR asks for colour in pipes too. ``stream`` is None for a file, which never gets colour.
    """
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def terminal_columns(stream: TextIO | None) -> int | None:
    """Return the width of a terminal in columns, or $COLUMNS if set; None if the stream is no terminal."""
    if stream is None or not stream.isatty():
        return None
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns) or None
    except (OSError, ValueError):  # the stream is not a real terminal, or COLUMNS is no number
        return USUAL_COLUMNS


def with_progress(
    items: Iterable[Item], length: int, label: str, size: Callable[[Item], int] | None = None
) -> Iterator[Item]:
    """Yield the items as they come; on a terminal, show how many are done, the rate and the time left.

    ``length`` is the sum of the sizes of all items, by default 1 each. With one item or none, or with ``-q``,
    nothing is shown.
    """
    loud = length > 1 and log.isEnabledFor(logging.WARNING)
    hidden = not loud or sys.stderr is None or not sys.stderr.isatty()

    def rate(_: Item | None) -> str:
        return f"{1 / bar.time_per_iteration:.1f} a second" if bar.time_per_iteration else ""

    bar: Any = click.progressbar(
        length=length, label=label, show_pos=True, item_show_func=rate, width=0, hidden=hidden,
        file=sys.stderr,
    )  # fmt: skip
    with bar:
        for item in items:
            bar.update(size(item) if size else 1, item)
            yield item
