"""Cut off datelines, such as "HANOI, Vietnam (AP) _", because they are not part of the first sentence."""

from __future__ import annotations

import dataclasses

import regex

from summc.preprocess.candidates import ends_as_sentence
from summc.records import Cluster, Document
from summc.text.lengths import count_words

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
    rf"""
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
    """,
    regex.VERBOSE,
)


def cut_datelines(cluster: Cluster) -> Cluster:
    """Return the cluster with the datelines cut from its sentences; cut words no longer count as length."""
    return dataclasses.replace(cluster, documents=tuple(_cut(document) for document in cluster.documents))


def _cut(document: Document) -> Document:
    sentences = list(document.sentences)
    found = [(i, match) for i, s in enumerate(sentences[:_FRONT]) if (match := _DATELINE.match(s.text))]
    if not found:
        return document
    # A headline such as "URGENT - Dam breaks" looks like a dateline, but does not end as a sentence does.
    whole = [each for each in found if ends_as_sentence(sentences[each[0]].text)]
    i, match = (whole or found)[0]
    text = sentences[i].text[match.end() :]
    sentences[i] = dataclasses.replace(sentences[i], text=text, words=count_words(text))
    return dataclasses.replace(document, sentences=tuple(sentences))
