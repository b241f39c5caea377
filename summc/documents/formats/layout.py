"""Make paragraphs from the lines of PDF pages, by the positions of the lines.

Running heads and feet (the lines repeated at the top and bottom of pages) and page numbers are dropped.
Lines are read in the order of the file, which has columns one after the other. Divided words are joined, and
a paragraph may continue in the next column or on the next page. A row is all lines at the same height.
"""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace

import regex

from summc.documents.raw import Block, count_inked
from summc.documents.wrapping import LIST_ITEM, WITHOUT_SPACES, goes_on
from summc.records import Box

_EDGE_ROWS = 3  # a running head or foot is among this many rows at the top or bottom of a page
_NEIGHBOURS = (-2, -1, 1, 2)  # pages to compare with: left and right pages may have different heads
_SAME_PLACE = 3.0  # points by which the height of a running head may vary between pages
_PAGE_NUMBER = re.compile(
    r"(?i)(?:\w{1,6}\.?\s)?[-\u2013\u2014\[(|]?\s*(?:\d{1,4}|[ivxlc]{1,7})\s*[-\u2013\u2014\])|]?"
    r"(?:\s*(?:/|of|von|de|sur|di)\s*\d{1,4})?"
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_COMPOUND = regex.compile(r"[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*")
# Words that end in a hyphen at a line end, and the word after them if it begins with a small letter.
_DIVIDED = regex.compile(r"(?<![\p{L}\p{M}])(?:[\p{L}\p{M}]++-\n)+(?:\p{Ll}[\p{L}\p{M}]*)?")
# The halves of a divided word. In "state-" above "of-the-art" the hyphen always stays.
_HALF = regex.compile(r"(?<![\p{L}\p{M}])([\p{L}\p{M}]++)-\n(?=(\p{Ll}[\p{L}\p{M}]*+)(?!-))")
_JOINT = "\0"  # in the text of a paragraph, a line end without a space; no line has this character
_NO_SPACE = regex.compile(rf"(?<=-)\n|(?<={WITHOUT_SPACES.pattern})\n(?={WITHOUT_SPACES.pattern})")
_RIGHT_TO_LEFT = regex.compile(r"[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}]")
_FINISHED = regex.compile(r"[.!?:\u3002\uff01\uff1f\u061f\u06d4\u0964\u2026][\p{Pe}\p{Pf}\"'\u2019\d]*$")
# The next three distances are multiples of the letter size.
_SAME_ROW = 0.4  # lines whose heights differ by no more are on the same row
_INDENT = 0.7  # a line that begins more than this to the right of the line before is indented
_BETWEEN_CELLS = 2.0  # a wider gap separates table cells; the words of a justified line are closer
_LARGER_STEP = 1.3  # a paragraph ends where the distance to the next line is more than this many usual ones
_OTHER_SIZE = 0.1  # letter sizes that differ by more than this share are different
_LETTER = 0.5  # the estimated width of a letter, as a multiple of the letter size
_FEWEST_ROWS = 3  # the fewest rows that show that lines are justified
_FLUSH = 1.5  # points: justified lines end within this distance of each other
_STRETCHED = 4  # in a justified block, at least one line in four ends at the right margin
_FARTHEST_BACK = 50  # how many paragraphs back an unfinished one is looked for


@dataclass(frozen=True, slots=True)
class PageLine:
    """A piece of text on one row of a page, with its position and letter size in points.

    ``bottom`` is the height of its baseline; higher lines have larger values. ``cells`` tells whether it is a
    row of table cells. ``words`` are the boxes of its words, or () if they are not known.
    """

    text: str
    page: int
    left: float
    right: float
    bottom: float
    size: float
    bold: bool = False
    cells: bool = False
    words: tuple[Box, ...] = field(default=(), compare=False)


def page_paragraphs(pages: Sequence[Sequence[PageLine]]) -> list[Block]:
    """Return the paragraphs of a document, given by the lines of its pages."""
    body = _without_running_lines([_from_left_to_right(page) for page in pages])
    lines = [line for page in body for line in _joined_rows(page)]
    # All words of the document but those that a line end may have divided.
    words = set(_COMPOUND.findall(_DIVIDED.sub(" ", "".join(f"{line.text}\n" for line in lines)).lower()))
    return [_block(group, _joined(group, words)) for group in _group(lines)]


def _from_left_to_right(page: Sequence[PageLine]) -> list[PageLine]:
    """Return the lines of a page, mirrored if most of its text is written from right to left."""
    letters = regex.sub(r"\P{L}", "", "".join(line.text for line in page))
    if 2 * len(_RIGHT_TO_LEFT.findall(letters)) <= len(letters):
        return list(page)
    return [replace(line, left=-line.right, right=-line.left) for line in page]


# Running heads, feet and page numbers


def _without_running_lines(pages: Sequence[Sequence[PageLine]]) -> list[list[PageLine]]:
    rows = [_rows(page) for page in pages]
    edges = [list(itertools.chain(*page_rows[:_EDGE_ROWS], *page_rows[-_EDGE_ROWS:])) for page_rows in rows]
    body: list[list[PageLine]] = []
    for index, page in enumerate(pages):
        around = [edges[index + step] for step in _NEIGHBOURS if 0 <= index + step < len(edges)]
        near = list(itertools.chain(*around))
        dropped = {line for line in edges[index] if any(_repeats(line, other) for other in near)}
        outermost = [*rows[index][0], *rows[index][-1]] if len(rows[index]) > 1 else []
        dropped.update(line for line in outermost if _PAGE_NUMBER.fullmatch(line.text.strip()))
        body.append([line for line in page if line not in dropped])
    # If no line is left, whole pages repeat each other. Then their lines are not running heads: keep them.
    return body if any(body) else [list(page) for page in pages]


def _repeats(line: PageLine, other: PageLine) -> bool:
    """Tell whether two lines of different pages are at the same place, and differ only in numbers."""
    is_there = abs(other.bottom - line.bottom) <= _SAME_PLACE
    return is_there and _DIGITS.sub("0", other.text) == _DIGITS.sub("0", line.text)


# Rows


def _joined_rows(lines: Iterable[PageLine]) -> list[PageLine]:
    joined: list[PageLine] = []
    for line in lines:
        if joined and _on_one_row(joined[-1], line) and line.left >= joined[-1].right:
            before = joined[-1]
            text, bold = f"{before.text} {line.text}", before.bold and line.bold
            cells = before.cells or line.left - before.right > _BETWEEN_CELLS * line.size
            words = (*before.words, *line.words) if before.words and line.words else ()
            joined[-1] = replace(before, text=text, right=line.right, bold=bold, cells=cells, words=words)
        else:
            joined.append(line)
    return joined


def _rows(page: Iterable[PageLine]) -> list[list[PageLine]]:
    """Return the rows of a page from top to bottom, each as its lines from left to right."""
    rows: list[list[PageLine]] = []
    for line in sorted(page, key=lambda line: -line.bottom):
        if rows and _on_one_row(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _on_one_row(line: PageLine, other: PageLine) -> bool:
    return abs(line.bottom - other.bottom) <= _SAME_ROW * max(line.size, other.size)


# Paragraphs


def _group(lines: Sequence[PageLine]) -> list[list[PageLine]]:
    groups: list[list[PageLine]] = []
    columns = _columns(lines)
    step, edges = _usual_step(columns), _right_edges(columns)
    for line in lines:
        last = groups[-1][-1] if groups else None
        if last is None or not _is_below(last, line):
            paragraph = _unfinished(groups, line)
        else:
            paragraph = groups[-1] if _continues_below(last, line, step, edges) else None
        if paragraph is None:
            groups.append(paragraph := [])
        paragraph.append(line)
    return groups


def _is_below(line: PageLine, following: PageLine) -> bool:
    """Tell whether ``following`` is below ``line`` in the same column of the same page."""
    overlap = min(line.right, following.right) - max(line.left, following.left)
    return line.page == following.page and following.bottom < line.bottom and overlap > 0


def _continues_below(line: PageLine, following: PageLine, step: float, edges: dict[PageLine, float]) -> bool:
    if _differ(line, following) or line.bold > following.bold or LIST_ITEM.match(following.text):
        return False
    if (line.bottom - following.bottom) / line.size > _LARGER_STEP * step:
        return False
    if goes_on(line.text, following.text):
        return True
    if line.cells or following.cells:
        return False
    if following.left - line.left > _INDENT * line.size and not LIST_ITEM.match(line.text):
        return False
    first = following.text.split(maxsplit=1)[0]
    return line.right + _LETTER * line.size * (len(first) + 1) > edges[line] - _LETTER * line.size


def _unfinished(groups: Sequence[list[PageLine]], line: PageLine) -> list[PageLine] | None:
    """Return the paragraph that a line at the top of a column or page continues, or None.

    Notes, tables or captions may come between, if the line clearly goes on with the sentence.
    """
    for back, group in enumerate(itertools.islice(reversed(groups), _FARTHEST_BACK)):
        last = group[-1]
        if line.page - last.page > 1:
            return None
        if _differ(last, line) or last.bold != line.bold:
            continue
        if _FINISHED.search(last.text) or LIST_ITEM.match(line.text):
            return None
        if goes_on(last.text, line.text):
            return group
        lower = line.page == last.page and line.bottom < last.bottom  # not at the top of a column
        return group if back == 0 and len(group) > 1 and not lower else None
    return None


def _differ(line: PageLine, other: PageLine) -> bool:
    return abs(line.size - other.size) > _OTHER_SIZE * max(line.size, other.size)


def _columns(lines: Sequence[PageLine]) -> list[Sequence[PageLine]]:
    """Return the lines in columns: each line is below the one before it, and in letters of the same size."""
    pairs = enumerate(itertools.pairwise(lines), start=1)
    begins = [i for i, (line, other) in pairs if not _is_below(line, other) or _differ(line, other)]
    return [lines[i:j] for i, j in itertools.pairwise([0, *begins, len(lines)])]


def _usual_step(columns: Iterable[Sequence[PageLine]]) -> float:
    """Return the usual distance between two lines of a paragraph, as a multiple of the letter size."""
    pairs = itertools.chain.from_iterable(map(itertools.pairwise, columns))
    steps = sorted((line.bottom - following.bottom) / line.size for line, following in pairs)
    # Headings and gaps between paragraphs make larger distances, so take a value from the lower half.
    return steps[len(steps) // 3] if steps else 1.2


def _right_edges(columns: Iterable[Sequence[PageLine]]) -> dict[PageLine, float]:
    """Return, for each line, where it would end if it were full, in points from the left.

    Justified lines that begin at the same place on a page end at the same place. Another line would end where
    the longest of the lines above and below it in its column ends.
    """
    edges: dict[PageLine, float] = {}
    blocks: dict[tuple[int, int], list[PageLine]] = {}
    for column in columns:
        edges.update(dict.fromkeys(column, max((line.right for line in column), default=0)))
        for line in column:
            blocks.setdefault((line.page, round(line.left)), []).append(line)
    for block in blocks.values():
        least = max(_FEWEST_ROWS, len(block) // _STRETCHED)
        rights = sorted((line.right for line in block), reverse=True)
        pairs = zip(rights, rights[least - 1 :], strict=False)
        if edge := next((right for right, last in pairs if right - last <= _FLUSH), None):  # justified
            edges.update((line, edge) for line in block if line.right <= edge)
    return edges


# Text


def _joined(lines: Iterable[PageLine], words: Container[str]) -> str:
    """Return the text of a paragraph; line ends where a space belongs are kept, and the others are joints."""

    def undivided(match: regex.Match[str]) -> str:
        half, rest = match[1].lower(), match[2].lower()
        # The hyphen is part of the word, as in "well-known", if the document has the word with a hyphen, or
        # both halves, but not the word without a hyphen.
        is_compound = f"{half}-{rest}" in words or (half in words and rest in words)
        return f"{match[1]}{'-' if is_compound and half + rest not in words else ''}{_JOINT}"

    text = _HALF.sub(undivided, "\n".join(line.text for line in lines))
    return _NO_SPACE.sub(_JOINT, text)


def _block(lines: Sequence[PageLine], text: str) -> Block:
    """Return a paragraph with its pages and words, given its lines and its text with joints."""
    pieces = text.replace(_JOINT, "\n").split("\n")
    before = itertools.accumulate(map(count_inked, pieces), initial=0)
    firsts: dict[int, int] = {}
    words = array("f")
    for line, inked in zip(lines, before, strict=False):
        firsts.setdefault(line.page, inked)
        starts = itertools.accumulate(map(len, line.text.split()), initial=inked)
        words.extend(
            number for start, box in zip(starts, line.words, strict=False) for number in (start, *box)
        )
    pages = tuple((inked, page) for page, inked in firsts.items())
    are_known = all(line.words for line in lines)
    return Block(" ".join(text.replace(_JOINT, "").split()), pages=pages, words=words if are_known else ())
