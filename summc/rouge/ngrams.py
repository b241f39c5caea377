"""ROUGE-N: the n-grams of a reference that a summary has, and ROUGE-L of whole texts. Both are SumEval's."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable

from summc.rouge import engine
from summc.rouge.matches import Matches
from summc.rouge.texts import Text

#: How many texts' counts are kept: the references of 50 clusters are compared with one system after another.
MOST_COUNTED = 256


def ngram_matches(summary: Text, reference: Text, n: int) -> Matches:
    """Return the n-grams in common, each at most as often as the reference has it."""
    mine, theirs = _ngrams(summary, n), _ngrams(reference, n)
    return Matches(engine.count_overlap(mine, theirs), theirs.total(), mine.total())


def whole_lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the longest common subsequence of two texts, each taken as one line."""
    length = engine.lcs_length(summary.tokens, reference.tokens)
    return Matches(length, len(reference.tokens), len(summary.tokens))


@functools.lru_cache(MOST_COUNTED * 4)  # of up to four lengths
def _ngrams(text: Text, n: int) -> Counter[Hashable]:
    return engine.count_ngrams(text.tokens, n)
