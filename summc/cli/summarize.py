"""``summc summarize``: all stages at once."""

from __future__ import annotations

import sys
from typing import Any

import click

from summc.cli.console import show_error, write
from summc.cli.options import (
    format_option,
    make_config,
    output_option,
    settings_options,
    source_arguments,
    sources_of,
    verbose_option,
)
from summc.errors import SummcError


@click.command()
@source_arguments
@settings_options("load", "preprocess", "weigh", "select")
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
      cat report.txt | summc summarize -
      summc summarize --sample --format json | jq -r '.[0].text'
    """
    settings = make_config(config, flags)
    if show_config:
        write([settings.to_toml()], output)
        return 0
    sources = sources_of(paths, sample=sample)

    from summc.pipeline import load_clusters, summarize_clusters
    from summc.render import describe, render

    clusters = list(load_clusters(sources, settings))
    results = summarize_clusters(clusters, settings)
    if sys.stderr.isatty() and len(clusters) > 1:
        with click.progressbar(results, length=len(clusters), label="summarizing", file=sys.stderr) as bar:
            results = iter(list(bar))
    summaries, failures = [], []
    for result in results:
        if isinstance(result, SummcError):
            show_error(result)
            failures.append(result)
        else:
            summaries.append(result)
    if summaries:
        write([render(summaries, format_)], output)
    if verbose:
        for summary in summaries:
            click.echo(describe(summary), err=True)
    return failures[0].exit_code if failures else 0
