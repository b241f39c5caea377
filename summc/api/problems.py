"""Coverage problems without text: choose sets within a budget so that what they cover weighs the most."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import operator
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from summc.api import AnySelector, python_number, selector_of
from summc.errors import InputError, NoSummaryError, SettingError, as_typed
from summc.graph import LARGEST, level_weights, make_graph, occurrences, total_weight
from summc.records import CoverageGraph, Indices, Selection
from summc.report.codec import Amount, Weight, level_arrays, validated
from summc.selectors import solving
from summc.selectors.amounts import fits
from summc.system.json_objects import is_number
from summc.text.numbers import plain

_PAIR = 2  # the numbers of an edge without a count


class Problem:
    """A maximum-coverage problem: choose sets within a budget so that the elements they hold weigh the most.

    Args:
        costs: the cost of each set.
        weights: what each element is worth. An element that is worth covering more than once has a list: what
            its first, second, ... occurrence is worth, never increasing.
        edges: which set holds which element: pairs ``(set, element)``, or ``(set, element, count)`` if a set
            holds it several times; both count from 0. A pair that is given twice counts twice.
        sets, elements: their names, in order; without names they are numbers from 0.

    ``from_sets``, ``from_matrix`` and ``from_networkx`` make problems with names. All arguments can be read
    as attributes, and ``graph`` has the problem as flat arrays.

    >>> problem = Problem(costs=[2, 2, 3], weights=[5, 4, 3], edges=[(0, 0), (1, 1), (2, 1), (2, 2)])
    >>> solve(problem, budget=5).chosen
    (0, 2)
    """

    def __init__(
        self,
        costs: Iterable[float],
        weights: Iterable[float | Sequence[float]],
        edges: Iterable[Sequence[int]],
        sets: Iterable[Hashable] | None = None,
        elements: Iterable[Hashable] | None = None,
    ) -> None:
        cost = validated(_listed(costs, "costs"), list[Amount], "costs")
        levels = validated(_listed(weights, "weights"), list[Weight], "weights")
        weight, repeats, start = level_arrays(levels)
        rows = _edges(edges, len(cost), len(weight))
        self.graph = make_graph(cost, weight, *rows[:2], count=rows[2], repeats=repeats, repeats_start=start)
        self.sets = _names(sets, len(cost), "sets")
        self.elements = _names(elements, len(weight), "elements")

    @classmethod
    def from_sets(
        cls,
        sets: Mapping[Any, Iterable[Hashable]],
        costs: Mapping[Any, float] | None = None,
        weights: Mapping[Any, float | Sequence[float]] | None = None,
    ) -> Problem:
        """Return the problem of named sets; without ``costs`` or ``weights`` each is 1.

        A set that holds an element several times is a list or a ``Counter``.

        >>> sets = {"a": {"x", "y"}, "b": {"y"}, "c": {"z"}}
        >>> problem = Problem.from_sets(sets, costs={"a": 2, "b": 1, "c": 1})
        >>> solution = solve(problem, budget=3)
        >>> solution.chosen, solution.covered
        (('a', 'c'), ('x', 'y', 'z'))
        """
        try:
            counts = [Counter(set_ if isinstance(set_, Counter) else iter(set_)) for set_ in sets.values()]
        except (AttributeError, TypeError):
            raise InputError("sets", f"must be a mapping of names to elements, got {sets!r:.40}") from None
        # The members of a set have no order that is the same in every run, so they are sorted.
        members = [sorted(count, key=repr) for count in counts]
        elements = list(dict.fromkeys(itertools.chain(getattr(weights, "keys", tuple)(), *members)))
        number = {element: e for e, element in enumerate(elements)}
        held = ((s, element, counts[s][element]) for s, names in enumerate(members) for element in names)
        edges = [(s, number[element], count) for s, element, count in held if count != 0]
        cost, weight = _by_name(costs, sets, "costs"), _by_name(weights, elements, "weights")
        return cls(cost, weight, edges, sets, elements)

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        costs: Iterable[float] | None = None,
        weights: Iterable[float | Sequence[float]] | None = None,
        sets: Iterable[Hashable] | None = None,
        elements: Iterable[Hashable] | None = None,
    ) -> Problem:
        """Return the problem of a matrix, dense or sparse: a row for each set, a column for each element.

        Entries are true and false, or how often the set holds the element.

        >>> problem = Problem.from_matrix(np.array([[1, 1, 0], [0, 0, 1]], dtype=bool), sets=["a", "b"])
        >>> solve(problem, budget=1).chosen
        ('a',)
        """
        from scipy.sparse import coo_array  # noqa: PLC0415 (takes time, and few need it)

        if np.ma.is_masked(matrix):
            raise InputError("matrix", "has masked entries", "fill them, as matrix.filled(0) does")
        try:
            entries = coo_array(matrix)
            rows, columns = entries.shape
        except (TypeError, ValueError):
            raise InputError("matrix", f"must have rows and columns of numbers, got {matrix!r:.40}") from None
        with np.errstate(invalid="ignore"):  # NaN and infinity become other numbers, and are refused
            count = entries.data.astype(np.intp)
        if (count != entries.data).any() or (count < 0).any():
            raise InputError("matrix", "must hold true and false, or counts: whole numbers from 0")
        edges = np.column_stack([entries.row, entries.col, count])[count > 0]
        lists = []
        for name, values, size in (("costs", costs, rows), ("weights", weights, columns)):
            lists.append(np.ones(size) if values is None else _listed(values, name))
            if isinstance(values, Mapping) or len(lists[-1]) != size:
                raise InputError(name, f"must be a list of {size}, as the matrix has, got {values!r:.40}")
        return cls(lists[0], lists[1], edges, sets, elements)

    @classmethod
    def from_networkx(cls, graph: Any, sets: Iterable[Hashable] | None = None) -> Problem:
        """Return the problem of a bipartite graph of networkx: ``sets`` are nodes, their neighbours elements.

        Without ``sets`` they are the nodes whose attribute ``bipartite`` is 0. Nodes may have the attributes
        ``cost`` and ``weight``, edges ``count``; each is 1 if it is missing. Parallel edges add up. In a
        directed graph, edges lead from sets to elements.
        """
        networkx = sys.modules.get("networkx")  # a graph exists only if networkx is imported
        if networkx is None or not isinstance(graph, networkx.Graph):
            raise InputError("graph", f"must be a graph of networkx, got {graph!r:.40}")
        first = (node for node, side in graph.nodes(data="bipartite") if isinstance(side, Real) and side == 0)
        try:
            names = list(dict.fromkeys(first if sets is None else sets))
        except TypeError:
            raise InputError("sets", f"must be nodes of the graph, got {sets!r:.40}") from None
        if not set(names) <= set(graph):
            raise InputError("sets", f"no node {next(node for node in names if node not in graph)!r:.40}")
        counts = {name: Counter[Any]() for name in names}
        for name in names:
            for _, to, count in graph.edges(name, data="count", default=1):
                try:
                    counts[name][to] += operator.index(count)
                except TypeError:
                    problem = f"must be a whole number, got {count!r:.40}"
                    raise InputError(f"count of the edge {name!r:.40}, {to!r:.40}", problem) from None
        if not names or any(to in counts for counter in counts.values() for to in counter):
            remedy = "set the attribute bipartite to 0 or 1, or give sets"
            raise InputError("graph", "is not bipartite", remedy)
        if graph.is_directed() and (into := list(graph.in_edges(names))):
            problem = f"has an edge from {into[0][0]!r:.40} to the set {into[0][1]!r:.40}"
            raise InputError("graph", problem, "direct edges from sets to elements, or drop directions")
        costs = {name: graph.nodes[name].get("cost", 1) for name in names}
        weights = {node: data.get("weight", 1) for node, data in graph.nodes.items() if node not in counts}
        return cls.from_sets(counts, costs, weights)

    @property
    def costs(self) -> list[float]:
        """The cost of each set."""
        costs: list[float] = self.graph.cost.tolist()
        return costs

    @property
    def weights(self) -> list[list[float]]:
        """What the first, second, ... occurrence of each element is worth."""
        return level_weights(self.graph)

    @property
    def edges(self) -> list[tuple[int, int, int]]:
        """The set, the element and the count of each edge; sets and elements count from 0."""
        columns = (self.graph.edge_sentence, self.graph.edge_word, self.graph.count)
        return list(zip(*map(np.ndarray.tolist, columns), strict=True))

    def __repr__(self) -> str:
        sets, elements, edges = len(self.sets), len(self.elements), len(self.graph.edge_word)
        return f"<Problem of {sets} sets, {elements} elements, {edges} edges>"


@dataclass(frozen=True, slots=True)
class Solution:
    """The sets to choose.

    ``chosen`` are the names of the sets, and ``covered`` those of the elements that they hold. ``cost`` is
    what they cost together, ``covered_weight`` what they cover, and ``share`` that part of all that can be
    covered. ``bound`` is proven: no choice within the budget covers more; None if nothing was proven.
    ``diagnostics`` is what the selector reports.
    """

    chosen: tuple[Any, ...]
    covered: tuple[Any, ...]
    budget: float
    cost: float
    covered_weight: float
    share: float
    bound: float | None
    selector: str
    diagnostics: Mapping[str, Any]


def solve(
    problem: Problem | CoverageGraph,
    budget: float,
    selector: AnySelector = "auto",
    *,
    include: Iterable[Hashable] = (),
    exclude: Iterable[Hashable] = (),
    certify: bool = True,
) -> Solution:
    """Return the sets to choose: together they cost at most the budget, and cover as much as can be found.

    Sets to ``include`` are chosen in any case, and sets to ``exclude`` never. If no set fits, none is chosen.

    >>> problem = Problem(costs=[1, 1, 1], weights=[[4, 2], 3], edges=[(0, 0), (1, 0), (2, 1)])
    >>> answer = solve(problem, budget=2)
    >>> answer.chosen, answer.covered_weight, answer.bound
    ((0, 2), 7.0, 7.0)
    >>> solve(problem, budget=2, include=[1], exclude=[2]).chosen
    (0, 1)

    Without ``certify`` the bound is None, unless the selector proves one by itself; at a million edges the
    proof takes most of the time. The graph that ``build_graph`` returns is a problem too.
    """
    used, most = selector_of(selector), number_of(budget, as_typed("budget"))
    graph, sets, elements = parts_of(problem)
    fixed, banned = pinned(include, exclude, sets)
    if not fits(graph.cost, fixed, most):
        needed = plain(math.fsum(graph.cost[fixed]))
        raise SettingError("include", f"costs {needed}, more than the budget {budget}")
    cost = graph.cost.copy()
    cost[banned] = np.inf
    allowed = dataclasses.replace(graph, cost=cost)
    try:
        choice = solving.solve(allowed, most, used, "problem", certified=certify, fixed=fixed, unit="")
    except NoSummaryError:  # no set fits, or none covers anything
        choice = Selection(used.name, most, (), 0.0, 0.0, bound=0.0, unit="")
    covered, total = np.flatnonzero(occurrences(graph, choice.chosen)).tolist(), total_weight(graph)
    share = choice.covered_weight / total if total else 1.0
    return Solution(
        tuple(sets[i] for i in choice.chosen), tuple(elements[a] for a in covered), choice.budget,
        choice.cost, choice.covered_weight, share, choice.bound, choice.selector, choice.diagnostics,
    )  # fmt: skip


def least_budget(
    problem: Problem | CoverageGraph,
    share: float,
    selector: AnySelector = "auto",
    *,
    include: Iterable[Hashable] = (),
    exclude: Iterable[Hashable] = (),
) -> Solution:
    """Return the cheapest choice found that covers this share, from 0 to 1, of all that can be covered.

    It is found by halving the budget range, to whole numbers if all costs are whole, else to a billionth.
    ``diagnostics`` has ``too_small``, a budget that is proven to be too small, or None, and
    ``optimal``, whether it is proven that no cheaper choice covers the share.

    >>> problem = Problem.from_sets({"a": "vwxyz", "b": "vwx", "c": "yz"}, costs={"a": 9, "b": 3, "c": 2})
    >>> least_budget(problem, share=0.6).chosen, least_budget(problem, share=1).cost
    (('b',), 5.0)
    """
    target = number_of(share, "share", 1) * (1 - 1e-12)
    graph, sets, _ = parts_of(problem)
    fixed, banned = _places(include, sets, "include"), _places(exclude, sets, "exclude")
    included, excluded = [sets[i] for i in fixed], [sets[i] for i in banned]
    solved = partial(solve, problem, selector=selector, include=included, exclude=excluded)
    # A little more than everything costs, because the sum may be rounded down.
    best = solved(min(math.fsum(graph.cost) * (1 + 1e-9), LARGEST))
    if best.share < target:
        raise SettingError("share", f"at most {best.share:.6g} can be covered without exclude")
    is_whole = np.array_equal(graph.cost, np.round(graph.cost))
    budget = math.fsum(graph.cost[fixed])
    too_small = tried = budget - 1 if is_whole else math.nextafter(budget * (1 - 1e-9), -math.inf)
    while tried < budget < best.cost and (is_whole or best.cost - tried > 1e-9 * best.cost):
        solution = solved(budget)
        if solution.share >= target and solution.cost < best.cost:
            best = solution
        else:
            tried = budget
            if solution.bound is not None and solution.bound < target * total_weight(graph):
                too_small = budget
        budget = (tried + best.cost) / 2
        budget = math.floor(budget) if is_whole else budget
    diagnostics = {"too_small": float(too_small) if too_small >= 0 else None, "optimal": too_small == tried}
    return dataclasses.replace(best, budget=best.cost, diagnostics=diagnostics)


def number_of(value: Any, place: str, most: float = LARGEST) -> float:
    """Return a number from 0 to ``most``, of Python or NumPy; raise ``SettingError`` for anything else."""
    number = python_number(value)
    if not is_number(number) or not 0 <= number <= most:
        limit = f"{most:g}".replace("+", "")
        raise SettingError(place, f"must be a number from 0 to {limit}, got {value!r:.40}")
    return float(number)


def parts_of(problem: Problem | CoverageGraph) -> tuple[CoverageGraph, Sequence[Any], Sequence[Any]]:
    """Return the graph of a problem and the names of its sets and elements."""
    if isinstance(problem, Problem):
        return problem.graph, problem.sets, problem.elements
    if isinstance(problem, CoverageGraph):
        return problem, range(len(problem.cost)), range(len(problem.weight))
    raise InputError("problem", f"must be a Problem, got {problem!r:.40}")


def pinned(
    include: Iterable[Hashable], exclude: Iterable[Hashable], sets: Sequence[Any]
) -> tuple[list[int], list[int]]:
    """Return the indices of the sets to include and of those to exclude; no set may be both."""
    fixed, banned = _places(include, sets, "include"), _places(exclude, sets, "exclude")
    if both := set(fixed) & set(banned):
        raise SettingError("exclude", f"{sets[min(both)]!r:.40} is also in include")
    return fixed, banned


def _places(names: Iterable[Hashable], sets: Sequence[Any], option: str) -> list[int]:
    """Return the indices of named sets."""
    place = {name: i for i, name in enumerate(sets)}
    try:
        return list(dict.fromkeys(place[name] for name in ([names] if isinstance(names, str) else names)))
    except KeyError as unknown:
        raise SettingError(option, f"no set {unknown.args[0]!r:.40}") from None
    except TypeError:
        raise SettingError(option, f"must be a list of sets, got {names!r:.40}") from None


def _names(names: Iterable[Hashable] | None, size: int, what: str) -> Sequence[Any]:
    """Return the names of sets or elements, checked, or numbers."""
    if names is None:
        return range(size)
    listed = tuple(_listed(names, what))
    try:
        different = len(set(listed))
    except TypeError:
        raise InputError(what, f"must be names that can be hashed, got {listed!r:.40}") from None
    if not len(listed) == different == size:
        raise InputError(what, f"must be {size} different names, got {different}")
    return listed


def _by_name(values: Mapping[Any, Any] | None, names: Iterable[Any], what: str) -> list[Any]:
    """Return the value of each name, or 1 for each if there are no values."""
    if values is None:
        return [1 for _ in names]
    if not hasattr(values, "keys"):
        raise InputError(what, f"must be a mapping, got {values!r:.40}")
    try:
        return [values[name] for name in names]
    except KeyError as missing:
        raise InputError(what, f"none for {missing.args[0]!r:.40}", "give one for each") from None


def _listed(values: Any, name: str) -> list[Any]:
    """Return values as a list of Python values, also from NumPy; ``name`` is for the error message."""
    try:
        return list(values.tolist() if isinstance(values, np.ndarray) else values)
    except TypeError:
        raise InputError(name, f"must be a list, got {values!r:.40}") from None


def _edges(edges: Iterable[Sequence[int]], sets: int, elements: int) -> tuple[Indices, Indices, Indices]:
    """Return the set, the element and the count of each edge; edges that are given twice are added up."""
    rows = _rows(edges if isinstance(edges, np.ndarray) else _listed(edges, "edges"))
    for column, size, what in ((0, sets, "set"), (1, elements, "element")):
        outside = np.flatnonzero((rows[:, column] < 0) | (rows[:, column] >= size))
        if len(outside):
            e = int(outside[0])
            last = f"the last one is {size - 1}" if size else "the problem has none"
            raise InputError(f"edges[{e}]", f"no {what} {rows[e, column]}; {last}")
    pairs, where = np.unique(rows[:, 0] * max(elements, 1) + rows[:, 1], return_inverse=True)
    # A count is cut at 2^31, so that sums of counts are exact. No element has that many levels.
    count = np.bincount(where.ravel(), np.minimum(rows[:, 2], 1 << 31), len(pairs)).astype(np.intp)
    return pairs // max(elements, 1), pairs % max(elements, 1), count


def _rows(edges: Any) -> Indices:
    """Return edges as an array of three columns: set, element, count; the count of a pair is 1."""
    with contextlib.suppress(ValueError, OverflowError):  # pairs and triples together, or huge numbers
        array = np.asarray(edges)
        if array.dtype.kind == "i" and array.shape[1:] in ((_PAIR,), (_PAIR + 1,)):
            rows = np.ones((len(array), _PAIR + 1), dtype=np.intp)
            rows[:, : array.shape[1]] = array
            if (rows[:, _PAIR] > 0).all():
                return rows
    listed = [_edge(edge, f"edges[{e}]") for e, edge in enumerate(edges)]
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
