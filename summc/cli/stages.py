"""The stage commands. Each one reads JSON lines, a line for each cluster, and adds a member to each line.

In all functions ``place`` is the file and the number of a line, for error messages.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import click

from summc import method, signatures
from summc.cli import options
from summc.cli.console import failures, in_flags
from summc.cli.help import Command
from summc.cli.options import Output, Sources, option
from summc.cli.summarize import say_coverage
from summc.config import Config
from summc.errors import InputError, NoSummaryError, SummcError
from summc.graph import build_graph, build_problem, describe, in_unit
from summc.preprocess.quoting import check_all_quoted
from summc.preprocess.terms import words
from summc.records import Cluster, Summary, TokenizedCluster
from summc.report import codec
from summc.report.codec import STAGES, StageLine, encode_cluster
from summc.report.summaries import render as render_summaries
from summc.selectors.amounts import within_budget
from summc.system.json_objects import dump
from summc.text.languages import language_code
from summc.weights import Weigher
from summc.weights.settings import warn_of_unknown_words


@click.command(cls=Command)
@options.sources()
@options.settings("load")
@options.output()
def load(sources: Sources, output: Output, **flags: Any) -> None:
    """Stage 1: read documents and split them into sentences.

    \b
      summc load docs/
      summc load --encoding latin-1 a.txt b.txt

    Writes a line {"cluster": ...} for each cluster.
    """
    settings = options.make_config(flags, output)
    clusters = method.load(sources.inputs(output.path), settings, failures.append)
    sign = partial(signatures.load_signature, config=settings)
    loaded = ({"cluster": encode_cluster(item), "signature": {"load": sign(item)}} for item in clusters)
    output.write(f"{dump(line)}\n" for line in loaded)


@click.command(cls=Command)
@options.lines
@option("--language", "Documents", "Language of all clusters, such as french or fr.", "LANGUAGE")
@options.settings("preprocess")
@options.output()
def preprocess(lines: str, language: str | None, output: Output, **flags: Any) -> None:
    """Stage 2: turn sentences into terms: lower case, stems, stop words.

    \b
      summc load docs/ | summc preprocess --keep-stopwords

    Adds "tokenized" to each line.
    """
    settings = options.make_config(flags, output)
    code = language_code(language) if language else None

    def processed() -> Iterator[str]:
        for place, line in codec.read_lines(lines):
            cluster = codec.decode_cluster(line, place)
            if code:
                cluster = dataclasses.replace(cluster, language=code)
            tokenized = method.preprocess(cluster, settings)
            line["cluster"] = encode_cluster(tokenized.cluster)  # documents sorted by date, datelines cut
            encoded = codec.encode_tokenized(tokenized)
            yield added(line, place, "tokenized", encoded, signatures.preprocess_signature(cluster, settings))

    output.write(processed())


@click.command(cls=Command)
@options.lines
@options.settings("weigh")
@options.budget("Length of the summary, which mixed and expected weights depend on.")
@options.output()
def weigh(lines: str, output: Output, **flags: Any) -> None:
    """Stage 3: weigh the words, or whatever is covered.

    \b
      summc load docs/ | summc preprocess | summc weigh --weighting tfidf
      summc weigh -k 50 --boost dam=2 terms.jsonl

    Adds "weights" to each line. All lines are read before the first is written, because the rarity of a word
    may depend on all clusters. The signature of a line says how it was preprocessed.
    """
    settings = options.make_config(flags, output)
    read = list(codec.read_lines(lines))
    parts = ((codec.decode_tokenized(line, place), signature_of(line, place), place) for place, line in read)
    pairs = [signatures.as_preprocessed(text, signature, settings, place) for text, signature, place in parts]
    weighers = _fit_as_preprocessed(pairs)

    def weighed() -> Iterator[str]:
        for (place, line), (tokenized, config), weigher in zip(read, pairs, weighers, strict=True):
            question = method.question_of(tokenized, config)
            weights = method.weigh(tokenized, weigher, config.for_cluster(tokenized.cluster), question)
            used = signatures.weigh_signature(weigher, config, [question])
            if question:
                line["cluster"]["query"] = question.text  # stage 5 reads it there
            yield added(line, place, "weights", codec.encode_weights(weights), used)

    output.write(weighed())


def _fit_as_preprocessed(pairs: Sequence[tuple[TokenizedCluster, Config]]) -> list[Weigher]:
    """Return a fitted weighting for each cluster; the clusters may be preprocessed in different ways.

    The configurations differ only in how text is loaded and preprocessed. The weighting for a cluster is
    fitted on all clusters as they are, and on the background texts, preprocessed as this cluster was.
    """
    kinds = [(config.load, config.preprocess, config.candidates) for _, config in pairs]
    clusters, configs = [tokenized for tokenized, _ in pairs], [config for _, config in pairs]
    by_kind = dict(zip(kinds, configs, strict=True))
    fitted = {kind: method.fit(clusters, config, warns_of_words=False) for kind, config in by_kind.items()}
    if pairs and (configs[0].weigh.boost or configs[0].weigh.ignore):
        finders = [config.preprocessor.terms_in(tokenized.cluster.language) for tokenized, config in pairs]
        words_in = partial(words, language=clusters[0].cluster.language)
        warn_of_unknown_words(configs[0].weigh, clusters, finders, words_in)
    return [fitted[kind] for kind in kinds]


@click.command(cls=Command)
@options.lines
@options.budget("Leave out sentences of more than K words.", click.FLOAT, default="")
@option("--stats", "Output", "Print the size of each graph instead of the lines.")
@options.output()
def graph(lines: str, budget: float | None, stats: bool, output: Output) -> None:
    """Stage 4: build the sentence-word graph.

    \b
      summc load docs/ | summc preprocess | summc weigh | summc graph --stats

    Adds "graph" to each line: the cost of each sentence, the weight of each word, and an edge where a
    sentence contains a word. Words without weight and repeated sentences are not in it.
    """
    options.make_config({"budget": budget})  # raises if the budget is invalid

    def built() -> Iterator[str]:
        for place, line in codec.read_lines(lines):
            whole = build_graph(codec.decode_tokenized(line, place), codec.decode_weights(line, place))
            part = whole if budget is None else within_budget(whole, budget)[0]
            if stats:
                sizes = [f"{name:30}{round(value, 4):>12g}\n" for name, value in describe(part).items()]
                yield f"{line['cluster']['id']}\n{''.join(sizes)}"
            else:
                yield added(line, place, "graph", codec.encode_graph(part))

    output.write(built())


@click.command(cls=Command)
@options.lines
@options.settings("select")
@options.output()
def select(lines: str, output: Output, **flags: Any) -> None:
    """Stage 5: choose sentences within the budget; solves any coverage graph.

    \b
      summc select -k 50 graphs.jsonl
      summc weigh terms.jsonl | summc graph | summc select --selector exact

    Adds "selection" to each line. A line needs only {"graph": {"cost": [...], "weight": [...],
    "edge_sentence": [...], "edge_word": [...]}}, so this solves any weighted maximum-coverage problem.
    """
    settings = options.make_config(flags, output)
    selecting = settings.select
    needs_text = selecting.must or selecting.without or selecting.unit in ("characters", "percent", "tokens")

    def selected() -> Iterator[str]:
        quoted_clusters: list[Cluster] = []
        for place, line in codec.read_lines(lines):
            cluster = codec.decode_cluster(line, place) if needs_text or "cluster" in line else None
            tokenized = codec.decode_tokenized(line, place) if "tokenized" in line else None
            graph = codec.decode_graph(line, place, cluster)
            if cluster and (selecting.must or selecting.without):
                quoted_clusters.append(cluster)
            try:
                sized = settings.for_cluster(cluster) if cluster else settings
                problem = in_unit(graph, cluster, selecting.unit)
                if tokenized and "weights" in line:
                    weights = codec.decode_weights(line, place)
                    problem = build_problem(tokenized, weights, sized.select.budget, sized.select.unit, graph)
                if problem is not graph:
                    line["graph"] = codec.encode_graph(problem)
                name = cluster.id if cluster else place
                selection = method.select(problem, sized, name, tokenized, cluster=cluster)
            except NoSummaryError as error:
                failures.append(error)
                yield added(line, place, "failure", in_flags(str(error)))
            else:
                encoded = codec.encode_selection(selection)
                # Without the text, no coverage is given up for easier reading, and the signature shows that.
                config = settings if tokenized else settings.with_settings({"reading": 0})
                yield added(line, place, "selection", encoded, signatures.select_signature(config))
        check_all_quoted(quoted_clusters, selecting.must, selecting.without)

    output.write(selected())


@click.command(cls=Command)
@options.lines
@options.output("text", "json", "jsonl", "md", verbose="Report on stderr what was used and covered.")
@options.dates("Text: end each day's sentences with its date, [8 June 2009].")
def render(lines: str, output: Output, dates: bool) -> int:
    """Stage 6: write the chosen sentences as a summary.

    \b
      summc select -k 50 graphs.jsonl | summc render
    """
    unmade: list[SummcError] = []  # stage 5 has shown them
    pairs = list(read_summaries(lines, unmade))
    summaries = [summary for summary, _ in pairs]
    if dates:
        options.warn_of_no_dates(summary.cluster for summary in summaries)
    if summaries:
        several, used = len(summaries) + len(unmade) > 1, [signature for _, signature in pairs]
        text = render_summaries(summaries, output.format, several=several, dates=dates, signatures=used)
        output.write([text], wraps=True)
    if output.verbose:
        say_coverage(summaries)
    return NoSummaryError.exit_code if unmade else 0


# Lines


def signature_of(line: StageLine, place: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the signature on a line, stage -> settings of the stage, or {} if the line has no signature."""
    signature = line.get("signature", {})
    if not isinstance(signature, dict) or not all(isinstance(part, dict) for part in signature.values()):
        raise InputError(place, "signature must be an object of objects", "leave it out")
    return signature


def added(
    line: StageLine, place: str, member: str, value: Any, settings: Mapping[str, Any] | None = None
) -> str:
    """Return a line with ``member`` added, and the ``settings`` of its stage added to the signature.

    Members and settings of this stage and of later stages that the line had before are removed.
    """
    stages, stage = list(STAGES.values()), STAGES[member]
    earlier = stages[: stages.index(stage)]
    signature = {stage: part for stage, part in signature_of(line, place).items() if stage in earlier}
    if settings is not None:
        signature[stage] = settings
    members = {name: part for name, part in line.items() if STAGES.get(name) in (None, *earlier)}
    return f"{dump({**members, 'signature': signature, member: value})}\n"


def read_summaries(path: str, failures: list[SummcError]) -> Iterator[tuple[Summary, str]]:
    """Yield the summary and the signature of each line; errors that stage 5 recorded go to ``failures``."""
    for place, line in codec.read_lines(path):
        if isinstance(line.get("failure"), str):
            failures.append(NoSummaryError("", line["failure"]))
            continue
        cluster = codec.decode_cluster(line, place)
        extras = {name: value for name, value in line.items() if name not in ("signature", *STAGES)}
        cluster = dataclasses.replace(cluster, members={**cluster.members, **extras})
        graph = codec.decode_graph(line, place, cluster)
        selection = codec.decode_selection(line, place)
        signature = signatures.signature_text(signature_of(line, place))
        yield method.render(cluster, graph, selection), signature
