"""ROUGE-N, ROUGE-SU4, and ROUGE-L of whole texts (not line by line); the library SumEval counts N and L."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from summc.rouge import engine
from summc.rouge.texts import Text

#: The number of texts whose n-grams are cached. It is enough for the references of 50 clusters, which are
#: used again for each system that is scored.
MOST_COUNTED = 256
#: At most this many words are between the two words of a pair (ROUGE-1.5.5's ``-2 4``).
GAP = 4


def skip_bigram_matches(summary: Text, reference: Text) -> Matches:
    """Return the number of pairs and single words that two texts have in common, and the number in each text.

    A pair or word counts as often as it occurs in both texts, that is, the smaller of its two counts.
    """
    mine, theirs = skip_bigrams(summary), skip_bigrams(reference)
    return Matches(engine.count_overlap(mine, theirs), theirs.total(), mine.total())


@functools.lru_cache(MOST_COUNTED)
def skip_bigrams(text: Text) -> Counter[Hashable]:
    """Return how often each single word and each pair of words occurs in a text.

    A pair has at most four words between its two words. As in ROUGE-1.5.5 (``-u``), the last word of the text
    counts only in pairs, not as a single word.
    """
    tokens = text.tokens
    counts: Counter[Hashable] = Counter(tokens[:-1])
    for distance in range(1, GAP + 2):
        counts.update(zip(tokens, tokens[distance:], strict=False))
    return counts


@dataclass(frozen=True, slots=True)
class Matches:
    """What a metric counts in a summary and a reference, such as n-grams.

    Attributes:
        matched: the number that both texts have in common.
        in_reference: the number in the reference.
        in_summary: the number in the summary.
    """

    matched: float
    in_reference: float
    in_summary: float

    @property
    def recall(self) -> float:
        """The share of the reference that is in the summary; 0 if the reference is empty."""
        return self.matched / self.in_reference if self.in_reference else 0.0

    @property
    def precision(self) -> float:
        """The share of the summary that is in the reference; 0 if the summary is empty."""
        return self.matched / self.in_summary if self.in_summary else 0.0


def pooled(matches: Iterable[Matches]) -> Matches:
    """Return the sum of the counts of a summary over several references."""
    found = list(matches)
    return Matches(
        sum(each.matched for each in found),
        sum(each.in_reference for each in found),
        sum(each.in_summary for each in found),
    )


def ngram_matches(summary: Text, reference: Text, n: int) -> Matches:
    """Return the number of n-grams that two texts have in common, and the number in each text.

    An n-gram counts as often as it occurs in both texts, that is, the smaller of its two counts.
    """
    mine, theirs = _ngrams(summary, n), _ngrams(reference, n)
    return Matches(engine.count_overlap(mine, theirs), theirs.total(), mine.total())


def whole_lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the length of the longest common subsequence of two whole texts, and the length of each text."""
    length = engine.lcs_length(summary.tokens, reference.tokens)
    return Matches(length, len(reference.tokens), len(summary.tokens))


@functools.lru_cache(MOST_COUNTED * 4)  # n is 1 to 4
def _ngrams(text: Text, n: int) -> Counter[Hashable]:
    return engine.count_ngrams(text.tokens, n)
