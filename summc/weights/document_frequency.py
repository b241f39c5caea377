"""Weight a concept by the share of documents that contain it (Gillick and Favre, ILP-NLP 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from summc.records import Floats, TokenizedCluster, WordWeights
from summc.settings import setting
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
