"""The stage commands. Each one reads JSON lines, a line for each cluster, and adds a member to each line."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import click

from summc.cli.console import show_error, write
from summc.cli.help import Command
from summc.cli.lines import Line, add, check_sentences, read_summaries, signature_of
from summc.cli.offers import LANGUAGE
from summc.cli.options import (
    budget_option,
    dates_option,
    format_option,
    input_argument,
    make_config,
    option,
    output_option,
    settings_options,
    source_arguments,
    sources_of,
    verbose_option,
    warn_of_no_dates,
)
from summc.cli.screens import wrapped
from summc.errors import InputError, NoSummaryError, SummcError
from summc.settings.config import Config
from summc.text.languages import language_code


@click.command(cls=Command)
@source_arguments
@settings_options("load")
@output_option
def load(
    paths: tuple[str, ...],
    sample: bool,
    config: str | None,
    show_config: bool,
    output: str | None,
    **flags: Any,
) -> int:
    """Stage 1: read documents and split them into sentences.

    \b
      summc load docs/
      summc load --encoding latin-1 a.txt b.txt

    Writes a line {"cluster": ...} for each cluster.
    """
    settings = make_config(config, flags)
    failures: list[SummcError] = []

    def fail(error: SummcError) -> None:
        show_error(error)
        failures.append(error)

    def lines() -> Iterator[Line]:
        from summc.method import read
        from summc.report.codec import encode_cluster
        from summc.settings.signatures import load_signature

        for cluster in read(sources_of(paths, output, sample=sample), settings, fail):
            yield {
                "cluster": encode_cluster(cluster),
                "signature": {"load": load_signature(cluster, settings)},
            }

    _write_stage(lines, settings, output, show_config=show_config)
    return failures[0].exit_code if failures else 0


@click.command(cls=Command)
@input_argument
@option(
    "--language", type=LANGUAGE, metavar="LANGUAGE", heading="Documents",
    help="Language of all clusters, such as french or fr.",
)  # fmt: skip
@settings_options("preprocess")
@output_option
def preprocess(
    lines: str, language: str | None, config: str | None, show_config: bool, output: str | None, **flags: Any
) -> None:
    """Stage 2: turn sentences into terms: lower case, stems, stop words.

    \b
      summc load docs/ | summc preprocess --keep-stopwords

    Adds "tokenized" to each line.
    """
    settings = make_config(config, flags)
    code = language_code(language) if language else None

    def processed() -> Iterator[Line]:
        from summc import method
        from summc.report import codec
        from summc.settings import signatures

        for place, line in codec.read_lines(lines):
            cluster = codec.decode_cluster(line, place)
            if code:
                cluster = dataclasses.replace(cluster, language=code)
                line["cluster"]["language"] = code
            tokenized = method.tokenize(cluster, settings)
            if tokenized.cluster != cluster:  # documents sorted by date, or datelines cut
                line["cluster"] = codec.encode_cluster(tokenized.cluster)
            encoded = codec.encode_tokenized(tokenized)
            yield add(line, place, "tokenized", encoded, signatures.preprocess_signature(cluster, settings))

    _write_stage(processed, settings, output, show_config=show_config)


@click.command(cls=Command)
@input_argument
@settings_options("weigh")
@budget_option("Length of the summary, which mixed and expected weights depend on.")
@output_option
def weigh(lines: str, config: str | None, show_config: bool, output: str | None, **flags: Any) -> None:
    """Stage 3: weigh the words, or whatever is covered.

    \b
      summc load docs/ | summc preprocess | summc weigh --weighting tfidf
      summc weigh -k 50 --boost dam=2 terms.jsonl

    Adds "weights" to each line. All lines are read before the first is written, because the rarity of a word
    may depend on all clusters. The signature of a line says how it was preprocessed.
    """
    settings = make_config(config, flags)

    def weighed() -> Iterator[Line]:
        from summc import method
        from summc.report import codec
        from summc.settings import signatures

        read = list(codec.read_lines(lines))
        tokenized = [codec.decode_tokenized(line, place) for place, line in read]
        before = [signature_of(line, place) for place, line in read]
        configs = [
            signatures.with_signature(settings, signature, each.cluster.language)
            for signature, each in zip(before, tokenized, strict=True)
        ]
        tokenized = [
            own.analysis.with_function_terms(
                own.analysis.content_of(each) if signatures.leaves_out_stopwords(signature, own) else each
            )
            for each, signature, own in zip(tokenized, before, configs, strict=True)
        ]
        weighers = method.fit_each(tokenized, configs)
        for (place, line), each, own, weigher in zip(read, tokenized, configs, weighers, strict=True):
            signatures.check_stopwords(line.get("signature", {}), own, place)
            weights = method.weigh(each, weigher, own, method.question_of(each, own))
            yield add(line, place, "weights", codec.encode_weights(weights), weights.signature)

    _write_stage(weighed, settings, output, show_config=show_config)


@click.command(cls=Command)
@input_argument
@budget_option("Leave out sentences of more than K words.", click.FLOAT, default="")
@option("--stats", is_flag=True, heading="Output", help="Print the size of each graph instead of the lines.")
@output_option
def graph(lines: str, budget: float | None, stats: bool, output: str | None) -> None:
    """Stage 4: build the sentence-word graph.

    \b
      summc load docs/ | summc preprocess | summc weigh | summc graph --stats

    Adds "graph" to each line: the cost of each sentence, the weight of each word, and an edge where a
    sentence contains a word. Words without weight and repeated sentences are not in it.
    """
    make_config(None, {"budget": budget})  # raises if the budget is invalid

    def built() -> Iterator[Line]:
        from summc.graph.build import build_graph, within_budget
        from summc.report import codec

        for place, line in codec.read_lines(lines):
            whole = build_graph(codec.decode_tokenized(line, place), codec.decode_weights(line, place))
            part = whole if budget is None else within_budget(whole, budget)[0]
            yield add(line, place, "graph", codec.encode_graph(part))

    write((_size(line) if stats else _dumped(line) for line in built()), output)


@click.command(cls=Command)
@input_argument
@settings_options("select")
@output_option
def select(lines: str, config: str | None, show_config: bool, output: str | None, **flags: Any) -> int:
    """Stage 5: choose sentences within the budget; solves any coverage graph.

    \b
      summc select -k 50 graphs.jsonl
      summc weigh terms.jsonl | summc graph | summc select --selector exact

    Adds "selection" to each line. A line needs only {"graph": {"cost": [...], "weight": [...],
    "edge_sentence": [...], "edge_word": [...]}}, so this solves any weighted maximum-coverage problem.
    """
    settings = make_config(config, flags)
    failures: list[SummcError] = []
    needs_text = bool(settings.select.must) or settings.select.unit in ("characters", "percent")

    def selected() -> Iterator[Line]:
        from summc import method
        from summc.graph.build import fitting, in_unit
        from summc.preprocess.candidates import check_required, required
        from summc.report import codec
        from summc.settings import signatures

        held: set[str] = set()
        for place, line in codec.read_lines(lines):
            given = codec.decode_graph(line, place)
            cluster = codec.decode_cluster(line, place) if "cluster" in line else None
            name = cluster.id if cluster else place
            if cluster is None and needs_text:
                raise InputError(place, 'no "cluster" on this line, to find text in', "run summc load before")
            if cluster:
                check_sentences(given, cluster, place)
                held.update(required(settings.select.must, cluster))
            try:
                used = settings.select.for_cluster(cluster) if cluster else settings.select
                problem = in_unit(given, cluster, settings.select.unit)
                text = codec.decode_tokenized(line, place) if "tokenized" in line else None
                if text and "weights" in line and not (problem.cost <= used.budget).any():
                    weights = codec.decode_weights(line, place)
                    problem = fitting(problem, text, weights, used.budget, used.unit)
                if problem is not given:
                    line["graph"] = codec.encode_graph(problem)
                selection = method.select(problem, settings, name, text, cluster=cluster)
            except NoSummaryError as error:
                show_error(error)
                failures.append(error)
                yield add(line, place, "failure", str(error))
            else:
                encoded = codec.encode_selection(selection)
                # Without the text, no coverage is given up for easier reading. The signature has to show
                # that.
                asked = settings if text else settings.with_settings({"reading": 0})
                yield add(line, place, "selection", encoded, signatures.select_signature(asked))
        check_required(settings.select.must, held)

    _write_stage(selected, settings, output, show_config=show_config)
    return failures[0].exit_code if failures else 0


@click.command(cls=Command)
@input_argument
@format_option("text", "json", "jsonl", "md")
@output_option
@verbose_option
@dates_option("Text: end each day's sentences with its date, [8 June 2009].")
def render(lines: str, format_: str, output: str | None, verbose: bool, dates: bool) -> int:
    """Stage 6: write the chosen sentences as a summary.

    \b
      summc select -k 50 graphs.jsonl | summc render
    """
    from summc.cli.summarize import write_summaries
    from summc.report.summaries import render as render_summaries

    results = list(read_summaries(lines))
    summaries = [result for result in results if not isinstance(result, SummcError)]
    if dates:
        warn_of_no_dates(summary.cluster for summary in summaries)

    def rendered() -> str:
        text = render_summaries(summaries, format_, several=len(results) > 1, dates=dates)
        return wrapped(text, output) if format_ == "text" else text

    return write_summaries(results, rendered, output, verbose=verbose, tell=False)


def _write_stage(
    lines: Callable[[], Iterator[Line]], settings: Config, output: str | None, *, show_config: bool
) -> None:
    write([settings.to_toml()] if show_config else map(_dumped, lines()), output)


def _dumped(line: Line) -> str:
    from summc.system.json_objects import dump

    return f"{dump(line)}\n"


def _size(line: Line) -> str:
    from summc.graph.build import describe
    from summc.report.codec import decode_graph

    rows = [
        f"{name:30}{round(value, 4):>12g}\n" for name, value in describe(decode_graph(line, "graph")).items()
    ]
    return f"{line['cluster']['id']}\n{''.join(rows)}"
