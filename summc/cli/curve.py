"""``summc curve``: show how much weight a summary covers at each budget."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from summc.cli.console import say, show_error, write
from summc.cli.help import Command
from summc.cli.options import (
    check_plot,
    format_option,
    jobs_option,
    make_configs,
    output_option,
    plot_option,
    save_picture,
    settings_options,
    signature_option,
    source_arguments,
    sources_of,
    wide_option,
)
from summc.cli.progress import with_progress
from summc.cli.ranges import numbers_in
from summc.cli.screens import screen_for
from summc.errors import NoSummaryError, SummcError

_BUDGETS = "25:400:25"


@click.command(cls=Command)
@source_arguments
@settings_options("load", "preprocess", "weigh", "select", without=["certify"], several_budgets=_BUDGETS)
@jobs_option
@plot_option
@format_option("text", "json", "csv", "md")
@wide_option
@output_option
@signature_option
def curve(
    paths: tuple[str, ...],
    sample: bool,
    config: str | None,
    show_config: bool,
    jobs: int,
    plot: str | None,
    unsigned: bool,
    format_: str,
    wide: bool,
    output: str | None,
    verbose: bool,
    **flags: Any,
) -> int:
    """Show how much each length covers, and how much it could, to choose one.

    \b
      summc curve docs/
      summc curve -k 50:500:50 --selector g-greedy docs/ --plot curve.pdf

    Shows for each budget K the words and sentences of the summary, the weight it covers, the share of all
    weight, and the share of the best possible coverage that it is proven to reach.
    """
    given = {**flags, "budget": flags["budget"] or numbers_in(_BUDGETS, "--budget", "budgets", _BUDGETS)}
    settings, *others = make_configs(config, given)
    if show_config:
        write([settings.to_toml()], output)
        return 0
    check_plot(plot, output, unsigned=unsigned)
    from summc.lab.evaluation import make_cases
    from summc.lab.evaluation.cases import check_unit
    from summc.lab.experiments.budgets import measure, render_curves
    from summc.method import read
    from summc.settings.signatures import run_signature

    for each in (settings, *others):
        check_unit(each)
    failures: list[SummcError] = []
    clusters = list(read(sources_of(paths, output, sample=sample, plot=plot), settings, failures.append))
    # If a cluster has nothing to cover at the largest budget, it has nothing to cover at smaller ones.
    longest = max((settings, *others), key=lambda each: each.select.budget)
    cases, weighing = make_cases(clusters, longest) if clusters else ([], {})
    for case in cases:
        if not len(case.graph.cost):
            problem, remedy = "no sentence has a word worth covering", "keep stop words or give more text"
            failures.append(NoSummaryError(case.cluster.id, problem, remedy))
    for failure in failures:
        show_error(failure)
    cases = [case for case in cases if len(case.graph.cost)]
    if cases:
        made = measure(cases, settings, [each.select.budget for each in (settings, *others)], jobs=jobs)
        curves = list(with_progress(made, len(cases), "clusters"))
        signature = run_signature(clusters, weighing, settings)
        if plot:
            from summc.lab.experiments.figures import draw_curves

            save_picture(partial(draw_curves, curves), plot, signature, unsigned=unsigned)
        write([render_curves(curves, signature, format_, screen_for(output, wide=wide))], output)
        if verbose:
            say(signature)
    return failures[0].exit_code if failures else 0
