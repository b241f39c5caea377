"""Find the apparatus of a document: the sentences that are not part of its running text.

These are the bibliography, thanks, lines about authors, captions, notes and formulas. Parts with a heading,
such as a bibliography, are found in any document. The rest is recognized by how it looks, and only in
research papers, because in other documents text that looks the same may be news.

A sentence "cites" if it looks like a part of an entry of a bibliography, as with "pp. 12-34".
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
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
#: A sentence that occurs at least this often in a document is a running head; its digits may differ.
_RUNNING = 3
#: In a paragraph of up to this many sentences, the sentences after the beginning of a caption belong to it.
_LONGEST_CAPTION = 4
#: A sentence is a table row or a formula if a smaller share of its tokens are plain words.
_LEAST_WORDS_SHARE = 0.6
#: It is also one if it has fewer plain words than this.
_FEWEST_WORDS = 4

_CITING = regex.compile(
    r"""
      \bpp?\.?\s?\d+\s?(?:[-\u2010-\u2014{~]|to)+\s?\d+            # pp. 12-34; old PDFs have { for a dash
    | \bpp\.(?:\s|$)
    | \b(?:pages|pagine|páginas|Seiten|S\.)\s\d+\s?[-\u2010-\u2014{~]+\s?\d+
    | \b\d{1,4}\s?\(\d{1,3}(?:[-\u2010-\u2014/]\d{1,3})?\)\s?:\s?(?:\d|pp?\.)            # 20(2):155
    | \b\d{1,4}\s?:\s?\d{1,5}\s?[-\u2010-\u2014{]+\s?\d{1,5}\b                           # 19:263-311
    | \b[Vv]ol(?:ume|\.)\s?[A-Z]*-?\d+ (?:\s?\(|,\s*(?:[Nn]o|[Nn]umber|[Ii]ssue|pages|pp))
    | \b[Vv]ol\.\s?(?:[A-Z]+-?)?\d+
    | ^\W*(?:In\s+)?(?:In:?\s+)?(?:the\s+)?
        (?:Proc\.|Proceedings?\s(?:of|on|from|IEEE|ACM|\d)|Advances\sin\s\p{Lu}|Actes\sd|Trans\.
          |Transactions\son|IEEE\s|ACM\s|LNCS|Lecture\sNotes)
    | \bIn:?\s(?:the\s)?(?:Proc\.|Proceedings?\sof)
    | \b(?:Proc\.|Proceedings)\s(?:of\s)?(?:the\s)?(?:\d+(?:st|nd|rd|th)\b|\p{Lu})[^.]{5,90}\b(?:19|20)\d\d
    | \b(?:Ph\.?\s?D\.?|[Dd]octoral|[Mm]aster'?s?|M\.?Sc\.?|Diploma)\s(?:[Tt]hesis|[Dd]issertation)\b,?
    | \b(?:[Tt]ech(?:nical|\.)\s(?:[Rr]ep(?:ort|\.)))(?:\s(?:No\.?\s)?[\p{Lu}\d#]|,)
    | \barXiv(?:\spreprint|\s?:\s?\d) | \b(?:doi|DOI)\s?:?\s?(?:https?:|10\.) | \bdoi\.org/
    | \bISBN\b | \bISSN\b
    | \b(?:editors?|[Ee]ds?\.|Hrsg\.)[,)]
    | \b(?:University\sPress|Academic\sPress|MIT\sPress|Springer(?:-Verlag)?|Elsevier|Morgan\sKaufmann
        |Addison[-\s]Wesley|John\sWiley|Wiley(?:-Interscience)?|McGraw-Hill|Prentice[-\s]Hall|Kluwer
        |North-Holland|Erlbaum|Routledge),
    | ,\s(?:19|20)\d\d[a-z]?\.\s*(?:pp\b.*)?$    # Houghton Mifflin, 1982.
    | \b(?:accessed|retrieved|last\svisited|available\s(?:at|from))\b.{0,30}(?:https?:|www\.|(?:19|20)\d\d)
    | \bto\sappear\b[^a-z]*\.?$
    """,
    regex.VERBOSE,
)
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
_INITIAL = r"(?:\p{Lu}\p{M}*\.[\s-]?){1,3}"
_SURNAME = r"(?:(?:de|la|van|von|der|den|di|da|du|le|el|al|Mc|O')\s?)*\p{Lu}[\p{L}\p{M}'\u2019\u00b4\u00a8-]+"
_AUTHOR = rf"(?:{_SURNAME},?\s{_INITIAL}|{_INITIAL}\s?{_SURNAME})"
_JOINS = r"(?:\s*(?:,|;|&|and|und|et|y)\s*)+"
#: How many characters of a sentence may be names: the time for the pattern grows with their square.
_LONGEST_NAMES = 1000
_AUTHORS = regex.compile(
    rf"^\W*(?:\[[^\]]{{1,30}}\]\s*|\(?\d{{1,3}}[.)\]]\s*)? {_AUTHOR} (?:{_JOINS}{_AUTHOR})*"
    rf"(?:{_JOINS}(?:et\sal\.?|others))?[,.]?\s*(?:\(?(?:19|20)\d\d[a-z]?\)?[.,:]?|\(?(?:[Ee]ds?\.?|editors?)\)?|$|[.:]|[\"“]|\p{{Lu}})",
    regex.VERBOSE,
)
_LABEL = regex.compile(r"^\W*\[(?:\d{1,3}|[\p{L}+]{2,12}[\s+]?\d{2,4}[a-z]?)\]\s")
_MAIL = regex.compile(r"[\p{L}\p{N}}\])._-]\s?@\s?[\p{L}\p{N}-]+\s?\.[\p{L}\p{N}.]+")
_RIGHTS = regex.compile(
    r"""
      ^\W*Licen[sc]ed\sunder\b | \bCreative\sCommons\b | \b(?:All|Some|some|all)\srights\sreserved\b
    | \b[Pp]ermission\sto\s(?:make|copy)\b | \bcopies\sare\snot\smade\b | \b[Tt]o\scopy\sotherwise\b
    | ^\W*(?:©|\(c\)|c)\s?(?:19|20)\d\d\b | ^\W*Copyright\b | \bCopyright\s(?:is\sheld|©|\(c\)|(?:19|20)\d\d)
    | \bcopyright\s(?:holder|owner|notice)s?\b | \bopen[-\s]access\sarticle\b
    | ^\W*(?:Manuscript\s)?[Rr]eceived\s.{3,40}(?:;|,)\s(?:revised|accepted|in\srevised)
    | \b[Cc]orresponding\s(?:author|address)\b | ^\W*(?:Correspondence|E-?mail)(?:\sto)?\s?:
    | \bACM\sReference\sFormat\b
    | ^\W*(?:Keywords?|Key\swords|Index\sTerms|General\sTerms)\b\s*[:.\u2013\u2014-]
    | ^\W*(?:The|This)\s(?:work|research|study|paper|project|material)\s(?:was|is|has\sbeen)\s
        (?:(?:also|partly|partially|in\spart|jointly|generously|kindly)\s)?(?:supported|funded|sponsored|financed)\b
    | ^\W*(?:We|I|The\sauthors?)\s(?:\p{Ll}+\s){0,3}(?:thank|grateful|indebted|gratefully|acknowledge)\b
        .*(?:\b(?:comments|support|grant|help|discussions?|suggestions|reviewers|funding|advice|feedback|assistance)\b)
    """,
    regex.VERBOSE,
)
_THANKS = regex.compile(
    r"""
    \W*(?:A(?:cknowledge?ments?|CKNOWLEDGE?MENTS?)\b |
      (?:Funding|Conflicts?\sof\s[Ii]nterests?|Competing\s[Ii]nterests?
      |Author\s[Cc]ontributions?|Data\s[Aa]vailability|Categories\sand\sSubject\sDescriptors)\b\s*[.:\u2013\u2014-]
      |(?:Keywords?|KEYWORDS|Key\s[Ww]ords|Index\sTerms|General\sTerms)\b\s*(?:[:.\u2013\u2014-]|\p{Lu}))
    """,
    regex.VERBOSE,
)
_CAPTION = regex.compile(
    r"""
    \s*(?:(?:Supplementary|Extended\sData)\s)?
    (?:Fig(?:ure|\.|s\.)?|FIG(?:URE|\.)?|Table|TABLE|Tab\.|Algorithm|ALGORITHM|Listing|Scheme|Chart|Exhibit|Box|Plate
      |Abb(?:ildung|\.)|Tabelle|Tableau|Figura|Tabla|Tabela|Tabella|Figuur|Tabel|Rysunek|Rys\.|Obr(?:ázek|\.)|Tabulka
      |Kuva|Taulukko|Figur|Tabell|Рис(?:унок|\.)|Таблица|图|圖|図|表)
    \s*(?:[A-Z]?\d{1,3}(?:[.-]\d{1,3})?|[IVX]{1,5})[a-z]?
    (?: \s*(?:[:.|]|[\u2013\u2014-]\s) | \s+(?=[\p{Lu}\p{Lo}\p{N}(]) | \s*$ )
    """,
    regex.VERBOSE,
)
_CAPTION_WITHIN = regex.compile(
    r"\s(?:Fig(?:ure|\.)|Table|TABLE|FIGURE|Abbildung|Tabelle|Tableau)\s?\d{1,3}\s?:\s\p{Lu}"
)
_NOTE = regex.compile(r"\s*(?:\d{1,2}\s?(?=[\p{Lu}\u201c\"(]|https?:)|[\u2217*†‡§¶#]\s?(?=\p{Lu}))")
_TOKEN = regex.compile(r"\S+")
_PLAIN_WORD = regex.compile(
    r"""["'(\[\p{Pi}\p{Ps}]*(?:\p{L}[\p{L}\p{M}]+|[aAIàéèoyeiuwvkzs\p{Cyrillic}\p{Arabic}\p{Hebrew}])
    (?:['\u2019/\u2010\u2011-][\p{L}\p{M}]+)*[\p{Pf}\p{Pe}\p{Po}]*""",
    regex.VERBOSE,
)
_NO_SPACES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}]")
_DIGITS = regex.compile(r"\d+")
_END = regex.compile(r"""[\p{STerm}…]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")


@functools.lru_cache(maxsize=16)
def apparatus_of(document: Document) -> dict[int, str]:
    """Return the positions of the sentences of the apparatus, each with the reason to show to a user.

    The apparatus is what is not running text, such as the bibliography, captions and thanks.
    """
    sentences, sections = document.sentences, _sections(document)
    citing = _citing(document)
    found = dict(_by_heading(sections, sentences, citing))
    if not is_paper(document):
        return found
    for i, reason in (
        *_unheaded(sentences, citing),
        *_above_abstract(sections, sentences),
        *_by_looks(sentences, frozenset(citing)),
    ):
        found.setdefault(i, reason)
    return found


def is_paper(document: Document) -> bool:
    """Tell whether a document is a research paper.

    It is one if it has the heading of an abstract or a bibliography, or if at least three of its sentences
    look like parts of a bibliography.
    """
    sentences = document.sentences
    if _has_frame(document):
        return True
    strong = sum(_CITING.search(sentences[i].text) is not None for i in _citing(document))
    return strong >= _FEWEST_CITING


@functools.lru_cache(maxsize=16)
def _has_frame(document: Document) -> bool:
    """Tell whether a document has a heading of an abstract, or a heading of a bibliography.

    The heading of a bibliography must not be in the first part of the document (``_FRONT``).
    """
    least = _FRONT * len(document.sentences)
    kinds = {s.kind for s in _sections(document) if s.kind != "references" or s.start >= least}
    return not kinds.isdisjoint({"abstract", "references"})


@functools.lru_cache(maxsize=16)
def _citing(document: Document) -> tuple[int, ...]:
    """Return the positions of the sentences that look like part of an entry of a bibliography, ascending."""
    texts = [sentence.text for sentence in document.sentences]
    # Most documents are not papers. A quick search for a few words avoids running the slow patterns on them.
    joined = "\n".join(texts)
    if not _has_frame(document) and not any(word in joined for word in _SCHOLARLY):
        return ()
    return tuple(i for i, text in enumerate(texts) if _cites(text))


def in_abstract(document: Document, position: int) -> bool:
    """Tell whether the sentence at a position of a document is in its abstract, below the heading."""
    return any(
        section.kind == "abstract" and section.body <= position < section.end
        for section in _sections(document)
    )


@functools.lru_cache(maxsize=16)
def _sections(document: Document) -> tuple[Section, ...]:
    return sections_of(document)


def _cites(text: str) -> bool:
    """Tell whether a sentence looks like part of an entry of a bibliography."""
    return bool(_CITING.search(text) or _LABEL.match(text) or _AUTHORS.match(text[:_LONGEST_NAMES]))


def _by_heading(
    sections: Sequence[Section], sentences: Sequence[Sentence], citing: Sequence[int]
) -> Iterator[tuple[int, str]]:
    """Yield the sentences of the bibliography, acknowledgements and other parts that have a known heading.

    Each is its position and the reason. ``citing`` has the positions of the sentences that cite.
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

    It may be, because the title of a cited work may have been taken for a heading. It is if enough of its
    sentences look like parts of a bibliography, or if it has only a few whole sentences.
    """
    cited = bisect_left(citing, section.end) - bisect_left(citing, section.body)
    inner = sentences[section.body : section.end]
    whole = sum(s.words >= _WHOLE and _END.search(s.text) is not None for s in inner)
    return cited >= _STILL_CITING * len(inner) or whole < _FEWEST_WHOLE


def _unheaded(sentences: Sequence[Sentence], citing: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a bibliography without a heading, each as its position and the reason.

    Such a bibliography is the last paragraphs of a document, if more than half of them look like entries.
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


def _by_looks(sentences: Sequence[Sentence], citing: frozenset[int]) -> Iterator[tuple[int, str]]:
    shapes = Counter(_DIGITS.sub("0", s.text) for s in sentences)
    yield from _captions(sentences)
    yield from _notes(sentences)
    for paragraph in _paragraphs(sentences):
        if _THANKS.match(sentences[paragraph[0]].text):
            yield from ((i, "it speaks of rights, thanks or keywords") for i in paragraph)
    for i, sentence in enumerate(sentences):
        text = sentence.text
        if i in citing:
            yield i, "it looks like an entry of a bibliography"
        elif _MAIL.search(text):
            yield i, "it holds an e-mail address"
        elif _CAPTION_WITHIN.search(text):
            yield i, "the caption of a figure or table runs into it"
        elif _RIGHTS.search(text):
            yield i, "it speaks of rights, thanks or keywords"
        elif shapes[_DIGITS.sub("0", text)] >= _RUNNING:
            yield i, "it stands on several pages, as running heads do"
        elif is_formula(text):
            yield i, "it is mostly figures and symbols, as tables and formulas are"


def _captions(sentences: Sequence[Sentence]) -> Iterator[tuple[int, str]]:
    reason = "it is the caption of a figure or table"
    for paragraph in _paragraphs(sentences):
        caption = False
        for place, i in enumerate(paragraph):
            begins = _CAPTION.match(sentences[i].text) is not None
            caption = begins or (caption and len(paragraph) <= _LONGEST_CAPTION and place > 0)
            # If a sentence is only "Table 2.", the next sentence is the caption.
            if caption or (place and _is_label(sentences[paragraph[place - 1]].text)):
                yield i, reason


def _is_label(text: str) -> bool:
    found = _CAPTION.match(text)
    return found is not None and found.end() >= len(text.rstrip())


def _notes(sentences: Sequence[Sentence]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of footnotes, each as its position and the reason.

    A footnote is a paragraph on a page that begins with the mark of a note, such as "1" or a star, and ends
    like a sentence.
    """
    for paragraph in _paragraphs(sentences):
        first = sentences[paragraph[0]]
        if first.page is not None and _NOTE.match(first.text) and _END.search(sentences[paragraph[-1]].text):
            for i in paragraph:
                yield i, "it stands in a footnote"


def _paragraphs(sentences: Sequence[Sentence]) -> Iterator[list[int]]:
    numbers = ((s.paragraph if s.paragraph is not None else -1 - i, i) for i, s in enumerate(sentences))
    for _, group in groupby(numbers, key=lambda each: each[0]):
        yield [i for _, i in group]


def is_formula(text: str) -> bool:
    """Tell whether a sentence is a formula or a table row: mostly numbers, symbols and single letters."""
    if _NO_SPACES.search(text):
        inked = "".join(text.split())
        return 2 * sum(character.isalpha() for character in inked) < len(inked)
    tokens = _TOKEN.findall(text)
    plain = sum(_PLAIN_WORD.fullmatch(token) is not None for token in tokens)
    return plain < _FEWEST_WORDS or plain < _LEAST_WORDS_SHARE * len(tokens)
