"""Eq. (5) for words of several levels, in numpy: the same quantities as ``compiled/messages.c`` has.

A word with the factor g (``factors.py``) tells a sentence that holds it c times

    beta * hhat = ln(E[g(m + c)] / E[g(m)]),

m being how often the other sentences hold it together; sentence j adds its count with the probability
sigmoid(beta h_ja). With one level this is Eq. (5).

All but one are summed up in a tree of pairs. Upwards each pair has the chances of what it adds to the count,
those of its two halves multiplied as polynomials; downwards each half has, for each n, the expectation of
g(n + what all others add). Both only add positive numbers, so no digit is lost.

The trees of many words go storey by storey together. Their nodes stand so that a storey's left halves are one
block and its right halves the next: no storey has to look up its nodes.

Where g is worth more than a float can hold, it is tilted: g(n) exp(-t n), with the cavity fields raised by t
for each occurrence, gives messages that are less by t c. With a t that makes g largest where the count is
likely, nothing that matters underflows; where something does after all, logarithms are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
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
#: The runs that go through a tree at once have so many leaves together: their numbers stay in the cache.
_LEAVES = 2**11


@dataclass(frozen=True, slots=True, eq=False)
class LevelledWords:
    """Words of several levels, in groups whose arrays have one shape.

    ``edge`` and ``leaf`` say where the answer for an edge stands: the leaves of all groups, one group after
    another, and the edge of each that has one.
    """

    groups: tuple[_Group, ...]
    leaves: int
    edge: Indices
    leaf: Indices

    @classmethod
    def prepare(cls, first: Indices, degree: Indices, count: Indices, steps: Steps) -> LevelledWords:
        """Return the words that have several levels, from all edges, word by word.

        ``first`` edge and ``degree`` are of each word, shape (W,), as are the ``steps``; ``count`` is of each
        edge, shape (E,).
        """
        several = steps.length > 0
        first, degree, length = first[several], degree[several], steps.length[several]
        first_level = steps.start[:-1][several]
        wide = np.add.reduceat(steps.step, first_level) > _RANGE
        # States in powers of two: few groups, since each takes its time however few words it has. Words that
        # are tilted need more states than levels, since a tilted g still falls after the last level.
        states = np.maximum(2 ** np.ceil(np.log2(length)).astype(np.intp), 4) + 1
        states[wide] = 32 * np.ceil((1.4 * length[wide] + 1) / 32).astype(np.intp)
        factor = steps.factors(TOP)
        groups = []
        for size, is_wide in sorted(set(zip(states.tolist(), wide.tolist(), strict=True))):
            words = np.flatnonzero((states == size) & (wide == is_wide))
            # Words with the highest trees come first.
            words = words[np.argsort(-_storeys(degree[words]), kind="stable")]
            level = run_from(first_level[words], length[words])
            column = np.repeat(np.arange(len(words)), length[words])
            row = level - np.repeat(first_level[words], length[words])
            table = np.full((size, len(words)), TOP)
            table[row, column] = factor[level]
            step = np.zeros((size - 1, len(words)))
            step[row, column] = steps.step[level]
            kind = _WideGroup if is_wide else _Group
            groups.append(kind(_Forest.prepare(first[words], degree[words], count, size), table, step))
        edge = np.concatenate([group.forest.edge for group in groups])
        leaf = np.flatnonzero(edge >= 0)
        return cls(tuple(groups), len(edge), edge[leaf], leaf)

    def __call__(self, cavity: Floats, result: Floats) -> None:
        """Write -beta * hhat_ai of each leaf, shape (B, leaves), from beta * h_ia of each edge, (B, E)."""
        start = 0
        for group in self.groups:
            leaves = len(group.forest.edge)
            together = max(1, _LEAVES // leaves)
            for run in range(0, len(cavity), together):
                rows = slice(run, run + together)
                result[rows, start : start + leaves] = group(group.forest.fields(cavity[rows]))
            start += leaves


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Words whose counts have the same number of states, 0 to s - 1; the last stands for that many or more.

    Attributes:
        forest: how their edges are paired.
        table: g(n) of each word, that of its last level being TOP, shape (s, W).
        step: ln(g(n) / g(n - 1)) for n from 1, shape (s - 1, W).
    """

    forest: _Forest
    table: Floats
    step: Floats

    def __call__(self, field: Floats) -> Floats:
        """Return -beta * hhat_ai of each leaf from its beta * h_ia, shape (B, leaves)."""
        without, held = self.forest.expectations(field, self.table[None], _Plain())
        without /= held
        return np.log(without, out=without)


class _WideGroup(_Group):
    """Words of which g ranges wider than products of floats do."""

    __slots__ = ()

    def __call__(self, field: Floats) -> Floats:
        """Return -beta * hhat_ai of each leaf from its beta * h_ia, shape (B, leaves)."""
        word, count = self.forest.word, self.forest.count
        tilt = self._tilt(field)  # shape (B, W)
        tilt[np.minimum(self.step, tilt[:, None]).sum(axis=1) <= _RANGE] = 0.0
        raised = tilt[:, word] * count
        table = np.where((tilt > 0)[:, None], self._tilted(tilt), self.table)
        without, held = self.forest.expectations(field + raised, table, _Plain())
        least = np.where(tilt > 0, _LEAST_TILTED, _LEAST_SUM)[:, word]
        lost = np.minimum(without, held) < least
        # A tilted g has an end: what comes after its last state must not matter.
        ends = (tilt == 0) | (table[:, -1] < _LEAST_TILTED * 1e-20)
        lost |= ~ends[:, word]
        without[lost] = held[lost] = 1.0
        result = np.log(without / held) - raised
        lost &= self.forest.edge >= 0
        runs = np.flatnonzero(lost.any(axis=1))
        if len(runs):
            logarithms = np.concatenate([np.zeros((1, len(self.step[0]))), np.cumsum(self.step, axis=0)])
            without, held = self.forest.expectations(field[runs], logarithms[None], _Logarithms())
            result[runs] = np.where(lost[runs], without - held, result[runs])
        return np.asarray(result)

    def _tilt(self, field: Floats) -> Floats:
        """Return t where g(n) exp(-t n) is largest at about the mean count of fields raised by t."""
        word, count = self.forest.word, self.forest.count
        low = np.zeros((len(field), len(self.step[0])))
        high = low + self.step[0]
        for _ in range(_HALVINGS):
            tilt = (low + high) / 2
            # Twice the chance that a leaf adds its count: no digits are needed where that is small.
            chance = np.tanh((field + tilt[:, word] * count) / 2) + 1
            below = self.forest.sums(chance * count) < 2 * (self.step > tilt[:, None]).sum(axis=1)
            np.copyto(low, tilt, where=below)
            np.copyto(high, tilt, where=~below)
        return np.asarray(high)

    def _tilted(self, tilt: Floats) -> Floats:
        """Return g(n) exp(-t n) of each word, the largest being 1, shape (B, s, W)."""
        rise = np.cumsum(self.step - tilt[:, None], axis=1)
        logarithm = np.concatenate([np.zeros((len(tilt), 1, tilt.shape[1])), rise], axis=1)
        return np.asarray(np.exp(logarithm - logarithm.max(axis=1, keepdims=True)))


# The trees


class _Numbers(Protocol):
    """Numbers of 0 and more, as they are or as their logarithms."""

    zero: float

    @property
    def times(self) -> np.ufunc:
        """What multiplies two numbers."""

    @property
    def plus(self) -> np.ufunc:
        """What adds two numbers."""

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        """Return sigmoid(-field) and sigmoid(field)."""

    def contract(self, left: Floats, right: Floats) -> Floats:
        """Return the sums of left[:, k, c, i] right[:, n, k, i] over k, shape (B, n, c * i)."""


class _Plain:
    """Numbers as they are."""

    zero, times, plus = 0.0, np.multiply, np.add

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        small = np.exp(-np.abs(field))
        part = 1 / (1 + small)
        small *= part
        below = field < 0
        return np.where(below, part, small), np.where(below, small, part)

    def contract(self, left: Floats, right: Floats) -> Floats:
        found = np.einsum("bkci,bnki->bnci", left, right)
        return np.asarray(found.reshape(*found.shape[:2], -1))


class _Logarithms:
    """Logarithms of numbers."""

    zero, times, plus = -np.inf, np.add, np.logaddexp

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        return -softplus(field), -softplus(-field)

    def contract(self, left: Floats, right: Floats) -> Floats:
        found = np.logaddexp.reduce(left[:, None] + right[:, :, :, None], axis=2)
        return np.asarray(found.reshape(*found.shape[:2], -1))


def _storeys(degree: Indices) -> Indices:
    """Return how many storeys the tree of each word has above its leaves."""
    return np.ceil(np.log2(degree)).astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class _Forest:
    """A tree of pairs for each word.

    A word of 5 to 8 edges has 8 leaves: those that have no edge add nothing. Node i of a storey has as its
    halves nodes i and M + i of the storey below, M being the nodes of its own storey. The nodes of the storey
    below that come after these 2 M are the roots of words with lower trees.

    Attributes:
        edge: the edge of each leaf, -1 where there is none, shape (L,).
        word: the word of each leaf; words with the highest trees come first, shape (L,).
        count: how often the sentence of each leaf holds the word, shape (L,).
        by_word: the leaves word by word, shape (L,).
        first: where each word begins among those, shape (W,).
        nodes: how many nodes each storey has, the leaves being the lowest.
        roots: the words whose root is in each storey.
        states: how many states the counts of the nodes of each storey have.
        sums_of_pairs: of each pair of leaves, where the count of the left, of the right and of both stands
            in an array of shape (s, L / 2), made flat, that has a row for each count; shape (3, L / 2).
        read: of each leaf, where the count of its twin, its own and both stand there; shape (3, L).
    """

    edge: Indices
    word: Indices
    count: Indices
    by_word: Indices
    first: Indices
    nodes: tuple[int, ...]
    roots: tuple[slice, ...]
    states: tuple[int, ...]
    sums_of_pairs: Indices
    read: Indices

    @classmethod
    def prepare(cls, first: Indices, degree: Indices, count: Indices, most: int) -> _Forest:
        """Return the trees of words with so many edges each, from the first of each on; highest trees first.

        Nodes have as many states as the counts of their edges need, but no more than ``most``.
        """
        storeys = _storeys(degree)
        top = int(storeys[0])
        word, place = np.zeros((2, 0), dtype=np.intp)
        nodes, roots = [0] * (top + 1), [slice(0)] * (top + 1)
        for storey in range(top, -1, -1):
            word = np.concatenate([word, word])
            place = np.concatenate([2 * place, 2 * place + 1])
            begin, end = np.searchsorted(-storeys, [-storey, -storey + 1])
            roots[storey] = slice(int(begin), int(end))
            word = np.concatenate([word, np.arange(begin, end)])
            place = np.concatenate([place, np.zeros(end - begin, dtype=np.intp)])
            nodes[storey] = len(word)
        is_edge = place < degree[word]
        edge = np.where(is_edge, first[word] + place, -1)
        own = np.where(is_edge, count[edge], 0)
        states, held = [2], own
        for above in [*nodes[1:], 0]:
            states.append(max(states[-1], min(most, int(held.max()) + 1)))
            held = held[:above] + held[above : 2 * above]
        pair = np.arange(nodes[1])
        del states[0]
        left, right = np.minimum(own, states[1] - 1).reshape(2, -1)
        both = np.minimum(left + right, states[1] - 1)
        at_left, at_right, at_both = (c * len(pair) + pair for c in (left, right, both))
        read = np.array([[at_right, at_left], [at_left, at_right], [at_both, at_both]]).reshape(3, -1)
        by_word = np.argsort(word, kind="stable")
        return cls(
            edge, word, own, by_word, np.searchsorted(word[by_word], np.arange(len(degree))),
            tuple(nodes), tuple(roots), tuple(states), np.array([at_left, at_right, at_both]), read,
        )  # fmt: skip

    def fields(self, cavity: Floats) -> Floats:
        """Return beta * h_ia of each leaf, shape (B, L), from those of the edges; a leaf without has -inf."""
        field = np.take(cavity, self.edge, axis=1, mode="wrap")
        np.copyto(field, -np.inf, where=self.edge < 0)
        return field

    def sums(self, values: Floats) -> Floats:
        """Return the sums over the leaves of each word, shape (B, W), of values of shape (B, L)."""
        return np.add.reduceat(np.take(values, self.by_word, axis=1), self.first, axis=1)

    def expectations(self, field: Floats, table: Floats, numbers: _Numbers) -> tuple[Floats, Floats]:
        """Return E[g(m)] and E[g(m + c)] of each leaf, shape (B, L).

        m is what all other leaves of its word add, and c its count. ``table`` is g(n) of each word, shape
        (B, most, W) or (1, most, W).
        """
        absent, present = numbers.sigmoids(field)
        runs, top = len(field), len(self.nodes) - 1
        storeys = self._upwards(absent, present, numbers) if top > 1 else []
        expected = np.empty((runs, self.states[top], self.nodes[top]))
        expected[:] = table[:, : self.states[top], self.roots[top]]
        for storey in range(top - 1, 0, -1):
            expected = self._downwards(storey, storeys[storey - 1], expected, table, numbers)
        # A leaf hears its twin, which adds its count or nothing, and what their pair hears.
        pairs = self.nodes[1]
        twin_absent, twin_present = (x.reshape(runs, 2, pairs)[:, ::-1] for x in (absent, present))
        none = expected[:, :1]
        twin, own, both = np.take(
            expected.reshape(runs, -1), self.read, axis=1, mode="clip"
        ).reshape(runs, 3, 2, pairs).swapaxes(0, 1)  # fmt: skip
        times, plus = numbers.times, numbers.plus
        times(twin, twin_present, out=twin)
        times(own, twin_absent, out=own)
        times(both, twin_present, out=both)
        without, held = plus(twin, times(none, twin_absent)), plus(own, both)
        return without.reshape(runs, -1), held.reshape(runs, -1)

    def _upwards(self, absent: Floats, present: Floats, numbers: _Numbers) -> list[Floats]:
        """Return the chances of the nodes of each storey between leaves and top, each shape (B, s, nodes)."""
        times, plus, half = numbers.times, numbers.plus, self.nodes[1]
        none, other = absent[:, :half], absent[:, half:]
        one, another = present[:, :half], present[:, half:]
        chances = np.full((len(absent), self.states[1], half), numbers.zero)
        times(none, other, out=chances[:, 0])
        flat = chances.reshape(len(absent), -1)
        at_left, at_right, at_both = self.sums_of_pairs
        added = ((at_left, (one, other)), (at_right, (none, another)), (at_both, (one, another)))
        for place, chance in added:
            flat[:, place] = plus(flat[:, place], times(*chance))
        storeys = [chances]
        for storey in range(2, len(self.nodes) - 1):
            above = self.nodes[storey]
            left, right = chances[..., :above], chances[..., above : 2 * above]
            chances = _joined(left, right, self.states[storey], numbers)
            storeys.append(chances)
        return storeys

    def _downwards(
        self, storey: int, chances: Floats, expected: Floats, table: Floats, numbers: _Numbers
    ) -> Floats:
        """Return E[g(n + what all others add)] of the nodes of a storey, from the same of the one above."""
        runs, states, nodes = chances.shape
        above = expected.shape[2]
        twins = chances[..., : 2 * above].reshape(runs, states, 2, above)[:, :, ::-1]
        now = np.empty((runs, states, nodes))
        now[..., 2 * above :] = table[:, :states, self.roots[storey]]
        now[..., : 2 * above] = _after(twins, expected, numbers)
        return now


def _joined(one: Floats, another: Floats, states: int, numbers: _Numbers) -> Floats:
    """Return the chances of the sum of two counts, shape (B, states, nodes).

    If the states are too few for all sums, the last stands for that many or more.
    """
    runs, size, nodes = one.shape
    # The chances of another count, a chance of zero, and the chances of n or more with n falling.
    rows = np.empty((runs, 2 * size + 1, nodes))
    rows[:, :size], rows[:, size] = another, numbers.zero
    numbers.plus.accumulate(another[:, ::-1], axis=1, out=rows[:, size + 1 :])
    other = np.take(rows, _rows_of_others(size, states), axis=1)
    return numbers.contract(one[:, :, None], other)


def _after(chances: Floats, expected: Floats, numbers: _Numbers) -> Floats:
    """Return the expectation of what is expected at n and a count more, for n of the states that it has.

    ``chances`` have the shape (B, s, 2, nodes), ``expected`` has (B, S, nodes); the answer is of shape
    (B, s, 2 nodes). Beyond its last state what is expected stays what it is there.
    """
    runs, size, _, nodes = chances.shape
    states = expected.shape[1]
    longer = np.empty((runs, 2 * size - 1, nodes))
    longer[:, :states], longer[:, states:] = expected, expected[:, -1:]
    # Row k of window n is row n + k: a view, since a copy would take as long as the sums.
    by_run, by_row, by_node = longer.strides
    windows = np.ndarray((runs, size, size, nodes), np.float64, longer, 0, (by_run, by_row, by_row, by_node))
    return numbers.contract(chances, windows)


@cache
def _rows_of_others(size: int, states: int) -> Indices:
    """Return the row in ``_joined`` of the count that makes n of k, shape (states, size).

    It is n - k; for the last n it is the row of n - k or more.
    """
    other = np.subtract.outer(np.arange(states), np.arange(size))
    rows = np.where((other >= 0) & (other < size), other, size)
    at_least = np.maximum(other[-1], 0)
    rows[-1] = np.where(at_least < size, 2 * size - at_least, size)
    return rows
