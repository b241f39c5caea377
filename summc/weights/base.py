"""The protocols of a weighting, and the counts that most weightings use.

A concept is a word or a bigram. A whole sentence is prose of 8 words or more (``Sentence.is_whole``). N is
the number of sentences of a cluster, M the number of its concepts, D the number of its units, and P the
number of occurrences of all concepts together.

The units whose words are counted are the documents of a cluster. In a cluster of one long document they are
its sections, because a word that occurs in many sections is a topic of the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from summc.records import Floats, Indices32, Mask, Question, Section, TokenizedCluster, WordWeights, distinct
from summc.text import arithmetic

#: The opening of a document is its first few whole sentences: this many. It includes headlines that stand
#: before or between them.
OPENING = 3

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


class Weigher(Protocol):
    """A fitted weighting, ready to weigh the concepts of a cluster."""

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings to be printed with a result; summc sets the value of a key ``background``."""

    def weigh(
        self, tokenized: TokenizedCluster, length: float, question: Question | None = None
    ) -> WordWeights:
        """Return the concepts of a cluster and their weights, for a summary of ``length`` words."""


class Weighting(Protocol):
    """A weighting with its settings, not fitted yet; if it weighs stop words too, stage 2 keeps them."""

    uses_other_texts: ClassVar[bool]
    needs_stopwords: ClassVar[bool]

    def __init__(self, **settings: Any) -> None: ...

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster], /) -> Weigher:
        """Return the weighting fitted on the clusters to be summarized and on further texts to count in."""


class NeedsNoFitting:
    """Base class of weightings that use only the cluster that they weigh."""

    __slots__ = ()

    uses_other_texts: ClassVar[bool] = False
    needs_stopwords: ClassVar[bool] = False

    def fit(self, _clusters: Sequence[TokenizedCluster], _background: Sequence[TokenizedCluster]) -> Self:
        """Return the weighting itself."""
        return self


class Counts:
    """Counts of each concept of a cluster, as arrays of shape (M,).

    Attributes:
        words: the concepts, sorted.
        units: what is counted as documents; ``size`` is D, the number of units.
        occurrences: the number of occurrences of each concept in all documents (tf).
        documents: the number of documents that contain each concept (df).
        leads: the number of documents whose first whole sentence contains it.
        openings: the number of documents that contain it in their opening (see ``OPENING``).
    """

    def __init__(self, tokenized: TokenizedCluster) -> None:
        index, units = tokenized.index, units_of(tokenized)
        self.text, self.words, self.units, self.size = tokenized, index.concepts, units, units.size
        # For each occurrence of a concept, shape (P,): a * D + d for concept a in unit d, the number of whole
        # sentences before its sentence in the unit, and whether its sentence is whole.
        self._holding = index.concept.astype(np.int64) * max(self.size, 1) + units.unit[index.sentence]
        place, is_whole = units.place[index.sentence], units.is_whole[index.sentence]
        self.occurrences = np.bincount(index.concept, minlength=len(self.words)).astype(np.float64)
        self.documents = self._holders(slice(None))
        self.leads = self._holders((place == 0) & is_whole)
        self.openings = self._holders(place < OPENING)

    def emphasized(self, power: float, emphasis: Floats | None = None) -> Floats:
        """Return how often each concept occurs, where an occurrence in an early sentence counts more.

        An occurrence counts (1 + r)^-power, where r is the rank of its sentence. ``emphasis``: a further
        factor for each sentence, shape (N,).
        """
        places = self.text.index
        factor = arithmetic.power(1 + self.units.rank, -power)
        if emphasis is not None:
            factor = factor * emphasis
        return np.bincount(places.concept, factor[places.sentence], len(self.words)).astype(np.float64)

    def _holders(self, where: Mask | slice) -> Floats:
        """Return how many documents contain each concept, by the occurrences that ``where`` selects."""
        concepts = distinct(self._holding[where]) // max(self.size, 1)
        return np.bincount(concepts, minlength=len(self.words)).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """For each of N sentences, the unit (document or section) that it is in, and how late it comes there.

    Attributes:
        name: what a unit is, "document" or "section".
        size: D, the number of units.
        unit: the index of the unit of each sentence, from 0 to D - 1, shape (N,).
        place: the number of whole sentences before each sentence in its unit, shape (N,).
        rank: a number from 0 that is larger for later sentences, shape (N,). If units are documents, it
            equals ``place``. If they are sections, it also depends on the kind of section.
        is_whole: whether each sentence is whole, shape (N,).
    """

    name: str
    size: int
    unit: Indices32
    place: Indices32
    rank: Floats
    is_whole: Mask


def units_of(tokenized: TokenizedCluster) -> Units:
    """Return the units of a cluster: its documents, or the sections of a single long document."""
    documents = tokenized.cluster.documents
    every = np.arange(tokenized.index.size)
    is_whole = np.isin(every, every if tokenized.whole is None else tokenized.whole)
    if len(documents) == 1 and is_whole.sum() >= _LONG:
        return _of_sections(list(_joined(documents[0].sections, is_whole)), is_whole)
    unit = tokenized.cluster.document_of.astype(np.int32)
    place = _places(unit, is_whole)
    return Units("document", len(documents), unit, place, place.astype(np.float64), is_whole)


def _joined(sections: Iterable[Section], is_whole: Mask) -> Iterator[Section]:
    """Yield the sections of a document, with small sections (see ``_LEAST``) joined to those before them."""
    open_: Section | None = None
    for section in sections:
        size = is_whole[section.start : section.end].sum()
        if open_ is None:
            open_ = section
        elif not is_whole[open_.start : open_.end].any():
            open_ = section._replace(start=open_.start)
        elif size == 0 or (size < _LEAST and section.kind not in _SUMMED_UP):
            open_ = open_._replace(end=section.end)
        else:
            yield open_
            open_ = section
    if open_ is not None:
        yield open_


def _of_sections(sections: Sequence[Section], is_whole: Mask) -> Units:
    """Return the sections as units; a long section becomes several units of about equal length.

    Ranks are counted from the start of the section, even if the section becomes several units.
    """
    number = np.repeat(np.arange(len(sections), dtype=np.int32), [s.end - s.start for s in sections])
    within = _places(number, is_whole)
    sizes = np.bincount(number, is_whole).astype(np.int32)  # at least 1: ``_joined`` joins empty sections
    lengths = -(-sizes // -(-sizes // _MOST))  # of the units that each section is cut into
    stretch = within // lengths[number]
    begins = (np.diff(number, prepend=-1) != 0) | (np.diff(stretch, prepend=0) != 0)
    unit = (np.cumsum(begins) - 1).astype(np.int32)
    has_abstract = any(section.kind == "abstract" for section in sections)
    by_kind, other = (_SUMMED_UP, _OTHERS_SUMMED_UP) if has_abstract else (_OPEN, _OTHERS_OPEN)
    late, step = np.array([by_kind.get(section.kind, other) for section in sections]).T
    late[0] = 0.0
    rank = late[number] + step[number] * within
    return Units("section", int(unit[-1]) + 1, unit, _places(unit, is_whole), rank, is_whole)


def _places(unit: Indices32, is_whole: Mask) -> Indices32:
    """Return the number of whole sentences before each sentence in its unit, shape (N,)."""
    before = np.cumsum(is_whole, dtype=np.int32) - is_whole
    first = np.flatnonzero(np.diff(unit, prepend=-1))
    return before - np.repeat(before[first], np.diff(first, append=len(unit)))
