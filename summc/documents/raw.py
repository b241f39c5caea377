"""The records that readers of formats return: documents in blocks, not yet split into sentences."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The pages that a paragraph is on. Each entry has the number of visible characters of the paragraph that
#: come before the page, and the number of the page.
PageStarts = tuple[tuple[int, int], ...]


#: How many numbers of ``Block.words`` describe a word.
WORD_NUMBERS = 6

#: The kinds of blocks. A row of a table, whose cells mean something only together, is never split. A cell is
#: one of a row that is too long for that. A line is one of a log, or of a text that is split into
#: lines, and is never split itself; it is routine if other lines of the log report errors.
PARAGRAPH, HEADING, ITEM, QUOTATION = "paragraph", "heading", "item", "quotation"
CELL, ROW = "cell", "row"
LINE, ROUTINE = "line", "routine"
#: Blocks of these kinds are one sentence, whatever their punctuation is.
UNDIVIDED = frozenset({HEADING, ROW, LINE, ROUTINE})

#: The sign that stands in a text for a formula in markup. A sentence with it is not chosen.
FORMULA = "\N{OBJECT REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file, and where each of its letters and digits stands in it."""

    text: str
    letters: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document with its kind: a paragraph, a heading, an item of a list, ...

    ``speaker`` is the name of who says or writes it, or "". ``lines`` are the lines of a paragraph of plain
    text, and () in other formats. ``words`` has six numbers for each word of a PDF: how many visible
    characters of the block come before it, its page, and its box as in ``Box``. If it is known where the
    block stands in the text of its file, ``source``, then ``place`` is the number of letters and digits
    before it. ``level`` is that of a heading, or 0.
    """

    text: str
    kind: str = PARAGRAPH
    speaker: str = ""
    pages: PageStarts = ()
    lines: tuple[str, ...] = ()
    words: Sequence[float] = field(default=(), compare=False)
    source: SourceText | None = field(default=None, compare=False)
    place: int = field(default=0, compare=False)
    level: int = 0

    def without_head(self, text: str, speaker: str) -> Block:
        """Return the block with only the ``text`` at its end, which the speaker says."""
        before = count_inked(self.text) - count_inked(text)
        words = array("f", self.words)
        words[::WORD_NUMBERS] = array("f", (start - before for start in words[::WORD_NUMBERS]))
        pages = tuple((max(0, start - before), page) for start, page in self.pages)
        return replace(self, text=text, speaker=speaker, pages=pages, words=words)


def paragraph_blocks(texts: Iterable[str]) -> list[Block]:
    """Return a block for each paragraph of a text whose structure is not known."""
    return list(map(Block, texts))


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that is contained in another file, such as a file attached to a mail."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Content:
    """The blocks of a file, the files attached to it, and what it states: title, dates and language.

    ``date`` is the date of the text, and ``file_date`` that in the properties of the file, or "". If the
    reader ``knows_headings``, no other block is one. A file that holds several documents, such as messages or
    the rows of a table, has them as ``parts``.
    """

    blocks: list[Block]
    attachments: list[Attachment] = field(default_factory=list)
    date: str = ""
    file_date: str = ""
    language: str = ""
    knows_headings: bool = False
    title: str = ""
    parts: list[Content] = field(default_factory=list)


def count_inked(text: str) -> int:
    """Return how many characters a text has without spaces.

    The counts of the parts of a text add up to the count of the text, however it is split and trimmed.
    """
    return len("".join(text.split()))


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as read from ``place``, a path for messages; if it could not be read, ``problem`` says why.

    The other fields are as in ``Content``. ``lacks_extra`` says that summc[documents] is missing.
    """

    id: str
    blocks: list[Block]
    place: str
    problem: str = ""
    date: str = ""
    file_date: str = ""
    language: str = ""
    knows_headings: bool = False
    title: str = ""
    lacks_extra: bool = False

    @property
    def paragraphs(self) -> list[str]:
        """The text of each block."""
        return list(map(attrgetter("text"), self.blocks))


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
