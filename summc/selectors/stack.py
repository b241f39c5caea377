"""Stack decoding: keep the best partial summaries of each length, and extend them by every sentence.

H. Takamura and M. Okumura, "Text summarization model based on maximum coverage problem and its variant", EACL
2009, after W. Yih and others, "Multi-document summarization by maximizing informative content-words", IJCAI
2007. There is a stack for each length in words. Each summary of a stack is extended by every sentence, and
the results go to the stacks of their new lengths. A stack keeps its ``beam`` best summaries, without
duplicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.records import CoverageGraph, Indices, Mask, Selection
from summc.selectors.base import make_selection
from summc.selectors.completion import Completion
from summc.selectors.reduction import ReducedProblem, reduce_problem
from summc.settings import setting

#: The approximate largest number of stacks. If the budget K is larger, each stack is for a range of lengths.
_STACKS = 1000
_SEED = 2009

#: A partial summary. ``value``: the covered weight. ``length``: the cost. ``indices``: the sum of sentence
#: indices; the lowest sum wins ties. ``mark``: the sum of random marks of the sentences, which identifies the
#: set. ``parent``, ``last``: the summary that was extended to make this one (an index of ``_Decoder.sets``),
#: and the sentence added to it. ``extended``: whether this summary was extended already.
_SUMMARY = [
    ("value", "f8"), ("length", "f8"), ("indices", "i8"), ("mark", "u8"), ("parent", "i8"), ("last", "i8"),
    ("extended", "?"),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class StackDecoding:
    """A beam search over the lengths of summaries.

    It finds the optimum if ``beam`` is as large as the number of possible summaries of each length.
    """

    beam: int = setting(30, "stack: partial summaries kept for each length.", at_least=1, at_most=1_000_000)
    name: ClassVar[str] = "stack"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return the summary, of any length, that covers the most. Ties go to the shortest."""
        problem = reduce_problem(graph, budget)
        decoder = _Decoder(problem, self.beam)
        chosen = problem.sentence[decoder.decoded()].tolist()
        diagnostics = {"stacks": len(decoder.stacks), "summaries": len(decoder.sets)}
        return make_selection(graph, budget, self.name, chosen, diagnostics)


class _Decoder(Completion):
    """The stacks of one problem, processed from the shortest length to the longest.

    Attributes:
        stacks: the best partial summaries of each length found so far, at most ``beam`` of them, best first.
        sets: the sentences of each summary that was extended.
    """

    def __init__(self, problem: ReducedProblem, beam: int) -> None:
        super().__init__(problem)
        self.beam = beam
        # Two different sets have the same sum of marks with probability 2^-64.
        self.mark = np.random.default_rng(_SEED).integers(0, 2**64, len(self.cost), dtype=np.uint64)
        longest = min(self.budget, float(self.cost.sum()))
        self.width = max(longest / _STACKS, 1.0)
        # All summaries extend the first one, which has all sentences of cost 0.
        self.free = np.flatnonzero(self.cost == 0)
        first = np.zeros(1, dtype=_SUMMARY)
        first["value"], first["parent"] = self._value(self.cost == 0), -1
        self.stacks = [first, *[np.zeros(0, dtype=_SUMMARY)] * int(longest / self.width)]
        self.sets: list[Indices] = []

    def _value(self, chosen: Mask) -> float:
        times = self.additions.times(chosen[None])
        return float(self.additions.value(times)[0] + self.unique_weight[chosen].sum())

    def decoded(self) -> Indices:
        """Process all stacks, and return the sentences of the best summary."""
        best, best_value = self.free, -1.0
        everything = self._value(np.ones(len(self.cost), dtype=bool))
        for stack in range(len(self.stacks)):
            if best_value >= everything:
                break
            # A summary extended by a short sentence may come into the same stack again. So repeat until the
            # stack gets no new summary.
            while not self.stacks[stack]["extended"].all():
                new = self.stacks[stack][~self.stacks[stack]["extended"]]
                self.stacks[stack]["extended"] = True
                self._extend(new)
                if new["value"][0] > best_value:
                    best, best_value = self.sets[-len(new)], float(new["value"][0])
        return best

    def _extend(self, summaries: Any) -> None:
        """Extend each summary by every sentence that fits and adds weight; put the results on stacks."""
        first_parent = len(self.sets)
        chosen = np.zeros((len(summaries), len(self.cost)), dtype=bool)
        for row, (parent, last) in enumerate(summaries[["parent", "last"]].tolist()):
            self.sets.append(np.append(self.sets[parent], last) if parent >= 0 else self.free)
            chosen[row, self.sets[-1]] = True
        gain = np.where(chosen, 0.0, self.additions.gains(self.additions.times(chosen)) + self.unique_weight)
        length = summaries["length"][:, None] + self.cost
        rows, added = np.nonzero((gain > 0) & (length <= self.budget))
        new = np.zeros(len(rows), dtype=_SUMMARY)
        new["value"], new["length"] = summaries["value"][rows] + gain[rows, added], length[rows, added]
        new["indices"] = summaries["indices"][rows] + added
        new["mark"] = summaries["mark"][rows] + self.mark[added]
        new["parent"], new["last"] = first_parent + rows, added
        stack = np.minimum(new["length"] / self.width, len(self.stacks) - 1).astype(np.intp)
        for target in np.unique(stack).tolist():
            self.stacks[target] = self._best_of([self.stacks[target], new[stack == target]])

    def _best_of(self, summaries: Sequence[Any]) -> Any:
        """Return the ``beam`` best summaries, best first, without duplicates."""
        every = np.concatenate(summaries)
        # Of equal sets, ``np.unique`` keeps the first. Extended summaries come first, so that none is
        # extended twice.
        sets = every[np.unique(every["mark"], return_index=True)[1]]
        return sets[np.lexsort((sets["mark"], sets["indices"], -sets["value"]))[: self.beam]]
