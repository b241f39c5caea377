"""Stage 5 as a run has it: the budget as a number, what must be in, polishing and proof around a selector."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction

from summc.config import Config
from summc.coverage import curves, gains, occurrences
from summc.errors import NoSummaryError, SettingError
from summc.graph import within_budget, without_sentences
from summc.reading import ReadingPrices
from summc.records import Cluster, CoverageGraph, Selection, TokenizedCluster
from summc.selectors import Selector, improve_reading, polish, upper_bound
from summc.selectors.base import make_selection, per_cost
from summc.settings import plain
from summc.steering import nodes_of, required
from summc.weights.base import ranks_of


def with_budget_of(config: Config, cluster: Cluster) -> Config:
    """Return a configuration whose budget is a number of units; a share of a cluster is a number of words."""
    if config.select.unit != "percent":
        return config
    total = sum(sentence.words for sentence in cluster.sentences)
    budget = math.floor(total * config.select.budget / 100)
    if budget < 1:
        problem = f"{plain(config.select.budget)}% of {total} words is less than one"
        raise NoSummaryError(cluster.id, problem, "raise --budget")
    return config.with_settings({"budget": budget, "unit": "words"})


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
    selection = selector.select(part, budget)
    if polished:
        selection = polish(part, selection)
    if certified and selection.bound is None:
        selection = dataclasses.replace(selection, bound=upper_bound(part, budget, selection.covered_weight))
    chosen = tuple(sentences[list(selection.chosen)].tolist())
    return dataclasses.replace(selection, chosen=chosen, unit=unit)


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


def solve_as(
    graph: CoverageGraph,
    config: Config,
    place: str,
    text: TokenizedCluster | None = None,
    name: str = "",
    cluster: Cluster | None = None,
) -> Selection:
    """Run stage 5 as a configuration says, by the chosen selector or another.

    ``text``: where the sentences that must be chosen are looked for, and what makes a choice hard to read.
    ``cluster``: where they are looked for if there are no terms of it.
    """
    select = config.select
    unit = "words" if select.unit == "percent" else select.unit
    if select.fill != "whole" and unit != "words":
        raise SettingError(
            "--fill", f"cuts at words, where the budget counts {unit}", "leave one of them out"
        )
    searched = text.cluster if text else cluster
    fixed = _fixed(graph, select.must, searched) if select.must and searched else []
    made = solve(
        graph,
        select.budget,
        config.selector_named(name or select.selector),
        place,
        polished=select.polish,
        certified=select.certify,
        fixed=fixed,
        unit=unit,
    )
    prices = prices_of(graph, text, select.budget, select.reading) if text is not None else None
    if prices is not None:
        made = improve_reading(graph, made, prices, fixed)
    return made if select.fill == "whole" else dataclasses.replace(made, cut=next_sentence(graph, made))


def prices_of(
    graph: CoverageGraph, text: TokenizedCluster, budget: float, factor: float
) -> ReadingPrices | None:
    """Return what reading costs; None where nothing is given up for it."""
    return ReadingPrices(text, graph, budget, ranks_of(text).tolist(), factor) if factor else None


def _fixed(graph: CoverageGraph, must: Sequence[str], cluster: Cluster) -> list[int]:
    """Return the required sentences as they stand in the graph, which may hold only the first of equals."""
    wanted = required(must, cluster).values()
    node = nodes_of(wanted, graph, cluster)
    for sentence in wanted:
        if sentence not in node:
            raise NoSummaryError(
                cluster.id,
                f'"{cluster.sentences[sentence].text[:60]}" is not in the graph: '
                "no candidate, or no word of it is worth covering",
                "leave it out of --must",
            )
    return sorted(set(node.values()))


def next_sentence(graph: CoverageGraph, selection: Selection) -> int | None:
    """Return the sentence that adds the most a word to a choice, fit or not; None if none adds anything."""
    gain = gains(graph, curves(graph), occurrences(graph, selection.chosen))
    gain[list(selection.chosen)] = 0.0
    value = per_cost(gain, graph.cost)
    best = int(value.argmax())
    return best if gain[best] > 0 else None
