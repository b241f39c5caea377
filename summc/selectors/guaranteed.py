"""g-greedy with a guarantee, of S. Khuller, A. Moss and J. Naor, Inf. Process. Lett. 70, 39 (1999).

g-greedy alone can be arbitrarily bad: it may choose a short sentence of little weight that leaves no room for
a long sentence with nearly all the weight. So compare the selection of g-greedy with the best single sentence
that fits. The better of the two covers at least (1 - 1/e) / 2 of the optimum.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.graph.coverage import gains_alone
from summc.records import CoverageGraph, Selection
from summc.selectors.base import make_selection, rounded
from summc.selectors.greedy import GGreedy


@dataclass(frozen=True, slots=True)
class GuaranteedGreedy:
    """Take the better of two selections: that of g-greedy, and the best single sentence that fits."""

    name: ClassVar[str] = "g-greedy-guaranteed"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the selection of g-greedy, or the best single sentence that fits, if it covers more.

        The diagnostic ``single_sentence`` is true if the single sentence is returned.
        """
        greedy = GGreedy().select(graph, budget)
        worth = gains_alone(graph)
        fitting = np.flatnonzero(graph.cost <= budget)
        best = fitting[rounded(worth[fitting]).argmax()] if len(fitting) else None
        single = make_selection(graph, budget, self.name, [] if best is None else [int(best)])
        alone = single.covered_weight > greedy.covered_weight
        return dataclasses.replace(
            single if alone else greedy, selector=self.name, diagnostics={"single_sentence": alone}
        )
