"""The summaries of a cluster under budgets around the one that was asked for, each with its proof."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from summc.config import Config
from summc.errors import NoSummaryError
from summc.graph import within_budget
from summc.pipeline import Workings, locate_terms, make_summary
from summc.preprocess import Span
from summc.records import CoverageGraph, Selection
from summc.report.explain import Explanation, explain, field_of
from summc.selectors import upper_bound
from summc.solving import solve_as

#: The budgets that are tried, as parts of the one asked for.
SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterReport:
    """What a page tells of a cluster.

    ``spans`` are the places of the terms in each sentence; ``explanations`` are of the summaries, by rising
    budget, and the one that was asked for is ``explanations[asked]``.
    """

    made: Workings
    spans: tuple[tuple[Span, ...], ...]
    explanations: tuple[Explanation, ...]
    asked: int


def report_of(made: Workings, config: Config, budgets: Sequence[float] = ()) -> ClusterReport:
    """Return what a page tells of a cluster under some budgets, by default around the one asked for.

    A budget that changes nothing is left out.
    """
    spans = locate_terms(made.tokenized.cluster, config)
    asked = made.summary.selection
    by_budget = {asked.budget: asked}
    for budget in budgets or budgets_around(asked.budget):
        if budget not in by_budget:
            for selection in _tried(made, config, budget):
                if all(selection.chosen != other.chosen for other in by_budget.values()):
                    by_budget[budget] = selection
    ordered = sorted(by_budget)
    return ClusterReport(
        made,
        spans,
        tuple(_explained(made, config, spans, by_budget[budget]) for budget in ordered),
        ordered.index(asked.budget),
    )


def budgets_around(budget: float) -> list[float]:
    """Return the budgets to offer: in whole numbers, but the one asked for as it is."""
    return [budget if share == 1 else float(max(1, round(share * budget))) for share in SHARES]


def _tried(made: Workings, config: Config, budget: float) -> Iterator[Selection]:
    cluster = made.tokenized.cluster
    try:
        yield solve_as(made.graph, config.with_settings({"budget": budget}), cluster.id, cluster)
    except NoSummaryError:  # no sentence is so short
        return


def _explained(
    made: Workings, config: Config, spans: tuple[tuple[Span, ...], ...], selection: Selection
) -> Explanation:
    cluster, graph = made.tokenized.cluster, made.graph
    summary = dataclasses.replace(
        make_summary(cluster, graph, _certified(graph, selection), {}), signature=made.summary.signature
    )
    field = field_of(graph, selection, config.selector)
    return explain(dataclasses.replace(made, summary=summary), spans, field)


def _certified(graph: CoverageGraph, selection: Selection) -> Selection:
    if selection.bound is not None:
        return selection
    part, _ = within_budget(graph, selection.budget)
    return dataclasses.replace(selection, bound=upper_bound(part, selection.budget, selection.covered_weight))
