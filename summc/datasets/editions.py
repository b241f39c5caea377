"""Tell data sets apart: the years of DUC, and the languages of MultiLing 2011.

In MultiLing's layout ``SourceTexts/M0000.english`` is document 0 of cluster M000, and a reference is
``Model Summaries/English/M000.A.250``. Some files end in ``.Hebrew``, others in ``.hebrew``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from summc.documents.duc import DatasetFiles, Edition
from summc.documents.raw import RawCluster
from summc.documents.tree import TreeFile
from summc.errors import InputError, as_typed
from summc.text.languages import CODES, language_name

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
