"""Documents in the order of their dates, where all of them have one to be found.

The date that a file states of itself (SGML's ``<DATE_TIME>``) comes first. Otherwise a date is looked for in
the name of a document (``APW19981016.0240``, ``2005-01-08.txt``), then alone on one of its first lines
("Saturday, January 8, 2005") or in front of the sentence there.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable

import regex

from summc.records import Cluster, Document
from summc.resources import months

#: The date of a document stands in one of so many sentences at the front, below a headline and a caption.
_FRONT = 3
#: More than a date and what may stand before it; what is longer is looked at so far.
_LONGEST = 80
_YEAR = r"(?P<year>(?:19|20)\d\d)"
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
# Whatever follows a date that an element states: "January 1, 1990, Monday, Home Edition".
_STATED = tuple(regex.compile(rf"\s* {date} \b", regex.VERBOSE) for date in _DATE)
# American wires put the month first (07/04/1999); the Financial Times of TREC has 920102.
_MONTH_FIRST = regex.compile(r"\s*(?P<month>\d\d?)[-/.](?P<day>\d\d?)[-/.](?P<year>\d{4}|\d\d)(?!\d)")
_SIX_DIGITS = regex.compile(r"\s*(?P<year>\d\d)(?P<month>\d\d)(?P<day>\d\d)\s*")
#: A year of two digits below this is of the 2000s.
_TURN = 70
_WEEKDAY = r"[\p{L}\p{M}.-]{2,} \s* [,،]? \s+"
# Before a sentence only as papers write it: "On July 7, 2005 London ..." is about another day.
_WRITTEN = tuple(
    regex.compile(form.replace("DATE", date), regex.VERBOSE)
    for form in (
        rf"(?:\p{{L}}{{1,3}}\s+)? (?:{_WEEKDAY})? DATE \s* \.? $",  # Le mardi 12 janvier 2010
        r"(?:[\p{L}\p{M}]{4,}, \s+)? DATE \s* (?=\p{Lu}\p{Ll})",  # Tuesday, January 18, 2005 Through a ...
    )
    for date in _DATE
)


def in_order_of_dates(cluster: Cluster) -> Cluster:
    """Return a cluster with the dates of its documents, and these in their order, of one day as they were.

    Where one of them has no date they stay as they are.
    """
    language = cluster.language
    dated = [dataclasses.replace(d, date=d.date or date_of(d, language)) for d in cluster.documents]
    if all(document.date for document in dated):
        dated.sort(key=lambda document: document.date)
    return dataclasses.replace(cluster, documents=tuple(_numbered(d, n) for n, d in enumerate(dated)))


def date_of(document: Document, language: str = "en") -> str:
    """Return the date of a document as ``2005-01-08``, or nothing where none is found."""
    return _numbers_in([document.id]) or _written_in(
        (sentence.text for sentence in document.sentences[:_FRONT]), language
    )


def read_date(text: str) -> str:
    """Return the date that an element such as ``<DATE_TIME>`` states, as ``2005-01-08``, or "".

    Forms of the news corpora behind DUC: ``1999-07-07 15:28:23``, ``07/07/1999 15:28``, ``920102``,
    ``January 1, 1990, Monday``, ``1 March 1994``.
    """
    text = text[:_LONGEST]
    if found := _NUMBERS.search(text):
        return _valid(found["year"], found["month"], found["day"])
    if found := _MONTH_FIRST.match(text):
        month, day = found["month"], found["day"]
        return _valid(found["year"], month, day) or _valid(found["year"], day, month)
    if found := _SIX_DIGITS.fullmatch(text):
        return _valid(found["year"], found["month"], found["day"])
    known = months("en")
    for pattern in _STATED:
        if (found := pattern.match(text)) and found["month"].lower() in known:
            return _valid(found["year"], str(known[found["month"].lower()]), found["day"])
    return ""


def _valid(year: str, month: str, day: str) -> str:
    """Return a date as ``2005-01-08``, or "" where no calendar has it."""
    number = int(year)
    if len(year) == len("99"):
        number += 2000 if number < _TURN else 1900
    try:
        return dt.date(number, int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _numbers_in(texts: Iterable[str]) -> str:
    for text in texts:
        if found := _NUMBERS.search(text):
            return f"{found['year']}-{found['month']}-{found['day']}"
    return ""


def _written_in(texts: Iterable[str], language: str) -> str:
    known = months(language)
    for text in texts:
        for pattern in _WRITTEN:
            found = pattern.match(text[:_LONGEST])
            if found and found["month"].lower() in known and 1 <= int(found["day"]) <= 31:  # noqa: PLR2004
                return f"{found['year']}-{known[found['month'].lower()]:02}-{int(found['day']):02}"
    return ""


def _numbered(document: Document, number: int) -> Document:
    if not document.sentences or document.sentences[0].document == number:
        return document
    sentences = tuple(dataclasses.replace(sentence, document=number) for sentence in document.sentences)
    return dataclasses.replace(document, sentences=sentences)
