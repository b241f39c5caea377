"""BP's messages from words to sentences, Eq. (5), for words of several levels, in NumPy.

``compiled/messages.c`` computes the same in C. Level n of a word is the weight of its nth occurrence, and
g(n) is the factor of n occurrences of the word in BP's partition function (``factors.py``). The message of
the word to a sentence that holds it c times is

    beta * hhat = ln(E[g(m + c)] / E[g(m)]),

where m is how often the other chosen sentences hold the word. m is random: sentence j is chosen with the
probability sigmoid(beta h_ja), and then adds its count to m. h_ja is the cavity field of sentence j, which is
its field without the message of this word. With one level this is Eq. (5).

The expectations over all sentences but one are computed in a binary tree whose leaves are the edges of the
word. On the way up, each node gets the probabilities of the count that its leaves add. They are the
probabilities of its left and right half, multiplied as polynomials. On the way down, each node gets, for each
n, the expectation of g(n + k), where k is the count of all leaves outside the node. On both ways only
positive numbers are added, so no digits are lost.

A storey is all nodes at the same height. The trees of many words are processed together, storey by storey.
Nodes are ordered so that the left halves of the nodes of a storey are one block in the storey below, and the
right halves are the next block, so no index lookup is needed.

If g exceeds the range of a float, it is tilted. This means that g(n) is replaced by g(n) exp(-t n), and that
each cavity field is raised by t times the count of its edge. The messages are then too small by t c, which is
added at the end. The tilt t is chosen so that the tilted g is largest at a likely count, which keeps the
important terms from underflowing. If one of them underflows even so, logarithms are used.

In shapes of arrays, B is the number of runs, E of edges, W of words, L of leaves, and s of the counts that
are distinguished, from 0 to s - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from summc.graph.coverage import run_from
from summc.records import Floats, Indices
from summc.selectors.factors import Steps, softplus

# The constants from TOP to _RANGE must be the same in messages.c.
#: g is scaled so that it has this value at the last level of a word.
TOP = 2.0**800
#: If E[g(m)] and E[g(m + c)] are at least this, no term that matters has underflowed.
_LEAST_SUM = 1e-45
#: The same limit for a tilted g, whose largest value is 1.
_LEAST_TILTED = 1e-80
#: A word needs no tilt if ln g at its last level is at most this.
_RANGE = 600.0
#: The number of bisection steps in the search for the tilt.
_HALVINGS = 12
#: At most about this many leaves, counted over all runs, are processed at once, so that the arrays stay in
#: the cache.
_LEAVES = 2**11


@dataclass(frozen=True, slots=True, eq=False)
class LevelledWords:
    """Words of which several occurrences have a weight, in groups of words whose arrays have the same shape.

    Each word has a binary tree whose leaves are its edges. The leaves are numbered group by group.

    Attributes:
        groups: the groups of words.
        leaves: the number of leaves of all groups.
        edge: the edges of all these words, in the order of their leaves.
        leaf: the leaf of each edge in ``edge``. Some leaves have no edge.
    """

    groups: tuple[_Group, ...]
    leaves: int
    edge: Indices
    leaf: Indices

    @classmethod
    def prepare(cls, first: Indices, degree: Indices, count: Indices, steps: Steps) -> LevelledWords:
        """Return the words of which several occurrences have a weight, in groups; other words are left out.

        The words of a group have arrays of the same size. Words for which g(n), the factor of n occurrences
        in BP's partition function, may exceed the range of floats are in groups of their own.

        There are W words and E edges, sorted by word. ``first`` and ``degree`` are the first edge and the
        number of edges of each word, shape (W,). ``count`` is how often the sentence of each edge holds the
        word, shape (E,). ``steps`` has ln(g(n) / g(n - 1)) for each occurrence n of a word that has a weight,
        and nothing for words of which only the first occurrence has one.
        """
        several = steps.length > 0
        first, degree, length = first[several], degree[several], steps.length[several]
        first_level = steps.start[:-1][several]
        wide = np.add.reduceat(steps.step, first_level) > _RANGE
        # A state is a count that the arrays distinguish. Round the number of states up to a power of two plus
        # one, so that there are few groups: every group costs time, however few words it has. Tilted words
        # need more states than levels, because a tilted g still changes (it falls) after the last level.
        states = np.maximum(2 ** np.ceil(np.log2(length)).astype(np.intp), 4) + 1
        states[wide] = 32 * np.ceil((1.4 * length[wide] + 1) / 32).astype(np.intp)
        factor = steps.factors(TOP)
        groups = []
        for size, is_wide in sorted(set(zip(states.tolist(), wide.tolist(), strict=True))):
            words = np.flatnonzero((states == size) & (wide == is_wide))
            # _Forest needs the words with the highest trees first.
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
        """Compute the messages of all words, and write them, with a minus sign, to ``result``.

        ``cavity`` is beta * h_ia of each edge in each of B runs, shape (B, E). ``result`` gets
        -beta * hhat_ai of each leaf, shape (B, leaves).
        """
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
    """Words for which counts from 0 to s - 1 are distinguished; the last one means "s - 1 or more".

    Attributes:
        forest: the trees of the words.
        table: g(n), the factor of n occurrences of each word, scaled so that its last value is TOP, shape
            (s, W).
        step: ln(g(n) / g(n - 1)) for n from 1, shape (s - 1, W).
    """

    forest: _Forest
    table: Floats
    step: Floats

    def __call__(self, field: Floats) -> Floats:
        """Return the negative message -beta * hhat_ai of each leaf, shape (B, leaves).

        ``field`` is the cavity field beta * h_ia of each leaf, shape (B, leaves).
        """
        without, held = self.forest.expectations(field, self.table[None], _Plain())
        without /= held
        return np.log(without, out=without)


class _WideGroup(_Group):
    """Words whose factor g(n) exceeds the range of floats, so that it is tilted: g(n) exp(-t n) is used."""

    __slots__ = ()

    def __call__(self, field: Floats) -> Floats:
        """Return the negative message -beta * hhat_ai of each leaf, shape (B, leaves).

        ``field`` is the cavity field beta * h_ia of each leaf, shape (B, leaves).
        """
        word, count = self.forest.word, self.forest.count
        tilt = self._tilt(field)  # shape (B, W)
        tilt[np.minimum(self.step, tilt[:, None]).sum(axis=1) <= _RANGE] = 0.0
        raised = tilt[:, word] * count
        table = np.where((tilt > 0)[:, None], self._tilted(tilt), self.table)
        without, held = self.forest.expectations(field + raised, table, _Plain())
        least = np.where(tilt > 0, _LEAST_TILTED, _LEAST_SUM)[:, word]
        lost = np.minimum(without, held) < least
        # The table has only the states up to its last one. A tilt is safe only if the tilted g is negligible
        # in the last state, because later counts are treated like this state.
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
        """Return the tilt t of each word in each run, shape (B, W).

        It is chosen by bisection so that g(n) exp(-t n) is largest near the mean count n, if the field of
        each leaf is raised by t times its count.
        """
        word, count = self.forest.word, self.forest.count
        low = np.zeros((len(field), len(self.step[0])))
        high = low + self.step[0]
        for _ in range(_HALVINGS):
            tilt = (low + high) / 2
            # 1 + tanh(x / 2) is 2 sigmoid(x). It is inexact where it is small, but t may be approximate.
            chance = np.tanh((field + tilt[:, word] * count) / 2) + 1
            below = self.forest.sums(chance * count) < 2 * (self.step > tilt[:, None]).sum(axis=1)
            np.copyto(low, tilt, where=below)
            np.copyto(high, tilt, where=~below)
        return np.asarray(high)

    def _tilted(self, tilt: Floats) -> Floats:
        """Return g(n) exp(-t n) of each word, scaled so that its largest value is 1, shape (B, s, W).

        ``tilt`` is t of each word in each run, shape (B, W).
        """
        rise = np.cumsum(self.step - tilt[:, None], axis=1)
        logarithm = np.concatenate([np.zeros((len(tilt), 1, tilt.shape[1])), rise], axis=1)
        return np.asarray(np.exp(logarithm - logarithm.max(axis=1, keepdims=True)))


# The trees


class _Numbers(Protocol):
    """Arithmetic on nonnegative numbers, which are stored either as they are or as logarithms.

    ``zero`` is the stored form of the number 0.
    """

    zero: float

    @property
    def times(self) -> np.ufunc:
        """The ufunc that multiplies two numbers."""

    @property
    def plus(self) -> np.ufunc:
        """The ufunc that adds two numbers."""

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        """Return sigmoid(-field) and sigmoid(field), the probabilities of "not chosen" and "chosen"."""

    def contract(self, left: Floats, right: Floats) -> Floats:
        """Return the sums over k of left[:, k, c, i] * right[:, n, k, i], shape (B, n, c * i)."""


class _Plain:
    """Arithmetic on numbers that are stored as they are."""

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
    """Arithmetic on numbers that are stored as logarithms, so that they cannot underflow."""

    zero, times, plus = -np.inf, np.add, np.logaddexp

    def sigmoids(self, field: Floats) -> tuple[Floats, Floats]:
        return -softplus(field), -softplus(-field)

    def contract(self, left: Floats, right: Floats) -> Floats:
        found = np.logaddexp.reduce(left[:, None] + right[:, :, :, None], axis=2)
        return np.asarray(found.reshape(*found.shape[:2], -1))


def _storeys(degree: Indices) -> Indices:
    """Return the height above the leaves of each word's binary tree, given its number of edges."""
    return np.ceil(np.log2(degree)).astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class _Forest:
    """A binary tree for each word, whose leaves are the word's edges.

    The number of leaves is a power of two. For example, a word of 5 to 8 edges has 8 leaves. Leaves without
    an edge add nothing. A storey is all nodes at the same height. If a storey has M nodes, the left and right
    half of its node i are the nodes i and M + i of the storey below. If the storey below has more than 2 M
    nodes, the rest are the roots of words with lower trees.

    Attributes:
        edge: the edge of each leaf, or -1 if the leaf has none, shape (L,).
        word: the word of each leaf, shape (L,); words with the highest trees come first.
        count: how often the sentence of each leaf holds the word, shape (L,).
        by_word: the leaves sorted by word, shape (L,).
        first: the index in ``by_word`` where each word begins, shape (W,).
        nodes: the number of nodes of each storey; storey 0 has the leaves.
        roots: for each storey, the words whose root is in this storey.
        states: for each storey, the number s of counts that are distinguished: 0 to s - 1.
        sums_of_pairs: for each pair of leaves, the flat index of the left count, the right count and their
            sum in an array of shape (s, L / 2) with a row for each count; shape (3, L / 2).
        read: for each leaf, the flat index of three counts in the same array: that of its twin (the other
            leaf of its pair), its own, and their sum; shape (3, L).
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
        """Return the trees of words; the words with the highest trees must come first.

        ``first`` and ``degree`` are the first edge and the number of edges of each word, and ``count`` is the
        count of each edge. A node distinguishes as many counts as its edges can add, but at most ``most``.
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
        """Return the cavity field beta * h_ia of each leaf, shape (B, L); -inf for a leaf without an edge.

        ``cavity`` is beta * h_ia of each edge, shape (B, E).
        """
        field = np.take(cavity, self.edge, axis=1, mode="wrap")
        np.copyto(field, -np.inf, where=self.edge < 0)
        return field

    def sums(self, values: Floats) -> Floats:
        """Return the sum of values over the leaves of each word, shape (B, W).

        ``values`` has a value for each leaf, shape (B, L).
        """
        return np.add.reduceat(np.take(values, self.by_word, axis=1), self.first, axis=1)

    def expectations(self, field: Floats, table: Floats, numbers: _Numbers) -> tuple[Floats, Floats]:
        """Return E[g(m)] and E[g(m + c)] of each leaf, shape (B, L).

        m is the count that all other leaves of the word add, and c is the leaf's own count. ``field`` is
        beta * h_ia of each leaf, shape (B, L). ``table`` is g(n) of each word, shape (B, most, W) or
        (1, most, W).
        """
        absent, present = numbers.sigmoids(field)
        runs, top = len(field), len(self.nodes) - 1
        storeys = self._upwards(absent, present, numbers) if top > 1 else []
        expected = np.empty((runs, self.states[top], self.nodes[top]))
        expected[:] = table[:, : self.states[top], self.roots[top]]
        for storey in range(top - 1, 0, -1):
            expected = self._downwards(storey, storeys[storey - 1], expected, table, numbers)
        # ``expected`` now is the expectation over all leaves outside each pair. For each leaf of a pair, the
        # other leaf (its twin) still has to be included: it adds its count, or nothing.
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
        """Return the probabilities of the count that each node's leaves add, one array for each storey.

        A storey is all nodes at the same height. The list has every storey except the leaves and the top, as
        arrays of shape (B, s, nodes). ``absent`` and ``present`` are the probabilities that the sentence of
        each leaf is not chosen, and that it is chosen.
        """
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
        """Return E[g(n + k)] of each node of a storey, where k is the count of all leaves outside the node.

        A storey is all nodes at the same height. ``expected`` is E[g(n + k)] of the nodes of the storey
        above. ``chances`` are the probabilities of the counts that the nodes of this storey add. ``table`` is
        g(n) of each word, for the words whose root is in this storey.
        """
        runs, states, nodes = chances.shape
        above = expected.shape[2]
        twins = chances[..., : 2 * above].reshape(runs, states, 2, above)[:, :, ::-1]
        now = np.empty((runs, states, nodes))
        now[..., 2 * above :] = table[:, :states, self.roots[storey]]
        now[..., : 2 * above] = _after(twins, expected, numbers)
        return now


def _joined(one: Floats, another: Floats, states: int, numbers: _Numbers) -> Floats:
    """Return the probabilities of the sum of two independent counts, shape (B, states, nodes).

    ``one`` and ``another`` are the probabilities of the two counts, shape (B, s, nodes). If there are fewer
    states than possible sums, the last state means "this sum or more".
    """
    runs, size, nodes = one.shape
    # Rows: P(other count = n) for rising n, then a zero, then P(other count >= n) for falling n.
    rows = np.empty((runs, 2 * size + 1, nodes))
    rows[:, :size], rows[:, size] = another, numbers.zero
    numbers.plus.accumulate(another[:, ::-1], axis=1, out=rows[:, size + 1 :])
    other = np.take(rows, _rows_of_others(size, states), axis=1)
    return numbers.contract(one[:, :, None], other)


def _after(chances: Floats, expected: Floats, numbers: _Numbers) -> Floats:
    """Return the expectation of expected[n + k] over a random count k, for each n below s.

    This is the sum over k of chances[k] * expected[n + k], shape (B, s, 2 nodes). ``chances`` are the
    probabilities of k, shape (B, s, 2, nodes). ``expected`` has shape (B, S, nodes) and is constant beyond
    its last entry S - 1.
    """
    runs, size, _, nodes = chances.shape
    states = expected.shape[1]
    longer = np.empty((runs, 2 * size - 1, nodes))
    longer[:, :states], longer[:, states:] = expected, expected[:, -1:]
    # Row k of window n is row n + k of ``longer``. Use a view, because a copy would take as long as the sums.
    by_run, by_row, by_node = longer.strides
    windows = np.ndarray((runs, size, size, nodes), np.float64, longer, 0, (by_run, by_row, by_row, by_node))
    return numbers.contract(chances, windows)


@cache
def _rows_of_others(size: int, states: int) -> Indices:
    """Return which row of ``rows`` in ``_joined`` belongs to each sum n and first count k.

    The shape is (states, size). It is the row of the probability that the other count is n - k. For the last
    n, it is the row of the probability that the other count is n - k or more.
    """
    other = np.subtract.outer(np.arange(states), np.arange(size))
    rows = np.where((other >= 0) & (other < size), other, size)
    at_least = np.maximum(other[-1], 0)
    rows[-1] = np.where(at_least < size, 2 * size - at_least, size)
    return rows
