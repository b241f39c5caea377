"""Document frequency, and more where a concept stands at the front of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, TokenizedCluster
from summc.settings import plain
from summc.weights.base import count
from summc.weights.document_frequency import share
from summc.weights.shape import bigrams_among


@dataclass(frozen=True, slots=True)
class Position:
    """A word: (df/D)^power (1 + lead L/D), L the documents whose lead, the first whole sentence, holds it.

    A bigram: (df/D)^power (1 + opening E/D), E the documents that hold it in their opening; it is rarer, so
    that the lead alone would say too little.
    """

    others: ClassVar[bool] = False
    unit: ClassVar[str] = "document"

    power: float = 1.5
    lead_factor: float = 4.0
    opening_factor: float = 1.0

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],  # noqa: ARG002 (the protocol's)
        background: Sequence[TokenizedCluster],  # noqa: ARG002
    ) -> Position:
        """Return itself."""
        return self

    @property
    def signature(self) -> Mapping[str, Any]:
        """Its settings."""
        factors = {"lead": plain(self.lead_factor), "opening": plain(self.opening_factor)}
        return {"power": plain(self.power), **factors}

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster and what each is worth."""
        counts = count(tokenized)
        early = np.where(
            bigrams_among(counts.words),
            self.opening_factor * counts.openings,
            self.lead_factor * counts.leads,
        )
        return counts.words, share(counts, self.power) * (1 + early / max(counts.size, 1))
