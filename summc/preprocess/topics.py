"""Split clusters by topic: one cluster for each story, with a title made of its words."""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from summc.errors import named
from summc.preprocess.analysis import Analysis
from summc.preprocess.datelines import cut_datelines
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
from summc.preprocess.terms import make_stemmer, stemmer_used, stop_terms, term_spans
from summc.records import Cluster, Document, TokenizedCluster

log = logging.getLogger("summc")

#: How many words are considered for a title, and in how many sentences the spelling of each is looked up.
_WORDS, _SENTENCES = 8, 40
#: Terms kept out of English titles: if all documents tell one story, no contrast removes them.
_SAYING = frozenset({"said", "say", "sai", "told"})


def by_topic(clusters: Iterable[Cluster], analysis: Analysis) -> Iterator[Cluster]:
    """Yield a cluster for each story of each cluster; larger stories first, then by their first document.

    Its id is the cluster's id and the title. It has no references, because those are of the whole cluster.
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
    """Warn if a cluster clearly holds several stories, because they would share one summary."""
    cluster = tokenized.cluster
    stories = plain_stories(tokenized, stop_terms(analysis.settings.stemmer, cluster.language))
    if stories > 1:
        documents = len(cluster.documents)
        more = " or more" if documents > FEW_DOCUMENTS else ""
        found = f"these {documents:,} documents look like {stories} stories{more}"
        log.warning("%s: %s; %s summarizes each by itself", cluster.id, found, named("by_topic"))


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
    """Return a title made of terms, each spelled as in the first sentences of its documents (``members``)."""
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
