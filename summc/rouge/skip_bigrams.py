"""ROUGE-SU4: pairs of words with at most four words between them, and single words."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable

from summc.rouge import engine
from summc.rouge.matches import Matches
from summc.rouge.ngrams import MOST_COUNTED
from summc.rouge.texts import Text

#: The most words between the two words of a pair (ROUGE-1.5.5's ``-2 4``).
GAP = 4


def skip_bigram_matches(summary: Text, reference: Text) -> Matches:
    """Return the pairs and words in common; each counts at most as often as it occurs in the reference."""
    mine, theirs = skip_bigrams(summary), skip_bigrams(reference)
    return Matches(engine.count_overlap(mine, theirs), theirs.total(), mine.total())


@functools.lru_cache(MOST_COUNTED)
def skip_bigrams(text: Text) -> Counter[Hashable]:
    """Return how often each pair and each word occurs in a text.

    As in ROUGE-1.5.5 (``-u``), the last word of the text counts only in pairs, not as a single word.
    """
    tokens = text.tokens
    counts: Counter[Hashable] = Counter(tokens[:-1])
    for distance in range(1, GAP + 2):
        counts.update(zip(tokens, tokens[distance:], strict=False))
    return counts
