"""The data sets that summc knows: what each is, how to get it, where to find it, what it should hold."""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from summc.documents import LoadSettings
from summc.documents.decoding import auto_for
from summc.documents.duc import ANY_EDITION, DatasetFiles, Edition, read_dataset
from summc.documents.language import language_of
from summc.documents.raw import RawCluster, listed
from summc.documents.sentences import make_document
from summc.documents.sources import OnError, is_dataset_folder, load, raw_clusters, split_clusters
from summc.documents.tree import TreeFile, files_in
from summc.documents.wrapping import LIST_ITEM
from summc.errors import InputError, NotFoundError, as_typed
from summc.records import Cluster
from summc.settings import plugins
from summc.system.inputs import is_archive, not_found
from summc.system.logs import log
from summc.system.resources import sample_folder
from summc.text.languages import AUTO, CODES, asked_language, language_name

#: The name of a data set -> how to recognize its files. Of 2003, task 2 (news clusters) and task 3 (TREC
#: clusters) are read. Task 1 asks for headlines, and task 4 has other documents
#: (https://duc.nist.gov/duc2003/tasks.html).
EDITIONS: Mapping[str, Edition] = {
    "duc2003": Edition("2003", r"d(?:\d{5}t|\d{3}[a-z])", "100", ("2", "3"), has_questions=False),
    "duc2004": Edition("2004", r"d\d+t", "100", has_questions=False),
    "duc2005": Edition("2005", r"d\d{3}[a-z]", "250"),
    "duc2006": Edition("2006", r"d06\d\d[a-z]", "250"),
    "duc2007": Edition("2007", r"d07\d\d[a-z]", "250"),
}


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set. ``marks`` are patterns of file names: a folder with a matching file holds the data set.

    ``clusters``, ``documents`` and ``references`` say how many it should hold in one language, or None.
    ``obtain`` tells how to get it. ``shipped`` returns the folder of a data set that comes with a package.
    """

    name: str
    title: str
    clusters: int
    documents: int | None
    references: int | None
    terms: str
    obtain: str
    marks: tuple[str, ...] = ()
    shipped: Callable[[], Path] | None = None
    language: str = "en"


def _listed() -> dict[str, Dataset]:
    """Return the data sets in ``datasets.toml``, by name."""
    text = (Path(__file__).parent / "datasets.toml").read_text(encoding="utf-8")
    by_name: dict[str, Dataset] = {}
    for name, entry in tomllib.loads(text).items():
        marks, shipped = tuple(entry.pop("marks", ())), sample_folder if name == "sample" else None
        numbers = {"documents": None, "references": None}
        by_name[name] = Dataset(name, **{**numbers, **entry}, marks=marks, shipped=shipped)
    return by_name


def _accepted(name: str, dataset: Any) -> dict[str, Dataset]:
    if not isinstance(dataset, Dataset):
        raise ValueError("it is not a summc.datasets.Dataset")  # noqa: TRY004
    if dataset.name != name:
        raise ValueError(f'its record must have the name "{name}"')
    return {name: dataset}


#: The name that a user types -> the data set. Other packages may add data sets through entry points of the
#: group ``summc.datasets``.
DATASETS: plugins.Registry[Dataset] = plugins.Registry(plugins.DATASETS, _listed(), _accepted)


def data_folders(first: str | None = None) -> list[Path]:
    """Return the folders to search: ``first``, $SUMMC_DATA, summc's folder of user data, and ``data``."""
    from platformdirs import user_data_path  # noqa: PLC0415 (few runs look for data sets)

    folders = [Path(folder) for folder in (first, os.environ.get("SUMMC_DATA")) if folder]
    with contextlib.suppress(RuntimeError):  # the user has no home folder
        folders.append(user_data_path("summc", appauthor=False))
    return [*folders, Path("data")]


def locate(name: str, folders: Sequence[Path]) -> Path | None:
    """Return the path of a data set, or None if it is not found.

    In each folder an entry such as ``duc2004`` or ``duc2004.tgz`` is looked for, then files that match the
    ``marks`` of the data set. The first folder is also returned if it is in DUC's layout.
    """
    shipped = DATASETS[name].shipped
    if shipped is not None:
        with plugins.blame(DATASETS.package_of(name), f"data set {name}"):
            return Path(shipped())
    for folder in folders:
        for entry in (name, name.upper(), *(f"{name}{end}" for end in (".tgz", ".tar.gz", ".zip", ".jsonl"))):
            if os.path.exists(folder / entry):  # noqa: PTH110 (unlike Path's, it does not raise on a long name)
                return folder / entry
        if os.path.isdir(folder) and any(any(folder.glob(mark)) for mark in DATASETS[name].marks):  # noqa: PTH112 (never raises)
            return folder
    # The user usually gave the first folder, so docs/ and models/ in it are enough; no mark is needed.
    return folders[0] if name != "multiling2011" and is_dataset_folder(folders[0]) else None


def find(name_or_path: str, folders: Sequence[Path]) -> Path:
    """Return the path of a data set, given by its name or its path; the error says how to get it."""
    if name_or_path not in DATASETS:
        if os.path.exists(name_or_path):  # noqa: PTH110 (never raises)
            return Path(name_or_path)
        names = ", ".join(DATASETS)
        raise not_found(name_or_path, "no such data set or path", f"give a path or one of {names}")
    path = locate(name_or_path, folders)
    if path is None:
        searched = ", ".join(map(str, folders))
        put = f"put it into {folders[-1] / name_or_path} or name its folder with {as_typed('data')}"
        remedy = f"{DATASETS[name_or_path].obtain}, and {put}"
        raise NotFoundError(name_or_path, f"not found in {searched}", remedy)
    return path


def read_background(names: Sequence[str], settings: LoadSettings, spoken: str) -> Iterator[Cluster]:
    """Yield the clusters of data sets, given by their names, and of the documents at paths.

    They are read in the configured language. If that is ``auto``, each cluster is read in its own language,
    and a data set in several languages is read in the language ``spoken``.
    """
    folders, encoding = data_folders(settings.data), settings.encoding
    language = asked_language(settings.language)
    for name in names:
        if name not in DATASETS:
            yield from load([name], encoding=encoding, language=language, split=settings.split)
        else:
            in_spoken = language == AUTO and name == "multiling2011"
            code = spoken if in_spoken else language
            yield from read(name, folders, encoding=encoding, language=code, split=settings.split)


def read_raw(
    name_or_path: str, folders: Sequence[Path], *, encoding: str = "auto", language: str = "en"
) -> list[RawCluster]:
    """Return the clusters of a data set, given by its name or its path; they are not split into sentences."""
    path, edition = find(name_or_path, folders), EDITIONS.get(name_or_path)
    encoding, spoken = auto_for(encoding, language), _language_in(name_or_path, language)
    if path.is_file() and not is_archive(path.name):
        clusters = list(raw_clusters([str(path)], encoding))
    elif name_or_path == "multiling2011" or (path / "SourceTexts").is_dir():
        clusters = read_multiling(files_in(path), "en" if spoken == AUTO else spoken, str(path), encoding)
    else:
        clusters = read_dataset(files_in(path), encoding, edition or ANY_EDITION)
        # If clusters lie directly in the folder, without references and questions, it is a plain collection.
        is_odd = any(raw.references or raw.query or Path(raw.place).parent != path for raw in clusters)
        if path.is_dir() and not edition and not is_odd:
            clusters = list(raw_clusters([str(path)], encoding))
    if not clusters:
        raise InputError(str(path), "no clusters found", "it must hold docs/<cluster>/<document> and models/")
    return clusters


def read(
    name_or_path: str, folders: Sequence[Path],
    *, encoding: str = "auto", language: str = "en", split: str = "sentences", on_error: OnError = None,
) -> Iterator[Cluster]:  # fmt: skip
    """Yield the clusters of a data set; ``split`` and ``on_error`` are as in ``load``."""
    raw = read_raw(name_or_path, folders, encoding=encoding, language=language)
    if lacking := without_question(name_or_path, raw):
        names = listed([cluster.id for cluster in lacking])
        problem = f"{len(lacking)} of {len(raw)} clusters have no question ({names})"
        log.warning("%s: %s; summarized without one", name_or_path, problem)
    return split_clusters(raw, _language_in(name_or_path, language), split, on_error)


def _language_in(name_or_path: str, language: str) -> str:
    """Return the language to read a data set in; for ``auto``, that of a data set given by its name."""
    return DATASETS[name_or_path].language if language == AUTO and name_or_path in DATASETS else language


def without_question(name: str, clusters: Iterable[RawCluster]) -> list[RawCluster]:
    """Return the clusters without a question, or [] if the data set is not meant to have questions."""
    expected = name in EDITIONS and EDITIONS[name].has_questions
    return [cluster for cluster in clusters if not cluster.query] if expected else []


# MultiLing 2011: ``SourceTexts/M0000.english`` is document 0 of cluster M000, and a reference is
# ``Model Summaries/English/M000.A.250``. Some files end in ``.Hebrew``, others in ``.hebrew``.

_SOURCE = re.compile(r"(?:^|/)SourceTexts/(?P<cluster>M\d{3})\d\.(?P<language>[a-zA-Z]+)$")
_MODEL = re.compile(r"(?:^|/)Model Summaries/(?P<language>\w+)/(?P<cluster>M\d{3})\.\w\.\d+$")


def read_multiling(
    files: Iterable[TreeFile], language: str, place: str, encoding: str = "auto"
) -> list[RawCluster]:
    """Return the clusters in one language, given by its code, sorted by name, each with its references.

    If there are none, the error lists the languages that have clusters.
    """
    dataset = DatasetFiles(encoding)
    languages: set[str] = set()
    for file in files:
        source, model = _SOURCE.search(file.path), _MODEL.search(file.path)
        match = source or model
        named = match["language"].lower() if match else ""
        languages.update({named} & CODES.keys() if source else ())
        if CODES.get(named) != language:
            continue
        if source:
            dataset.add_document(source["cluster"], file)
        else:
            dataset.add_reference(file)
    if languages and not dataset.documents:
        remedy = f"choose {as_typed('language')} from {', '.join(sorted(languages))}"
        raise InputError(place, f"nothing in {language_name(language)}", remedy)
    return dataset.clusters({}, language)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Counts of a data set, its faults (``problems``) and oddities that may be intended (``remarks``)."""

    clusters: int
    documents: int
    references: int
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


def take_inventory(clusters: Sequence[RawCluster]) -> Inventory:
    """Return how much a data set holds, and what is wrong or odd."""
    problems, remarks = list[str](), list[str]()
    homes: dict[tuple[str, ...], dict[str, str]] = {}  # text -> cluster -> the document with that text
    written = [sum(1 for text in cluster.references if text.strip()) for cluster in clusters]
    for cluster, references in zip(clusters, written, strict=True):
        for document in cluster.documents:
            ids = homes.setdefault(tuple(document.paragraphs), {})
            if not document.paragraphs:
                problems.append(f"{document.place}: {document.problem or 'no text'}")
            elif cluster.id in ids:
                remarks.append(f"{document.place}: the same text as {ids[cluster.id]}")
            else:
                ids[cluster.id] = document.id
        problems.extend(cluster.problems)
        if not references:
            problems.append(f"{cluster.place}: no references for {cluster.id}")
    shared = (ids for ids in homes.values() if len(ids) > 1)
    remarks.extend(f"{next(iter(ids.values()))}: in {' and '.join(ids)}" for ids in shared)
    most = max(written, default=0)
    remarks.extend(
        f"{cluster.place}: {references} references for {cluster.id}, others have {most}"
        for cluster, references in zip(clusters, written, strict=True)
        if 0 < references < most
    )
    documents = sum(len(cluster.documents) for cluster in clusters)
    return Inventory(len(clusters), documents, sum(written), tuple(problems), tuple(remarks))


_STARTS_INSIDE = regex.compile(r"[\"'`\u00ab\u201c]*\p{Ll}|[,;:)\]\u060c\u061b]")


def count_sentences(clusters: Iterable[RawCluster], language: str) -> tuple[int, list[tuple[str, str]]]:
    """Return how many sentences a data set has, and the path and the text of those that look broken."""
    sentences, broken = 0, list[tuple[str, str]]()
    for cluster in clusters:
        code = language_of(cluster, language)
        for raw in cluster.documents:
            document = make_document(raw, 0, code)
            sentences += len(document.sentences)
            for sentence in document.sentences:
                is_item = LIST_ITEM.match(raw.paragraphs[sentence.paragraph or 0])
                if not is_item and _STARTS_INSIDE.match(sentence.text_without_label):
                    broken.append((raw.place, sentence.text))
    return sentences, broken
