"""Read and write files at local paths and, through fsspec, at URLs."""

from __future__ import annotations

import contextlib
import logging
import os
import posixpath
import uuid
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from summc.documents.sources import LINES
from summc.errors import InputError, NotFoundError, OutputError, SettingError, SummcError
from summc.system import outputs
from summc.system.inputs import opened, unpacked

#: URL schemes of stores that write an object whole or not at all. Elsewhere a temporary file is renamed.
_OBJECT_STORES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "memory")
_CHUNK = 1 << 17


def is_remote(path: str) -> bool:
    """Tell whether a path is a URL, which needs fsspec."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a local path as an absolute one, for processes in other folders; URLs are unchanged."""
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 (links stay)


# Reading


def content(path: str, digest: Any) -> Iterator[bytes]:
    """Yield the content of a file, unpacked and in chunks, and pass them to ``digest``."""
    with _at(path) as (store, inner), store.open(inner, "rb") if store else opened(path) as stream:
        source, damage = unpacked(stream, path)
        try:
            for chunk in iter(partial(source.read, _CHUNK), b""):
                digest.update(chunk)
                yield chunk
        except damage as error:
            if stream.tell():  # an empty file is no error
                raise InputError(path, f"not a whole packed file ({error})", "fetch it again") from None


def line_files(url: str) -> list[str]:
    """Return the URLs of the files of JSON lines that a URL names: a file, a folder, or a pattern."""
    with _at(url) as (store, path):
        if any(sign in path for sign in "*?["):
            paths = store.glob(path)
        elif store.isdir(path):
            paths = [name for name in store.ls(path, detail=False) if name.endswith(LINES)]
        else:
            return [url]
        if not paths:
            raise NotFoundError(url, "no files of JSON lines there", "check the path")
        return sorted(map(store.unstrip_protocol, paths))


# The output folder


def locked(folder: str) -> contextlib.AbstractContextManager[None]:
    """Make a folder, and lock it for one run until the ``with`` block ends; a URL cannot be locked."""
    if not is_remote(folder):
        return outputs.locked_folder(folder)
    # An object store has no folders, and s3fs would make a bucket of a mistyped name.
    if folder.partition("://")[0] not in _OBJECT_STORES:
        with _at(folder, OutputError, "made") as (store, path):
            store.makedirs(path, exist_ok=True)
    return contextlib.nullcontext()


def names_in(folder: str) -> set[str]:
    """Return the names of the files in a folder; an empty set if the folder does not exist."""
    with _at(folder, OutputError) as (store, path), contextlib.suppress(FileNotFoundError):
        if store:
            store.invalidate_cache()
        paths = store.ls(path, detail=False) if store else os.listdir(path)  # noqa: PTH208 (names are enough)
        return {name.rstrip("/").rpartition("/")[2] for name in paths}
    return set()


def require(names: Iterable[str], folder: str) -> None:
    """Raise an error if one of these files is not in a folder."""
    for name in sorted({*names} - names_in(folder)):
        remedy = "use a folder that all machines share, or a URL, and start again"
        raise OutputError(posixpath.join(folder, name), "is not there, though written", remedy)


def read(path: str) -> bytes:
    """Return the content of a file that was written before."""
    with _at(path, OutputError) as (store, inner):
        return bytes(store.cat_file(inner)) if store else Path(path).read_bytes()


def put(path: str, data: bytes) -> None:
    """Write a file, whole or not at all, and replace an existing one."""
    with _at(path, OutputError, "written") as (store, inner):
        if store is None:
            outputs.write_whole(path, [data])
        elif path.partition("://")[0] in _OBJECT_STORES:
            store.pipe_file(inner, data)
        else:
            folder, name = posixpath.split(inner)
            aside = posixpath.join(folder, f".{name}.{uuid.uuid4().hex}")
            store.pipe_file(aside, data)
            if store.exists(inner):
                store.rm_file(inner)
            store.mv(aside, inner)


def clear(folder: str, names: tuple[str, ...]) -> None:
    """Remove the files that a killed process left, given by how their names begin."""
    for name in names_in(folder):
        if name.startswith(names):
            place = posixpath.join(folder, name)
            with contextlib.suppress(OutputError), _at(place, OutputError) as (store, path):
                store.rm_file(path) if store else Path(path).unlink()


@contextlib.contextmanager
def _at(place: str, kind: type[SummcError] = InputError, done: str = "read") -> Iterator[tuple[Any, str]]:
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
