"""Split the documents of a cluster into sentences, and find the date of each document."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from summc.documents.language import language_of
from summc.documents.paragraphs import without_controls
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.sentences import make_document
from summc.errors import InputError, MissingExtraError
from summc.records import Cluster, Document
from summc.text.dates import date_of

log = logging.getLogger("summc")

_EXTRA = "the extra summc[documents] is not installed", "pip install 'summc[documents]'"


def split_cluster(raw: RawCluster, language: str) -> Cluster:
    """Return a cluster with its documents split into sentences.

    ``language`` is used if the cluster does not name a language. A document without text is left out with a
    warning. So is a document with the same text as an earlier one, because words that are counted twice would
    look important. A second document of the same name is renamed. If no document has text, raise an error.

    A document that needs the extra summc[documents], which is not installed, is left out without a warning:
    the caller finds all such documents with ``lacking_extra``, and warns once for all clusters.
    """
    for problem in raw.problems:
        log.warning("%s", problem)
    code = language_of(raw, language)
    first_with: dict[tuple[str, ...], str] = {}
    taken: dict[str, int] = {}
    documents: list[Document] = []
    for source in raw.documents:
        name = without_controls(source.id)
        document = make_document(name, source.paragraphs, len(documents), code, source.pages)
        text = tuple(sentence.text for sentence in document.sentences)
        if source.lacks_extra:
            continue
        if not text:
            log.warning("%s: %s; left out", source.place, source.problem or "no text")
        elif text in first_with:
            log.warning("%s: the same text as %s; left out", source.place, first_with[text])
        else:
            first_with[text] = source.id
            date = _date(source, document, code)
            documents.append(replace(document, id=own_name(name, taken), date=date))
            if documents[-1].id != name:
                log.warning(
                    "%s: another document called %s; renamed to %s", source.place, name, documents[-1].id
                )
    if not documents and lacking_extra(raw):
        raise MissingExtraError(raw.place, f"no document can be read, because {_EXTRA[0]}", _EXTRA[1])
    if not documents:
        raise InputError(raw.place, "no text", "give documents that hold text")
    return Cluster(
        without_controls(raw.id),
        tuple(documents),
        tuple(raw.references),
        code,
        without_controls(raw.query),
        members=raw.members,
    )


def lacking_extra(raw: RawCluster) -> list[str]:
    """Return the paths of the documents of a cluster that only the extra summc[documents] can read."""
    return [document.place for document in raw.documents if document.lacks_extra]


def left_out(places: Sequence[str]) -> MissingExtraError:
    """Return the error that reports all documents of a run that were left out for lack of the extra.

    ``places`` has the paths of these documents.
    """
    others = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return MissingExtraError(f"{places[0]}{others}", f"left out, because {_EXTRA[0]}", _EXTRA[1])


def _date(source: RawDocument, document: Document, language: str) -> str:
    """Return the date of a document, or "" if its file states no date.

    A date that the file states for its text is used first. The properties of a file may have another date,
    such as that of its creation. It is used only if neither the name nor the text of the document has a date.
    """
    if source.date or not source.file_date:
        return source.date
    return date_of(document, language) or source.file_date


def own_name(name: str, taken: dict[str, int]) -> str:
    """Return a name that is not taken yet: the second ``a`` becomes ``a#2``.

    ``taken`` maps each name in use to the last number that was added to it. The new name is entered.
    """
    own = name
    while own in taken:
        taken[name] += 1
        own = f"{name}#{taken[name]}"
    taken[own] = 1
    return own
