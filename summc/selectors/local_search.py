"""Local search: exchange chosen sentences for others until no exchange covers more.

The exchanges are: add one; one for one; two for one; one for two. What each sentence would gain, and what
more it would gain if a chosen one were gone, is kept up to date along the edges that change as sentences come
and go. Every weight is held as a multiple of one power of two, so fine that nothing is lost and so coarse
that every sum is exact: the answer does not depend on the order of additions, and so not on the machine.

V(n) is what n occurrences of a word are worth (``summc.coverage``), and step(n, c) = V(n + c) - V(n) what c
more are. Let the choice hold a word n times, and sentence i hold it c_i times. Then, summed over words,

- sentence i would add step(n, c_i);
- without the chosen sentence k, step(n - c_k, c_k) is lost;
- without k, sentence i would add step(n - c_k, c_i) - step(n, c_i) more.

With one level the last two concern just the words that k holds alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summc.coverage import Curves, make_curves
from summc.records import Floats, Indices
from summc.selectors.reduction import ReducedProblem

Mask = NDArray[np.bool_]

#: Two chosen sentences are tried for one while the table of these has at most so many entries.
_PAIRS = 20_000_000
#: One chosen sentence is tried for two of which the better is among so many, fewer in very large problems.
_FIRSTS, _OVERLAPS = 200, 4_000_000
_TWO = 2
#: Entries of one table of changes in numpy: what has more is worked through in parts.
_CHANGES = 2_000_000
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
        count: how often the chosen sentences hold each word, shape (m,).
        gain: what each sentence would add, shape (n,).
        freed: what more it would add if the sentence in a slot were gone, shape (s, n).
        loss: what is lost with the sentence in each slot, shape (s,).
        addresses: of these arrays, for the compiled search, once it has asked; they change as the slots grow.
    """

    chosen: Mask
    spent: float
    member: Indices
    count: Indices
    gain: Floats
    freed: Floats
    loss: Floats
    addresses: Any = None

    def copy(self) -> State:
        """Return the same choice, to be changed by itself."""
        return State(
            self.chosen.copy(), self.spent, self.member.copy(), self.count.copy(),
            self.gain.copy(), self.freed.copy(), self.loss.copy(),
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
        weight, further, self.own = exact_amounts(problem.weight, problem.further, problem.own)
        self.curves: Curves = make_curves(weight, further, problem.further_start)
        self.levels = self.curves.levels
        sentence, word, count = problem.edge_sentence, problem.edge_word, problem.count
        by_sentence = np.lexsort((word, sentence))
        self.words = Lists(sentence[by_sentence], word[by_sentence], count[by_sentence], len(self.cost))
        # By count: what changes for those that hold a word depends on how often they do, and on nothing else.
        by_word = np.lexsort((sentence, count, word))
        self.holders = Lists(word[by_word], sentence[by_word], count[by_word], len(weight))
        self.degree = np.diff(self.holders.start)
        self.by_cost = np.argsort(self.cost, kind="stable")
        self.most_work, self.work = most_work, 0
        #: What all sentences together cover: no choice covers more.
        met = np.bincount(word, count, len(weight)).astype(np.intp)
        self.everything = float(self.curves.at(np.arange(len(weight)), met).sum() + self.own.sum())
        #: What each sentence covers by itself.
        alone = np.bincount(sentence, weights=self.curves.at(word, count), minlength=len(self.cost))
        self.alone = np.asarray(self.own + alone)

    def empty(self) -> State:
        """Return the choice of nothing."""
        n, m = len(self.cost), len(self.levels)
        return State(
            chosen=np.zeros(n, dtype=bool),
            spent=0.0,
            member=np.full(8, -1),
            count=np.zeros(m, dtype=np.intp),
            gain=self.alone.copy(),
            freed=np.zeros((8, n)),
            loss=np.zeros(8),
        )

    def choose(self, sentences: Indices) -> State:
        """Return the choice of given sentences."""
        state = self.empty()
        self.exchange(state, [], sentences.tolist())
        return state

    def value(self, state: State) -> float:
        """Return the weight that a choice covers."""
        covered = self.curves.at(np.arange(len(state.count)), state.count)
        return float(covered.sum() + self.own[state.chosen].sum())

    def fill(self, state: State, preference: Floats) -> None:
        """Add the sentence of largest gain x preference that fits, while one adds anything."""
        before, stays = state.count.copy(), state.chosen.copy()
        while True:
            usable = (self.cost <= self.budget - state.spent) & ~state.chosen & (state.gain > 0)
            if not usable.any():
                break
            self.work += len(self.cost)
            self._put_in(state, int(np.where(usable, state.gain * preference, -1.0).argmax()))
        self._settle(state, before, stays)

    def without(self, state: State, sentences: Indices) -> State:
        """Return the choice without some of its sentences."""
        new = state.copy()
        self.exchange(new, sentences.tolist(), [])
        return new

    def refilled(self, state: State, gone: Indices, preference: Floats) -> State:
        """Return a local optimum near a choice: without some sentences, filled again and improved."""
        new = self.without(state, gone)
        self.fill(new, preference)
        self.improve(new)
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
            self.exchange(state, out, into)

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
        """Correct each pair for the words that both hold: without both, more is lost than without each.

        With one level these are the words that just the two hold, less those that a row's sentence holds.
        """
        words, count, member = self.words.at(table.members)
        by_word = np.argsort(words, kind="stable")
        words, count, member = words[by_word], count[by_word], member[by_word]
        row_of = np.full(len(self.cost), -1)
        row_of[rows] = np.arange(len(rows))
        for apart in range(1, len(table.members)):  # in the list of a word, the two stand so far apart
            first = np.flatnonzero(words[apart:] == words[:-apart])
            if not len(first):
                break
            both = count[first] + count[first + apart]
            first = first[state.count[words[first]] - both < self.levels[words[first]]]
            word, one, other = words[first], count[first], count[first + apart]
            left, right = member[first], member[first + apart]
            pair = left * len(table.members) - left * (left + 1) // 2 + right - left - 1
            nothing = self._beside_both(state, word, one, other, np.zeros_like(word))
            more += np.bincount(pair, weights=nothing, minlength=more.shape[1])
            sentence, held, place = self.holders.at(word)
            kept = np.flatnonzero(row_of[sentence] >= 0)
            sentence, held, place = sentence[kept], held[kept], place[kept]
            change = self._beside_both(state, word[place], one[place], other[place], held) - nothing[place]
            np.add.at(more, (row_of[sentence], pair[place]), change)

    def _beside_both(
        self, state: State, word: Indices, one: Indices, other: Indices, held: Indices
    ) -> Floats:
        """Return what removing two members changes of words beyond what removing each does; at most 0.

        ``one``, ``other`` and ``held``: how often either, and the sentence in their place, hold the word.
        """
        rest, step = state.count[word] + held - one, self.curves.step
        return step(word, rest, one) - step(word, rest - other, one)

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
        count = state.count.copy()
        gone, held, _ = self.words.at(np.array([out]))
        count[gone] -= held
        words, one, first = self.words.at(firsts)
        free = count[words] < self.levels[words]
        words, one, first = words[free], one[free], first[free]
        sentence, other, place = self.holders.at(words)
        word, n, one = words[place], count[words][place], one[place]
        common = self.curves.step(word, n, one) - self.curves.step(word, n + other, one)
        size = len(self.cost)
        overlap = np.bincount(first[place] * size + sentence, weights=common, minlength=len(firsts) * size)
        return np.asarray(overlap.reshape(len(firsts), size), dtype=np.float64)

    # What changes with a sentence

    def add(self, state: State, i: int) -> None:
        """Choose one more sentence."""
        self.exchange(state, [], [i])

    def remove(self, state: State, i: int) -> None:
        """Choose one sentence less."""
        self.exchange(state, [i], [])

    def exchange(self, state: State, out: Sequence[int], into: Sequence[int]) -> None:
        """Choose some sentences no more, and others."""
        before, stays = state.count.copy(), state.chosen.copy()
        for i in out:
            self._take_out(state, i)
        for i in into:
            self._put_in(state, i)
        self._settle(state, before, stays)

    def _put_in(self, state: State, i: int) -> None:
        """Put a sentence into a slot; what its absence would free is left to be settled."""
        empty = np.flatnonzero(state.member < 0)
        if not len(empty):
            empty = np.array([len(state.member)])
            state.grow()
        slot = int(empty[0])
        self._count_words(state, i, 1)
        state.loss[slot] = self.own[i]
        state.member[slot], state.chosen[i] = i, True
        state.spent += float(self.cost[i])

    def _take_out(self, state: State, i: int) -> None:
        """Take a sentence out of its slot; what that frees for the others is left to be settled."""
        slot = int(np.flatnonzero(state.member == i)[0])
        self._count_words(state, i, -1)
        state.freed[slot], state.loss[slot] = 0.0, 0.0
        state.member[slot], state.chosen[i] = -1, False
        state.spent -= float(self.cost[i])

    def _count_words(self, state: State, i: int, sign: int) -> None:
        """Count the words of a sentence in or out, and bring up to date what every sentence would add."""
        words, count, _ = self.words.at(np.array([i]))
        before = state.count[words]
        after = before + sign * count
        state.count[words] = after
        others, levels = np.minimum(before, after), self.levels[words]
        matter = np.flatnonzero(others < levels)
        sentence, held, place = self.holders.at(words[matter])
        word, before, after = words[matter][place], before[matter][place], after[matter][place]
        change = self.curves.step(word, after, held) - self.curves.step(word, before, held)
        np.add.at(state.gain, sentence, change)
        # Work: once for the gains, and once for the members that hold the word too, if it matters to them.
        passes = (others < levels) + ((others > 0) & (others <= levels)).astype(np.intp)
        self.work += int((passes * self.degree[words]).sum())

    def _settle(self, state: State, before: Indices, stays: Mask) -> None:
        """Bring up to date what is lost with each member, and what every sentence would add more without it.

        ``before`` is how often the choice held each word when that was last known, ``stays`` which sentences
        it had then. A word of many levels matters to all members that hold it, so this is done once for all
        sentences that came and went together.
        """
        slots, step = np.flatnonzero(state.member >= 0), self.curves.step
        words, count, place = self.words.at(state.member[slots])
        slot, new = slots[place], ~stays[state.member[slots]][place]
        now = state.count[words]
        # A word matters to a member unless the others cover all its levels.
        others = np.where(new, now, np.minimum(now, before[words])) - count
        entries = np.flatnonzero((new | (now != before[words])) & (others < self.levels[words]))
        size = int(self.degree[words[entries]].sum())
        for part in np.array_split(entries, 1 + size // _CHANGES):
            word, held, old = words[part], count[part], before[words[part]]
            # Of a new member nothing is known: as if it had held none of its words before.
            was_held = np.where(new[part], 0, held)
            lost = step(word, now[part] - held, held) - step(word, old - was_held, was_held)
            np.add.at(state.loss, slot[part], lost)
            sentence, more, each = self.holders.at(word)
            word, rest, old_rest = word[each], (now[part] - held)[each], (old - was_held)[each]
            change = step(word, rest, more) - step(word, now[part][each], more)
            change -= step(word, old_rest, more) - step(word, old[each], more)
            np.add.at(state.freed, (slot[part][each], sentence), change)


class Lists:
    """A list of numbers for each of some keys, one after another in one array; each with a count."""

    def __init__(self, keys: Indices, values: Indices, counts: Indices, size: int) -> None:
        self.start = np.searchsorted(keys, np.arange(size + 1))
        self.values, self.counts = values, counts

    def at(self, keys: Indices) -> tuple[Indices, Indices, Indices]:
        """Return the lists of several keys in one: values, counts, and of each the place of its key."""
        start = self.start[keys]
        length = self.start[keys + 1] - start
        place = np.repeat(np.arange(len(keys)), length)
        before = np.cumsum(length) - length
        entry = np.arange(len(place)) + (start - before)[place]
        return self.values[entry], self.counts[entry], place


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
