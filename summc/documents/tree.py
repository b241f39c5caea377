"""Every file below a folder or inside an archive, archives within archives too, read without unpacking."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from summc.errors import InputError

_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_ARCHIVES = (*_TAR, ".zip")
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, NotImplementedError)
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file; ``path`` is where it stands below the root, the name of an archive being one of its folders.

    ``read`` works only until the next file is asked for: archives are read in one pass.
    """

    path: str
    place: str
    read: Callable[[], bytes]


def files_in(root: Path) -> Iterator[TreeFile]:
    """Yield the files of a folder or archive, folders by name and archives in their own order."""
    if root.is_file():
        yield from _file(root, root.name)
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file():
                yield from _file(path, path.relative_to(root).as_posix())


def is_archive(name: str) -> bool:
    """Tell by its name whether a file is an archive that can be looked into."""
    return name.lower().endswith(_ARCHIVES)


def _file(path: Path, name: str) -> Iterator[TreeFile]:
    if is_archive(name):
        with path.open("rb") as stream:
            yield from _archive(stream, name, str(path), depth=1)
    else:
        yield TreeFile(name, str(path), partial(_read_file, path))


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", "check its permissions") from None


def _archive(stream: IO[bytes], path: str, place: str, depth: int) -> Iterator[TreeFile]:
    if depth > _DEEPEST:
        raise InputError(place, f"archives nested more than {_DEEPEST} deep", "unpack it first")
    members = _tar_members if path.lower().endswith(_TAR) else _zip_members
    try:
        for name, read in members(stream):
            inner, where = f"{path}/{name.removeprefix('./')}", f"{place}: {name}"
            if is_archive(name):
                yield from _archive(io.BytesIO(read()), inner, where, depth + 1)
            else:
                yield TreeFile(inner, where, partial(_read_member, read, place))
    except _DAMAGED as error:
        raise _damaged(place, error) from None


def _read_member(read: Callable[[], bytes], place: str) -> bytes:
    try:
        return read()
    except _DAMAGED as error:
        raise _damaged(place, error) from None


def _damaged(place: str, error: BaseException) -> InputError:
    return InputError(place, f"a damaged archive ({error or type(error).__name__})", "fetch it again")


def _tar_members(stream: IO[bytes]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    with tarfile.open(fileobj=stream, mode="r:*") as archive:
        for member in archive:
            if member.isfile():
                yield member.name, partial(_content, archive, member)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(member)
    return stream.read() if stream else b""


def _zip_members(stream: IO[bytes]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                yield member.filename, partial(archive.read, member)
