"""Find where the blocks and sentences of a document stand in the text of its file, or on the pages of a PDF.

Readers leave out white space, markup, hyphens at line ends and names of speakers. So texts are compared by
their letters and digits. A block whose place is not certain has none.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from summc.documents.raw import WORD_NUMBERS, Block, Content, SourceText
from summc.records import Box

_WORD = re.compile(r"[^\W_]+")
_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()}
#: What readers leave out of markup, although it has letters: targets of links, tags, commands, entities.
MARKUP = re.compile(r"\]\([^()\n]*\)|<[^<>]*>|\\(?:f[BIRP]|[a-zA-Z]+)|&#?\w+;")
#: Characters that JSON escapes.
ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[bfnrt/])")
#: The number and the times of a cue in subtitles, and tags.
CUES = re.compile(r"(?m)^(?:\d{1,9}\r?\n)?[\d:.,]{1,20} *-->.*$|<[^<>]*>")
#: White space and marks of emphasis, which may stand between a word and its full stop.
_PASSED = frozenset(" \t\r\n\v\f\N{NO-BREAK SPACE}*_`")
#: A block is looked up by its first letters.
_KEY = 8
#: How many places with the same first letters are compared with a block; more would take quadratic time.
_MOST = 20


def letters_of(text: str) -> str:
    """Return the letters and digits of a text."""
    # In ASCII this is ten times as fast as the pattern; in other scripts it would be slower.
    return text.translate(_NO_LETTERS) if text.isascii() else "".join(_WORD.findall(text))


def located(content: Content, text: str, left_out: re.Pattern[str] | None = None) -> Content:
    """Return the content of a file, or of a given text, with the place of each block in its text.

    Readers leave out what matches ``left_out``.
    """
    if not text:
        return content
    bare = left_out.sub(lambda match: " " * len(match[0]), text) if left_out else text
    codes = np.frombuffer(bare.encode("utf-32-le", "surrogatepass"), "<u4")
    known = np.unique(codes).tolist()
    is_letter = np.zeros(known[-1] + 1, bool)
    is_letter[known] = [chr(code).isalnum() for code in known]
    source = SourceText(text, np.flatnonzero(is_letter[codes]).astype(np.uint32))
    pieces = [letters_of(block.text) for block in _blocks(content)]
    return _with_places(content, source, iter(_places(pieces, letters_of(bare), source.letters)))


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


def _places(pieces: Sequence[str], letters: str, characters: NDArray[np.uint32]) -> list[int | None]:
    """Return how many letters of the file come before each piece, or None if that is not certain.

    ``characters`` says where each letter stands. Short pieces, which could stand anywhere, and those that
    stand in several places are looked for between their neighbours.
    """
    if "".join(pieces) == letters:
        return list(islice(accumulate(map(len, pieces), initial=0), len(pieces)))
    end = len(letters)
    # The number of letters before each word, and of all.
    before = [0, *(np.flatnonzero(np.diff(characters) > 1) + 1).tolist(), end]
    words = frozenset(before)
    long = [piece if len(piece) >= _KEY else "" for piece in pieces]
    places: list[int | None] = [0, *_certain(long, letters, before, words, 0, end), end]
    known = [(i, place) for i, place in enumerate(places) if place is not None]
    for (i, place), (j, end) in pairwise(known):
        start = place + (len(pieces[i - 1]) if i else 0)
        places[i + 1 : j] = _certain(pieces[i : j - 1], letters, before, words, start, end)
    return places[1:-1]


def _certain(
    pieces: Sequence[str], letters: str, before: Sequence[int], words: frozenset[int], start: int, end: int
) -> list[int | None]:
    """Return the place of each piece from ``start`` to ``end``, or None if that is not certain.

    A place is certain if the first one that is possible, with all pieces in order, is also the last one.
    """
    places: dict[str, list[int]] = {piece[:_KEY]: [] for piece in pieces if piece}
    lengths = {len(key) for key in places}
    for place in before[bisect_left(before, start) : bisect_left(before, end)] if places else ():
        for length in lengths:
            if (same := places.get(letters[place : place + length])) is not None:
                same.append(place)
    first, cursor = list[int | None](), start
    for piece in pieces:
        same = places.get(piece[:_KEY], [])
        i = bisect_left(same, cursor)
        found = _first_with(piece, letters, words, same[i : i + _MOST])
        cursor = cursor if found is None else found + len(piece)
        first.append(found)
    last, cursor = list[int | None](), end
    for piece in reversed(pieces):
        same = places.get(piece[:_KEY], [])
        i = bisect_right(same, cursor - len(piece))
        found = _first_with(piece, letters, words, same[max(i - _MOST, 0) : i][::-1])
        cursor = cursor if found is None else found
        last.append(found)
    return [place if place == other else None for place, other in zip(first, reversed(last), strict=True)]


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
    start = _beyond(source.text, int(source.letters[first]) - 1, sentence[:lead][::-1], -1) + 1
    return start, _beyond(source.text, int(source.letters[first + count - 1]) + 1, sentence[trail:], 1)


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
