"""Numbers as people write them: lengths of summaries, counts of words, figures."""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from typing import Any

import regex

from summc.errors import SettingError

#: Unit of a length -> the suffix that follows the number. A number without a suffix is a number of words.
SUFFIXES = {"words": "", "sentences": "s", "characters": "c", "percent": "%", "tokens": "t"}
UNITS = tuple(SUFFIXES)

_AMOUNT = re.compile(r"\s*([^\s%]*?)\s*(%|[a-z]?)\s*", re.IGNORECASE)


def parse_amount(text: str, place: str) -> tuple[float, str]:
    """Return the number and the unit of a length: 5.0 and "sentences" for ``5s``; the unit of ``5`` is "".

    ``place`` names the setting in the error message.
    """
    match = _AMOUNT.fullmatch(text)
    units = {suffix: unit for unit, suffix in SUFFIXES.items()} | {"": "", "w": "words"}
    if match and match[2].lower() in units:
        with suppress(ValueError):
            return float(match[1]), units[match[2].lower()]
    raise SettingError(place, f"{text!r} is not a length", "write 100, 5s, 600c, 10% or 2000t")


# Characters of scripts without spaces between words. Each counts as a word, as in word processors.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_UNSPACED_OR_RUN = regex.compile(
    r"(?xV1)[\p{Han}\p{Hiragana}\p{Katakana}] | [[\p{L}\p{N}] -- [\p{Han}\p{Hiragana}\p{Katakana}]]+"
)


def count_words(text: str) -> int:
    """Return the number of words of a text, as ``wc -w`` counts them.

    Each Chinese or Japanese character counts as one word, and so does each run of other letters between them.
    """
    tokens = text.split()
    if text.isascii() or not _UNSPACED.search(text):
        return len(tokens)
    return sum(len(_UNSPACED_OR_RUN.findall(token)) if _UNSPACED.search(token) else 1 for token in tokens)


def first_words(text: str, most: int) -> str:
    """Return the first ``most`` words of a text, or all its words if it has fewer."""
    if not _UNSPACED.search(text):
        return " ".join(text.split()[:most])
    # A longer prefix never has fewer words, so bisection finds where to cut.
    end = bisect_right(range(len(text) + 1), most, key=lambda end: count_words(text[:end])) - 1
    return text[:end].rstrip()


def plain(number: float) -> float | int:
    """Return a whole number as an integer, so that it prints as 100, not 100.0; return others unchanged."""
    return int(number) if abs(number) <= 1e15 and float(number).is_integer() else number  # noqa: PLR2004 (exact below)


def shown(value: Any) -> Any:
    """Return the value of a setting as people write it: 100.0 becomes 100, other values are unchanged."""
    return plain(value) if isinstance(value, float) else value


def figure(value: float, digits: int) -> str:
    """Return a number with ``digits`` significant digits, but all before the point: "12346" for 12345.6."""
    is_long = 10**digits - 0.5 <= value < 1e15  # noqa: PLR2004 (exact below)
    return f"{value:.0f}" if is_long else f"{value:.{digits}g}"
