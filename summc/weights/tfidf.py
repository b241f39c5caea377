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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from summc.errors import NoSummaryError
from summc.records import Floats, Question, TokenizedCluster, WordWeights
from summc.settings import setting
from summc.system.versions import version
from summc.text.arithmetic import log
from summc.text.numbers import plain
from summc.weights.coverage import CoverageWeighting

IDF_UNITS = ("cluster", "document", "sentence")


class PlainTfidf:
    """TF-IDF computed with NumPy, fitted on the words of each unit."""

    def __init__(self, units: Sequence[Sequence[str]]) -> None:
        self.frequency = Counter(term for terms in units for term in set(terms))
        self.units = len(units)

    def weigh(self, terms: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
        """Return the words of a text that were fitted, sorted, and the TF-IDF of each, L2-normalized."""
        counts = Counter(terms)
        words = sorted(word for word in counts if word in self.frequency)
        idf = (1.0 + self.units) / (1.0 + np.array([self.frequency[word] for word in words], dtype=float))
        value = np.array([counts[word] for word in words], dtype=float) * (log(idf) + 1.0)
        # cumsum adds in the same order as scikit-learn. np.sum adds pairwise, so the last bits would differ.
        length = np.sqrt(np.cumsum(value * value)[-1:])
        return tuple(words), value / length


class SklearnTfidf:
    """The same computed with scikit-learn's ``TfidfVectorizer``."""

    def __init__(self, units: Sequence[Sequence[str]]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 (a second of imports)

        self.vectorizer = TfidfVectorizer(analyzer=list).fit(units)
        # The last digits of scikit-learn's logarithm depend on the processor, so we take our own.
        holders = np.rint((1.0 + len(units)) / np.exp(self.vectorizer.idf_ - 1.0))  # 1 + df of each word
        self.vectorizer.idf_ = log((1.0 + len(units)) / holders) + 1.0

    def weigh(self, terms: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
        """Return the words of a text that were fitted, sorted, and the TF-IDF of each, L2-normalized."""
        row = self.vectorizer.transform([terms])
        columns = np.sort(row.indices)
        words = tuple(str(word) for word in self.vectorizer.get_feature_names_out()[columns])
        return words, row.toarray()[0, columns]


#: The name a user types -> the class that computes TF-IDF.
TFIDFS: Mapping[str, type[PlainTfidf | SklearnTfidf]] = {"numpy": PlainTfidf, "scikit-learn": SklearnTfidf}


@dataclass(frozen=True, slots=True)
class TfIdf(CoverageWeighting):
    """TF-IDF, the weighting of Kitano and Takeda's paper, with its settings."""

    uses_other_texts: ClassVar[bool] = True
    needs_stopwords: ClassVar[bool] = False

    first_sentence_boost: float = setting(
        1.5, "tfidf: factor for words in the first sentence of a document.", at_least=0, at_most=1e9
    )
    idf_unit: str = setting(
        "cluster", "tfidf: what counts as a document. With one cluster, cluster means sentence.",
        choices=IDF_UNITS,
    )  # fmt: skip
    tfidf: str = setting(
        "numpy", "tfidf: library that computes the weights; they are the same.", choices=tuple(TFIDFS)
    )

    def fit(
        self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]
    ) -> TfIdfWeigher:
        """Return the weighting fitted on the clusters to be summarized and on the background texts.

        If there is only one cluster in all, every word is in every cluster, so sentences are counted instead.
        """
        collection = [*clusters, *background]
        unit = "sentence" if self.idf_unit == "cluster" and len(collection) == 1 else self.idf_unit
        if not any(text.index.concepts for text in collection):
            names = ", ".join(text.cluster.id for text in clusters[:3])
            raise NoSummaryError(names, "no words to weigh", "keep stop words or give more text")
        units = [terms for text in collection for terms in _split(text, unit)]
        return TfIdfWeigher(self, TFIDFS[self.tfidf](units), unit, len(units))


def _split(tokenized: TokenizedCluster, unit: str) -> Sequence[Sequence[str]]:
    """Return the terms of each unit of a cluster; a unit is one of ``IDF_UNITS``."""
    if unit == "sentence":
        return tokenized.tokens
    grouped: list[list[str]] = [[] for _ in tokenized.cluster.documents]
    for sentence, terms in zip(tokenized.cluster.sentences, tokenized.tokens, strict=True):
        grouped[sentence.document].extend(terms)
    return grouped if unit == "document" else [list(chain.from_iterable(grouped))]


@dataclass(frozen=True, slots=True)
class TfIdfWeigher:
    """TF-IDF that has counted how many of the ``units`` contain each word; ``unit`` says what was counted."""

    settings: TfIdf
    tfidf: PlainTfidf | SklearnTfidf
    unit: str
    units: int

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings to be printed with a result; ``idf`` says what was counted: "cluster/50"."""
        return {
            "idf": f"{self.unit}/{self.units}",
            "background": "",
            "boost": plain(self.settings.first_sentence_boost),
            **({"scikit-learn": version("scikit-learn")} if isinstance(self.tfidf, SklearnTfidf) else {}),
        }

    def weigh(
        self,
        tokenized: TokenizedCluster,
        length: float,  # noqa: ARG002
        question: Question | None = None,
    ) -> WordWeights:
        """Return the words of a cluster and their weights, which do not depend on the length."""
        words, weight = self.tfidf.weigh(list(chain.from_iterable(tokenized.tokens)))
        pairs = zip(tokenized.cluster.sentences, tokenized.tokens, strict=True)
        first = {term for sentence, terms in pairs if sentence.position == 0 for term in terms}
        weight[[word in first for word in words]] *= self.settings.first_sentence_boost
        return self.settings.as_weights(tokenized, words, weight, question, self.unit)
