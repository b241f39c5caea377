"""Split the documents of a cluster into sentences, and give each sentence its kind."""

from __future__ import annotations

import functools
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise, takewhile
from operator import attrgetter
from typing import Any

import regex

from summc.documents.formats import time_limit
from summc.documents.headings import run_in
from summc.documents.kinds import with_kinds
from summc.documents.language import language_of, language_within
from summc.documents.paragraphs import without_controls
from summc.documents.places import boxes_of, letters_of, spans_of
from summc.documents.raw import ITEM, LINE, QUOTATION, UNDIVIDED, Block, RawCluster, RawDocument, count_inked
from summc.documents.wrapping import BULLETS
from summc.errors import InputError, MissingExtraError
from summc.records import Cluster, Document, Sentence
from summc.system.logs import log
from summc.system.resources import english_stopwords, months, word_lists
from summc.text.dates import date_of
from summc.text.numbers import count_words

#: A quotation repeats other texts if they have at least half of its runs of this many words.
_RUN, _WORDS = 5, regex.compile(r"[\p{L}\p{M}\p{N}]+")
_TITLE_MARK = regex.compile(r"^(?:#+|Title:)\s*")
_EXTRA = "the extra summc[documents] is not installed", "pip install 'summc[documents]'"


def split_cluster(
    raw: RawCluster, language: str, lacking: list[str], split: str = "sentences",
    repeated: list[tuple[str, str]] | None = None,
) -> Cluster:  # fmt: skip
    """Return a cluster with its documents split into sentences; raise an error if no document has text.

    If ``split`` is "lines" or "paragraphs", each of these is a sentence.

    A document without text, or with the same text as an earlier one, is left out with a warning. One that
    needs a missing extra is left out silently: its path is added to ``lacking``, and the caller warns once.
    With ``repeated``, the caller also warns of the documents with the text of an earlier one: it gets the
    place of each, and the id of the earlier one.
    """
    for problem in raw.problems:
        log.warning("%s", problem)
    code = language_of(raw, language)
    first_with: dict[tuple[str, ...], str] = {}
    repetitions: list[tuple[str, str]] = [] if repeated is None else repeated
    taken: dict[str, int] = {}
    documents: list[Document] = []
    # If only one person speaks, labels add nothing.
    blocks = chain.from_iterable(map(attrgetter("blocks"), raw.documents))
    people = set(map(attrgetter("speaker"), blocks)) - {""}
    for source in without_known_quotations(raw.documents):
        name = without_controls(source.id)
        document, problem = _try_to_split(source, len(documents), code, labels=len(people) > 1, split=split)
        text = tuple(map(attrgetter("text"), document.sentences))
        if source.lacks_extra:
            lacking.append(source.place)
        elif not text:
            log.warning("%s: %s; left out", source.place, problem or "no text")
        elif text in first_with:
            repetitions.append((source.place, first_with[text]))
        else:
            first_with[text] = source.id
            # The date in the properties of a file, such as that of its creation, comes last.
            date = source.date or (source.file_date and date_of(document, code)) or source.file_date
            documents.append(replace(document, id=unique_name(name, taken), date=date))
            if (new_name := documents[-1].id) != name:
                log.warning("%s: another document called %s; renamed to %s", source.place, name, new_name)
    if repeated is None:
        warn_of_repetitions(repetitions)
    if not documents and any(map(attrgetter("lacks_extra"), raw.documents)):
        raise MissingExtraError(raw.place, f"no document can be read, because {_EXTRA[0]}", _EXTRA[1])
    if not documents:
        raise InputError(raw.place, "no text", "give documents that hold text")
    name, query = without_controls(raw.id), without_controls(raw.query)
    return Cluster(name, tuple(documents), tuple(raw.references), code, query, members=raw.members)


def _try_to_split(raw: RawDocument, *arguments: Any, **options: Any) -> tuple[Document, str]:
    """Return a document, split into sentences, and its problem if it cannot be read or split."""
    try:
        return make_document(raw, *arguments, **options), raw.problem
    except InputError as error:
        return Document(raw.id, ()), error.problem


def without_known_quotations(documents: Sequence[RawDocument]) -> list[RawDocument]:
    """Return documents without the quotations, such as those of a reply, that repeat what is there already.

    Only a quotation whose speaker is known may repeat another document: it is no text of its document.
    """
    blocks = sorted((block for raw in documents for block in raw.blocks), key=_is_quoted)  # quotations last
    known, repeating = set[int](), set[int]()
    for block in blocks if any(map(_is_quoted, blocks)) else ():
        runs = _runs(block.text)
        if _is_quoted(block) and 2 * len(runs & known) >= len(runs):
            repeating.add(id(block))
        known |= runs
    return [
        replace(raw, blocks=[block for block in raw.blocks if id(block) not in repeating])
        for raw in documents
    ]


def _is_quoted(block: Block) -> bool:
    return block.kind == QUOTATION and block.speaker != ""


def _runs(text: str) -> set[int]:
    """Return a number for each run of ``_RUN`` words of a text."""
    words = _WORDS.findall(text.casefold())
    return {hash(tuple(words[i : i + _RUN])) for i in range(len(words) - _RUN + 1)}


def left_out(places: Sequence[str]) -> MissingExtraError:
    """Return the error that reports all documents, given by their paths, that lack the extra."""
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return MissingExtraError(f"{places[0]}{more}", f"left out, because {_EXTRA[0]}", _EXTRA[1])


def warn_of_repetitions(repeated: Sequence[tuple[str, str]]) -> None:
    """Warn in one line of the documents (place, id of the earlier one) that repeat another."""
    if repeated:
        place, first = repeated[0]
        several = len(repeated) > 1
        where = f"{place} and {len(repeated) - 1} more" if several else place
        log.warning("%s: the same text as %s; left out", where, "another document" if several else first)


def unique_name(name: str, taken: dict[str, int]) -> str:
    """Return a name that is not taken yet: the second ``a`` becomes ``a#2``.

    ``taken`` maps each name in use to the last number that was added to it.
    """
    unique = name
    while unique in taken:
        taken[name] += 1
        unique = f"{name}#{taken[name]}"
    taken[unique] = 1
    return unique


_TITLES = word_lists()["titles"]
_LIST_MARKER = r"^\(?(?:\d{1,3}(?:\.\d{1,3})*+|\p{L}|[ivxIVX]{1,5})[.)]\s*$"
_ENGLISH_TITLE = regex.compile(rf"(?i){_LIST_MARKER}|(?:^|\s)(?:{'|'.join(_TITLES)})\.\s*$")
_TITLE_WITHIN = 40  # characters at the end of a piece: a title, or the number of a list item
_LONGEST_PART = 5000  # characters that a library is given at once
# nupunkt, which splits English, was made for legal text. It takes many ordinary words for abbreviations ("it
# was found. French ...") and never ends a sentence after "p.m.". So a sentence also ends at a full stop
# between a word in small letters and a capital, unless the word is a known abbreviation (_SHORTENED).
_FULL_STOP = regex.compile(
    r"""(?<![\w.])(\p{Ll}[\p{Ll}.]*+)(?<=\.)["'\p{Pf}\p{Pe}]*+\s++(?=["'\p{Pi}\p{Ps}]*+\p{Lu})"""
)
_SHORTENED = frozenset(word_lists()["abbreviations"])
_TIMES = ("a.m", "p.m")
_THE_HOUR = regex.compile(r"(?i)\bthe [\d:]+ $")  # "the 6 p.m. News"
_OF_A_TIME = regex.compile(
    r"\W*(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Eastern|Central|Mountain|Pacific|Greenwich|\p{Lu}{2,})\b"
)
# A letter after which a sentence may end, as in "plan B. It", although most such letters are initials.
_LETTER = regex.compile(r"(?<=[\p{L}\p{N}]\W*\s)\p{Lu}\.\s++(?=(\p{Lu}\p{Ll}*+)\s)")
_MAY_BE_NAMES = {"an", "do", "don", "ma", "more", "own", "so", "will"}
_ORDINAL = regex.compile(r"(?:^|\s)\p{N}{1,2}\.\s*$")  # as in "7. Juli", outside English
_SMALL = regex.compile(r"\p{Ll}")
_TITLE_OR_INITIAL = regex.compile(
    rf"""(?ix){_LIST_MARKER} | ^\p{{L}}{{1,3}}\.\s*$ | (?:^|\s|(?<=\p{{Lo}}\.))\p{{L}}\.\s*$
    | (?:^|\s)(?:{"|".join(word_lists()["titles_elsewhere"])})\.\s*$"""
)
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}]")
# A star is not a bullet if a second star follows, because *so* is emphasized text.
_BULLET = regex.compile(
    rf"""(?x)(?: [-+_\u2013\u2014]\s+ | [{BULLETS}\u00b7]\s* | \*(?!\S[^*]*\*)\s* )
    (?=["'`\p{{L}}\p{{N}}\p{{Pi}}\p{{Ps}}])"""
)
#: The most words of a term in capitals before its definition.
_LONGEST_TERM = 4
# The number or letter of a list item, perhaps in a quotation: 7. or 2.1 or (3) or (b) or iv).
_COUNTED = regex.compile(
    r"""(?x) (?P<marker> ["\u201c]? (?:
        \((?P<number>\d{1,2})\)\s*(?=\p{Lu})
      | (?: (?P<number>\d{1,3})[.)] | \d{1,2}(?:\.\d{1,2})++\.?(?=\s+\p{Lu}) | \([a-z]{1,4}\) | [ivx]{1,5}\) )
        \s+
    )) (?P<next>\S+)"""
)
# Marks that may end a sentence. The sentence goes on if a small letter follows, as in "the ship Pourquoi Pas?
# to the scene".
_MAY_END = regex.compile(r"""(?:[?!\u061f]["'\p{Pf}\p{Pe}]*|[.\u2026]["'\p{Pf}]+)\s*$""")
# Marks at the start of a piece that belong to the word before: a comma, or a closing quotation mark before a
# small letter, or the Japanese "said" after a quotation.
_CLINGS = regex.compile(r"""[,;:\u060c\u061b]|["'\p{Pf}](?=\s+\p{Ll})|と(?=[\p{Han}い、])""")
_WIDE_STOP = regex.compile(
    r"(?<=[\u3002\uff01\uff1f\uff61][\p{Pf}\p{Pe}]*)(?=\p{Nd})(?![^\p{Ps}\p{Pi}]{0,99}[\p{Pe}\p{Pf}])"
)
_CAPITAL = regex.compile(r"\P{L}*\p{Lu}")


def make_document(
    raw: RawDocument, index: int, language: str, *, labels: bool = True, split: str = "sentences"
) -> Document:
    """Return a document, the one with this index in its cluster, split into sentences.

    The bullet or number of a list item is dropped. A heading such as "Abstract" on the same line as its
    abstract becomes a sentence of its own. If ``labels``, every sentence whose speaker is known begins with
    the name of the speaker. ``split`` is as in ``split_cluster``. If splitting takes longer than reading a
    file of this size may take, raise InputError.
    """
    sentences: list[Sentence] = []
    deadline = time.thread_time() + time_limit(sum(map(len, raw.paragraphs)))
    in_time = functools.partial(_until, deadline, raw.place)
    raw = _with_lines(raw) if split == "lines" else raw
    items = _markers(raw.paragraphs, language)
    if raw.knows_headings:
        items |= {i: items.get(i, 0) for i, block in enumerate(raw.blocks) if block.kind == ITEM}
    # A mail that quotes another one is no talk.
    people = {block.speaker for block in raw.blocks if block.kind != QUOTATION}
    is_talk = labels and len(people - {""}) > 1
    for number, block in enumerate(in_time(raw.blocks)):
        paragraph, begin = block.text, items.get(number, 0)
        heading = run_in(paragraph) if split == "sentences" else 0
        texts = [paragraph[:heading].strip()] if heading else []
        rest = paragraph[max(begin, heading) :]
        if block.kind in UNDIVIDED or (split != "sentences" and _WORD_CHARACTER.search(rest)):
            texts.append(rest)
        elif split == "sentences":
            texts += _with_term(split_sentences(rest, language, in_time))
        inked = accumulate(map(count_inked, texts), initial=count_inked(paragraph[:begin]))
        spans = spans_of(block, 0 if heading else len(letters_of(paragraph[:begin])), texts)
        for bare, (first, last), span in zip(texts, pairwise(inked), spans, strict=True):
            label = f"{block.speaker}: " if labels and block.speaker else ""
            text, at, who = f"{label}{bare}", len(sentences), block.speaker
            page, boxes = _page_at(first, block), boxes_of(block.words, first, last)
            sentences.append(Sentence(
                index, at, text, count_words(text), number, page, speaker=who, label=len(label),
                start=span and span[0], end=span and span[1], boxes=boxes, level=block.level,
            ))  # fmt: skip
    kinds, known = list(map(attrgetter("kind"), raw.blocks)), raw.knows_headings
    with_kind = tuple(with_kinds(sentences, language, items, kinds, knows_headings=known, is_talk=is_talk))
    return Document(raw.id, with_kind, title=without_controls(raw.title) or _title_of(with_kind))


def _with_lines(raw: RawDocument) -> RawDocument:
    """Return a document with each line of plain text as a block; other blocks stay as they are."""
    if not any(map(attrgetter("lines"), raw.blocks)):
        return raw
    blocks = list[Block]()
    for block in raw.blocks:
        places = accumulate((len(letters_of(line)) for line in block.lines), initial=block.place)
        for line, place in zip(block.lines, places, strict=False):
            if _WORD_CHARACTER.search(line):
                blocks.append(Block(" ".join(line.split()), LINE, source=block.source, place=place))
    return replace(raw, blocks=blocks, knows_headings=True)


def _title_of(sentences: Sequence[Sentence]) -> str:
    """Return the first headline or heading of a document, or "" if it stands below running text.

    A heading that is one of several at a lower level, such as "February 01", heads a section.
    """
    above = takewhile(lambda sentence: not sentence.is_whole, sentences)
    first = next((s for s in above if s.kind in {"headline", "heading"}), None)
    if first is None or (first.level > 1 and sum(s.level == first.level for s in sentences) > 1):
        return ""
    return _TITLE_MARK.sub("", first.text[first.label :])


def _markers(paragraphs: Sequence[str], language: str) -> dict[int, int]:
    """Return the numbers of the paragraphs that are items of a list, and the length of the marker of each.

    A number is a marker only if the number before or after it begins another paragraph.
    """
    lengths: dict[int, int] = {}
    counted: dict[int, regex.Match[str]] = {}
    seen: set[str] = set()
    for i, text in enumerate(paragraphs):
        if bullet := _BULLET.match(text):
            lengths[i] = bullet.end()
        elif match := _COUNTED.match(text):
            counted[i] = match
            seen.add(match["number"])
    for i, match in counted.items():
        number = int(match["number"] or 0)
        is_date = match["next"].lower() in months(language)  # 7. Juli
        if not match["number"] or (not is_date and not seen.isdisjoint((str(number - 1), str(number + 1)))):
            lengths[i] = match.end("marker")
    return lengths


def _page_at(inked: int, block: Block) -> int | None:
    """Return the page of a block that the text after this many visible characters begins on."""
    # Bisect, because a paragraph may run over many pages. Both numbers in ``pages`` ascend.
    last = bisect_right(block.pages, inked, key=lambda start: start[0]) - 1
    return block.pages[last][1] if last >= 0 else None


def _with_term(sentences: list[str]) -> list[str]:
    """Return the sentences of a paragraph, the first with the term that it defines: "KENNEL. Any place."."""
    if len(sentences) > 1 and sentences[0].isupper() and len(sentences[0].split()) <= _LONGEST_TERM:
        return [" ".join(sentences[:2]), *sentences[2:]]
    return sentences


def _until(deadline: float, place: str, items: Iterable[Any]) -> Iterator[Any]:
    """Yield the items, or raise an error once the CPU time of this thread is past the deadline."""
    for item in items:
        if time.thread_time() > deadline:
            raise InputError(place, "it takes too long to split into sentences", "divide it")
        yield item


def split_sentences(
    paragraph: str, language: str, in_time: Callable[[Iterable[str]], Iterable[str]] = iter
) -> list[str]:
    """Return the sentences of one paragraph: by nupunkt in English, by sentencex in other languages.

    A long paragraph may be in another language than ``language``, that of its text.

    Pieces that the libraries cut wrongly are joined: those without letters and digits, after a title, an
    initial or a list marker, after a day such as ``7.``, and those that begin with a comma, or with a small
    letter after ``?``, ``!`` or a quotation. A paragraph without letters and digits has no sentences.
    ``in_time`` yields pieces, or raises an error if they take too long.
    """
    language = language_within(paragraph, language)
    sentences: list[list[str]] = []  # each sentence as a list of parts, to be joined
    begun: list[str] = []  # pieces that begin the next sentence, such as a title
    end, has_word = "", False  # of ``begun``, which may be as long as the paragraph
    title = _ENGLISH_TITLE if language == "en" else _TITLE_OR_INITIAL
    for piece in in_time(_pieces(paragraph, language)):
        if sentences and not begun and _continues(sentences[-1], piece, language):
            sentences[-1].append(piece)
            continue
        begun.append(piece)
        end = (end + piece)[-2 * _TITLE_WITHIN :]
        has_word = has_word or _WORD_CHARACTER.search(piece) is not None
        if has_word and title.search(end, max(0, len(end) - _TITLE_WITHIN)):
            continue
        if has_word:
            sentences.append(["".join(begun)])
        elif sentences:
            sentences[-1].append("".join(begun))
        else:
            continue
        begun, end, has_word = [], "", False
    if has_word:
        sentences.append(["".join(begun)])
    return list(map(str.strip, map("".join, sentences)))


def _continues(sentence: list[str], piece: str, language: str) -> bool:
    """Tell whether a piece continues the sentence before it; the sentence is given as a list of its parts."""
    if not _SMALL.match(piece):
        return bool(_CLINGS.match(piece))
    if language != "en" and _ORDINAL.search(sentence[-1]):
        return True
    # If the sentence before does not begin with a capital, a new sentence need not begin with one either.
    return bool(_MAY_END.search(sentence[-1]) and _CAPITAL.match(sentence[0]))


def _pieces(paragraph: str, language: str) -> Iterator[str]:
    """Yield the pieces that the library for a language divides a paragraph into, with the white space.

    The libraries take quadratic time, so a long paragraph is given to them in parts. The last piece of a part
    may go on in the next part: it is divided again with that part or, if it is long, joined with its first
    piece.
    """
    if language == "en":
        split, divide = _split_english, _parted
    else:
        import sentencex  # noqa: PLC0415 (loaded only if it is used)

        split, divide = functools.partial(sentencex.segment, language), _before_digits
    begun, start = "", 0
    while start < len(paragraph):
        part = paragraph[start : start + _LONGEST_PART]
        *whole, last = map(str, split(part) or [part])
        for piece in whole:
            yield from divide(begun + piece)
            begun = ""
        start += len(part)
        if start < len(paragraph) and whole and len(last) < _LONGEST_PART // 2:
            start -= len(last)
        else:
            begun += last
    yield from divide(begun)


def _split_english(text: str) -> list[str]:
    starts = [start for start, _ in _english().span_tokenize(text)]
    return [text[start:end] for start, end in pairwise([0, *starts[1:], len(text)])]


def _parted(piece: str) -> Iterator[str]:
    """Yield the sentences in a piece that nupunkt takes for one sentence."""
    piece = piece.strip()
    if piece.find(".", 0, len(piece) - 1) < 0:  # true for most, and quicker than the patterns
        yield f"{piece} "
        return
    ends = [0, len(piece)]
    for match in _FULL_STOP.finditer(piece):
        word = match[1][:-1]
        if word in _TIMES:
            hour = piece[max(0, match.start() - 12) : match.start()]
            is_end = not _THE_HOUR.search(hour) and not _OF_A_TIME.match(piece, match.end())
        else:
            is_end = len(word) > 1 and "." not in word and word not in _SHORTENED
        if is_end:
            ends.append(match.end())
    for match in _LETTER.finditer(piece):
        word = match[1].lower()
        if word in english_stopwords() and word not in _MAY_BE_NAMES:
            ends.append(match.end())
    for start, end in pairwise(sorted(ends)):
        yield f"{piece[start:end].rstrip()} "


def _before_digits(piece: str) -> Iterator[str]:
    """Yield the sentences in a piece: sentencex never ends one before a digit, but in Japanese it should.

    Within a quotation no sentence ends.
    """
    yield from _WIDE_STOP.split(piece)


@functools.cache
def _english() -> Any:
    """Return nupunkt's English model, with the titles of news texts added that the model does not know."""
    import nupunkt  # noqa: PLC0415 (loaded only if it is used)

    tokenizer = nupunkt.load_default_model()
    tokenizer.add_abbreviations(_TITLES)
    return tokenizer
