"""Read PDF with PDFium: find the characters and their positions, and make lines of them.

The module ``layout`` makes paragraphs of the lines.
"""

from __future__ import annotations

import ctypes
import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

import pypdfium2
from pypdfium2 import raw

from summc.documents.content import Content
from summc.documents.formats.layout import Line, page_paragraphs
from summc.errors import InputError
from summc.text.dates import read_property_date

_MOST_PAGES = 20_000
_CREATED = re.compile(r"\s*(?:D:)?(\d{4})(\d\d)(\d\d)")  # D:20050108101500+01'00'
_GAP = 1.0  # a multiple of the letter size: a wider gap is not between words, but between columns or cells
_BOLD = 600
_BOLD_NAME = re.compile(rb"bold|black|heavy", re.IGNORECASE)
_LONGEST_NAME = 128  # bytes of the name of a font
_QUARTER = math.pi / 2
_LINE_ENDS = "\r\n"
_HALVES = range(0xD800, 0xE000)  # codes that are half a surrogate pair
_HYPHENS = dict.fromkeys((0x02, 0xAD, 0xFFFE), "-")  # how PDFium writes a hyphen at the end of a line
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
_CHARACTERS = _HYPHENS | _LIGATURES
_MARK = re.compile(r"(?<=[^\W\d_]{2}|\w[.,;:!?)\"\u201d\u2019])(\d{1,2})(?![\w.]|,\d)")
_DIGIT = re.compile(r"\d")
# A footnote mark is smaller than this multiple of the letter size, and raised by more than the second one.
_MARK_SIZE, _MARK_RAISED = 0.85, 0.2
_SAMPLE = 9  # about how many letters decide the size and weight of a line; one might be a footnote mark


#: A character: its index on the page, its text, and where it begins and ends on its line, in points. It is a
#: plain tuple, because a PDF has millions of them.
_Character = tuple[int, str, float, float]


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the content of a PDF: its paragraphs, their pages, and the day on which it was created.

    ``place`` is the path of the file for messages. ``_encoding`` is not used.
    """
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise InputError(place, "a PDF that is encrypted", "save it without a password") from None
        raise
    try:
        if len(document) > _MOST_PAGES:
            raise InputError(place, f"a PDF of more than {_MOST_PAGES} pages", "split it")
        pages = [_lines(document, index) for index in range(len(document))]
        created = _created(document)
    finally:
        document.close()
    if not any(pages):
        raise InputError(place, "a PDF with no text in it", "it may be scanned: run OCR first")
    return Content(*page_paragraphs(pages), file_date=created)


def _created(document: pypdfium2.PdfDocument) -> str:
    """Return the day on which a PDF was created, or ""."""
    found = _CREATED.match(document.get_metadata_value("CreationDate"))
    return read_property_date("-".join(found.groups())) if found else ""


def _lines(document: pypdfium2.PdfDocument, index: int) -> list[Line]:
    """Return the lines of a page, given by its index from 0, in the order of the file.

    Lines that are rotated differently from most of the text, such as a stamp in the margin, are left out.
    """
    page = document[index]
    textpage = page.get_textpage()
    try:
        runs = list(_runs(textpage))
        letters = Counter[int]()
        for turn, run in runs:
            letters[turn] += len(run)
        usual = max(letters, key=letters.__getitem__, default=0)
        return [_line(textpage, run, index + 1, turn) for turn, run in runs if turn == usual]
    finally:
        textpage.close()
        page.close()


def _runs(textpage: pypdfium2.PdfTextPage) -> Iterator[tuple[int, list[_Character]]]:
    """Yield, for each line of a page, its rotation in quarter turns and its characters.

    A wide gap, as between columns, also ends a line.
    """
    run: list[_Character] = []
    turn, size, space = 0, 1.0, False
    # The loop runs for each character of a PDF. So it looks up nothing twice, and calls little.
    handle, box = textpage.raw, raw.FS_RECTF()
    box_address, box_of = ctypes.byref(box), raw.FPDFText_GetLooseCharBox
    for i, code in enumerate(_codes(textpage)):
        text = _text(code)
        if text == "\n":
            if run:
                yield turn, run
            run, space = [], False
        elif text == " ":
            space = True
        else:
            if not run:
                turn = round(-raw.FPDFText_GetCharAngle(handle, i) / _QUARTER) % 4
                size = _size(textpage, i)
            box_of(handle, i, box_address)
            left, right = (box.left, box.right) if turn == 0 else _along_line(box, turn)
            if run:
                _, _, before, end = run[-1]
                # A gap may be on either side: in Hebrew and Arabic the next character is to the left.
                if left - end > _GAP * size or before - right > _GAP * size:
                    yield turn, run
                    run = []
                elif space:
                    run.append((i, " ", end, left))
            run.append((i, text, left, right))
            space = False
    if run:
        yield turn, run


@functools.cache
def _text(code: int) -> str:
    """Return the text of a character, given its code.

    A ligature becomes its letters, any line end a newline, and any other white space a space.
    """
    text = _CHARACTERS.get(code) or chr(code)
    if text in _LINE_ENDS:
        return "\n"
    return " " if text.isspace() or not code else text


def _codes(textpage: pypdfium2.PdfTextPage) -> Iterable[int]:
    """Return the UTF-16 code of each character of a page, in PDFium's order of characters."""
    count = textpage.count_chars()
    codes = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(textpage, 0, count, codes)
    # PDFium's text of a page may lack characters, or have two codes for one character. Then its codes cannot
    # be matched to characters, so ask for the code of each character, which is slow.
    found: list[int] = codes[:count]
    if written == count + 1 and 0 not in found and not any(map(_HALVES.__contains__, set(found))):
        return found
    handle = textpage.raw
    return (raw.FPDFText_GetUnicode(handle, i) for i in range(count))


def _line(textpage: pypdfium2.PdfTextPage, run: Sequence[_Character], page: int, turn: int) -> Line:
    step = max(1, len(run) // _SAMPLE)
    indices, texts, lefts, rights = zip(*run, strict=True)
    sample = [index for index, text, _, _ in run[::step] if text != " "] or [indices[0]]
    size = median(_size(textpage, i) for i in sample)
    bottom = median(_baseline(textpage, i, turn) for i in sample)
    text = "".join(texts)
    if _DIGIT.search(text):
        marks = _note_marks(textpage, run, turn, size, bottom)
        text = "".join(text for k, text in enumerate(texts) if k not in marks)
    return Line(
        # Join the two halves of a surrogate pair, and replace a single half, which cannot be written.
        text=text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        page=page,
        left=min(lefts),
        right=max(rights),
        bottom=bottom,
        size=size,
        bold=all(_is_bold(textpage, i) for i in sample),
    )


def _note_marks(
    textpage: pypdfium2.PdfTextPage, run: Sequence[_Character], turn: int, size: float, bottom: float
) -> frozenset[int]:
    """Return the indices, in a run, of the digits of footnote marks: small raised numbers after a word.

    Exponents are not footnote marks: they come after a digit or a single letter. ``run`` has the characters
    of a line, ``turn`` is its rotation in quarter turns, ``size`` its letter size, and ``bottom`` the height
    of its baseline, both in points.
    """

    def is_raised(character: _Character) -> bool:
        index, text, _, _ = character
        return (
            text.isdecimal()
            and _size(textpage, index) < _MARK_SIZE * size
            and _baseline(textpage, index, turn) - bottom > _MARK_RAISED * size
        )

    line = "".join(text[:1] or " " for _, text, _, _ in run)
    found: set[int] = set()
    for match in _MARK.finditer(line):
        marks = range(match.start(1), match.end(1))
        if all(is_raised(run[k]) for k in marks):
            found.update(marks)
    return frozenset(found)


def _along_line(box: Any, turn: int) -> tuple[float, float]:
    """Return where a character begins and ends along its line, in points.

    ``box`` is the rectangle of the character on the page. ``turn`` says by how many quarter turns the line is
    rotated, counterclockwise.
    """
    along = ((box.left, box.right), (box.bottom, box.top), (-box.right, -box.left), (-box.top, -box.bottom))
    return along[turn]


def _baseline(textpage: pypdfium2.PdfTextPage, index: int, turn: int) -> float:
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(textpage, index, ctypes.byref(x), ctypes.byref(y))
    return (y.value, -x.value, -y.value, x.value)[turn]


def _size(textpage: pypdfium2.PdfTextPage, index: int) -> float:
    """Return the size of a letter as it appears on the page, in points.

    The size of the font does not suffice: it may be 1, with letters that are scaled on the page.
    """
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(textpage, index, ctypes.byref(matrix))
    size: float = raw.FPDFText_GetFontSize(textpage, index)
    return max(size * math.hypot(matrix.c, matrix.d), 1.0)


def _is_bold(textpage: pypdfium2.PdfTextPage, index: int) -> bool:
    if raw.FPDFText_GetFontWeight(textpage, index) >= _BOLD:
        return True
    name = ctypes.create_string_buffer(_LONGEST_NAME)
    raw.FPDFText_GetFontInfo(textpage, index, name, _LONGEST_NAME, None)
    return _BOLD_NAME.search(name.value) is not None
