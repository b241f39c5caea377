"""``summc explain``: say why sentences are in the summary, or why not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from summc.cli.console import show_error, write
from summc.cli.help import Command
from summc.cli.options import (
    Decorated,
    by_topic_option,
    dates_option,
    format_option,
    make_config,
    option,
    output_option,
    settings_options,
    source_arguments,
    sources_of,
    warn_of_no_dates,
)
from summc.cli.screens import in_colour, terminal_columns
from summc.errors import MissingExtraError, SummcError

if TYPE_CHECKING:
    from summc.records import Run
    from summc.report.explain import Explanation

#: The width of the text in columns if the output is not a terminal, and the largest width on a terminal.
_COLUMNS, _MOST_COLUMNS = 100, 120


def why_not_option(command: Decorated) -> Decorated:
    """Add the option ``--why-not`` to a command."""
    help_ = "Say why a sentence is left out; repeatable."
    return option("--why-not", "questions", metavar="TEXT", multiple=True, heading="Output", help=help_)(
        command
    )


@click.command(cls=Command)
@source_arguments
@by_topic_option
@why_not_option
@settings_options("load", "preprocess", "weigh", "select")
@format_option("text", "json")
@output_option
@dates_option("Text: give the date of each sentence of the summary.")
def explain(
    paths: tuple[str, ...],
    sample: bool,
    by_topic: bool,
    questions: tuple[str, ...],
    config: str | None,
    show_config: bool,
    format_: str,
    output: str | None,
    dates: bool,
    **flags: Any,
) -> int:
    """Say why these sentences make the summary, and why not others.

    \b
      summc explain docs/
      summc explain -k 50 docs/ --why-not "repairs at 95 million"

    Shows for each sentence its source, its weight, what would be lost without it, the words that only it
    covers, and the best sentence to replace it. Then come the heaviest words that are not covered.
    """
    settings = make_config(config, flags)
    if show_config:
        write([settings.to_toml()], output)
        return 0
    from summc.method import read, summarize
    from summc.report.explain import explain_all

    results: list[Run | SummcError] = []
    clusters = list(read(sources_of(paths, output, sample=sample), settings, results.append))
    if by_topic:
        from summc.preprocess.topics import by_topic as stories_in

        clusters = list(stories_in(clusters, settings.analysis))
    results.extend(summarize(clusters, settings) if clusters else ())
    failures = [result for result in results if isinstance(result, SummcError)]
    made = [result for result in results if not isinstance(result, SummcError)]
    for failure in failures:
        show_error(failure)
    if made:
        several = are_several(results)
        explanations = explain_all(made, settings, questions)
        if dates:
            warn_of_no_dates(each.cluster for each in made)
        write([_rendered(explanations, format_, to_file=bool(output), several=several, dates=dates)], output)
    return failures[0].exit_code if failures else 0


def are_several(results: Sequence[Run | SummcError]) -> bool:
    """Tell whether the results are of several clusters.

    An error that says which documents were left out for lack of an extra is not the result of a cluster.
    """
    return sum(not isinstance(result, MissingExtraError) for result in results) > 1


def show_explanations(explanations: Sequence[Explanation]) -> None:
    """Write explanations to stderr, because stdout has the summary."""
    from summc.report.text import render_explanations

    columns, colour = screen(sys.stderr)
    click.echo(f"\n{render_explanations(explanations, columns, colour=colour)}", err=True, nl=False)


def _rendered(
    explanations: Sequence[Explanation], format_: str, *, to_file: bool, several: bool, dates: bool
) -> str:
    from summc.report.text import explanation_object, render_explanations
    from summc.system.json_objects import dump

    if format_ == "json":
        objects = [{"id": each.summary.cluster.id, **explanation_object(each)} for each in explanations]
        return dump(objects if several else objects[0], indent=2) + "\n"
    columns, colour = (_COLUMNS, False) if to_file else screen(sys.stdout)
    return render_explanations(explanations, columns, colour=colour, dates=dates)


def screen(stream: TextIO | None) -> tuple[int, bool]:
    """Return the width for explanations on a stream, and whether to use colour."""
    return min(terminal_columns(stream) or _COLUMNS, _MOST_COLUMNS), in_colour(stream)
