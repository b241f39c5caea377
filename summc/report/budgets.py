"""The summaries of a cluster under several budgets, each with its proof."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from summc.config import Config, SelectSettings
from summc.errors import NoSummaryError
from summc.graph import build_graph, in_unit, within_budget
from summc.pipeline import Workings, locate_terms, make_summary
from summc.preprocess import Span
from summc.records import CoverageGraph, Selection
from summc.report.explain import Explanation, explain, field_of, surface_forms
from summc.selectors import upper_bound
from summc.settings import rules
from summc.solving import solve_as

#: The budgets that are tried, as parts of the one asked for.
SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
#: No budget is larger.
_MOST = rules(SelectSettings)["budget"][1].at_most or math.inf


@dataclass(frozen=True, slots=True, eq=False)
class ClusterReport:
    """What a page tells of a cluster.

    ``made`` is what the summary of the widest problem was made of: it has the words and sentences of all.
    ``spans`` are the places of the terms in each sentence, and ``forms`` the terms as people read them;
    ``explanations`` are of the summaries, by rising budget, with the ``candidates`` of each, by their indices
    in the cluster; the one that was asked for is ``explanations[asked]``.
    """

    made: Workings
    spans: tuple[tuple[Span, ...], ...]
    forms: Mapping[str, str]
    explanations: tuple[Explanation, ...]
    candidates: tuple[tuple[int, ...], ...]
    asked: int


def report_of(made: Workings, config: Config, others: Sequence[Workings] | None = None) -> ClusterReport:
    """Return what a page tells of a cluster: of a summary and ``others``, by default under budgets around it.

    A budget that changes nothing is left out.
    """
    cluster, asked = made.tokenized.cluster, made.summary.selection.budget
    spans = locate_terms(cluster, config)
    forms = surface_forms(cluster, spans)
    by_budget = {asked: made}
    for other in _around(made, config) if others is None else others:
        if all(other.summary.sentences != each.summary.sentences for each in by_budget.values()):
            by_budget.setdefault(other.summary.selection.budget, other)
    rising = [by_budget[budget] for budget in sorted(by_budget)]
    return ClusterReport(
        max(rising, key=lambda each: (len(each.graph.cost), each is made)),
        spans,
        forms,
        tuple(_explained(each, config, forms) for each in rising),
        tuple(tuple(each.graph.sentence_ids.tolist()) for each in rising),
        rising.index(made),
    )


def budgets_around(budget: float) -> list[float]:
    """Return the budgets to offer: in whole numbers, but the one asked for as it is."""
    return [budget if share == 1 else min(max(1.0, float(round(share * budget))), _MOST) for share in SHARES]


def _around(made: Workings, config: Config) -> Iterator[Workings]:
    """Yield the same with other budgets, where those have the same problem.

    Where no candidate fits, all sentences are in the problem, and else the candidates alone.
    """
    cluster, asked = made.tokenized.cluster, made.summary.selection
    own = in_unit(build_graph(made.tokenized, made.weights), cluster, asked.unit)
    is_own = len(own.cost) == len(made.graph.cost)
    for budget in budgets_around(asked.budget):
        if bool((own.cost <= budget).any()) != is_own:
            continue
        try:
            selection = solve_as(made.graph, config.with_settings({"budget": budget}), cluster.id, cluster)
        except NoSummaryError:  # no sentence is so short
            continue
        yield _with_selection(made, selection)


def _with_selection(made: Workings, selection: Selection) -> Workings:
    summary = make_summary(made.tokenized.cluster, made.graph, selection, {})
    return dataclasses.replace(made, summary=dataclasses.replace(summary, signature=made.summary.signature))


def _explained(made: Workings, config: Config, forms: Mapping[str, str]) -> Explanation:
    graph, selection = made.graph, made.summary.selection
    certified = _with_selection(made, _certified(graph, selection))
    return explain(certified, forms, field_of(graph, selection, config.selector), must=config.select.must)


def _certified(graph: CoverageGraph, selection: Selection) -> Selection:
    if selection.bound is not None:
        return selection
    part, _ = within_budget(graph, selection.budget)
    return dataclasses.replace(selection, bound=upper_bound(part, selection.budget, selection.covered_weight))
