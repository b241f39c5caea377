"""Extract what the writer of an HTML mail wrote, without quotations of earlier mails."""

from __future__ import annotations

from lxml.html import HtmlElement

from summc.documents.formats.mail_text import without_quotes
from summc.documents.formats.markup import WHOLE, parse_html, tree_paragraphs
from summc.documents.paragraphs import paragraphs

# The marks of quotations and signatures in Gmail, Thunderbird, Apple Mail, Yahoo and Outlook on the web.
_QUOTED = (
    "//blockquote[@type='cite']",
    "//*[contains(concat(' ', @class, ' '), ' gmail_quote ')]",
    "//*[contains(concat(' ', @class, ' '), ' gmail_signature ')]",
    "//*[contains(concat(' ', @class, ' '), ' gmail_attr ')]",
    "//*[contains(concat(' ', @class, ' '), ' moz-cite-prefix ')]",
    "//*[contains(concat(' ', @class, ' '), ' moz-signature ')]",
    "//*[contains(concat(' ', @class, ' '), ' yahoo_quoted ')]",
    "//*[@id='divRplyFwdMsg' or @id='appendonsend']/following-sibling::*",
    "//*[@id='divRplyFwdMsg']",
)
_FORWARDED = "-- Forwarded message --"


def written_html(text: str) -> list[str]:
    """Return the paragraphs that the writer of an HTML mail wrote; a forwarded mail is kept whole."""
    tree = parse_html(text)
    if tree is None:
        return []
    forwarded = _FORWARDED in "".join(tree.itertext())
    for path in () if forwarded else _QUOTED:
        for element in tree.xpath(path):
            _remove(element)
    found = tree_paragraphs(tree, WHOLE)
    return paragraphs(without_quotes("\n\n".join(found)))


def _remove(element: HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()
