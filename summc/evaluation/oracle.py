"""The oracle: the extract with the highest possible ROUGE-1 recall.

The oracle reads the references and solves an integer program. The value of each occurrence of a word in the
summary is the recall that it adds. Occurrences beyond those in a reference add nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from summc.processes.highs import Program, solve_integer
from summc.records import Floats

#: Most branch-and-bound nodes that the solver may visit. This limits the search instead of a time limit, with
#: which the answer would depend on the machine.
NODES = 2000


@dataclass(frozen=True, slots=True)
class Oracle:
    """The indices of the chosen sentences, and whether it is proven that no other choice scores higher."""

    chosen: tuple[int, ...]
    proven: bool


def best_extract(
    sentences: Sequence[Sequence[str]],
    cost: Floats,
    references: Sequence[Sequence[str]],
    budget: float,
    *,
    pooled: bool,
) -> Oracle:
    """Return the sentences whose total cost is within the budget and whose ROUGE-1 recall is the highest.

    Each sentence and each reference is a list of words. If ``pooled``, the references are scored together as
    one text. Otherwise the recall is the mean over the references.
    """
    gain = _gains(references, pooled=pooled)
    steps = [(word, value) for word, values in gain.items() for value in values]
    number = {word: v for v, word in enumerate(gain)}
    fits = [i for i in range(len(sentences)) if cost[i] <= budget]
    if not fits or not steps:
        return Oracle((), proven=True)
    # Variables: x_i for each sentence, then y for each word occurrence that adds to the recall. Rows: the
    # occurrences of each word, of which no more are covered than the chosen sentences have; then the cost.
    entries = [(number[word], column, -count) for column, i in enumerate(fits)
               for word, count in Counter(w for w in sentences[i] if w in number).items()]  # fmt: skip
    entries += [(number[word], len(fits) + step, 1) for step, (word, _) in enumerate(steps)]
    entries += [(len(number), column, cost[i]) for column, i in enumerate(fits)]
    rows, columns, values = (np.array(each) for each in zip(*entries, strict=True))
    program = Program(
        objective=np.concatenate([np.zeros(len(fits)), [-value for _, value in steps]]),
        row=rows,
        column=columns,
        value=values,
        limit=np.append(np.zeros(len(number)), budget),
    )
    integral = np.concatenate([np.ones(len(fits)), np.zeros(len(steps))])
    result = solve_integer(program, integral, {"node_limit": NODES})
    if result.x is None:
        return Oracle((), proven=False)
    chosen = tuple(i for column, i in enumerate(fits) if result.x[column] > 0.5)  # noqa: PLR2004 (rounding)
    return Oracle(chosen, proven=result.status == 0)


def _gains(references: Sequence[Sequence[str]], *, pooled: bool) -> dict[str, list[float]]:
    """Return how much the first, second, ... occurrence of each word adds to the recall.

    If ``pooled``, it is the recall of all references as one text, otherwise the mean over the references.
    """
    total = sum(len(reference) for reference in references)
    gain: dict[str, list[float]] = {}
    for reference in references:
        share = 1 / total if pooled else 1 / (len(reference) * len(references))
        for word, count in Counter(reference).items():
            values = gain.setdefault(word, [])
            values.extend([0.0] * (count - len(values)))
            for occurrence in range(count):
                values[occurrence] += share
    return gain
