"""List every file below a folder or in an archive, without unpacking archives to disk.

An archive is treated like a folder, also if it is inside another archive.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import math
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from summc.errors import InputError, SummcError
from summc.system.inputs import TAR, files_below, is_archive, most_bytes, opened, read_file, too_long

_DEEPEST = 8
#: Limits on all archives below a root: the size of their whole content, as a multiple of the largest size of
#: one file, and the number of archives, with those within them.
_FILES, _MOST_ARCHIVES = 4, 10_000
#: The most bytes of the headers before a file in a tar archive. The library holds them in memory.
_LONGEST_HEADER = 1 << 20

#: How a compressed file begins -> the function that opens it.
_COMPRESSED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}


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
_Member = tuple[str, int, Callable[[], IO[bytes] | None]]


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
            for member in members(stream):
                name, size, _ = member
                self._count(size)
                if any(part.startswith(".") and part.strip(".") for part in name.split("/")):
                    continue  # a hidden file
                inner, where = f"{path}/{name.removeprefix('./')}", f"{place}: {name}"
                if is_archive(name):
                    data = self._read(member, place, where)
                    yield from self.archive(io.BytesIO(data), inner, where, depth + 1)
                else:
                    yield TreeFile(inner, where, partial(self._read, member, place, where))

    def _count(self, size: int) -> None:
        self.size += size
        if self.size > _FILES * self.most:
            raise too_long(self.place, _FILES * self.most)

    def _read(self, member: _Member, place: str, where: str) -> bytes:
        _, size, open_ = member
        with _reporting_errors(place), open_() or io.BytesIO() as stream:
            data = stream.read(self.most + 1)
        # A zip may state too small a size, so count the rest now that the data are read.
        self._count(max(len(data) - size, 0))
        if len(data) > self.most:
            raise too_long(where, self.most)
        return data


@contextlib.contextmanager
def _reporting_errors(place: str) -> Iterator[None]:
    """Turn any error into an ``InputError``: on damaged archives, the libraries may raise anything."""
    try:
        yield
    except (SummcError, MemoryError):
        raise
    except Exception as error:
        problem = f"an archive that cannot be read ({error or type(error).__name__})"
        raise InputError(place, problem, "fetch it again, or unpack it first") from error


@dataclass(slots=True)
class _Tape:
    """An unpacked tar archive, for tarfile, which reads headers of any length into memory.

    ``left`` is how many bytes may still be read before the content of the next file.
    """

    stream: IO[bytes]
    left: float = _LONGEST_HEADER

    def read(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise ValueError(f"a header of more than {_LONGEST_HEADER >> 20} MB")
        return self.stream.read(size)

    def seek(self, position: int) -> int:
        return self.stream.seek(position)

    def tell(self) -> int:
        return self.stream.tell()


def _tar_members(stream: IO[bytes]) -> Iterator[_Member]:
    tape = _Tape(_decompressed(stream))
    with tarfile.open(fileobj=cast("IO[bytes]", tape), mode="r:") as archive:
        while (member := archive.next()) is not None:
            cast("Any", archive).members.clear()  # tarfile would keep all members
            # Other members (links, devices) have no content to read.
            if member.isfile():
                tape.left = math.inf
                yield member.name, member.size, partial(archive.extractfile, member)
            tape.left = _LONGEST_HEADER


def _decompressed(stream: IO[bytes]) -> IO[bytes]:
    """Return the tar archive in a stream, which may be compressed."""
    start = stream.read(6)
    stream.seek(0)
    opener = next((open_ for mark, open_ in _COMPRESSED.items() if start.startswith(mark)), None)
    return opener(stream) if opener else stream


def _zip_members(stream: IO[bytes]) -> Iterator[_Member]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if not member.filename.endswith("/"):
                yield member.filename, member.file_size, partial(archive.open, member)
