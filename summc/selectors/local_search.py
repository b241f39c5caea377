"""Local search: exchange chosen sentences for others until no exchange covers more.

The exchanges are: add one; one for one; two for one; one for two. What each sentence would gain, and what
more it would gain if a chosen one were gone, is kept up to date along the edges that change as sentences come
and go. Every value of a word is held as a multiple of one power of two, so fine that nothing is lost and so
coarse that every sum is exact: the answer does not depend on the order of additions, and so not on the
machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices
from summc.selectors.reduction import ReducedProblem

Mask = NDArray[np.bool_]

#: Two chosen sentences are tried for one while the table of these has at most so many entries.
_PAIRS = 20_000_000
#: One chosen sentence is tried for two of which the better is among so many, fewer in very large problems.
_FIRSTS, _OVERLAPS = 200, 4_000_000
_TWO = 2
#: Entries of the largest table of exchanges, with a row for each chosen sentence, to ask for: it has to fit
#: into memory, and into the work, several times.
TABLE = 10**7
#: More work than anyone waits for.
ENDLESS = 2**62


@dataclass(slots=True)
class State:
    """A choice, and what is known of every exchange. A chosen sentence sits in a slot.

    Attributes:
        chosen: whether each sentence is chosen, shape (n,).
        spent: what they cost together.
        member: the sentence in each slot, or -1, shape (s,).
        count: how many chosen sentences hold each word, shape (m,).
        owner: the sum of their slots; where just one holds it, its slot, shape (m,).
        gain: what each sentence would add, shape (n,).
        freed: what more it would add if the sentence in a slot were gone, shape (s, n).
        loss: what is lost with the sentence in each slot, shape (s,).
        addresses: of these arrays, for the compiled search, once it has asked; they change as the slots grow.
    """

    chosen: Mask
    spent: float
    member: Indices
    count: Indices
    owner: Indices
    gain: Floats
    freed: Floats
    loss: Floats
    addresses: Any = None

    def copy(self) -> State:
        """Return the same choice, to be changed by itself."""
        return State(
            self.chosen.copy(), self.spent, self.member.copy(), self.count.copy(),
            self.owner.copy(), self.gain.copy(), self.freed.copy(), self.loss.copy(),
        )  # fmt: skip

    def grow(self) -> None:
        """Have twice as many slots."""
        size, self.addresses = len(self.member), None
        self.member = np.concatenate([self.member, np.full(size, -1)])
        self.loss = np.concatenate([self.loss, np.zeros(size)])
        self.freed = np.concatenate([self.freed, np.zeros_like(self.freed)])


class LocalSearch:
    """The search on one problem; ``work`` counts the entries of tables that it went through.

    ``most_work`` of them end an improvement, which is no local optimum then.
    """

    def __init__(self, problem: ReducedProblem, budget: float, most_work: int = ENDLESS) -> None:
        self.cost, self.budget = exact_costs(problem.cost, budget), budget
        self.weight, self.own = exact_amounts(problem.weight, problem.own)
        by_sentence = np.lexsort((problem.edge_word, problem.edge_sentence))
        by_word = np.lexsort((problem.edge_sentence, problem.edge_word))
        self.words = _Lists(
            problem.edge_sentence[by_sentence], problem.edge_word[by_sentence], len(self.cost)
        )
        self.holders = _Lists(problem.edge_word[by_word], problem.edge_sentence[by_word], len(self.weight))
        self.by_cost = np.argsort(self.cost, kind="stable")
        self.most_work, self.work = most_work, 0

    def empty(self) -> State:
        """Return the choice of nothing."""
        n, m = len(self.cost), len(self.weight)
        words, sentence = self.words.at(np.arange(n))
        gain = self.own + np.bincount(sentence, weights=self.weight[words], minlength=n)
        return State(
            chosen=np.zeros(n, dtype=bool),
            spent=0.0,
            member=np.full(8, -1),
            count=np.zeros(m, dtype=np.intp),
            owner=np.zeros(m, dtype=np.intp),
            gain=gain,
            freed=np.zeros((8, n)),
            loss=np.zeros(8),
        )

    def choose(self, sentences: Indices) -> State:
        """Return the choice of given sentences."""
        state = self.empty()
        for i in sentences.tolist():
            self.add(state, i)
        return state

    def value(self, state: State) -> float:
        """Return the weight that a choice covers."""
        return float(self.weight[state.count > 0].sum() + self.own[state.chosen].sum())

    def fill(self, state: State, preference: Floats) -> None:
        """Add the sentence of largest gain x preference that fits, while one adds anything."""
        while True:
            usable = (self.cost <= self.budget - state.spent) & ~state.chosen & (state.gain > 0)
            if not usable.any():
                return
            self.work += len(self.cost)
            self.add(state, int(np.where(usable, state.gain * preference, -1.0).argmax()))

    def without(self, state: State, sentences: Indices) -> State:
        """Return the choice without some of its sentences."""
        new = state.copy()
        for i in sentences.tolist():
            self.remove(new, i)
        return new

    def improve(self, state: State) -> None:
        """Make the best exchange while there is one."""
        while self.work < self.most_work:
            slots = np.flatnonzero(state.member >= 0)
            table = _Table(state.member[slots], state.gain, state.freed[slots].T, state.loss[slots])
            self.work += table.freed.size
            out, into = self._best_single(state, table)
            if not into:
                out, into = self._best_two_for_one(state, table)
                if not into:
                    out, into = self._best_one_for_two(state, table)
            if not into:
                return
            for i in out:
                self.remove(state, i)
            for i in into:
                self.add(state, i)

    # The exchanges

    def _best_single(self, state: State, table: _Table) -> tuple[list[int], list[int]]:
        add = np.where((self.cost <= self.budget - state.spent) & ~state.chosen, table.gain, -1.0)
        best = int(add.argmax())
        if add[best] > 0:
            return [], [best]
        if not len(table.members):
            return [], []
        room = self.budget - state.spent + self.cost[table.members]
        # A row for each member, as the state has them: twice as quick as a row for each sentence.
        more = table.freed.T + table.gain
        more -= table.loss[:, None]
        np.copyto(more, -1.0, where=self.cost > room[:, None])
        more[:, table.members] = -1.0
        out, into = divmod(int(more.argmax()), len(self.cost))
        return ([int(table.members[out])], [into]) if more[out, into] > 0 else ([], [])

    def _best_two_for_one(self, state: State, table: _Table) -> tuple[list[int], list[int]]:
        k = len(table.members)
        if k < _TWO:
            return [], []
        # What a sentence brings in the place of a member, its gain aside, is at most nothing: one whose gain
        # does not make up for its two best places cannot stand in for a pair.
        place = table.freed - table.loss
        two_best = np.partition(place, k - 2, axis=1)[:, k - 2 :].sum(axis=1)
        rows = np.flatnonzero((table.gain + two_best > 0) & ~state.chosen)
        if not len(rows) or k * (k - 1) // 2 * len(rows) > _PAIRS:
            return [], []
        first, second = np.triu_indices(k, 1)
        more = place[rows][:, first] + place[rows][:, second] + table.gain[rows, None]
        self._charge_words_of_pairs(state, table, rows, more)
        room = self.budget - state.spent + self.cost[table.members[first]] + self.cost[table.members[second]]
        more[self.cost[rows, None] > room] = -1.0
        self.work += more.size
        row, out = divmod(int(more.argmax()), len(first))
        if more[row, out] <= 0:
            return [], []
        return [int(table.members[first[out]]), int(table.members[second[out]])], [int(rows[row])]

    def _charge_words_of_pairs(self, state: State, table: _Table, rows: Indices, more: Floats) -> None:
        """Take from each pair the words that just the two hold, less those that a row's sentence holds."""
        words, holder = self.words.at(table.members)
        twice = np.flatnonzero(state.count[words] == _TWO)
        if not len(twice):
            return
        twice = twice[np.argsort(words[twice], kind="stable")]
        left, right = holder[twice[::2]], holder[twice[1::2]]
        pair = left * len(table.members) - left * (left + 1) // 2 + right - left - 1
        weight = self.weight[words[twice[::2]]]
        more -= np.bincount(pair, weights=weight, minlength=more.shape[1])
        row_of = np.full(len(self.cost), -1)
        row_of[rows] = np.arange(len(rows))
        sentence, word = self.holders.at(words[twice[::2]])
        held = row_of[sentence] >= 0
        np.add.at(more, (row_of[sentence[held]], pair[word[held]]), weight[word[held]])

    def _best_one_for_two(self, state: State, table: _Table) -> tuple[list[int], list[int]]:
        best, found = 0.0, ([], [])  # type: tuple[float, tuple[list[int], list[int]]]
        room = self.budget - state.spent + self.cost[table.members]
        gains = table.gain[:, None] + table.freed
        gains[(self.cost[:, None] >= room) | state.chosen[:, None]] = 0.0
        if len(gains) < _TWO:
            return found
        two_best = np.partition(gains, len(gains) - 2, axis=0)[-2:].sum(axis=0)
        for j in np.flatnonzero(two_best > table.loss).tolist():
            gain, needed, out = gains[:, j], table.loss[j] + best, int(table.members[j])
            # Either of two must bring what the best that fits beside it leaves, the better more than half.
            beside = self._largest_within(gain, room[j] - self.cost)
            others = np.flatnonzero((gain > 0) & (gain + beside > needed))
            firsts = others[2 * gain[others] > needed]
            most = min(_FIRSTS, max(1, _OVERLAPS // len(gain)))
            firsts = firsts[np.argsort(-gain[firsts], kind="stable")][:most]
            if not len(firsts):
                continue
            overlap = self._overlap(state, firsts, out)[:, others]
            more = gain[firsts][:, None] + gain[others] - overlap - table.loss[j]
            more[self.cost[firsts][:, None] + self.cost[others] > room[j]] = -1.0
            more[firsts[:, None] == others] = -1.0
            self.work += more.size
            a, b = divmod(int(more.argmax()), len(others))
            if more[a, b] > best:
                best, found = float(more[a, b]), ([out], [int(firsts[a]), int(others[b])])
        return found

    def _largest_within(self, gain: Floats, room: Floats) -> Floats:
        """Return the largest gain of a sentence that costs no more than a room, for each of some rooms."""
        largest = np.concatenate([[-np.inf], np.maximum.accumulate(gain[self.by_cost])])
        return np.asarray(largest[np.searchsorted(self.cost[self.by_cost], room, side="right")])

    def _overlap(self, state: State, firsts: Indices, out: int) -> Floats:
        """Return what each of some sentences gains in common with every other, if a chosen one were gone."""
        held = np.zeros(len(self.weight), dtype=bool)
        held[self.words.of(out)] = True
        words, first = self.words.at(firsts)
        free = (state.count[words] == 0) | ((state.count[words] == 1) & held[words])
        words, first = words[free], first[free]
        sentence, word = self.holders.at(words)
        n = len(self.cost)
        overlap = np.bincount(
            first[word] * n + sentence, weights=self.weight[words][word], minlength=len(firsts) * n
        )
        return np.asarray(overlap.reshape(len(firsts), n), dtype=np.float64)

    # What changes with a sentence

    def add(self, state: State, i: int) -> None:
        """Choose one more sentence."""
        empty = np.flatnonzero(state.member < 0)
        if not len(empty):
            empty = np.array([len(state.member)])
            state.grow()
        slot = int(empty[0])
        words = self.words.of(i)
        new, shared = words[state.count[words] == 0], words[state.count[words] == 1]
        sentence, word = self.holders.at(new)
        np.subtract.at(state.gain, sentence, self.weight[new][word])
        np.add.at(state.freed[slot], sentence, self.weight[new][word])
        state.loss[slot] = self.own[i] + self.weight[new].sum()
        self._free(state, shared, -1.0)
        state.count[words] += 1
        state.owner[words] += slot
        state.member[slot], state.chosen[i] = i, True
        state.spent += float(self.cost[i])
        self.work += len(sentence)

    def remove(self, state: State, i: int) -> None:
        """Choose one sentence less."""
        slot = int(np.flatnonzero(state.member == i)[0])
        words = self.words.of(i)
        lost, left = words[state.count[words] == 1], words[state.count[words] == _TWO]
        sentence, word = self.holders.at(lost)
        np.add.at(state.gain, sentence, self.weight[lost][word])
        state.freed[slot], state.loss[slot] = 0.0, 0.0
        state.count[words] -= 1
        state.owner[words] -= slot
        self._free(state, left, 1.0)
        state.member[slot], state.chosen[i] = -1, False
        state.spent -= float(self.cost[i])
        self.work += len(sentence)

    def _free(self, state: State, words: Indices, sign: float) -> None:
        """Count words that one chosen sentence holds alone as its own, or no longer."""
        owner, weight = state.owner[words], sign * self.weight[words]
        sentence, word = self.holders.at(words)
        np.add.at(state.freed, (owner[word], sentence), weight[word])
        np.add.at(state.loss, owner, weight)
        self.work += len(sentence)


class _Lists:
    """A list of numbers for each of some keys, one after another in one array."""

    def __init__(self, keys: Indices, values: Indices, size: int) -> None:
        self.start = np.searchsorted(keys, np.arange(size + 1))
        self.values = values

    def of(self, key: int) -> Indices:
        """Return the list of one key."""
        return self.values[self.start[key] : self.start[key + 1]]

    def at(self, keys: Indices) -> tuple[Indices, Indices]:
        """Return the lists of several keys one after another, and of each entry the place of its key."""
        start = self.start[keys]
        length = self.start[keys + 1] - start
        place = np.repeat(np.arange(len(keys)), length)
        before = np.cumsum(length) - length
        return self.values[np.arange(len(place)) + (start - before)[place]], place


@dataclass(frozen=True, slots=True)
class _Table:
    """What exchanges need to know of a state.

    Attributes:
        members: the chosen sentences, shape (k,).
        gain: what each sentence would add, shape (n,).
        freed: what more it would add if a member were gone, shape (n, k).
        loss: what is lost with each member, shape (k,).
    """

    members: Indices
    gain: Floats
    freed: Floats
    loss: Floats


def exact_amounts(*amounts: Floats) -> tuple[Floats, ...]:
    """Return amounts rounded to multiples of one power of two such that every sum of them is exact."""
    total = sum(float(values.sum()) for values in amounts)
    if total <= 0:
        return amounts
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    return tuple(np.round(values / unit) * unit for values in amounts)


def exact_costs(cost: Floats, budget: float) -> Floats:
    """Return costs rounded up in the same way: what keeps a budget by these, in any order, keeps it.

    None is above the budget: what fits alone still does.
    """
    total = float(cost.sum())
    if total <= 0:
        return cost
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    return np.asarray(np.minimum(np.ceil(cost / unit) * unit, budget))
