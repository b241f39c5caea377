"""Paths to clusters: which files belong together, and which reader each is for."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from summc.documents.decoding import decode
from summc.documents.duc import is_dataset_folder, read_dataset
from summc.documents.jsonl import parse_cluster
from summc.documents.paragraphs import paragraphs
from summc.documents.plain import read_documents, read_found_documents
from summc.documents.raw import RawCluster, RawDocument, split_cluster
from summc.documents.tree import files_in, is_archive
from summc.errors import InputError, NotFoundError
from summc.records import Cluster

log = logging.getLogger("summc")

STDIN = "-"


def load(paths: Sequence[str | Path], *, encoding: str = "auto", language: str = "en") -> Iterator[Cluster]:
    """Yield the clusters that paths name.

    A folder that holds documents is one cluster; one that holds only folders is a cluster for each; the
    files named together are one cluster; a ``.jsonl`` file has one cluster a line; ``-`` is standard input.

    What is named must be readable. What is found in a folder and cannot be read as text is left out with
    a warning; hidden files are passed over.
    """
    for raw in raw_clusters([str(path) for path in paths], encoding):
        yield split_cluster(raw, language)


def cluster_of_texts(texts: Sequence[str], *, id_: str = "texts", language: str = "en") -> Cluster:
    """Return the cluster whose documents are the given texts."""
    documents = [RawDocument(str(i), paragraphs(text), f"text {i}") for i, text in enumerate(texts)]
    return split_cluster(RawCluster(id_, documents, "texts"), language)


def raw_clusters(paths: list[str], encoding: str) -> Iterator[RawCluster]:
    """Yield the clusters that paths name, not yet split into sentences."""
    reader = Reader(encoding)
    together = [path for path in paths if _is_document(path)]
    pending = bool(together)
    for path in paths:
        if path in together:
            if pending:
                yield reader.files(together)
            pending = False
        elif path == STDIN:
            yield from reader.json_lines(sys.stdin.buffer, _place(path))
        elif Path(path).is_dir():
            yield from reader.folder(Path(path))
        elif is_archive(path):
            yield from reader.archive(Path(path))
        else:
            with _opened(Path(path)) as stream:
                yield from reader.json_lines(stream, path)


def _is_document(path: str) -> bool:
    if path == STDIN:
        return not holds_json(path)
    if not Path(path).exists():
        raise NotFoundError(path, "no such file or folder", "check the path")
    return not Path(path).is_dir() and not path.endswith(".jsonl") and not is_archive(path)


def _place(path: str) -> str:
    return "standard input" if path == STDIN else path


def printable(name: str) -> str:
    """Return the name of a file with whatever in it is not UTF-8 replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def holds_json(path: str) -> bool:
    """Tell whether a file, or standard input, begins as JSON does."""
    if path == STDIN:
        return cast("BufferedReader", sys.stdin.buffer).peek(1)[:1] == b"{"
    with _opened(Path(path)) as stream:
        return stream.read(1) == b"{"


def read_text(path: str, encoding: str = "auto") -> str:
    """Return the text of a file, or of standard input."""
    return decode(_read(path), _place(path), encoding)


def _read(path: str) -> bytes:
    if path == STDIN:
        return sys.stdin.buffer.read()
    with _opened(Path(path)) as stream:
        return stream.read()


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise NotFoundError(str(path), "no such file", "check the path") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", "check its permissions") from None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads raw clusters from files, folders and streams, with one rule for their encoding."""

    encoding: str

    def files(self, paths: list[str]) -> RawCluster:
        """Return the one cluster of the files named together; it is called after the first."""
        first = "stdin" if paths[0] == STDIN else printable(Path(paths[0]).stem)
        more = len(paths) - 1
        documents = [document for path in paths for document in self._documents(path)]
        place = f"{_place(paths[0])} and {more} more" if more else _place(paths[0])
        return RawCluster(f"{first}+{more}" if more else first, documents, place)

    def folder(self, folder: Path, name: str = "") -> Iterator[RawCluster]:
        """Yield the cluster, or the clusters, of a folder."""
        if is_dataset_folder(folder):
            yield from read_dataset(files_in(folder), self.encoding)
            return
        files, folders = _entries(folder)
        if files:
            for below in folders:
                log.warning("%s: a folder among documents; left out, name it to read it", below)
            yield from self._folder_files(folder, files, name)
        elif folders:
            for below in folders:
                yield from self._inner_folder(below, f"{name}/{below.name}" if name else below.name)
        else:
            raise InputError(str(folder), "an empty folder", "put text files into it")

    def archive(self, path: Path) -> Iterator[RawCluster]:
        """Yield the clusters of an archive in DUC's layout."""
        clusters = read_dataset(files_in(path), self.encoding)
        if not clusters:
            raise InputError(
                str(path), "no clusters in this archive", "it must hold docs/<cluster>/<document>"
            )
        yield from clusters

    def json_lines(self, stream: BinaryIO, place: str) -> Iterator[RawCluster]:
        """Yield a cluster for each line that is not blank."""
        found = False
        for number, line in enumerate(stream, start=1):
            text = decode(
                line, f"{place}:{number}", "utf-8-sig" if self.encoding == "auto" else self.encoding
            )
            if text.strip():
                found = True
                yield parse_cluster(text, f"{place}:{number}")
        if not found:
            raise InputError(place, "an empty file", "give one JSON object a line")

    def _inner_folder(self, folder: Path, name: str) -> Iterator[RawCluster]:
        try:
            yield from self.folder(folder, name)
        except InputError as error:
            if error.place != str(folder):
                raise
            log.warning("%s: %s; left out", error.place, error.problem)

    def _folder_files(self, folder: Path, files: list[Path], name: str) -> Iterator[RawCluster]:
        documents: list[RawDocument] = []
        for path in files:
            if path.suffix == ".jsonl":
                with _opened(path) as stream:
                    yield from self.json_lines(stream, str(path))
                continue
            documents.extend(
                read_found_documents(
                    partial(_read, str(path)), printable(path.name), str(path), self.encoding
                )
            )
        if documents or not any(path.suffix == ".jsonl" for path in files):
            yield RawCluster(printable(name or folder.resolve().name), documents, str(folder))

    def _documents(self, path: str) -> list[RawDocument]:
        name = "stdin" if path == STDIN else printable(Path(path).name)
        return read_documents(_read(path), name, _place(path), self.encoding)


def _entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files and the folders in a folder, by name; hidden ones are passed over."""
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise InputError(str(folder), f"cannot be read ({error.strerror})", "check its permissions") from None
    for entry in entries:
        if not entry.is_file() and not entry.is_dir():
            log.warning("%s: neither file nor folder; left out", entry)
    return [e for e in entries if e.is_file()], [e for e in entries if e.is_dir()]
