"""The protocol of a selector, and helpers that selectors share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol

import numpy as np

from summc.graph import covered_levels, occurrences
from summc.records import CoverageGraph, Floats, Indices, Selection
from summc.selectors.amounts import exact_costs, fits

#: Values are compared by this many binary digits, about 12 decimal ones.
DIGITS = 40


class Selector(Protocol):
    """An algorithm that chooses sentences within a budget. The constructor takes the algorithm's settings."""

    name: ClassVar[str]  # the name by which a user asks for this selector

    def __init__(self, **settings: Any) -> None: ...

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return sentences of the graph that together cost at most the budget K."""


class OwnSelector(Protocol):
    """A selector that a Python user wrote: any object with a name and a method ``select``."""

    @property
    def name(self) -> str:
        """The name that tables and signatures show."""

    def select(self, graph: CoverageGraph, budget: float) -> Selection | Iterable[int]:
        """Return sentences of the graph, as indices or as a selection, that cost at most the budget K."""


def per_cost(value: Floats, cost: Floats) -> Floats:
    """Return value / cost of each sentence.

    If the cost is 0, the ratio is 0 for a value of 0, else infinity with the sign of the value.
    """
    ratio = np.divide(value, cost, out=np.zeros_like(value), where=cost > 0)
    return np.where(cost > 0, ratio, np.where(value == 0, 0.0, np.copysign(np.inf, value)))


def rounded(values: Floats) -> Floats:
    """Return values rounded to about 12 digits, to compare them.

    Values that differ only by rounding errors, such as 0.1 + 0.1 + 0.1 and 0.3, are then equal. ``argmax``
    takes the first of equal values, so ties go to the lowest index.
    """
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, DIGITS)), exponent - DIGITS))


def fill_in_order(cost: Floats, order: Iterable[int], budget: float) -> list[int]:
    """Go through the sentences in ``order`` and take each that still fits the budget; return those taken."""
    costs, most = exact_costs(cost, budget)
    chosen, spent, exact = list[int](), 0.0, costs.tolist()
    for i in order:
        if spent + exact[i] <= most:
            chosen.append(i)
            spent += exact[i]
    return chosen


def exact_amounts(*amounts: Floats) -> tuple[Floats, ...]:
    """Return arrays of amounts, rounded to multiples of one power of two, so that every sum is exact."""
    total = float(sum(map(np.sum, amounts)))
    if total <= 0:
        return amounts
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    exact = np.round(np.concatenate(amounts) / unit) * unit
    return tuple(np.split(exact, np.cumsum(list(map(len, amounts)))[:-1]))


def make_selection(
    graph: CoverageGraph, budget: float, selector: str, chosen: Iterable[int],
    diagnostics: Mapping[str, Any] | None = None,
) -> Selection:  # fmt: skip
    """Return the ``Selection`` of the chosen sentences. Its cost and covered weight are computed here.

    ``selector`` is the name of the selector that chose them.
    """
    indices = sorted(chosen)
    cost = math.fsum(graph.cost[indices].tolist())
    if cost > budget and fits(graph.cost, indices, budget):  # by rounding, as 0.1 + 0.2 does
        cost = budget
    covered = math.fsum(covered_levels(graph, occurrences(graph, indices)).tolist())
    return Selection(selector, budget, tuple(indices), cost, covered, diagnostics=diagnostics or {})


def better_of(graph: CoverageGraph, best: Selection, chosen: Indices) -> Selection:
    """Return ``best``, or the selection of the sentences ``chosen`` if it covers more."""
    new = make_selection(graph, best.budget, best.selector, chosen.tolist())
    return new if new.covered_weight > best.covered_weight else best


def for_c(structure: Any, **values: Any) -> Any:
    """Return a structure of the C code with these numbers and arrays.

    It refers to the arrays, or to copies if their numbers have another type than C expects.
    """
    filled, arrays = structure(), []
    for name, value in values.items():
        if name in structure.types:
            arrays.append(np.ascontiguousarray(value, dtype=structure.types[name]))
        setattr(filled, name, arrays[-1].ctypes.data if name in structure.types else value)
    filled.arrays = arrays  # so that they exist as long as the structure
    return filled
