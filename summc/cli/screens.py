"""Find out where output goes: the width of a terminal, and whether it shows colour."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from summc.text.screens import Screen

#: The width of a table in columns if it does not go to a terminal.
_USUAL = 80
#: The narrowest and the widest text of help, in columns.
_LEAST_HELP, _MOST_HELP = 50, 98


def screen_for(output: str | None, *, wide: bool = False) -> Screen:
    """Return the screen for a table: the terminal, or 80 columns if it goes to a pipe or a file.

    If ``wide``, its width has no limit. ``output`` is the value of ``-o``.
    """
    from summc.text.screens import Screen

    stream = _stream_for(output)
    return Screen(None if wide else terminal_columns(stream) or _USUAL, in_colour(stream))


def wrapped(text: str, output: str | None) -> str:
    """Return a text whose lines fit the terminal; unchanged if it goes to a pipe or a file."""
    from summc.text.screens import wrap_lines

    return wrap_lines(text, terminal_columns(_stream_for(output)))


def _stream_for(output: str | None) -> TextIO | None:
    """Return stdout, or None if ``-o`` names a file."""
    return sys.stdout if not output or output == "-" else None


def in_colour(stream: TextIO | None) -> bool:
    """Tell whether to use colour: on a terminal, unless NO_COLOR is set or TERM is "dumb".

    FORCE_COLOR asks for colour in pipes too. ``stream`` is None for a file, which never gets colour.
    """
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def terminal_columns(stream: TextIO | None) -> int | None:
    """Return the width of a terminal in columns, or $COLUMNS if set; None if the stream is no terminal.

    ``shutil.get_terminal_size`` is not used, because it looks only at stdout.
    """
    if stream is None or not stream.isatty():
        return None
    said = _columns_said()
    if said:
        return said
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except (OSError, ValueError):  # the stream is not a real terminal
        return _USUAL


def help_columns() -> int:
    """Return the width of help: $COLUMNS, the width of the terminal, or 80; within limits, less a margin."""
    columns = _columns_said() or terminal_columns(sys.stdout) or _USUAL
    return max(min(columns - 2, _MOST_HELP), _LEAST_HELP)


def _columns_said() -> int:
    """Return the width that the variable COLUMNS gives, or 0 if it gives none."""
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isdecimal() else 0
