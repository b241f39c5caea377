"""The protocols of a weighting, and the counts that most weightings use.

A concept is a word or a bigram. A whole sentence is any sentence but a headline, a date or a caption. N is
the number of sentences of a cluster, M the number of its concepts, D the number of its documents, and P the
number of occurrences of all concepts together. A fitted weighting has counted what it needs in the texts of a
run, and can weigh concepts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Small, TokenizedCluster, WordWeights, distinct
from summc.text import arithmetic
from summc.weights.units import Units, units_of

#: The opening of a document is its first few whole sentences: this many. It includes headlines that stand
#: before or between them.
OPENING = 3


#: Tells whether a concept belongs to the question that the summary should answer; None without a question.
Asked = Callable[[str], bool] | None


class Weigher(Protocol):
    """A fitted weighting, ready to weigh the concepts of a cluster."""

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of the weighting, and how much text it was fitted on; they are printed with a result.

        If there is a key ``background``, summc sets its value: the names of the background texts.
        """

    def weigh(self, text: TokenizedCluster, length: float, is_asked: Asked = None) -> WordWeights:
        """Return the concepts of a cluster and their weights, for a summary of ``length`` words."""


class Weighting(Protocol):
    """A weighting with its settings, not fitted yet.

    ``others``: whether it uses texts other than the cluster. ``needs_stopwords``: whether it gives weight to
    stop words too, so that stage 2 must keep them.
    """

    others: ClassVar[bool]
    needs_stopwords: ClassVar[bool]

    def __init__(self, **settings: Any) -> None: ...

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> Weigher:
        """Return the weighting fitted on the clusters to be summarized and on ``background``.

        The background texts are further texts in which the user wants words to be counted.
        """


class Unfitted:
    """Base class of weightings that need no fitting, because they use only the cluster that they weigh."""

    __slots__ = ()

    others: ClassVar[bool] = False
    needs_stopwords: ClassVar[bool] = False

    def fit(
        self,
        clusters: Sequence[TokenizedCluster],  # noqa: ARG002 (the protocol's)
        background: Sequence[TokenizedCluster],  # noqa: ARG002
    ) -> Self:
        """Return the weighting itself, because there is nothing to fit."""
        return self


@dataclass(frozen=True, eq=False)  # no slots, because cached properties need a ``__dict__``
class Counts:
    """Counts of each concept (word or bigram) of a cluster, as arrays of shape (M,).

    If the cluster is one long document, its sections are counted as documents (``units.py``). Each array is
    computed on first use, because few weightings need all of them.
    """

    tokenized: TokenizedCluster

    @property
    def words(self) -> tuple[str, ...]:
        """The concepts of the cluster, sorted."""
        return self.tokenized.index.words

    @cached_property
    def units(self) -> Units:
        """The documents or sections that are counted as documents, and the rank of each sentence in them."""
        return units_in(self.tokenized)

    @property
    def size(self) -> int:
        """D, the number of documents, or of sections if the cluster is one long document."""
        return self.units.size

    @cached_property
    def documents(self) -> Floats:
        """The number of documents that contain each concept (df)."""
        return self._holders(slice(None))

    @cached_property
    def leads(self) -> Floats:
        """For each concept, the number of documents whose first whole sentence contains it."""
        return self._holders((self._place == 0) & self._whole)

    @cached_property
    def openings(self) -> Floats:
        """For each concept, the number of documents that contain it in their opening (see ``OPENING``)."""
        return self._holders(self._place < OPENING)

    @cached_property
    def headlines(self) -> Floats:
        """For each concept, the number of documents that contain it before their first whole sentence."""
        return self._holders((self._place == 0) & ~self._whole)

    @cached_property
    def occurrences(self) -> Floats:
        """The number of occurrences of each concept in all documents (tf)."""
        return np.bincount(self.tokenized.index.concept, minlength=len(self.words)).astype(np.float64)

    @cached_property
    def sentences(self) -> Floats:
        """For each concept, the number of sentences that contain it."""
        held = self.tokenized.index.held[1]
        return np.bincount(held, minlength=len(self.words)).astype(np.float64)

    def emphasized(self, power: float, emphasis: Floats | None = None) -> Floats:
        """Return how often each concept occurs, where an occurrence in an early sentence counts more.

        An occurrence counts (1 + r)^-power, where r is the rank of its sentence: 0 for the first sentence of
        a document, more for later ones. ``emphasis``: a further factor for each sentence, shape (N,).
        """
        places = self.tokenized.index
        factor = arithmetic.power(1 + self.units.rank, -power)
        if emphasis is not None:
            factor = factor * emphasis
        made: Floats = np.bincount(places.concept, factor[places.sentence], len(self.words)).astype(
            np.float64
        )
        return made

    @cached_property
    def first(self) -> Floats:
        """How early documents first mention each concept, from 0 (first sentence) to 1 (last sentence).

        It is the mean over the documents that contain the concept.
        """
        holding, size = self._holdings
        pair, at = np.unique(holding, return_index=True)  # first occurrence of each concept in each document
        lengths = np.bincount(self.units.unit, minlength=size)
        position = np.arange(len(self.units.unit)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        share = position[self.tokenized.index.sentence[at]] / np.maximum(lengths - 1, 1)[pair % size]
        return np.bincount(pair // size, share, len(self.words)) / self.documents

    @cached_property
    def _place(self) -> Small:
        """For each occurrence of a concept, how many whole sentences stand before it in its document.

        Shape (P,). The sentence of the occurrence itself is not counted.
        """
        return self.units.place[self.tokenized.index.sentence]

    @cached_property
    def _whole(self) -> NDArray[np.bool_]:
        """For each occurrence of a concept, whether it is in a whole sentence, shape (P,)."""
        is_whole = np.zeros(self.tokenized.index.size, dtype=bool)
        is_whole[list(whole_of(self.tokenized))] = True
        return is_whole[self.tokenized.index.sentence]

    @cached_property
    def _holdings(self) -> tuple[NDArray[np.int64], int]:
        return holdings(self.tokenized, self.units)

    def _holders(self, where: NDArray[np.bool_] | slice) -> Floats:
        """Return how many documents contain each concept, shape (M,).

        Only the occurrences that ``where`` selects count; it is a mask of shape (P,), or a slice.
        """
        holding, size = self._holdings
        return np.bincount(distinct(holding[where]) // size, minlength=len(self.words)).astype(np.float64)


def holdings(tokenized: TokenizedCluster, units: Units) -> tuple[NDArray[np.int64], int]:
    """Return a number for each occurrence of a concept, shape (P,), and the number D of units.

    A unit is a document or a section. An occurrence of concept a in unit d has the number a * D + d, so two
    occurrences have the same number if both their concepts and their units are the same. D is at least 1.
    """
    size = max(units.size, 1)
    return tokenized.index.concept.astype(np.int64) * size + units.unit[tokenized.index.sentence], size


def whole_of(tokenized: TokenizedCluster) -> frozenset[int]:
    """Return the indices of the whole sentences, which are all but headlines, dates and captions."""
    return frozenset(range(tokenized.index.size) if tokenized.whole is None else tokenized.whole)


def units_in(tokenized: TokenizedCluster) -> Units:
    """Return what counts as documents: the documents of a cluster, or the sections of a single long one."""
    return units_of(tokenized, whole_of(tokenized))


def ranks_of(tokenized: TokenizedCluster) -> Floats:
    """Return the rank of each sentence, shape (N,), which says how late it comes in its document.

    It is the number of sentences before it in the document, not counting headlines, dates and captions. In a
    single long document it is a number from 0 that grows through each section; where it begins and how fast
    it grows depends on the kind of section.
    """
    return units_in(tokenized).rank
