"""Find the language of a cluster that does not name one.

A document may state its language in its file, as a page or mail can. Otherwise its text is examined, by its
script and its stop words. py3langid, which takes most of a second to load, is asked only if that is not
certain: of two sentences in each of 58 languages, both recognize 57.
"""

from __future__ import annotations

import functools
import logging
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from summc.documents.raw import RawCluster, listed
from summc.errors import SettingError, as_typed
from summc.system.resources import english_stopwords, stopwords, word_lists
from summc.text.languages import AUTO, CODES, ISO_639_1, language_code, language_name

log = logging.getLogger("summc")

#: How many characters are examined at the beginning of a document, in its middle and at its end.
_STRETCH = 1000
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_ASCII_WORD = re.compile("[a-z]+")  # the same in a text of ASCII characters, in half the time

# A text of at least this many words, of which at least this share are English stop words, is English. In
# English texts the share is a third or more, and in other languages at most a fifth.
_ENGLISH_SHARE = 0.3
_ENGLISH_WORDS = 20

#: Script, by the first word of the Unicode names of its letters -> the languages written in that script.
_SCRIPTS = {script: tuple(codes) for script, codes in word_lists().items() if script.isupper()}
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
# Code -> the code that summc uses. Pages, mails and py3langid distinguish two kinds of Norwegian.
_SAME = {"nb": "no", "nn": "no"}
# If the language of no single document is certain, up to this many documents are examined together.
_MOST_TOGETHER = 50
# A text of fewer words is too short for detection, and is read as English without a warning. The first limit
# is for a text with only English letters, the second for any other text.
_FEW_WORDS = 20
_FEWEST_WORDS = 3
# In a damaged text, words have symbols within them, U+FFFD, or the marks of UTF-8 that was read as Latin 1.
_BROKEN_WORD = regex.compile(
    r"\p{L}[\d|~^$%#*{}\\]+\p{L}|\ufffd|[\u00c2\u00c3\u00d0\u00d1\u00d7-\u00d9\u00e2]"
    r"[\u0080-\u00bf\u0153\u0192\u02dc\u201a-\u2026\u20ac\u2122]"
)
# A text of at least _ENOUGH words is damaged if a larger share of them are broken, or single letters; or if
# it has no likely language, and fewer of its words are stop words of the language that it is read in.
_ENOUGH, _MOST_BROKEN, _MOST_SINGLE, _FEWEST_STOPS = 50, 0.05, 0.3, 0.1
# Only the language of a paragraph of this many characters may differ from that of its text.
_LONG_PARAGRAPH = 150


@dataclass(frozen=True, slots=True)
class Guess:
    """The probable language of a text; ``code`` is "" if nothing in the text points to a language.

    If ``is_likely`` holds but ``is_certain`` does not, the text may be in a similar language instead.
    """

    code: str = ""
    is_certain: bool = False
    is_likely: bool = False


def language_of(raw: RawCluster, language: str) -> str:
    """Return the code of the language to read a cluster in: the language it names, or else ``language``.

    ``language`` is a code, or ``auto`` to detect the language from the documents. Warn if it is a code, and
    the text is certainly in another language. Warn also of damaged texts.
    """
    code = _language_of(raw, language)
    damaged = [each.id for each in raw.documents if _is_damaged(sample_of(each.paragraphs), code)]
    if damaged:
        problem = f"the text of {listed(damaged)} looks damaged, as by poor OCR or a wrong encoding"
        log.warning("%s: %s; check it", raw.place, problem)
    return code


def _is_damaged(text: str, language: str) -> bool:
    words, known = text.split(), stopwords(language)
    if len(words) < _ENOUGH:
        return False
    broken = sum(_BROKEN_WORD.search(word) is not None for word in words)
    single = sum(len(word) == 1 and (word.islower() or word.isupper()) for word in words)
    stops = sum(word.strip('.,;:!?()"').lower() in known for word in words)
    if broken > _MOST_BROKEN * len(words) or single > _MOST_SINGLE * len(words):
        return True
    return bool(known) and stops < _FEWEST_STOPS * len(words) and not guess_language(text).is_likely


def _language_of(raw: RawCluster, language: str) -> str:
    if raw.language is not None:
        return language_code(raw.language, raw.place)
    if language == AUTO:
        return _detected(raw)
    guess = guess_language(sample_of([text for document in raw.documents for text in document.paragraphs]))
    asked = _SAME.get(language, language)
    if guess.is_certain and guess.code != asked and stopwords(asked):
        problem = f"the text is {language_name(guess.code)}, but read as {language_name(language)}"
        log.warning("%s: %s; leave out %s to detect it", raw.place, problem, as_typed("language"))
    return language


def language_of_text(text: str) -> str:
    """Return the code of the language of a text, or ``en`` if the language is not certain."""
    guess = guess_language(sample_of([text]))
    return guess.code if guess.is_certain else "en"


def language_within(paragraph: str, language: str) -> str:
    """Return the language of a paragraph of a text in ``language``: another one only if that is certain.

    Most paragraphs have some stop words of the language of the text, and that is quick to check.
    """
    if len(paragraph) < _LONG_PARAGRAPH or not stopwords(language):
        return language
    if len(stopwords(language).intersection(paragraph.lower().split())) > _DIFFERENT:
        return language
    guess = guess_language(paragraph)
    return guess.code if guess.is_certain else language


def _detected(raw: RawCluster) -> str:
    """Return the language of most documents; in a tie, that of the earliest.

    A document is in the language that it states, unless its text is certainly in another: templates of sites
    and word processors often state English. If no stop words of the stated language are known, the text
    cannot be checked.
    """
    found: dict[str, list[str]] = {}  # language -> the names of the documents in it
    contradicted: list[str] = []  # the names of documents whose text is not in the language they state
    unstated: set[str] = set()
    samples = [sample_of(document.paragraphs) for document in raw.documents]
    for document, sample in zip(raw.documents, samples, strict=True):
        code = stated = _stated(document.language) if sample and document.language else ""
        guess = guess_language(sample)
        if guess.is_certain and guess.code != stated and (not stated or stopwords(stated)):
            code = guess.code
            unstated.add(code)
            if stated:
                contradicted.append(document.id)
        if code:
            found.setdefault(code, []).append(document.id)
    if not found:
        return _together([sample for sample in samples if sample], raw)
    code = max(found, key=lambda each: len(found[each]))
    log.info(
        "%s: language: %s, %s", raw.id, language_name(code), "detected" if code in unstated else "stated"
    )
    if contradicted:
        problem = f"the text of {listed(contradicted)} is not in the language stated there"
        log.warning("%s: %s; the text counts", raw.place, problem)
    if len(found) > 1:
        others = "; ".join(f"{language_name(each)}: {listed(found[each])}" for each in found if each != code)
        problem = f"documents in several languages ({others})"
        log.warning("%s: %s; all read as %s", raw.place, problem, language_name(code))
    return _with_rules(code, raw.place)


def _stated(language: str) -> str:
    try:
        code = language_code(language)
    except SettingError:  # a statement such as "x-default" or "und" names no language
        return ""
    return _SAME.get(code, code)


def _together(samples: Sequence[str], raw: RawCluster) -> str:
    """Return the language of a cluster if that of no single document is certain; warn if it is unclear."""
    text = "\n".join(samples[:_MOST_TOGETHER])
    guess = guess_language(text)
    is_plain = not any(letter.isalpha() and not letter.isascii() for letter in text)
    if guess.is_certain:
        code, found = guess.code, "detected"
    elif len(text.split()) < (_FEW_WORDS if is_plain else _FEWEST_WORDS) or (
        is_plain and guess.code in ("", "en")
    ):
        code, found = "en", "assumed"
    else:
        asked = ask_library(text)
        code = _SAME.get(asked, asked) or (guess.code if guess.is_likely else "en")
        found = "detected" if code == guess.code else ""  # certain enough if stop words and py3langid agree
    if found:
        log.info("%s: language: %s, %s", raw.id, language_name(code), found)
    else:
        problem = f"language not certain, read as {language_name(code)}"
        log.warning("%s: %s; give %s if that is wrong", raw.place, problem, as_typed("language"))
    return _with_rules(code, raw.place)


def _with_rules(code: str, place: str) -> str:
    if not stopwords(code):
        problem = f"no stop words are known of its language ({language_name(code)})"
        log.warning("%s: %s; all its words count", place, problem)
    return code


def sample_of(paragraphs: Sequence[str]) -> str:
    """Return the beginning, the middle and the end of a text, or a short text whole."""
    text = "\n".join(paragraphs)
    if len(text) <= 3 * _STRETCH:
        return text
    middle = (len(text) - _STRETCH) // 2
    return "\n".join((text[:_STRETCH], text[middle : middle + _STRETCH], text[-_STRETCH:]))


def ask_library(text: str) -> str:
    """Return the code of the language that py3langid detects, or "" if the language has no ISO 639-1 code."""
    import py3langid  # noqa: PLC0415 (its model takes most of a second to load)

    code, _ = py3langid.classify(text.encode("utf-8", "replace").decode("utf-8"))
    return code if code in ISO_639_1 else ""


def guess_language(text: str) -> Guess:
    """Return the probable language of a text, by its script and its stop words."""
    folded = unicodedata.normalize("NFC", text).lower()
    words = Counter((_ASCII_WORD if folded.isascii() else _WORD).findall(folded))
    known = sum(words[word] for word in english_stopwords() & words.keys())
    if words.total() >= _ENGLISH_WORDS and known >= _ENGLISH_SHARE * words.total():
        return Guess("en", is_certain=True, is_likely=True)
    languages = _languages_of_script(folded)
    if "ru" in languages:
        for code, own in _OWN_LETTERS.items():
            having = sum(times for word, times in words.items() if not set(own).isdisjoint(word))
            if having > _OWN_SHARE * words.total():
                return Guess(code, is_certain=True, is_likely=True)
    if len(languages) < 2:  # noqa: PLR2004 (nothing to choose from)
        return Guess(languages[0], is_certain=True, is_likely=True) if languages else Guess()
    (best, most), (_, less) = sorted(_votes(words, languages).items(), key=lambda vote: -vote[1])[:2]
    if most <= 0:
        return Guess()
    lead = most - less
    is_likely = most >= _FLOOR and len(stopwords(best) & words.keys()) >= _DIFFERENT
    return Guess(best, is_likely and lead >= _LEAD and lead * words.total() >= _LEAD_IN_ALL, is_likely)


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


def _votes(words: Counter[str], languages: tuple[str, ...]) -> dict[str, float]:
    """Return the vote for each of the languages, divided by the number of words (see ``_VOTE``).

    ``words`` counts the words of the text. Languages without a list of stop words are left out.
    """
    lists = {code: found for code in languages if (found := stopwords(code))}
    known = {code: [word for word in words if word in list_] for code, list_ in lists.items()}
    holders = Counter(word for held in known.values() for word in held)
    strange: Counter[frozenset[str]] = Counter()
    for word, times in words.items():
        if not word.isascii():
            strange[_marks(word)] += times
    votes: dict[str, float] = {}
    for code, list_ in lists.items():
        vote = sum(words[word] * math.log(_VOTE / len(list_) / holders[word]) for word in known[code])
        vote -= sum(_STRANGE * times for marks, times in strange.items() if not marks <= _letters(code))
        votes[code] = vote / words.total()
    return votes


def _marks(word: str) -> frozenset[str]:
    """Return the non-ASCII letters of a word; they show which languages the word cannot belong to."""
    return frozenset(letter for letter in word if not letter.isascii())


@functools.cache
def _letters(language: str) -> frozenset[str]:
    return frozenset().union(*map(_marks, stopwords(language)))
