"""``summc summarize``: run all stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import say, show_error, write
from summc.cli.explain import are_several, show_explanations, why_not_option
from summc.cli.help import Command
from summc.cli.options import (
    by_topic_option,
    dates_option,
    format_option,
    make_configs,
    option,
    output_option,
    settings_options,
    source_arguments,
    sources_of,
    verbose_option,
    warn_of_no_dates,
)
from summc.cli.progress import with_progress
from summc.cli.screens import wrapped
from summc.errors import SettingError, SummcError

if TYPE_CHECKING:
    from summc.records import Run
    from summc.report.explain import Explanation
    from summc.settings.config import Config


@click.command(cls=Command)
@source_arguments
@by_topic_option
@settings_options("load", "preprocess", "weigh", "select", several_budgets="100")
@format_option("text", "json", "jsonl", "md", "html")
@output_option
@verbose_option
@dates_option("End each day's sentences with its date: [8 June 2009].")
@option(
    "--explain", is_flag=True, heading="Output", help="Also explain the choice, on stderr or in the JSON."
)
@why_not_option
def summarize(
    paths: tuple[str, ...],
    sample: bool,
    by_topic: bool,
    dates: bool,
    explain: bool,
    questions: tuple[str, ...],
    config: str | None,
    show_config: bool,
    format_: str,
    output: str | None,
    verbose: bool,
    **flags: Any,
) -> int:
    """Summarize documents within a number of words.

    \b
      summc summarize docs/
      summc summarize -k 50 a.txt b.txt
      summc summarize --query "Who paid for the dam?" news/
      summc summarize docs/ -o report.html

    PATH is a file, a folder of documents (one cluster), a folder of such folders (one cluster each), a .jsonl
    file with a cluster on each line, or - for standard input. Files named together are one cluster.
    """
    settings, *others = make_configs(config, flags)
    if show_config:
        write([settings.to_toml()], output)
        return 0
    if format_ == "html":
        _check_units([settings, *others])
    from summc import method

    results: list[Run | SummcError] = []
    clusters = list(method.read(sources_of(paths, output, sample=sample), settings, results.append))
    if by_topic:
        from summc.preprocess.topics import by_topic as stories_in

        clusters = list(stories_in(clusters, settings.analysis))
    if clusters:
        length = len(clusters) * (1 + len(others))
        results.extend(with_progress(method.summarize(clusters, settings, *others), length, "summaries"))
    made = [result for result in results if not isinstance(result, SummcError)]
    if not by_topic:
        _warn_of_stories(made, settings)
    explanations: list[Explanation] = []
    if explain or questions:
        from summc.report.explain import explain_all

        explanations = explain_all(made, settings, questions)
    rendered = partial(
        _rendered, made, settings, format_, output, explanations, dates=dates,
        name_budgets=bool(others), several=by_topic or are_several(results),
    )  # fmt: skip
    if dates:
        warn_of_no_dates(each.cluster for each in made)
    code = write_summaries(results, rendered, output, verbose=verbose)
    if explanations and format_ not in ("json", "jsonl"):
        show_explanations(explanations)
    return code


def _warn_of_stories(made: Sequence[Run], settings: Config) -> None:
    """Warn about each cluster whose documents are about several unrelated stories.

    A cluster with a question is left out, because the question chooses the story.
    """
    from summc.preprocess.topics import warn_of_stories

    asked = {id(each.tokenized) for each in made if each.question}
    for tokenized in {id(each.tokenized): each.tokenized for each in made}.values():
        if id(tokenized) not in asked:
            warn_of_stories(tokenized, settings.analysis)


def write_summaries(
    results: Sequence[Run | SummcError],
    rendered: Callable[[], str],
    output: str | None,
    *,
    verbose: bool,
    tell: bool = True,
) -> int:
    """Write the text that ``rendered`` returns, if any result is a summary, and return the exit code.

    Results that are errors are shown on stderr if ``tell``. If ``verbose``, a line about each summary is
    shown too.
    """
    from summc.report.summaries import describe

    failures = [result for result in results if isinstance(result, SummcError)]
    summaries = [result for result in results if not isinstance(result, SummcError)]
    if tell:
        for failure in failures:
            show_error(failure)
    if summaries:
        write([rendered()], output)
    if verbose:
        for summary in summaries:
            say(describe(summary))
    return failures[0].exit_code if failures else 0


def _check_units(configs: Sequence[Config]) -> None:
    """Raise ``SettingError`` if the budgets have different units, because an HTML page has only one slider.

    A budget in percent has the unit words.
    """
    units = dict.fromkeys(each.select.unit.replace("percent", "words") for each in configs)
    if len(units) > 1:
        problem = f"counts {' and '.join(units)}, where a page has one slider"
        raise SettingError("--budget", problem, "give budgets of one unit")


def _rendered(
    made: Sequence[Run],
    settings: Config,
    format_: str,
    output: str | None,
    explanations: Sequence[Explanation],
    *,
    dates: bool,
    name_budgets: bool,
    several: bool,
) -> str:
    if format_ == "html":
        from summc.report.budgets import report_of
        from summc.report.html import render_page

        # Collect the summaries of each cluster: on a page they are the positions of its slider.
        clusters: dict[int, list[Run]] = {}
        for each in made:
            clusters.setdefault(id(each.tokenized), []).append(each)
        reports = (
            report_of(first, settings, others if name_budgets else None)
            for first, *others in clusters.values()
        )
        return render_page(list(with_progress(reports, len(clusters), "pages")))
    from summc.report.summaries import render

    members: list[dict[str, Any]] = []
    if explanations:
        from summc.report.text import explanation_object

        members = [{"explanation": explanation_object(explanation)} for explanation in explanations]
    text = render(made, format_, several=several, name_budgets=name_budgets, members=members, dates=dates)
    return wrapped(text, output) if format_ == "text" else text
