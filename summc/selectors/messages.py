"""The messages of belief propagation, Eqs. (4) and (5), iterated in C (``compiled/messages.c``).

Level l of word a is the weight v_{a,l} of its l-th occurrence in a summary; v_{a,1} is w_a. In Eq. (2) of the
paper a word has one level and a variable y_a, which may be 1 if a chosen sentence holds the word. Summing
over y_a leaves the factor ``1 + exp(beta w_a)`` if the word is held, and 1 if not. Here each level has such a
variable, which may be 1 if the chosen sentences hold the word at least l times. For n occurrences this leaves

    g_a(n) = product of 1 + exp(beta v_{a,l}) over the levels l <= n,

which is the paper's factor if a word has one level. ``ln g_a`` is concave, as the worth of n occurrences is.
After m occurrences are chosen, ``g_a(m + n) / g_a(m)`` is the factor of a word with the levels after m.

All messages are stored multiplied by beta, as the equations use them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from summc.graph import curves, levels_of, run_from
from summc.records import CoverageGraph, Floats, Indices, Levels, Mask
from summc.selectors.base import for_c
from summc.system.compiled import DEFINED, Edges, Run, library
from summc.text.arithmetic import exp, log1p

#: The first value of automatic damping.
_DAMPING = 0.5
#: g is scaled so that it has this value at the last level of a word.
_TOP = float.fromhex(DEFINED["TOP"])


def softplus(x: Floats) -> Floats:
    """Return ln(1 + exp(x)) without overflow."""
    return np.asarray(np.maximum(x, 0) + log1p(exp(-np.abs(x))))


@dataclass(frozen=True, slots=True, eq=False)
class Messages(Levels):
    """The messages from words to sentences. The weights of the words are multiplied by beta.

    Attributes:
        sentence, word: the sentence and the word of each edge, shape (E,).
        count: how often the sentence of each edge holds its word, shape (E,).
        message: beta * hhat_ai of each edge, shape (E,).
    """

    sentence: Indices
    word: Indices
    count: Indices
    message: Floats

    @classmethod
    def start(cls, graph: CoverageGraph, beta: float) -> Messages:
        """Return messages of value 0 for all edges of a graph."""
        levels = (beta * graph.weight, beta * graph.repeats, graph.repeats_start)
        edges = (graph.edge_sentence, graph.edge_word, graph.count)
        return cls(*levels, *edges, np.zeros(len(graph.edge_word)))

    def only(self, edges: Indices | Mask) -> Messages:
        """Return the messages of some edges only; ``edges`` are indices or a mask."""
        levels = (self.weight, self.repeats, self.repeats_start)
        columns = (self.sentence[edges], self.word[edges], self.count[edges])
        return Messages(*levels, *columns, self.message[edges])

    def settled_alone(self) -> tuple[Messages, Mask]:
        """Set the messages of words that only one sentence holds; return a mask of the other edges too.

        Such a word sends the constant message ln g(c) to its sentence, which holds it c times. It takes no
        part in the iteration.
        """
        shared = np.bincount(self.word, minlength=1)[self.word] > 1
        factors = curves(Levels(softplus(self.weight), softplus(self.repeats), self.repeats_start))
        message = np.where(shared, self.message, factors.at(self.word, self.count))
        return dataclasses.replace(self, message=message), shared

    def sent(self, sentences: int) -> Floats:
        """Return the sum of the messages to each sentence, shape (N,)."""
        return np.bincount(self.sentence, weights=self.message, minlength=sentences).astype(float)


class Propagation(NamedTuple):
    """The result of a run of BP at one mu.

    Attributes:
        field: beta * h_i of each sentence, Eq. (11), shape (N,). Large h_i / c_i are chosen first.
        message: beta * hhat_ai of each edge that takes part in the iteration, shape (E,).
        converged: whether ``last_change`` is at most the tolerance.
        iterations: the number of updates.
        last_change: the largest change of a message that the last update would have made without damping.
        damping: the fraction of the old message that an update kept, at the end.
    """

    field: Floats
    message: Floats
    converged: bool
    iterations: int
    last_change: float
    damping: float


def iterate(
    start: Messages, external_fields: Floats, iterations: int, damping: float | str, tolerance: float,
    watch: Callable[[int, float, Floats], object] | None = None,
) -> Iterator[Propagation]:  # fmt: skip
    """Yield the result of a run for each row of ``external_fields``, all from the same first messages.

    A run updates messages until none changes by more than ``tolerance``, at most ``iterations`` times. Every
    word must be held by at least two sentences. ``external_fields`` is beta times the part of each sentence's
    field that does not come from messages, shape (B, N). If ``damping`` is "auto", it is adapted: it rises
    while messages oscillate, and falls while they creep (move slowly in one direction). ``watch`` is called
    after each update with its number, the largest change and the fields; if it returns true, the run ends.
    """
    by_word = np.argsort(start.word, kind="stable")
    edges, room = _prepared(start.only(by_word), external_fields.shape[1])
    settle, scratch = library().summc_settle, np.empty(room)
    adapts, first = (True, _DAMPING) if isinstance(damping, str) else (False, damping)
    for external_field in external_fields:
        message, external = start.message[by_word], np.ascontiguousarray(external_field)
        moved, before = np.zeros((2, len(message)))
        most = iterations if watch is None else 1
        run = Run(most=most, adapts=adapts, tolerance=tolerance, damping=first, last=math.inf)
        buffers = [array.ctypes.data for array in (external, message, moved, before, scratch)]
        while True:
            while settle(edges, *buffers, run):
                pass
            result = np.empty_like(message)
            result[by_word] = message
            field = external_field + dataclasses.replace(start, message=result).sent(len(external_field))
            stop = watch is not None and run.made and watch(run.made, run.change, field)
            if stop or run.converged or run.made >= iterations:
                break
            moved[:] = 0  # summc_settle has applied the last move to the messages
        yield Propagation(field, result, bool(run.converged), run.made, run.change, run.damping)


def _prepared(start: Messages, sentences: int) -> tuple[Any, int]:
    """Return edges, sorted by word, as messages.c reads them; and how many numbers it needs room for."""
    first = np.flatnonzero(np.diff(start.word, prepend=-1))
    log_present, log_absent = (-softplus(sign * start.weight[start.word[first]]) for sign in (-1, 1))
    ends = np.append(first, len(start.word))
    level_start, step, factor = _steps(start, first)
    edges = for_c(
        Edges, sentences=sentences, words=len(first), edges=len(start.word), word_start=ends,
        sentence=start.sentence, present=exp(log_present), absent=exp(log_absent), log_present=log_present,
        log_absent=log_absent, level_start=level_start, step=step, factor=factor, count=start.count,
    )  # fmt: skip
    # Each edge of a word needs at most twice as many numbers as the word has levels, and padding for the
    # largest count in front of them.
    room = int(((np.diff(ends) + 5) * (3 * np.diff(level_start) + 4)).max(initial=0))
    return edges, sentences + len(first) + 4 * len(start.word) + room


def _steps(start: Messages, first: Indices) -> tuple[Indices, Floats, Floats]:
    """Return where each word begins, then ln(g(n) / g(n - 1)) and g(n - 1) of each level n, word by word.

    ``first`` is the first edge of each word. Words of one level have no entries. Levels above the number of
    times that all sentences together hold the word are left out.
    """
    weight, repeats, repeats_start = levels_of(start, start.word[first])
    every = np.insert(repeats, repeats_start[:-1], weight)
    several = np.diff(repeats_start)
    reach = np.add.reduceat(start.count, first) if len(first) else several
    length = np.where(several > 0, np.minimum(several + 1, reach), 0)
    level_start = np.concatenate([[0], np.cumsum(length)])
    step = softplus(every[run_from(repeats_start[:-1] + np.arange(len(first)), length)])
    # g is computed as products, from the last level down. Sums of logarithms would lose digits if many levels
    # have large weights, and messages need these digits at the last levels.
    factor = exp(-step)
    place, begin = level_start[1:][length > 0] - 1, level_start[:-1][length > 0]
    factor[place] *= _TOP
    while len(place):
        more = place > begin
        place, begin = place[more] - 1, begin[more]
        factor[place] *= factor[place + 1]
    return level_start, step, factor
