"""BP-guided decimation: belief propagation that chooses one sentence at a time.

Run BP and choose the sentence of largest h_i / c_i, its field per unit of cost. Remove from the graph the
weights that this sentence covers, and every sentence that no longer fits. Let the messages settle again from
their last values, and repeat. The paper's Algorithm 2 ranks the sentences only once. Unlike Algorithm 2,
decimation approaches g-greedy as mu grows: if no other sentence is likely to be chosen, h_i is the weight
that sentence i adds.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from summc.records import CoverageGraph, Floats, Selection
from summc.selectors.base import make_selection, per_cost, rounded
from summc.selectors.belief_propagation import BeliefPropagation, settle_terms, start_messages
from summc.selectors.local_search import exact_costs
from summc.selectors.messages import Messages, Settled, iterate
from summc.settings import setting

Mask = NDArray[np.bool_]

#: The values of mu that "auto" tries, as fractions of the weight that g-greedy covers per word of the budget.
_PRICES = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8)


@dataclass(frozen=True, slots=True)
class Decimation(BeliefPropagation):
    """BP-guided decimation: after each choice, BP continues from its last messages instead of from 0."""

    rounds: int = setting(10, "bp-decimation: updates after each choice.", at_least=1, at_most=1_000_000)
    name: ClassVar[str] = "bp-decimation"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Choose sentences one after another while any fits, and return the selection.

        If several values of mu are tried, the selection that covers the most is returned.
        """
        terms = settle_terms(graph, budget, self.beta, self.mu, _PRICES)
        tried = [self._chosen(terms.graph, budget, terms.beta, mu) for mu in terms.mus]
        best = max(range(len(tried)), key=lambda run: tried[run].covered_weight)
        found = tried[best].diagnostics
        diagnostics = {"iterations": found["iterations"], **terms.used(best), "damping": found["damping"]}
        return make_selection(graph, budget, self.name, tried[best].chosen, diagnostics)

    def _chosen(self, graph: CoverageGraph, budget: float, beta: float, mu: float) -> Selection:
        damping = None if isinstance(self.damping, str) else self.damping
        live = start(graph, beta, mu)
        chosen: list[int] = []
        fits = graph.cost <= budget
        cost = exact_costs(np.where(fits, graph.cost, 0.0), budget)
        room, updates = budget, self.iterations
        total, most_damping = 0, 0.0
        while True:
            live = live.without(~fits | (cost > room))
            if not live.candidates.any():
                break
            live, done = live.settled(updates, damping, self.tolerance)
            total, most_damping = total + int(done.iterations[0]), max(most_damping, float(done.damping[0]))
            ratio = np.where(live.candidates, per_cost(live.field(), graph.cost), -np.inf)
            best = int(rounded(ratio).argmax())
            chosen.append(best)
            room -= float(cost[best])
            live = live.with_covered(best)
            updates = self.rounds
        diagnostics = {"iterations": total, "damping": most_damping}
        return make_selection(graph, budget, self.name, chosen, diagnostics)


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """The rest of the graph: sentences that can still be chosen, and their words that still have weight.

    Attributes:
        price: beta * mu * c_i, which BP subtracts from the field of each sentence, shape (N,).
        candidates: whether each sentence can still be chosen, shape (N,).
        messages: the messages of the remaining edges.
    """

    price: Floats
    candidates: Mask
    messages: Messages

    def without(self, sentences: Mask) -> Live:
        """Return the rest of the graph without the sentences of a mask, and without their edges."""
        candidates = self.candidates & ~sentences
        return Live(self.price, candidates, self.messages.only(candidates[self.messages.sentence]))

    def with_covered(self, chosen: int) -> Live:
        """Return the rest of the graph after a sentence is chosen.

        The result does not have the chosen sentence and the weights that it covers. If the sentence holds a
        word c times, it covers the weights of the next c occurrences of the word.
        """
        now = self.messages
        held = now.sentence == chosen
        times = np.zeros(len(now.factors.weight), dtype=np.intp)
        times[now.word[held]] = now.count[held]
        left = np.maximum(now.factors.levels - times, 0)
        candidates = self.candidates.copy()
        candidates[chosen] = False
        kept = now.only(~held & (left[now.word] > 0))
        # Cap the counts at the number of levels that are left.
        count = np.minimum(kept.count, left[kept.word])
        return Live(
            self.price, candidates, dataclasses.replace(kept, count=count, factors=now.factors.after(times))
        )

    def settled(self, updates: int, damping: float | None, tolerance: float) -> tuple[Live, Settled]:
        """Update the messages until none changes by more than ``tolerance``, at most ``updates`` times.

        Return the graph with the new messages, and the outcome (number of updates, convergence, damping).

        A word that only one sentence still holds sends a constant message and takes no part in the updates.
        """
        now = self.messages
        shared = np.bincount(now.word)[now.word] > 1 if len(now.word) else np.zeros(0, dtype=bool)
        message = np.where(shared, now.message, now.constants())
        alone = np.bincount(now.sentence[~shared], weights=message[0, ~shared], minlength=len(self.price))
        done = iterate(now.only(shared), (alone - self.price)[None], updates, damping, tolerance)
        message[0, shared] = done.message[0]
        return Live(self.price, self.candidates, dataclasses.replace(now, message=message)), done

    def field(self) -> Floats:
        """Return beta * h_i of each sentence, shape (N,): the messages to it, added up, minus its price.

        The field h_i says how much sentence i is preferred: a larger one is more probable in good summaries.
        """
        sent = np.bincount(
            self.messages.sentence, weights=self.messages.message[0], minlength=len(self.price)
        )
        return np.asarray(sent - self.price)


def start(graph: CoverageGraph, beta: float, mu: float) -> Live:
    """Return the start of a decimation: the whole graph, with all messages 0."""
    return Live(beta * mu * graph.cost, np.ones(len(graph.cost), dtype=bool), start_messages(graph, beta))
