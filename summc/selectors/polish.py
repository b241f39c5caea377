"""The option ``polish``: improve the selection of any selector by local search."""

from __future__ import annotations

import dataclasses

import numpy as np

from summc.records import CoverageGraph, Selection
from summc.selectors import local_search
from summc.selectors.base import make_selection
from summc.selectors.blocks import improve_in_blocks
from summc.selectors.compiled_search import make_search
from summc.selectors.reduction import reduce_problem

#: The work on a very large selection, in table entries: a second or two.
_MOST_WORK = 3 * 10**8


def polish(graph: CoverageGraph, selection: Selection) -> Selection:
    """Improve a selection by local search and return the result.

    The search adds or replaces one or two sentences at a time, until no such exchange covers more. The bound
    of the selection is kept. Very large selections are improved block by block, within limited work.
    """
    problem = reduce_problem(graph, selection.budget, keep=selection.chosen)
    if not len(problem.cost):
        return selection
    if len(selection.chosen) * len(problem.cost) > local_search.TABLE:
        better, _ = improve_in_blocks(graph, selection, _MOST_WORK)
    else:
        search = make_search(problem, selection.budget)
        state = search.choose(np.flatnonzero(np.isin(problem.sentence, selection.chosen)))
        search.improve(state)
        chosen = problem.sentence[state.chosen].tolist()
        better = make_selection(graph, selection.budget, selection.selector, chosen)
    if better.covered_weight <= selection.covered_weight:
        return selection
    bound = None if selection.bound is None else max(selection.bound, better.covered_weight)
    return dataclasses.replace(better, bound=bound, diagnostics=selection.diagnostics)
