"""Plain, slow versions of summc's algorithms, which the tests compare it with."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np

from summc.lab.experiments.random_graphs import Ensemble
from summc.records import CoverageGraph


def words_of(graph: CoverageGraph) -> list[set[int]]:
    """Return the words of each sentence."""
    words: list[set[int]] = [set() for _ in graph.cost]
    for i, a in zip(graph.edge_sentence.tolist(), graph.edge_word.tolist(), strict=True):
        words[i].add(a)
    return words


def coverage(graph: CoverageGraph, chosen: tuple[int, ...]) -> float:
    """Return the weight of the levels that the chosen sentences cover."""
    held, times = holdings(graph), Counter[int]()
    for i in chosen:
        times.update(held[i])
    return math.fsum(weight for a, weights in enumerate(levels(graph)) for weight in weights[: times[a]])


def optimum(graph: CoverageGraph, budget: float) -> float:
    """Return the largest weight that can be covered within the budget, by trying all sets of sentences."""
    cost = graph.cost.tolist()
    return max(
        coverage(graph, chosen)
        for size in range(len(cost) + 1)
        for chosen in itertools.combinations(range(len(cost)), size)
        if sum(cost[i] for i in chosen) <= budget
    )


def algorithm_1(graph: CoverageGraph, budget: float, *, by_cost: bool) -> list[int]:
    """Return the choice of the paper's Algorithm 1, or of simple greedy if ``by_cost`` is false."""
    held, weights = holdings(graph), levels(graph)
    candidates = list(range(len(graph.cost)))
    chosen: list[int] = []
    while candidates:
        times = sum((Counter(held[i]) for i in chosen), Counter[int]())
        best, best_value = -1, -math.inf
        for i in candidates:
            value = math.fsum(
                weight for a, count in held[i].items() for weight in weights[a][times[a] : times[a] + count]
            )
            if by_cost and value:
                value = value / graph.cost[i] if graph.cost[i] else math.inf
            if value > best_value:
                best, best_value = i, value
        if graph.cost[best] + sum(graph.cost[i] for i in chosen) <= budget:
            chosen.append(best)
        candidates.remove(best)
    return chosen


def beliefs(graph: CoverageGraph, beta: float, mu: float, iterations: int, damping: float) -> list[float]:
    """Return the fields h_i by Eqs. (4), (5) and (11), one edge at a time, with as many digits as they need.

    Messages start at 0. The message of a word that occurs in one sentence only is constant, and starts there.
    """
    digits = 60 + int(beta * max(graph.weight, default=0) / math.log(10))
    with localcontext() as context:
        context.prec = digits
        return _beliefs(graph, Decimal(beta), Decimal(mu), iterations, Decimal(damping), _equation_5)


def beliefs_without_cancellation(
    graph: CoverageGraph, beta: float, mu: float, iterations: int, damping: float
) -> list[float]:
    """Do the same with Eq. (5) rearranged to add positive numbers only, so that 60 digits do at any beta."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**15), 10**15
        return _beliefs(graph, Decimal(beta), Decimal(mu), iterations, Decimal(damping), _equation_5_turned)


def told(scaled_weight: float, fields: list[float]) -> float:
    """Return beta * hhat, the message of a word to a sentence, from beta * w and the others' beta * h."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**15), 10**15
        return float(_equation_5_turned(Decimal(1), Decimal(scaled_weight), [Decimal(h) for h in fields]))


def told_with_levels(scaled_levels: list[float], count: int, others: list[tuple[float, int]]) -> float:
    """Return the same message for a word with several levels, each given as beta * v.

    The sentence holds the word ``count`` times. ``others`` are the other sentences that hold it, each with
    its message to the word and its count.
    """
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**15), 10**15
        levels = [Decimal(v) for v in scaled_levels]
        return float(_message(Decimal(1), levels, count, [(Decimal(h), n) for h, n in others]))


def _message(beta: Decimal, levels: list[Decimal], count: int, others: list[tuple[Decimal, int]]) -> Decimal:
    """Return ln(E[g(m + count)] / E[g(m)]) / beta; g(n) is the product of 1 + exp(beta v) over n levels."""
    factor = [Decimal(1)]
    for v in levels:
        factor.append(factor[-1] * (1 + (beta * v).exp()))
    times = {0: Decimal(1)}
    for h, n in others:
        odds, before = (beta * h).exp(), list(times.items())
        for m, chance in before:
            then = min(m + n, len(levels))
            times[then] = times.get(then, Decimal(0)) + chance * odds
    with_it = sum((chance * factor[min(m + count, len(levels))] for m, chance in times.items()), Decimal(0))
    without = sum((chance * factor[m] for m, chance in times.items()), Decimal(0))
    return (with_it / without).ln() / beta


def _beliefs(
    graph: CoverageGraph,
    beta: Decimal,
    mu: Decimal,
    iterations: int,
    damping: Decimal,
    word_message: Callable[[Decimal, Decimal, list[Decimal]], Decimal],
) -> list[float]:
    cost = [Decimal(c) for c in graph.cost.tolist()]
    weights, held = [[Decimal(v) for v in each] for each in levels(graph)], holdings(graph)

    def told_by(i: int, a: int, fields: list[Decimal]) -> Decimal:
        if len(weights[a]) == 1:
            return word_message(beta, weights[a][0], fields)
        counts = [held[j][a] for j, _ in others[i, a]]
        return _message(beta, weights[a], held[i][a], list(zip(fields, counts, strict=True)))

    edges = list(zip(graph.edge_sentence.tolist(), graph.edge_word.tolist(), strict=True))
    others = {(i, a): [(j, b) for j, b in edges if b == a and j != i] for i, a in edges}
    hat = {edge: Decimal(0) if others[edge] else told_by(*edge, []) for edge in edges}
    for _ in range(iterations):
        h = {
            (i, a): -mu * cost[i] + sum((hat[j, b] for j, b in edges if j == i and b != a), Decimal(0))
            for i, a in edges
        }
        for i, a in edges:
            new = told_by(i, a, [h[edge] for edge in others[i, a]])
            hat[i, a] = damping * hat[i, a] + (1 - damping) * new
    return [float(-mu * cost[i] + sum(hat[j, b] for j, b in edges if j == i)) for i in range(len(cost))]


def _equation_5(beta: Decimal, weight: Decimal, fields: list[Decimal]) -> Decimal:
    product = Decimal(1)
    for h in fields:
        product *= (beta * h).exp() + 1
    return -(1 - 1 / (1 + (-beta * weight).exp()) / product).ln() / beta


def _equation_5_turned(beta: Decimal, weight: Decimal, fields: list[Decimal]) -> Decimal:
    more_than_one = Decimal(0)  # the product of all (exp(beta h) + 1), minus 1
    for h in fields:
        more_than_one += (beta * h).exp() * (1 + more_than_one)
    absent = (-beta * weight).exp()
    return (
        ((1 + more_than_one) * (1 + absent)).ln() - (more_than_one + (1 + more_than_one) * absent).ln()
    ) / beta


def marginals(graph: CoverageGraph, beta: float, mu: float) -> list[float]:
    """Return P(x_i = 1) under the partition function, Eq. (2), by summing over all x and y.

    Each level has its own y, which is free if the chosen sentences hold the word that often.
    """
    held, weights = holdings(graph), levels(graph)
    total, on = 0.0, [0.0] * len(graph.cost)
    for x in itertools.product((0, 1), repeat=len(graph.cost)):
        times = Counter[int]()
        for i, chosen in enumerate(x):
            times.update(held[i] if chosen else {})
        value = math.exp(-beta * mu * sum(c for c, chosen in zip(graph.cost, x, strict=True) if chosen))
        for a, often in times.items():
            value *= math.prod(1 + math.exp(beta * v) for v in weights[a][:often])
        total += value
        for i, chosen in enumerate(x):
            on[i] += value * chosen
    return [value / total for value in on]


def biregular(rng: np.random.Generator, sentences: int = 100) -> CoverageGraph:
    """Return a random (9,3)-biregular graph, as in Figure 2."""
    return Ensemble(sentences=sentences, seed=int(rng.integers(2**32))).graph(0)


def holdings(graph: CoverageGraph) -> list[dict[int, int]]:
    """Return how often each sentence holds each of its words."""
    held: list[dict[int, int]] = [{} for _ in graph.cost]
    edges = zip(graph.edge_sentence.tolist(), graph.edge_word.tolist(), graph.count.tolist(), strict=True)
    for i, a, count in edges:
        held[i][a] = count
    return held


def levels(graph: CoverageGraph) -> list[list[float]]:
    """Return the weights of the first, second, ... occurrence of each word."""
    start, repeats = graph.repeats_start.tolist(), graph.repeats.tolist()
    return [[w, *repeats[start[a] : start[a + 1]]] for a, w in enumerate(graph.weight.tolist())]
