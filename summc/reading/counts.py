"""The numbers of a sentence, and what each counts, found without grammar.

What a number counts is the word after it. Years, dates, times, ordinals, decimals and numbers with letters or
signs attached ("$12", "12%", "A330") count nothing. So much works in every language that puts spaces between
words. English only:

- Numbers in words are read: "seven", "two dozen".
- All words of death count the same ("47 killed", "the toll is 47"), and so do all words of injury.
- "600 people were evacuated" counts evacuations, not people.
- Forecasts ("may rise to 100"), parts ("12 more", "the two men"), labels ("Flight 447"), measures, spans of
  time, ages and money count nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import regex

from summc.resources import english_stopwords, months
from summc.text.languages import SNOWBALL
from summc.text.stemmers import Stem, porter, snowball


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words before or after a number that may say what it counts.
_NEAR = 5
#: Where the names of the months are not known, a number up to this may be a day.
_LAST_DAY = 31
#: Shorter words are units ("km") or function words.
_SHORTEST = 3

_MARKS = ".,;:!?\"'()[]{}\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e\u2026\u2013\u2014\u060c\u061b\u061f*_-"
_DIGIT = regex.compile(r"\d")
_NUMBER = regex.compile(r"[^\D0]\d{0,2}(?:[.,]\d{3}){1,4}|[^\D0]\d{0,14}(?:[.,]\d\d?)?")
_YEAR = regex.compile(r"(?:1[89]|20)\d\d")
_GROUP = regex.compile(r"\d{3}")
_FIRST = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_IN_WORDS = {word: n for n, word in enumerate(_FIRST.split(), start=1)}
_IN_WORDS |= {word: 10 * n for n, word in enumerate(_TENS.split(), start=2)}
_NUMBER_WORD = regex.compile(rf"\b(?:{'|'.join(_IN_WORDS)})\b", regex.IGNORECASE)
#: No further words or groups of digits are read as part of a number that is as large as this.
_HUGE = 1e12
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}

_FORECASTS = _words("could may might would will can should if unless until expected feared likely asked")
_PARTS_BEFORE = _words(
    "the these those his her their its our another additional further other next last first past every each "
    "per age aged number between"
)
_NOT_COUNTED = _words(
    "more other others additional further times to second seconds minute minutes hour hours day days week "
    "weeks month months year years decade decades century centuries percent per pct am pm a.m p.m utc gmt "
    "local dollar dollars usd us euro euros pound pounds yen yuan rupees degree degrees magnitude km "
    "kilometer kilometers kilometre kilometres mile miles meter meters metre metres cm centimeters "
    "centimetres feet foot inches yards kg kilograms tons tonnes points"
)
_CLAUSES = _words("and or but while when who which that as")
_PEOPLE = _words("people persons men women children civilians victims lives others")
_BE = _words("was were is are be been being")
#: What kills or injures stands before these words in the active voice: "two bombs killed 47".
_ACTIVE = {
    "dead": regex.compile(r"kill(?:s|ed|ing)?|claim(?:s|ed|ing)?"),
    "injured": regex.compile(r"injur(?:ed|es|ing)|wound(?:s|ed|ing)|hurt"),
}
_STATES = {
    "dead": regex.compile(r"dead|deaths?|die[sd]?|fatalit(?:y|ies)|perished"),
    "injured": regex.compile(r"injuries"),
}
#: What is counted in words of any kind.
TOLLS = frozenset(_STATES)


class Figure(NamedTuple):
    """A number as its sentence has it, its value, and what it counts: a stem, or "" if that is not known."""

    shown: str
    value: float
    counted: str


def numbers_in(text: str, language: str) -> Iterator[Figure]:
    """Yield the numbers of a sentence, from 2 on, and what they count."""
    is_english = language == "en"
    if not (_DIGIT.search(text) or (is_english and _NUMBER_WORD.search(text))):
        return
    pieces = _pieces(text)
    words = [piece.lower() for piece in pieces]
    start = k = 0  # where the words before a number begin, and where a number may
    while k < len(words):
        value, end = _value(words, k, is_english=is_english)
        is_former = is_english and k > 0 and words[k - 1] == "from" and "to" in words[end : end + 3]
        if value > 1 and not is_former:  # "rose from 12 to 47" says 47
            near = _Near(words[max(start, k - _NEAR) : k], words[end : end + _NEAR], words[start:k])
            is_label = k > 1 and pieces[k - 1][:1].isupper()
            counted = "" if value % 1 else _counted(near, value, language, is_label=is_label)
            yield Figure(" ".join(pieces[k:end]), value, counted)
            start = end
        k = end


def _pieces(text: str) -> list[str]:
    """Return what stands between spaces, without the marks around it, and "" where a mark divides two."""
    found = list[str]()
    for chunk in text.split():
        piece = chunk.strip(_MARKS)
        before, _, after = chunk.partition(piece) if piece else (chunk, "", "")
        found += [""] * bool(before) + [piece] * bool(piece) + [""] * bool(after)
    return found


def _value(words: Sequence[str], k: int, *, is_english: bool) -> tuple[float, int]:
    """Return the value of the number that begins at a word, 0 if none does, and where it ends."""
    word, end, value = words[k], k + 1, 0.0
    if not word[:1].isdigit() and word.partition("-")[0] not in _IN_WORDS:  # most words, at little cost
        return value, end
    if _NUMBER.fullmatch(word) and not _YEAR.fullmatch(word):
        value = float(regex.sub(r"[.,](?=\d{3})", "", word).replace(",", "."))
        is_grouped = not is_english and value % 1 == 0
        while is_grouped and value < _HUGE and end < len(words) and _GROUP.fullmatch(words[end]):
            value, end = 1000 * value + float(words[end]), end + 1  # "12 000"
    elif is_english and all(part in _IN_WORDS for part in word.split("-")):
        value = float(sum(_IN_WORDS[part] for part in word.split("-")))
    while is_english and 0 < value < _HUGE and end < len(words) and words[end] in _SCALES:
        value, end = value * _SCALES[words[end]], end + 1
    return value, end


class _Near(NamedTuple):
    """The words right before and after a number, and all that stand between it and the number before."""

    before: list[str]
    after: list[str]
    between: list[str]


def _counted(near: _Near, value: float, language: str, *, is_label: bool) -> str:
    """Return the stem of what a number counts, or ""."""
    names = months(language)
    after = list(itertools.takewhile(bool, near.after))
    first, last = after[0] if after else "", near.before[-1] if near.before else ""
    if first in names or last in names or (not names and value <= _LAST_DAY):
        return ""
    if language == "en":
        return _counted_in_english(near.before, after, near.between, is_label=is_label)
    return _stemmer(language)(first) if first.isalpha() and len(first) >= _SHORTEST else ""


def _counted_in_english(
    before: list[str], after: list[str], between: Sequence[str], *, is_label: bool
) -> str:
    """Return the same of an English number; the words after it end at a mark."""
    is_part = before[-1:] and before[-1] in _PARTS_BEFORE
    if is_part or not _NOT_COUNTED.isdisjoint(after[:1]) or not _FORECASTS.isdisjoint(before + after):
        return ""
    after = list(itertools.takewhile(lambda word: word not in _CLAUSES, after))
    is_people = not after or after[0] in _PEOPLE
    if is_label and not is_people:
        return ""
    kind = _kind_after(after, is_people=is_people)
    if is_people and not kind:
        kind = _kind_before(before) or ("dead" if "toll" in between else "")
        after = [word for word in after[1:] if word not in english_stopwords()]
    is_thing = after and after[0].isalpha() and after[0] not in english_stopwords()
    return kind or (porter()(after[0]) if is_thing else "")


def _kind_after(after: Sequence[str], *, is_people: bool) -> str:
    """Return what is told of those who are counted: "12 dead", "12 soldiers were killed"."""
    for k, word in enumerate(after):
        is_passive = k == 0 or is_people or after[k - 1] in _BE
        for kind, state in _STATES.items():
            if state.fullmatch(word) or (is_passive and _ACTIVE[kind].fullmatch(word)):
                return kind
    return ""


def _kind_before(before: Sequence[str]) -> str:
    """Return what is told before people are counted: "killing 12 people", "the death count is 12"."""
    for k, word in reversed(list(enumerate(before))):
        for kind, state in _STATES.items():
            if state.fullmatch(word) or _ACTIVE[kind].fullmatch(word):
                return "" if k > 0 and before[k - 1] in _BE else kind
    return ""


@cache
def _stemmer(language: str) -> Stem:
    return snowball(SNOWBALL[language]) if language in SNOWBALL else str
