"""The stages as functions. Called in this order, they do what ``summarize`` does.

>>> from summc import build_graph, load, render, select, tokenize, weigh
>>> config = {"budget": 3, "selector": "g-greedy"}
>>> [cluster] = load("The dam broke. Nobody was hurt.", config)
>>> tokenized = tokenize(cluster, config)
>>> weights = weigh(tokenized, config)
>>> graph = build_graph(tokenized, weights, config)
>>> selection = select(tokenized, graph, config)
>>> render(tokenized, weights, graph, selection, config).text
'The dam broke.'
"""

from __future__ import annotations

from collections.abc import Sequence

from summc.api.settings import ConfigLike, config_of
from summc.api.summaries import Summary
from summc.pipeline import written_up
from summc.pipeline.budgets import graph_for, prepare, solve_as, weights_for, with_budget_of
from summc.pipeline.weighing import fit, preprocess_all
from summc.records import Cluster, CoverageGraph, Selection, TokenizedCluster, WordWeights


def tokenize(cluster: Cluster, config: ConfigLike | None = None) -> TokenizedCluster:
    """Stage 2: return a cluster with the terms of each sentence, and the sentences that may be chosen.

    Documents are sorted by date, unless the setting ``order`` is "given".
    """
    (tokenized,) = preprocess_all([cluster], config_of(config))
    return tokenized


def weigh(
    tokenized: TokenizedCluster,
    config: ConfigLike | None = None,
    *,
    others: Sequence[TokenizedCluster] = (),
) -> WordWeights:
    """Stage 3: return the words of a cluster, each with its weight: how much a summary gains by covering it.

    ``others`` are clusters in which document frequencies are counted too, for the weighting tfidf.
    """
    chosen = config_of(config)
    return weights_for(prepare(tokenized, fit([tokenized, *others], chosen), chosen), chosen)


def build_graph(
    tokenized: TokenizedCluster, weights: WordWeights, config: ConfigLike | None = None
) -> CoverageGraph:
    """Stage 4: return the coverage problem: the costs of sentences, the weights of words, and the edges.

    An edge says that a sentence holds a word. Costs are in the unit of the budget.
    """
    return graph_for(tokenized, weights, config_of(config))


def select(tokenized: TokenizedCluster, graph: CoverageGraph, config: ConfigLike | None = None) -> Selection:
    """Stage 5: return the sentences that the selector chooses within the budget."""
    cluster = tokenized.cluster
    return solve_as(graph, with_budget_of(config_of(config), cluster), cluster.id, tokenized)


def render(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    graph: CoverageGraph,
    selection: Selection,
    config: ConfigLike | None = None,
) -> Summary:
    """Stage 6: return the chosen sentences as a summary, in reading order."""
    chosen = config_of(config)
    return Summary(written_up(tokenized, weights, graph, selection, chosen), chosen)
