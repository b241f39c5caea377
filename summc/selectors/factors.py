"""The factor of a word in BP's partition function, where the word is worth covering more than once.

In Eq. (2) a word has a variable y_a that may be 1 if a chosen sentence holds the word. Summed over, it leaves
the factor ``1 + exp(beta w_a)`` if the word is held, and 1 if it is not. A word of several levels has such a
variable for each: level l may be 1 if the chosen sentences hold the word l times or more. Summed over, n
occurrences have the factor

    g_a(n) = product of 1 + exp(beta v_{a,l}) over the levels l <= n.

With one level this is the paper's. The factor has two more merits. ``ln g_a`` is concave, as ``V_a`` is, so a
word tells a sentence less as other sentences become likely. And when a choice of sentences has met a word m
times, ``g_a(m + n) / g_a(m)`` is the factor of a word that has the levels after m alone: what is left is a
problem of the same kind. (The sum of ``exp(beta V_a(k))`` over k <= n, with levels that fill in order, has
the same case of one level but not the second merit. ``exp(beta V_a(n))`` does not have that case.)
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
        further_start: where those of each word begin, shape (M + 1,).
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
        """Return the factors that are left when words have been met so often, shape (M,)."""
        return Factors(*left_after(self, met))


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """What the words of some edges have beyond one level.

    Attributes:
        count: how often the sentence of each edge holds its word, shape (E,).
        further, further_start: as those of ``Factors``.
    """

    count: Indices
    further: Floats
    further_start: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The levels of words, one after another; a word of one level has none here.

    Attributes:
        step: ln(g(n) / g(n - 1)) = softplus(beta v_n) of each level n, shape (S,).
        start: where the levels of each word begin, shape (W + 1,).
    """

    step: Floats
    start: Indices

    @classmethod
    def prepare(cls, word: Indices, first: Indices, scaled_weight: Floats, levels: Levels | None) -> Steps:
        """Return the levels of words from their edges, which stand word by word; ``first`` begin a word.

        Levels that all sentences of a word together do not reach are left out: no message depends on them.
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
        """The number of levels of each word, 0 where it has but one, shape (W,)."""
        return np.diff(self.start)

    def factors(self, top: float) -> Floats:
        """Return g(n - 1) of each level n, for a g of the last level of each word that is ``top``.

        Products from the last level down: where many levels are worth much, sums of logarithms would lose
        digits that a message of the last levels needs.
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
    """Return ln(1 + exp(x)) without overflow; several times quicker than ``np.logaddexp``."""
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))
