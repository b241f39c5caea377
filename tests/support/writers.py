"""Make everyday documents (PDF, Word, e-book, mail, HTML, Markdown) for the tests."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import quote

import docx
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas


@dataclass(frozen=True)
class Put:
    """A line of text on a page, placed in points from the lower left corner."""

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "Times-Roman"
    turn: float = 0


def pdf(*pages: Sequence[Put], password: str | None = None, form: int = 0, title: str = "") -> bytes:
    """Return a PDF with each text exactly at its place. ``form`` rotates the pages."""
    stream = io.BytesIO()
    encrypt = StandardEncryption(password, ownerPassword="owner") if password is not None else None
    canvas = Canvas(stream, pagesize=(600, 800), invariant=1, encrypt=encrypt)
    canvas.setTitle(title)
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


def pdf_of(content: bytes, pages: int = 1, packed: int = 2) -> bytes:
    """Return a PDF whose pages all have the same content stream, which is packed by Flate several times."""
    kids = " ".join(f"{5 + i} 0 R" for i in range(pages))
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
    return _objects(
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {pages}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        _stream(content, packed),
        *[page.encode()] * pages,
    )


def nested_forms(content: bytes, depth: int, times: int) -> bytes:
    """Return a PDF of one page that draws a form ``times`` times, which draws another one, and so on.

    ``content`` is that of the innermost form.
    """
    draw = b"/F Do " * times
    inner = [f"/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F {6 + i} 0 R>>>>" for i in range(depth)]
    return _objects(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>",
        _stream(draw),
        *(_stream(draw, more=each) for each in inner[:-1]),
        _stream(content, more=inner[-1]),
    )


def _stream(content: bytes, packed: int = 2, more: str = "") -> bytes:
    for _ in range(packed):
        content = zlib.compress(content, 9)
    head = f"<<{more}/Filter[{'/FlateDecode' * packed}]/Length {len(content)}>>"
    return head.encode() + b"stream\n" + content + b"\nendstream"


def _objects(*objects: bytes) -> bytes:
    body, starts = b"%PDF-1.7\n", list[int]()
    for number, text in enumerate(objects, start=1):
        starts.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(objects) + 1
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def column(lines: Sequence[str], x: float = 60, y: float = 700, step: float = 12) -> list[Put]:
    """Place lines below each other."""
    return [Put(x, y - step * i, line) for i, line in enumerate(lines)]


def word(document: docx.document.Document | None = None) -> bytes:
    stream = io.BytesIO()
    (document or docx.Document()).save(stream)
    return stream.getvalue()


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, given by their paths below ``root``, and return ``root``."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def tar_of(files: Mapping[str, str | bytes], prefix: str = "") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(prefix + name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
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


def epub(
    chapters: Mapping[str, str], spine: Sequence[str], metadata: str = "", language: str = "", **more: str
) -> bytes:
    """Return a book of chapters by file name, in the order of ``spine``, with this metadata in XML.

    A chapter named ``nav...`` is the table of contents. ``!`` marks a chapter outside the reading order.
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
        f'<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" xml:lang="{language}">'
        f"<metadata>{metadata}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
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
    """Return a mail with a plain text, an HTML text, and attachments by name (``__`` stands for a dot)."""
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


PROSE = [
    "The river rose all through the night and by the morn-",
    "ing it had cut off the town from the north. The state-",
    "owned power station was closed for a week. It is a",
    "state-owned one, built in 1950 at the river.",
]


def head_and_foot(number: int) -> list[Put]:
    return [Put(60, 770, "Annals of Rivers, vol. 3"), Put(300, 30, f"- {number} -")]


SITE, MARKDOWN = ((Path(__file__).parent / "texts" / name).read_text() for name in ("site.html", "notes.md"))
WORD_XML = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word_xml(document: str) -> bytes:
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    main = f'<Relationship Id="r1" Type="{kind}" Target="word/document.xml"/>'
    around = f'<Relationships xmlns="{relations}">{{}}</Relationships>'.format
    parts = {"_rels/.rels": around(main), "word/_rels/document.xml.rels": around("")}
    return zipped({**parts, "word/document.xml": document})
