"""Compare one selector with others on the saved runs of ``summc experiment map --save DIR``.

    python -m tests.bench.paired DIR bp g-greedy-24 auto

Differences are paired, in % of what g-greedy covers, with 95% t intervals. The p-values are corrected for the
number of comparisons in the table by the method of Holm.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from summc.lab.evaluation.intervals import estimate, holm, p_text
from summc.report.tables import render_cells

#: The results on the graphs of a cell, by the first word of the method's name.
Cells = dict[str, list[dict[str, Any]]]


def cells_of(lines: Sequence[str]) -> Cells:
    """Return the results of each cell, named by the settings in which cells differ."""
    records = [record for record in map(json.loads, lines) if "family" in record]
    varied = [
        key for key in records[0]["family"] if len({str(record["family"][key]) for record in records}) > 1
    ]
    cells: Cells = defaultdict(list)
    for record in records:
        name = ", ".join(f"{key} {record['family'][key]}" for key in varied)
        cells[name].append({method.split()[0]: result for method, result in record["results"].items()})
    return cells


def table(cells: Cells, selector: str, controls: Sequence[str]) -> list[list[str]]:
    """Return a row for each cell and control: gains over g-greedy, the difference, and seconds."""
    rows, p_values = [["problems", "graphs", "control", selector, "its gain", "less control", "seconds"]], []
    for name, results in cells.items():
        base = [result["g-greedy"]["weight"] for result in results]
        gain = {
            method: [100 * (r[method]["weight"] / w - 1) for r, w in zip(results, base, strict=True)]
            for method in (selector, *controls)
        }
        seconds = {method: fmean(r[method]["seconds"] for r in results) for method in gain}
        for control in controls:
            found = estimate([a - b for a, b in zip(gain[selector], gain[control], strict=True)])
            low, high = found.ci or (found.mean, found.mean)
            p_values.append(1.0 if found.p is None else found.p)
            means = [f"{fmean(gain[method]):+.2f}" for method in (selector, control)]
            times = f"{seconds[selector]:.2f} / {seconds[control]:.2f}"
            difference = f"{found.mean:+.2f} [{low:+.2f}, {high:+.2f}]"
            rows.append([name, str(len(base)), control, *means, difference, times])
    corrected = ["p (Holm)", *map(p_text, holm(p_values))]
    return [[*row[:6], p, row[6]] for row, p in zip(rows, corrected, strict=True)]


if __name__ == "__main__":
    folder, selector, *controls = sys.argv[1:]
    lines = Path(folder, "map.jsonl").read_text(encoding="utf-8").splitlines()
    print(render_cells(table(cells_of(lines), selector, controls), "md"), end="")
