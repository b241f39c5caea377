"""``summc sweep``: measure covered weight and scores over mu and beta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import say, write
from summc.cli.help import Command
from summc.cli.offers import COMPARED, FOLDER, WITH_MU
from summc.cli.options import (
    check_plot,
    dataset_option,
    format_option,
    jobs_option,
    make_config,
    option,
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
    from summc.lab.evaluation.cases import Case
    from summc.lab.experiments.sweep import Measurement, Point
    from summc.settings.config import Config


@click.command(cls=Command)
@dataset_option("Name of a data set (see summc datasets), or a path.")
@option(
    "--mu", "mus", default="0.005:0.1:0.005", show_default=True, metavar="LOW:HIGH:STEP",
    heading="Comparison", help="Values of mu.",
)  # fmt: skip
@option(
    "--beta", "betas", metavar="LOW:HIGH:STEP", heading="Comparison",
    help="Values of beta. Several make a map of mu and beta.",
)  # fmt: skip
@option(
    "--selector", default="bp", show_default=True, type=WITH_MU, metavar="NAME", heading="Comparison",
    help="The selector whose mu varies.",
)  # fmt: skip
@option(
    "--versus", default="g-greedy", show_default=True, type=COMPARED, metavar="NAME,...",
    heading="Comparison",
    help="Selectors to compare it with, and lead, random, human or oracle.",
)  # fmt: skip
@settings_options(
    "load", "preprocess", "weigh", "select", "score", without=["selector", "mu", "beta"], rare=["Steering"]
)  # fmt: skip
@jobs_option
@option(
    "--save", "save_to", type=FOLDER, metavar="DIR", heading="Output",
    help="Save results there. Run again to continue after an interruption.",
)  # fmt: skip
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

    \b
      summc sweep --dataset sample --config paper-fig3 --plot figure-3.png
      summc sweep --dataset duc2004 --config paper-fig4 --save run/ --jobs 2
      summc sweep --dataset sample --mu 0.01:0.1:0.01 --beta 10:100:10

    Shows for each point the mean covered weight and the mean ROUGE over the clusters, with 95% t
    intervals, next to the methods it is compared with. Then it names the best point.
    """
    from summc.lab.evaluation import check_names

    others = list(dict.fromkeys(versus.split(",")))
    check_names([selector])
    check_names(others, place="--versus")
    settings = make_config(config, flags, [selector, *others])
    if show_config:
        write([settings.to_toml()], output)
        return 0
    if not dataset:
        raise SettingError("--dataset", "nothing to measure on", "name a data set, such as sample, or a path")
    check_plot(plot, output, unsigned=unsigned)
    from summc.lab.experiments.sweep import make_points

    mu_values = numbers_in(mus, "--mu", "values of mu", "0.005:0.1:0.005")
    beta_values = numbers_in(betas, "--beta", "values of beta", "10:100:5") if betas is not None else []
    points = make_points(settings, selector, mu_values, beta_values, others)
    about, measurements, problems = _run(dataset, settings, points, jobs, save_to)

    from summc.cli.evaluate import show_problems
    from summc.lab.experiments.sweep import sweep_rows
    from summc.lab.experiments.sweep_report import render_sweep

    code = show_problems(dataset, [*problems, *(each.problem for each in measurements)])
    rows = sweep_rows(points, measurements)
    if plot:
        from summc.lab.experiments.figures import draw_sweep

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
    from summc.lab.evaluation import make_cases
    from summc.lab.experiments.sweep import describe_sweep
    from summc.system.outputs import own_folder

    with own_folder(save_to):  # fails before the work if the folder cannot be used
        clusters, failures = load_dataset(dataset, settings, [""])
        cases, weighing = make_cases(clusters, settings)
        measurements = list(_measured(cases, points, settings, jobs, save_to))
    about = describe_sweep(dataset, cases, weighing, points)
    return about, measurements, [failure.problem for failure in failures]


def _measured(
    cases: Sequence[Case], points: Sequence[Point], settings: Config, jobs: int, save_to: str | None
) -> Iterator[Measurement]:
    from summc.lab.experiments.journal import Journal
    from summc.lab.experiments.sweep import conditions, decode, encode, run

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
