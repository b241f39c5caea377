"""Pose and solve the coverage problem of a cluster for a given budget.

A budget counts words, sentences, characters, or percent of the words of the documents: this is its unit.
Weights may depend on the budget. A graph is the coverage problem: which sentence contains which word, the
costs of sentences and the weights of words.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from summc.errors import NoSummaryError, SettingError, named
from summc.graph.build import build_graph, cost_in, in_unit
from summc.graph.coverage import covered_levels, occurrences
from summc.pipeline.weighing import question_of, weigh
from summc.preprocess.required import nodes_of, required
from summc.records import Cluster, CoverageGraph, Selection, TokenizedCluster, WordWeights
from summc.selectors import improve_reading
from summc.selectors.reading import ReadingPrices
from summc.selectors.solving import next_sentence, solve
from summc.settings.config import Config
from summc.text.numbers import plain
from summc.weights import Weigher
from summc.weights.base import ranks_of
from summc.weights.expected import calibrated
from summc.weights.shape import bigrams_among

log = logging.getLogger("summc")


@dataclass(frozen=True, eq=False)  # no slots, because cached_property needs a ``__dict__``
class Prepared:
    """A tokenized cluster with its fitted weighting, from which summaries for any budget can be made.

    ``question`` is the question that the summary should answer, or "".
    """

    tokenized: TokenizedCluster
    weigher: Weigher
    question: str
    config: Config

    @cached_property
    def weights(self) -> WordWeights:
        """The weights of the cluster's words.

        Use it only if the weighting does not depend on the length of the summary.
        """
        return weigh(self.tokenized, self.weigher, self.config, self.question)

    @cached_property
    def graph(self) -> CoverageGraph:
        """The coverage problem, with costs in words.

        Use it only if the weighting does not depend on the length of the summary.
        """
        return build_graph(self.tokenized, self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """The coverage problem of a cluster under one budget.

    ``weights`` are the weights of the words in a summary of this length. ``graph`` has the costs of sentences
    in the unit of the budget: words, sentences or characters. ``config`` has the budget in that unit; a
    budget in percent has become a number of words.
    """

    weights: WordWeights
    graph: CoverageGraph
    config: Config


def prepare(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> Prepared:
    """Return what is needed to summarize a cluster within any budget; ``weigher`` is a fitted weighting."""
    return Prepared(tokenized, weigher, question_of(tokenized, config), config)


def pose(prepared: Prepared, config: Config) -> Posed:
    """Return the coverage problem of a cluster under the budget of ``config``.

    If every sentence that may be chosen is longer than the budget, all sentences may be chosen, with a
    warning.
    """
    tokenized, cluster = prepared.tokenized, prepared.tokenized.cluster
    used = with_budget_of(config, cluster)
    weights = weights_for(prepared, used)
    in_words = build_graph(tokenized, weights) if prepared.weigher.by_length else prepared.graph
    return Posed(weights, graph_for(tokenized, weights, used, in_words), used)


def graph_for(
    tokenized: TokenizedCluster, weights: WordWeights, config: Config, in_words: CoverageGraph | None = None
) -> CoverageGraph:
    """Run stage 4: return the coverage problem of a cluster, with costs in the unit of the budget.

    ``in_words`` is the same problem with costs in words, if the caller has it already.
    """
    used = with_budget_of(config, tokenized.cluster)
    whole = build_graph(tokenized, weights) if in_words is None else in_words
    return fitting(in_unit(whole, tokenized.cluster, used.select.unit), tokenized, weights, used)


def with_budget_of(config: Config, cluster: Cluster) -> Config:
    """Return the configuration with a budget in percent replaced by a number of words, rounded down.

    100% are all words of the cluster. A configuration with another unit is returned unchanged.
    """
    if config.select.unit != "percent":
        return config
    total = sum(sentence.words for sentence in cluster.sentences)
    budget = math.floor(total * config.select.budget / 100)
    if budget < 1:
        problem = f"{plain(config.select.budget)}% of {total} words is less than one"
        raise NoSummaryError(cluster.id, problem, f"raise {named('budget')}")
    return config.with_settings({"budget": budget, "unit": "words"})


def weights_for(prepared: Prepared, config: Config) -> WordWeights:
    """Return the weights of a cluster's words for a summary within the budget of ``config``."""
    if not prepared.weigher.by_length:
        return prepared.weights
    cluster, select = prepared.tokenized.cluster, with_budget_of(config, prepared.tokenized.cluster).select
    length = length_in_words(cluster, select.budget, select.unit)
    return weigh(prepared.tokenized, prepared.weigher, config, prepared.question, length)


def length_in_words(cluster: Cluster, budget: float, unit: str) -> float:
    """Return about how many words a summary within a budget has, at most as many as the documents.

    ``unit`` is what the budget counts: "words", "sentences" or "characters".
    """
    words = sum(sentence.words for sentence in cluster.sentences)
    units = sum(cost_in(sentence, unit) for sentence in cluster.sentences)
    return budget if unit == "words" and budget <= words else words * min(budget / units, 1.0)


def fitting(
    graph: CoverageGraph, tokenized: TokenizedCluster, weights: WordWeights, config: Config
) -> CoverageGraph:
    """Return the graph if one of its sentences fits the budget, otherwise a graph of all sentences.

    ``graph`` has only the sentences that may be chosen. If another sentence fits, a warning says that all are
    used. Both graphs have their costs in the unit of the budget.
    """
    budget, cluster = config.select.budget, tokenized.cluster
    if tokenized.candidates is None or (graph.cost <= budget).any():
        return graph
    everything = build_graph(dataclasses.replace(tokenized, candidates=None), weights)
    everything = in_unit(everything, cluster, config.select.unit)
    if (everything.cost <= budget).any():
        problem = f"no sentence that may be chosen fits {plain(budget)} {config.select.unit}"
        log.warning("%s: %s; all are taken", cluster.id, problem)
    return everything


def solve_as(
    graph: CoverageGraph,
    config: Config,
    place: str,
    text: TokenizedCluster | None = None,
    name: str = "",
    cluster: Cluster | None = None,
) -> Selection:
    """Run stage 5: return the sentences that the selector chooses, within the budget of ``config``.

    ``place`` names the cluster in error messages. ``name`` is the selector to use instead of the configured
    one. ``text`` is the tokenized cluster. It is needed to improve how the summary reads, and to find the
    sentences that the user requires. Without ``text``, required sentences are looked for in ``cluster``.
    """
    select = config.select
    unit = "words" if select.unit == "percent" else select.unit
    if select.fill != "whole" and unit != "words":
        raise SettingError(
            named("fill"), f"cuts at words, where the budget counts {unit}", "leave one of them out"
        )
    searched = text.cluster if text else cluster
    fixed = _fixed(graph, select.must, searched) if select.must and searched else []
    made = solve(
        graph,
        select.budget,
        config.selector_named(name or select.selector),
        place,
        polished=select.polish,
        certified=select.certify,
        fixed=fixed,
        unit=unit,
    )
    factor = select.reading_with(name)
    prices = prices_of(graph, text, select.budget, factor) if text is not None else None
    if prices is not None:
        made = improve_reading(graph, made, prices, fixed)
    return made if select.fill == "whole" else dataclasses.replace(made, cut=next_sentence(graph, made))


def prices_of(
    graph: CoverageGraph, text: TokenizedCluster, budget: float, factor: float
) -> ReadingPrices | None:
    """Return an object that computes the price of a selection: how hard it is to read, times ``factor``.

    Return None if the factor is 0. ``text`` is the tokenized cluster, and ``budget`` the budget of the
    summary, in the unit of the costs in ``graph``.
    """
    return ReadingPrices(text, graph, budget, ranks_of(text).tolist(), factor) if factor else None


def _fixed(graph: CoverageGraph, must: Sequence[str], cluster: Cluster) -> list[int]:
    """Return the indices, in the graph, of the sentences that the user requires.

    ``must`` has a text for each: the first sentence of the cluster that contains it is required. Of several
    sentences with the same text, the graph may have only the first, which is then returned. Raise an error if
    a required sentence is not in the graph.
    """
    wanted = required(must, cluster).values()
    node = nodes_of(wanted, graph, cluster)
    for sentence in wanted:
        if sentence not in node:
            raise NoSummaryError(
                cluster.id,
                f'"{cluster.sentences[sentence].text[:60]}" is not in the graph: '
                "no candidate, or no word of it is worth covering",
                f"leave it out of {named('must')}",
            )
    return sorted(set(node.values()))


def forecast_of(posed: Posed, selection: Selection, cluster: Cluster) -> float | None:
    """Return the share of a person's summary of the same length that a selection is expected to contain.

    Return None if it cannot be computed: if the weighting is not ``expected``, if the user boosted or ignored
    words, if only bigrams have weight, or if the budget is a number of sentences, so that the length in words
    is unknown.
    """
    weigh_settings, words = posed.config.weigh, posed.weights.words
    changed = weigh_settings.boost or weigh_settings.ignore
    if weigh_settings.weighting != "expected" or changed or selection.unit == "sentences":
        return None
    length = length_in_words(cluster, selection.budget, selection.unit)
    is_word = ~np.append(bigrams_among(words), [True])[np.minimum(posed.graph.word_ids, len(words))]
    if not is_word.any():
        return None
    met = np.where(is_word, occurrences(posed.graph, selection.chosen), 0)
    return calibrated(float(covered_levels(posed.graph, met).sum()) / length, cluster.language)
