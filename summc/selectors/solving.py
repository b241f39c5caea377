"""Run a selector with the options that apply to every selector.

These are: sentences that must be chosen, improvement by local search, a proven bound, and one more sentence
that is cut off where the budget ends.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from summc.errors import NoSummaryError, SettingError, as_typed
from summc.graph.build import within_budget, without_sentences
from summc.graph.coverage import curves, gains, occurrences
from summc.records import CoverageGraph, Selection
from summc.selectors import SELECTORS, Selector, improve_reading, polish, upper_bound
from summc.selectors.base import make_selection, per_cost, room_beside, rounded
from summc.selectors.reading import ReadingPrices
from summc.selectors.settings import SelectSettings
from summc.system.plugins import blamed, fault
from summc.text.numbers import plain


def choose(
    graph: CoverageGraph,
    settings: SelectSettings,
    selector: Selector,
    place: str,
    fixed: Sequence[int] = (),
    prices: ReadingPrices | None = None,
) -> Selection:
    """Return the sentences that a selector chooses by the settings of stage 5.

    ``fixed`` are sentences that must be chosen. With ``prices``, a little coverage is given up for a
    selection that reads better. If the last sentence may be cut, the selection says which one it is.
    """
    unit = "words" if settings.unit == "percent" else settings.unit
    if settings.fill != "whole" and unit != "words":
        raise SettingError(
            as_typed("fill"), f"cuts at words, where the budget counts {unit}", "leave one of them out"
        )
    made = solve(
        graph,
        settings.budget,
        selector,
        place,
        polished=settings.polish,
        certified=settings.certify,
        fixed=fixed,
        unit=unit,
    )
    if prices is not None:
        made = improve_reading(graph, made, prices, fixed)
    return made if settings.fill == "whole" else dataclasses.replace(made, cut=next_sentence(graph, made))


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
    """Run a selector on a graph, and return its selection.

    Sentences that do not fit and words without weight are removed from the problem before the selector sees
    it. The sentences of the result are indices of the given graph. If no sentence can be chosen, raise
    NoSummaryError; ``place`` says where the text comes from, for the error message.

    ``polished``: improve the selection by local search. ``certified``: prove an upper bound on the covered
    weight if the selector gives none. ``fixed``: sentences that must be chosen; the selector chooses the
    others for the rest of the budget. ``unit``: what the budget counts.
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
        raise NoSummaryError(place, problem, f"raise {as_typed('budget')}")
    if not len(part.weight):
        problem = f"no sentence within {plain(budget)} {unit} has a word worth covering"
        remedy = f"raise {as_typed('budget')}, keep stop words or give more text"
        raise NoSummaryError(place, problem, remedy)
    selection = _chosen_by(selector, part, budget)
    if polished:
        selection = polish(part, selection)
    if certified and selection.bound is None:
        selection = dataclasses.replace(selection, bound=upper_bound(part, budget, selection.covered_weight))
    chosen = tuple(sentences[list(selection.chosen)].tolist())
    return dataclasses.replace(selection, chosen=chosen, unit=unit)


def _chosen_by(selector: Selector, graph: CoverageGraph, budget: float) -> Selection:
    """Return the selection of a selector.

    If the selector belongs to another package, its selection is checked, and the cost and covered weight are
    computed again.
    """
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
    polished: bool,  # noqa: FBT001 (passed on from solve)
    certified: bool,  # noqa: FBT001 (passed on from solve)
    fixed: Sequence[int],
    unit: str,
) -> Selection:
    alone = make_selection(graph, budget, selector.name, fixed)
    if alone.cost > budget:
        problem = f"the required sentences take {plain(alone.cost)} of {plain(budget)} {unit}"
        raise NoSummaryError(place, problem, f"raise {as_typed('budget')}")
    rest, room = without_sentences(graph, fixed), room_beside(budget, graph.cost[list(fixed)].tolist())
    try:
        found = solve(rest, room, selector, place, polished=polished, certified=certified, unit=unit)
    except NoSummaryError:  # no other sentence fits or adds weight
        bound = alone.covered_weight if certified else None
        return dataclasses.replace(alone, bound=bound, unit=unit)
    both = make_selection(graph, budget, selector.name, {*fixed, *found.chosen}, found.diagnostics)
    bound = None if found.bound is None else alone.covered_weight + found.bound
    diagnostics = dict(both.diagnostics)
    if bound is not None and "gap" in diagnostics:  # the gap of the whole selection, with the fixed sentences
        diagnostics["gap"] = bound / both.covered_weight - 1
    return dataclasses.replace(both, bound=bound, diagnostics=diagnostics, unit=unit)


def next_sentence(graph: CoverageGraph, selection: Selection) -> int | None:
    """Return the sentence that would add the most weight per unit of cost to a selection.

    The sentence need not fit the budget. Return None if no sentence would add weight.
    """
    gain = gains(graph, curves(graph), occurrences(graph, selection.chosen))
    gain[list(selection.chosen)] = 0.0
    value = per_cost(gain, graph.cost)
    best = int(rounded(value).argmax())
    return best if gain[best] > 0 else None
