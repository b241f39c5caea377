"""Find the apparatus of a research paper: the sentences that are not part of its running text.

These are the bibliography, thanks, lines about authors, captions, notes and formulas. They are recognized by
how they look, and only in papers, because in other documents text that looks the same may be news.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

import regex

from summc.documents.headings import FRONT, SENTENCE_END, Outline
from summc.records import Sentence

#: A document with at least this many entries of a bibliography is a paper.
_FEWEST_CITING = 3
#: In a bibliography without a heading, at least this many paragraphs cite, and more than this share of all
#: its paragraphs.
_FEWEST_ENTRIES = 5
_CITING_SHARE = 0.5
#: A sentence that occurs at least this often in a document is a running head; its digits may differ.
_RUNNING = 3
#: In a paragraph of up to this many sentences, the sentences after the beginning of a caption belong to it.
_LONGEST_CAPTION = 4
#: A sentence is a table row or a formula if a smaller share of its tokens are plain words, or fewer tokens.
_LEAST_WORDS_SHARE = 0.6
_FEWEST_WORDS = 4

# Signs of an entry of a bibliography. To search for each of them alone takes a third of the time.
_SIGNS = r"""
      \b(?:pp?\.?|pages|pagine|páginas|Seiten|S\.)\s?\d+\s?(?:[-\u2010-\u2014{~]|to)+\s?\d+  # a dash may be {
    | \bpp\.(?:\s|$)
    | \b\d{1,4}\s?\(\d{1,3}(?:[-\u2010-\u2014/]\d{1,3})?\)\s?:\s?(?:\d|pp?\.)            # 20(2):155
    | \b\d{1,4}\s?:\s?\d{1,5}\s?[-\u2010-\u2014{]+\s?\d{1,5}\b                           # 19:263-311
    | \b[Vv]ol(?:\.\s?(?:[A-Z]+-?)?\d+|ume\s\d+(?:\s?\(|,\s*(?:[Nn]o|[Nn]umber|[Ii]ssue|pages|pp)))
    | (?:^\W*|\bIn:?\s)(?:the\s)?(?:Proc\.|Proceedings?\s(?:of|on|from|IEEE|ACM|\d)|Advances\sin\s\p{Lu}
        |Actes\sd|Trans\.|Transactions\son|IEEE\s|ACM\s|LNCS|Lecture\sNotes)
    | \b(?:Ph\.?\s?D\.?|[Dd]octoral|[Mm]aster'?s?|M\.?Sc\.?|Diploma)\s(?:[Tt]hesis|[Dd]issertation)\b,?
    | \b(?:[Tt]ech(?:nical|\.)\s(?:[Rr]ep(?:ort|\.)))(?:\s(?:No\.?\s)?[\p{Lu}\d#]|,)
    | \barXiv(?:\spreprint|\s?:\s?\d) | \b(?:doi|DOI)\s?:?\s?(?:https?:|10\.) | \bdoi\.org/ | \bIS[BS]N\b
    | \b(?:editors?|[Ee]ds?\.|Hrsg\.)[,)]
    | \b(?:(?:University|Academic|MIT)\sPress|Springer(?:-Verlag)?|Elsevier|Morgan\sKaufmann
        |Addison[-\s]Wesley|Wiley(?:-Interscience)?|McGraw-Hill|Prentice[-\s]Hall|Kluwer|North-Holland|Erlbaum|Routledge),
    | ,\s(?:19|20)\d\d[a-z]?\.\s*(?:pp\b.*)?$ | \bto\sappear\b[^a-z]*\.?$  # Houghton Mifflin, 1982.
    | \b(?:accessed|retrieved|last\svisited|available\s(?:at|from))\b.{0,30}(?:https?:|www\.|(?:19|20)\d\d)
    """
_CITING = tuple(regex.compile(f"(?x){sign}") for sign in _SIGNS.split("\n    | "))
_INITIAL = r"(?:\p{Lu}\p{M}*\.[\s-]?){1,3}"
_SURNAME = r"(?:(?:de|la|van|von|der|den|di|da|du|le|el|al|Mc|O')\s?)*\p{Lu}[\p{L}\p{M}'\u2019\u00b4\u00a8-]+"
_AUTHOR = rf"(?:{_SURNAME},?\s{_INITIAL}|{_INITIAL}\s?{_SURNAME})"
_JOINS = r"(?:\s*(?:,|;|&|and|und|et|y)\s*)+"
#: How many characters of a sentence may be names: the time for the pattern grows with their square.
_LONGEST_NAMES = 1000
# An entry of a bibliography begins with its label, such as [12] or [Abc99], or with its authors.
_AUTHORS = regex.compile(
    r"(?x)^\W*\[(?:\d{1,3}|[\p{L}+]{2,12}[\s+]?\d{2,4}[a-z]?)\]\s"
    rf"| ^\W*(?:\[[^\]]{{1,30}}\]\s*|\(?\d{{1,3}}[.)\]]\s*)? {_AUTHOR} (?:{_JOINS}{_AUTHOR})*"
    rf"(?:{_JOINS}(?:et\sal\.?|others))?[,.]?\s*(?:\(?(?:19|20)\d\d[a-z]?\)?[.,:]?|\(?(?:[Ee]ds?\.?|editors?)\)?|$|[.:]|[\"“]|\p{{Lu}})"
)
_MAIL = regex.compile(r"[\p{L}\p{N}}\])._-]\s?@\s?[\p{L}\p{N}-]+\s?\.[\p{L}\p{N}.]+")
_RIGHTS = regex.compile(
    r"""(?x)
      ^\W*Licen[sc]ed\sunder\b | \bCreative\sCommons\b | \b(?:[Aa]ll|[Ss]ome)\srights\sreserved\b
    | \b[Pp]ermission\sto\s(?:make|copy)\b | \bcopies\sare\snot\smade\b | \b[Tt]o\scopy\sotherwise\b
    | ^\W*(?:©|\(c\)|c)\s?(?:19|20)\d\d\b | ^\W*Copyright\b | \bCopyright\s(?:is\sheld|©|\(c\)|(?:19|20)\d\d)
    | \bcopyright\s(?:holder|owner|notice)s?\b | \bopen[-\s]access\sarticle\b | \bACM\sReference\sFormat\b
    | ^\W*(?:Manuscript\s)?[Rr]eceived\s.{3,40}(?:;|,)\s(?:revised|accepted|in\srevised)
    | \b[Cc]orresponding\s(?:author|address)\b | ^\W*(?:Correspondence|E-?mail)(?:\sto)?\s?:
    | ^\W*(?:Keywords?|Key\swords|Index\sTerms|General\sTerms)\b\s*[:.\u2013\u2014-]
    | ^\W*(?:The|This)\s(?:work|research|study|paper|project|material)\s(?:was|is|has\sbeen)\s
        (?:(?:also|partly|partially|in\spart|jointly|generously|kindly)\s)?(?:supported|funded|sponsored|financed)\b
    | ^\W*(?:We|I|The\sauthors?)\s(?:\p{Ll}+\s){0,3}(?:thank|grateful|indebted|gratefully|acknowledge)\b
        .*(?:\b(?:comments|support|grant|help|discussions?|suggestions|reviewers|funding|advice|feedback|assistance)\b)
    """
)
_THANKS = regex.compile(
    r"""(?x)
    \W*(?:A(?:cknowledge?ments?|CKNOWLEDGE?MENTS?)\b |
      (?:Funding|Conflicts?\sof\s[Ii]nterests?|Competing\s[Ii]nterests?
      |Author\s[Cc]ontributions?|Data\s[Aa]vailability|Categories\sand\sSubject\sDescriptors)\b\s*[.:\u2013\u2014-]
      |(?:Keywords?|KEYWORDS|Key\s[Ww]ords|Index\sTerms|General\sTerms)\b\s*(?:[:.\u2013\u2014-]|\p{Lu}))
    """
)
_CAPTION = regex.compile(
    r"""(?x)
    \s*(?:(?:Supplementary|Extended\sData)\s)?
    (?:Fig(?:ure|\.|s\.)?|FIG(?:URE|\.)?|Table|TABLE|Tab\.|Algorithm|ALGORITHM|Listing|Scheme|Chart|Exhibit|Box|Plate
      |Abb(?:ildung|\.)|Tabelle|Tableau|Figura|Tabla|Tabela|Tabella|Figuur|Tabel|Rysunek|Rys\.|Obr(?:ázek|\.)|Tabulka
      |Kuva|Taulukko|Figur|Tabell|Рис(?:унок|\.)|Таблица|图|圖|図|表)
    \s*(?:[A-Z]?\d{1,3}(?:[.-]\d{1,3})?|[IVX]{1,5})[a-z]?
    (?: \s*(?:[:.|]|[\u2013\u2014-]\s) | \s+(?=[\p{Lu}\p{Lo}\p{N}(]) | \s*$ )
    """
)
_CAPTION_WITHIN = regex.compile(
    r"\s(?:Fig(?:ure|\.)|Table|TABLE|FIGURE|Abbildung|Tabelle|Tableau)\s?\d{1,3}\s?:\s\p{Lu}"
)
_NOTE = regex.compile(r"\s*(?:\d{1,2}\s?(?=[\p{Lu}\u201c\"(]|https?:)|[\u2217*†‡§¶#]\s?(?=\p{Lu}))")
_PLAIN_WORD = regex.compile(
    r"""(?x)["'(\[\p{Pi}\p{Ps}]*(?:\p{L}[\p{L}\p{M}]+|[aAIàéèoyeiuwvkzs\p{Cyrillic}\p{Arabic}\p{Hebrew}])
    (?:['\u2019/\u2010\u2011-][\p{L}\p{M}]+)*[\p{Pf}\p{Pe}\p{Po}]*"""
)
_NO_SPACES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}]")
_DIGITS = regex.compile(r"\d+")
#: The beginning of a sentence that speaks of its own paper: "this paper", "we show".
OF_ITSELF = regex.compile(
    r"""(?x)
    (?: In\s+th(?:is|e\s+present)\s+ | This\s+ | Here,?\s+(?=[Ww]e\b) )
    (?: (?:short|brief|position|survey|system|demo|research|technical|review|present)\s+ )?
    (?: paper|article|study|work|thesis|dissertation|report|chapter|survey|review|note|tutorial )\b
    (?! \s*,?\s* (?:however|also|too|again|therefore)\b )
    | (?: We | Here,?\s+we | Here,?\s+I | I )\s+
      (?!(?:also|then|thus|therefore|again|further|furthermore|now|next|finally|first)\b)
      [\p{Ll}-]++ (?!\s+(?:it|them|this|these|those|that|him|her)\b)
    """
)
#: A mention of a figure, a table, a section or another part of the paper.
POINTER = regex.compile(
    r"""(?x)
    \b(?:[Ff]ig(?:ure|\.|s\.)?s?|[Tt]ables?|[Ss]ect(?:ion|\.)s?|[Ee]q(?:uation|n|\.)?s?\.?|[Cc]olumns?|[Rr]ows?
      |[Ll]ines?|[Aa]lgorithm|[Aa]ppendix|[Cc]hapter|[Ee]xamples?|[Ll]emma|[Tt]heorem|[Ff]ormula|[Ff]ootnote
      |[Ll]isting|[Ss]teps?)
      [\s~]*[(\[]?(?:\d|[A-Z]\b|[IVX]+\b)
    | \b(?:following|previous|next|preceding|last|above|this)\s
      (?:(?:sub)?sections?|figures?|tables?|equations?|examples?)\b
    | \b(?:as\sfollows|(?:shown|described|discussed|given|listed|mentioned|defined)\s(?:above|below))\b
    | \b(?:above|below)\s?[.:]$ | \b[Tt]he\srest\sof\s(?:this|the)\s(?:paper|article)\b
    """
)


def with_citations(outline: Outline, sentences: Sequence[Sentence]) -> Outline:
    """Return the outline of a document with its citing sentences.

    A document without the headings of a paper is still a paper if it has at least three sentences that look
    like entries of a bibliography.
    """
    texts = list(map(attrgetter("text"), sentences))
    entries = {i for i, text in enumerate(texts) if any(sign.search(text) for sign in _CITING)}
    named = {i for i, text in enumerate(texts) if _AUTHORS.match(text[:_LONGEST_NAMES])}
    is_paper = outline.is_paper or len(entries) >= _FEWEST_CITING
    return replace(outline, citing=sorted(entries | named), is_paper=is_paper)


def apparatus(outline: Outline, sentences: Sequence[Sentence]) -> dict[int, str]:
    """Return the positions of the apparatus of a paper that no heading shows, each with its kind."""
    abstract = next((part.start for part in outline.parts if part.kind == "abstract"), 0)
    above = range(abstract if abstract <= FRONT * len(sentences) else 0)
    # Of the kinds that fit a sentence, the last one counts.
    return {
        **dict(_by_looks(outline, sentences)),
        **dict(_by_paragraph(sentences)),
        **dict.fromkeys(above, "front matter"),
        **dict.fromkeys(_unheaded(outline, sentences), "bibliography"),
    }


def _unheaded(outline: Outline, sentences: Sequence[Sentence]) -> Sequence[int]:
    """Return the positions of the sentences of a bibliography without a heading.

    Such a bibliography is the last paragraphs of a document, if more than half of them cite.
    """
    paragraphs = _paragraphs(sentences)
    entries = [not frozenset(outline.citing).isdisjoint(paragraph) for paragraph in paragraphs]
    best, so_far, start = 0.0, 0.0, None
    for number in reversed(range(len(paragraphs) // 2, len(paragraphs))):
        so_far += 1 - _CITING_SHARE if entries[number] else -_CITING_SHARE
        if so_far > best and entries[number]:
            best, start = so_far, number
    is_long = start is not None and sum(entries[start:]) >= _FEWEST_ENTRIES
    return range(paragraphs[start or 0][0], len(sentences)) if is_long else ()


def _paragraphs(sentences: Sequence[Sentence]) -> list[list[int]]:
    """Return the positions of the sentences of each paragraph."""
    return [[s.position for s in group] for _, group in groupby(sentences, key=attrgetter("paragraph"))]


def _by_paragraph(sentences: Sequence[Sentence]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of captions, footnotes and paragraphs of thanks."""
    for paragraph in _paragraphs(sentences):
        first, last = sentences[paragraph[0]], sentences[paragraph[-1]]
        # A footnote begins with the mark of a note and ends like a sentence. Only documents with pages have
        # some.
        is_note = first.page is not None and _NOTE.match(first.text) and SENTENCE_END.search(last.text)
        if is_note or _THANKS.match(first.text):
            yield from dict.fromkeys(paragraph, "footnote" if is_note else "rights").items()
        yield from dict.fromkeys(_caption(paragraph, sentences), "caption").items()


def _by_looks(outline: Outline, sentences: Sequence[Sentence]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a paper that do not look like running text."""
    shapes = [_DIGITS.sub("0", s.text) for s in sentences]
    often, citing = Counter(shapes), frozenset(outline.citing)
    for i, sentence in enumerate(sentences):
        text = sentence.text
        if i in citing:
            yield i, "bibliography"
        elif _MAIL.search(text):
            yield i, "address"
        elif _CAPTION_WITHIN.search(text):
            yield i, "caption"
        elif _RIGHTS.search(text):
            yield i, "rights"
        elif often[shapes[i]] >= _RUNNING:
            yield i, "running head"
        elif _is_formula(text):
            yield i, "formula"


def _caption(paragraph: Sequence[int], sentences: Sequence[Sentence]) -> Iterator[int]:
    """Yield the sentences of a paragraph that belong to a caption."""
    caption = after_label = False
    for i in paragraph:
        text = sentences[i].text
        begins = _CAPTION.match(text)
        caption = begins is not None or (caption and len(paragraph) <= _LONGEST_CAPTION)
        if caption or after_label:
            yield i
        # If a sentence is only "Table 2.", the next sentence is the caption.
        after_label = begins is not None and begins.end() >= len(text.rstrip())


def _is_formula(text: str) -> bool:
    """Tell whether a sentence is a formula or a table row: mostly numbers, symbols and single letters."""
    tokens = text.split()
    if _NO_SPACES.search(text):
        inked = "".join(tokens)
        return 2 * sum(character.isalpha() for character in inked) < len(inked)
    plain = sum(_PLAIN_WORD.fullmatch(token) is not None for token in tokens)
    return plain < _FEWEST_WORDS or plain < _LEAST_WORDS_SHARE * len(tokens)
