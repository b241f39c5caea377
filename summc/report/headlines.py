"""Find the headline of a document and the headings within it, so that a page can show them as such.

The readers of all formats return a headline as an ordinary paragraph. The first paragraph is the headline if
it is one short text that is not a whole sentence.
"""

from __future__ import annotations

from collections.abc import Mapping

import regex

from summc.preprocess.candidates import heads_of
from summc.records import Cluster, Document, Sentence
from summc.text.dates import date_of
from summc.text.structure import sections_of

#: A headline has at most this many words.
_LONGEST = 30
#: Above the headline there may be a date, or a line that says where a paper was published.
_FRONT = 3
#: A line of up to this many words that has a date says when the text was written; it is no headline.
_DATED_WORDS = 7
#: The line above a paper that says where it was published.
_PUBLISHED = regex.compile(
    r"\b(?:Proceedings|Proc\.|Copyright|doi|arXiv|ISSN|ISBN)\b|©|\b(?:pp?\.|pages|[Vv]ol(?:ume|\.)) ?\d"
)
_ENDS = regex.compile(r"""[\p{STerm}…:;,]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")


def headlines_of(cluster: Cluster) -> dict[int, int]:
    """Return the position of the headline in each document that has one, by the index of the document."""
    heads = heads_of(cluster.sentences)
    found: dict[int, int] = {}
    first = 0
    for number, document in enumerate(cluster.documents):
        position = _headline(document, first, heads, cluster.language)
        if position is not None:
            found[number] = position
        first += len(document.sentences)
    return found


def headings_of(document: Document) -> frozenset[int]:
    """Return the positions of the headings in a document."""
    return frozenset(section.start for section in sections_of(document) if section.title)


def _headline(document: Document, first: int, heads: Mapping[int, str], language: str) -> int | None:
    """Return the position of the headline of a document, or None.

    ``first`` is the index of its first sentence in the cluster. The keys of ``heads`` are the indices in the
    cluster of the headlines and date lines that ``heads_of`` found.
    """
    sentences = document.sentences
    for position in range(min(_FRONT, len(sentences) - 1)):
        if not _is_paragraph(sentences, position):
            return None
        sentence = sentences[position]
        is_dated = sentence.words <= _DATED_WORDS and date_of(Document("", (sentence,)), language)
        if is_dated or _PUBLISHED.search(sentence.text):
            continue
        is_open = sentence.words <= _LONGEST and not _ENDS.search(sentence.text)
        return position if is_open or first + position in heads else None
    return None


def _is_paragraph(sentences: tuple[Sentence, ...], position: int) -> bool:
    """Tell whether a sentence near the start of a document is a paragraph of its own."""
    paragraph = sentences[position].paragraph
    return paragraph is not None and all(
        sentences[i].paragraph != paragraph for i in (position - 1, position + 1) if i >= 0
    )
