"""Stage 5: run a selector with the options that apply to every selector.

These are: sentences that must be chosen, improvement by local search, a proven bound, a search for a
selection that reads better, and one more sentence that is cut off where the budget ends.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from summc.errors import NoSummaryError, SettingError, SummcError, as_typed
from summc.graph import cost_in, gains, occurrences, without_sentences
from summc.records import Cluster, CoverageGraph, Selection
from summc.selectors import SELECTORS, Auto, Selector, polish, upper_bound
from summc.selectors.amounts import exact_costs, fits, room_beside, within_budget
from summc.selectors.base import make_selection, per_cost, rounded
from summc.selectors.prices import ReadingPrices
from summc.selectors.readable import improve_reading
from summc.settings import AUTO, setting
from summc.settings.plugins import blame, fault
from summc.text.numbers import UNITS, plain

#: Sentences that pay for their kind are left out of the first search if the others take this many budgets.
_ENOUGH = 2.0


@dataclass(frozen=True, slots=True)
class SelectSettings:
    """The settings of stage 5 that apply to every selector."""

    budget: float = setting(
        100.0, "100 words, 5s sentences, 600c characters, 800t tokens, 10%.",
        at_least=1, at_most=1e15, common=True, heading="Length",
    )  # fmt: skip
    unit: str = setting("words", "Unit of K if it has no suffix.", choices=UNITS, heading="Length")
    selector: str = setting("auto", "Algorithm that chooses the sentences.", choices=tuple(SELECTORS))
    fill: str = setting(
        "whole", "End with a whole sentence, or cut the last one at exactly K.",
        choices=("whole", "truncate"), heading="Length",
    )  # fmt: skip
    polish: bool = setting(False, "Improve the chosen sentences by local search.", off="no-polish")  # noqa: FBT003
    certify: bool = setting(False, "Prove an upper bound on what any summary could cover.", off="no-certify")  # noqa: FBT003
    reading: float | str = setting(
        AUTO, "How much coverage to give up for a summary that reads better; 0 gives up none.",
        auto="1 with the selector auto, 0 with any other", at_least=0, at_most=100,
    )  # fmt: skip
    must: tuple[str, ...] = setting(
        (), "Include the sentence with these words; repeatable.", metavar="TEXT", common=True,
        heading="Steering",
    )  # fmt: skip
    without: tuple[str, ...] = setting(
        (), "Leave out the sentence with these words; repeatable.", metavar="TEXT", common=True,
        heading="Steering",
    )  # fmt: skip

    def in_words(self, cluster: Cluster) -> SelectSettings:
        """Return the settings with the budget, given in percent, as a number of words, rounded down."""
        total = int(cluster.lengths.sum())
        budget = math.floor(total * self.budget / 100)
        if budget < 1:
            problem = f"{plain(self.budget)}% of {total} words is less than one"
            raise NoSummaryError(cluster.id, problem, f"raise {as_typed('budget')}")
        return dataclasses.replace(self, budget=float(budget), unit="words")

    def length_in_words(self, cluster: Cluster) -> float:
        """Return about how many words a summary within the budget has, at most as many as the documents."""
        words = float(cluster.lengths.sum())
        if self.unit == "words" and self.budget <= words:
            return self.budget
        units = sum(cost_in(sentence, self.unit) for sentence in cluster.sentences)
        return words * min(self.budget / units, 1.0) if units else 0.0

    def reading_with(self, selector: str = "") -> float:
        """Return the factor of the reading prices for a selector, by default the configured one.

        A selector that the user names gives its own choice, unless the user asks for reading prices too.
        """
        if isinstance(self.reading, str):
            return 1.0 if (selector or self.selector) == Auto.name else 0.0
        return self.reading


def choose(
    graph: CoverageGraph, settings: SelectSettings, selector: Selector, place: str, fixed: Sequence[int] = (),
    prices: ReadingPrices | None = None,
) -> Selection:  # fmt: skip
    """Return the sentences that a selector chooses by the settings of stage 5.

    ``fixed`` are sentences that must be chosen. With ``prices``, a little coverage is given up for a
    selection that reads better. If the last sentence may be cut, the selection says which one it is.
    """
    unit = "words" if settings.unit == "percent" else settings.unit
    if settings.fill != "whole" and unit != "words":
        problem = f"cuts at words, where the budget counts {unit}"
        raise SettingError(as_typed("fill"), problem, "leave one of them out")
    clear = graph
    if prices is not None:
        # Sentences that pay for their kind are left to the search for a better reading, if the others are
        # enough: it weighs what they cover against what they cost. Here their cost is infinite.
        pays = np.array(prices.kind_prices) > 0
        pays[list(fixed)] = False
        cost = np.where(pays, np.inf, graph.cost)
        if cost[cost <= settings.budget].sum() >= _ENOUGH * settings.budget:
            clear = dataclasses.replace(graph, cost=cost)
    options = {"polished": settings.polish, "certified": settings.certify}
    selection = solve(clear, settings.budget, selector, place, **options, fixed=fixed, unit=unit)
    if clear is not graph and selection.bound is not None:  # a bound of a part need not hold for all
        part, _ = within_budget(graph, settings.budget)
        bound = upper_bound(part, settings.budget, selection.covered_weight) if settings.certify else None
        selection = dataclasses.replace(selection, bound=bound)
    if prices is not None:
        selection = improve_reading(graph, selection, prices, fixed)
    if settings.fill == "whole":
        return selection
    return dataclasses.replace(selection, cut=next_sentence(graph, selection))


def solve(
    graph: CoverageGraph, budget: float, selector: Selector, place: str, *, polished: bool = False,
    certified: bool = False, fixed: Sequence[int] = (), unit: str = "words",
) -> Selection:  # fmt: skip
    """Run a selector on the part of a graph that matters within the budget, and return its selection.

    If no sentence can be chosen, raise NoSummaryError; ``place`` says where the text comes from. With
    ``polished``, improve the selection by local search. With ``certified``, prove an upper bound on the
    covered weight if the selector gives none. ``fixed`` are sentences that must be chosen; the selector
    chooses the others for the rest of the budget. ``unit`` is what the budget counts.
    """
    if fixed:
        alone = make_selection(graph, budget, selector.name, fixed)
        if not fits(graph.cost, fixed, budget):
            problem = f"the required sentences take {plain(alone.cost)} of {plain(budget)} {unit}"
            raise NoSummaryError(place, problem, f"raise {as_typed('budget')}")
        rest = without_sentences(graph, fixed)
        room = room_beside(budget, graph.cost[list(fixed)].tolist(), rest.cost)
        options = {"polished": polished, "certified": certified, "unit": unit}
        selection = _beside(graph, alone, rest, room, selector, place, **options)
        if not fits(graph.cost, selection.chosen, budget):  # by rounding, so choose by exact costs
            exact, most = exact_costs(graph.cost, budget)
            rest = without_sentences(dataclasses.replace(graph, cost=exact), fixed)
            room = most - float(exact[list(fixed)].sum())
            selection = _beside(graph, alone, rest, room, selector, place, **options)
        return selection
    if not len(graph.cost):
        problem = "no sentence has a word worth covering"
        raise NoSummaryError(place, problem, "keep stop words or give more text")
    part, sentences = within_budget(graph, budget)
    if not len(sentences):
        shortest = plain(graph.cost.min())
        problem = f"no sentence fits a budget of {plain(budget)} {unit} (the shortest has {shortest})"
        raise NoSummaryError(place, problem, f"raise {as_typed('budget')}")
    if not len(part.weight):
        problem = f"no sentence within {plain(budget)} {unit} has a word worth covering"
        remedy = f"raise {as_typed('budget')}, keep stop words or give more text"
        raise NoSummaryError(place, problem, remedy)
    package = SELECTORS.package_of(selector.name)
    is_ours = not package and selector.name in SELECTORS
    selection = selector.select(part, budget) if is_ours else _checked(selector, part, budget, package)
    if polished:
        selection = polish(part, selection)
    if certified and selection.bound is None:
        selection = dataclasses.replace(selection, bound=upper_bound(part, budget, selection.covered_weight))
    return dataclasses.replace(selection, chosen=tuple(sentences[list(selection.chosen)].tolist()), unit=unit)


def _checked(selector: Selector, graph: CoverageGraph, budget: float, package: str) -> Selection:
    """Return the selection of a selector that is not summc's, checked, with cost and weight computed again.

    ``package`` is the package that added the selector, or "" if the user wrote it. A user's selector may
    return the indices alone.
    """
    with blame(package, f"selector {selector.name}"):
        answer: Any = selector.select(graph, budget)
        indices = answer.chosen if package else getattr(answer, "chosen", answer)
        try:
            chosen = set(map(operator.index, indices))
        except TypeError:
            raise _fault(package, f"selector {selector.name} returned no indices of sentences") from None
        if not chosen <= set(range(len(graph.cost))):
            raise _fault(package, f"selector {selector.name} chose a sentence that is not in the graph")
        diagnostics = getattr(answer, "diagnostics", None)
        counted = make_selection(graph, budget, selector.name, chosen, diagnostics)
    if not fits(graph.cost, chosen, budget):
        problem = f"selector {selector.name} chose sentences of {plain(counted.cost)} for a budget of"
        raise _fault(package, f"{problem} {plain(budget)}")
    return dataclasses.replace(counted, bound=getattr(answer, "bound", None))


def _fault(package: str, problem: str) -> SummcError:
    return fault(package, problem) if package else SettingError(as_typed("selector"), problem)


def _beside(
    graph: CoverageGraph, alone: Selection, rest: CoverageGraph, room: float, selector: Selector, place: str,
    **options: Any,
) -> Selection:  # fmt: skip
    """Return the required sentences (``alone``) and what the selector chooses of ``rest`` for the room."""
    try:
        addition = solve(rest, room, selector, place, **options)
    except NoSummaryError:  # no other sentence fits or adds weight
        bound = alone.covered_weight if options["certified"] else None
        return dataclasses.replace(alone, bound=bound, unit=options["unit"])
    chosen, diagnostics = {*alone.chosen, *addition.chosen}, dict(addition.diagnostics)
    both = make_selection(graph, alone.budget, alone.selector, chosen)
    bound = None if addition.bound is None else alone.covered_weight + addition.bound
    if bound is not None and "gap" in diagnostics:  # the gap of the whole selection
        diagnostics["gap"] = bound / both.covered_weight - 1
    return dataclasses.replace(both, bound=bound, diagnostics=diagnostics, unit=addition.unit)


def next_sentence(graph: CoverageGraph, selection: Selection) -> int | None:
    """Return the sentence that would add the most weight per unit of cost to a selection.

    The sentence need not fit the budget. Return None if no sentence would add weight.
    """
    gain = gains(graph, occurrences(graph, selection.chosen))
    gain[list(selection.chosen)] = 0.0
    best = int(rounded(per_cost(gain, graph.cost)).argmax())
    return best if gain[best] > 0 else None
