"""Read the article of an HTML page with trafilatura, and the date of publication that the page states.

The library htmldate is not used for the date. Even without its extensive search, it takes dates from the
headline, the text or a list of older articles, and a wrong date does more harm than none.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lxml import etree
from trafilatura import bare_extraction
from trafilatura.settings import Document

from summc.documents.decoding import decode_html
from summc.documents.formats.markup import parse_html, tree_text
from summc.documents.paragraphs import paragraphs
from summc.documents.raw import FORMULA, HEADING, PARAGRAPH, Block, Content
from summc.system.resources import word_lists
from summc.text.dates import read_stated_date

_LISTING = "listing"  # summc's name for an element with code on its own lines, not within a sentence
_LANGUAGE = frozenset({"content-language"})
# For an article of fewer characters, trafilatura falls back on plain text without paragraph markup, which is
# not trusted. Line ends inside a paragraph also show that it did so.
_TRUSTED = 250
# Classes and ids of elements around an article, such as a cookie banner; they are left out.
_AROUND = re.compile(r"cookie|consent|gdpr|breadcrumb|newsletter|sidebar|\badvert", re.IGNORECASE)


_SHOWN = ("p", "h1", "h2", "h3", "h4", "h5", "h6")
_BESIDE_TEXT = ("nav", "footer", "aside", "form", "dialog", "menu")
_TITLES = frozenset({"og:title", "twitter:title"})
_SITE_NAME = re.compile(r"\s[|\u00b7\u2013\u2014-]\s[^|\u00b7]{1,40}$")


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the paragraphs of the article of an HTML page, with its date and language.

    If trafilatura finds no article that can be trusted, all of the page but menus and the like is returned.
    """
    text = decode_html(data, place, encoding)
    tree = parse_html(text)
    _without_marks(tree)
    stated: dict[str, Any] = {
        "date": published(tree),
        "language": _stated_language(tree),
        "title": _title(tree),
    }
    shown = [
        (element.tag != "p", " ".join("".join(element.itertext()).split())) for element in tree.iter(*_SHOWN)
    ]
    article = bare_extraction(tree, include_comments=False)
    texts: list[str] = []
    if isinstance(article, Document):
        body = article.body
        for code in list(body.iter("code")):
            if code.getparent() is body or "\n" in "".join(code.itertext()).strip():
                code.tag = _LISTING
        texts = paragraphs(tree_text(body, "graphic", _LISTING))
        has_lines = any(not len(block) and "\n" in (block.text or "").strip() for block in body.iter("p"))
        if len("".join(body.itertext())) >= _TRUSTED and not has_lines:
            return _content(texts, shown, stated)
    whole = _whole(text)
    # Some pages have their text only in the data of a script. trafilatura finds it there, so that its article
    # is much longer than the visible page.
    longer = texts if len("".join(texts)) > 2 * len("".join(whole)) else whole
    return _content(longer, shown, stated)


def _content(texts: Sequence[str], shown: Sequence[tuple[bool, str]], stated: Mapping[str, Any]) -> Content:
    """Return the paragraphs of an article, with the headings that stand among them in the page.

    trafilatura leaves out the headings of many pages. ``shown`` has the headings and paragraphs of the page,
    each with whether it is a heading.
    """
    headings, above = {text for is_heading, text in shown if is_heading}, dict[str, list[str]]()
    of_article, last, is_within = set(texts), list[str](), False
    for is_heading, text in shown:
        if is_heading:
            last.append(text)
            continue
        if is_within and text in of_article:
            above.setdefault(text, [heading for heading in last if heading not in of_article])
        last, is_within = [], text in of_article
    blocks = list[Block]()
    for text in texts:
        blocks += (Block(heading, HEADING) for heading in above.pop(text, ()))
        blocks.append(Block(text, HEADING if text in headings else PARAGRAPH))
    return Content(blocks, knows_headings=bool(headings), **stated)


def _without_marks(tree: etree._Element) -> None:
    """Put a sign in the place of each formula: without it, the rest of the sentence would read on.

    The numbers of notes, and links for editing a section, are removed.
    """
    notes = "//sup[contains(@class, 'reference') or contains(@class, 'footnote')]"
    for mark in tree.xpath(f"{notes} | //span[a[contains(@href, 'action=edit')]]"):
        mark.drop_tree()
    for element in tree.xpath(r"//math | //img[contains(@alt, '\') or contains(@class, 'math')]"):
        element.clear(keep_tail=True)
        element.tag, element.text = "span", FORMULA


def _title(tree: etree._Element) -> str:
    """Return the only main heading of a page, or the title that it states, without the name of its site."""
    headings = ["".join(heading.itertext()).strip() for heading in tree.xpath("//h1")]
    stated = [*_meta(tree, _TITLES), *(_SITE_NAME.sub("", title) for title in tree.xpath("//title/text()"))]
    return next(filter(None, headings + stated if len(headings) == 1 else stated + headings), "")


def _stated_language(tree: etree._Element) -> str:
    """Return the language that a page states in a ``lang`` attribute or a ``<meta>`` element, or ""."""
    attributes = (element.get("lang") for element in tree.iter("html", "body"))
    return next(filter(None, (*attributes, *_meta(tree, _LANGUAGE))), "")


def _whole(text: str) -> list[str]:
    """Return the paragraphs of a page, without parts such as menus, footers and cookie banners.

    If the page has one ``<article>``, or no ``<article>`` and one ``<main>``, only that element is read.
    """
    tree = parse_html(text)
    _without_marks(tree)
    for element in tree.xpath("//body//*[not(self::article or self::main)][@class or @id]"):
        if _AROUND.search(f"{element.get('class', '')} {element.get('id', '')}"):
            element.tag = "nav"
    marked = tree.xpath("//article") or tree.xpath("//main")
    around = marked if len(marked) == 1 else []
    return next(filter(None, (paragraphs(tree_text(root, *_BESIDE_TEXT)) for root in (*around, tree))), [])


# The date

# A <meta> element has the date of publication if its property, name or itemprop is one of these, in any case.
_PUBLISHED = frozenset(word_lists()["published"])
# The same, but less reliable: these may also mean the day on which the page was generated.
_UNSPECIFIC = frozenset(word_lists()["published_or_made"])
_NAMED_BY = ("property", "name", "itemprop", "http-equiv")
_LINKED_DATA = "//script[@type='application/ld+json']/text()"
_ARTICLE_TYPE = re.compile(r'(?:article|posting|report)"', re.IGNORECASE)
_BESIDE = ("nav", "aside", "footer")
#: The most characters around a <time> in a byline. In a longer line, a date is part of the text.
_LONGEST_BYLINE = 80
#: How many <time> elements are examined: the date of an article is among the first.
_MOST_TIMES = 100


def published(tree: etree._Element) -> str:
    """Return the day on which a page says it was published, as 2005-01-08, or "".

    Metadata are preferred to JSON-LD data, and both to ``<time>`` elements.
    """
    sources = (_meta(tree, _PUBLISHED), _linked_data(tree), _meta(tree, _UNSPECIFIC), _times(tree))
    stated = (read_stated_date(text.strip()) for source in sources for text in source)
    return next(filter(None, stated), "")


def _meta(tree: etree._Element, names: frozenset[str]) -> Iterator[str]:
    for element in tree.iter("meta"):
        if any((element.get(key) or "").strip().lower() in names for key in _NAMED_BY):
            yield element.get("content") or ""


def _linked_data(tree: etree._Element) -> list[str]:
    """Return the dates of publication in the JSON-LD data of a page, those of articles first.

    Only top-level objects are read, because objects inside them may be other articles that the page lists.
    """
    objects: list[dict[str, Any]] = []
    for text in tree.xpath(_LINKED_DATA):
        with contextlib.suppress(ValueError, RecursionError):
            top = _objects(json.loads(text))
            objects += itertools.chain(top, *(_objects(item.get("@graph")) for item in top))
    dated = [item for item in objects if isinstance(item.get("datePublished"), str)]
    dated.sort(key=lambda item: not _ARTICLE_TYPE.search(json.dumps(item.get("@type"))))
    return [item["datePublished"] for item in dated]


def _objects(data: Any) -> list[dict[str, Any]]:
    return [item for item in (data if isinstance(data, list) else [data]) if isinstance(item, dict)]


def _times(tree: etree._Element) -> Iterator[str]:
    """Yield the date of the first ``<time>`` in the article, or else that on which all bylines agree."""
    some = itertools.islice(tree.iter("time"), _MOST_TIMES)
    times = [element for element in some if next(element.iterancestors(*_BESIDE), None) is None]
    bylines = [element for element in times if len("".join(element.xpath("../text()"))) <= _LONGEST_BYLINE]
    article = next(tree.iter("article"), None)
    within = [_time(element) for element in bylines if article in element.iterancestors("article")]
    days = {read_stated_date(_time(element)) for element in bylines}
    yield from within[:1] or (days if len(days) == 1 else ())


def _time(element: etree._Element) -> str:
    return (element.get("datetime") or "".join(element.itertext())).strip()
