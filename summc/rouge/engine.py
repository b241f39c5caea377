"""SumEval: finds words, counts n-grams and their overlap, measures the longest common subsequence.

SumEval returns one F measure a call. Its parts are called here one by one, so that the n-grams of a text are
counted once, and matches are counted once for recall, precision and F. Its stemming is never used: it stems
the references only.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import regex

# In Chinese and Japanese, which write no spaces, each character is a word.
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}]]+",
    regex.VERSION1,
)


def words(text: str, script: str, *, remove_stopwords: bool) -> list[str]:
    """Return the words of a text in lower case.

    In the script ``ascii`` words are runs of ASCII letters and digits, as in ROUGE-1.5.5; in ``every-script``
    runs of any letters and digits. The stop words are 598 English ones, the same as ROUGE-1.5.5's.
    """
    found: list[str] = _calculator(script, remove_stopwords=remove_stopwords).tokenize(text)
    return found


def count_ngrams(tokens: Sequence[str], n: int) -> Counter[Hashable]:
    """Return how often each run of n tokens occurs."""
    counts: Counter[Hashable] = _counter().count_ngrams(tokens, n)
    return counts


def count_overlap(summary: Counter[Hashable], reference: Counter[Hashable]) -> int:
    """Return how many occurrences two counts have in common."""
    # SumEval looks up all that the summary has, one by one. Most of it is not in the reference.
    shared = {gram: summary[gram] for gram in summary.keys() & reference.keys()}
    overlap: int = _counter().count_overlap(shared, reference)
    return overlap


def lcs_length(summary: Sequence[str], reference: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of two texts."""
    length: int = _counter().lcs(reference, summary)
    return length


def _counter() -> Any:
    """Return what counts tokens; which tokenizer it has makes no difference."""
    return _calculator("every-script", remove_stopwords=False)


@functools.cache
def _calculator(script: str, *, remove_stopwords: bool) -> Any:
    from sumeval.metrics.lang.base_lang import BaseLang  # noqa: PLC0415 (not needed to print help)
    from sumeval.metrics.rouge import RougeCalculator  # noqa: PLC0415

    class EveryScript(BaseLang):  # type: ignore[misc]  # SumEval has no types
        """A language for SumEval in which the letters and digits of every script make words."""

        def tokenize(self, text: str) -> list[str]:
            return _WORD.findall(text)

    lang = "en" if script == "ascii" else EveryScript(script)
    return RougeCalculator(
        stopwords=remove_stopwords, stemming=False, word_limit=-1, length_limit=-1, lang=lang
    )
