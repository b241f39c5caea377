"""Find the clusters of the inputs, and read each of them.

The inputs are read twice: first to count their clusters and to compute a digest, then to work on them. So no
more clusters are in memory than are worked on.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from summc.batch import storage
from summc.documents import sources
from summc.documents.decoding import decode
from summc.documents.duc import Questions, questions_among
from summc.documents.jsonl import other_members, parse_cluster
from summc.documents.raw import RawCluster
from summc.errors import InputError, NotFoundError, SettingError, as_typed
from summc.system.inputs import STDIN, lines_in, most_bytes, too_long
from summc.system.json_objects import parse_object
from summc.system.processes import heard

_READ_AGAIN = "cannot be read again by a run that goes on"
_OTHER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, whose number counts from 1; ``data`` is None if the line is too long to be read."""

    path: str
    number: int
    data: bytes | None

    def read(self, encoding: str) -> RawCluster:
        """Return the cluster; raise an error if it cannot be read."""
        place = f"{self.path}:{self.number}"
        if self.data is None:
            raise too_long(place, most_bytes())
        return parse_cluster(decode(self.data, place, encoding), place)

    def name(self) -> str:
        """Return the name of the cluster, even if the cluster cannot be read."""
        try:
            named = json.loads(self.data or b"").get("id")
        except (ValueError, AttributeError, RecursionError):
            named = None
        is_name = isinstance(named, str | int) and not isinstance(named, bool)
        return str(named) if is_name else f"line-{self.number}"

    def members(self) -> Mapping[str, Any]:
        """Return the members that summc does not use; {} without valid JSON."""
        try:
            return other_members(parse_object(self.data or b"", "", ""))
        except InputError:
            return {}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder whose documents are one cluster.

    ``below`` is its path below the input, "" for the input itself. ``query`` is the question that the summary
    should answer, or "".
    """

    path: str
    below: str
    query: str

    def read(self, encoding: str) -> RawCluster:
        """Return the cluster; raise an error if it cannot be read."""
        path = Path(self.path)
        files, _ = sources.entries_of(path, _say_nothing)
        documents = [path for path in files if not path.name.endswith(storage.LINES)]
        cluster = sources.Reader(encoding).documents_among(path, documents, self.below)
        return replace(cluster, query=self.query)

    def name(self) -> str:
        """Return the name of the cluster."""
        return sources.printable(self.below or Path(self.path).resolve().name)

    def members(self) -> Mapping[str, Any]:
        """Return nothing: only lines have members."""
        return {}


Cluster = Line | Folder


@dataclass(frozen=True, slots=True)
class Input:
    """An input file, folder or URL, with its number of clusters and a digest of its content."""

    path: str
    clusters: int
    digest: str


def take_stock(path: str) -> Input:
    """Read an input, and return its number of clusters and its digest."""
    digest = hashlib.sha256()
    clusters = sum(1 for _ in _clusters(path, sources.warn, digest))
    if not clusters:
        texts = "" if storage.is_remote(path) else "text files, or "  # only local folders hold documents
        raise InputError(path, "no clusters in it", f"put {texts}JSON lines into it")
    return Input(path, clusters, digest.hexdigest()[:16])


def read_again(given: Input) -> Iterator[Cluster]:
    """Yield the clusters of an input, as many as were counted; raise at the end if it has changed since."""
    digest = hashlib.sha256()
    found = _clusters(given.path, _say_nothing, digest)
    yield from itertools.islice(found, given.clusters)
    for _ in found:
        raise _changed(given.path)
    if digest.hexdigest()[:16] != given.digest:
        raise _changed(given.path)


def _changed(path: str) -> InputError:
    return InputError(path, "changed while it was read", "start again in another folder")


def _say_nothing(path: Path | str, problem: str) -> None:
    """Ignore that a path is left out: the first reading has warned of it."""


def _clusters(path: str, tell: sources.Tell, digest: Any) -> Iterator[Cluster]:
    """Yield the clusters of an input; ``tell`` reports a path that is left out."""
    if path == STDIN:
        raise SettingError(STDIN, _READ_AGAIN, "name files or folders")
    if not path:
        raise SettingError("PATH", "is empty", "name a file or folder; a variable may not be set")
    if storage.is_remote(path):
        for url in storage.line_files(path):
            yield from _lines(url, tell if url != path else None, digest)
    elif os.path.isdir(path):  # noqa: PTH112 (unlike Path's, it does not raise)
        yield from _Walk(tell, digest).folder(Path(path), "", {})
    elif not os.path.lexists(path):
        raise NotFoundError(path, "no such file or folder", "check the path")
    elif os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 (the same)
        raise SettingError(path, f"a pipe or a device, which {_READ_AGAIN}", "name files or folders")
    else:
        yield from _lines(path, None, digest)


def _lines(path: str, tell: sources.Tell | None, digest: Any) -> Iterator[Line]:
    """Yield each line of a file that is not blank. Without ``tell``, the user named it: it must have one."""
    found, too_long_ones = False, list[InputError]()
    with storage.open_lines(path, digest) as stream:
        for number, line in enumerate(lines_in(stream, path, too_long_ones.append), start=1):
            if not (too_long_ones or line.strip()):
                continue
            if not (found or too_long_ones):
                _check_first(line, path)
            found = True
            yield Line(path, number, None if too_long_ones else line.rstrip(b"\n"))
            too_long_ones.clear()
    if not found:
        if tell is None:
            raise InputError(path, "an empty file", "give one JSON object a line")
        tell(path, "an empty file; left out")


def _check_first(line: bytes, path: str) -> None:
    if line.startswith(_OTHER_MARKS):
        remedy = f"a batch is read in UTF-8, or what {as_typed('encoding')} says"
        raise InputError(path, "UTF-16 or UTF-32", remedy)
    if not line.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        raise InputError(path, "not JSON lines", 'give {"id": ..., "documents": [...]} a line, or a folder')


@dataclass(frozen=True, slots=True)
class _Walk:
    """A walk through the folders of an input; ``tell`` reports a path that is left out."""

    tell: sources.Tell
    digest: Any

    def folder(self, folder: Path, below: str, questions: Questions) -> Iterator[Cluster]:
        """Yield the clusters of a folder and of the folders in it.

        ``below`` is its path below the input. ``questions`` has the questions from topic files above it.
        """
        if sources.is_dataset_folder(folder):
            questions = {**questions, **self._questions(sources.entries_of(folder, _say_nothing)[0])}
            folder /= "docs"
        files, folders = sources.entries_of(folder, self.tell)
        for path in files:
            if path.name.endswith(storage.LINES):
                yield from _lines(str(path), self.tell, self.digest)
        if not files or sources.is_collection(files, folders):
            sources.warn_of_strays(files, self.tell)
            self._check_folders(folders, folder, below)
            questions = {**questions, **self._questions(files)}
            for each in folders:
                if each.resolve() == folder.resolve():  # other links that lead up lead out of the folder
                    self.tell(each, "a link back to a folder above it; left out")
                else:
                    yield from self.folder(each, f"{below}/{each.name}".lstrip("/"), questions)
            return
        for each in folders:
            self.tell(each, "a folder among documents; left out, name it to read it")
        documents = [path for path in files if not path.name.endswith(storage.LINES)]
        if documents:
            query = questions.get(folder.name.lower(), "")
            about = f"{below}\0{query}\n{''.join(map(_about, documents))}"
            self.digest.update(about.encode("utf-8", "surrogateescape"))
            yield Folder(storage.absolute(str(folder)), below, query)

    def _check_folders(self, folders: list[Path], folder: Path, below: str) -> None:
        if not folders and not below:
            raise InputError(str(folder), "an empty folder", "put text files into it")
        if not folders:
            self.tell(folder, "an empty folder; left out")

    def _questions(self, files: Sequence[Path]) -> Questions:
        with heard() if self.tell is _say_nothing else contextlib.nullcontext():
            return questions_among(files)


def _about(file: Path) -> str:
    try:
        stat = file.stat()
    except OSError:  # removed since the folder was listed
        raise _changed(str(file)) from None
    return f"{file.name}\0{stat.st_size}\0{stat.st_mtime_ns}\n"
