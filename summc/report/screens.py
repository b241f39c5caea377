"""Lay out text on a screen: how many columns a text takes, where a line may be broken, and colour."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import regex

#: A text and the name of its style, or "" for plain text.
Styled = tuple[str, str]

# Line-break classes of Unicode (UAX 14). No line begins with a closing bracket, a full stop, a small kana or
# the like, and no line ends with an opening bracket.
_NOT_FIRST = regex.compile(
    r"[\p{lb=CL}\p{lb=CP}\p{lb=EX}\p{lb=IS}\p{lb=NS}\p{lb=CJ}\p{lb=SY}\p{lb=IN}\p{lb=EM}\p{Pf}]"
)
_NOT_LAST = regex.compile(r"[\p{lb=OP}\p{Pi}\N{ZERO WIDTH JOINER}]")
_HANGUL = regex.compile(r"\p{Hangul}")


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a text is shown: its width in columns, None for no limit, and whether it shows colour."""

    columns: int | None = 80
    colour: bool = False


def width(text: str) -> int:
    """Return the number of columns that a text takes on a screen: two for each Chinese character."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def painted(text: str, codes: str) -> str:
    """Return a text in colour for a terminal; ``codes`` are those of ECMA-48, such as "31" for red."""
    return f"\x1b[{codes}m{text}\x1b[0m"


def beginning(text: str, most: int) -> str:
    """Return the beginning of a text that takes at most ``most`` columns."""
    used = 0
    for i, character in enumerate(text):
        used += _columns(character)
        if used > most:
            return text[:i]
    return text


def shortened(text: str, most: int) -> str:
    """Return a text shortened to at most ``most`` columns: its beginning, "..." and its end."""
    if width(text) <= most:
        return text
    kept = max(0, most - len("..."))
    return f"{beginning(text, kept - kept // 2)}...{beginning(text[::-1], kept // 2)[::-1]}"


def wrap(
    pieces: Iterable[Styled],
    columns: int,
    first: str = "",
    rest: str = "",
    paint: Callable[[str, str], str] = lambda text, _: text,
) -> Iterator[str]:
    """Yield styled text as lines of at most ``columns`` columns, broken between words.

    ``first`` is put before the first line and ``rest`` before the others. ``paint`` gets a text and the name
    of its style, and returns the styled text.
    """
    line, used, empty = first, len(first), True
    for spaced, word, taken in _words(pieces, columns - max(len(first), len(rest))):
        gap = 1 if spaced and not empty else 0
        if not empty and used + gap + taken > columns:
            yield line.rstrip(" ")  # only plain spaces, so that colour makes no difference
            line, used, gap = rest, len(rest), 0
        line += " " * gap
        for style, characters in groupby(word, itemgetter(1)):
            line += paint("".join(character for character, _ in characters), style)
        used, empty = used + gap + taken, False
    yield line.rstrip(" ")


def wrap_lines(text: str, columns: int | None, rest: str = "") -> str:
    """Return a text whose lines of more than ``columns`` columns, if not None, are broken between words.

    ``rest`` is put before each line that a break begins.
    """
    if columns is None:
        return text
    lines = (
        line if width(line) <= columns else "\n".join(wrap([(line, "")], columns, rest=rest))
        for line in text.split("\n")
    )
    return "\n".join(lines)


def _words(pieces: Iterable[Styled], most: int) -> Iterator[tuple[bool, list[Styled], int]]:
    """Yield the words between spaces, and the characters of Chinese; split words of over ``most`` columns.

    Each comes with whether a space is before it, as styled characters, and with its width.
    """
    spaced, word, used, before = False, list[Styled](), 0, ""
    for character, style in ((character, style) for text, style in pieces for character in text):
        space = character in " \t\n"
        too_long = used + _columns(character) > most
        if word and (space or too_long or _may_break(before, character)):
            yield spaced, word, used
            spaced, word, used = False, [], 0
        if space:
            spaced = True
        else:
            word.append((_harmless(character), style))
            used, before = used + _columns(character), character
    if word:
        yield spaced, word, used


@lru_cache(maxsize=4096)
def _may_break(before: str, after: str) -> bool:
    """Tell whether a line may be broken between two characters without a space between them."""
    return (
        any(_columns(each) > 1 and not _HANGUL.match(each) for each in (before, after))
        and bool(_columns(after))
        and not _NOT_FIRST.match(after)
        and not _NOT_LAST.match(before)
    )


@lru_cache(maxsize=4096)
def _harmless(character: str) -> str:
    """Return the character, or U+FFFD instead of a control character, which is not safe to print."""
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if not character or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
