"""News in DUC's SGML.

It is SGML, not XML: ampersands stand bare, elements may stay open, there is no declaration.
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator

from summc.documents.paragraphs import indented_paragraphs

_IS_SGML = re.compile(r"\s*(?:<(?:\?|!)[^>]*>\s*)*<DOC(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|\w{1,31});")
_COMMENT = "<!--", "-->"
_CONTROL_ENTITY = re.compile(r"[A-Z]{2}|Cx[0-9a-f]{2}")


def is_sgml(text: str) -> bool:
    """Tell whether a text is DUC SGML: its first element is ``<DOC>``."""
    return _IS_SGML.match(text) is not None


def read_sgml(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the id (``DOCNO``, or "" where there is none) and the paragraphs of each ``<DOC>``.

    Only what stands in ``<TEXT>`` is text; ``<P>`` begins a paragraph, notes of the wire's editors
    (``<ANNOTATION>``) are left out, other tags are dropped.
    """
    docno, element, inside = "", "", False
    body: list[str] = []
    for closing, tag, data in _events(text):
        if tag == "doc":
            if inside:
                yield docno, _body_paragraphs(body)
            docno, body, element, inside = "", [], "", not closing
        elif tag in ("docno", "text"):
            element = "" if closing else tag
        elif tag == "annotation" and element in ("text", "annotation"):
            element = "text" if closing else tag
        elif tag == "p":
            body.append("\n\n")
        if element == "docno":
            docno = data.strip()
        elif element == "text":
            body.append(data)
    if inside:
        yield docno, _body_paragraphs(body)


def _body_paragraphs(body: list[str]) -> list[str]:
    return indented_paragraphs(without_entities(without_comments("".join(body))))


def without_entities(text: str) -> str:
    """Return a text with its entities as the characters that they stand for; bare ampersands stay."""
    return _ENTITY.sub(_entity, text)


def without_comments(text: str) -> str:
    """Return a text without comments; one that does not end is none. Each place is looked at once."""
    opening, closing = _COMMENT
    kept: list[str] = []
    last = 0
    while (start := text.find(opening, last)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
        kept.append(text[last:start])
        last = end + len(closing)
    return " ".join([*kept, text[last:]])


def _events(text: str) -> Iterator[tuple[bool, str, str]]:
    """Yield each tag (closing or not, name in lower case) with the data that follows it."""
    tags = list(_TAG.finditer(text))
    ends = [*(tag.start() for tag in tags), len(text)][1:]
    for tag, end in zip(tags, ends, strict=True):
        yield tag[1] == "/", tag[2].lower(), text[tag.end() : end]


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    if name.startswith("#"):
        code = int(f"0{name[1:]}", 16) if name[1] in "xX" else int(name[1:])
        return chr(code) if 32 <= code < 0x110000 and not 0xD800 <= code < 0xE000 else " "  # noqa: PLR2004
    known = html.entities.html5.get(f"{name};")
    if known:
        return known
    # Typesetting marks of the wires (&LR; &UR; &Cx1f;) stand where a reader sees nothing.
    return " " if _CONTROL_ENTITY.fullmatch(name) else match[0]
