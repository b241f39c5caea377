"""Cut a text before it is scored, as ROUGE-1.5.5 does: after K words (``-l``) or after N bytes (``-b``).

Each function takes and returns the lines of a text, because ROUGE-L and ROUGE-W compare texts line by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from summc.text.numbers import count_words, first_words

_WHITE_SPACE = " \t\n\r\f\v"  # ASCII only: a no-break space does not separate words
_SEPARATOR = re.compile(f"[{_WHITE_SPACE}]+")


def cut_at_words(lines: Sequence[str], most: int) -> list[str]:
    """Return the first ``most`` words of a text, as ROUGE-1.5.5 counts words.

    Words are separated by ASCII white space, so "well-known" is one word. White space at the beginning of a
    line counts as one more word, because Perl's ``split`` finds an empty field before it.
    """
    kept: list[str] = []
    for line in lines:
        if most <= 0:
            break
        fields = _SEPARATOR.split(line.rstrip(_WHITE_SPACE)) if line.strip(_WHITE_SPACE) else []
        kept.append(" ".join(fields[:most]))
        most -= len(fields)
    return kept


def cut_at_words_of_every_script(lines: Sequence[str], most: int) -> list[str]:
    """Return the first ``most`` words of a text, as summc's budget counts words.

    Each Chinese or Japanese character is a word.
    """
    kept: list[str] = []
    for line in lines:
        if most <= 0:
            break
        kept.append(first_words(line, most))
        most -= count_words(line)
    return kept


def cut_at_bytes(lines: Sequence[str], most: int) -> list[str]:
    """Return the first ``most`` bytes of a text in UTF-8. Line ends are not counted."""
    kept: list[str] = []
    for line in lines:
        if most <= 0:
            break
        kept.append(_first_bytes(line, most))
        most -= _size(line)
    return kept


def cut_lines_at_bytes(lines: Sequence[str], most: int) -> list[str]:
    """Return the lines that ROUGE-L and ROUGE-W compare under a byte limit.

    For these two metrics ROUGE-1.5.5 does not add up the lengths of the lines. It compares the length of each
    line with the limit, ``most`` bytes. The first line that reaches the limit is cut, and the lines after it
    are dropped.
    """
    kept: list[str] = []
    for line in lines:
        kept.append(_first_bytes(line, most))
        if _size(line) >= most:
            break
    return kept


def _first_bytes(line: str, most: int) -> str:
    return _encoded(line)[:most].decode("utf-8", "ignore")


def _size(line: str) -> int:
    return len(_encoded(line))


def _encoded(line: str) -> bytes:
    return line.encode("utf-8", "surrogatepass")  # text from JSON may contain a lone surrogate
