"""``summc experiment map``: on which random problems belief propagation covers more than g-greedy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from summc.cli import options
from summc.cli.batch import check_workers
from summc.cli.console import with_progress
from summc.cli.help import Command
from summc.cli.options import Output, option
from summc.errors import SettingError
from summc.lab.evaluation import check_names
from summc.lab.experiments import phase_map as lab
from summc.lab.experiments.journal import Journal
from summc.lab.experiments.random_graphs import BASE, Result
from summc.settings.config import read_toml
from summc.system.outputs import own_folder
from summc.system.processes import map_in_order

#: Axes whose values may be written LOW:HIGH:STEP.
_NUMBERS = ("sentences", "levels", "budget", "beta", "mu", "damping", "iterations")
_SHAPE = 'write lines such as right = ["power:3"]'


@click.command("map", cls=Command)
@option(
    "--vary", "Graphs", "Values of an axis, such as budget=0.05:0.5:0.05. May be repeated.",
    "AXIS=VALUE,...", multiple=True,
)  # fmt: skip
@option("--grid file", "Graphs", "Axes from a TOML file: right = [...].", "FILE")
@option("--graphs", "Graphs", "Random problems in each cell.", "N", type=click.IntRange(min=1), default=20)
@option(
    "--seed", "Graphs", "Seed of the random numbers.", "N", type=click.IntRange(min=0), default=2004,
    common=False,
)  # fmt: skip
@option(
    "--selector names", "Comparison",
    "Selectors to compare with g-greedy; g-greedy-24 is its best of 24 runs.", "NAME,...",
    default="bp,bp-decimation",
)  # fmt: skip
@option(
    "--time-limit seconds", "Comparison", "exact: seconds that a problem may take.", "SECONDS",
    type=click.FloatRange(min=0, min_open=True), default=10.0, common=False,
)  # fmt: skip
@options.jobs
@options.scheduler(common=False)
@option("--save save_to", "Output", "Save every run there. Run again to continue or to extend.", "DIR")
@option("--time timed", "Output", "Show the seconds per problem; they vary.")
@option("--x across", "Output", "Axis across the plot.", "AXIS")
@option("--y upwards", "Output", "Axis upwards in the plot.", "AXIS")
@options.output("text", "json", "csv", "md", plot=True)
def map_(
    vary: Sequence[str],
    file: str | None,
    graphs: int,
    seed: int,
    names: str,
    seconds: float,
    jobs: int,
    scheduler: str | None,
    save_to: str | None,
    timed: bool,
    across: str | None,
    upwards: str | None,
    output: Output,
) -> None:
    """Compare selectors with g-greedy on a grid of random problems.

    \b
      summc experiment map --plot map.png
      summc experiment map --vary right=power:3,regular:3 --vary mu=0.2:1:0.2
      summc experiment map --vary sentences=100,1000 --save run/ --jobs 2

    The axes are sentences (N), left and right (degrees of sentences and words: regular:9, poisson:9 or
    power:9), weights and costs (equal, uniform, exponential or lognormal; with :degree they grow with the
    degree), levels, budget (share of the cost of all sentences), and for BP beta, mu, damping and iterations.
    Axes that are not given have the values of the paper's Figure 2. beta is in units of 1 / mean weight. mu
    is a share of what g-greedy covers per unit of cost.
    """
    selectors = names.split(",")
    check_names(selectors, list(lab.KNOWN))
    check_workers(jobs, scheduler)
    grid = _grid(vary, file)
    shown = _shown_axes(grid, across, upwards) if output.plot else None
    cells = lab.cells_of(grid, seed)
    methods = lab.methods_of(selectors, cells.tunings)
    if shown and not any(lab.has_axes(method, shown) for method in methods if method.selector != BASE):
        problem = f"no selector has the axes {' and '.join(shown)}"
        raise SettingError("--plot", problem, "add bp, or choose others by --x and --y")
    results = _results(cells.families, graphs, methods, seconds, jobs, scheduler, save_to)
    axes = {axis: ",".join(map(str, grid.get(axis, [default]))) for axis, default in lab.AXES.items()}
    about = {**axes, "graphs": graphs, "seed": seed}
    if shown:
        from summc.lab.experiments.figures import draw_phases

        drawn = lab.map_rows(grid, seed, graphs, methods, results, shown)
        drawn = [row for row in drawn if row.selector != BASE and set(shown) <= set(row.axes)]
        signature = "|".join(f"{name}:{value}" for name, value in about.items())
        # A phase diagram is wide but has no fine lines, so fewer dots make a smaller file.
        output.draw(partial(draw_phases, drawn, shown, about), signature, dpi=160)
    rows = lab.map_rows(grid, seed, graphs, methods, results)
    output.write([lab.render_map(about, rows, output.format, timed=timed)])


def _grid(vary: Sequence[str], file: str | None) -> lab.Grid:
    """Return the grid that has the axes of the file and of ``--vary``, or the default grid without both.

    If the file and ``--vary`` have the same axis, the values of ``--vary`` are used.
    """
    own: dict[str, Sequence[Any]] = {}
    for each in vary:
        axis, equals, values = each.partition("=")
        if not equals:
            raise SettingError(
                "--vary", f"must be AXIS=VALUE,..., got {each}", "write for example levels=1,2"
            )
        own[axis] = _values(axis, values)
    base = (
        lab.checked_grid(read_toml(file, "name a TOML file", _SHAPE), file)
        if file
        else {}
        if own
        else lab.DEFAULT
    )
    return lab.checked_grid({**base, **lab.checked_grid(own, "--vary")}, "--vary")


def _values(axis: str, text: str) -> list[Any]:
    """Return the values in the text of an axis, such as ``1,2`` or ``LOW:HIGH:STEP``.

    The numbers of a range are returned as numbers, other values as texts, which ``checked_grid`` checks.
    """
    found: list[Any] = []
    for part in text.split(","):
        is_range = axis in _NUMBERS and ":" in part
        found += (
            options.numbers_in(part, "--vary", f"values of {axis}", "0.1:0.5:0.1") if is_range else [part]
        )
    return found


def _shown_axes(grid: lab.Grid, across: str | None, upwards: str | None) -> tuple[str, str]:
    """Return the axis across and the axis upwards of the plot: those asked for, else the first that vary."""
    for flag, axis in (("--x", across), ("--y", upwards)):
        if axis is not None and axis not in grid:
            raise SettingError(flag, f"{axis} is not in the grid", f"give one of {', '.join(grid)}")
    free = [axis for axis in grid if axis not in (across, upwards) and len(grid[axis]) > 1]
    free += [axis for axis in grid if axis not in (across, upwards, *free)]
    x = across or (free.pop(0) if free else "")
    y = upwards or (free.pop(0) if free else "")
    if not x or not y or x == y:
        raise SettingError("--plot", "needs two axes", "give --vary twice, with different axes")
    return x, y


def _results(
    families: Sequence[Any],
    graphs: int,
    methods: Sequence[lab.Method],
    seconds: float,
    jobs: int,
    scheduler: str | None,
    save_to: str | None,
) -> dict[lab.Place, dict[str, Result]]:
    """Return the results on each problem: those saved before, and those that are made now.

    ``graphs`` is the number of problems of each family, and ``seconds`` the time limit of the exact selector.
    The work is done in ``jobs`` processes, or by the Dask cluster at ``scheduler``. New results are saved in
    the folder ``save_to``, if it is given.
    """
    wanted = {lab.BOUND, *(method.label for method in methods)}
    found: dict[lab.Place, dict[str, Result]] = {}
    with own_folder(save_to):
        journal = Journal(Path(save_to) / "map.jsonl") if save_to else None
        for place, line in journal.resume(lab.conditions(seconds)) if journal else ():
            problem, results = lab.decode(line, place)
            found.setdefault(problem, {}).update(
                {label: result for label, result in results.items() if label in wanted}
            )
        known = {(problem, label) for problem, results in found.items() for label in results}
        tasks = lab.tasks_of(families, graphs, methods, known, seconds)
        if scheduler:
            from summc.batch.scheduler import map_on_cluster

            done = map_on_cluster(lab.run_task, tasks, scheduler)
        else:
            done = map_in_order(lab.run_task, tasks, jobs)
        for task, results in with_progress(done, len(tasks), "problems"):
            if journal:
                journal.append(lab.encode(task, results))
            found.setdefault((task.family, task.number), {}).update(results)
    return found
