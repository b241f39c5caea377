"""The paper's weights: TF-IDF.

All documents of a cluster together are one TF-IDF document: term counts times the smoothed idf
``ln((1+n)/(1+df)) + 1``, L2-normalized. Here df of n units contain the term; a unit is a cluster, a document
or a sentence, as the setting ``idf_unit`` says. If a word occurs in the first sentence of any document, its
weight is multiplied by ``first_sentence_boost``, once.

scikit-learn takes a second to import, so this module has its own TF-IDF. ``tfidf=scikit-learn`` selects
scikit-learn instead; tests check that both give exactly the same weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from summc.errors import NoSummaryError
from summc.records import Floats, TokenizedCluster, WordWeights
from summc.settings import setting
from summc.system.versions import version
from summc.text.arithmetic import log
from summc.text.numbers import plain
from summc.weights.base import Asked
from summc.weights.coverage import CoverageWeighting

IDF_UNITS = ("cluster", "document", "sentence")


class Tfidf(Protocol):
    """An object that knows how common each word is, and computes the TF-IDF of a text."""

    def weigh(self, terms: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
        """Return the words of a text, sorted, and the TF-IDF of each, L2-normalized."""


@dataclass(frozen=True, slots=True)
class Idf:
    """How common each word is: how many clusters, documents or sentences contain it.

    ``tfidf`` has these counts. ``unit`` says what was counted: "cluster", "document" or "sentence"; ``units``
    is their number.
    """

    tfidf: Tfidf
    unit: str
    units: int


@dataclass(frozen=True, slots=True)
class PlainTfidf:
    """TF-IDF computed with NumPy.

    ``frequency`` says how many of the ``units`` (clusters, documents or sentences) contain each word.
    """

    frequency: Mapping[str, int]
    units: int

    @classmethod
    def fit(cls, units: Iterable[Sequence[str]]) -> PlainTfidf:
        """Count how many units contain each word; ``units`` has the words of each unit."""
        frequency: Counter[str] = Counter()
        count = 0
        for terms in units:
            frequency.update(set(terms))
            count += 1
        return cls(frequency, count)

    def weigh(self, terms: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
        """Return the words of a text, sorted, and the TF-IDF of each, L2-normalized.

        Words that did not occur in the text it was fitted on are left out.
        """
        counts = Counter(terms)
        words = sorted(word for word in counts if word in self.frequency)
        idf = (1.0 + self.units) / (1.0 + np.array([self.frequency[word] for word in words], dtype=float))
        value = np.array([counts[word] for word in words], dtype=float) * (log(idf) + 1.0)
        # cumsum adds in the same order as scikit-learn. np.sum adds pairwise, so the last bits would differ.
        length = np.sqrt(np.cumsum(value * value)[-1:])
        return tuple(words), value / length


@dataclass(frozen=True, slots=True)
class SklearnTfidf:
    """TF-IDF computed with scikit-learn's ``TfidfVectorizer``."""

    vectorizer: Any

    @classmethod
    def fit(cls, units: Iterable[Sequence[str]]) -> SklearnTfidf:
        """Fit scikit-learn's TF-IDF; ``units`` has the words of each unit.

        scikit-learn raises an error if there is no word at all.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 (a second of imports)

        texts = list(units)
        vectorizer = TfidfVectorizer(analyzer=list).fit(texts)
        # The last digits of scikit-learn's logarithm depend on the processor, so we take our own.
        holders = np.rint((1.0 + len(texts)) / np.exp(vectorizer.idf_ - 1.0))  # 1 + df of each word
        vectorizer.idf_ = log((1.0 + len(texts)) / holders) + 1.0
        return cls(vectorizer)

    def weigh(self, terms: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
        """Return the words of a text, sorted, and the TF-IDF of each, L2-normalized.

        Words that did not occur in the text it was fitted on are left out.
        """
        row = self.vectorizer.transform([terms])
        columns = np.sort(row.indices)
        words = tuple(str(word) for word in self.vectorizer.get_feature_names_out()[columns])
        return words, row.toarray()[0, columns]


#: The name a user types -> the class that computes TF-IDF.
TFIDFS: Mapping[str, type[PlainTfidf | SklearnTfidf]] = {"numpy": PlainTfidf, "scikit-learn": SklearnTfidf}


def fit_idf(
    clusters: Sequence[TokenizedCluster],
    background: Sequence[TokenizedCluster] = (),
    *,
    unit: str = "cluster",
    tfidf: str = "numpy",
) -> Idf:
    """Return document frequencies, fitted on the clusters to be summarized and on the background texts.

    ``unit`` says what is counted: "cluster", "document" or "sentence". If there is only one cluster in all,
    every word is in every cluster, so sentences are counted instead of clusters. ``tfidf`` is the library to
    use, a key of ``TFIDFS``.
    """
    collection = [*clusters, *background]
    if unit == "cluster" and len(collection) == 1:
        unit = "sentence"
    if not any(terms for cluster in collection for terms in cluster.tokens):
        names = ", ".join(cluster.cluster.id for cluster in clusters[:3])
        raise NoSummaryError(names, "no words to weigh", "keep stop words or give more text")
    fitted = TFIDFS[tfidf].fit(terms for cluster in collection for terms in split_units(cluster, unit))
    return Idf(fitted, unit, sum(_count_units(cluster, unit) for cluster in collection))


def split_units(tokenized: TokenizedCluster, unit: str) -> Iterator[Sequence[str]]:
    """Yield the terms of each unit of a cluster.

    ``unit`` says what a unit is: "cluster" (the whole cluster), "document" or "sentence".
    """
    if unit == "sentence":
        yield from tokenized.tokens
        return
    grouped: list[list[str]] = [[] for _ in tokenized.cluster.documents]
    for sentence, terms in zip(tokenized.cluster.sentences, tokenized.tokens, strict=True):
        grouped[sentence.document].extend(terms)
    if unit == "document":
        yield from grouped
    else:
        yield [term for terms in grouped for term in terms]


def _count_units(tokenized: TokenizedCluster, unit: str) -> int:
    return {"cluster": 1, "document": len(tokenized.cluster.documents), "sentence": tokenized.index.size}[
        unit
    ]


def weigh(
    tokenized: TokenizedCluster, idf: Idf, *, first_sentence_boost: float = 1.5
) -> tuple[tuple[str, ...], Floats]:
    """Return the words of a cluster, sorted, with their weights w_a.

    The weight is the TF-IDF of the word. It is multiplied by ``first_sentence_boost`` if the word occurs in
    the first sentence of any document.
    """
    words, weight = idf.tfidf.weigh([term for terms in tokenized.tokens for term in terms])
    boosted = first_sentence_words(tokenized)
    weight[[word in boosted for word in words]] *= first_sentence_boost
    return words, weight


def first_sentence_words(tokenized: TokenizedCluster) -> frozenset[str]:
    """Return the words that occur in the first sentence of any document."""
    firsts: Iterable[tuple[str, ...]] = (
        terms
        for sentence, terms in zip(tokenized.cluster.sentences, tokenized.tokens, strict=True)
        if sentence.position == 0
    )
    return frozenset(term for terms in firsts for term in terms)


@dataclass(frozen=True, slots=True)
class TfIdf(CoverageWeighting):
    """TF-IDF, the weighting of Kitano and Takeda's paper, with its settings."""

    others: ClassVar[bool] = True
    needs_stopwords: ClassVar[bool] = False

    first_sentence_boost: float = setting(
        1.5, "tfidf: factor for words in the first sentence of a document.", at_least=0, at_most=1e9
    )
    idf_unit: str = setting(
        "cluster",
        "tfidf: what counts as a document. With one cluster, cluster means sentence.",
        choices=IDF_UNITS,
    )
    tfidf: str = setting(
        "numpy", "tfidf: library that computes the weights; they are the same.", choices=tuple(TFIDFS)
    )

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> _Fitted:
        """Return the weighting fitted on the clusters to be summarized and on the background texts."""
        return _Fitted(self, fit_idf(clusters, background, unit=self.idf_unit, tfidf=self.tfidf))


@dataclass(frozen=True, slots=True)
class _Fitted:
    settings: TfIdf
    idf: Idf

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings to be printed with a result: idf, boost, and scikit-learn's version if it is used.

        ``idf`` says what was counted to find how common a word is, and how many there are: "cluster/50".
        """
        return {
            "idf": f"{self.idf.unit}/{self.idf.units}",
            "background": "",
            "boost": plain(self.settings.first_sentence_boost),
            **({"scikit-learn": version("scikit-learn")} if isinstance(self.idf.tfidf, SklearnTfidf) else {}),
        }

    def weigh(self, text: TokenizedCluster, length: float, is_asked: Asked = None) -> WordWeights:  # noqa: ARG002
        """Return the words of a cluster and their weights, which do not depend on the length."""
        words, weight = weigh(text, self.idf, first_sentence_boost=self.settings.first_sentence_boost)
        return self.settings.shaped(text, words, weight, is_asked, self.idf.unit)
