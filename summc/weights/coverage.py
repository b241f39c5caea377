"""Weightings by documents: ``document-frequency`` (Gillick and Favre, ILP-NLP 2009) and ``position``.

They share with ``tfidf`` which concepts count, the factor of bigrams, and the position bonus, which is extra
weight that a selection earns for a sentence near the start of its document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from summc.records import PROSE, Floats, Question, TokenizedCluster, WordWeights
from summc.settings import setting
from summc.text.arithmetic import power
from summc.text.numbers import plain
from summc.weights.base import Counts, NeedsNoFitting, Units
from summc.weights.questions import turned_toward

#: With this many documents or fewer, concepts in only one document have weight too, because two documents
#: share too few concepts.
_FEW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageWeighting:
    """Makes ``WordWeights`` of the weights that a weighting by documents gives concepts.

    The bonus of a sentence is ``place_bonus`` times its length c_i, times max(0, 1 - rank / ``place_fades``),
    times the mean weight per word. The rank is 0 for the first sentence of a document.
    """

    least_documents: int = setting(
        2,
        "Ignore words in fewer documents than this, unless there are only two documents or no shared words.",
        at_least=1,
    )  # fmt: skip
    bigram_factor: float = setting(2.0, "Weight of a bigram relative to a word.", above=0, at_most=1e9)
    place_bonus: float = setting(
        1.0, "Bonus for the first sentence of a document, per word, in mean word weights.",
        at_least=0, at_most=1e9,
    )  # fmt: skip
    place_fades: int = setting(
        5, "How many sentences of a document get a bonus; it falls with each.",
        at_least=1, at_most=1_000_000_000,
    )  # fmt: skip

    def as_weights(
        self, tokenized: TokenizedCluster, words: tuple[str, ...], weight: Floats,
        question: Question | None = None, unit: str = "", counts: Counts | None = None,
    ) -> WordWeights:  # fmt: skip
        """Return the concepts that have weight, their weights, and the bonus of each sentence.

        ``words`` are the concepts and ``weight`` what the weighting gives each. With a question, concepts in
        only one document have weight too, and those near the question's words weigh more. ``unit`` is what
        was counted to find how common a word is; by default the documents or sections of the cluster.
        ``counts`` are those of the cluster, if they are known.
        """
        index, counts = tokenized.index, counts or Counts(tokenized)
        number = index.numbers_among(words)
        has_weight = number >= 0
        if self.least_documents > 1 and question is None and counts.size > _FEW:
            is_shared = has_weight & (counts.documents >= self.least_documents)
            has_weight = is_shared if is_shared.any() else has_weight
        # The weight of each concept of the cluster, shape (M,).
        worth = np.where(has_weight, np.append(weight, 0.0)[number], 0.0)
        worth = np.where(index.is_bigram, self.bigram_factor * worth, worth)
        bonus = self._bonus(tokenized, counts.units, worth) if self.place_bonus > 0 else None
        weights = WordWeights(index.only(has_weight), worth[has_weight], unit or counts.units.name, bonus)
        return weights if question is None else turned_toward(weights, tokenized, question)

    def _bonus(self, tokenized: TokenizedCluster, units: Units, worth: Floats) -> Floats:
        """Return the position bonus of each sentence of the cluster, shape (N,).

        Only candidates that are whole sentences of prose have one, if they have a word of positive weight. It
        is proportional to the length of the sentence, so that it does not favour short sentences. ``worth``
        is the weight of each concept, shape (M,).
        """
        sentences = tokenized.cluster.sentences
        sentence, concept, _ = tokenized.index.pairs
        is_candidate = np.ones(len(sentences), dtype=bool)
        if tokenized.candidates is not None:
            is_candidate[:] = False
            for i in tokenized.candidates:
                is_candidate[i] = sentences[i].kind == PROSE and sentences[i].is_whole
            if not is_candidate.any():
                is_candidate[list(tokenized.candidates)] = True
        cost = np.where(is_candidate, tokenized.cluster.lengths, 0.0)
        covered = np.where(is_candidate, np.bincount(sentence, worth[concept], len(sentences)), 0.0)
        unit = covered.sum() / max(cost.sum(), 1)
        early = np.maximum(0.0, 1 - units.rank / self.place_fades)
        return np.where(covered > 0, self.place_bonus * unit * cost * early, 0.0)


@dataclass(frozen=True, slots=True)
class DocumentFrequency(CoverageWeighting, NeedsNoFitting):
    """The weight of a concept is w = (df/D)^power, where df of D documents contain the concept."""

    power: float = setting(
        1.5, "Power of the share of documents that contain a word.", at_least=0, at_most=100
    )

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of the weighting; they are printed with a result."""
        return {"power": plain(self.power)}

    def weigh(
        self,
        tokenized: TokenizedCluster,
        length: float,  # noqa: ARG002
        question: Question | None = None,
    ) -> WordWeights:
        """Return the concepts of a cluster and their weights, which do not depend on the length."""
        counts = Counts(tokenized)
        return self.as_weights(tokenized, counts.words, self.of_concepts(counts), question, counts=counts)

    def of_concepts(self, counts: Counts) -> Floats:
        """Return the weight that the formula gives each concept of a cluster, shape (M,)."""
        return power(counts.documents / max(counts.size, 1), self.power)


@dataclass(frozen=True, slots=True)
class Position(DocumentFrequency):
    """w = (df/D)^power (1 + lead L/D) for a word, and (df/D)^power (1 + opening E/D) for a bigram.

    df of D documents contain the concept. L is the number of documents whose lead (first whole sentence)
    contains the word. E is the number of documents whose opening (first three whole sentences) contains the
    bigram. Bigrams use the opening, because they are too rare in leads. "lead" and "opening" in the formulas
    are the settings ``lead_factor`` and ``opening_factor``.
    """

    lead_factor: float = setting(
        4.0, "position: extra weight of words in first sentences.", at_least=0, at_most=1e9
    )
    opening_factor: float = setting(
        1.0, "position: extra weight of bigrams in the first three sentences.", at_least=0, at_most=1e9
    )

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of the weighting; they are printed with a result."""
        factors = {"lead": plain(self.lead_factor), "opening": plain(self.opening_factor)}
        return {"power": plain(self.power), **factors}

    def of_concepts(self, counts: Counts) -> Floats:
        """Return the weight that the formula gives each concept of a cluster, shape (M,)."""
        size, is_bigram = max(counts.size, 1), counts.text.index.is_bigram
        early = np.where(is_bigram, self.opening_factor * counts.openings, self.lead_factor * counts.leads)
        return power(counts.documents / size, self.power) * (1 + early / size)
