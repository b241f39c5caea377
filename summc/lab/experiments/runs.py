"""What selectors cover on random problems: Figure 2 of the paper, and maps of when belief propagation wins.

The axes of a map's grid are the fields of ``Family`` (the problems) and the settings of the BP selectors
(``TUNING``). A cell is one value of each axis. Every selector runs on the same problems of a cell, so that
differences from g-greedy are paired.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from time import perf_counter
from typing import Any, ClassVar

import msgspec
import numpy as np

from summc.errors import InputError, SettingError
from summc.lab.evaluation.intervals import estimate, mean_of
from summc.lab.experiments.journal import REMEDY
from summc.lab.experiments.random_graphs import Ensemble, Family, amounts_of, degrees_of
from summc.records import CoverageGraph, Selection
from summc.report.screens import Screen
from summc.report.tables import Column, render_data, render_rows, with_ends
from summc.selectors import SELECTORS, Exact, GGreedy, Selector
from summc.selectors.base import make_selection
from summc.selectors.bounds import upper_bound
from summc.settings import AUTO, Rule, Value, check, perhaps, rules, signature_line
from summc.system.versions import version
from summc.text.numbers import plain

#: The method that every other method is compared with. A method is a selector, maybe with its settings.
BASE = GGreedy.name
#: The method that finds the optimum. Its weight counts as the optimum only on graphs where it is proven.
OPTIMUM = Exact.name
#: A method that covers this share of the optimum has reached it.
REACHED = 1 - 1e-9
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
#: A selector, and its settings if it is a BP selector.
Method = tuple[str, Mapping[str, Any]]
Results = Mapping[Place, Mapping[str, "Result"]]
#: A row of a table, by column.
Row = dict[str, Any]

#: The settings of the BP selectors where they do not vary. ``beta`` is in units of 1 / mean weight, ``mu`` a
#: share of the weight that g-greedy covers per unit of cost. One iteration shows what is left without
#: propagation.
TUNING = {name: rules(SELECTORS["bp"])[name][0] for name in ("beta", "mu", "damping", "iterations")}
_FAMILY: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(Family)}
#: Axis -> its value where it does not vary.
AXES: Mapping[str, Value] = {name: value for name, value in (_FAMILY | TUNING).items() if name != "seed"}
#: Axis of numbers -> the values that it may have.
NUMBERS: Mapping[str, Rule] = {
    "sentences": Rule("", at_least=2, at_most=1_000_000),
    "levels": Rule("", at_least=1, at_most=100),
    "budget": Rule("", at_least=1e-6, at_most=1),
    **{name: rules(SELECTORS["bp"])[name][1] for name in TUNING},
}
#: The grid if none is given: overlap (degree of words) and spread of weights.
DEFAULT: Grid = {
    "right": ("regular:2", "regular:3", "regular:5", "regular:9"),
    "weights": ("equal", "uniform", "exponential", "lognormal"),
}


@dataclass(frozen=True, slots=True)
class Result:
    """The weight that a method covers on a graph. ``proven`` says that it is the proven optimum."""

    weight: float
    seconds: float = 0.0
    converged: bool | None = None
    proven: bool = False


def measured(selector: Selector, graph: CoverageGraph, budget: float) -> Result:
    """Return what a selector covers on a graph, and the time that it takes."""
    begin = perf_counter()
    choice = selector.select(graph, budget)
    seconds = perf_counter() - begin
    facts = choice.diagnostics
    return Result(choice.covered_weight, seconds, facts.get("converged"), bool(facts.get("optimal", False)))


def share_of(weight: float, optimum: float) -> float:
    """Return the share of the optimum that a weight is; an optimum of 0 is always reached."""
    return weight / optimum if optimum else 1.0


# Figure 2


def results_on(
    ensemble: Ensemble, methods: Mapping[str, Selector], budget: float, number: int
) -> dict[str, Result]:
    """Return the result of each method on one graph of the ensemble."""
    graph = ensemble.graph(number)
    return {name: measured(selector, graph, budget) for name, selector in methods.items()}


def proven(results: Sequence[Mapping[str, Result]]) -> list[Mapping[str, Result]]:
    """Return the results on those graphs whose optimum is proven."""
    return [on_graph for on_graph in results if OPTIMUM in on_graph and on_graph[OPTIMUM].proven]


def method_rows(results: Sequence[Mapping[str, Result]]) -> list[Row]:
    """Return a row of means for each method, by column; ``results`` has those on each graph.

    ``difference`` is paired, from g-greedy. ``share`` and ``solved`` count only graphs with a proven optimum:
    the covered share of it, and the share of graphs on which it is reached. ``error`` is the standard error.
    """
    rows = []
    for method in results[0]:
        values = [on_graph[method].weight for on_graph in results]
        differences = [on_graph[method].weight - on_graph[BASE].weight for on_graph in results]
        shares = [share_of(on_graph[method].weight, on_graph[OPTIMUM].weight) for on_graph in proven(results)]
        rows.append({
            "method": method, "mean": fmean(values), "error": _error(values),
            "difference": fmean(differences), "difference_error": _error(differences),
            "share": mean_of(shares), "solved": mean_of(share >= REACHED for share in shares),
            "seconds": fmean(on_graph[method].seconds for on_graph in results),
            "difference_ci": estimate(differences).ci,
        })  # fmt: skip
    return rows


def _error(values: Sequence[float]) -> float:
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Restarts:
    """A control: the best of 24 runs of g-greedy, the first as it is, the others on disturbed weights."""

    name: ClassVar[str] = "g-greedy-24"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the selection that covers the most of the true weights."""
        rng = np.random.default_rng(_RUNS)
        word = np.repeat(np.arange(len(graph.weight)), np.diff(graph.repeats_start))
        selections = [GGreedy().select(graph, budget)]
        for _ in range(_RUNS - 1):
            factor = np.exp(_SPREAD * rng.standard_normal(len(graph.weight)))
            weight, repeats = graph.weight * factor, graph.repeats * factor[word]
            disturbed = dataclasses.replace(graph, weight=weight, repeats=repeats)
            chosen = GGreedy().select(disturbed, budget).chosen
            selections.append(make_selection(graph, budget, self.name, chosen))
        best = max(selections, key=lambda selection: selection.covered_weight)
        return dataclasses.replace(best, selector=self.name)


#: The names that a map can compare -> selectors.
KNOWN: Mapping[str, Any] = {
    **SELECTORS, Restarts.name: Restarts, "auto-high": partial(SELECTORS["auto"], effort="high"),
}  # fmt: skip


# The grid of a map


def checked_grid(grid: Mapping[str, Sequence[Any]], place: str) -> Grid:
    """Return a grid after checking its axes and values; ``place`` says where it was given, for errors."""
    checked: dict[str, Sequence[Value]] = {}
    for axis, values in grid.items():
        if axis not in AXES:
            remedy = perhaps(axis, AXES) or f"give some of {', '.join(AXES)}"
            raise SettingError(place, f"no axis {axis}", remedy)
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise SettingError(f"{place}: {axis}", "must be a list of values", "give at least one")
        checked[axis] = list(dict.fromkeys(_checked(axis, value, f"{place}: {axis}") for value in values))
    return checked


def _checked(axis: str, value: Any, place: str) -> Value:
    if axis not in NUMBERS:
        (degrees_of if axis in ("left", "right") else amounts_of)(str(value), place)
        return str(value)
    if not isinstance(value, bool):
        with suppress(TypeError, ValueError):
            value = plain(float(value))  # 1 and 1.0 are the same cell
    return check(value, AXES[axis], NUMBERS[axis], place)


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


def methods_of(names: Sequence[str], grid: Grid) -> dict[str, Method]:
    """Return label -> method to run: g-greedy, then each selector, a BP selector once for each tuning."""
    tunings = [{**TUNING, **values} for values in _product(grid, TUNING)]
    methods: dict[str, Method] = {BASE: (BASE, {})}
    for name in names:
        tuned = name in SELECTORS and "mu" in rules(SELECTORS[name])
        for settings in tunings if tuned else [{}]:
            label = " ".join([name, *(f"{setting}={value}" for setting, value in settings.items())])
            methods[label] = (name, settings)
    return methods


def tasks_of(methods: Mapping[str, Method], finished: Results) -> list[tuple[Place, dict[str, Method]]]:
    """Return each problem with the methods to run on it; methods with ``finished`` results are left out."""
    tasks = [
        (place, {label: method for label, method in methods.items() if label not in results})
        for place, results in finished.items()
    ]
    return [task for task in tasks if task[1]]


def run_task(task: tuple[Place, dict[str, Method]], exact_seconds: float) -> tuple[Place, dict[str, Result]]:
    """Return the problem and its results: label of a method, or "bound" -> result.

    ``exact_seconds`` is the time limit of the exact selector.
    """
    (family, number), methods = task
    graph, budget = family.problem(number)
    greedy = GGreedy().select(graph, budget).covered_weight
    scales = {"beta": 1 / float(graph.weight.mean()), "mu": greedy / budget}
    results = {}
    for label, (selector, tuning) in methods.items():
        settings = {"time_limit": exact_seconds} if selector == Exact.name else dict(tuning)
        for name, scale in scales.items():
            if settings.get(name, AUTO) != AUTO:
                settings[name] *= scale
        results[label] = measured(KNOWN[selector](**settings), graph, budget)
    # The bound depends on the problem only, not on the methods that are compared.
    results[BOUND] = Result(upper_bound(graph, budget, greedy))
    return (family, number), results


# The journal


def conditions(exact_seconds: float) -> dict[str, Any]:
    """Return what all results of a journal depend on, besides the problem and the method."""
    return {"exact_seconds": exact_seconds, **{library: version(library) for library in _LIBRARIES}}


class _SavedResult(msgspec.Struct):
    family: Family
    graph: int
    results: dict[str, Result]


def encode(place: Place, results: dict[str, Result]) -> Any:
    """Return the results on a problem as a line of the journal."""
    return msgspec.to_builtins(_SavedResult(*place, results))


def decode(line: Mapping[str, Any], place: str) -> tuple[Place, dict[str, Result]]:
    """Return the problem and the results in a line of the journal; ``place`` names an invalid one."""
    try:
        saved = msgspec.convert(line, _SavedResult)
    except msgspec.ValidationError:
        raise InputError(place, "not a result of a map", REMEDY) from None
    return (saved.family, saved.graph), saved.results


# Rows


def is_noise(row: Row) -> bool:
    """Tell whether the interval of the difference holds 0, or there is no interval."""
    low, high = row["difference_ci"] or (0, 0)
    return low <= 0 <= high


def map_rows(
    grid: Grid, methods: Mapping[str, Method], results: Results, by: Collection[str] = ()
) -> list[Row]:
    """Return a row for each method and all cells with the same values of the axes ``by``, or of all axes."""
    groups: dict[tuple[Any, ...], list[tuple[Result, Mapping[str, Result]]]] = {}
    for (family, _), by_label in results.items():
        for label, (selector, tuning) in methods.items():
            values = dataclasses.asdict(family) | dict(tuning)
            axes = tuple((axis, values[axis]) for axis in grid if axis in (by or grid) and axis in values)
            groups.setdefault((selector, axes), []).append((by_label[label], by_label))
    return [_row(selector, dict(axes), group) for (selector, axes), group in groups.items()]


def _row(
    selector: str, axes: Mapping[str, Value], runs: Sequence[tuple[Result, Mapping[str, Result]]]
) -> Row:
    """Return the row of a method on the problems of one cell, or of several cells together.

    ``runs`` has its result and all results on each problem. ``share`` is a share of the proven optimum, or
    else of the proven bound; ``difference`` is in percent of the weight that g-greedy covers; ``better`` and
    ``worse`` are shares of the problems. An unknown value is None.
    """
    differences = [_percent(result.weight, results[BASE].weight) for result, results in runs]
    mean = estimate(differences)
    ends = [_end(results) for _, results in runs]
    shares = [share_of(result.weight, end) for (result, _), (end, _) in zip(runs, ends, strict=True)]
    solved = [share >= REACHED for share, (_, proven) in zip(shares, ends, strict=True) if proven]
    return {
        "selector": selector, **axes, "graphs": len(runs), "share": fmean(shares),
        "difference": mean.mean, "difference_ci": mean.ci,
        "better": fmean(gain > 0 for gain in differences), "worse": fmean(gain < 0 for gain in differences),
        "solved": mean_of(solved), "converged": mean_of(result.converged for result, _ in runs),
        "seconds": fmean(result.seconds for result, _ in runs),
    }  # fmt: skip


def _percent(weight: float, base: float) -> float:
    """Return the difference of two weights in percent of the second; rounding errors count as 0."""
    if abs(weight - base) <= 1e-12 * base or not base:
        return 0.0
    return 100 * (weight - base) / base


def _end(results: Mapping[str, Result]) -> tuple[float, bool]:
    """Return the proven optimum of a problem and True; if no method has proven it, the bound and False."""
    optimum = next((result.weight for result in results.values() if result.proven), None)
    return (results[BOUND].weight, False) if optimum is None else (optimum, True)


# The report


def render_map(
    about: Mapping[str, Any], rows: Sequence[Row], format_: str, screen: Screen | None = None, *, timed: bool
) -> str:
    """Return the table of a map: in text and Markdown a table for each selector, else one with all columns.

    The mean seconds are shown only if ``timed``, because they vary from run to run. Text fits the ``screen``.
    """
    rows = [{name: row[name] for name in row if timed or name != "seconds"} for row in rows]
    if format_ in ("json", "csv"):
        return render_data([with_ends(row) for row in rows], about, format_)
    parts = []
    for name in dict.fromkeys(row["selector"] for row in rows if row["selector"] != BASE):
        group = [row for row in rows if row["selector"] == name]
        axes = [axis for axis in group[0] if axis in AXES]
        varying = [axis for axis in axes if len({row[axis] for row in group}) > 1]
        absent = "converged" if all(row["converged"] is None for row in group) else ""
        columns = [(axis, axis, "", 0) for axis in varying or axes]
        columns += [column for column in _COLUMNS if column[0] != absent]
        title = f"**{name} against {BASE}**\n" if format_ == "md" else f"{name} against {BASE}:"
        for row in group:
            row["marked"] = f"{row['difference']:+.2f}{' ' if is_noise(row) else '*'}"
        parts += [title, render_rows(group, columns, format_, screen)]
    return "\n".join([*parts, _NOTE, "", signature_line(about), ""])
