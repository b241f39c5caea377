"""One file of text, plain or DUC's SGML, to documents."""

from __future__ import annotations

from collections.abc import Callable

from summc.documents.decoding import decode
from summc.documents.paragraphs import paragraphs
from summc.documents.raw import RawDocument
from summc.documents.sgml import is_sgml, read_sgml
from summc.errors import InputError


def read_documents(data: bytes, name: str, place: str, encoding: str = "auto") -> list[RawDocument]:
    """Return the documents of a file: one, or one for each ``<DOC>``."""
    text = decode(data, place, encoding)
    if is_sgml(text):
        return [
            RawDocument(docno or f"{name}#{i}", body, f"{place}: {docno or f'document {i}'}")
            for i, (docno, body) in enumerate(read_sgml(text), start=1)
        ]
    body = paragraphs(text)
    if not body:
        raise InputError(place, "an empty file", "give a file that holds text")
    return [RawDocument(name, body, place)]


def read_found_documents(
    read: Callable[[], bytes], name: str, place: str, encoding: str = "auto"
) -> list[RawDocument]:
    """The same of a file that nobody named: what is wrong with it goes along and does not stop the rest."""
    try:
        return read_documents(read(), name, place, encoding)
    except InputError as error:
        return [RawDocument(name, [], error.place, error.problem)]
