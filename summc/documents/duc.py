"""Data sets in DUC's layout: clusters of documents, and the summaries that people wrote of them.

``docs/<cluster>/<docno>`` beside ``models/<SET>.M.<words>.<selector>.<writer>``, in a folder, in the tree as
NIST ships it, or in its archives: the cluster ``d30001t`` has the references ``D30001.M.100.T.A`` and so on,
plain text in 2004 and HTML in 2003.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from summc.documents.plain import read_found_documents
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.references import RawReference, read_reference
from summc.documents.tree import TreeFile

#: Clusters of the multi-document task with news clusters of 2003 and 2004.
DUC_CLUSTER = re.compile(r"d\d+t")

_DOCUMENT = re.compile(r"(?:^|/)(?:docs/(?P<own>[^/]+)|(?P<duc>d\d+t))/(?P<docno>[^/]+)$")
_REFERENCE = re.compile(r"(?:^|/)models/(?:(?P<task>\d+)/)?(?P<name>[^/]+)$")
_REFERENCE_NAME = re.compile(r"(?P<set>[^.]+)\.M\.\d+\.(?P<selector>[A-Z])\.[A-Z](?:\.html)?", re.IGNORECASE)
# The multi-document summaries are task 2; very short ones (1) and answers to questions (5) are others.
_OTHER_TASK = re.compile(r"(?:^|/)task[013-9](?![\da-z])", re.IGNORECASE)
_TASK = (None, "2")


def is_dataset_folder(folder: Path) -> bool:
    """Tell whether a folder holds ``docs/`` beside ``models/``."""
    return os.path.isdir(folder / "docs") and os.path.isdir(folder / "models")  # noqa: PTH112 (never raises)


@dataclass(slots=True)
class _Found:
    place: str
    documents: dict[str, list[RawDocument]] = field(default_factory=dict)


def read_dataset(
    files: Iterable[TreeFile], encoding: str = "auto", only: re.Pattern[str] | None = None
) -> list[RawCluster]:
    """Return the clusters among the files of a tree, by name, each with its references, sorted by writer.

    ``only``: the clusters whose names match. A file that stands in the tree twice, unpacked and in its
    archive, counts once.
    """
    clusters: dict[str, _Found] = {}
    references: dict[str, RawReference] = {}
    for file in files:
        if _OTHER_TASK.search(file.path):
            continue
        if reference := _REFERENCE.search(file.path):
            if reference["task"] in _TASK and reference["name"] not in references:
                references[reference["name"]] = read_reference(file, encoding)
        elif document := _DOCUMENT.search(file.path):
            name, docno = document["own"] or document["duc"], document["docno"]
            if only is None or only.fullmatch(name):
                cluster = clusters.setdefault(name, _Found(file.place.removesuffix(f"/{docno}")))
                if docno not in cluster.documents:
                    cluster.documents[docno] = read_found_documents(file.read, docno, file.place, encoding)
    by_cluster = summaries_of(references, clusters)
    return [
        _as_cluster(name, found, [references[reference] for reference in by_cluster.get(name, ())])
        for name, found in sorted(clusters.items())
    ]


def _as_cluster(name: str, found: _Found, own: Sequence[RawReference]) -> RawCluster:
    return RawCluster(
        name,
        [document for docno in sorted(found.documents) for document in found.documents[docno]],
        found.place,
        references=[reference.text for reference in own if not reference.problem],
        problems=[reference.problem for reference in own if reference.problem],
    )


def summaries_of(names: Iterable[str], clusters: Iterable[str]) -> dict[str, list[str]]:
    """Return the summaries of each cluster that has some, by their names, sorted.

    ``D30001.M.100.T.A`` is of ``d30001t``; any name that begins with the cluster's own and a point is too. Of
    several clusters it is of the one with the longest name (``a.b.txt`` of ``a.b``, not of ``a``), and of
    several that differ in capital letters alone of the one that is written as it is, if there is one.
    """
    known: dict[str, list[str]] = {}
    for cluster in clusters:
        known.setdefault(cluster.lower(), []).append(cluster)
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        beginning = next((each for each in _beginnings(name) if each.lower() in known), None)
        if beginning is not None:
            alike = known[beginning.lower()]
            for cluster in [beginning] if beginning in alike else alike:
                found.setdefault(cluster, []).append(name)
    return found


def _beginnings(name: str) -> list[str]:
    """Return what a cluster may be called that a summary is of, the longest first."""
    match = _REFERENCE_NAME.fullmatch(name)
    of_duc = [match["set"] + match["selector"]] if match else []
    points = [i for i, character in enumerate(name) if character == "."]
    return sorted([*of_duc, name, *(name[:i] for i in points)], key=len, reverse=True)
