"""Turn outcomes into a table with a row for each selector: its mean scores over clusters.

Each mean recall has a 95% confidence interval. Each row is also compared with the first row or, if the caller
asks for that, with the row before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from summc.evaluation.resampling import bootstrap_interval, paired_differences, randomization_p
from summc.records import Outcome
from summc.text.tables import BETTER, WORSE, Position

#: The column of the differences, counted from the end; their intervals and p-values follow it.
_VERSUS = -4


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean recall, precision and F1 of a ROUGE metric; ``ci`` is the 95% interval of the mean recall."""

    recall: float
    precision: float
    f1: float
    ci: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Versus:
    """The mean difference in recall between a row and another row, over the clusters that both rows have.

    ``selector`` names the other row. ``ci`` is the 95% interval of the difference, and ``p`` its p-value.
    """

    selector: str
    difference: float
    ci: tuple[float, float]
    p: float


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The means of one selector over ``clusters`` clusters; ``figures`` has the mean scores of each metric.

    ``converged`` is the share of runs that converged. ``proven`` is the mean share of the best possible
    coverage that the summaries are proven to reach. Both are None if the selector does not report them.
    """

    selector: str
    clusters: int
    figures: Mapping[str, Figure]
    covered_weight: float | None
    words: float
    converged: float | None
    proven: float | None
    versus: Versus | None


def score_rows(
    outcomes: Iterable[Outcome], versus: str = "first", metric: str | None = None
) -> list[ScoreRow]:
    """Return a row of means for each selector, in order of appearance, compared with the first row.

    With ``versus`` "before", each row is compared with the row before it. Rows are compared by ``metric``, by
    default the first one. Failed outcomes are left out.
    """
    by_selector: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        group = by_selector.setdefault(outcome.selector, {})
        if not outcome.problem:
            group[outcome.cluster] = outcome
    groups = {selector: group for selector, group in by_selector.items() if group}
    names = list(groups)
    others = names[:1] * len(names) if versus == "first" else names[:1] + names[:-1]
    return [
        _row(name, groups[name], None if i == 0 else _versus(other, groups[other], groups[name], metric))
        for i, (name, other) in enumerate(zip(names, others, strict=True))
    ]


def _row(selector: str, group: Mapping[str, Outcome], versus: Versus | None) -> ScoreRow:
    outcomes = list(group.values())
    figures = {}
    for metric in outcomes[0].scores:
        scores = [outcome.scores[metric] for outcome in outcomes]
        recalls = np.array([score.recall for score in scores])
        figures[metric] = Figure(
            fmean(recalls.tolist()), fmean(s.precision for s in scores), fmean(s.f1 for s in scores),
            bootstrap_interval(recalls),
        )  # fmt: skip
    selections = [outcome.selection for outcome in outcomes if outcome.selection]
    settled = [s.diagnostics["converged"] for s in selections if "converged" in s.diagnostics]
    shares = [s.covered_weight / s.bound for s in selections if s.bound]
    return ScoreRow(
        selector,
        len(outcomes),
        figures,
        fmean(s.covered_weight for s in selections) if selections else None,
        fmean(outcome.words for outcome in outcomes),
        fmean(settled) if settled else None,
        fmean(shares) if shares else None,
        versus,
    )


def _versus(
    name: str, base: Mapping[str, Outcome], group: Mapping[str, Outcome], metric: str | None
) -> Versus | None:
    by = metric or next(iter(next(iter(base.values())).scores))
    differences = paired_differences(_recalls(group, by), _recalls(base, by))
    if not len(differences):
        return None
    return Versus(
        name, fmean(differences.tolist()), bootstrap_interval(differences), randomization_p(differences)
    )


def _recalls(group: Mapping[str, Outcome], metric: str) -> dict[str, float]:
    return {cluster: outcome.scores[metric].recall for cluster, outcome in group.items()}


def row_object(row: ScoreRow) -> dict[str, Any]:
    """Return a row as a JSON object."""
    return {
        "selector": row.selector,
        "clusters": row.clusters,
        **{
            metric: {"recall": f.recall, "precision": f.precision, "f1": f.f1, "ci": list(f.ci)}
            for metric, f in row.figures.items()
        },
        "covered_weight": row.covered_weight,
        "words": row.words,
        "converged": row.converged,
        "proven": row.proven,
        "versus": None
        if row.versus is None
        else {
            "selector": row.versus.selector,
            "difference": row.versus.difference,
            "ci": list(row.versus.ci),
            "p": row.versus.p,
        },
    }


def as_cells(rows: list[ScoreRow]) -> list[list[str]]:
    """Return the cells of the table, heading first.

    For the first metric there are the recall with its interval, the precision and F1; for the other metrics
    there is only the recall.
    """
    first, *others = rows[0].figures
    heading = ["selector", first, "95% interval", "precision", "F1", *others, "weight", "words", "converged"]
    certified = any(row.proven is not None for row in rows)
    compared = {row.versus.selector for row in rows if row.versus}
    versus = f"vs {rows[0].selector}" if compared <= {rows[0].selector} else "vs row before"
    cells = [[*heading, *["proven"] * certified, versus, "95% interval", "p", "clusters"]]
    for row in rows:
        main = row.figures[first]
        difference = row.versus
        cells.append(
            [
                row.selector,
                f"{main.recall:.4f}",
                _interval(main.ci),
                f"{main.precision:.4f}",
                f"{main.f1:.4f}",
                *(f"{row.figures[metric].recall:.4f}" for metric in others),
                "-" if row.covered_weight is None else f"{row.covered_weight:.3f}",
                f"{row.words:.1f}",
                "-" if row.converged is None else f"{row.converged:.0%}",
                *(["-" if row.proven is None else f"{row.proven:.2%}"] if certified else []),
                "-" if difference is None else f"{difference.difference:+.4f}",
                "-" if difference is None else _interval(difference.ci, "+"),
                "-" if difference is None else f"{difference.p:.4f}",
                str(row.clusters),
            ]
        )
    return cells


def fold_order(heading: Sequence[str], rows: Sequence[ScoreRow]) -> list[int]:
    """Return the columns of the table to leave out on a narrow screen, in the order of leaving them out.

    The name and the first metric always stay. So does the number of clusters if the rows differ in it. The
    interval of the paired difference is left out after that of the recall, because it says more about which
    row is better.
    """
    columns = {name: i for i, name in enumerate(heading)}
    first = ["clusters", "precision", "F1", "words", "converged", "weight", "proven"]
    if len({row.clusters for row in rows}) > 1:
        first.remove("clusters")
    others = list(rows[0].figures)[1:]
    versus = len(heading) + _VERSUS
    return [
        *(columns[name] for name in first if name in columns),
        heading.index("95% interval"), versus + 2, versus + 1, versus,
        *(columns[name] for name in reversed(others)),
    ]  # fmt: skip


def difference_styles(rows: Sequence[ScoreRow], heading: Sequence[str]) -> dict[Position, str]:
    """Return (row, column) -> style for each difference in the table whose interval excludes 0.

    ``heading`` is the first row of the table.
    """
    column = len(heading) + _VERSUS
    intervals = {number: row.versus.ci for number, row in enumerate(rows, start=1) if row.versus}
    better = {(number, column): BETTER for number, (low, _) in intervals.items() if low > 0}
    return better | {(number, column): WORSE for number, (_, high) in intervals.items() if high < 0}


def cluster_cells(outcomes: Iterable[Outcome]) -> list[list[str]]:
    """Return the cells of a table with a row for each cluster and selector, heading first."""
    made = [outcome for outcome in outcomes if not outcome.problem]
    metrics = list(made[0].scores)
    cells = [["cluster", "selector", *metrics, "weight", "words"]]
    for outcome in made:
        weight = "-" if outcome.selection is None else f"{outcome.selection.covered_weight:.3f}"
        recalls = [f"{outcome.scores[metric].recall:.4f}" for metric in metrics]
        cells.append([outcome.cluster, outcome.selector, *recalls, weight, f"{outcome.words:.1f}"])
    return cells


def _interval(ends: tuple[float, float], sign: str = "") -> str:
    return f"[{ends[0]:{sign}.4f}, {ends[1]:{sign}.4f}]"
