"""Detect the language of a text by its script and its stop words.

Each stop word in the text votes for the languages that have this stop word, which takes milliseconds. The
library py3langid is right more often, especially on short texts, but takes half a second to start. So it is
asked only if the vote is not certain.

The constants were tuned on the translated messages of Django's applications, in 51 languages.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from summc.system.resources import english_stopwords, stopwords
from summc.text.languages import CODES, ISO_639_1

#: How many characters are examined at the beginning of a document, in its middle and at its end.
_STRETCH = 1000
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_ASCII_WORD = re.compile("[a-z]+")  # the same in a text of ASCII characters, in half the time

# A text of at least this many words, of which at least this share are English stop words, is English. In
# English texts the share is a third or more, and in other languages at most a fifth.
_ENGLISH_SHARE = 0.3
_ENGLISH_WORDS = 20

#: Script, by the first word of the Unicode names of its letters -> the languages written in that script.
_SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "ARABIC": ("ar", "fa", "ku", "ur"), "ARMENIAN": ("hy",), "BENGALI": ("bn",), "CJK": ("zh",),
    "CYRILLIC": ("bg", "ru", "uk"), "DEVANAGARI": ("hi", "mr"), "ETHIOPIC": ("am",), "GEORGIAN": ("ka",),
    "GREEK": ("el",), "GUJARATI": ("gu",), "GURMUKHI": ("pa",), "HANGUL": ("ko",), "HEBREW": ("he",),
    "HIRAGANA": ("ja",), "KANNADA": ("kn",), "KHMER": ("km",), "LAO": ("lo",), "MALAYALAM": ("ml",),
    "MYANMAR": ("my",), "ORIYA": ("or",), "SINHALA": ("si",), "TAMIL": ("ta",), "TELUGU": ("te",),
    "THAI": ("th",), "TIBETAN": ("bo",),
}  # fmt: skip
_LATIN = tuple(sorted(set(CODES.values()) - {code for codes in _SCRIPTS.values() for code in codes} - {"sr"}))
# Cyrillic languages without a list of stop words -> letters by which each is recognized, tried in this order.
_OWN_LETTERS = {"be": "ў", "mk": "ѓќѕ", "sr": "јљњћђџ"}
# A text is in such a language if more than this share of its words have one of the letters.
_OWN_SHARE = 0.02
# One character of these scripts counts as two letters, because a word has fewer of them.
_DENSE = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA")
# A text is Japanese if more than this share of its Chinese and kana characters are kana.
_KANA_SHARE = 0.05

# The vote. A stop word adds ln(_VOTE / size of the language's list / number of lists with this word) to the
# vote for each language that has it. A word with a non-ASCII letter that no stop word of a language has
# subtracts _STRANGE from the vote for that language.
_VOTE = 160_000
_STRANGE = 1.0
# A language is likely if its vote per word is at least _FLOOR, and if the text has at least _DIFFERENT
# different stop words of it. The second limit is needed because a table may repeat a single word.
_FLOOR = 1.0
_DIFFERENT = 3
# A likely language is certain if its vote is also ahead of the second language by _LEAD per word and by
# _LEAD_IN_ALL in total.
_LEAD = 0.4
_LEAD_IN_ALL = 16.0


@dataclass(frozen=True, slots=True)
class Guess:
    """The probable language of a text; ``code`` is "" if nothing in the text points to a language.

    If ``is_likely`` holds but ``is_certain`` does not, the text may be in a similar language instead.
    """

    code: str = ""
    is_certain: bool = False
    is_likely: bool = False


def guess_language(text: str) -> Guess:
    """Return the probable language of a text, by its script and its stop words."""
    folded = unicodedata.normalize("NFC", text).lower()
    words = Counter((_ASCII_WORD if folded.isascii() else _WORD).findall(folded))
    if _is_english(words):
        return _certainly("en")
    languages = _languages_of_script(folded)
    if len(languages) < 2:  # noqa: PLR2004 (nothing to choose from)
        return _certainly(languages[0]) if languages else Guess()
    if "ru" in languages:
        own = next((code for code, letters in _OWN_LETTERS.items() if _has(words, letters)), "")
        if own:
            return _certainly(own)
    (best, most), (_, less) = sorted(_votes(words, languages).items(), key=lambda vote: -vote[1])[:2]
    if most <= 0:
        return Guess()
    lead = most - less
    is_likely = most >= _FLOOR and len(stopwords(best) & words.keys()) >= _DIFFERENT
    return Guess(best, is_likely and lead >= _LEAD and lead * words.total() >= _LEAD_IN_ALL, is_likely)


def ask_library(text: str) -> str:
    """Return the code of the language that py3langid detects, or "" if the language has no ISO 639-1 code."""
    import py3langid  # noqa: PLC0415 (its model takes half a second to load)

    code, _ = py3langid.classify(text.encode("utf-8", "replace").decode("utf-8"))
    return code if code in ISO_639_1 else ""


def _certainly(code: str) -> Guess:
    return Guess(code, is_certain=True, is_likely=True)


def sample_of(paragraphs: Sequence[str]) -> str:
    """Return parts of a text to detect its language from: its beginning, its middle and its end.

    A short text is returned whole.
    """
    length = sum(map(len, paragraphs))
    if length <= 3 * _STRETCH:
        return "\n".join(paragraphs)
    starts = (0, (length - _STRETCH) // 2, length - _STRETCH)
    return "\n".join(_stretch(paragraphs, start) for start in starts)


def _stretch(paragraphs: Sequence[str], start: int) -> str:
    found: list[str] = []
    end = start + _STRETCH
    before = 0
    for paragraph in paragraphs:
        if before >= end:
            break
        found.append(paragraph[max(0, start - before) : max(0, end - before)])
        before += len(paragraph)
    return "\n".join(filter(None, found))


def _is_english(words: Counter[str]) -> bool:
    total = words.total()
    known = sum(words[word] for word in english_stopwords() & words.keys())
    return total >= _ENGLISH_WORDS and known >= _ENGLISH_SHARE * total


def _languages_of_script(text: str) -> tuple[str, ...]:
    """Return the languages that use the script of most letters of a text, or () if the script is unknown."""
    if text.isascii():
        return _LATIN if any(map(str.isalpha, text)) else ()
    scripts: Counter[str] = Counter()
    for character, times in Counter(text).items():
        if character.isalpha():
            script = unicodedata.name(character, "").partition(" ")[0]
            scripts[script] += times * (2 if script in _DENSE else 1)
    kana = scripts.pop("KATAKANA", 0) + scripts.pop("HIRAGANA", 0)
    if kana > _KANA_SHARE * (kana + scripts["CJK"]):
        scripts["HIRAGANA"] = kana + scripts.pop("CJK", 0)
    known = [(times, script) for script, times in scripts.items() if script in _SCRIPTS or script == "LATIN"]
    if not known or not max(known)[0]:
        return ()
    return _SCRIPTS.get(max(known)[1], _LATIN)


def _has(words: Counter[str], letters: str) -> bool:
    own = frozenset(letters)
    having = sum(times for word, times in words.items() if not own.isdisjoint(word))
    return having > _OWN_SHARE * words.total()


def _votes(words: Counter[str], languages: tuple[str, ...]) -> dict[str, float]:
    """Return the vote for each of the languages, divided by the number of words (see ``_VOTE``).

    ``words`` counts the words of the text. Languages without a list of stop words are left out.
    """
    votes = {code: 0.0 for code in languages if stopwords(code)}
    holders = _holders(languages)
    for word in filter(holders.__contains__, words):
        held, times = holders[word], words[word]
        for code in held:
            votes[code] += times * _vote(code, len(held))
    strange: Counter[frozenset[str]] = Counter()
    for word, times in words.items():
        if not word.isascii():
            strange[_marks(word)] += times
    for marks, times in strange.items():
        for code in votes:
            if not marks <= _letters(code):
                votes[code] -= _STRANGE * times
    total = words.total()
    return {code: vote / total for code, vote in votes.items()}


@functools.cache
def _holders(languages: tuple[str, ...]) -> dict[str, list[str]]:
    """Return, for each stop word, which of the languages have it in their list."""
    found: dict[str, list[str]] = {}
    for code in languages:
        for word in stopwords(code):
            found.setdefault(word, []).append(code)
    return found


@functools.cache
def _vote(code: str, holders: int) -> float:
    """Return the vote of one stop word for a language, given by its code.

    ``holders`` is the number of languages that have the word in their list.
    """
    return math.log(_VOTE / len(stopwords(code)) / holders)


def _marks(word: str) -> frozenset[str]:
    """Return the non-ASCII letters of a word; they show which languages the word cannot belong to."""
    return frozenset() if word.isascii() else frozenset(letter for letter in word if not letter.isascii())


@functools.cache
def _letters(language: str) -> frozenset[str]:
    return frozenset().union(*map(_marks, stopwords(language)))
