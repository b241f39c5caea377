"""Give each sentence of a document its kind, once, when the document is read.

``KINDS`` in ``records`` lists the kinds. A sentence that fits several gets one: apparatus first, then its
form, then what a reader would miss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

import regex

from summc.documents.headings import (
    SENTENCE_END,
    Outline,
    find_headings,
    known_kind,
    known_parts,
    sections_of,
)
from summc.documents.raw import FORMULA, HEADING, ITEM, LINE, QUOTATION, ROUTINE
from summc.records import ANNOUNCES, HEADINGS, PROSE, WHOLE_WORDS, Sentence
from summc.system.resources import act_words, linked_words, stopwords, word_lists
from summc.text.openings import openings

_ABBREVIATED = regex.compile(r"\b\p{Lu}\.\p{Lu}\.$")  # a text that ends in "U.S." is usually a headline
_QUESTION = regex.compile(r"""(?r)[?\u061f\uff1f]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")
_OPENS_QUOTE = regex.compile(r"""\s*(?:["“”„‟«»「『]|``|'')""")
#: The kinds of quotation marks. Any mark of a kind may open or close a quotation, because languages differ:
#: „so“, ”so”.
_QUOTES = tuple(map(regex.compile, ("\"|``|''", "[“”„‟]", "[«»]", "[「」『』]")))
# Marks that look like quotation marks and are not: feet and inches, as in 34' 28", and the mark before the
# last letter of a Hebrew abbreviation.
_NO_QUOTES = regex.compile(
    r"""(?x)\d\s*['\u2032]\s*\d+(?:[.,]\d+)?\s*(?:"|'') | (?<=\p{Hebrew})"(?=\p{Hebrew}(?!\p{Hebrew}))"""
)
#: A line that gives a date has a year, and a day or a month in digits. Names of months are not looked for, so
#: that the rule holds in every language.
_A_YEAR = regex.compile(r"\b\d{4}\b")
_A_DAY_OR_MONTH = regex.compile(r"(?<!\d)\d{1,2}(?!\d)")
#: A line with more words is a sentence that mentions a date.
_DATED_WORDS = 7
#: The headline and the date are looked for in the first 3 paragraphs. A headline has at most 30 words.
_FRONT, _LONGEST_HEADLINE = 3, 30
#: The line above a paper that says where it was published.
_PUBLISHED = regex.compile(
    r"\b(?:Proceedings|Proc\.|Copyright|doi|arXiv|ISSN|ISBN)\b|©|\b(?:pp?\.|pages|[Vv]ol(?:ume|\.)) ?\d"
)
_OPEN_END = regex.compile(r"""(?r)[\p{STerm}…:;,]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")
_SMALL = regex.compile(r"[^\p{L}\p{N}]*\p{Ll}")
_ATTRIBUTION = regex.compile(
    r"""(?x)
    [,"'\p{Pf}]\s+(?:he|she|they)\s+(?:\p{Ll}+ly\s+)?
    (?: \p{Ll}+ (?:\s+\p{L}+){0,4} [.…]\s*$
      | (?: said|says|told|wrote|writes|admit(?:s|ted)|repli(?:ed|es)|(?:argu|conced|estimat|not|observ)e[ds]
          | (?:add|claim|confirm|explain|insist|predict|recall|stress|suggest|warn)(?:ed|s) )
        (?:\s+\p{L}+){0,3} , )
    """
)
#: A line that only gives an address, perhaps with what it is: "Slides: https://example.org/1".
_WEB_ADDRESS = regex.compile(r"\W*(?:[^:.!?]{1,60}:\s*)?(?:https?://|www\.)\S+\W*")
#: A text with 3 or more names of values, and fewer than 8 words for each, is a row of values, no sentence.
_RECORD, _RECORD_WORDS = 3, 8
_NAME_OF_VALUE = regex.compile(r"(?<![^\s|])\p{Lu}[\p{L}-]*+(?:\s\p{L}++)?:\s")
#: Words with which people speak of themselves: I, we.
_FIRST_PERSON = frozenset(word_lists()["speakers"])
#: Words that turn the meaning of a list around: "Members may not:".
_NEGATIONS = frozenset(word_lists()["negations"])
#: A greeting or thanks has at most this many words, and no number.
_LONGEST_COURTESY = 20
_DIGIT = regex.compile(r"\p{N}")
_SEE = regex.compile(r"(?:See|For (?:more|further|details|help)|Refer to|Siehe|Voir|Véase|Vedi|Zie|Viz)\b")
_FOLLOWS = regex.compile(r"(?ir)\b(?:as follows|the following)\W*$")


#: Kinds of apparatus that stand under a heading of their own, which belongs to them.
_PARTS = ("bibliography", "back matter", "front matter")


def with_kinds(
    sentences: Sequence[Sentence],
    language: str,
    items: Collection[int] = (),
    block_kinds: Sequence[str] = (),
    *,
    knows_headings: bool = False,
    is_talk: bool = False,
) -> list[Sentence]:
    """Return the sentences of a document, each with its kind.

    ``items`` are the numbers of the blocks that are items of a list. ``block_kinds`` has the kind of each
    block. Unless its reader ``knows_headings``, others are recognized by their looks. If several people talk,
    or if no sentence is whole, perhaps because the text has no punctuation, every line counts as a sentence.
    """
    sizes = Counter(map(attrgetter("paragraph"), sentences))
    alone = {i for i, s in enumerate(sentences) if sizes[s.paragraph] == 1}
    blocks = [block_kinds[s.paragraph or 0] if block_kinds else "" for s in sentences]
    marked = {i: known_kind(s.text) for i, s in enumerate(sentences) if blocks[i] == HEADING}
    in_lists = {i for i, kind in enumerate(blocks) if kind == ITEM}
    headings = marked if knows_headings else find_headings(sentences, alone - in_lists, in_lists) | marked
    outline, framing = _apparatus(sentences, headings)
    forms = dict(_forms(sentences, items))
    forms |= dict.fromkeys(headings, "heading")
    forms |= _heads(sentences, alone, marked)
    for i, part in headings.items():
        if part in HEADINGS:
            forms[i] = part
        if framing.get(i) not in _PARTS:  # a short heading looks like a formula
            framing.pop(i, None)
    wholes = {i for i, s in enumerate(sentences) if s.words >= WHOLE_WORDS and i not in forms}
    if framing.keys() >= wholes:
        framing = {}
    if any(sentence.label for sentence in sentences):
        # What somebody says may not look like a sentence. In a message that one person wrote, short lines are
        # names, greetings and signatures.
        said = {i for i, s in enumerate(sentences) if s.label and (is_talk or s.words >= WHOLE_WORDS)}
        forms = {i: kind for i, kind in forms.items() if i not in said}
    elif not wholes:
        forms = {i: kind for i, kind in forms.items() if i in marked or kind in {"headline", "date"}}
    forms |= {i: kind for i, kind in enumerate(blocks) if kind in {LINE, ROUTINE}}
    quoted = _within_quotations(sentences) | {i for i, kind in enumerate(blocks) if kind == QUOTATION}
    first = min(wholes - framing.keys(), default=0)
    result, lead_ins = [], _lead_ins(sentences, items, language)
    for i, sentence in enumerate(sentences):
        kind = (
            _no_sentence(sentence)
            or framing.get(i)
            or forms.get(i)
            or _reading_kind(sentence, language, outline, is_first=i == first)
        )
        if sentence.label and kind == "small letter":  # common in chats
            kind = ""
        kind = kind or ("quoted" if i in quoted else PROSE)
        result.append(replace(sentence, kind=kind, lead_in=lead_ins.get(i)))
    return result


def _no_sentence(sentence: Sentence) -> str:
    """Return "formula" or "address" for a text that is no sentence, and "" for any other text.

    A row of values such as "Status: closed Labels: dam Created: 2030" counts as a formula.
    """
    names = len(_NAME_OF_VALUE.findall(sentence.text, sentence.label))
    if FORMULA in sentence.text or (names >= _RECORD and sentence.words < _RECORD_WORDS * names):
        return "formula"
    return "address" if _WEB_ADDRESS.fullmatch(sentence.text, sentence.label) else ""


def _apparatus(sentences: Sequence[Sentence], headings: Mapping[int, str]) -> tuple[Outline, dict[int, str]]:
    """Return the outline of a document, and the positions of its apparatus, each with its kind."""
    outline, kind_of = sections_of(sentences, headings), dict[int, str]()
    if outline.may_cite:
        from summc.documents import papers  # noqa: PLC0415 (most texts need none of its many patterns)

        outline = papers.with_citations(outline, sentences)
        kind_of = papers.apparatus(outline, sentences) if outline.is_paper else {}
    return outline, {**kind_of, **dict(known_parts(outline, sentences))}


def _forms(sentences: Sequence[Sentence], items: Collection[int]) -> Iterator[tuple[int, str]]:
    """Yield the items of lists, and the sentences that do not end as sentences do, each with its kind."""
    before = None  # the paragraph of the sentence before
    for i, sentence in enumerate(sentences):
        text, after = sentence.text, sentences[i + 1 : i + 2]
        begins_item = sentence.paragraph in items and sentence.paragraph != before
        if _is_open(text):
            leads_in = text.endswith(":") and bool(after) and after[0].paragraph in items
            yield i, "item" if begins_item or leads_in else "fragment"
        elif begins_item and _is_part(text):
            yield i, "item"
        before = sentence.paragraph


def _is_open(text: str) -> bool:
    """Tell whether a text does not end as a sentence does."""
    return not SENTENCE_END.search(text) or bool(_ABBREVIATED.search(text))


def _is_part(text: str) -> bool:
    """Tell whether a text does not begin, or does not end, as a sentence does."""
    return _is_open(text) or bool(_SMALL.match(text))


def _lead_ins(sentences: Sequence[Sentence], items: Collection[int], language: str) -> dict[int, int]:
    """Return the position of the line that introduces its list, for each item that needs that line.

    An item that is no whole sentence needs it; a whole one only if the line is unfinished or says "not".
    """
    lead_ins, line, governs = dict[int, int](), None, False
    for i, sentence in enumerate(sentences):
        begins = i == 0 or sentence.paragraph != sentences[i - 1].paragraph
        if sentence.paragraph not in items:
            line = None
        elif line is not None and begins and (governs or _is_part(sentence.text)):
            lead_ins[i] = line
        text = sentence.text.lower().rstrip("".join(ANNOUNCES))
        words = text.replace("n't", " not").split() or [""]
        is_open = words[-1] in stopwords(language)  # "We chose it because", "Members of"
        if sentence.text.endswith(ANNOUNCES) or (is_open and sentence.paragraph not in items):
            line, governs = i, is_open or not _NEGATIONS.isdisjoint(words)
    return lead_ins


def _heads(
    sentences: Sequence[Sentence], alone: Collection[int], known: Collection[int]
) -> Iterator[tuple[int, str]]:
    """Yield the headline of a document and its date, which stand above the text.

    A headline is a short paragraph that does not end as a sentence, or the paragraph above a date. ``alone``
    are the sentences that are a paragraph of their own. ``known`` are headings by their markup: such a
    heading names the document even if it has a date.
    """
    for i in range(min(_FRONT, len(sentences) - 1)):
        sentence = sentences[i]
        if i not in alone or (i in known and i - 1 in known):  # the heading of a section, below the title
            return
        if _is_date(sentence) and i not in known:
            yield i, "date"
        elif not _PUBLISHED.search(sentence.text):
            is_open = sentence.words <= _LONGEST_HEADLINE and not _OPEN_END.search(sentence.text)
            if is_open or (i == 0 and 1 in alone and len(sentences) >= _FRONT and _is_date(sentences[1])):
                yield i, "headline"
            if not _is_date(sentences[i + 1]):
                return


def _is_date(sentence: Sentence) -> bool:
    text = sentence.text
    return sentence.words <= _DATED_WORDS and bool(_A_YEAR.search(text) and _A_DAY_OR_MONTH.search(text))


def _reading_kind(sentence: Sentence, language: str, outline: Outline, *, is_first: bool) -> str:
    """Return the kind that says what a reader of this sentence alone would miss, or "".

    The first sentence of a document points back to nothing. In a paper, "we" and "this report" are clear:
    they mean its authors and the paper itself. A linked sentence of the abstract is clear too, because the
    sentence that it refers to is nearly always chosen with it.
    """
    text = sentence.text[sentence.label :]
    kind, is_clear, points = _kind_of(text, language), is_first, _SEE.match(text) or _FOLLOWS.search(text)
    if outline.is_paper:
        from summc.documents.papers import OF_ITSELF, POINTER  # noqa: PLC0415 (as above)

        is_clear = is_clear or outline.in_abstract(sentence.position) or bool(OF_ITSELF.match(text))
        points = points or POINTER.search(text)
    if kind in {"linked", "voice"} and (is_clear or (kind == "voice" and sentence.label > 0)):
        kind = ""
    return kind or ("pointer" if points else "")


def _kind_of(text: str, language: str) -> str:
    """Return the kind of a text by its marks and its first words, or ""."""
    first, linked, kind = openings(text), linked_words(language), ""
    thanks = not act_words("courtesy", language).isdisjoint(first)
    if thanks and len(text.split()) <= _LONGEST_COURTESY and not _DIGIT.search(text):
        kind = "courtesy"
    elif _QUESTION.search(text):
        kind = "question"
    elif _OPENS_QUOTE.match(text):  # another sentence often names the speaker
        kind = "quotation"
    elif text.count("(") != text.count(")") or _odd_quotes(text):
        kind = "half quotation"
    elif _SMALL.match(text):
        kind = "small letter"
    elif first[0] in _FIRST_PERSON and first[0] in linked:
        kind = "voice"
    elif not linked.isdisjoint(first) or (language == "en" and _ATTRIBUTION.search(text)):
        kind = "linked"
    return kind


def _odd_quotes(text: str) -> int:
    """Return a number in which bit k is 1 if a text has an odd number of marks of kind k in ``_QUOTES``."""
    if text.isascii() and '"' not in text and "``" not in text and "''" not in text:
        return 0
    bare, odd = _NO_QUOTES.sub("", text), 0
    for k, marks in enumerate(_QUOTES):
        odd |= len(marks.findall(bare)) % 2 << k
    return odd


def _within_quotations(sentences: Sequence[Sentence]) -> set[int]:
    """Return the positions of sentences inside a quotation that an earlier sentence of the paragraph opens.

    In a summary, such a sentence would look like the writer's own words. Paragraphs with an odd number of
    quotation marks are skipped, because one mark may be a typo.
    """
    positions: set[int] = set()
    for _, group in groupby(sentences, key=attrgetter("paragraph")):
        opened, inside = 0, list[tuple[int, int]]()
        for sentence in group:
            inside.append((sentence.position, opened))
            opened ^= _odd_quotes(sentence.text)
        for position, before in inside:
            if before & ~opened:
                positions.add(position)
    return positions
