"""Plain text to paragraphs: hard-wrapped lines are joined, a line that stands alone is left alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\ufeff\u200b\u00ad\u2060]")
_HYPHENATED = re.compile(r"[^\W\d_]-$")
_GOES_ON = (",", ";", "-", "\N{EN DASH}", "\N{EM DASH}", "\N{ARABIC COMMA}", "(")


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, white space folded.

    A blank line ends a paragraph, and so does a line that is indented after one that is not. Within the
    lines between, a line end is a hard wrap, and joined, where the next word would not have fitted on the
    line, or where the text plainly goes on; any other was meant: a headline, a date, a list.
    """
    lines = _LINE_END.split(_INVISIBLE.sub("", text))
    return [
        _join(paragraph)
        for block in _blocks(lines)
        for paragraph in _unwrap([line.rstrip() for line in block])
    ]


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    for blank, group in itertools.groupby(lines, key=lambda line: not line.strip()):
        if not blank:
            yield list(group)


def _unwrap(lines: list[str]) -> Iterator[list[str]]:
    width = max(len(line) for line in lines)
    paragraph = lines[:1]
    for line, following in itertools.pairwise(lines):
        if _is_wrapped(line, following, width):
            paragraph.append(following)
        else:
            yield paragraph
            paragraph = [following]
    yield paragraph


def _is_wrapped(line: str, following: str, width: int) -> bool:
    if following[0].isspace() and not line[0].isspace():
        return False
    word = following.split(maxsplit=1)[0]
    return word[0].islower() or line.endswith(_GOES_ON) or len(line) + 1 + len(word) > width


def _join(lines: list[str]) -> str:
    # "state-" above "owned" is one hyphenated word: no space belongs between its halves.
    text = "".join(line if _HYPHENATED.search(line) else f"{line} " for line in lines)
    return " ".join(text.split())
