"""Expected overlap: what covering a word is worth is the chance that a person's summary has it.

Think of a person's summary of K words as drawn from a distribution q over words. Then word w occurs N_w times
in it, K q_w on average, and the l-th occurrence of w in our summary matches with probability P(N_w >= l): the
weight of its l-th level. So the weight that a choice covers is the number of words that it is expected to
share with what a person would write. Function words count: people write them too.

q_w is proportional to (df_w / D)^p times the sum of (1 + r)^-d over the occurrences of w, r being the rank of
the sentence in its document. N_w is negative binomial. Bigrams have a distribution of their own, and one
level. Nothing is learned, unless ``--model`` names a file of rates that ``summc learn`` fitted: those take
the place of this q, and all else stays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, Indices, TokenizedCluster, WordWeights
from summc.settings import plain
from summc.weights.base import Counts, Unfitted
from summc.weights.rates import Rates, read_rates

#: A level that matches more rarely is left out.
_RAREST = 1e-3


#: What real scores are of forecasts, where both are known: MultiLing's topics at 250 words. People use more
#: words that stand in no document where words take many forms.
_CALIBRATION = {"fr": 0.95, "cs": 0.94, "ar": 0.89, "he": 0.7}


def calibrated(forecast: float, language: str) -> float:
    """Return a forecast as it is to be told in a language; as it is where nothing is known of that."""
    return _CALIBRATION.get(language, 1.0) * forecast


@dataclass(frozen=True, slots=True)
class Expected(Unfitted):
    """The model with its constants: d, p, the factor of bigrams, and the dispersion of N_w."""

    early_power: float = 0.85
    share_power: float = 0.6
    bigram_share: float = 1.25
    dispersion: float = 3.0
    model: str = ""

    needs_stopwords: ClassVar[bool] = True
    by_length: ClassVar[bool] = True
    #: d where there is a question: an answer may stand anywhere.
    asked_power: ClassVar[float] = 0.3

    @property
    def signature(self) -> Mapping[str, Any]:
        """Its constants."""
        return {
            "early": plain(self.early_power),
            "share": plain(self.share_power),
            "bigrams": plain(self.bigram_share),
            "dispersion": plain(self.dispersion),
        }

    def weigh_for(
        self, tokenized: TokenizedCluster, length: float, relevance: Floats | None = None
    ) -> WordWeights:
        """Return the weights of all levels for a summary of ``length`` words.

        ``relevance``: how much each sentence has to do with a question, shape (N,), 1 on average.
        """
        counts = Counts(tokenized)
        is_bigram = tokenized.places.is_bigram
        mean = length * self.rates(counts, relevance)
        # No summary can hold a word more often than the documents do.
        most = np.where(is_bigram, 1, counts.occurrences.astype(np.intp))
        weight, further, start = chances(mean, self.dispersion, most)
        weight = np.where(is_bigram, self.bigram_share * weight, weight)
        for array in (weight, further, start):
            array.flags.writeable = False
        return WordWeights(counts.words, weight, counts.units.name, None, further, start)

    def rates(self, counts: Counts, relevance: Floats | None = None) -> Floats:
        """Return q of each concept, shape (M,); words sum to 1, and so do bigrams."""
        occurring = self._occurring(counts, relevance)
        return _normalized(occurring * (counts.documents / max(counts.size, 1)) ** self.share_power, counts)

    def _occurring(self, counts: Counts, relevance: Floats | None) -> Floats:
        """Return how often each concept occurs, early sentences, or those that answer, counting more."""
        return counts.emphasized(self.early_power if relevance is None else self.asked_power, relevance)

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],  # noqa: ARG002 (the protocol's)
        background: Sequence[TokenizedCluster],  # noqa: ARG002
    ) -> Expected:
        """Return itself, with the rates of its model where it has one."""
        return self.by(read_rates(Path(self.model))) if self.model else self

    def by(self, fitted: Rates) -> Expected:
        """Return it with fitted rates in the place of the formula."""
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(Expected)}
        return ExpectedByModel(**own, fitted=fitted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedByModel(Expected):
    """The model with fitted rates."""

    fitted: Rates

    @property
    def signature(self) -> Mapping[str, Any]:
        """The file of the rates, and the constants that still count."""
        return {
            "model": self.fitted.name,
            "bigrams": plain(self.bigram_share),
            "dispersion": plain(self.dispersion),
        }

    def rates(self, counts: Counts, relevance: Floats | None = None) -> Floats:
        """Return q of each concept; a question changes it by the factor that it changes the formula by."""
        rate = self.fitted.of(counts)
        if relevance is None:
            return rate
        factor = self._occurring(counts, relevance) / self._occurring(counts, None)
        return _normalized(rate * factor, counts)


def _normalized(rate: Floats, counts: Counts) -> Floats:
    """Return rates divided by their sum, words and bigrams each by their own."""
    is_bigram = counts.tokenized.places.is_bigram
    made = np.zeros(len(rate))
    for family in (is_bigram, ~is_bigram):
        made[family] = rate[family] / max(float(rate[family].sum()), 1e-300)
    return made


def chances(mean: Floats, dispersion: float, most_levels: Indices) -> tuple[Floats, Floats, Indices]:
    """Return P(N >= l) for l = 1, 2, ... of negative binomial numbers, as a graph has the weights of levels.

    ``most_levels``: how many levels each word has at most, 1 or more.
    """
    # ln P(N = 0) is -r ln(1 + m/r); what P(N = 0) leaves of 1 is computed without cancellation.
    log_exactly = -dispersion * np.log1p(mean / dispersion)
    first = -np.expm1(log_exactly)
    # In logarithms, since P(N = 0) may be too small for a float while P(N = m) is not.
    log_ratio = np.log(mean / (dispersion + mean), out=np.full(len(mean), -np.inf), where=mean > 0)
    alive = np.flatnonzero((first >= _RAREST) & (most_levels > 1))
    log_exactly, log_ratio, at_least = log_exactly[alive], log_ratio[alive], first[alive]
    word, value = [np.zeros(0, dtype=np.intp)], [np.zeros(0)]
    level = 1
    while len(alive):
        log_exactly = log_exactly + np.log((level - 1 + dispersion) / level) + log_ratio  # of P(N = level)
        at_least = np.minimum(np.maximum(at_least - np.exp(log_exactly), 0), at_least)
        level += 1
        left = (at_least >= _RAREST) & (most_levels[alive] >= level)
        if not left.all():
            alive, log_exactly, log_ratio, at_least = (
                part[left] for part in (alive, log_exactly, log_ratio, at_least)
            )
        word.append(alive)
        value.append(at_least)
    words, values = np.concatenate(word), np.concatenate(value)
    by_word = np.argsort(words, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(words, minlength=len(mean)))])
    return first, values[by_word], start
