"""One update of all messages of BP, Eqs. (4) and (5): in C (``compiled/messages.c``) if built, else in NumPy.

C and NumPy agree to about the last digit of a float. Edges are sorted by word. Runs on the same graph are the
rows of 2-D arrays: B runs, E edges, N sentences.

hhat_ai is the message from word a to sentence i. The field of sentence i is its own field, which is constant
during a run, plus the messages of all its words. The cavity field h_ia, Eq. (4), is the field without the
message of word a. From the cavity fields of its sentences, Eq. (5) computes the new messages of word a.
Messages and fields are stored multiplied by beta.
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
from summc.text.arithmetic import exp

__all__ = ["CompiledUpdate", "Update", "UpdateInNumpy", "first_edges", "make_update", "softplus"]

#: If a difference is smaller than this fraction of its terms, at least half of its digits are lost to
#: rounding.
_LOST = 1e-8
#: A sum below this has underflowed or is about to.
_UNDERFLOW = 1e-290


class Update(Protocol):
    """An object that updates the messages of B runs of BP on one graph.

    Attributes:
        message: the messages, times beta, shape (B, E).
        moved: each message minus its new value by the equations, shape (B, E).
    """

    message: Floats
    moved: Floats

    def __call__(self, taken: Floats) -> Floats:
        """Make one update in each of B runs of BP; return how far each run is from convergence, shape (B,).

        First subtract ``taken`` times ``moved`` from the messages of each run, then compute ``moved`` for
        these messages: each message minus its new value by Eqs. (4) and (5). ``taken`` is 1 - damping of each
        run, shape (B,). The result is the largest absolute value of ``moved`` in each run.
        """


def make_update(
    sentence: Indices,
    word: Indices,
    scaled_weight: Floats,
    own_field: Floats,
    message: Floats,
    levels: Levels | None = None,
) -> Update:
    """Return an object that updates messages: compiled if the library was built, else in NumPy.

    ``sentence`` and ``word`` are the ends of each edge, and ``scaled_weight`` is beta w_a of its word; all of
    shape (E,) and sorted by word. ``own_field`` is the constant part of each sentence's field, times beta,
    shape (B, N). ``message`` are the first messages, shape (B, E). Without ``levels``, only the first
    occurrence of every word has a weight.
    """
    compiled = library()
    if compiled is None:
        return UpdateInNumpy(sentence, word, scaled_weight, own_field, message, levels)
    return CompiledUpdate(compiled, sentence, word, scaled_weight, own_field, message, levels)


def first_edges(word: Indices) -> Indices:
    """Return the index of the first edge of each word, given the word of each edge, sorted."""
    return np.flatnonzero(np.diff(word, prepend=-1))


class CompiledUpdate:
    """Updates messages by the compiled library; see ``Update``."""

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
            exp(log_present), exp(log_absent), log_present, log_absent,
            np.ascontiguousarray(steps.start, dtype=np.int64), steps.step, steps.factors(TOP),
            np.ascontiguousarray(count, dtype=np.int32),
        ]  # fmt: skip
        self._edges = Edges(sentences, len(first), len(word), *map(_address, self._arrays))
        self._taken, self._change = np.empty(runs), np.empty(runs)
        degree = np.diff(np.append(first, len(word)))
        # Memory to compute in: each edge of a word needs at most twice as many numbers as the word has
        # levels, and padding for the largest count in front of them.
        room = int(((degree + 5) * (3 * steps.length + 4)).max(initial=0))
        scratch = np.empty(sentences + len(first) + 4 * len(word) + room)
        self._more_arrays: list[NDArray[Any]] = [
            np.ascontiguousarray(own_field, dtype=np.float64),
            self.message, self.moved, self._taken, self._change, scratch,
        ]  # fmt: skip
        addresses = [ctypes.c_void_p(_address(array)) for array in self._more_arrays]
        self._arguments = (ctypes.byref(self._edges), ctypes.c_int64(runs), *addresses)

    def __call__(self, taken: Floats) -> Floats:
        """Make one update in each of B runs of BP; return how far each run is from convergence, shape (B,).

        ``taken`` is 1 - damping of each run, shape (B,). The result is the largest absolute difference
        between a message of the run and its new value by Eqs. (4) and (5).
        """
        self._taken[:] = taken
        self._step(*self._arguments)
        return self._change.copy()


def _address(array: NDArray[Any]) -> int:
    return array.ctypes.data


class UpdateInNumpy:
    """Updates messages in NumPy; see ``Update``."""

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
        # Number the sentences of all runs consecutively, so that one bincount computes the sums of all runs.
        self._sentence = (sentence + sentences * np.arange(runs)[:, None]).reshape(-1)
        self._words = _prepare(word, scaled_weight, levels, runs)
        self._own_field = own_field.reshape(-1)
        self._cavity = np.empty((runs, len(word)))

    def __call__(self, taken: Floats) -> Floats:
        """Make one update in each of B runs of BP; return how far each run is from convergence, shape (B,).

        ``taken`` is 1 - damping of each run, shape (B,). The result is the largest absolute difference
        between a message of the run and its new value by Eqs. (4) and (5).
        """
        message, moved = self.message, self.moved
        moved *= taken[:, None]
        message -= moved
        sent = np.bincount(self._sentence, weights=message.reshape(-1), minlength=len(self._own_field))
        np.take(self._own_field + sent, self._sentence, out=self._cavity.reshape(-1), mode="clip")
        self._cavity -= message
        # self._words returns the new messages with a minus sign, which saves a pass over the array.
        np.add(self._words(self._cavity), message, out=moved)
        return np.asarray(np.maximum(moved.max(axis=1), -moved.min(axis=1)))


def _prepare(
    word: Indices, scaled_weight: Floats, levels: Levels | None, runs: int
) -> _Words | _WordsOfBothKinds:
    """Return a function that computes Eq. (5), the messages of words, from the cavity fields of all edges.

    Edges are sorted by word. ``word`` and ``scaled_weight`` are the word of each edge and beta times its
    weight. ``levels`` is None if only first occurrences of words have a weight.
    """
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
    """Eq. (5), the messages of words, if some words have one level and some have several.

    The number of levels of a word is the number of its occurrences that have a weight.

    Attributes:
        one: the edges to words of one level.
        words: Eq. (5) for words of one level, or None if there are none.
        levelled: Eq. (5) for words of several levels.
        place: ``words`` and ``levelled`` write their results into one array, one after the other. This is the
            column of each edge in that array, shape (E,).
        buffers: arrays to compute in, with a row for each run: the cavity fields of ``one``, the results of
            ``words`` and ``levelled``, and the results in the order of edges.
    """

    one: Indices
    words: _Words | None
    levelled: LevelledWords
    place: Indices
    buffers: tuple[Floats, ...]

    def __call__(self, cavity: Floats) -> Floats:
        """Return the negative messages -beta * hhat_ai of each edge, given the cavity fields beta * h_ia.

        Both have shape (B, E). The next call overwrites the returned array.
        """
        fields, answers, result = self.buffers
        if self.words is not None:
            np.take(cavity, self.one, axis=1, out=fields, mode="clip")
            answers[:, : len(self.one)] = self.words(fields)
        self.levelled(cavity, answers[:, len(self.one) :])
        return np.take(answers, self.place, axis=1, out=result, mode="clip")


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """Eq. (5): the message of each word to each of its sentences, if only first occurrences have a weight.

    The equation is ``-ln(1 - sigmoid(beta w) exp(-S))``, where S is the sum of ``softplus(beta h_ja)`` over
    the other sentences j that hold the word. If beta w is large, this difference loses all its digits by
    cancellation. The equivalent ``-ln(sigmoid(-beta w) + sigmoid(beta w) (1 - exp(-S)))`` is used instead.

    Attributes:
        word: the word of each edge of each run, numbered consecutively over the runs, shape (B * E,).
        present, absent: sigmoid(beta w), sigmoid(-beta w) of each edge, shape (E,).
        log_present, log_absent: the logarithms of ``present`` and ``absent``, shape (E,).
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
        """Return Eq. (5) for some edges; compute once what does not change between updates.

        ``word`` and ``scaled_weight`` are the word of each edge and beta times its weight, sorted by word.
        ``runs`` is the number of runs of BP.
        """
        log_present, log_absent = -softplus(-scaled_weight), -softplus(scaled_weight)
        words = int(word.max()) + 1
        each = (word + words * np.arange(runs)[:, None]).reshape(-1)
        shape = (runs, len(word))
        buffers = (np.empty(shape), np.empty(shape), np.empty(shape))
        present, absent = exp(log_present), exp(log_absent)
        return cls(each, present, absent, log_present, log_absent, first_edges(word), buffers)

    def __call__(self, cavity: Floats) -> Floats:
        """Return the negative messages -beta * hhat_ai of each edge, given the cavity fields beta * h_ia.

        Both have shape (B, E). The next call overwrites the returned array.
        """
        term, total, result = self.buffers
        # Compute the term of each sentence in S: softplus of its cavity field.
        np.copysign(cavity, -1.0, out=term)
        np.exp(term, out=term)
        np.log1p(term, out=term)
        term += np.maximum(cavity, 0, out=result)
        # Compute -S: the term of the sentence itself minus the sum of the terms of all sentences of the word.
        sums = np.bincount(self.word, weights=term.reshape(-1))
        np.take(sums, self.word, out=total.reshape(-1), mode="clip")
        np.subtract(term, total, out=result)
        total *= -_LOST
        flat = result.reshape(-1)
        lost = np.flatnonzero(flat >= total.reshape(-1))
        if len(lost):
            flat[lost] = -self._sum_without(lost, term)
        underflown = lost[flat[lost] > -_UNDERFLOW]
        # Compute the negative message from -S.
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
        """Return S, the sum of the terms of the other sentences that hold the word, for the edges ``lost``.

        For other edges, S is the sum of all terms of the word minus the term of the edge. The edges ``lost``
        have a term that is nearly the whole sum, so subtracting it would leave few correct digits. Here the
        other terms are added up instead. All terms of ``lost`` are left out at once, which is right because
        a word has at most one such edge. ``term`` is softplus(beta h_ja) of each edge, shape (B, E), and
        ``lost`` are indices of the flattened ``term``.
        """
        others = term.reshape(-1).copy()
        others[lost] = 0
        return np.asarray(np.bincount(self.word, weights=others)[self.word[lost]])

    def _in_logarithms(self, edges: Indices, cavity: Floats) -> Floats:
        """Return the negative messages of the edges where S underflows, computed in logarithms.

        For such small S, 1 - exp(-S) equals S, which equals the sum of exp(beta h_ja) over the other
        sentences j.
        """
        run, edge = np.divmod(edges, len(self.present))
        runs = np.unique(run)
        told = cavity[runs]
        degree = np.diff(np.append(self.first, told.shape[1]))
        largest = np.repeat(np.maximum.reduceat(told, self.first, axis=1), degree, axis=1)
        # Factor the largest field out of each sum over the other edges of the word. For the edge that has the
        # largest field itself (the first such edge of the word), this is the second largest field.
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
        """Return, for each edge, the sum of exp(told - largest) over all edges of the same word.

        ``told`` has the cavity field of each edge. ``largest`` has the largest cavity field of the word of
        each edge, which is subtracted so that exp does not overflow. Both have a row for each run.
        ``degree`` is the number of edges of each word.
        """
        sums = np.add.reduceat(_exp_of_less(told, largest), self.first, axis=1)
        return np.asarray(np.repeat(sums, degree, axis=1))


def _exp_of_less(told: Floats, largest: Floats) -> Floats:
    """Return exp(told - largest), or 1 where both are minus infinity."""
    return np.exp(np.subtract(told, largest, out=np.zeros_like(told), where=told != largest))
