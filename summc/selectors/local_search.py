"""Local search: exchange chosen sentences for others until no exchange covers more.

There are four kinds of exchange: add one sentence; remove one and add one; remove two and add one; remove one
and add two. The gain of a sentence is the weight that it would add to the selection. The search maintains the
gain of each sentence, and how much larger the gain would be if a chosen sentence were removed. When sentences
are added or removed, only the affected edges are updated. All weights are rounded to multiples of one power
of two, chosen so that every sum is exact. The answer therefore depends neither on the order of additions nor
on the machine.

V(n) is the worth of n occurrences of a word (``graph.coverage``), and step(n, c) = V(n + c) - V(n) is the
worth of c more occurrences. If the selection holds a
word n times, and sentence i holds the word c_i times, then, summed over words,

- adding sentence i gains step(n, c_i);
- removing the chosen sentence k loses step(n - c_k, c_k);
- after removing k, adding sentence i gains step(n - c_k, c_i) - step(n, c_i) more than before.

If words have one level, the last two sums involve only the words that no chosen sentence except k holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summc.graph.coverage import Curves, make_curves
from summc.records import Floats, Indices
from summc.selectors.reduction import ReducedProblem

Mask = NDArray[np.bool_]

#: Exchanges that remove two sentences and add one are tried only if their table has at most this many
#: entries.
_PAIRS = 20_000_000
#: Exchanges that remove one sentence and add two: ``_FIRSTS`` candidates are tried for the better of the two
#: sentences. In very large problems it is fewer, so that the table of overlaps has at most ``_OVERLAPS``
#: entries.
_FIRSTS, _OVERLAPS = 200, 4_000_000
_TWO = 2
#: The largest number of changes of ``freed`` computed at once in NumPy. More changes are computed in parts.
_CHANGES = 2_000_000
#: Callers should keep the number of chosen sentences times the number of sentences at or below this. Several
#: tables of this size must fit into memory, and processing them into the limit on work.
TABLE = 10**7
#: A limit on work that is never reached.
ENDLESS = 2**62
#: ``varied`` multiplies by a random number of hundredths in this range. Hundredths are drawn as integers, so
#: that the factors are the same on every machine.
_LEAST, _MOST = 60, 160


@dataclass(slots=True)
class State:
    """A selection, with the gains and losses from which the value of every exchange is computed.

    There are n sentences and m words. The arrays ``member``, ``freed`` and ``loss`` have s places (slots),
    and each chosen sentence has one of them. There may be empty slots.

    Attributes:
        chosen: whether each sentence is chosen, shape (n,).
        spent: the total cost of the chosen sentences.
        member: the sentence in each slot, or -1 if the slot is empty, shape (s,).
        count: how often the chosen sentences hold each word, shape (m,).
        gain: the weight each sentence would add, shape (n,).
        freed: how much more each sentence would add if the sentence in a slot were removed, shape (s, n).
        loss: the weight lost by removing the sentence in each slot, shape (s,).
        addresses: the memory addresses of these arrays for the compiled search, or None if not known yet.
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
        """Return a copy that shares no array with this state."""
        return State(
            self.chosen.copy(), self.spent, self.member.copy(), self.count.copy(),
            self.gain.copy(), self.freed.copy(), self.loss.copy(),
        )  # fmt: skip

    def grow(self) -> None:
        """Double the number of slots, which is the number of sentences that can be chosen."""
        size, self.addresses = len(self.member), None
        self.member = np.concatenate([self.member, np.full(size, -1)])
        self.loss = np.concatenate([self.loss, np.zeros(size)])
        self.freed = np.concatenate([self.freed, np.zeros_like(self.freed)])


def scales_of(cost: Floats) -> tuple[Floats, Floats]:
    """Return 1 / cost and 1 / sqrt(cost) of each sentence, each of shape (n,).

    Multiplied by them, the gains of sentences rank the sentences. A search uses the two rankings in turn, so
    that it reaches different selections. A sentence of cost 0 gets a very large number.
    """
    per_word = np.divide(1.0, cost, out=np.full(len(cost), 1e9), where=cost > 0)
    return per_word, np.sqrt(per_word)


def varied(scale: Floats, rng: np.random.Generator) -> Floats:
    """Return ``scale``, with each entry multiplied by a random factor from 0.6 to 1.59, shape (n,)."""
    return np.asarray(scale * (rng.integers(_LEAST, _MOST, len(scale)) / 100))


class LocalSearch:
    """Local search on one problem.

    ``work`` counts the table entries processed so far. When it reaches ``most_work``, ``improve`` stops, even
    if an exchange would still cover more.
    """

    def __init__(self, problem: ReducedProblem, budget: float, most_work: int = ENDLESS) -> None:
        self.cost, self.budget = exact_costs(problem.cost, budget), budget
        weight, repeats, self.own = exact_amounts(problem.weight, problem.repeats, problem.own)
        self.curves: Curves = make_curves(weight, repeats, problem.repeats_start)
        self.levels = self.curves.levels
        sentence, word, count = problem.edge_sentence, problem.edge_word, problem.count
        by_sentence = np.lexsort((word, sentence))
        self.words = Lists(sentence[by_sentence], word[by_sentence], count[by_sentence], len(self.cost))
        # Sort the sentences that hold a word by count, because the gains of sentences with the same count
        # change by the same amount.
        by_word = np.lexsort((sentence, count, word))
        self.holders = Lists(word[by_word], sentence[by_word], count[by_word], len(weight))
        self.degree = np.diff(self.holders.start)
        self.by_cost = np.argsort(self.cost, kind="stable")
        self.most_work, self.work = most_work, 0
        #: The weight that all sentences together cover: no selection covers more.
        times = np.bincount(word, count, len(weight)).astype(np.intp)
        self.everything = float(self.curves.at(np.arange(len(weight)), times).sum() + self.own.sum())
        #: The weight that each sentence covers alone.
        alone = np.bincount(sentence, weights=self.curves.at(word, count), minlength=len(self.cost))
        self.alone = np.asarray(self.own + alone)

    def empty(self) -> State:
        """Return the state of the empty selection."""
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
        """Return the state in which the given sentences are chosen."""
        state = self.empty()
        self.exchange(state, [], sentences.tolist())
        return state

    def value(self, state: State) -> float:
        """Return the weight that a selection covers."""
        covered = self.curves.at(np.arange(len(state.count)), state.count)
        return float(covered.sum() + self.own[state.chosen].sum())

    def fill(self, state: State, preference: Floats) -> None:
        """Add sentences until no sentence that fits adds weight.

        Each time, add the sentence that fits and has the largest product of gain and preference. The gain is
        the weight that the sentence adds.
        """
        before, stays = state.count.copy(), state.chosen.copy()
        while True:
            usable = (self.cost <= self.budget - state.spent) & ~state.chosen & (state.gain > 0)
            if not usable.any():
                break
            self.work += len(self.cost)
            self._put_in(state, int(np.where(usable, state.gain * preference, -1.0).argmax()))
        self._settle(state, before, stays)

    def without(self, state: State, sentences: Indices) -> State:
        """Return a copy of the selection without the given sentences."""
        new = state.copy()
        self.exchange(new, sentences.tolist(), [])
        return new

    def refilled(self, state: State, gone: Indices, preference: Floats) -> State:
        """Return a copy of the selection without the sentences ``gone``, then filled and improved.

        The budget is filled in order of gain times ``preference``, an array of shape (n,).
        """
        new = self.without(state, gone)
        self.fill(new, preference)
        self.improve(new)
        return new

    def improve(self, state: State) -> None:
        """Exchange sentences until no exchange covers more weight, or until the limit on work is reached."""
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

    # Finding exchanges: each method returns the sentences to remove and those to add, or two empty lists.

    def _best_single(self, state: State, table: _Table) -> tuple[list[int], list[int]]:
        add = np.where((self.cost <= self.budget - state.spent) & ~state.chosen, table.gain, -1.0)
        best = int(add.argmax())
        if add[best] > 0:
            return [], [best]
        if not len(table.members):
            return [], []
        room = self.budget - state.spent + self.cost[table.members]
        # The table has a row for each member, like ``state.freed``. This is twice as fast as a row for each
        # sentence.
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
        # freed - loss is at most 0. So a sentence can replace a pair of members with profit only if its gain
        # plus its two largest values of freed - loss is above 0.
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
        """Correct ``more``, the weight gained by replacing a pair of chosen sentences (members) by another.

        ``more`` has a row for each sentence in ``rows`` and a column for each pair. It was computed from the
        losses of removing each member alone, but removing both loses more than the sum of these, because of
        the words that both hold. If only first occurrences of words have a weight, the difference is the
        weight of the words that both members hold, but no other chosen sentence and not the sentence of the
        row.
        """
        words, count, member = self.words.at(table.members)
        by_word = np.argsort(words, kind="stable")
        words, count, member = words[by_word], count[by_word], member[by_word]
        row_of = np.full(len(self.cost), -1)
        row_of[rows] = np.arange(len(rows))
        # Entries of the same word are neighbors now. Compare entries that are 1, 2, ... places apart, to find
        # all pairs of members that hold the same word.
        for apart in range(1, len(table.members)):
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
        """Return, for each word, the sum of two single losses minus the joint loss; it is at most 0.

        A single loss is the weight of the word that is lost if one of two chosen sentences is removed. The
        joint loss is that if both are removed. ``one`` and ``other`` are how often the two sentences hold the
        word. ``held`` is how often the sentence that replaces them holds the word.
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
            # A sentence can be one of the two to add only if its gain plus the best gain that fits beside it
            # is more than needed. The better of the two must have more than half of what is needed.
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
        """Return the largest gain of a sentence that costs at most ``room[j]``, for each entry j."""
        largest = np.concatenate([[-np.inf], np.maximum.accumulate(gain[self.by_cost])])
        return np.asarray(largest[np.searchsorted(self.cost[self.by_cost], room, side="right")])

    def _overlap(self, state: State, firsts: Indices, out: int) -> Floats:
        """Return how much less each of ``firsts`` and each sentence gain together than separately.

        The shape is (firsts, n). The gains are those after the chosen sentence ``out`` is removed.
        """
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

    # Updates of the state when sentences are added or removed

    def add(self, state: State, i: int) -> None:
        """Add a sentence to the selection."""
        self.exchange(state, [], [i])

    def remove(self, state: State, i: int) -> None:
        """Remove a sentence from the selection."""
        self.exchange(state, [i], [])

    def exchange(self, state: State, out: Sequence[int], into: Sequence[int]) -> None:
        """Remove the sentences ``out`` from the selection, then add the sentences ``into``."""
        before, stays = state.count.copy(), state.chosen.copy()
        for i in out:
            self._take_out(state, i)
        for i in into:
            self._put_in(state, i)
        self._settle(state, before, stays)

    def _put_in(self, state: State, i: int) -> None:
        """Put a sentence into an empty slot and update the gains.

        The caller must then call ``_settle``, which updates ``freed`` and ``loss``.
        """
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
        """Take a sentence out of its slot and update the gains.

        The caller must then call ``_settle``, which updates ``freed`` and ``loss``.
        """
        slot = int(np.flatnonzero(state.member == i)[0])
        self._count_words(state, i, -1)
        state.freed[slot], state.loss[slot] = 0.0, 0.0
        state.member[slot], state.chosen[i] = -1, False
        state.spent -= float(self.cost[i])

    def _count_words(self, state: State, i: int, sign: int) -> None:
        """Add the words of a sentence to ``state.count``, or subtract them, and update all gains.

        ``sign`` is 1 to add and -1 to subtract.
        """
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
        # Count the work: a pass over the holders of each word whose weight changes gains, and another pass if
        # it also changes ``freed`` or ``loss`` of members.
        passes = (others < levels) + ((others > 0) & (others <= levels)).astype(np.intp)
        self.work += int((passes * self.degree[words]).sum())

    def _settle(self, state: State, before: Indices, stays: Mask) -> None:
        """Update ``loss`` and ``freed`` after sentences were added or removed.

        ``before`` and ``stays`` are ``state.count`` and ``state.chosen`` at the last update. If many
        occurrences of a word have a weight, the word affects all chosen sentences that hold it. It is
        therefore faster to add and remove several sentences and then update once.
        """
        slots, step = np.flatnonzero(state.member >= 0), self.curves.step
        words, count, place = self.words.at(state.member[slots])
        slot, new = slots[place], ~stays[state.member[slots]][place]
        now = state.count[words]
        # A word matters to a member unless the other members cover all levels of the word.
        others = np.where(new, now, np.minimum(now, before[words])) - count
        entries = np.flatnonzero((new | (now != before[words])) & (others < self.levels[words]))
        size = int(self.degree[words[entries]].sum())
        for part in np.array_split(entries, 1 + size // _CHANGES):
            word, held, old = words[part], count[part], before[words[part]]
            # A new member has no old values: treat it as if it had held none of its words before.
            was_held = np.where(new[part], 0, held)
            lost = step(word, now[part] - held, held) - step(word, old - was_held, was_held)
            np.add.at(state.loss, slot[part], lost)
            sentence, more, each = self.holders.at(word)
            word, rest, old_rest = word[each], (now[part] - held)[each], (old - was_held)[each]
            change = step(word, rest, more) - step(word, now[part][each], more)
            change -= step(word, old_rest, more) - step(word, old[each], more)
            np.add.at(state.freed, (slot[part][each], sentence), change)


class Lists:
    """A list of numbers for each key, and a count for each number. All lists are stored in one array.

    For example, the words of each sentence, with how often the sentence holds each word.
    """

    def __init__(self, keys: Indices, values: Indices, counts: Indices, size: int) -> None:
        self.start = np.searchsorted(keys, np.arange(size + 1))
        self.values, self.counts = values, counts

    def at(self, keys: Indices) -> tuple[Indices, Indices, Indices]:
        """Return the lists of several keys as one list, in three arrays of the same length.

        They are the numbers, the count of each number, and the index in ``keys`` of the key whose list the
        number is from.
        """
        start = self.start[keys]
        length = self.start[keys + 1] - start
        place = np.repeat(np.arange(len(keys)), length)
        before = np.cumsum(length) - length
        entry = np.arange(len(place)) + (start - before)[place]
        return self.values[entry], self.counts[entry], place


@dataclass(frozen=True, slots=True)
class _Table:
    """The part of a ``State`` that is needed to find exchanges, without empty slots.

    Attributes:
        members: the chosen sentences (members), shape (k,).
        gain: the weight each sentence would add, shape (n,).
        freed: how much more each sentence would add if a member were removed, shape (n, k).
        loss: the weight lost by removing each member, shape (k,).
    """

    members: Indices
    gain: Floats
    freed: Floats
    loss: Floats


def exact_amounts(*amounts: Floats) -> tuple[Floats, ...]:
    """Return arrays of amounts, rounded to multiples of one power of two, so that every sum is exact."""
    total = sum(float(values.sum()) for values in amounts)
    if total <= 0:
        return amounts
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    return tuple(np.round(values / unit) * unit for values in amounts)


def exact_costs(cost: Floats, budget: float) -> Floats:
    """Return the costs rounded up to multiples of one power of two, so that every sum of them is exact.

    No given cost may exceed the budget. Because costs are rounded up, sentences that fit the budget by these
    costs really fit. The rounded costs are capped at the budget, so that a sentence that fits alone still
    fits.
    """
    total = float(cost.sum())
    if total <= 0:
        return cost
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    return np.asarray(np.minimum(np.ceil(cost / unit) * unit, budget))
