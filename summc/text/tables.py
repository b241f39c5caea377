"""Rows of cells as people and programs read them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

Cells = Sequence[Sequence[str]]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
#: What in a cell of Markdown would be a tag, code, an entity, a link or the end of the cell.
_MARKDOWN = re.compile(r"[\\`<|]|&(?=#?\w+;)|\](?=[(\[])")
_NUMBER = re.compile(r"[+-]?(?:\d[\d.]*(?:e[+-]?\d+)?%?)?")


def render_cells(cells: Cells, format_: str) -> str:
    """Return a table, its heading first: aligned, in Markdown, or as CSV."""
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
    """Return a cell that no spreadsheet takes for a formula: a name that looks like one is marked as text."""
    if not cell.startswith(_FORMULA) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def _aligned(column: Sequence[str]) -> list[str]:
    """Return a column at equal width, numbers to the right."""
    width = max(map(len, column))
    numbers = all(cell[:1].isdigit() or cell[:1] in tuple("+-[") for cell in column[1:])
    return [cell.rjust(width) if numbers else cell.ljust(width) for cell in column]
