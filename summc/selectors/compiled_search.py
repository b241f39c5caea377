"""Local search in C (``compiled/search.c``) if the library was built, else in NumPy.

C and NumPy take the same steps and return the same selection, bit for bit. C is ten times as fast.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices
from summc.selectors.compiled import Problem as ProblemInC
from summc.selectors.compiled import State as StateInC
from summc.selectors.compiled import Tabu, library
from summc.selectors.local_search import ENDLESS, Lists, LocalSearch, Mask, State
from summc.selectors.reduction import ReducedProblem

# Return codes of search.c: the arrays of a state are too small, and memory could not be allocated.
_GROW, _NO_MEMORY = 1, 3


#: An exchange of sentences: the weight covered after it, up to two sentences removed, and up to two sentences
#: added. -1 means no sentence.
_FOUND = np.dtype(
    [("value", "f8"), ("first_out", "i8"), ("second_out", "i8"), ("first_in", "i8"), ("second_in", "i8")]
)


def make_search(problem: ReducedProblem, budget: float, most_work: int = ENDLESS) -> LocalSearch:
    """Return the local search on a problem: compiled if the library was built, else in NumPy.

    The search stops when it has processed ``most_work`` table entries.
    """
    compiled = library()
    if compiled is None:
        return LocalSearch(problem, budget, most_work)
    return CompiledSearch(compiled, problem, budget, most_work)


class CompiledSearch(LocalSearch):
    """The same search as ``LocalSearch``, with each operation done by the compiled library."""

    def __init__(
        self, compiled: ctypes.CDLL, problem: ReducedProblem, budget: float, most_work: int = ENDLESS
    ) -> None:
        super().__init__(problem, budget, most_work)
        self._compiled = compiled
        run_start, run_count, run_begin = _runs(self.holders)
        n, m = len(self.cost), len(self.levels)
        # Keep references, because the library reads and writes these arrays by address.
        self._arrays: dict[str, NDArray[Any]] = {
            "cost": np.ascontiguousarray(self.cost, dtype=np.float64),
            "own": np.ascontiguousarray(self.own, dtype=np.float64),
            "value": np.ascontiguousarray(self.curves.value, dtype=np.float64),
            "value_start": np.ascontiguousarray(self.curves.start, dtype=np.int64),
            "word_start": np.ascontiguousarray(self.words.start, dtype=np.int64),
            "word": np.ascontiguousarray(self.words.values, dtype=np.int64),
            "word_count": np.ascontiguousarray(self.words.counts, dtype=np.int64),
            "run_start": np.ascontiguousarray(run_start, dtype=np.int64),
            "run_count": np.ascontiguousarray(run_count, dtype=np.int64),
            "run_begin": np.ascontiguousarray(run_begin, dtype=np.int64),
            "holder": np.ascontiguousarray(self.holders.values, dtype=np.int64),
            "by_cost": np.ascontiguousarray(self.by_cost, dtype=np.int64),
            "before": np.full(m, -1, dtype=np.int64),
            "touched": np.zeros(m, dtype=np.int64),
            "is_new": np.zeros(n, dtype=np.uint8),
        }
        addresses = {name: array.ctypes.data for name, array in self._arrays.items()}
        self._problem = ProblemInC(sentences=n, words=m, budget=budget, most_work=most_work, **addresses)
        self._by_reference = ctypes.byref(self._problem)

    def exchange(self, state: State, out: Sequence[int], into: Sequence[int]) -> None:
        """Remove the sentences ``out`` from the selection, then add the sentences ``into``."""
        if out:
            gone = np.array(out, dtype=np.int64)
            self._call(self._compiled.summc_remove, [state], _pointer(gone), ctypes.c_int64(len(gone)))
        for i in into:
            self._call(self._compiled.summc_add, [state], ctypes.c_int64(i))

    def fill(self, state: State, preference: Floats) -> None:
        """Add sentences until no sentence that fits adds weight.

        Each time, add the sentence that fits and has the largest product of gain and preference. The gain is
        the weight that the sentence adds.
        """
        values = np.ascontiguousarray(preference, dtype=np.float64)
        self._call(self._compiled.summc_fill, [state], _pointer(values))

    def improve(self, state: State) -> None:
        """Exchange sentences until no exchange covers more weight, or until the limit on work is reached."""
        self._call(self._compiled.summc_improve, [state])

    def refilled(self, state: State, gone: Indices, preference: Floats) -> State:
        """Return a copy of the selection without the sentences ``gone``, then filled and improved.

        The budget is filled in order of gain times ``preference``, an array of shape (n,).
        """
        new, size = state.copy(), ctypes.c_int64(len(gone))
        sentences, values = np.ascontiguousarray(gone, dtype=np.int64), np.ascontiguousarray(preference)
        addresses = (_pointer(sentences), ctypes.byref(size), _pointer(values))
        self._call(self._compiled.summc_refill, [new], *addresses)
        return new

    def value(self, state: State) -> float:
        """Return the weight that a selection covers."""
        return float(self._compiled.summc_value(self._by_reference, ctypes.byref(_addresses(state))))

    def tabu(self, state: State, patience: int, most_work: int, more: Indices, stay: int, away: int) -> State:
        """Run tabu search in C and return the best state, which is the same as from ``tabu.in_numpy``.

        It stops after ``patience`` steps without improvement, or when ``work`` reaches ``most_work``. For
        ``stay`` steps, an added sentence may not be removed. For ``away`` steps, a removed sentence may not
        be added. Both are lengthened by the random numbers ``more``.
        """
        state, best = state.copy(), state.copy()
        bound_until = np.zeros(len(self.cost), dtype=np.int64)
        drawn = np.ascontiguousarray(more, dtype=np.int64)
        run = Tabu(
            0, 0, patience, most_work, len(drawn), stay, away, drawn.ctypes.data, bound_until.ctypes.data,
            self.value(state),
        )  # fmt: skip
        self._call(self._compiled.summc_tabu, [state, best], ctypes.byref(run))
        return best

    def exchanges(
        self, state: State, may_go: Mask, least: float, most: int
    ) -> Iterator[tuple[float, tuple[int, ...], tuple[int, ...]]]:
        """Yield the exchanges after which the most weight is covered, best first.

        An exchange is the weight covered after it, the sentences removed (at most two) and the sentences
        added (at most two). The result is the same as that of ``exchanges.in_numpy``.

        ``may_go`` is a mask of the sentences that may be removed, shape (n,). Only exchanges after which more
        than ``least`` is covered are returned. ``most`` is the largest number of exchanges, and must equal
        MOST_FOUND in search.c.
        """
        found, size = np.empty(most, dtype=_FOUND), ctypes.c_int64()
        arguments = (_pointer(may_go), ctypes.c_double(least), _pointer(found), ctypes.byref(size))
        self._call(self._compiled.summc_exchanges, [state], *arguments)
        for value, a, b, c, d in found[: size.value].tolist():
            yield value, _without_none(a, b), _without_none(c, d)

    def _call(self, function: Any, states: list[State], *arguments: Any) -> None:
        """Call a function of the library until it returns 0, which means that its work is done.

        The function returns early if a state needs larger arrays, which are made here, and now and then, so
        that Python can handle signals. In both cases it is called again. If the function could not allocate
        memory, raise MemoryError.
        """
        result = -1
        while result != 0:
            self._problem.work = self.work
            structures = [_addresses(state) for state in states]
            result = function(self._by_reference, *map(ctypes.byref, structures), *arguments)
            self.work = self._problem.work
            for state, structure in zip(states, structures, strict=True):
                state.spent = structure.spent
                if result == _GROW:
                    state.grow()
            if result == _NO_MEMORY:
                raise MemoryError


def _runs(holders: Lists) -> tuple[Indices, Indices, Indices]:
    """Split each list into runs of successive entries with the same count.

    Return the index of the first run of each list, the count of each run, and the index in ``holders.values``
    where each run begins.
    """
    size = len(holders.values)
    begins = np.zeros(size, dtype=bool)
    begins[1:] = np.diff(holders.counts) != 0
    begins[holders.start[holders.start < size]] = True
    run_begin = np.flatnonzero(begins)
    run_start = np.searchsorted(run_begin, holders.start)
    return run_start, holders.counts[run_begin], np.append(run_begin, size)


def _addresses(state: State) -> StateInC:
    if state.addresses is None:
        arrays = (state.chosen, state.member, state.count, state.gain, state.freed, state.loss)
        state.addresses = StateInC(len(state.member), state.spent, *map(_address, arrays))
    found: StateInC = state.addresses
    found.spent = state.spent
    return found


def _address(array: NDArray[Any]) -> int:
    """Return the memory address of a writable array; three times as fast as ``array.ctypes.data``."""
    if not array.size:
        return int(array.ctypes.data)
    return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]  # it is a buffer


def _pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(_address(array))


def _without_none(first: int, second: int) -> tuple[int, ...]:
    if first < 0:
        return ()
    return (first,) if second < 0 else (first, second)
