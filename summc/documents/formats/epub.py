"""Read e-books (EPUB 2 and 3): the chapters in reading order. Each chapter is numbered as a page.

An EPUB is a zip file. Its package document (OPF), an XML file, has the metadata and lists the chapters.

The module uses lxml and not EbookLib, the usual library for e-books, because EbookLib is under the AGPL.
"""

from __future__ import annotations

import logging
import posixpath
from urllib.parse import unquote, urldefrag

from lxml import etree

from summc.documents.formats.markup import WHOLE, parse_xhtml, tree_paragraphs
from summc.documents.formats.package import Package, attribute, local_name
from summc.documents.raw import Content, PageStarts
from summc.errors import InputError
from summc.text.dates import read_stated_date

log = logging.getLogger("summc")

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the content of an e-book: the paragraphs of its chapters, without the table of contents.

    ``place`` is the path of the file for messages. ``_encoding`` is not used.
    """
    package = Package(data, place)
    locked = _locked(package)
    found: list[str] = []
    chapters: list[int] = []
    path = attribute(_first(package.xml(_CONTAINER), "rootfile"), "full-path")
    opf = package.xml(path)
    for name in _spine(opf, path):
        if name in locked:
            raise InputError(place, "encrypted", "give a copy without copy protection")
        if name not in package.names:
            log.warning("%s: %s is missing; left out", place, name)
            continue
        body = tree_paragraphs(parse_xhtml(package.read(name), f"{place}: {name}"), WHOLE)
        chapter = chapters[-1] + 1 if chapters else 1
        found.extend(body)
        chapters.extend([chapter] * len(body))
    pages: list[PageStarts] = [((0, chapter),) for chapter in chapters]
    return Content(found, pages, date=_published(opf), language=_stated_language(opf))


def _published(opf: etree._Element) -> str:
    """Return the day on which a book was published, or "", given its package document.

    Dates of other events, such as a conversion, are ignored.
    """
    days = [date for date in _all(opf, "date") if attribute(date, "event") in ("", "publication")]
    return next(filter(None, (read_stated_date((day.text or "").strip()) for day in days)), "")


def _stated_language(opf: etree._Element) -> str:
    """Return the first language that the package document of a book states, or ""."""
    stated = [(element.text or "").strip() for element in _all(opf, "language")]
    return next(filter(None, stated), "") or attribute(opf, "lang")


def _spine(root: etree._Element, path: str) -> list[str]:
    """Return the names of the chapters in the zip file, in reading order.

    ``root`` is the package document, and ``path`` its own name in the zip file.
    """
    items = {
        attribute(item, "id"): _member(path, attribute(item, "href"))
        for item in _all(root, "item")
        if attribute(item, "media-type") in _CHAPTER and "nav" not in attribute(item, "properties").split()
    }
    order = [
        attribute(itemref, "idref")
        for itemref in _all(root, "itemref")
        if attribute(itemref, "linear") != "no"
    ]
    # A book may name a chapter only once. If it does so more often, the first time counts.
    return list(dict.fromkeys(items[id_] for id_ in order if id_ in items))


def _locked(package: Package) -> set[str]:
    """Return the names of the encrypted files in the zip file of a book.

    Only an encrypted chapter is an error. Encrypted fonts are common and not needed.
    """
    if _ENCRYPTION not in package.names:
        return set()
    return {unquote(attribute(each, "URI")) for each in _all(package.xml(_ENCRYPTION), "CipherReference")}


def _member(opf: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(opf), unquote(urldefrag(href).url)))


def _all(root: etree._Element, name: str) -> list[etree._Element]:
    return [element for element in root.iter() if local_name(element) == name]


def _first(root: etree._Element, name: str) -> etree._Element:
    found = _all(root, name)
    if not found:
        raise ValueError(f"no {name}")
    return found[0]
