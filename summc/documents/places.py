"""Find where the blocks and sentences of a document stand in the text of its file, or on the pages of a PDF.

Readers leave out white space, markup, hyphens at line ends and names of speakers. So texts are compared by
their letters and digits. A block whose place is not certain has none.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from summc.documents.raw import WORD_NUMBERS, Block, Content, SourceText
from summc.records import Box

_WORD = re.compile(r"[^\W_]+")
#: What readers leave out of markup, although it has letters: targets of links, tags, commands, entities.
MARKUP = re.compile(r"\]\([^()\n]*\)|<[^<>]*>|\\[a-zA-Z]+|&#?\w+;")
#: Characters that JSON escapes.
ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[bfnrt/])")
#: The number and the times of a cue in subtitles, and tags.
CUES = re.compile(r"(?m)^(?:\d{1,9}\r?\n)?[\d:.,]{1,20} *-->.*$|<[^<>]*>")
#: White space and marks of emphasis, which may stand between a word and its full stop.
_PASSED = frozenset(" \t\r\n\v\f\N{NO-BREAK SPACE}*_`")
#: A block is looked up by its first letters. One with fewer letters could stand anywhere.
_KEY = 8
#: How many places with the same first letters are compared with a block; more would take quadratic time.
_MOST = 20


def letters_of(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(_WORD.findall(text))


def located(content: Content, text: str, left_out: re.Pattern[str] | None = None) -> Content:
    """Return the content of a file, or of a given text, with the place of each block in its text.

    Readers leave out what matches ``left_out``.
    """
    if not text:
        return content
    bare = left_out.sub(lambda match: " " * len(match[0]), text) if left_out else text
    starts = array("Q", (match.start() for match in _WORD.finditer(bare)))
    words = _WORD.findall(bare)
    source = SourceText(text, starts, array("Q", accumulate(map(len, words), initial=0)))
    pieces = [letters_of(block.text) for block in _blocks(content)]
    return _with_places(content, source, _places(pieces, "".join(words), source.before))


def _blocks(content: Content) -> Iterator[Block]:
    yield from content.blocks
    for part in content.parts:
        yield from _blocks(part)


def _with_places(content: Content, source: SourceText, places: Iterator[int | None]) -> Content:
    blocks = [
        block if place is None else replace(block, source=source, place=place)
        for block, place in zip(content.blocks, islice(places, len(content.blocks)), strict=True)
    ]
    return replace(
        content, blocks=blocks, parts=[_with_places(part, source, places) for part in content.parts]
    )


def _places(pieces: Sequence[str], letters: str, before: Sequence[int]) -> Iterator[int | None]:
    """Yield how many letters of the file come before each piece, or None if that is not certain.

    ``before`` has the number of letters before each word. If letters stand between the pieces, then a place
    is certain if the first one that is possible, with all pieces in order, is also the last one.
    """
    if "".join(pieces) == letters:
        yield from islice(accumulate(map(len, pieces), initial=0), len(pieces))
        return
    places: dict[str, list[int]] = {piece[:_KEY]: [] for piece in pieces if len(piece) >= _KEY}
    for start in before:
        if (same := places.get(letters[start : start + _KEY])) is not None:
            same.append(start)
    ends = frozenset(before)
    first, cursor = list[int | None](), 0
    for piece in pieces:
        same = places.get(piece[:_KEY], [])
        i = bisect_left(same, cursor)
        place = _first_with(piece, letters, ends, same[i : i + _MOST])
        cursor = cursor if place is None else place + len(piece)
        first.append(place)
    last, cursor = list[int | None](), len(letters)
    for piece in reversed(pieces):
        same = places.get(piece[:_KEY], [])
        i = bisect_right(same, cursor - len(piece))
        place = _first_with(piece, letters, ends, same[max(i - _MOST, 0) : i][::-1])
        cursor = cursor if place is None else place
        last.append(place)
    for place, other in zip(first, reversed(last), strict=True):
        yield place if place == other else None


def _first_with(piece: str, letters: str, ends: frozenset[int], places: Sequence[int]) -> int | None:
    """Return the first of the places where the piece stands and no word goes on after it."""
    return next((p for p in places if letters.startswith(piece, p) and p + len(piece) in ends), None)


def spans_of(block: Block, before: int, texts: Sequence[str]) -> list[tuple[int, int] | None]:
    """Return the start and end of each sentence of a block in the text of its file; None if unknown.

    ``before`` is the number of letters of the block before its first sentence.
    """
    counts = [len(letters_of(text)) for text in texts]
    if block.source is None or before + sum(counts) != len(letters_of(block.text)):
        return [None] * len(texts)
    firsts = accumulate(counts, initial=block.place + before)
    return [
        _span(block.source, first, count, text) if count else None
        for first, count, text in zip(firsts, counts, texts, strict=False)
    ]


def _span(source: SourceText, first: int, count: int, sentence: str) -> tuple[int, int]:
    """Return where a sentence starts and ends, with the marks around its letters that the file has too."""
    lead = next(i for i, character in enumerate(sentence) if character.isalnum())
    trail = next(i for i in range(len(sentence), 0, -1) if sentence[i - 1].isalnum())
    start = _beyond(source.text, _character(source, first) - 1, sentence[:lead][::-1], -1) + 1
    return start, _beyond(source.text, _character(source, first + count - 1) + 1, sentence[trail:], 1)


def _character(source: SourceText, letter: int) -> int:
    """Return where the letter with this number stands in the text."""
    word = bisect_right(source.before, letter) - 1
    return source.starts[word] + letter - source.before[word]


def _beyond(text: str, at: int, marks: str, step: int) -> int:
    """Return the place next to the marks that follow, or in steps of -1 precede, a place in the text."""
    for mark in "".join(marks.split()):
        place = at
        while 0 <= place < len(text) and text[place] in _PASSED:
            place += step
        if not 0 <= place < len(text) or text[place] != mark:
            break
        at = place + step
    return at


def boxes_of(words: Sequence[float], first: int, end: int) -> tuple[Box, ...]:
    """Return a box for each line with some of the visible characters ``first`` to ``end`` of a block.

    ``words`` is as in ``Block``. The words of a line are equally high or, if it is turned, equally wide.
    """
    boxes: list[Box] = []
    starts = range(0, len(words), WORD_NUMBERS)
    for start in starts[max(bisect_right(starts, first, key=lambda at: int(words[at])) - 1, 0) :]:
        if words[start] >= end:
            break
        page, *edges = words[start + 1 : start + WORD_NUMBERS]
        box = Box(int(page), *(round(edge, 1) for edge in edges))
        before = boxes[-1] if boxes else Box(0, 0, 0, 0, 0)
        is_high, is_wide = box[::2] == before[::2], (box.left, box.right) == (before.left, before.right)
        if is_high or (is_wide and box.page == before.page):
            boxes[-1] = before.joined(box)
        else:
            boxes.append(box)
    return tuple(boxes)
