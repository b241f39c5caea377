"""``summc batch``: summarize many clusters independently, on one machine or on a Dask cluster."""

from __future__ import annotations

import time
from typing import Any

import click

from summc.cli.console import say, show_error, unless_quiet, write
from summc.cli.help import Command
from summc.cli.offers import FOLDER
from summc.cli.options import (
    jobs_option,
    make_config,
    option,
    scheduler_option,
    settings_options,
    source_arguments,
    sources_of,
)
from summc.cli.progress import with_progress
from summc.errors import InputError, NoSummaryError, SettingError


@click.command(cls=Command)
@source_arguments
@option(
    "-o",
    "--output",
    type=FOLDER,
    metavar="DIR",
    heading="Output",
    help="Folder or URL to write to. If an earlier run stopped there, continue it.",
)
@option(
    "--part-size", type=click.IntRange(min=1), metavar="N", default=200, show_default=True, heading="Output",
    help="Clusters in each part.",
)  # fmt: skip
@jobs_option
@scheduler_option()
@settings_options("load", "preprocess", "weigh", "select")
@option(
    "-v", "--verbose", is_flag=True, heading="Output", common=False, callback=unless_quiet,
    help="Report on stderr the number of clusters and the speed.",
)  # fmt: skip
def batch(
    paths: tuple[str, ...],
    sample: bool,
    output: str | None,
    part_size: int,
    jobs: int,
    scheduler: str | None,
    config: str | None,
    show_config: bool,
    verbose: bool,
    **flags: Any,
) -> int:
    """Summarize many clusters, each by itself, and go on where a run was ended.

    \b
      summc batch clusters.jsonl -o out/ --jobs 2
      summc batch day1.jsonl.gz day2.jsonl.gz -k 50 --selector g-greedy -o out/
      summc batch s3://in/all.jsonl -o s3://out --scheduler tcp://head:8786

    PATH is a .jsonl file with a cluster on each line, also .gz or .zst, a URL of one, a folder of such files,
    a folder of documents (one cluster), or a folder of such folders. DIR gets part-00000.jsonl and so on,
    with a line for each cluster, in order, as summarize --format jsonl writes it, or with an "error".
    """
    settings = make_config(config, flags)
    if show_config:
        write([settings.to_toml()])
        return 0
    if not output:
        raise SettingError("-o", "no folder to write to", "name one")
    if scheduler and jobs > 1:
        raise SettingError("--jobs", "given with --scheduler", "the workers of the cluster decide")
    sources = sources_of(paths, output, sample=sample, stdin=False)
    from summc.batch import prepare
    from summc.text.languages import AUTO, asked_language
    from summc.weights.weighing import check_settings

    language = asked_language(settings.load.language)
    # Languages are not detected yet. Check the settings for English, to find conflicts before a long run.
    known = ["en" if language == AUTO else language]
    check_settings(settings.weigh, known, settings.analysis.terms_in)
    with prepare(sources, settings, output, part_size) as run:
        failed, start = 0, time.monotonic()
        lacking = [place for places in run.left_out.values() for place in places]
        for done in with_progress(
            run.work(jobs, scheduler or ""), run.left, "clusters", lambda part: part.clusters
        ):
            failed += done.failed
            lacking += done.left_out
        outcome = run.finish(failed)
    if verbose:
        rate = run.left / max(time.monotonic() - start, 1e-9)
        did = f"{run.left} of them now, {rate:.1f} a second" if run.left else "all there already"
        clusters, parts = _count(outcome.clusters, "cluster"), _count(outcome.parts, "part")
        say(f"{output}: {clusters} in {parts}, {did}")
    if lacking:
        from summc.documents.sentences import left_out

        show_error(left_out(lacking))
    if outcome.failed:
        show_error(
            f"{output}: {outcome.failed} of {_count(outcome.clusters, 'cluster')} without a summary; "
            'see their lines with "error"'
        )
        return NoSummaryError.exit_code
    return InputError.exit_code if lacking else 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
