"""Find the sentences of a data set that look broken: their beginning or their end is missing.

Many broken sentences mean that the reader of the files has a fault, which would also distort scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

import regex

from summc.documents.language import language_of
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.sentences import make_document
from summc.documents.wrapping import LIST_ITEM, is_closed, is_date
from summc.records import Sentence

#: A sentence of fewer words may lack final punctuation: it may be a title, a name or part of an address.
_LEAST_WORDS = 4
_STARTS_INSIDE = regex.compile(r"[\"'`\u00ab\u201c]*\p{Ll}|[,;:)\]\u060c\u061b]")


@dataclass(frozen=True, slots=True)
class SentenceCount:
    """How many sentences a data set has, and which of them look broken.

    Each entry of ``broken`` has the path of the document, for messages, and the text of the sentence.
    """

    sentences: int
    broken: tuple[tuple[str, str], ...]


def count_sentences(clusters: Iterable[RawCluster], language: str) -> SentenceCount:
    """Return how many sentences a data set has, and which of them look broken.

    ``language`` is used to split the clusters that do not name a language.
    """
    sentences = 0
    broken: list[tuple[str, str]] = []
    for cluster in clusters:
        code = language_of(cluster, language)
        for raw in cluster.documents:
            document = make_document(raw.id, raw.paragraphs, 0, code)
            sentences += len(document.sentences)
            broken.extend((raw.place, text) for text in _broken(document.sentences, raw))
    return SentenceCount(sentences, tuple(broken))


def _broken(sentences: tuple[Sentence, ...], raw: RawDocument) -> Iterator[str]:
    """Yield the sentences of a document whose beginning or end seems to be missing.

    ``raw`` is the document before it was split. List items are skipped, because they need neither a capital
    letter nor a full stop.
    """
    for sentence, following in zip_longest(sentences, sentences[1:]):
        if LIST_ITEM.match(raw.paragraphs[sentence.paragraph or 0]):
            continue
        if _STARTS_INSIDE.match(sentence.text) or (following and _stops_short(sentence, following, raw)):
            yield sentence.text


def _stops_short(sentence: Sentence, following: Sentence, raw: RawDocument) -> bool:
    """Tell whether a sentence lacks final punctuation although the next sentence is in the same paragraph.

    A next paragraph that only a line end separates (``raw.parted``) counts as the same paragraph, because the
    line end may have been misread.
    """
    together = following.paragraph == sentence.paragraph or following.paragraph in raw.parted
    may_stop = sentence.position == 0 or sentence.words < _LEAST_WORDS or is_date(sentence.text)
    if not together or may_stop or is_closed(sentence.text):
        return False
    return LIST_ITEM.match(raw.paragraphs[following.paragraph or 0]) is None
