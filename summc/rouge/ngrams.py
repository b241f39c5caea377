"""ROUGE-N, and ROUGE-L of whole texts, both counted by SumEval."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable

from summc.rouge import engine
from summc.rouge.matches import Matches
from summc.rouge.texts import Text

#: Texts whose counts are cached: enough for the references of 50 clusters, which every system is scored on.
MOST_COUNTED = 256


def ngram_matches(summary: Text, reference: Text, n: int) -> Matches:
    """Return the n-grams in common; each counts at most as often as it occurs in the reference."""
    mine, theirs = _ngrams(summary, n), _ngrams(reference, n)
    return Matches(engine.count_overlap(mine, theirs), theirs.total(), mine.total())


def whole_lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the length of the longest common subsequence, with each text taken as one line."""
    length = engine.lcs_length(summary.tokens, reference.tokens)
    return Matches(length, len(reference.tokens), len(summary.tokens))


@functools.lru_cache(MOST_COUNTED * 4)  # n is 1 to 4
def _ngrams(text: Text, n: int) -> Counter[Hashable]:
    return engine.count_ngrams(text.tokens, n)
