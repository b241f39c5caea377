"""Split the documents of a cluster into sentences, and find the date of each document."""

from __future__ import annotations

import functools
import logging
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from summc.documents.language import language_of
from summc.documents.paragraphs import without_controls
from summc.documents.raw import PageStarts, RawCluster, count_inked
from summc.documents.talk import label_of
from summc.errors import InputError, MissingExtraError
from summc.records import Cluster, Document, Sentence
from summc.system.resources import word_lists
from summc.text.dates import date_of
from summc.text.numbers import count_words
from summc.text.structure import run_in

log = logging.getLogger("summc")

_EXTRA = "the extra summc[documents] is not installed", "pip install 'summc[documents]'"


def split_cluster(raw: RawCluster, language: str) -> Cluster:
    """Return a cluster with its documents split into sentences; raise an error if no document has text.

    A document without text, or with the same text as an earlier one, is left out with a warning. One that
    needs a missing extra is left out silently: the caller warns once, with ``lacking_extra``.
    """
    for problem in raw.problems:
        log.warning("%s", problem)
    code = language_of(raw, language)
    first_with: dict[tuple[str, ...], str] = {}
    taken: dict[str, int] = {}
    documents: list[Document] = []
    # If all is said by one person, names add nothing.
    has_labels = len({name for source in raw.documents for name in source.speakers if name}) > 1
    for source in raw.documents:
        name = without_controls(source.id)
        speakers = source.speakers if has_labels else ()
        document = make_document(name, source.paragraphs, len(documents), code, source.pages, speakers)
        text = tuple(sentence.text for sentence in document.sentences)
        if source.lacks_extra:
            continue
        if not text:
            log.warning("%s: %s; left out", source.place, source.problem or "no text")
        elif text in first_with:
            log.warning("%s: the same text as %s; left out", source.place, first_with[text])
        else:
            first_with[text] = source.id
            # The date in the properties of a file, such as that of its creation, comes last.
            date = source.date or (source.file_date and date_of(document, code)) or source.file_date
            documents.append(replace(document, id=own_name(name, taken), date=date))
            if documents[-1].id != name:
                log.warning(
                    "%s: another document called %s; renamed to %s", source.place, name, documents[-1].id
                )
    if not documents and lacking_extra(raw):
        raise MissingExtraError(raw.place, f"no document can be read, because {_EXTRA[0]}", _EXTRA[1])
    if not documents:
        raise InputError(raw.place, "no text", "give documents that hold text")
    return Cluster(
        without_controls(raw.id),
        tuple(documents),
        tuple(raw.references),
        code,
        without_controls(raw.query),
        members=raw.members,
    )


def lacking_extra(raw: RawCluster) -> list[str]:
    """Return the paths of the documents of a cluster that only the extra summc[documents] can read."""
    return [document.place for document in raw.documents if document.lacks_extra]


def left_out(places: Sequence[str]) -> MissingExtraError:
    """Return the error that reports all documents, given by their paths, that lack the extra."""
    others = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return MissingExtraError(f"{places[0]}{others}", f"left out, because {_EXTRA[0]}", _EXTRA[1])


def own_name(name: str, taken: dict[str, int]) -> str:
    """Return a name that is not taken yet: the second ``a`` becomes ``a#2``.

    ``taken`` maps each name in use to the last number that was added to it.
    """
    own = name
    while own in taken:
        taken[name] += 1
        own = f"{name}#{taken[name]}"
    taken[own] = 1
    return own


if TYPE_CHECKING:
    from nupunkt import PunktSentenceTokenizer

_TITLES = ["ald", "cmdr", "cpt", "ens", "lt", "lieut", "maj", "msgr", "pfc", "sgts", "spc"]
_ENGLISH_TITLE = regex.compile(rf"(?:^|\s)(?:{'|'.join(_TITLES)})\.$", regex.IGNORECASE)
_LONGEST_ROW = 1000  # characters without white space
_ROW = regex.compile(rf"\S{{{_LONGEST_ROW + 1},}}+")
# nupunkt, which splits English, was made for legal text. It takes many ordinary words for abbreviations ("it
# was found. French ...") and never ends a sentence after "p.m.". So a sentence also ends at a full stop
# between a word in small letters and a capital, unless the word is a known abbreviation (_SHORTENED).
_FULL_STOP = regex.compile(
    r"""(?<![\w.])(\p{Ll}[\p{Ll}.]*+)(?<=\.)["'\p{Pf}\p{Pe}]*+\s++(?=["'\p{Pi}\p{Ps}]*+\p{Lu})"""
)
_SHORTENED = frozenset(word_lists()["abbreviations"])
_TIMES = ("a.m", "p.m")
_THE_HOUR = regex.compile(r"\bthe [\d:]+ $", regex.IGNORECASE)  # "the 6 p.m. News"
_OF_A_TIME = regex.compile(
    r"\W*(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Eastern|Central|Mountain|Pacific|Greenwich|\p{Lu}{2,})\b"
)
_ORDINAL = regex.compile(r"(?:^|\s)\p{N}{1,2}\.$")  # as in "7. Juli", outside English
_SMALL = regex.compile(r"\p{Ll}")
_TITLE_OR_INITIAL = regex.compile(r"^\p{L}{1,3}\.$|(?:^|\s)\p{L}\.$")
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}]")
# A star is not a bullet if a second star follows, because *so* is emphasized text.
_BULLET = regex.compile(
    r"""(?: [-+_\u2013\u2014]\s+ | \u2022\s* | \*(?!\S[^*]*\*)\s* ) (?=["'`\p{L}\p{N}\p{Pi}\p{Ps}])""",
    regex.VERBOSE,
)
# Marks that may end a sentence. The sentence goes on if a small letter follows, as in "the ship Pourquoi Pas?
# to the scene".
_MAY_END = regex.compile(r"""(?:[?!\u061f]["'\p{Pf}\p{Pe}]*|[.\u2026]["'\p{Pf}]+)$""")
# Marks at the start of a piece that belong to the word before: a comma, or a closing quotation mark before a
# small letter.
_CLINGS = regex.compile(r"""[,;:\u060c\u061b]|["'\p{Pf}](?=\s+\p{Ll})""")
_CAPITAL = regex.compile(r"\P{L}*\p{Lu}")


def make_document(
    id_: str,
    paragraphs: Iterable[str],
    document: int,
    language: str,
    pages: Sequence[PageStarts] = (),
    speakers: Sequence[str] = (),
) -> Document:
    """Return a document, the one with index ``document`` in its cluster, split into sentences.

    The bullet of a list item is dropped. A heading such as "Abstract" on the same line as its abstract
    becomes a sentence of its own. A sentence that is not clear without its speaker begins with a label.
    """
    sentences: list[Sentence] = []
    for number, paragraph in enumerate(paragraphs):
        bullet = _BULLET.match(paragraph)
        begin, heading = bullet.end() if bullet else 0, run_in(paragraph)
        texts = [paragraph[:heading].strip()] if heading else []
        texts += split_sentences(paragraph[max(begin, heading) :], language)
        starts = (
            _pages_of(texts, count_inked(paragraph[:begin]), pages[number]) if pages else [None] * len(texts)
        )
        for said, page in zip(texts, starts, strict=True):
            label = label_of(speakers[number], said, language) if speakers else ""
            text = f"{label}{said}"
            sentences.append(
                Sentence(document, len(sentences), text, count_words(text), number, page, len(label))
            )
    return Document(id_, tuple(sentences))


def _pages_of(texts: Sequence[str], before: int, starts: PageStarts) -> Iterator[int | None]:
    """Yield the page that each sentence of a paragraph begins on; ``before`` characters precede the first."""
    for text in texts:
        # Bisect, because a paragraph may run over many pages. Both numbers in ``starts`` ascend.
        last = bisect_right(starts, before, key=lambda start: start[0]) - 1
        yield starts[last][1] if last >= 0 else None
        before += count_inked(text)


def split_sentences(paragraph: str, language: str) -> list[str]:
    """Return the sentences of one paragraph: by nupunkt in English, by sentencex in other languages.

    Pieces that the libraries cut wrongly are joined: those without letters and digits, after a title or an
    initial, after a day such as ``7.``, and those that begin with a comma, or with a small letter after
    ``?``, ``!`` or a quotation. A paragraph without letters and digits has no sentences.
    """
    sentences: list[list[str]] = []  # each sentence as a list of parts, to be joined
    before = ""  # a piece that begins the next sentence, such as a title
    for piece in _pieces(paragraph, language):
        if sentences and not before and _continues(sentences[-1], piece, language):
            sentences[-1].append(piece if _CLINGS.match(piece) else f" {piece}")
            continue
        text = f"{before} {piece}" if before else piece
        before = ""
        if not _WORD_CHARACTER.search(text):
            if sentences:
                sentences[-1].append(f" {text}")
            else:
                before = text
        elif (_ENGLISH_TITLE if language == "en" else _TITLE_OR_INITIAL).search(text):
            before = text
        else:
            sentences.append([text])
    if before and _WORD_CHARACTER.search(before):
        sentences.append([before])
    return ["".join(parts) for parts in sentences]


def _continues(sentence: list[str], piece: str, language: str) -> bool:
    """Tell whether a piece continues the sentence before it; the sentence is given as a list of its parts."""
    if not _SMALL.match(piece):
        return bool(_CLINGS.match(piece))
    if language != "en" and _ORDINAL.search(sentence[-1]):
        return True
    # If the sentence before does not begin with a capital, a new sentence need not begin with one either.
    return bool(_MAY_END.search(sentence[-1]) and _CAPITAL.match(sentence[0]))


def _pieces(paragraph: str, language: str) -> Iterator[str]:
    """Yield the pieces that the library for a language divides a paragraph into.

    nupunkt takes quadratic time for a row of characters without white space. So a long row is given to it in
    parts, whose ends are joined again.
    """
    if language != "en":
        import sentencex  # noqa: PLC0415 (loaded only if it is used)

        yield from (str(piece).strip() for piece in sentencex.segment(language, paragraph))
        return
    cuts = [0, len(paragraph)]
    for row in _ROW.finditer(paragraph) if len(paragraph) > _LONGEST_ROW else ():
        cuts[-1:-1] = range(row.start() + _LONGEST_ROW, row.end(), _LONGEST_ROW)
    begun = ""
    for start, end in pairwise(cuts):
        *whole, last = _english().tokenize(paragraph[start:end]) or [""]
        for piece in whole:
            yield from _parted((begun + piece).strip())
            begun = ""
        begun += last
    yield from _parted(begun.strip())


def _parted(piece: str) -> Iterator[str]:
    """Yield the sentences in a piece that nupunkt takes for one sentence."""
    start = 0
    # Most pieces have no full stop before their end. To check that is quicker than to run the pattern.
    inner = piece.find(".", 0, len(piece) - 1) >= 0
    for found in _FULL_STOP.finditer(piece) if inner else ():
        word = found[1][:-1]
        if word in _TIMES:
            hour = piece[max(0, found.start() - 12) : found.start()]
            ends = not _THE_HOUR.search(hour) and not _OF_A_TIME.match(piece, found.end())
        else:
            ends = len(word) > 1 and "." not in word and word not in _SHORTENED
        if ends:
            yield piece[start : found.end()].rstrip()
            start = found.end()
    yield piece[start:]


@functools.cache
def _english() -> PunktSentenceTokenizer:
    """Return nupunkt's English model, with the titles of news texts added that the model does not know."""
    import nupunkt  # noqa: PLC0415 (loaded only if it is used)

    tokenizer = nupunkt.load_default_model()
    tokenizer.add_abbreviations(_TITLES)
    return tokenizer
