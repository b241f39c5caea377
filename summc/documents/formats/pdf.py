"""Read PDF with PDFium: find the characters and their positions, and make lines of them.

The module ``layout`` makes paragraphs of the lines.
"""

from __future__ import annotations

import ctypes
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
# A line end, or a word. A word also ends after a hyphen, because its other half may be on the next line.
_WORD = re.compile(r"[\r\n]|[^\s\0\x02\xad\ufffe]++[\x02\xad\ufffe]?+|[\x02\xad\ufffe]")
_WIDEST = 0.7  # a multiple of the letter size: a word whose letters are wider on average may have a gap in it
_UNCERTAIN = re.compile(r"[\0\ud800-\udfff]")  # no character, or half a surrogate pair
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


#: A word or a space: the index of its first character on the page, its text, and where it begins and ends on
#: its line, in points. Each character of the text is one of the page.
_Word = tuple[int, str, float, float]


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
            letters[turn] += sum(len(text) for _, text, _, _ in run)
        usual = max(letters, key=letters.__getitem__, default=0)
        return [_line(textpage, run, index + 1, turn) for turn, run in runs if turn == usual]
    finally:
        textpage.close()
        page.close()


def _runs(textpage: pypdfium2.PdfTextPage) -> Iterator[tuple[int, list[_Word]]]:
    """Yield, for each line of a page, its rotation in quarter turns and its words.

    A wide gap, as between columns, also ends a line.
    """
    run: list[_Word] = []
    turn, size, end = 0, 1.0, 0
    for match in _WORD.finditer(_codes(textpage)):
        text = match[0]
        if text in _LINE_ENDS:
            if run:
                yield turn, run
            run = []
            continue
        if not run:
            turn = round(-raw.FPDFText_GetCharAngle(textpage.raw, match.start()) / _QUARTER) % 4
            size = _size(textpage, match.start())
        for word in _words(textpage, match.start(), text, turn, size):
            if run and _is_apart(run[-1], word, size):
                yield turn, run
                run = []
            elif run and word[0] > end:
                run.append((end, " ", run[-1][3], word[2]))
            run.append(word)
            end = word[0] + len(word[1])
    if run:
        yield turn, run


def _words(textpage: pypdfium2.PdfTextPage, first: int, text: str, turn: int, size: float) -> Iterator[_Word]:
    """Yield the words in a text without spaces, whose characters begin at the index ``first`` of the page.

    PDFium writes a space for nearly every gap. So only a text that is wider than its letters is searched for
    gaps, character by character: to ask for the place of every character takes half the time of a PDF.
    """
    left, right = _extent(textpage, (first, first + len(text) - 1), turn)
    if right - left <= _WIDEST * size * len(text):
        yield first, text, left, right
        return
    begin, (left, right) = 0, _extent(textpage, (first,), turn)
    last = left, right
    for k in range(1, len(text)):
        here = _extent(textpage, (first + k,), turn)
        if here[0] - last[1] > _GAP * size or last[0] - here[1] > _GAP * size:
            yield first + begin, text[begin:k], left, right
            begin, (left, right) = k, here
        left, right, last = min(left, here[0]), max(right, here[1]), here
    yield first + begin, text[begin:], left, right


def _is_apart(word: _Word, following: _Word, size: float) -> bool:
    # A gap may be on either side: in Hebrew and Arabic the next word is to the left.
    return following[2] - word[3] > _GAP * size or word[2] - following[3] > _GAP * size


def _extent(textpage: pypdfium2.PdfTextPage, indices: Iterable[int], turn: int) -> tuple[float, float]:
    """Return where characters begin and end along their line, in points."""
    box = raw.FS_RECTF()
    ends: list[float] = []
    for index in indices:
        raw.FPDFText_GetLooseCharBox(textpage.raw, index, box)
        ends += (box.left, box.right) if turn == 0 else _turned(box, turn)
    return min(ends), max(ends)


def _codes(textpage: pypdfium2.PdfTextPage) -> str:
    """Return the characters of a page; half a surrogate pair is a character of its own."""
    count = textpage.count_chars()
    codes = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(textpage, 0, count, codes)
    # The text may lack characters, and may have two codes for one. Then ask for each code, which is slow.
    found = bytes(codes)[: 2 * count].decode("utf-16-le", "surrogatepass")
    if written == count + 1 and len(found) == count and not _UNCERTAIN.search(found):
        return found
    handle = textpage.raw
    return "".join(chr(raw.FPDFText_GetUnicode(handle, i)) for i in range(count))


def _line(textpage: pypdfium2.PdfTextPage, run: Sequence[_Word], page: int, turn: int) -> Line:
    text = "".join(text for _, text, _, _ in run)
    indices = [index + k for index, text, _, _ in run for k in range(len(text))]
    step = max(1, len(text) // _SAMPLE)
    sample = [i for i, letter in zip(indices[::step], text[::step], strict=True) if letter != " "]
    sample = sample or indices[:1]
    size = median(_size(textpage, i) for i in sample)
    bottom = median(_baseline(textpage, i, turn) for i in sample)
    if _DIGIT.search(text):
        text = _without_note_marks(textpage, text, indices, turn, size, bottom)
    return Line(
        # Join the two halves of a surrogate pair, and replace a single half, which cannot be written.
        text=text.translate(_CHARACTERS).encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        page=page,
        left=min(left for _, _, left, _ in run),
        right=max(right for _, _, _, right in run),
        bottom=bottom,
        size=size,
        bold=all(_is_bold(textpage, i) for i in sample),
    )


def _without_note_marks(
    textpage: pypdfium2.PdfTextPage, line: str, indices: Sequence[int], turn: int, size: float, bottom: float
) -> str:
    """Return the text of a line without the digits of footnote marks: small raised numbers after a word.

    Exponents are not footnote marks: they come after a digit or a single letter. ``indices`` has the index on
    the page of each character.
    """

    def is_raised(index: int) -> bool:
        return (
            _size(textpage, index) < _MARK_SIZE * size
            and _baseline(textpage, index, turn) - bottom > _MARK_RAISED * size
        )

    def kept(match: re.Match[str]) -> str:
        return "" if all(map(is_raised, indices[slice(*match.span())])) else match[0]

    return _MARK.sub(kept, line)


def _turned(box: Any, turn: int) -> tuple[float, float]:
    """Return where a character begins and ends along its line, in points; ``turn`` is the rotation."""
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
