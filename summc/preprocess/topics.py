"""Split clusters by topic: make one cluster for each story, with a title made of its words.

A story is a group of documents about the same event or topic.
"""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from summc.errors import as_typed
from summc.preprocess.analysis import Analysis
from summc.preprocess.grouping import (
    FEW_DOCUMENTS,
    check_size,
    document_vectors,
    group,
    own_slug,
    plain_stories,
    telling_terms,
    title_of,
)
from summc.preprocess.order import cut_datelines
from summc.preprocess.terms import make_stemmer, stemmer_used, stop_terms, term_spans
from summc.records import Cluster, Document, TokenizedCluster

log = logging.getLogger("summc")

#: The largest number of words that are considered for a title, and the largest number of sentences in which
#: the spelling of each word is looked up.
_WORDS, _SENTENCES = 8, 40
#: Terms that are never used in titles. Titles are made of words that are rarer in other stories, but if there
#: is only one story, nothing else would exclude these.
_SAYING = frozenset({"said", "say", "sai", "told"})


def by_topic(clusters: Iterable[Cluster], analysis: Analysis) -> Iterator[Cluster]:
    """Yield a new cluster for each story of each cluster.

    Larger stories come first; stories of the same size are in the order of their first documents. The id of
    a new cluster is the id of the old one and the title of the story. A new cluster has no references,
    because the references are summaries of the whole old cluster.
    """
    for cluster in clusters:
        check_size(cluster.id, len(cluster.documents))
        tokenized = analysis.concepts_of(cut_datelines(cluster))
        vectors = document_vectors(tokenized, stop_terms(analysis.settings.stemmer, cluster.language))
        stories = [sorted(each) for each in group(vectors)]
        taken: Counter[str] = Counter()
        for members in sorted(stories, key=lambda story: (-len(story), story[0])):
            terms = [term for term in telling_terms(vectors, members) if term not in _SAYING][:_WORDS]
            title = _title(tokenized, terms, frozenset(members), analysis)
            documents = [cluster.documents[i] for i in members]
            yield _story(cluster, documents, title or documents[0].id, taken)


def warn_of_stories(tokenized: TokenizedCluster, analysis: Analysis) -> None:
    """Warn if a cluster clearly contains several stories, because one summary would mix them."""
    cluster = tokenized.cluster
    stories = plain_stories(tokenized, stop_terms(analysis.settings.stemmer, cluster.language))
    if stories > 1:
        documents = len(cluster.documents)
        more = " or more" if documents > FEW_DOCUMENTS else ""
        found = f"these {documents:,} documents look like {stories} stories{more}"
        log.warning("%s: %s; %s summarizes each by itself", cluster.id, found, as_typed("by_topic"))


def _story(cluster: Cluster, documents: Sequence[Document], title: str, taken: Counter[str]) -> Cluster:
    numbered = tuple(
        dataclasses.replace(
            document, sentences=tuple(dataclasses.replace(s, document=number) for s in document.sentences)
        )
        for number, document in enumerate(documents)
    )
    id_ = f"{cluster.id}/{own_slug(title, taken)}"
    return dataclasses.replace(cluster, id=id_, documents=numbered, references=(), title=title)


def _title(
    tokenized: TokenizedCluster, terms: Sequence[str], members: frozenset[int], analysis: Analysis
) -> str:
    """Return a title for a story, made of some of the terms, or "" if no term can be used.

    Each term is spelled as in the first sentences that contain it. ``members`` has the indices of the
    documents of the story; only their sentences are used.
    """
    cluster = tokenized.cluster
    stem = make_stemmer(stemmer_used(analysis.settings.stemmer, cluster.language), cluster.language)
    left = dict.fromkeys(terms, _SENTENCES)
    sentences = []
    for sentence, tokens in zip(cluster.sentences, tokenized.tokens, strict=True):
        held = left.keys() & tokens if sentence.document in members else ()
        if held:
            spans = term_spans(sentence.text, cluster.language, stem, frozenset())
            sentences.append([(span.term, sentence.text[span.start : span.end]) for span in spans])
        for term in held:
            left[term] -= 1
            if not left[term]:
                del left[term]
    return title_of(terms, sentences)
