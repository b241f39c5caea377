"""Group documents that tell the same story, by the words they share.

A story is a group of documents about the same event or topic. The method is average linkage on the cosine of
word vectors: the two most similar groups are merged, again and again, until no two groups are similar enough.
So the method also finds the number of groups. Up to some hundred documents NumPy is fast enough, so that
checking for several stories hardly delays a summary. scikit-learn's average linkage finds about the same
groups, but importing it takes longer than a whole summary, and it needs five times the memory.

The constants were chosen on the French, Czech, Arabic and Hebrew texts of MultiLing 2011 and on the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from summc.errors import SettingError, as_typed
from summc.records import Indices, TokenizedCluster, distinct
from summc.text.arithmetic import log, power

Similarities = NDArray[np.float32]

#: Early words count more: a word in the sentence at position p (from 0) counts (1 + p) to the power of minus
#: this.
_FADES = 0.75
#: Added to all document counts in the idf, so that all words have about the same idf if there are few
#: documents.
_PRIOR = 3
#: The factor for a word that occurs in only one document.
_OWN = 0.6
#: Two groups are one story if the mean similarity of their documents reaches a threshold. The threshold is
#: ``_SHARE`` times the median, over all documents, of the mean similarity between a document and its
#: ``_NEAREST`` nearest ones. It is never below ``_LEAST`` or above ``_MOST``.
_SHARE, _NEAREST = 0.35, 3
_LEAST, _MOST = 0.08, 0.14
#: Two single documents may be similar by chance, so they need at least this similarity to be one story. Two
#: groups that form n pairs of documents need this / sqrt(n).
_LEAST_OF_ONE_PAIR = 0.2
#: A folder clearly contains several stories only if at most this share of its documents is in a group alone.
_MOST_ALONE = 0.1
#: The size of the sample of documents that is compared first, to see whether there are several stories.
_LOOKED_AT = 60
#: The largest number of documents. The similarities of all pairs are kept in memory, which takes 1.6 GB for
#: this many documents.
MOST_DOCUMENTS = 20_000
#: Up to this many documents, NumPy multiplies dense matrices, and the warning of several stories counts all
#: stories. With more documents, SciPy multiplies sparse matrices, and the warning counts only the stories in
#: a sample of the documents.
FEW_DOCUMENTS = 300
#: How many rows of the matrix of similarities are computed at once.
_ROWS = 1000
#: The largest number of words in a title, and of phrases.
_TITLE_WORDS, _TITLE_PHRASES = 4, 3
#: If two words begin with the same letters, this many, only one of them is used in a title: Iran, Iranian.
_ALIKE = 4
#: Weights are rounded to multiples of 1 / _UNIT before documents are compared.
_UNIT = 2.0**20
_TELLING = regex.compile(r"\p{L}[\p{L}\p{M}]{2}|\p{Han}|\p{Hiragana}|\p{Katakana}")
_NOT_IN_SLUGS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


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
    weight: NDArray[np.float64]


def document_vectors(
    tokenized: TokenizedCluster, left_out: Collection[str] = (), documents: Sequence[int] | None = None
) -> DocumentVectors:
    """Return a vector of word weights for each document of a cluster, to compare the documents.

    Words in early sentences count more. Bigrams are ignored unless there are no single words. ``left_out``
    has the terms to ignore, usually stop words. ``documents`` has the indices of the documents to use, by
    default all; row k of the result is the vector of ``documents[k]``.
    """
    places, sentences = tokenized.index, tokenized.cluster.sentences
    looked_at = range(len(tokenized.cluster.documents)) if documents is None else documents
    size, total = len(looked_at), max(len(places.words), 1)
    number = np.full(len(tokenized.cluster.documents), -1)
    number[list(looked_at)] = np.arange(size)
    home = number[[sentence.document for sentence in sentences]]
    early = power(1 + np.array([sentence.position for sentence in sentences]), -_FADES)
    counts = _counting(tokenized, home >= 0, left_out)
    kept = (home[places.sentence] >= 0) & counts[places.concept]
    concept, sentence = places.concept[kept].astype(np.int64), places.sentence[kept]
    keys, entry = np.unique(home[sentence] * total + concept, return_inverse=True)
    weight = np.sqrt(np.bincount(entry, weights=early[sentence], minlength=len(keys)))
    document, term = keys // total, keys % total
    held_by = np.bincount(term, minlength=total)[term]
    weight *= np.where(held_by > 1, 1.0, _OWN) * (1 + log((_PRIOR + size) / (_PRIOR + held_by)))
    length = np.sqrt(np.bincount(document, weights=weight * weight, minlength=size))
    return DocumentVectors(places.words, size, document, term, weight / length[document])


def _counting(
    tokenized: TokenizedCluster, looked_at: NDArray[np.bool_], left_out: Collection[str]
) -> NDArray[np.bool_]:
    """Return a mask of the concepts to use in document vectors, with an entry for each concept.

    ``looked_at`` is a mask of the sentences to use. A concept is used if it occurs in one of these sentences
    and is not in ``left_out``. Bigrams are used only if there are no single words.
    """
    places = tokenized.index
    found = np.bincount(places.concept[looked_at[places.sentence]], minlength=len(places.words)) > 0
    there = np.flatnonzero(found).tolist()
    single = [number for number in there if " " not in places.words[number]]
    counts = np.zeros(len(places.words), dtype=bool)
    counts[[number for number in single or there if places.words[number] not in left_out]] = True
    return counts


def similarities(vectors: DocumentVectors) -> Similarities:
    """Return the cosine similarity of each pair of D documents, shape (D, D), with 0 on the diagonal."""
    size = vectors.documents
    shared = np.bincount(vectors.term, minlength=len(vectors.terms)) > 1
    number = np.cumsum(shared) - 1
    kept = shared[vectors.term]
    rows, columns = vectors.document[kept], number[vectors.term[kept]]
    # Whole numbers, whose products and sums are exact: the same on every processor.
    weight = np.rint(vectors.weight[kept] * _UNIT)
    shape = (size, max(int(shared.sum()), 1))
    made: Similarities
    if size <= FEW_DOCUMENTS:
        dense = np.zeros(shape)
        dense[rows, columns] = weight
        made = (dense @ dense.T / _UNIT**2).astype(np.float32)
    else:
        from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import, and rarely needed)

        sparse = csr_array((weight, (rows, columns)), shape=shape)
        other = sparse.T.tocsr()
        made = np.empty((size, size), dtype=np.float32)
        for start in range(0, size, _ROWS):  # all rows at once would take several times the memory
            made[start : start + _ROWS] = (sparse[start : start + _ROWS] @ other).toarray() / _UNIT**2
    np.fill_diagonal(made, 0)
    return made


def group(vectors: DocumentVectors) -> tuple[tuple[int, ...], ...]:
    """Return the documents of each story, as ascending indices.

    Larger stories come first; stories of the same size are in the order of their first documents.
    """
    if vectors.documents < 2:  # noqa: PLR2004 (nothing to compare)
        return tuple((each,) for each in range(vectors.documents))
    similar = similarities(vectors)
    labels = linked(similar, _threshold(similar))
    members: dict[int, list[int]] = {}
    for document, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(document)
    return tuple(sorted(map(tuple, members.values()), key=lambda each: (-len(each), each[0])))


def check_size(place: str, documents: int) -> None:
    """Raise ``SettingError`` if there are too many documents to group; ``place`` names their cluster."""
    if documents > MOST_DOCUMENTS:
        problem = f"{place} has {documents:,} documents, and at most {MOST_DOCUMENTS:,} can be grouped"
        raise SettingError(as_typed("by_topic"), problem, "split the folder")


def plain_stories(tokenized: TokenizedCluster, left_out: Collection[str] = ()) -> int:
    """Return how many stories a cluster clearly contains, or 1 if it is unclear whether there are several.

    Only groups of two or more documents count as stories. If many documents are similar to no other, the
    answer is 1. ``left_out`` has the terms to ignore, usually stop words.

    A sample of a large cluster is checked first. If the sample has only one story, the rest is not compared,
    to save time. With more than ``FEW_DOCUMENTS`` documents, only the sample is checked.
    """
    documents = len(tokenized.cluster.documents)
    if documents < 4:  # noqa: PLR2004 (two stories of two)
        return 1
    part = distinct(np.linspace(0, documents - 1, min(documents, _LOOKED_AT)).astype(np.int64)).tolist()
    found = _plain(document_vectors(tokenized, left_out, part))
    if found == 1 or len(part) == documents or documents > FEW_DOCUMENTS:
        return found
    return _plain(document_vectors(tokenized, left_out))


def _plain(vectors: DocumentVectors) -> int:
    sizes = [len(each) for each in group(vectors)]
    return sum(size > 1 for size in sizes) if sizes.count(1) <= _MOST_ALONE * vectors.documents else 1


def _threshold(similar: Similarities) -> float:
    """Return the mean similarity that the documents of two large groups must have to be one story.

    ``similar`` has the similarity of each pair of documents.
    """
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

    At first each document is a group. Two groups may be merged if the mean similarity of their documents is
    at least ``threshold``; small groups need more (``_LEAST_OF_ONE_PAIR``). A group is identified by the
    lowest index of its documents. ``similar``, shape (D, D), has the similarity of each pair of documents. It
    is overwritten: entry i, j becomes the sum of the similarities between documents of group i and of group
    j. To save time, the most similar partner of each group is stored, and searched for again only after that
    partner was merged.
    """
    size = np.ones(len(similar))
    label = np.arange(len(similar))
    np.fill_diagonal(similar, -np.inf)

    def means(row: int) -> NDArray[np.float64]:
        pairs = size * size[row]
        mean = similar[row] / pairs
        needed = np.maximum(threshold, _LEAST_OF_ONE_PAIR / np.sqrt(pairs))
        return np.where(mean >= needed, mean, -np.inf)

    partner, best = np.zeros(len(similar), dtype=np.intp), np.full(len(similar), -np.inf)

    def look(row: int) -> None:
        found = means(row)
        partner[row] = found.argmax()
        best[row] = found[partner[row]]

    for row in range(len(similar)):
        look(row)
    while (first := int(best.argmax())) >= 0 and best[first] > -np.inf:
        kept, gone = sorted((first, int(partner[first])))
        label[label == gone] = kept
        similar[kept] += similar[gone]
        similar[kept, kept] = -np.inf
        similar[:, kept] = similar[kept]
        similar[gone] = similar[:, gone] = -np.inf
        size[kept] += size[gone]
        best[gone] = -np.inf
        now = means(kept)
        better = now > best
        better[kept] = False
        stale = (partner == kept) | (partner == gone)
        stale &= best > -np.inf
        best[better], partner[better] = now[better], kept
        look(kept)
        for row in np.flatnonzero(stale & ~better).tolist():
            look(row)
    return label


def telling_terms(vectors: DocumentVectors, members: Sequence[int]) -> list[str]:
    """Return the words that distinguish a group of documents (``members``) from the rest, best first.

    The score of a word is its mean weight in the group minus its mean weight outside the group. If any word
    occurs in several documents of the group, words that occur in only one document of it are left out.
    """
    inside = np.zeros(vectors.documents, dtype=bool)
    inside[list(members)] = True
    own = inside[vectors.document]
    number = len(vectors.terms)
    within = np.bincount(vectors.term[own], weights=vectors.weight[own], minlength=number) / len(members)
    others = max(vectors.documents - len(members), 1)
    outside = np.bincount(vectors.term[~own], weights=vectors.weight[~own], minlength=number) / others
    held_by = np.bincount(vectors.term[own], minlength=number)
    score = np.where(held_by > 0, within - outside, -np.inf)
    if (held_by > 1).any():
        score[held_by <= 1] = -np.inf
    order = np.argsort(-score, kind="stable").tolist()
    return [vectors.terms[a] for a in order if score[a] > -np.inf and _TELLING.search(vectors.terms[a])]


def title_of(terms: Sequence[str], sentences: Iterable[Sequence[tuple[str, str]]]) -> str:
    """Return a title made of the first few terms, each with its most frequent spelling in the sentences.

    A sentence is a list of pairs in order: a term, and its spelling in this sentence. Words that are mostly
    neighbours in the text, such as a first name and a surname, are neighbours in the title. A word that
    begins like a word already in the title is left out. The first word of a sentence has a capital letter in
    any case, so its spelling is used only if the word occurs nowhere else.
    """
    wanted, found = frozenset(terms), list(sentences)
    inner, first = _forms(wanted, (each[1:] for each in found)), _forms(wanted, (each[:1] for each in found))
    forms = {term: inner.get(term) or first.get(term, Counter()) for term in terms}
    pairs: Counter[tuple[str, str]] = Counter()
    for each in found:
        pairs.update((a, b) for (a, _), (b, _) in pairwise(each) if a in wanted and b in wanted and a != b)
    often = {term: inner.get(term, Counter()).total() + first.get(term, Counter()).total() for term in terms}

    def joined(a: str, b: str) -> bool:
        return 2 * pairs[a, b] >= min(often[a], often[b]) and pairs[a, b] > 1

    phrases: list[list[str]] = []
    for term in terms:
        chosen = [other for phrase in phrases for other in phrase]
        if not forms[term] or any(_alike(term, other) for other in chosen):
            continue
        after = next((phrase for phrase in phrases if joined(phrase[-1], term)), None)
        before = next((phrase for phrase in phrases if joined(term, phrase[0])), None)
        if after is not None:
            after.append(term)
        elif before is not None:
            before.insert(0, term)
        elif len(phrases) < _TITLE_PHRASES:
            phrases.append([term])
        if len(chosen) + 1 == _TITLE_WORDS:
            break
    return ", ".join(
        forms[phrase[0]].most_common(1)[0][0] if len(phrase) == 1 else _written(phrase, found)
        for phrase in phrases
    )


def _written(phrase: Sequence[str], sentences: Iterable[Sequence[tuple[str, str]]]) -> str:
    """Return the most frequent spelling of a phrase in the sentences.

    If the phrase occurs in no sentence, its last term is dropped until it does.
    """
    forms: Counter[str] = Counter()
    for each in sentences:
        terms = [term for term, _ in each]
        for start in range(len(terms)):
            if terms[start : start + len(phrase)] == list(phrase):
                forms[" ".join(form for _, form in each[start : start + len(phrase)])] += 1
    return forms.most_common(1)[0][0] if forms else _written(phrase[:-1], sentences)


def _forms(
    wanted: Collection[str], sentences: Iterable[Sequence[tuple[str, str]]]
) -> dict[str, Counter[str]]:
    """Return how often each spelling of each wanted term occurs in the sentences."""
    forms: dict[str, Counter[str]] = {}
    for each in sentences:
        for term, form in each:
            if term in wanted:
                forms.setdefault(term, Counter())[form] += 1
    return forms


def _alike(first: str, second: str) -> bool:
    return len(second) >= _ALIKE and first.startswith(second[:_ALIKE])


def own_slug(title: str, taken: Counter[str]) -> str:
    """Return a title as a slug for an id: lower case, with hyphens, and different from all earlier slugs.

    ``taken`` counts how often each slug was asked for so far, and is updated.
    """
    slug = _NOT_IN_SLUGS.sub("-", title.casefold()).strip("-") or "untitled"
    taken[slug] += 1
    return slug if taken[slug] == 1 else own_slug(f"{slug}-{taken[slug]}", taken)
