"""The paper's weights: TF-IDF through scikit-learn.

A cluster, all of its documents, is one TF-IDF document: term counts, smoothed idf ``ln((1+n)/(1+df)) + 1``,
the vector L2-normalized; then the weight of every word that occurs in the first sentence of any of the
cluster's documents is multiplied once by the boost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np

from summc.errors import NoSummaryError
from summc.records import Floats, TokenizedCluster, WordWeights
from summc.settings import plain

IDF_UNITS = ("cluster", "document", "sentence")


@dataclass(frozen=True, slots=True)
class Idf:
    """Document frequencies fitted on so many ``units`` of text, each a cluster, document or sentence."""

    vectorizer: Any
    unit: str
    units: int


def fit_idf(
    clusters: Sequence[TokenizedCluster],
    background: Sequence[TokenizedCluster] = (),
    *,
    unit: str = "cluster",
) -> Idf:
    """Fit idf on the clusters to be summarized and on the background.

    One lone cluster has no cluster-level idf, every word being in all one clusters: there the sentence
    is the unit.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 (a second of imports)

    collection = [*clusters, *background]
    if unit == "cluster" and len(collection) == 1:
        unit = "sentence"
    units = [terms for cluster in collection for terms in split_units(cluster, unit)]
    vectorizer = TfidfVectorizer(analyzer=list)
    try:
        vectorizer.fit(units)
    except ValueError:  # an empty vocabulary
        names = ", ".join(cluster.cluster.id for cluster in clusters[:3])
        raise NoSummaryError(names, "no words to weigh", "keep stop words or give more text") from None
    return Idf(vectorizer, unit, len(units))


def split_units(tokenized: TokenizedCluster, unit: str) -> list[list[str]]:
    """Return the terms of each unit of a cluster: of all of it, of each document, or of each sentence."""
    if unit == "sentence":
        return [list(terms) for terms in tokenized.tokens]
    grouped: list[list[str]] = [[] for _ in tokenized.cluster.documents]
    for sentence, terms in zip(tokenized.cluster.sentences, tokenized.tokens, strict=True):
        grouped[sentence.document].extend(terms)
    return grouped if unit == "document" else [[term for terms in grouped for term in terms]]


def weigh(tokenized: TokenizedCluster, idf: Idf, *, first_sentence_boost: float = 1.5) -> WordWeights:
    """Return the words of a cluster, sorted, with their weights w_a."""
    row = idf.vectorizer.transform(split_units(tokenized, "cluster"))
    columns = np.sort(row.indices)
    words = tuple(str(word) for word in idf.vectorizer.get_feature_names_out()[columns])
    weight = row.toarray()[0, columns]
    boosted = first_sentence_words(tokenized)
    weight[[word in boosted for word in words]] *= first_sentence_boost
    weight.flags.writeable = False
    return WordWeights(words, weight, idf.unit)


def first_sentence_words(tokenized: TokenizedCluster) -> frozenset[str]:
    """Return the words that occur in the first sentence of any document."""
    firsts: Iterable[tuple[str, ...]] = (
        terms
        for sentence, terms in zip(tokenized.cluster.sentences, tokenized.tokens, strict=True)
        if sentence.position == 0
    )
    return frozenset(term for terms in firsts for term in terms)


@dataclass(frozen=True, slots=True)
class TfIdf:
    """The paper's weighting, with its settings."""

    others: ClassVar[bool] = True

    first_sentence_boost: float = 1.5
    idf_unit: str = "cluster"

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> _Fitted:
        """Return it fitted on the clusters to be summarized and on the background."""
        return _Fitted(fit_idf(clusters, background, unit=self.idf_unit), self.first_sentence_boost)


@dataclass(frozen=True, slots=True)
class _Fitted:
    idf: Idf
    boost: float

    @property
    def unit(self) -> str:
        """What idf really counts."""
        return self.idf.unit

    @property
    def signature(self) -> Mapping[str, Any]:
        """What idf counts, the boost, and whose TF-IDF it is."""
        return {
            "idf": f"{self.idf.unit}/{self.idf.units}",
            "background": "",
            "boost": plain(self.boost),
            "scikit-learn": version("scikit-learn"),
        }

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the words of a cluster and what each is worth."""
        weights = weigh(tokenized, self.idf, first_sentence_boost=self.boost)
        return weights.words, weights.weight
