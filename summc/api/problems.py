"""Coverage problems without text: choose sets within a budget so that what they cover weighs the most."""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from summc.api import selector_of
from summc.errors import InputError, NoSummaryError, SettingError, as_typed
from summc.graph import LARGEST, make_graph
from summc.records import CoverageGraph, Indices, Selection
from summc.report.codec import Amount, Weight, is_number, level_arrays, shaped
from summc.selectors import Selector, solving

_PAIR = 2  # the numbers of an edge without a count


class Problem:
    """A maximum-coverage problem with costs and weights; ``graph`` has it as flat arrays.

    Args:
        costs: the cost of each set.
        weights: what each element is worth. An element that is worth covering more than once has a list: what
            its first, second, ... occurrence is worth, never increasing.
        edges: which set holds which element: pairs ``(set, element)``, or ``(set, element, count)`` if a set
            holds it several times; both count from 0. A pair that is given twice counts twice.

    >>> problem = Problem(costs=[2, 2, 3], weights=[5, 4, 3], edges=[(0, 0), (1, 1), (2, 1), (2, 2)])
    >>> solve(problem, budget=5).chosen
    (0, 2)
    """

    def __init__(
        self,
        costs: Iterable[float],
        weights: Iterable[float | Sequence[float]],
        edges: Iterable[Sequence[int]],
    ) -> None:
        cost = shaped(list(_listed(costs, "costs")), list[Amount], "costs")
        levels = shaped(list(_listed(weights, "weights")), list[Weight], "weights")
        weight, repeats, repeats_start = level_arrays(levels)
        sets, elements, count = _edges(edges, len(cost), len(weight))
        self.graph = make_graph(
            cost, weight, sets, elements, count=count, repeats=repeats, repeats_start=repeats_start
        )

    def __repr__(self) -> str:
        sets, elements, edges = len(self.graph.cost), len(self.graph.weight), len(self.graph.edge_word)
        return f"<Problem of {sets} sets, {elements} elements, {edges} edges>"


def solve(
    problem: Problem | CoverageGraph,
    budget: float,
    selector: str | Selector = "auto",
    *,
    certify: bool = True,
) -> Selection:
    """Return the sets to choose: together they cost at most the budget, and cover as much as can be found.

    ``bound`` is a proven limit: no choice within the budget covers more. If no set fits, none is chosen.

    >>> problem = Problem(costs=[1, 1, 1], weights=[[4, 2], 3], edges=[(0, 0), (1, 0), (2, 1)])
    >>> answer = solve(problem, budget=2)
    >>> answer.chosen, answer.covered_weight, answer.bound
    ((0, 2), 7.0, 7.0)

    Without ``certify`` the bound is None, unless the selector proves one by itself; at a million edges the
    proof takes most of the time. The graph that ``build_graph`` returns is a problem too.
    """
    used = selector_of(selector)
    if not is_number(budget) or not 0 <= budget <= LARGEST:
        raise SettingError(as_typed("budget"), f"must be a number from 0 to 1e100, got {budget!r:.40}")
    limit, graph = float(budget), problem.graph if isinstance(problem, Problem) else problem
    try:
        return solving.solve(graph, limit, used, "problem", certified=certify, unit="")
    except NoSummaryError:  # no set fits, or none covers anything
        return Selection(used.name, limit, (), 0.0, 0.0, bound=0.0, unit="")


def _listed(values: Any, name: str) -> Any:
    """Return values as a list; a NumPy array is returned as it is. ``name`` is for the error message."""
    try:
        return values if isinstance(values, np.ndarray) and values.ndim else list(values)
    except TypeError:
        raise InputError(name, f"must be a list, got {values!r:.40}") from None


def _edges(edges: Iterable[Sequence[int]], sets: int, elements: int) -> tuple[Indices, Indices, Indices]:
    """Return the set, the element and the count of each edge; edges that are given twice are added up."""
    rows = _rows(_listed(edges, "edges"))
    for column, size, what in ((0, sets, "set"), (1, elements, "element")):
        outside = np.flatnonzero((rows[:, column] < 0) | (rows[:, column] >= size))
        if len(outside):
            e = int(outside[0])
            last = f"the last one is {size - 1}" if size else "the problem has none"
            raise InputError(f"edges[{e}]", f"no {what} {rows[e, column]}; {last}")
    pairs, where = np.unique(rows[:, 0] * max(elements, 1) + rows[:, 1], return_inverse=True)
    count = np.bincount(where.ravel(), rows[:, 2], len(pairs)).astype(np.intp)
    return pairs // max(elements, 1), pairs % max(elements, 1), count


def _rows(edges: Any) -> Indices:
    """Return edges as an array of three columns: set, element, count; the count of a pair is 1."""
    with contextlib.suppress(ValueError, OverflowError):  # pairs and triples together, or huge numbers
        found = np.asarray(edges)
        if found.dtype.kind in "iu" and found.shape[1:] in ((_PAIR,), (_PAIR + 1,)):
            rows = np.ones((len(found), _PAIR + 1), dtype=np.intp)
            rows[:, : found.shape[1]] = found
            if (rows[:, _PAIR] > 0).all():
                return rows
    listed = [_edge(each, f"edges[{e}]") for e, each in enumerate(edges)]
    return np.array(listed, dtype=np.intp).reshape(-1, _PAIR + 1)


def _edge(edge: Any, place: str) -> tuple[int, int, int]:
    try:
        numbers = [operator.index(number) for number in edge]
    except TypeError:
        numbers = []
    if len(numbers) == _PAIR:
        numbers.append(1)
    if len(numbers) != _PAIR + 1 or numbers[2] < 1 or max(map(abs, numbers)) > sys.maxsize:
        raise InputError(place, f"must be (set, element) or (set, element, count), got {edge!r:.40}")
    return numbers[0], numbers[1], numbers[2]
