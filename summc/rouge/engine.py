"""Functions of the library SumEval, which find words, count n-grams, and compare two texts.

SumEval's own ROUGE functions return one F measure per call. We call its parts one by one, so that the n-grams
of a text are counted only once, and the matches are counted once for recall, precision and F together. We
never use SumEval's stemming, because it stems only the references.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import regex

# In Chinese and Japanese, which have no spaces between words, each character counts as a word.
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}]]+",
    regex.VERSION1,
)


def words(text: str, script: str, *, remove_stopwords: bool) -> list[str]:
    """Return the words of a text in lower case.

    If ``script`` is "ascii", a word is a run of ASCII letters and digits, as in ROUGE-1.5.5. If it is
    "every-script", a word is a run of letters and digits of any script. ``remove_stopwords`` leaves out the
    598 English stop words of ROUGE-1.5.5.
    """
    found: list[str] = _calculator(script, remove_stopwords=remove_stopwords).tokenize(text)
    return found


def count_ngrams(tokens: Sequence[str], n: int) -> Counter[Hashable]:
    """Return how often each n-gram (run of n tokens) occurs."""
    counts: Counter[Hashable] = _counter().count_ngrams(tokens, n)
    return counts


def count_overlap(summary: Counter[Hashable], reference: Counter[Hashable]) -> int:
    """Return how many n-grams two texts have in common, given how often each n-gram occurs in each text.

    An n-gram counts as often as it occurs in both texts, that is, the smaller of its two counts.
    """
    # SumEval loops over all n-grams of the summary, but most of them are not in the reference.
    shared = {gram: summary[gram] for gram in summary.keys() & reference.keys()}
    overlap: int = _counter().count_overlap(shared, reference)
    return overlap


def lcs_length(summary: Sequence[str], reference: Sequence[str]) -> int:
    """Return the number of tokens in the longest common subsequence of two texts."""
    length: int = _counter().lcs(reference, summary)
    return length


def _counter() -> Any:
    """Return a SumEval calculator to count given tokens. Its tokenizer is not used, so any will do."""
    return _calculator("every-script", remove_stopwords=False)


@functools.cache
def _calculator(script: str, *, remove_stopwords: bool) -> Any:
    from sumeval.metrics.lang.base_lang import BaseLang  # noqa: PLC0415 (not needed to print help)
    from sumeval.metrics.rouge import RougeCalculator  # noqa: PLC0415

    class EveryScript(BaseLang):  # type: ignore[misc]  # SumEval has no types
        """A SumEval language whose words are made of the letters and digits of every script."""

        def tokenize(self, text: str) -> list[str]:
            return _WORD.findall(text)

    lang = "en" if script == "ascii" else EveryScript(script)
    return RougeCalculator(
        stopwords=remove_stopwords, stemming=False, word_limit=-1, length_limit=-1, lang=lang
    )
