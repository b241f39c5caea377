"""Run the stages in order, from clusters of documents to summaries."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from summc.documents import load
from summc.errors import SummcError
from summc.graph.coverage import total_weight
from summc.pipeline.budgets import Posed, Prepared, forecast_of, pose, prepare, solve_as, with_budget_of
from summc.pipeline.signatures import (
    Signature,
    load_signature,
    preprocess_signature,
    select_signature,
    signature_text,
)
from summc.pipeline.weighing import fit, preprocess_all
from summc.records import Cluster, CoverageGraph, Extract, Selection, Sentence, TokenizedCluster, WordWeights
from summc.settings.config import Config
from summc.text.languages import asked_language
from summc.text.lengths import count_words, first_words


def load_clusters(
    paths: Sequence[str], config: Config, on_error: Callable[[SummcError], None] | None = None
) -> Iterator[Cluster]:
    """Yield the clusters found at the paths.

    If a cluster has no text, ``on_error`` is called with the error, or the error is raised if ``on_error`` is
    None.
    """
    language = asked_language(config.load.language)
    return load(paths, encoding=config.load.encoding, language=language, on_error=on_error)


def summarize_clusters(clusters: Iterable[Cluster], config: Config) -> Iterator[Extract | SummcError]:
    """Yield the summary of each cluster in order, or the error if a cluster cannot be summarized."""
    for result in work_out(clusters, config):
        yield result if isinstance(result, SummcError) else result.summary


@dataclass(frozen=True, slots=True, eq=False)
class Workings:
    """A summary, and the records from which it was made, so that it can be explained.

    Summaries of other lengths can be made from ``prepared``. It is None if the caller ran the stages one by
    one.
    """

    tokenized: TokenizedCluster
    weights: WordWeights
    graph: CoverageGraph
    summary: Extract
    prepared: Prepared | None = None


def work_out(
    clusters: Iterable[Cluster],
    config: Config,
    *others: Config,
    background: Sequence[TokenizedCluster] | None = None,
) -> Iterator[Workings | SummcError]:
    """Yield the summary of each cluster in order, with the records it was made from.

    If a cluster cannot be summarized, the error is yielded instead.

    ``others`` are configurations that differ from ``config`` only in their budget. Each cluster gets one
    summary for ``config`` and one for each of the others. ``background`` has the texts that the user gave to
    count words in, besides the clusters; None to read them now.
    """
    tokenized = preprocess_all(clusters, config)
    weigher = fit(tokenized, config, background)
    for each in tokenized:
        try:
            prepared = prepare(each, weigher, config)
        except SummcError as error:
            yield error
            continue
        for one in (config, *others):
            try:
                yield work_out_one(prepared, one)
            except SummcError as error:
                yield error


def work_out_one(prepared: Prepared, config: Config) -> Workings:
    """Return the summary of a prepared cluster within the budget of ``config``.

    The result also has the records from which the summary was made.
    """
    posed, tokenized = pose(prepared, config), prepared.tokenized
    selection = solve_as(posed.graph, posed.config, tokenized.cluster.id, tokenized)
    made = written_up(tokenized, posed.weights, posed.graph, selection, config)
    return dataclasses.replace(made, prepared=prepared)


def written_up(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    graph: CoverageGraph,
    selection: Selection,
    config: Config,
) -> Workings:
    """Return the summary that consists of the selected sentences, and the records from which it was made.

    The summary also gets its settings on one line (its signature) and its forecast.
    """
    cluster = tokenized.cluster
    signature = {
        "load": load_signature(cluster, config),
        "preprocess": preprocess_signature(cluster, config),
        "weigh": weights.signature,
        "select": select_signature(config),
    }
    posed = Posed(weights, graph, with_budget_of(config, cluster))
    forecast = forecast_of(posed, selection, cluster)
    summary = make_summary(cluster, graph, selection, signature, forecast)
    return Workings(tokenized, weights, graph, summary)


def make_summary(
    cluster: Cluster,
    graph: CoverageGraph,
    selection: Selection,
    signature: Signature,
    forecast: float | None = None,
) -> Extract:
    """Return the summary with the chosen sentences in reading order: by document, then position.

    ``signature`` has the settings of each stage. ``forecast`` is the share of a person's summary that this
    summary is expected to contain, or None if unknown.
    """
    sentences = sentences_of(cluster, graph, selection)
    return Extract(cluster, sentences, selection, total_weight(graph), signature_text(signature), forecast)


def sentences_of(cluster: Cluster, graph: CoverageGraph, selection: Selection) -> tuple[Sentence, ...]:
    """Return the chosen sentences in reading order.

    If the selection has a sentence to cut, its first words come last, as many as the budget has left.
    """
    sentences = cluster.sentences
    chosen = tuple(sentences[i] for i in sorted(graph.sentence_ids[list(selection.chosen)].tolist()))
    room = int(selection.budget - sum(sentence.words for sentence in chosen))
    if selection.cut is None or room < 1:
        return chosen
    last = sentences[int(graph.sentence_ids[selection.cut])]
    text = first_words(last.text, room)
    return (*chosen, dataclasses.replace(last, text=text, words=count_words(text))) if text else chosen
