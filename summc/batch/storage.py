"""Read and write files at local paths and, through fsspec, at URLs."""

from __future__ import annotations

import contextlib
import gzip
import io
import logging
import os
import uuid
import zlib
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from summc.errors import InputError, NotFoundError, OutputError, SettingError, SummcError
from summc.system import outputs
from summc.system.inputs import opened

#: URL schemes of stores that write an object whole or not at all. Elsewhere a temporary file is renamed.
_OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "memory"})
_CHUNK = 1 << 17

#: Suffixes of files with a cluster on each line.
LINES = (".jsonl", ".jsonl.gz", ".jsonl.zst")


def is_remote(path: str) -> bool:
    """Tell whether a path is a URL, which needs fsspec."""
    return "://" in path


def plain(path: str) -> str:
    """Return the plain path of a ``file://`` URL without wildcards; any other path is returned unchanged.

    fsspec expands the wildcards of a URL. A wildcard in a plain path is part of a name.
    """
    return path if _is_pattern(path) else path.removeprefix("file://")


def absolute(path: str) -> str:
    """Return a local path as an absolute one, for processes in other folders; URLs are unchanged."""
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 (links stay)


def join(folder: str, name: str) -> str:
    """Return the path of a file in a folder; both may be URLs."""
    return f"{folder.rstrip('/')}/{name}" if folder.strip("/") else f"/{name}"


# Reading


@contextlib.contextmanager
def open_lines(path: str, digest: Any) -> Iterator[io.BufferedReader]:
    """Open a file to read its lines, unpacked if it is ``.gz`` or ``.zst``; all of it goes to ``digest``."""
    # Of fsspec's files only read() is used: their readline() may ignore its limit or fetch single bytes.
    with contextlib.closing(_unpacked(path)) as chunks:
        yield io.BufferedReader(_Chunks(chunks, digest), _CHUNK)


def read(path: str) -> bytes:
    """Return the content of a file."""
    with _open(path) as stream:
        return stream.read()


def line_files(url: str) -> list[str]:
    """Return the URLs of the files of JSON lines that a URL names: a file, a folder, or a pattern."""
    filesystem, path = _filesystem(url)
    with _told(url):
        if _is_pattern(path):
            found = sorted(filesystem.glob(path))
        elif filesystem.isdir(path):
            found = sorted(name for name in filesystem.ls(path, detail=False) if name.endswith(LINES))
        else:
            return [url]
    if not found:
        raise NotFoundError(url, "no files of JSON lines there", "check the path")
    return [cast("str", filesystem.unstrip_protocol(name)) for name in found]


def _is_pattern(path: str) -> bool:
    return any(sign in path for sign in "*?[")


@contextlib.contextmanager
def _open(path: str) -> Iterator[IO[bytes]]:
    with _told(path):
        if is_remote(path):
            filesystem, inner = _filesystem(path)
            with filesystem.open(inner, "rb") as stream:
                yield stream
        else:
            with opened(path) as stream:
                yield stream


def _unpacked(path: str) -> Generator[bytes]:
    damaged: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    with _open(path) as stream:
        source = gzip.GzipFile(fileobj=stream) if path.endswith(".gz") else stream
        chunks = iter(partial(source.read, _CHUNK), b"")
        if path.endswith(".zst"):
            try:
                import zstandard  # noqa: PLC0415 (an extra)
            except ImportError:
                raise SettingError(path, "packed by zstd", "pip install 'summc[zstd]'") from None
            chunks, damaged = _frames(zstandard, stream), (EOFError, zstandard.ZstdError)
        try:
            yield from chunks
        except damaged as error:
            kind = "zstd" if path.endswith(".zst") else "gzip"
            problem = f"not a whole {kind} file ({_words_of(error)})"
            raise InputError(path, problem, "fetch it again") from None


def _frames(zstandard: Any, stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a zstd file; raise EOFError if it is cut off, which the library allows."""
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

    def __init__(self, chunks: Iterator[bytes], digest: Any) -> None:
        self._chunks, self._digest, self._rest = chunks, digest, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._digest.update(chunk)
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


# Writing


@contextlib.contextmanager
def held(folder: str) -> Iterator[None]:
    """Make a folder, and lock it for one run until the ``with`` block ends; a URL cannot be locked."""
    if not is_remote(folder):
        with outputs.own_folder(folder):
            yield
        return
    if not _is_object_store(
        folder
    ):  # these have no folders, and s3fs would create a bucket for a mistyped name
        with _told(folder, OutputError, "made"):
            filesystem, path = _filesystem(folder)
            filesystem.makedirs(path, exist_ok=True)
    yield


def names_in(folder: str) -> set[str]:
    """Return the names of the files in a folder; an empty set if the folder does not exist."""
    with _told(folder, OutputError), contextlib.suppress(FileNotFoundError):
        if not is_remote(folder):
            return set(os.listdir(folder))  # noqa: PTH208 (names are all that is needed)
        filesystem, path = _filesystem(folder)
        filesystem.invalidate_cache()
        return {name.rstrip("/").rpartition("/")[2] for name in filesystem.ls(path, detail=False)}
    return set()


def put(path: str, data: bytes) -> None:
    """Write a file, whole or not at all, and replace an existing one."""
    if not is_remote(path):
        outputs.write_whole(path, [data])
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
    with contextlib.suppress(OutputError), _told(path, OutputError):
        if is_remote(path):
            filesystem, inner = _filesystem(path)
            filesystem.rm_file(inner)
        else:
            Path(path).unlink(missing_ok=True)


# fsspec


def _is_object_store(path: str) -> bool:
    return path.partition("://")[0] in _OBJECT_STORES


def _filesystem(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 (an extra)
    except ImportError:
        raise SettingError(url, "a URL needs fsspec", "pip install 'summc[cluster]'") from None
    try:
        filesystem, path = url_to_fs(url)
    except (ImportError, ValueError) as error:  # unknown scheme, or its library is missing
        raise SettingError(url, f"cannot be reached ({error})", "install what it needs, or mend it") from None
    # Keep the library's log off the terminal, unless the user has configured it. Errors are raised anyway.
    logger = logging.getLogger(type(filesystem).__module__.partition(".")[0])
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return filesystem, path


@contextlib.contextmanager
def _told(
    place: str, kind: type[SummcError] = InputError, done: str = "read", remedy: str = "check the path"
) -> Iterator[None]:
    """Turn an error of the disk or of a store's library into one of summc."""
    try:
        yield
    except SummcError:
        raise
    except OSError as error:
        if isinstance(error, FileNotFoundError) and kind is InputError:
            raise NotFoundError(place, "no such file", "check the path") from None
        raise kind(place, f"cannot be {done} ({_words_of(error)})", remedy) from None
    except Exception as error:
        if not is_remote(place) or type(error).__module__ == "builtins":
            raise
        problem = f"cannot be {done} ({type(error).__name__}: {error})"
        raise kind(place, problem, "check the path, and who may use it") from None


def _words_of(error: Exception) -> str:
    """Return the text of an error, or its class name if it has no text, such as fsspec's timeout."""
    return getattr(error, "strerror", "") or str(error) or type(error).__name__
