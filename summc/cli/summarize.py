"""``summc summarize``: all stages at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import show_error, write
from summc.cli.options import (
    format_option,
    make_configs,
    output_option,
    settings_options,
    source_arguments,
    sources_of,
    verbose_option,
)
from summc.errors import SummcError

if TYPE_CHECKING:
    from summc.records import Summary


@click.command()
@source_arguments
@settings_options("load", "preprocess", "weigh", "select", several_budgets="100")
@format_option("text", "json", "jsonl", "md")
@output_option
@verbose_option
def summarize(
    paths: tuple[str, ...],
    sample: bool,
    config: str | None,
    show_config: bool,
    format_: str,
    output: str | None,
    verbose: bool,
    **flags: Any,
) -> int:
    """Summarize documents within a number of words.

    PATH is a text file, a folder of documents (one cluster), a folder of such folders (one cluster each), a
    .jsonl file with one cluster a line, or - for standard input. Files named together are one cluster.

    \b
      summc summarize docs/
      summc summarize -k 50 --selector g-greedy a.txt b.txt
      summc summarize -k 50,100,200 docs/
      cat report.txt | summc summarize -
      summc summarize --sample --format json | jq -r '.[0].text'
    """
    settings, *others = make_configs(config, flags)
    if show_config:
        write([settings.to_toml()], output)
        return 0
    from summc.pipeline import load_clusters, summarize_clusters

    results: list[Summary | SummcError] = []
    clusters = list(load_clusters(sources_of(paths, output, sample=sample), settings, results.append))
    budgets = [each.select.budget for each in (settings, *others)]
    made = summarize_clusters(clusters, settings, budgets) if clusters else iter(())
    length = len(clusters) * len(budgets)
    if sys.stderr.isatty() and length > 1:
        with click.progressbar(made, length=length, label="summarizing", file=sys.stderr) as bar:
            results.extend(bar)
    results.extend(made)
    return write_summaries(results, format_, output, verbose=verbose, name_budgets=bool(others))


def write_summaries(
    results: Sequence[Summary | SummcError],
    format_: str,
    output: str | None,
    *,
    verbose: bool,
    tell: bool = True,
    name_budgets: bool = False,
) -> int:
    """Write the summaries among results, and say why the others have none; return the exit code."""
    from summc.render import describe, render

    failures = [result for result in results if isinstance(result, SummcError)]
    summaries = [result for result in results if not isinstance(result, SummcError)]
    if tell:
        for failure in failures:
            show_error(failure)
    if summaries:
        write([render(summaries, format_, several=len(results) > 1, name_budgets=name_budgets)], output)
    if verbose:
        for summary in summaries:
            click.echo(describe(summary), err=True)
    return failures[0].exit_code if failures else 0
