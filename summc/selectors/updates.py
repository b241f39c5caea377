"""One update of all messages, Eqs. (4) and (5): in C (``compiled/messages.c``) if built, else in NumPy.

The two agree to about the last digit of a float. Edges are sorted by word. Runs on the same graph are the
rows of 2-D arrays.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices
from summc.selectors.compiled import Edges, library
from summc.selectors.factors import Levels, Steps, softplus
from summc.selectors.levelled import TOP, LevelledWords

__all__ = ["CompiledUpdate", "Update", "UpdateInNumpy", "first_edges", "make_update", "softplus"]

#: If a difference is smaller than this share of its terms, at least half of its digits are lost to rounding.
_LOST = 1e-8
#: A sum below this has underflowed or is about to.
_UNDERFLOW = 1e-290


class Update(Protocol):
    """The equations on one graph, for runs with different own fields and messages.

    ``moved`` is each message minus its new value by the equations. Both have shape (B, E).
    """

    message: Floats
    moved: Floats

    def __call__(self, taken: Floats) -> Floats:
        """Subtract ``taken`` times ``moved`` from the messages of each run, then compute ``moved`` again.

        Return the largest absolute value of ``moved`` in each run, shape (B,). ``taken`` has shape (B,).
        """


def make_update(
    sentence: Indices,
    word: Indices,
    scaled_weight: Floats,
    own_field: Floats,
    message: Floats,
    levels: Levels | None = None,
) -> Update:
    """Return the equations on edges sorted by word, arrays of shape (E,); ``own_field`` has shape (B, N).

    ``scaled_weight`` is beta w_a of the word of each edge. Without ``levels`` every word has one level.
    """
    compiled = library()
    if compiled is None:
        return UpdateInNumpy(sentence, word, scaled_weight, own_field, message, levels)
    return CompiledUpdate(compiled, sentence, word, scaled_weight, own_field, message, levels)


def first_edges(word: Indices) -> Indices:
    """Return the index of the first edge of each word; edges are sorted by word."""
    return np.flatnonzero(np.diff(word, prepend=-1))


class CompiledUpdate:
    """The equations in C."""

    def __init__(
        self,
        compiled: ctypes.CDLL,
        sentence: Indices,
        word: Indices,
        scaled_weight: Floats,
        own_field: Floats,
        message: Floats,
        levels: Levels | None = None,
    ) -> None:
        self.message, self.moved = np.array(message, order="C"), np.zeros(message.shape)
        self._step = compiled.summc_step
        runs, sentences = own_field.shape
        first = first_edges(word)
        weight = scaled_weight[first]
        log_present, log_absent = -softplus(-weight), -softplus(weight)
        steps = Steps.prepare(word, first, scaled_weight, levels)
        count = np.ones(0) if levels is None else levels.count  # read only if a word has several levels
        # Keep references, because the library reads these arrays by address.
        self._arrays: list[NDArray[Any]] = [
            np.ascontiguousarray(np.append(first, len(word)), dtype=np.int64),
            np.ascontiguousarray(sentence, dtype=np.int32),
            np.exp(log_present), np.exp(log_absent), log_present, log_absent,
            np.ascontiguousarray(steps.start, dtype=np.int64), steps.step, steps.factors(TOP),
            np.ascontiguousarray(count, dtype=np.int32),
        ]  # fmt: skip
        self._edges = Edges(sentences, len(first), len(word), *map(_address, self._arrays))
        self._taken, self._change = np.empty(runs), np.empty(runs)
        degree = np.diff(np.append(first, len(word)))
        # Each edge of a word needs at most twice as many states as the word has levels, and padding for the
        # largest count in front of them.
        room = int(((degree + 5) * (3 * steps.length + 4)).max(initial=0))
        scratch = np.empty(sentences + len(first) + 4 * len(word) + room)
        self._more_arrays: list[NDArray[Any]] = [
            np.ascontiguousarray(own_field, dtype=np.float64),
            self.message, self.moved, self._taken, self._change, scratch,
        ]  # fmt: skip
        addresses = [ctypes.c_void_p(_address(array)) for array in self._more_arrays]
        self._arguments = (ctypes.byref(self._edges), ctypes.c_int64(runs), *addresses)

    def __call__(self, taken: Floats) -> Floats:
        """Move the messages and return the largest ``moved`` of each run; see ``Update``."""
        self._taken[:] = taken
        self._step(*self._arguments)
        return self._change.copy()


def _address(array: NDArray[Any]) -> int:
    return array.ctypes.data


class UpdateInNumpy:
    """The equations in NumPy."""

    def __init__(
        self,
        sentence: Indices,
        word: Indices,
        scaled_weight: Floats,
        own_field: Floats,
        message: Floats,
        levels: Levels | None = None,
    ) -> None:
        self.message, self.moved = message.copy(), np.zeros(message.shape)
        runs, sentences = own_field.shape
        # Treat the rows of a batch as separate graphs side by side, so that one bincount sums all of them.
        self._sentence = (sentence + sentences * np.arange(runs)[:, None]).reshape(-1)
        self._words = _prepare(word, scaled_weight, levels, runs)
        self._own_field = own_field.reshape(-1)
        self._cavity = np.empty((runs, len(word)))

    def __call__(self, taken: Floats) -> Floats:
        """Move the messages and return the largest ``moved`` of each run; see ``Update``."""
        message, moved = self.message, self.moved
        moved *= taken[:, None]
        message -= moved
        sent = np.bincount(self._sentence, weights=message.reshape(-1), minlength=len(self._own_field))
        np.take(self._own_field + sent, self._sentence, out=self._cavity.reshape(-1), mode="clip")
        self._cavity -= message
        # self._words returns the negative messages, which saves a pass over the array.
        np.add(self._words(self._cavity), message, out=moved)
        return np.asarray(np.maximum(moved.max(axis=1), -moved.min(axis=1)))


def _prepare(
    word: Indices, scaled_weight: Floats, levels: Levels | None, runs: int
) -> _Words | _WordsOfBothKinds:
    """Return Eq. (5) on edges sorted by word."""
    first = first_edges(word)
    steps = Steps.prepare(word, first, scaled_weight, levels)
    if levels is None or not steps.length.any():
        return _Words.prepare(word, scaled_weight, runs)
    degree = np.diff(np.append(first, len(word)))
    one = np.flatnonzero(np.repeat(steps.length == 0, degree))
    levelled = LevelledWords.prepare(first, degree, levels.count, steps)
    place = np.empty(len(word), dtype=np.intp)
    place[one], place[levelled.edge] = np.arange(len(one)), len(one) + levelled.leaf
    return _WordsOfBothKinds(
        one,
        _Words.prepare(word[one], scaled_weight[one], runs) if len(one) else None,
        levelled,
        place,
        tuple(np.empty((runs, size)) for size in (len(one), len(one) + levelled.leaves, len(word))),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _WordsOfBothKinds:
    """Eq. (5) where some words have one level and some have several.

    Attributes:
        one: the edges to words of one level.
        words, levelled: the equation on words of either kind.
        place: the index of each edge's answer among the answers of both kinds, shape (E,).
        buffers: arrays with a row for each run: the cavity fields of ``one``, the answers of both kinds, and
            the answers in the order of edges.
    """

    one: Indices
    words: _Words | None
    levelled: LevelledWords
    place: Indices
    buffers: tuple[Floats, ...]

    def __call__(self, cavity: Floats) -> Floats:
        """Return -beta * hhat_ai of each edge, given beta * h_ia; the next call overwrites the array."""
        fields, answers, result = self.buffers
        if self.words is not None:
            np.take(cavity, self.one, axis=1, out=fields, mode="clip")
            answers[:, : len(self.one)] = self.words(fields)
        self.levelled(cavity, answers[:, len(self.one) :])
        return np.take(answers, self.place, axis=1, out=result, mode="clip")


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """Eq. (5): the message of each word to each of its sentences, given the other sentences' messages to it.

    The equation is ``-ln(1 - sigmoid(beta w) exp(-S))``, where S is the sum of ``softplus(beta h_ja)`` over
    the other sentences j. If beta w is large, cancellation destroys all digits. The equivalent
    ``-ln(sigmoid(-beta w) + sigmoid(beta w) (1 - exp(-S)))`` avoids that.

    Attributes:
        word: the word of each edge of each run, numbered consecutively over the runs, shape (B * E,).
        present, absent: sigmoid(beta w), sigmoid(-beta w) of each edge, shape (E,).
        log_present, log_absent: their logarithms, shape (E,).
        first: the first edge of each word.
        buffers: arrays to compute in, shape (B, E), so that an iteration allocates little memory.
    """

    word: Indices
    present: Floats
    absent: Floats
    log_present: Floats
    log_absent: Floats
    first: Indices
    buffers: tuple[Floats, Floats, Floats]

    @classmethod
    def prepare(cls, word: Indices, scaled_weight: Floats, runs: int) -> _Words:
        """Return the equation with everything computed that does not change between iterations."""
        log_present, log_absent = -softplus(-scaled_weight), -softplus(scaled_weight)
        words = int(word.max()) + 1
        each = (word + words * np.arange(runs)[:, None]).reshape(-1)
        shape = (runs, len(word))
        buffers = (np.empty(shape), np.empty(shape), np.empty(shape))
        present, absent = np.exp(log_present), np.exp(log_absent)
        return cls(each, present, absent, log_present, log_absent, first_edges(word), buffers)

    def __call__(self, cavity: Floats) -> Floats:
        """Return -beta * hhat_ai of each edge, given beta * h_ia; the next call overwrites the array."""
        term, total, result = self.buffers
        # The term of each sentence: softplus of its cavity field.
        np.copysign(cavity, -1.0, out=term)
        np.exp(term, out=term)
        np.log1p(term, out=term)
        term += np.maximum(cavity, 0, out=result)
        # -S: the term of the sentence itself minus the total of its word.
        sums = np.bincount(self.word, weights=term.reshape(-1))
        np.take(sums, self.word, out=total.reshape(-1), mode="clip")
        np.subtract(term, total, out=result)
        total *= -_LOST
        flat = result.reshape(-1)
        lost = np.flatnonzero(flat >= total.reshape(-1))
        if len(lost):
            flat[lost] = -self._sum_without(lost, term)
        underflown = lost[flat[lost] > -_UNDERFLOW]
        # The negative message.
        np.expm1(result, out=result)
        result *= self.present
        np.subtract(self.absent, result, out=result)
        if len(underflown):
            flat[underflown] = 1.0
        np.log(result, out=result)
        if len(underflown):
            flat[underflown] = self._in_logarithms(underflown, cavity)
        return result

    def _sum_without(self, lost: Indices, term: Floats) -> Floats:
        """Return S of edges whose own term dwarfs the rest of their word; each word has at most one."""
        others = term.reshape(-1).copy()
        others[lost] = 0
        return np.asarray(np.bincount(self.word, weights=others)[self.word[lost]])

    def _in_logarithms(self, edges: Indices, cavity: Floats) -> Floats:
        """Return the negative message where S underflows: there 1 - exp(-S) is the sum of exp(beta h_ja)."""
        run, edge = np.divmod(edges, len(self.present))
        runs = np.unique(run)
        told = cavity[runs]
        degree = np.diff(np.append(self.first, told.shape[1]))
        largest = np.repeat(np.maximum.reduceat(told, self.first, axis=1), degree, axis=1)
        # For the first edge with the largest field of its word, the largest among the others is the second.
        is_largest = told == largest
        before = np.cumsum(is_largest, axis=1)
        first_of = before - np.repeat(before[:, self.first] - is_largest[:, self.first], degree, axis=1) == 1
        is_first = is_largest & first_of
        others = np.where(is_first, -np.inf, told)
        second = np.repeat(np.maximum.reduceat(others, self.first, axis=1), degree, axis=1)
        heard = np.where(
            is_first,
            second + np.log(self._sum_of_word(others, second, degree)),
            largest
            + np.log(self._sum_of_word(told, largest, degree) - _exp_of_less(told, largest) + is_first),
        )[np.searchsorted(runs, run), edge]
        return np.asarray(np.logaddexp(self.log_absent[edge], self.log_present[edge] + heard))

    def _sum_of_word(self, told: Floats, largest: Floats, degree: Indices) -> Floats:
        """Return, for each edge, the sum of exp(h - largest) over its word."""
        sums = np.add.reduceat(_exp_of_less(told, largest), self.first, axis=1)
        return np.asarray(np.repeat(sums, degree, axis=1))


def _exp_of_less(told: Floats, largest: Floats) -> Floats:
    """Return exp(h - largest), or 1 where both are minus infinity."""
    return np.exp(np.subtract(told, largest, out=np.zeros_like(told), where=told != largest))
