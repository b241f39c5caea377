"""The command that summarizes many clusters: ``summc batch``."""

from __future__ import annotations

import logging
import time
from typing import Any

import click

from summc.batch import prepare
from summc.cli import options
from summc.cli.console import failures, say, with_progress
from summc.cli.help import Command
from summc.cli.options import Output, Sources, check_workers, option
from summc.documents.sentences import left_out
from summc.errors import NoSummaryError, SettingError
from summc.report.summaries import amount
from summc.system.logs import log
from summc.text.languages import AUTO, asked_language
from summc.weights.settings import check_settings


@click.command(cls=Command)
@options.sources()
@option(
    "-o --output", "Output", "Folder or URL to write to. If an earlier run stopped there, continue it.", "DIR"
)
@option("--part-size", "Output", "Clusters in each part.", "N", type=click.IntRange(min=1), default=200)
@options.jobs
@options.scheduler()
@options.settings("load", "preprocess", "weigh", "select")
@option("-v --verbose", "Output", "Report on stderr the number of clusters and the speed.", common=False)
def batch(
    sources: Sources, output: str | None, part_size: int, jobs: int, scheduler: str | None, **flags: Any
) -> None:
    """Summarize many clusters, each by itself, and go on where a run was ended.

    \b
      summc batch clusters.jsonl -o out/ --jobs 2
      summc batch day1.jsonl.gz day2.jsonl.gz -k 50 --selector g-greedy -o out/
      summc batch s3://in/all.jsonl -o s3://out --scheduler tcp://head:8786

    PATH is a .jsonl file with a cluster on each line, also .gz or .zst, a URL of one, a folder of such files,
    a folder of documents (one cluster), or a folder of such folders. DIR gets part-00000.jsonl and so on,
    with a line for each cluster, in order, as summarize --format jsonl writes it, or with an "error".
    """
    verbose = flags.pop("verbose")
    settings = options.make_config(flags, Output())
    if not output:
        raise SettingError("-o", "no folder to write to", "name one")
    check_workers(jobs, scheduler)
    paths = sources.inputs(output, stdin=False)
    # Languages are not detected yet. Check the settings for English, to find conflicts before a long run.
    language = asked_language(settings.load.language)
    check_settings(settings.weigh, ["en" if language == AUTO else language], settings.preprocessor.terms_in)
    with prepare(paths, settings, output, part_size) as run:
        left, start = run.left, time.monotonic()
        for _ in with_progress(run.work(jobs, scheduler or ""), left, "clusters", lambda part: part.clusters):
            pass  # the run keeps the totals
        run.finish()
    clusters, failed = amount(sum(run.sizes.values()), "clusters"), sum(run.failed.values())
    if verbose and log.isEnabledFor(logging.WARNING):
        rate = left / max(time.monotonic() - start, 1e-9)
        did = f"{left} of them now, {rate:.1f} a second" if left else "all there already"
        say(f"{output}: {clusters} in {amount(len(run.sizes), 'parts')}, {did}")
    if failed:
        problem = f"{failed} of {clusters} without a summary"
        failures.append(NoSummaryError(output, problem, 'see their lines with "error"'))
    if lacking := [place for places in run.left_out.values() for place in places]:
        failures.append(left_out(lacking))
