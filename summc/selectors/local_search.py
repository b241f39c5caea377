"""Local search: exchange chosen sentences for others until no exchange covers more, in C.

There are four kinds of exchange: add one sentence; remove one and add one; remove two and add one; remove one
and add two. The gain of a sentence is the weight that it would add to the selection. The search maintains the
gain of each sentence, and how much larger the gain would be if a chosen sentence were removed.

``compiled/search.c`` does the work. All weights are rounded to multiples of one power of two, chosen so that
every sum is exact. The answer therefore depends neither on the order of additions nor on the machine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from summc.graph import curves
from summc.records import Floats, Indices, Mask
from summc.selectors.base import for_c
from summc.selectors.reduction import ReducedProblem, exact
from summc.system import compiled

#: Callers should keep the number of chosen sentences times the number of sentences at or below this. Several
#: tables of this size must fit into memory, and processing them into the limit on work.
TABLE = 10**7
#: A limit on work that is never reached.
ENDLESS = 2**62
# Return codes of search.c: the arrays of a state are too small, and memory could not be allocated.
_GROW, _NO_MEMORY = 1, 3
#: The largest number of exchanges that ``exchanges`` returns.
_MOST_FOUND = int(compiled.DEFINED["MOST_FOUND"])
#: Tabu tenure in steps, for added and for removed sentences. A random integer from 0 to below ``_MORE`` is
#: added to each. ``_DRAWN`` of these are drawn in advance. When all were used, they are used again.
_STAY, _AWAY, _MORE, _DRAWN = 3, 10, 4, 8192


@dataclass(slots=True)
class State:
    """A selection, with the gains and losses from which the value of every exchange is computed.

    There are n sentences and m words. Each chosen sentence has one of s slots; the others are empty.

    Attributes:
        chosen: whether each sentence is chosen, shape (n,).
        member: the sentence in each slot, or -1 if the slot is empty, shape (s,).
        count: how often the chosen sentences hold each word, shape (m,).
        gain: the weight each sentence would add, shape (n,).
        freed: how much more each sentence would add if the sentence in a slot were removed, shape (s, n).
        loss: the weight lost by removing the sentence in each slot, shape (s,).
        spent: the total cost of the chosen sentences.
        in_c: the addresses of these arrays, for the library; finding them takes longer than a short call.
    """

    chosen: Mask
    member: NDArray[np.int64]
    count: NDArray[np.int64]
    gain: Floats
    freed: Floats
    loss: Floats
    spent: float = 0.0
    in_c: Any = None

    def copy(self) -> State:
        """Return a copy that shares no array with this state."""
        return State(
            self.chosen.copy(), self.member.copy(), self.count.copy(), self.gain.copy(), self.freed.copy(),
            self.loss.copy(), self.spent,
        )  # fmt: skip


class Exchange(NamedTuple):
    """An exchange: the weight covered after it, the sentences to remove, and the sentences to add."""

    value: float
    out: tuple[int, ...]
    into: tuple[int, ...]


class LocalSearch:
    """Local search on one problem.

    ``work`` counts the table entries processed so far. When it reaches ``most_work``, ``improve`` stops, even
    if an exchange would still cover more. ``everything`` is the weight that all sentences together cover, and
    ``alone`` the weight that each sentence covers alone.
    """

    def __init__(self, problem: ReducedProblem, most_work: int = ENDLESS) -> None:
        problem, self.budget = exact(problem), problem.budget
        self.cost, unique, curve = problem.cost, problem.unique_weight, curves(problem)
        self.most_work, self.work = most_work, 0
        n, m = len(self.cost), len(problem.weight)
        sentence, word, count = problem.edge_sentence, problem.edge_word, problem.count
        times = np.bincount(word, count, m).astype(np.intp)
        self.everything = float(curve.at(np.arange(m), times).sum() + unique.sum())
        self.alone = unique + np.bincount(sentence, curve.at(word, count), n)
        by_sentence, by_word = np.lexsort((word, sentence)), np.lexsort((sentence, count, word))
        # A run is the sentences that hold a word equally often. Their gains change by the same amount.
        words, counts = word[by_word], count[by_word]
        begins = (np.diff(words, prepend=-1) != 0) | (np.diff(counts, prepend=-1) != 0)
        self._library = compiled.library()
        self._problem = for_c(
            compiled.Problem,
            sentences=n, words=m, budget=problem.budget, most_work=most_work,
            cost=self.cost, own=unique, value=curve.value, value_start=curve.start,
            word_start=np.searchsorted(sentence[by_sentence], np.arange(n + 1)),
            word=word[by_sentence], word_count=count[by_sentence],
            run_start=np.searchsorted(words[begins], np.arange(m + 1)),
            run_count=counts[begins],
            run_begin=np.append(np.flatnonzero(begins), len(words)),
            holder=sentence[by_word],
            by_cost=np.argsort(self.cost, kind="stable"),
            before=np.full(m, -1), touched=np.zeros(m), is_new=np.zeros(n),
        )  # fmt: skip

    def choose(self, sentences: Sequence[int] | Indices = ()) -> State:
        """Return the state in which the given sentences are chosen."""
        n, m = self._problem.sentences, self._problem.words
        member, count = np.full(8, -1, dtype=np.int64), np.zeros(m, dtype=np.int64)
        tables = (self.alone.copy(), np.zeros((8, n)), np.zeros(8))
        state = State(np.zeros(n, dtype=bool), member, count, *tables)
        self.exchange(state, (), sentences)
        return state

    def exchange(self, state: State, out: Sequence[int], into: Sequence[int] | Indices) -> None:
        """Remove the sentences ``out`` from the selection, then add the sentences ``into``."""
        if out:
            gone = np.array(out, dtype=np.int64)
            self._call("remove", [state], gone.ctypes.data, len(gone))
        for i in into:
            self._call("add", [state], int(i))

    def fill(self, state: State, preference: Floats) -> None:
        """Add sentences until no sentence that fits adds weight.

        Each time, add the sentence that fits and has the largest product of gain and preference.
        """
        values = np.ascontiguousarray(preference, dtype=np.float64)
        self._call("fill", [state], values.ctypes.data)

    def improve(self, state: State) -> None:
        """Exchange sentences until no exchange covers more weight, or until the limit on work is reached."""
        self._call("improve", [state])

    def refilled(self, state: State, gone: Indices, preference: Floats) -> State:
        """Return a copy of the selection without the sentences ``gone``, then filled and improved."""
        new, size = state.copy(), ctypes.c_int64(len(gone))
        sentences, values = np.ascontiguousarray(gone, dtype=np.int64), np.ascontiguousarray(preference)
        self._call("refill", [new], sentences.ctypes.data, ctypes.byref(size), values.ctypes.data)
        return new

    def value(self, state: State) -> float:
        """Return the weight that a selection covers."""
        return float(self._library.summc_value(self._problem, _in_c(state)))

    def tabu(self, state: State, patience: int, most_work: int, rng: np.random.Generator) -> State:
        """Continue past a local optimum by tabu search, and return the best state found.

        F. Glover, ORSA Journal on Computing 1 (1989). Each step makes the best exchange of one chosen
        sentence for another, even if less is covered after it. For a few steps (the tabu tenure), a removed
        sentence may not be added again, and an added one may not be removed, unless the exchange covers more
        than the best selection so far. The search stops after ``patience`` steps without improvement, or when
        ``work`` reaches ``most_work``.
        """
        state, best = state.copy(), state.copy()
        more = rng.integers(_MORE, size=_DRAWN).astype(np.int64)
        bound_until = np.zeros(len(self.cost), dtype=np.int64)
        limits = (patience, most_work, _DRAWN, _STAY, _AWAY)
        run = compiled.Tabu(0, 0, *limits, more.ctypes.data, bound_until.ctypes.data, self.value(state))
        self._call("tabu", [state, best], run)
        return best

    def exchanges(self, state: State, may_go: Mask, least: float) -> Iterator[Exchange]:
        """Yield the exchanges after which the most weight is covered, and more than ``least``, best first.

        ``may_go`` is a mask of the sentences that may be removed, shape (n,).
        """
        rows, size = np.empty(_MOST_FOUND, dtype="f8,i8,i8,i8,i8"), ctypes.c_int64()
        mask = np.ascontiguousarray(may_go)
        self._call("exchanges", [state], mask.ctypes.data, least, rows.ctypes.data, ctypes.byref(size))
        for value, a, b, c, d in rows[: size.value].tolist():  # -1 stands for no sentence
            yield Exchange(value, (a, b)[: (a >= 0) + (b >= 0)], (c, d)[: (c >= 0) + (d >= 0)])

    def _call(self, name: str, states: list[State], *arguments: Any) -> None:
        """Call a function of the library until its work is done.

        The function returns early if a state needs more slots, and now and then, so that Python can handle
        signals. In both cases it is called again.
        """
        function, result = getattr(self._library, f"summc_{name}"), -1
        while result != 0:
            self._problem.work = self.work
            structures = list(map(_in_c, states))
            result = function(self._problem, *structures, *arguments)
            self.work = self._problem.work
            for state, structure in zip(states, structures, strict=True):
                state.spent = structure.spent
                if result == _GROW:  # double the number of slots
                    state.member = np.concatenate([state.member, np.full_like(state.member, -1)])
                    state.loss = np.concatenate([state.loss, np.zeros_like(state.loss)])
                    state.freed = np.concatenate([state.freed, np.zeros_like(state.freed)])
                    state.in_c = None
            if result == _NO_MEMORY:
                raise MemoryError


def _in_c(state: State) -> Any:
    if state.in_c is None:
        state.in_c = compiled.State(
            len(state.member), state.spent, state.chosen.ctypes.data, state.member.ctypes.data,
            state.count.ctypes.data, state.gain.ctypes.data, state.freed.ctypes.data, state.loss.ctypes.data,
        )  # fmt: skip
    return state.in_c
