"""Run a command and show its output: results on stdout, messages on stderr, one line for each error.

This module also determines the exit code, and handles SIGINT and SIGTERM.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import NoReturn, TextIO

import click

from summc.cli.help import Option, names_of, requirement
from summc.cli.screens import in_colour
from summc.errors import InternalError, OutputError, SettingError, SummcError, is_lack_of_memory, typed_as

# These patterns are compiled when they are first used, because compiling them would make help slower.
#: Characters that are not safe in a message: control characters, bidirectional marks, and surrogates, which
#: Python uses for bytes in a file name that are not UTF-8.
_CONTROL = "[\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
#: Characters that are not safe in a result on a terminal: control characters, except tabs, line ends and
#: colours, and those that turn the order of characters around.
_OBEYED = "\\x1b(?!\\[[0-9;]*m)|[\\x00-\\x08\\x0b-\\x1a\\x1c-\\x1f\\x7f-\\x9f\u202a-\u202e\u2066-\u2069]"
#: An argument that is, or contains, the flag ``-q``: -q, -vq, -qk50. The flags before it take no value.
_QUIET = r"--quiet|-[hv]*q\w*"
#: Bytes of address space that loading the libraries needs.
_LEAST_MEMORY = 256 * 1024**2
#: The most warnings to show.
_MOST_WARNINGS = 1000

#: Seconds after which the exception of a signal is raised again if it was lost.
_SOON = 0.005

#: Name in a message for users of the Python API -> what a user types on the command line. Names that are not
#: here are settings, whose flags have the same name.
_OTHERWISE = {
    "Config().to_toml()": "summc summarize --show-config",
    "references": "--reference FILE",
    "remove_stopwords=False": "--keep-stopwords",
    "use_query=False": "--no-query",
    'rouge="official"': "--rouge official",
    "summc learn": "summc learn --dataset NAME -o FILE",
    "summc.summarize": "summc --debug summarize",
    "traceback": "summc --debug ...",
}

#: The first word of a message -> its colour on a terminal.
_COLOURS = {"error": "red", "warning": "yellow"}

INTERRUPTED, TERMINATED, CLOSED_PIPE = 130, 143, 141
_CODES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}


def run(command: click.Command, args: Sequence[str] | None) -> int:
    """Run a command and return its exit code; a failure is reported on one line."""
    given = sys.argv[1:] if args is None else list(args)
    signals, code = _Signals(), 0
    with typed_as(in_flags), signals.heard():
        code = _code_of(command, given, signals)
    if signals.come:
        # Report this whatever the result is, because libraries may replace or swallow the exception of the
        # signal.
        show_error("interrupted")
        return signals.come[0]
    return code


def _code_of(command: click.Command, given: list[str], signals: _Signals) -> int:
    stdout = sys.stdout
    try:
        result = command.main(given, prog_name="summc", standalone_mode=False)
    except SystemExit as leaving:
        if sys.stdout is not stdout:  # click replaced stdout, because the pipe was closed during --help
            return CLOSED_PIPE
        return leaving.code if isinstance(leaving.code, int) else 1
    except Exception as error:  # noqa: BLE001 (the last resort: a line instead of a traceback)
        if signals.come:
            return 1
        if "--debug" in given:
            import traceback

            traceback.print_exc()
        return _explain(error)
    return result if isinstance(result, int) else 0


def in_flags(name: str) -> str:
    """Return what a user types on the command line for a name of the Python API.

    For the setting ``idf_unit`` it returns ``--idf-unit``.
    """
    return _OTHERWISE.get(name) or f"--{name.replace('_', '-')}"


def quiet_option() -> click.Option:
    """Return the option ``-q``, with which only errors are shown on stderr."""
    help_ = "Show only errors on stderr: no warnings, no progress."
    return Option(
        ["-q", "--quiet"], heading="Output", common=False, is_flag=True, expose_value=False, help=help_,
        callback=_hush, is_eager=True,
    )  # fmt: skip


def _hush(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        import logging

        ctx.find_root().meta["summc.quiet"] = True
        logging.getLogger("summc").setLevel(logging.ERROR)


def talk(ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    """Show log messages of level INFO too, if ``-v`` is given and ``-q`` is not: the callback of ``-v``."""
    if not unless_quiet(ctx, _param, value):
        return False
    import logging

    logging.getLogger("summc").setLevel(logging.INFO)
    return True


def unless_quiet(ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    """Return the value of ``-v``, or False if ``-q`` is given too; ``-q`` is eager, so it comes first."""
    return value and not ctx.find_root().meta.get("summc.quiet", False)


def shows_progress() -> bool:
    """Tell whether to show progress: stderr is a terminal, and ``-q`` is not given."""
    context = click.get_current_context(silent=True)
    quiet = context is not None and context.find_root().meta.get("summc.quiet", False)
    return sys.stderr is not None and sys.stderr.isatty() and not quiet


def check_memory() -> None:
    """Raise ``InternalError`` if ``ulimit -v`` is too low, because loading the libraries would crash."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= allowed < _LEAST_MEMORY:
        problem = f"out of memory: {allowed // 1024**2} MB are allowed (ulimit -v)"
        raise InternalError("", problem, f"allow {_LEAST_MEMORY // 1024**2} MB or more")


def show_error(message: object) -> None:
    """Write an error to stderr as one line."""
    say(f"error: {message}")


def say(message: str) -> None:
    """Write a message to stderr on one line; control characters in it are replaced."""
    line = " ".join(re.sub(_CONTROL, "\N{REPLACEMENT CHARACTER}", message).split())
    colour = in_colour(sys.stderr)
    kind, colon, rest = line.partition(": ")
    if colour and kind in _COLOURS:
        line = f"{click.style(kind + colon.rstrip(), fg=_COLOURS[kind], bold=True)} {rest}"
    try:
        click.echo(line, err=True, color=colour)
    except OSError:  # stderr is closed, which must not stop the work
        _give_up(sys.stderr)


def write(chunks: Iterable[str], output: str | None = None) -> None:
    """Write a result to stdout as UTF-8, or to a file, whole or not at all."""
    if output and output != "-":
        from summc.system.outputs import write_whole

        write_whole(output, chunks)
        return
    terminal = sys.stdout is not None and sys.stdout.isatty()
    for chunk in chunks:
        # Replace control characters only on a terminal, which would obey them. Files and pipes get all
        # characters.
        _put((re.sub(_OBEYED, "\N{REPLACEMENT CHARACTER}", chunk) if terminal else chunk).encode("utf-8"))
    _put(b"", flush=True)


def _put(data: bytes, *, flush: bool = False) -> None:
    if sys.stdout is None:
        raise OutputError("standard output", "closed", "give it somewhere to go, or use -o")
    try:
        sys.stdout.buffer.write(data)
        if flush:
            sys.stdout.buffer.flush()
    except OSError as error:
        _give_up(sys.stdout)
        if isinstance(error, BrokenPipeError):  # the reader, such as head, has closed the pipe
            raise SystemExit(CLOSED_PIPE) from None
        problem = f"cannot be written ({error.strerror})"
        raise OutputError("standard output", problem, "free some space there") from None


def _give_up(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that flushing its buffer at exit does not raise again."""
    with suppress(AttributeError, OSError):  # the stream may be closed, or not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _explain(error: Exception) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return SettingError.exit_code
    told = _in_our_words(error)
    show_error(told)
    return told.exit_code


def _in_our_words(error: Exception) -> SummcError:
    if isinstance(error, SummcError):
        return error
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:  # raised as click printed help
        _give_up(sys.stdout)
        return OutputError(
            "standard output", f"cannot be written ({error.strerror})", "free some space there"
        )
    if is_lack_of_memory(error):
        return InternalError("", "out of memory", "give less text at once, or more memory")
    remedy = "run again as summc --debug ... and report it"
    return InternalError("internal", f"{type(error).__name__}: {error}", remedy)


def _usage(error: click.ClickException) -> SummcError:
    """Return the error of summc that reports a usage error of click."""
    context = getattr(error, "ctx", None)
    remedy = f"see {context.command_path if context else 'summc'} --help"
    if isinstance(error, click.NoSuchOption):
        from summc.settings import perhaps

        known = names_of(context) if context else []
        remedy += "-all" if "--help-all" in known else ""
        return SettingError(error.option_name, "no such option", perhaps(error.option_name, known) or remedy)
    if isinstance(error, click.BadOptionUsage):  # click gives it no context
        problem = "needs a value" if "requires" in error.message else "takes no value"
        return SettingError(error.option_name, problem)
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Argument):
        wanted = requirement(error.param.type)
        return SettingError((error.param.name or "").upper(), f"must be {wanted or 'given'}", remedy)
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Option):
        remedy += "-all" if isinstance(error.param, Option) and not error.param.common else ""
        return SettingError(max(error.param.opts, key=len), error.message.rstrip("."), remedy)
    return SettingError("", error.format_message().rstrip("."), remedy)


def show_warnings(given: Iterable[str]) -> None:
    """Write warnings to stderr from now on, unless the arguments ``given`` ask for quiet.

    The arguments are searched here because warnings about packages come before flags are parsed.
    """
    import logging

    class Handler(logging.Handler):
        told = 0

        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno < logging.WARNING:
                say(record.getMessage())
                return
            self.told += 1
            if self.told <= _MOST_WARNINGS:
                say(f"warning: {record.getMessage()}")
            elif self.told == _MOST_WARNINGS + 1:
                say(f"warning: more than {_MOST_WARNINGS} warnings; the others are not shown")

    log = logging.getLogger("summc")
    log.handlers = [Handler()]
    quiet = any(re.fullmatch(_QUIET, each) for each in given)
    log.setLevel(logging.ERROR if quiet else logging.NOTSET)
    log.propagate = False


class _Signals:
    """Handlers for SIGINT and SIGTERM, which raise ``SystemExit``.

    ``come`` has the exit codes of the signals that came, in order.
    """

    def __init__(self) -> None:
        self.come: list[int] = []

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Handle the signals during the ``with`` block.

        After the block nothing is left to clean up, so the signals end the process at once.
        """
        self._usual, sys.unraisablehook = sys.unraisablehook, self._again
        for signal_, code in _CODES.items():
            signal.signal(signal_, partial(self._leave, code))
        try:
            with suppress(SystemExit):  # from a signal that came after the work; ``come`` has its code
                yield
        finally:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)
            for signal_ in _CODES:
                signal.signal(signal_, signal.SIG_DFL)
            sys.unraisablehook = self._usual

    def _leave(self, code: int, _signal: int, _frame: FrameType | None) -> NoReturn:
        self.come.append(code)
        raise SystemExit(code)

    def _again(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Raise the ``SystemExit`` of a signal again after a short time, if it was lost.

        Python calls this hook if an exception is raised where it cannot propagate, for example in a callback
        of an import lock.
        """
        if not (self.come and isinstance(unraisable.exc_value, SystemExit)):
            self._usual(unraisable)
        elif hasattr(signal, "setitimer"):  # not on Windows
            self._raise_after(_SOON)

    def _raise_after(self, seconds: float) -> None:
        def leave(number: int, frame: FrameType | None) -> None:
            if any(each.f_code is _Signals._again.__code__ for each in _frames(frame)):
                # On a busy machine the timer may fire while ``_again`` still runs. An exception raised
                # now would be lost, so wait twice as long.
                self._raise_after(2 * seconds)
            else:
                self._leave(self.come[0], number, frame)

        signal.signal(signal.SIGALRM, leave)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame, then the frame of its caller, and so on up to the outermost."""
    while frame is not None:
        yield frame
        frame = frame.f_back
