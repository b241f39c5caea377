"""What the readers hand over: documents as paragraphs, not yet split into sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from summc.documents.sentences import PageStarts


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as read; ``place`` says where, and ``problem`` why nothing could be read there, if so.

    ``pages`` has the pages of each paragraph, and is empty where there are none. ``parted`` has the
    paragraphs that begin after a mere line end. ``date`` is what the text says of itself, as 2005-01-08, or
    ""; ``file_date`` is what the properties of the file say, or the mail that it came with. ``language`` is
    what the file says it is in, as en-GB, or "".
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

    ``language`` is None where the source does not name one; ``problems`` are lines about references that
    are empty or could not be read; ``query`` is the question that a summary should answer, or "".
    """

    id: str
    documents: list[RawDocument]
    place: str
    references: list[str] = field(default_factory=list)
    language: str | None = None
    problems: list[str] = field(default_factory=list)
    query: str = ""
