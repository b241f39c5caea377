"""Find the date of a document, and the dates that a text mentions.

Four sources may give the date of a document. The first that has one is used:

1. The date stated in the file: ``<DATE_TIME>`` in SGML, the metadata of an HTML page, the ``Date:`` of a
   mail, ``dc:date`` in an e-book, ``date:`` above a Markdown text. The reader of the format finds it.
2. The name of the document: ``APW19981016.0240``, ``2005-01-08.txt``.
3. A date alone on one of the first lines ("Saturday, January 8, 2005"), or before the sentence on that line.
4. The properties of the file: when a Word document or a PDF was created, or when a mail with this attachment
   was sent. They come last, because converting a file resets them.

Dates from sources 1 and 4 must lie between 1970 and tomorrow. SGML is exempt, because old corpora use it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

import regex

from summc.records import Document
from summc.resources import months

#: How many of the first sentences may hold the date: it may stand below a headline and a caption.
_FRONT = 3
#: Characters searched for a date at the front of a text: more than a date and a dateline take.
_LONGEST = 80
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_A_YEAR = regex.compile(_YEAR)
_NUMBERS = regex.compile(
    rf"(?<!\d){_YEAR} (?P<between>[-/._]?) (?P<month>0[1-9]|1[0-2]) (?P=between)"
    r"(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
    regex.VERBOSE,
)
_MONTH = r"(?P<month>[\p{L}\p{M}]{3,})"
_DATE = (
    rf"{_MONTH}\.? \s+ (?P<day>\d{{1,2}}) ,? \s+ {_YEAR}",  # January 8, 2005
    rf"(?P<day>\d{{1,2}}) (?:\.|er|st|nd|rd|th)? \s+ (?:de\s+)? {_MONTH} \.?[,،]? \s+ (?:de\s+)? {_YEAR}",
)
# The date in an element. Anything may follow it ("January 1, 1990, Monday, Home Edition"), and a weekday may
# stand before it ("Wed, 01 May 2024 10:00:00 GMT").
_STATED = tuple(
    regex.compile(rf"\s* (?:\p{{L}}{{2,9}}\.?,? \s+)? {date} \b", regex.VERBOSE) for date in _DATE
)
# American wires put the month first (07/04/1999); the Financial Times of TREC has 920102.
_MONTH_FIRST = regex.compile(r"\s*(?P<month>\d\d?)[-/.](?P<day>\d\d?)[-/.](?P<year>\d{4}|\d\d)(?!\d)")
_SIX_DIGITS = regex.compile(r"\s*(?P<year>\d\d)(?P<month>\d\d)(?P<day>\d\d)\s*")
#: A two-digit year below this is in the 2000s.
_TURN = 70
_WEEKDAY = r"[\p{L}\p{M}.-]{2,} \s* [,،]? \s+"
# A date before a sentence counts only in the forms that newspapers use: in "On July 7, 2005 London ..." the
# sentence is about that day, which need not be the day of the document.
_WRITTEN = tuple(
    regex.compile(form.replace("DATE", date), regex.VERBOSE)
    for form in (
        rf"(?:\p{{L}}{{1,3}}\s+)? (?:{_WEEKDAY})? DATE \s* \.? $",  # Le mardi 12 janvier 2010
        r"(?:[\p{L}\p{M}]{4,}, \s+)? DATE \s* (?=\p{Lu}\p{Ll})",  # Tuesday, January 18, 2005 Through a ...
        r"\p{Lu}[\p{L}\p{M}.'\ -]{2,30}, \s+ DATE \s* (?:_|--?|[\u2013\u2014]|:)",  # MEDRIN, May 15, 2031 -
    )
    for date in _DATE
)
# Dates anywhere in a text. A match may start only at the start of a word, so that the time stays linear.
_MENTIONED = tuple(regex.compile(rf"(?<![\p{{L}}\p{{M}}\d]) {date} \b", regex.VERBOSE) for date in _DATE)
#: The day before, 1970-01-01, is where clocks start counting, and often stands for an unknown date.
_EARLIEST = "1970-01-02"
#: Dates that programs write when they know none: the first day that a zip file can store, and ReportLab's.
_DEFAULTS = frozenset({"1980-01-01", "2000-01-01"})


def date_of(document: Document, language: str = "en") -> str:
    """Return the date in the name or the first sentences of a document, as ``2005-01-08``, or ""."""
    return _numbers_in(document.id) or _written_in(
        (sentence.text for sentence in document.sentences[:_FRONT]), language
    )


def read_date(text: str) -> str:
    """Return the date in an element such as ``<DATE_TIME>``, as ``2005-01-08``, or "".

    It reads the forms of the news corpora behind DUC: ``1999-07-07 15:28:23``, ``07/07/1999 15:28``,
    ``920102``, ``January 1, 1990, Monday``, ``1 March 1994``.
    """
    text = text[:_LONGEST]
    if _NUMBERS.search(text):
        return _numbers_in(text)
    if found := _MONTH_FIRST.match(text):
        month, day = found["month"], found["day"]
        return _valid(found["year"], month, day) or _valid(found["year"], day, month)
    if found := _SIX_DIGITS.fullmatch(text):
        return _valid(found["year"], found["month"], found["day"])
    return _written_out(text)


def read_stated_date(text: str) -> str:
    """Return the date in the metadata of a file, as ``2005-01-08``, or "" if it has no credible one.

    The time zone is ignored: the day is the one written. ``05/06/2005`` is not read, because it may mean May
    or June.
    """
    text = text[:_LONGEST]
    return believed(_numbers_in(text) or _written_out(text))


def read_property_date(text: str) -> str:
    """Return the date in the properties of a file, or "" for a day that programs write by default."""
    date = read_stated_date(text)
    return "" if date in _DEFAULTS else date


def believed(date: str) -> str:
    """Return a date if it lies between 1970 and tomorrow, else "".

    Tomorrow is allowed, because it has already begun in other time zones.
    """
    tomorrow = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1)
    return date if _EARLIEST <= date <= tomorrow.isoformat() else ""


def _valid(year: str, month: str, day: str) -> str:
    """Return a date as ``2005-01-08``, or "" for a day that does not exist."""
    number = int(year)
    if len(year) == len("99"):
        number += 2000 if number < _TURN else 1900
    try:
        return dt.date(number, int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _numbers_in(text: str) -> str:
    found = _NUMBERS.search(text)
    return _valid(found["year"], found["month"], found["day"]) if found else ""


def _written_out(text: str) -> str:
    """Return the date at the start of a text, its month written as an English name, or ""."""
    known = months("en")
    for pattern in _STATED:
        if (found := pattern.match(text)) and found["month"].lower() in known:
            return _valid(found["year"], str(known[found["month"].lower()]), found["day"])
    return ""


def _written_in(texts: Iterable[str], language: str) -> str:
    known = months(language)
    for text in texts:
        for pattern in _WRITTEN:
            found = pattern.match(text[:_LONGEST])
            if found and (month := known.get(found["month"].lower())):
                return _valid(found["year"], str(month), found["day"])
    return ""


def dates_in(text: str, language: str) -> Iterator[str]:
    """Yield each date in a text that has day, month and year."""
    if not _A_YEAR.search(text):  # a quick way out, as most sentences have no year
        return
    for found in _NUMBERS.finditer(text):
        if found["between"]:  # eight digits without separators are as likely an order number
            yield _valid(found["year"], found["month"], found["day"])
    known = months(language)
    for pattern in _MENTIONED:
        for found in pattern.finditer(text):
            if month := known.get(found["month"].lower()):
                yield _valid(found["year"], str(month), found["day"])
