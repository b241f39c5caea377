"""``summc batch``: summarize many clusters independently, on one machine or on a Dask cluster."""

from __future__ import annotations

import time
from typing import Any

import click

from summc.cli.console import say, show_error, write
from summc.cli.offers import FOLDER
from summc.cli.options import make_config, settings_options, source_arguments, sources_of
from summc.cli.progress import with_progress
from summc.errors import InputError, NoSummaryError, SettingError


@click.command()
@source_arguments
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    metavar="DIR",
    help="Write the parts there: a folder, or a URL; go on where a run was.",
)
@click.option(
    "--part-size", type=click.IntRange(min=1), default=200, show_default=True, help="Clusters a part."
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Work in N processes.")
@click.option(
    "--scheduler", metavar="tcp://HOST:PORT", help="Work on a Dask cluster instead; needs summc[cluster]."
)
@settings_options("load", "preprocess", "weigh", "select")
@click.option("-v", "--verbose", is_flag=True, help="Say on stderr how many there were, and how quick.")
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

    PATH is a .jsonl file with one cluster a line, plain, .gz or .zst, a folder of such files, a folder of
    documents (one cluster), a folder of such folders (one cluster each), or a URL of JSON lines. DIR gets
    part-00000.jsonl and so on, a line a cluster in the order of the input: as summarize --format jsonl
    writes it, or with its "error".

    \b
      summc batch clusters.jsonl -o out/ --jobs 2
      summc batch day1.jsonl.gz day2.jsonl.gz -k 50 --selector g-greedy -o out/
      summc batch s3://bucket/clusters.jsonl -o s3://bucket/out --scheduler tcp://head:8786
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
    from summc.pipeline.weighing import check_weighing
    from summc.text.languages import AUTO, asked_language

    language = asked_language(settings.load.language)
    # Languages are not detected yet. Check the settings for English, to find conflicts before a long run.
    check_weighing(settings, ["en" if language == AUTO else language])
    with prepare(sources, settings, output, part_size) as run:
        failed, start, lacking = 0, time.monotonic(), list[str]()
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
        from summc.documents.splitting import left_out

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
