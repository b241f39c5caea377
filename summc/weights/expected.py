"""Expected overlap: the weight of a word is the probability that a person's summary contains it.

The model draws the K words of a person's summary from a distribution q over words. Word w then occurs N_w
times in it, K q_w times on average. The l-th occurrence of w in our summary matches one in the person's
summary if N_w >= l. So P(N_w >= l) is the weight of the l-th occurrence of w, which is called the l-th level
of w. The weight that a selection covers is therefore the expected number of words that it shares with a
person's summary. Function words have weight too, because people write them.

The rate q_w is proportional to (df_w / D)^p times the sum of (1 + r)^-d over the occurrences of w. Here df_w
of D documents contain w, and r is the rank of the sentence in its document. N_w is negative binomial. Bigrams
have a distribution of their own, and only their first occurrence has weight. The formula for q is not
learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, Indices, Question, TokenizedCluster, WordWeights
from summc.settings import setting
from summc.text.arithmetic import exp, expm1, log, log1p, power
from summc.text.numbers import plain
from summc.weights.base import Counts, NeedsNoFitting

#: The second and later occurrences of a word get no weight if they match with a smaller probability.
_RAREST = 1e-3


#: Language -> ratio of measured scores to forecasts, on MultiLing's topics at 250 words. The ratio is lower
#: in languages with many inflected forms, because people then use more words that occur in no document.
CALIBRATION = {"fr": 0.96, "cs": 0.94, "ar": 0.94, "he": 0.7}


@dataclass(frozen=True, slots=True)
class Expected(NeedsNoFitting):
    """The weighting ``expected``: p of the formula is ``share_power``, and d is ``early_power``."""

    early_power: float = setting(
        0.85, "expected: how fast words of later sentences lose weight.", at_least=0, at_most=100
    )
    share_power: float = setting(
        0.6, "expected: power of the share of documents that contain a word.", at_least=0, at_most=100
    )
    bigram_share: float = setting(
        1.25, "expected: weight of a bigram relative to a word.", above=0, at_most=1e9
    )
    dispersion: float = setting(
        3.0, "expected: dispersion of word counts. Smaller: people differ more.",
        at_least=0.01, at_most=1e9,
    )  # fmt: skip

    needs_stopwords: ClassVar[bool] = True
    #: The power d if there is a question. It is smaller, because an answer may stand anywhere in a document.
    question_power: ClassVar[float] = 0.3

    @property
    def signature(self) -> Mapping[str, Any]:
        """The constants of the model; they are printed with a result."""
        return {
            "early": plain(self.early_power), "share": plain(self.share_power),
            "bigrams": plain(self.bigram_share), "dispersion": plain(self.dispersion),
        }  # fmt: skip

    def weigh(
        self, tokenized: TokenizedCluster, length: float, question: Question | None = None,
        counts: Counts | None = None,
    ) -> WordWeights:  # fmt: skip
        """Return the weights of the first and further occurrences of words, for a summary of that length.

        ``counts`` are those of the cluster, if they are known.
        """
        relevance = None if question is None else question.relevance
        counts, is_bigram = counts or Counts(tokenized), tokenized.index.is_bigram
        mean = length * self.rates(counts, relevance)
        # A word cannot occur more often in a summary than in the documents.
        most = np.where(is_bigram, 1, counts.occurrences.astype(np.intp))
        weight, repeats, start = chances(mean, self.dispersion, most)
        weight = np.where(is_bigram, self.bigram_share * weight, weight)
        return WordWeights(counts.words, weight, counts.units.name, None, repeats, start)

    def rates(self, counts: Counts, relevance: Floats | None = None) -> Floats:
        """Return q_w of each concept, shape (M,); the rates of words sum to 1, and those of bigrams too.

        ``relevance`` says how relevant each of N sentences is to the question, shape (N,), or is None.
        """
        share = power(counts.documents / max(counts.size, 1), self.share_power)
        early = self.early_power if relevance is None else self.question_power
        rate = counts.emphasized(early, relevance) * share
        # The rates of words sum to 1, and so do those of bigrams.
        for family in (counts.text.index.is_bigram, ~counts.text.index.is_bigram):
            rate[family] /= max(float(rate[family].sum()), 1e-300)
        return rate


def chances(mean: Floats, dispersion: float, most_levels: Indices) -> tuple[Floats, Floats, Indices]:
    """Return, for each word, the probability that a person's summary has it at least l = 1, 2, ... times.

    N is negative binomial, with the given ``mean``, shape (M,), and ``dispersion``: the smaller it is, the
    more N varies. ``most_levels`` is the largest l for each word, at least 1. The result is P(N >= 1) of each
    word; P(N >= 2), P(N >= 3), ... of all words, word by word, without small ones; and where the values of
    each word begin in the second array.
    """
    # ln P(N = 0) is -r ln(1 + m/r) for mean m and dispersion r; expm1 avoids cancellation in 1 - P(N = 0).
    log_exactly = -dispersion * log1p(mean / dispersion)
    first = -expm1(log_exactly)
    # Use logarithms, because P(N = 0) may underflow while P(N = m) does not.
    log_ratio = log(mean / (dispersion + mean))
    alive = np.flatnonzero((first >= _RAREST) & (most_levels > 1))
    log_exactly, log_ratio, at_least = log_exactly[alive], log_ratio[alive], first[alive]
    word, value = [np.zeros(0, dtype=np.intp)], [np.zeros(0)]
    level, log_steps = 1, np.zeros(0)
    while len(alive):
        if level > len(log_steps):  # many logarithms at once are much faster
            more = np.arange(level, level + 64)
            log_steps = np.append(log_steps, log((more - 1 + dispersion) / more))
        log_exactly = log_exactly + log_steps[level - 1] + log_ratio  # ln P(N = level)
        at_least = np.minimum(np.maximum(at_least - exp(log_exactly), 0), at_least)
        level += 1
        left = (at_least >= _RAREST) & (most_levels[alive] >= level)
        if not left.all():
            alive, at_least = alive[left], at_least[left]
            log_exactly, log_ratio = log_exactly[left], log_ratio[left]
        word.append(alive)
        value.append(at_least)
    words, values = np.concatenate(word), np.concatenate(value)
    by_word = np.argsort(words, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(words, minlength=len(mean)))])
    return first, values[by_word], start
