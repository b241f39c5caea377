"""Read PDF with PDFium: find the characters and their positions, and make lines of them.

The module ``layout`` makes paragraphs of the lines.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate
from statistics import median, mode
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from summc.documents.formats.layout import PageLine, page_paragraphs
from summc.documents.raw import Content
from summc.errors import InputError
from summc.records import Box
from summc.system.inputs import MOST_CHARACTERS, MOST_PAGES, most
from summc.text.dates import read_property_date

_CREATED = re.compile(r"\s*(?:D:)?(\d{4})(\d\d)(\d\d)")  # D:20050108101500+01'00'
_FILE_NAME = re.compile(r"(?i)^Microsoft \S+ - |^untitled|\.[a-z]{2,4}$")
_GAP = 1.0  # a multiple of the letter size: a wider gap is not between words, but between columns or cells
_UNKNOWN_SIZE = 1.0  # PDFium's size of letters that are drawn by small programs (fonts of type 3)
_BOLD = 600
_BOLD_NAME = re.compile(rb"bold|black|heavy", re.IGNORECASE)
_LONGEST_NAME = 128  # bytes of the name of a font
_QUARTER = math.pi / 2
_SPACE = re.compile(r"[\s\0]+")
_LINE = re.compile(r"[^\s\0][^\r\n]*")
# A word ends also after a hyphen that PDFium writes in place of a line end.
_WORD = re.compile(r"[^\s\0\x02\xad\ufffe]+[\x02\xad\ufffe]?|[\x02\xad\ufffe]")
_CHARACTER = re.compile(r"[^\s\0]")
_HYPHENS = dict.fromkeys((0x02, 0xAD, 0xFFFE), "-")  # how PDFium writes a hyphen at the end of a line
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_CHARACTERS = _HYPHENS | _LIGATURES
# A number after a word: a footnote mark if it is small and raised. Exponents come after a digit or a letter.
_AFTER_WORD = re.compile(r"(?<=[^\W\d_]{2}|\w[.,;:!?)\"\u201d\u2019])\d{1,2}(?![\w.]|,\d)")
# A footnote mark is smaller than this multiple of the letter size, and raised by more than the second one.
_MARK_SIZE, _MARK_RAISED = 0.85, 0.2
_SAMPLE = 9  # about how many letters decide the size and weight of a line; one might be a footnote mark


class _Character(NamedTuple):
    """The index of a character in the text of its page, where it begins and ends along its line, its box."""

    at: int
    left: float
    right: float
    box: Box


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the content of a PDF: its paragraphs, their pages, and the day on which it was created."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise InputError(place, "a PDF that is encrypted", "save it without a password") from None
        raise
    pages = list(_pages(document, place))
    created = _CREATED.match(document.get_metadata_value("CreationDate"))
    if not any(pages):
        raise InputError(place, "a PDF with no text in it", "it may be scanned: run OCR first")
    date = read_property_date("-".join(created.groups())) if created else ""
    return Content(page_paragraphs(pages), file_date=date, title=_title(document))


def _title(document: pypdfium2.PdfDocument) -> str:
    """Return the title in the properties of a PDF, or "" if it is a file name."""
    title = document.get_metadata_value("Title")
    return title if " " in title.strip() and not _FILE_NAME.search(title) else ""


def _pages(document: pypdfium2.PdfDocument, place: str) -> Iterator[list[PageLine]]:
    """Yield the lines of each page; raise an error at the first page beyond the limits."""
    _check(len(document), "pages", MOST_PAGES, place)
    characters = 0
    for index in range(len(document)):
        page = document[index]
        textpage = page.get_textpage()
        characters += textpage.count_chars()
        _check(characters, "characters", MOST_CHARACTERS, place)
        yield _lines(textpage, index + 1)


def _check(count: int, noun: str, variable: str, place: str) -> None:
    if count > most(variable):
        problem = f"a PDF of more than {most(variable)} {noun}"
        raise InputError(place, problem, f"split it, or raise {variable}")


def _lines(textpage: pypdfium2.PdfTextPage, page: int) -> list[PageLine]:
    """Return the lines of a page in the order of the file, without lines rotated unlike most of the text."""
    text, count = textpage.get_text_range(), textpage.count_chars()
    # This text may lack characters, or have two codes for one. Then ask for each of them, which is slow.
    if len(text) != count or "\0" in text:
        text = "".join(chr(raw.FPDFText_GetUnicode(textpage, i)) for i in range(count))
    runs = list(_runs(textpage, text))
    usual = mode([turn for turn, run in runs for _ in run] or [0])
    return [_line(textpage, text, run, turn, page) for turn, run in runs if turn == usual]


def _runs(textpage: pypdfium2.PdfTextPage, text: str) -> Iterator[tuple[int, list[_Character]]]:
    """Yield the first and the last character of each word of a line, and the quarter turns of the line.

    A wide gap, as between columns, also ends a line.
    """
    for line in _LINE.finditer(text):
        turn = round(-raw.FPDFText_GetCharAngle(textpage.raw, line.start()) / _QUARTER) % 4
        size = _size(textpage, line.start())
        gap = _GAP * size
        # If PDFium does not know the size of letters, it does not put a space into every gap.
        words = _WORD if size > _UNKNOWN_SIZE else _CHARACTER
        run: list[_Character] = []
        for start, end in map(re.Match.span, words.finditer(text, *line.span())):
            first = _character(textpage, start, turn)
            # A gap may be on either side: in Hebrew and Arabic the next word is to the left.
            if run and (first.left - run[-1].right > gap or run[-1].left - first.right > gap):
                yield turn, run
                run = []
            run += [first, _character(textpage, end - 1, turn)]
        yield turn, run


def _character(textpage: pypdfium2.PdfTextPage, index: int, turn: int) -> _Character:
    raw.FPDFText_GetLooseCharBox(textpage.raw, index, box := raw.FS_RECTF())
    edges = Box(0, box.left, box.bottom, box.right, box.top)
    if turn == 0:  # nearly always, and this is called for each word of a PDF
        return _Character(index, box.left, box.right, edges)
    along = ((box.bottom, box.top), (-box.right, -box.left), (-box.top, -box.bottom))
    return _Character(index, *along[turn - 1], edges)


def _line(
    textpage: pypdfium2.PdfTextPage, text: str, run: Sequence[_Character], turn: int, page: int
) -> PageLine:
    start, end = run[0].at, run[-1].at + 1
    step = max(1, (end - start) // _SAMPLE)
    sample = [i for i in range(start, end, step) if not _SPACE.match(text, i)]
    size = median(_size(textpage, i) for i in sample)
    bottom = median(_baseline(textpage, i, turn) for i in sample)

    def without_raised(number: re.Match[str]) -> str:
        raised = all(
            _size(textpage, i) < _MARK_SIZE * size
            and _baseline(textpage, i, turn) - bottom > _MARK_RAISED * size
            for i in range(start + number.start(), start + number.end())
        )
        return "" if raised else number[0]

    line = _SPACE.sub(" ", _AFTER_WORD.sub(without_raised, text[start:end])).translate(_CHARACTERS)
    left, right = min(character.left for character in run), max(character.right for character in run)
    is_bold = all(_is_bold(textpage, i) for i in sample)
    words = tuple(_words(line.split(), run, turn, page))
    return PageLine(line, page, left, right, bottom, size, bold=is_bold, words=words)


def _words(words: Sequence[str], run: Sequence[_Character], turn: int, page: int) -> Iterator[Box]:
    """Yield the box of each word of a line, as high as the line; no box if it is not clear which is which.

    ``run`` has the first and the last character of each word, or of each character.
    """
    sizes = [1] * len(words) if 2 * len(words) == len(run) else list(map(len, words))
    if 2 * sum(sizes) != len(run):
        return
    whole = reduce(Box.joined, (character.box for character in run))
    for end, size in zip(accumulate(sizes), sizes, strict=True):
        box = reduce(Box.joined, (character.box for character in run[2 * (end - size) : 2 * end]))
        if turn % 2:
            yield Box(page, whole.left, box.bottom, whole.right, box.top)
        else:
            yield Box(page, box.left, whole.bottom, box.right, whole.top)


def _baseline(textpage: pypdfium2.PdfTextPage, index: int, turn: int) -> float:
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(textpage.raw, index, ctypes.byref(x), ctypes.byref(y))
    return (y.value, -x.value, -y.value, x.value)[turn]


def _size(textpage: pypdfium2.PdfTextPage, index: int) -> float:
    """Return the size of a letter on the page, in points; its font may have size 1, scaled on the page."""
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(textpage.raw, index, ctypes.byref(matrix))
    size: float = raw.FPDFText_GetFontSize(textpage.raw, index)
    return max(size * math.hypot(matrix.c, matrix.d), _UNKNOWN_SIZE)


def _is_bold(textpage: pypdfium2.PdfTextPage, index: int) -> bool:
    if raw.FPDFText_GetFontWeight(textpage.raw, index) >= _BOLD:
        return True
    name = ctypes.create_string_buffer(_LONGEST_NAME)
    raw.FPDFText_GetFontInfo(textpage.raw, index, name, _LONGEST_NAME, None)
    return _BOLD_NAME.search(name.value) is not None
