"""Mark sentences in a PDF with highlight annotations, as people do with a marker."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

import pypdfium2
from pypdfium2 import raw

from summc.records import Box, Sentence

#: Red, green, blue and opacity of the marker, from 0 to 255.
_YELLOW = (255, 221, 51, 255)


def marked(data: bytes, sentences: Iterable[Sentence]) -> bytes:
    """Return a PDF in which the sentences are highlighted; each has an annotation on every page it is on."""
    document = pypdfium2.PdfDocument(data)
    for sentence in sentences:
        for number, boxes in groupby(sentence.boxes, key=attrgetter("page")):
            page = document[number - 1]
            annotation = raw.FPDFPage_CreateAnnot(page, raw.FPDF_ANNOT_HIGHLIGHT)
            raw.FPDFAnnot_SetColor(annotation, raw.FPDFANNOT_COLORTYPE_Color, *_YELLOW)
            _set_boxes(annotation, list(boxes))
            raw.FPDFPage_CloseAnnot(annotation)
            page.close()
    document.save(stream := io.BytesIO())
    return _with_lasting_id(stream.getvalue())


def _with_lasting_id(data: bytes) -> bytes:
    """Return a PDF with an id that depends on its content, where PDFium writes a random one at the end."""
    start = data.rfind(b"/ID[<")
    digest = hashlib.md5(data[:start], usedforsecurity=False).hexdigest().upper().encode()
    ids = re.findall(rb"<([0-9A-F]{32})>", data[start:])
    return data[:start] + data[start:].replace(ids[-1], digest) if ids else data


def _set_boxes(annotation: raw.FPDF_ANNOTATION, boxes: list[Box]) -> None:
    for box in boxes:
        # The corners come as PDF wants them: top left, top right, bottom left, bottom right.
        left, bottom, right, top = box[1:]
        corners = raw.FS_QUADPOINTSF(left, top, right, top, left, bottom, right, bottom)
        raw.FPDFAnnot_AppendAttachmentPoints(annotation, corners)
    _, lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    raw.FPDFAnnot_SetRect(annotation, raw.FS_RECTF(min(lefts), max(tops), max(rights), min(bottoms)))
