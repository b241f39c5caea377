"""The option ``polish``: improve the selection of any selector by local search."""

from __future__ import annotations

import dataclasses

import numpy as np

from summc.records import CoverageGraph, Selection
from summc.selectors import local_search
from summc.selectors.base import make_selection
from summc.selectors.compiled_search import make_search
from summc.selectors.reduction import most_promising, reduce_problem


def polish(graph: CoverageGraph, selection: Selection) -> Selection:
    """Improve a selection by local search and return the result.

    The search adds or replaces one or two sentences at a time, until no such exchange covers more. The bound
    of the selection is kept. If very many sentences are chosen, only the sentences that would add the most
    weight per unit of cost are tried.
    """
    problem = reduce_problem(graph, selection.budget, keep=selection.chosen)
    if not len(problem.cost):
        return selection
    is_chosen = np.isin(problem.sentence, selection.chosen)
    chosen = int(is_chosen.sum())
    if chosen * len(problem.cost) > local_search.TABLE:
        problem = most_promising(problem, is_chosen, max(local_search.TABLE // chosen, chosen))
    search = make_search(problem, selection.budget)
    state = search.choose(np.flatnonzero(np.isin(problem.sentence, selection.chosen)))
    search.improve(state)
    better = make_selection(
        graph,
        selection.budget,
        selection.selector,
        problem.sentence[state.chosen].tolist(),
        selection.diagnostics,
    )
    if better.covered_weight <= selection.covered_weight:
        return selection
    bound = None if selection.bound is None else max(selection.bound, better.covered_weight)
    return dataclasses.replace(better, bound=bound)
