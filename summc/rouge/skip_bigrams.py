"""ROUGE-SU4, which counts single words, and pairs of words with at most four words between them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable

from summc.rouge import engine
from summc.rouge.matches import Matches
from summc.rouge.ngrams import MOST_COUNTED
from summc.rouge.texts import Text

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
