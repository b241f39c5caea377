"""Find the date of a document, and the dates that a text mentions.

Four sources may give the date of a document. The first source that has a date is used:

1. The date stated in the file: ``<DATE_TIME>`` in SGML, the metadata of an HTML page, the ``Date:`` of a
   mail, ``dc:date`` in an e-book, ``date:`` above a Markdown text. The reader of the format finds it.
2. The name of the document: ``APW19981016.0240``, ``2005-01-08.txt``.
3. One of the first sentences: a date alone ("Saturday, January 8, 2005"), or a date before the text of the
   sentence.
4. The properties of the file: when a Word document or a PDF was created. For an attachment, it may also be
   when the mail was sent. This source comes last, because converting a file changes its properties.

A date from the first or the last source is ignored unless it lies between 1970 and tomorrow. Dates in SGML
are always used, because old corpora are in SGML.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import regex

from summc.system.resources import months

if TYPE_CHECKING:
    from summc.records import Document  # only for its type: it loads NumPy, which file readers do not need

#: How many of the first sentences are searched for the date, which may be below a headline and a caption.
_FRONT = 3
#: How many characters at the start of a text are searched for a date: more than a date with a city takes.
_LONGEST = 80
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_A_YEAR = regex.compile(_YEAR)
_NUMBERS = regex.compile(
    rf"(?x)(?<!\d){_YEAR} (?P<between>[-/._]?) (?P<month>0[1-9]|1[0-2]) (?P=between)"
    r"(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
)
_MONTH = r"(?P<month>[\p{L}\p{M}]{3,})"
_DATE = (
    rf"{_MONTH}\.? \s+ (?P<day>\d{{1,2}}) ,? \s+ {_YEAR}",  # January 8, 2005
    rf"(?P<day>\d{{1,2}}) (?:\.|er|st|nd|rd|th)? \s+ (?:de\s+)? {_MONTH} \.?[,،]? \s+ (?:de\s+)? {_YEAR}",
)
# A date at the start of metadata or of an SGML element. Anything may follow the date ("January 1, 1990,
# Monday, Home Edition"), and a weekday may come before it ("Wed, 01 May 2024 10:00:00 GMT").
_STATED = tuple(regex.compile(rf"(?x)\s* (?:\p{{L}}{{2,9}}\.?,? \s+)? {date} \b") for date in _DATE)
# American news agencies put the month first (07/04/1999). The Financial Times in TREC writes 920102.
_MONTH_FIRST = regex.compile(r"\s*(?P<month>\d\d?)[-/.](?P<day>\d\d?)[-/.](?P<year>\d{4}|\d\d)(?!\d)")
_SIX_DIGITS = regex.compile(r"\s*(?P<year>\d\d)(?P<month>0\d|1[0-2])(?P<day>\d\d)\s*")
#: A two-digit year below this number is in the 2000s, any other in the 1900s.
_TURN = 70
_WEEKDAY = r"[\p{L}\p{M}.-]{2,} \s* [,،]? \s+"
# Dates at the start of a sentence, in the forms that newspapers use for the date of an article. Other forms
# are ignored: "On July 7, 2005 London ..." tells of that day, which need not be the date of the document.
_WRITTEN = tuple(
    regex.compile("(?x)" + form.replace("DATE", date))
    for form in (
        rf"(?:\p{{L}}{{1,3}}\s+)? (?:{_WEEKDAY})? DATE \s* \.? $",  # Le mardi 12 janvier 2010
        r"(?:[\p{L}\p{M}]{4,}, \s+)? DATE \s* (?=\p{Lu}\p{Ll})",  # Tuesday, January 18, 2005 Through a ...
        r"\p{Lu}[\p{L}\p{M}.'\ -]{2,30}, \s+ DATE \s* (?:_|--?|[\u2013\u2014]|:)",  # MEDRIN, May 15, 2031 -
    )
    for date in _DATE
)
# Dates anywhere in a text. A match must begin at the start of a word, so that searching takes linear time.
_MENTIONED = tuple(regex.compile(rf"(?x)(?<![\p{{L}}\p{{M}}\d]) {date} \b") for date in _DATE)
#: The earliest date that is believed. Programs often write the day before, 1970-01-01, for an unknown date.
_EARLIEST = "1970-01-02"
#: Dates that programs write if they know no other: the first day that a zip file can store, and the default
#: date of the PDF library ReportLab.
_DEFAULTS = frozenset({"1980-01-01", "2000-01-01"})


def date_of(document: Document, language: str = "en") -> str:
    """Return the date in the name of a document, or else in its first sentences, as ``2005-01-08``, or ""."""
    if date := _numbers_in(document.id):
        return date
    for sentence in document.sentences[:_FRONT]:
        text = sentence.text[:_LONGEST]
        if _A_YEAR.search(text) and (date := _written_out(_WRITTEN, text, language)):
            return date
    return ""


def read_date(text: str) -> str:
    """Return the date in an SGML element such as ``<DATE_TIME>``, as ``2005-01-08``, or "".

    The text may be as in the news corpora that DUC uses: ``1999-07-07 15:28:23``, ``07/07/1999 15:28``,
    ``920102``, ``January 1, 1990, Monday`` or ``1 March 1994``.
    """
    text = text[:_LONGEST]
    if match := _NUMBERS.search(text) or _MONTH_FIRST.match(text) or _SIX_DIGITS.fullmatch(text):
        year, month, day = match["year"], match["month"], match["day"]
        return _valid(year, month, day) or _valid(year, day, month)
    return _written_out(_STATED, text, "en")


def read_stated_date(text: str) -> str:
    """Return the date in a text from the metadata of a file, as ``2005-01-08``, or "".

    The result is "" if the date does not lie between 1970 and tomorrow, which may have begun in other time
    zones. The day is returned as written. ``05/06/2005`` is not read, because it may mean May or June.
    """
    text = text[:_LONGEST]
    date = _numbers_in(text) or _written_out(_STATED, text, "en")
    tomorrow = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1)
    return date if _EARLIEST <= date <= tomorrow.isoformat() else ""


def read_property_date(text: str) -> str:
    """Return the date in a text from the properties of a file, or "" for a date that programs default to."""
    date = read_stated_date(text)
    return "" if date in _DEFAULTS else date


def dates_in(text: str, language: str) -> Iterator[str]:
    """Yield each full date in a text, as ``2005-01-08``; "" for a day that does not exist."""
    if not _A_YEAR.search(text):  # most sentences have no year, and this check is quick
        return
    for match in _NUMBERS.finditer(text):
        if match["between"]:  # eight digits without separators may just as well be some other number
            yield _valid(match["year"], match["month"], match["day"])
    numbers = months(language)
    for pattern in _MENTIONED:
        for match in pattern.finditer(text):
            if month := numbers.get(match["month"].lower()):
                yield _valid(match["year"], str(month), match["day"])


def _valid(year: str, month: str, day: str) -> str:
    """Return a date, given in digits, as ``2005-01-08``, or "" if the day does not exist."""
    number = int(year)
    if len(year) == len("99"):
        number += 2000 if number < _TURN else 1900
    try:
        return dt.date(number, int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _numbers_in(text: str) -> str:
    match = _NUMBERS.search(text)
    return _valid(match["year"], match["month"], match["day"]) if match else ""


def _written_out(patterns: Iterable[regex.Pattern[str]], text: str, language: str) -> str:
    """Return the date that the first matching pattern finds at the start of a text, or ""."""
    numbers = months(language)
    for pattern in patterns:
        if (match := pattern.match(text)) and (month := numbers.get(match["month"].lower())):
            return _valid(match["year"], str(month), match["day"])
    return ""
