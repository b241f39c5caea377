"""Place the days of documents on a strip of time.

The strip is a horizontal line from the first day to the last. A mark above a day shows which sentences of the
summary are from that day.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from summc.report.summaries import written_out

#: Two labels on the strip are at least this far apart, in percent of its length.
_LABEL_GAP = 17.0
#: Two marks on the strip in the same row are at least this far apart, if possible.
_MARK_GAP = 8.0
_MOST_ROWS = 3


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
    year, free_from = "", 0.0  # the next label has room from there on
    last = [-math.inf] * _MOST_ROWS  # the place of the last mark in each row
    found = []
    for i, (day, place) in enumerate(zip(days, places, strict=True)):
        label, row = "", 0
        # The labels of both ends stand beside their places, so they take more room on one side.
        if i in (0, len(days) - 1) or free_from <= place <= 100 - 1.2 * _LABEL_GAP:
            number, month, _ = written_out(day, "en").split()
            label = f"{number} {month[:3]}" + ("" if day[:4] == year else f" {day[:4]}")
            year, free_from = day[:4], place + _LABEL_GAP * (1 if i else 1.5)
        if day in marked:  # in the first row with room, or else in the row with the most room
            free = [n for n, before in enumerate(last) if place - before >= _MARK_GAP]
            row = free[0] if free else last.index(min(last))
            last[row] = place
        found.append(Day(day, place, row, label))
    return tuple(found)
