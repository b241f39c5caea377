"""Read files and standard input as bytes, up to a limit on their size."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import shlex
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from summc.errors import InputError, NotFoundError, SettingError, SummcError
from summc.system.logs import log

#: The path that means standard input.
STDIN = "-"

#: The environment variables that change limits: the size of a file or of a line of a stream, the memory of a
#: reader besides three times the file, and the pages and the characters of a PDF.
MOST_MB, MOST_MEMORY = "SUMMC_MOST_MB", "SUMMC_MOST_MEMORY_MB"
MOST_PAGES, MOST_CHARACTERS = "SUMMC_MOST_PAGES", "SUMMC_MOST_CHARACTERS"
#: Variable -> what it counts, its value by default, and its largest value.
_LIMITS = {
    MOST_MB: ("megabytes", 256, 10**6),
    MOST_MEMORY: ("megabytes", 512, 10**6),
    MOST_PAGES: ("pages", 10_000, 10**6),
    MOST_CHARACTERS: ("characters", 10**7, 10**9),
}

#: Suffixes of tar archives.
TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")

_CHUNK = 1 << 17
#: Seconds after which a warning says that a pipe has no data yet.
_PATIENCE = 1.0
_WAITS = "%s: a pipe with nothing in it yet; waiting for a program that writes to it"


def place_of(path: str) -> str:
    """Return a path as messages show it: "standard input" for ``-``, and any other path unchanged."""
    return "standard input" if path == STDIN else path


def whole_characters(text: str) -> str:
    """Return a text that can be written: surrogate pairs become the character, single ones U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def most(variable: str) -> int:
    """Return the limit that an environment variable sets, or else its default."""
    noun, default, highest = _LIMITS[variable]
    value = os.environ.get(variable) or str(default)
    if not (value.isascii() and value.isdigit() and 1 <= int(value[:12]) <= highest):
        raise SettingError(variable, f"must be {noun}, from 1 to {highest}, got {value[:40]}", "unset it")
    return int(value)


def limits() -> dict[str, str]:
    """Return the values of all environment variables that set limits."""
    return {variable: str(most(variable)) for variable in _LIMITS}


def most_bytes() -> int:
    """Return the largest number of bytes that a file, or a line, may have."""
    return most(MOST_MB) * 1024**2


def too_long(place: str, most: int) -> InputError:
    """Return the error to raise for a file or a line of more than ``most`` bytes."""
    return InputError(place, f"more than {most // 1024**2} MB", f"split it, or raise {MOST_MB}")


def read_all(stream: io.BufferedIOBase, place: str) -> bytes:
    """Return the rest of a stream; raise an error if it is longer than ``most_bytes()``."""
    longest = most(MOST_MB) * 1024**2
    try:
        data = stream.read(longest + 1)
    except (OSError, EOFError, zlib.error) as error:  # the last two from a damaged gzip file
        raise _unreadable(place, error) from None
    if len(data) > longest:
        raise too_long(place, longest)
    return data


def chunks_in(stream: io.BufferedIOBase, place: str) -> Iterator[bytes]:
    """Yield the content of a stream, as it arrives."""
    try:
        yield from iter(partial(stream.read1, _CHUNK), b"")
    except OSError as error:
        raise _unreadable(place, error) from None


def lines_in(chunks: Iterable[bytes]) -> Iterator[bytes | None]:
    """Yield each line with its line end, or None for a line that is longer than ``most_bytes()``."""
    most, line = most_bytes(), bytearray()
    for chunk in chunks:
        for piece in io.BytesIO(chunk):
            line += piece[: most + 1 - len(line)]  # one byte more than allowed marks a long line
            if piece.endswith(b"\n"):
                yield bytes(line) if len(line) <= most else None
                line.clear()
    if line:
        yield bytes(line) if len(line) <= most else None


def _unreadable(path: str, error: Exception) -> InputError:
    if isinstance(error, IsADirectoryError):
        return InputError(path, "a folder, not a file", "name a file")
    return InputError(path, f"cannot be read ({getattr(error, 'strerror', None) or error})", "check the file")


def not_found(path: str, problem: str, remedy: str = "check the path") -> SummcError:
    """Return the error to raise for a path that does not exist, or whose folder cannot be read.

    For a URL, the error says how to save it as a file.
    """
    try:
        Path(path).stat()
    except PermissionError as error:
        return _unreadable(path, error)
    except (OSError, ValueError):
        pass
    scheme, mark, _ = path.partition("://")
    if not mark or not scheme.isalnum():
        return NotFoundError(path, problem, remedy)
    remedy = f"save it first, as by curl -L {shlex.quote(path)} > page.html, and give that file"
    return NotFoundError(path, "a URL, which summc does not fetch", remedy)


def _opened_pipe(path: str) -> io.BufferedReader:
    """Return an open pipe that has data; warn if it has none for a while."""
    timer = threading.Timer(_PATIENCE, log.warning, (_WAITS, path))
    timer.daemon = True
    timer.start()
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 (the caller closes it)
        stream.peek(1)
    finally:
        timer.cancel()
    return stream


def opened(path: str) -> contextlib.AbstractContextManager[io.BufferedReader]:
    """Return the open file as a context manager; for ``-``, standard input, which stays open afterwards."""
    if path == STDIN and sys.stdin is None:
        raise InputError(place_of(STDIN), "closed", "pipe something into it or name a file")
    if path == STDIN:
        return contextlib.nullcontext(cast("io.BufferedReader", sys.stdin.buffer))
    try:
        return _opened_pipe(path) if Path(path).is_fifo() else Path(path).open("rb")
    except (FileNotFoundError, ValueError):  # the latter for a path with a NUL or half a surrogate pair
        raise not_found(path, "no such file") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def read_file(path: str) -> bytes:
    """Return the data of a file, or of standard input if the path is ``-``; a gzip file is unpacked."""
    with opened(path) as stream:
        is_packed = path.endswith(".gz") and stream.peek(2).startswith(b"\x1f\x8b")
        return read_all(unpacked(stream, path)[0] if is_packed else stream, place_of(path))


def unpacked(stream: Any, path: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return the unpacked stream of a ``.gz`` or ``.zst`` file, and the errors that a damaged file raises.

    The stream of any other file is returned unchanged.
    """
    if path.endswith(".gz"):
        return gzip.GzipFile(fileobj=stream), (EOFError, zlib.error, gzip.BadGzipFile)
    if not path.endswith(".zst"):
        return stream, ()
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        raise SettingError(path, "packed by zstd", "pip install 'summc[zstd]'") from None
    return zstd.ZstdFile(stream), (EOFError, zstd.ZstdError)


def holds_json(path: str) -> bool:
    """Tell whether a file, or standard input, begins with a JSON object; the stream stays at its start."""
    with opened(path) as stream:
        return stream.peek(1).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"


def is_archive(name: str) -> bool:
    """Tell by its name whether a file is an archive that summc can read."""
    return name.lower().endswith((*TAR, ".zip"))


def warn(path: Path | str, problem: str) -> None:
    """Warn that a path is left out; ``problem`` says why."""
    log.warning("%s: %s", path, problem)


def entries_of(folder: Path, root: Path) -> tuple[list[Path], list[Path]]:
    """Return the files and the folders in a folder, each sorted by name; hidden entries are ignored.

    Links to folders, links that lead out of ``root``, and entries such as pipes are left out with a warning.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(str(folder), f"cannot be read ({error.strerror})", "check its permissions") from None
    files: list[Path] = []
    folders: list[Path] = []
    for entry in entries:
        if entry.name.startswith("."):
            continue
        # A link that leads out is not followed: the folder of a stranger could make summc read any file.
        if entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(os.path.realpath(root)):
            warn(entry, "a link that leads out of the folder; left out")
        elif os.path.isfile(entry):  # noqa: PTH113 (never raises)
            files.append(entry)
        elif not os.path.isdir(entry):  # noqa: PTH112 (never raises)
            warn(entry, "neither file nor folder; left out")
        elif entry.is_symlink():
            warn(entry, "a link to a folder; left out, name it to read it")
        else:
            folders.append(entry)
    return files, folders


def files_below(folder: Path, root: Path) -> Iterator[Path]:
    """Yield the files in a folder and in all folders below it; ``root`` is as in ``entries_of``."""
    try:
        files, folders = entries_of(folder, root)
    except InputError as error:
        warn(error.place, f"{error.problem}; left out")
        return
    yield from files
    for subfolder in folders:
        yield from files_below(subfolder, root)
