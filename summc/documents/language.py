"""Find the language of a cluster that does not name one.

A document may state its language in its file, as a page or mail can. Otherwise its text is examined. English
is recognized by its stop words. For any other text py3langid, whose model takes most of a second to load,
names a language, and the stop words of that language confirm it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import regex

from summc.documents.raw import RawCluster, listed
from summc.documents.wrapping import WITHOUT_SPACES
from summc.errors import SettingError, as_typed
from summc.system.logs import log
from summc.system.resources import english_stopwords, stopwords
from summc.text.languages import AUTO, ISO_639_1, language_code, language_name

#: How many characters are examined at the beginning of a document, in its middle and at its end.
_STRETCH = 400
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_LATIN = regex.compile(r"\p{Latin}")
_NOT_ENGLISH = regex.compile(r"[^\P{L}a-zA-Z]")

# A text is too short for detection if it has fewer words and only English letters, or fewer letters.
_FEW_WORDS, _FEW_LETTERS = 20, 12
# A text is English if at least this share of its words are English stop words. In English texts the share is
# a third or more, and in other languages at most a fifth.
_ENGLISH_SHARE = 0.3
# A text is certainly in the language that py3langid names if this share of its words, and this many different
# ones, are stop words of that language. A table may repeat a single word. A text in another script than Latin
# just needs this many letters, because few languages share its script, and some have no spaces.
_STOP_SHARE, _DIFFERENT, _ENOUGH_LETTERS = 0.2, 3, 30
# Code of a variety of a language -> the code that summc uses.
_SAME = {"arz": "ar", "ary": "ar", "nb": "no", "nn": "no", "sdh": "ku", "wuu": "zh", "yue": "zh"}
# If the language of no single document is certain, up to this many documents are examined together.
_MOST_TOGETHER = 50
# In a damaged text, words have symbols within them, U+FFFD, or the marks of UTF-8 that was read as Latin 1.
# Japanese and Chinese have digits between letters, as in dates; their letters have no case.
_BROKEN_WORD = regex.compile(
    r"[\p{Lu}\p{Ll}][\d|~^$%#*{}\\]+[\p{Lu}\p{Ll}]|\ufffd|[\u00c2\u00c3\u00d0\u00d1\u00d7-\u00d9\u00e2]"
    r"[\u0080-\u00bf\u0153\u0192\u02dc\u201a-\u2026\u20ac\u2122]"
)
_SINGLE_LETTER = regex.compile(r"(?<!\S)[\p{Lu}\p{Ll}](?!\S)")
# A text of at least _ENOUGH words is damaged if a larger share of them are broken, or single letters; or if
# its language is not certain, and fewer of its words are stop words of the language that it is read in.
_ENOUGH, _MOST_BROKEN, _MOST_SINGLE, _FEWEST_STOPS = 50, 0.05, 0.3, 0.1
_MOST_WITHOUT_SPACES = 0.05
# Only the language of a paragraph of this many characters may differ from that of its text.
_LONG_PARAGRAPH = 150


class Guess(NamedTuple):
    """The probable language of a text; ``code`` is "" if the text is too short to tell."""

    code: str = ""
    is_certain: bool = False


def language_of(raw: RawCluster, language: str) -> str:
    """Return the code of the language to read a cluster in: the language it names, or else ``language``.

    ``language`` is a code, or ``auto`` to detect the language from the documents. Warn if it is a code, and
    the text is certainly in another language. Warn also of damaged texts.
    """
    samples = list(map(sample_of, map(attrgetter("paragraphs"), raw.documents)))
    if raw.language is not None:
        code = language_code(raw.language, raw.place)
    elif language == AUTO:
        code = _detected(raw, samples)
    else:
        code = language
        guess = guess_language(sample_of(samples))
        expected = _SAME.get(code, code)
        if guess.is_certain and guess.code != expected and stopwords(expected):
            problem = f"the text is {language_name(guess.code)}, but read as {language_name(language)}"
            log.warning("%s: %s; leave out %s to detect it", raw.place, problem, as_typed("language"))
    if damaged := _damaged(raw, samples, code):
        problem = f"the text of {listed(damaged)} looks damaged, as by poor OCR or a wrong encoding"
        log.warning("%s: %s; check it", raw.place, problem)
    return code


def _damaged(raw: RawCluster, samples: Sequence[str], language: str) -> list[str]:
    """Return the names of the documents whose text is damaged, given a sample of each document."""
    stop_words = stopwords(language)
    names: list[str] = []
    for document, sample in zip(raw.documents, samples, strict=True):
        words = [word for word in sample.split() if "://" not in word]
        if len(words) < _ENOUGH:
            continue
        broken = sum(_BROKEN_WORD.search(word) is not None for word in words)
        single = len(_SINGLE_LETTER.findall(sample))
        is_broken = broken > _MOST_BROKEN * len(words) or single > _MOST_SINGLE * len(words)
        stops = sum(word.strip('.,;:!?()"').lower() in stop_words for word in words)
        # Without spaces between words, stop words cannot be counted.
        has_spaces = len(WITHOUT_SPACES.findall(sample)) < _MOST_WITHOUT_SPACES * len(sample)
        is_foreign = stop_words and stops < _FEWEST_STOPS * len(words) and has_spaces
        if is_broken or (is_foreign and not guess_language(sample).is_certain):
            names.append(document.id)
    return names


def language_of_text(text: str) -> str:
    """Return the code of the language of a text, or ``en`` if the language is not certain."""
    guess = guess_language(sample_of([text]))
    return guess.code if guess.is_certain else "en"


def language_within(paragraph: str, language: str) -> str:
    """Return the language of a paragraph: that of its text, ``language``, unless it is certainly another.

    Most paragraphs have some stop words of the language of the text, and that is quick to check.
    """
    stop_words = stopwords(language)
    if len(paragraph) < _LONG_PARAGRAPH or not stop_words:
        return language
    if len(stop_words.intersection(paragraph.lower().split())) > _DIFFERENT:
        return language
    guess = guess_language(paragraph)
    return guess.code if guess.is_certain else language


def _detected(raw: RawCluster, samples: Sequence[str]) -> str:
    """Return the language of most documents; in a tie, that of the earliest.

    A document is in the language that it states, unless its text is certainly in another: templates of sites
    and word processors often state English. If no stop words of the stated language are known, the text
    cannot be checked.
    """
    ids_in: dict[str, list[str]] = {}  # language -> the names of the documents in it
    contradicted: list[str] = []  # the names of documents whose text is not in the language they state
    unstated: set[str] = set()
    for document, sample in zip(raw.documents, samples, strict=True):
        code = stated = _stated(document.language) if sample and document.language else ""
        guess = guess_language(sample)
        if guess.is_certain and guess.code != stated and (not stated or stopwords(stated)):
            code = guess.code
            unstated.add(code)
            contradicted += [document.id] if stated else []
        if code:
            ids_in.setdefault(code, []).append(document.id)
    if ids_in:
        code = max(ids_in, key=lambda code: len(ids_in[code]))
        how = "detected" if code in unstated else "stated"
    else:
        code, how = _together(samples)
    if how:
        log.info("%s: language: %s, %s", raw.id, language_name(code), how)
    else:
        problem = f"language not certain, read as {language_name(code)}"
        log.warning("%s: %s; give %s if that is wrong", raw.place, problem, as_typed("language"))
    if contradicted:
        problem = f"the text of {listed(contradicted)} is not in the language stated there"
        log.warning("%s: %s; the text counts", raw.place, problem)
    if len(ids_in) > 1:
        rest = "; ".join(f"{language_name(lang)}: {listed(ids_in[lang])}" for lang in ids_in if lang != code)
        problem = f"documents in several languages ({rest})"
        log.warning("%s: %s; all read as %s", raw.place, problem, language_name(code))
    if not stopwords(code):
        problem = f"no stop words are known of its language ({language_name(code)})"
        log.warning("%s: %s; all its words count", raw.place, problem)
    return code


def _stated(language: str) -> str:
    try:
        code = language_code(language)
    except SettingError:  # a statement such as "x-default" or "und" names no language
        return ""
    return _SAME.get(code, code)


def _together(samples: Sequence[str]) -> tuple[str, str]:
    """Return the language of all samples together, and how it was found, or "" if it is not clear.

    If it is not certain, a text with only English letters is assumed to be English.
    """
    text = "\n".join([sample for sample in samples if sample][:_MOST_TOGETHER])
    guess = guess_language(text)
    if guess.is_certain:
        return guess.code, "detected"
    return (guess.code, "") if guess.code and _NOT_ENGLISH.search(text) else ("en", "assumed")


def sample_of(paragraphs: Sequence[str]) -> str:
    """Return the beginning, the middle and the end of a text, or a short text whole."""
    text = "\n".join(paragraphs)
    if len(text) <= 3 * _STRETCH:
        return text
    middle = (len(text) - _STRETCH) // 2
    return "\n".join((text[:_STRETCH], text[middle : middle + _STRETCH], text[-_STRETCH:]))


def guess_language(text: str) -> Guess:
    """Return the probable language of a text; English, but not certainly, if its language has no code."""
    words = _WORD.findall(text.lower())
    english = sum(map(english_stopwords().__contains__, words))
    if len(words) >= _FEW_WORDS and english / len(words) >= _ENGLISH_SHARE:
        return Guess("en", is_certain=True)
    letters = sum(map(len, words))
    if letters < _FEW_LETTERS or (len(words) < _FEW_WORDS and not _NOT_ENGLISH.search(text)):
        return Guess()
    import py3langid  # noqa: PLC0415 (its model takes most of a second to load)

    named, _ = py3langid.classify(text.encode("utf-8", "replace").decode("utf-8"))
    code = _SAME.get(named, named)
    if code not in ISO_639_1:
        return Guess("en")
    is_latin = 2 * len(_LATIN.findall(text)) > letters
    stop_words = stopwords(code)
    stops = sum(map(stop_words.__contains__, words))
    is_confirmed = len(stop_words.intersection(words)) >= _DIFFERENT and stops / len(words) >= _STOP_SHARE
    return Guess(code, is_certain=is_confirmed or (letters >= _ENOUGH_LETTERS and not is_latin))
