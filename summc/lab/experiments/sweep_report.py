"""Render a sweep as text, Markdown, CSV or JSON.

A point is a selector with one value of beta and one of mu; it has a row of the table. A measure is the
covered weight or the recall of a ROUGE metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from summc.lab.evaluation.intervals import interval_text
from summc.lab.experiments.sweep import WEIGHT, Mean, SweepRow, best
from summc.system.json_objects import dump
from summc.text.numbers import plain, shown
from summc.text.screens import Screen, wrap_lines
from summc.text.tables import BETTER, Position, render_cells


def render_sweep(
    about: Mapping[str, Any], rows: Sequence[SweepRow], format_: str, screen: Screen | None = None
) -> str:
    """Return the report of a sweep: the table, the best point by each measure, and a caveat.

    Markdown and JSON have the signature too, and CSV has only the table. ``about`` has the ``dataset``, the
    number of ``clusters`` and the ``signature``. The report in text fits the ``screen``.
    """
    if format_ == "json":
        return dump({**about, **_as_object(rows)}, indent=2) + "\n"
    if format_ == "csv":
        return render_cells(_plain_cells(rows), format_)
    remarks = [*(_best_line(rows, measure) for measure in measures_of(rows)), f"note: {caveat(rows)}"]
    if format_ == "md":  # where consecutive lines would join into one paragraph
        return "\n".join(
            [
                render_cells(_cells(rows), format_),
                *(f"{each}\n" for each in remarks),
                f"{about['signature']}\n",
            ]
        )
    table = render_cells(_cells(rows), format_, screen, fold=_fold_order(rows), styles=_best_cells(rows))
    below = wrap_lines("\n".join(remarks), (screen or Screen()).columns, rest="  ")
    return f"{table}\n{below}\n"


def measures_of(rows: Sequence[SweepRow]) -> list[str]:
    """Return the names of the measures of a sweep: the covered weight, then each ROUGE metric."""
    return list(next(row for row in rows if row.point.is_swept).means)


def caveat(rows: Sequence[SweepRow]) -> str:
    """Return a note for the user: the best of many points looks better than it is.

    The reason is that it is chosen by the same clusters on which it is measured. For a single point, return
    only the number of clusters.
    """
    points = sum(row.point.is_swept for row in rows)
    clusters = counted(max(row.clusters for row in rows))
    if points == 1:
        return f"one point on {clusters}"
    return (
        f"the best of {points} points is picked on the same {clusters} that it is measured on, "
        "so it looks better than it is; measure it on others"
    )


def counted(clusters: int) -> str:
    """Return a number of clusters with its noun: "1 cluster", "2 clusters"."""
    return f"{clusters} cluster{'' if clusters == 1 else 's'}"


def setting_text(row: SweepRow) -> str:
    """Return the beta and the mu of a row's point as text: "beta = 45, mu = 0.04"."""
    point = row.point
    return f"beta = {shown(point.beta or 0)}, mu = {plain(point.mu or 0)}"


def _best_line(rows: Sequence[SweepRow], measure: str) -> str:
    row = best(rows, measure)
    mean = row.means[measure]
    line = f"best {measure}: {mean.value:{_spec(measure)}} at {setting_text(row)}"
    if mean.difference is None:
        return line
    spec = f"+{_spec(measure)}"
    interval = f" {interval_text(mean.difference_ci, spec)}" if mean.difference_ci else ""
    return f"{line}, {mean.difference:{spec}}{interval} from {rows[0].point.label}"


def _spec(measure: str) -> str:
    """Return the format of the values of a measure."""
    return ".3f" if measure == WEIGHT else ".4f"


def _cells(rows: Sequence[SweepRow]) -> list[list[str]]:
    measures = measures_of(rows)
    versus = f"vs {rows[0].point.label}"
    heading = [part for measure in measures for part in (measure, "95% interval", versus)]
    cells = [["selector", "beta", "mu", *heading, "converged", "clusters"]]
    for row in rows:
        figures = [part for measure in measures for part in _figure_cells(measure, row.means.get(measure))]
        settled = "-" if row.converged is None else f"{row.converged:.0%}"
        cells.append([*_point_cells(row, "-"), *figures, settled, str(row.clusters)])
    return cells


def _fold_order(rows: Sequence[SweepRow]) -> list[int]:
    """Return the columns of the table to leave out on a narrow screen, in the order of leaving them out.

    The order is: the number of clusters, the intervals, the share of runs that converged, the differences,
    and the values of all measures except the first. Among the intervals, the differences and the values,
    those of the last measure are left out first.
    """
    converged = len(_cells(rows)[0]) - 2
    values = list(range(3, converged, 3))[::-1]
    intervals, differences = [i + 1 for i in values], [i + 2 for i in values]
    return [converged + 1, *intervals, converged, *differences, *values[:-1]]


def _best_cells(rows: Sequence[SweepRow]) -> dict[Position, str]:
    """Return (row, column) -> style for the best value of each measure in the table."""
    found = [best(rows, measure) for measure in measures_of(rows)]
    return {
        (number, 3 + 3 * i): BETTER
        for i, top in enumerate(found)
        for number, row in enumerate(rows, start=1)
        if row is top
    }


def _point_cells(row: SweepRow, none: str) -> list[str]:
    point = row.point
    return [point.selector, *(none if each is None else f"{shown(each)}" for each in (point.beta, point.mu))]


def _figure_cells(measure: str, mean: Mean | None) -> list[str]:
    if mean is None:
        return ["-", "-", "-"]
    spec = _spec(measure)
    difference = "-" if mean.difference is None else f"{mean.difference:+{spec}}"
    return [f"{mean.value:{spec}}", interval_text(mean.ci, spec), difference]


def _plain_cells(rows: Sequence[SweepRow]) -> list[list[str]]:
    """Return the cells for CSV: a column for every number, not rounded."""
    measures = measures_of(rows)
    parts = ("", "_low", "_high", "_difference", "_difference_low", "_difference_high")
    heading = [f"{measure}{part}" for measure in measures for part in parts]
    cells = [["selector", "beta", "mu", *heading, "converged", "clusters"]]
    for row in rows:
        numbers = [number for measure in measures for number in _numbers(row.means.get(measure))]
        values = ["" if number is None else f"{number}" for number in (*numbers, row.converged)]
        cells.append([*_point_cells(row, ""), *values, str(row.clusters)])
    return cells


def _numbers(mean: Mean | None) -> list[float | None]:
    if mean is None:
        return [None] * 6
    return [mean.value, *(mean.ci or (None, None)), mean.difference, *(mean.difference_ci or (None, None))]


def _as_object(rows: Sequence[SweepRow]) -> dict[str, Any]:
    found = {measure: best(rows, measure) for measure in measures_of(rows)}
    return {
        "versus": rows[0].point.label,
        "best": {
            measure: {"beta": row.point.beta, "mu": row.point.mu, **_mean_object(row.means[measure])}
            for measure, row in found.items()
        },
        "note": caveat(rows),
        "rows": [
            {
                "selector": row.point.selector,
                "beta": row.point.beta,
                "mu": row.point.mu,
                "clusters": row.clusters,
                **{measure: _mean_object(mean) for measure, mean in row.means.items()},
                "converged": row.converged,
            }
            for row in rows
        ],
    }


def _mean_object(mean: Mean) -> dict[str, Any]:
    return {
        "mean": mean.value,
        "ci": mean.ci and list(mean.ci),
        "difference": mean.difference,
        "difference_ci": mean.difference_ci and list(mean.difference_ci),
    }
