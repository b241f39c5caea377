"""``summc score``: score summaries against references by ROUGE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from summc.cli import options
from summc.cli.console import say, show_errors
from summc.cli.evaluate import load_dataset, show_problems
from summc.cli.help import Command
from summc.cli.options import Output, option
from summc.cli.stages import read_summaries
from summc.documents import read_text
from summc.documents.duc import written
from summc.documents.language import language_of_text
from summc.documents.paragraphs import without_controls
from summc.documents.peers import read_peers
from summc.errors import InputError, SettingError, SummcError
from summc.lab.evaluation import make_rouge, score_texts, warn_of_lengths
from summc.lab.evaluation.report import describe_scoring, render_evaluation
from summc.records import Score
from summc.report.summaries import render_scores, score_signatures
from summc.rouge.texts import warn_of_unsegmented
from summc.settings.config import Config
from summc.system.inputs import holds_json, place_of
from summc.text.languages import AUTO, asked_language


@click.command(cls=Command)
@click.argument("summary", type=options.PATH, default="-")
@option("--reference references", "Documents", "A reference summary; repeatable.", "FILE", multiple=True)
@option("--summaries", "Documents", "Score the summaries of other systems, with --dataset.", "DIR")
@options.dataset("The data set that --summaries belong to.")
@options.settings("load", "score")
@options.budget("official: cut summaries at K words.", click.FLOAT)
@options.output("text", "json", "csv", "md", "tex", wide=True, verbose=options.SIGNATURE)
def score(
    summary: str,
    references: tuple[str, ...],
    summaries: str | None,
    dataset: str | None,
    output: Output,
    **flags: Any,
) -> int:
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
            given_too = "--reference" if references else summary
            raise SettingError("--summaries", f"given with {given_too}", "the data set has the references")
        return _score_systems(summaries, dataset, settings, output)

    scores, failures = _scored(summary, references, settings)
    code = show_errors(failures)
    if scores:
        output.write_table(partial(render_scores, scores))
    if output.verbose:
        for signature in score_signatures(scores):
            say(signature)
    return code


def _scored(
    summary: str, references: Sequence[str], settings: Config
) -> tuple[list[tuple[str, dict[str, Score]]], list[SummcError]]:
    """Return the name and the scores of each summary, and the errors of lines that have no summary."""
    if summary == "-" and "-" in references:
        raise SettingError("--reference", "standard input is the summary", "name a file")
    given = [_written(path, settings) for path in references]
    rouge = make_rouge(settings)
    failures: list[SummcError] = []
    texts = list(_summaries(summary, settings, failures))
    used = given or [text for _, _, _, own in texts for text in own]
    warn_of_unsegmented(used, place_of(references[0] if references else summary))
    scores = [
        (name, rouge.score(text, given or own, language=language, place=name))
        for name, text, language, own in texts
    ]
    return scores, failures


def _summaries(
    path: str, settings: Config, failures: list[SummcError]
) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield the name, text, language and references of each summary in a text file or in JSON lines.

    If a line has no summary, its error is appended to ``failures``.
    """
    if holds_json(path):
        for summary in read_summaries(path):
            if isinstance(summary, SummcError):
                failures.append(summary)
                continue
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


def _score_systems(summaries: str | None, dataset: str | None, settings: Config, output: Output) -> int:
    if not summaries or not dataset:
        raise SettingError("--summaries", "goes with --dataset", "give both")

    clusters, outcomes = load_dataset(dataset, settings, [])
    for system, texts in read_peers(Path(summaries), [cluster.id for cluster in clusters]).items():
        outcomes.extend(score_texts(texts, system, clusters, settings))
    warn_of_lengths(outcomes, settings)
    code = show_problems(dataset, [outcome.problem for outcome in outcomes])
    about = describe_scoring(dataset, clusters, settings)
    output.write_table(
        lambda format_, screen: render_evaluation(about, outcomes, format_, per_cluster=False, screen=screen),
        about["signature"],
    )
    return code
