"""Figures of the pages: a part is a table, made by commands of summc.

    python -m tests.figures                all parts, in less than 30 minutes
    python -m tests.figures damping news   some of them
    python docs/generate.py                fills the pages

``tests/figures/results.json`` keeps the table of each part with the version, the date and the commands that
made it. It also keeps a small table, made by the same commands with two clusters of the sample or two graphs.
The suite makes that one again, and fails if a figure has changed.

MultiLing and the other collections are looked for in ``$SUMMC_DATA``, else in ``shared`` beside the project.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from summc.cli import main
from summc.system.resources import sample_folder

RESULTS = Path(__file__).parent / "results.json"
SHARED = Path(__file__).parent.parent.parent.parent / "shared" / "data"
#: A table: its heading, then its rows.
Cells = list[list[str]]
Record = dict[str, Any]


class Commands:
    """Runs commands of summc and keeps them. Small ones get two clusters of the sample, or two graphs."""

    def __init__(self, small: bool) -> None:
        self.small = small
        self.lines: dict[str, None] = {}

    def __call__(self, line: str) -> Record:
        """Return the JSON that a command prints."""
        self.lines[f"summc {line}"] = None
        if self.small:
            line = re.sub(r"--graphs \d+", "--graphs 2", line)
            line = re.sub(r"--dataset \S+( --language \S+)?", "--dataset two", line)
        return _printed(line)


@functools.cache
def _printed(line: str) -> Record:
    with tempfile.TemporaryDirectory() as folder:
        if "--dataset two" in line:
            _write_two(Path(folder, "two"))
            line = line.replace("--dataset two", f"--dataset {folder}/two")
        for name in re.findall(r"\w+\.jsonl", line):
            line = line.replace(name, str(next(_data().glob(f"*/{name}"))))
        output = Path(folder, "output.json")
        try:
            main([*shlex.split(line), "-q", "--format", "json", "-o", str(output)])
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"summc {line}: exit code {ended.code}") from ended
        return dict(json.loads(output.read_text(encoding="utf-8")))


def _data() -> Path:
    return Path(os.environ.get("SUMMC_DATA", SHARED))


def _write_two(folder: Path) -> None:
    """Write a data set with two clusters of the sample."""
    for cluster in ("90001", "90002"):
        shutil.copytree(sample_folder() / "docs" / f"d{cluster}t", folder / "docs" / f"d{cluster}t")
        for reference in (sample_folder() / "models").glob(f"D{cluster}*"):
            (folder / "models").mkdir(exist_ok=True)
            shutil.copy(reference, folder / "models")


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
    """Return the text of a page with its figures."""

    def filling(found: re.Match[str]) -> str:
        name, *place = found[2].split(", ")
        record = records[name]
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
    first, others = record["commands"][0], len(record["commands"]) - 1
    like = f" and {others} more" if others else ""
    return f"`{first}`{like}: `python -m tests.figures {name}`, summc {record['version']}, {record['date']}."
