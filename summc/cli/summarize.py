"""``summc summarize``: all stages at once."""

from __future__ import annotations

import sys
from typing import Any

import click

from summc.cli.console import show_error, write
from summc.cli.options import make_config, output_option, settings_options
from summc.errors import SettingError, SummcError
from summc.resources import sample_folder


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1)
@click.option("--sample", is_flag=True, help="Summarize the sample clusters that ship with summc.")
@settings_options("load", "preprocess", "weigh", "select")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "jsonl", "md"]),
    default="text",
    show_default=True,
)
@output_option
@click.option("-v", "--verbose", is_flag=True, help="Say on stderr what was used and covered.")
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
        write([settings.to_toml()])
        return 0
    sources = [str(sample_folder())] if sample else list(paths)
    if not sources:
        raise SettingError(
            "summarize", "nothing to summarize", "name files or folders, - for standard input, or --sample"
        )

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
