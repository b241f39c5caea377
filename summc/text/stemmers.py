"""The stemming functions: PyStemmer's, which are compiled, for normal use, and NLTK's for comparison.

For English, PyStemmer's ``porter`` and NLTK's Porter stemmer in its original mode differ in one rule. After
removing ``-ed`` or ``-ing``, the paper (M. F. Porter, "An algorithm for suffix stripping", Program 14, 1980)
shortens any double consonant except ll, ss and zz to one letter. PyStemmer shortens only nine pairs; in
``specced`` it keeps both c. The function ``porter`` below finds such words and stems them as the paper says.

For other languages, PyStemmer has today's Snowball algorithms, and NLTK has those of about 2010. NLTK's do
not handle the modern Romanian s-comma, the Hungarian long umlauts or the Swedish ``-et``. In Danish, Dutch,
Italian, Norwegian and Spanish, PyStemmer and NLTK give the same stem for every word.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

Stem = Callable[[str], str]

#: The most stems that a cache keeps. A limit is needed, because a run over millions of clusters meets ever
#: more words.
MOST_KEPT = 2**17

# A word that ends in a double consonant and -ed or -ing. Group 1 is the word without this ending, and group 2
# is the doubled letter.
_DOUBLED = re.compile(r"(.*([^aeiou])\2)(?:ed|ing)s?", re.DOTALL)
_KEPT_DOUBLE = frozenset("lsz")
_SHORTENED_BY_PYSTEMMER = frozenset("bdfgmnprt")
_VOWEL = re.compile(r"[aeiou]|.y", re.DOTALL)

#: The name of an algorithm -> its name in PyStemmer, where the two differ. Since PyStemmer 3.0, ``dutch`` is
#: the algorithm of Kraaij and Pohlmann, and no longer the one that NLTK has under this name.
_PYSTEMMER_NAMES = {"dutch": "dutch_porter"}


@functools.cache
def porter() -> Stem:
    """Return Porter's original stemmer of 1980 for English; it takes words in lower case."""
    compiled = _compiled("porter")

    def stem(word: str) -> str:
        doubled = _DOUBLED.fullmatch(word)
        if doubled and doubled[2] not in _KEPT_DOUBLE | _SHORTENED_BY_PYSTEMMER:
            rest = doubled[1]
            if _VOWEL.search(rest) and _ends_in_consonant(rest):
                return compiled(rest[:-1])
        return compiled(word)

    return stem


def _ends_in_consonant(word: str) -> bool:
    """Tell whether the last letter of a word is a consonant; a y is a vowel only after a consonant."""
    consonant = False
    for letter in word:
        consonant = not consonant if letter == "y" else letter not in "aeiou"
    return consonant


@functools.cache
def snowball(language: str) -> Stem:
    """Return PyStemmer's Snowball stemmer of a language, given by its English name, such as ``german``."""
    return _compiled(_PYSTEMMER_NAMES.get(language, language))


def _compiled(algorithm: str) -> Stem:
    import Stemmer  # noqa: PLC0415 (not needed to print help)

    stem: Stem = Stemmer.Stemmer(algorithm, 0).stemWord  # cache size 0, because callers have their own cache
    return stem


@functools.cache
def nltk_porter() -> Stem:
    """Return NLTK's Porter stemmer for English, in its original mode, which follows the paper of 1980."""
    from nltk.stem.porter import PorterStemmer  # noqa: PLC0415 (a second of imports)

    stem: Stem = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem
    return stem


@functools.cache
def nltk_snowball(language: str) -> Stem:
    """Return NLTK's Snowball stemmer of a language, given by its English name, such as ``german``."""
    from nltk.stem.snowball import SnowballStemmer  # noqa: PLC0415 (a second of imports)

    stem: Stem = SnowballStemmer(language).stem
    return stem
