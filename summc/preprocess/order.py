"""Put documents in the order of their dates, and cut off datelines such as "HANOI, Vietnam (AP) _"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

import regex

from summc.records import Cluster, Document
from summc.system.logs import log
from summc.text.dates import date_of, dates_in
from summc.text.numbers import count_words

#: A dateline is looked for in this many sentences at the start of a document, because headlines, a date, the
#: names of writers and a list of the main points may come before it.
_FRONT = 8
_PLACE = r"""\p{Lu}{2}[\p{Lu}.'\ -]{1,30} (?:,\ [\p{L}.'\ ]{2,25})?"""
_LONG = "\N{EN DASH}\N{EM DASH}"
_DASH = rf"(?:--|[{_LONG}])"
_END = rf"(?:_|--?|[{_LONG}]|:)"
_NAME = r"\p{Lu}[\p{L}\p{M}.'\u2019\ -]{2,25}?"
_DAY = r"(?:\p{L}{3,9}\.?\ \d{1,2}|\d{1,2}\.?\ \p{L}{3,9})"
_BARE_NAME = r"[\p{Lo}\p{M}]{2,12}(?:\ [\p{Lo}\p{M}]{2,12})?"  # a name in a script without capital letters
# After the dateline, the text must begin as a sentence does, so that "The African Union (AU) -- which ..." is
# not cut.
_DATELINE = regex.compile(
    rf"""(?x)
    (?: \p{{Lu}}[^?!"“]{{0,60}}? \(\p{{Lu}}[\p{{L}}.\ /]{{1,25}}\) \s* {_END}   # HANOI, Vietnam (AP) _
      | (?:{_PLACE}|{_NAME}) ,\ {_DAY} ,?\ (?:19|20)\d\d \s* {_END}            # MEDRIN, May 15, 2031 -
      | {_PLACE} ,\ \p{{L}}{{3,9}}\.?\ \d{{1,2}} \s* {_END}                     # MEDRIN, May 15:
      | \p{{Lu}}\p{{L}}{{3,12}} ,\ {_DAY} \s+ (?:{_DASH}|-)                        # Friday, May 15 -
      | {_PLACE} \s* (?: _ | {_DASH} (?!.*\s{_DASH}\s) )                                 # WASHINGTON _
      | {_PLACE} \s - (?!.*\s(?:{_DASH}|-)\s)                                 # PORT LANNICK -
    ) (?:\s+|(?<=_)) (?=["“'`]*[\p{{Lu}}\p{{Lo}}\p{{N}}])
    | {_NAME},\ {_NAME} \s (?:{_DASH}|-) \s+ (?=\p{{Lu}}) (?!.*\s(?:{_DASH}|-)\s)          # London, England —
    | {_BARE_NAME}\ ?[,،]\ {_BARE_NAME} \s {_DASH} \s+ (?=\p{{Lo}}) (?!.*\s{_DASH}\s)     # the same in Arabic
    | \p{{L}}+,\ \p{{L}}+\ \d{{1,2}},\ (?:19|20)\d\d \s* (?=\p{{Lu}}\p{{Ll}})   # Tuesday, January 18, 2005
    | \p{{L}}+,\ \d{{1,2}}\.?\ \p{{L}}{{3,}}\ (?:19|20)\d\d \s+ (?=\p{{Lu}}\p{{Ll}})  # Sobota, 6. března 2005
    | (?:19|20)\d\d/\d\d/\d\d \s+ (?=\p{{Lu}})                                           # 2005/01/08
    """
)


def cut_datelines(cluster: Cluster) -> Cluster:
    """Return the cluster with the datelines cut from its sentences; cut words no longer count as length.

    A sentence keeps its kind, which was found when the document was read.
    """
    documents = list(cluster.documents)
    for i, document in enumerate(documents):
        cut_sentence = None
        for sentence in document.sentences[:_FRONT]:
            match = _DATELINE.match(sentence.text)
            # A headline such as "URGENT - Dam breaks" looks like a dateline, but so may a sentence below it.
            if match and (cut_sentence is None or sentence.is_running):
                words = count_words(sentence.text[match.end() :])
                cut_sentence = sentence.part(match.end(), len(sentence.text), words)
                if sentence.is_running:
                    break
        if cut_sentence:
            sentences = list(document.sentences)
            sentences[cut_sentence.position] = cut_sentence
            documents[i] = replace(document, sentences=tuple(sentences))
    return replace(cluster, documents=tuple(documents))


def with_dates(cluster: Cluster) -> Cluster:
    """Return a cluster in which each document without a date has the date in its name or its first lines."""
    documents = list(cluster.documents)
    for i, document in enumerate(documents):
        documents[i] = replace(document, date=document.date or date_of(document, cluster.language))
    return replace(cluster, documents=tuple(documents))


def in_order_of_dates(cluster: Cluster) -> Cluster:
    """Return a cluster with its documents dated and sorted by date; documents of one day keep their order.

    If only some documents have a date, an undated document is sorted by the latest date in its text that lies
    between the first and the last known date. If its text has no such date, the document is sorted by the
    date of the last dated document before it in the given order, or comes first if there is none. A warning
    says how undated documents were placed. If no document has a date, the given order stays.
    """
    documents = with_dates(cluster).documents
    dates = list(map(attrgetter("date"), documents))
    if any(dates) and not all(dates):
        dates = _assumed(cluster, documents)
    ordered = map(documents.__getitem__, sorted(range(len(dates)), key=dates.__getitem__))
    return replace(cluster, documents=tuple(numbered(ordered)))


def _assumed(cluster: Cluster, documents: Sequence[Document]) -> list[str]:
    """Return the date by which each document is sorted, or "" to put it first, and warn of undated ones."""
    dates = [document.date for document in documents if document.date]
    undated = [document.id for document in documents if not document.date]
    assumed, before = list[str](), ""
    for document in documents:
        before = date = document.date or before
        if not document.date:
            in_text = (date for s in document.sentences for date in dates_in(s.text, cluster.language))
            date = max((date for date in in_text if min(dates) <= date <= max(dates)), default=before)
        assumed.append(date)
    problem = f"{len(undated)} of {len(documents)} documents with no date (the first is {undated[0]})"
    log.warning("%s: %s; placed by the latest date in the text, or as given", cluster.id, problem)
    return assumed


def numbered(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield documents whose sentences have the number of the document in this order."""
    for number, document in enumerate(documents):
        if document.sentences and document.sentences[0].document != number:
            sentences = map(partial(replace, document=number), document.sentences)
            yield replace(document, sentences=tuple(sentences))
        else:
            yield document
