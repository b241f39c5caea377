"""The share of the documents that hold a concept (Gillick and Favre, ILP-NLP 2009), to a power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from summc.records import Floats, TokenizedCluster
from summc.settings import plain
from summc.weights.base import Counts, count


@dataclass(frozen=True, slots=True)
class DocumentFrequency:
    """w = (df/D)^power; it needs no fitting, and so weighs a cluster the same in any company."""

    others: ClassVar[bool] = False
    unit: ClassVar[str] = "document"

    power: float = 1.5

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],  # noqa: ARG002 (the protocol's)
        background: Sequence[TokenizedCluster],  # noqa: ARG002
    ) -> DocumentFrequency:
        """Return itself."""
        return self

    @property
    def signature(self) -> Mapping[str, Any]:
        """Its settings."""
        return {"power": plain(self.power)}

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster and what each is worth."""
        counts = count(tokenized)
        return counts.words, share(counts, self.power)


def share(counts: Counts, power: float) -> Floats:
    """Return the share of the documents that hold each concept, to a power."""
    made: Floats = (counts.documents / max(counts.size, 1)) ** power
    return made
