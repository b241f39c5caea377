"""Read the cells of an Excel file. Pandoc, which reads other office documents, leaves out some texts."""

from __future__ import annotations

import io
import re
import zipfile

from lxml import etree

from summc.documents.formats.pandoc import checked_zip

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_STRINGS = "xl/sharedStrings.xml"
_COLUMN = re.compile(r"[A-Z]{1,3}")


def sheets(data: bytes, place: str) -> list[list[list[str]]]:
    """Return the rows of each sheet; a row is a list of cells. A number is written with a decimal point."""
    checked_zip(data, place)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        strings = [_text(item) for item in _parse(archive.read(_STRINGS))] if _STRINGS in names else []
        trees = [_parse(archive.read(name)) for name in sorted(filter(_SHEET.fullmatch, names))]
    return [[_cells(row, strings) for row in tree.iter("{*}row")] for tree in trees]


def _parse(data: bytes) -> etree._Element:
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=True))


def _text(element: etree._Element) -> str:
    return "".join(part.text or "" for part in element.iter("{*}t"))


def _cells(row: etree._Element, strings: list[str]) -> list[str]:
    """Return the cells of a row. Empty cells between them may be missing in the file."""
    cells: list[str] = []
    for cell in row.iter("{*}c"):
        letters = _COLUMN.match(cell.get("r") or "")
        place = 0
        for letter in letters[0] if letters else "":
            place = 26 * place + ord(letter) - ord("A") + 1
        cells += [""] * (place - 1 - len(cells))
        kind, value = cell.get("t", "n"), cell.findtext("{*}v") or ""
        if kind == "s":
            value = strings[int(value)]
        elif kind == "inlineStr":
            value = _text(cell)
        elif kind == "n" and value:
            value = str(float(value))
        cells.append(value)
    return cells
