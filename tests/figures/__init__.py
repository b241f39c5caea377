"""Figures of the pages: a part is a table, made by commands of summc.

    python -m tests.figures                all parts
    python -m tests.figures damping news   some of them
    python docs/generate.py                fills the pages

``tests/figures/results.json`` keeps the table of each part with the version, the date and the commands that
made it. It also keeps a small table, made by the same commands with two clusters of the sample or two graphs.
The suite makes that one again, and fails if a figure has changed.

MultiLing and the other collections are looked for in ``$SUMMC_DATA``, else in ``shared`` beside the project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"
#: A table: its heading, then its rows.
Cells = list[list[str]]
Record = dict[str, Any]


def as_lines(cells: Cells) -> list[str]:
    """Return the lines of a table in Markdown."""
    heading, *rows = cells
    return [f"| {' | '.join(row)} |" for row in (heading, ["---"] * len(heading), *rows)]


def results() -> dict[str, Record]:
    """Return the records of all parts that have been made."""
    return dict(json.loads(RESULTS.read_text(encoding="utf-8")))


#: Where figures stand in a page: "figures: NAME" marks a table, "figures: NAME, ROW, COLUMN" a single cell.
_MARKED = re.compile(r"(<!-- figures: ([^>]*?) -->)(.*?)(<!-- end -->)", re.DOTALL)


def filled(text: str, records: Mapping[str, Record]) -> str:
    """Return the text of a page with its figures. Those that have not been made stay as they are."""

    def filling(found: re.Match[str]) -> str:
        name, *place = found[2].split(", ")
        record = records.get(name)
        if record is None:
            return found[0]
        if place:
            content = _cell(record["table"], *map(int, place))
        else:
            content = "\n".join(["", *record["table"], "", _caption(name, record), ""])
        return f"{found[1]}{content}{found[4]}"

    return _MARKED.sub(filling, text)


def _cell(lines: Sequence[str], row: int, column: int) -> str:
    """Return a cell of a table. The heading is row 0, and the names of the rows are column 0."""
    return lines[row + (row > 0)].split("|")[column + 1].strip()


def _caption(name: str, record: Record) -> str:
    """Return how a table was made."""
    commands = record["commands"]
    like = f" and {len(commands) - 1} more" if commands[1:] else ""
    shown = f"`{commands[0]}`{like}: " if commands else "Made by "
    return f"{shown}`python -m tests.figures {name}`, summc {record['version']}, {record['date']}."
