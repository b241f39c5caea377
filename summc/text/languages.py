"""The languages that summc knows by name, with their ISO 639-1 codes, and their stemmers.

Stemmers are PyStemmer's, which are compiled, and NLTK's for comparison. For English, PyStemmer's ``porter``
and NLTK's Porter stemmer in its original mode differ in one rule. After removing ``-ed`` or ``-ing``, the
paper (M. F. Porter, "An algorithm for suffix stripping", Program 14, 1980) shortens any double consonant
except ll, ss and zz to one letter. PyStemmer shortens only nine pairs; in ``specced`` it keeps both c. The
function ``porter`` below finds such words and stems them as the paper says.

For other languages, PyStemmer has today's Snowball algorithms, and NLTK has those of about 2010. In Danish,
Dutch, Italian, Norwegian and Spanish both give the same stem for every word.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable

import Stemmer

from summc.errors import SettingError, as_typed
from summc.system.resources import word_lists

Stem = Callable[[str], str]

#: The value of the setting "language" that tells summc to detect the language of each cluster.
AUTO = "auto"

#: The English name of a language, as a user may type it -> its code.
CODES: dict[str, str] = dict(entry.split("=") for entry in word_lists()["languages"])

_NAMES = {code: name.capitalize() for name, code in CODES.items()}

#: All codes of ISO 639-1. Texts in a language without a name above are split into sentences, but their words
#: are not stemmed, and their stop words are not removed.
ISO_639_1 = frozenset(word_lists()["iso_639_1"])

#: The codes of the languages that are written from right to left.
RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})

#: Code -> English name of the languages that have a Snowball stemmer in NLTK.
SNOWBALL = {CODES[name]: name for name in word_lists()["snowball"]}


def asked_language(name: str, place: str = "") -> str:
    """Return the code of a language, given by name or code, or ``auto`` if that is given."""
    return AUTO if name.strip().lower() == AUTO else language_code(name, place)


def language_name(code: str) -> str:
    """Return the English name of a language for messages, or its code in quotes if it has no name here."""
    return _NAMES.get(code, f'"{code}"')


def language_code(name: str, place: str = "") -> str:
    """Return the code of a language, given by name (``English``) or code (``en``, ``en-GB``).

    Raise a SettingError for an unknown language; ``place`` names the setting in its message.
    """
    folded = name.strip().lower()
    if folded in CODES:
        return CODES[folded]
    code = folded.replace("_", "-").split("-")[0]
    if code in ISO_639_1:
        return code
    nearest = difflib.get_close_matches(folded, CODES, n=1)
    remedy = f"perhaps {nearest[0]}?" if nearest else "give a name such as english, or a code such as en"
    raise SettingError(place or as_typed("language"), f'unknown language "{name}"', remedy)


#: The most stems that a cache keeps. A limit is needed, because a run over millions of clusters meets ever
#: more words.
MOST_KEPT = 2**17

# A word that ends in -ed or -ing after a double consonant that PyStemmer keeps, except ll, ss and zz. Group 1
# is the word without -ed or -ing.
_DOUBLED = re.compile(r"(.*([^aeioulszbdfgmnprt])\2)(?:ed|ing)s?", re.DOTALL)
_VOWEL = re.compile(r"[aeiou]|.y", re.DOTALL)

#: The name of an algorithm -> its name in PyStemmer, where the two differ. Since PyStemmer 3.0, ``dutch`` is
#: the algorithm of Kraaij and Pohlmann, and no longer the one that NLTK has under this name.
_PYSTEMMER_NAMES = {"dutch": "dutch_porter"}


def porter() -> Stem:
    """Return Porter's original stemmer of 1980 for English; it takes words in lower case."""
    compiled = snowball("porter")

    def stem(word: str) -> str:
        doubled = _DOUBLED.fullmatch(word)
        if doubled and _VOWEL.search(doubled[1]) and _ends_in_consonant(doubled[1]):
            return compiled(doubled[1][:-1])
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
    """Return PyStemmer's stemmer of a language, given by its English name, such as ``german``."""
    # The size of its cache is 0, because callers have their own cache.
    stem: Stem = Stemmer.Stemmer(_PYSTEMMER_NAMES.get(language, language), 0).stemWord
    return stem


def nltk_stemmer(name: str) -> Stem:
    """Return NLTK's Snowball stemmer of a language, such as ``german``, or ``porter`` for English.

    The Porter stemmer is in its original mode, which follows the paper of 1980.
    """
    from nltk.stem import PorterStemmer, SnowballStemmer  # noqa: PLC0415 (a second of imports)

    is_porter = name == "porter"
    stemmer = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM) if is_porter else SnowballStemmer(name)
    stem: Stem = stemmer.stem
    return stem
