"""g-greedy with its guarantee, of S. Khuller, A. Moss and J. Naor, Inf. Process. Lett. 70, 39 (1999).

g-greedy alone may be arbitrarily bad: a short sentence worth little can shut out a long one worth everything.
The better of it and the best single sentence that fits covers at least (1 - 1/e) / 2 of the optimum.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from summc.coverage import gains_alone
from summc.records import CoverageGraph, Selection
from summc.selectors.base import make_selection
from summc.selectors.greedy import GGreedy


@dataclass(frozen=True, slots=True)
class GuaranteedGreedy:
    """The better of g-greedy and the best single sentence."""

    name: ClassVar[str] = "g-greedy-guaranteed"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the choice of g-greedy, or one sentence where that alone covers more."""
        greedy = GGreedy().select(graph, budget)
        worth = gains_alone(graph)
        fitting = np.flatnonzero(graph.cost <= budget)
        best = fitting[worth[fitting].argmax()] if len(fitting) else None
        single = make_selection(graph, budget, self.name, [] if best is None else [int(best)])
        alone = single.covered_weight > greedy.covered_weight
        return dataclasses.replace(
            single if alone else greedy, selector=self.name, diagnostics={"single_sentence": alone}
        )
