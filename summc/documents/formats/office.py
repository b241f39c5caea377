"""Read the zip files of XML that are documents: Word, PowerPoint, OpenDocument texts, and e-books.

The module uses lxml. python-docx skips content controls and tracked insertions, which may be whole pages,
and EbookLib is under the AGPL.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, urldefrag

from lxml import etree

from summc.documents.formats.markup import (
    WHOLE,
    Vocabulary,
    attribute,
    decode_html,
    parse_html,
    tree_paragraphs,
)
from summc.documents.raw import Content, PageStarts
from summc.errors import InputError
from summc.system.inputs import MOST_MB, most_bytes
from summc.system.logs import log
from summc.text.dates import read_property_date, read_stated_date

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_CONTAINER = "META-INF/container.xml"
_CHAPTER = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
# The dates that python-docx and python-pptx write into their documents, whatever the day.
_TEMPLATES = ("2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z")

# Deleted and moved text is left out, and in slides the fields, such as the number of the slide.
_OFFICE = Vocabulary(
    blocks=frozenset({"p"}),
    characters={"tab": "\t", "br": "\n", "cr": "\n", "nobreakhyphen": "-"},
    left_out=frozenset({"del", "movefrom", "ppr", "fld"}),
    texts=frozenset({"t"}),
)
_OPEN = Vocabulary(
    blocks=frozenset({"p", "h"}),
    characters={"tab": "\t", "s": " ", "line-break": "\n"},
    left_out=frozenset({"annotation", "note", "table-of-content", "tracked-changes"}),
)
# In Word: copies of drawings for old programs, hidden runs, and the lines of the table of contents. A run may
# override a style that hides it.
_UNSEEN = """
    //*[local-name() = 'Fallback']
    | //*[local-name() = 'r'][*/*[local-name() = 'vanish'][not(@*[. = '0' or . = 'false' or . = 'off'])]]
    | //*[local-name() = 'pStyle'][@*[starts-with(translate(., 'toc', 'TOC'), 'TOC')]]/../..
"""


class _Package:
    """An open zip file, whose members (the files in it) are read by name."""

    def __init__(self, data: bytes, place: str) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.place = place
        self.left = most_bytes()
        self.names = frozenset(self.archive.namelist())

    def read(self, name: str) -> bytes:
        """Return the data of a member; raise an error if all members read so far exceed ``most_bytes()``.

        The bytes are counted, because the size that a zip file states may be wrong.
        """
        with self.archive.open(name) as stream:
            data = stream.read(self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            problem = f"unpacks to more than {most_bytes() // 1024**2} MB"
            raise InputError(self.place, problem, f"split it, save it as text, or raise {MOST_MB}")
        return data

    def xml(self, name: str) -> etree._Element:
        """Return a member as a tree of elements; entities are not resolved, and nothing is fetched."""
        parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
        return etree.fromstring(self.read(name), parser)

    def properties(self, name: str) -> etree._Element:
        """Return a member with properties of the document; it is empty if the member cannot be read."""
        # A fault in the properties must not keep the text from being read.
        with contextlib.suppress(etree.XMLSyntaxError, zipfile.BadZipFile, InputError, KeyError):
            return self.xml(name)
        return etree.Element("none")


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the paragraphs of a document, with the date and the language that its properties state.

    Headers, footers, notes and the table of contents are left out. Slides and chapters count as pages.
    """
    if data.startswith(_OLE):
        problem = "encrypted, or in the format of Word 97"
        raise InputError(place, problem, "save it as .docx without a password")
    package = _Package(data, place)
    if _CONTAINER in package.names:
        return _book(package)
    if "content.xml" in package.names:
        meta = package.properties("meta.xml")
        text = tree_paragraphs(package.xml("content.xml"), _OPEN)
        return Content(text, file_date=_day(meta, "creation-date", "date"), language=_first(meta, "language"))
    main = next(iter(_related(package, "", "officeDocument").values()), "")
    if not main:
        raise InputError(place, "no text in this document", "save it again, or as text")
    created = _day(package.properties("docProps/core.xml"), "created", "modified")
    if main.startswith("ppt/"):
        slides, order = _related(package, main, "slide"), package.xml(main).iter("{*}sldId")
        names = [slides[value] for slide in order for value in slide.attrib.values() if value in slides]
        return _paged((tree_paragraphs(package.xml(name), _OFFICE) for name in names), created)
    styles = package.properties(posixpath.join(posixpath.dirname(main), "styles.xml"))
    stated = [attribute(lang, "val") for top in styles.iter("{*}docDefaults") for lang in top.iter("{*}lang")]
    return Content(_word(package.xml(main)), file_date=created, language="".join(stated[:1]))


def _related(package: _Package, part: str, kind: str) -> dict[str, str]:
    """Return the files of a kind that a file of the zip file refers to: id -> name.

    ``part`` is the name of the file, or "" for the whole document.
    """
    folder, name = posixpath.split(part)
    relations = package.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
    links = [link for link in relations if attribute(link, "Type").endswith(f"/{kind}")]
    paths = (posixpath.normpath(posixpath.join("/", folder, attribute(link, "Target"))) for link in links)
    return {attribute(link, "Id"): path.lstrip("/") for link, path in zip(links, paths, strict=True)}


def _day(properties: etree._Element, *names: str) -> str:
    """Return the first day that properties state under one of these names, or ""."""
    stated = (_first(properties, name) for name in names)
    return next(filter(None, (read_property_date(day) for day in stated if day not in _TEMPLATES)), "")


def _first(root: etree._Element, name: str) -> str:
    texts = ((element.text or "").strip() for element in root.iter(f"{{*}}{name}"))
    return next(filter(None, texts), "")


def _word(document: etree._Element) -> list[str]:
    for element in document.xpath(_UNSEEN):
        element.clear(keep_tail=True)
    for box in list(document.iter("{*}txbxContent")):  # its paragraphs are within a paragraph
        for outer in itertools.islice(box.iterancestors("{*}p"), 1):
            outer.addprevious(box)
    return tree_paragraphs(document, _OFFICE)


def _paged(parts: Iterable[list[str]], file_date: str = "", date: str = "", language: str = "") -> Content:
    numbered = [(text, number) for number, part in enumerate(filter(None, parts), start=1) for text in part]
    pages: list[PageStarts] = [((0, number),) for _, number in numbered]
    return Content([text for text, _ in numbered], pages, date=date, file_date=file_date, language=language)


def _book(package: _Package) -> Content:
    (path,) = [attribute(root, "full-path") for root in package.xml(_CONTAINER).iter("{*}rootfile")][:1]
    opf = package.xml(path)  # the package document, which has the metadata and lists the chapters
    # Dates of other events, such as a conversion, are ignored.
    days = [day for day in opf.iter("{*}date") if attribute(day, "event") in ("", "publication")]
    date = next(filter(None, (read_stated_date((day.text or "").strip()) for day in days)), "")
    language = _first(opf, "language") or attribute(opf, "lang")
    return _paged(list(_chapters(package, opf, path)), date=date, language=language)


def _chapters(package: _Package, opf: etree._Element, path: str) -> Iterator[list[str]]:
    """Yield the paragraphs of each chapter in reading order; ``path`` is the name of ``opf``.

    Only an encrypted chapter is an error. Encrypted fonts are common and not needed.
    """
    marked = package.properties("META-INF/encryption.xml").iter("{*}CipherReference")
    locked = {unquote(attribute(element, "URI")) for element in marked}
    items = {
        attribute(item, "id"): unquote(urldefrag(attribute(item, "href")).url)
        for item in opf.iter("{*}item")
        if attribute(item, "media-type") in _CHAPTER and "nav" not in attribute(item, "properties").split()
    }
    order = [attribute(item, "idref") for item in opf.iter("{*}itemref") if attribute(item, "linear") != "no"]
    # A book may name a chapter only once. If it does so more often, the first time counts.
    for href in dict.fromkeys(items[id_] for id_ in order if id_ in items):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(path), href))
        if name in locked:
            raise InputError(package.place, "encrypted", "give a copy without copy protection")
        if name in package.names:
            text = decode_html(package.read(name), f"{package.place}: {name}", "auto")
            yield tree_paragraphs(parse_html(text), WHOLE)
        else:
            log.warning("%s: %s is missing; left out", package.place, name)
