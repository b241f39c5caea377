"""Divide plain text into paragraphs: join the lines of wrapped prose, and keep single lines apart."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Sequence

import regex

from summc.documents.raw import HEADING, PARAGRAPH, Block
from summc.documents.wrapping import HYPHEN, SOFT_HYPHEN, WITHOUT_SPACES, goes_on, is_closed, unwrap
from summc.system.inputs import whole_characters

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Characters that print nothing and are removed, except a soft hyphen at a line end, which divides a word.
_INVISIBLE = re.compile("[\ufeff\u2060\ufffe]|\u00ad(?![ \t]*[\r\n])")
# Each of these becomes a space: control characters are not text, and a zero-width space separates words.
_CONTROL = re.compile("[\\x00-\\x08\\x0e-\\x1b\\x1f\\x7f-\\x84\\x86-\\x9f\u200b]")
_INDENTED = re.compile(r"\n(?=\s)")  # before a blank or indented line
_QUOTED = re.compile(r"^\s*(?:>[ \t]?)+")  # the ">" before the lines that a mail quotes
_ROW = re.compile(
    r"\A\s*(?:# )?([-=*_~#+.])(?:\s*\1){2,}\s*\Z"
)  # a row such as "-----": an underline or a divider
#: By how many characters an underline may be longer or shorter than a heading.
_UNEVEN = 2
_HYPHENATED = regex.compile(r"[\p{Lu}\p{Ll}\p{N}]-$")
# Words before which a hyphen at a line end keeps its space, as in "pre- and post-war". Before any other word
# there is no space, as in "up-to-date".
_SUSPENDED = regex.compile(r"(?:and|or|to|und|oder|bis|et|ou|y|o|e|en|of|a|i|nebo)(?!\S)")


def without_controls(name: str) -> str:
    """Return a name on one line, safe to print in a terminal and to write as UTF-8."""
    return " ".join(_CONTROL.sub(" ", whole_characters(name)).split())


def paragraphs(text: str) -> list[str]:
    """Return the texts of ``plain_blocks``."""
    return [block.text for block in plain_blocks(text)]


def plain_blocks(text: str) -> list[Block]:
    """Return the paragraphs of plain text, with each run of white space as one space, and their lines.

    A blank line or a row such as ``-----`` ends a paragraph. An indented line or a list item begins one. The
    module ``wrapping`` decides about any other line end. A line that stands alone and is underlined is a
    heading.
    """
    rows = [_QUOTED.sub("", line).rstrip() for line in _lines(text)]
    lines = [_ROW.sub("", row) for row in rows]
    groups = itertools.groupby(range(len(lines)), key=lambda i: bool(lines[i]))
    blocks, result = [list(group) for is_text, group in groups if is_text], list[Block]()
    for block, parts in zip(blocks, unwrap([lines[i] for i in block] for block in blocks), strict=True):
        below = "".join(rows[block[-1] + 1 : block[-1] + 2])
        is_heading = len(block) == 1 and _is_underlined(lines[block[0]], below)
        kind = HEADING if is_heading else PARAGRAPH
        result += [Block(join_lines(part), kind, lines=tuple(part)) for part in parts]
    return result


def _is_underlined(line: str, below: str) -> bool:
    """Tell whether the line ``below`` is a row as long as a line that is no sentence."""
    return bool(below) and not is_closed(line) and abs(len(line) - len(below)) <= _UNEVEN


def indented_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text in which a line end means the same as a space, as in SGML.

    A line that is indented more than the least indented line of the text begins a new paragraph.
    """
    dedented = textwrap.dedent("\n".join(_lines(text)).expandtabs())
    groups = [group.split("\n") for group in _INDENTED.split(dedented) if group.strip()]
    return [join_lines([line for line in group if line.strip()]) for group in groups]


def meant_lines(text: str) -> list[str]:
    """Return each line of a text as a paragraph, for texts that no program wrapped.

    A line that clearly continues the line before it, as after a comma, is joined to that line.
    """
    groups: list[list[str]] = []
    before = ""
    for line in map(str.strip, _lines(text)):
        if line and (not before.strip("-") or not goes_on(before, line)):
            groups.append([line])
        elif line:
            groups[-1].append(line)
        before = line
    return list(map(join_lines, groups))


def _lines(text: str) -> list[str]:
    return _LINE_END.split(_CONTROL.sub(" ", _INVISIBLE.sub("", text)))


def join_lines(lines: Sequence[str]) -> str:
    """Return lines joined by spaces, but without a space inside a word or between Chinese characters."""
    text = [" ".join(lines[0].split())]
    for line in lines[1:]:
        before, part = text[-1], " ".join(line.split())
        is_suspended = _SUSPENDED.match(part)
        is_compound = _HYPHENATED.search(before) and not is_suspended
        if before.endswith(SOFT_HYPHEN) or (before.endswith(HYPHEN) and not is_suspended):
            text[-1] = before[:-1]
        elif not is_compound and not (WITHOUT_SPACES.match(before[-1]) and WITHOUT_SPACES.match(part)):
            text.append(" ")
        text.append(part)
    return "".join(text).rstrip(SOFT_HYPHEN)
