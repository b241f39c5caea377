"""Tell texts in which one voice says everything once from texts in which many say the same.

Where many say the same, what is said often is what matters, and frequency finds it. Where one voice says
everything once, there is little to count, and what a sentence does says more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from summc.records import TokenizedCluster, distinct

#: The support of frequency is a sum of three numbers: in how many other sentences a content word is on
#: average, in what share of them, and in how many other documents, each divided by one of these. Support of 2
#: is many voices, support of 1 is one. Chosen on invented everyday texts, reviews, stories and contracts.
_SENTENCES, _SHARE, _DOCUMENTS = 2.5, 0.1, 0.5
#: In a text of fewer words, a word that occurs twice is already much; frequency counts as well.
_SHORT = 400


def content_words(text: TokenizedCluster) -> NDArray[np.bool_]:
    """Return a mask of the concepts that are single words, but no function words, shape (M,)."""
    index = text.index
    return ~index.is_bigram & ~np.isin(index.words, list(text.function_terms))


def one_voice(text: TokenizedCluster) -> float:
    """Return how far a cluster is one voice that says everything once, from 0 (reports, papers) to 1."""
    index, cluster = text.index, text.cluster
    if any(sentence.kind == "abstract" for sentence in cluster.sentences):
        return 0.0  # the abstract says first what matters
    sentence, concept, _ = index.held
    holders = np.bincount(concept, minlength=len(index.words)) * content_words(text)
    held = max(int(holders.sum()), 1)
    documents = len(cluster.documents)
    home = np.array([each.document for each in cluster.sentences], dtype=np.int64)
    pairs = distinct(concept.astype(np.int64) * documents + home[sentence])
    others = np.bincount(pairs // documents, minlength=len(index.words)) - 1
    sentences_sharing = float((holders * (holders - 1)).sum()) / held
    documents_sharing = float((holders * others).sum()) / held
    support = (
        sentences_sharing / _SENTENCES
        + sentences_sharing / max(index.size - 1, 1) / _SHARE
        + documents_sharing / _DOCUMENTS
    )
    words = sum(each.words for each in cluster.sentences)
    return min(max(2.0 - support, 0.0), 1.0) * min(words / _SHORT, 1.0)
