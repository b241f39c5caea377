"""Read data files: tables (CSV, TSV, Excel) and exports in JSON. Each row or object with prose is a document.

Exports are the messages of a forum, a chat or a tracker, reviews, or the turns of a transcript. Any object
with a field of prose is a message. Objects under the same member, such as "posts", are compared with each
other to learn what their fields hold.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, NamedTuple

from summc.documents.decoding import decode
from summc.documents.formats import records
from summc.documents.raw import Content
from summc.errors import InputError

_DELIMITERS = ",;\t|"
#: Rows that show the delimiter.
_SAMPLE = 50
_NAME = re.compile(r"[^\W\d][\w ./()-]{0,40}")
#: Of a table without a name, at least this many rows are needed to recognise it.
_FEWEST_ROWS = 3
#: In an Excel file: its sheets, and the texts that they share.
_SHEET, _STRINGS = re.compile(r"xl/worksheets/[^/]+\.xml"), "xl/sharedStrings.xml"
#: Messages of which there is less than this share of the longest kind are descriptions of something else.
_ENOUGH = 0.25
#: Kinds of messages that a program writes.
_NOTICES = ("channel_", "group_")
#: Members that repeat parts of the messages.
_COPIES = re.compile(r"(?i).*(?:highlight|suggested|related|preview)")


def read(data: bytes, place: str, encoding: str, name: str) -> Content:
    """Return the documents in a data file; raise an error if it has no prose."""
    try:
        if name == "json":
            value = _parse(decode(data, place, encoding))
        else:
            tables = _sheets(data, place) if name == "xlsx" else [_split(decode(data, place, encoding))]
            value = list(map(_records, tables))
        parts = records.contents(_messages(value), place)
    except RecursionError:
        raise InputError(place, "JSON nested too deeply", "give a plain list of objects") from None
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at").removesuffix(" starting")
        problem = f"not JSON ({reason}, line {error.lineno})"
        raise InputError(place, problem, "save it again, or as text") from None
    if not parts and name == "json":
        raise InputError(place, "JSON without prose", "give one with texts, such as messages")
    if not parts:
        raise InputError(place, "a table without prose", "give one with a column of sentences")
    return Content([], parts=parts)


# Tables


def is_table(opening: str) -> bool:
    """Tell whether a text is certainly a table, given its beginning.

    Its first row has names, all rows are equally long, and a cell has prose.
    """
    head = opening.partition("\n")[0]
    if not any(delimiter in head and f"{delimiter} " not in head for delimiter in _DELIMITERS):
        return False
    rows = _split(opening)
    rows = rows[:-1] if len(rows) > _FEWEST_ROWS else rows  # the last one may be cut
    has_names = all(map(_NAME.fullmatch, rows[0])) and len(set(rows[0])) == len(rows[0]) > 1
    is_even = len(rows) >= _FEWEST_ROWS and len(set(map(len, rows))) == 1
    return has_names and is_even and any(records.is_sentence(cell) for row in rows[1:] for cell in row)


def _split(text: str) -> list[list[str]]:
    """Return the rows of a text, by the delimiter that makes them equally long."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # never lower: it is that of the process
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)

    def evenness(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(row) for row in islice(csv.reader(lines, delimiter=delimiter), _SAMPLE) if row)
        ((width, count),) = widths.most_common(1) or [(1, 0)]
        return (count / widths.total(), width) if width > 1 else (0, 1)

    delimiter = max(_DELIMITERS, key=evenness)
    return [row for row in csv.reader(lines, delimiter=delimiter) if any(map(str.strip, row))]


def _sheets(data: bytes, place: str) -> list[list[list[str]]]:
    """Return the rows of each sheet of an Excel file. Pandoc leaves out some of its texts."""
    from lxml import etree  # noqa: PLC0415 (of the extra)

    from summc.documents.formats.pandoc import checked_zip  # noqa: PLC0415

    def cells(row: etree._Element) -> list[str]:
        """Return the cells of a row. Empty cells between them may be missing in the file."""
        texts: list[str] = []
        for cell in row.iter("{*}c"):
            kind, text = cell.get("t", "n"), "".join(cell.itertext("{*}v", "{*}t"))
            column = 0
            for letter in filter(str.isalpha, cell.get("r", "")[:3]):
                column = 26 * column + ord(letter) - ord("A") + 1
            texts += [""] * (column - 1 - len(texts))
            # A decimal point tells the date of a cell, which is a number, from other numbers.
            number = str(float(text)) if text and kind == "n" else text
            texts.append(strings[int(text)] if kind == "s" else number)
        return texts

    checked_zip(data, place)
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        shared = etree.fromstring(archive.read(_STRINGS), parser) if _STRINGS in names else ()
        strings = ["".join(item.itertext("{*}t")) for item in shared]
        trees = [
            etree.fromstring(archive.read(name), parser) for name in sorted(filter(_SHEET.fullmatch, names))
        ]
    return [list(map(cells, tree.iter("{*}row"))) for tree in trees]


def _records(rows: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return the rows of a table as objects. Above the row of names there may be a title."""
    width = max(map(len, rows), default=0)
    first = next((i for i, row in enumerate(rows) if 2 * sum(map(bool, row)) >= width), 0)
    names = list(rows[first]) if rows and not any(map(records.is_sentence, rows[first])) else [""] * width
    columns = [name.strip() or f"column {i}" for i, name in enumerate(names, start=1)]
    last = len(columns) - 1
    # A longer row has a comma in a text that is not quoted.
    cells = ([*row[:last], ", ".join(row[last:])] for row in rows[first + any(names) :])
    return [dict(zip(columns, row, strict=False)) for row in cells]


# Objects


class Node(NamedTuple):
    """An object, the member that it stands under, and the objects around it, from inside to outside."""

    member: str
    record: Mapping[str, Any]
    around: tuple[Node, ...]


def _parse(text: str) -> Any:
    """Return the value in a JSON text, or the list of values if each line has one."""
    try:
        return json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise
        return [json.loads(line, parse_int=float) for line in text.split("\n") if line.strip()]


def _messages(value: Any) -> list[records.Message]:
    """Return the messages in a value of JSON: the kind of objects with most text, and what belongs to it."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = [{"text": item} for item in value]
    nodes = list(_nodes(value, "", ()))
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for node in nodes:
        groups[node.member].append(node.record)
    fields = {member: records.find_fields(group) for member, group in groups.items()}
    texts = {
        member: [records.text_of(record.get(name)) for record in group for name in fields[member].prose]
        for member, group in groups.items()
        if not records.is_person(member)
    }
    amounts = {member: len("".join(written)) for member, written in texts.items()}
    main = max(amounts, key=lambda member: amounts[member], default="")
    around = {outer.member for node in nodes if node.member == main for outer in node.around[:1]}
    chosen = {
        member
        for member, amount in amounts.items()
        if amount >= _ENOUGH * amounts[main]
        or member in around
        or not set(fields[main].prose).isdisjoint(fields[member].prose)
    }
    messages = (_message(node, fields) for node in nodes if node.member in chosen)
    return list(filter(None, messages))


def _nodes(value: Any, member: str, around: tuple[Node, ...]) -> Iterator[Node]:
    """Yield the objects in a value, each before those inside it."""
    if isinstance(value, list):
        for item in value:
            yield from _nodes(item, member, around)
    elif isinstance(value, dict):
        node = Node(member, value, around)
        yield node
        # The members of an object that maps ids to objects have no name of their own.
        inner = list(value.values())
        is_map = len(inner) > 1 and all(
            isinstance(item, dict) and item.keys() == inner[0].keys() for item in inner
        )
        for name, item in value.items():
            if not _COPIES.match(name):
                yield from _nodes(item, member if is_map else name, (node, *around))


def _message(node: Node, fields: Mapping[str, records.Fields]) -> records.Message | None:
    """Return the message of an object; what it lacks, the objects around it may state.

    None if a program wrote it, as for a new member of a chat, or if an object around it has all its text, as
    where a message lists its links.
    """
    message, *outer = (records.message_of(each.record, fields[each.member]) for each in (node, *node.around))
    letters = list(map(records.letters_of, message.texts))
    wholes = ("".join(map(records.letters_of, other.texts)) for other in outer)
    is_piece = any(whole and all(text in whole for text in letters) for whole in wholes)
    if is_piece or node.record.get("system") is True or str(node.record.get("subtype")).startswith(_NOTICES):
        return None
    # A speaker is taken from an object that says nothing itself, such as a turn that has paragraphs.
    silent = takewhile(lambda other: not other.texts, outer)
    return records.Message(
        message.texts,
        next(filter(None, (other.title for other in (message, *outer))), ""),
        next(filter(None, (other.date for other in (message, *outer))), ""),
        next(filter(None, (other.speaker for other in (message, *silent))), ""),
    )
