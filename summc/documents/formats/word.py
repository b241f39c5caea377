"""Read Word documents: Office Open XML, in both variants of the standard (transitional and strict).

The module uses lxml and not python-docx, which skips content controls and tracked insertions. These may be
whole pages of a form, or of a text under revision.
"""

from __future__ import annotations

import contextlib
import posixpath
import zipfile

from lxml import etree

from summc.documents.formats.package import Package, attribute, local_name
from summc.documents.paragraphs import meant_lines
from summc.documents.raw import Content
from summc.errors import InputError
from summc.text.dates import read_property_date

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIN_PART = "/officeDocument"
_PROPERTIES = "/core-properties"
_TEMPLATE = "2013-12-23T23:15:00Z"  # the date that python-docx writes into its documents, whatever the day
# Elements to skip: deleted or moved text, copies of drawings for old programs, field codes, and properties.
_LEFT_OUT = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "rPr", "pPr", "sectPr"})
_OFF = ("0", "false", "off")  # the values with which a run turns off a property of its style
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the content of a Word document: its paragraphs, its date of creation and its language.

    Tables and text boxes are included. Headers, footers and notes are left out. ``place`` is the path of the
    file for messages. ``_encoding`` is not used.
    """
    if data.startswith(_OLE):
        problem = "encrypted, or in the format of Word 97"
        raise InputError(place, problem, "save it as .docx without a password")
    package = Package(data, place)
    relations = package.xml("_rels/.rels")
    main = _part(relations, _MAIN_PART)
    if not main:
        raise InputError(place, "no text in this Word document", "save it again, or as text")
    paragraphs = _paragraphs(package.xml(main))
    created = _date(package, _part(relations, _PROPERTIES))
    return Content(paragraphs, file_date=created, language=_stated_language(package, main))


def _stated_language(package: Package, main: str) -> str:
    """Return the default language of a document, or "".

    ``main`` is the name of the file with the text, in the zip file.
    """
    styles = posixpath.join(posixpath.dirname(main), "styles.xml")
    if styles in package.names:
        # A fault in the styles must not keep the text from being read.
        with contextlib.suppress(etree.XMLSyntaxError, zipfile.BadZipFile, InputError):
            for defaults in package.xml(styles).iter("{*}docDefaults"):
                for language in defaults.iter("{*}lang"):
                    return attribute(language, "val")
    return ""


def _part(relations: etree._Element, kind: str) -> str:
    """Return the name of the first file in the zip file that has a certain type, or "".

    ``relations`` is the XML that lists the files with their types. The types are URLs, and ``kind`` is the
    end of the type: "/officeDocument" for the file with the text.
    """
    for relation in relations:
        if attribute(relation, "Type").endswith(kind):
            return posixpath.normpath(attribute(relation, "Target").lstrip("/"))
    return ""


def _date(package: Package, properties: str) -> str:
    """Return the day on which a document was created, or else last changed, or "".

    ``properties`` is the name of the file with these dates, in the zip file.
    """
    if properties not in package.names:
        return ""
    try:
        root = package.xml(properties)
    except Exception:  # noqa: BLE001 (a fault in the properties must not lose the text)
        return ""
    stated = {local_name(element): (element.text or "").strip() for element in root}
    days = (stated.get(name, "") for name in ("created", "modified"))
    return next(filter(None, (read_property_date(day) for day in days if day != _TEMPLATE)), "")


def _paragraphs(document: etree._Element) -> list[str]:
    found: list[str] = []
    lines: list[list[str]] = []  # a stack, because a text box is a paragraph within a paragraph
    walk = etree.iterwalk(document, events=("start", "end"))
    for event, element in walk:
        name = local_name(element)
        if event == "end":
            if name == "p":
                found.extend(meant_lines("".join(lines.pop())))
        elif name in _LEFT_OUT or (name == "r" and _is_hidden(element)):
            walk.skip_subtree()
        elif name == "p":
            lines.append([])
            if _is_contents(element):
                walk.skip_subtree()
        elif lines and name == "t":
            lines[-1].append(element.text or "")
        elif lines and name in _CHARACTERS:
            lines[-1].append(_CHARACTERS[name])
    return found


def _is_hidden(run: etree._Element) -> bool:
    return any(
        local_name(mark) == "vanish" and attribute(mark, "val") not in _OFF
        for part in run
        if local_name(part) == "rPr"
        for mark in part
    )


def _is_contents(paragraph: etree._Element) -> bool:
    """Tell whether a paragraph is a line of the table of contents."""
    return any(
        local_name(style) == "pStyle" and attribute(style, "val").upper().startswith("TOC")
        for part in paragraph
        if local_name(part) == "pPr"
        for style in part
    )
