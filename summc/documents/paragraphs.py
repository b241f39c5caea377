"""Plain text to paragraphs: hard-wrapped lines are joined, a line that stands alone is left alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\ufeff\u00ad\u2060]")
# What moves a cursor or a typewriter is no text; a zero-width space is one that cannot be seen.
_CONTROL = re.compile("[\\x00-\\x08\\x0e-\\x1b\\x1f\\x7f-\\x84\\x86-\\x9f\u200b]")
_HALF = re.compile("[\ud800-\udfff]")  # of a character: so Python keeps what in a name is not UTF-8
_QUOTED = re.compile(r"^\s*(?:>[ \t]?)+")  # as mail quotes mail
_HYPHENATED = re.compile(r"[^\W\d_]-$")
#: How an item of a list begins.
LIST_ITEM = re.compile(r"\s*(?:[-*+\u2022\u2013]|(?P<number>\d{1,3})[.)])\s")
_ROW = re.compile(r"\s*([-=*_~#+.])(?:\s*\1){2,}\s*")  # of marks, which underlines a headline or parts a text
_GOES_ON = (",", ";", "-", "\N{EN DASH}", "\N{EM DASH}", "\N{ARABIC COMMA}", "(")


def without_controls(name: str) -> str:
    """Return a name on one line that a terminal can be trusted with, and that can be written as UTF-8."""
    return " ".join(_HALF.sub("\N{REPLACEMENT CHARACTER}", _CONTROL.sub(" ", name)).split())


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, white space folded.

    A blank line or a row of marks ends a paragraph, and so does a line that is indented after one that is
    not, and the item of a list. Any other line end is a hard wrap, and joined, where the next word would not
    have fitted on the line, or where the text plainly goes on; else it was meant: a headline, a date.
    """
    clean = _CONTROL.sub(" ", _INVISIBLE.sub("", text))
    lines = [_QUOTED.sub("", line) for line in _LINE_END.split(clean)]
    return [
        _join(paragraph)
        for block in _blocks(lines)
        for paragraph in _unwrap([line.rstrip() for line in block])
    ]


def meant_lines(text: str) -> list[str]:
    """Return the paragraphs of a text whose line ends were all meant, but where it plainly goes on."""
    found: list[list[str]] = []
    before = ""
    for line in _LINE_END.split(_CONTROL.sub(" ", _INVISIBLE.sub("", text))):
        following = line.strip()
        if following and before.strip("-") and goes_on(before, following):
            found[-1].append(following)
        elif following:
            found.append([following])
        before = following
    return [_join(lines) for lines in found]


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    for between, group in itertools.groupby(lines, key=_stands_between):
        if not between:
            yield list(group)


def _stands_between(line: str) -> bool:
    return not line.strip() or _ROW.fullmatch(line) is not None


def _unwrap(lines: list[str]) -> Iterator[list[str]]:
    width = max(map(len, lines))
    full = [_is_full(line, following, width) for line, following in itertools.pairwise(lines)]
    # The longest line is full by definition; only where full lines are common was the text wrapped.
    wrapped = 2 * sum(full) >= len(full)
    paragraph = lines[:1]
    numbers = _item_numbers(lines)
    for is_full, (line, following) in zip(full, itertools.pairwise(lines), strict=True):
        if not _begins_anew(line, following, numbers) and ((wrapped and is_full) or goes_on(line, following)):
            paragraph.append(following)
        else:
            yield paragraph
            paragraph = [following]
    yield paragraph


def _is_full(line: str, following: str, width: int) -> bool:
    """Tell whether the first word of the following line would not have fitted on the line."""
    return len(line) + 1 + len(following.split(maxsplit=1)[0]) > width


def _begins_anew(line: str, following: str, numbers: set[int]) -> bool:
    indented = following[0].isspace() and not line[0].isspace()
    if indented and not following.lstrip()[0].islower():
        return True
    item = LIST_ITEM.match(following)
    if item is None or not item["number"] or not line.endswith(","):
        return item is not None
    # After a comma "71. ..." is somebody's age, unless 70 or 72 is an item too.
    return not numbers.isdisjoint((int(item["number"]) - 1, int(item["number"]) + 1))


def _item_numbers(lines: list[str]) -> set[int]:
    """Return the numbers that lines begin with as items of a list do."""
    items = map(LIST_ITEM.match, lines)
    return {int(item["number"]) for item in items if item and item["number"]}


def goes_on(line: str, following: str) -> bool:
    """Tell whether a text plainly goes on over a line end: with a small letter, or after a comma."""
    return following.lstrip()[0].islower() or line.endswith(_GOES_ON)


def _join(lines: list[str]) -> str:
    # "state-" above "owned" is one hyphenated word: no space belongs between its halves.
    text = "".join(line if _HYPHENATED.search(line) else f"{line} " for line in lines)
    return " ".join(text.split())
