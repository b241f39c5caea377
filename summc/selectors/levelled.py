"""Eq. (5) for words of several levels, in numpy: the same quantities as ``compiled/messages.c`` has.

A word with the factor g (``factors.py``) tells a sentence that holds it c times

    beta * hhat = ln(E[g(m + c)] / E[g(m)]),

m being how often the other sentences hold it together; sentence j adds its count with the probability
sigmoid(beta h_ja). With one level this is Eq. (5).

All but one are summed up in a tree of pairs. Upwards each pair has the chances of what it adds to the count,
those of its two halves multiplied as polynomials; downwards each half has, for each n, the expectation of
g(n + what all others add). Both only add positive numbers, so no digit is lost.

Where g is worth more than a float can hold, it is tilted: g(n) exp(-t n), with the cavity fields raised by t
for each occurrence, gives messages that are less by t c. With a t that makes g largest where the count is
likely, nothing that matters underflows; where something does after all, logarithms are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from summc.graph.coverage import run_from
from summc.records import Floats, Indices
from summc.selectors.factors import Steps, softplus

#: g of the last level of a word. These are in messages.c too.
TOP = 2.0**800
#: Where E[g(m)] is no less than this, no product that it is made of has underflowed and matters.
_LEAST_SUM = 1e-45
#: The same for a tilted g, whose largest value is 1.
_LEAST_TILTED = 1e-80
#: A word whose levels together are worth no more needs no tilt.
_RANGE = 600.0
#: Halvings of the interval in which the tilt is looked for.
_HALVINGS = 12


@dataclass(frozen=True, slots=True, eq=False)
class LevelledWords:
    """Words of several levels, in groups whose arrays have one shape; ``edges`` are those of each group."""

    groups: tuple[_Group, ...]
    edges: tuple[Indices, ...]

    @classmethod
    def prepare(cls, degree: Indices, count: Indices, steps: Steps) -> LevelledWords:
        """Return words from their edges, word by word.

        ``degree`` has the shape (W,), ``count`` is of each edge, shape (E,); ``steps`` may know words of one
        level besides.
        """
        length = steps.length[steps.length > 0]
        first_level = steps.start[:-1][steps.length > 0]
        first_edge = np.cumsum(degree) - degree
        wide = np.add.reduceat(steps.step, first_level) > _RANGE
        # States in powers of four: few groups, since each takes its time however few words it has. Words that
        # are tilted need more states than levels, since a tilted g still falls after the last level.
        states = 4 ** np.ceil(np.log2(length + 1) / 2).astype(np.intp)
        states[wide] = 32 * np.ceil((1.4 * length[wide] + 1) / 32).astype(np.intp)
        factor = steps.factors(TOP)
        groups, edges = [], []
        for size, is_wide in sorted(set(zip(states.tolist(), wide.tolist(), strict=True))):
            words = np.flatnonzero((states == size) & (wide == is_wide))
            each = run_from(first_edge[words], degree[words])
            level = run_from(first_level[words], length[words])
            row = np.repeat(np.arange(len(words)), length[words])
            column = level - np.repeat(first_level[words], length[words])
            table = np.full((len(words), size), TOP)
            table[row, column] = factor[level]
            step = np.zeros((len(words), size - 1))
            step[row, column] = steps.step[level]
            edges.append(each)
            kind = _WideGroup if is_wide else _Group
            tree = _Tree.prepare(degree[words], int(count[each].max()) + 1, size)
            groups.append(kind(tree, count[each], table, step))
        return cls(tuple(groups), tuple(edges))

    def __call__(self, cavity: Floats) -> Floats:
        """Return -beta * hhat_ai of each edge from its beta * h_ia, shape (B, E)."""
        result = np.empty_like(cavity)
        for group, edges in zip(self.groups, self.edges, strict=True):
            result[:, edges] = group(cavity[:, edges])
        return result


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Words whose counts have the same number of states, 0 to s - 1; the last stands for that many or more.

    Attributes:
        tree: how their edges are paired.
        count: how often the sentence of each edge holds the word, shape (E,).
        table: g(n) of each word, that of its last level being TOP, shape (W, s).
        step: ln(g(n) / g(n - 1)) for n from 1, shape (W, s - 1).
    """

    tree: _Tree
    count: Indices
    table: Floats
    step: Floats

    def __call__(self, cavity: Floats) -> Floats:
        """Return -beta * hhat_ai of each edge from its beta * h_ia, shape (B, E)."""
        table = np.broadcast_to(self.table, (len(cavity), *self.table.shape))
        without, held = self._expectations(cavity, table, _Plain())
        return np.asarray(np.log(without / held))

    def _expectations(self, cavity: Floats, table: Floats, numbers: _Numbers) -> tuple[Floats, Floats]:
        """Return E[g(m)] and E[g(m + c)] of each edge, g of each word having the shape (B, W, s)."""
        chances = np.full((*cavity.shape, self.tree.states[0]), numbers.zero)
        other, chance = numbers.sigmoids(cavity)
        chances[:, :, 0] = other
        chances[:, np.arange(len(self.count)), self.count] = chance
        expected = self.tree.without_each(chances, table, numbers)
        return expected[:, :, 0], expected[:, np.arange(len(self.count)), self.count]


class _WideGroup(_Group):
    """Words of which g ranges wider than products of floats do."""

    __slots__ = ()

    def __call__(self, cavity: Floats) -> Floats:
        """Return -beta * hhat_ai of each edge from its beta * h_ia, shape (B, E)."""
        tilt = self._tilt(cavity)  # shape (B, W)
        tilt[np.minimum(self.step, tilt[:, :, None]).sum(axis=2) <= _RANGE] = 0.0
        raised = tilt[:, self.tree.word] * self.count
        table = np.where((tilt > 0)[:, :, None], self._tilted(tilt), self.table)
        without, held = self._expectations(cavity + raised, table, _Plain())
        least = np.where(tilt > 0, _LEAST_TILTED, _LEAST_SUM)[:, self.tree.word]
        lost = np.minimum(without, held) < least
        # A tilted g has an end: what comes after its last state must not matter.
        ends = (tilt == 0) | (table[:, :, -1] < _LEAST_TILTED * 1e-20)
        lost |= ~ends[:, self.tree.word]
        without[lost] = held[lost] = 1.0
        result = np.log(without / held) - raised
        runs = np.flatnonzero(lost.any(axis=1))
        if len(runs):
            logarithms = np.concatenate([np.zeros((len(self.step), 1)), np.cumsum(self.step, axis=1)], axis=1)
            table = np.broadcast_to(logarithms, (len(runs), *logarithms.shape))
            without, held = self._expectations(cavity[runs], table, _Logarithms())
            result[runs] = np.where(lost[runs], without - held, result[runs])
        return np.asarray(result)

    def _tilt(self, cavity: Floats) -> Floats:
        """Return t where g(n) exp(-t n) is largest at about the mean count of fields raised by t."""
        low = np.zeros((len(cavity), len(self.step)))
        high = low + self.step[:, 0]
        for _ in range(_HALVINGS):
            tilt = (low + high) / 2
            chance = _Plain().sigmoids(cavity + tilt[:, self.tree.word] * self.count)[1]
            mean = np.add.reduceat(chance * self.count, self.tree.first, axis=1)
            below = mean < (self.step > tilt[:, :, None]).sum(axis=2)
            low, high = np.where(below, tilt, low), np.where(below, high, tilt)
        return np.asarray(high)

    def _tilted(self, tilt: Floats) -> Floats:
        """Return g(n) exp(-t n) of each word, the largest being 1, shape (B, W, s)."""
        rise = np.cumsum(self.step - tilt[:, :, None], axis=2)
        logarithm = np.concatenate([np.zeros((*tilt.shape, 1)), rise], axis=2)
        return np.asarray(np.exp(logarithm - logarithm.max(axis=2, keepdims=True)))


# The tree


class _Numbers(Protocol):
    """Numbers of 0 and more, as they are or as their logarithms."""

    zero: float
    one: float

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        """Return sigmoid(-field) and sigmoid(field)."""

    def contract(self, left: Floats, right: Floats) -> Floats:
        """Return the sums of left[k] right[..., n, k] over k, for left of shape (..., s)."""

    def tails(self, chances: Floats) -> Floats:
        """Return the sums of all that follow and of each itself, over the last axis."""


class _Plain:
    """Numbers as they are."""

    zero, one = 0.0, 1.0

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        small = np.exp(-np.abs(field))
        part = 1 / (1 + small)
        return np.where(field < 0, part, small * part), np.where(field < 0, small * part, part)

    def contract(self, left: Floats, right: Floats) -> Floats:
        return np.asarray(np.einsum("...k,...nk->...n", left, right))

    def tails(self, chances: Floats) -> Floats:
        return np.asarray(np.cumsum(chances[..., ::-1], axis=-1)[..., ::-1])


class _Logarithms:
    """Logarithms of numbers."""

    zero, one = -np.inf, 0.0

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        return -softplus(field), -softplus(-field)

    def contract(self, left: Floats, right: Floats) -> Floats:
        terms = left[..., None, :] + right
        largest = terms.max(axis=-1)
        largest[largest == -np.inf] = 0.0
        total = np.exp(terms - largest[..., None]).sum(axis=-1)
        nothing = np.full_like(total, -np.inf)
        return np.asarray(np.log(total, out=nothing, where=total > 0) + largest)

    def tails(self, chances: Floats) -> Floats:
        return np.asarray(np.logaddexp.accumulate(chances[..., ::-1], axis=-1)[..., ::-1])


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """Edges of each word in pairs, those in pairs, and so on until one node of each word is left.

    Attributes:
        word: the word of each edge, shape (E,).
        first: the first edge of each word, shape (W,).
        left, right: for each storey, upwards, the two nodes below each of its nodes; a right one that is not
            there is the number of nodes below.
        states: how many states the counts of the nodes of each storey have, the edges being the lowest.
    """

    word: Indices
    first: Indices
    left: tuple[Indices, ...]
    right: tuple[Indices, ...]
    states: tuple[int, ...]

    @classmethod
    def prepare(cls, degree: Indices, least: int, most: int) -> _Tree:
        """Return the tree of words with so many edges each, which stand word by word.

        An edge has ``least`` states. Nodes have as many as their edges together, but no more than ``most``.
        """
        word, first = np.repeat(np.arange(len(degree)), degree), np.cumsum(degree) - degree
        left, right, states = [], [], [least]
        nodes = degree
        while nodes.max() > 1:
            start, half = np.cumsum(nodes) - nodes, (nodes + 1) // 2
            left.append(run_from(np.zeros_like(start), half) * 2 + np.repeat(start, half))
            right.append(np.where(left[-1] + 1 < np.repeat(start + nodes, half), left[-1] + 1, nodes.sum()))
            states.append(min(most, 2 * states[-1] - 1))
            nodes = half
        return cls(word, first, tuple(left), tuple(right), tuple(states))

    def without_each(self, chances: Floats, table: Floats, numbers: _Numbers) -> Floats:
        """Return E[g(n + what all other edges of its word add)] of each edge and n.

        ``chances`` are those that an edge adds n, shape (B, E, least); ``table`` is g(n) of each word, shape
        (B, W, most). The answer has the shape of the chances.
        """
        storeys = list(self._upwards(chances, numbers))
        expected = table[:, :, : self.states[-1]]
        for left, right, below in zip(self.left[::-1], self.right[::-1], storeys[::-1], strict=True):
            now = np.empty_like(below)
            now[:, left] = _after(below[:, right], expected, numbers)
            there = right < below.shape[1] - 1
            now[:, right[there]] = _after(below[:, left[there]], expected[:, there], numbers)
            expected = now[:, :-1]
        return expected

    def _upwards(self, chances: Floats, numbers: _Numbers) -> Iterator[Floats]:
        """Yield the chances of the nodes of each storey but the last, and of a node more, which adds 0."""
        below = _with_none(chances, numbers)
        yield below
        for left, right, states in zip(self.left[:-1], self.right[:-1], self.states[1:], strict=False):
            above = _product(below[:, left], below[:, right], states, numbers)
            below = _with_none(above, numbers)
            yield below


def _with_none(chances: Floats, numbers: _Numbers) -> Floats:
    """Return the chances of nodes, and of a node more, which adds 0."""
    none = np.full((len(chances), 1, chances.shape[2]), numbers.zero)
    none[:, :, 0] = numbers.one
    return np.concatenate([chances, none], axis=1)


def _product(one: Floats, another: Floats, states: int, numbers: _Numbers) -> Floats:
    """Return the chances of the sum of two counts.

    It has so many states. If these are too few for all sums, the last stands for that many or more.
    """
    size = one.shape[-1]
    nothing = np.full((*another.shape[:-1], size - 1), numbers.zero)
    # another(n - k) at n and size - 1 - k
    windows = _windows(np.concatenate([nothing, another, nothing], axis=-1), size)
    if states == 2 * size - 1:
        return numbers.contract(one[..., ::-1], windows)
    result = np.empty((*one.shape[:-1], states))
    result[..., :-1] = numbers.contract(one[..., ::-1], windows[..., : states - 1, :])
    # Where the one is k, the other is states - 1 - k or more.
    tails = np.concatenate([numbers.tails(another), nothing], axis=-1)
    least = np.maximum(states - 1 - np.arange(size), 0)
    result[..., -1:] = numbers.contract(one, tails[..., None, least])
    return result


def _after(chances: Floats, expected: Floats, numbers: _Numbers) -> Floats:
    """Return the expectation of what is expected at n and a count more, for n of the states that it has.

    Beyond its last state what is expected stays what it is there.
    """
    size = chances.shape[-1]
    beyond = np.repeat(expected[..., -1:], 2 * size - 1 - expected.shape[-1], axis=-1)
    windows = _windows(np.concatenate([expected, beyond], axis=-1), size)
    return numbers.contract(chances, windows)


def _windows(values: Floats, size: int) -> Floats:
    """Return all runs of so many neighbours on the last axis of a contiguous array, as rows of a view.

    ``sliding_window_view`` does the same and takes longer than the work on small arrays.
    """
    shape = (*values.shape[:-1], values.shape[-1] - size + 1, size)
    return np.ndarray(shape, np.float64, values, 0, (*values.strides, values.strides[-1]))
