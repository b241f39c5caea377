"""The stems of ROUGE-1.5.5's option ``-m``: WordNet's irregular forms, then a variant of Porter's algorithm.

The variant differs from Porter's paper ("An algorithm for suffix stripping", Program 14, 1980) in three
points. Step 1b keeps a double y. Step 2 shortens ``-bli`` instead of ``-abli``, and also ``-logi``. Step 4
cuts one of its other suffixes first, then tries ``-ment``, and then ``-ent`` or ``-ion``, so a word may lose
several suffixes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

from summc.system.resources import wordnet_exceptions
from summc.text.languages import MOST_KEPT

#: Words of at most this many letters are not stemmed.
LONGEST_UNSTEMMED = 3

# Porter's C and V: a run of consonants and a run of vowels. A y is a consonant if it begins a run of
# consonants, and a vowel elsewhere.
_C = "[^aeiou][^aeiouy]*"
_V = "[aeiouy][aeiou]*"

# Porter's measure m of a stem is the number of VC in [C](VC)^m[V].
_IS_M_ABOVE_0 = re.compile(f"(?:{_C})?{_V}{_C}").match
_IS_M_ABOVE_1 = re.compile(f"(?:{_C})?{_V}{_C}{_V}{_C}").match
_IS_M_1 = re.compile(f"(?:{_C})?{_V}{_C}(?:{_V})?").fullmatch
_HAS_VOWEL = re.compile(f"(?:{_C})?[aeiouy]").match
_IS_SHORT = re.compile(f"{_C}[aeiouy][^aeiouwxy]").fullmatch
_ENDS_IN_DOUBLE = re.compile(r".*([^aeiouylsz])\1").fullmatch

Condition = Callable[[str], object]


def _rule(condition: Condition, suffixes: Mapping[str, str] | str) -> tuple[Any, ...]:
    """Return a pattern for the longest suffix of a word, what its stem must fulfil, and replacements.

    Suffixes that are replaced by nothing may be given as one pattern.
    """
    replacements = {} if isinstance(suffixes, str) else suffixes
    return re.compile(f"(.*?)({'|'.join(replacements) or suffixes})").fullmatch, condition, replacements


def _may_lose_e(left: str) -> bool:
    return bool(_IS_M_ABOVE_1(left) or (_IS_M_1(left) and not _IS_SHORT(left)))


#: Step 1a: caresses -> caress, ponies -> poni, cats -> cat.
_PLURAL = _rule(lambda _: True, {"sses": "ss", "ies": "i", "ss": "ss", "s": ""})
_AFTER_PAST = (
    # Step 1c: happy -> happi.
    _rule(_HAS_VOWEL, {"y": "i"}),
    # Step 2: relational -> relate, analogi -> analog.
    _rule(_IS_M_ABOVE_0, {
        "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
        "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate",
        "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al",
        "iviti": "ive", "biliti": "ble", "logi": "log",
    }),
    # Step 3: triplicate -> triplic, hopeful -> hope.
    _rule(_IS_M_ABOVE_0, {
        "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
    }),
    # Step 4: revival -> reviv, replacement -> replac, adoption -> adopt.
    _rule(_IS_M_ABOVE_1, "al|ance|ence|er|ic|able|ible|ant|ement|ou|ism|ate|iti|ous|ive|ize"),
    _rule(_IS_M_ABOVE_1, "ment"),
    _rule(_IS_M_ABOVE_1, "ent|(?<=[st])ion"),
    # Step 5: probate -> probat, controll -> control.
    _rule(_may_lose_e, "e"),
    _rule(_IS_M_ABOVE_1, "(?<=l)l"),
)  # fmt: skip


@functools.lru_cache(MOST_KEPT)
def stem(word: str) -> str:
    """Return the stem of a word, which must be in lower case."""
    if len(word) <= LONGEST_UNSTEMMED:
        return word
    return wordnet_exceptions().get(word) or _without_suffixes(word)


def _without_suffixes(word: str) -> str:
    """Return a word stemmed by ROUGE-1.5.5's variant of Porter's algorithm."""
    # A y at the beginning of a word is a consonant, so write it as Y: the patterns for vowels do not match Y.
    left = _replaced("Y" + word[1:] if word.startswith("y") else word, _PLURAL)
    return functools.reduce(_replaced, _AFTER_PAST, _step_1b(left)).replace("Y", "y", 1)


def _replaced(word: str, rule: tuple[Any, ...]) -> str:
    fullmatch, condition, replacements = rule
    match = fullmatch(word)
    return match[1] + replacements.get(match[2], "") if match and condition(match[1]) else word


def _step_1b(word: str) -> str:
    """Shorten past tenses and participles: agreed -> agree, hopping -> hop, filing -> file."""
    if word.endswith("eed"):
        return word[:-1] if _IS_M_ABOVE_0(word[:-3]) else word
    left = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if left == word or not _HAS_VOWEL(left):
        return word
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if _ENDS_IN_DOUBLE(left):
        return left[:-1]
    return left + "e" if _IS_SHORT(left) else left
