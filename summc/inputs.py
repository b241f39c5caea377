"""Files, and standard input, opened as bytes."""

from __future__ import annotations

import contextlib
import sys
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from summc.errors import InputError, NotFoundError

#: The path that stands for standard input.
STDIN = "-"


def place_of(path: str) -> str:
    """Return what a path is called in messages."""
    return "standard input" if path == STDIN else path


def standard_input() -> BufferedReader:
    """Return the stream, or say that the shell has closed it."""
    if sys.stdin is None:
        raise InputError(place_of(STDIN), "closed", "pipe something into it or name a file")
    return cast("BufferedReader", sys.stdin.buffer)


def opened(path: str) -> contextlib.AbstractContextManager[BinaryIO]:
    """Return an open file, or standard input, which stays open."""
    if path == STDIN:
        return contextlib.nullcontext(cast("BinaryIO", standard_input()))
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise NotFoundError(path, "no such file", "check the path") from None
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})", "check the path") from None
