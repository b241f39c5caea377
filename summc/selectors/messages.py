"""The message passing of belief propagation: Eqs. (4) and (5) on all edges, and for several runs, at once.

All messages are kept multiplied by beta, which is what the equations need them as. Runs on one graph that
differ in mu alone are the rows of 2-D arrays.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, Indices
from summc.selectors.factors import Factors, Levels
from summc.selectors.updates import make_update

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
        count: how often the sentence holds the word, shape (E,).
        factors: those of the words.
        message: beta * hhat_ai of each edge in each of B runs, shape (B, E).
    """

    sentence: Indices
    word: Indices
    count: Indices
    factors: Factors
    message: Floats

    def only(self, edges: Indices | NDArray[np.bool_]) -> Messages:
        """Return the messages of some edges, given by index or as a mask."""
        return Messages(
            self.sentence[edges], self.word[edges], self.count[edges], self.factors, self.message[:, edges]
        )

    def constants(self) -> Floats:
        """Return of each edge what its word would tell its sentence if no other sentence held it, ln g(c)."""
        return self.factors.logarithms().at(self.word, self.count)


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
    """Runs that are updated together, each as if it were alone."""

    def __init__(self, start: Messages, own_field: Floats, message: Floats, damping: Floats) -> None:
        factors = start.factors
        levels = Levels(start.count, factors.further, factors.further_start)
        weight = factors.weight[start.word]
        self.update = make_update(start.sentence, start.word, weight, own_field, message, levels)
        self.start, self.own_field, self.damping = start, own_field, damping
        self.change = np.zeros(len(own_field))
        # The last update but one, and the change, when damping was looked at last.
        self.before, self.last = np.zeros_like(message), np.full(len(own_field), np.inf)

    @property
    def message(self) -> Floats:
        """The messages after the last update, which the next one moves as it begins."""
        return np.asarray(self.update.message - (1 - self.damping)[:, None] * self.update.moved)

    def only(self, rows: NDArray[np.bool_]) -> _Batch:
        """Return the batch with some of its runs."""
        batch = _Batch(self.start, self.own_field[rows], self.message[rows], self.damping[rows])
        batch.before, batch.last = self.before[rows], self.last[rows]
        return batch

    def step(self, *, adapt: bool, note: bool) -> None:
        """Update all messages once; ``note``: damping will be looked at after the next update."""
        self.change = self.update(1 - self.damping)
        if note:
            self.before[:] = self.update.moved
        if adapt:
            self._adapt()

    def _adapt(self) -> None:
        """Change the damping of each run that does not settle, by how this update goes with the last."""
        now, before = self.update.moved, self.before
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
