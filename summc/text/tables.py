"""Write a table as aligned text, Markdown or CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from unicodedata import category, normalize

Cells = Sequence[Sequence[str]]

#: What may begin a formula in a spreadsheet, also as another character that looks like it or is read as it.
_FORMULA = frozenset("=+-@\N{MINUS SIGN}")
#: Characters to escape in a Markdown cell, because they would begin a tag, code, an entity or a link, or end
#: the cell.
_MARKDOWN = re.compile(r"[\\`<|]|&(?=#?\w+;)|\](?=[(\[])")
_NUMBER = re.compile(r"[+-]?(?:\d[\d.]*(?:e[+-]?\d+)?%?)?")


def render_cells(cells: Cells, format_: str) -> str:
    """Return a table as text: CSV for ``csv``, Markdown for ``md``, otherwise aligned columns.

    The first row of ``cells`` is the heading.
    """
    if format_ == "csv":
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(map(_inert, row) for row in cells)
        return stream.getvalue()
    if format_ == "md":
        cells = [[_MARKDOWN.sub(r"\\\g<0>", cell) for cell in row] for row in cells]
    columns = [_aligned(column) for column in zip(*cells, strict=True)]
    lines = [list(line) for line in zip(*columns, strict=True)]
    if format_ == "md":
        lines.insert(1, ["-" * len(cell) for cell in lines[0]])
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return "".join(f"{'  '.join(line).rstrip()}\n" for line in lines)


def _inert(cell: str) -> str:
    """Return the text of a cell, changed if a spreadsheet would run it as a formula.

    A single quote before the text marks it as text. Numbers are not changed.
    """
    # Spreadsheets ignore spaces, control characters and invisible characters before a formula.
    first = next((character for character in cell if category(character)[0] not in "CZ"), "")
    begins = first != "" and normalize("NFKC", first) in _FORMULA  # also a fullwidth equals sign
    if (begins and not _NUMBER.fullmatch(cell)) or cell.startswith(("\t", "\r", "\n")):
        return f"'{cell}"
    return cell


def _aligned(column: Sequence[str]) -> list[str]:
    """Return the cells of a column padded to equal width; a column of numbers is aligned to the right."""
    width = max(map(len, column))
    numbers = all(cell[:1].isdigit() or cell[:1] in tuple("+-[") for cell in column[1:])
    return [cell.rjust(width) if numbers else cell.ljust(width) for cell in column]
