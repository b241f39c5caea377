"""The units whose words are counted: the documents of a cluster, or the sections of a single long document.

Weights depend on how many documents contain a word. In a cluster of one document that says nothing, so the
sections of the document are counted instead: a word that occurs in many sections is a topic of the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from summc.records import Floats, Small, TokenizedCluster
from summc.text.structure import Section, sections_of

#: A single document with fewer whole sentences is not split into sections.
_LONG = 24
#: A section with fewer whole sentences is joined to the section before it, unless its kind is a key of
#: ``_SUMMED_UP`` (abstract, introduction, conclusion).
_LEAST = 4
#: A section with more whole sentences is cut into units of about equal length, each at most this long.
_MOST = 30
# The rank of a sentence says how late it comes; sentences of low rank count more. The tables below give, for
# each kind of section, the rank of its first sentence and the step from each sentence to the next. The first
# section of a document always begins at rank 0. The values for documents with an abstract were tuned with
# ROUGE on 13 papers that have people's summaries. The values for documents without one were set by judgement.

#: In a document without an abstract, every section begins with its main points, so its first rank is low.
_OPEN = {"conclusion": (0.5, 0.5)}
_OTHERS_OPEN = (1.0, 1.0)
#: In a document with an abstract, most sections repeat what the abstract says, so their ranks are high.
_SUMMED_UP = {"abstract": (0.0, 0.3), "introduction": (0.5, 0.5), "conclusion": (4.0, 0.5)}
_OTHERS_SUMMED_UP = (60.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """For each of N sentences, the unit (document or section) that it is in, and how late it comes there.

    Attributes:
        name: what a unit is, "document" or "section".
        size: D, the number of units.
        unit: the index of the unit of each sentence, from 0 to D - 1, shape (N,).
        place: the number of whole sentences before each sentence in its unit, shape (N,).
        rank: a number from 0 that is larger for later sentences, shape (N,). Words in sentences of low rank
            get more weight. If units are documents, the rank equals ``place``. If units are sections, it
            also depends on the kind of section.
    """

    name: str
    size: int
    unit: Small
    place: Small
    rank: Floats


def units_of(tokenized: TokenizedCluster, whole: frozenset[int]) -> Units:
    """Return the units of a cluster: its documents, or the sections of a single long document.

    ``whole`` has the indices of the whole sentences, which are not headlines, dates or captions.
    """
    documents = tokenized.cluster.documents
    if len(documents) == 1 and len(whole) >= _LONG:
        return _of_sections(list(_joined(sections_of(documents[0]), whole)), whole)
    unit = np.array([s.document for s in tokenized.cluster.sentences], dtype=np.int32)
    place = _places(unit, whole)
    return Units("document", len(documents), unit, place, place.astype(np.float64))


def _joined(sections: Iterable[Section], whole: frozenset[int]) -> Iterator[Section]:
    """Yield the sections of a document, with small sections (see ``_LEAST``) joined to those before them.

    If the first section has no whole sentence, it is joined to the second. ``whole`` has the indices of the
    whole sentences.
    """
    open_: Section | None = None
    for section in sections:
        size = _count(section, whole)
        if open_ is None:
            open_ = section
        elif _count(open_, whole) == 0:
            open_ = replace(section, start=open_.start)
        elif size == 0 or (size < _LEAST and section.kind not in _SUMMED_UP):
            open_ = replace(open_, end=section.end)
        else:
            yield open_
            open_ = section
    if open_ is not None:
        yield open_


def _count(section: Section, whole: frozenset[int]) -> int:
    return sum(i in whole for i in range(section.start, section.end))


def _of_sections(sections: Sequence[Section], whole: frozenset[int]) -> Units:
    """Return the sections as units; a long section becomes several units of about equal length.

    Ranks are counted from the start of the section, even if the section becomes several units. ``whole`` has
    the indices of the whole sentences.
    """
    number = np.repeat(np.arange(len(sections), dtype=np.int32), [s.end - s.start for s in sections])
    within = _places(number, whole)
    stretch = np.concatenate([within[s.start : s.end] // _length(_count(s, whole)) for s in sections])
    begins = (np.diff(number, prepend=-1) != 0) | (np.diff(stretch, prepend=0) != 0)
    unit = (np.cumsum(begins) - 1).astype(np.int32)
    late, pace = np.array([*_ranks(sections)]).T
    return Units(
        "section", int(unit[-1]) + 1, unit, _places(unit, whole), late[number] + pace[number] * within
    )


def _ranks(sections: Sequence[Section]) -> Iterator[tuple[float, float]]:
    """Yield, for each section, the rank of its first sentence and the step from one sentence to the next."""
    has_abstract = any(section.kind == "abstract" for section in sections)
    known, other = (_SUMMED_UP, _OTHERS_SUMMED_UP) if has_abstract else (_OPEN, _OTHERS_OPEN)
    for number, section in enumerate(sections):
        late, pace = known.get(section.kind, other)
        yield late if number else 0.0, pace


def _length(size: int) -> int:
    """Return how many sentences each unit has if a section of ``size`` whole sentences is cut into units.

    ``size`` is at least 1, because ``_joined`` joins sections without a whole sentence to others.
    """
    parts = -(-size // _MOST)
    return -(-size // parts)


def _places(unit: Small, whole: frozenset[int]) -> Small:
    """Return the number of whole sentences before each sentence in its unit, shape (N,)."""
    is_whole = np.zeros(len(unit), dtype=np.int32)
    is_whole[list(whole)] = 1
    before = np.cumsum(is_whole) - is_whole
    first = np.flatnonzero(np.diff(unit, prepend=-1))
    at_start = np.repeat(before[first], np.diff(first, append=len(unit)))
    return (before - at_start).astype(np.int32)
