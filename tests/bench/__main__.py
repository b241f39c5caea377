"""Measure how fast summc is on this machine, as ratios taken in one run.

    python -m tests.bench                     all sections, some minutes
    python -m tests.bench start-up peers      some of them
    python -m tests.bench --format json > may.json
    python -m tests.bench --against may.json

``peers`` and ``coverage`` also measure the other summarizers and solvers of ``pip install 'summc[bench]'``.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import distributions
from typing import Any, TextIO

import click

from summc.report.screens import wrap_lines
from summc.report.tables import render_cells
from summc.system.compiled import library
from summc.system.versions import version
from tests.bench.measures import FULL, QUICK, SECTIONS, Figure

#: Section, name and unit of a measured number, which tell what it measures and are the same in every run.
Key = tuple[str, str, str]


@click.command()
@click.argument("sections", nargs=-1, type=click.Choice(list(SECTIONS)))
@click.option("--quick", is_flag=True, help="Measure little, once, to see that it works.")
@click.option("--against", type=click.File(), help="Compare with an earlier run, saved by --format json.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def bench(sections: tuple[str, ...], quick: bool, against: TextIO | None, format_: str) -> None:
    """Measure how fast summc is on this machine, as ratios taken in one run."""
    about = machine("quick" if quick else "full")  # read the load of the machine before our work adds to it
    before = read_figures(against, about["measured"]) if against else {}
    figures: list[Figure] = []
    for name in sections or SECTIONS:
        print(f"measuring {name}", file=sys.stderr)
        figures.extend(SECTIONS[name](QUICK if quick else FULL))
    if format_ == "json":
        print(json.dumps({"machine": about, "figures": list(map(dataclasses.asdict, figures))}, indent=2))
    else:
        print(as_text(figures, about, before))


def as_text(figures: Sequence[Figure], about: Mapping[str, Any], before: Mapping[Key, Figure]) -> str:
    """Return a table for each section, beside the numbers of an earlier run, and the machine."""
    tables = []
    for section, group in itertools.groupby(figures, key=lambda figure: figure.section):
        rows = [[section, "", "", "ratio", *(["before", "ratio before", "change"] if before else [])]]
        for each in group:
            rows.append([each.name, f"{each.value:.4g}", each.unit, _ratio(each)])
            if before:
                rows[-1] += _compared(each, before.get((each.section, each.name, each.unit)))
        tables.append(render_cells(rows, "text"))
    return "\n".join([*tables, wrap_lines(", ".join(f"{name} {value}" for name, value in about.items()), 80)])


def _compared(figure: Figure, earlier: Figure | None) -> list[str]:
    if earlier is None:
        return ["-", "-", "-"]
    return [f"{earlier.value:.4g}", _ratio(earlier), f"{figure.value / earlier.value - 1:+.0%}"]


def _ratio(figure: Figure) -> str:
    return "-" if figure.ratio is None else f"{figure.ratio:.3g} x {figure.to}"


def read_figures(file: TextIO, measured: object) -> dict[Key, Figure]:
    """Return the measured numbers of an earlier run, which must have been "full" or "quick" as this one."""
    record = json.load(file)
    if record["machine"]["measured"] != measured:
        raise click.BadParameter(f"{file.name} is not of a {measured} run")
    figures = [Figure(**each) for each in record["figures"]]
    return {(each.section, each.name, each.unit): each for each in figures}


def machine(measured: str) -> dict[str, str | int | float | None]:
    """Return a description of the run: its size, the time, the machine, its load, and the versions."""
    names = ("numpy", "pystemmer", "sumy", "summa", "submodlib-py", "ortools")
    installed = {each.name.lower(): each.version for each in distributions()}
    return {
        "measured": measured,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "compiled": "no" if library() is None else "yes",
        **{name: installed.get(name, "none") for name in names},
        "summc": version("summc"),
    }


if __name__ == "__main__":
    bench()
