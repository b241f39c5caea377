"""Everyday documents, made by the programs' own writers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import quote

import docx
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas


@dataclass(frozen=True)
class Put:
    """A line of text on a page, in points from the lower left."""

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "Times-Roman"
    turn: float = 0


def pdf(*pages: Sequence[Put], password: str | None = None, form: int = 0) -> bytes:
    """A PDF with each text exactly where it is put; ``form`` turns the pages themselves."""
    stream = io.BytesIO()
    encrypt = StandardEncryption(password, ownerPassword="owner") if password is not None else None
    canvas = Canvas(stream, pagesize=(600, 800), invariant=1, encrypt=encrypt)
    for page in pages:
        for put in page:
            canvas.saveState()
            canvas.translate(put.x, put.y)
            canvas.rotate(put.turn)
            canvas.setFont(put.font, put.size)
            canvas.drawString(0, 0, put.text)
            canvas.restoreState()
        canvas.setPageRotation(form)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def column(lines: Sequence[str], x: float = 60, y: float = 700, step: float = 12) -> list[Put]:
    """Lines under each other."""
    return [Put(x, y - step * i, line) for i, line in enumerate(lines)]


def word(document: docx.document.Document | None = None) -> bytes:
    stream = io.BytesIO()
    (document or docx.Document()).save(stream)
    return stream.getvalue()


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)


def epub(chapters: Mapping[str, str], spine: Sequence[str], **more: str | bytes) -> bytes:
    """A book: chapters by file name (``nav...``: its contents), their order (``!``: outside it), and more.

    ``more`` are other members by name, with ``__`` for a slash.
    """
    items = "".join(
        f'<item id="{name}" href="{quote(name)}" media-type="application/xhtml+xml" properties="{name[:3]}"/>'
        for name in chapters
    )
    order = "".join(
        f'<itemref idref="{name.lstrip("!")}" linear="{"no" if name.startswith("!") else "yes"}"/>'
        for name in spine
    )
    opf = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"><metadata/>'
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    members: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": opf,
        **{f"OEBPS/{name}": text for name, text in chapters.items()},
        **{name.replace("__", "/"): content for name, content in more.items()},
    }
    return zipped(members)


def xhtml(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>'
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script/></head><body>{body}</body></html>'
    )


def mail(text: str | None = None, html: str | None = None, **files: bytes) -> EmailMessage:
    """A mail with a text, an HTML form of it, and attachments by name (``__`` for a point)."""
    message = EmailMessage()
    message["From"] = "Ann <ann@example.org>"
    message["Subject"] = "Subjects are left out"
    message["Date"] = "Mon, 07 Jan 2030 10:00:00 +0000"
    message["Message-ID"] = "<1@example.org>"
    if text is not None:
        message.set_content(text)
    if html is not None:
        (message.set_content if text is None else message.add_alternative)(html, subtype="html")
    for name, data in files.items():
        message.add_attachment(
            data, maintype="application", subtype="octet-stream", filename=name.replace("__", ".")
        )
    return message
