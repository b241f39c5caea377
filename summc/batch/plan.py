"""Divide the clusters of the inputs into parts; the summaries of each part go into one output file.

This process holds no more than one part in memory at a time. The inputs are read twice: first to count their
clusters and to compute a digest, then to make the parts. If a file is not compressed, a part has only a range
of bytes, and the worker reads the lines itself. If a file is compressed, the part carries the lines.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import itertools
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from summc.batch import storage
from summc.documents.duc import Questions, questions_among
from summc.documents.folders import (
    Tell,
    entries_of,
    is_collection,
    is_dataset_folder,
    warn,
    warn_of_strays,
    warnings_silenced,
)
from summc.errors import InputError, NotFoundError, SettingError, as_typed
from summc.system.inputs import STDIN, most_bytes

_LINES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
_CHUNK = 1 << 20
_READ_AGAIN = "cannot be read again by a run that goes on"
_OTHER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True, slots=True)
class Lines:
    """Consecutive lines of a file; each line that is not blank is a cluster.

    ``number`` is the number of the first line, from 1. ``start`` and ``size`` are the first byte and the
    number of bytes of the lines in the decompressed file. ``check`` is a checksum of the lines, to detect
    that the file has changed. ``data`` has the lines, or is None if the worker can read them from the file.
    """

    path: str
    number: int
    start: int
    size: int
    check: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line of more than ``most`` bytes, which is too long to keep in memory, so its cluster fails.

    ``number`` is the number of the line, from 1. ``digest`` is a digest of its content.
    """

    path: str
    number: int
    most: int
    digest: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder whose documents are one cluster.

    ``name`` is the name of the cluster, or "" for the folder's own name. ``query`` is the question that the
    summary should answer, or "".
    """

    path: str
    name: str
    query: str = ""


Piece = Lines | LongLine | Folder


@dataclass(frozen=True, slots=True)
class Part:
    """The clusters whose summaries go into one output file; ``index`` counts the parts from 0."""

    index: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Input:
    """An input file, folder or URL, with its number of clusters and a digest of its content."""

    path: str
    clusters: int
    digest: str


def take_stock(paths: Sequence[str]) -> list[Input]:
    """Read each input once, and return its number of clusters and its digest."""
    return [_found(path) for path in paths]


def make_parts(inputs: Iterable[Input], size: int) -> Iterator[Part]:
    """Yield parts of ``size`` clusters, in the order of the inputs; raise if an input has changed."""
    pieces = (piece for each in inputs for piece in _found_again(each))
    for index in itertools.count():
        part = _merged(itertools.islice(pieces, size))
        if not part:
            return
        yield Part(index, part)


def _found(path: str) -> Input:
    found = _Tally(path).rest(_clusters(path, warn))
    if not found.clusters:
        texts = "" if storage.is_remote(path) else "text files, or "  # only local folders hold documents
        raise InputError(path, "no clusters in it", f"put {texts}JSON lines into it")
    return found


def changed(path: str) -> InputError:
    """Return the error to raise for an input that changed during the run."""
    return InputError(path, "changed while it was read", "start again in another folder")


def _found_again(given: Input) -> Iterator[Piece]:
    """Read an input for the second time, and yield its clusters, as many as were counted the first time.

    Raises at the end if the input has changed since then.
    """
    tally = _Tally(given.path)
    pieces = _clusters(given.path, _say_nothing)
    for piece in itertools.islice(pieces, given.clusters):
        tally.add(piece)
        yield piece
    if tally.rest(pieces) != given:
        raise changed(given.path)


@dataclass(slots=True)
class _Tally:
    """The number of clusters read from an input so far, and their digest."""

    path: str
    clusters: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def add(self, piece: Piece) -> None:
        """Count a cluster, and include it in the digest."""
        self.clusters += 1
        if isinstance(piece, Lines):
            self.digest.update(b"%d %d\n" % (piece.number, piece.size))
            self.digest.update(piece.data or b"")
        elif isinstance(piece, LongLine):
            self.digest.update(b"%d %s\n" % (piece.number, piece.digest.encode()))
        else:
            query = f"\0{piece.query}" if piece.query else ""
            about = [f"{piece.path}\0{piece.name}{query}\n", *map(_about, documents_in(Path(piece.path)))]
            self.digest.update("".join(about).encode("utf-8", "surrogateescape"))

    def rest(self, pieces: Iterable[Piece]) -> Input:
        """Add the remaining clusters, and return the input with its number of clusters and its digest."""
        for piece in pieces:
            self.add(piece)
        return Input(self.path, self.clusters, self.digest.hexdigest()[:16])


def _about(file: Path) -> str:
    try:
        stat = file.stat()
    except OSError:  # removed since the folder was listed
        raise changed(str(file)) from None
    return f"{file.name}\0{stat.st_size}\0{stat.st_mtime_ns}\n"


def _say_nothing(path: Path | str, problem: str) -> None:
    """Ignore the report that a path is left out.

    It is passed as ``tell`` where the first pass over the inputs has warned already.
    """


def _merged(clusters: Iterator[Piece]) -> tuple[Piece, ...]:
    """Return the clusters as pieces; consecutive lines of a file are joined into one piece."""
    pieces: list[Piece] = []
    packed: list[bytes] = []
    next_number = 0
    for piece in clusters:
        last = pieces[-1] if pieces else None
        if not (isinstance(piece, Lines) and isinstance(last, Lines) and _follows(piece, last)):
            _pack(pieces, packed)
            last = None
        if not isinstance(piece, Lines):
            pieces.append(piece)
            continue
        if not storage.is_seekable(piece.path):
            # Put back the blank lines that were skipped, so that messages give the right line numbers.
            packed.append(b"\n" * (piece.number - next_number if last else 0) + (piece.data or b""))
        next_number = piece.number + 1
        if isinstance(last, Lines):
            end, check = piece.start + piece.size, zlib.crc32(piece.data or b"", last.check)
            pieces[-1] = replace(last, size=end - last.start, check=check)
        else:
            pieces.append(replace(piece, data=None))
    _pack(pieces, packed)
    return tuple(pieces)


def _follows(piece: Lines, last: Lines) -> bool:
    # If the user names a file twice, it is read again from byte 0. Its first line must not be joined to the
    # last one of the first reading.
    return piece.path == last.path and piece.start >= last.start + last.size


def _pack(pieces: list[Piece], packed: list[bytes]) -> None:
    last = pieces[-1] if pieces else None
    if isinstance(last, Lines) and packed:
        pieces[-1] = replace(last, data=b"".join(packed))
    packed.clear()


# Finding the clusters


def _clusters(path: str, tell: Tell) -> Iterator[Piece]:
    if path == STDIN:
        raise SettingError(STDIN, _READ_AGAIN, "name files or folders")
    if not path:
        raise SettingError("PATH", "is empty", "name a file or folder; a variable may not be set")
    if storage.is_remote(path):
        for url in storage.line_files(path):
            yield from _lines(url, tell if url != path else None)
    elif os.path.isdir(path):  # noqa: PTH112 (unlike Path's, it does not raise)
        yield from _folder(Path(path), "", (), tell, {})
    elif not os.path.lexists(path):
        raise NotFoundError(path, "no such file or folder", "check the path")
    elif os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 (the same)
        raise SettingError(path, f"a pipe or a device, which {_READ_AGAIN}", "name files or folders")
    else:
        yield from _lines(path)


def _lines(path: str, tell: Tell | None = None) -> Iterator[Lines | LongLine]:
    """Yield each line of a file that is not blank.

    Without ``tell`` an empty file raises ``InputError``, because the user named it. For a file that was found
    in a folder or by a pattern, ``tell`` is given, and is called to report that the empty file is left out.
    """
    start, found, most = 0, False, most_bytes()
    with storage.open_lines(path) as stream:
        for number in itertools.count(1):
            line = stream.readline(most + 1)
            if not line:
                break
            size, is_blank, is_long = len(line), not line.strip(), len(line) > most
            if not (found or is_blank):
                _check_first(line, path)
            found = found or is_long or not is_blank
            if is_long:
                size, digest = _pass_over(line, stream)
                line = b""  # free the memory while the caller works
                yield LongLine(path, number, most, digest)
            elif not is_blank:
                yield Lines(path, number, start, size, zlib.crc32(line), line)
            start += size
    if not found:
        if tell is None:
            raise InputError(path, "an empty file", "give one JSON object a line")
        tell(path, "an empty file; left out")


def _pass_over(line: bytes, stream: IO[bytes]) -> tuple[int, str]:
    """Read a long line to its end without keeping it in memory, and return its size and its digest.

    ``line`` is the beginning of the line, which is already read.
    """
    size, digest = 0, hashlib.sha256()
    while line:
        size += len(line)
        digest.update(line)
        line = b"" if line.endswith(b"\n") else stream.readline(_CHUNK)
    return size, digest.hexdigest()


def _check_first(line: bytes, path: str) -> None:
    if line.startswith(_OTHER_MARKS):
        remedy = f"a batch is read in UTF-8, or what {as_typed('encoding')} says"
        raise InputError(path, "UTF-16 or UTF-32", remedy)
    if not line.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        raise InputError(path, "not JSON lines", 'give {"id": ..., "documents": [...]} a line, or a folder')


def _folder(
    folder: Path, name: str, above: tuple[str, ...], tell: Tell, questions: Questions
) -> Iterator[Piece]:
    """Yield the clusters of a folder and of the folders in it.

    ``name`` is the path of the folder below the input, joined by "/"; "" for the input itself. ``above`` has
    the real paths of the folders above it, to detect links that form a loop. ``tell`` is called to report a
    path that is left out. ``questions`` has the clusters' questions from topic files in those folders.
    """
    real = os.path.realpath(folder)
    if real in above:
        tell(folder, "a link back to a folder above it; left out")
        return
    if is_dataset_folder(folder):
        questions = {**questions, **_questions_among(entries_of(folder, _say_nothing)[0], tell)}
        folder /= "docs"
    files, folders = entries_of(folder, tell)
    for path in files:
        if path.name.endswith(_LINES):
            yield from _lines(str(path), tell)
    if not files or is_collection(files, folders):
        warn_of_strays(files, tell)
        questions = {**questions, **_questions_among(files, tell)}
        yield from _folders(folder, folders, name, (*above, real), tell, questions)
        return
    for below in folders:
        tell(below, "a folder among documents; left out, name it to read it")
    if documents_in(folder, files):
        yield Folder(str(folder), name, questions.get(folder.name.lower(), ""))


def _folders(
    folder: Path,
    folders: list[Path],
    name: str,
    above: tuple[str, ...],
    tell: Tell,
    questions: Questions,
) -> Iterator[Piece]:
    if not folders and not name:
        raise InputError(str(folder), "an empty folder", "put text files into it")
    if not folders:
        tell(folder, "an empty folder; left out")
    for below in folders:
        yield from _folder(below, f"{name}/{below.name}" if name else below.name, above, tell, questions)


def _questions_among(files: Sequence[Path], tell: Tell) -> Questions:
    """Return the questions in the topic files among ``files``.

    On the second pass over the inputs no warnings are shown, since the first pass has shown them.
    """
    with warnings_silenced() if tell is _say_nothing else contextlib.nullcontext():
        return questions_among(files)


def documents_in(folder: Path, files: Sequence[Path] | None = None) -> list[Path]:
    """Return the files of a folder that are documents: all but files of JSON lines.

    ``files`` are the files of the folder, if the caller has listed them. Otherwise the folder is listed here,
    without a warning for entries that are left out, such as pipes, because ``take_stock`` has warned of them.
    """
    found = entries_of(folder, _say_nothing)[0] if files is None else files
    return [path for path in found if not path.name.endswith(_LINES)]
