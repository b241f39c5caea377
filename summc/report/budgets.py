"""Make the summaries of a cluster under several budgets, for an HTML page.

Each summary gets a bound: it is proven that no summary within the budget covers more than this weight.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from summc.errors import NoSummaryError
from summc.graph.build import build_graph, in_unit, within_budget
from summc.method import prices_of, summarize_one
from summc.preprocess.terms import Span
from summc.records import CoverageGraph, Run, Selection
from summc.report.explain import Cover, Explanation, explain, field_of, surface_forms
from summc.report.problem import PageProblem, problems_of
from summc.selectors import upper_bound
from summc.selectors.solving import SelectSettings
from summc.settings import rules
from summc.settings.config import Config

#: The budgets to try, as multiples of the budget that the user asked for.
SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
#: The largest budget that the settings allow.
_MOST = rules(SelectSettings)["budget"][1].at_most or math.inf


@dataclass(frozen=True, slots=True, eq=False)
class ClusterReport:
    """The data of a cluster for an HTML page. The summaries are in order of rising budget.

    Attributes:
        made: the intermediate results of the summary with the largest graph, which has the words and
            sentences of all the other graphs.
        spans: the positions of the terms in each sentence of the cluster.
        forms: term -> the form of the word that readers see.
        explanations: the explanation of each summary.
        candidates: for each summary, the sentences of its graph, as indices in the cluster.
        figures: for each summary and each sentence of its graph, two weights: the weight that the sentence
            covers by itself, and the weight that it adds, or would add, to the other chosen sentences.
        asked: the index of the summary with the budget that the user asked for.
        function: the terms of function words, such as "of".
        problems: the problem of each summary, so that the page can solve it again; empty if one is too large.
    """

    made: Run
    spans: tuple[tuple[Span, ...], ...]
    forms: Mapping[str, str]
    explanations: tuple[Explanation, ...]
    candidates: tuple[tuple[int, ...], ...]
    figures: tuple[tuple[tuple[float, float], ...], ...]
    asked: int
    function: frozenset[str] = frozenset()
    problems: tuple[PageProblem, ...] = ()


def report_of(made: Run, config: Config, others: Sequence[Run] | None = None) -> ClusterReport:
    """Return the data of a cluster for an HTML page: the summary ``made``, and ``others`` with other budgets.

    By default the other summaries are made here, with budgets around that of ``made``. If two summaries have
    the same sentences, only one of them is kept.
    """
    cluster, asked = made.tokenized.cluster, made.selection.budget
    spans = config.analysis.locate(cluster)
    forms, function = surface_forms(cluster, spans), config.analysis.kept_stop_terms(cluster.language)
    by_budget = {asked: made}
    for other in _around(made, config) if others is None else others:
        if all(other.sentences != each.sentences for each in by_budget.values()):
            by_budget.setdefault(other.selection.budget, other)
    rising = [by_budget[budget] for budget in sorted(by_budget)]
    return ClusterReport(
        max(rising, key=lambda each: (len(each.graph.cost), each is made)),
        spans,
        forms,
        tuple(_explained(each, config, forms, function) for each in rising),
        tuple(tuple(each.graph.sentence_ids.tolist()) for each in rising),
        tuple(_figures(each) for each in rising),
        rising.index(made),
        function,
        problems_of(rising, config),
    )


def budgets_around(budget: float) -> list[float]:
    """Return the budgets to offer to the reader of the page, one for each share in ``SHARES``.

    They run from a quarter to twice ``budget``, the one that the user asked for, which is among them. The
    others are rounded to whole numbers, and are at least 1 and at most the largest budget allowed.
    """
    return [budget if share == 1 else min(max(1.0, float(round(share * budget))), _MOST) for share in SHARES]


def _around(made: Run, config: Config) -> Iterator[Run]:
    """Yield summaries under other budgets than that of ``made``, chosen from the same sentences.

    If any candidate fits a budget, the sentences to choose from are the candidates. Otherwise they are all
    sentences of the cluster. A budget is skipped if these are not the same sentences as for ``made``.
    """
    if made.weigher is None:
        return
    asked = made.selection
    candidates = in_unit(build_graph(made.tokenized, made.weights), made.tokenized.cluster, asked.unit)
    among_candidates = len(candidates.cost) == len(made.graph.cost)
    as_made = config.with_settings({"unit": asked.unit})  # a budget in percent has become one in words
    for budget in budgets_around(asked.budget):
        if bool((candidates.cost <= budget).any()) != among_candidates:
            continue
        try:
            other = summarize_one(
                made.tokenized, made.weigher, as_made.with_settings({"budget": budget}), made.question
            )
        except NoSummaryError:  # no sentence is short enough
            continue
        signature = made.signature
        yield dataclasses.replace(other, signature=signature)


def _explained(made: Run, config: Config, forms: Mapping[str, str], function: frozenset[str]) -> Explanation:
    graph, selection = made.graph, made.selection
    certified = dataclasses.replace(made, selection=_certified(graph, selection))
    return explain(
        certified,
        forms,
        field_of(graph, selection, config.selector),
        must=config.select.must,
        function=function,
        prices=prices_of(graph, made.tokenized, dataclasses.replace(config.select, budget=selection.budget)),
    )


def _figures(made: Run) -> tuple[tuple[float, float], ...]:
    selection = made.selection
    return tuple(Cover.of(made.graph, selection.chosen, selection.budget).figures())


def _certified(graph: CoverageGraph, selection: Selection) -> Selection:
    if selection.bound is not None:
        return selection
    part, _ = within_budget(graph, selection.budget)
    return dataclasses.replace(selection, bound=upper_bound(part, selection.budget, selection.covered_weight))
