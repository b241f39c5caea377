"""The factor of a word in BP's partition function, if the word is worth covering more than once.

In Eq. (2) a word has a variable y_a that may be 1 if a chosen sentence holds the word. Summing over y_a
leaves the factor ``1 + exp(beta w_a)`` if the word is held, and 1 if it is not. A word of several levels has
one such variable for each level: that of level l may be 1 if the chosen sentences hold the word at least l
times. Summing over these variables leaves, for n occurrences, the factor

    g_a(n) = product of 1 + exp(beta v_{a,l}) over the levels l <= n.

With one level this is the paper's factor. It has two more advantages:

- ``ln g_a`` is concave, as ``V_a`` is, so the message of a word to a sentence shrinks as other sentences
  become likely.
- After m occurrences are chosen, ``g_a(m + n) / g_a(m)`` is the factor of a word with only the levels after
  m, so the remaining problem is of the same kind.

Two alternatives are worse. The sum of ``exp(beta V_a(k))`` over k <= n agrees with the paper for one level
but lacks the second advantage. ``exp(beta V_a(n))`` does not agree with the paper for one level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from summc.graph.coverage import Curves, left_after, levels_of, make_curves, run_from
from summc.records import CoverageGraph, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """The level weights of M words, times beta.

    Attributes:
        weight: beta w_a of each word, shape (M,).
        further: beta v_{a,2}, beta v_{a,3}, ... word by word, shape (F,).
        further_start: the index in ``further`` where each word begins, shape (M + 1,).
    """

    weight: Floats
    further: Floats
    further_start: Indices

    @classmethod
    def of(cls, graph: CoverageGraph, beta: float) -> Factors:
        """Return the factors of a graph's words."""
        return cls(beta * graph.weight, beta * graph.further, graph.further_start)

    @property
    def levels(self) -> Indices:
        """The number of levels of each word, shape (M,)."""
        return np.asarray(np.diff(self.further_start) + 1)

    def logarithms(self) -> Curves:
        """Return ln g_a(n) of each word."""
        return make_curves(softplus(self.weight), softplus(self.further), self.further_start)

    def after(self, met: Indices) -> Factors:
        """Return the factors of the levels left after ``met[a]`` occurrences of each word a, shape (M,)."""
        return Factors(*left_after(self, met))


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The further levels of the words of some edges.

    Attributes:
        count: how often the sentence of each edge holds its word, shape (E,).
        further, further_start: as in ``Factors``.
    """

    count: Indices
    further: Floats
    further_start: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The levels of words, word by word; words of one level are left out.

    Attributes:
        step: ln(g(n) / g(n - 1)) = softplus(beta v_n) of each level n, shape (S,).
        start: the index in ``step`` where each word begins, shape (W + 1,).
    """

    step: Floats
    start: Indices

    @classmethod
    def prepare(cls, word: Indices, first: Indices, scaled_weight: Floats, levels: Levels | None) -> Steps:
        """Return the levels of words, given their edges sorted by word and the ``first`` edge of each word.

        Levels beyond the total count of a word in all sentences are left out: no message depends on them.
        """
        if levels is None or not len(levels.further):
            return cls(np.zeros(0), np.zeros(len(first) + 1, dtype=np.intp))
        further, further_start = levels_of(levels.further, levels.further_start, word[first])
        every = np.insert(further, further_start[:-1], scaled_weight[first])
        several = np.diff(further_start)
        reach = np.add.reduceat(levels.count, first) if len(first) else several
        length = np.where(several > 0, np.minimum(several + 1, reach), 0)
        place = run_from(further_start[:-1] + np.arange(len(first)), length)
        return cls(softplus(every[place]), np.concatenate([[0], np.cumsum(length)]))

    @property
    def length(self) -> Indices:
        """The number of levels of each word, or 0 if it has only one, shape (W,)."""
        return np.diff(self.start)

    def factors(self, top: float) -> Floats:
        """Return g(n - 1) of each level n, with g scaled to ``top`` at the last level of each word.

        It is computed as products from the last level down. Sums of logarithms would lose digits that
        messages need at the last levels if many levels have large weights.
        """
        factor = np.exp(-self.step)
        last = self.start[1:][self.length > 0] - 1
        factor[last] *= top
        place, first = last, self.start[:-1][self.length > 0]
        while len(place):
            more = place > first
            place, first = place[more] - 1, first[more]
            factor[place] *= factor[place + 1]
        return factor


def softplus(x: Floats) -> Floats:
    """Return ln(1 + exp(x)) without overflow; several times as fast as ``np.logaddexp``."""
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))
