"""Plain, slow versions of summc's algorithms, which the tests compare it with."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, localcontext

import numpy as np

from summc.graph import make_graph
from summc.lab.experiments.random_graphs import Ensemble
from summc.records import CoverageGraph
from summc.selectors.amounts import fits
from summc.selectors.reduction import ReducedProblem


def words_of(graph: CoverageGraph) -> list[set[int]]:
    """Return the words of each sentence."""
    return [set(words) for words in holdings(graph)]


def coverage(graph: CoverageGraph, chosen: tuple[int, ...]) -> float:
    """Return the weight of the levels that the chosen sentences cover."""
    held, times = holdings(graph), Counter[int]()
    for i in chosen:
        times.update(held[i])
    return math.fsum(weight for a, weights in enumerate(levels(graph)) for weight in weights[: times[a]])


def optimum(graph: CoverageGraph, budget: float) -> float:
    """Return the largest weight that can be covered within the budget, by trying all sets of sentences."""
    return max(
        coverage(graph, chosen)
        for size in range(len(graph.cost) + 1)
        for chosen in itertools.combinations(range(len(graph.cost)), size)
        if fits(graph.cost, chosen, budget)
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


def equation_4(mu: Decimal, cost: Decimal, told: list[Decimal]) -> Decimal:
    """h_ia = - mu c_i + sum of hhat_bi over the other words b of sentence i."""
    return -mu * cost + sum(told, Decimal(0))


def equation_5(beta: Decimal, weight: Decimal, fields: list[Decimal]) -> Decimal:
    """hhat_ai = - 1/beta ln(1 - 1/(1 + e^(-beta w_a)) 1/(product of (e^(beta h_ja) + 1) over others j))."""
    product = Decimal(1)
    for h in fields:
        product *= (beta * h).exp() + 1
    return -1 / beta * (1 - 1 / (1 + (-beta * weight).exp()) / product).ln()


def equation_5_with_levels(
    beta: Decimal, levels: list[Decimal], count: int, others: list[tuple[Decimal, int]]
) -> Decimal:
    """Return ln(E[g(m + count)] / E[g(m)]) / beta; g(n) is the product of 1 + exp(beta v) over n levels.

    ``others`` are the other sentences that hold the word, each with its h_ja and its count.
    """
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


def word_message(scaled_levels: list[float], count: int, others: list[tuple[float, int]]) -> float:
    """Return beta * hhat of a word whose levels, and the others' fields, are given times beta."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**15), 10**15
        fields = [(Decimal(h), n) for h, n in others]
        return float(equation_5_with_levels(Decimal(1), [Decimal(v) for v in scaled_levels], count, fields))


def beliefs(graph: CoverageGraph, beta: float, mu: float, iterations: int, damping: float) -> list[float]:
    """Return the fields h_i by Eqs. (4), (5) and (11), one edge at a time, with as many digits as they need.

    Messages start at 0. The message of a word that occurs in one sentence only is constant, and starts there.
    """
    b, m, kept = Decimal(beta), Decimal(mu), Decimal(damping)
    cost = [Decimal(c) for c in graph.cost.tolist()]
    weights, held = [[Decimal(v) for v in each] for each in levels(graph)], holdings(graph)
    edges = [(i, a) for i, words in enumerate(held) for a in words]
    others = {(i, a): [j for j, words in enumerate(held) if a in words and j != i] for i, a in edges}

    def message(i: int, a: int, h: dict[tuple[int, int], Decimal]) -> Decimal:
        if len(weights[a]) == 1:
            return equation_5(b, weights[a][0], [h[j, a] for j in others[i, a]])
        fields = [(h[j, a], held[j][a]) for j in others[i, a]]
        return equation_5_with_levels(b, weights[a], held[i][a], fields)

    with localcontext() as context:
        context.prec = 60 + int(beta * max(graph.weight, default=0) / math.log(10))
        context.Emin, context.Emax = -(10**15), 10**15
        hat = {edge: Decimal(0) if others[edge] else message(*edge, {}) for edge in edges}
        for _ in range(iterations):
            h = {(i, a): equation_4(m, cost[i], [hat[i, c] for c in held[i] if c != a]) for i, a in edges}
            hat = {edge: kept * hat[edge] + (1 - kept) * message(*edge, h) for edge in edges}
        return [float(equation_4(m, cost[i], [hat[i, c] for c in held[i]])) for i in range(len(cost))]


def enumerated(
    graph: CoverageGraph, beta: float, mu: float, include: Sequence[int] = (), exclude: Sequence[int] = ()
) -> tuple[list[float], list[float], float, float]:
    """Return P(x_i = 1), P(y_a = 1), -ln Z / beta and the entropy of Eq. (2), summed over all x.

    Each level has its own y, which is free if the chosen sentences hold the word that often. y_a is that of
    the first level.
    """
    held, weights = holdings(graph), levels(graph)
    z, energy, x_on, y_on = 0.0, 0.0, np.zeros(len(graph.cost)), np.zeros(len(weights))
    for x in itertools.product((0, 1), repeat=len(graph.cost)):
        if not all(x[i] for i in include) or any(x[i] for i in exclude):
            continue
        times = Counter[int]()
        for i in np.flatnonzero(x).tolist():
            times.update(held[i])
        free = [(a, level, v) for a, n in times.items() for level, v in enumerate(weights[a][:n])]
        cost = mu * float(np.dot(graph.cost, x))
        value = math.exp(-beta * cost) * math.prod(1 + math.exp(beta * v) for *_, v in free)
        on = [(a, level, v, value / (1 + math.exp(-beta * v))) for a, level, v in free]
        z, energy, x_on = (
            z + value,
            energy + value * cost - sum(v * p for *_, v, p in on),
            x_on + value * np.array(x),
        )
        for a, level, _, p in on:
            y_on[a] += p * (level == 0)
    return (x_on / z).tolist(), (y_on / z).tolist(), -math.log(z) / beta, math.log(z) + beta * energy / z


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


def as_graph(problem: ReducedProblem) -> CoverageGraph:
    """Return a reduced problem as a graph. The weight that only one sentence holds becomes a word."""
    own = len(problem.weight)
    alone = range(own, own + len(problem.cost))
    return make_graph(
        problem.cost,
        [*problem.weight, *problem.unique_weight],
        [*problem.edge_sentence, *range(len(problem.cost))],
        [*problem.edge_word, *alone],
        count=[*problem.count, *(1 for _ in alone)],
        repeats=problem.repeats,
        repeats_start=[*problem.repeats_start, *(len(problem.repeats) for _ in alone)],
    )
