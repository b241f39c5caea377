"""Word documents (Office Open XML), transitional or strict.

The parts are read by lxml and not by python-docx, which passes over what stands in content controls and
over insertions that are tracked: whole pages of a form, or of a text under revision.
"""

from __future__ import annotations

import posixpath

from lxml import etree

from summc.documents.content import Content
from summc.documents.formats.package import Package, attribute, local_name
from summc.documents.paragraphs import meant_lines
from summc.errors import InputError

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIN_PART = "/officeDocument"
# What was deleted or moved away, drawings kept a second time for old programs, and fields' own code.
_LEFT_OUT = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "rPr", "pPr", "sectPr"})
_OFF = ("0", "false", "off")  # what a mark of a run is set to where a style has it and the run has not
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the paragraphs, in tables and text boxes too; headers, footers and notes are other parts."""
    if data.startswith(_OLE):
        problem = "encrypted, or in the format of Word 97"
        raise InputError(place, problem, "save it as .docx without a password")
    package = Package(data, place)
    return Content(_paragraphs(package.xml(_main_part(package))))


def _main_part(package: Package) -> str:
    for relation in package.xml("_rels/.rels"):
        if attribute(relation, "Type").endswith(_MAIN_PART):
            return posixpath.normpath(attribute(relation, "Target").lstrip("/"))
    raise InputError(package.place, "no text in this Word document", "save it again, or as text")


def _paragraphs(document: etree._Element) -> list[str]:
    found: list[str] = []
    lines: list[list[str]] = []  # a text box is a paragraph within a paragraph
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
