"""Rows of cells as people and programs read them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

Cells = Sequence[Sequence[str]]

TABLE_FORMATS = ("text", "md", "csv")


def render_cells(cells: Cells, format_: str) -> str:
    """Return a table, its heading first: aligned, in Markdown, or as CSV."""
    if format_ == "csv":
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(cells)
        return stream.getvalue()
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [[_aligned(cell, width) for cell, width in zip(row, widths, strict=True)] for row in cells]
    if format_ == "md":
        lines.insert(1, ["-" * width for width in widths])
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return "".join(f"{'  '.join(line).rstrip()}\n" for line in lines)


def _aligned(cell: str, width: int) -> str:
    is_number = cell[:1].isdigit() or cell[:1] in "+-["
    return cell.rjust(width) if is_number else cell.ljust(width)
