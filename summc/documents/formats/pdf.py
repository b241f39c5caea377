"""Read PDF with PDFium: find the characters and their positions, and make lines of them.

The module ``layout`` makes paragraphs of the lines.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

import pypdfium2
from pypdfium2 import raw

from summc.documents.formats.layout import Line, page_paragraphs
from summc.documents.raw import Content
from summc.errors import InputError
from summc.system.inputs import MOST_CHARACTERS, MOST_PAGES, most
from summc.text.dates import read_property_date

_CREATED = re.compile(r"\s*(?:D:)?(\d{4})(\d\d)(\d\d)")  # D:20050108101500+01'00'
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
_DIGIT = re.compile(r"\d")
# A footnote mark is smaller than this multiple of the letter size, and raised by more than the second one.
_MARK_SIZE, _MARK_RAISED = 0.85, 0.2
_AGREE = 0.001  # points
_SAMPLE = 9  # about how many letters decide the size and weight of a line; one might be a footnote mark


class _Run(NamedTuple):
    """A line of a page: its rotation in quarter turns, its indices in the text, and its place in points."""

    turn: int
    start: int
    end: int
    left: float
    right: float


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the content of a PDF: its paragraphs, their pages, and the day on which it was created."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise InputError(place, "a PDF that is encrypted", "save it without a password") from None
        raise
    try:
        pages = list(_pages(document, place))
        created = _CREATED.match(document.get_metadata_value("CreationDate"))
    finally:
        document.close()
    if not any(pages):
        raise InputError(place, "a PDF with no text in it", "it may be scanned: run OCR first")
    date = read_property_date("-".join(created.groups())) if created else ""
    return Content(*page_paragraphs(pages), file_date=date)


def _pages(document: pypdfium2.PdfDocument, place: str) -> Iterator[list[Line]]:
    """Yield the lines of each page; raise an error at the first page beyond the limits."""
    if len(document) > most(MOST_PAGES):
        raise _too_long(place, "pages", MOST_PAGES)
    left = most(MOST_CHARACTERS)
    for index in range(len(document)):
        page = document[index]
        textpage = page.get_textpage()
        try:
            left -= textpage.count_chars()
            if left < 0:
                raise _too_long(place, "characters", MOST_CHARACTERS)
            yield _lines(textpage, index + 1)
        finally:
            textpage.close()
            page.close()


def _too_long(place: str, noun: str, variable: str) -> InputError:
    problem = f"a PDF of more than {most(variable)} {noun}"
    return InputError(place, problem, f"split it, or raise {variable}")


def _lines(textpage: pypdfium2.PdfTextPage, page: int) -> list[Line]:
    """Return the lines of a page in the order of the file, without lines rotated unlike most of the text."""
    text = _text(textpage)
    runs = list(_runs(textpage, text))
    letters = Counter[int]()
    for run in runs:
        letters[run.turn] += run.end - run.start
    usual = max(letters, key=letters.__getitem__, default=0)
    return [_line(textpage, text, run, page) for run in runs if run.turn == usual]


def _text(textpage: pypdfium2.PdfTextPage) -> str:
    """Return the text of a page, with one UTF-16 code for each character that PDFium counts."""
    count = textpage.count_chars()
    codes = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(textpage, 0, count, codes)
    text = bytes(codes)[: 2 * count].decode("utf-16-le", "surrogatepass")
    # PDFium's text of a page may lack characters, or have two codes for one character. Then its codes cannot
    # be matched to characters, so ask for the code of each character, which is slow.
    if written == count + 1 and len(text) == count and "\0" not in text:
        return text
    handle = textpage.raw
    return "".join(chr(raw.FPDFText_GetUnicode(handle, i)) for i in range(count))


def _runs(textpage: pypdfium2.PdfTextPage, text: str) -> Iterator[_Run]:
    """Yield the lines of a page with the given text. A wide gap, as between columns, also ends a line."""
    # The inner loop runs for each word of a PDF. Most of its time is spent on calls of PDFium.
    handle, box = textpage.raw, raw.FS_RECTF()
    box_address, box_of = ctypes.byref(box), raw.FPDFText_GetLooseCharBox
    for line in _LINE.finditer(text):
        begin = last = line.start()
        turn = round(-raw.FPDFText_GetCharAngle(handle, begin) / _QUARTER) % 4
        size = _size(textpage, begin)
        lefts: list[float] = []
        rights: list[float] = []
        # If PDFium does not know the size of letters, it does not put a space into every gap.
        words = _WORD if size > _UNKNOWN_SIZE else _CHARACTER
        for start, end in map(re.Match.span, words.finditer(text, *line.span())):
            box_of(handle, start, box_address)
            left, right = (box.left, box.right) if turn == 0 else _along_line(box, turn)
            # A gap may be on either side: in Hebrew and Arabic the next word is to the left.
            if lefts and (left - rights[-1] > _GAP * size or lefts[-1] - right > _GAP * size):
                yield _Run(turn, begin, last, min(lefts), max(rights))
                begin, lefts, rights = start, [], []
            lefts.append(left)
            rights.append(right)
            if end > start + 1:
                box_of(handle, end - 1, box_address)
                left, right = (box.left, box.right) if turn == 0 else _along_line(box, turn)
                lefts.append(left)
                rights.append(right)
            last = end
        yield _Run(turn, begin, last, min(lefts), max(rights))


def _line(textpage: pypdfium2.PdfTextPage, text: str, run: _Run, page: int) -> Line:
    turn, start, end, left, right = run
    step = max(1, (end - start) // _SAMPLE)
    sample = [i for i in range(start, end, step) if not _SPACE.match(text, i)]
    size = _typical(sample, lambda i: _size(textpage, i))
    bottom = _typical(sample, lambda i: _baseline(textpage, i, turn))
    line = text[start:end]

    def without_raised(number: re.Match[str]) -> str:
        raised = all(
            _size(textpage, i) < _MARK_SIZE * size
            and _baseline(textpage, i, turn) - bottom > _MARK_RAISED * size
            for i in range(start + number.start(), start + number.end())
        )
        return "" if raised else number[0]

    if _DIGIT.search(line):
        line = _AFTER_WORD.sub(without_raised, line)
    return Line(
        # Join the two halves of a surrogate pair, and replace a single half, which cannot be written.
        text=_SPACE.sub(" ", line)
        .translate(_CHARACTERS)
        .encode("utf-16", "surrogatepass")
        .decode("utf-16", "replace"),
        page=page,
        left=left,
        right=right,
        bottom=bottom,
        size=size,
        bold=all(_is_bold(textpage, i) for i in sample),
    )


def _typical(sample: Sequence[int], measure: Callable[[int], float]) -> float:
    """Return the median of a measure of letters; the first, the middle and the last may suffice."""
    few = [measure(sample[0]), measure(sample[len(sample) // 2]), measure(sample[-1])]
    return few[0] if max(few) - min(few) < _AGREE else median(map(measure, sample))


def _along_line(box: Any, turn: int) -> tuple[float, float]:
    """Return where a character begins and ends along its line, in points."""
    along = ((box.left, box.right), (box.bottom, box.top), (-box.right, -box.left), (-box.top, -box.bottom))
    return along[turn]


def _baseline(textpage: pypdfium2.PdfTextPage, index: int, turn: int) -> float:
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(textpage.raw, index, ctypes.byref(x), ctypes.byref(y))
    return (y.value, -x.value, -y.value, x.value)[turn]


def _size(textpage: pypdfium2.PdfTextPage, index: int) -> float:
    """Return the size of a letter on the page, in points; that of its font may be 1, scaled on the page."""
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
