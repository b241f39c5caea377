"""Run the article of an HTML page with trafilatura."""

from __future__ import annotations

import re

from lxml import etree
from trafilatura import bare_extraction
from trafilatura.settings import Document

from summc.documents.formats.markup import SITE, Vocabulary, decode_html, parse_html, tree_paragraphs
from summc.documents.formats.package import attribute
from summc.documents.formats.page_dates import published
from summc.documents.raw import Content

_LISTING = "listing"  # summc's name for an element with code on its own lines, not within a sentence
# How the elements in the trees of trafilatura divide a text into paragraphs.
_ARTICLE = Vocabulary(
    blocks=frozenset(
        {"body", "cell", "head", "item", "list", "p", "quote", "row", "table", "fw", "ab", "div"}
    ),
    breaks=frozenset({"lb"}),
    left_out=frozenset({"graphic", _LISTING}),
)


# For an article of fewer characters, trafilatura falls back on plain text without paragraph markup, which is
# not trusted. Line ends inside a paragraph also show that it did so.
_TRUSTED = 250
# Classes and ids of elements around an article, such as a cookie banner; they are left out.
_AROUND = re.compile(r"cookie|consent|gdpr|breadcrumb|newsletter|sidebar|\badvert", re.IGNORECASE)


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the content of an HTML page: the paragraphs of its article, with its date and language.

    If trafilatura finds no article that can be trusted, all paragraphs of the page are returned, except parts
    such as menus and footers. ``place`` is the path of the file for messages. ``encoding`` is used instead of
    the one that the page states, unless it begins with "auto".
    """
    text = decode_html(data, place, encoding)
    tree = parse_html(text)
    if tree is None:
        return Content([])
    date, language = published(tree), _stated_language(tree)
    article = bare_extraction(tree, include_comments=False)
    found = _article(article.body) if isinstance(article, Document) else []
    if isinstance(article, Document) and _is_trusted(article.body):
        return Content(found, date=date, language=language)
    whole = _whole(text)
    # Some pages have their text only in the data of a script. trafilatura finds it there, so that its article
    # is much longer than the visible page.
    longer = found if len("".join(found)) > 2 * len("".join(whole)) else whole
    return Content(longer, date=date, language=language)


def _stated_language(tree: etree._Element) -> str:
    """Return the language that a page states in a ``lang`` attribute or a ``<meta>`` element, or ""."""
    for element in tree.iter("html", "body"):
        if language := attribute(element, "lang"):
            return language
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").lower() == "content-language":
            return meta.get("content") or ""
    return ""


def _is_trusted(body: etree._Element) -> bool:
    has_lines = any(not len(element) and "\n" in (element.text or "").strip() for element in body.iter("p"))
    return len("".join(body.itertext())) >= _TRUSTED and not has_lines


def _article(body: etree._Element) -> list[str]:
    for code in body.xpath("./code | .//code[contains(., '\n')]"):
        code.tag = _LISTING
    return tree_paragraphs(body, _ARTICLE)


def _whole(text: str) -> list[str]:
    """Return the paragraphs of a page, without parts such as menus, footers and cookie banners.

    If the page has one ``<article>``, or no ``<article>`` and one ``<main>``, only that element is read.
    """
    tree = parse_html(text)
    if tree is None:
        return []
    for element in tree.xpath("//body//*[not(self::article or self::main)][@class or @id]"):
        if _AROUND.search(f"{element.get('class', '')} {element.get('id', '')}"):
            element.tag = "nav"
    marked = tree.xpath("//article") or tree.xpath("//main")
    return (tree_paragraphs(marked[0], SITE) if len(marked) == 1 else []) or tree_paragraphs(tree, SITE)
