"""Topic signatures (Lin and Hovy, COLING 2000): concepts far more frequent here than in other texts.

How far is Dunning's log-likelihood ratio (Computational Linguistics 19, 1993), -2 ln lambda, of "as frequent
here as elsewhere" against "not"; 10.83 is its value at p = 0.001.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.errors import NoSummaryError
from summc.records import Floats, TokenizedCluster
from summc.settings import plain
from summc.weights.base import Counts
from summc.weights.document_frequency import share


@dataclass(frozen=True, slots=True)
class TopicSignature:
    """w = (df/D)^power for a signature; for any other concept ``signature_rest`` times that."""

    others: ClassVar[bool] = True
    capitals: ClassVar[bool] = False

    power: float = 1.5
    signature_level: float = 10.83
    signature_rest: float = 0.5

    def fit(
        self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]
    ) -> _TopicSignatures:
        """Return it with the counts of the background, or, where there is none, of all the clusters."""
        if not background and len(clusters) == 1:
            problem = "topic signatures need other texts to compare with"
            raise NoSummaryError(
                clusters[0].cluster.id, problem, "give --background or choose another --weighting"
            )
        texts = background or clusters
        counts = Counter(term for each in texts for terms in each.tokens for term in terms)
        return _TopicSignatures(self, counts, counts.total(), len(texts), bool(background))


@dataclass(frozen=True, slots=True)
class _TopicSignatures:
    """``frequency`` counts the concepts of the background, or else of all clusters; ``total``: of all."""

    weighting: TopicSignature
    frequency: Counter[str]
    total: int
    texts: int
    has_background: bool
    unit: str = "cluster"

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings, and how many clusters are compared with."""
        made = self.weighting
        return {
            "power": plain(made.power),
            "level": plain(made.signature_level),
            "rest": plain(made.signature_rest),
            "against": f"{'background' if self.has_background else 'others'}/{self.texts}",
            "background": "",
        }

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster and what each is worth."""
        counts, made = Counts(tokenized), self.weighting
        here, elsewhere = counts.occurrences, np.array([self.frequency[word] for word in counts.words])
        size, other_size = int(here.sum()), self.total
        if not self.has_background:  # the others are all of them less this one
            elsewhere, other_size = elsewhere - here, other_size - size
        ratio = likelihood_ratio(here, elsewhere, size, other_size)
        factor = np.where(ratio > made.signature_level, 1.0, made.signature_rest)
        return counts.words, share(counts, made.power) * factor


def likelihood_ratio(here: Iterable[float], elsewhere: Iterable[float], size: int, other_size: int) -> Floats:
    """Return -2 ln lambda of each concept that is more frequent here than elsewhere, 0 of the others.

    ``size`` and ``other_size`` are how many concepts there are in all, here and elsewhere.
    """
    k1, k2 = np.array(list(here), dtype=np.float64), np.array(list(elsewhere), dtype=np.float64)
    n1, n2 = max(size, 1), max(other_size, 1)
    together = (k1 + k2) / (n1 + n2)
    apart = _log_likelihood(k1, n1, k1 / n1) + _log_likelihood(k2, n2, k2 / n2)
    ratio = 2 * (apart - _log_likelihood(k1, n1, together) - _log_likelihood(k2, n2, together))
    made: Floats = np.where(k1 / n1 > k2 / n2, np.maximum(ratio, 0.0), 0.0)
    return made


def _log_likelihood(k: Floats, n: int, p: Floats) -> Floats:
    """Return k ln p + (n - k) ln(1 - p), where 0 ln 0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(k > 0, k * np.log(p), 0.0)
        miss = np.where(n > k, (n - k) * np.log1p(-p), 0.0)
    made: Floats = hit + miss
    return made
