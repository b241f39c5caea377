"""``summc experiment``: reproduce the paper's figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

from summc.cli import options
from summc.cli.console import with_progress
from summc.cli.help import Group
from summc.cli.options import Decorated, Output, option
from summc.cli.phase_map import map_
from summc.errors import SettingError
from summc.lab.evaluation import check_names
from summc.lab.experiments.random_graphs import OPTIMUM, Ensemble, MethodRow, method_rows, proven, run
from summc.selectors import SELECTORS, Selector
from summc.settings import AUTO, rules, settings_of
from summc.settings.config import Config
from summc.system.json_objects import dump
from summc.text.numbers import plain
from summc.text.screens import Screen
from summc.text.tables import render_cells, render_numbers


@click.group(cls=Group)
def experiment() -> None:
    """Reproduce the paper's experiments, and go beyond them.

    \b
      summc experiment random-graphs --config paper-fig2
      summc experiment map --plot map.png
    """


experiment.add_command(map_)


def _count_option(flag: str, default: int, help_: str, least: int = 1) -> Callable[[Decorated], Decorated]:
    return option(flag, "Graphs", help_, "N", type=click.IntRange(min=least), default=default)


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
    "select", without=["selector", "mu", "polish", "certify", "must", "fill", "unit"], rare=["Selection"]
)
@options.output("text", "json", "csv", "md", wide=True, plot=True, verbose=options.SIGNATURE)
def random_graphs(
    graphs: int,
    sentences: int,
    left_degree: int,
    right_degree: int,
    costs: str,
    weights: str,
    mus: str,
    names: str,
    exact: bool,
    timed: bool,
    seed: int,
    jobs: int,
    output: Output,
    **flags: Any,
) -> None:
    """Figure 2: coverage on random biregular graphs, against g-greedy and the optimum.

    \b
      summc experiment random-graphs --config paper-fig2 --plot figure-2.pdf
      summc experiment random-graphs --graphs 50 --mu 4:6:1 --beta 3 --exact
    """
    selectors = names.split(",")
    settings = options.make_config(flags, output, selectors)
    if settings.select.unit != "words":
        problem = f"counts {settings.select.unit}, where a random graph has costs alone"
        raise SettingError("--budget", problem, "give a number")
    ensemble = Ensemble(
        sentences, left_degree, right_degree, _ends(costs, "--costs"), _ends(weights, "--weights"), seed
    )
    ensemble.check()
    values = [AUTO] if mus == AUTO else options.numbers_in(mus, "--mu", "values of mu", "3:8:0.5")
    methods = _methods(settings, selectors, values)
    results = run(ensemble, methods, graphs, settings.select.budget, exact=exact, jobs=jobs)
    covered = list(with_progress(results, graphs, "graphs"))
    rows = method_rows(covered)
    if not timed:
        rows = [dataclasses.replace(row, seconds=None) for row in rows]
    about = {**dataclasses.asdict(ensemble), "graphs": graphs, "k": plain(settings.select.budget)}
    if OPTIMUM in covered[0] and len(proven(covered)) < graphs:
        about["proven"] = len(proven(covered))
    signature = _signature({**about, **_fixed(methods)})
    if output.plot:
        from summc.lab.experiments.figures import draw_random_graphs

        curves = {label: (each.name, each.mu) for label, each in methods.items() if hasattr(each, "mu")}
        output.draw(partial(draw_random_graphs, rows, curves, about), signature)
    output.write_table(partial(_rendered, rows, about), signature)


def _methods(settings: Config, names: list[str], mus: Sequence[float | str]) -> dict[str, Selector]:
    """Return label -> selector to compare. A selector that has a mu appears once for each value in ``mus``.

    g-greedy is left out, because every run includes it.
    """
    check_names(names, list(SELECTORS))
    methods: dict[str, Selector] = {}
    for name in names:
        selector = settings.selectors[name]
        if "mu" in rules(type(selector)):
            for mu in mus:
                shown = mu if isinstance(mu, str) else plain(mu)
                methods[f"{name}, mu = {shown}"] = dataclasses.replace(selector, mu=mu)  # type: ignore[type-var]
        elif name != "g-greedy":
            methods[name] = selector
    return methods


def _fixed(methods: dict[str, Selector]) -> dict[str, str]:
    """Return the settings of each selector that has a mu, as text, without mu itself, which varies."""
    return {
        each.name: ",".join(f"{name}={value}" for name, value in settings_of(each).items() if name != "mu")
        for each in methods.values()
        if hasattr(each, "mu")
    }


def _rendered(rows: list[MethodRow], about: dict[str, Any], format_: str, screen: Screen) -> str:
    objects = [_as_object(row) for row in rows]
    if format_ == "json":
        return dump({**about, "rows": objects}, indent=2) + "\n"
    if format_ == "csv":
        for each in objects:
            each["difference_low"], each["difference_high"] = each.pop("difference_ci") or (None, None)
        return render_numbers(objects)
    cells = [["method", "weight", "s.e.", "vs g-greedy", "s.e.", "of optimum", "solved"]]
    cells += [
        [
            row.method,
            f"{row.mean:.1f}",
            f"{row.error:.1f}",
            f"{row.difference:+.2f}",
            f"{row.difference_error:.2f}",
            "-" if row.share is None else f"{row.share:.5f}",
            "-" if row.solved is None else f"{row.solved:.0%}",
        ]
        for row in rows
    ]
    if rows[0].seconds is not None:
        for line, cell in zip(cells, ["seconds", *(f"{row.seconds:.4f}" for row in rows)], strict=True):
            line.append(cell)
    table = render_cells(cells, format_, screen, fold=[2, 6, 5])
    if "proven" in about:
        share = f"{about['proven']} of {about['graphs']} graphs"
        table += f"\nnote: the optimum is proven on {share}; shares are over these alone\n"
    return f"{table}\n{_signature(about)}\n" if format_ == "md" else table


def _signature(about: dict[str, Any]) -> str:
    return "|".join(f"{name}:{value}" for name, value in about.items())


def _as_object(row: MethodRow) -> dict[str, Any]:
    return {name: value for name, value in dataclasses.asdict(row).items() if name != "seconds" or value}


def _ends(text: str, flag: str) -> tuple[int, int]:
    try:
        low, high = map(int, text.split(":"))
        if 1 <= low <= high:
            return low, high
    except ValueError:
        pass
    problem = f"must be two whole numbers from 1 up, got {text}"
    raise SettingError(flag, problem, "write LOW:HIGH")
