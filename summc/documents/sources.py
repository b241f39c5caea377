"""Read clusters from paths: decide which files form a cluster, and which reader each file needs."""

from __future__ import annotations

import codecs
import io
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from summc.documents.decoding import auto_for, decode
from summc.documents.formats import read_documents, try_read_documents
from summc.documents.formats.sgml import is_topics_file
from summc.documents.jsonl import holds_clusters, parse_cluster
from summc.documents.paragraphs import without_controls
from summc.documents.plain import plain_document
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.sentences import left_out, split_cluster, unique_name, warn_of_repetitions
from summc.errors import InputError, MissingExtraError, SettingError, SummcError
from summc.records import Cluster
from summc.system import inputs
from summc.system.inputs import STDIN, entries_of, opened, place_of, read_all, read_file, warn
from summc.system.logs import captured_logs, log
from summc.text.languages import AUTO

#: Names of files that are about the other files of a collection.
_ABOUT = re.compile(
    r"(?i)[\d\W_]*read[\W_]?me(?![a-z]).*|(?:licen[cs]e|copying|copyright|notice|changelog|authors)(?:\.\w+)?"
)

OnError = Callable[[SummcError], None] | None

#: Suffixes of files with a cluster on each line. Only ``summc batch`` reads Zstandard.
LINES = (".jsonl", ".jsonl.gz", ".jsonl.zst")


def load(
    paths: Sequence[str | Path], *, encoding: str = "auto", language: str = AUTO, split: str = "sentences",
    on_error: OnError = None,
) -> Iterator[Cluster]:  # fmt: skip
    """Yield the clusters at the given paths; ``language`` is a code, or ``auto`` to detect the language.

    A folder of documents is one cluster, and a collection (see ``is_collection``) has one for each subfolder.
    All single files form one cluster together. A ``.jsonl`` file has one on each line. ``-`` is standard
    input.

    A named file that cannot be read raises an error; inside a folder it is left out with a warning. A line
    that cannot be read and a cluster without text raise an error, or ``on_error`` gets it and reading goes
    on.
    """
    raw = raw_clusters(list(map(str, paths)), auto_for(encoding, language), on_error)
    return split_clusters(raw, language, split, on_error)


def split_clusters(
    clusters: Iterable[RawCluster], language: str, split: str = "sentences", on_error: OnError = None
) -> Iterator[Cluster]:
    """Yield the clusters, split into sentences; a second cluster of the same name is renamed.

    ``split`` is as in ``split_cluster``, and ``on_error`` as in ``load``. All documents that need the missing
    extra summc[documents] are reported together at the end, by one warning or one ``MissingExtraError``. So
    are documents that repeat another.
    """
    taken: dict[str, int] = {}
    lacking, repeated = list[str](), list[tuple[str, str]]()
    for raw in clusters:
        name = without_controls(raw.id)
        named = replace(raw, id=unique_name(name, taken))
        if named.id != name:
            log.warning("%s: another cluster called %s; renamed to %s", raw.place, name, named.id)
        try:
            yield split_cluster(named, language, lacking, split, repeated)
        except SummcError as error:
            if on_error is None:
                raise
            # The missing extra is reported once, at the end.
            lacks = isinstance(error, MissingExtraError)
            on_error(InputError(error.place, error.problem) if lacks else error)
    warn_of_repetitions(repeated)
    if lacking and on_error:
        on_error(left_out(lacking))
    elif lacking:
        log.warning("%s", left_out(lacking))


def cluster_of_texts(
    texts: Sequence[str], *, names: Sequence[str] = (), id_: str = "texts", language: str = "en",
    split: str = "sentences",
) -> Cluster:  # fmt: skip
    """Return a cluster whose documents are the given texts, called ``names`` or "text 1", "text 2", ..."""
    document_names = names or [f"text {number}" for number in range(1, len(texts) + 1)]
    whole = map(inputs.whole_characters, texts)
    documents = [plain_document(name, text, name) for name, text in zip(document_names, whole, strict=True)]
    return split_cluster(RawCluster(id_, documents, "texts"), language, [], split)


def raw_clusters(paths: list[str], encoding: str, on_error: OnError = None) -> Iterator[RawCluster]:
    """Yield the clusters at the given paths, not split into sentences; raise an error if there are none."""
    reader, has_clusters = Reader(encoding, on_error), False
    for cluster in reader.clusters_in(list(dict.fromkeys(paths))):  # a path that is named twice is read once
        has_clusters = True
        yield cluster
    if not has_clusters and not reader.failures:
        problem = "no documents in it" if len(paths) == 1 else "no documents in any of these"
        raise InputError(place_of(paths[0]), problem, "put text files into it, or into docs/NAME/")


def _is_single_file(path: str) -> bool:
    if path == STDIN:
        return True
    if not path:
        raise SettingError("PATH", "is empty", "name a file or folder; a variable may not be set")
    if not os.path.exists(path):  # noqa: PTH110 (unlike Path's, it does not raise)
        raise inputs.not_found(path, "no such file or folder")
    return not os.path.isdir(path) and not path.endswith(".jsonl") and not inputs.is_archive(path)  # noqa: PTH112 (the same)


def printable(name: str) -> str:
    """Return the name of a file on one line; bytes that are not UTF-8 are replaced by U+FFFD."""
    return " ".join(os.fsencode(name).decode("utf-8", "replace").split())


def read_text(path: str, encoding: str = "auto") -> str:
    """Return the decoded text of a file, or of standard input if the path is ``-``."""
    return decode(read_file(path), place_of(path), encoding)


@dataclass(slots=True)
class Reader:
    """Reads clusters, not split into sentences, from files, folders and streams, all in one encoding.

    ``failures`` counts the lines of JSON that cannot be read.
    """

    encoding: str
    on_error: OnError = None
    failures: int = 0

    def clusters_in(self, paths: Sequence[str]) -> Iterator[RawCluster]:
        """Yield the clusters at the given paths; all single files are one cluster."""
        # Only the content of a file shows whether it is a document or JSON lines with clusters. So it is read
        # now.
        documents: dict[str, bytes] = {}
        of_lines: dict[str, bytes] = {}
        for path in paths:
            if _is_single_file(path):
                data = read_file(path)
                (of_lines if holds_clusters(data) else documents)[path] = data
        for path in paths:
            if path in documents:
                if path == next(iter(documents)):
                    yield self._files(documents)
            elif path in of_lines:
                yield from self.json_lines(io.BytesIO(of_lines[path]), place_of(path))
            elif os.path.isdir(path):  # noqa: PTH112 (unlike Path's, it does not raise)
                for folder in walk(Path(path), self.encoding):
                    is_dataset = is_dataset_folder(folder.path)
                    yield from self._dataset(folder.path) if is_dataset else self._folder(folder)
            elif inputs.is_archive(path):
                yield from self._dataset(Path(path))
            else:
                with opened(path) as stream:
                    yield from self.json_lines(stream, path)

    def _files(self, contents: dict[str, bytes]) -> RawCluster:
        """Return one cluster, such as ``news+2``, with the documents in these files (path -> data)."""
        documents: list[RawDocument] = []
        for path, data in contents.items():
            name = "stdin" if path == STDIN else printable(Path(path).name)
            documents += read_documents(data, name, place_of(path), self.encoding)
        first, *more = contents
        name, place = "stdin" if first == STDIN else printable(Path(first).stem), place_of(first)
        if not more:
            return RawCluster(name, documents, place)
        return RawCluster(f"{name}+{len(more)}", documents, f"{place} and {len(more)} more")

    def _dataset(self, path: Path) -> Iterator[RawCluster]:
        """Yield the clusters in a folder or an archive in DUC's layout."""
        from summc.documents.duc import read_dataset  # noqa: PLC0415 (few runs read archives)
        from summc.documents.tree import files_in  # noqa: PLC0415 (the same)

        clusters = read_dataset(files_in(path), self.encoding)
        if not clusters and path.is_file():
            problem = "no clusters in this archive"
            raise InputError(str(path), problem, "it must hold docs/<cluster>/<document>")
        yield from clusters

    def json_lines(self, stream: io.BufferedIOBase, place: str) -> Iterator[RawCluster]:
        """Yield the cluster in each line of JSON; blank lines are skipped."""
        has_clusters, failures = False, self.failures
        for number, line in enumerate(self._lines(stream, place), start=1):
            if line is not None and not line.strip():
                continue
            try:
                cluster = parse_cluster(line, f"{place}:{number}", self.encoding)
            except InputError as error:
                self.failures += 1
                if self.on_error is None:
                    raise
                self.on_error(error)
            else:
                has_clusters = True
                yield cluster
        if not has_clusters and self.failures == failures:
            raise InputError(place, "an empty file", "give one JSON object a line")

    def _lines(self, stream: io.BufferedIOBase, place: str) -> Iterator[bytes | str | None]:
        """Yield the lines of a stream as bytes, to be decoded one by one.

        In UTF-16 the byte 0x0A is no line end, so the whole stream is decoded first.
        """
        chunks = inputs.chunks_in(stream, place)
        first = next(chunks, b"")
        if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            # Not str.splitlines: it would also split at characters such as U+2028, which JSON may contain.
            yield from decode(first + read_all(stream, place), place, self.encoding).split("\n")
        else:
            yield from inputs.lines_in(itertools.chain([first], chunks))

    def _folder(self, folder: Folder) -> Iterator[RawCluster]:
        """Yield the clusters in the files of JSON lines in a folder, and the cluster of its documents."""
        document_files: list[Path] = []
        for path in folder.files:
            if not path.name.endswith((".jsonl", ".jsonl.gz")):
                document_files.append(path)
                continue
            try:
                is_packed = path.suffix == ".gz"
                with io.BytesIO(read_file(str(path))) if is_packed else opened(str(path)) as stream:
                    yield from self.json_lines(stream, str(path))
            except InputError as error:
                log.warning("%s: %s; left out from there on", error.place, error.problem)
        cluster = replace(folder, files=document_files).read(self.encoding)
        if cluster.documents or len(document_files) == len(folder.files):
            yield cluster


# Folders: which entries are read, and whether the files or the subfolders hold the documents


def is_dataset_folder(folder: Path) -> bool:
    """Tell whether a folder is in DUC's layout: it holds the folders ``docs`` and ``models``."""
    return os.path.isdir(folder / "docs") and os.path.isdir(folder / "models")  # noqa: PTH112 (never raises)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with clusters that are not read yet: a data set, or documents and JSON lines.

    ``name`` is the name of the cluster of its documents, ``below`` its path below the folder that the user
    named, and ``query`` the question in a topics file, or "".
    """

    name: str
    path: Path
    below: str
    files: Sequence[Path]
    query: str

    def about(self) -> tuple[str, Mapping[str, Any]]:
        """Return the name of the cluster of its documents, and no members: only JSON lines have them."""
        return self.name, {}

    def read(self, encoding: str) -> RawCluster:
        """Return the cluster of its documents; an unreadable document is left out with a warning."""
        documents: list[RawDocument] = []
        for path in self.files:
            read, place = partial(read_file, str(path)), str(path)
            documents += try_read_documents(read, printable(path.name), place, encoding)
        return RawCluster(self.name, documents, str(self.path), query=self.query)


def walk(
    folder: Path, encoding: str = "auto", below: str = "", questions: Mapping[str, str] | None = None
) -> Iterator[Folder]:
    """Yield a folder, or the folders below it if it is a collection.

    ``below`` is as in ``Folder``, and ``questions`` are from the topics files above. An empty or unreadable
    folder raises an error; in a collection it is left out with a warning.
    """
    questions = questions or {}
    files, folders = entries_of(folder, folder)
    if not files and not folders:
        raise InputError(str(folder), "an empty folder", "put text files into it")
    if is_dataset_folder(folder):
        names = [entry.name for entry in (*files, *folders) if not is_topics_file(entry.name)]
        if ignored := [name for name in names if name not in ("docs", "models")]:
            warn(folder, f"read as docs/ and models/; left out: {', '.join(ignored)}")
    elif not files or is_collection(files, folders):
        yield from _collection(files, folders, encoding, below, questions)
        return
    else:
        for subfolder in folders:
            warn(subfolder, "a folder among documents; left out, name it to read it")
    name = printable(below or folder.resolve().name)
    yield Folder(name, folder, below, files, questions.get(folder.name.lower(), ""))


def _collection(
    files: list[Path], folders: list[Path], encoding: str, below: str, questions: Mapping[str, str]
) -> Iterator[Folder]:
    from summc.documents.duc import questions_among, warn_of_unused  # noqa: PLC0415 (few have questions)

    topics = [path for path in files if is_topics_file(path.name)]
    for path in files:
        if path not in topics:
            warn(path, "beside cluster folders, and not a document; left out")
    new_questions = questions_among(topics, encoding)
    all_questions, unused = {**questions, **new_questions}, dict(new_questions)
    for subfolder in folders:
        try:
            for folder in walk(subfolder, encoding, f"{below}/{subfolder.name}".lstrip("/"), all_questions):
                unused.pop(folder.path.name.lower(), "")
                yield folder
        except InputError as error:
            warn(error.place, f"{error.problem}; left out")
    for path in topics:
        warn_of_unused(unused, (), str(path))


def is_collection(files: Sequence[Path], folders: Sequence[Path]) -> bool:
    """Tell whether a folder with these files and subfolders is a collection: each subfolder is a cluster.

    None of its files may be a document, apart from a README or a topics file, and some subfolder must hold a
    document, at any depth.
    """
    if not folders or any(path.name.endswith(LINES) for path in files):
        return False
    with captured_logs():  # warnings come when the files are read
        below = (path for folder in folders for path in inputs.files_below(folder, folder))
        has_documents = any(path.name.endswith(LINES) or _is_readable(path) for path in below)
        return has_documents and not any(map(_is_document, files))


def _is_document(path: Path) -> bool:
    return not _ABOUT.fullmatch(path.name) and not is_topics_file(path.name) and _is_readable(path)


def _is_readable(path: Path) -> bool:
    documents = try_read_documents(partial(read_file, str(path)), path.name, str(path))
    return any(document.blocks or document.lacks_extra for document in documents)
