"""Make the data of an HTML page: summaries of a cluster under several budgets, and the problem of each.

Each summary gets a bound: it is proven that no summary within the budget covers more than this weight. A
reader of the page may pin or ban sentences; its script then solves the problem again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from summc.errors import NoSummaryError
from summc.graph import build_graph, in_unit, level_weights
from summc.method import reading_prices, summarize_one
from summc.preprocess.terms import Span
from summc.records import CoverageGraph, Run
from summc.report.explain import Explanation, Word, concepts_of, explain, surface_forms
from summc.selectors import upper_bound
from summc.selectors.amounts import within_budget
from summc.selectors.reduction import ReducedProblem, folded
from summc.selectors.solving import SelectSettings
from summc.settings import rules
from summc.system.compiled import DEFINED

#: The budgets to try, as multiples of the budget that the user asked for.
SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
#: The largest budget that the settings allow.
_MOST = rules(SelectSettings)["budget"][1].at_most or math.inf
#: A problem with more sentences is not put into a page: the page would grow, and each search would take long.
_MOST_SENTENCES = 600


@dataclass(frozen=True, slots=True, eq=False)
class ClusterReport:
    """The data of a cluster for an HTML page.

    Attributes:
        run: the summary with the largest graph, which has the words and sentences of all the other graphs.
        spans: the positions of the terms in each sentence of the cluster.
        words: the words of its graph, in the form that readers see.
        explanations: the explanation of each summary, in order of rising budget.
        asked: the index of the summary that the user asked for.
        problems: the problems of all summaries as JSON, or {} if one is too large.
    """

    run: Run
    spans: tuple[tuple[Span, ...], ...]
    words: Sequence[Word]
    explanations: tuple[Explanation, ...]
    asked: int
    problems: Mapping[str, Any]


def report_of(run: Run, other_runs: Sequence[Run] | None = None) -> ClusterReport:
    """Return the data of a cluster: the summary ``run``, and ``other_runs`` with other budgets.

    By default the other summaries are made here, with budgets around the budget of ``run``. If two summaries
    have the same sentences, only one of them is kept.
    """
    cluster = run.summary.cluster
    spans = run.config.preprocessor.locate(cluster)
    forms = surface_forms(cluster, spans)
    by_budget = {run.summary.selection.budget: run}
    for other in _around(run) if other_runs is None else other_runs:
        if all(other.summary.sentences != listed_run.summary.sentences for listed_run in by_budget.values()):
            by_budget.setdefault(other.summary.selection.budget, other)
    rising = [by_budget[budget] for budget in sorted(by_budget)]
    largest = max(rising, key=lambda other: (len(other.graph.cost), other is run))
    explanations = tuple(explain(_certified(other), forms=forms) for other in rising)
    words = concepts_of(largest, forms)
    return ClusterReport(largest, spans, words, explanations, rising.index(run), _problems(rising))


def budgets_around(budget: float) -> list[float]:
    """Return the budgets to offer around the one that the user asked for."""
    return [budget if share == 1 else min(max(1.0, float(round(share * budget))), _MOST) for share in SHARES]


def _around(run: Run) -> Iterator[Run]:
    """Yield summaries under other budgets, chosen from the same sentences as ``run``.

    These are the candidates if one of them fits the budget, and otherwise all sentences of the cluster.
    """
    tokenized, weights, selection = run.tokenized, run.weights, run.summary.selection
    if weights.weigher is None:
        return
    candidates = in_unit(build_graph(tokenized, weights), tokenized.cluster, selection.unit)
    among_candidates = len(candidates.cost) == len(run.graph.cost)
    config = run.config.with_settings({"unit": selection.unit})  # a budget in percent has become one in words
    for budget in budgets_around(selection.budget):
        if bool((candidates.cost <= budget).any()) != among_candidates:
            continue
        try:
            changed = config.with_settings({"budget": budget})
            yield summarize_one(tokenized, weights.weigher, changed, weights.question)
        except NoSummaryError:  # no sentence is short enough
            continue


def _certified(run: Run) -> Run:
    """Return a run whose selection has a bound."""
    selection = run.summary.selection
    if selection.bound is not None:
        return run
    part, _ = within_budget(run.graph, selection.budget)
    bound = upper_bound(part, selection.budget, selection.covered_weight)
    selection = dataclasses.replace(selection, bound=bound)
    return dataclasses.replace(run, summary=dataclasses.replace(run.summary, selection=selection))


def _problems(rising: Sequence[Run]) -> dict[str, Any]:
    """Return the coverage problem of each summary as plain lists, or {} if one is too large.

    ``settings`` has the data that most budgets share: the words of each sentence (``held``), and the prices
    of faults that make a summary hard to read. ``problems`` has the rest: ``own`` is the weight that each
    sentence covers of words that no other sentence has, and ``levels`` has the weights of the occurrences of
    each other word. Words that occur equally often in the same sentences are merged into one. ``few`` says
    how many exchanges to try, as search.c does.
    """
    if any(len(run.graph.cost) > _MOST_SENTENCES for run in rising):
        return {}
    shapes = [_shape(run.graph) for run in rising]
    settings, problems = dict[bytes, dict[str, Any]](), []
    for run, shape in zip(rising, shapes, strict=True):
        graph, selection = run.graph, run.summary.selection
        # A graph counts only the occurrences that have a weight, and their number may depend on the budget.
        # Use the largest count of all budgets, so that they can share their settings. That changes no weight,
        # because the additional occurrences have none.
        alike = [peer.graph.count for peer, other in zip(rising, shapes, strict=True) if other == shape]
        count = np.maximum.reduce(alike)
        small = folded(dataclasses.replace(graph, count=count), np.ones(len(graph.cost), dtype=bool))
        settings_of_run = dataclasses.replace(run.config.select, budget=selection.budget)
        prices = reading_prices(graph, run.tokenized, settings_of_run)
        if shape not in settings:
            settings[shape] = {"held": _words_by_sentence(small), "reading": prices and prices.table()}
        problems.append({
            "setting": list(settings).index(shape), "own": small.unique_weight.tolist(),
            "levels": level_weights(small), "kind": prices.kind_prices if prices else [],
            "opening": prices.opening_prices() if prices else [],
            "covered": selection.covered_weight, "total": run.summary.total_weight,
        })  # fmt: skip
    few = {name: int(number) for name, number in DEFINED.items() if name.startswith("FEW_")}
    return {"settings": list(settings.values()), "problems": problems, "few": few}


def _shape(graph: CoverageGraph) -> bytes:
    """Return a key that is equal for graphs with the same sentences, words and edges."""
    arrays = (graph.sentence_ids, graph.word_ids, graph.edge_sentence, graph.edge_word, graph.weight > 0)
    return b"".join(array.tobytes() for array in arrays)


def _words_by_sentence(problem: ReducedProblem) -> list[list[int]]:
    """Return the words of each sentence; a word that occurs n times in it is there n times."""
    words = np.repeat(problem.edge_word, problem.count)
    sentences = np.repeat(problem.edge_sentence, problem.count)
    return [words[sentences == i].tolist() for i in range(len(problem.cost))]
