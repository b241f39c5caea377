"""Lay out text on a screen: how many columns a text takes, where a line may be broken, and colour.

``wcwidth`` measures and wraps. It takes some 30 ms to import, so functions import it when they run. It breaks
lines of Chinese and Japanese anywhere, so this module says where they may be broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import regex

#: A text and the name of its style, or "" for plain text.
Styled = tuple[str, str]

# A line may be broken at spaces, and beside a wide character that is not Hangul. By the line-break classes of
# Unicode (UAX 14) no line begins with a closing bracket, a full stop, a small kana or the like, and no line
# ends with an opening bracket.
_BREAK: Any = regex.compile(
    r"""(?xV1)([\ ]+)|
    (?<![\p{lb=OP}\p{Pi}\N{ZERO WIDTH JOINER}])
    (?:(?<=[[\p{ea=W}\p{ea=F}]--\p{Hangul}])|(?=[[\p{ea=W}\p{ea=F}]--\p{Hangul}]))
    (?![\p{lb=CL}\p{lb=CP}\p{lb=EX}\p{lb=IS}\p{lb=NS}\p{lb=CJ}\p{lb=SY}\p{lb=IN}\p{lb=EM}\p{Pf}\p{M}\p{Cf}])"""
)
_CONTROL = regex.compile(r"(?V1)[[\p{Cc}\p{Zl}\p{Zp}]--[\t\n]]")
_SPACES = regex.compile(r"[ \t\n]+")
#: A space at the end of a line, perhaps before codes of colour.
_TRAILING = regex.compile(r" ((?:\x1b\[[\d;]*m)*)$")


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a text is shown: its width in columns, None for no limit, and whether it shows colour."""

    columns: int | None = 80
    colour: bool = False


def width(text: str) -> int:
    """Return the number of columns that a text takes on a screen: two for each Chinese character."""
    import wcwidth  # noqa: PLC0415

    return len(text) if text.isascii() else wcwidth.width(text)


def painted(text: str, codes: str) -> str:
    """Return a text in colour for a terminal; ``codes`` are codes of ECMA-48, such as "31" for red."""
    return f"\x1b[{codes}m{text}\x1b[0m"


def harmless(text: str) -> str:
    """Return a text with U+FFFD in place of control characters, which are not safe to print."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def clipped(text: str, start: int, end: int) -> str:
    """Return the part of a text from column ``start`` to column ``end``, without half characters."""
    import wcwidth  # noqa: PLC0415

    return wcwidth.clip(text, start, end, fillchar="")


def shortened(text: str, most: int) -> str:
    """Return a text shortened to at most ``most`` columns: its beginning, "..." and its end."""
    whole = width(text)
    if whole <= most:
        return text
    room = max(0, most - len("..."))
    return f"{clipped(text, 0, room - room // 2)}...{clipped(text, whole - room // 2, whole)}"


def wrap(text: str, columns: int, first: str = "", rest: str = "") -> list[str]:
    """Return a text as lines of at most ``columns`` columns, broken between words.

    ``first`` is put before the first line and ``rest`` before the others. The text may have colour.
    """
    from wcwidth import propagate_sgr  # noqa: PLC0415
    from wcwidth.textwrap import SequenceTextWrapper  # noqa: PLC0415

    wrapper = SequenceTextWrapper(
        max(columns, 1), initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
    wrapper.wordsep_simple_re = _BREAK
    lines = wrapper.wrap(_SPACES.sub(" ", text).strip(" "))
    return propagate_sgr([_TRAILING.sub(r"\1", line) for line in lines])


def wrap_lines(text: str, columns: int | None, rest: str = "") -> str:
    """Return a text with lines of at most ``columns`` columns, broken between words; None means no limit.

    ``rest`` is put before each line that a break begins.
    """
    if columns is None:
        return text
    lines = (
        line if width(line) <= columns else "\n".join(wrap(harmless(line), columns, rest=rest))
        for line in text.split("\n")
    )
    return "\n".join(lines)
