"""Stage 5: choose sentences of a coverage graph within a budget. Each algorithm has a file of its own.

To add an algorithm, write a frozen dataclass with its settings, a ``name`` and ``select(graph, budget)``, and
list the class in ``_CLASSES`` below. Its settings become flags and configuration keys automatically. Other
packages add selectors through entry points of the group ``summc.selectors``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from summc.selectors.auto import Auto
from summc.selectors.base import Selector
from summc.selectors.belief_propagation import BeliefPropagation
from summc.selectors.bounds import upper_bound
from summc.selectors.decimation import Decimation
from summc.selectors.enumerated import EnumeratedGreedy
from summc.selectors.exact import Exact
from summc.selectors.greedy import GGreedy, GuaranteedGreedy, SimpleGreedy
from summc.selectors.knapsack import Knapsack
from summc.selectors.lp_rounding import LpRounding
from summc.selectors.polish import polish
from summc.selectors.stack import StackDecoding
from summc.settings import plugins

_CLASSES: tuple[type[Selector], ...] = (
    BeliefPropagation, GGreedy, SimpleGreedy, Decimation, Auto, Exact, GuaranteedGreedy, EnumeratedGreedy,
    StackDecoding, LpRounding, Knapsack,
)  # fmt: skip
_BUILT_IN: Mapping[str, type[Selector]] = {selector.name: selector for selector in _CLASSES}

#: Names of rows that tables have beside those of selectors.
ROWS = ("lead", "random", "human", "oracle", "g-greedy-24")


def _accepted(name: str, selector: Any) -> dict[str, type[Selector]]:
    plugins.check_class(selector, "select")
    if getattr(selector, "name", None) != name:
        raise ValueError(f'its class must have name = "{name}"')
    if name in ROWS:
        raise ValueError("evaluate has a row of that name")
    return {name: selector}


#: The name of each selector, as a user types it -> its class. Includes the selectors of other packages.
SELECTORS: plugins.Registry[type[Selector]] = plugins.Registry(plugins.SELECTORS, _BUILT_IN, _accepted)

__all__ = [
    "SELECTORS", "Auto", "BeliefPropagation", "Decimation", "EnumeratedGreedy", "Exact", "GGreedy",
    "GuaranteedGreedy", "Knapsack", "LpRounding", "Selector", "SimpleGreedy", "StackDecoding",
    "polish", "upper_bound",
]  # fmt: skip
