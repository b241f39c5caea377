"""Stack decoding: keep the best partial summaries of each length, and extend them by every sentence.

H. Takamura and M. Okumura, "Text summarization model based on maximum coverage problem and its variant", EACL
2009, after W. Yih and others, "Multi-document summarization by maximizing informative content-words", IJCAI
2007. There is a stack for each length in words. Each summary of a stack is extended by every sentence, and
the results go to the stacks of their new lengths. A stack keeps its ``beam`` best summaries, without
duplicates.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.graph import total_weight
from summc.records import CoverageGraph, Indices, Selection
from summc.selectors.base import exact_amounts, exact_costs, make_selection
from summc.selectors.completion import Additions
from summc.selectors.reduction import ReducedProblem, reduce_problem
from summc.settings import setting

#: The approximate largest number of stacks. If the budget K is larger, each stack is for a range of lengths.
_STACKS = 1000
_SEED = 2009

#: A partial summary. ``value``: the covered weight. ``length``: the cost. ``indices``: the sum of sentence
#: indices; the lowest sum wins ties. ``mark``: the sum of random marks of the sentences, which identifies the
#: set. ``parent``, ``last``: the summary that was extended to make this one (an index of ``_Decoder.sets``),
#: and the sentence added to it. ``extended``: whether this summary was extended already.
_NAMES = ["value", "length", "indices", "mark", "parent", "last", "extended"]
_SUMMARY = np.dtype({"names": _NAMES, "formats": ["f8", "f8", "i8", "u8", "i8", "i8", "?"]})


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
        decoder = _Decoder(problem, budget, self.beam)
        chosen = problem.sentence[decoder.decoded()].tolist()
        diagnostics = {"stacks": len(decoder.stacks), "summaries": len(decoder.sets)}
        return make_selection(graph, budget, self.name, chosen, diagnostics)


class _Decoder:
    """The stacks of one problem, processed from the shortest length to the longest.

    Attributes:
        stacks: for each stack, the partial summaries offered to it, as a list of arrays.
        least: for each stack, a value that at least ``beam`` of its summaries reach, or -1. A summary of
            lower value cannot be among the ``beam`` best, so it is not offered.
        sets: the sentences of each summary that was extended.
    """

    def __init__(self, problem: ReducedProblem, budget: float, beam: int) -> None:
        n = len(problem.cost)
        self.beam, self.budget = beam, budget
        self.cost = exact_costs(problem.cost, budget)
        weight, repeats, self.own = exact_amounts(problem.weight, problem.repeats, problem.own)
        self.additions = Additions(problem, weight, repeats)
        self.everything = total_weight(dataclasses.replace(problem, weight=weight, repeats=repeats))
        # Two different sets have the same sum of marks with probability 2^-64.
        self.mark = np.random.default_rng(_SEED).integers(0, 2**64, n, dtype=np.uint64)
        longest = min(budget, float(self.cost.sum()))
        self.width = max(longest / _STACKS, 1.0)
        self.stacks: list[list[Any]] = [[] for _ in range(int(longest / self.width) + 1)]
        self.least = np.full(len(self.stacks), -1.0)
        self.sets: list[Indices] = []

    def decoded(self) -> Indices:
        """Process all stacks, and return the sentences of the best summary."""
        best, best_value = np.zeros(0, dtype=np.intp), -1.0
        everything = self.everything + float(self.own.sum())
        self.stacks[0].append(self._start())
        for stack in range(len(self.stacks)):
            if best_value >= everything:
                break
            kept = np.zeros(0, dtype=_SUMMARY)
            # A summary extended by a short sentence may come into the same stack again. So repeat until the
            # stack gets no new summary.
            while self.stacks[stack]:
                kept = self._best_of(np.concatenate([kept, *self.stacks[stack]]))
                self.stacks[stack] = []
                new = kept[~kept["extended"]]
                kept["extended"] = True
                if len(new):
                    self._extend(new)
                    if new["value"][0] > best_value:
                        best, best_value = self.sets[-len(new)], float(new["value"][0])
        return best

    def _start(self) -> Any:
        """Return the first summary, which has all sentences of cost 0. All other summaries extend it."""
        free = np.flatnonzero(self.cost == 0)
        start = np.zeros(1, dtype=_SUMMARY)
        start["value"] = self.additions.value(self._met([free]))[0] + self.own[free].sum()
        start["parent"] = -1
        return start

    def _best_of(self, summaries: Any) -> Any:
        """Return the ``beam`` best summaries, best first, without duplicates."""
        # Of equal sets, ``np.unique`` keeps the first. Extended summaries come first, so that none is
        # extended twice.
        _, first = np.unique(summaries["mark"], return_index=True)
        sets = summaries[first]
        return sets[np.lexsort((sets["mark"], sets["indices"], -sets["value"]))[: self.beam]]

    def _extend(self, summaries: Any) -> None:
        """Extend each summary by every sentence that fits and adds weight; offer the results to stacks."""
        first_parent = len(self.sets)
        for parent, last in zip(summaries["parent"], summaries["last"], strict=True):
            chosen = np.append(self.sets[parent], last) if parent >= 0 else np.flatnonzero(self.cost == 0)
            self.sets.append(chosen)
        gain = self.additions.gains(self._met(self.sets[first_parent:])) + self.own
        for row, chosen in enumerate(self.sets[first_parent:]):
            gain[row, chosen] = 0.0
        length = summaries["length"][:, None] + self.cost
        value = summaries["value"][:, None] + gain
        stack = np.minimum(length / self.width, len(self.stacks) - 1).astype(np.intp)
        rows, added = np.nonzero((gain > 0) & (length <= self.budget) & (value >= self.least[stack]))
        new = np.zeros(len(rows), dtype=_SUMMARY)
        new["value"], new["length"] = value[rows, added], length[rows, added]
        new["indices"], new["mark"] = (
            summaries["indices"][rows] + added,
            summaries["mark"][rows] + self.mark[added],
        )
        new["parent"], new["last"] = first_parent + rows, added
        self._offer(new, stack[rows, added])

    def _met(self, sets: Sequence[Indices]) -> Indices:
        """Return how often each set of sentences holds each word, shape (sets, words)."""
        return np.stack([self.additions.counts(chosen).sum(axis=0) for chosen in sets])

    def _offer(self, new: Any, stack: Indices) -> None:
        """Add new summaries to their stacks, at most the ``beam`` best to each stack.

        ``stack`` is the stack of each new summary.
        """
        if not len(new):
            return
        _, first = np.unique(new["mark"], return_index=True)
        new, stack = new[first], stack[first]
        order = np.lexsort((new["mark"], new["indices"], -new["value"], stack))
        new, stack = new[order], stack[order]
        starts = np.flatnonzero(np.diff(stack, prepend=-1))
        for start, end in zip(starts, np.append(starts[1:], len(stack)), strict=True):
            part = new[start : min(end, start + self.beam)].copy()  # a view would keep the whole array alive
            target = int(stack[start])
            self.stacks[target].append(part)
            if len(part) == self.beam:
                self.least[target] = max(self.least[target], part["value"][-1])
