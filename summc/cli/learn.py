"""``summc learn``: weights from people's summaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import show_error, write
from summc.cli.offers import DATA_SET, FILE, LANGUAGES
from summc.cli.options import make_config, settings_options
from summc.errors import InputError, SettingError

if TYPE_CHECKING:
    from summc.config import Config
    from summc.evaluation.learning import Lesson
    from summc.records import Outcome


@click.command()
@click.option(
    "--dataset", type=DATA_SET, metavar="NAME|PATH", help="A data set with references, by name or path."
)
@click.option(
    "--languages", type=LANGUAGES, metavar="NAME,...", help="Learn from several languages of it together."
)
@click.option(
    "--ridge", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
    help="How much large coefficients are held back.",
)  # fmt: skip
@settings_options(
    "load", "preprocess", "weigh", "select", "score", without=["weighting", "background", "model"]
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="Where the weights go; without it only the table is made.",
)
def learn(
    dataset: str | None,
    languages: str | None,
    ridge: float,
    config: str | None,
    show_config: bool,
    output: str | None,
    **flags: Any,
) -> int:
    """Learn weights from people's summaries, for --weighting learned.

    Prints what they are worth: summaries of each topic with weights learned from the others, against the
    weights that a run would use otherwise; of a topic in several languages their mean. The file has all that
    they were made of.

    \b
      summc learn --dataset duc2003 -o weights.json
      summc summarize --weighting learned --model weights.json docs/
    """
    settings = make_config(config, flags)
    if show_config:
        write([settings.to_toml()], None)
        return 0
    if not dataset:
        raise SettingError("--dataset", "nothing to learn from", "name a data set with references, or a path")
    from summc.cli.evaluate import show_problems
    from summc.evaluation import learning, tabulate
    from summc.evaluation.table import as_cells, as_object
    from summc.storage import dump, write_whole
    from summc.tables import render_cells

    each = [
        settings.with_settings({"language": name})
        for name in dict.fromkeys((languages or settings.load.language).split(","))
    ]
    lessons, outcomes = _studied(dataset, each)
    outcomes += learning.cross_validate(lessons, settings, ridge)
    by_topic = learning.by_topic(outcomes)
    code = show_problems(dataset, [outcome.problem for outcome in by_topic])
    rows = tabulate(by_topic)
    if output:
        judged = [as_object(row) for row in rows]
        model = learning.learn(lessons, ridge)
        made = learning.describe_model(model, lessons, dataset, settings, ridge, judged)
        write_whole(output, [dump(made, indent=2) + "\n"])
    write([render_cells(as_cells(rows), "text")], None)
    return code


def _studied(dataset: str, configs: Sequence[Config]) -> tuple[list[Lesson], list[Outcome]]:
    """Return what the clusters of each language teach, and what the configured weights make of them."""
    from summc.cli.evaluate import load_dataset
    from summc.evaluation import learning, prepare

    lessons: list[Lesson] = []
    outcomes: list[Outcome] = []
    for config in configs:
        clusters, failures = load_dataset(dataset, config, ["learned"])
        outcomes += failures
        for cluster in clusters:
            if not cluster.references:
                raise InputError(cluster.id, "no references", "give some or leave the cluster out")
        lessons += learning.make_lessons(clusters, config)
        cases, _ = prepare(clusters, config)
        outcomes += [learning.named(case, config.weigh.weighting, config) for case in cases]
    if len({lesson.topic for lesson in lessons}) < 2:  # noqa: PLR2004 (one to learn from, one to judge by)
        for problem in dict.fromkeys(outcome.problem for outcome in outcomes if outcome.problem):
            show_error(problem)
        raise SettingError("--dataset", "one cluster is too few to learn from", "give two or more")
    return lessons, outcomes
