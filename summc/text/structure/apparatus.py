"""Find the apparatus of a document: the sentences that are not part of its running text.

These are the bibliography, thanks, lines about authors, captions, notes and formulas. Parts with a heading,
such as a bibliography, are found in any document. The rest is recognized by how it looks, and only in
research papers, because in other documents text that looks the same may be news.

A sentence "cites" if it looks like a part of an entry of a bibliography, as with "pp. 12-34".
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

import regex

from summc.records import Document, Sentence
from summc.text.structure.sections import Section, sections_of

#: A bibliography cannot begin within this share of the sentences of a document, counted from its start.
_FRONT = 0.3
#: If an abstract begins within this share of the sentences of a paper, counted from its start, the text above
#: the abstract is the title and the authors.
_ABSTRACT_WITHIN = 0.3
#: A document with at least this many sentences that cite is a paper.
_FEWEST_CITING = 3
#: In a bibliography without a heading, at least this many paragraphs cite, and more than this share of all
#: its paragraphs.
_FEWEST_ENTRIES = 5
_CITING_SHARE = 0.5
#: A section below a bibliography belongs to the bibliography if at least this share of its sentences cite, or
#: if it has fewer whole sentences than the second number.
_STILL_CITING = 0.2
_FEWEST_WHOLE = 3
#: A sentence counts as whole if it has at least this many words and final punctuation.
_WHOLE = 8
#: A document is examined for citations only if it contains one of these, or has a heading of an abstract or a
#: bibliography.
_SCHOLARLY = (
    "pp.",
    "Proc.",
    "Proceedings",
    "Journal of",
    "Ph.D.",
    "PhD",
    "thesis",
    "arXiv",
    "doi:",
    "doi.",
    "DOI",
    "et al",
)
_END = regex.compile(r"""[\p{STerm}…]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")


@dataclass(frozen=True, slots=True)
class _Frame:
    """What was found in a document that tells whether it is a research paper.

    ``citing`` has the positions of the sentences that look like parts of a bibliography, ascending.
    """

    sections: tuple[Section, ...]
    citing: tuple[int, ...]
    is_paper: bool


@functools.lru_cache(maxsize=16)
def apparatus_of(document: Document) -> dict[int, str]:
    """Return the positions of the sentences of the apparatus, each with the reason to show to a user.

    The apparatus is what is not running text, such as the bibliography, captions and thanks.
    """
    sentences, frame = document.sentences, _frame_of(document)
    found = dict(_by_heading(frame.sections, sentences, frame.citing))
    if not frame.is_paper:
        return found
    from summc.text.structure.papers import by_looks  # noqa: PLC0415 (slow to import)

    for i, reason in (
        *_unheaded(sentences, frame.citing),
        *_above_abstract(frame.sections, sentences),
        *by_looks(sentences, frozenset(frame.citing)),
    ):
        found.setdefault(i, reason)
    return found


def is_paper(document: Document) -> bool:
    """Tell whether a document is a research paper.

    It is one if it has the heading of an abstract or a bibliography, or if at least three of its sentences
    look like parts of a bibliography.
    """
    return _frame_of(document).is_paper


def in_abstract(document: Document, position: int) -> bool:
    """Tell whether the sentence at a position of a document is in its abstract, below the heading."""
    return any(
        section.kind == "abstract" and section.body <= position < section.end
        for section in _frame_of(document).sections
    )


@functools.lru_cache(maxsize=16)
def _frame_of(document: Document) -> _Frame:
    sections, texts = sections_of(document), [sentence.text for sentence in document.sentences]
    has_headings = _has_headings(sections, len(texts))
    # Most documents are not papers. A quick search for a few words avoids running the slow patterns on them.
    joined = "\n".join(texts)
    if not has_headings and not any(word in joined for word in _SCHOLARLY):
        return _Frame(sections, (), is_paper=False)
    from summc.text.structure.papers import cites, is_entry  # noqa: PLC0415 (slow to import)

    citing = tuple(i for i, text in enumerate(texts) if cites(text))
    entries = sum(is_entry(texts[i]) for i in citing)
    return _Frame(sections, citing, is_paper=has_headings or entries >= _FEWEST_CITING)


def _has_headings(sections: Sequence[Section], sentences: int) -> bool:
    """Tell whether a document has a heading of an abstract, or a heading of a bibliography.

    The heading of a bibliography must not be in the first part of the document (``_FRONT``). ``sentences`` is
    the number of sentences of the document.
    """
    kinds = {s.kind for s in sections if s.kind != "references" or s.start >= _FRONT * sentences}
    return not kinds.isdisjoint({"abstract", "references"})


def _by_heading(
    sections: Sequence[Section], sentences: Sequence[Sentence], citing: Sequence[int]
) -> Iterator[tuple[int, str]]:
    """Yield the sentences of the bibliography, acknowledgements and other parts that have a known heading.

    Each is given as its position and the reason. ``citing`` has the positions of the sentences that look like
    parts of a bibliography.
    """
    bibliography = False  # whether the section before belongs to the bibliography
    for section in sections:
        early = section.start < _FRONT * len(sentences)
        if section.kind:
            bibliography = section.kind == "references" and not early
        if bibliography and (section.kind or _goes_on_citing(section, sentences, citing)):
            reason = "it stands in the bibliography"
        elif section.kind in {"back-matter", "keywords"}:
            reason = f'it stands under "{section.title.strip()}"'
        else:
            bibliography = False
            continue
        # Keywords and contents are near the start of a document, and the text after them may have no heading.
        # So take only their first paragraph there.
        end = _end_of_paragraph(sentences, section.body) if early else section.end
        for i in range(section.start, end):
            yield i, reason


def _end_of_paragraph(sentences: Sequence[Sentence], start: int) -> int:
    inner = takewhile(lambda s: s.paragraph == sentences[start].paragraph, sentences[start:])
    return start + sum(1 for _ in inner)


def _goes_on_citing(section: Section, sentences: Sequence[Sentence], citing: Sequence[int]) -> bool:
    """Tell whether a section below a bibliography is still part of the bibliography.

    That happens if the title of a cited work was taken for a heading. The section is part of it if enough of
    its sentences look like parts of a bibliography, or if it has only a few whole sentences. ``citing`` has
    the positions of the sentences that look like parts of a bibliography.
    """
    cited = bisect_left(citing, section.end) - bisect_left(citing, section.body)
    inner = sentences[section.body : section.end]
    whole = sum(s.words >= _WHOLE and _END.search(s.text) is not None for s in inner)
    return cited >= _STILL_CITING * len(inner) or whole < _FEWEST_WHOLE


def _unheaded(sentences: Sequence[Sentence], citing: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a bibliography without a heading, each as its position and the reason.

    Such a bibliography is the last paragraphs of a document, if more than half of them look like entries.
    ``citing`` has the positions of the sentences that look like parts of a bibliography.
    """
    known = [(i, s.paragraph) for i, s in enumerate(sentences) if s.paragraph is not None]
    paragraphs = [[i for i, _ in group] for _, group in groupby(known, key=lambda each: each[1])]
    cites = frozenset(citing)
    entries = [any(i in cites for i in paragraph) for paragraph in paragraphs]
    best, so_far, start = 0.0, 0.0, None
    for number in reversed(range(len(paragraphs) // 2, len(paragraphs))):
        so_far += 1 - _CITING_SHARE if entries[number] else -_CITING_SHARE
        if so_far > best and entries[number]:
            best, start = so_far, number
    if start is None or sum(entries[start:]) < _FEWEST_ENTRIES:
        return
    for i in range(paragraphs[start][0], len(sentences)):
        yield i, "it stands in the bibliography"


def _above_abstract(sections: Sequence[Section], sentences: Sequence[Sentence]) -> Iterator[tuple[int, str]]:
    for section in sections:
        if section.kind == "abstract" and section.start <= _ABSTRACT_WITHIN * len(sentences):
            for i in range(section.start):
                yield i, "it stands above the abstract"
            return
