"""Count the words of a text as the budget of a summary does, and cut a text to a number of words."""

from __future__ import annotations

from bisect import bisect_right

import regex

# Characters of scripts without spaces between words. Each counts as a word, as in word processors.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_UNSPACED_OR_RUN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}] | [[\p{L}\p{N}] -- [\p{Han}\p{Hiragana}\p{Katakana}]]+",
    regex.VERBOSE | regex.VERSION1,
)


def count_words(text: str) -> int:
    """Return the number of words of a text: runs of characters between spaces, as ``wc -w`` counts them.

    Each Chinese or Japanese character counts as one word. So does each run of other letters and digits that
    is not separated from such characters by a space.
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
