"""Clusters taken apart by topic: a cluster for each story, with a title of its own words."""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from summc.config import Config
from summc.grouping import (
    FEW_DOCUMENTS,
    check_size,
    document_vectors,
    group,
    own_slug,
    plain_stories,
    telling_terms,
    title_of,
)
from summc.pipeline import preprocess
from summc.preprocess import make_stemmer, stemmer_used, stop_terms, term_spans
from summc.records import Cluster, Document, TokenizedCluster

log = logging.getLogger("summc")

#: Which sentences may be chosen does not matter yet.
_ALL_SENTENCES = {"leave_out": ("nothing",), "least_words": 1, "most_words": 10**6, "most_overlap": 1.0}
#: Words that a title may be made of, and sentences in which the form of each is looked up.
_WORDS, _SENTENCES = 8, 40
#: Where all documents tell one story, nothing else keeps these terms out of an English title.
_SAYING = frozenset({"said", "say", "sai", "told"})


def by_topic(clusters: Iterable[Cluster], config: Config) -> Iterator[Cluster]:
    """Yield a cluster for each story in each cluster: the largest story first, of equals the one met first.

    The id is that of the cluster and the title. References are of the whole cluster, and so left out.
    """
    for cluster in clusters:
        check_size(cluster.id, len(cluster.documents))
        tokenized = preprocess(cluster, config.with_settings(_ALL_SENTENCES))
        read = tokenized.cluster.documents  # perhaps in another order
        vectors = document_vectors(tokenized, stop_terms(config.preprocess.stemmer, cluster.language))
        place = {document.id: index for index, document in enumerate(cluster.documents)}
        stories = [(each, sorted(place[read[i].id] for i in each)) for each in group(vectors)]
        taken: Counter[str] = Counter()
        for members, places in sorted(stories, key=lambda story: (-len(story[1]), story[1][0])):
            terms = [term for term in telling_terms(vectors, members) if term not in _SAYING][:_WORDS]
            title = _title(tokenized, terms, frozenset(members), config)
            documents = [cluster.documents[i] for i in places]
            yield _story(cluster, documents, title or documents[0].id, taken)


def warn_of_stories(tokenized: TokenizedCluster, config: Config) -> None:
    """Warn of a cluster that plainly holds several stories, which would share one summary."""
    cluster = tokenized.cluster
    stories = plain_stories(tokenized, stop_terms(config.preprocess.stemmer, cluster.language))
    if stories > 1:
        documents = len(cluster.documents)
        more = " or more" if documents > FEW_DOCUMENTS else ""
        found = f"these {documents:,} documents look like {stories} stories{more}"
        log.warning("%s: %s; --by-topic summarizes each by itself", cluster.id, found)


def _story(cluster: Cluster, documents: Sequence[Document], title: str, taken: Counter[str]) -> Cluster:
    numbered = tuple(
        dataclasses.replace(
            document, sentences=tuple(dataclasses.replace(s, document=number) for s in document.sentences)
        )
        for number, document in enumerate(documents)
    )
    id_ = f"{cluster.id}/{own_slug(title, taken)}"
    return dataclasses.replace(cluster, id=id_, documents=numbered, references=(), title=title)


def _title(tokenized: TokenizedCluster, terms: Sequence[str], members: frozenset[int], config: Config) -> str:
    """Return a title of terms, as the first sentences that hold them in a group of documents have them."""
    cluster = tokenized.cluster
    stem = make_stemmer(stemmer_used(config.preprocess.stemmer, cluster.language), cluster.language)
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
