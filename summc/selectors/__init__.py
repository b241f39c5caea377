"""Stage 5: choose sentences of a coverage graph within a budget. Each algorithm has a file of its own.

To add one, write a frozen dataclass with its settings, a ``name`` and ``select(graph, budget)``, and list it
in ``SELECTORS``. Its settings become flags and configuration keys automatically.
"""

from __future__ import annotations

from collections.abc import Mapping

from summc.selectors.auto import Auto
from summc.selectors.base import Selector
from summc.selectors.belief_propagation import BeliefPropagation
from summc.selectors.bounds import upper_bound
from summc.selectors.decimation import Decimation
from summc.selectors.enumerated import EnumeratedGreedy
from summc.selectors.exact import Exact
from summc.selectors.greedy import GGreedy, SimpleGreedy
from summc.selectors.guaranteed import GuaranteedGreedy
from summc.selectors.knapsack import Knapsack
from summc.selectors.lp_rounding import LpRounding
from summc.selectors.polish import polish
from summc.selectors.readable import improve_reading
from summc.selectors.stack import StackDecoding

#: The name a user types -> the selector.
SELECTORS: Mapping[str, type[Selector]] = {
    selector.name: selector
    for selector in (
        BeliefPropagation,
        GGreedy,
        SimpleGreedy,
        Decimation,
        Auto,
        Exact,
        GuaranteedGreedy,
        EnumeratedGreedy,
        StackDecoding,
        LpRounding,
        Knapsack,
    )
}

__all__ = [
    "SELECTORS",
    "Auto",
    "BeliefPropagation",
    "Decimation",
    "EnumeratedGreedy",
    "Exact",
    "GGreedy",
    "GuaranteedGreedy",
    "Knapsack",
    "LpRounding",
    "Selector",
    "SimpleGreedy",
    "StackDecoding",
    "improve_reading",
    "polish",
    "upper_bound",
]
