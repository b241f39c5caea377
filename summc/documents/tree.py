"""List every file below a folder or in an archive, without unpacking archives to disk.

An archive is treated like a folder, also if it is inside another archive.
"""

from __future__ import annotations

import contextlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Self, cast

from summc.errors import InputError, SummcError
from summc.system.inputs import TAR, files_below, is_archive, most_bytes, opened, read_file, too_long

_DEEPEST = 8
#: Limits on all archives below a root: the size of their whole content, as a multiple of the largest size of
#: one file, and the number of archives, with those within them.
_FILES, _MOST_ARCHIVES = 4, 10_000
#: The most bytes of a header in a tar archive, and the types of headers that tarfile holds in memory, however
#: long they are: long names and attributes of the next file.
_LONGEST_HEADER, _HELD_IN_MEMORY = 1 << 20, b"xgXLK"
#: The most bytes of the directory of a zip archive, which takes some 15 times that much memory, and where
#: zipfile has its size.
_LONGEST_DIRECTORY, _DIRECTORY_SIZE = 32 << 20, 5


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file in a folder or an archive (the root), with its path below the root.

    ``read`` returns its data, but only until the next file is requested: archives are read in one pass.
    """

    path: str
    place: str
    read: Callable[[], bytes]

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return self.path.rpartition("/")[2]


def files_in(root: Path) -> Iterator[TreeFile]:
    """Yield all files below the folder ``root``, sorted by name.

    If ``root`` is an archive, yield the files in it, in the order of the archive.
    """
    unpacking = _Unpacking(str(root))
    if root.is_file():
        yield from _file(root, root.name, unpacking)
        return
    for path in files_below(root, root):
        yield from _file(path, path.relative_to(root).as_posix(), unpacking)


def _file(path: Path, name: str, unpacking: _Unpacking) -> Iterator[TreeFile]:
    if is_archive(name):
        with opened(str(path)) as stream:
            yield from unpacking.archive(stream, name, str(path), depth=1)
    else:
        yield TreeFile(name, str(path), partial(read_file, str(path)))


#: A file in an archive: its name, the size that the archive states, and how to open it.
_Member = tuple[str, int, Callable[[], IO[bytes]]]


@dataclass(slots=True)
class _Unpacking:
    """Reads the archives below a root, and counts the bytes and the archives that were unpacked so far.

    Too many raise an error, because a small archive may unpack to more than the memory can hold.
    """

    place: str
    most: int = field(default_factory=most_bytes)
    size: int = 0
    archives: int = 0

    def archive(self, stream: IO[bytes], path: str, place: str, depth: int) -> Iterator[TreeFile]:
        """Yield the files in an archive, and in those within it; ``path`` is its path below the root."""
        self.archives += 1
        if depth > _DEEPEST:
            raise InputError(place, f"archives nested more than {_DEEPEST} deep", "unpack it first")
        if self.archives > _MOST_ARCHIVES:
            raise InputError(self.place, f"more than {_MOST_ARCHIVES} archives within it", "unpack it first")
        members = _tar_members if path.lower().endswith(TAR) else _zip_members
        with _reporting_errors(place):
            for name, size, open_ in members(stream):
                self.size += size
                if self.size > _FILES * self.most:
                    raise too_long(self.place, _FILES * self.most)
                if any(part.startswith(".") and part.strip(".") for part in name.split("/")):
                    continue  # a hidden file
                inner, where = f"{path}/{name.removeprefix('./')}", f"{place}: {name}"
                read = partial(self._read, open_, size, place, where)
                if is_archive(name):
                    yield from self.archive(io.BytesIO(read()), inner, where, depth + 1)
                else:
                    yield TreeFile(inner, where, read)

    def _read(self, open_: Callable[[], IO[bytes]], size: int, place: str, where: str) -> bytes:
        """Return the data of a file; the libraries read no more than the size that the archive states."""
        if size > self.most:
            raise too_long(where, self.most)
        with _reporting_errors(place), open_() as stream:
            return stream.read()


@contextlib.contextmanager
def _reporting_errors(place: str) -> Iterator[None]:
    """Turn any error into an ``InputError``: on damaged archives, the libraries may raise anything."""
    try:
        yield
    except (SummcError, MemoryError):
        raise
    except Exception as error:
        reason = str(error).partition(":\n")[0] or type(error).__name__
        problem = f"an archive that cannot be read ({reason})"
        raise InputError(place, problem, "fetch it again, or unpack it first") from error


class _Header(tarfile.TarInfo):
    """A header in a tar archive; one that would fill the memory raises an error."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        is_long = header.size > _LONGEST_HEADER and header.type in _HELD_IN_MEMORY
        if is_long or header.type == tarfile.GNUTYPE_SPARSE:
            raise ValueError(f"a header of more than {_LONGEST_HEADER >> 20} MB, or a sparse file")
        return header


def _tar_members(stream: IO[bytes]) -> Iterator[_Member]:
    with tarfile.open(fileobj=stream, mode="r:*", tarinfo=_Header) as archive:
        while (member := archive.next()) is not None:
            cast("Any", archive).members.clear()  # tarfile would keep all members
            # Other members (links, devices) have no content to read.
            if member.isfile():
                yield member.name, member.size, partial(cast("Any", archive).extractfile, member)


def _zip_members(stream: IO[bytes]) -> Iterator[_Member]:
    size = cast("Any", zipfile)._EndRecData(stream)  # noqa: SLF001 (zipfile would hold all members in memory)
    if size and size[_DIRECTORY_SIZE] > _LONGEST_DIRECTORY:
        raise ValueError(f"its list of files has more than {_LONGEST_DIRECTORY >> 20} MB")
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if not member.filename.endswith("/"):
                yield member.filename, member.file_size, partial(archive.open, member)
