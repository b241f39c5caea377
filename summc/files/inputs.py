"""Files, and standard input, opened as bytes, and read no further than a text can reasonably be long."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from summc.errors import InputError, NotFoundError, SettingError

#: The path that stands for standard input.
STDIN = "-"

#: Megabytes of a file, or of a line, that are read at most; the environment may say otherwise.
MOST_MEGABYTES = 256
LIMIT = "SUMMC_MOST_MB"


def place_of(path: str) -> str:
    """Return what a path is called in messages."""
    return "standard input" if path == STDIN else path


def standard_input() -> BufferedReader:
    """Return the stream, or say that the shell has closed it."""
    if sys.stdin is None:
        raise InputError(place_of(STDIN), "closed", "pipe something into it or name a file")
    return cast("BufferedReader", sys.stdin.buffer)


def most_bytes() -> int:
    """Return how long a file, or a line, may be."""
    given = os.environ.get(LIMIT) or str(MOST_MEGABYTES)
    if not (given.isascii() and given.isdigit() and 1 <= int(given[:12]) <= 10**6):
        raise SettingError(LIMIT, f"must be megabytes, from 1 to 1000000, got {given[:40]}", "unset it")
    return int(given) * 1024**2


def too_long(place: str, most: int) -> InputError:
    """Return the error of what is longer than that."""
    return InputError(place, f"more than {most // 1024**2} MB", f"split it, or raise {LIMIT}")


def read_all(stream: BinaryIO, place: str) -> bytes:
    """Return what is left in a stream, if it is not too long."""
    most = most_bytes()
    try:
        data = stream.read(most + 1)
    except OSError as error:
        raise _unreadable(place, error) from None
    if len(data) > most:
        raise too_long(place, most)
    return data


def lines_in(stream: BinaryIO, place: str) -> Iterator[bytes]:
    """Yield the lines of a stream, none of which may be too long."""
    most, number = most_bytes(), 0
    while True:
        number += 1
        try:
            line = stream.readline(most + 1)
        except OSError as error:
            raise _unreadable(place, error) from None
        if len(line) > most:
            raise too_long(f"{place}:{number}", most)
        if not line:
            return
        yield line


def _unreadable(path: str, error: OSError) -> InputError:
    return InputError(path, f"cannot be read ({error.strerror})", "check the path")


def opened(path: str) -> contextlib.AbstractContextManager[BinaryIO]:
    """Return an open file, or standard input, which stays open."""
    if path == STDIN:
        return contextlib.nullcontext(cast("BinaryIO", standard_input()))
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise NotFoundError(path, "no such file", "check the path") from None
    except OSError as error:
        raise _unreadable(path, error) from None
