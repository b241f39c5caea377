"""The commands that measure selectors: ``summc experiment``, ``summc sweep`` and ``summc curve``."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from summc.api import evaluation as api
from summc.cli import options
from summc.cli.console import failures, with_progress
from summc.cli.evaluate import note_problems, note_unread
from summc.cli.help import Command, Group
from summc.cli.options import Add, Output, Sources, check_workers, option
from summc.config import Config, read_toml
from summc.errors import SettingError
from summc.lab.evaluation import check_names, check_unit
from summc.lab.experiments import journal
from summc.lab.experiments import runs as lab
from summc.lab.experiments import sweep as sweeps
from summc.lab.experiments.budgets import render_curves
from summc.lab.experiments.random_graphs import Ensemble
from summc.method import load
from summc.report.screens import Screen
from summc.report.tables import Column, render_data, render_rows
from summc.selectors import SELECTORS, Selector
from summc.settings import AUTO, rules, settings_of, signature_line
from summc.system.outputs import locked_folder
from summc.system.processes import map_in_order
from summc.system.scheduler import map_on_cluster
from summc.system.versions import version
from summc.text.numbers import plain, shown

#: What to do if the file of ``--grid`` is not TOML.
_SHAPE = 'write lines such as right = ["power:3"]'
#: The budgets of a curve, unless others are given.
_BUDGETS = "25:400:25"
#: The columns of the table of random graphs.
_COLUMNS: Sequence[Column] = (
    ("method", "method", "", 0), ("mean", "weight", ".1f", 0), ("error", "s.e.", ".1f", 1),
    ("difference", "vs g-greedy", "+.2f", 0), ("difference_error", "s.e.", ".2f", 0),
    ("share", "of optimum", ".5f", 3), ("solved", "solved", ".0%", 2), ("seconds", "seconds", ".4f", 0),
)  # fmt: skip


def _count_option(flag: str, default: int, help_: str, least: int = 1, **more: Any) -> Add:
    return option(flag, "Graphs", help_, "N", type=click.IntRange(min=least), default=default, **more)


@click.group(cls=Group)
def experiment() -> None:
    """Reproduce the paper's experiments, and go beyond them.

    \b
      summc experiment random-graphs --config paper-fig2
      summc experiment map --plot map.png
    """


@experiment.command("map")
@option(
    "--vary", "Graphs", "Values of an axis, such as budget=0.05:0.5:0.05. May be repeated.",
    "AXIS=VALUE,...", multiple=True,
)  # fmt: skip
@option("--grid file", "Graphs", "Axes from a TOML file: right = [...].", "FILE")
@_count_option("--graphs", 20, "Random problems in each cell.")
@_count_option("--seed", 2004, "Seed of the random numbers.", least=0, common=False)
@option(
    "--selector names", "Comparison",
    "Selectors to compare with g-greedy; g-greedy-24 is its best of 24 runs, auto-high auto --effort high.",
    "NAME,...",
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
@options.output("text", "json", "csv", "md", wide=True, plot=True)
def map_(vary: Sequence[str], file: str | None, output: Output, **flags: Any) -> None:
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
    names, graphs, seed, timed = map(flags.pop, ("names", "graphs", "seed", "timed"))
    selectors = names.split(",")
    check_names(selectors, list(lab.KNOWN))
    check_workers(flags["jobs"], flags["scheduler"])
    grid = _grid(vary, file)
    across, upwards = flags.pop("across"), flags.pop("upwards")
    drawn_axes = _shown_axes(grid, across, upwards) if output.plot else None
    families, methods = lab.families_of(grid, seed), lab.methods_of(selectors, grid)
    rivals = {label: method for label, method in methods.items() if label != lab.BASE}
    if drawn_axes and {*drawn_axes} & {*lab.TUNING} and not any(tuning for _, tuning in rivals.values()):
        problem = f"no selector has the axes {' and '.join(drawn_axes)}"
        raise SettingError("--plot", problem, "add bp, or choose others by --x and --y")
    results = _results(list(itertools.product(families, range(graphs))), methods, **flags)
    axes = {axis: ",".join(map(str, grid.get(axis, [default]))) for axis, default in lab.AXES.items()}
    about = {**axes, "graphs": graphs, "seed": seed, "summc": version("summc")}
    if drawn_axes:
        drawn = lab.map_rows(grid, rivals, results, drawn_axes)
        drawn = [row for row in drawn if set(drawn_axes) <= row.keys()]
        output.draw("draw_phases", drawn, drawn_axes, about, signature=signature_line(about))
    rows = lab.map_rows(grid, methods, results)
    output.write([lab.render_map(about, rows, output.format, output.screen, timed=timed)])


def _grid(vary: Sequence[str], file: str | None) -> lab.Grid:
    """Return the grid of the file and of ``--vary``, which wins, or the default grid without both."""
    axes: dict[str, list[Any]] = {}
    for text in vary:
        axis, equals, values = text.partition("=")
        if not equals:
            problem = f"must be AXIS=VALUE,..., got {text}"
            raise SettingError("--vary", problem, "write for example levels=1,2")
        axes[axis], meaning = [], f"values of {axis}"
        for part in values.split(","):
            is_range = axis in lab.NUMBERS and ":" in part
            axes[axis] += options.numbers_in(part, "--vary", meaning, "0.1:0.5:0.1") if is_range else [part]
    checked = dict(lab.checked_grid(axes, "--vary"))
    if file:
        checked = {**lab.checked_grid(read_toml(file, "name a TOML file", _SHAPE), file), **checked}
    # In the order of the axes, so that the output does not depend on the order in which they were given.
    return {axis: checked[axis] for axis in lab.AXES if axis in checked} or lab.DEFAULT


def _shown_axes(grid: lab.Grid, across: str | None, upwards: str | None) -> tuple[str, str]:
    """Return the axis across and the axis upwards of the plot: as the user says, else the first that vary."""
    for flag, axis in (("--x", across), ("--y", upwards)):
        if axis is not None and axis not in grid:
            raise SettingError(flag, f"{axis} is not in the grid", f"give one of {', '.join(grid)}")
    free = (axis for axis in grid if axis not in (across, upwards))
    varying_first = iter(sorted(free, key=lambda axis: len(grid[axis]) == 1))
    x, y = across or next(varying_first, ""), upwards or next(varying_first, "")
    if not x or not y or x == y:
        raise SettingError("--plot", "needs two axes", "give --vary twice, with different axes")
    return x, y


def _results(
    problems: Sequence[lab.Place], methods: Mapping[str, lab.Method], seconds: float, jobs: int,
    scheduler: str | None, save_to: str | None,
) -> lab.Results:  # fmt: skip
    """Return the results on each problem. Saved results are read; the others are made and saved.

    ``seconds`` is the time limit of the exact selector.
    """
    by_place: dict[lab.Place, dict[str, lab.Result]] = {place: {} for place in problems}
    with locked_folder(save_to):
        path = Path(save_to) / "map.jsonl" if save_to else None
        for line_place, line in journal.resume(path, lab.conditions(seconds)):
            place, results = lab.decode(line, line_place)
            if place in by_place:
                labels = results.keys() & {lab.BOUND, *methods}
                by_place[place] |= {name: result for name, result in results.items() if name in labels}
        tasks = lab.tasks_of(methods, by_place)
        run = partial(lab.run_task, exact_seconds=seconds)
        done = map_on_cluster(run, tasks, scheduler) if scheduler else map_in_order(run, tasks, jobs)
        for place, results in with_progress(done, len(tasks), "problems"):
            journal.append(path, lab.encode(place, results))
            by_place[place] |= results
    return by_place


@experiment.command("random-graphs")
@_count_option("--graphs", 1000, "Number of graphs.")
@_count_option("--sentences", 100, "Sentences in each graph.")
@_count_option("--left-degree", 9, "Words in each sentence.")
@_count_option("--right-degree", 3, "Sentences that contain each word.")
@option("--costs", "Graphs", "Costs of sentences.", "LOW:HIGH", default="1:10")
@option("--weights", "Graphs", "Weights of words.", "LOW:HIGH", default="1:10")
@option(
    "--mu mus", "Comparison", "Values of mu for the BP selectors.", "LOW:HIGH:STEP|auto", default="3:8:0.5"
)
@option("--selector names", "Comparison", "Selectors to compare.", "NAME,...", default="bp")
@option("--exact", "Comparison", "Also find the optimum, and show shares of it.")
@option("--time timed", "Output", "Show the seconds per graph; they vary.")
@_count_option("--seed", 2004, "Seed of the random numbers.", least=0)
@options.jobs
@options.settings(
    "select", rare=["Selection"],
    without=["selector", "mu", "polish", "certify", "must", "without", "fill", "unit"],
)  # fmt: skip
@options.output("text", "json", "csv", "md", wide=True, plot=True, verbose=options.SIGNATURE)
def random_graphs(
    graphs: int, mus: str, names: str, exact: bool, timed: bool, jobs: int, output: Output, **flags: Any
) -> None:
    """Figure 2: coverage on random biregular graphs, against g-greedy and the optimum.

    \b
      summc experiment random-graphs --config paper-fig2 --plot figure-2.pdf
      summc experiment random-graphs --graphs 50 --mu 4:6:1 --beta 3 --exact
    """
    parameters = {name: flags.pop(name) for name in ("sentences", "left_degree", "right_degree", "seed")}
    parameters |= {name: _ends(flags.pop(name), f"--{name}") for name in ("costs", "weights")}
    ensemble = Ensemble(**parameters)
    selectors = names.split(",")
    settings = options.make_config(flags, output, selectors)
    check_unit(settings)
    ensemble.check()
    values = [AUTO] if mus == AUTO else options.numbers_in(mus, "--mu", "values of mu", "3:8:0.5")
    methods = _methods(settings, [*selectors, lab.OPTIMUM] if exact else selectors, values)
    work = partial(lab.results_on, ensemble, methods, settings.select.budget)
    covered = list(with_progress(map_in_order(work, range(graphs), jobs), graphs, "graphs"))
    rows = lab.method_rows(covered)
    for row in rows if not timed else ():
        del row["seconds"]
    about = {**dataclasses.asdict(ensemble), "graphs": graphs, "k": plain(settings.select.budget)}
    if lab.OPTIMUM in covered[0] and len(lab.proven(covered)) < graphs:
        about["proven"] = len(lab.proven(covered))
    curves = {label: (method.name, method.mu) for label, method in methods.items() if hasattr(method, "mu")}
    fixed = dict[
        str, dict[str, Any]
    ]()  # the settings of each selector that has a mu, without mu, which varies
    for selector in (methods[label] for label in curves):
        fixed[selector.name] = {name: value for name, value in settings_of(selector).items() if name != "mu"}
    texts = {name: ",".join(f"{key}={value}" for key, value in fixed[name].items()) for name in fixed}
    signature = signature_line({**about, **texts, "summc": version("summc")})
    output.draw("draw_random_graphs", rows, curves, about, signature=signature)
    about |= {"selectors": fixed, "signature": signature}
    output.write_table(partial(_rendered, rows, about), signature)


def _methods(settings: Config, names: Sequence[str], mus: Sequence[float | str]) -> dict[str, Selector]:
    """Return label -> selector to compare: g-greedy, then the others; those with a mu once for each value."""
    check_names(names, list(SELECTORS))
    methods: dict[str, Selector] = {}
    for name in (lab.BASE, *names):
        selector = settings.selectors[name]
        if "mu" in rules(type(selector)):
            for mu in mus:
                methods[f"{name}, mu = {shown(mu)}"] = dataclasses.replace(selector, mu=mu)  # type: ignore[type-var]
        else:
            methods[name] = selector
    return methods


def _rendered(rows: Sequence[dict[str, Any]], about: dict[str, Any], format_: str, screen: Screen) -> str:
    if format_ in ("json", "csv"):
        return render_data(rows, about, format_)
    table = render_rows(rows, _COLUMNS, format_, screen)
    if "proven" in about:
        share = f"{about['proven']} of {about['graphs']} graphs"
        table += f"\nnote: the optimum is proven on {share}; shares are over these alone\n"
    return f"{table}\n{about['signature']}\n" if format_ == "md" else table


def _ends(text: str, flag: str) -> tuple[int, int]:
    with suppress(ValueError):
        low, high = map(int, text.split(":"))
        if 1 <= low <= high:
            return low, high
    raise SettingError(flag, f"must be two whole numbers from 1 up, got {text}", "write LOW:HIGH")


@click.command(cls=Command)
@options.dataset("Name of a data set (see summc datasets), or a path.")
@option("--mu mus", "Comparison", "Values of mu.", "LOW:HIGH:STEP", default="0.005:0.1:0.005")
@option("--beta betas", "Comparison", "Values of beta. Several make a map of mu and beta.", "LOW:HIGH:STEP")
@option("--selector", "Comparison", "The selector whose mu varies.", "NAME", default="bp")
@option(
    "--versus", "Comparison", "Selectors to compare it with, and lead, random, human or oracle.", "NAME,...",
    default="g-greedy",
)  # fmt: skip
@options.settings(
    "load", "preprocess", "weigh", "select", "score",
    without=["selector", "mu", "beta", "unit"], rare=["Steering"],
)  # fmt: skip
@options.jobs
@option("--save save_to", "Output", "Save results there. Run again to continue after an interruption.", "DIR")
@options.output("text", "json", "csv", "md", wide=True, plot=True, verbose=options.SIGNATURE)
def sweep(
    dataset: str, mus: str, betas: str | None, selector: str, versus: str, output: Output, **flags: Any
) -> None:
    """Measure a BP selector over mu, or over mu and beta, on a data set.

    \b
      summc sweep --dataset sample --config paper-fig3 --plot figure-3.png
      summc sweep --dataset duc2004 --config paper-fig4 --save run/ --jobs 2
      summc sweep --dataset sample --mu 0.01:0.1:0.01 --beta 10:100:10

    Shows for each point the mean covered weight and the mean ROUGE over the clusters, with 95% t
    intervals, next to the methods it is compared with. Then it names the best point.
    """
    jobs, save_to = map(flags.pop, ("jobs", "save_to"))
    rivals = versus.split(",")
    check_names([selector])
    check_names(rivals, place="--versus")
    settings = options.make_config(flags, output, [selector, *rivals])
    at_mus = options.numbers_in(mus, "--mu", "values of mu", "0.005:0.1:0.005")
    at_betas = [] if betas is None else options.numbers_in(betas, "--beta", "values of beta", "10:100:5")
    points = api.sweep_points(settings, selector, at_mus, at_betas, rivals)
    watch = partial(with_progress, label="measurements")
    with locked_folder(save_to):  # fails before the work if the folder cannot be used
        about, outcomes = api.measure_points(
            dataset, settings, points, jobs=jobs, watch=watch, on_unread=note_unread, save_to=save_to
        )
    note_problems(about["dataset"], [outcome.problem for outcome in outcomes])
    rows = sweeps.sweep_rows(points, outcomes)
    output.draw("draw_sweep", rows, about, signature=about["signature"])
    output.write_table(partial(sweeps.render_sweep, about, rows), about["signature"])


@click.command(cls=Command)
@options.sources()
@options.settings(
    "load", "preprocess", "weigh", "select", without=["certify", "unit"], several_budgets=_BUDGETS
)
@options.jobs
@options.output("text", "json", "csv", "md", wide=True, plot=True, verbose=options.SIGNATURE)
def curve(sources: Sources, jobs: int, output: Output, **flags: Any) -> None:
    """Show how much each length covers, and how much it could, to choose one.

    \b
      summc curve docs/
      summc curve -k 50:500:50 --selector g-greedy docs/ --plot curve.pdf

    Shows for each budget K the words and sentences of the summary, the weight it covers, the share of all
    weight, and the share of the best possible coverage that it is proven to reach.
    """
    budgets = flags["budget"] or options.numbers_in(_BUDGETS, "--budget", "budgets", _BUDGETS)
    configs = options.make_configs({**flags, "budget": budgets}, output)
    check_unit(*configs)
    settings, watch = configs[0], partial(with_progress, label="clusters")
    clusters = list(load(sources.inputs(output.path, output.plot), settings, failures.append))
    curves, signature = api.measure_curves(clusters, configs, failures.append, watch, jobs)
    if curves:
        output.draw("draw_curves", curves, signature=signature)
        output.write_table(partial(render_curves, curves, signature), signature)
