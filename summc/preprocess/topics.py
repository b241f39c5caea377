"""Group documents that tell the same story, and make a cluster of each story, with a title made of its words.

A story is a group of documents about the same event or topic. The method is average linkage on the cosine of
word vectors: the two most similar groups are merged, again and again, until no two groups are similar enough.
So the method also finds the number of groups. Up to some hundred documents NumPy is fast enough, so that
checking for several stories hardly delays a summary. scikit-learn's average linkage finds about the same
groups, but importing it takes longer than a whole summary, and it needs five times the memory.

Documents of one genre, such as reports of incidents, share words too. So a group counts as a story only if
its documents resemble each other about as much as they resemble themselves (``cohesion``), and name the same
people, places or figures.

The constants were chosen on the French, Czech, Arabic and Hebrew texts of MultiLing 2011 and on the sample.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import TypeAlias

import numpy as np
import regex
from numpy.typing import NDArray

from summc.errors import SettingError, as_typed
from summc.preprocess.concepts import Preprocessor
from summc.preprocess.names import share_names
from summc.preprocess.order import cut_datelines, numbered
from summc.preprocess.terms import stop_terms, term_finder, term_spans
from summc.records import (
    Cluster,
    ConceptIndex,
    Floats,
    Indices,
    Mask,
    TokenizedCluster,
    distinct,
    distinct_with_index,
)
from summc.text.arithmetic import log as ln
from summc.text.arithmetic import power

Similarities: TypeAlias = "NDArray[np.float32]"

#: Early words count more: a word in the sentence at position p (from 0) counts (1 + p) to the power of minus
#: this.
_FADES = 0.75
#: Added to all document counts in the idf, so that all words have about the same idf if there are few
#: documents.
_PRIOR = 3
#: The factor for a word that occurs in only one document.
_IN_ONE_DOCUMENT = 0.6
#: Two groups are one story if the mean similarity of their documents reaches a threshold. The threshold is
#: ``_SHARE`` times the median, over all documents, of the mean similarity between a document and its
#: ``_NEAREST`` nearest ones. It is never below ``_LEAST`` or above ``_MOST``.
_SHARE, _NEAREST = 0.35, 3
_LEAST, _MOST = 0.08, 0.14
#: Two single documents may be similar by chance, so they need at least this similarity to be one story. Two
#: groups that form n pairs of documents need this / sqrt(n).
_LEAST_OF_ONE_PAIR = 0.2
#: For cohesion, a word in the sentence at position p counts (1 + p) to the power of minus this.
_LEAD_FADES = 1.5
#: Added to the similarity of a document with itself, which is near 0 if the document is short.
_SELF = 0.1
#: The cohesion of the documents of a story is at least ``_COHESION`` in the mean, and ``_BELONGS`` for each.
_COHESION, _BELONGS = 0.72, 0.36
#: The largest number of documents. The similarities of all pairs are kept in memory, which takes 1.6 GB for
#: this many documents.
MOST_DOCUMENTS = 20_000
#: Up to this many documents, NumPy multiplies dense matrices, and all stories of a folder are counted.
#: With more documents, SciPy multiplies sparse matrices, and only the stories in a sample are counted.
FEW_DOCUMENTS = 300
#: How many rows of the matrix of similarities are computed at once.
_ROWS = 1000
#: The largest number of words in a title, and of phrases.
_TITLE_WORDS, _TITLE_PHRASES = 4, 3
#: The largest number of words that are considered for a title, and the largest number of sentences in which
#: their spelling is looked up.
_WORDS, _SENTENCES = 8, 300
#: Terms that are never used in titles or as keywords. Titles are made of words that are rarer in other
#: stories, but if there is only one story, nothing else would exclude these.
SAYING = frozenset({"said", "say", "sai", "told"})
#: If two words begin with the same letters, this many, only one of them is used in a title: Iran, Iranian.
_ALIKE = 4
#: Weights are rounded to multiples of 1 / _UNIT before documents are compared.
_UNIT = 2.0**20
_TELLING = regex.compile(r"\p{L}[\p{L}\p{M}]{2}|\p{Han}|\p{Hiragana}|\p{Katakana}")
#: The number of a message or row in its file, at the end of the id of a document.
_PART = regex.compile(r"[#/]\d+(?:\.eml)?$")
_NOT_IN_SLUGS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


def by_topic(clusters: Iterable[Cluster], preprocessor: Preprocessor) -> Iterator[Cluster]:
    """Yield a new cluster for each story of each cluster, larger stories first.

    It has no references, because the references are summaries of the whole old cluster.
    """
    for cluster in clusters:
        if len(cluster.documents) > MOST_DOCUMENTS:
            size = f"{cluster.id} has {len(cluster.documents):,} documents"
            problem = f"{size}, and at most {MOST_DOCUMENTS:,} can be grouped"
            raise SettingError(as_typed("by_topic"), problem, "split the folder")
        tokenized = preprocessor.concepts_of(cut_datelines(cluster))
        left_out = stop_terms(preprocessor.settings.stemmer, cluster.language)
        vectors = document_vectors(tokenized, left_out)
        taken: Counter[str] = Counter()
        for members in stories_in(tokenized, left_out):
            terms = [term for term in _telling_terms(vectors, members) if term not in SAYING][:_WORDS]
            documents = tuple(numbered(cluster.documents[i] for i in members))
            title = _title(tokenized, terms, members, preprocessor) or documents[0].id
            id_ = f"{cluster.id}/{unique_slug(title, taken)}"
            yield dataclasses.replace(cluster, id=id_, documents=documents, references=(), title=title)


def count_stories(tokenized: TokenizedCluster, preprocessor: Preprocessor) -> int:
    """Return how many stories the documents of a cluster tell.

    Messages of a file, or rows of a table, that have the same title or name who speaks are one conversation,
    and so one story.
    Of more than ``FEW_DOCUMENTS``, a sample of that size is compared.
    """
    cluster, size = tokenized.cluster, len(tokenized.cluster.documents)
    parts = [
        _PART.sub(f"#{document.title}", document.id)
        if document.title or any(sentence.speaker for sentence in document.sentences)
        else document.id
        for document in cluster.documents
    ]
    if len(set(parts)) == 1 or cluster.title:  # a cluster with a title was made by ``by_topic``
        return 1
    some = distinct(np.linspace(0, size - 1, min(size, FEW_DOCUMENTS)).astype(np.int64)).tolist()
    left_out = stop_terms(preprocessor.settings.stemmer, cluster.language)
    return min(len(stories_in(tokenized, left_out, some)), len(set(parts)))


@dataclass(frozen=True, slots=True, eq=False)
class DocumentVectors:
    """A vector of word weights for each document, scaled to length 1, as a sparse matrix.

    Attributes:
        terms: the words of the cluster.
        documents: the number of documents.
        document, term, weight: the row, column and value of each entry, shape (E,). There is an entry for
            each document and each word in it, sorted by document, then word.
    """

    terms: tuple[str, ...]
    documents: int
    document: Indices
    term: Indices
    weight: Floats


def document_vectors(
    tokenized: TokenizedCluster, left_out: Collection[str] = (), documents: Sequence[int] | None = None
) -> DocumentVectors:
    """Return a vector of word weights for each document of a cluster, or for each of ``documents``.

    Bigrams are ignored unless there are no single words, and so are the terms in ``left_out``.
    """
    places, sentences = tokenized.index, tokenized.cluster.sentences
    looked_at = range(len(tokenized.cluster.documents)) if documents is None else documents
    size, total = len(looked_at), max(len(places.concepts), 1)
    number = np.full(len(tokenized.cluster.documents), -1)
    number[list(looked_at)] = np.arange(size)
    home = number[tokenized.cluster.document_of]
    early = power(1 + np.array([sentence.position for sentence in sentences]), -_FADES)
    is_counted = _counted(places, left_out, home >= 0)
    concept, sentence = places.concept[is_counted].astype(np.int64), places.sentence[is_counted]
    keys, entry = distinct_with_index(home[sentence] * total + concept)
    weight = np.sqrt(np.bincount(entry, weights=early[sentence], minlength=len(keys)))
    document, term = keys // total, keys % total
    holders = np.bincount(term, minlength=total)[term]
    weight *= np.where(holders > 1, 1.0, _IN_ONE_DOCUMENT) * (1 + ln((_PRIOR + size) / (_PRIOR + holders)))
    length = np.sqrt(np.bincount(document, weights=weight * weight, minlength=size))
    return DocumentVectors(places.concepts, size, document, term, weight / length[document])


def similarities(vectors: DocumentVectors) -> Similarities:
    """Return the cosine similarity of each pair of D documents, shape (D, D), with 0 on the diagonal."""
    size = vectors.documents
    shared = np.bincount(vectors.term, minlength=len(vectors.terms)) > 1
    number = np.cumsum(shared) - 1
    entries = shared[vectors.term]
    rows, columns = vectors.document[entries], number[vectors.term[entries]]
    # Whole numbers, whose products and sums are exact: the same on every processor.
    weight = np.rint(vectors.weight[entries] * _UNIT)
    shape = (size, max(int(shared.sum()), 1))
    if size <= FEW_DOCUMENTS:
        dense = np.zeros(shape)
        dense[rows, columns] = weight
        similar: Similarities = (dense @ dense.T / _UNIT**2).astype(np.float32)
    else:
        from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import, and rarely needed)

        sparse = csr_array((weight, (rows, columns)), shape=shape)
        other = sparse.T.tocsr()
        similar = np.empty((size, size), dtype=np.float32)
        for start in range(0, size, _ROWS):  # all rows at once would take several times the memory
            similar[start : start + _ROWS] = (sparse[start : start + _ROWS] @ other).toarray() / _UNIT**2
    np.fill_diagonal(similar, 0)
    return similar


def group(vectors: DocumentVectors) -> tuple[tuple[int, ...], ...]:
    """Return the documents of each story, as ascending indices: larger stories first, then by document."""
    if vectors.documents < 2:  # noqa: PLR2004 (nothing to compare)
        return tuple((document,) for document in range(vectors.documents))
    similar = similarities(vectors)
    labels = linked(similar, _threshold(similar))
    members: dict[int, list[int]] = {}
    for document, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(document)
    return tuple(sorted(map(tuple, members.values()), key=lambda documents: (-len(documents), documents[0])))


def stories_in(
    tokenized: TokenizedCluster, left_out: Collection[str] = (), documents: Sequence[int] | None = None
) -> tuple[tuple[int, ...], ...]:
    """Return the documents of each story, in the order of ``group``; by default of all documents.

    A document that does not belong to its group is a story by itself. If a group has too little cohesion,
    each of its documents is.
    """
    numbers = range(len(tokenized.cluster.documents)) if documents is None else documents
    found = group(document_vectors(tokenized, left_out, documents))
    groups = [tuple(map(numbers.__getitem__, members)) for members in found]
    close, stories = cohesion(tokenized, left_out, groups), list[tuple[int, ...]]()
    for members in groups:
        is_story = close[list(members)].mean() >= _COHESION
        is_story = is_story and share_names([tokenized.cluster.documents[i] for i in members])
        least = _BELONGS if is_story else np.inf
        stories += [(i,) for i in members if close[i] < least]
        stories.append(tuple(i for i in members if close[i] >= least))
    return tuple(sorted(filter(None, stories), key=lambda members: (-len(members), members[0])))


def cohesion(
    tokenized: TokenizedCluster, left_out: Collection[str], groups: Sequence[Sequence[int]]
) -> Floats:
    """Return how similar each document is to the rest of its group, shape (D,).

    This similarity is divided by that of the even sentences of a document to its odd ones, as a mean of the
    group. Long texts share many words whatever they are about, and texts in languages with many endings share
    few words; so do the even and the odd sentences of such a text.
    """
    index, documents, total = tokenized.index, len(tokenized.cluster.documents), len(tokenized.index.concepts)
    group_of = np.full(documents, -1)
    for number, members in enumerate(groups):
        group_of[list(members)] = number
    is_counted = _counted(index, left_out, (group_of >= 0)[tokenized.cluster.document_of])
    sentence = index.sentence[is_counted]
    home = tokenized.cluster.document_of[sentence]
    keys, entry = distinct_with_index(home * total + index.concept[is_counted])
    document = keys // max(total, 1)
    # The words of each group, and for each entry the index of its word among these.
    words, word = distinct_with_index(group_of[document] * total + keys % max(total, 1))
    sizes = np.bincount(group_of[group_of >= 0], minlength=len(groups))
    rarity = 1 + ln((_PRIOR + sizes[group_of[document]]) / (_PRIOR + np.bincount(word)[word]))
    position = np.array([s.position for s in tokenized.cluster.sentences], dtype=float)[sentence]
    early = power(1 + position, -_LEAD_FADES)

    def by_document(values: Floats) -> Floats:
        return np.asarray(np.bincount(document, values, documents), dtype=float)

    def scaled(weight: Floats) -> Floats:
        return np.asarray(weight / np.sqrt(np.maximum(by_document(weight * weight), 1e-300))[document])

    even, odd = (
        scaled(rarity * np.bincount(entry, early * (position % 2 == half), len(keys))) for half in (0, 1)
    )
    weight = scaled(even + odd)
    in_group = np.bincount(word, weight, len(words))  # the sum of the vectors of a group
    length = np.bincount(words // max(total, 1), in_group * in_group, len(groups))[group_of]
    to_group = by_document(weight * in_group[word])
    to_rest = (to_group - 1) / np.sqrt(np.maximum(length - 2 * to_group + 1, 1e-9))
    to_itself = np.bincount(group_of[group_of >= 0], by_document(even * odd)[group_of >= 0], len(groups))
    return np.asarray(to_rest / (_SELF + (to_itself / np.maximum(sizes, 1))[group_of]))


def _counted(index: ConceptIndex, left_out: Collection[str], is_used: Mask) -> Mask:
    """Return which occurrences of concepts count: those of single words in the sentences ``is_used``.

    Bigrams count if there are no single words.
    """
    is_left_out = np.fromiter(map(left_out.__contains__, index.concepts), bool, len(index.concepts))
    is_there = is_used[index.sentence]
    is_single = is_there & ~index.is_bigram[index.concept]
    return np.asarray((is_single if is_single.any() else is_there) & ~is_left_out[index.concept])


def _threshold(similar: Similarities) -> float:
    """Return the mean similarity that the documents of two large groups must have to be one story."""
    nearest = min(_NEAREST, len(similar) - 1)
    means = [
        np.partition(similar[start : start + _ROWS], -nearest, axis=1)[:, -nearest:].mean(axis=1)
        for start in range(0, len(similar), _ROWS)
    ]
    ascending = np.sort(np.concatenate(means))
    median = (ascending[(len(ascending) - 1) // 2] + ascending[len(ascending) // 2]) / 2
    return float(np.clip(_SHARE * median, _LEAST, _MOST))


def linked(similar: Similarities, threshold: float) -> Indices:
    """Merge similar groups of documents, and return the group of each document, shape (D,).

    Two groups may be merged if the mean similarity of their documents is at least ``threshold``; small groups
    need more (``_LEAST_OF_ONE_PAIR``). A group is identified by the lowest index of its documents.
    ``similar`` is overwritten: entry i, j becomes the sum of the similarities between documents of group i
    and of group j. The most similar partner of each group is stored, and searched for again only after that
    partner was merged.
    """
    size = np.ones(len(similar))
    label = np.arange(len(similar))
    partner, best = np.zeros(len(similar), dtype=np.intp), np.full(len(similar), -np.inf)
    np.fill_diagonal(similar, -np.inf)

    def look(row: int) -> None:
        pairs = size * size[row]
        mean = similar[row] / pairs
        mean[mean < np.maximum(threshold, _LEAST_OF_ONE_PAIR / np.sqrt(pairs))] = -np.inf
        partner[row] = mean.argmax()
        best[row] = mean[partner[row]]

    for row in range(len(similar)):
        look(row)
    while len(best) and best.max() > -np.inf:
        first = int(best.argmax())
        merged, gone = sorted((first, int(partner[first])))
        label[label == gone] = merged
        similar[merged] += similar[gone]
        similar[merged, merged] = -np.inf
        similar[:, merged] = similar[merged]
        similar[gone] = similar[:, gone] = -np.inf
        size[merged] += size[gone]
        best[gone] = -np.inf
        # The row of the merged group finds every pair with it, so other rows need not look at it.
        stale = (best > -np.inf) & ((partner == merged) | (partner == gone))
        for row in {merged, *np.flatnonzero(stale).tolist()}:
            look(row)
    return label


def _telling_terms(vectors: DocumentVectors, members: Sequence[int]) -> list[str]:
    """Return the words that distinguish a group of documents (``members``) from the rest, best first.

    The score of a word is its mean weight in the group minus that outside. If any word occurs in several
    documents of the group, words in only one of them are left out.
    """
    is_in = np.isin(vectors.document, members)
    number = len(vectors.terms)
    within = np.bincount(vectors.term[is_in], weights=vectors.weight[is_in], minlength=number) / len(members)
    rest = max(vectors.documents - len(members), 1)
    outside = np.bincount(vectors.term[~is_in], weights=vectors.weight[~is_in], minlength=number) / rest
    holders = np.bincount(vectors.term[is_in], minlength=number)
    score = np.where(holders > 0, within - outside, -np.inf)
    if (holders > 1).any():
        score[holders <= 1] = -np.inf
    order = np.argsort(-score, kind="stable").tolist()
    return [vectors.terms[a] for a in order if score[a] > -np.inf and _TELLING.search(vectors.terms[a])]


def _title(
    tokenized: TokenizedCluster, terms: Sequence[str], members: Sequence[int], preprocessor: Preprocessor
) -> str:
    """Return a title made of terms as the first sentences of these documents spell them, or ""."""
    cluster, inside, term_set = tokenized.cluster, frozenset(members), frozenset(terms)
    term_of = term_finder(cluster.language, preprocessor.settings.stemmer, remove_stopwords=False)
    pairs = zip(cluster.sentences, tokenized.tokens, strict=True)
    holding = (s for s, tokens in pairs if s.document in inside and not term_set.isdisjoint(tokens))
    sentences: list[list[tuple[str, str]]] = []
    for sentence in islice(holding, _SENTENCES):
        spans = term_spans(sentence.text_without_label, cluster.language, term_of)
        sentences.append([(span.term, sentence.text[span.start : span.end]) for span in spans])
    return title_of(terms, sentences)


def title_of(terms: Sequence[str], sentences: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Return a title made of the first few terms, each with its most frequent spelling in the sentences.

    A sentence is a list of pairs: a term, and its spelling. Words that are mostly neighbours in the text,
    such as a first name and a surname, are neighbours in the title. A word that begins like a word already in
    the title is left out. The first word of a sentence has a capital letter in any case, so its spelling is
    used only if the word occurs nowhere else.
    """
    inner = _forms(terms, (sentence[1:] for sentence in sentences))
    first = _forms(terms, (sentence[:1] for sentence in sentences))
    pairs: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        pairs.update((a, b) for (a, _), (b, _) in pairwise(sentence) if a in inner and b in inner and a != b)
    often = {term: inner[term].total() + first[term].total() for term in terms}

    def joined(a: str, b: str) -> bool:
        return 2 * pairs[a, b] >= min(often[a], often[b]) and pairs[a, b] > 1

    phrases: list[list[str]] = []
    for term in terms:
        chosen = [other for phrase in phrases for other in phrase]
        is_like = any(len(other) >= _ALIKE and term.startswith(other[:_ALIKE]) for other in chosen)
        if is_like or not often[term]:
            continue
        if after := next((phrase for phrase in phrases if joined(phrase[-1], term)), None):
            after.append(term)
        elif before := next((phrase for phrase in phrases if joined(term, phrase[0])), None):
            before.insert(0, term)
        elif len(phrases) < _TITLE_PHRASES:
            phrases.append([term])
        if len(chosen) + 1 == _TITLE_WORDS:
            break
    written = {term: (inner[term] or first[term]).most_common(1)[0][0] for term in terms if often[term]}
    return ", ".join(" ".join(written[term] for term in phrase) for phrase in phrases)


def _forms(terms: Iterable[str], sentences: Iterable[Sequence[tuple[str, str]]]) -> dict[str, Counter[str]]:
    """Return how often each spelling of each term occurs in the sentences."""
    forms: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for term, form in chain.from_iterable(sentences):
        if term in forms:
            forms[term][form] += 1
    return forms


def unique_slug(title: str, taken: Counter[str]) -> str:
    """Return a slug of a title that is not among those ``taken``, and add it to them."""
    slug = _NOT_IN_SLUGS.sub("-", title.casefold()).strip("-") or "untitled"
    taken[slug] += 1
    return slug if taken[slug] == 1 else unique_slug(f"{slug}-{taken[slug]}", taken)
