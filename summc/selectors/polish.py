"""The option ``polish``: improve the selection of any selector by local search.

Local search keeps a table of chosen sentences times all sentences, which is too large for large problems. So
a large selection is improved block by block: a random block of the chosen sentences is taken out, and local
search chooses again from the block and the sentences that would add the most per unit of cost.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from summc.graph import without_sentences
from summc.records import CoverageGraph, Indices, Selection
from summc.selectors import local_search
from summc.selectors.base import make_selection
from summc.selectors.local_search import LocalSearch
from summc.selectors.reduction import promising, reduce_problem, with_exact_costs

#: The number of chosen sentences in a block, and of other sentences that may replace them.
_BLOCK, _OTHERS = 100, 500
#: The work of making the problem of a block, for each edge of the graph. It takes about as long as processing
#: this many table entries.
_WORK_PER_EDGE = 25
_SEED = 1999


def improve_in_blocks(graph: CoverageGraph, selection: Selection, most_work: int) -> tuple[Selection, int]:
    """Return the best selection found, which never covers less than the given one, and the work done.

    The search ends after ``most_work`` table entries, or when no block of a whole round could be improved.
    """
    rng, work, exact = np.random.default_rng(_SEED), 0, with_exact_costs(graph, selection.budget)
    chosen, improved = np.array(selection.chosen, dtype=np.intp), True
    while improved and work < most_work:
        improved, mixed = False, rng.permutation(chosen)
        for block in np.array_split(mixed, max(1, len(mixed) // _BLOCK)):
            fixed = np.setdiff1d(chosen, block)
            better, done = _better_block(*exact, fixed, block)
            work += done + _WORK_PER_EDGE * len(graph.edge_word)
            if better is not None:
                chosen, improved = np.concatenate([fixed, better]), True
            if work >= most_work:
                break
    result = make_selection(graph, selection.budget, selection.selector, chosen.tolist())
    return dataclasses.replace(result, unit=selection.unit), work


def _better_block(
    graph: CoverageGraph, budget: float, fixed: Indices, block: Indices
) -> tuple[Indices | None, int]:
    """Return sentences that cover more beside the ``fixed`` ones than ``block``, or None; and the work."""
    rest = without_sentences(graph, fixed)
    problem = promising(rest, budget - graph.cost[fixed].sum(), block.tolist(), len(block) + _OTHERS)
    search = LocalSearch(problem)
    state = search.choose(np.flatnonzero(np.isin(problem.sentence, block)))
    before = search.value(state)
    search.improve(state)
    return problem.sentence[state.chosen] if search.value(state) > before else None, search.work


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
        search = LocalSearch(problem)
        state = search.choose(np.flatnonzero(np.isin(problem.sentence, selection.chosen)))
        search.improve(state)
        chosen = problem.sentence[state.chosen].tolist()
        better = make_selection(graph, selection.budget, selection.selector, chosen)
    if better.covered_weight <= selection.covered_weight:
        return selection
    bound = None if selection.bound is None else max(selection.bound, better.covered_weight)
    return dataclasses.replace(better, bound=bound, diagnostics=selection.diagnostics)
