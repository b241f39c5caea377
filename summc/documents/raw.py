"""The records that readers of formats return: documents in paragraphs, not yet split into sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: The pages that a paragraph is on. Each entry has the number of visible characters of the paragraph that
#: come before the page, and the number of the page.
PageStarts = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that is contained in another file, such as a file attached to a mail."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Content:
    """The paragraphs of a file, the pages of each, the files attached to it, its dates and its language.

    ``date`` is the date of the text, and ``file_date`` that in the properties of the file, or "".
    ``speakers`` has the name of the speaker of each paragraph, or is empty.
    """

    paragraphs: list[str]
    pages: list[PageStarts] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    date: str = ""
    file_date: str = ""
    language: str = ""
    speakers: list[str] = field(default_factory=list)


def count_inked(text: str) -> int:
    """Return how many characters a text has without spaces.

    The counts of the parts of a text add up to the count of the text, however it is split and trimmed.
    """
    return len("".join(text.split()))


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as read from ``place``, a path for messages; if it could not be read, ``problem`` says why.

    ``pages``, ``date``, ``file_date`` and ``speakers`` are as in ``Content``. ``lacks_extra`` says that
    summc[documents] is missing.
    """

    id: str
    paragraphs: list[str]
    place: str
    problem: str = ""
    pages: list[PageStarts] = field(default_factory=list)
    date: str = ""
    file_date: str = ""
    language: str = ""
    speakers: list[str] = field(default_factory=list)
    lacks_extra: bool = False


@dataclass(frozen=True, slots=True)
class RawCluster:
    """A cluster as read: documents to be summarized together, and the reference summaries, if any.

    ``problems`` has a message for each reference that is empty or could not be read. ``query`` is the
    question to answer. ``members`` are copied from the JSON line of the cluster to that of the summary.
    """

    id: str
    documents: list[RawDocument]
    place: str
    references: list[str] = field(default_factory=list)
    language: str | None = None
    problems: list[str] = field(default_factory=list)
    query: str = ""
    members: Mapping[str, Any] = field(default_factory=dict)


_MOST_LISTED = 5


def listed(names: Sequence[str]) -> str:
    """Return a list of names for a message, such as "a, b, c, d, e and 3 more"."""
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
