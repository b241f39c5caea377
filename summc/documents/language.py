"""Find the language of a cluster that does not name one.

A document may state its language in its file, as a page or mail can. Otherwise its text is examined.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from summc.documents.detection import ask_library, guess_language, sample_of
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.topics import listed
from summc.errors import SettingError, named
from summc.system.resources import stopwords
from summc.text.languages import AUTO, language_code, language_name

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
        log.warning("%s: %s; give %s if that is wrong", raw.place, problem, named("language"))
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
        log.warning("%s: %s; leave out %s to detect it", raw.place, problem, named("language"))


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
