"""``summc curve``: show how much weight a summary covers at each budget."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from summc.cli import options
from summc.cli.console import show_errors, with_progress
from summc.cli.help import Command
from summc.cli.options import Output
from summc.errors import NoSummaryError, SummcError
from summc.lab.evaluation import make_cases
from summc.lab.evaluation.cases import check_unit
from summc.lab.experiments.budgets import measure, render_curves
from summc.method import read
from summc.settings.config import run_signature

_BUDGETS = "25:400:25"


@click.command(cls=Command)
@options.sources
@options.settings("load", "preprocess", "weigh", "select", without=["certify"], several_budgets=_BUDGETS)
@options.jobs
@options.output("text", "json", "csv", "md", wide=True, plot=True, verbose=options.SIGNATURE)
def curve(paths: tuple[str, ...], sample: bool, jobs: int, output: Output, **flags: Any) -> int:
    """Show how much each length covers, and how much it could, to choose one.

    \b
      summc curve docs/
      summc curve -k 50:500:50 --selector g-greedy docs/ --plot curve.pdf

    Shows for each budget K the words and sentences of the summary, the weight it covers, the share of all
    weight, and the share of the best possible coverage that it is proven to reach.
    """
    given = {
        **flags,
        "budget": flags["budget"] or options.numbers_in(_BUDGETS, "--budget", "budgets", _BUDGETS),
    }
    configs = options.make_configs(given, output)

    for each in configs:
        check_unit(each)
    settings, failures = configs[0], list[SummcError]()
    sources = options.sources_of(paths, output.path, sample=sample, plot=output.plot)
    clusters = list(read(sources, settings, failures.append))
    # If a cluster has nothing to cover at the largest budget, it has nothing to cover at smaller ones.
    longest = max(configs, key=lambda each: each.select.budget)
    cases, weighing = make_cases(clusters, longest) if clusters else ([], {})
    for case in cases:
        if not len(case.graph.cost):
            problem, remedy = "no sentence has a word worth covering", "keep stop words or give more text"
            failures.append(NoSummaryError(case.cluster.id, problem, remedy))
    code = show_errors(failures)
    cases = [case for case in cases if len(case.graph.cost)]
    if cases:
        made = measure(cases, settings, [each.select.budget for each in configs], jobs=jobs)
        curves = list(with_progress(made, len(cases), "clusters"))
        signature = run_signature(clusters, weighing, settings)
        if output.plot:
            from summc.lab.experiments.figures import draw_curves

            output.draw(partial(draw_curves, curves), signature)
        output.write_table(partial(render_curves, curves, signature), signature)
    return code
