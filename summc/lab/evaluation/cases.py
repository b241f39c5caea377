"""Prepare a cluster once for many selectors, and score the sentences that each selector chooses."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from summc import method
from summc.errors import SettingError, as_typed
from summc.records import Cluster, CoverageGraph, Floats, Outcome, Selection, Sentence, TokenizedCluster
from summc.rouge.scorer import Rouge
from summc.settings.config import Config
from summc.settings.signatures import weigh_signature
from summc.weights import Weigher

log = logging.getLogger("summc")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A cluster with its coverage graph, prepared once and shared by all selectors.

    ``text`` and the fitted weighting ``weigher`` make graphs for other budgets. Both are None if only the
    graph is known.
    """

    cluster: Cluster
    graph: CoverageGraph
    text: TokenizedCluster | None = None
    weigher: Weigher | None = None
    question: str = ""

    def graph_for(self, config: Config) -> CoverageGraph:
        """Return the graph for the budget of ``config``, or ``graph`` if only the graph is known."""
        if self.text is None or self.weigher is None:
            return self.graph
        return method.build(self.text, method.weigh(self.text, self.weigher, config, self.question), config)

    @property
    def costs(self) -> Floats:
        """The length in words, c_i, of every sentence of the cluster, also of those that the graph lacks."""
        return np.array([sentence.words for sentence in self.cluster.sentences], dtype=np.float64)


def make_cases(clusters: Sequence[Cluster], config: Config) -> tuple[list[Case], dict[str, object]]:
    """Return a case for each cluster, and the name and settings of the weighting."""
    check_unit(config)
    texts = method.tokenize_all(clusters, config)
    weigher = method.fit(texts, config)
    cases = [make_case(each, weigher, config) for each in texts]
    return cases, weigh_signature(weigher, config, [case.question for case in cases])


def make_case(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> Case:
    """Return one cluster with its graph, whose weights ``weigher`` gives for the configured budget."""
    question = method.question_of(tokenized, config)
    graph = method.build(tokenized, method.weigh(tokenized, weigher, config, question), config)
    return Case(tokenized.cluster, graph, tokenized, weigher, question)


def without_empty_references(cluster: Cluster) -> Cluster:
    """Return the cluster without its empty references, whose recall is not defined, and warn of them.

    If all references are empty, the cluster is returned unchanged.
    """
    references = tuple(text for text in cluster.references if text.strip())
    if not references or len(references) == len(cluster.references):
        return cluster
    log.warning("%s: an empty reference; left out of the mean", cluster.id)
    return dataclasses.replace(cluster, references=references)


def check_unit(config: Config) -> None:
    """Raise ``SettingError`` unless the budget is counted in words, as a comparison of summaries requires."""
    if config.select.unit != "words":
        problem = "is counted in words where summaries are compared"
        raise SettingError(as_typed("budget"), problem, "write 100")


def scored(
    case: Case, name: str, sentences: Sequence[Sentence], selection: Selection, rouge: Rouge
) -> Outcome:
    """Return the outcome of the selector ``name``: the summary of these sentences, in this order, scored."""
    text = "\n".join(sentence.text for sentence in sentences)
    scores = rouge.score(text, case.cluster.references, language=case.cluster.language, place=case.cluster.id)
    return Outcome(case.cluster.id, name, text, sum(s.words for s in sentences), scores, selection)
