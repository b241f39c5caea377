"""``summc bench``: measure how fast summc is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from summc.cli.console import say, shows_progress, write
from summc.cli.help import Command
from summc.cli.offers import FILE, Offers
from summc.cli.options import format_option, option, output_option, wide_option
from summc.cli.screens import screen_for
from summc.errors import SettingError
from summc.settings import perhaps

if TYPE_CHECKING:
    from summc.bench.measures import Figure


def _sections() -> list[str]:
    from summc.bench.measures import SECTIONS

    return list(SECTIONS)


@click.command(cls=Command)
@click.argument("sections", type=Offers(_sections), nargs=-1, metavar="[SECTION]...")
@option("--quick", is_flag=True, heading="Settings", help="Measure little, once, to see that it works.")
@option(
    "--against", type=FILE, metavar="FILE", heading="Output",
    help="Compare with an earlier run, saved by --format json.",
)  # fmt: skip
@format_option("text", "json")
@wide_option
@output_option
def bench(
    sections: tuple[str, ...],
    quick: bool,
    against: str | None,
    format_: str,
    wide: bool,
    output: str | None,
) -> None:
    """Measure how fast summc is on this machine, as ratios taken in one run.

    \b
      summc bench
      summc bench start-up peers
      summc bench -o may.json
      summc bench --against may.json

    SECTION is start-up, peers, exact, coverage, bp, scaling, throughput, batch or evaluate. The default is
    all of them, which takes some minutes. peers and coverage also measure the other summarizers and solvers
    of pip install 'summc[bench]'.
    """
    from summc.bench.measures import FULL, QUICK, SECTIONS
    from summc.bench.report import machine, read_figures, render_figures

    for name in sections:
        if name not in SECTIONS:
            remedy = perhaps(name, SECTIONS) or f"choose from {', '.join(SECTIONS)}"
            raise SettingError(name, "no such section", remedy)
    measured, sizes = ("quick", QUICK) if quick else ("full", FULL)
    before = read_figures(against, measured) if against else None
    about = machine(measured)  # read the load of the machine before our own work adds to it
    figures: list[Figure] = []
    for name, measure in SECTIONS.items():
        if not sections or name in sections:
            if shows_progress():
                say(f"measuring {name}")
            figures.extend(measure(sizes))
    write([render_figures(figures, about, format_, before, screen_for(output, wide=wide))], output)
