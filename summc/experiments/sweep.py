"""Covered weight and scores over mu, or over mu and beta: the paper's Figures 3 and 4.

A point is a selector at one setting of beta and mu; what it is compared with are points too, of other
selectors as they are configured. Every point is tried on every cluster, each made ready once for all.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, cast

import numpy as np

from summc.codec import encode_cluster, encode_graph
from summc.config import Config
from summc.errors import InputError, SettingError
from summc.evaluation.cases import Case
from summc.evaluation.outcomes import evaluate_case
from summc.evaluation.report import describe_run
from summc.evaluation.resampling import bootstrap_interval
from summc.experiments.journal import REMEDY
from summc.files.json_objects import dump
from summc.files.versions import version
from summc.processes.pool import map_in_order
from summc.records import Outcome
from summc.selectors import SELECTORS
from summc.settings import rules, settings_of
from summc.text.numbers import plain, shown
from summc.weights import WEIGHTINGS

#: The measure that is not a score.
WEIGHT = "weight"
#: What computes the measurements, and could compute others in another version.
_LIBRARIES = ("summc", "numpy", "scipy", "sumeval")


@dataclass(frozen=True, slots=True)
class Point:
    """A selector as it is tried on every cluster; ``beta`` and ``mu`` are None where they are not swept."""

    label: str
    selector: str
    config: Config
    beta: float | str | None = None
    mu: float | None = None

    @property
    def is_swept(self) -> bool:
        """Whether it belongs to the curve, not to what that is compared with."""
        return self.mu is not None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a point, by its label, reached on one cluster.

    ``values`` holds the covered weight, where sentences were chosen, and the recall by each metric; or there
    is a ``problem``.
    """

    point: str
    cluster: str
    values: Mapping[str, float] = field(default_factory=dict)
    converged: bool | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over clusters with its 95% interval, and its paired difference from the first comparison."""

    value: float
    ci: tuple[float, float]
    difference: float | None = None
    difference_ci: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The means of a point over so many clusters, by measure; ``converged`` is the share of its runs."""

    point: Point
    clusters: int
    means: Mapping[str, Mean]
    converged: float | None


def make_points(
    config: Config, selector: str, mus: Sequence[float], betas: Sequence[float], versus: Sequence[str]
) -> list[Point]:
    """Return what is compared with, then the points of the sweep, by beta and then mu.

    Without ``betas`` there is the configured one alone.
    """
    if selector not in SELECTORS or "mu" not in rules(SELECTORS[selector]):
        able = ", ".join(name for name, kind in SELECTORS.items() if "mu" in rules(kind))
        raise SettingError("--selector", f"{selector} has no mu to vary", f"give one of {able}")
    if selector in versus:
        raise SettingError("--versus", f"{selector} is what is swept", "compare it with others")
    points = [Point(name, name, config) for name in versus]
    configured = cast("float | str", settings_of(config.selector_named(selector))["beta"])
    values: Sequence[float | str] = betas or [configured]
    for beta in values:
        for mu in mus:
            given, places = {"beta": beta, "mu": mu}, {"beta": "--beta", "mu": "--mu"}
            own = config.with_table(f"selectors.{selector}", given, places)
            label = f"{selector}, beta = {shown(beta)}, mu = {plain(mu)}"
            points.append(Point(label, selector, own, beta, mu))
    return points


def run(
    cases: Sequence[Case], points: Sequence[Point], known: Collection[tuple[str, str]] = (), *, jobs: int = 1
) -> Iterator[Measurement]:
    """Yield what each point makes of each cluster, in order whatever the jobs, but for what is ``known``.

    That is named by the label of the point and the cluster.
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
    """Return of an outcome what the means are made of."""
    values = {metric: score.recall for metric, score in outcome.scores.items()}
    converged = None
    if outcome.selection is not None:
        values = {WEIGHT: outcome.selection.covered_weight, **values}
        converged = outcome.selection.diagnostics.get("converged")
    return Measurement(label, outcome.cluster, values, converged, outcome.problem)


def tabulate(points: Sequence[Point], measurements: Sequence[Measurement]) -> list[Row]:
    """Return a row for each point that has any cluster, compared with the first point."""
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


def _row(point: Point, group: Mapping[str, Measurement], base: Mapping[str, Measurement]) -> Row:
    measures = next(iter(group.values())).values
    settled = [each.converged for each in group.values() if each.converged is not None]
    means = {measure: _mean(measure, group, base) for measure in measures}
    return Row(point, len(group), means, fmean(settled) if settled else None)


def _mean(measure: str, group: Mapping[str, Measurement], base: Mapping[str, Measurement]) -> Mean:
    values = np.array([each.values[measure] for each in group.values()])
    differences = np.array(
        [
            each.values[measure] - base[cluster].values[measure]
            for cluster, each in group.items()
            if cluster in base and measure in base[cluster].values
        ]
    )
    mean, ci = fmean(values.tolist()), bootstrap_interval(values)
    if not len(differences):
        return Mean(mean, ci)
    return Mean(mean, ci, fmean(differences.tolist()), bootstrap_interval(differences))


def best(rows: Sequence[Row], measure: str) -> Row:
    """Return the point of the sweep where a measure is largest; among equals the first."""
    return max((row for row in rows if row.point.is_swept), key=lambda row: row.means[measure].value)


def describe_sweep(
    dataset: str, cases: Sequence[Case], weighing: Mapping[str, Any], points: Sequence[Point]
) -> dict[str, Any]:
    """Return what was swept and how: the head of the JSON, and what stands below table and picture."""
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
    """Return all that measurements depend on besides their points: what two runs must share to be one.

    By name, so that what differs can be said.
    """
    found: dict[str, Any] = {"swept": selector}
    for table, settings in config.tables.items():
        for name, value in settings_of(settings).items():
            is_swept = table == f"selectors.{selector}" and name in ("beta", "mu")
            if not is_swept and (table, name) != ("load", "data"):  # where the data lay is not what it is
                found[f"{table}.{name}"] = list(value) if isinstance(value, tuple) else value
    libraries = {library: version(library) for library in _LIBRARIES}
    packages = {**SELECTORS.versions(selector), **WEIGHTINGS.versions(config.weigh.weighting)}
    return {**found, "data": fingerprint(cases), **libraries, **packages}


def fingerprint(cases: Sequence[Case]) -> str:
    """Return a digest of the clusters and of their graphs, weights and all."""
    digest = hashlib.sha256()
    for case in cases:
        digest.update(dump([encode_cluster(case.cluster), encode_graph(case.graph)]).encode("utf-8"))
    return digest.hexdigest()[:16]


def encode(each: Measurement) -> dict[str, Any]:
    """Return a measurement as a line of the journal."""
    return dataclasses.asdict(each)


def decode(line: Mapping[str, Any], place: str) -> Measurement:
    """Return the measurement of a line of the journal."""
    try:
        found = Measurement(**line)
    except TypeError:
        found = None
    if found is None or not _is_whole(found):
        raise InputError(place, "not a measurement of a sweep", REMEDY)
    return found


def _is_whole(each: Measurement) -> bool:
    """Tell whether a measurement that was read has values, or a problem, and all of it the right kind."""
    names = (each.point, each.cluster, each.problem)
    return (
        all(isinstance(name, str) for name in names)
        and isinstance(each.values, dict)
        and all(type(value) in (int, float) for value in each.values.values())
        and (each.converged is None or isinstance(each.converged, bool))
        and bool(each.values or each.problem)
    )
