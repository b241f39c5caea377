"""Measure how much weight a summary covers at each budget K, and how much is possible.

Each row describes the summary that ``summarize`` makes with ``budget=K``. Its bound is a weight that no
choice of sentences within the budget exceeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

from summc.config import Config
from summc.errors import NoSummaryError, SummcError
from summc.graph import total_weight
from summc.lab.evaluation import Case, make_case, make_cases
from summc.method import select
from summc.records import Cluster, Selection
from summc.report.screens import Screen
from summc.report.tables import Column, render_data, render_rows
from summc.system.processes import map_in_order
from summc.text.numbers import plain

#: Not the weight: words may weigh differently at every budget, so that only shares can be compared.
_COLUMNS: Sequence[Column] = (
    ("cluster", "cluster", "", 0), ("k", "K", "", 0), ("words", "words", "", 2),
    ("sentences", "sentences", "", 1), ("share", "covered", ".1%", 0), ("proven", "proven", ".1%", 0),
)  # fmt: skip


#: A row: the summary of one cluster under the budget K, with the words and sentences used, the weight covered
#: and the total weight. No choice of sentences within the budget covers more weight than ``bound``. ``share``
#: is the covered share of the total weight, and ``proven`` that of the bound; None if the bound is 0.
Length = dict[str, Any]


def measure_all(
    clusters: Sequence[Cluster], configs: Sequence[Config], on_error: Callable[[SummcError], object],
    watch: Callable[[Iterator[list[Length]], int], Iterable[list[Length]]], jobs: int,
) -> tuple[list[list[Length]], Mapping[str, object]]:  # fmt: skip
    """Return the results of each cluster, and the name and settings of the weighting.

    The configurations differ in their budgets. ``on_error`` gets each cluster that has nothing to cover.
    """
    # If a cluster has nothing to cover at the largest budget, it has nothing to cover at smaller ones.
    longest = max(configs, key=lambda config: config.select.budget)
    all_cases, weighing = make_cases(clusters, longest) if clusters else ([], {})
    cases = [case for case in all_cases if len(case.graph.cost)]
    problem, remedy = "no sentence has a word worth covering", "keep stop words or give more text"
    for case in all_cases:
        if not len(case.graph.cost):
            on_error(NoSummaryError(case.cluster.id, problem, remedy))
    return list(watch(measure(cases, configs, jobs), len(cases))), weighing


def measure(cases: Sequence[Case], configs: Sequence[Config], jobs: int = 1) -> Iterator[list[Length]]:
    """Yield for each cluster the results of the configured selector, in order of rising budget."""
    rising = sorted(configs, key=lambda config: config.select.budget)
    certified = [config.with_settings({"certify": True}) for config in rising]
    lengths = map_in_order(_length, [(case, config) for case in cases for config in certified], jobs)
    for _ in cases:
        yield list(islice(lengths, len(certified)))


def _length(work: tuple[Case, Config]) -> Length:
    case, config = work
    if case.tokenized and case.weigher:
        case = make_case(case.tokenized, case.weigher, config)
    graph, budget, name = case.graph, config.select.budget, case.cluster.id
    total = total_weight(graph)
    try:
        choice = select(graph, config, name, case.tokenized)
    except NoSummaryError:  # no sentence fits, or none has weight, so the covered weight is zero
        choice = Selection(config.select.selector, budget, (), 0, 0.0, bound=0.0)
    covered = choice.covered_weight
    bound = max(covered, total if choice.bound is None else min(choice.bound, total))
    share, proven = covered / total if total else 0.0, covered / bound if bound else None
    return {
        "cluster": name, "k": plain(budget), "words": plain(choice.cost), "sentences": len(choice.chosen),
        "covered_weight": covered, "total_weight": total, "share": share, "bound": bound, "proven": proven,
    }  # fmt: skip


def mean_shares(curves: Sequence[Sequence[Length]]) -> list[tuple[float, float, float]]:
    """Return for each budget K the tuple (K, covered, possible); ``curves`` has the rows of each cluster.

    ``covered`` and ``possible`` are shares of the total weight, averaged over the clusters: the share that
    the summaries cover, and the largest share that the bounds allow.
    """
    shares = []
    for rows in zip(*curves, strict=True):
        possible = fmean(row["bound"] / (row["total_weight"] or 1) for row in rows)
        shares.append((rows[0]["k"], fmean(row["share"] for row in rows), possible))
    return shares


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
    rows = [dict(row) for curve in curves for row in curve]
    if format_ in ("json", "csv"):
        return render_data(rows, {"signature": signature}, format_)
    for row in rows:  # the proven share is rounded down, so that it is never overstated
        row["proven"] = row["proven"] and math.floor(1000 * row["proven"]) / 1000
    columns = _COLUMNS[1:] if len(curves) == 1 else _COLUMNS
    table = f"{render_rows(rows, columns, format_, screen)}\nnote: {hint(curves)}\n"
    return f"{table}\n{signature}\n" if format_ == "md" else table
