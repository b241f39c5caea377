"""Read everyday documents in a test: all of them, exactly one, or the error message."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage

import pytest

from summc.documents.formats import read_documents
from summc.documents.raw import Block, PageStarts, RawDocument
from summc.errors import InputError


def read_one(data: bytes | EmailMessage, name: str) -> RawDocument:
    (document,) = read(data, name)
    return document


def read(data: bytes | EmailMessage, name: str) -> list[RawDocument]:
    return read_documents(data if isinstance(data, bytes) else data.as_bytes(), name, name)


def problem(data: bytes | EmailMessage, name: str) -> str:
    with pytest.raises(InputError) as raised:
        read(data, name)
    return str(raised.value)


def paged_document(texts: Sequence[str], pages: Sequence[PageStarts]) -> RawDocument:
    """Return a document of paragraphs, each with the pages that it is on; without ``pages`` none is known."""
    starts = pages or [()] * len(texts)
    return RawDocument("a", [Block(text, pages=p) for text, p in zip(texts, starts, strict=True)], "a")
