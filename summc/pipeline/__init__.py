"""Run the stages in order, from clusters of documents to summaries."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from summc.config import Config
from summc.documents import cluster_of_texts, load
from summc.errors import SummcError
from summc.graph.coverage import total_weight
from summc.pipeline.budgets import Prepared, forecast_of, pose, prepare, solve_as
from summc.pipeline.signatures import (
    Signature,
    load_signature,
    preprocess_signature,
    select_signature,
    signature_text,
    weigh_signature,
)
from summc.pipeline.weighing import fit, preprocess_all
from summc.records import Cluster, CoverageGraph, Extract, Selection, Sentence, TokenizedCluster, WordWeights
from summc.text.languages import asked_language
from summc.text.lengths import count_words, first_words


def summarize(
    documents: Sequence[str],
    budget: float = 100,
    *,
    config: Config | None = None,
    **settings: Any,
) -> Extract:
    """Return one summary of all the texts together, in at most ``budget`` words.

    The settings are those of the command line, with underscores: ``selector="g-greedy"``,
    ``language="french"``, ``remove_stopwords=True``, ``beta=45``.

    >>> summarize(["The dam broke. Nobody was hurt."], budget=3).text
    'The dam broke.'
    """
    chosen = (config or Config()).with_settings({"budget": budget, **settings})
    cluster = cluster_of_texts(documents, language=asked_language(chosen.load.language))
    summary = next(iter(summarize_clusters([cluster], chosen)))
    if isinstance(summary, SummcError):
        raise summary
    return summary


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

    ``prepared`` is what is needed to make summaries of other lengths; None if no others are needed.
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
    """Yield the summary of each cluster in order, with its workings, or the error if there is no summary.

    ``others`` are configurations that differ from ``config`` only in their budget. Each cluster gets one
    summary for ``config`` and one for each of the others. ``background`` has the background texts of the
    configuration; None to read them now.
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
    """Return the summary of a prepared cluster within the budget of ``config``, with its workings."""
    cluster = prepared.tokenized.cluster
    posed = pose(prepared, config)
    selection = solve_as(posed.graph, posed.config, cluster.id, prepared.tokenized)
    signature = {
        "load": load_signature(cluster, config),
        "preprocess": preprocess_signature(cluster, config),
        "weigh": weigh_signature(prepared.weigher, config, [prepared.question]),
        "select": select_signature(config),
    }
    forecast = forecast_of(posed, selection, cluster)
    summary = make_summary(cluster, posed.graph, selection, signature, forecast)
    return Workings(prepared.tokenized, posed.weights, posed.graph, summary, prepared)


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
