"""Measure covered weight and scores over mu, or over mu and beta, as in Figures 3 and 4 of the paper.

A point of the sweep is a selector with one value of beta and one of mu. The selectors that it is compared
with are points too, with their configured settings. Every point runs on every cluster, but a cluster is
prepared only once. A measure is the covered weight or the recall of a ROUGE metric.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, cast

from summc.errors import InputError, SettingError, as_typed
from summc.lab.evaluation.cases import Case
from summc.lab.evaluation.intervals import Interval, estimate, paired_differences
from summc.lab.evaluation.outcomes import evaluate_case
from summc.lab.evaluation.report import describe_run
from summc.lab.experiments.journal import REMEDY
from summc.records import Outcome
from summc.report.codec import encode_cluster, encode_graph
from summc.selectors import SELECTORS
from summc.settings import rules, settings_of
from summc.settings.config import Config
from summc.system.json_objects import dump
from summc.system.processes import map_in_order
from summc.system.versions import version
from summc.text.numbers import plain, shown
from summc.weights import WEIGHTINGS

#: The name of the covered weight among the measures. The other measures are named like their ROUGE metrics.
WEIGHT = "weight"
#: Libraries whose version can change the measurements.
_LIBRARIES = ("summc", "numpy", "scipy", "sumeval")


@dataclass(frozen=True, slots=True)
class Point:
    """A selector with its settings: a point of the sweep, or a selector to compare the sweep with.

    ``beta`` and ``mu`` are None for a selector to compare with.
    """

    label: str
    selector: str
    config: Config
    beta: float | str | None = None
    mu: float | None = None

    @property
    def is_swept(self) -> bool:
        """Whether beta and mu were set by the sweep; false for a selector to compare the sweep with."""
        return self.mu is not None


@dataclass(frozen=True, slots=True)
class Measurement:
    """The result of one point on one cluster; ``point`` is the label of the point.

    ``values`` has the recall of each metric, and the covered weight if sentences were chosen. If the run
    failed, ``values`` is empty and ``problem`` says why.
    """

    point: str
    cluster: str
    values: Mapping[str, float] = field(default_factory=dict)
    converged: bool | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure of a point over clusters, with its 95% interval; one cluster has none.

    ``difference`` is its mean paired difference from the first point. It is None for the first point itself,
    and if no cluster has results of both points.
    """

    value: float
    ci: Interval | None
    difference: float | None = None
    difference_ci: Interval | None = None


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The means of a point over clusters, by measure name; ``converged`` is the share of converged runs."""

    point: Point
    clusters: int
    means: Mapping[str, Mean]
    converged: float | None


def make_points(
    config: Config, selector: str, mus: Sequence[float], betas: Sequence[float], versus: Sequence[str]
) -> list[Point]:
    """Return the points to compare with (``versus``), then the points of the sweep, by beta and then by mu.

    If ``betas`` is empty, the sweep uses the configured beta.
    """
    if selector not in SELECTORS or "mu" not in rules(SELECTORS[selector]):
        able = ", ".join(name for name, kind in SELECTORS.items() if "mu" in rules(kind))
        raise SettingError(as_typed("selector"), f"{selector} has no mu to vary", f"give one of {able}")
    if selector in versus:
        raise SettingError(as_typed("versus"), f"{selector} is what is swept", "compare it with others")
    points = [Point(name, name, config) for name in versus]
    configured = cast("float | str", settings_of(config.selector_named(selector))["beta"])
    values: Sequence[float | str] = betas or [configured]
    for beta in values:
        for mu in mus:
            given = {"beta": beta, "mu": mu}
            places = {name: as_typed(name) for name in given}
            own = config.with_table(f"selectors.{selector}", given, places)
            label = f"{selector}, beta = {shown(beta)}, mu = {plain(mu)}"
            points.append(Point(label, selector, own, beta, mu))
    return points


def run(
    cases: Sequence[Case], points: Sequence[Point], known: Collection[tuple[str, str]] = (), *, jobs: int = 1
) -> Iterator[Measurement]:
    """Yield the measurement of each point on each cluster, in order, except for those made before.

    ``known`` tells which were made before: it has pairs of a point's label and a cluster's id.
    """
    work = [
        (case, point) for point in points for case in cases if (point.label, case.cluster.id) not in known
    ]
    return map_in_order(_measured, work, jobs)


def _measured(work: tuple[Case, Point]) -> Measurement:
    case, point = work
    (outcome,) = evaluate_case(case, [point.selector], point.config)
    return measurement(point.label, outcome)


def measurement(label: str, outcome: Outcome) -> Measurement:
    """Return an outcome on a cluster as the measurement of the point with this label."""
    values = {metric: score.recall for metric, score in outcome.scores.items()}
    converged = None
    if outcome.selection is not None:
        values = {WEIGHT: outcome.selection.covered_weight, **values}
        converged = outcome.selection.diagnostics.get("converged")
    return Measurement(label, outcome.cluster, values, converged, outcome.problem)


def sweep_rows(points: Sequence[Point], measurements: Sequence[Measurement]) -> list[SweepRow]:
    """Return a row of means for each point that succeeded on any cluster, compared with the first point."""
    by_label: dict[str, dict[str, Measurement]] = {point.label: {} for point in points}
    for each in measurements:
        if not each.problem and each.point in by_label:
            by_label[each.point][each.cluster] = each
    base = by_label[points[0].label]
    return [
        _row(point, by_label[point.label], base if i else {})
        for i, point in enumerate(points)
        if by_label[point.label]
    ]


def _row(point: Point, group: Mapping[str, Measurement], base: Mapping[str, Measurement]) -> SweepRow:
    measures = next(iter(group.values())).values
    settled = [each.converged for each in group.values() if each.converged is not None]
    means = {measure: _mean(measure, group, base) for measure in measures}
    return SweepRow(point, len(group), means, fmean(settled) if settled else None)


def _mean(measure: str, group: Mapping[str, Measurement], base: Mapping[str, Measurement]) -> Mean:
    values, of_base = (
        {cluster: each.values[measure] for cluster, each in side.items() if measure in each.values}
        for side in (group, base)
    )
    differences = paired_differences(values, of_base)
    own = estimate(list(values.values()))
    if not differences:
        return Mean(own.mean, own.ci)
    difference = estimate(differences)
    return Mean(own.mean, own.ci, difference.mean, difference.ci)


def best(rows: Sequence[SweepRow], measure: str) -> SweepRow:
    """Return the row of the sweep with the largest mean of a measure; on a tie, the first."""
    return max((row for row in rows if row.point.is_swept), key=lambda row: row.means[measure].value)


def describe_sweep(
    dataset: str, cases: Sequence[Case], weighing: Mapping[str, Any], points: Sequence[Point]
) -> dict[str, Any]:
    """Return the data set, its number of clusters, the budget K and the signature of a sweep.

    They are for the JSON output and for the captions of figures. The signature is a line of all settings that
    the numbers depend on. ``weighing`` has the name and the settings of the weighting.
    """
    swept = [point for point in points if point.is_swept]
    about = describe_run(dataset, cases, [], weighing, swept[0].config)
    own = settings_of(swept[0].config.selector_named(swept[0].selector))
    ranges = {
        "beta": _ends([point.beta for point in swept]),
        "mu": _ends([point.mu for point in swept]),
    }
    fixed = {name: shown(value) for name, value in own.items() if name not in ranges}
    parts = {"selector": swept[0].selector, **ranges, **fixed}
    signature = "|".join(f"{name}:{value}" for name, value in parts.items())
    return {
        "dataset": dataset,
        "clusters": len(cases),
        "k": plain(swept[0].config.select.budget),
        "signature": f"{signature}|{about['signature']}",
    }


def _ends(values: Sequence[float | str | None]) -> str:
    numbers = [plain(value) for value in values if isinstance(value, float | int)]
    if not numbers:
        return f"{values[0]}"
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low}..{high}"


def conditions(config: Config, cases: Sequence[Case], selector: str) -> dict[str, Any]:
    """Return everything that measurements depend on besides their points, by name.

    A run can be resumed only under the same conditions. Otherwise the error names the one that differs.
    """
    swept = {f"selectors.{selector}.{name}" for name in ("beta", "mu")}
    settings = {name: value for name, value in config.conditions().items() if name not in swept}
    libraries = {library: version(library) for library in _LIBRARIES}
    packages = {**SELECTORS.versions(selector), **WEIGHTINGS.versions(config.weigh.weighting)}
    return {"swept": selector, **settings, "data": fingerprint(cases), **libraries, **packages}


def fingerprint(cases: Sequence[Case]) -> str:
    """Return a digest of the clusters and of their graphs, including the weights."""
    digest = hashlib.sha256()
    for case in cases:
        digest.update(dump([encode_cluster(case.cluster), encode_graph(case.graph)]).encode("utf-8"))
    return digest.hexdigest()[:16]


def encode(each: Measurement) -> dict[str, Any]:
    """Return a measurement as a JSON object, to write it as a line of the journal."""
    return dataclasses.asdict(each)


def decode(line: Mapping[str, Any], place: str) -> Measurement:
    """Return the measurement in a line of the journal; raise ``InputError`` if the line is not valid.

    ``place`` is the file and the line number, for the error message.
    """
    try:
        found = Measurement(**line)
    except TypeError:
        found = None
    if found is None or not _is_whole(found):
        raise InputError(place, "not a measurement of a sweep", REMEDY)
    return found


def _is_whole(each: Measurement) -> bool:
    """Tell whether a measurement read from a file is valid.

    It must have values or a problem, and every attribute must have the right type.
    """
    names = (each.point, each.cluster, each.problem)
    return (
        all(isinstance(name, str) for name in names)
        and isinstance(each.values, dict)
        and all(type(value) in (int, float) for value in each.values.values())
        and (each.converged is None or isinstance(each.converged, bool))
        and bool(each.values or each.problem)
    )
