"""Work on one part: summarize its clusters, and write the part's file.

The file has a line for each cluster, with its summary or with its error.
"""

from __future__ import annotations

import io
import json
import logging
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from summc.batch import storage
from summc.batch.manifest import libraries as libraries_here
from summc.batch.plan import Folder, Lines, LongLine, Part, changed, documents_in
from summc.documents.decoding import auto_for, decode
from summc.documents.jsonl import other_members, parse_cluster
from summc.documents.raw import RawCluster
from summc.documents.sentences import lacking_extra, split_cluster
from summc.documents.sources import Reader, printable
from summc.errors import InputError, InternalError, SettingError, SummcError, as_typed, is_lack_of_memory
from summc.method import read_background, summarize
from summc.records import TokenizedCluster
from summc.report.summaries import passed_on, summary_object
from summc.settings.config import Config
from summc.system.inputs import too_long
from summc.system.json_objects import dump, parse_object
from summc.text.languages import asked_language

Line = dict[str, Any]

_LOG = logging.getLogger("summc")


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to know about a run; it is the same for all parts.

    Attributes:
        config: the settings.
        output: the output folder.
        width: the number of digits in the name of a part.
        libraries: the library versions that a worker must have too (``manifest.libraries``).
        base: the folder that relative paths start from, since a worker may run in another folder.
        key: a text that identifies the run, since a worker may serve several runs.
    """

    config: Config
    output: str
    width: int
    libraries: Mapping[str, str]
    base: str
    key: str


@dataclass(frozen=True, slots=True)
class Done:
    """A written part: its index, how many clusters it has, how many of them failed, and the warnings.

    ``left_out`` has the places of the documents that were left out for lack of an extra of summc.
    """

    index: int
    clusters: int
    failed: int
    warnings: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def part_name(index: int, width: int) -> str:
    """Return the file name of a part, such as ``part-00007.jsonl``; ``width`` is the number of digits."""
    return f"part-{index:0{width}}.jsonl"


def do_part(job: Job, part: Part) -> Done:
    """Summarize each cluster of a part by itself, and write the part's file, whole or not at all."""
    _check_libraries(job.libraries)
    left_out: list[str] = []
    with _heard() as warnings:
        lines = [_line(source, job, left_out) for source in _sources(part, job)]
    data = "".join(f"{dump(line)}\n" for line in lines).encode("utf-8")
    storage.put(storage.join(job.output, part_name(part.index, job.width)), data)
    return Done(
        part.index, len(lines), sum("error" in line for line in lines), tuple(warnings), tuple(left_out)
    )


def count_failed(data: bytes, clusters: int) -> int | None:
    """Return the number of clusters without a summary in the content of a part's file.

    Return None if the content is not a whole line for each of its ``clusters``.
    """
    *lines, rest = data.split(b"\n")
    if rest or len(lines) != clusters:
        return None
    try:
        return sum(b'"error": {' in line and "error" in json.loads(line) for line in lines)
    except ValueError:
        return None


def _line(source: _Source, job: Job, left_out: list[str]) -> Line:
    """Return the output line of a cluster: its summary, or its error if it has none.

    The places of documents that lack an extra of summc are appended to ``left_out``.
    """
    try:
        raw = source.read()
        left_out += lacking_extra(raw)
        cluster = split_cluster(raw, asked_language(job.config.load.language))
        background = _background(job, cluster.language)
        # A boosted or ignored word may occur in another cluster, so do not warn.
        (result,) = summarize([cluster], job.config, background=background, warns_of_words=False)
    except SummcError as error:
        return _failure(source, error)
    except Exception as error:  # noqa: BLE001 (one cluster must not end a run of a million)
        if is_lack_of_memory(error):  # not the cluster's fault, so do not record it as failed
            remedy = f"give more memory, or fewer {as_typed('jobs')}, and start it again"
            raise InternalError(source.name(), "out of memory", remedy) from None
        remedy = f"run {as_typed('summc.summarize')} on it and report it"
        return _failure(source, InternalError("internal", f"{type(error).__name__}: {error}", remedy))
    return _failure(source, result) if isinstance(result, SummcError) else summary_object(result)


def _failure(source: _Source, error: SummcError) -> Line:
    about = {
        "code": error.exit_code, "place": error.place, "problem": error.problem, "remedy": error.remedy
    }  # fmt: skip
    # The message may quote characters that UTF-8 cannot encode.
    record = {"id": source.name(), "error": about, **passed_on(source.members())}
    text = dump(record).encode("utf-8", "replace").decode("utf-8")
    line: Line = json.loads(text)
    return line


# Reading


class _Source(Protocol):
    def read(self) -> RawCluster:
        """Return the cluster; raise ``SummcError`` if it cannot be read."""

    def name(self) -> str:
        """Return the name of the cluster, even if the cluster cannot be read."""

    def members(self) -> Mapping[str, Any]:
        """Return the members of the cluster's JSON line that summc does not use; {} without valid JSON."""


def _sources(part: Part, job: Job) -> Iterator[_Source]:
    encoding = auto_for(job.config.load.encoding, asked_language(job.config.load.language))
    for piece in part.pieces:
        if isinstance(piece, LongLine):
            yield _LongLineSource(piece)
        elif isinstance(piece, Folder):
            yield _FolderSource(replace(piece, path=storage.absolute(piece.path, job.base)), encoding)
        else:
            for number, line in enumerate(_data(piece, job.base).split(b"\n"), start=piece.number):
                if line.strip():
                    yield _LineSource(line, piece.path, number, encoding)


@dataclass(frozen=True, slots=True)
class _FolderSource:
    folder: Folder
    encoding: str

    def read(self) -> RawCluster:
        path = Path(self.folder.path)
        cluster = Reader(self.encoding).documents_among(path, documents_in(path), self.folder.name)
        return replace(cluster, query=self.folder.query)

    def name(self) -> str:
        return printable(self.folder.name or Path(self.folder.path).resolve().name)

    def members(self) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class _LineSource:
    line: bytes
    path: str
    number: int
    encoding: str

    def read(self) -> RawCluster:
        place = f"{self.path}:{self.number}"
        return parse_cluster(decode(self.line, place, self.encoding), place)

    def name(self) -> str:
        try:
            named = json.loads(self.line).get("id")
        except (ValueError, AttributeError, RecursionError):
            named = None
        is_name = isinstance(named, str | int) and not isinstance(named, bool)
        return str(named) if is_name else f"line-{self.number}"

    def members(self) -> Mapping[str, Any]:
        try:
            return other_members(parse_object(self.line, "", ""))
        except InputError:
            return {}


@dataclass(frozen=True, slots=True)
class _LongLineSource:
    line: LongLine

    def read(self) -> RawCluster:
        raise too_long(f"{self.line.path}:{self.line.number}", self.line.most)

    def name(self) -> str:
        return f"line-{self.line.number}"

    def members(self) -> Mapping[str, Any]:
        return {}


def _data(piece: Lines, base: str) -> bytes:
    if piece.data is not None:
        return piece.data
    data = storage.read_range(storage.absolute(piece.path, base), piece.start, piece.size)
    check = 0
    for line in io.BytesIO(data):
        check = zlib.crc32(line, check) if line.strip() else check
    if check != piece.check:
        raise changed(piece.path)
    return data


# State of a worker


#: (run, language) -> the background clusters that this process has read for them, so that it reads them once.
_BACKGROUNDS: dict[tuple[str, str], list[TokenizedCluster]] = {}


def _background(job: Job, language: str) -> list[TokenizedCluster]:
    if not job.config.weigh.background:
        return []
    found = _BACKGROUNDS.get((job.key, language))
    if found is None:  # not read yet, or removed by a thread that serves another run
        for other in list(_BACKGROUNDS):
            if other[0] != job.key:
                _BACKGROUNDS.pop(other, None)
        found = _BACKGROUNDS[job.key, language] = read_background(job.config, language)
    return found


def _check_libraries(libraries: Mapping[str, str]) -> None:
    here = libraries_here()
    for library, wanted in libraries.items():
        if here.get(library) != wanted:
            problem = f"a worker has {library} {here.get(library)}, and here it is {wanted}"
            raise SettingError(as_typed("scheduler"), problem, "make it the same everywhere")


@contextmanager
def _heard() -> Iterator[list[str]]:
    """Collect the log messages of this thread in a list; the main process shows them later."""
    heard: list[str] = []
    thread = threading.get_ident()

    def hear(record: logging.LogRecord) -> bool:
        if record.thread != thread:
            return True
        heard.append(record.getMessage())
        return False

    _LOG.addFilter(hear)
    try:
        yield heard
    finally:
        _LOG.removeFilter(hear)
