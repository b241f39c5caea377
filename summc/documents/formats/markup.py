"""Parse HTML and XHTML, and turn trees of elements into paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from summc.documents.decoding import decode, decode_declared
from summc.documents.paragraphs import meant_lines, paragraphs
from summc.system.resources import word_lists

_CHARSET = re.compile(rb"<(?:meta|\?xml)[^<>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
_DECLARED_WITHIN = 4096
_TOO_DEEP = "Excessive depth"  # how libxml2 begins the message that it leaves out the rest of a page


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of elements, by how they divide a tree into paragraphs.

    ``blocks`` begin and end a paragraph, as ``<p>`` does. ``characters`` stand for a character, as ``<br>``
    does. ``left_out`` are skipped with all their text.
    """

    blocks: frozenset[str]
    characters: Mapping[str, str]
    left_out: frozenset[str]


_BLOCKS = frozenset(word_lists()["blocks"])
_NO_TEXT = frozenset(word_lists()["no_text"])

#: For a mail or a book: keeps everything that a reader sees, except navigation.
WHOLE = Vocabulary(_BLOCKS, {"br": "\n"}, _NO_TEXT | {"nav"})
#: For a message of a forum: also leaves out what it quotes.
MESSAGE = Vocabulary(_BLOCKS, {"br": "\n"}, _NO_TEXT | {"nav", "aside", "blockquote"})
#: For a web page on which no article was found: also leaves out elements such as footers and forms.
SITE = Vocabulary(_BLOCKS, {"br": "\n"}, _NO_TEXT | {"nav", "footer", "aside", "form", "dialog", "menu"})


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace, or "" for a node that is an unresolved entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def decode_html(data: bytes, place: str, encoding: str) -> str:
    """Return the text of an HTML file: in ``encoding``, or if that is ``auto``, as the file declares."""
    declared = _CHARSET.search(data[:_DECLARED_WITHIN])
    if declared is None or data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return decode(data, place, encoding)
    return decode_declared(data, place, declared[1].decode("ascii"), encoding)


def parse_html(text: str) -> HtmlElement | None:
    """Return the tree of an HTML text, without comments, or None if the text is empty.

    Too deeply nested elements raise a ValueError.
    """
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        tree = document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:
        tree = None
    if any(entry.message.startswith(_TOO_DEEP) for entry in parser.error_log):
        raise ValueError("its elements are nested too deeply")
    return tree


def tree_paragraphs(root: etree._Element | None, words: Vocabulary) -> list[str]:
    """Return the paragraphs of a tree; each heading, list item and table cell is a paragraph too."""
    if root is None:
        return []
    result: list[str] = []
    line: list[str] = []

    def end(name: str) -> None:
        text = "".join(line)
        result.extend((paragraphs if name == "pre" else meant_lines)(text) if text else ())
        line.clear()

    as_typed = 0  # how many <pre> elements are open; line ends inside them are kept
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name = local_name(element).lower()
        as_typed += (name == "pre") * (1 if event == "start" else -1)
        if event == "start":
            if name in words.blocks:
                end("")
            line.append(words.characters.get(name, ""))
            is_program = name == "pre" and len(element) > 0 and local_name(element[0]).lower() == "code"
            is_hidden = "hidden" in element.attrib or _HIDDEN.search(element.get("style") or "")
            if name in words.left_out or is_program or is_hidden:
                walk.skip_subtree()
            else:
                line.append(_fold(element.text, as_typed))
        else:
            if name in words.blocks:
                end(name)
            if element is not root:
                line.append(_fold(element.tail, as_typed))
    end("")
    return result


def _fold(text: str | None, as_typed: int) -> str:
    return (text or "") if as_typed or not text else re.sub(r"\s+", " ", text)
