"""The commands that run all stages: ``summc summarize``, ``summc explain`` and ``summc batch``."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from summc.cli import console, options
from summc.cli.console import failures, say, with_progress
from summc.cli.help import Command
from summc.cli.options import Output, Sources, option
from summc.errors import MissingExtraError, NoSummaryError, SettingError, SummcError
from summc.preprocess import topics

if TYPE_CHECKING:
    from summc.config import Config
    from summc.records import Run
    from summc.report.explain import Explanation

#: The width of explanations in columns if they do not go to a terminal, and the largest on a terminal.
_COLUMNS, _MOST_COLUMNS = 100, 120

_why_not_option = option(
    "--why-not questions", "Output", "Say why a sentence is left out; repeatable.", "TEXT", multiple=True
)


@click.command(cls=Command)
@options.sources(by_topic=True)
@options.settings("load", "preprocess", "weigh", "select", several_budgets="100")
@options.output("text", "json", "jsonl", "md", "html", verbose="Report on stderr what was used and covered.")
@options.dates("End each day's sentences with its date: [8 June 2009].")
@option("--explain", "Output", "Also explain the choice, on stderr or in the JSON.")
@_why_not_option
def summarize(
    sources: Sources, dates: bool, explain: bool, questions: tuple[str, ...], output: Output, **flags: Any
) -> None:
    """Summarize documents within a number of words.

    \b
      summc summarize docs/
      summc summarize -k 50 --query "Who paid for the dam?" a.txt b.txt
      summc summarize docs/ -o report.html

    PATH is a file, a folder of documents (one cluster), a folder of such folders (one cluster each), a .jsonl
    file with a cluster on each line, or standard input (- or no PATH). Files named together are one cluster.
    """
    configs = options.make_configs(flags, output)
    if output.format == "html":
        _check_units(configs)
    made, several = _summarized(configs, sources, output, dates=dates)
    if not sources.by_topic and console.log.isEnabledFor(logging.WARNING):
        texts = {id(each.tokenized): each.tokenized for each in made if not each.weights.question}
        for text in texts.values():
            topics.warn_of_stories(text, configs[0].analysis)
    explanations: list[Explanation] = []
    as_json = output.format in ("json", "jsonl")
    if explain or questions:
        from summc.report.explain import explain_all
        from summc.report.text import explanation_object, render_explanations

        explanations = explain_all(made, configs[0], questions)
    if made and output.format == "html":
        output.write([_page(made, configs)])
    elif made:
        from summc.report.summaries import render

        members = [{"explanation": explanation_object(each)} for each in explanations] if as_json else []
        several, name_budgets = several or sources.by_topic, len(configs) > 1
        shown = render(
            made, output.format, several=several, name_budgets=name_budgets, members=members, dates=dates
        )
        output.write([shown], wraps=True)
    if output.verbose:
        say_coverage(made)
    if explanations and not as_json:
        columns, colour = screen(sys.stderr)
        click.echo(f"\n{render_explanations(explanations, columns, colour=colour)}", err=True, nl=False)


@click.command(cls=Command)
@options.sources(by_topic=True)
@_why_not_option
@options.settings("load", "preprocess", "weigh", "select")
@options.output("text", "json")
@options.dates("Text: give the date of each sentence of the summary.")
def explain(sources: Sources, dates: bool, questions: tuple[str, ...], output: Output, **flags: Any) -> None:
    """Say why these sentences make the summary, and why not others.

    \b
      summc explain docs/
      summc explain -k 50 docs/ --why-not "repairs at 95 million"

    Shows for each sentence its source, its weight, what would be lost without it, the words that only it
    covers, and the best sentence to replace it. Then come the heaviest words that are not covered.
    """
    settings = options.make_config(flags, output)
    from summc.report.explain import explain_all
    from summc.report.text import explanation_object, render_explanations
    from summc.system.json_objects import dump

    made, several = _summarized([settings], sources, output, dates=dates)
    if not made:
        return
    explanations = explain_all(made, settings, questions)
    if output.format == "json":
        objects = [{"id": each.summary.cluster.id, **explanation_object(each)} for each in explanations]
        output.write([dump(objects if several else objects[0], indent=2), "\n"])
    else:
        columns, colour = screen(output.stream)
        output.write([render_explanations(explanations, columns, colour=colour, dates=dates)])


def _summarized(
    configs: Sequence[Config], sources: Sources, output: Output, *, dates: bool
) -> tuple[list[Run], bool]:
    """Return the summaries of all clusters by each configuration, and whether there are several.

    Problems with a single summary are shown as warnings.
    """
    from summc import method
    from summc.report.summaries import why_short

    made: list[Run] = []
    clusters = list(method.read(sources.found(output.path), configs[0], failures.append))
    if sources.by_topic:
        clusters = list(topics.by_topic(clusters, configs[0].analysis))
    # An error that says which documents were left out for lack of an extra is not the result of a cluster.
    several = len(failures) - list(map(type, failures)).count(MissingExtraError)
    several += len(clusters) * len(configs)
    results = method.summarize(clusters, *configs) if clusters else ()
    for result in with_progress(results, len(clusters) * len(configs), "summaries"):
        if isinstance(result, SummcError):
            failures.append(result)
        else:
            made.append(result)
    if made and several == 1 and console.log.isEnabledFor(logging.WARNING):
        for problem in filter(None, (why_short(made[0]), method.why_idle(made[0], configs[0]))):
            console.log.warning("%s", problem)
    if dates:
        options.warn_of_no_dates(each.cluster for each in made)
    return made, several > 1


def say_coverage(made: Sequence[Run]) -> None:
    """Write a line about each summary to stderr."""
    from summc.report.summaries import describe

    for each in made:
        say(describe(each))


def _check_units(configs: Sequence[Config]) -> None:
    """Raise ``SettingError`` if the budgets have different units, as an HTML page has only one slider."""
    units = dict.fromkeys(each.select.unit.replace("percent", "words") for each in configs)
    if len(units) > 1:
        problem = f"counts {' and '.join(units)}, where a page has one slider"
        raise SettingError("--budget", problem, "give budgets of one unit")


def _page(made: Sequence[Run], configs: Sequence[Config]) -> str:
    from summc.report.budgets import report_of
    from summc.report.html import render_page

    # Collect the summaries of each cluster: on a page they are the positions of its slider.
    clusters: dict[int, list[Run]] = {}
    for each in made:
        clusters.setdefault(id(each.tokenized), []).append(each)
    reports = (
        report_of(first, configs[0], others if len(configs) > 1 else None)
        for first, *others in clusters.values()
    )
    return render_page(list(with_progress(reports, len(clusters), "pages")))


def screen(stream: TextIO | None) -> tuple[int, bool]:
    """Return the width for explanations on a stream, and whether to use colour."""
    return min(console.terminal_columns(stream) or _COLUMNS, _MOST_COLUMNS), console.in_colour(stream)


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
    paths = sources.found(output, stdin=False)
    from summc.batch import prepare
    from summc.documents.sentences import left_out
    from summc.report.summaries import amount
    from summc.text.languages import AUTO, asked_language
    from summc.weights.settings import check_settings

    # Languages are not detected yet. Check the settings for English, to find conflicts before a long run.
    language = asked_language(settings.load.language)
    check_settings(settings.weigh, ["en" if language == AUTO else language], settings.analysis.terms_in)
    with prepare(paths, settings, output, part_size) as run:
        left, start = run.left, time.monotonic()
        parts = run.work(jobs, scheduler or "")
        for _ in with_progress(parts, left, "clusters", lambda part: part.clusters):
            pass  # the run keeps the totals
        run.finish()
    clusters, failed = amount(sum(run.sizes.values()), "clusters"), sum(run.failed.values())
    if verbose and console.log.isEnabledFor(logging.WARNING):
        rate = left / max(time.monotonic() - start, 1e-9)
        did = f"{left} of them now, {rate:.1f} a second" if left else "all there already"
        say(f"{output}: {clusters} in {amount(len(run.sizes), 'parts')}, {did}")
    if failed:
        problem = f"{failed} of {clusters} without a summary"
        failures.append(NoSummaryError(output, problem, 'see their lines with "error"'))
    if lacking := [place for places in run.left_out.values() for place in places]:
        failures.append(left_out(lacking))


def check_workers(jobs: int, scheduler: str | None) -> None:
    """Raise ``SettingError`` if both ``--jobs`` and ``--scheduler`` are given."""
    if scheduler and jobs > 1:
        raise SettingError("--jobs", "given with --scheduler", "the workers of the cluster decide")
