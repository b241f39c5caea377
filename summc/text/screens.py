"""Lay out text on a screen: how many columns a text takes, where a line may be broken, and colour."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

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

#: A text has few different characters, and each of them is asked about many times.
_remembered = lru_cache(maxsize=4096)


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
    kept, used = "", 0
    for character in text:
        used += _columns(character)
        if used > most:
            break
        kept += character
    return kept


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

    ``pieces`` are texts with the names of their styles. ``first`` is put before the first line and ``rest``
    before the others. ``paint`` gets a text and the name of its style, and returns the styled text.
    """
    line, used = first, len(first)
    empty = True
    for word in _words(pieces, columns - max(len(first), len(rest))):
        gap = 1 if word.spaced and not empty else 0
        if not empty and used + gap + word.columns > columns:
            yield line.rstrip(" ")  # only plain spaces, so that colour makes no difference
            line, used, gap = rest, len(rest), 0
        line += " " * gap + "".join(paint(text, style) for text, style in word.pieces)
        used += gap + word.columns
        empty = False
    yield line.rstrip(" ")


def wrap_lines(text: str, columns: int | None, rest: str = "") -> str:
    """Return a text whose lines of more than ``columns`` columns are broken between words.

    ``rest`` is put before each line that a break begins. If ``columns`` is None, the text is not changed.
    """
    if columns is None:
        return text
    lines = (
        line if width(line) <= columns else "\n".join(wrap([(line, "")], columns, rest=rest))
        for line in text.split("\n")
    )
    return "\n".join(lines)


@dataclass(slots=True)
class _Unbroken:
    """A piece of text that is not broken over two lines.

    It has its styled parts, its width in columns, and whether a space comes before it.
    """

    spaced: bool
    pieces: list[Styled] = field(default_factory=list)
    columns: int = 0

    def add(self, character: str, style: str) -> None:
        if self.pieces and self.pieces[-1][1] == style:
            self.pieces[-1] = (self.pieces[-1][0] + character, style)
        else:
            self.pieces.append((character, style))
        self.columns += _columns(character)


def _words(pieces: Iterable[Styled], most: int) -> Iterator[_Unbroken]:
    """Yield the pieces of a text between which a line may be broken.

    They are the words between spaces, and the characters of Chinese and Japanese. A word of more than
    ``most`` columns is split.
    """
    word, before = _Unbroken(spaced=False), ""
    for text, style in pieces:
        for character in text:
            space = character in " \t\n"
            too_long = word.columns + _columns(character) > most
            if word.pieces and (space or too_long or _may_break(before, character)):
                yield word
                word = _Unbroken(spaced=space)
            if space:
                word.spaced = True
                continue
            word.add(_harmless(character), style)
            before = character
    if word.pieces:
        yield word


def _may_break(before: str, after: str) -> bool:
    """Tell whether a line may be broken between two characters without a space between them."""
    return (
        (_stands_alone(before) or _stands_alone(after))
        and bool(_columns(after))
        and not _NOT_FIRST.match(after)
        and not _NOT_LAST.match(before)
    )


@_remembered
def _stands_alone(character: str) -> bool:
    """Tell whether a character is of a script without spaces between words, such as Chinese."""
    return _columns(character) > 1 and not _HANGUL.match(character)


@_remembered
def _harmless(character: str) -> str:
    """Return the character, or U+FFFD instead of a control character, which is not safe to print."""
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character


@_remembered
def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
