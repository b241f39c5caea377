"""The factor of a word in BP's partition function, if the word is worth covering more than once.

Level l of word a is the weight v_{a,l} of its l-th occurrence in a summary; v_{a,1} is w_a. In Eq. (2) of the
paper, where a word has one level, the word has a variable y_a that may be 1 if a chosen sentence holds the
word. Summing over y_a leaves the factor ``1 + exp(beta w_a)`` if the word is held, and 1 if not. Here a word
has one such variable for each level. The variable of level l may be 1 if the chosen sentences hold the word
at least l times. Summing over these variables leaves, for n occurrences, the factor

    g_a(n) = product of 1 + exp(beta v_{a,l}) over the levels l <= n.

With one level this is the paper's factor. The factor has two more advantages:

- ``ln g_a(n)`` is concave in n, as ``V_a(n)``, the worth of n occurrences, is. The message of a word to a
  sentence therefore shrinks as other sentences that hold the word become likely.
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
from summc.text.arithmetic import exp, log1p


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """The weights of the first, second, ... occurrence of each of M words, times beta.

    Attributes:
        weight: beta w_a, for the first occurrence of each word, shape (M,).
        repeats: beta v_{a,2}, beta v_{a,3}, ... for the further occurrences, word by word, shape (F,).
        repeats_start: the index in ``repeats`` where each word begins, shape (M + 1,).
    """

    weight: Floats
    repeats: Floats
    repeats_start: Indices

    @classmethod
    def of(cls, graph: CoverageGraph, beta: float) -> Factors:
        """Return the weights of the first, second, ... occurrence of each word of a graph, times beta."""
        return cls(beta * graph.weight, beta * graph.repeats, graph.repeats_start)

    @property
    def levels(self) -> Indices:
        """The number of levels of each word (occurrences that have a weight), shape (M,)."""
        return np.asarray(np.diff(self.repeats_start) + 1)

    def logarithms(self) -> Curves:
        """Return ln g_a(n), the logarithm of the factor for n occurrences, of each word a."""
        return make_curves(softplus(self.weight), softplus(self.repeats), self.repeats_start)

    def after(self, times: Indices) -> Factors:
        """Return the weights of the occurrences that can follow ``times[a]`` occurrences of each word a."""
        return Factors(*left_after(self, times))


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """How often sentences hold words, and the weights of the words' second, third, ... occurrences.

    Attributes:
        count: how often the sentence of each edge holds its word, shape (E,).
        repeats: beta v_{a,2}, beta v_{a,3}, ..., the weights of further occurrences times beta, word by word,
            shape (F,).
        repeats_start: the index in ``repeats`` where each word begins, shape (M + 1,).
    """

    count: Indices
    repeats: Floats
    repeats_start: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """How much the nth occurrence of a word adds to ln g(n), the logarithm of the word's factor.

    Level n of a word is the weight v_n of its nth occurrence. Words of one level have no entries in ``step``.

    Attributes:
        step: ln(g(n) / g(n - 1)) = softplus(beta v_n) of each level n, word by word, shape (S,).
        start: the index in ``step`` where each word begins, shape (W + 1,).
    """

    step: Floats
    start: Indices

    @classmethod
    def prepare(cls, word: Indices, first: Indices, scaled_weight: Floats, levels: Levels | None) -> Steps:
        """Return the steps of the words of some edges.

        ``word`` and ``scaled_weight`` are the word of each edge and beta times its weight. Edges are sorted
        by word, and ``first`` is the index of the first edge of each word. ``levels`` is None if only first
        occurrences have a weight. A summary cannot hold a word more often than all sentences together, so the
        weights of later occurrences are left out.
        """
        if levels is None or not len(levels.repeats):
            return cls(np.zeros(0), np.zeros(len(first) + 1, dtype=np.intp))
        repeats, repeats_start = levels_of(levels.repeats, levels.repeats_start, word[first])
        every = np.insert(repeats, repeats_start[:-1], scaled_weight[first])
        several = np.diff(repeats_start)
        reach = np.add.reduceat(levels.count, first) if len(first) else several
        length = np.where(several > 0, np.minimum(several + 1, reach), 0)
        place = run_from(repeats_start[:-1] + np.arange(len(first)), length)
        return cls(softplus(every[place]), np.concatenate([[0], np.cumsum(length)]))

    @property
    def length(self) -> Indices:
        """The number of entries of each word in ``step``, shape (W,). It is 0 for a word with one level."""
        return np.diff(self.start)

    def factors(self, top: float) -> Floats:
        """Return g(n - 1) of each level n; g is scaled so that it is ``top`` at the last level of each word.

        It is computed as products, from the last level down. Sums of logarithms would lose digits if many
        levels have large weights, and messages need these digits at the last levels.
        """
        factor = exp(-self.step)
        last = self.start[1:][self.length > 0] - 1
        factor[last] *= top
        place, first = last, self.start[:-1][self.length > 0]
        while len(place):
            more = place > first
            place, first = place[more] - 1, first[more]
            factor[place] *= factor[place + 1]
        return factor


def softplus(x: Floats) -> Floats:
    """Return ln(1 + exp(x)) without overflow."""
    return np.asarray(np.maximum(x, 0) + log1p(exp(-np.abs(x))))
