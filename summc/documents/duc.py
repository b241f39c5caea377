"""Read folders and archives in DUC's layout: clusters, references (summaries by people), and questions.

Documents are in ``docs/<cluster>/<docno>`` and references in
``models/<SET>.M.<words>.<selector>.<writer>``. Both may be in a folder, in the folders that NIST ships, or in
NIST's archives. The letter ``<selector>`` belongs to the name of the cluster: ``D30001.M.100.T.A`` is a
reference of cluster ``d30001t``. References are HTML in 2003 and plain text in later years. A topics file,
such as ``duc2006_topics.sgml``, has the question of each cluster:
``<topic><num> D0601A </num><title> ... </title><narr> ... </narr></topic>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from summc.documents.decoding import decode
from summc.documents.formats import sgml, try_read_documents
from summc.documents.raw import RawCluster, RawDocument, listed
from summc.documents.tree import TreeFile
from summc.errors import InputError, NotFoundError
from summc.system.inputs import read_file
from summc.system.logs import log

#: The name of a cluster, in lower case -> its question.
Questions = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Edition:
    """The data set of one year of DUC: names of clusters, words of a reference, numbers of its tasks.

    Files in the folder of another task, such as ``task4``, do not belong to the data set.
    """

    year: str = ""
    clusters: str = ".*"
    words: str = ""
    tasks: tuple[str, ...] = ("2",)
    has_questions: bool = True


#: Data in DUC's layout that is not of a known year.
ANY_EDITION = Edition()

_DOCUMENT = re.compile(r"(?:^|/)(?:docs/(?P<cluster>[^/]+)|(?P<duc>[dD]\d{3,}[a-zA-Z]))/(?P<docno>[^/]+)$")
_REFERENCE = re.compile(r"(?:^|/)(?:[^/]*[_.-])?models/(?:(?P<task>\d+)/)?(?P<name>[^/]+)$")
_SUMMARY_NAME = re.compile(
    r"(?P<set>[^.]+)\.M\.(?P<words>\d+)\.(?P<selector>[A-Z])\.(?P<writer>\w+)(?:\.html?)?", re.IGNORECASE
)
_DUCS_NAME = re.compile(r"[^.]+\.(?P<kind>[A-Z])\.(?P<words>\d+)\.", re.IGNORECASE)
_HTML = re.compile(r"\.html?$", re.IGNORECASE)
_TASK_FOLDER = re.compile(r"(?:^|/)task(\d)(?![\da-z])", re.IGNORECASE)
_YEAR = re.compile(r"duc[-_ ]?(20\d\d)", re.IGNORECASE)
#: Folders of the update task of 2007. They are skipped: their files have the same names as those of the main
#: task. Nothing below ``docs/`` is skipped, because a cluster may have any name, also "update".
_UPDATE_TASK = re.compile(r"(?:(?!docs/)[^/]+/)*(?:duc[^/]*update[^/]*|update(?:eval[^/]*)?)/", re.IGNORECASE)
#: Folders with results of the evaluation. They are skipped: their subfolders may have the names of clusters,
#: but hold no documents.
_EVALUATION = re.compile(r"(?:^|/)(?:(?:nist|main)eval|peers|pyramids?|BE)\b[^/]*/", re.IGNORECASE)
_BASIC_ELEMENTS = re.compile(r"(?:^|/)BE/")


def read_dataset(
    files: Iterable[TreeFile], encoding: str = "auto", edition: Edition = ANY_EDITION
) -> list[RawCluster]:
    """Return the clusters found among the files, sorted by name; with ``edition``, only those of that year.

    A file that occurs twice, unpacked and in an archive, is read once.
    """
    dataset = DatasetFiles(encoding)
    questions: dict[str, str] = {}
    topics = ""
    for file in files:
        reference, document = _REFERENCE.search(file.path), _DOCUMENT.search(file.path)
        if not _belongs(file.path, edition):
            continue
        if sgml.is_topics_file(file.name):
            if edition.has_questions:
                topics = file.place
                questions = {**try_read_topics(file.read, topics, encoding), **questions}
        elif reference:
            if _is_reference(reference, edition):
                dataset.add_reference(file)
        elif document and _is_document(document, edition):
            dataset.add_document(document["cluster"] or document["duc"], file)
    if dataset.documents:
        warn_of_unused(questions, dataset.documents, topics)
    return dataset.clusters(questions)


@dataclass(slots=True)
class DatasetFiles:
    """The files of a data set: documents by cluster and file name, and references by file name.

    A reference is a pair: its text, or None if it cannot be read, and a message if something is wrong. An
    empty reference is kept, because the official scores count it.
    """

    encoding: str
    documents: dict[str, dict[str, list[RawDocument]]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    references: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)  # the places of the documents

    def add_document(self, cluster: str, file: TreeFile) -> None:
        """Read a document of a cluster, unless a file of that name was read from another folder."""
        self.places.setdefault(cluster, file.place.removesuffix(f"/{file.name}"))
        by_name = self.documents.setdefault(cluster, {})
        if file.name not in by_name or file.place in self.read:  # an archive may hold a name twice
            self.read.add(file.place)
            documents = try_read_documents(file.read, file.name, file.place, self.encoding)
            by_name[file.name] = [*by_name.get(file.name, ()), *documents]

    def add_reference(self, file: TreeFile) -> None:
        """Read a reference, unless a file of that name was read."""
        # DUC 2003 has each reference with HTML tags (.html) and without. If both are found, use one.
        name = _HTML.sub("", file.name)
        if name in self.references:
            return
        try:
            text = written(decode(file.read(), file.place, self.encoding), file.path)
        except (InputError, NotFoundError) as error:  # the file may have been deleted meanwhile
            self.references[name] = None, f"{error.place}: {error.problem}; left out"
        else:
            self.references[name] = text, "" if text else f"{file.place}: an empty reference"

    def clusters(self, questions: Questions, language: str | None = None) -> list[RawCluster]:
        """Return the clusters, sorted by name, each with its references and its question."""
        by_cluster = summaries_of(self.references, self.documents)
        clusters: list[RawCluster] = []
        for name, files in sorted(self.documents.items()):
            documents = [document for file in sorted(files) for document in files[file]]
            read = [self.references[reference] for reference in by_cluster.get(name, ())]
            references = [text for text, _ in read if text is not None]
            problems = [problem for _, problem in read if problem]
            query, place = questions.get(name.lower(), ""), self.places[name]
            clusters.append(RawCluster(name, documents, place, references, language, problems, query))
        return clusters


def _belongs(path: str, edition: Edition) -> bool:
    """Tell whether a file may belong to the data set: its path names no other task and no other year."""
    years = _YEAR.findall(path) if edition.year else ()
    in_other_task = any(task not in edition.tasks for task in _TASK_FOLDER.findall(path))
    return not in_other_task and not _UPDATE_TASK.match(path) and all(year == edition.year for year in years)


def _is_document(match: re.Match[str], edition: Edition) -> bool:
    if match["duc"] and _EVALUATION.search(match.string):
        return False
    return re.fullmatch(edition.clusters, match["cluster"] or match["duc"], re.IGNORECASE) is not None


def _is_reference(match: re.Match[str], edition: Edition) -> bool:
    """Tell whether a file in ``models/`` is a reference of the data set."""
    if match["task"] not in (None, *edition.tasks) or _BASIC_ELEMENTS.search(match.string):
        return False
    name = _DUCS_NAME.match(match["name"]) if edition.words else None
    return name is None or (name["kind"].upper(), name["words"]) == ("M", edition.words)


def writer_of(name: str) -> str:
    """Return the writer in a DUC file name, as ``24`` in ``D0601.M.250.A.24``; "" for other names."""
    match = _SUMMARY_NAME.fullmatch(name)
    return match["writer"] if match else ""


def summaries_of(names: Iterable[str], clusters: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the summaries of each cluster, sorted; clusters without a summary are left out.

    A summary belongs to the cluster with the longest name that its file name begins with: ``a.b.txt`` belongs
    to ``a.b``, not to ``a``. Upper and lower case differ only if clusters differ in nothing else.
    """
    known = dict.fromkeys(clusters)
    by_name = {cluster.lower(): cluster for cluster in known} | {cluster: cluster for cluster in known}
    summaries: dict[str, list[str]] = {}
    for name in sorted(names):
        match = _SUMMARY_NAME.fullmatch(name)
        possible = [match["set"] + match["selector"]] if match else []
        possible += [name, *(name[: point.start()] for point in re.finditer(r"\.", name))]
        matching = [by_name.get(start, by_name.get(start.lower())) for start in possible]
        if clusters_named := [cluster for cluster in matching if cluster is not None]:
            summaries.setdefault(max(clusters_named, key=len), []).append(name)
    return summaries


# Topics files

_ENDS_SENTENCE = (".", "?", "!", ":")


def try_read_topics(read: Callable[[], bytes], place: str, encoding: str = "auto") -> Questions:
    """Return the questions in a topics file; if it cannot be read, warn and return {}."""
    try:
        return read_topics(decode(read(), place, encoding), place)
    except (InputError, NotFoundError) as error:  # the file may have been deleted meanwhile
        log.warning("%s: %s; left out", error.place, error.problem)
        return {}


def questions_among(files: Iterable[Path], encoding: str = "auto") -> Questions:
    """Return the questions in the topics files among the given files, by the name of their cluster."""
    questions: dict[str, str] = {}
    for path in files:
        if sgml.is_topics_file(path.name):
            questions |= try_read_topics(partial(read_file, str(path)), str(path), encoding)
    return questions


def read_topics(text: str, place: str) -> Questions:
    """Return the question of each topic in a topics file: its title and its narrative.

    A topic without a name or a question, and a second topic for a cluster, are left out with a warning.
    """
    questions: dict[str, str] = {}
    number = 0

    def element_after(element: str, tag: str, closing: bool) -> str:  # noqa: FBT001 (it is called back)
        return element if tag == "p" else "" if closing else tag

    for number, topic in enumerate(sgml.records_in(text, "topic", "narr", element_after), start=1):
        joined = (sgml.without_entities(" ".join(topic.get(name, ()))) for name in ("num", "title", "narr"))
        num, title, narrative = (" ".join(text.split()) for text in joined)
        name = num.rpartition(" ")[2]
        if title and narrative and not title.endswith(_ENDS_SENTENCE):
            title += "."
        question = f"{title} {narrative}".strip()
        if not (name and question):
            log.warning("%s: topic %d has no <num>, or no <title> and <narr>; left out", place, number)
        elif questions.setdefault(name.lower(), question) != question:
            log.warning("%s: topic %s again, with another question; left out", place, name)
    if not number:
        raise InputError(place, "no <topic> in it", "give <topic><num>...</num><title>...</title></topic>")
    return questions


def warn_of_unused(questions: Questions, clusters: Iterable[str], place: str) -> None:
    """Warn of the questions whose clusters are not among ``clusters``; ``place`` is the topics file."""
    lowered = {cluster.lower() for cluster in clusters}
    unused = [name.upper() for name in questions if name not in lowered]
    if unused:
        what = "topic" if len(unused) == 1 else "topics"
        log.warning("%s: no documents for %s %s", place, what, listed(unused))


# References

_IS_HTML = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_HTML_LABEL = re.compile(r"<a\s+name=[^<>]*>\s*\[\d+\]\s*</a>", re.IGNORECASE)
_HTML_BODY = re.compile(r"</head\s*>|<body\b[^<>]*>", re.IGNORECASE)
_HTML_TAG = re.compile(r"<(?:/?[a-z]|[!?])[^<>]*>", re.IGNORECASE)


def written(text: str, name: str) -> str:
    """Return the text of a summary; tags and entities are removed if it is HTML or SGML.

    In DUC's HTML a label such as ``[1]`` begins each sentence, which becomes a line: ROUGE-L compares lines.
    """
    if sgml.SGML.match(text):
        return "\n".join(paragraph for news in sgml.read_sgml(text) for paragraph in news.paragraphs)
    name = name.lower()
    if name.endswith((".html", ".htm")) or (not name.endswith(".txt") and _IS_HTML.match(text)):
        body = _HTML_BODY.split(sgml.without_comments(text), maxsplit=1)[-1]
        labelled = _HTML_LABEL.split(body)
        lines = (" ".join(sgml.without_entities(_HTML_TAG.sub(" ", line)).split()) for line in labelled)
        return "\n".join(filter(None, lines))
    return text.strip()
