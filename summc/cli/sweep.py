"""``summc sweep``: measure covered weight and scores over mu and beta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import say, write
from summc.cli.offers import COMPARED, DATA_SET, FOLDER, WITH_MU
from summc.cli.options import (
    check_apart,
    format_option,
    make_config,
    output_option,
    plot_option,
    save_picture,
    settings_options,
    signature_option,
    wide_option,
)
from summc.cli.progress import with_progress
from summc.cli.ranges import numbers_in
from summc.cli.screens import screen_for
from summc.errors import SettingError

if TYPE_CHECKING:
    from summc.config import Config
    from summc.evaluation.cases import Case
    from summc.experiments.sweep import Measurement, Point


@click.command()
@click.option(
    "--dataset",
    type=DATA_SET,
    metavar="NAME|PATH",
    help="A data set by name (see summc datasets), or your own.",
)
@click.option(
    "--mu", "mus", default="0.005:0.1:0.005", show_default=True, metavar="LOW:HIGH:STEP", help="Values of mu."
)
@click.option(
    "--beta", "betas", metavar="LOW:HIGH:STEP", help="Values of beta; several make it a map of mu and beta."
)
@click.option(
    "--selector", default="bp", show_default=True, type=WITH_MU, help="The selector whose mu is varied."
)
@click.option(
    "--versus", default="g-greedy", show_default=True, type=COMPARED, metavar="NAME,...",
    help="What to compare it with, by the first most of all: selectors, and lead, random, human, oracle.",
)  # fmt: skip
@settings_options(
    "load", "preprocess", "weigh", "select", "score", without=["selector", "mu", "beta"]
)  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Work in N processes.")
@click.option(
    "--save", "save_to", type=FOLDER, metavar="DIR", help="Keep what is finished there, and go on from it."
)
@plot_option
@format_option("text", "json", "csv", "md")
@wide_option
@output_option
@signature_option
def sweep(
    dataset: str | None,
    mus: str,
    betas: str | None,
    selector: str,
    versus: str,
    config: str | None,
    show_config: bool,
    jobs: int,
    save_to: str | None,
    plot: str | None,
    unsigned: bool,
    format_: str,
    wide: bool,
    output: str | None,
    verbose: bool,
    **flags: Any,
) -> int:
    """Measure a BP selector over mu, or over mu and beta, on a data set.

    For each point the mean covered weight and ROUGE over the clusters with 95% bootstrap intervals, beside
    what it is compared with; then where the best is. Interrupted, it goes on from --save when started again.

    \b
      summc sweep --dataset sample --config paper-fig3 --versus g-greedy,greedy --plot figure-3.png
      summc sweep --dataset duc2004 --background duc2003 --config paper-fig4 --save run/ --jobs 2
      summc sweep --dataset sample --mu 0.01:0.1:0.01 --beta 10:100:10 --plot map.pdf
    """
    from summc.evaluation import check_names

    others = list(dict.fromkeys(versus.split(",")))
    check_names([selector])
    check_names(others, place="--versus")
    settings = make_config(config, flags, [selector, *others])
    if show_config:
        write([settings.to_toml()], output)
        return 0
    if not dataset:
        raise SettingError("--dataset", "nothing to measure on", "name a data set, such as sample, or a path")
    check_apart(plot, output)
    from summc.experiments.sweep import make_points

    mu_values = numbers_in(mus, "--mu", "values of mu", "0.005:0.1:0.005")
    beta_values = numbers_in(betas, "--beta", "values of beta", "10:100:5") if betas is not None else []
    points = make_points(settings, selector, mu_values, beta_values, others)
    about, measurements, problems = _run(dataset, settings, points, jobs, save_to)

    from summc.cli.evaluate import show_problems
    from summc.experiments.sweep import sweep_rows
    from summc.experiments.sweep_report import render_sweep

    code = show_problems(dataset, [*problems, *(each.problem for each in measurements)])
    rows = sweep_rows(points, measurements)
    if plot:
        from summc.experiments.figures import draw_sweep

        save_picture(partial(draw_sweep, rows, about), plot, about["signature"], unsigned=unsigned)
    write([render_sweep(about, rows, format_, screen_for(output, wide=wide))], output)
    if verbose:
        say(about["signature"])
    return code


def _run(
    dataset: str, settings: Config, points: Sequence[Point], jobs: int, save_to: str | None
) -> tuple[dict[str, Any], list[Measurement], list[str]]:
    """Return the sweep's description, its measurements in order, and the problems of unreadable clusters."""
    from summc.cli.evaluate import load_dataset
    from summc.evaluation import prepare
    from summc.experiments.sweep import describe_sweep
    from summc.files.folders import own_folder

    with own_folder(save_to):  # fails before the work if the folder cannot be used
        clusters, failures = load_dataset(dataset, settings, [""])
        cases, weighing = prepare(clusters, settings)
        measurements = list(_measured(cases, points, settings, jobs, save_to))
    about = describe_sweep(dataset, cases, weighing, points)
    return about, measurements, [failure.problem for failure in failures]


def _measured(
    cases: Sequence[Case], points: Sequence[Point], settings: Config, jobs: int, save_to: str | None
) -> Iterator[Measurement]:
    from summc.experiments.journal import Journal
    from summc.experiments.sweep import conditions, decode, encode, run

    known: dict[tuple[str, str], Measurement] = {}
    journal = Journal(Path(save_to) / "sweep.jsonl") if save_to else None
    if journal:
        lines = journal.resume(conditions(settings, cases, points[-1].selector))
        found = (decode(line, place) for place, line in lines)
        known = {(each.point, each.cluster): each for each in found}
    new = run(cases, points, known, jobs=jobs)
    left = sum((point.label, case.cluster.id) not in known for point in points for case in cases)
    for each in with_progress(new, left, "measurements"):
        if journal:
            journal.append(encode(each))
        known[each.point, each.cluster] = each
    return (known[point.label, case.cluster.id] for point in points for case in cases)
