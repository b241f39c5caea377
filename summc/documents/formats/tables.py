"""Read tables: CSV, TSV and Excel. Each row with prose is a document."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from summc.documents.decoding import decode
from summc.documents.formats.rows import Message, contents, find_fields, is_sentence, message_of
from summc.documents.raw import Content
from summc.errors import InputError

_DELIMITERS = ",;\t|"
#: Rows that show the delimiter.
_SAMPLE = 50
_HEADER = re.compile(r"[^\W\d][\w ./()-]{0,40}")
#: Of a table without a name, at least this many rows are needed to recognise it.
_FEWEST_ROWS = 3


def read(data: bytes, place: str, encoding: str, name: str) -> Content:
    """Return the rows of a table as documents; raise an error if it has no column of prose."""
    if name == "xlsx":
        from summc.documents.formats.workbooks import sheets  # noqa: PLC0415 (of the extra)

        tables = sheets(data, place)
    else:
        tables = [_split(decode(data, place, encoding))]
    parts = contents([message for rows in tables for message in _messages(rows)], place)
    if not parts:
        raise InputError(place, "a table without prose", "give one with a column of sentences")
    return Content([], parts=parts)


def is_table(opening: str) -> bool:
    """Tell whether a text is certainly a table, given its beginning.

    Its first row has names, all rows are equally long, and a cell has prose.
    """
    head = opening.partition("\n")[0]
    if not any(delimiter in head and f"{delimiter} " not in head for delimiter in _DELIMITERS):
        return False
    rows = _split(opening)
    rows = rows[:-1] if len(rows) > _FEWEST_ROWS else rows  # the last one may be cut
    has_names = all(map(_HEADER.fullmatch, rows[0])) and len(set(rows[0])) == len(rows[0]) > 1
    is_even = len(rows) >= _FEWEST_ROWS and len(set(map(len, rows))) == 1
    return has_names and is_even and any(is_sentence(cell) for row in rows[1:] for cell in row)


def _split(text: str) -> list[list[str]]:
    """Return the rows of a text, by the delimiter that makes them equally long."""
    csv.field_size_limit(len(text) + 1)
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)

    def evenness(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(row) for row in islice(csv.reader(lines, delimiter=delimiter), _SAMPLE) if row)
        ((width, count),) = widths.most_common(1) or [(1, 0)]
        return (count / widths.total(), width) if width > 1 else (0, 1)

    delimiter = max(_DELIMITERS, key=evenness)
    return [row for row in csv.reader(lines, delimiter=delimiter) if any(map(str.strip, row))]


def _messages(rows: Sequence[Sequence[str]]) -> list[Message]:
    """Return what each row of a table says. Above the row of names there may be a title."""
    width = max(map(len, rows), default=0)
    first = next((i for i, row in enumerate(rows) if 2 * sum(map(bool, row)) >= width), 0)
    names = list(rows[first]) if rows and not any(map(is_sentence, rows[first])) else [""] * width
    columns = [name.strip() or f"column {i}" for i, name in enumerate(names, start=1)]
    last = len(columns) - 1
    # A longer row has a comma in a text that is not quoted.
    cells = ([*row[:last], ", ".join(row[last:])] for row in rows[first + any(names) :])
    records = [dict(zip(columns, row, strict=False)) for row in cells]
    fields = find_fields(records)
    return [message_of(record, fields) for record in records]
