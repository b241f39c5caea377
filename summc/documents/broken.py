"""Count the sentences that look broken, so that a fault in reading is seen before it spoils a score."""

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

#: A shorter line is a title, a name or a part of an address.
_LEAST_WORDS = 4
_STARTS_INSIDE = regex.compile(r"[\"'`\u00ab\u201c]*\p{Ll}|[,;:)\]\u060c\u061b]")


@dataclass(frozen=True, slots=True)
class SentenceCount:
    """How many sentences a data set has, and those that look broken, each with its document."""

    sentences: int
    broken: tuple[tuple[str, str], ...]


def count_sentences(clusters: Iterable[RawCluster], language: str) -> SentenceCount:
    """Split a data set into sentences and look at each; ``language`` is for clusters that name none."""
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
    """Yield the sentences that begin inside one, or stop before its end; items of a list may do both."""
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
