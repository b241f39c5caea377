"""Put documents in the order of their dates."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from summc.records import Cluster, Document
from summc.text.dates import date_of, dates_in

log = logging.getLogger("summc")


def with_dates(cluster: Cluster) -> Cluster:
    """Return a cluster in which each document without a date has the date in its name or its first lines."""
    documents = (replace(d, date=d.date or date_of(d, cluster.language)) for d in cluster.documents)
    return replace(cluster, documents=tuple(documents))


def in_order_of_dates(cluster: Cluster) -> Cluster:
    """Return a cluster with its documents dated and sorted by date; documents of one day keep their order.

    If only some documents have a date, an undated document is sorted by the latest date in its text that lies
    between the first and the last known date. If its text has no such date, the document is sorted by the
    date of the last dated document before it in the given order, or comes first if there is none. A warning
    says how undated documents were placed. If no document has a date, the given order stays.
    """
    language = cluster.language
    dated = list(with_dates(cluster).documents)
    known = [document.date for document in dated if document.date]
    if known:
        mentioned = [_latest_mention(d, language, min(known), max(known)) for d in dated]
        assumed = _assumed(dated, mentioned)
        _warn_of_undated(cluster.id, dated, mentioned)
        dated = [dated[i] for i in sorted(range(len(dated)), key=assumed.__getitem__)]
    return replace(cluster, documents=tuple(_numbered(d, n) for n, d in enumerate(dated)))


def _assumed(documents: Sequence[Document], mentioned: Sequence[str]) -> list[str]:
    """Return the date by which each document is sorted, or "" to put it first.

    It is the document's own date, or else the date that its text mentions (``mentioned``), or else the date
    of the last dated document before it.
    """
    assumed: list[str] = []
    before = ""
    for document, mention in zip(documents, mentioned, strict=True):
        before = document.date or before
        assumed.append(document.date or mention or before)
    return assumed


def _latest_mention(document: Document, language: str, earliest: str, latest: str) -> str:
    """Return the latest date in the text of an undated document from ``earliest`` to ``latest``, or ""."""
    if document.date:
        return ""
    texts = (sentence.text for sentence in document.sentences)
    within = (date for text in texts for date in dates_in(text, language) if earliest <= date <= latest)
    return max(within, default="")


def _warn_of_undated(cluster: str, documents: Sequence[Document], mentioned: Sequence[str]) -> None:
    undated = [document.id for document in documents if not document.date]
    if not undated:
        return
    by_text = sum(map(bool, mentioned))
    placed = {
        "by the latest date in the text": by_text,
        "as in the order given": len(undated) - by_text,
    }
    ways = [way if count == len(undated) else f"{count} {way}" for way, count in placed.items() if count]
    have, first = ("has", undated[0]) if len(undated) == 1 else ("have", f"the first is {undated[0]}")
    problem = f"{len(undated)} of {len(documents)} documents {have} no date ({first})"
    log.warning("%s: %s; placed %s", cluster, problem, ", ".join(ways))


def _numbered(document: Document, number: int) -> Document:
    if not document.sentences or document.sentences[0].document == number:
        return document
    sentences = tuple(replace(sentence, document=number) for sentence in document.sentences)
    return replace(document, sentences=sentences)
