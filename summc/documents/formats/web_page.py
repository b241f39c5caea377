"""Read the article of an HTML page with trafilatura, and the date of publication that the page states.

The library htmldate is not used for the date. Even without its extensive search, it takes dates from the
headline, the text or a list of older articles, and a wrong date does more harm than none.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml import etree
from trafilatura import bare_extraction
from trafilatura.settings import Document

from summc.documents.formats.markup import (
    SITE,
    WHOLE,
    Vocabulary,
    attribute,
    decode_html,
    local_name,
    parse_html,
    tree_paragraphs,
)
from summc.documents.raw import Content
from summc.system.resources import word_lists
from summc.text.dates import read_stated_date

_LISTING = "listing"  # summc's name for an element with code on its own lines, not within a sentence
# How the elements in the trees of trafilatura divide a text into paragraphs.
_ARTICLE = Vocabulary(
    blocks=frozenset(
        {"body", "cell", "head", "item", "list", "p", "quote", "row", "table", "fw", "ab", "div"}
    ),
    characters={"lb": "\n"},
    left_out=frozenset({"graphic", _LISTING}),
)


# For an article of fewer characters, trafilatura falls back on plain text without paragraph markup, which is
# not trusted. Line ends inside a paragraph also show that it did so.
_TRUSTED = 250
# Classes and ids of elements around an article, such as a cookie banner; they are left out.
_AROUND = re.compile(r"cookie|consent|gdpr|breadcrumb|newsletter|sidebar|\badvert", re.IGNORECASE)


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the paragraphs of the article of an HTML page, with its date and language.

    If trafilatura finds no article that can be trusted, all of the page but menus and the like is returned.
    """
    text = decode_html(data, place, encoding)
    tree = parse_html(text)
    if tree is None:
        return Content([])
    date, language = published(tree), _stated_language(tree)
    article = bare_extraction(tree, include_comments=False)
    found: list[str] = []
    if isinstance(article, Document):
        body = article.body
        for code in body.xpath("./code | .//code[contains(., '\n')]"):
            code.tag = _LISTING
        found = tree_paragraphs(body, _ARTICLE)
        has_lines = any(not len(each) and "\n" in (each.text or "").strip() for each in body.iter("p"))
        if len("".join(body.itertext())) >= _TRUSTED and not has_lines:
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


# The date

# A <meta> element has the date of publication if its property, name or itemprop is one of these, in any case.
_PUBLISHED = frozenset(word_lists()["published"])
# The same, but less reliable: these may also mean the day on which the page was generated.
_UNSPECIFIC = frozenset(word_lists()["published_or_made"])
_NAMED_BY = ("property", "name", "itemprop")
_LINKED_DATA = "application/ld+json"
_ARTICLE_TYPES = ("article", "posting", "report")
_BESIDE = frozenset({"nav", "aside", "footer"})
_MARKS = frozenset({"datepublished", "dt-published", "entry-date", "published"})
#: The most characters of a line that may be a byline. In a longer line, a date is part of the text.
_LONGEST_BYLINE = 80
#: How many <time> elements are examined: the date of an article is among the first.
_MOST_TIMES = 100


def published(tree: etree._Element) -> str:
    """Return the day on which a page says it was published, as 2005-01-08, or "".

    Metadata are preferred to JSON-LD data, and both to ``<time>`` elements.
    """
    sources = (
        _meta(tree, _PUBLISHED),
        _linked_data(tree),
        _meta(tree, _UNSPECIFIC),
        _marked_times(tree),
        _shown_times(tree),
    )
    return next((date for source in sources for text in source if (date := read_stated_date(text))), "")


def _meta(tree: etree._Element, names: frozenset[str]) -> Iterator[str]:
    for element in tree.iter("meta"):
        if any((element.get(key) or "").strip().lower() in names for key in _NAMED_BY):
            yield (element.get("content") or "").strip()


def _linked_data(tree: etree._Element) -> Iterator[str]:
    """Yield the dates of publication in the JSON-LD data of a page, those of articles first.

    Only top-level objects are read, because objects inside them may be other articles that the page lists.
    """
    things: list[Any] = []
    for script in tree.iter("script"):
        if (script.get("type") or "").strip().lower() == _LINKED_DATA:
            with contextlib.suppress(ValueError, RecursionError):
                data = json.loads(script.text or "")
                for top in data if isinstance(data, list) else [data]:
                    graph = top.get("@graph") if isinstance(top, dict) else None
                    things += [top, *(graph if isinstance(graph, list) else ())]
    objects = [thing for thing in things if isinstance(thing, dict)]
    for thing in sorted(objects, key=lambda thing: not _is_article(thing)):
        if isinstance(date := thing.get("datePublished"), str):
            yield date.strip()


def _is_article(thing: dict[str, Any]) -> bool:
    kinds = json.dumps(thing.get("@type")).lower()
    return any(f'{kind}"' in kinds for kind in _ARTICLE_TYPES)


def _marked_times(tree: etree._Element) -> Iterator[str]:
    """Yield the text of the ``<time>`` elements that are marked as the time of publication."""
    for element in islice(tree.iter("time"), _MOST_TIMES):
        marks = f"{element.get('class') or ''} {element.get('itemprop') or ''}".lower().split()
        if ("pubdate" in element.attrib or not _MARKS.isdisjoint(marks)) and not _is_beside(element):
            yield _time(element)


def _shown_times(tree: etree._Element) -> list[str]:
    """Return the date that a page shows in a short line such as a byline, as a list of one, or nothing.

    It is the first ``<time>`` in the article, or else the day on which all of the page agree.
    """
    some = islice(tree.iter("time"), _MOST_TIMES)
    times = [element for element in some if not _is_beside(element) and _is_byline(element)]
    article = next(tree.iter("article"), None)
    within = [element for element in times if article in element.iterancestors("article")]
    if within:
        return [_time(within[0])]
    days = {read_stated_date(_time(element)) for element in times}
    return list(days) if len(days) == 1 else []


def _time(element: etree._Element) -> str:
    return (element.get("datetime") or "".join(element.itertext())).strip()


def _is_beside(element: etree._Element) -> bool:
    return any(local_name(above) in _BESIDE for above in element.iterancestors())


def _is_byline(element: etree._Element) -> bool:
    """Tell whether a ``<time>`` is in a short line such as a byline, not in a sentence ("On July 7 ...")."""
    block = next((each for each in element.iterancestors() if local_name(each) in WHOLE.blocks), None)
    own = [block.text or "", *(_inline(child) for child in block)] if block is not None else []
    return 0 < len(" ".join("".join(own).split())) <= _LONGEST_BYLINE


def _inline(child: etree._Element) -> str:
    """Return the text of an element within a line, and the text after it."""
    return ("" if local_name(child) in WHOLE.blocks else "".join(child.itertext())) + (child.tail or "")
