"""Compare ``auto`` with the best known values of published problems of budgeted maximum coverage.

    python -m tests.bench.published FOLDER

The folder has files K.jsonl.gz, where K is the budget of the problems in a file: on each line the ``id`` of a
problem, and its ``graph`` as ``summc select`` reads it. ``best.json`` has the best known value of each one.
Seconds are of the processor. A value above the best known one is checked by ``covered``, which uses nothing
of summc, and its sets are printed.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import click

from summc.graph import make_graph
from summc.report.tables import render_cells
from summc.selectors.auto import EFFORTS, Auto

#: The budget of a problem, its id, and its graph as in the file.
Problem = tuple[int, str, Mapping[str, Any]]


def read(folder: Path) -> Iterator[Problem]:
    """Yield the problems of a folder, by rising budget."""
    files = sorted(folder.glob("*.jsonl.gz"), key=lambda path: int(path.name.split(".")[0]))
    if not files:
        raise click.BadParameter(f"{folder} has no file K.jsonl.gz; name the folder of the problems")
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                yield int(path.name.split(".")[0]), record["id"], record["graph"]


def covered(graph: Mapping[str, Any], budget: int, chosen: Sequence[int]) -> int:
    """Return the weight that sets cover; refuse sets that cost more than the budget."""
    sets = set(chosen)
    cost = sum(graph["cost"][i] for i in sets)
    if cost > budget:
        raise ValueError(f"the sets cost {cost}, more than {budget}")
    edges = zip(graph["edge_sentence"], graph["edge_word"], strict=True)
    return sum(graph["weight"][word] for word in {word for item, word in edges if item in sets})


def compare(folder: Path, efforts: Sequence[str], time_limit: float) -> Iterator[list[str]]:
    """Yield the rows of the table, and then one with the totals."""
    best = json.loads((folder / "best.json").read_text(encoding="utf-8"))
    yield ["problem", "best known", *(f"{effort}{part}" for effort in efforts for part in ("", " gap", " s"))]
    reached, total = dict.fromkeys(efforts, 0), dict.fromkeys(efforts, 0.0)
    for budget, name, record in read(folder):
        columns = ("cost", "weight", "edge_sentence", "edge_word")
        graph, row = make_graph(*(record[column] for column in columns)), [name, f"{best[name]:,}"]
        for effort in efforts:
            start = process_time()
            chosen = Auto(effort=effort, time_limit=time_limit).select(graph, budget).chosen
            seconds, value = process_time() - start, covered(record, budget, chosen)
            reached[effort] += value >= best[name]
            total[effort] += seconds
            row += [f"{value:,}", f"{1 - value / best[name]:.3%}", f"{seconds:.2f}"]
            if value > best[name]:
                print(f"{name}: {value} is above {best[name]}: sets {sorted(chosen)}", file=sys.stderr)
        yield row
    cells = [[f"reached {reached[effort]}", "", f"{total[effort]:.1f}"] for effort in efforts]
    yield ["all", f"{len(best)} problems", *(cell for part in cells for cell in part)]


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--effort", "efforts", type=click.Choice(list(EFFORTS)), multiple=True, help="Only these.")
@click.option("--time-limit", type=float, default=60.0, help="Seconds for each problem, as counted work.")
def published(folder: Path, efforts: Sequence[str], time_limit: float) -> None:
    """Print a table of what ``auto`` covers, against the best known values."""
    print(render_cells(list(compare(folder, efforts or ("normal", "high"), time_limit)), "md"), end="")


if __name__ == "__main__":
    published()
