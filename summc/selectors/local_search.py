"""Local search: exchange chosen sentences for others until no exchange covers more.

The exchanges are: add one; one for one; two for one; one for two. Every value of a word is held as a multiple
of one power of two, so fine that nothing is lost and so coarse that every sum is exact: the answer does not
depend on the order of additions, and so not on the machine or on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.base import make_selection
from summc.selectors.reduction import ReducedProblem, reduce_problem

Mask = NDArray[np.bool_]

#: A matrix of so many entries is kept dense, where one product does all the work of a step.
_DENSE = 4_000_000
#: Two chosen sentences are tried for one while the table of these has at most so many entries.
_PAIRS = 20_000_000
#: One chosen sentence is tried for two of which the better is among so many.
_FIRSTS = 200


@dataclass(slots=True)
class State:
    """A choice: which sentences, how many of them hold each word, and what they cost together."""

    chosen: Mask
    count: Floats
    spent: float


def polish(graph: CoverageGraph, selection: Selection) -> Selection:
    """Return a selection improved by local search until no exchange covers more."""
    problem = reduce_problem(graph, selection.budget, keep=selection.chosen)
    if not len(problem.cost):
        return selection
    search = LocalSearch(problem, selection.budget)
    state = search.choose(np.flatnonzero(np.isin(problem.sentence, selection.chosen)))
    search.improve(state)
    better = make_selection(
        graph,
        selection.budget,
        selection.selector,
        problem.sentence[state.chosen].tolist(),
        selection.diagnostics,
    )
    return better if better.covered_weight > selection.covered_weight else selection


class LocalSearch:
    """The search on one problem; ``work`` counts the entries that its products went through."""

    def __init__(self, problem: ReducedProblem, budget: float) -> None:
        self.cost, self.budget = exact_costs(problem.cost), budget
        self.weight, self.own = exact_amounts(problem.weight, problem.own)
        self.incidence = incidence_matrix(problem)
        self.entries = len(problem.edge_word)
        self.work = 0

    def empty(self) -> State:
        """Return the choice of nothing."""
        return State(np.zeros(len(self.cost), dtype=bool), np.zeros(len(self.weight)), 0.0)

    def choose(self, sentences: Indices) -> State:
        """Return the choice of given sentences."""
        chosen = np.zeros(len(self.cost), dtype=bool)
        chosen[sentences] = True
        return State(chosen, self._rows(sentences).sum(axis=0), float(self.cost[sentences].sum()))

    def value(self, state: State) -> float:
        """Return the weight that a choice covers."""
        return float(self.weight[state.count > 0].sum() + self.own[state.chosen].sum())

    def fill(self, state: State, preference: Floats) -> None:
        """Add the sentence of largest gain x preference that fits, while one adds anything."""
        gain = self._gains(state.count == 0)
        while True:
            usable = (self.cost <= self.budget - state.spent) & ~state.chosen & (gain > 0)
            if not usable.any():
                return
            best = int(np.where(usable, gain * preference, -1.0).argmax())
            before = state.count == 0
            self._add(state, best)
            gain -= self._shared_gains(before & (state.count > 0))

    def without(self, state: State, sentences: Indices) -> State:
        """Return the choice without some of its sentences."""
        chosen = state.chosen.copy()
        chosen[sentences] = False
        count = state.count - self._rows(sentences).sum(axis=0)
        return State(chosen, count, state.spent - float(self.cost[sentences].sum()))

    def improve(self, state: State) -> None:
        """Make the best exchange while there is one."""
        while True:
            table = self._table(state)
            out, into = self._best_single(state, table)
            if not into:
                out, into = self._best_two_for_one(state, table)
                if not into:
                    out, into = self._best_one_for_two(state, table)
            if not into:
                return
            for i in out:
                self._remove(state, i)
            for i in into:
                self._add(state, i)

    def _best_single(self, state: State, table: _Table) -> tuple[list[int], list[int]]:
        add = np.where((self.cost <= self.budget - state.spent) & ~state.chosen, table.gain, -1.0)
        best = int(add.argmax())
        if add[best] > 0:
            return [], [best]
        if not len(table.members):
            return [], []
        room = self.budget - state.spent + self.cost[table.members]
        more = table.gain[:, None] + table.freed - table.loss
        more[self.cost[:, None] > room] = -1.0
        more[table.members] = -1.0
        into, out = divmod(int(more.argmax()), len(table.members))
        return ([int(table.members[out])], [into]) if more[into, out] > 0 else ([], [])

    def _best_two_for_one(self, state: State, table: _Table) -> tuple[list[int], list[int]]:
        k = len(table.members)
        if k < 2:  # noqa: PLR2004 (a pair)
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
        # A word that just these two hold is lost with them, and won back by a sentence that holds it.
        twice = np.flatnonzero(state.count == 2)  # noqa: PLR2004 (just two)
        if len(twice):
            holders = self._rows(table.members)[:, twice] > 0
            left, right = holders.argmax(axis=0), k - 1 - holders[::-1].argmax(axis=0)
            pair = left * k - left * (left + 1) // 2 + right - left - 1
            missing = (1 - self._rows(rows)[:, twice]) * self.weight[twice]
            np.subtract.at(more.T, pair, missing.T)
        room = self.budget - state.spent + self.cost[table.members[first]] + self.cost[table.members[second]]
        more[self.cost[rows, None] > room] = -1.0
        self.work += more.size
        row, out = divmod(int(more.argmax()), len(first))
        if more[row, out] <= 0:
            return [], []
        return [int(table.members[first[out]]), int(table.members[second[out]])], [int(rows[row])]

    def _best_one_for_two(self, state: State, table: _Table) -> tuple[list[int], list[int]]:
        best, found = 0.0, ([], [])  # type: tuple[float, tuple[list[int], list[int]]]
        room = self.budget - state.spent + self.cost[table.members]
        gains = table.gain[:, None] + table.freed
        gains[(self.cost[:, None] >= room) | state.chosen[:, None]] = 0.0
        if len(gains) < 2:  # noqa: PLR2004 (two)
            return found
        two_best = np.partition(gains, len(gains) - 2, axis=0)[-2:].sum(axis=0)
        uncovered = np.where(state.count == 0, self.weight, 0.0)
        for j in np.flatnonzero(two_best > table.loss).tolist():
            gain, needed, out = gains[:, j], table.loss[j] + best, int(table.members[j])
            # The better of two must bring more than half of what is needed, and the other what it leaves.
            others = np.flatnonzero(gain > max(needed - float(gain.max()), 0.0))
            firsts = others[2 * gain[others] > needed]
            firsts = firsts[np.argsort(-gain[firsts], kind="stable")][:_FIRSTS]
            if not len(firsts):
                continue
            free = uncovered + np.where((state.count == 1) & (self._row(out) > 0), self.weight, 0.0)
            more = gain[firsts][:, None] + gain[others] - self._overlap(firsts, others, free) - table.loss[j]
            more[self.cost[firsts][:, None] + self.cost[others] > room[j]] = -1.0
            more[firsts[:, None] == others] = -1.0
            a, b = divmod(int(more.argmax()), len(others))
            if more[a, b] > best:
                best, found = float(more[a, b]), ([out], [int(firsts[a]), int(others[b])])
        return found

    def _table(self, state: State) -> _Table:
        members = np.flatnonzero(state.chosen)
        words = np.empty((len(members) + 1, len(self.weight)))
        np.multiply(state.count == 0, self.weight, out=words[0])
        np.multiply(self._rows(members), np.where(state.count == 1, self.weight, 0.0), out=words[1:])
        products = self._product(words)
        gain = products[:, 0] + np.where(state.chosen, 0.0, self.own)
        freed = products[:, 1:]
        loss = freed[members, np.arange(len(members))] + self.own[members]
        return _Table(members, gain, freed, loss)

    def _gains(self, uncovered: Mask) -> Floats:
        return self._shared_gains(uncovered) + self.own

    def _shared_gains(self, words: Mask) -> Floats:
        return self._product(np.where(words, self.weight, 0.0)[None, :])[:, 0]

    def _product(self, rows: Floats) -> Floats:
        """Return the incidence matrix times each row, as columns, shape (n, rows)."""
        self.work += self.entries * len(rows)
        return np.asarray(self.incidence @ rows.T)

    def _row(self, sentence: int) -> Floats:
        row = self.incidence[sentence]
        return np.asarray(row if isinstance(row, np.ndarray) else row.toarray())

    def _rows(self, sentences: Indices) -> Floats:
        rows = self.incidence[sentences]
        return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray())

    def _overlap(self, firsts: Indices, others: Indices, free: Floats) -> Floats:
        self.work += self.entries * len(firsts)
        return np.asarray((self._rows(firsts) * free) @ self._rows(others).T)

    def _add(self, state: State, i: int) -> None:
        state.chosen[i] = True
        state.count += self._row(i)
        state.spent += float(self.cost[i])

    def _remove(self, state: State, i: int) -> None:
        state.chosen[i] = False
        state.count -= self._row(i)
        state.spent -= float(self.cost[i])


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


def exact_costs(cost: Floats) -> Floats:
    """Return costs rounded up in the same way: what keeps a budget by these, in any order, keeps it."""
    total = float(cost.sum())
    if total <= 0:
        return cost
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    return np.asarray(np.ceil(cost / unit) * unit)


def incidence_matrix(problem: ReducedProblem | CoverageGraph) -> Any:
    """Return 1 where a sentence holds a word, shape (n, m): dense, or sparse where that would be large."""
    n, m = len(problem.cost), len(problem.weight)
    if n * m <= _DENSE:
        dense = np.zeros((n, m))
        dense[problem.edge_sentence, problem.edge_word] = 1.0
        return dense
    from scipy.sparse import csr_array  # noqa: PLC0415 (a quarter of a second of imports, for large problems)

    ones = np.ones(len(problem.edge_word))
    return csr_array((ones, (problem.edge_sentence, problem.edge_word)), shape=(n, m))
