"""Read data sets in DUC's layout: clusters of documents, references (summaries by people), and questions.

Documents are in ``docs/<cluster>/<docno>`` and references in ``models/<SET>.M.<words>.<selector>.<writer>``.
Both may be in a folder, in the folders that NIST ships, or in NIST's archives. The letter ``<selector>``
belongs to the name of the cluster: ``D30001.M.100.T.A`` is a reference of cluster ``d30001t``, and
``D0601.M.250.A.A`` is one of ``D0601A``. References are HTML in 2003 and plain text in later years. A topics
file, such as ``duc2006_topics.sgml``, has the question of each cluster.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from summc.documents.plain import read_found_documents
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.references import RawReference, read_reference
from summc.documents.topics import Questions, is_topics_file, read_found_topics, warn_of_unused
from summc.documents.tree import TreeFile


@dataclass(frozen=True, slots=True)
class Edition:
    """The data set of one year of DUC, and how to recognize its files.

    ``clusters`` matches the names of its clusters. ``words`` is the length of its references, as written in
    their file names. ``tasks`` are the numbers of its tasks: files in the folder of another task, such as
    ``task4``, do not belong to the data set.
    """

    year: str
    clusters: re.Pattern[str]
    words: str
    tasks: tuple[str, ...] = ("2",)
    has_questions: bool = False


def _named(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


#: The name of a data set -> how to recognize its files. Of 2003, task 2 (news clusters) and task 3 (TREC
#: clusters) are read. Task 1 asks for headlines, and task 4 has other documents
#: (https://duc.nist.gov/duc2003/tasks.html).
EDITIONS: Mapping[str, Edition] = {
    "duc2003": Edition("2003", _named(r"d(?:\d{5}t|\d{3}[a-z])"), "100", ("2", "3")),
    "duc2004": Edition("2004", _named(r"d\d+t"), "100"),
    "duc2005": Edition("2005", _named(r"d\d{3}[a-z]"), "250", has_questions=True),
    "duc2006": Edition("2006", _named(r"d06\d\d[a-z]"), "250", has_questions=True),
    "duc2007": Edition("2007", _named(r"d07\d\d[a-z]"), "250", has_questions=True),
}

_DOCUMENT = re.compile(r"(?:^|/)(?:docs/(?P<own>[^/]+)|(?P<duc>[dD]\d{3,}[a-zA-Z]))/(?P<docno>[^/]+)$")
_REFERENCE = re.compile(r"(?:^|/)(?:[^/]*[_.-])?models/(?:(?P<task>\d+)/)?(?P<name>[^/]+)$")
_SUMMARY_NAME = re.compile(
    r"(?P<set>[^.]+)\.M\.(?P<words>\d+)\.(?P<selector>[A-Z])\.(?P<writer>\w+)(?:\.html?)?", re.IGNORECASE
)
_DUCS_NAME = re.compile(r"[^.]+\.(?P<kind>[A-Z])\.(?P<words>\d+)\.", re.IGNORECASE)
_HTML = re.compile(r"\.html?$", re.IGNORECASE)
_TASK_FOLDER = re.compile(r"(?:^|/)task(\d)(?![\da-z])", re.IGNORECASE)
_YEAR = re.compile(r"duc[-_ ]?(20\d\d)", re.IGNORECASE)
#: Files of the update task of 2007, which are skipped. They have the same names as the files of the main task
#: and are in the same folders.
_UPDATE_TASK = re.compile(r"(?:^|/)[^/]*update", re.IGNORECASE)
#: Folders of the update task, for data that is not read as one year's edition. Nothing below ``docs/`` is
#: skipped, because a cluster may have any name, also "update".
_UPDATE_FOLDER = re.compile(r"(?:(?!docs/)[^/]+/)*update(?:eval[^/]*)?/", re.IGNORECASE)
#: Folders with results of the evaluation. They are skipped: their subfolders may have the names of clusters,
#: but hold no documents.
_EVALUATION = re.compile(r"(?:^|/)(?:(?:nist|main)eval|peers|pyramids?|BE)\b[^/]*/", re.IGNORECASE)
_BASIC_ELEMENTS = re.compile(r"(?:^|/)BE/")


def is_dataset_folder(folder: Path) -> bool:
    """Tell whether a folder is in DUC's layout: it holds the folders ``docs`` and ``models``."""
    return os.path.isdir(folder / "docs") and os.path.isdir(folder / "models")  # noqa: PTH112 (never raises)


def read_dataset(
    files: Iterable[TreeFile], encoding: str = "auto", edition: Edition | None = None
) -> list[RawCluster]:
    """Return the clusters found among the files, sorted by name, each with its references sorted by name.

    With ``edition``, only files of that year's data set are read. A file that occurs twice, unpacked and in
    an archive, is read once.
    """
    tree = _Tree(encoding, edition)
    for file in files:
        tree.add(file)
    return tree.clusters()


@dataclass(slots=True)
class _Found:
    """A cluster found so far.

    ``place`` is its path, for messages. ``documents`` maps each file name to the documents in the file.
    """

    place: str
    documents: dict[str, list[RawDocument]] = field(default_factory=dict)


@dataclass(slots=True)
class _Tree:
    """What was found so far in the files of a data set.

    ``found`` has the clusters by name, and ``references`` the references by file name. ``topics`` maps the
    path of each topics file to the questions in it.
    """

    encoding: str
    edition: Edition | None
    found: dict[str, _Found] = field(default_factory=dict)
    references: dict[str, RawReference] = field(default_factory=dict)
    topics: dict[str, Questions] = field(default_factory=dict)

    def add(self, file: TreeFile) -> None:
        """Read a file and keep its content, if it belongs to the data set; ignore it if not."""
        if not _belongs(file.path, self.edition):
            return
        if is_topics_file(file.path.rpartition("/")[2]):
            if self.edition is None or self.edition.has_questions:
                self.topics[file.place] = read_found_topics(file.read, file.place, self.encoding)
        elif reference := _REFERENCE.search(file.path):
            # DUC 2003 has each reference with HTML tags (.html) and without. If both are found, use one.
            name = _HTML.sub("", reference["name"]) if self.edition else reference["name"]
            if _is_reference(reference, self.edition) and name not in self.references:
                self.references[name] = read_reference(file, self.encoding)
        elif document := _DOCUMENT.search(file.path):
            self._add_document(document["own"] or document["duc"], document["docno"], file)

    def _add_document(self, name: str, docno: str, file: TreeFile) -> None:
        if self.edition and (not self.edition.clusters.fullmatch(name) or _EVALUATION.search(file.path)):
            return
        cluster = self.found.setdefault(name, _Found(file.place.removesuffix(f"/{docno}")))
        if docno not in cluster.documents:
            cluster.documents[docno] = read_found_documents(file.read, docno, file.place, self.encoding)

    def clusters(self) -> list[RawCluster]:
        """Return the clusters found, each with its documents, references and question."""
        by_cluster = summaries_of(self.references, self.found)
        questions: dict[str, str] = {}
        for place, own in self.topics.items():
            questions = {**own, **questions}
            if self.found:
                warn_of_unused(own, self.found, place)
        return [
            _as_cluster(
                name,
                found,
                [self.references[reference] for reference in by_cluster.get(name, ())],
                questions.get(name.lower(), ""),
            )
            for name, found in sorted(self.found.items())
        ]


def _belongs(path: str, edition: Edition | None) -> bool:
    """Tell whether a file may belong to the data set: its path names no other task and no other year.

    Without an edition, any year is allowed.
    """
    tasks = edition.tasks if edition else ("2",)
    if any(task not in tasks for task in _TASK_FOLDER.findall(path)):
        return False
    if edition is None:
        return not _UPDATE_FOLDER.match(path)
    return all(year == edition.year for year in _YEAR.findall(path)) and not _UPDATE_TASK.search(path)


def _is_reference(found: re.Match[str], edition: Edition | None) -> bool:
    """Tell whether a file in ``models/`` is a reference of the data set.

    ``found`` is the match of ``_REFERENCE`` in the path of the file. With an edition, a file name in DUC's
    form must have the letter ``M``, for a summary of several documents, and the edition's number of words.
    """
    if found["task"] not in (None, *(edition.tasks if edition else ("2",))):
        return False
    if edition is None:
        return True
    name = _DUCS_NAME.match(found["name"])
    is_other = name is not None and (name["kind"].upper(), name["words"]) != ("M", edition.words)
    return not is_other and not _BASIC_ELEMENTS.search(found.string)


def _as_cluster(name: str, found: _Found, own: Sequence[RawReference], question: str) -> RawCluster:
    return RawCluster(
        name,
        [document for docno in sorted(found.documents) for document in found.documents[docno]],
        found.place,
        references=[reference.text for reference in own if reference.text is not None],
        problems=[reference.problem for reference in own if reference.problem],
        query=question,
    )


def writer_of(name: str) -> str:
    """Return the writer that a DUC file name ends in, as ``24`` in ``D0601.M.250.A.24``; "" for other names.

    The writer is the letter of a person or the number of a system.
    """
    match = _SUMMARY_NAME.fullmatch(name)
    return match["writer"] if match else ""


def summaries_of(names: Iterable[str], clusters: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the summaries of each cluster, sorted; clusters without a summary are left out.

    A summary belongs to a cluster if its file name is the name of the cluster, or that name, a full stop and
    more. In DUC's file names the letter before the writer also belongs to the name of the cluster:
    ``D30001.M.100.T.A`` belongs to ``d30001t``. If several clusters match, the longest name wins: ``a.b.txt``
    belongs to ``a.b``, not to ``a``. Upper and lower case are the same, unless clusters differ in nothing
    else: then the exact match wins.
    """
    known: dict[str, list[str]] = {}
    for cluster in clusters:
        known.setdefault(cluster.lower(), []).append(cluster)
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        beginning = next((each for each in _possible_clusters(name) if each.lower() in known), None)
        if beginning is not None:
            alike = known[beginning.lower()]
            for cluster in [beginning] if beginning in alike else alike:
                found.setdefault(cluster, []).append(name)
    return found


def _possible_clusters(name: str) -> list[str]:
    """Return the names that the cluster of a summary may have, longest first, given the summary's file name.

    They are the file name, the file name up to each of its full stops, and the cluster that a file name in
    DUC's form states: ``D30001T`` for ``D30001.M.100.T.A``.
    """
    match = _SUMMARY_NAME.fullmatch(name)
    of_duc = [match["set"] + match["selector"]] if match else []
    points = [i for i, character in enumerate(name) if character == "."]
    return sorted([*of_duc, name, *(name[:i] for i in points)], key=len, reverse=True)
