"""The stemming functions: compiled ones for everyday use, and NLTK's, which they are held against.

PyStemmer's ``porter`` and NLTK's Porter in its original mode differ in one rule. After ``-ed`` and ``-ing``
the paper (M. F. Porter, "An algorithm for suffix stripping", Program 14, 1980) makes one letter of any double
consonant but ll, ss and zz; Snowball knows nine pairs only and keeps the c of ``specced`` twice. The words it
happens to are found here and stemmed as the paper says.

Of Snowball's stemmers PyStemmer has the present algorithms, and NLTK those of about 2010: a modern Romanian
s-comma, a Hungarian long umlaut or a Swedish ``-et`` is nothing to these. They agree word by word in Danish,
Dutch, Italian, Norwegian and Spanish.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

Stem = Callable[[str], str]

#: Who keeps the stems of words keeps so many: a run over millions of clusters comes to no end of words.
MOST_KEPT = 2**17

# What is left of a word without -ed or -ing, and its last two letters where they are one letter twice.
_DOUBLED = re.compile(r"(.*([^aeiou])\2)(?:ed|ing)s?", re.DOTALL)
_KEPT = frozenset("lsz")
_KNOWN = frozenset("bdfgmnprt")  # Snowball makes one of these itself
_VOWEL = re.compile(r"[aeiou]|.y", re.DOTALL)

#: Where PyStemmer calls the algorithm otherwise: its ``dutch`` has been Kraaij and Pohlmann's since 3.0.
_CALLED = {"dutch": "dutch_porter"}


@functools.cache
def porter() -> Stem:
    """Return Porter's stemmer, the original, for words in lower case."""
    compiled = _compiled("porter")

    def stem(word: str) -> str:
        doubled = _DOUBLED.fullmatch(word)
        if doubled and doubled[2] not in _KEPT | _KNOWN:
            rest = doubled[1]
            if _VOWEL.search(rest) and _ends_in_consonant(rest):
                return compiled(rest[:-1])
        return compiled(word)

    return stem


def _ends_in_consonant(word: str) -> bool:
    """Tell whether the last letter is a consonant; a y is one where none stands before it."""
    consonant = False
    for letter in word:
        consonant = not consonant if letter == "y" else letter not in "aeiou"
    return consonant


@functools.cache
def snowball(language: str) -> Stem:
    """Return the Snowball stemmer of a language, by its English name."""
    return _compiled(_CALLED.get(language, language))


def _compiled(algorithm: str) -> Stem:
    import Stemmer  # noqa: PLC0415 (not needed to print help)

    stem: Stem = Stemmer.Stemmer(algorithm, 0).stemWord  # callers keep the stems they have found
    return stem


@functools.cache
def nltk_porter() -> Stem:
    """Return NLTK's Porter stemmer in its original mode."""
    from nltk.stem.porter import PorterStemmer  # noqa: PLC0415 (a second of imports)

    stem: Stem = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem
    return stem


@functools.cache
def nltk_snowball(language: str) -> Stem:
    """Return NLTK's Snowball stemmer of a language, by its English name."""
    from nltk.stem.snowball import SnowballStemmer  # noqa: PLC0415 (the same)

    stem: Stem = SnowballStemmer(language).stem
    return stem
