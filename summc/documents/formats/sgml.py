"""Read news documents in DUC's SGML.

An XML parser cannot read it: it has bare ampersands, elements that are never closed, and no declaration.
"""

from __future__ import annotations

import html
import html.entities
import re
from collections.abc import Callable, Iterator

from summc.documents.paragraphs import indented_paragraphs
from summc.documents.raw import RawDocument, paragraph_blocks
from summc.text.dates import read_date

#: How a text in DUC's SGML begins: its first element is ``<DOC>``.
SGML = re.compile(r"\s*(?:<(?:\?|!)[^>]*>\s*)*<DOC(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|\w{1,31});")
_CONTROL_ENTITY = re.compile(r"[A-Z]{2}|Cx[0-9a-f]{2}")
#: Elements with the date of a document: in AQUAINT, in the TREC newspapers and in FBIS.
_DATES = ("date_time", "date", "date1")
_OUTSIDE_TEXT = (*_DATES, "headline")
_WITHIN_TEXT = ("text", "annotation")


def read_sgml(text: str, place: str = "") -> Iterator[RawDocument]:
    """Yield the document in each ``<DOC>`` element: the paragraphs in ``<TEXT>``, without annotations.

    Its ``id`` is in ``<DOCNO>``, or "".
    """
    for record in records_in(text, "doc", "text", _element_after):
        docno = record.get("docno", [""])[-1].strip()
        body = without_entities(without_comments("".join(record.get("text", ()))))
        dates = (read_date(text) for element in _DATES for text in record.get(element, ()))
        title = without_entities("".join(record.get("headline", ())))
        blocks = paragraph_blocks(indented_paragraphs(body))
        yield RawDocument(docno, blocks, place, date=next(filter(None, dates), ""), title=title)


def records_in(
    text: str, outer: str, body: str, element_after: Callable[[str, str, bool], str]
) -> Iterator[dict[str, list[str]]]:
    """Yield a record of each element ``outer``: the names of the elements in it -> their texts.

    ``element_after`` returns the element that the text after a tag belongs to, given the element before the
    tag, the name of the tag, and whether it closes an element. Closing tags may be missing. ``<p>`` adds a
    blank line to the element ``body``.
    """
    element = ""
    record: dict[str, list[str]] | None = None
    tags = list(_TAG.finditer(text))
    ends = [*map(re.Match.start, tags[1:]), len(text)]
    for tag, end in zip(tags, ends, strict=False):
        name, is_closing = tag[2].lower(), tag[1] == "/"
        if name == outer:
            if record is not None:
                yield record
            record, element = None if is_closing else {}, ""
        elif record is not None:
            element = element_after(element, name, is_closing)
            if name == "p":
                record.setdefault(body, []).append("\n\n")
            record.setdefault(element, []).append(text[tag.end() : end])
    if record is not None:
        yield record


def _element_after(element: str, tag: str, closing: bool) -> str:  # noqa: FBT001 (it is called back)
    """Return the name of the element that the data after a tag belongs to, or "" if it is not needed.

    A date or headline tag within the text does not begin an element.
    """
    if tag in ("docno", "text") or (tag in _OUTSIDE_TEXT and element not in _WITHIN_TEXT):
        return "" if closing else tag
    if tag == "annotation" and element in _WITHIN_TEXT:
        return "text" if closing else tag
    return element


def without_entities(text: str) -> str:
    """Return a text with each entity, such as ``&amp;``, replaced by its character; bare ampersands stay."""
    return _ENTITY.sub(_entity, text)


def without_comments(text: str) -> str:
    """Return a text without ``<!-- -->`` comments; an unterminated comment is kept. Runs in linear time."""
    *ended, rest = text.split("-->")
    kept = (f"{part.partition('<!--')[0]} " if "<!--" in part else f"{part}-->" for part in ended)
    return "".join([*kept, rest])


def _entity(match: re.Match[str]) -> str:
    # Typesetting codes of news agencies (&LR; &UR; &Cx1f;) print nothing, so a space replaces them.
    is_code = f"{match[1]};" not in html.entities.html5 and _CONTROL_ENTITY.fullmatch(match[1])
    return " " if is_code else html.unescape(match[0])


def is_topics_file(name: str) -> bool:
    """Tell by its name whether a file has the questions of clusters, such as ``duc2006_topics.sgml``.

    The topics of the update task of 2007 are excluded: they name the same clusters as those of the main task.
    """
    match = re.fullmatch(r"(?:.*[^a-z])?topics\.sgml?", name, re.IGNORECASE)
    return match is not None and "update" not in name.lower()
