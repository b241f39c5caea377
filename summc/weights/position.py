"""Weight a concept by the share of documents that contain it, and in ``position`` more if they begin with it.

The former is ``document-frequency`` (Gillick and Favre, ILP-NLP 2009).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from summc.records import Floats, TokenizedCluster, WordWeights
from summc.settings import same_setting, setting
from summc.text import arithmetic
from summc.text.numbers import plain
from summc.weights.base import Asked, Counts, Unfitted
from summc.weights.coverage import CoverageWeighting


@dataclass(frozen=True, slots=True)
class DocumentFrequency(CoverageWeighting, Unfitted):
    """The weight of a concept is w = (df/D)^power, where df of D documents contain the concept."""

    power: float = setting(
        1.5, "Power of the share of documents that contain a word.", at_least=0, at_most=100
    )

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of the weighting; they are printed with a result."""
        return {"power": plain(self.power)}

    def weigh(self, text: TokenizedCluster, length: float, is_asked: Asked = None) -> WordWeights:  # noqa: ARG002
        """Return the concepts of a cluster and their weights, which do not depend on the length."""
        counts = Counts(text)
        return self.shaped(text, counts.words, share(counts, self.power), is_asked)


def share(counts: Counts, power: float) -> Floats:
    """Return, for each concept, the share of documents that contain it, raised to a power."""
    return arithmetic.power(counts.documents / max(counts.size, 1), power)


@dataclass(frozen=True, slots=True)
class Position(CoverageWeighting, Unfitted):
    """w = (df/D)^power (1 + lead L/D) for a word, and (df/D)^power (1 + opening E/D) for a bigram.

    df of D documents contain the concept. A whole sentence is any but a headline, a date or a caption. L is
    the number of documents whose lead (first whole sentence) contains the word. E is the number of documents
    whose opening (first three whole sentences) contains the bigram. Bigrams use the opening, because they are
    too rare in leads. "lead" and "opening" in the formulas are the settings ``lead_factor`` and
    ``opening_factor``.
    """

    power: float = same_setting(DocumentFrequency, "power")
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

    def weigh(self, text: TokenizedCluster, length: float, is_asked: Asked = None) -> WordWeights:  # noqa: ARG002
        """Return the concepts of a cluster and their weights, which do not depend on the length."""
        return self.shaped(text, *self.of_concepts(text), is_asked)

    def of_concepts(self, text: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster and the weight that the formula gives each."""
        counts = Counts(text)
        early = np.where(
            text.index.is_bigram, self.opening_factor * counts.openings, self.lead_factor * counts.leads
        )
        return counts.words, share(counts, self.power) * (1 + early / max(counts.size, 1))
