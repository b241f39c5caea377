"""What counts as a document: the documents of a cluster, or the sections of one that is alone.

In a cluster of one document every word stands in all documents, so that their share tells nothing. There the
sections take their place: what many of them speak of is what the document is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from summc.records import Floats, Small, TokenizedCluster
from summc.text.structure import Section, sections_of

#: A document with fewer whole sentences is short: it is one unit.
_LONG = 24
#: A section with fewer whole sentences is joined to the one before it.
_LEAST = 4
#: A section with more is cut into stretches of about as many.
_MOST = 30
# The rank of the first sentence of a section, and the step to each further one; the first section has rank 0.
# Those below an abstract were chosen by ROUGE on 13 papers with people's summaries, the others by judgement.
#: In a document without an abstract every section opens with what matters in it.
_OPEN = {"conclusion": (0.5, 0.5)}
_OTHERS_OPEN = (1.0, 1.0)
#: An abstract has said what most sections say.
_SUMMED_UP = {"abstract": (0.0, 0.3), "introduction": (0.5, 0.5), "conclusion": (4.0, 0.5)}
_OTHERS_SUMMED_UP = (60.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The unit of each sentence, and how early the sentence stands.

    Attributes:
        name: what a unit is, document or section.
        size: D, how many units there are.
        unit: the unit of each sentence, shape (N,).
        place: how many whole sentences stand before it in its unit, shape (N,).
        rank: how late it stands where early sentences count more, shape (N,): its place where units are
            documents; in a document that is alone, the sections differ.
    """

    name: str
    size: int
    unit: Small
    place: Small
    rank: Floats


def units_of(tokenized: TokenizedCluster, whole: frozenset[int]) -> Units:
    """Return the units of a cluster, given its whole sentences."""
    documents = tokenized.cluster.documents
    if len(documents) == 1 and len(whole) >= _LONG:
        return _of_sections(list(_joined(sections_of(documents[0]), whole)), whole)
    unit = np.array([s.document for s in tokenized.cluster.sentences], dtype=np.int32)
    place = _places(unit, whole)
    return Units("document", len(documents), unit, place, place.astype(np.float64))


def _joined(sections: Iterable[Section], whole: frozenset[int]) -> Iterator[Section]:
    """Yield the sections, a small one joined to the one before, and one without text to the one behind it."""
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
    """Return the sections as units, long ones cut into stretches; ranks count from where a section begins."""
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
    """Yield the rank of the first sentence of each section, and the step from one sentence to the next."""
    has_abstract = any(section.kind == "abstract" for section in sections)
    known, other = (_SUMMED_UP, _OTHERS_SUMMED_UP) if has_abstract else (_OPEN, _OTHERS_OPEN)
    for number, section in enumerate(sections):
        late, pace = known.get(section.kind, other)
        yield late if number else 0.0, pace


def _length(size: int) -> int:
    """Return how long the stretches are that a section is cut into, given its number of whole sentences."""
    parts = -(-size // _MOST) or 1
    return -(-size // parts) or 1


def _places(unit: Small, whole: frozenset[int]) -> Small:
    """Return how many whole sentences stand before each sentence in its unit."""
    is_whole = np.zeros(len(unit), dtype=np.int32)
    is_whole[list(whole)] = 1
    before = np.cumsum(is_whole) - is_whole
    first = np.flatnonzero(np.diff(unit, prepend=-1))
    at_start = np.repeat(before[first], np.diff(first, append=len(unit)))
    return (before - at_start).astype(np.int32)
