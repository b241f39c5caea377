"""Find how relevant each sentence is to the question that a summary should answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from summc.records import Floats, TokenizedCluster
from summc.text.arithmetic import log

#: The relevance of nearby sentences is added to that of a sentence, multiplied by these factors: one for the
#: sentences next to it, one for the sentences two places away.
_NEIGHBOURS = (0.5, 0.25)


def relevance_of(tokenized: TokenizedCluster, is_asked: Callable[[str], bool]) -> Floats | None:
    """Return the relevance of each sentence, 1 on average, or None if no sentence has a word of the question.

    The relevance of a sentence is the sum of the idf of the question's words in it, divided by the square
    root of its length. A part of the relevance of the two sentences before it and the two after it, in the
    same document, is added. ``is_asked`` tells whether a word belongs to the question.
    """
    held = [{term for term in terms if " " not in term and is_asked(term)} for terms in tokenized.tokens]
    frequency: dict[str, int] = {}
    for terms in held:
        for term in terms:
            frequency[term] = frequency.get(term, 0) + 1
    size = len(held)
    idf = {term: float(log(size / n)) + 1 / size for term, n in frequency.items()}
    length = np.array([max(sum(" " not in term for term in terms), 1) for terms in tokenized.tokens])
    alone = np.array([sum(idf[term] for term in sorted(terms)) for terms in held]) / np.sqrt(length)
    smooth = alone.copy()
    document = np.array([sentence.document for sentence in tokenized.cluster.sentences])
    for distance, share in enumerate(_NEIGHBOURS, start=1):
        together = document[distance:] == document[:-distance]
        smooth[distance:] += share * np.where(together, alone[:-distance], 0.0)
        smooth[:-distance] += share * np.where(together, alone[distance:], 0.0)
    return smooth / smooth.mean() if smooth.any() else None
