"""Turn text into terms and concepts, by the settings of stage 2."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from summc.preprocess.terms import STEMMERS, Span, find_terms, stop_terms, term_finder, term_spans, terms
from summc.records import Cluster, ConceptIndex, TokenizedCluster, distinct, distinct_with_index
from summc.settings import setting

#: Kinds of concepts: words are those of Kitano and Takeda's paper, and bigrams those of ICSISumm (Gillick and
#: Favre, ILP-NLP 2009).
CONCEPTS = ("words", "bigrams", "words+bigrams")
#: The repetition in a text is the sum of three means over its content words, each divided by one of these:
#: the number of other sentences with the word, their share of all, and the number of other documents with it.
#: If the sum is 2 or more, many voices say the same; if it is 1 or less, one voice says everything once.
#: Chosen on invented everyday texts, reviews, stories and contracts.
_SENTENCES, _SHARE, _DOCUMENTS = 2.5, 0.1, 0.5
#: In a text of fewer words, a word that occurs twice is already much. So frequency counts more, the shorter
#: the text is. (The square was chosen on dialogues of some 100 words.)
_SHORT = 400


def concepts_among(terms: ConceptIndex, stop: frozenset[str], kinds: str) -> ConceptIndex:
    """Return the concepts of each sentence, given its terms: first its words, then its bigrams, in order.

    A concept that consists only of terms in ``stop`` is left out. ``kinds`` is one of ``CONCEPTS``.
    """
    term, sentence = terms.concept.astype(np.int64), terms.sentence
    is_stop = np.fromiter(map(stop.__contains__, terms.concepts), dtype=bool, count=len(terms.concepts))[term]
    # A concept is a number here: most bigrams occur once, and texts take twice as long to compare. The
    # numbers ascend as the texts do: "dam", "dam broke", "damage".
    size = len(terms.concepts) + 1
    parts = []
    if "words" in kinds:
        at = np.flatnonzero(~is_stop)
        parts.append((sentence[at], term[at] * size))
    if "bigrams" in kinds:
        at = np.flatnonzero((sentence[1:] == sentence[:-1]) & ~(is_stop[1:] & is_stop[:-1]))
        parts.append((sentence[at], term[at] * size + term[at + 1] + 1))
    home, number = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(home, kind="stable")
    once, concept = distinct_with_index(number[order])
    first, second = np.divmod(once, size)
    texts = np.array(terms.concepts, dtype=object)
    after = np.array(["", *map(" {}".format, terms.concepts)], dtype=object)
    words = tuple(texts[first] + after[second])  # "dam" and nothing, or "dam" and " broke"
    return ConceptIndex(words, concept.astype(np.int32), home[order], terms.size)


def one_voice(tokenized: TokenizedCluster) -> float:
    """Return how far a cluster is one voice that says everything once, from 0 (reports, papers) to 1.

    If many voices say the same, the most frequent words matter most. If one voice says everything once,
    frequency tells little, and what a sentence does (see ``weights.mixed``) tells more.
    """
    index, cluster = tokenized.index, tokenized.cluster
    if tokenized.has_abstract:
        return 0.0
    sentence, concept, _ = index.pairs
    holders = np.bincount(concept, minlength=len(index.concepts)) * tokenized.is_content_word
    total = max(int(holders.sum()), 1)
    documents = len(cluster.documents)
    pairs = distinct(concept.astype(np.int64) * documents + cluster.document_of[sentence])
    other_documents = np.bincount(pairs // documents, minlength=len(index.concepts)) - 1
    sentences_sharing = float((holders * (holders - 1)).sum()) / total
    documents_sharing = float((holders * other_documents).sum()) / total
    repetition = sentences_sharing / _SENTENCES + sentences_sharing / max(index.size - 1, 1) / _SHARE
    repetition += documents_sharing / _DOCUMENTS
    return min(max(2.0 - repetition, 0.0), 1.0) * min(float(cluster.lengths.sum()) / _SHORT, 1.0) ** 2


def is_bigram(concept: str) -> bool:
    """Tell whether a concept is a bigram, which has two terms."""
    return " " in concept


ORDERS = ("dates", "given")
#: When labels stand above sentences; "auto": where documents tell several stories, or sentences are from
#: several sections of a document.
LABELS = ("auto", "always", "never")


@dataclass(frozen=True, slots=True)
class PreprocessSettings:
    """The settings by which stage 2 finds terms and concepts, and sorts documents."""

    stemmer: str = setting(
        "porter", "Stemmer. porter is for English; other languages use snowball instead.", choices=STEMMERS
    )
    remove_stopwords: bool = setting(True, "Cover no stop words.", off="keep-stopwords")  # noqa: FBT003
    concepts: str = setting("words+bigrams", "What a summary has to cover.", choices=CONCEPTS)
    order: str = setting("dates", "Order of the documents: by date, or as given.", choices=ORDERS)
    labels: str = setting(
        "auto", "Name documents and sections above sentences; auto: where they differ.", choices=LABELS,
        heading="Output",
    )  # fmt: skip
    tokenizer: str = setting(
        "", "Counts tokens: FILE.json, PACKAGE or MODULE:FUNCTION.", metavar="NAME", heading="Length"
    )


@functools.cache
def _terms_finder(language: str, stemmer: str, remove_stopwords: bool) -> Callable[[str], frozenset[str]]:  # noqa: FBT001
    term_of = term_finder(language, stemmer, remove_stopwords)
    return lambda text: frozenset(terms(text, language, term_of))


@dataclass(frozen=True, slots=True)
class Preprocessor:
    """Finds terms and concepts by the settings of stage 2.

    ``keeps_stopwords`` keeps stop words among the concepts, for a weighting that gives them weight.
    """

    settings: PreprocessSettings
    keeps_stopwords: bool = False

    @property
    def removes_stopwords(self) -> bool:
        """Whether stop words are left out of the concepts."""
        return self.settings.remove_stopwords and not self.keeps_stopwords

    def concepts_of(self, cluster: Cluster) -> TokenizedCluster:
        """Return a cluster with the concepts of each of its sentences."""
        kinds = self.settings.concepts
        # Form bigrams before removing stop words. Otherwise terms that are not neighbours would form bigrams.
        remove = self.removes_stopwords and kinds == "words"
        tokenized = find_terms(cluster, stemmer=self.settings.stemmer, remove_stopwords=remove)
        function_terms = self.stop_terms(cluster.language)
        stop = function_terms if self.removes_stopwords and not remove else frozenset()
        index = concepts_among(tokenized.index, stop, kinds)
        return dataclasses.replace(tokenized, index=index, function_terms=function_terms)

    def with_function_terms(self, tokenized: TokenizedCluster) -> TokenizedCluster:
        """Return a cluster that knows the terms of its function words."""
        return dataclasses.replace(tokenized, function_terms=self.stop_terms(tokenized.cluster.language))

    def content_of(self, tokenized: TokenizedCluster) -> TokenizedCluster:
        """Return a cluster without concepts that consist only of stop words, unless the user keeps those."""
        index, stop = tokenized.index, self.stop_terms(tokenized.cluster.language)
        has_content = [not stop.issuperset(concept.split(" ")) for concept in index.concepts]
        return dataclasses.replace(tokenized, index=index.where(np.array(has_content, bool)[index.concept]))

    def stop_terms(self, language: str) -> frozenset[str]:
        """Return the terms of a language's stop words, or an empty set if the user keeps stop words."""
        return stop_terms(self.settings.stemmer, language) if self.settings.remove_stopwords else frozenset()

    def kept_stop_terms(self, language: str) -> frozenset[str]:
        """Return the terms of the stop words that stage 2 keeps for the weighting alone."""
        return stop_terms(self.settings.stemmer, language) if self.keeps_stopwords else frozenset()

    def terms_in(self, language: str) -> Callable[[str], frozenset[str]]:
        """Return a function that finds the terms of a text in a language, such as a user's query."""
        return _terms_finder(language, self.settings.stemmer, self.settings.remove_stopwords)

    def locate(self, cluster: Cluster) -> tuple[tuple[Span, ...], ...]:
        """Return, for each sentence, its concepts and the terms of its bigrams, and where each stands."""
        bigrams = self.settings.concepts != "words"
        term_of = term_finder(cluster.language, self.settings.stemmer, self.removes_stopwords and not bigrams)
        by_sentence = []
        for sentence in cluster.sentences:
            spans = term_spans(sentence.text_without_label, cluster.language, term_of)
            pairs = pairwise(spans) if bigrams else ()
            by_sentence.append((*spans, *(Span(a.start, b.end, f"{a.term} {b.term}") for a, b in pairs)))
        return tuple(by_sentence)
