"""Read JSON lines: each line of the file is a JSON object with one cluster.

The members are ``{"id", "documents": [{"id", "text", "date"}], "references", "language", "query"}``. Only the
documents and their texts are required. Members with other names are passed on to the summary.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from summc.documents.decoding import decode
from summc.documents.formats.sgml import SGML, read_sgml
from summc.documents.places import MARKUP, located
from summc.documents.plain import plain_document
from summc.documents.raw import Content, RawCluster, RawDocument
from summc.errors import InputError
from summc.system.inputs import most_bytes, too_long
from summc.system.json_objects import parse_object
from summc.text.dates import read_date

_OPENING = 1 << 20  # bytes to examine
_USED_MEMBERS = ("id", "documents", "references", "language", "query")


def parse_cluster(line: bytes | str | None, place: str, encoding: str = "auto") -> RawCluster:
    """Return the cluster in a line of JSON; raise an error if the line is None, because it was too long.

    ``place`` is the file and line number for error messages.
    """
    if line is None:
        raise too_long(place, most_bytes())
    text = line if isinstance(line, str) else decode(line, place, encoding)
    record = parse_object(text, place, 'an object such as {"id": ..., "documents": [...]}')
    if not isinstance(record.get("documents"), list):
        shape = '{"id": ..., "documents": [{"id": ..., "text": ...}]}'
        raise InputError(place, 'no list "documents"', f"give {shape}")
    references = [] if record.get("references") is None else record["references"]
    if not isinstance(references, list):
        raise InputError(place, '"references" is not a list', "give a list of texts")
    return RawCluster(
        id=_name(record, f"line-{place.rpartition(':')[2]}", place, "id"),
        documents=[_document(entry, i, place) for i, entry in enumerate(record["documents"])],
        references=[_text(text, place, f"references[{i}]") for i, text in enumerate(references)],
        language=None if record.get("language") is None else _text(record["language"], place, "language"),
        place=place,
        query="" if record.get("query") is None else _text(record["query"], place, "query"),
        members=other_members(record),
    )


def other_members(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a line that summc does not use itself; they are copied to the summary."""
    return {name: value for name, value in record.items() if name not in _USED_MEMBERS}


def _document(entry: Any, index: int, place: str) -> RawDocument:
    where = f"documents[{index}]"
    if isinstance(entry, str):
        entry = {"text": entry}
    if not isinstance(entry, dict):
        raise InputError(place, f"{where} is not an object", 'give {"id": ..., "text": ...}')
    text = _text(entry.get("text"), place, f"{where}.text")
    id_ = _name(entry, str(index), place, f"{where}.id")
    # Other programs may use "date" for anything, such as a number. If it is not a date, it is ignored.
    date = read_date(entry["date"]) if isinstance(entry.get("date"), str) else ""
    if not SGML.match(text):
        return replace(plain_document(id_, text, f"{place}: {where}"), date=date)
    news = list(read_sgml(text))
    content = located(Content([block for document in news for block in document.blocks]), text, MARKUP)
    return RawDocument(id_, content.blocks, f"{place}: {where}", date=date or (news[0].date if news else ""))


def _name(record: Mapping[str, Any], default: str, place: str, where: str) -> str:
    name = record.get("id")
    if name is None:
        return default
    return str(name) if type(name) is int else _text(name, place, where)


def _text(value: Any, place: str, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(place, f"{where} is not a text", "give a string")
    return value


def holds_clusters(data: bytes) -> bool:
    """Tell whether a file has clusters as JSON lines: it begins as an object and has "documents" early."""
    is_object = data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{")
    return is_object and b'"documents"' in data[:_OPENING]
