"""``summc explain``: say why sentences are in the summary, or why not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from summc.cli.console import show_error, write
from summc.cli.options import (
    Command,
    by_topic_option,
    format_option,
    make_config,
    output_option,
    settings_options,
    source_arguments,
    sources_of,
)
from summc.cli.screens import in_colour, terminal_columns
from summc.errors import SummcError

if TYPE_CHECKING:
    from summc.pipeline import Workings
    from summc.report.explain import Explanation

#: The width of the text in columns if the output is not a terminal, and the largest width on a terminal.
_COLUMNS, _MOST_COLUMNS = 100, 120


def why_not_option(command: Command) -> Command:
    """Add the option ``--why-not`` to a command."""
    help_ = "Say why the sentence with this text is not in the summary; may be repeated."
    return click.option("--why-not", "questions", metavar="TEXT", multiple=True, help=help_)(command)


@click.command()
@source_arguments
@by_topic_option
@why_not_option
@settings_options("load", "preprocess", "weigh", "select")
@format_option("text", "json")
@output_option
def explain(
    paths: tuple[str, ...],
    sample: bool,
    by_topic: bool,
    questions: tuple[str, ...],
    config: str | None,
    show_config: bool,
    format_: str,
    output: str | None,
    **flags: Any,
) -> int:
    """Say why these sentences make the summary, and why not others.

    For each sentence: where it stands, its weight and what would be lost without it, the words that it
    alone covers, and the best sentence that could take its place. Then the heaviest words left out.

    \b
      summc explain docs/
      summc explain -k 50 docs/ --why-not "repairs at 95 million"
    """
    settings = make_config(config, flags)
    if show_config:
        write([settings.to_toml()], output)
        return 0
    from summc.pipeline import load_clusters, work_out
    from summc.report.explain import explain_all

    results: list[Workings | SummcError] = []
    clusters = list(load_clusters(sources_of(paths, output, sample=sample), settings, results.append))
    if by_topic:
        from summc.preprocess.topics import by_topic as stories_in

        clusters = list(stories_in(clusters, settings.analysis))
    results.extend(work_out(clusters, settings) if clusters else ())
    failures = [result for result in results if isinstance(result, SummcError)]
    made = [result for result in results if not isinstance(result, SummcError)]
    for failure in failures:
        show_error(failure)
    if made:
        explanations = explain_all(made, settings, questions)
        write([_rendered(explanations, format_, to_file=bool(output), several=len(results) > 1)], output)
    return failures[0].exit_code if failures else 0


def show_explanations(explanations: Sequence[Explanation]) -> None:
    """Write explanations to stderr, because stdout has the summary."""
    from summc.report.text import render_explanations

    columns, colour = screen(sys.stderr)
    click.echo(f"\n{render_explanations(explanations, columns, colour=colour)}", err=True, nl=False)


def _rendered(explanations: Sequence[Explanation], format_: str, *, to_file: bool, several: bool) -> str:
    from summc.files.json_objects import dump
    from summc.report.objects import explanation_object
    from summc.report.text import render_explanations

    if format_ == "json":
        objects = [{"id": each.summary.cluster.id, **explanation_object(each)} for each in explanations]
        return dump(objects if several else objects[0], indent=2) + "\n"
    columns, colour = (_COLUMNS, False) if to_file else screen(sys.stdout)
    return render_explanations(explanations, columns, colour=colour)


def screen(stream: TextIO | None) -> tuple[int, bool]:
    """Return the width for explanations on a stream, and whether to use colour."""
    return min(terminal_columns(stream) or _COLUMNS, _MOST_COLUMNS), in_colour(stream)
