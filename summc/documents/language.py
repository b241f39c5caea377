"""Find the language of a cluster that does not name one.

A document may state its language in its file, as a page or mail can. Otherwise its text is examined, by its
script and its stop words.
"""

from __future__ import annotations

import functools
import logging
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from summc.documents.raw import RawCluster, RawDocument, listed
from summc.errors import SettingError, as_typed
from summc.system.resources import english_stopwords, stopwords
from summc.text.languages import AUTO, CODES, ISO_639_1, language_code, language_name

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


log = logging.getLogger("summc")

# Code -> the code that summc uses. Pages, mails and py3langid distinguish two kinds of Norwegian.
_SAME = {"nb": "no", "nn": "no"}
# If the language of no single document is certain, up to this many documents are examined together.
_MOST_TOGETHER = 50
# A text of fewer words is too short for detection, and is read as English without a warning. The first limit
# is for a text with only English letters, the second for any other text.
_FEW_WORDS = 20
_FEWEST_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Reading:
    """The language found for one document; ``code`` is "" if the language is not certain.

    ``name`` is the name of the document, and ``is_stated`` says whether the file itself states ``code``.
    ``text`` is the sample of the document in which the language was looked for.
    """

    name: str
    code: str
    is_stated: bool
    contradicts: bool  # whether the text is in another language than the file states
    text: str


def language_of(raw: RawCluster, language: str) -> str:
    """Return the code of the language to read a cluster in: the language it names, or else ``language``.

    ``language`` is a code, or ``auto`` to detect the language from the documents.
    """
    if raw.language is not None:
        return language_code(raw.language, raw.place)
    if language == AUTO:
        return _detected(raw)
    _warn_of_choice(raw, language)
    return language


def language_of_text(text: str) -> str:
    """Return the code of the language of a text, or ``en`` if the language is not certain."""
    guess = guess_language(sample_of([text]))
    return guess.code if guess.is_certain else "en"


def _detected(raw: RawCluster) -> str:
    readings = [_read(document) for document in raw.documents if document.paragraphs]
    certain = [reading for reading in readings if reading.code]
    if not certain:
        return _together(readings, raw)
    times = Counter(reading.code for reading in certain)
    code = max(times, key=times.__getitem__)  # in a tie, the language of the earliest document
    is_stated = all(reading.is_stated for reading in certain if reading.code == code)
    log.info("%s: language: %s, %s", raw.id, language_name(code), "stated" if is_stated else "detected")
    _warn_of_statements(certain, raw.place)
    _warn_of_others(certain, code, raw.place)
    _warn_of_no_rules(code, raw.place)
    return code


def _read(document: RawDocument) -> _Reading:
    """Return the language of a document: the one that it states, unless its text is certainly in another.

    The text is checked because templates of sites and word processors often state English, whatever the
    language of the text. If no stop words of the stated language are known, the text cannot be checked, and
    the stated language is used.
    """
    text = sample_of(document.paragraphs)
    stated, guess = _stated(document.language), guess_language(text)
    contradicts = bool(stated) and guess.is_certain and guess.code != stated and bool(stopwords(stated))
    if stated and not contradicts:
        return _Reading(document.id, stated, is_stated=True, contradicts=False, text=text)
    code = guess.code if guess.is_certain else ""
    return _Reading(document.id, code, is_stated=False, contradicts=contradicts, text=text)


def _stated(language: str) -> str:
    if not language:
        return ""
    try:
        code = language_code(language)
    except SettingError:  # a statement such as "x-default" or "und" names no language
        return ""
    return _same(code)


def _same(code: str) -> str:
    return _SAME.get(code, code)


def _together(readings: Sequence[_Reading], raw: RawCluster) -> str:
    """Return the language of a cluster from the joined text of its documents, and warn if it is not certain.

    This is called if the language of no single document is certain.
    """
    text = "\n".join(reading.text for reading in readings[:_MOST_TOGETHER])
    guess = guess_language(text)
    if guess.is_certain:
        code, found = guess.code, "detected"
    elif _is_little(text) or (_is_plain(text) and guess.code in ("", "en")):
        code, found = "en", "assumed"
    else:
        code = _same(ask_library(text)) or (guess.code if guess.is_likely else "en")
        found = "detected" if code == guess.code else ""  # certain enough if stop words and py3langid agree
    if found:
        log.info("%s: language: %s, %s", raw.id, language_name(code), found)
    else:
        problem = f"language not certain, read as {language_name(code)}"
        log.warning("%s: %s; give %s if that is wrong", raw.place, problem, as_typed("language"))
    _warn_of_no_rules(code, raw.place)
    return code


def _is_little(text: str) -> bool:
    return len(text.split()) < (_FEW_WORDS if _is_plain(text) else _FEWEST_WORDS)


def _is_plain(text: str) -> bool:
    """Tell whether a text has no letters other than a to z."""
    return not any(letter.isalpha() and not letter.isascii() for letter in text)


def _warn_of_choice(raw: RawCluster, language: str) -> None:
    """Warn if the user chose a language, and the text is certainly in another one.

    If no stop words of the chosen language are known, the text cannot be compared with it.
    """
    text = sample_of([paragraph for document in raw.documents for paragraph in document.paragraphs])
    guess = guess_language(text)
    if guess.is_certain and guess.code != _same(language) and stopwords(_same(language)):
        problem = f"the text is {language_name(guess.code)}, but read as {language_name(language)}"
        log.warning("%s: %s; leave out %s to detect it", raw.place, problem, as_typed("language"))


def _warn_of_no_rules(code: str, place: str) -> None:
    if not stopwords(code):
        problem = f"no stop words are known of its language ({language_name(code)})"
        log.warning("%s: %s; all its words count", place, problem)


def _warn_of_statements(readings: Sequence[_Reading], place: str) -> None:
    wrong = [reading.name for reading in readings if reading.contradicts]
    if wrong:
        problem = f"the text of {listed(wrong)} is not in the language stated there"
        log.warning("%s: %s; the text counts", place, problem)


def _warn_of_others(readings: Sequence[_Reading], code: str, place: str) -> None:
    others: dict[str, list[str]] = {}
    for reading in readings:
        if reading.code != code:
            others.setdefault(language_name(reading.code), []).append(reading.name)
    if others:
        found = "; ".join(f"{language}: {listed(names)}" for language, names in others.items())
        problem = f"documents in several languages ({found})"
        log.warning("%s: %s; all read as %s", place, problem, language_name(code))
