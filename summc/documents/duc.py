"""Data sets in DUC's layout: clusters of documents, and the summaries that people wrote of them.

``docs/<cluster>/<docno>`` beside ``models/<SET>.M.<words>.<selector>.<writer>``, in a folder, in the tree as
NIST ships it, or in its archives: the cluster ``d30001t`` has the references ``D30001.M.100.T.A`` and so on,
plain text in 2004 and HTML in 2003.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
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
    return [_as_cluster(name, found, references) for name, found in sorted(clusters.items())]


def _as_cluster(name: str, found: _Found, references: Mapping[str, RawReference]) -> RawCluster:
    own = [references[reference] for reference in sorted(references) if belongs_to(reference, name)]
    return RawCluster(
        name,
        [document for docno in sorted(found.documents) for document in found.documents[docno]],
        found.place,
        references=[reference.text for reference in own if not reference.problem],
        problems=[reference.problem for reference in own if reference.problem],
    )


def belongs_to(reference: str, cluster: str) -> bool:
    """Tell whether a summary is one of a cluster, by its name.

    ``D30001.M.100.T.A`` is of ``d30001t``; any name that begins with the cluster's own and a point is too.
    """
    name = reference.lower()
    if name == cluster.lower() or name.startswith(f"{cluster.lower()}."):
        return True
    match = _REFERENCE_NAME.fullmatch(reference)
    return match is not None and (match["set"] + match["selector"]).lower() == cluster.lower()
