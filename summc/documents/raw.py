"""Documents and clusters as the readers return them: paragraphs, not yet split into sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from summc.documents.sentences import PageStarts


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as read from ``place``; if it could not be read, ``problem`` says why.

    ``pages`` has the pages of each paragraph, or is empty if there are no pages. ``parted`` are the
    paragraphs that begin after a line end alone. ``date`` is the date stated in the text, such as 2005-01-08,
    or "". ``file_date`` is the date in the file's properties, or of the mail that it was attached to, or "".
    ``language`` is the language that the file states, such as en-GB, or "".
    """

    id: str
    paragraphs: list[str]
    place: str
    problem: str = ""
    pages: list[PageStarts] = field(default_factory=list)
    parted: frozenset[int] = frozenset()
    date: str = ""
    file_date: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class RawCluster:
    """A cluster as read.

    ``language`` is None if the source does not name one. ``problems`` are lines about references that are
    empty or could not be read. ``query`` is the question that a summary should answer, or "".
    """

    id: str
    documents: list[RawDocument]
    place: str
    references: list[str] = field(default_factory=list)
    language: str | None = None
    problems: list[str] = field(default_factory=list)
    query: str = ""
