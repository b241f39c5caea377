"""Read and write files at local paths and, through fsspec, at URLs."""

from __future__ import annotations

import contextlib
import gzip
import io
import logging
import os
import uuid
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from summc.errors import InputError, NotFoundError, OutputError, SettingError, SummcError
from summc.system.folders import hold
from summc.system.inputs import opened
from summc.system.outputs import write_whole

#: URL schemes of stores that write an object whole or not at all. Elsewhere we write a temporary file and
#: rename it.
_OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "memory"})
_CHUNK = 1 << 17


def is_remote(path: str) -> bool:
    """Tell whether a path is a URL, which needs fsspec."""
    return "://" in path


def local(path: str) -> str:
    """Return the plain path of a ``file://`` URL; any other path is returned unchanged."""
    return path.removeprefix("file://")


def is_pattern(path: str) -> bool:
    """Tell whether a path has a wildcard: ``*``, ``?`` or ``[``."""
    return any(sign in path for sign in "*?[")


def absolute(path: str, base: str = "") -> str:
    """Return a local path as an absolute one, which is valid for processes in any folder; URLs are unchanged.

    A relative path starts from ``base``, or by default from the current folder.
    """
    if is_remote(path):
        return path
    return os.path.abspath(os.path.join(base, path))  # noqa: PTH100, PTH118 (links stay)


def join(folder: str, name: str) -> str:
    """Return the path of a file in a folder; both may be URLs."""
    return f"{folder.rstrip('/')}/{name}" if folder.strip("/") else f"/{name}"


# Reading


def is_seekable(path: str) -> bool:
    """Tell whether ``read_range`` can read part of a file: the file must not be compressed."""
    return not path.endswith((".gz", ".zst"))


@contextlib.contextmanager
def open_lines(path: str) -> Iterator[IO[bytes]]:
    """Open a file to read its lines. ``.gz`` and ``.zst`` files are decompressed.

    A ``.zst`` file needs the extra ``summc[zstd]``.
    """
    with _open(path) as stream:
        if path.endswith(".gz"):
            try:
                yield cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise _damaged(path, "gzip", error) from None
        elif path.endswith(".zst"):
            zstandard = _zstandard(path)
            try:
                yield cast("IO[bytes]", io.BufferedReader(_Chunks(_unpacked(zstandard, stream))))
            except (EOFError, zstandard.ZstdError) as error:
                raise _damaged(path, "zstd", error) from None
        elif is_remote(path):
            # Of fsspec's files use only read(): their readline() may ignore its limit or fetch single bytes.
            yield cast("IO[bytes]", io.BufferedReader(_Chunks(iter(partial(stream.read, _CHUNK), b""))))
        else:
            yield stream


def read_range(path: str, start: int, size: int) -> bytes:
    """Return ``size`` bytes from ``start`` of a file that is not compressed."""
    with _open(path) as stream:
        stream.seek(start)
        return stream.read(size)


def line_files(url: str) -> list[str]:
    """Return the URLs of the files of JSON lines that a URL refers to.

    The URL may be that of a file or of a folder with such files, or it may have wildcards.
    """
    filesystem, path = _filesystem(url)
    with _told(url):
        if is_pattern(path):
            found = sorted(filesystem.glob(path))
        elif filesystem.isdir(path):
            listed = filesystem.ls(path, detail=False)
            found = sorted(
                name for name in listed if name.removesuffix(".gz").removesuffix(".zst").endswith(".jsonl")
            )
        else:
            return [url]
    if not found:
        raise NotFoundError(url, "no files of JSON lines there", "check the path")
    return [cast("str", filesystem.unstrip_protocol(name)) for name in found]


@contextlib.contextmanager
def _open(path: str) -> Iterator[IO[bytes]]:
    if is_remote(path):
        filesystem, inner = _filesystem(path)
        with _told(path), filesystem.open(inner, "rb") as stream:
            yield stream
    else:
        with _told(path), opened(path) as stream:
            yield stream


def _unpacked(zstandard: Any, stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the decompressed content of a zstd file with one or more frames.

    Raises ``EOFError`` if the last frame is cut off, which the reader of the library would ignore.
    """
    data = stream.read(_CHUNK)
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        while not frame.eof:
            if not data:
                raise EOFError("it ends within a frame")
            yield frame.decompress(data)
            data = frame.unused_data or stream.read(_CHUNK)


class _Chunks(io.RawIOBase):
    """A readable stream over an iterator of byte chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def _zstandard(path: str) -> Any:
    try:
        import zstandard  # noqa: PLC0415 (an extra)
    except ImportError:
        raise SettingError(path, "packed by zstd", "pip install 'summc[zstd]'") from None
    return zstandard


def _damaged(path: str, kind: str, error: Exception) -> InputError:
    return InputError(path, f"not a whole {kind} file ({_words_of(error)})", "fetch it again")


# Writing


def make_folder(folder: str) -> None:
    """Make a folder and its parents if they are missing."""
    if _is_object_store(folder):
        return  # object stores have no folders, and s3fs would create a bucket for a mistyped name
    with _told(folder, OutputError, "made"):
        if is_remote(folder):
            filesystem, path = _filesystem(folder)
            filesystem.makedirs(path, exist_ok=True)
        else:
            Path(folder).mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def held(folder: str) -> Iterator[None]:
    """Lock a local folder for one run, until the ``with`` block ends.

    A folder at a URL cannot be locked. For such a folder ``manifest.check_own`` checks at the end of the run
    that no other run has used it.
    """
    with contextlib.nullcontext() if is_remote(folder) else hold(folder):
        yield


def names_in(folder: str) -> set[str]:
    """Return the names of the files in a folder; an empty set if the folder does not exist."""
    with _told(folder, OutputError, "read"), contextlib.suppress(FileNotFoundError):
        if not is_remote(folder):
            return set(os.listdir(folder))  # noqa: PTH208 (names are all that is needed)
        filesystem, path = _filesystem(folder)
        filesystem.invalidate_cache()
        return {name.rstrip("/").rpartition("/")[2] for name in filesystem.ls(path, detail=False)}
    return set()


def read(path: str) -> bytes:
    """Return the content of a file."""
    with _open(path) as stream:
        return stream.read()


def put(path: str, data: bytes) -> None:
    """Write a file, whole or not at all, and replace an existing one."""
    if not is_remote(path):
        write_whole(path, [data])
        return
    filesystem, inner = _filesystem(path)
    with _told(path, OutputError, "written", "check it"):
        if _is_object_store(path):
            filesystem.pipe_file(inner, data)
            return
        folder, _, name = inner.rpartition("/")
        aside = f"{folder}/.{name}.{uuid.uuid4().hex}"
        filesystem.pipe_file(aside, data)
        if filesystem.exists(inner):
            filesystem.rm_file(inner)
        filesystem.mv(aside, inner)


def remove(path: str) -> None:
    """Remove a file. Failures are ignored, for example if the file does not exist."""
    with contextlib.suppress(OutputError), _told(path, OutputError, "removed"):
        if is_remote(path):
            filesystem, inner = _filesystem(path)
            filesystem.rm_file(inner)
        else:
            Path(path).unlink(missing_ok=True)


# fsspec


def _is_object_store(path: str) -> bool:
    return is_remote(path) and path.partition("://")[0] in _OBJECT_STORES


def _filesystem(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 (an extra)
    except ImportError:
        raise SettingError(url, "a URL needs fsspec", "pip install 'summc[cluster]'") from None
    try:
        filesystem, path = url_to_fs(url)
    except (ImportError, ValueError) as error:  # unknown scheme, or its library is missing
        raise SettingError(url, f"cannot be reached ({error})", "install what it needs, or mend it") from None
    _quiet(type(filesystem).__module__.partition(".")[0])
    return filesystem, path


def _quiet(library: str) -> None:
    """Keep a library's log messages off the terminal, unless the user has configured its logging.

    Errors that matter are raised as exceptions anyway.
    """
    logger = logging.getLogger(library)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


@contextlib.contextmanager
def _told(
    place: str, kind: type[SummcError] = InputError, done: str = "read", remedy: str = "check the path"
) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if isinstance(error, FileNotFoundError) and kind is InputError:
            raise NotFoundError(place, "no such file", "check the path") from None
        if isinstance(error, OSError):
            raise kind(place, f"cannot be {done} ({_words_of(error)})", remedy) from None
        if not (is_remote(place) and _is_of_a_store(error)):
            raise
        problem = f"cannot be {done} ({type(error).__name__}: {error})"
        raise kind(place, problem, "check the path, and who may use it") from None


def _words_of(error: Exception) -> str:
    """Return the text of an error, or its class name if it has no text, such as fsspec's timeout."""
    return getattr(error, "strerror", "") or str(error) or type(error).__name__


def _is_of_a_store(error: Exception) -> bool:
    """Tell whether an error comes from the library of a store, for example its error for "access denied"."""
    return not isinstance(error, SummcError) and type(error).__module__ != "builtins"
