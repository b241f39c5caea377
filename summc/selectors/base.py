"""The protocol of a selector, and helpers that selectors share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np

from summc.graph import covered_levels, occurrences
from summc.records import CoverageGraph, Floats, Indices, Selection

#: In whatever order costs are added, the relative rounding error of their sum is less than this.
_ROUNDING = 1e-9
#: Costs of up to this many decimals, such as prices, are summed as decimals.
_DECIMALS = 6
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
    chosen, spent, costs = list[int](), 0.0, cost.tolist()
    for i in order:
        if still_fits(costs, chosen, i, spent, budget):
            chosen.append(i)
            spent += costs[i]
    return chosen


def still_fits(cost: Sequence[float], chosen: Sequence[int], i: int, spent: float, budget: float) -> bool:
    """Tell whether sentence i fits the budget beside the chosen sentences.

    ``spent`` is the cost of the chosen sentences and may contain rounding errors. If these errors could
    change the answer, the costs are summed again exactly. The answer therefore does not depend on the order
    in which the costs were added.
    """
    total = spent + cost[i]
    if cost[i] == 0 or abs(total - budget) > _ROUNDING * budget:
        return cost[i] == 0 or total <= budget
    return summed([*(cost[j] for j in chosen), cost[i]], budget) <= budget


def summed(costs: Iterable[float], budget: float) -> float:
    """Return the sum of costs, rounded once, or the budget if the sum is one rounding above it: 0.1 + 0.2."""
    total = math.fsum(costs)
    return budget if total == math.nextafter(budget, math.inf) else total


def room_beside(budget: float, costs: Sequence[float]) -> float:
    """Return what is left of the budget beside chosen sentences with these costs.

    It is rounded down, so that further sentences that fit the rest never exceed the budget.
    """
    left = Fraction(budget) - sum(map(Fraction, costs))
    room = max(float(left), 0.0)
    return math.nextafter(room, 0.0) if room > left else room


def most_beside(budget: float, costs: Sequence[float], new_costs: Floats) -> float:
    """Return an amount that the sum of ``new_costs`` cannot exceed if they fit the budget beside ``costs``.

    By ``summed``, a sum fits if it exceeds the budget by less than two roundings. Two roundings can be more
    than the room that is left.
    """
    above = math.nextafter(math.nextafter(budget, math.inf), math.inf)
    room = math.nextafter(room_beside(above, costs), math.inf)
    return min(float(math.floor(room)) if np.array_equal(new_costs, np.round(new_costs)) else room, budget)


def exact_amounts(*amounts: Floats) -> tuple[Floats, ...]:
    """Return arrays of amounts, rounded to multiples of one power of two, so that every sum is exact."""
    total = float(sum(map(np.sum, amounts)))
    if total <= 0:
        return amounts
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    exact = np.round(np.concatenate(amounts) / unit) * unit
    return tuple(np.split(exact, np.cumsum(list(map(len, amounts)))[:-1]))


def exact_costs(cost: Floats, budget: float) -> Floats:
    """Return the costs as multiples of one power of two, so that every sum of them is exact.

    No given cost may exceed the budget. Sentences that fit the budget by the returned costs really fit, and
    so does the reverse if costs are decimals such as 1.6 and 0.4. Other costs are rounded up, and capped at
    the budget.
    """
    total = float(cost.sum())
    if total <= 0:
        return cost
    unit = 2.0 ** (np.ceil(np.log2(total)) - 51)
    for digits in range(1, _DECIMALS + 1) if (cost != np.round(cost)).any() else ():
        whole, most = np.round(cost * 10.0**digits), np.round(budget * 10.0**digits)
        most -= most / 10.0**digits > budget
        if (np.abs(cost * 10.0**digits - whole) <= whole * 2.0**-50).all():
            # Scaled so that ``most`` units of the last digit are the budget, and rounded down.
            return np.asarray(np.floor(whole * (budget / most) / unit) * unit)
    return np.asarray(np.minimum(np.ceil(cost / unit) * unit, budget))


def make_selection(
    graph: CoverageGraph, budget: float, selector: str, chosen: Iterable[int],
    diagnostics: Mapping[str, Any] | None = None,
) -> Selection:  # fmt: skip
    """Return the ``Selection`` of the chosen sentences. Its cost and covered weight are computed here.

    ``selector`` is the name of the selector that chose them.
    """
    indices = sorted(chosen)
    cost = summed(graph.cost[indices].tolist(), budget)
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
