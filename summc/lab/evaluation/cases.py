"""Prepare a cluster once for many selectors, and score the sentences that each selector chooses."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from summc.errors import SettingError, named
from summc.pipeline.budgets import Prepared, pose
from summc.pipeline.budgets import prepare as prepare_cluster
from summc.pipeline.signatures import weigh_signature
from summc.pipeline.weighing import fit, preprocess_all
from summc.records import Cluster, CoverageGraph, Floats, Outcome, Selection, Sentence, TokenizedCluster
from summc.rouge import Rouge
from summc.selectors.base import make_selection
from summc.settings.config import Config
from summc.weights import Weigher

log = logging.getLogger("summc")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A cluster with its coverage graph, prepared once and shared by all selectors.

    ``prepared`` holds the terms of the cluster, from which ``graph_for`` makes graphs for other budgets. It
    is None if only the graph is known.
    """

    cluster: Cluster
    graph: CoverageGraph
    prepared: Prepared | None = None

    def graph_for(self, config: Config) -> CoverageGraph:
        """Return the graph for the budget of ``config``, or ``graph`` if only the graph is known."""
        return pose(self.prepared, config).graph if self.prepared else self.graph

    @property
    def text(self) -> TokenizedCluster | None:
        """The cluster with the terms of each sentence, or None if only the graph is known."""
        return self.prepared.tokenized if self.prepared else None

    @property
    def costs(self) -> Floats:
        """The length in words, c_i, of every sentence of the cluster, also of those that the graph lacks."""
        return np.array([sentence.words for sentence in self.cluster.sentences], dtype=np.float64)


def prepare(clusters: Sequence[Cluster], config: Config) -> tuple[list[Case], dict[str, object]]:
    """Return a case (cluster and graph) for each cluster, and the name and settings of the weighting."""
    check_unit(config)
    tokenized = preprocess_all(clusters, config)
    weigher = fit(tokenized, config)
    ready = [prepare_cluster(each, weigher, config) for each in tokenized]
    cases = [_case(each, config) for each in ready]
    return cases, weigh_signature(weigher, config, [each.question for each in ready])


def without_empty_references(cluster: Cluster) -> Cluster:
    """Return the cluster without its empty references, and warn if there were any.

    The recall of an empty reference is not defined, so a mean over references cannot include it. If all
    references are empty, the cluster is returned unchanged.
    """
    references = tuple(text for text in cluster.references if text.strip())
    if not references or len(references) == len(cluster.references):
        return cluster
    log.warning("%s: an empty reference; left out of the mean", cluster.id)
    return dataclasses.replace(cluster, references=references)


def check_unit(config: Config) -> None:
    """Raise ``SettingError`` unless the budget is counted in words, as a comparison of summaries requires."""
    if config.select.unit != "words":
        raise SettingError(named("budget"), "is counted in words where summaries are compared", "write 100")


def make_case(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> Case:
    """Return one cluster with its graph, whose weights ``weigher`` gives for the configured budget."""
    return _case(prepare_cluster(tokenized, weigher, config), config)


def _case(prepared: Prepared, config: Config) -> Case:
    graph = pose(prepared, config).graph
    return Case(prepared.tokenized.cluster, graph, prepared)


def scored(case: Case, name: str, chosen: Iterable[int], selection: Selection, rouge: Rouge) -> Outcome:
    """Score the summary made of the ``chosen`` sentences, in reading order, and return its outcome.

    ``chosen`` has indices of sentences in the cluster. ``name`` is that of the selector.
    """
    sentences = [case.cluster.sentences[i] for i in sorted(chosen)]
    return scored_sentences(case, name, sentences, selection, rouge)


def scored_sentences(
    case: Case, name: str, sentences: Sequence[Sentence], selection: Selection, rouge: Rouge
) -> Outcome:
    """Score the summary made of these sentences, in the order given, and return its outcome.

    ``name`` is that of the selector.
    """
    text = "\n".join(sentence.text for sentence in sentences)
    scores = rouge.score(text, case.cluster.references, language=case.cluster.language, place=case.cluster.id)
    return Outcome(case.cluster.id, name, text, sum(s.words for s in sentences), scores, selection)


def as_selection(case: Case, chosen: Iterable[int], budget: float, name: str) -> Selection:
    """Return the selection of the ``chosen`` sentences, which are given by their indices in the cluster.

    A sentence that is not in the graph is left out of the selection, so it covers nothing.
    """
    node = {sentence: i for i, sentence in enumerate(case.graph.sentence_ids.tolist())}
    return make_selection(case.graph, budget, name, {node[i] for i in chosen if i in node})
