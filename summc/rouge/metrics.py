"""The ROUGE metrics, by the names that users type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from summc.rouge.lcs import POWER, lcs_matches, weighted_lcs_matches
from summc.rouge.ngrams import Matches, ngram_matches, skip_bigram_matches, whole_lcs_matches
from summc.rouge.texts import Text
from summc.text.arithmetic import power


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: a function ``count`` that compares a summary with a reference.

    ROUGE-W counts lengths raised to a ``power``. Its recall and precision undo this: they are the shares,
    raised to 1 / ``power``. For all other metrics the power is 1.
    """

    count: Callable[[Text, Text], Matches]
    power: float = 1

    def recall(self, matches: Matches) -> float:
        """Return recall: the share of the reference that is in the summary."""
        return float(power(matches.recall, 1 / self.power))

    def precision(self, matches: Matches) -> float:
        """Return precision: the share of the summary that is in the reference."""
        return float(power(matches.precision, 1 / self.power))


#: Name -> metric of the official protocol, which counts as ROUGE-1.5.5 does.
OFFICIAL: Mapping[str, Metric] = {
    "rouge1": Metric(partial(ngram_matches, n=1)),
    "rouge2": Metric(partial(ngram_matches, n=2)),
    "rouge3": Metric(partial(ngram_matches, n=3)),
    "rouge4": Metric(partial(ngram_matches, n=4)),
    "rougeL": Metric(lcs_matches),
    "rougeW": Metric(weighted_lcs_matches, POWER),
    "rougeSU4": Metric(skip_bigram_matches),
}
#: Name -> metric of the paper's protocol. Only ROUGE-L differs from the official one: it is SumEval's, which
#: compares whole texts, not line by line.
PAPER: Mapping[str, Metric] = {**OFFICIAL, "rougeL": Metric(whole_lcs_matches)}

METRICS = tuple(OFFICIAL)
