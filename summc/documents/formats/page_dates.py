"""Find the date of publication that an HTML page states.

The library htmldate is not used. Even without its extensive search, it takes dates from the headline, the
text or a list of older articles, and a wrong date does more harm than none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml import etree

from summc.documents.formats.markup import WHOLE
from summc.documents.formats.package import local_name
from summc.text.dates import read_stated_date

# A <meta> element has the date of publication if its property, name or itemprop is one of these, in any case.
_PUBLISHED = frozenset((
    "article:published", "article:published_time", "article.published", "bt:pubdate", "citation_date",
    "citation_online_date", "citation_publication_date", "cxenseparse:recs:publishtime", "datepublished",
    "dc.date.issued", "dcterms.issued", "og:article:published_time", "og:published_time",
    "originalpublicationdate", "parsely-pub-date", "pubdate", "publication_date", "publish-date",
    "publish_date", "publishdate", "published_time", "rnews:datepublished", "sailthru.date",
))  # fmt: skip
# The same, but less reliable: these may also mean the day on which the page was generated.
_UNSPECIFIC = frozenset((
    "created", "creation_date", "date", "datecreated", "dc.created", "dc.date", "dc.date.created",
    "dc:created", "dc:date", "dcterms.created", "dcterms.date",
))  # fmt: skip
_NAMED_BY = ("property", "name", "itemprop")
_LINKED_DATA = "application/ld+json"
_ARTICLE_TYPES = ("article", "posting", "report")
_BESIDE = frozenset({"nav", "aside", "footer"})
_MARKS = frozenset({"datepublished", "dt-published", "entry-date", "published"})
#: The most characters of a line that may be a byline. In a longer line, a date is part of the text.
_LONGEST_BYLINE = 80
#: Elements at which a line of text ends.
_LINE_ENDS = WHOLE.blocks | WHOLE.breaks
#: How many <time> elements are examined: the date of an article is among the first.
_MOST_TIMES = 100


def published(tree: etree._Element) -> str:
    """Return the day on which a page says it was published, as 2005-01-08, or "".

    The first of these that has a date is used: metadata about publication, JSON-LD data for search engines,
    less reliable metadata, ``<time>`` elements marked as publication, other ``<time>`` elements.
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
    things = [
        thing
        for script in tree.iter("script")
        if (script.get("type") or "").strip().lower() == _LINKED_DATA
        for thing in _things(_parsed(script.text or ""))
    ]
    for thing in sorted(things, key=lambda thing: not _is_article(thing)):
        if isinstance(date := thing.get("datePublished"), str):
            yield date.strip()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _things(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the top-level objects of JSON-LD data.

    The data may be one object or a list, and an object may have a list of others under ``@graph``.
    """
    for thing in data if isinstance(data, list) else [data]:
        if isinstance(thing, dict):
            yield thing
            graph = thing.get("@graph")
            yield from (each for each in graph if isinstance(each, dict)) if isinstance(graph, list) else ()


def _is_article(thing: dict[str, Any]) -> bool:
    kinds = thing.get("@type")
    return any(
        str(kind).lower().endswith(_ARTICLE_TYPES) for kind in (kinds if isinstance(kinds, list) else [kinds])
    )


def _marked_times(tree: etree._Element) -> Iterator[str]:
    """Yield the text of the ``<time>`` elements that are marked as the time of publication."""
    for element in islice(tree.iter("time"), _MOST_TIMES):
        marks = f"{element.get('class') or ''} {element.get('itemprop') or ''}".lower().split()
        if ("pubdate" in element.attrib or not _MARKS.isdisjoint(marks)) and not _is_beside(element):
            yield _time(element)


def _shown_times(tree: etree._Element) -> list[str]:
    """Return the date that a page shows, as a list of one, or an empty list.

    It is the first ``<time>`` in the article. If the article has none, it is the day on which all ``<time>``
    elements of the page agree. Only times in short lines such as a byline are used.
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
    inline, block = element, element.getparent()
    while block is not None and local_name(block) not in WHOLE.blocks:
        inline, block = block, block.getparent()
    return block is not None and len(_line_with(inline, block)) <= _LONGEST_BYLINE


def _line_with(inline: etree._Element, block: etree._Element) -> str:
    """Return the line of text that contains ``inline``, a child of ``block``.

    Lines end at ``<br>`` and at elements that begin a paragraph.
    """
    line, found = [block.text or ""], False
    for child in block:
        found = found or child is inline
        if local_name(child) in _LINE_ENDS:
            if found:
                break
            line.clear()
        else:
            line.extend(child.itertext())
        line.append(child.tail or "")
    return " ".join("".join(line).split())
