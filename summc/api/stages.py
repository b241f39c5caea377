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

from summc import method
from summc.api.settings import ConfigLike, config_of
from summc.api.summaries import Summary
from summc.records import Cluster, CoverageGraph, Selection, TokenizedCluster, WordWeights


def tokenize(cluster: Cluster, config: ConfigLike | None = None) -> TokenizedCluster:
    """Stage 2: return a cluster with the terms of each sentence, and the sentences that may be chosen.

    Documents are sorted by date, unless the setting ``order`` is "given".
    """
    (tokenized,) = method.tokenize_all([cluster], config_of(config))
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
    weigher = method.fit([tokenized, *others], chosen)
    return method.weigh(tokenized, weigher, chosen, method.question_of(tokenized, chosen))


def build_graph(
    tokenized: TokenizedCluster, weights: WordWeights, config: ConfigLike | None = None
) -> CoverageGraph:
    """Stage 4: return the coverage problem: the costs of sentences, the weights of words, and the edges.

    An edge says that a sentence holds a word. Costs are in the unit of the budget.
    """
    return method.build(tokenized, weights, config_of(config))


def select(tokenized: TokenizedCluster, graph: CoverageGraph, config: ConfigLike | None = None) -> Selection:
    """Stage 5: return the sentences that the selector chooses within the budget."""
    return method.select(graph, config_of(config), tokenized.cluster.id, tokenized)


def render(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    graph: CoverageGraph,
    selection: Selection,
    config: ConfigLike | None = None,
) -> Summary:
    """Stage 6: return the chosen sentences as a summary, in reading order."""
    chosen = config_of(config)
    return Summary(method.write(tokenized, weights, graph, selection, chosen), chosen)
