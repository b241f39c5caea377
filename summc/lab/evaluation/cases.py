"""Prepare a cluster once for many selectors, and score the sentences that each selector chooses."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from summc import method
from summc.errors import SettingError, as_typed
from summc.records import Cluster, CoverageGraph, Floats, Outcome, Selection, Sentence, TokenizedCluster
from summc.rouge import Rouge
from summc.selectors.base import make_selection
from summc.settings.config import Config, weigh_signature
from summc.weights import Weigher

log = logging.getLogger("summc")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A cluster with its coverage graph, prepared once and shared by all selectors.

    ``text`` has the terms of the cluster, from which ``graph_for`` makes graphs for other budgets by the
    fitted weighting ``weigher``. Both are None if only the graph is known.
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
    """Return a case (cluster and graph) for each cluster, and the name and settings of the weighting."""
    check_unit(config)
    texts = method.tokenize_all(clusters, config)
    weigher = method.fit(texts, config)
    cases = [make_case(each, weigher, config) for each in texts]
    return cases, weigh_signature(weigher, config, [case.question for case in cases])


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
        raise SettingError(
            as_typed("budget"), "is counted in words where summaries are compared", "write 100"
        )


def make_case(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> Case:
    """Return one cluster with its graph, whose weights ``weigher`` gives for the configured budget."""
    question = method.question_of(tokenized, config)
    graph = method.build(tokenized, method.weigh(tokenized, weigher, config, question), config)
    return Case(tokenized.cluster, graph, tokenized, weigher, question)


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
