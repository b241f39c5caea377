"""Read and write files at local paths and, through fsspec, at URLs."""

from __future__ import annotations

import contextlib
import gzip
import logging
import os
import sys
import uuid
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from summc.documents.sources import LINES
from summc.errors import InputError, NotFoundError, OutputError, SettingError, SummcError
from summc.system import outputs
from summc.system.inputs import opened

#: URL schemes of stores that write an object whole or not at all. Elsewhere a temporary file is renamed.
_SCHEMES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "memory")
_OBJECT_STORES = tuple(f"{scheme}://" for scheme in _SCHEMES)
_CHUNK = 1 << 17


def is_remote(path: str) -> bool:
    """Tell whether a path is a URL, which needs fsspec."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a local path as an absolute one, for processes in other folders; URLs are unchanged."""
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 (links stay)


def join(folder: str, name: str) -> str:
    """Return the path of a file in a folder; both may be URLs."""
    return f"{folder.rstrip('/')}/{name}"


# Reading


def content(path: str, digest: Any) -> Iterator[bytes]:
    """Yield the content of a file in chunks, and pass them to ``digest``.

    A file whose name ends in ``.gz`` or ``.zst`` is unpacked.
    """
    with _reached(path) as (store, inner), store.open(inner, "rb") if store else opened(path) as stream:
        source, damage = _unpacked(path, stream)
        try:
            for chunk in iter(partial(source.read, _CHUNK), b""):
                digest.update(chunk)
                yield chunk
        except (EOFError, gzip.BadGzipFile, damage) as error:
            if stream.tell():  # an empty file is no error
                raise InputError(path, f"not a whole packed file ({error})", "fetch it again") from None


def _unpacked(path: str, stream: Any) -> tuple[Any, type[Exception]]:
    """Return a stream of what a file holds, and the error that it raises if the file is damaged."""
    if path.endswith(".gz"):
        return gzip.GzipFile(fileobj=stream), zlib.error
    if not path.endswith(".zst"):
        return stream, EOFError
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        raise SettingError(path, "packed by zstd", "pip install 'summc[zstd]'") from None
    return zstd.ZstdFile(stream), zstd.ZstdError


def line_files(url: str) -> list[str]:
    """Return the URLs of the files of JSON lines that a URL names: a file, a folder, or a pattern."""
    with _reached(url) as (store, path):
        if any(sign in path for sign in "*?["):
            found = store.glob(path)
        elif store.isdir(path):
            found = [name for name in store.ls(path, detail=False) if name.endswith(LINES)]
        else:
            return [url]
        if not found:
            raise NotFoundError(url, "no files of JSON lines there", "check the path")
        return sorted(map(store.unstrip_protocol, found))


# The output folder


def held(folder: str) -> contextlib.AbstractContextManager[None]:
    """Make a folder, and lock it for one run until the ``with`` block ends; a URL cannot be locked."""
    if not is_remote(folder):
        return outputs.own_folder(folder)
    # An object store has no folders, and s3fs would make a bucket of a mistyped name.
    if not folder.startswith(_OBJECT_STORES):
        with _reached(folder, OutputError, "made") as (store, path):
            store.makedirs(path, exist_ok=True)
    return contextlib.nullcontext()


def names_in(folder: str) -> set[str]:
    """Return the names of the files in a folder; an empty set if the folder does not exist."""
    with _reached(folder, OutputError) as (store, path), contextlib.suppress(FileNotFoundError):
        if store is None:
            return set(os.listdir(path))  # noqa: PTH208 (names are all that is needed)
        store.invalidate_cache()
        return {name.rstrip("/").rpartition("/")[2] for name in store.ls(path, detail=False)}
    return set()


def require(names: Iterable[str], folder: str) -> None:
    """Raise an error if one of these files is not in a folder."""
    for name in sorted({*names} - names_in(folder)):
        remedy = "use a folder that all machines share, or a URL, and start again"
        raise OutputError(join(folder, name), "is not there, though written", remedy)


def read(path: str) -> bytes:
    """Return the content of a file that was written before."""
    with _reached(path, OutputError) as (store, inner):
        return bytes(store.cat_file(inner)) if store else Path(path).read_bytes()


def put(path: str, data: bytes) -> None:
    """Write a file, whole or not at all, and replace an existing one."""
    if not is_remote(path):
        outputs.write_whole(path, [data])
        return
    with _reached(path, OutputError, "written") as (store, inner):
        if path.startswith(_OBJECT_STORES):
            store.pipe_file(inner, data)
            return
        folder, _, name = inner.rpartition("/")
        aside = f"{folder}/.{name}.{uuid.uuid4().hex}"
        store.pipe_file(aside, data)
        if store.exists(inner):
            store.rm_file(inner)
        store.mv(aside, inner)


def clear(folder: str, names: tuple[str, ...]) -> None:
    """Remove the files that a killed process left, given by how their names begin."""
    for name in names_in(folder):
        if name.startswith(names):
            reached = _reached(join(folder, name), OutputError)
            with contextlib.suppress(OutputError), reached as (store, path):
                if store:
                    store.rm_file(path)
                else:
                    Path(path).unlink(missing_ok=True)


@contextlib.contextmanager
def _reached(
    place: str, kind: type[SummcError] = InputError, done: str = "read"
) -> Iterator[tuple[Any, str]]:
    """Give the file system of a URL and the path in it, or None and a local path.

    An error of the disk or of a store's library becomes one of summc, of this ``kind``.
    """
    try:
        yield _filesystem(place) if is_remote(place) else (None, place)
    except SummcError:
        raise
    except Exception as error:
        is_of_store = is_remote(place) and type(error).__module__ != "builtins"
        if not (isinstance(error, OSError) or is_of_store):
            raise
        if isinstance(error, FileNotFoundError) and kind is InputError:
            raise NotFoundError(place, "no such file", "check the path") from None
        words = getattr(error, "strerror", "") or f"{type(error).__name__}: {error}".removesuffix(": ")
        raise kind(place, f"cannot be {done} ({words})", "check the path, and who may use it") from None


def _filesystem(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 (an extra)

        filesystem, path = url_to_fs(url)
    except (ImportError, ValueError) as error:  # unknown scheme, or a library is missing
        remedy = "mend it, or install what it needs, such as: pip install 'summc[cluster]'"
        raise SettingError(url, f"cannot be reached ({error})", remedy) from None
    # Keep the library's log off the terminal, unless the user has configured it. Errors are raised anyway.
    logger = logging.getLogger(type(filesystem).__module__.partition(".")[0])
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return filesystem, path
