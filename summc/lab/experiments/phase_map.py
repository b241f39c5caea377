"""When does belief propagation win? Run selectors on a grid of random problems, and compare with g-greedy.

The axes of a grid are the fields of ``Family`` (the problems) and of ``Tuning`` (the settings of the BP
selectors). A cell is one value of each axis. Every selector runs on the same problems of a cell, so that
differences from g-greedy are paired.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

import numpy as np

from summc.errors import InputError, SettingError
from summc.lab.evaluation.intervals import Interval, estimate, mean_of
from summc.lab.experiments import random_graphs as problems
from summc.lab.experiments.journal import REMEDY, record_in
from summc.lab.experiments.random_graphs import BASE, Family, Result, amounts_of, degrees_of
from summc.records import CoverageGraph, Selection
from summc.selectors import SELECTORS, Exact, GGreedy
from summc.selectors.base import make_selection
from summc.selectors.bounds import upper_bound
from summc.settings import AUTO, Rule, Value, check, perhaps, rules, signature_line
from summc.system.versions import version
from summc.text.numbers import plain
from summc.text.screens import Screen
from summc.text.tables import Column, render_data, render_rows, with_ends

#: The name under which the proven bound of a problem is stored beside the results of selectors.
BOUND = "bound"
#: Libraries whose version can change the results.
_LIBRARIES = ("summc", "numpy", "scipy")
#: The most edges of a problem.
_MOST_EDGES = 1e8
#: ``Restarts`` makes as many runs as BP with automatic mu tries values of mu, to show what the tries alone
#: gain. It multiplies weights by random factors whose logarithms have the standard deviation
#: ``_SPREAD``. They change the gain of a sentence of nine words by about 5%.
_RUNS, _SPREAD = 24, 0.15
_COLUMNS: Sequence[Column] = (
    ("share", "share", ".4f", 4), ("marked", "difference", "", 0), ("difference_ci", "interval", "+.2f", 6),
    ("better", "better", ".0%", 3), ("converged", "converged", ".0%", 5), ("graphs", "graphs", "", 2),
    ("seconds", "seconds", ".3f", 1),
)  # fmt: skip
_NOTE = f"""Differences in % of what {BASE} covers: means of paired differences, with 95%
t intervals; * if the interval does not hold 0. share: of the proven
optimum, or of the proven bound."""

Grid = Mapping[str, Sequence[Value]]
#: A problem: the family and its number.
Place = tuple[Family, int]
Results = Mapping[Place, Mapping[str, Result]]


@dataclass(frozen=True, slots=True)
class Tuning:
    """The settings of the BP selectors, in units that make sense for any weights and costs."""

    beta: float | str = AUTO  # in units of 1 / mean weight
    mu: float | str = AUTO  # as a share of the weight that g-greedy covers per unit of cost
    damping: float | str = AUTO
    iterations: int = 150  # 1 shows what is left without propagation


_FAMILY = {each.name: each.default for each in dataclasses.fields(Family)}
_TUNING = {each.name: each.default for each in dataclasses.fields(Tuning)}
#: Axis -> its value where it does not vary.
AXES: Mapping[str, Value] = {name: value for name, value in (_FAMILY | _TUNING).items() if name != "seed"}  # type: ignore[misc]
#: Axis of numbers -> its smallest and its largest value.
LIMITS: Mapping[str, tuple[float, float]] = {
    "sentences": (2, 1_000_000), "levels": (1, 100), "budget": (1e-6, 1), "beta": (1e-6, 1e6),
    "mu": (0, 1e6), "damping": (0, 0.999), "iterations": (1, 1_000_000),
}  # fmt: skip
#: The grid if none is given: overlap (degree of words) and spread of weights.
DEFAULT: Grid = {
    "right": ("regular:2", "regular:3", "regular:5", "regular:9"),
    "weights": ("equal", "uniform", "exponential", "lognormal"),
}


@dataclass(frozen=True, slots=True)
class Restarts:
    """A control: the best of 24 runs of g-greedy, the first as it is, the others on disturbed weights."""

    name: ClassVar[str] = "g-greedy-24"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the selection that covers the most of the true weights."""
        rng = np.random.default_rng(_RUNS)
        word = np.repeat(np.arange(len(graph.weight)), np.diff(graph.repeats_start))
        found = [GGreedy().select(graph, budget)]
        for _ in range(_RUNS - 1):
            factor = np.exp(_SPREAD * rng.standard_normal(len(graph.weight)))
            disturbed = dataclasses.replace(
                graph, weight=graph.weight * factor, repeats=graph.repeats * factor[word]
            )
            chosen = GGreedy().select(disturbed, budget).chosen
            found.append(make_selection(graph, budget, self.name, chosen))
        best = max(found, key=lambda each: each.covered_weight)
        return dataclasses.replace(best, selector=self.name)


#: The names that a map can compare -> selectors.
KNOWN: Mapping[str, Any] = {**SELECTORS, Restarts.name: Restarts}


# The grid


def checked_grid(given: Mapping[str, Sequence[Any]], place: str) -> Grid:
    """Return a grid after checking its axes and values; ``place`` says where it was given, for errors."""
    found: dict[str, Sequence[Value]] = {}
    for axis, values in given.items():
        if axis not in AXES:
            remedy = perhaps(axis, AXES) or f"give some of {', '.join(AXES)}"
            raise SettingError(place, f"no axis {axis}", remedy)
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise SettingError(f"{place}: {axis}", "must be a list of values", "give at least one")
        found[axis] = list(dict.fromkeys(_checked(axis, value, f"{place}: {axis}") for value in values))
    # In the order of the axes, so that the output does not depend on the order in which they were given.
    return {axis: found[axis] for axis in AXES if axis in found}


def _checked(axis: str, value: Any, place: str) -> Value:
    if axis not in LIMITS:
        (degrees_of if axis in ("left", "right") else amounts_of)(str(value), place)
        return str(value)
    if not isinstance(value, bool):
        with suppress(TypeError, ValueError):
            value = plain(float(value))  # 1 and 1.0 are the same cell
    (low, high), default = LIMITS[axis], AXES[axis]
    rule = Rule("", at_least=low, at_most=high, auto=AUTO if default == AUTO else "")
    return check(value, default, rule, place)


def families_of(grid: Grid, seed: int) -> list[Family]:
    """Return the families (kinds of problems) of a grid; raise if problems are too large for memory."""
    families = [Family(**values, seed=seed) for values in _product(grid, _FAMILY)]  # type: ignore[arg-type]
    for family in families:
        if family.sentences * degrees_of(family.left, "left")[1] > _MOST_EDGES:
            problem = f"{family.sentences} sentences of degree {family.left} are too large"
            raise SettingError("sentences", problem, f"at most {_MOST_EDGES:.0e} edges fit")
    return families


def _product(grid: Grid, names: Collection[str]) -> Iterator[dict[str, Value]]:
    axes = [axis for axis in grid if axis in names]
    for values in itertools.product(*(grid[axis] for axis in axes)):
        yield dict(zip(axes, values, strict=True))


# Runs


@dataclass(frozen=True, slots=True)
class Method:
    """A selector, with a tuning if it is a BP selector."""

    selector: str
    tuning: Tuning | None = None

    @property
    def label(self) -> str:
        """The name under which the results of the method are stored."""
        own = {} if self.tuning is None else dataclasses.asdict(self.tuning)
        return " ".join([self.selector, *(f"{name}={value}" for name, value in own.items())])


def methods_of(names: Sequence[str], grid: Grid) -> list[Method]:
    """Return the methods to run: g-greedy, then each selector, a BP selector once for each tuning."""
    tunings = [Tuning(**values) for values in _product(grid, _TUNING)]  # type: ignore[arg-type]
    found = [Method(BASE)]
    for name in dict.fromkeys(names):
        tuned = name in SELECTORS and "mu" in rules(SELECTORS[name])
        found += [Method(name, tuning) for tuning in tunings] if tuned else [Method(name)]
    return list(dict.fromkeys(found))


def has_axes(method: Method, axes: Collection[str]) -> bool:
    """Tell whether a method has a value of each axis. Only BP selectors have beta, mu and the like."""
    return method.tuning is not None or not set(axes) & set(_TUNING)


def tasks_of(
    families: Sequence[Family], graphs: int, methods: Sequence[Method], known: Results
) -> list[tuple[Place, list[Method]]]:
    """Return the problems, each with the methods to run on it, whose results are not all ``known``."""
    found = []
    for place in itertools.product(families, range(graphs)):
        own = known.get(place, {})
        left = [method for method in methods if method.label not in own]
        if left or BOUND not in own:
            found.append((place, left))
    return found


def run_task(task: tuple[Place, list[Method]], exact_seconds: float) -> tuple[Place, dict[str, Result]]:
    """Return the problem and its results: label of a method, or "bound" -> result.

    ``exact_seconds`` is the time limit of the exact selector.
    """
    (family, number), methods = task
    graph, budget = family.problem(number)
    greedy = GGreedy().select(graph, budget).covered_weight
    found = {}
    for method in methods:
        settings: dict[str, Any] = {}
        if method.tuning is not None:
            settings = dataclasses.asdict(method.tuning)
            if settings["beta"] != AUTO:
                settings["beta"] /= float(graph.weight.mean())
            if settings["mu"] != AUTO:
                settings["mu"] *= greedy / budget
        if method.selector == Exact.name:
            settings["time_limit"] = exact_seconds
        found[method.label] = problems.measured(KNOWN[method.selector](**settings), graph, budget)
    # The bound depends on the problem only, not on the methods that are compared.
    found[BOUND] = Result(upper_bound(graph, budget, greedy))
    return (family, number), found


# The journal


def conditions(exact_seconds: float) -> dict[str, Any]:
    """Return what all results of a journal depend on, besides the problem and the method."""
    return {"exact_seconds": exact_seconds, **{library: version(library) for library in _LIBRARIES}}


def encode(place: Place, results: Mapping[str, Result]) -> dict[str, Any]:
    """Return the results on a problem as a line of the journal."""
    own = {label: dataclasses.asdict(result) for label, result in results.items()}
    return {"family": dataclasses.asdict(place[0]), "graph": place[1], "results": own}


def decode(line: Mapping[str, Any], place: str) -> tuple[Place, dict[str, Result]]:
    """Return the problem and the results in a line of the journal; ``place`` names an invalid one."""
    what, number, results = "a result of a map", line.get("graph"), line.get("results")
    if not isinstance(number, int) or not isinstance(results, dict):
        raise InputError(place, f"not {what}", REMEDY)
    family = record_in(Family, line.get("family"), place, what)
    return (family, number), {label: record_in(Result, each, place, what) for label, each in results.items()}


# Rows


@dataclass(frozen=True, slots=True)
class Row:
    """A method on the problems of one cell, or of several cells together; None for what is not known."""

    selector: str
    axes: Mapping[str, Value]  # without the settings of BP for a selector that has none
    graphs: int
    share: float  # the mean share of the proven optimum, or else of the proven bound
    difference: float  # the mean difference from g-greedy, in percent of what g-greedy covers
    difference_ci: Interval | None
    better: float  # the share of problems on which the method covers more than g-greedy
    worse: float
    solved: float | None  # the share of the problems with a proven optimum on which the method reaches it
    converged: float | None
    seconds: float

    @property
    def is_noise(self) -> bool:
        """Whether the interval of the difference holds 0, or there is no interval."""
        low, high = self.difference_ci or (0, 0)
        return low <= 0 <= high


def map_rows(
    grid: Grid, seed: int, graphs: int, methods: Sequence[Method], results: Results, by: Collection[str] = ()
) -> list[Row]:
    """Return a row for each method and all cells with the same values of the axes ``by``, or of all axes."""
    groups: dict[tuple[Any, ...], list[tuple[Method, Place]]] = {}
    for family, method in itertools.product(families_of(grid, seed), methods):
        values = dataclasses.asdict(family) | (dataclasses.asdict(method.tuning) if method.tuning else {})
        axes = tuple((axis, values[axis]) for axis in grid if axis in (by or grid) and axis in values)
        places = [(method, (family, number)) for number in range(graphs)]
        groups.setdefault((method.selector, axes), []).extend(places)
    return [_row(selector, dict(axes), group, results) for (selector, axes), group in groups.items()]


def _row(
    selector: str, axes: Mapping[str, Value], runs: Sequence[tuple[Method, Place]], results: Results
) -> Row:
    own = [results[place][method.label] for method, place in runs]
    base = [results[place][BASE].weight for _, place in runs]
    ends = [_end(results[place]) for _, place in runs]
    differences = [_percent(each.weight, other) for each, other in zip(own, base, strict=True)]
    found = estimate(differences)
    shares = [problems.share_of(each.weight, end) for each, (end, _) in zip(own, ends, strict=True)]
    return Row(
        selector, axes, len(runs), fmean(shares), found.mean, found.ci,
        fmean(each > 0 for each in differences), fmean(each < 0 for each in differences),
        mean_of(share >= problems.REACHED for share, (_, proven) in zip(shares, ends, strict=True) if proven),
        mean_of(each.converged for each in own), fmean(each.seconds for each in own),
    )  # fmt: skip


def _percent(weight: float, base: float) -> float:
    """Return the difference of two weights in percent of the second; rounding errors count as 0."""
    if abs(weight - base) <= 1e-12 * base or not base:
        return 0.0
    return 100 * (weight - base) / base


def _end(results: Mapping[str, Result]) -> tuple[float, bool]:
    """Return the proven optimum of a problem and True; if no method has proven it, the bound and False."""
    optimum = next((each.weight for each in results.values() if each.proven), None)
    return (results[BOUND].weight, False) if optimum is None else (optimum, True)


# The report


def render_map(
    about: Mapping[str, Any], rows: Sequence[Row], format_: str, screen: Screen | None = None, *, timed: bool
) -> str:
    """Return the table of a map: in text and Markdown a table for each selector, else one with all columns.

    The mean seconds are shown only if ``timed``, because they vary from run to run. Text fits the ``screen``.
    """
    if format_ in ("json", "csv"):
        return render_data([with_ends(_as_object(row, timed=timed)) for row in rows], about, format_)
    parts = []
    for name in dict.fromkeys(row.selector for row in rows if row.selector != BASE):
        own = [row for row in rows if row.selector == name]
        varying = [axis for axis in own[0].axes if len({row.axes[axis] for row in own}) > 1]
        absent = "converged" if all(row.converged is None for row in own) else ""
        columns = [(axis, axis, "", 0) for axis in varying or own[0].axes]
        columns += [each for each in _COLUMNS if each[0] != absent]
        title = f"**{name} against {BASE}**\n" if format_ == "md" else f"{name} against {BASE}:"
        marks = [f"{row.difference:+.2f}{' ' if row.is_noise else '*'}" for row in own]
        lines = [
            {**_as_object(row, timed=timed), "marked": mark} for row, mark in zip(own, marks, strict=True)
        ]
        parts += [title, render_rows(lines, columns, format_, screen)]
    return "\n".join([*parts, _NOTE, "", signature_line(about), ""])


def _as_object(row: Row, *, timed: bool) -> dict[str, Any]:
    found = dataclasses.asdict(row)
    if not timed:
        del found["seconds"]
    return {"selector": found.pop("selector"), **found.pop("axes"), **found}
