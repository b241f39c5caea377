"""Recognize by their looks the sentences of a research paper that are not its running text.

These patterns take a tenth of a second to compile, so this module is imported only for a paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import regex

from summc.records import Sentence

#: A sentence that occurs at least this often in a document is a running head; its digits may differ.
_RUNNING = 3
#: In a paragraph of up to this many sentences, the sentences after the beginning of a caption belong to it.
_LONGEST_CAPTION = 4
#: A sentence is a table row or a formula if a smaller share of its tokens are plain words.
_LEAST_WORDS_SHARE = 0.6
#: It is also one if it has fewer plain words than this.
_FEWEST_WORDS = 4

# Signs of an entry of a bibliography. To search for each of them alone takes a third of the time.
_SIGNS = r"""
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
    """
_CITING = tuple(regex.compile(sign, regex.VERBOSE) for sign in _SIGNS.split("\n    | "))
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
_OF_ITSELF = regex.compile(
    r"""
    (?: In\s+th(?:is|e\s+present)\s+ | This\s+ | Here,?\s+(?=[Ww]e\b) )
    (?: (?:short|brief|position|survey|system|demo|research|technical|review|present)\s+ )?
    (?: paper|article|study|work|thesis|dissertation|report|chapter|survey|review|note|tutorial )\b
    (?! \s*,?\s* (?:however|also|too|again|therefore)\b )
    | (?: We | Here,?\s+we | Here,?\s+I | I )\s+
      (?!(?:also|then|thus|therefore|again|further|furthermore|now|next|finally|first)\b)
      [\p{Ll}-]++ (?!\s+(?:it|them|this|these|those|that|him|her)\b)
    """,
    regex.VERBOSE,
)
_ELSEWHERE = regex.compile(
    r"""
    \b(?:[Ff]ig(?:ure|\.|s\.)?s?|[Tt]ables?|[Ss]ect(?:ion|\.)s?|[Ee]q(?:uation|n|\.)?s?\.?|[Cc]olumns?|[Rr]ows?
      |[Ll]ines?|[Aa]lgorithm|[Aa]ppendix|[Cc]hapter|[Ee]xamples?|[Ll]emma|[Tt]heorem|[Ff]ormula|[Ff]ootnote
      |[Ll]isting|[Ss]teps?)
      [\s~]*[(\[]?(?:\d|[A-Z]\b|[IVX]+\b)
    | \b(?:following|previous|next|preceding|last|above|this)\s
      (?:(?:sub)?sections?|figures?|tables?|equations?|examples?)\b
    | \b(?:as\sfollows|(?:shown|described|discussed|given|listed|mentioned|defined)\s(?:above|below))\b
    | \b(?:above|below)\s?[.:]$ | \b[Tt]he\srest\sof\s(?:this|the)\s(?:paper|article)\b
    """,
    regex.VERBOSE,
)


def is_entry(text: str) -> bool:
    """Tell whether a sentence has pages, a publisher or the like, as an entry of a bibliography has."""
    return any(sign.search(text) for sign in _CITING)


def cites(text: str) -> bool:
    """Tell whether a sentence looks like part of an entry of a bibliography."""
    return bool(is_entry(text) or _LABEL.match(text) or _AUTHORS.match(text[:_LONGEST_NAMES]))


def by_looks(sentences: Sequence[Sentence], citing: frozenset[int]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a paper that do not look like running text, each as its position and the reason.

    ``citing`` has the positions of the sentences that look like entries of a bibliography.
    """
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

    A footnote is a paragraph that begins with the mark of a note, such as "1" or a star, and ends like a
    sentence. Only documents with pages have footnotes.
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


def speaks_of_itself(text: str) -> bool:
    """Tell whether a sentence begins by speaking of its own paper: "this paper", "we show"."""
    return _OF_ITSELF.match(text) is not None


def points_elsewhere(text: str) -> bool:
    """Tell whether a sentence refers to a figure, a table, a section or another part of its paper."""
    return _ELSEWHERE.search(text) is not None
