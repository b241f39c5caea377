"""``summc learn``: fit word rates on summaries by people."""

from __future__ import annotations

from typing import Any

import click

from summc.cli import options
from summc.cli.console import show_error, with_progress
from summc.cli.evaluate import load_dataset, show_problems
from summc.cli.help import Command
from summc.cli.options import Output, option
from summc.errors import SettingError
from summc.lab.evaluation import learning
from summc.settings.config import settings_used_by
from summc.system.json_objects import dump
from summc.text.tables import render_cells
from summc.weights import WEIGHTINGS
from summc.weights.rates import encode_rates

#: ROUGE metrics that are always in the table, besides those that the user asks for.
_METRICS = ("rouge1", "rouge2")
#: Settings that only other weightings have. The weighting that learns is "expected".
_OF_OTHERS = {name for each in WEIGHTINGS for name in settings_used_by(each)} - settings_used_by("expected")


@click.command(cls=Command)
@options.dataset("A data set with references, by name or path.")
@option(
    "--folds", "Learning",
    "Number of parts for cross-validation. Each is judged by rates fitted on the others.",
    "N", type=click.IntRange(min=2), default=10,
)  # fmt: skip
@option(
    "--ridge", "Learning", "How strongly to keep coefficients small.",
    "FLOAT", type=click.FloatRange(min=1e-3, max=1e9), default=1.0,
)  # fmt: skip
@options.settings(
    "load", "preprocess", "weigh", "select", "score",
    without=["weighting", "background", "model", *_OF_OTHERS], rare=["Steering"],
)  # fmt: skip
@options.output()
def learn(dataset: str | None, folds: int, ridge: float, output: Output, **flags: Any) -> int:
    """Learn from people's summaries how often they write each word.

    \b
      summc learn --dataset duc2003 --selector g-greedy -o rates.json
      summc summarize --weighting expected --model rates.json docs/

    Writes a file for --weighting expected --model FILE. The table compares the learned rates with the formula
    that they replace, on clusters they were not fitted on. It shows the deviance of the references per word
    (less is better) and the ROUGE recall of the summaries.
    """
    settings = options.merged_config({**flags, "weighting": "expected"})
    metrics = tuple(dict.fromkeys((*settings.score.metrics, *_METRICS)))
    settings = settings.with_settings({"model": "", "reading": 0, "metrics": metrics})
    options.show_config(settings, flags, Output())
    if not dataset:
        raise SettingError("--dataset", "nothing to learn from", "name a data set with references, or a path")

    clusters, failures = load_dataset(dataset, settings, ["learn"])
    problems = [failure.problem for failure in failures]
    lessons = [learning.make_lesson(cluster, settings) for cluster in clusters]
    if len(lessons) < 2:  # noqa: PLR2004 (one to learn from, one to judge by)
        for problem in problems:
            show_error(problem)
        raise SettingError("--dataset", "one cluster is too few to learn from", "give two or more")
    results = learning.cross_validate(lessons, settings, ridge, folds)
    judged = list(with_progress(results, len(lessons), "clusters"))
    problems += [outcome.problem for each in judged for outcome in each.outcomes]
    code = show_problems(dataset, problems)
    rows = learning.compare(judged)
    if output.path:
        made = learning.describe(lessons, rows, dataset, settings, ridge, folds)
        output.write([dump(encode_rates(learning.learn(lessons, ridge), made), indent=2) + "\n"])
    if output.path != "-":
        table = Output()
        table.write([render_cells(learning.comparison_cells(rows), "text", table.screen)])
    return code
