"""The message passing of belief propagation: Eqs. (4) and (5) on all edges, and for several runs, at once.

All messages are kept multiplied by beta, which is what the equations need them as. Runs on one graph that
differ in mu alone are the rows of 2-D arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices

#: A sum this small against its terms was lost in rounding, or half of its digits were.
_LOST = 1e-8
#: Below this a sum of exponentials has underflowed, or is about to.
_UNDERFLOW = 1e-290

#: Damping that is left to summc starts here, and is looked at again after so many updates.
_DAMPING, _LOOK = 0.5, 5
#: Messages that have not come this much nearer since do not settle.
_FALL = 0.7
#: Where they swing, the part of an update that is taken shrinks by this; where they creep, it grows again.
_SHRINK, _GROW, _MOST_DAMPING = 0.7, 1.2, 0.97
#: An update in the direction of the one before, by the cosine between them, creeps.
_CREEPING = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """What words tell sentences.

    Attributes:
        sentence, word: the ends of each edge, shape (E,).
        scaled_weight: beta w_a of its word, shape (E,).
        message: beta * hhat_ai of each edge in each of B runs, shape (B, E).
    """

    sentence: Indices
    word: Indices
    scaled_weight: Floats
    message: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Messages after their updates, and of each run, shape (B,), how it went.

    ``last_change`` is how far the last update would have moved a message at most; ``damping`` is what it was
    in the end.
    """

    message: Floats
    converged: NDArray[np.bool_]
    iterations: Indices
    last_change: Floats
    damping: Floats


def iterate(
    start: Messages, own_field: Floats, iterations: int, damping: float | None, tolerance: float
) -> Settled:
    """Update all messages until they settle; every word here is held by two sentences or more.

    ``own_field`` is what each sentence has besides the messages, times beta, shape (B, N). Without a
    ``damping`` each run finds its own: it is raised while its messages swing, and eased where they creep.
    A run that has settled leaves the batch.
    """
    runs = len(own_field)
    done = Settled(
        message=start.message.copy(),
        converged=np.full(runs, fill_value=not len(start.word)),
        iterations=np.zeros(runs, dtype=np.intp),
        last_change=np.zeros(runs),
        damping=np.full(runs, _DAMPING if damping is None else damping),
    )
    active = np.flatnonzero(~done.converged)
    batch = _Batch(start, own_field, start.message.copy(), done.damping.copy()) if len(active) else None
    for count in range(1, iterations + 1):
        if batch is None:
            break
        batch.step(adapt=damping is None and count % _LOOK == 0, note=count % _LOOK == _LOOK - 1)
        settled = batch.change <= tolerance
        leaving = settled if count < iterations else np.ones(len(active), dtype=bool)
        if leaving.any():
            gone = active[leaving]
            done.message[gone], done.damping[gone] = batch.message[leaving], batch.damping[leaving]
            done.iterations[gone], done.last_change[gone] = count, batch.change[leaving]
            done.converged[gone] = settled[leaving]
            active = active[~leaving]
            batch = batch.only(~leaving) if len(active) else None
    return done


class _Batch:
    """Runs that are updated together, each as if it were alone."""

    def __init__(self, start: Messages, own_field: Floats, message: Floats, damping: Floats) -> None:
        runs, sentences = own_field.shape
        # The rows of a batch are as many graphs side by side, so that one sum serves them all.
        self.sentence = (start.sentence + sentences * np.arange(runs)[:, None]).reshape(-1)
        self.update = WordUpdate.prepare(start.word, start.scaled_weight, runs)
        self.start, self.own_field = start, own_field
        self.message, self.damping = message, damping
        self.cavity, self.moved = np.empty_like(message), np.empty_like(message)
        self.change = np.zeros(runs)
        # The last update but one, and the change, when damping was looked at last.
        self.before, self.last = np.zeros_like(message), np.full(runs, np.inf)

    def only(self, rows: NDArray[np.bool_]) -> _Batch:
        """Return the batch with some of its runs."""
        batch = _Batch(self.start, self.own_field[rows], self.message[rows], self.damping[rows])
        batch.before, batch.last = self.before[rows], self.last[rows]
        return batch

    def step(self, *, adapt: bool, note: bool) -> None:
        """Update all messages once; ``note``: damping will be looked at after the next update."""
        flat = self.message.reshape(-1)
        field = self.own_field.reshape(-1) + np.bincount(
            self.sentence, weights=flat, minlength=self.own_field.size
        )
        np.take(field, self.sentence, out=self.cavity.reshape(-1), mode="clip")
        self.cavity -= self.message
        # Kept with its sign turned, as the update returns it: turning it back would be one more pass.
        np.add(self.update(self.cavity), self.message, out=self.moved)
        self.change = np.maximum(self.moved.max(axis=1), -self.moved.min(axis=1))
        if note:
            self.before[:] = self.moved
        if adapt:
            self._adapt()
        self.moved *= (1 - self.damping)[:, None]
        self.message -= self.moved

    def _adapt(self) -> None:
        """Change the damping of each run that does not settle, by how this update goes with the last."""
        now, before = self.moved, self.before
        along = np.einsum("be,be->b", now, before)
        # The root of each, since the product of the two may be beyond any float.
        lengths = np.sqrt(np.einsum("be,be->b", now, now)) * np.sqrt(np.einsum("be,be->b", before, before))
        cosine = along / np.maximum(lengths, 1e-150)
        stuck = self.change > _FALL * self.last
        taken = 1 - self.damping
        taken[stuck & (cosine < 0)] *= _SHRINK
        taken[stuck & (cosine > _CREEPING)] *= _GROW
        self.damping = 1 - np.clip(taken, 1 - _MOST_DAMPING, 1 - _DAMPING)
        self.last = self.change


def softplus(x: Floats) -> Floats:
    """Return ln(1 + exp(x)) without overflow; several times quicker than ``np.logaddexp``."""
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


@dataclass(frozen=True, slots=True, eq=False)
class WordUpdate:
    """Eq. (5): what each word tells each of its sentences, from what the other sentences tell it.

    The equation's ``-ln(1 - sigmoid(beta w) exp(-S))``, with S the sum of ``softplus(beta h_ja)`` over the
    other sentences j, loses everything to cancellation where beta w is large. The same quantity without it is
    ``-ln(sigmoid(-beta w) + sigmoid(beta w) (1 - exp(-S)))``.

    Attributes:
        word: the word of each edge of each run, counted on from run to run, shape (B * E,).
        present, absent: sigmoid(beta w), sigmoid(-beta w) of each edge, shape (E,).
        log_present, log_absent: their logarithms, shape (E,).
        by_word: the edges of a run sorted by word, shape (E,); ``first``: where each word begins there.
        buffers: arrays to compute in, shape (B, E), so that an iteration allocates none.
    """

    word: Indices
    present: Floats
    absent: Floats
    log_present: Floats
    log_absent: Floats
    by_word: Indices
    first: Indices
    buffers: tuple[Floats, Floats, Floats]

    @classmethod
    def prepare(cls, word: Indices, scaled_weight: Floats, runs: int) -> WordUpdate:
        """Compute what does not change between iterations."""
        log_present, log_absent = -softplus(-scaled_weight), -softplus(scaled_weight)
        words = int(word.max()) + 1
        each = (word + words * np.arange(runs)[:, None]).reshape(-1)
        shape = (runs, len(word))
        buffers = (np.empty(shape), np.empty(shape), np.empty(shape))
        by_word = np.argsort(word, kind="stable")
        first = np.flatnonzero(np.diff(word[by_word], prepend=-1))
        present, absent = np.exp(log_present), np.exp(log_absent)
        return cls(each, present, absent, log_present, log_absent, by_word, first, buffers)

    def __call__(self, cavity: Floats) -> Floats:
        """Return -beta * hhat_ai of each edge from its beta * h_ia; the array is reused by the next call."""
        term, total, result = self.buffers
        # The term of each sentence: softplus of its cavity field.
        np.copysign(cavity, -1.0, out=term)
        np.exp(term, out=term)
        np.log1p(term, out=term)
        term += np.maximum(cavity, 0, out=result)
        # -S, from the sum over the other sentences: the total less one's own.
        sums = np.bincount(self.word, weights=term.reshape(-1))
        np.take(sums, self.word, out=total.reshape(-1), mode="clip")
        np.subtract(term, total, out=result)
        total *= -_LOST
        flat = result.reshape(-1)
        lost = np.flatnonzero(flat >= total.reshape(-1))
        if len(lost):
            flat[lost] = -self._sum_without(lost, term)
        underflown = lost[flat[lost] > -_UNDERFLOW]
        # The message itself, less its sign.
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
        """Return S of edges whose own term swamps the rest of their word: at most one in a word has it."""
        others = term.reshape(-1).copy()
        others[lost] = 0
        return np.asarray(np.bincount(self.word, weights=others)[self.word[lost]])

    def _in_logarithms(self, edges: Indices, cavity: Floats) -> Floats:
        """Return the message where S is too small for a float: ln(1 - exp(-S)) is the largest other h_ja."""
        run, edge = np.divmod(edges, len(self.present))
        runs = np.unique(run)
        told = cavity[runs][:, self.by_word]
        largest = np.maximum.reduceat(told, self.first, axis=1)
        degree = np.diff(np.append(self.first, len(self.by_word)))
        # The first edge that has the largest of its word hears the largest of the others.
        is_largest = told == np.repeat(largest, degree, axis=1)
        before = np.cumsum(is_largest, axis=1)
        first_of = before - np.repeat(before[:, self.first] - is_largest[:, self.first], degree, axis=1) == 1
        is_first = is_largest & first_of
        told[is_first] = -np.inf
        second = np.maximum.reduceat(told, self.first, axis=1)
        heard = np.where(is_first, np.repeat(second, degree, axis=1), np.repeat(largest, degree, axis=1))
        other = np.empty_like(heard)
        other[:, self.by_word] = heard
        others = other[np.searchsorted(runs, run), edge]
        return np.asarray(np.logaddexp(self.log_absent[edge], self.log_present[edge] + others))
