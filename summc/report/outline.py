"""Find how documents are laid out: their headlines and headings, and their days on a strip of time.

The readers of all formats return a headline as an ordinary paragraph. The first paragraph is the headline if
it is one short text that is not a whole sentence. The strip is a horizontal line from the first day to the
last. A mark above a day shows which sentences of the summary are from that day.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import regex

from summc.preprocess.candidates import heads_of
from summc.records import Cluster, Document, Sentence
from summc.report.summaries import written_out
from summc.text.dates import date_of
from summc.text.structure import sections_of

#: A headline has at most this many words.
_LONGEST = 30
#: Above the headline there may be a date, or a line that says where a paper was published.
_FRONT = 3
#: A line of up to this many words that has a date says when the text was written; it is no headline.
_DATED_WORDS = 7
#: The line above a paper that says where it was published.
_PUBLISHED = regex.compile(
    r"\b(?:Proceedings|Proc\.|Copyright|doi|arXiv|ISSN|ISBN)\b|©|\b(?:pp?\.|pages|[Vv]ol(?:ume|\.)) ?\d"
)
_ENDS = regex.compile(r"""[\p{STerm}…:;,]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")
#: Two labels on the strip are at least this far apart, in percent of its length.
_LABEL_GAP = 17.0
#: Two marks on the strip in the same row are at least this far apart, if possible.
_MARK_GAP = 8.0
_MOST_ROWS = 3


def headlines_of(cluster: Cluster) -> dict[int, int]:
    """Return the position of the headline in each document that has one, by the index of the document."""
    heads = heads_of(cluster.sentences)
    found: dict[int, int] = {}
    first = 0
    for number, document in enumerate(cluster.documents):
        position = _headline(document, first, heads, cluster.language)
        if position is not None:
            found[number] = position
        first += len(document.sentences)
    return found


def headings_of(document: Document) -> frozenset[int]:
    """Return the positions of the headings in a document."""
    return frozenset(section.start for section in sections_of(document) if section.title)


def _headline(document: Document, first: int, heads: Mapping[int, str], language: str) -> int | None:
    """Return the position of the headline of a document, or None.

    ``first`` is the index of its first sentence in the cluster. ``heads`` has what ``heads_of`` found there.
    """
    sentences = document.sentences
    for position in range(min(_FRONT, len(sentences) - 1)):
        if not _is_paragraph(sentences, position):
            return None
        sentence = sentences[position]
        is_dated = sentence.words <= _DATED_WORDS and date_of(Document("", (sentence,)), language)
        if is_dated or _PUBLISHED.search(sentence.text):
            continue
        is_open = sentence.words <= _LONGEST and not _ENDS.search(sentence.text)
        return position if is_open or first + position in heads else None
    return None


def _is_paragraph(sentences: tuple[Sentence, ...], position: int) -> bool:
    """Tell whether a sentence near the start of a document is a paragraph of its own."""
    paragraph = sentences[position].paragraph
    return paragraph is not None and all(
        sentences[i].paragraph != paragraph for i in (position - 1, position + 1) if i >= 0
    )


class Day(NamedTuple):
    """A day on which a document was written; ``place`` is in percent of the length of the strip.

    ``row`` is for its mark, so that the marks of near days do not cover each other. ``label`` is a short
    date, or "" if there is no room.
    """

    date: str
    place: float
    row: int
    label: str


def timeline_of(dates: Sequence[str], marked: Collection[str]) -> tuple[Day, ...]:
    """Return the distinct days of some dates in order, or () if there are fewer than two.

    ``marked`` are the days that may get a mark; the others have row 0.
    """
    days = sorted(set(filter(None, dates)))
    if len(days) < 2:  # noqa: PLR2004
        return ()
    numbers = [dt.date.fromisoformat(day).toordinal() for day in days]
    places = [100 * (number - numbers[0]) / (numbers[-1] - numbers[0]) for number in numbers]
    labelled = _labelled(places)
    spread = [i for i, day in enumerate(days) if day in marked]
    rows = dict(zip(spread, _rows([places[i] for i in spread]), strict=True))
    year = ""
    found = []
    for i, (day, place) in enumerate(zip(days, places, strict=True)):
        label = ""
        if i in labelled:
            number, month, _ = written_out(day, "en").split()
            label = f"{number} {month[:3]}" + ("" if day[:4] == year else f" {day[:4]}")
            year = day[:4]
        found.append(Day(day, place, rows.get(i, 0), label))
    return tuple(found)


def _rows(places: Sequence[float]) -> list[int]:
    """Return the row of a mark at each place: the first row with room, or else the row with the most room."""
    last: list[float] = []
    found = []
    for place in places:
        row = next((row for row, before in enumerate(last) if place - before >= _MARK_GAP), len(last))
        if row == _MOST_ROWS:
            row = min(range(_MOST_ROWS), key=last.__getitem__)
        elif row == len(last):
            last.append(place)
        last[row] = place
        found.append(row)
    return found


def _labelled(places: Sequence[float]) -> set[int]:
    """Return the indices of the places to label: the first, the last, and those with room between."""
    found = [0]
    for i, place in enumerate(places[1:-1], start=1):
        # The labels of both ends stand beside their places, so they take twice the room on one side.
        before = places[found[-1]] + _LABEL_GAP * (1.5 if found[-1] == 0 else 1)
        if before <= place <= 100 - 1.2 * _LABEL_GAP:
            found.append(i)
    return {*found, len(places) - 1}
