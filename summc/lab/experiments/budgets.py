"""Measure how much weight a summary covers at each budget K, and how much is possible.

Each row describes the summary that ``summarize`` makes with ``budget=K``. Its bound is a weight that no
choice of sentences within the budget exceeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from typing import Any

from summc.errors import NoSummaryError
from summc.graph import total_weight
from summc.lab.evaluation import Case
from summc.method import select
from summc.settings.config import Config
from summc.system.processes import map_in_order
from summc.text.numbers import plain
from summc.text.screens import Screen
from summc.text.tables import Column, render_data, render_rows

_COLUMNS: Sequence[Column] = (
    ("cluster", "cluster", "", 0), ("k", "K", "", 0), ("words", "words", "", 2),
    ("sentences", "sentences", "", 1), ("covered_weight", "weight", ".3f", 3),
    ("share", "of total", ".1%", 0), ("proven", "proven", ".1%", 0),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Length:
    """The summary of one cluster under one budget: words and sentences used, weight covered, total weight.

    No choice of sentences within the budget covers more weight than ``bound``.
    """

    cluster: str
    budget: float
    words: float
    sentences: int
    covered_weight: float
    total_weight: float
    bound: float

    @property
    def share(self) -> float:
        """The covered weight as a share of the total weight."""
        return self.covered_weight / self.total_weight if self.total_weight else 0.0

    @property
    def possible(self) -> float:
        """The largest share of the total weight that the bound allows."""
        return self.bound / self.total_weight if self.total_weight else 0.0

    @property
    def proven(self) -> float | None:
        """The share of the best possible coverage that is proven to be reached; None if the bound is 0."""
        return self.covered_weight / self.bound if self.bound else None


def measure(
    cases: Sequence[Case], config: Config, budgets: Sequence[float], *, jobs: int = 1
) -> Iterator[list[Length]]:
    """Yield for each cluster the results of the configured selector, in order of rising budget."""
    configs = [config.with_settings({"budget": budget, "certify": True}) for budget in sorted(budgets)]
    found = map_in_order(_length, [(case, each) for case in cases for each in configs], jobs)
    for _ in cases:
        yield list(islice(found, len(configs)))


def _length(work: tuple[Case, Config]) -> Length:
    case, config = work
    graph, budget, name = case.graph_for(config), config.select.budget, case.cluster.id
    total = total_weight(graph)
    try:
        found = select(graph, config, name, case.text)
    except NoSummaryError:  # no sentence fits, or none has weight, so the covered weight is zero
        return Length(name, budget, 0, 0, 0.0, total, 0.0)
    covered = found.covered_weight
    bound = max(covered, total if found.bound is None else min(found.bound, total))
    return Length(name, budget, found.cost, len(found.chosen), covered, total, bound)


def mean_shares(curves: Sequence[Sequence[Length]]) -> list[tuple[float, float, float]]:
    """Return for each budget K the tuple (K, covered, possible); ``curves`` has the rows of each cluster.

    ``covered`` and ``possible`` are shares of the total weight, averaged over the clusters: the share that
    the summaries cover, and the largest share that the bounds allow.
    """
    return [
        (rows[0].budget, fmean(row.share for row in rows), fmean(row.possible for row in rows))
        for rows in zip(*curves, strict=True)
    ]


def hint(curves: Sequence[Sequence[Length]]) -> str:
    """Return a sentence for the user that names the smallest budget that covers half of the weight."""
    means = mean_shares(curves)
    reached = next((budget for budget, share, _ in means if share >= 1 / 2), None)
    average = "on average " if len(curves) > 1 else ""
    if reached is None:
        return f"{average}half of the weight takes more than K = {plain(means[-1][0])}"
    return f"{average}half of the weight is covered from K = {plain(reached)}"


def render_curves(
    curves: Sequence[Sequence[Length]], signature: str, format_: str, screen: Screen | None = None
) -> str:
    """Return a table with a row for each cluster and budget, as text, Markdown, CSV or JSON.

    Markdown and JSON have the signature too. A text table fits the ``screen``.
    """
    rows = [_as_object(row) for curve in curves for row in curve]
    if format_ in ("json", "csv"):
        return render_data(rows, {"signature": signature}, format_)
    for row in rows:  # the proven share is rounded down, so that it is never overstated
        row["proven"] = row["proven"] and math.floor(1000 * row["proven"]) / 1000
    columns = _COLUMNS[1:] if len(curves) == 1 else _COLUMNS
    table = f"{render_rows(rows, columns, format_, screen)}\nnote: {hint(curves)}\n"
    return f"{table}\n{signature}\n" if format_ == "md" else table


def _as_object(row: Length) -> dict[str, Any]:
    return {
        "cluster": row.cluster, "k": plain(row.budget), "words": plain(row.words), "sentences": row.sentences,
        "covered_weight": row.covered_weight, "total_weight": row.total_weight, "share": row.share,
        "bound": row.bound, "proven": row.proven,
    }  # fmt: skip
