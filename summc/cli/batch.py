"""``summc batch``: summarize many clusters independently, on one machine or on a Dask cluster."""

from __future__ import annotations

import time
from typing import Any

import click

from summc.cli import options
from summc.cli.console import is_quiet, say, show_error, with_progress
from summc.cli.help import Command
from summc.cli.options import Output, option
from summc.errors import InputError, NoSummaryError, SettingError


@click.command(cls=Command)
@options.sources
@option(
    "-o --output", "Output", "Folder or URL to write to. If an earlier run stopped there, continue it.", "DIR"
)
@option("--part-size", "Output", "Clusters in each part.", "N", type=click.IntRange(min=1), default=200)
@options.jobs
@options.scheduler()
@options.settings("load", "preprocess", "weigh", "select")
@option("-v --verbose", "Output", "Report on stderr the number of clusters and the speed.", common=False)
def batch(output: str | None, jobs: int, scheduler: str | None, verbose: bool, **flags: Any) -> int:
    """Summarize many clusters, each by itself, and go on where a run was ended.

    \b
      summc batch clusters.jsonl -o out/ --jobs 2
      summc batch day1.jsonl.gz day2.jsonl.gz -k 50 --selector g-greedy -o out/
      summc batch s3://in/all.jsonl -o s3://out --scheduler tcp://head:8786

    PATH is a .jsonl file with a cluster on each line, also .gz or .zst, a URL of one, a folder of such files,
    a folder of documents (one cluster), or a folder of such folders. DIR gets part-00000.jsonl and so on,
    with a line for each cluster, in order, as summarize --format jsonl writes it, or with an "error".
    """
    paths, sample, part_size = map(flags.pop, ("paths", "sample", "part_size"))
    settings = options.make_config(flags, Output())
    if not output:
        raise SettingError("-o", "no folder to write to", "name one")
    check_workers(jobs, scheduler)
    sources = options.sources_of(paths, output, sample=sample, stdin=False)
    from summc.batch import prepare
    from summc.text.languages import AUTO, asked_language
    from summc.weights.settings import check_settings

    language = asked_language(settings.load.language)
    # Languages are not detected yet. Check the settings for English, to find conflicts before a long run.
    known = ["en" if language == AUTO else language]
    check_settings(settings.weigh, known, settings.analysis.terms_in)
    with prepare(sources, settings, output, part_size) as run:
        failed, start = 0, time.monotonic()
        lacking = [place for places in run.left_out.values() for place in places]
        parts = run.work(jobs, scheduler or "")
        for done in with_progress(parts, run.left, "clusters", lambda part: part.clusters):
            failed += done.failed
            lacking += done.left_out
        outcome = run.finish(failed)
    clusters = _count(outcome.clusters, "cluster")
    if verbose and not is_quiet():
        rate = run.left / max(time.monotonic() - start, 1e-9)
        did = f"{run.left} of them now, {rate:.1f} a second" if run.left else "all there already"
        say(f"{output}: {clusters} in {_count(outcome.parts, 'part')}, {did}")
    if lacking:
        from summc.documents.sentences import left_out

        show_error(left_out(lacking))
    if outcome.failed:
        problem = f"{outcome.failed} of {clusters} without a summary"
        show_error(f'{output}: {problem}; see their lines with "error"')
        return NoSummaryError.exit_code
    return InputError.exit_code if lacking else 0


def check_workers(jobs: int, scheduler: str | None) -> None:
    """Raise ``SettingError`` if both ``--jobs`` and ``--scheduler`` are given."""
    if scheduler and jobs > 1:
        raise SettingError("--jobs", "given with --scheduler", "the workers of the cluster decide")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
