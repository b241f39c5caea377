"""Find the clusters of the inputs, and read each of them.

The inputs are read twice: first to count their clusters and to compute a digest, then to work on them. So no
more clusters are in memory than are worked on.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from summc.batch import storage
from summc.documents.duc import Questions, questions_among
from summc.documents.jsonl import other_members, parse_cluster
from summc.documents.raw import RawCluster
from summc.documents.sources import LINES, Folder, is_dataset_folder, walk
from summc.errors import InputError, SettingError
from summc.system.inputs import STDIN, lines_in, not_found, warn
from summc.system.json_objects import parse_object


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line of a file; ``number`` counts from 1, and ``data`` is None if the line is too long to be read."""

    path: str
    number: int
    data: bytes | None

    def read(self, encoding: str) -> RawCluster:
        """Return the cluster; raise an error if it cannot be read."""
        return parse_cluster(self.data, f"{self.path}:{self.number}", encoding)

    def about(self) -> tuple[str, Mapping[str, Any]]:
        """Return the name of the cluster, and the members that summc does not use, as far as known."""
        try:
            record = parse_object(self.data or b"", "", "")
        except InputError:
            record = {}
        name = record.get("id")
        return str(name) if type(name) in (str, int) else f"line-{self.number}", other_members(record)


ClusterSource = JsonLine | Folder


@dataclass(frozen=True, slots=True)
class Input:
    """An input file, folder or URL, with its number of clusters and a digest of its content."""

    path: str
    clusters: int
    digest: str


def take_stock(path: str) -> Input:
    """Read an input, and return its number of clusters and its digest."""
    digest = hashlib.sha256()
    clusters = sum(1 for _ in _clusters(path, digest))
    if not clusters:
        raise InputError(path, "no clusters in it", "put text files or JSON lines into it")
    return Input(path, clusters, digest.hexdigest()[:16])


def read_again(source: Input) -> Iterator[ClusterSource]:
    """Yield the clusters of an input, as many as were counted; raise at the end if it has changed since."""
    digest = hashlib.sha256()
    clusters = _clusters(source.path, digest)
    yield from itertools.islice(clusters, source.clusters)
    if next(clusters, None) or digest.hexdigest()[:16] != source.digest:
        raise InputError(source.path, "changed while it was read", "start again in another folder")


def _clusters(path: str, digest: Any) -> Iterator[ClusterSource]:
    """Yield the clusters of an input, and update ``digest``, which changes if the input does."""
    if storage.is_remote(path):
        for url in storage.line_files(path):
            yield from _lines(url, digest)
    elif os.path.isdir(path):  # noqa: PTH112 (unlike Path's, it does not raise)
        yield from _folders(Path(path), "", {}, digest)
    elif os.path.isfile(path):  # noqa: PTH113 (the same)
        yield from _lines(path, digest)
    elif not path or path == STDIN or os.path.exists(path):  # noqa: PTH110 (the same)
        raise SettingError(path or "PATH", "cannot be read twice, as a batch has to", "name files or folders")
    else:
        raise not_found(path, "no such file or folder")


def _lines(path: str, digest: Any) -> Iterator[JsonLine]:
    """Yield each line of a file that is not blank."""
    is_first = True
    for number, line in enumerate(lines_in(storage.content(path, digest)), start=1):
        if line is not None and not line.strip():
            continue
        if is_first and line and not line.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
            remedy = 'give {"id": ..., "documents": [...]} a line, or a folder'
            raise InputError(path, "not JSON lines in UTF-8", remedy)
        is_first = False
        yield JsonLine(path, number, line and line.rstrip(b"\n"))
    if is_first:
        warn(path, "an empty file; left out")


def _folders(folder: Path, below: str, questions: Questions, digest: Any) -> Iterator[ClusterSource]:
    """Yield the clusters at and under a folder. ``below`` and ``questions`` are as in ``walk``."""
    for group in walk(folder, below=below, questions=questions):
        if is_dataset_folder(group.path):
            yield from _folders(group.path / "docs", group.below, questions_among(group.files), digest)
            continue
        documents = []
        for path in group.files:
            if path.name.endswith(LINES):
                yield from _lines(str(path), digest)
            else:
                documents.append(Path(storage.absolute(str(path))))
        if documents:
            about = f"{group.below}\0{group.query}\n{''.join(map(_about, documents))}"
            digest.update(about.encode("utf-8", "surrogateescape"))
            yield replace(group, path=documents[0].parent, files=documents)


def _about(file: Path) -> str:
    with contextlib.suppress(OSError):  # removed since it was listed, or locked: reading it will tell
        stat = file.stat()
        return f"{file.name}\0{stat.st_size}\0{stat.st_mtime_ns}\n"
    return ""
