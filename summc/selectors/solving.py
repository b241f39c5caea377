"""A selector, and what a run puts around it: required sentences, polishing, proof, a last sentence to cut."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction

from summc.errors import NoSummaryError
from summc.files.plugins import blamed, fault
from summc.graph.build import within_budget, without_sentences
from summc.graph.coverage import curves, gains, occurrences
from summc.records import CoverageGraph, Selection
from summc.selectors import SELECTORS, Selector, polish, upper_bound
from summc.selectors.base import make_selection, per_cost
from summc.text.numbers import plain


def solve(
    graph: CoverageGraph,
    budget: float,
    selector: Selector,
    place: str,
    *,
    polished: bool = False,
    certified: bool = False,
    fixed: Sequence[int] = (),
    unit: str = "words",
) -> Selection:
    """Return a selector's choice of sentences, as indices of the graph given.

    What cannot be chosen and what is not worth covering is taken out of the problem before. ``polished``:
    improved by local search; ``certified``: with a proven bound, where the selector brings none. ``fixed``:
    sentences that must be chosen; the rest is a smaller problem of the same kind.
    """
    if fixed:
        return _solve_beside(graph, budget, selector, place, polished, certified, fixed, unit)
    if not len(graph.cost):
        raise NoSummaryError(
            place, "no sentence has a word worth covering", "keep stop words or give more text"
        )
    part, sentences = within_budget(graph, budget)
    if not len(sentences):
        shortest = plain(graph.cost.min())
        problem = f"no sentence fits a budget of {plain(budget)} {unit} (the shortest has {shortest})"
        raise NoSummaryError(place, problem, "raise --budget")
    if not len(part.weight):
        problem = f"no sentence within {plain(budget)} {unit} has a word worth covering"
        raise NoSummaryError(place, problem, "raise --budget, keep stop words or give more text")
    selection = _chosen_by(selector, part, budget)
    if polished:
        selection = polish(part, selection)
    if certified and selection.bound is None:
        selection = dataclasses.replace(selection, bound=upper_bound(part, budget, selection.covered_weight))
    chosen = tuple(sentences[list(selection.chosen)].tolist())
    return dataclasses.replace(selection, chosen=chosen, unit=unit)


def _chosen_by(selector: Selector, graph: CoverageGraph, budget: float) -> Selection:
    """Return a selector's choice; that of another package is checked, its cost and weight counted afresh."""
    package = SELECTORS.package_of(selector.name)
    if not package:
        return selector.select(graph, budget)
    with blamed(package, f"selector {selector.name}"):
        found = selector.select(graph, budget)
        if not set(found.chosen) <= set(range(len(graph.cost))):
            raise fault(package, f"selector {selector.name} chose a sentence that is not in the graph")
        counted = make_selection(graph, budget, selector.name, set(found.chosen), found.diagnostics)
    if counted.cost > budget:
        problem = f"selector {selector.name} chose sentences of {plain(counted.cost)} for a budget of"
        raise fault(package, f"{problem} {plain(budget)}")
    return dataclasses.replace(counted, bound=found.bound)


def _solve_beside(
    graph: CoverageGraph,
    budget: float,
    selector: Selector,
    place: str,
    polished: bool,  # noqa: FBT001 (as solve was asked)
    certified: bool,  # noqa: FBT001 (the same)
    fixed: Sequence[int],
    unit: str,
) -> Selection:
    alone = make_selection(graph, budget, selector.name, fixed)
    if alone.cost > budget:
        problem = f"the required sentences take {plain(alone.cost)} of {plain(budget)} {unit}"
        raise NoSummaryError(place, problem, "raise --budget")
    rest, room = without_sentences(graph, fixed), _room(budget, graph.cost[list(fixed)].tolist())
    try:
        found = solve(rest, room, selector, place, polished=polished, certified=certified, unit=unit)
    except NoSummaryError:  # nothing more fits, or is worth it
        bound = alone.covered_weight if certified else None
        return dataclasses.replace(alone, bound=bound, unit=unit)
    both = make_selection(graph, budget, selector.name, {*fixed, *found.chosen}, found.diagnostics)
    bound = None if found.bound is None else alone.covered_weight + found.bound
    diagnostics = dict(both.diagnostics)
    if bound is not None and "gap" in diagnostics:  # of all that is covered, not of what is left to choose
        diagnostics["gap"] = bound / both.covered_weight - 1
    return dataclasses.replace(both, bound=bound, diagnostics=diagnostics, unit=unit)


def _room(budget: float, costs: Sequence[float]) -> float:
    """Return what some costs leave of a budget, rounded down: what fits there fits beside them."""
    left = Fraction(budget) - sum(map(Fraction, costs))
    room = max(float(left), 0.0)
    return math.nextafter(room, 0.0) if room > left else room


def next_sentence(graph: CoverageGraph, selection: Selection) -> int | None:
    """Return the sentence that adds the most a word to a choice, fit or not; None if none adds anything."""
    gain = gains(graph, curves(graph), occurrences(graph, selection.chosen))
    gain[list(selection.chosen)] = 0.0
    value = per_cost(gain, graph.cost)
    best = int(value.argmax())
    return best if gain[best] > 0 else None
