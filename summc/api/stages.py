"""The six stages of ``summarize``, called one by one from Python.

>>> from summc import stages
>>> config = {"budget": 3, "selector": "g-greedy"}
>>> [cluster] = stages.load("The dam broke. Nobody was hurt.", config)
>>> tokenized = stages.preprocess(cluster, config)
>>> weights = stages.weigh(tokenized, config)
>>> problem = stages.graph(tokenized, weights, config)
>>> selection = stages.select(tokenized, problem, config)
>>> stages.render(tokenized, weights, problem, selection, config).text
'The dam broke.'
"""

from __future__ import annotations

from collections.abc import Sequence

from summc import method
from summc.api import ConfigLike, config_of, load
from summc.api.summaries import Summary
from summc.errors import InputError
from summc.records import Cluster, CoverageGraph, Run, Selection, TokenizedCluster, WordWeights

__all__ = ["graph", "load", "preprocess", "render", "select", "weigh"]


_RECORDS = {
    "cluster": Cluster, "tokenized": TokenizedCluster, "weights": WordWeights, "problem": CoverageGraph,
    "selection": Selection,
}  # fmt: skip


def _check(**records: object) -> None:
    """Raise an error if an argument is not the record that its name says."""
    for name, record in records.items():
        if not isinstance(record, _RECORDS[name]):
            raise InputError(name, f"must be a {_RECORDS[name].__name__}, got {record!r:.40}")


def preprocess(cluster: Cluster, config: ConfigLike | None = None) -> TokenizedCluster:
    """Stage 2: return a cluster with the terms of each sentence, and the sentences that may be chosen."""
    _check(cluster=cluster)
    (tokenized,) = method.preprocess_all([cluster], config_of(config))
    return tokenized


def weigh(
    tokenized: TokenizedCluster, config: ConfigLike | None = None, *, others: Sequence[TokenizedCluster] = ()
) -> WordWeights:
    """Stage 3: return the words of a cluster with their weights.

    ``others`` are clusters in which document frequencies are counted too, for the weighting tfidf.
    """
    for cluster in (tokenized, *others):
        _check(tokenized=cluster)
    sized = config_of(config).for_cluster(tokenized.cluster)
    weigher = method.fit([tokenized, *others], sized)
    return method.weigh(tokenized, weigher, sized, method.question_of(tokenized, sized))


def graph(
    tokenized: TokenizedCluster, weights: WordWeights, config: ConfigLike | None = None
) -> CoverageGraph:
    """Stage 4: return the coverage problem; the costs of sentences are in the unit of the budget."""
    _check(tokenized=tokenized, weights=weights)
    return method.graph(tokenized, weights, config_of(config).for_cluster(tokenized.cluster))


def select(
    tokenized: TokenizedCluster, problem: CoverageGraph, config: ConfigLike | None = None
) -> Selection:
    """Stage 5: return the sentences that the selector chooses within the budget."""
    _check(tokenized=tokenized, problem=problem)
    cluster = tokenized.cluster
    return method.select(problem, config_of(config).for_cluster(cluster), cluster.id, tokenized)


def render(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    problem: CoverageGraph,
    selection: Selection,
    config: ConfigLike | None = None,
) -> Summary:
    """Stage 6: return the chosen sentences as a summary, in reading order."""
    _check(tokenized=tokenized, weights=weights, problem=problem, selection=selection)
    cluster, chosen = tokenized.cluster, config_of(config)
    share = method.forecast(weights, problem, selection, cluster, chosen.for_cluster(cluster))
    summary = method.render(cluster, problem, selection, share)
    return Summary(Run(summary, tokenized, weights, problem, chosen))
