"""ROUGE-N, and ROUGE-L of whole texts (not line by line); the library SumEval counts both."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable

from summc.rouge import engine
from summc.rouge.matches import Matches
from summc.rouge.texts import Text

#: The number of texts whose n-grams are cached. It is enough for the references of 50 clusters, which are
#: used again for each system that is scored.
MOST_COUNTED = 256


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
