"""Measure how fast summc is on this machine, as ratios taken in one run.

    python -m tests.bench                     all sections, some minutes
    python -m tests.bench start-up peers      some of them
    python -m tests.bench --format json > may.json
    python -m tests.bench --against may.json

``peers`` and ``coverage`` also measure the other summarizers and solvers of ``pip install 'summc[bench]'``.
"""

from __future__ import annotations

import sys

import click

from summc.text.screens import Screen
from tests.bench.measures import FULL, QUICK, SECTIONS, Figure
from tests.bench.report import machine, read_figures, render_figures


@click.command()
@click.argument("sections", nargs=-1, type=click.Choice(list(SECTIONS)))
@click.option("--quick", is_flag=True, help="Measure little, once, to see that it works.")
@click.option("--against", metavar="FILE", help="Compare with an earlier run, saved by --format json.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def bench(sections: tuple[str, ...], quick: bool, against: str | None, format_: str) -> None:
    """Measure how fast summc is on this machine, as ratios taken in one run."""
    measured, sizes = ("quick", QUICK) if quick else ("full", FULL)
    before = read_figures(against, measured) if against else None
    about = machine(measured)  # read the load of the machine before our own work adds to it
    figures: list[Figure] = []
    for name, measure in SECTIONS.items():
        if not sections or name in sections:
            print(f"measuring {name}", file=sys.stderr)
            figures.extend(measure(sizes))
    print(render_figures(figures, about, format_, before, Screen()), end="")


if __name__ == "__main__":
    bench()
