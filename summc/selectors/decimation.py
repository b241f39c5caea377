"""BP-guided decimation: belief propagation that chooses one sentence at a time.

Run BP and choose the sentence of largest h_i / c_i, its field per unit of cost. Remove from the graph the
weights that this sentence covers, and every sentence that no longer fits. Let the messages settle again from
their last values, and repeat. The paper's Algorithm 2 ranks the sentences only once. Unlike Algorithm 2,
decimation approaches g-greedy as mu grows: if no other sentence is likely to be chosen, h_i is the weight
that sentence i adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.graph import left_after
from summc.records import CoverageGraph, Selection
from summc.selectors.amounts import exact_costs
from summc.selectors.base import make_selection, per_cost, rounded
from summc.selectors.belief_propagation import BeliefPropagation, settle_terms
from summc.selectors.messages import Messages, iterate
from summc.settings import setting

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
        stats = tried[best].diagnostics
        diagnostics = {"iterations": stats["iterations"], **terms.used(best), "damping": stats["damping"]}
        return make_selection(graph, budget, self.name, tried[best].chosen, diagnostics)

    def _chosen(self, graph: CoverageGraph, budget: float, beta: float, mu: float) -> Selection:
        size, price, messages = len(graph.cost), beta * mu * graph.cost, Messages.start(graph, beta)
        cost, room = exact_costs(graph.cost, budget)
        candidates, chosen, updates = cost <= room, list[int](), self.iterations
        total, most_damping = 0, 0.0
        while candidates.any():
            messages, shared = messages.only(candidates[messages.sentence]).settled_alone()
            external = messages.only(~shared).sent(size) - price
            [run] = iterate(messages.only(shared), external[None], updates, self.damping, self.tolerance)
            messages.message[shared] = run.message
            total, most_damping = total + run.iterations, max(most_damping, run.damping)
            best = int(rounded(np.where(candidates, per_cost(run.field, graph.cost), -np.inf)).argmax())
            chosen.append(best)
            room, updates = room - float(cost[best]), self.rounds
            messages = covered(messages, best)
            candidates[best] = False
            candidates &= cost <= room
        diagnostics = {"iterations": total, "damping": most_damping}
        return make_selection(graph, budget, self.name, chosen, diagnostics)


def covered(now: Messages, chosen: int) -> Messages:
    """Return the messages after a sentence is chosen, without this sentence and the weights that it covers.

    If the sentence holds a word c times, it covers the weights of the next c occurrences of the word.
    """
    edges = now.sentence == chosen
    times = np.zeros(len(now.weight), dtype=np.intp)
    times[now.word[edges]] = now.count[edges]
    left = np.maximum(np.diff(now.repeats_start) + 1 - times, 0)
    rest = now.only(~edges & (left[now.word] > 0))
    count = np.minimum(rest.count, left[rest.word])  # at most the number of levels that are left
    return Messages(*left_after(now, times), rest.sentence, rest.word, count, rest.message)
