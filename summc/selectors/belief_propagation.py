"""The paper's Algorithm 2: belief propagation ranks the sentences, and the budget is filled in that order.

H. Kitano and K. Takeda, "Belief Propagation for Maximum Coverage on Weighted Bipartite Graph and Application
to Text Summarization"; the unweighted case is S. Takabe, T. Maehara and K. Hukushima, Phys. Rev. E 97 (2018).

All messages are kept multiplied by beta, which is what the equations need them as.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.base import fill_in_order, make_selection, per_cost
from summc.settings import setting

#: A sum this small against its terms was lost in rounding, or half of its digits were.
_LOST = 1e-8
#: Below this a sum of exponentials has underflowed, or is about to.
_UNDERFLOW = 1e-290


@dataclass(frozen=True, slots=True)
class BeliefPropagation:
    """Literal Algorithm 2."""

    beta: float = setting(
        45.0, "Inverse temperature of BP; what matters is beta times the weights.", above=0, at_most=1e9
    )
    mu: float = setting(0.04, "Chemical potential of BP, the price of a word.", at_least=0, at_most=1e9)
    iterations: int = setting(150, "Update BP's messages at most so often.", at_least=1, at_most=1_000_000)
    damping: float = setting(
        0.5, "Part of the old message that each update of BP keeps.", at_least=0, below=1
    )
    tolerance: float = setting(
        1e-6, "BP has converged when no update moves a message, times beta, by more.", at_least=0, at_most=1e9
    )
    name: ClassVar[str] = "bp"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the budget filled by falling h_i / c_i; among equals the lowest index first."""
        beliefs = propagate(graph, self.beta, self.mu, self.iterations, self.damping, self.tolerance)
        order = np.argsort(-per_cost(beliefs.field, graph.cost), kind="stable")
        chosen = fill_in_order(graph.cost, order.tolist(), budget)
        diagnostics = {
            "converged": beliefs.converged,
            "iterations": beliefs.iterations,
            "last_change": beliefs.last_change,
        }
        return make_selection(graph, budget, self.name, chosen, diagnostics)


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Where the messages ended; ``field`` is h_i of each sentence, shape (N,), Eq. (8) of the paper."""

    field: Floats
    converged: bool
    iterations: int
    last_change: float


def propagate(
    graph: CoverageGraph, beta: float, mu: float, iterations: int, damping: float, tolerance: float
) -> Beliefs:
    """Run Eqs. (4) and (5) on all edges at once until the messages settle.

    Messages start at 0. A word that only one sentence holds sends the constant ``ln(1 + exp(beta w))``, so
    it joins that sentence's own field and leaves the iteration.
    """
    sentences, words = len(graph.cost), len(graph.weight)
    degree = np.bincount(graph.edge_word, minlength=words)
    shared = degree[graph.edge_word] > 1
    alone = ~shared
    own_field = -beta * mu * graph.cost + np.bincount(
        graph.edge_sentence[alone],
        weights=softplus(beta * graph.weight)[graph.edge_word[alone]],
        minlength=sentences,
    )
    sentence, word = graph.edge_sentence[shared], graph.edge_word[shared]
    settled = iterate(
        Messages(sentence, word, beta * graph.weight[word], np.zeros(len(word))),
        own_field,
        iterations,
        damping,
        tolerance,
    )
    field = own_field + np.bincount(sentence, weights=settled.message, minlength=sentences)
    return Beliefs(field / beta, settled.converged, settled.iterations, settled.last_change)


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """What words tell sentences: of each edge its ends, beta w of its word, and beta * hhat_ai."""

    sentence: Indices
    word: Indices
    scaled_weight: Floats
    message: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Messages after so many updates, the last of which moved one by ``last_change`` at most."""

    message: Floats
    converged: bool
    iterations: int
    last_change: float


def iterate(start: Messages, own_field: Floats, iterations: int, damping: float, tolerance: float) -> Settled:
    """Update all messages until they settle; every word here is held by two sentences or more.

    ``own_field`` is what each sentence has besides the messages, times beta, shape (N,).
    """
    sentence, sentences = start.sentence, len(own_field)
    update = WordUpdate.prepare(start.word, start.scaled_weight)
    message = start.message.copy()
    cavity, moved = np.empty_like(message), np.empty_like(message)
    change, done = 0.0, 0
    converged = len(message) == 0
    while not converged and done < iterations:
        field = own_field + np.bincount(sentence, weights=message, minlength=sentences)
        np.take(field, sentence, out=cavity, mode="clip")
        cavity -= message
        np.subtract(update(cavity), message, out=moved)
        change = max(float(moved.max()), -float(moved.min()))
        moved *= 1 - damping
        message += moved
        done += 1
        converged = change <= tolerance
    return Settled(message, converged, done, change)


def softplus(x: Floats) -> Floats:
    """Return ln(1 + exp(x)) without overflow; several times quicker than ``np.logaddexp``."""
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


@dataclass(frozen=True, slots=True, eq=False)
class WordUpdate:
    """Eq. (5): what each word tells each of its sentences, from what the other sentences tell it.

    The equation's ``-ln(1 - sigmoid(beta w) exp(-S))``, with S the sum of ``softplus(beta h_ja)`` over the
    other sentences j, loses everything to cancellation where beta w is large. The same quantity without it is
    ``-ln(sigmoid(-beta w) + sigmoid(beta w) (1 - exp(-S)))``.

    Attributes, one entry an edge where not said otherwise:
        word: the word.
        present: sigmoid(beta w).
        log_present, log_absent: ln sigmoid(beta w), ln sigmoid(-beta w).
        absent: sigmoid(-beta w).
        buffers: two arrays to compute in, so that an iteration allocates none.
    """

    word: Indices
    present: Floats
    absent: Floats
    log_present: Floats
    log_absent: Floats
    buffers: tuple[Floats, Floats, Floats]

    @classmethod
    def prepare(cls, word: Indices, scaled_weight: Floats) -> WordUpdate:
        """Compute what does not change between iterations."""
        log_present, log_absent = -softplus(-scaled_weight), -softplus(scaled_weight)
        buffers = (np.empty_like(scaled_weight), np.empty_like(scaled_weight), np.empty_like(scaled_weight))
        return cls(word, np.exp(log_present), np.exp(log_absent), log_present, log_absent, buffers)

    def __call__(self, cavity: Floats) -> Floats:
        """Return beta * hhat_ai of each edge from its beta * h_ia; the array is reused by the next call."""
        term, total, result = self.buffers
        # The term of each sentence: softplus of its cavity field.
        np.abs(cavity, out=term)
        np.negative(term, out=term)
        np.exp(term, out=term)
        np.log1p(term, out=term)
        term += np.maximum(cavity, 0, out=result)
        # S, the sum over the other sentences: the total less one's own.
        np.take(np.bincount(self.word, weights=term), self.word, out=total, mode="clip")
        np.subtract(total, term, out=result)
        total *= _LOST
        lost = np.flatnonzero(result <= total)
        if len(lost):
            result[lost] = self._sum_without(lost, term)
        underflown = lost[result[lost] < _UNDERFLOW]
        # The message itself.
        np.negative(result, out=result)
        np.expm1(result, out=result)
        result *= self.present
        np.subtract(self.absent, result, out=result)
        if len(underflown):
            result[underflown] = 1.0
        np.log(result, out=result)
        np.negative(result, out=result)
        if len(underflown):
            result[underflown] = self._in_logarithms(underflown, cavity)
        return result

    def _sum_without(self, lost: Indices, term: Floats) -> Floats:
        """Return S of edges whose own term swamps the rest of their word: at most one in a word has it."""
        others = term.copy()
        others[lost] = 0
        return np.asarray(np.bincount(self.word, weights=others)[self.word[lost]])

    def _in_logarithms(self, edges: Indices, cavity: Floats) -> Floats:
        """Return the message where S is too small for a float: ln(1 - exp(-S)) is the largest other h_ja."""
        order = np.lexsort((cavity, self.word))
        last = np.searchsorted(self.word[order], self.word[edges], side="right") - 1
        largest = np.where(order[last] == edges, order[last - 1], order[last])
        return -np.logaddexp(self.log_absent[edges], self.log_present[edges] + cavity[largest])
