"""Find the headings and sections of a document, and the parts that a heading marks as no running text.

The readers of all formats return a heading as an ordinary paragraph. So a heading is recognized by how it
looks: a short paragraph of one sentence, without a full stop, and with text below it. Headings such as
"References" are known by their words.
"""

from __future__ import annotations

import functools
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

import regex

from summc.records import Sentence
from summc.system.resources import heading_kinds

#: A bibliography cannot begin within this share of the sentences of a document, counted from its start. The
#: text above an abstract that begins within it is the title and the authors.
FRONT = 0.3
#: A section below a bibliography belongs to the bibliography if at least this share of its sentences cite, or
#: if it has fewer whole sentences than the second number.
_STILL_CITING = 0.2
_FEWEST_WHOLE = 3
#: A document is examined for citations only if it contains one of these, or has the headings of a paper.
_SCHOLARLY = (
    "pp.", "Proc.", "Proceedings", "Journal of", "Ph.D.", "PhD", "thesis", "arXiv", "doi:", "doi.", "DOI",
    "et al",
)  # fmt: skip
#: The parts of a paper that are back matter, as their headings say.
_BACK_MATTER = {"back-matter", "appendix", "keywords", "contents"}
#: The most words that a heading may have.
_LONGEST = 12
#: The most words that a heading may have if it ends in a full stop.
_LONGEST_CLOSED = 8
#: Below a heading, unless its words are known, must be a sentence of at least this many words.
_WHOLE = 8
#: The most words and characters that a known heading, such as "7 Conclusion and Future Work", may have.
_LONGEST_KNOWN, _LONGEST_TEXT = 10, 100

_NUMBER = r"(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-H])"
_NUMBERED = regex.compile(rf"^\s*(?:§\s*)?(?:{_NUMBER}[.):]\s*|{_NUMBER}\s+)(?=\P{{N}})")
_NUMERAL = regex.compile(r"\s*(?:§\s*)?(?:\d{1,2}(?:\.\d{1,2})*+\.?|[IVX]{1,5}\.)\s+(?=\p{Lu}|\p{Lo})")
_APPENDIX = regex.compile(
    r"(?i)(?:appendix|appendices|annex|anhang|annexe|apéndice|anexo|appendice|allegato|bijlage|příloha|приложение)"
    r"(?:\s+(?:[A-Z]|\d{1,2}|[IVX]{1,5}))?(?:\s*[.:\u2013\u2014-].*|\s+\p{Lu}.*)?"
)
_RUN_IN = regex.compile(r"([\p{Lu}\p{Lo}][\p{L}\p{M}\s]{2,20}?)\s*[.:\u2013\u2014-]+\s*(?=[\p{Lu}\p{Lo}])")
_BETWEEN_PARTS = regex.compile(r"\s*(?:,|;|:|/|&|\band\b|\bund\b|\bet\b|\by\b|\be\b)\s*")
_NOT_IN_KEY = regex.compile(r"[\s\p{M}'\u2019]+")
_EDGES = regex.compile(r"^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$")
_LETTERS = regex.compile(r"\p{L}")
_LONG_WORD = regex.compile(r"[\p{L}\p{M}]{4,}|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{2,}")
_BEGINS = regex.compile(r"[\p{Lu}\p{Lt}\p{Lo}\p{N}]")
# Searched from the end of the text, so that a long sentence takes no longer.
SENTENCE_END = regex.compile(r"""(?r)[\p{STerm}…]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")
# Ends of lines that are not headings, because the sentence goes on below: "The results for this data are".
_OPEN_END = regex.compile(r"[,;:=(\-\u2013\u2014]\s*$|\s(?:is|are|was|were|the|an?|of|and|or|that|which)$")
_CAPTION = regex.compile(
    r"(?i)\s*(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)|tabelle|tableau|figura|tabla|tabela)\s*\d"
)
_ADDRESS = regex.compile(r"@|https?:|www\.")


def known_kind(text: str) -> str:
    """Return the part of a paper that a known heading begins, such as ``references``, or "".

    The whole text must be the heading: "7 References" is one, but not "The references are below".
    """
    if len(text) > _LONGEST_TEXT or len(text.split()) > _LONGEST_KNOWN or not _BEGINS.search(text):
        return ""
    plain = _EDGES.sub("", text)
    bare = _EDGES.sub("", _NUMBERED.sub("", plain, count=1)) or plain  # without number and punctuation
    # Try the text before its number is removed: the "A" of "A B S T R A C T" looks like that of an appendix.
    kind = _kinds_by_key().get(_key(plain)) or _kinds_by_key().get(_key(bare))
    if _APPENDIX.fullmatch(bare):
        return "appendix"
    if kind is not None:
        return kind
    parts = filter(None, _BETWEEN_PARTS.split(bare.lower()))
    kinds = [_kinds_by_key().get(_key(part), "") for part in parts]
    # "Discussion and Conclusions" begins a conclusion. "Notes on References and Pronouns" begins an ordinary
    # section, because not all its parts are known headings.
    if "conclusion" in kinds:
        return "conclusion"
    return kinds[0] if kinds and all(kinds) else ""


def run_in(paragraph: str) -> int:
    """Return the length of "Abstract." or the like at the start of a paragraph, or 0 if it has none."""
    match = _RUN_IN.match(paragraph)
    return match.end() if match and _kinds_by_key().get(_key(match[1])) == "abstract" else 0


def _key(text: str) -> str:
    # Remove spaces and accents, because a PDF may have spaces between letters, as in "A B S T R A C T", or an
    # accent apart from its letter.
    return _NOT_IN_KEY.sub("", unicodedata.normalize("NFKD", text)).casefold()


@functools.cache
def _kinds_by_key() -> dict[str, str]:
    return {_key(heading): kind for heading, kind in heading_kinds().items()}


def find_headings(
    sentences: Sequence[Sentence], alone: Collection[int], items: Collection[int] = ()
) -> dict[int, str]:
    """Return the index of each heading, and the part of a paper that it begins (``references``), or "".

    Several headings may follow each other, with text only below the last. ``alone`` are the sentences that
    are a paragraph of their own, and ``items`` those that are an item of a list by its markup.
    """
    kind_of, closed = _known_headings(sentences, alone)
    below = None  # the next sentence that is not a heading
    headings: dict[int, str] = {}
    for i in reversed(range(len(sentences))):
        has_text = i in alone and below is not None and (is_sentence(below) or below.position in items)
        if i in kind_of or (has_text and _looks_like_heading(sentences[i].text, closed=closed)):
            headings[i] = kind_of.get(i, "")
        else:
            below = sentences[i]
    return headings


def is_sentence(sentence: Sentence) -> bool:
    """Tell whether a sentence is too long for a heading or an entry of a list, and ends as sentences do."""
    return sentence.words >= _WHOLE and SENTENCE_END.search(sentence.text) is not None


def _known_headings(sentences: Sequence[Sentence], alone: Collection[int]) -> tuple[dict[int, str], bool]:
    """Return the headings with known words, and whether one that is a whole paragraph ends in a full stop.

    Such a heading begins a paragraph; or, in a text that lost its line ends, it stands between two sentences
    and ends in a full stop or colon, like "Conclusion.".
    """
    kind_of: dict[int, str] = {}
    closed, before = False, None
    for i, sentence in enumerate(sentences):
        text = sentence.text.rstrip()
        begins = before is None or before.paragraph != sentence.paragraph
        if before and i + 1 < len(sentences) and text.endswith((".", ":")):
            begins = begins or SENTENCE_END.search(before.text) is not None
        if begins and (kind := known_kind(sentence.text)):
            kind_of[i] = kind
            closed = closed or (i in alone and text.endswith("."))
        before = sentence
    return kind_of, closed


def _looks_like_heading(text: str, *, closed: bool) -> bool:
    """Tell whether a paragraph of one sentence looks like a heading.

    ``closed`` says whether a known heading of the document ends in a full stop, so that others may too.
    """
    words = text.split()
    if len(words) > _LONGEST or not _BEGINS.match(text) or _OPEN_END.search(text):
        return False
    if SENTENCE_END.search(text):
        ends = text.rstrip().endswith(".") and len(words) <= _LONGEST_CLOSED
        if not ends or not (closed or _NUMERAL.match(text)):
            return False
    bare = _NUMBERED.sub("", text, count=1)
    return (
        _LONG_WORD.search(bare) is not None
        and len(_LETTERS.findall(bare)) * 4 >= len("".join(bare.split())) * 3
        and _CAPTION.match(text) is None
        and _ADDRESS.search(text) is None
    )


class Part(NamedTuple):
    """A section: its sentences from ``start`` to ``end``; ``body`` is the first below the heading.

    ``kind`` is the part of a paper that its heading begins, such as ``references``, or "".
    """

    start: int
    body: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of a document, whether it is a research paper, and which of its sentences cite.

    A sentence "cites" if it looks like a part of an entry of a bibliography, as with "pp. 12-34". ``citing``
    has the ascending positions of these; only documents that ``may_cite`` are searched for them, because that
    is slow.
    """

    parts: Sequence[Part]
    citing: Sequence[int] = ()
    is_paper: bool = False
    may_cite: bool = False

    def in_abstract(self, position: int) -> bool:
        """Tell whether the sentence at a position is in the abstract, below the heading."""
        part = self.parts[bisect_right(self.parts, position, key=attrgetter("start")) - 1]
        return part.kind == "abstract" and part.body <= position


def sections_of(sentences: Sequence[Sentence], headings: Mapping[int, str]) -> Outline:
    """Return the outline of a document with these headings (see ``find_headings``).

    It is a research paper if it has the heading of an abstract, or of a bibliography that is not at its
    start. ``papers.with_citations`` completes the outline of a document that may be a paper.
    """
    starts = sorted({*range(len(sentences[:1])), *headings})
    parts, is_paper = list[Part](), False
    for start, end in pairwise([*starts, len(sentences)]):
        kind = headings.get(start, "")
        parts.append(Part(start, start + (start in headings), end, kind))
        is_late = start >= FRONT * len(sentences)
        is_paper = is_paper or kind == "abstract" or (kind == "references" and is_late)
    text = "\n".join(map(attrgetter("text"), sentences))
    may_cite = is_paper or any(map(text.__contains__, _SCHOLARLY))
    return Outline(parts, is_paper=is_paper, may_cite=may_cite)


def known_parts(outline: Outline, sentences: Sequence[Sentence]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of the bibliography, acknowledgements and other parts that have a known heading.

    Each comes with its kind.
    """
    around = ""  # the kind of the part that the section before belongs to, which may go on
    for section in outline.parts:
        early = section.start < FRONT * len(sentences)
        if section.kind:
            goes_on = {"references": "bibliography", "appendix": "back matter"}
            around = "" if early else goes_on.get(section.kind, "")
        elif around == "bibliography" and not _goes_on_citing(section, outline, sentences):
            around = ""
        kind = "back matter" if section.kind in _BACK_MATTER else around
        if not kind:
            continue
        # The text after contents, or after keywords near the start, may have no heading. So contents end at
        # the first whole sentence, and early keywords after one paragraph.
        body, end = section.body, section.end
        if section.kind == "contents":
            end = next((i for i in range(body, end) if is_sentence(sentences[i])), end)
        elif early:
            below = range(body, len(sentences))
            end = next((i for i in below if sentences[i].paragraph != sentences[body].paragraph), below.stop)
        yield from dict.fromkeys(range(section.start, end), kind).items()


def _goes_on_citing(section: Part, outline: Outline, sentences: Sequence[Sentence]) -> bool:
    """Tell whether a section below a bibliography is still part of it.

    That happens if the title of a cited work was taken for a heading.
    """
    cited = bisect_left(outline.citing, section.end) - bisect_left(outline.citing, section.body)
    inner = sentences[section.body : section.end]
    return cited >= _STILL_CITING * len(inner) or sum(map(is_sentence, inner)) < _FEWEST_WHOLE
