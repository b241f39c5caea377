"""What a reader finds in a file."""

from __future__ import annotations

from dataclasses import dataclass, field

from summc.documents.sentences import PageStarts


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came inside another."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a file as paragraphs, and the files that came attached to it.

    ``pages`` has the pages of each paragraph, and is empty where there are none. ``date`` is what the text
    says of itself, as 2005-01-08, or ""; ``file_date`` what the properties of the file say. ``language`` is
    the one that the file states, as en-GB, or "".
    """

    paragraphs: list[str]
    pages: list[PageStarts] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    date: str = ""
    file_date: str = ""
    language: str = ""
