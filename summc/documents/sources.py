"""Read clusters from paths: find which files belong together and which reader each needs."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from summc.documents.decoding import auto_for, decode, is_auto
from summc.documents.duc import is_dataset_folder, read_dataset
from summc.documents.jsonl import holds_clusters, parse_cluster
from summc.documents.paragraphs import paragraphs, without_controls
from summc.documents.plain import read_documents, read_found_documents
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.splitting import own_name, split_cluster
from summc.documents.strays import is_about_folder
from summc.documents.topics import Questions, is_topics_file, read_found_topics, warn_of_unused
from summc.documents.tree import LEADS_OUT, files_in, is_archive, leads_out
from summc.errors import InputError, NotFoundError, SettingError, SummcError
from summc.files.inputs import STDIN, lines_in, opened, place_of, read_all, standard_input
from summc.records import Cluster
from summc.text.languages import AUTO

log = logging.getLogger("summc")

#: Files with a cluster on each line; only ``summc batch`` reads the compressed ones.
_LINES = (".jsonl", ".jsonl.gz", ".jsonl.zst")

OnError = Callable[[SummcError], None]
#: A function that reports a path that is left out, and why.
Tell = Callable[[Path | str, str], None]


def load(
    paths: Sequence[str | Path],
    *,
    encoding: str = "auto",
    language: str = AUTO,
    on_error: OnError | None = None,
) -> Iterator[Cluster]:
    """Yield the clusters that paths name; ``language`` is a code, or ``auto`` to detect it.

    A folder of documents is one cluster. A folder whose documents are all in subfolders is a collection, with
    one cluster for each subfolder (see ``is_collection``). All files named together are one cluster. A
    ``.jsonl`` file has one cluster a line. ``-`` is standard input.

    A file that is named must be readable. A file found in a folder that cannot be read as text is left out
    with a warning; hidden files are ignored. A cluster without text raises an error, or passes the error to
    ``on_error`` and goes on with the next cluster.
    """
    raw = raw_clusters([str(path) for path in paths], auto_for(encoding, language))
    return split_clusters(raw, language, on_error)


def split_clusters(
    clusters: Iterable[RawCluster], language: str, on_error: OnError | None = None
) -> Iterator[Cluster]:
    """Yield clusters split into sentences; a second cluster of the same name is renamed."""
    taken: dict[str, int] = {}
    for raw in clusters:
        name = without_controls(raw.id)
        named = replace(raw, id=own_name(name, taken))
        if named.id != name:
            log.warning("%s: another cluster called %s; renamed to %s", raw.place, name, named.id)
        try:
            yield split_cluster(named, language)
        except SummcError as error:
            if on_error is None:
                raise
            on_error(error)


def cluster_of_texts(texts: Sequence[str], *, id_: str = "texts", language: str = "en") -> Cluster:
    """Return a cluster whose documents are the given texts."""
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise InputError("documents", "must be a list of texts", "write [text] for one")
    documents = [RawDocument(str(i), paragraphs(text), f"text {i}") for i, text in enumerate(texts)]
    return split_cluster(RawCluster(id_, documents, "texts"), language)


def raw_clusters(paths: list[str], encoding: str) -> Iterator[RawCluster]:
    """Yield the clusters that paths name, not yet split into sentences; raise an error if there are none."""
    found = False
    for cluster in _clusters_in(paths, encoding):
        found = True
        yield cluster
    if not found:
        problem = "no documents in it" if len(paths) == 1 else "no documents in any of these"
        raise InputError(place_of(paths[0]), problem, "put text files into it, or into docs/NAME/")


def _clusters_in(paths: list[str], encoding: str) -> Iterator[RawCluster]:
    reader = Reader(encoding)
    if paths.count(STDIN) > 1:
        raise SettingError(STDIN, "standard input named twice", "name it once")
    # Whether a file is a document or lines of clusters shows only in its content. It is read only once,
    # because a pipe cannot be read twice.
    contents = {path: _read(path) for path in paths if _is_single_file(path)}
    together = {path: data for path, data in contents.items() if not holds_clusters(data)}
    for path, times in Counter(paths).items():
        if times > 1 and path in together:
            log.warning("%s: named more than once; read once", place_of(path))
    pending = bool(together)
    for path in paths:
        if path in together:
            if pending:
                yield reader.files(together)
            pending = False
        elif path in contents:
            yield from reader.json_lines(io.BytesIO(contents[path]), place_of(path))
        elif os.path.isdir(path):  # noqa: PTH112 (unlike Path's, it does not raise)
            yield from reader.folder(Path(path))
        elif is_archive(path):
            yield from reader.archive(Path(path))
        else:
            with opened(path) as stream:
                yield from reader.json_lines(stream, path)


def _is_single_file(path: str) -> bool:
    if path == STDIN:
        return True
    if not path:
        raise SettingError("PATH", "is empty", "name a file or folder; a variable may not be set")
    try:
        os.stat(path)  # noqa: PTH116 (the same)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(path, "no such file or folder", "check the path") from None
    except (OSError, ValueError) as error:
        raise InputError(path, f"cannot be read ({error})", "check the path and its permissions") from None
    return not os.path.isdir(path) and not path.endswith(".jsonl") and not is_archive(path)  # noqa: PTH112


def printable(name: str) -> str:
    """Return the name of a file on one line, with bytes that are not UTF-8 replaced."""
    return " ".join(os.fsencode(name).decode("utf-8", "replace").split())


def holds_json(path: str) -> bool:
    """Tell whether a file, or standard input, begins as JSON does."""
    if path == STDIN:
        return _begins_as_json(standard_input().peek(1))
    with opened(path) as stream:
        return _begins_as_json(stream.read(64))


def _begins_as_json(data: bytes) -> bool:
    return data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"


def read_text(path: str, encoding: str = "auto") -> str:
    """Return the text of a file, or of standard input."""
    return decode(_read(path), place_of(path), encoding)


def _read(path: str) -> bytes:
    with opened(path) as stream:
        return read_all(stream, place_of(path))


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads raw clusters from files, folders and streams, all in one encoding.

    ``seen`` holds the folders already read, so that a link back to one does not cause an endless loop.
    """

    encoding: str
    seen: set[str] = field(default_factory=set)

    def files(self, contents: dict[str, bytes]) -> RawCluster:
        """Return one cluster of the files named together; it is named after the first."""
        first, *others = contents
        name, place = "stdin" if first == STDIN else printable(Path(first).stem), place_of(first)
        documents = [
            document
            for path, data in contents.items()
            for document in read_documents(data, _document_name(path), place_of(path), self.encoding)
        ]
        if not others:
            return RawCluster(name, documents, place)
        return RawCluster(f"{name}+{len(others)}", documents, f"{place} and {len(others)} more")

    def folder(self, folder: Path, name: str = "") -> Iterator[RawCluster]:
        """Yield the cluster, or the clusters, of a folder."""
        real = os.path.realpath(folder)
        if real in self.seen:
            log.warning("%s: a folder that was read already; left out", folder)
            return
        self.seen.add(real)
        files, folders = entries_of(folder)
        if is_dataset_folder(folder):
            known = {"docs", "models", *(path.name for path in files if is_topics_file(path.name))}
            others = [entry.name for entry in (*files, *folders) if entry.name not in known]
            if others:
                log.warning("%s: read as docs/ and models/; left out: %s", folder, ", ".join(others))
            yield from read_dataset(files_in(folder), self.encoding)
        elif files and not is_collection(files, folders):
            for below in folders:
                log.warning("%s: a folder among documents; left out, name it to read it", below)
            yield from self._folder_files(folder, files, name)
        elif folders:
            yield from self._collection(files, folders, name)
        else:
            raise InputError(str(folder), "an empty folder", "put text files into it")

    def archive(self, path: Path) -> Iterator[RawCluster]:
        """Yield the clusters of an archive in DUC's layout."""
        clusters = read_dataset(files_in(path), self.encoding)
        if not clusters:
            problem = "no clusters in this archive"
            raise InputError(str(path), problem, "it must hold docs/<cluster>/<document>")
        yield from clusters

    def json_lines(self, stream: BinaryIO, place: str) -> Iterator[RawCluster]:
        """Yield a cluster for each line that is not blank."""
        found = False
        for number, line in enumerate(_text_lines(stream, place, self.encoding), start=1):
            if line.strip():
                found = True
                yield parse_cluster(line, f"{place}:{number}")
        if not found:
            raise InputError(place, "an empty file", "give one JSON object a line")

    def _collection(self, files: list[Path], folders: list[Path], name: str) -> Iterator[RawCluster]:
        """Yield the clusters of folders, with the questions in a topics file beside them."""
        warn_of_strays(files)
        questions = questions_among(files, self.encoding)
        asked: list[str] = []
        for below in folders:
            for cluster in self._inner_folder(below, f"{name}/{below.name}" if name else below.name):
                asked.append(cluster.id.rpartition("/")[2])
                yield replace(cluster, query=cluster.query or questions.get(asked[-1].lower(), ""))
        for path in files if questions else ():
            if is_topics_file(path.name):
                warn_of_unused(questions, asked, str(path))

    def _inner_folder(self, folder: Path, name: str) -> Iterator[RawCluster]:
        try:
            yield from self.folder(folder, name)
        except InputError as error:
            if error.place != str(folder):
                raise
            log.warning("%s: %s; left out", error.place, error.problem)

    def _folder_files(self, folder: Path, files: list[Path], name: str) -> Iterator[RawCluster]:
        lines = [path for path in files if path.suffix == ".jsonl"]
        for path in lines:
            try:
                with opened(str(path)) as stream:
                    yield from self.json_lines(stream, str(path))
            except InputError as error:
                log.warning("%s: %s; left out from there on", error.place, error.problem)
        others = [path for path in files if path.suffix != ".jsonl"]
        cluster = self.documents_among(folder, others, name)
        if cluster.documents or not lines:
            yield cluster

    def documents_among(self, folder: Path, files: Sequence[Path], name: str = "") -> RawCluster:
        """Return the cluster of a folder, with these files as its documents."""
        documents = [document for path in files for document in self._found(path)]
        return RawCluster(printable(name or folder.resolve().name), documents, str(folder))

    def _found(self, path: Path) -> list[RawDocument]:
        read = partial(_read, str(path))
        return read_found_documents(read, printable(path.name), str(path), self.encoding)


def _document_name(path: str) -> str:
    return "stdin" if path == STDIN else printable(Path(path).name)


def _text_lines(stream: BinaryIO, place: str, encoding: str) -> Iterator[str]:
    """Yield the lines of a stream as text; a byte-order mark on the first decides the encoding of all."""
    lines = lines_in(stream, place)
    first = next(lines, b"")
    if _ends_lines_otherwise(first, encoding):
        # Not str.splitlines: it would also split at characters such as U+2028, which a JSON text may contain.
        yield from decode(first + read_all(stream, place), place, encoding).split("\n")
        return
    for number, line in enumerate(itertools.chain([first], lines) if first else (), start=1):
        yield decode(line, f"{place}:{number}", encoding)


def _ends_lines_otherwise(first: bytes, encoding: str) -> bool:
    """Tell whether lines of an encoding do not end in the byte 0x0A, as in UTF-16."""
    if is_auto(encoding):
        return first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    with contextlib.suppress(LookupError, UnicodeError):  # reported when the lines are decoded
        return "\n".encode(encoding) != b"\n"
    return False


def warn(path: Path | str, problem: str) -> None:
    """Warn that a path is left out."""
    log.warning("%s: %s", path, problem)


def is_collection(files: Sequence[Path], folders: Sequence[Path]) -> bool:
    """Tell whether a folder is a collection: its subfolders are clusters, and its own files no documents.

    It is one if some subfolder holds a document, at any depth, and none of its own files is a document. Files
    that do not count as documents are a README or the like, a system file, a topics file, and any file that
    cannot be read as text. If any other file is there, the folder is one cluster of its own files.
    """
    if any(path.name.endswith(_LINES) for path in files):
        return False
    with unheard():
        return not any(map(_is_document, files)) and any(map(_holds_documents, folders))


def _is_document(path: Path) -> bool:
    if is_about_folder(path.name) or is_topics_file(path.name):
        return False
    return _is_readable(path)


def _is_readable(path: Path) -> bool:
    found = read_found_documents(partial(_read, str(path)), path.name, str(path))
    return any(document.paragraphs for document in found)


def _holds_documents(folder: Path) -> bool:
    for below, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(below, name)
            if name.startswith(".") or leads_out(path, folder) or not path.is_file():
                continue
            if name.endswith(_LINES) or _is_readable(path):
                return True
    return False


def warn_of_strays(files: Iterable[Path], tell: Tell = warn) -> None:
    """Report the files beside cluster folders, all of which are left out except topics files."""
    for path in files:
        if not is_topics_file(path.name):
            tell(path, "beside cluster folders, and not a document; left out")


def questions_among(files: Iterable[Path], encoding: str = "auto") -> Questions:
    """Return the questions in those files that are topics files."""
    questions: dict[str, str] = {}
    for path in files:
        if is_topics_file(path.name):
            questions |= read_found_topics(partial(_read, str(path)), str(path), encoding)
    return questions


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Mute the warnings of this thread while files are only examined; reading them later warns again."""
    thread = threading.get_ident()

    def is_heard(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log.addFilter(is_heard)
    try:
        yield
    finally:
        log.removeFilter(is_heard)


def entries_of(folder: Path, tell: Tell = warn) -> tuple[list[Path], list[Path]]:
    """Return the files and the folders in a folder, sorted by name, without hidden ones."""
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise InputError(str(folder), f"cannot be read ({error.strerror})", "check its permissions") from None
    out = {entry for entry in entries if leads_out(entry, folder)}
    for entry in sorted(out):
        tell(entry, f"{LEADS_OUT}; left out")
    entries = [entry for entry in entries if entry not in out]
    files = [entry for entry in entries if os.path.isfile(entry)]  # noqa: PTH113 (the same)
    folders = [entry for entry in entries if os.path.isdir(entry)]  # noqa: PTH112 (the same)
    known = {*files, *folders}
    for entry in entries:
        if entry not in known:
            tell(entry, "neither file nor folder; left out")
    return files, folders
