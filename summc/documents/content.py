"""The content of a file, as the reader of its format returns it."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """The text of a file as paragraphs, and the files attached to it.

    ``pages`` says, for each paragraph, on which pages it is; it is empty if the format has no pages. ``date``
    is the date that the file states for its text, such as 2005-01-08, or "". ``file_date`` is the date in
    the properties of the file, such as when it was created, or "". ``language`` is the language that the
    file states, such as en-GB, or "".
    """

    paragraphs: list[str]
    pages: list[PageStarts] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    date: str = ""
    file_date: str = ""
    language: str = ""


def count_inked(text: str) -> int:
    """Return how many characters a text has without spaces.

    The counts of the parts of a text add up to the count of the text, however it is split and trimmed.
    """
    return len("".join(text.split()))
