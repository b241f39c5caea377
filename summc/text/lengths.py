"""What counts as a word when a budget is spent, and where a text ends that is cut."""

from __future__ import annotations

from bisect import bisect_right

import regex

# Scripts that write no spaces between words: there each character counts as a word, as word processors do.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_UNSPACED_OR_RUN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}] | [[\p{L}\p{N}] -- [\p{Han}\p{Hiragana}\p{Katakana}]]+",
    regex.VERBOSE | regex.VERSION1,
)


def count_words(text: str) -> int:
    """Return how many words a reader counts: what stands between spaces (as ``wc -w``).

    A Chinese or Japanese character counts as one word, and so does what stands between two of them.
    """
    tokens = text.split()
    if text.isascii() or not _UNSPACED.search(text):
        return len(tokens)
    return sum(len(_UNSPACED_OR_RUN.findall(token)) if _UNSPACED.search(token) else 1 for token in tokens)


def first_words(text: str, most: int) -> str:
    """Return as much of a text as counts at most so many words."""
    if not _UNSPACED.search(text):
        return " ".join(text.split()[:most])
    # A longer piece never counts fewer words, so that the place to cut can be found by halving.
    end = bisect_right(range(len(text) + 1), most, key=lambda end: count_words(text[:end])) - 1
    return text[:end].rstrip()
