"""Count the sentences that look broken, so that a reading fault is noticed before it spoils a score."""

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

#: A line of fewer words may be a title, a name or part of an address.
_LEAST_WORDS = 4
_STARTS_INSIDE = regex.compile(r"[\"'`\u00ab\u201c]*\p{Ll}|[,;:)\]\u060c\u061b]")


@dataclass(frozen=True, slots=True)
class SentenceCount:
    """How many sentences a data set has, and the broken ones: the place of the document and the text."""

    sentences: int
    broken: tuple[tuple[str, str], ...]


def count_sentences(clusters: Iterable[RawCluster], language: str) -> SentenceCount:
    """Return how many sentences a data set has and which look broken.

    ``language`` is used for clusters that do not name their own.
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
    """Yield the sentences whose beginning or end seems to be missing; list items may lack both."""
    for sentence, following in zip_longest(sentences, sentences[1:]):
        if LIST_ITEM.match(raw.paragraphs[sentence.paragraph or 0]):
            continue
        if _STARTS_INSIDE.match(sentence.text) or (following and _stops_short(sentence, following, raw)):
            yield sentence.text


def _stops_short(sentence: Sentence, following: Sentence, raw: RawDocument) -> bool:
    """Tell whether a sentence has no final punctuation although a line of its paragraph follows."""
    together = following.paragraph == sentence.paragraph or following.paragraph in raw.parted
    may_stop = sentence.position == 0 or sentence.words < _LEAST_WORDS or is_date(sentence.text)
    if not together or may_stop or is_closed(sentence.text):
        return False
    return LIST_ITEM.match(raw.paragraphs[following.paragraph or 0]) is None
