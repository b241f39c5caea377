"""Read clusters from paths: decide which files form a cluster, and which reader each file needs."""

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
from summc.documents.sentences import lacking_extra, left_out, own_name, split_cluster
from summc.documents.topics import Questions, is_topics_file, read_found_topics, warn_of_unused
from summc.documents.tree import LEADS_OUT, files_in, is_about_folder, is_archive, leads_out
from summc.errors import InputError, MissingExtraError, SettingError, SummcError
from summc.records import Cluster
from summc.system.inputs import STDIN, lines_in, not_found, opened, place_of, read_all, standard_input
from summc.text.languages import AUTO

log = logging.getLogger("summc")

#: Suffixes of files with a cluster on each line. Only ``summc batch`` reads the compressed files.
_LINES = (".jsonl", ".jsonl.gz", ".jsonl.zst")

OnError = Callable[[SummcError], None]
#: A function that reports that a path is left out; its second argument is the reason.
Tell = Callable[[Path | str, str], None]


def load(
    paths: Sequence[str | Path],
    *,
    encoding: str = "auto",
    language: str = AUTO,
    on_error: OnError | None = None,
) -> Iterator[Cluster]:
    """Yield the clusters at the given paths; ``language`` is a code, or ``auto`` to detect the language.

    A folder of documents is one cluster. A folder whose documents are all in subfolders is a collection, with
    one cluster for each subfolder (see ``is_collection``). All single files among the paths form one cluster
    together. A ``.jsonl`` file has one cluster on each line. ``-`` is standard input.

    A file among the paths that cannot be read raises an error. Such a file inside a folder is left out with a
    warning. Hidden files are ignored. A line that cannot be read and a cluster without text raise an error.
    With ``on_error``, the error is passed to ``on_error`` instead, and reading goes on with the next cluster.

    Documents in folders that cannot be read without the extra summc[documents], which is not installed, are
    left out. At the end there is one warning for all of them; with ``on_error``, one ``MissingExtraError``.
    """
    raw = raw_clusters([str(path) for path in paths], auto_for(encoding, language), on_error)
    return split_clusters(raw, language, on_error)


def split_clusters(
    clusters: Iterable[RawCluster], language: str, on_error: OnError | None = None
) -> Iterator[Cluster]:
    """Yield the clusters, split into sentences.

    A second cluster of the same name is renamed with a warning. A cluster without text raises an error, or
    the error is passed to ``on_error`` and the cluster is left out. Documents that need the extra
    summc[documents], which is not installed, are left out. At the end there is one warning for all of them;
    with ``on_error``, one ``MissingExtraError``.
    """
    taken: dict[str, int] = {}
    lacking: list[str] = []
    for raw in clusters:
        name = without_controls(raw.id)
        named = replace(raw, id=own_name(name, taken))
        if named.id != name:
            log.warning("%s: another cluster called %s; renamed to %s", raw.place, name, named.id)
        lacking += lacking_extra(raw)
        try:
            yield split_cluster(named, language)
        except SummcError as error:
            if on_error is None:
                raise
            # What to install is said once, at the end.
            on_error(
                InputError(error.place, error.problem) if isinstance(error, MissingExtraError) else error
            )
    if lacking and on_error:
        on_error(left_out(lacking))
    elif lacking:
        log.warning("%s", left_out(lacking))


def cluster_of_texts(
    texts: Sequence[str], *, names: Sequence[str] = (), id_: str = "texts", language: str = "en"
) -> Cluster:
    """Return a cluster whose documents are the given texts, split into sentences.

    ``names`` has the name of each document; the default names are "text 1", "text 2", ...
    """
    given = names or [f"text {number}" for number in range(1, len(texts) + 1)]
    documents = [RawDocument(name, paragraphs(text), name) for name, text in zip(given, texts, strict=True)]
    return split_cluster(RawCluster(id_, documents, "texts"), language)


def raw_clusters(paths: list[str], encoding: str, on_error: OnError | None = None) -> Iterator[RawCluster]:
    """Yield the clusters at the given paths, not split into sentences; raise an error if there are none.

    A line of JSON that cannot be read raises an error; with ``on_error``, the error is passed to ``on_error``
    instead, and reading goes on with the next line.
    """
    found = False

    def on_line(error: SummcError) -> None:
        nonlocal found
        found = True
        if on_error:
            on_error(error)

    for cluster in _clusters_in(paths, Reader(encoding, on_line if on_error else None)):
        found = True
        yield cluster
    if not found:
        problem = "no documents in it" if len(paths) == 1 else "no documents in any of these"
        raise InputError(place_of(paths[0]), problem, "put text files into it, or into docs/NAME/")


def _clusters_in(paths: list[str], reader: Reader) -> Iterator[RawCluster]:
    if paths.count(STDIN) > 1:
        raise SettingError(STDIN, "standard input named twice", "name it once")
    # Only the content of a file shows whether it is a document or JSON lines with clusters. So it is read now
    # and kept, because a pipe cannot be read twice.
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
        os.stat(path)  # noqa: PTH116 (for a plain string)
    except (FileNotFoundError, NotADirectoryError):
        raise not_found(path, "no such file or folder") from None
    except (OSError, ValueError) as error:
        raise InputError(path, f"cannot be read ({error})", "check the path and its permissions") from None
    return not os.path.isdir(path) and not path.endswith(".jsonl") and not is_archive(path)  # noqa: PTH112


def printable(name: str) -> str:
    """Return the name of a file in a form that can be printed: on one line, without bytes that are not UTF-8.

    Such a byte is replaced by U+FFFD.
    """
    return " ".join(os.fsencode(name).decode("utf-8", "replace").split())


def holds_json(path: str) -> bool:
    """Tell whether a file, or standard input, begins with a JSON object.

    Nothing is taken from standard input: it can still be read from its start.
    """
    if path == STDIN:
        return _begins_as_json(standard_input().peek(1))
    with opened(path) as stream:
        return _begins_as_json(stream.read(64))


def _begins_as_json(data: bytes) -> bool:
    return data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"


def read_text(path: str, encoding: str = "auto") -> str:
    """Return the decoded text of a file, or of standard input if the path is ``-``."""
    return decode(_read(path), place_of(path), encoding)


def _read(path: str) -> bytes:
    with opened(path) as stream:
        return read_all(stream, place_of(path))


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads clusters, not split into sentences, from files, folders and streams, all in one encoding.

    ``on_error`` is called with the error of each line of JSON that cannot be read; None to raise the error.
    ``seen`` has the folders that were read already. A link to such a folder is skipped, so that links in a
    circle cause no endless loop.
    """

    encoding: str
    on_error: OnError | None = None
    seen: set[str] = field(default_factory=set)

    def files(self, contents: dict[str, bytes]) -> RawCluster:
        """Return one cluster whose documents are in these files, given as path -> data.

        Its name is the name of the first file and the number of the other files, as in ``news+2``.
        """
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
        """Yield the clusters in a folder: one if it holds documents, one for each subfolder if these do.

        A folder in DUC's layout has the clusters in its folder ``docs``. ``name`` is the name to give to the
        cluster, or "" for the name of the folder.
        """
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
        """Yield the clusters in an archive; its files must be in DUC's layout."""
        clusters = read_dataset(files_in(path), self.encoding)
        if not clusters:
            problem = "no clusters in this archive"
            raise InputError(str(path), problem, "it must hold docs/<cluster>/<document>")
        yield from clusters

    def json_lines(self, stream: BinaryIO, place: str) -> Iterator[RawCluster]:
        """Yield the cluster in each line of JSON; blank lines are skipped.

        ``place`` is the path of the file for messages.
        """
        found = False

        def fail(error: InputError) -> None:
            nonlocal found
            found = True
            if self.on_error is None:
                raise error
            self.on_error(error)

        for number, line in enumerate(_lines(stream, place, self.encoding, fail), start=1):
            where = f"{place}:{number}"
            try:
                text = line if isinstance(line, str) else decode(line, where, self.encoding)
                cluster = parse_cluster(text, where) if text.strip() else None
            except InputError as error:
                fail(error)
                continue
            if cluster:
                found = True
                yield cluster
        if not found:
            raise InputError(place, "an empty file", "give one JSON object a line")

    def _collection(self, files: list[Path], folders: list[Path], name: str) -> Iterator[RawCluster]:
        """Yield the clusters in the subfolders of a collection; ``name`` is that of the collection, or "".

        If a topics file is among ``files``, the clusters get their questions from it.
        """
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
        """Return one cluster with the documents in these files of a folder.

        Its name is ``name``, or the name of the folder if ``name`` is "".
        """
        documents = [document for path in files for document in self._found(path)]
        return RawCluster(printable(name or folder.resolve().name), documents, str(folder))

    def _found(self, path: Path) -> list[RawDocument]:
        read = partial(_read, str(path))
        return read_found_documents(read, printable(path.name), str(path), self.encoding)


def _document_name(path: str) -> str:
    return "stdin" if path == STDIN else printable(Path(path).name)


def _lines(
    stream: BinaryIO, place: str, encoding: str, on_error: Callable[[InputError], None]
) -> Iterator[bytes | str]:
    """Yield the lines of a stream; ``on_error`` is called with the error of a line that is too long.

    ``place`` is the path of the stream for messages. The lines are bytes, to be decoded one by one. If line
    ends are not the byte 0x0A, as in UTF-16, the whole stream is decoded first, and the lines are text.
    """
    lines = lines_in(stream, place, on_error)
    first = next(lines, b"")
    if _ends_lines_otherwise(first, encoding):
        # Not str.splitlines: it would also split at characters such as U+2028, which a JSON text may contain.
        yield from decode(first + read_all(stream, place), place, encoding).split("\n")
        return
    yield from itertools.chain([first], lines) if first else ()


def _ends_lines_otherwise(first: bytes, encoding: str) -> bool:
    """Tell whether the lines of a file end in something other than the byte 0x0A, as in UTF-16.

    ``first`` is the first line as bytes; with the encoding ``auto``, its byte-order mark decides.
    """
    if is_auto(encoding):
        return first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    with contextlib.suppress(LookupError, UnicodeError):  # the error comes up again when lines are decoded
        return "\n".encode(encoding) != b"\n"
    return False


def warn(path: Path | str, problem: str) -> None:
    """Warn that a path is left out; ``problem`` says why."""
    log.warning("%s: %s", path, problem)


def is_collection(files: Sequence[Path], folders: Sequence[Path]) -> bool:
    """Tell whether a folder is a collection, that is, whether each of its subfolders is a cluster.

    ``files`` and ``folders`` are what the folder holds. It is a collection if none of its files is a
    document, and some subfolder holds a document, at any depth. These files are not documents: a README or
    similar file, a file of the operating system, a topics file, and any file that cannot be read as text. If
    the folder is not a collection, only its own files are read.
    """
    if any(path.name.endswith(_LINES) for path in files):
        return False
    with warnings_silenced():
        return not any(map(_is_document, files)) and any(map(_holds_documents, folders))


def _is_document(path: Path) -> bool:
    if is_about_folder(path.name) or is_topics_file(path.name):
        return False
    return _is_readable(path)


def _is_readable(path: Path) -> bool:
    found = read_found_documents(partial(_read, str(path)), path.name, str(path))
    return any(document.paragraphs or document.lacks_extra for document in found)


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
    """Report that the files beside the folders of a collection are left out; topics files are not.

    ``tell`` is called with the path of each file and the reason.
    """
    for path in files:
        if not is_topics_file(path.name):
            tell(path, "beside cluster folders, and not a document; left out")


def questions_among(files: Iterable[Path], encoding: str = "auto") -> Questions:
    """Return the questions in the topics files among the given files, by the name of their cluster."""
    questions: dict[str, str] = {}
    for path in files:
        if is_topics_file(path.name):
            questions |= read_found_topics(partial(_read, str(path)), str(path), encoding)
    return questions


@contextlib.contextmanager
def warnings_silenced() -> Iterator[None]:
    """Mute the warnings of this thread while files are only examined.

    No warning is lost: the same warnings are given when the files are read later.
    """
    thread = threading.get_ident()

    def is_heard(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log.addFilter(is_heard)
    try:
        yield
    finally:
        log.removeFilter(is_heard)


def entries_of(folder: Path, tell: Tell = warn) -> tuple[list[Path], list[Path]]:
    """Return the files and the folders in a folder, each sorted by name; hidden entries are ignored.

    Links that lead out of the folder, and entries such as pipes, are left out and reported with ``tell``.
    """
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise InputError(str(folder), f"cannot be read ({error.strerror})", "check its permissions") from None
    out = {entry for entry in entries if leads_out(entry, folder)}
    for entry in sorted(out):
        tell(entry, f"{LEADS_OUT}; left out")
    entries = [entry for entry in entries if entry not in out]
    files = [entry for entry in entries if os.path.isfile(entry)]  # noqa: PTH113 (never raises)
    folders = [entry for entry in entries if os.path.isdir(entry)]  # noqa: PTH112 (never raises)
    known = {*files, *folders}
    for entry in entries:
        if entry not in known:
            tell(entry, "neither file nor folder; left out")
    return files, folders
