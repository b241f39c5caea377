"""Parse HTML and XHTML, and turn trees of elements into plain text."""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from summc.system.resources import word_lists

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
_TOO_DEEP = "Excessive depth"  # how libxml2 begins the message that it leaves out the rest of a page


#: Elements that begin and end a paragraph, in HTML and in the trees of trafilatura.
_BLOCKS = frozenset(word_lists()["blocks"] + word_lists()["article_blocks"])
_LINE_END = {("start", "br"): "\n", ("start", "lb"): "\n"}
_NO_TEXT = frozenset(word_lists()["no_text"])


def parse_html(text: str) -> HtmlElement:
    """Return the tree of an HTML text without comments; too deeply nested elements raise a ValueError."""
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        tree = document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # the text is empty
        tree = document_fromstring("<html></html>")
    if any(entry.message.startswith(_TOO_DEEP) for entry in parser.error_log):
        raise ValueError("its elements are nested too deeply")
    return tree


def tree_text(root: etree._Element, *left_out: str) -> str:
    """Return the text of a tree, without what a reader does not see and the elements ``left_out``.

    Blank lines stand around each paragraph, heading, list item and table cell.
    """
    pieces: list[str] = []
    as_typed = 0  # how many <pre> elements are open; line ends inside them are kept
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name, text = element.tag, element.tail if element is not root else ""
        if event == "start":
            is_program = name == "pre" and len(element) > 0 and element[0].tag == "code"
            is_hidden = "hidden" in element.attrib or _HIDDEN.search(element.get("style") or "")
            is_left_out = name in _NO_TEXT or name in left_out or is_program or is_hidden
            text = "" if is_left_out else element.text
            if is_left_out:
                walk.skip_subtree()
        as_typed += (name == "pre") * (1 if event == "start" else -1)
        pieces.append("\n\n" if name in _BLOCKS else _LINE_END.get((event, name), ""))
        pieces.append(text or "" if as_typed else re.sub(r"\s+", " ", text or ""))
    return "".join(pieces)
