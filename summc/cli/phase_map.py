"""``summc experiment map``: on which random problems belief propagation covers more than g-greedy."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import write
from summc.cli.help import Command
from summc.cli.offers import FILE, FOLDER, SELECTORS
from summc.cli.options import (
    check_plot,
    format_option,
    jobs_option,
    option,
    output_option,
    plot_option,
    scheduler_option,
)
from summc.cli.progress import with_progress
from summc.cli.ranges import numbers_in
from summc.errors import InputError, NotFoundError, SettingError

if TYPE_CHECKING:
    from summc.lab.experiments.phase_map import Grid, Method, Place, Result, Task

#: Axes whose values may be written LOW:HIGH:STEP.
_NUMBERS = ("sentences", "levels", "budget", "beta", "mu", "damping", "iterations")


@click.command("map", cls=Command)
@option(
    "--vary", multiple=True, metavar="AXIS=VALUE,...", heading="Graphs",
    help="Values of an axis, such as budget=0.05:0.5:0.05. May be repeated.",
)  # fmt: skip
@option(
    "--grid",
    "file",
    type=FILE,
    metavar="FILE",
    heading="Graphs",
    help="Axes from a TOML file: right = [...].",
)
@option(
    "--graphs", type=click.IntRange(min=1), metavar="N", default=20, show_default=True, heading="Graphs",
    help="Random problems in each cell.",
)  # fmt: skip
@option(
    "--seed", type=click.IntRange(min=0), metavar="N", default=2004, show_default=True, heading="Graphs",
    common=False, help="Seed of the random numbers.",
)  # fmt: skip
@option(
    "--selector", "names", default="bp,bp-decimation", show_default=True, type=SELECTORS, metavar="NAME,...",
    heading="Comparison", help="Selectors to compare with g-greedy; g-greedy-24 is its best of 24 runs.",
)  # fmt: skip
@option(
    "--time-limit", "seconds", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", default=10.0,
    show_default=True, heading="Comparison", common=False, help="exact: seconds that a problem may take.",
)  # fmt: skip
@jobs_option
@scheduler_option(common=False)
@option(
    "--save", "save_to", type=FOLDER, metavar="DIR", heading="Output",
    help="Save every run there. Run again to continue or to extend.",
)  # fmt: skip
@option("--time", "timed", is_flag=True, heading="Output", help="Show the seconds per problem; they vary.")
@plot_option
@option("--x", "across", metavar="AXIS", heading="Output", help="Axis across the plot.")
@option("--y", "upwards", metavar="AXIS", heading="Output", help="Axis upwards in the plot.")
@format_option("text", "json", "csv", "md")
@output_option
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
    plot: str | None,
    unsigned: bool,
    across: str | None,
    upwards: str | None,
    format_: str,
    output: str | None,
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
    from summc.lab.evaluation import check_names
    from summc.lab.experiments.phase_map import BASE, KNOWN, cells_of, has_axes, map_rows, methods_of, pooled
    from summc.lab.experiments.phase_report import render_map

    selectors = names.split(",")
    check_names(selectors, list(KNOWN))
    if scheduler and jobs > 1:
        raise SettingError("--jobs", "given with --scheduler", "the workers of the cluster decide")
    check_plot(plot, output, unsigned=unsigned)
    grid = _grid(vary, file)
    shown = _shown_axes(grid, across, upwards) if plot else None
    cells = cells_of(grid, seed)
    methods = methods_of(selectors, cells.tunings)
    if shown and not any(has_axes(method, shown) for method in methods if method.selector != BASE):
        problem = f"no selector has the axes {' and '.join(shown)}"
        raise SettingError("--plot", problem, "add bp, or choose others by --x and --y")
    results = _results(cells.families, graphs, methods, seconds, jobs, scheduler, save_to)
    about = _about(grid, graphs, seed)
    if plot and shown:
        from summc.lab.experiments.figures import draw_phases
        from summc.lab.experiments.pictures import save

        rows = [row for row in pooled(grid, shown, seed, graphs, methods, results) if row.selector != BASE]
        rows = [row for row in rows if set(shown) <= set(row.axes)]
        signature = "|".join(f"{name}:{value}" for name, value in about.items())
        # A phase diagram is wide but has no fine lines, so fewer dots make a smaller file.
        save(draw_phases(rows, shown, about, "" if unsigned else signature), plot, signature, dpi=160)
    rows = map_rows(grid, seed, graphs, methods, results)
    write([render_map(about, rows, format_, timed=timed)], output)


def _grid(vary: Sequence[str], file: str | None) -> Grid:
    """Return the grid that has the axes of the file and of ``--vary``, or the default grid without both.

    If the file and ``--vary`` have the same axis, the values of ``--vary`` are used.
    """
    from summc.lab.experiments.phase_map import DEFAULT, checked_grid

    own: dict[str, Sequence[Any]] = {}
    for each in vary:
        axis, equals, values = each.partition("=")
        if not equals:
            raise SettingError(
                "--vary", f"must be AXIS=VALUE,..., got {each}", "write for example levels=1,2"
            )
        own[axis] = _values(axis, values)
    base = checked_grid(_read(file), file) if file else {} if own else DEFAULT
    return checked_grid({**base, **checked_grid(own, "--vary")}, "--vary")


def _values(axis: str, text: str) -> list[Any]:
    """Return the values in the text of an axis, such as ``1,2`` or ``LOW:HIGH:STEP``.

    The numbers of a range are returned as numbers, other values as texts, which ``checked_grid`` checks.
    """
    found: list[Any] = []
    for part in text.split(","):
        is_range = axis in _NUMBERS and ":" in part
        found += numbers_in(part, "--vary", f"values of {axis}", "0.1:0.5:0.1") if is_range else [part]
    return found


def _read(file: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(Path(file).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise NotFoundError(file, "no such file", "name a TOML file") from None
    except OSError as error:
        raise InputError(file, f"cannot be read ({error.strerror})", "check the path") from None
    except (ValueError, RecursionError) as error:
        raise InputError(file, f"not TOML ({error})", 'write lines such as right = ["power:3"]') from None


def _shown_axes(grid: Grid, across: str | None, upwards: str | None) -> tuple[str, str]:
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


def _about(grid: Grid, graphs: int, seed: int) -> dict[str, Any]:
    """Return the axes of a map, with all values, the number of graphs of a cell and the seed."""
    from summc.lab.experiments.phase_map import AXES

    values = {axis: ",".join(map(str, grid.get(axis, [default]))) for axis, default in AXES.items()}
    return {**values, "graphs": graphs, "seed": seed}


def _results(
    families: Sequence[Any],
    graphs: int,
    methods: Sequence[Method],
    seconds: float,
    jobs: int,
    scheduler: str | None,
    save_to: str | None,
) -> dict[Place, dict[str, Result]]:
    """Return the results on each problem: those saved before, and those that are made now.

    ``graphs`` is the number of problems of each family, and ``seconds`` the time limit of the exact selector.
    The work is done in ``jobs`` processes, or by the Dask cluster at ``scheduler``. New results are saved in
    the folder ``save_to``, if it is given.
    """
    from summc.lab.experiments.journal import Journal
    from summc.lab.experiments.phase_map import BOUND, conditions, decode, encode, tasks_of
    from summc.system.outputs import own_folder

    wanted = {BOUND, *(method.label for method in methods)}
    found: dict[Place, dict[str, Result]] = {}
    with own_folder(save_to):
        journal = Journal(Path(save_to) / "map.jsonl") if save_to else None
        for place, line in journal.resume(conditions(seconds)) if journal else ():
            problem, results = decode(line, place)
            found.setdefault(problem, {}).update(
                {label: result for label, result in results.items() if label in wanted}
            )
        known = {(problem, label) for problem, results in found.items() for label in results}
        tasks = tasks_of(families, graphs, methods, known, seconds)
        for task, results in with_progress(_done(tasks, jobs, scheduler), len(tasks), "problems"):
            if journal:
                journal.append(encode(task, results))
            found.setdefault((task.family, task.number), {}).update(results)
    return found


def _done(
    tasks: Sequence[Task], jobs: int, scheduler: str | None
) -> Iterator[tuple[Task, dict[str, Result]]]:
    from summc.lab.experiments.phase_map import run_task

    if scheduler:
        from summc.batch.scheduler import map_on_cluster

        return map_on_cluster(run_task, tasks, scheduler)
    from summc.system.processes import map_in_order

    return map_in_order(run_task, tasks, jobs)
