"""Run what the sender of an HTML mail wrote, without quotations of earlier mails and signatures."""

from __future__ import annotations

from lxml.html import HtmlElement

from summc.documents.formats.mail_text import without_quotes
from summc.documents.formats.markup import WHOLE, parse_html, tree_paragraphs
from summc.documents.paragraphs import paragraphs

# XPaths of the elements in which Gmail, Thunderbird, Apple Mail, Yahoo and Outlook on the web put quotations
# and signatures.
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
    """Return the paragraphs that the sender of an HTML mail wrote, without quotations and signatures.

    If the mail contains a forwarded mail, no quoted elements are removed, because the forwarded mail is in
    one of them.
    """
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
