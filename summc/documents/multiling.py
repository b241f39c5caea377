"""Read the data set MultiLing 2011.

A document is a file such as ``SourceTexts/M0000.english``: cluster M000, document 0. A reference is a file
such as ``Model Summaries/English/M000.A.250``: cluster M000, writer A, 250 words. The case of an ending does
not matter: some files are called ``M0010.Hebrew``, others ``M0000.hebrew``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from summc.documents.plain import read_found_documents
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.references import RawReference, read_reference
from summc.documents.tree import TreeFile
from summc.text.languages import CODES, language_code

_SOURCE = re.compile(r"(?:^|/)SourceTexts/(?P<cluster>M\d{3})\d\.(?P<language>[a-zA-Z]+)$")
_REFERENCE = re.compile(r"(?:^|/)Model Summaries/(?P<language>\w+)/(?P<cluster>M\d{3})\.\w\.\d+$")


def languages_in(files: Iterable[TreeFile]) -> list[str]:
    """Return the names of the languages that the data set has documents in, such as "english", sorted."""
    found = filter(None, (_SOURCE.search(file.path) for file in files))
    return sorted({match["language"].lower() for match in found} & CODES.keys())


def read_dataset(files: Iterable[TreeFile], language: str, encoding: str = "auto") -> list[RawCluster]:
    """Return the clusters in one language, given by its code, sorted by name, each with its references."""
    documents: dict[str, list[RawDocument]] = {}
    references: dict[str, dict[str, RawReference]] = {}
    places: dict[str, str] = {}
    for file in files:
        match = _SOURCE.search(file.path) or _REFERENCE.search(file.path)
        if (
            not match
            or match["language"].lower() not in CODES
            or language_code(match["language"]) != language
        ):
            continue
        name = file.path.rpartition("/")[2]
        if match.re is _SOURCE:
            documents.setdefault(match["cluster"], []).extend(
                read_found_documents(file.read, name, file.place, encoding)
            )
            places.setdefault(match["cluster"], file.place.removesuffix(f"/{name}"))
        else:
            references.setdefault(match["cluster"], {})[name] = read_reference(file, encoding)
    return [
        _as_cluster(cluster, documents[cluster], places[cluster], references.get(cluster, {}), language)
        for cluster in sorted(documents)
    ]


def _as_cluster(
    name: str, documents: list[RawDocument], place: str, references: Mapping[str, RawReference], language: str
) -> RawCluster:
    own = [references[reference] for reference in sorted(references)]
    return RawCluster(
        name,
        documents,
        place,
        references=[reference.text for reference in own if reference.text is not None],
        language=language,
        problems=[reference.problem for reference in own if reference.problem],
    )
