"""The commands that score summaries: ``summc score`` and ``summc evaluate``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from summc.api import evaluation as api
from summc.cli import options
from summc.cli.console import failures, say, with_progress
from summc.cli.help import Command
from summc.cli.options import Output, option
from summc.cli.stages import read_summaries
from summc.config import Config
from summc.documents.duc import written
from summc.documents.language import language_of_text
from summc.documents.paragraphs import without_controls
from summc.documents.sources import read_text
from summc.errors import InputError, NoSummaryError, SettingError, SummcError
from summc.lab import evaluation as lab
from summc.lab.evaluation import report
from summc.report.summaries import render_scores, score_signatures
from summc.rouge.texts import warn_of_unsegmented
from summc.system.inputs import holds_json, place_of
from summc.system.outputs import locked_folder
from summc.text.languages import AUTO, asked_language


@click.command(cls=Command)
@options.dataset("Name of a data set (see summc datasets), or a path.")
@option(
    "--selector names", "Comparison",
    "Selectors, and lead, random, human or oracle.  "
    f"[default: the configured one, {', '.join(api.OTHERS)}]",
    "NAME,...",
)  # fmt: skip
@option("--preset presets", "Comparison", "Presets or TOML files, each with its own selector.", "NAME,...")
@option(
    "--versus", "Comparison", "Row to compare each row with.", "first|before",
    type=click.Choice(["first", "before"]), default="first",
)  # fmt: skip
@options.settings(
    "load", "preprocess", "weigh", "select", "score",
    without=["selector", "--preset", "unit"], rare=["Steering"],
)  # fmt: skip
@option("--peers", "Comparison", "Also score other systems: a folder or JSON lines.", "PATH", default="")
@options.jobs
@option("--per-cluster", "Output", "Write a row for each cluster and selector.", common=False)
@option("--save save_to", "Output", "Save all summaries, selections and scores.", "DIR")
@option("--saved", "Output", "Make the table from what --save saved.", "DIR", common=False)
@options.output("text", "json", "csv", "md", "tex", wide=True, plot=True, verbose=options.SIGNATURE)
def evaluate(
    dataset: str, names: str | None, presets: str | None, versus: str, output: Output, **flags: Any
) -> None:
    """Compare selectors, or whole configurations, on a data set by ROUGE.

    \b
      summc evaluate --dataset sample --plot comparison.pdf
      summc evaluate --dataset duc2004 --background duc2003 --config paper-fig4
      summc evaluate --dataset multiling2011 -k 250 --selector g-greedy,oracle
      summc evaluate --dataset sample --preset paper,highest --rouge official

    A row has the mean recall with a 95% interval, and the paired difference from the first row with its
    interval and p-value, by Student's t; --wide adds the p-value of a randomization test.
    """
    peers, jobs, per_cluster = map(flags.pop, ("peers", "jobs", "per_cluster"))
    save_to, saved = map(flags.pop, ("save_to", "saved"))
    selectors = names.split(",") if names else None
    preset_names = filter(None, (presets or "").split(","))
    by_preset = {name: options.make_config({**flags, "config": name}) for name in preset_names}
    # The configuration of the rows that are not presets also says how to read and score the data. If all rows
    # are presets, flags for their selectors and weightings are accepted, but have no effect in it.
    used = () if selectors else by_preset.values()
    configured = options.make_config({"config": flags["config"]}).select.selector
    chosen = selectors or [config.select.selector for config in used] or [configured, *api.OTHERS]
    lab.check_names(chosen)
    settings = options.make_config(flags, output, chosen, [config.weigh.weighting for config in used])
    if saved:
        beside = {"dataset": dataset, "selector": names, "preset": presets, "peers": peers, "save": save_to}
        for name, value in {**flags, **beside, "show_config": None}.items():
            if value not in (None, (), ""):
                flag = f"--{name.replace('_', '-')}"
                raise SettingError("--saved", f"given with {flag}", "leave it out, or evaluate again")
        about, outcomes = report.load(Path(saved))
    else:
        with locked_folder(save_to):  # fails before the work if the folder cannot be used
            about, outcomes = _measured(dataset, settings, selectors, by_preset, peers, jobs=jobs)
            if save_to:
                report.save(Path(save_to), about, settings.to_toml(), outcomes)
    note_problems(about["dataset"], [outcome.problem for outcome in outcomes])
    output.draw("draw_comparison", outcomes, versus, about, signature=about["signature"])
    table = partial(report.render_evaluation, about, outcomes, per_cluster=per_cluster, versus=versus)
    output.write_table(table, about["signature"])


def note_problems(dataset: str, problems: Sequence[str]) -> None:
    """Add the problem of each outcome, unless it is empty, to the failures; raise if all outcomes failed."""
    failures.extend(NoSummaryError("", problem) for problem in dict.fromkeys(problems) if problem)
    if all(problems):
        raise NoSummaryError(dataset, "no cluster could be scored", "see the errors above")


def note_unread(error: SummcError) -> None:
    """Add the error of a cluster that cannot be read to the failures."""
    failures.append(NoSummaryError("", str(error)))


_watched = partial(with_progress, label="summaries")
_measured = partial(api.measure_systems, watch=_watched, on_unread=note_unread)


@click.command(cls=Command)
@click.argument("summary", type=options.PATH, default="-")
@option("--reference references", "Documents", "A reference summary; repeatable.", "FILE", multiple=True)
@option(
    "--summaries", "Documents", "Score the summaries of other systems, with --dataset.", "DIR", default=""
)
@options.dataset("The data set that --summaries belong to.")
@options.settings("load", "score")
@options.budget("official: cut summaries at K words.", click.FLOAT)
@options.output("text", "json", "csv", "md", "tex", wide=True, verbose=options.SIGNATURE)
def score(
    summary: str, references: tuple[str, ...], summaries: str, dataset: str, output: Output, **flags: Any
) -> None:
    """Score summaries against references by ROUGE.

    \b
      summc score summary.txt --reference ref1.txt --reference ref2.txt
      summc summarize docs/ | summc score --reference ref.txt --metrics rouge2
      summc score --summaries systems/ --dataset duc2004 --rouge official --stem

    SUMMARY is a text file, the lines that summc select writes, or - for standard input. Without --reference,
    the lines must have references. The default score is that of the paper: the recall of words, averaged over
    the references. --rouge official gives the scores of ROUGE-1.5.5.
    """
    if flags["budget"] is not None:
        flags["unit"] = "words"  # even if the configuration has another unit
    settings = options.make_config(flags, output)
    if flags["budget"] is not None and settings.score.rouge_bytes:
        problem = "given with --budget, which cuts at words"
        raise SettingError("--rouge-bytes", problem, "leave one of them out")
    if summaries or dataset:
        if summary != "-" or references:
            conflict = "--reference" if references else summary
            raise SettingError("--summaries", f"given with {conflict}", "the data set has the references")
        if not summaries:
            raise SettingError("--summaries", "goes with --dataset", "give both")
        about, outcomes = _measured(dataset, settings, [], {}, summaries, jobs=1)
        note_problems(about["dataset"], [outcome.problem for outcome in outcomes])
        output.write_table(partial(report.render_evaluation, about, outcomes), about["signature"])
        return

    if summary == "-" and "-" in references:
        raise SettingError("--reference", "standard input is the summary", "name a file")
    reference_texts, rouge = [_written(path, settings) for path in references], lab.make_rouge(settings)
    texts = list(_summaries(summary, settings))
    used = reference_texts or [text for *_, cluster_references in texts for text in cluster_references]
    warn_of_unsegmented(used, place_of(references[0] if references else summary))
    scores = [
        (name, rouge.score(text, reference_texts or cluster_references, language=language, place=name))
        for name, text, language, cluster_references in texts
    ]
    if scores:
        output.write_table(partial(render_scores, scores))
    if output.verbose:
        for signature in score_signatures(scores):
            say(signature)


def _summaries(path: str, settings: Config) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield the name, text, language and references of each summary in a text file or in JSON lines."""
    if holds_json(path):
        for summary, _ in read_summaries(path, failures):
            cluster = summary.cluster
            yield cluster.id, summary.text, cluster.language, cluster.references
    else:
        name, text = place_of(path), _written(path, settings)
        if not text:
            raise InputError(name, "an empty summary", "give a summary that holds text")
        language = asked_language(settings.load.language)
        yield without_controls(name), text, language_of_text(text) if language == AUTO else language, ()


def _written(path: str, settings: Config) -> str:
    return written(read_text(path, settings.load.encoding), path)
