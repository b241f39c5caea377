"""The paper's integer program, Eq. (1), for the solver HiGHS."""

from __future__ import annotations

import numpy as np

from summc.processes.highs import Program
from summc.selectors.reduction import ReducedProblem


def covering_program(problem: ReducedProblem, budget: float) -> Program:
    """Return the program: cover as much weight as possible, where chosen sentences hold the covered words.

    The variables are x_i of each sentence, which tells whether it is chosen, then y of the first occurrence
    of each word, then y of the further occurrences, word by word. A word has a variable y for each occurrence
    that has a weight, which tells whether this occurrence is covered. The first row has the costs of the
    sentences, which must be at most the budget. Then there is a row for each word a: the sum of its
    variables y, minus n_ia x_i summed over the sentences i that hold the word. This must be at most 0. Here
    n_ia is how often sentence i holds word a.
    """
    n, m, f = len(problem.cost), len(problem.weight), len(problem.further)
    further = np.repeat(np.arange(m), np.diff(problem.further_start))
    rows = [np.zeros(n, int), 1 + np.arange(m), 1 + further, 1 + problem.edge_word]
    columns = [np.arange(n), n + np.arange(m), n + m + np.arange(f), problem.edge_sentence]
    values = [problem.cost, np.ones(m), np.ones(f), -problem.count.astype(float)]
    return Program(
        -np.concatenate([problem.own, problem.weight, problem.further]),
        np.concatenate(rows),
        np.concatenate(columns),
        np.concatenate(values),
        np.concatenate([[budget], np.zeros(m)]),
    )
