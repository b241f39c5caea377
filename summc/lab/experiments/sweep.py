"""Measure covered weight and scores over mu, or over mu and beta, as in Figures 3 and 4 of the paper.

A point of the sweep is a selector with one value of beta and one of mu. The selectors that it is compared
with are points too, with their configured settings. Every point runs on every cluster, but a cluster is
prepared only once. A measure is the covered weight or the recall of a ROUGE metric.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from summc.config import Config
from summc.errors import NoSummaryError, SettingError, as_typed
from summc.lab.evaluation import Case, System, evaluate
from summc.lab.evaluation.report import WEIGHT, Mean, decode, describe, encode, score_rows
from summc.lab.experiments import journal
from summc.records import Outcome
from summc.report.codec import encode_cluster, encode_graph
from summc.report.screens import Screen, wrap_lines
from summc.report.summaries import amount
from summc.report.tables import BETTER, Column, cell, flat, render_data, render_rows
from summc.selectors import SELECTORS
from summc.settings import rules, settings_of, signature_line
from summc.system.json_objects import dump
from summc.system.versions import version
from summc.text.numbers import plain, shown
from summc.weights import WEIGHTINGS

#: Passes on outcomes as they come; the number says how many will come.
Watch = Callable[[Iterable[Outcome], int], Iterable[Outcome]]

#: Libraries whose version can change the measurements.
_LIBRARIES = ("summc", "numpy", "scipy", "sumeval")


@dataclass(frozen=True, slots=True)
class Point:
    """A selector with its settings; ``beta`` and ``mu`` are None for a selector to compare the sweep with."""

    label: str
    selector: str
    config: Config
    beta: float | str | None = None
    mu: float | None = None

    @property
    def is_swept(self) -> bool:
        """Whether beta and mu were set by the sweep."""
        return self.mu is not None


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The means of a point over clusters, by measure name; ``converged`` is the share of converged runs."""

    point: Point
    clusters: int
    means: Mapping[str, Mean]
    converged: float | None


def make_points(
    config: Config, selector: str, mus: Sequence[float], betas: Sequence[float], versus: Mapping[str, System]
) -> list[Point]:
    """Return the points to compare with (``versus``), then the points of the sweep, by beta and then by mu.

    If ``betas`` is empty, the sweep uses the configured beta.
    """
    if selector not in SELECTORS or "mu" not in rules(SELECTORS[selector]):
        able = ", ".join(name for name, kind in SELECTORS.items() if "mu" in rules(kind))
        raise SettingError(as_typed("selector"), f"{selector} has no mu to vary", f"give one of {able}")
    if selector in versus:
        raise SettingError(as_typed("versus"), f"{selector} is what is swept", "compare it with others")
    if not mus:
        raise SettingError(as_typed("mu"), "no value", "give at least one")
    points = [Point(label, *system) for label, system in versus.items()]
    configured: Any = settings_of(config.selectors[selector])["beta"]
    for beta in betas or [configured]:
        for mu in mus:
            tuning = {"beta": beta, "mu": mu}
            places = {name: as_typed(name) for name in tuning}
            tuned = config.with_table(f"selectors.{selector}", tuning, places)
            label = f"{selector}, beta = {shown(beta)}, mu = {plain(mu)}"
            points.append(Point(label, selector, tuned, beta, mu))
    return points


def measure(
    cases: Sequence[Case], points: Sequence[Point], jobs: int, watch: Watch, save_to: str | None = None
) -> list[Outcome]:
    """Return the outcomes in order. Outcomes saved in a folder are read; the others are made and saved."""
    path = Path(save_to) / "sweep.jsonl" if save_to else None
    last = points[-1]
    lines = journal.resume(path, conditions(last.config, cases, last.selector)) if path else []
    saved = (decode(line, place, "an outcome of a sweep", journal.REMEDY) for place, line in lines)
    by_pair = {(outcome.selector, outcome.cluster): outcome for outcome in saved}
    pairs = [(point.label, case.cluster.id) for point in points for case in cases]
    left = sum(pair not in by_pair for pair in pairs)
    systems = {point.label: (point.selector, point.config) for point in points}
    for outcome in watch(evaluate(cases, systems, by_pair, jobs=jobs), left):
        journal.append(path, encode(outcome))
        by_pair[outcome.selector, outcome.cluster] = outcome
    return [by_pair[pair] for pair in pairs]


def sweep_rows(points: Sequence[Point], outcomes: Sequence[Outcome]) -> list[SweepRow]:
    """Return a row of means for each point that succeeded on any cluster, compared with the first point."""
    by_label = {point.label: point for point in points}
    means = score_rows(outcomes)
    rows = [SweepRow(by_label[row.selector], row.clusters, row.means, row.converged) for row in means]
    if not rows[-1].point.is_swept:
        raise NoSummaryError(points[-1].selector, "no cluster could be summarized", "see the errors above")
    return rows


def best(rows: Sequence[SweepRow], measure: str) -> SweepRow:
    """Return the row of the sweep with the largest mean of a measure; on a tie, the first."""
    return max((row for row in rows if row.point.is_swept), key=lambda row: row.means[measure].mean)


def describe_sweep(
    dataset: str, cases: Sequence[Case], weighing: Mapping[str, Any], points: Sequence[Point]
) -> dict[str, Any]:
    """Return the data set, its number of clusters, the budget K and the signature of a sweep."""
    swept = [point for point in points if point.is_swept]
    config, selector = swept[0].config, swept[0].selector
    about = describe(dataset, [case.cluster for case in cases], config, weighing)
    ranges = {"beta": _ends([point.beta for point in swept]), "mu": _ends([point.mu for point in swept])}
    settings = settings_of(config.selectors[selector])
    fixed = {name: shown(value) for name, value in settings.items() if name not in ranges}
    parts = {"selector": selector, **ranges, **fixed}
    del about["selectors"]
    signature = f"{signature_line(parts)}|{about['signature']}"
    return {**about, "k": plain(config.select.budget), "signature": signature}


def _ends(values: Sequence[float | str | None]) -> str:
    numbers = [plain(value) for value in values if isinstance(value, float | int)]
    ends = dict.fromkeys((min(numbers), max(numbers))) if numbers else values[:1]
    return "..".join(map(str, ends))


def conditions(config: Config, cases: Sequence[Case], selector: str) -> dict[str, Any]:
    """Return by name everything that measurements depend on besides their points."""
    swept = {f"selectors.{selector}.{name}" for name in ("beta", "mu")}
    settings = {name: value for name, value in config.conditions().items() if name not in swept}
    digest = hashlib.sha256()
    for case in cases:
        digest.update(dump([encode_cluster(case.cluster), encode_graph(case.graph)]).encode("utf-8"))
    libraries = {library: version(library) for library in _LIBRARIES}
    packages = {**SELECTORS.versions(selector), **WEIGHTINGS.versions(config.weigh.weighting)}
    return {"swept": selector, **settings, "data": digest.hexdigest()[:16], **libraries, **packages}


# The report


def render_sweep(
    about: Mapping[str, Any], rows: Sequence[SweepRow], format_: str, screen: Screen | None = None
) -> str:
    """Return the report of a sweep: the table, the best point by each measure, and a caveat.

    Markdown and JSON have the signature too, and CSV has only the table. Text fits the ``screen``.
    """
    tops = {measure: best(rows, measure) for measure in measures_of(rows)}
    objects = [as_object(row) for row in rows]
    if format_ == "json":
        bests = {
            measure: {"beta": row.point.beta, "mu": row.point.mu, **_numbers(row.means[measure])}
            for measure, row in tops.items()
        }
        details = {"versus": rows[0].point.label, "best": bests, "note": _caveat(rows)}
        return render_data(objects, {**about, **details}, format_)
    lines = [{**dict.fromkeys(flat(objects[-1])), **flat(row)} for row in objects]  # human has no weight
    if format_ == "csv":
        return render_data(lines, {}, format_)
    remarks = [_best_line(rows[0], *top) for top in tops.items()] + [f"note: {_caveat(rows)}"]
    columns = _columns(list(tops), rows[0].point.label)
    if format_ == "md":  # where consecutive lines would join into one paragraph
        remarks = [f"{remark}\n" for remark in remarks]
        return "\n".join([render_rows(lines, columns, format_), *remarks, f"{about['signature']}\n"])
    styles = {(1 + rows.index(row), 3 + 3 * i): BETTER for i, row in enumerate(tops.values())}
    table = render_rows(lines, columns, format_, screen, styles=styles)
    below = wrap_lines("\n".join(remarks), (screen or Screen()).columns, rest="  ")
    return f"{table}\n{below}\n"


def measures_of(rows: Sequence[SweepRow]) -> list[str]:
    """Return the names of the measures of a sweep: the covered weight, then each ROUGE metric."""
    return list(next(row for row in rows if row.point.is_swept).means)


def _caveat(rows: Sequence[SweepRow]) -> str:
    """Return a note: the best of many points is chosen by the clusters on which it is measured."""
    points = sum(row.point.is_swept for row in rows)
    clusters = amount(max(row.clusters for row in rows), "clusters")
    if points == 1:
        return f"one point on {clusters}"
    return (
        f"the best of {points} points is picked on the same {clusters} that it is measured on, "
        "so it looks better than it is; measure it on others"
    )


def _best_line(first: SweepRow, measure: str, row: SweepRow) -> str:
    mean, spec, point = row.means[measure], _spec(measure), row.point
    setting = f"beta = {shown(point.beta or 0)}, mu = {plain(point.mu or 0)}"
    line = f"best {measure}: {mean.mean:{spec}} at {setting}"
    if mean.difference is None:
        return line
    interval = f" {cell(mean.difference_ci, f'+{spec}')}" if mean.difference_ci else ""
    return f"{line}, {mean.difference:+{spec}}{interval} from {first.point.label}"


def _spec(measure: str) -> str:
    """Return the format of the values of a measure."""
    return ".3f" if measure == WEIGHT else ".4f"


def _columns(measures: Sequence[str], versus: str) -> list[Column]:
    """Return the columns of a table.

    A narrow screen first leaves out the number of clusters, then the intervals, the share of runs that
    converged, the differences, and the values of all measures except the first; of these the last ones.
    """
    columns = [(name, name, "", 0) for name in ("selector", "beta", "mu")]
    for i, measure in enumerate(measures):
        spec = _spec(measure)
        columns += [
            (measure, measure, spec, 50 - i if i else 0),
            (f"{measure}_ci", "95% interval", spec, 20 - i),
            (f"{measure}_difference", f"vs {versus}", f"+{spec}", 40 - i),
        ]
    return [*columns, ("converged", "converged", ".0%", 30), ("clusters", "clusters", "", 1)]


def as_object(row: SweepRow) -> dict[str, Any]:
    """Return a row for JSON and CSV."""
    point, means = row.point, {measure: _numbers(mean) for measure, mean in row.means.items()}
    name = point.selector if point.is_swept else point.label
    members = {"selector": name, "beta": shown(point.beta), "mu": shown(point.mu), **means}
    return {**members, "converged": row.converged, "clusters": row.clusters}


def _numbers(mean: Mean) -> dict[str, Any]:
    return {name: getattr(mean, name) for name in ("mean", "ci", "difference", "difference_ci")}
