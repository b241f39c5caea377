"""``summc learn``: fit word rates on summaries by people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import show_error, write
from summc.cli.help import Command
from summc.cli.options import dataset_option, make_config, option, output_option, settings_options
from summc.cli.progress import with_progress
from summc.cli.screens import screen_for
from summc.errors import SettingError
from summc.settings.config import Config, settings_used_by
from summc.weights import WEIGHTINGS

if TYPE_CHECKING:
    from summc.lab.evaluation.learning import Judged, Lesson

#: ROUGE metrics that are always in the table, besides those that the user asks for.
_METRICS = ("rouge1", "rouge2")
#: Settings that only other weightings have. The weighting that learns is "expected".
_OF_OTHERS = {name for each in WEIGHTINGS for name in settings_used_by(each)} - settings_used_by("expected")


@click.command(cls=Command)
@dataset_option("A data set with references, by name or path.")
@option(
    "--folds", type=click.IntRange(min=2), metavar="N", default=10, show_default=True, heading="Learning",
    help="Number of parts for cross-validation. Each is judged by rates fitted on the others.",
)  # fmt: skip
@option(
    "--ridge", type=click.FloatRange(min=1e-3, max=1e9), metavar="FLOAT", default=1.0, show_default=True,
    heading="Learning", help="How strongly to keep coefficients small.",
)  # fmt: skip
@settings_options(
    "load",
    "preprocess",
    "weigh",
    "select",
    "score",
    without=["weighting", "background", "model", *_OF_OTHERS],
    rare=["Steering"],
)
@output_option
def learn(
    dataset: str | None,
    folds: int,
    ridge: float,
    config: str | None,
    show_config: bool,
    output: str | None,
    **flags: Any,
) -> int:
    """Learn from people's summaries how often they write each word.

    \b
      summc learn --dataset duc2003 --selector g-greedy -o rates.json
      summc summarize --weighting expected --model rates.json docs/

    Writes a file for --weighting expected --model FILE. The table compares the learned rates with the formula
    that they replace, on clusters they were not fitted on. It shows the deviance of the references per word
    (less is better) and the ROUGE recall of the summaries.
    """
    settings = make_config(config, {**flags, "weighting": "expected"})
    metrics = tuple(dict.fromkeys((*settings.score.metrics, *_METRICS)))
    settings = settings.with_settings({"model": "", "reading": 0, "metrics": metrics})
    if show_config:
        write([settings.to_toml()], None)
        return 0
    if not dataset:
        raise SettingError("--dataset", "nothing to learn from", "name a data set with references, or a path")
    from summc.cli.evaluate import show_problems
    from summc.lab.evaluation import learning
    from summc.system.json_objects import dump
    from summc.text.tables import render_cells
    from summc.weights.rates import encode_rates

    lessons, problems = _lessons(dataset, settings)
    judged = _judged(lessons, settings, ridge, folds)
    problems += [outcome.problem for each in judged for outcome in each.outcomes]
    code = show_problems(dataset, problems)
    rows = learning.compare(judged)
    if output:
        made = learning.describe(lessons, rows, dataset, settings, ridge, folds)
        write([dump(encode_rates(learning.learn(lessons, ridge), made), indent=2) + "\n"], output)
    if output != "-":
        write([render_cells(learning.comparison_cells(rows), "text", screen_for(None))], None)
    return code


def _lessons(dataset: str, config: Config) -> tuple[list[Lesson], list[str]]:
    """Return the training data of each cluster of a data set, and the problems of unreadable clusters."""
    from summc.cli.evaluate import load_dataset
    from summc.lab.evaluation import learning

    clusters, failures = load_dataset(dataset, config, ["learn"])
    problems = [failure.problem for failure in failures]
    lessons = [learning.make_lesson(cluster, config) for cluster in clusters]
    if len(lessons) < 2:  # noqa: PLR2004 (one to learn from, one to judge by)
        for problem in problems:
            show_error(problem)
        raise SettingError("--dataset", "one cluster is too few to learn from", "give two or more")
    return lessons, problems


def _judged(lessons: Sequence[Lesson], config: Config, ridge: float, folds: int) -> list[Judged]:
    from summc.lab.evaluation import learning

    results = learning.cross_validate(lessons, config, ridge, folds)
    return list(with_progress(results, len(lessons), "clusters"))
