"""Read PDF with PDFium: find the characters and their positions, and make lines of them.

The module ``layout`` makes paragraphs of the lines.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

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
# A footnote mark is smaller than this multiple of the letter size, and raised by more than the second one.
_MARK_SIZE, _MARK_RAISED = 0.85, 0.2
_SAMPLE = 9  # about how many letters decide the size and weight of a line; one might be a footnote mark


@dataclass(frozen=True, slots=True)
class _Character:
    """A character: its index on the page, its text, and where it begins and ends on its line, in points."""

    index: int
    text: str
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
    """Return the lines of a page, in the order of the file.

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
    for i in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(textpage, i)
        text = _CHARACTERS.get(code) or chr(code)
        if text in _LINE_ENDS:
            if run:
                yield turn, run
            run, space = [], False
        elif text.isspace() or not code:
            space = True
        else:
            if not run:
                turn = round(-raw.FPDFText_GetCharAngle(textpage, i) / _QUARTER) % 4
                size = _size(textpage, i)
            left, right = _extent(textpage, i, turn)
            # A gap may be on either side: in Hebrew and Arabic the next character is to the left.
            if run and max(left - run[-1].right, run[-1].left - right) > _GAP * size:
                yield turn, run
                run = []
            if run and space:
                run.append(_Character(i, " ", run[-1].right, left))
            run.append(_Character(i, text, left, right))
            space = False
    if run:
        yield turn, run


def _line(textpage: pypdfium2.PdfTextPage, run: Sequence[_Character], page: int, turn: int) -> Line:
    step = max(1, len(run) // _SAMPLE)
    sample = [character.index for character in run[::step] if character.text != " "] or [run[0].index]
    size = median(_size(textpage, i) for i in sample)
    bottom = median(_baseline(textpage, i, turn) for i in sample)
    marks = _note_marks(textpage, run, turn, size, bottom)
    text = "".join(character.text for k, character in enumerate(run) if k not in marks)
    return Line(
        # Join the two halves of a surrogate pair, and replace a single half, which cannot be written.
        text=text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        page=page,
        left=min(character.left for character in run),
        right=max(character.right for character in run),
        bottom=bottom,
        size=size,
        bold=all(_is_bold(textpage, i) for i in sample),
    )


def _note_marks(
    textpage: pypdfium2.PdfTextPage, run: Sequence[_Character], turn: int, size: float, bottom: float
) -> frozenset[int]:
    """Return the indices, in a run, of the digits of footnote marks: small raised numbers after a word.

    Exponents are not footnote marks: they come after a digit or a single letter.
    """

    def is_raised(character: _Character) -> bool:
        return (
            character.text.isdecimal()
            and _size(textpage, character.index) < _MARK_SIZE * size
            and _baseline(textpage, character.index, turn) - bottom > _MARK_RAISED * size
        )

    text = "".join(character.text[:1] or " " for character in run)
    found: set[int] = set()
    for match in _MARK.finditer(text):
        marks = range(match.start(1), match.end(1))
        if all(is_raised(run[k]) for k in marks):
            found.update(marks)
    return frozenset(found)


def _extent(textpage: pypdfium2.PdfTextPage, index: int, turn: int) -> tuple[float, float]:
    """Return where a character begins and ends along its line, in points; ``turn`` is the rotation."""
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(textpage, index, ctypes.byref(box))
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
