"""Turn outcomes into a table with a row for each selector: its mean scores over clusters.

Each mean recall has a 95% confidence interval. Each row is also compared with the first row or, if the caller
asks for that, with the row before it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from summc.lab.evaluation.intervals import Interval, estimate, holm, interval_text, p_text, paired_differences
from summc.records import Outcome
from summc.text.tables import BETTER, WORSE, Position

_CORRECTED = "p Holm"


@dataclass(frozen=True, slots=True)
class Versus:
    """The mean difference in recall between a row and another row, over the clusters that both rows have.

    ``selector`` names the other row. ``ci`` is the 95% interval of the difference, and ``p`` its p-value by
    the paired t test. ``p_holm`` is corrected for all comparisons of the table: rows times metrics. All three
    are None for one cluster.
    """

    selector: str
    difference: float
    ci: Interval | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean recall, precision and F1 of a ROUGE metric; ``ci`` is the 95% interval of the mean recall.

    ``versus`` is the comparison with another row. It is None if there is no other row.
    """

    recall: float
    precision: float
    f1: float
    ci: Interval | None
    versus: Versus | None = None


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


def score_rows(outcomes: Iterable[Outcome], versus: str = "first") -> list[ScoreRow]:
    """Return a row of means for each selector, in order of appearance, compared with the first row.

    With ``versus`` "before", each row is compared with the row before it. Failed outcomes are left out.
    """
    by_selector: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        group = by_selector.setdefault(outcome.selector, {})
        if not outcome.problem:
            group[outcome.cluster] = outcome
    groups = {selector: group for selector, group in by_selector.items() if group}
    names = list(groups)
    others = names[:1] * len(names) if versus == "first" else names[:1] + names[:-1]
    compared = _compared(groups, dict(list(zip(names, others, strict=True))[1:]))
    return [_row(name, group, compared.get(name, {})) for name, group in groups.items()]


def _compared(
    groups: Mapping[str, Mapping[str, Outcome]], others: Mapping[str, str]
) -> dict[str, dict[str, Versus]]:
    """Return selector -> metric -> comparison; ``others`` maps a selector to the one to compare it with."""
    found = {}
    for name, other in others.items():
        for metric in next(iter(groups[name].values())).scores:
            own, base = (_recalls(groups[each], metric) for each in (name, other))
            if differences := paired_differences(own, base):
                found[name, metric] = estimate(differences)
    tested = {key: each.p for key, each in found.items() if each.p is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    made: dict[str, dict[str, Versus]] = {}
    for (name, metric), each in found.items():
        versus = Versus(others[name], each.mean, each.ci, each.p, corrected.get((name, metric)))
        made.setdefault(name, {})[metric] = versus
    return made


def _recalls(group: Mapping[str, Outcome], metric: str) -> dict[str, float]:
    return {cluster: outcome.scores[metric].recall for cluster, outcome in group.items()}


def _row(selector: str, group: Mapping[str, Outcome], versus: Mapping[str, Versus]) -> ScoreRow:
    outcomes = list(group.values())
    figures = {}
    for metric in outcomes[0].scores:
        scores = [outcome.scores[metric] for outcome in outcomes]
        recall = estimate([score.recall for score in scores])
        figures[metric] = Figure(
            recall.mean, fmean(s.precision for s in scores), fmean(s.f1 for s in scores),
            recall.ci, versus.get(metric),
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
    )


def comparisons(rows: Iterable[ScoreRow]) -> list[Versus]:
    """Return all comparisons of a table that have a p-value: for each row, one for each metric."""
    found = [figure.versus for row in rows for figure in row.figures.values() if figure.versus]
    return [versus for versus in found if versus.p is not None]


def row_object(row: ScoreRow) -> dict[str, Any]:
    """Return a row as a JSON object."""
    return {
        "selector": row.selector,
        "clusters": row.clusters,
        **{metric: dataclasses.asdict(figure) for metric, figure in row.figures.items()},
        "covered_weight": row.covered_weight,
        "words": row.words,
        "converged": row.converged,
        "proven": row.proven,
    }


def row_numbers(row: ScoreRow) -> dict[str, Any]:
    """Return a row for CSV: a column for each number, under a name of its own."""
    versus = next((figure.versus for figure in row.figures.values() if figure.versus), None)
    found: dict[str, Any] = {
        "selector": row.selector, "clusters": row.clusters, "words": row.words,
        "weight": row.covered_weight, "converged": row.converged, "proven": row.proven,
        "versus": versus and versus.selector,
    }  # fmt: skip
    for metric, figure in row.figures.items():
        versus = figure.versus
        low, high = figure.ci or (None, None)
        least, most = (versus and versus.ci) or (None, None)
        own = {
            "": figure.recall, "_low": low, "_high": high, "_precision": figure.precision, "_f1": figure.f1,
            "_difference": versus and versus.difference, "_difference_low": least, "_difference_high": most,
            "_p": versus and versus.p, "_p_holm": versus and versus.p_holm,
        }  # fmt: skip
        found |= {f"{metric}{part}": number for part, number in own.items()}
    return found


def as_cells(rows: list[ScoreRow]) -> list[list[str]]:
    """Return the cells of the table, heading first.

    For the first metric there are the recall with its interval, the precision, F1 and the comparison with
    another row; for the other metrics there is only the recall.
    """
    first, *others = rows[0].figures
    heading = ["selector", first, "95% interval", "precision", "F1", *others, "weight", "words", "converged"]
    certified = any(row.proven is not None for row in rows)
    several = len(comparisons(rows)) > 1
    found = [row.figures[first].versus for row in rows]
    compared = {each.selector for each in found if each}
    versus = f"vs {rows[0].selector}" if compared <= {rows[0].selector} else "vs row before"
    tail = [versus, "95% interval", "p", *[_CORRECTED] * several, "clusters"]
    cells = [[*heading, *["proven"] * certified, *tail]]
    for row, difference in zip(rows, found, strict=True):
        main = row.figures[first]
        cells.append(
            [
                row.selector,
                f"{main.recall:.4f}",
                interval_text(main.ci),
                f"{main.precision:.4f}",
                f"{main.f1:.4f}",
                *(f"{row.figures[metric].recall:.4f}" for metric in others),
                "-" if row.covered_weight is None else f"{row.covered_weight:.3f}",
                f"{row.words:.1f}",
                "-" if row.converged is None else f"{row.converged:.0%}",
                *(["-" if row.proven is None else f"{row.proven:.2%}"] if certified else []),
                "-" if difference is None else f"{difference.difference:+.4f}",
                "-" if difference is None else interval_text(difference.ci, "+.4f"),
                "-" if difference is None else p_text(difference.p),
                *(["-" if difference is None else p_text(difference.p_holm)] if several else []),
                str(row.clusters),
            ]
        )
    return cells


def remark(rows: Sequence[ScoreRow]) -> str:
    """Return a line below the table: how p-values are corrected, and why intervals are missing, if so."""
    family = len(comparisons(rows))
    said = [f"{_CORRECTED}: corrected for {family} comparisons by Holm's method"] if family > 1 else []
    if any(row.clusters == 1 for row in rows):
        said.append("one cluster has no interval and no p-value")
    return "; ".join(said)


def fold_order(heading: Sequence[str], rows: Sequence[ScoreRow]) -> list[int]:
    """Return the columns of the table to leave out on a narrow screen, in the order of leaving them out.

    The name and the first metric always stay. So does the number of clusters if the rows differ in it. The
    interval of the paired difference is left out after that of the recall, because it says more about which
    row is better.
    """
    first = ["clusters", "precision", "F1", "converged", "weight", "proven", "95% interval", "p", "words"]
    if len({row.clusters for row in rows}) > 1:
        first.remove("clusters")
    versus = _versus_column(heading)
    others = list(rows[0].figures)[1:]
    return [
        *(heading.index(name) for name in (*first, _CORRECTED) if name in heading),
        versus + 1, versus,
        *(heading.index(name) for name in reversed(others)),
    ]  # fmt: skip


def _versus_column(heading: Sequence[str]) -> int:
    """Return the column of the differences; their intervals and p-values follow it."""
    return heading.index("p") - 2


def difference_styles(rows: Sequence[ScoreRow], heading: Sequence[str]) -> dict[Position, str]:
    """Return (row, column) -> style for each difference in the table whose interval excludes 0.

    ``heading`` is the first row of the table.
    """
    column = _versus_column(heading)
    found = {}
    for number, row in enumerate(rows, start=1):
        versus = next(iter(row.figures.values())).versus
        low, high = (versus and versus.ci) or (0.0, 0.0)
        if low > 0 or high < 0:
            found[number, column] = BETTER if low > 0 else WORSE
    return found


def cluster_cells(outcomes: Iterable[Outcome], none: str = "-") -> list[list[str]]:
    """Return the cells of a table with a row for each cluster and selector, heading first.

    ``none`` stands for the weight of a summary without one.
    """
    made = [outcome for outcome in outcomes if not outcome.problem]
    metrics = list(made[0].scores)
    cells = [["cluster", "selector", *metrics, "weight", "words"]]
    for outcome in made:
        weight = none if outcome.selection is None else f"{outcome.selection.covered_weight:.3f}"
        recalls = [f"{outcome.scores[metric].recall:.4f}" for metric in metrics]
        cells.append([outcome.cluster, outcome.selector, *recalls, weight, f"{outcome.words:.1f}"])
    return cells
