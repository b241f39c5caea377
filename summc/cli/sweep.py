"""``summc sweep``: measure covered weight and scores over mu and beta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from summc.cli import options
from summc.cli.console import with_progress
from summc.cli.evaluate import load_dataset, show_problems
from summc.cli.help import Command
from summc.cli.options import Output, option
from summc.errors import SettingError
from summc.lab.evaluation import check_names, make_cases
from summc.lab.evaluation.cases import Case
from summc.lab.experiments.journal import Journal
from summc.lab.experiments.sweep import (
    Measurement,
    Point,
    conditions,
    decode,
    describe_sweep,
    encode,
    make_points,
    render_sweep,
    run,
    sweep_rows,
)
from summc.settings.config import Config
from summc.system.outputs import own_folder


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
    "load", "preprocess", "weigh", "select", "score", without=["selector", "mu", "beta"], rare=["Steering"]
)
@options.jobs
@option("--save save_to", "Output", "Save results there. Run again to continue after an interruption.", "DIR")
@options.output("text", "json", "csv", "md", wide=True, plot=True, verbose=options.SIGNATURE)
def sweep(
    dataset: str | None,
    mus: str,
    betas: str | None,
    selector: str,
    versus: str,
    jobs: int,
    save_to: str | None,
    output: Output,
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
    others = list(dict.fromkeys(versus.split(",")))
    check_names([selector])
    check_names(others, place="--versus")
    settings = options.make_config(flags, output, [selector, *others])
    if not dataset:
        raise SettingError("--dataset", "nothing to measure on", "name a data set, such as sample, or a path")
    mu_values = options.numbers_in(mus, "--mu", "values of mu", "0.005:0.1:0.005")
    beta_values = (
        options.numbers_in(betas, "--beta", "values of beta", "10:100:5") if betas is not None else []
    )
    points = make_points(settings, selector, mu_values, beta_values, others)
    with own_folder(save_to):  # fails before the work if the folder cannot be used
        clusters, failures = load_dataset(dataset, settings, [""])
        cases, weighing = make_cases(clusters, settings)
        measurements = list(_measured(cases, points, settings, jobs, save_to))
    about = describe_sweep(dataset, cases, weighing, points)
    code = show_problems(
        dataset, [*(each.problem for each in failures), *(each.problem for each in measurements)]
    )
    rows = sweep_rows(points, measurements)
    if output.plot:
        from summc.lab.experiments.figures import draw_sweep

        output.draw(partial(draw_sweep, rows, about), about["signature"])
    output.write_table(partial(render_sweep, about, rows), about["signature"])
    return code


def _measured(
    cases: Sequence[Case], points: Sequence[Point], settings: Config, jobs: int, save_to: str | None
) -> Iterator[Measurement]:
    """Return the measurements in order: those saved before, and those that are made and saved now."""
    known: dict[tuple[str, str], Measurement] = {}
    journal = Journal(Path(save_to) / "sweep.jsonl") if save_to else None
    if journal:
        lines = journal.resume(conditions(settings, cases, points[-1].selector))
        found = (decode(line, place) for place, line in lines)
        known = {(each.point, each.cluster): each for each in found}
    left = sum((point.label, case.cluster.id) not in known for point in points for case in cases)
    for each in with_progress(run(cases, points, known, jobs=jobs), left, "measurements"):
        if journal:
            journal.append(encode(each))
        known[each.point, each.cluster] = each
    return (known[point.label, case.cluster.id] for point in points for case in cases)
