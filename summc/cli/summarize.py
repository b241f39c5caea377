"""The commands that make summaries and show them: ``summc summarize`` and ``summc explain``."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TextIO

import click

from summc.cli import console, options
from summc.cli.console import failures, say, with_progress
from summc.cli.help import Command
from summc.cli.options import Output, Sources, option
from summc.config import Config
from summc.errors import InputError, MissingExtraError, SettingError, SummcError
from summc.records import Run, Summary
from summc.system.inputs import read_file, whole_characters
from summc.system.json_objects import dump
from summc.system.logs import log
from summc.system.outputs import write_whole

if TYPE_CHECKING:
    from summc.report.explain import Explanation

#: The width of explanations in columns if they do not go to a terminal, and the largest on a terminal.
_COLUMNS, _MOST_COLUMNS = 100, 120

_why_not_option = option(
    "--why-not questions", "Output", "Say why a sentence is left out; repeatable.", "TEXT", multiple=True,
    type=whole_characters,
)  # fmt: skip


@click.command(cls=Command)
@options.sources(by_topic=True)
@options.settings("load", "preprocess", "weigh", "select", several_budgets="100")
@options.output(
    "text", "json", "jsonl", "md", "html", "pdf", verbose="Report on stderr what was used and covered."
)  # fmt: skip
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
    elif output.format == "pdf":
        _check_markable(sources, output, configs)
    runs, several = _summarized(configs, sources, output, dates=dates)
    if configs[0].preprocess.labels == "auto":
        _warn_of_stories(runs)
    as_json = output.format in ("json", "jsonl")
    explanations: list[Explanation] = []
    if explain or questions:
        from summc.report.explain import explain_all
        from summc.report.text import explanation_object, render_explanations

        explanations = explain_all(runs, questions)
    if runs and output.format == "html":
        output.write([_page(runs, has_budgets=len(configs) > 1)])
    elif runs and output.format == "pdf":
        _mark(runs, sources.paths[0], output)
    elif runs:
        from summc.report.summaries import render
        from summc.signatures import signature_of_run

        rendered = render(
            list(map(attrgetter("summary"), runs)), output.format, several=several or sources.by_topic,
            dates=dates, name_budgets=len(configs) > 1,
            signatures=[signature_of_run(run) for run in runs] if as_json else (),
            members=[{"explanation": explanation_object(item)} for item in explanations] if as_json else (),
        )  # fmt: skip
        output.write([rendered], wraps=True)
    if output.verbose:
        say_coverage(list(map(attrgetter("summary"), runs)))
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
    from summc.report.explain import explain_all
    from summc.report.text import explanation_object, render_explanations

    runs, several = _summarized([options.make_config(flags, output)], sources, output, dates=dates)
    if not runs:
        return
    explanations = explain_all(runs, questions)
    if output.format == "json":
        objects = [{"id": item.summary.cluster.id, **explanation_object(item)} for item in explanations]
        output.write([dump(objects if several else objects[0], indent=2), "\n"])
    else:
        columns, colour = screen(output.stream)
        output.write([render_explanations(explanations, columns, colour=colour, dates=dates)])


@click.command(cls=Command)
@options.sources()
@option(
    "-n --number most",
    "Output",
    "Show at most N words and phrases.",
    "N",
    type=click.IntRange(min=1),
    default=20,
)
@options.settings("load", "preprocess", "weigh")
@options.output("text", "json")
def keywords(sources: Sources, most: int, output: Output, **flags: Any) -> None:
    """Print the words and phrases that weigh the most, with their sentences.

    \b
      summc keywords docs/
      summc keywords -n 5 --weighting tfidf --format json docs/

    Shows them as the text writes them, with their weight and the number of sentences that hold them; JSON has
    the sentences. Leaves out function words, and words of a phrase that weighs as much.
    """
    from summc import method
    from summc.report.keywords import keywords_of, render_keywords
    from summc.report.text import as_json

    config = options.make_config(flags, output)
    clusters = list(method.load(sources.inputs(output.path), config, failures.append))
    pairs = list(zip(clusters, keywords_of(clusters, config, most), strict=True)) if clusters else []
    if output.format == "json" and pairs:
        objects = [{"id": cluster.id, "keywords": as_json(tuple(items))} for cluster, items in pairs]
        output.write([dump(objects if len(pairs) > 1 else objects[0], indent=2), "\n"])
    elif pairs:
        heading = "{}\n{}" if len(pairs) > 1 else "{1}"
        output.write(
            ["\n".join(heading.format(cluster.id, render_keywords(items)) for cluster, items in pairs)]
        )


def _summarized(
    configs: Sequence[Config], sources: Sources, output: Output, *, dates: bool
) -> tuple[list[Run], bool]:
    """Return the summaries of all clusters by each configuration, and whether there are several.

    Problems with a single summary are shown as warnings.
    """
    from summc import method
    from summc.preprocess import topics
    from summc.report.summaries import why_short

    runs: list[Run] = []
    clusters = list(method.load(sources.inputs(output.path), configs[0], failures.append))
    if sources.by_topic:
        clusters = list(topics.by_topic(clusters, configs[0].preprocessor))
    # An error that says which documents were left out for lack of an extra is not the result of a cluster.
    several = len(failures) - list(map(type, failures)).count(MissingExtraError)
    several += len(clusters) * len(configs)
    results = method.summarize(clusters, *configs) if clusters else ()
    for result in with_progress(results, len(clusters) * len(configs), "summaries"):
        if isinstance(result, SummcError):
            failures.append(result)
        else:
            runs.append(result)
    if runs and several == 1 and log.isEnabledFor(logging.WARNING):
        problems = [why_short(runs[0])]
        if configs[0].weigh.boost or configs[0].weigh.ignore:
            from summc.report.explain import why_idle

            problems.append(why_idle(runs[0]))
        for problem in filter(None, problems):
            log.warning("%s", problem)
    if dates:
        options.warn_of_no_dates(run.summary.cluster for run in runs)
    return runs, several > 1


def say_coverage(summaries: Sequence[Summary]) -> None:
    """Write a line about each summary to stderr."""
    from summc.report.summaries import describe

    for summary in summaries:
        say(describe(summary))


def _warn_of_stories(runs: Sequence[Run]) -> None:
    for cluster in {id(run.tokenized): run.summary.cluster for run in runs}.values():
        if cluster.stories > 1 and not cluster.query:
            stories = f"these {len(cluster.documents):,} documents tell {cluster.stories} stories"
            remedy = "--by-topic summarizes each by itself, --labels never leaves the labels out"
            log.warning("%s: %s, so labels name the documents; %s", cluster.id, stories, remedy)


def _check_units(configs: Sequence[Config]) -> None:
    """Raise ``SettingError`` if the budgets have different units, as an HTML page has only one slider."""
    units = dict.fromkeys(config.select.unit.replace("percent", "words") for config in configs)
    if len(units) > 1:
        problem = f"counts {' and '.join(units)}, where a page has one slider"
        raise SettingError("--budget", problem, "give budgets of one unit")


def _check_markable(sources: Sources, output: Output, configs: Sequence[Config]) -> None:
    """Raise an error unless there is one PDF to mark, one summary to mark in it, and a file to write."""
    if output.path in (None, "-"):
        raise SettingError("--format", "pdf needs a file", "give -o marked.pdf")
    if len(configs) > 1:
        raise SettingError("--budget", "given several times for one marked PDF", "give one length")
    path, *more = sources.paths or ("-",)
    if more or path == "-" or os.path.isdir(path):  # noqa: PTH112 (unlike Path's, it does not raise)
        raise SettingError("-o", f"{output.path} shows the marks of one PDF", "name one file, or write .html")
    if not read_file(path).startswith(b"%PDF-"):
        raise InputError(path, "not a PDF, so it cannot be marked", "show its summary with -o page.html")


def _mark(runs: Sequence[Run], path: str, output: Output) -> None:
    from summc.report.marked_pdf import marked

    sentences = [sentence for run in runs for sentence in run.summary.sentences]
    if lacking := sum(not sentence.boxes for sentence in sentences):
        log.warning("%s: where %d of the sentences stand is not known; not marked", path, lacking)
    write_whole(output.path or "", [marked(read_file(path), sentences)])


def _page(runs: Sequence[Run], *, has_budgets: bool) -> str:
    from summc.report.budgets import report_of
    from summc.report.html import render_page  # loads Jinja2

    # Collect the summaries of each cluster: on a page they are the positions of its slider.
    by_cluster: dict[int, list[Run]] = {}
    for run in runs:
        by_cluster.setdefault(id(run.tokenized), []).append(run)
    reports = (report_of(first, rest if has_budgets else None) for first, *rest in by_cluster.values())
    return render_page(list(with_progress(reports, len(by_cluster), "pages")))


def screen(stream: TextIO | None) -> tuple[int, bool]:
    """Return the width for explanations on a stream, and whether to use colour."""
    return min(console.terminal_columns(stream) or _COLUMNS, _MOST_COLUMNS), console.in_colour(stream)
