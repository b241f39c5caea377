"""The message passing of belief propagation: Eqs. (4) and (5) on all edges and for several runs at once.

All messages are stored multiplied by beta, as the equations use them. Runs on the same graph that differ only
in mu are the rows of 2-D arrays. Damping is the fraction of the old message that an update keeps.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices
from summc.selectors.factors import Factors, Levels
from summc.selectors.updates import make_update

#: The first and smallest value of automatic damping, and the number of updates between two adaptations.
_DAMPING, _LOOK = 0.5, 5
#: Damping is adapted only if the largest change of a message is still more than this fraction of the largest
#: change at the last adaptation. Otherwise the messages are settling fast enough.
_FALL = 0.7
#: If messages oscillate, 1 - damping is multiplied by ``_SHRINK``. If they creep, it is multiplied by
#: ``_GROW``. Damping is never larger than ``_MOST_DAMPING``.
_SHRINK, _GROW, _MOST_DAMPING = 0.7, 1.2, 0.97
#: Messages creep (move slowly in one direction) if the cosine between two successive updates is larger than
#: this. They oscillate if the cosine is negative.
_CREEPING = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """The messages from words to sentences.

    Attributes:
        sentence, word: the sentence and the word of each edge, shape (E,).
        count: how often the sentence of each edge holds its word, shape (E,).
        factors: the weights of the words' occurrences, times beta.
        message: beta * hhat_ai of each edge in each of B runs, shape (B, E).
    """

    sentence: Indices
    word: Indices
    count: Indices
    factors: Factors
    message: Floats

    def only(self, edges: Indices | NDArray[np.bool_]) -> Messages:
        """Return the messages of some edges only; ``edges`` are indices or a mask."""
        return Messages(
            self.sentence[edges], self.word[edges], self.count[edges], self.factors, self.message[:, edges]
        )

    def constants(self) -> Floats:
        """Return the message of each edge as if no other sentence held the word.

        This is ln g(c), where g is the factor of the word (see ``factors.py``) and c the count of the edge.
        """
        return self.factors.logarithms().at(self.word, self.count)


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """The result of ``iterate``: the messages, and how each of B runs ended.

    Attributes:
        message: the messages after the last update, shape (B, E).
        converged: whether ``last_change`` is at most the tolerance, shape (B,).
        iterations: the number of updates, shape (B,).
        last_change: the largest change of a message that the last update would have made without damping,
            shape (B,).
        damping: the damping at the end, shape (B,).
    """

    message: Floats
    converged: NDArray[np.bool_]
    iterations: Indices
    last_change: Floats
    damping: Floats


def iterate(
    start: Messages, own_field: Floats, iterations: int, damping: float | None, tolerance: float
) -> Settled:
    """Update messages until they change by at most ``tolerance``, or ``iterations`` times; return the result.

    ``start`` has the first messages. Every word must be held by at least two sentences. ``own_field`` is beta
    times the part of each sentence's field that does not come from messages, shape (B, N). If ``damping`` is
    None, each run adapts its own damping. It rises while messages oscillate, and falls while they creep (move
    slowly in one direction). A run whose messages have settled is not updated any more.
    """
    runs = len(own_field)
    by_word = np.argsort(start.word, kind="stable")
    start = start.only(by_word)
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
    message = np.empty_like(done.message)
    message[:, by_word] = done.message
    return dataclasses.replace(done, message=message)


class _Batch:
    """Runs that are updated together, because that is faster. They do not affect each other."""

    def __init__(self, start: Messages, own_field: Floats, message: Floats, damping: Floats) -> None:
        factors = start.factors
        levels = Levels(start.count, factors.repeats, factors.repeats_start)
        weight = factors.weight[start.word]
        self.update = make_update(start.sentence, start.word, weight, own_field, message, levels)
        self.start, self.own_field, self.damping = start, own_field, damping
        self.change = np.zeros(len(own_field))
        # To adapt the damping, two successive updates are compared. ``before`` is the first of the two.
        # ``last`` is the largest change of a message at the last adaptation.
        self.before, self.last = np.zeros_like(message), np.full(len(own_field), np.inf)

    @property
    def message(self) -> Floats:
        """The messages after the last update.

        ``update.message`` lags behind, because ``update`` applies its last move only at its next call.
        """
        return np.asarray(self.update.message - (1 - self.damping)[:, None] * self.update.moved)

    def only(self, rows: NDArray[np.bool_]) -> _Batch:
        """Return a batch of the runs that the mask ``rows`` selects."""
        batch = _Batch(self.start, self.own_field[rows], self.message[rows], self.damping[rows])
        batch.before, batch.last = self.before[rows], self.last[rows]
        return batch

    def step(self, *, adapt: bool, note: bool) -> None:
        """Update all messages once.

        ``adapt``: adapt the damping afterwards. ``note``: remember this update, because the next one will be
        followed by an adaptation, which compares the two.
        """
        self.change = self.update(1 - self.damping)
        if note:
            self.before[:] = self.update.moved
        if adapt:
            self._adapt()

    def _adapt(self) -> None:
        """Adapt the damping of runs that settle too slowly, by the angle between their last two updates."""
        now, before = self.update.moved, self.before
        along = np.einsum("be,be->b", now, before)
        # Take the root of each square first, because the product of the two squares may overflow.
        lengths = np.sqrt(np.einsum("be,be->b", now, now)) * np.sqrt(np.einsum("be,be->b", before, before))
        cosine = along / np.maximum(lengths, 1e-150)
        stuck = self.change > _FALL * self.last
        taken = 1 - self.damping
        taken[stuck & (cosine < 0)] *= _SHRINK
        taken[stuck & (cosine > _CREEPING)] *= _GROW
        self.damping = 1 - np.clip(taken, 1 - _MOST_DAMPING, 1 - _DAMPING)
        self.last = self.change
