"""The stems of ROUGE-1.5.5's option ``-m``: WordNet's irregular forms, then a variant of Porter's algorithm.

The variant differs from Porter's paper ("An algorithm for suffix stripping", Program 14, 1980) in three
points. Step 1b keeps a double y. Step 2 shortens ``-bli`` instead of ``-abli``, and also ``-logi``. Step 4
cuts one of its other suffixes first, then tries ``-ment``, and then ``-ent`` or ``-ion``, so a word may lose
several suffixes.
"""

from __future__ import annotations

import functools
import re

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

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate",
    "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al",
    "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous",
    "ive", "ize",
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
    left = "Y" + word[1:] if word.startswith("y") else word
    left = _step_1b(_step_1a(left))
    if left.endswith("y") and _HAS_VOWEL(left[:-1]):  # step 1c: happy -> happi
        left = left[:-1] + "i"
    # Step 2, relational -> relate, analogi -> analog; then step 3, triplicate -> triplic, hopeful -> hope.
    left = _replace_suffix(_replace_suffix(left, _STEP_2), _STEP_3)
    return _step_5(_step_4(left)).replace("Y", "y", 1)


def _step_1a(word: str) -> str:
    """Shorten plurals: caresses -> caress, ponies -> poni, cats -> cat."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    """Shorten past tenses and participles: agreed -> agree, hopping -> hop, filing -> file."""
    if word.endswith("eed"):
        return word[:-1] if _IS_M_ABOVE_0(word[:-3]) else word
    if not word.endswith(("ed", "ing")):
        return word
    left = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if not _HAS_VOWEL(left):
        return word
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if _ENDS_IN_DOUBLE(left):
        return left[:-1]
    return left + "e" if _IS_SHORT(left) else left


def _step_4(word: str) -> str:
    """Cut suffixes such as -al and -ion: revival -> reviv, replacement -> replac, adoption -> adopt."""
    left = _cut(word, _longest_suffix(word, _STEP_4))
    left = _cut(left, _longest_suffix(left, ("ment",)))
    if left.endswith("ent"):
        return _cut(left, "ent")
    return _cut(left, "ion") if left.endswith(("sion", "tion")) else left


def _step_5(word: str) -> str:
    """Cut a final e, and shorten a double l: probate -> probat, controll -> control."""
    left = word[:-1]
    if word.endswith("e") and (_IS_M_ABOVE_1(left) or (_IS_M_1(left) and not _IS_SHORT(left))):
        word = left
    return word[:-1] if word.endswith("ll") and _IS_M_ABOVE_1(word) else word


def _replace_suffix(word: str, replacements: dict[str, str]) -> str:
    suffix = _longest_suffix(word, tuple(replacements))
    left = word.removesuffix(suffix)
    return left + replacements[suffix] if suffix and _IS_M_ABOVE_0(left) else word


def _longest_suffix(word: str, suffixes: tuple[str, ...]) -> str:
    """Return the longest of the suffixes that a word ends in, or ""."""
    if not word.endswith(suffixes):
        return ""
    return max((suffix for suffix in suffixes if word.endswith(suffix)), key=len)


def _cut(word: str, suffix: str) -> str:
    """Return a word without a suffix if Porter's measure m of the rest is above 1; else the word itself."""
    left = word.removesuffix(suffix)
    return left if _IS_M_ABOVE_1(left) else word
