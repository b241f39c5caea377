"""Read PowerPoint presentations: the text of each slide, with its title as a heading.

Pandoc reads them too, but passes over the text of some slides.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator

from lxml import etree

from summc.documents.formats.pandoc import checked_zip
from summc.documents.paragraphs import meant_lines
from summc.documents.raw import CELL, HEADING, PARAGRAPH, Block, Content

_MAIN = "ppt/presentation.xml"
_TITLES = {"title", "ctrTitle"}


def read(data: bytes, place: str, _encoding: str) -> Content:
    """Return the paragraphs of all slides in order; a slide counts as a page."""
    file_date = checked_zip(data, place)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        relations = _xml(archive, "ppt/_rels/presentation.xml.rels")
        targets = {relation.get("Id"): relation.get("Target", "") for relation in relations}
        ids = [value for slide in _xml(archive, _MAIN).iter("{*}sldId") for value in slide.attrib.values()]
        names = [posixpath.normpath(posixpath.join("/ppt", targets[id_])) for id_ in ids if id_ in targets]
        slides = [_xml(archive, name.lstrip("/")) for name in names]
    blocks = [block for number, slide in enumerate(slides, start=1) for block in _blocks(slide, number)]
    return Content(blocks, file_date=file_date, knows_headings=True)


def _xml(archive: zipfile.ZipFile, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
    return etree.fromstring(archive.read(name), parser)


def _blocks(slide: etree._Element, number: int) -> Iterator[Block]:
    """Yield the paragraphs of a slide; fields, such as the number of the slide, are left out."""
    for paragraph in slide.iter("{*}p"):
        kinds = [ph.get("type") for shape in paragraph.iterancestors("{*}sp") for ph in shape.iter("{*}ph")]
        kind = HEADING if _TITLES.intersection(kinds) else PARAGRAPH
        kind = CELL if next(paragraph.iterancestors("{*}tc"), None) is not None else kind
        runs = (
            run for run in paragraph.iter("{*}t", "{*}br") if etree.QName(run.getparent()).localname != "fld"
        )
        text = "".join("\n" if etree.QName(run).localname == "br" else run.text or "" for run in runs)
        for line in meant_lines(text):
            yield Block(line, kind, pages=((0, number),))
