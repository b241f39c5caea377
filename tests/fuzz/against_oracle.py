"""Check every selector against enumeration: ``python -m tests.fuzz.against_oracle 20000``.

The problems are small and random. Costs and weights are drawn from families that are hard in different ways:
whole, fractional, equal, tiny, huge, and mixed. For each problem and selector these must hold:

- The choice exceeds the budget by less than two roundings for each sentence.
- Its reported cost and coverage are correct.
- It covers no more than the optimum. ``exact`` reaches the optimum, and the guarantees of the others hold.
- Every bound is at least the optimum.
- The line can be written and read back unchanged, so no reported value is infinite or NaN.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from summc.config import Config
from summc.errors import InputError, NoSummaryError
from summc.graph import make_graph
from summc.records import CoverageGraph, Selection
from summc.report import codec
from summc.selectors import SELECTORS
from summc.selectors.solving import solve
from summc.system import json_objects
from tests import oracles

#: Sums are rounded, so values whose relative difference is below this count as equal.
_NEAR = 1e-12

Draw = Callable[[np.random.Generator, int], list[float]]


FAMILIES: Mapping[str, Draw] = {
    "whole": lambda rng, size: [float(value) for value in rng.integers(0, 10, size)],
    # 0.1 + 0.2 is not 0.3, so whether a choice fits depends on the order of additions.
    "tenths": lambda rng, size: [round(float(value) / 10, 1) for value in rng.integers(0, 10, size)],
    "real": lambda rng, size: [float(value) for value in rng.uniform(0.01, 9, size)],
    "equal": lambda rng, size: [float(rng.choice([1, 0.1, 3, 1e-100, 1e100]))] * size,
    "tiny": lambda rng, size: [10.0 ** float(power) for power in rng.uniform(-99, -90, size)],
    "huge": lambda rng, size: [10.0 ** float(power) for power in rng.uniform(90, 99, size)],
    "mixed": lambda rng, size: [
        float(rng.choice([0, 10.0 ** rng.uniform(-99, 99), rng.uniform(0, 5), 1])) for _ in range(size)
    ],
}
_SETTINGS: Mapping[str, tuple[Any, ...]] = {
    "beta": ("auto", 1e-9, 0.5, 45, 1e9),
    "mu": ("auto", 0, 1e-9, 0.04, 5, 1e9),
    "damping": ("auto", 0, 0.5, 0.999),
    "iterations": (150, 1),
    "effort": ("normal", "low"),
    "beam": (30, 1),
    "seeds": (3, 1),
    "draws": (100, 1),
}


@dataclass(frozen=True)
class Problem:
    """A problem, the settings to solve it with, and its optimum.

    ``best`` counts all choices that exceed the budget by less than two roundings for each sentence,
    ``surely`` those that fit without any rounding. The two can differ for costs such as 0.1.
    """

    graph: CoverageGraph
    budget: float
    settings: Mapping[str, Any]
    best: float
    surely: float
    kind: str


def make_problem(seed: int, number: int) -> Problem:
    """Return a random problem. Seed and number give the same problem again."""
    rng = np.random.default_rng((seed, number))
    of_cost, of_weight = (str(rng.choice(list(FAMILIES))) for _ in range(2))
    sentences, words = int(rng.integers(1, 7)), int(rng.integers(1, 8))
    held = rng.random((sentences, words)) < rng.uniform(0.1, 0.8)
    cost = FAMILIES[of_cost](rng, sentences)
    graph = make_graph(cost, FAMILIES[of_weight](rng, words), *np.nonzero(held))
    some = math.fsum(cost[i] for i in np.flatnonzero(rng.random(sentences) < 0.6))
    budget = float(rng.choice([some, some * rng.uniform(0.5, 2), float(rng.integers(1, 30)), 1, 1e15, 2.5]))
    budget = min(max(budget, 1.0), 1e15)
    settings = {name: values[rng.integers(len(values))] for name, values in _SETTINGS.items()}
    return Problem(graph, budget, settings, *_optima(graph, budget), f"{of_cost} costs, {of_weight} weights")


def _optima(graph: CoverageGraph, budget: float) -> tuple[float, float]:
    words, best, surely = oracles.words_of(graph), 0.0, 0.0
    costs, weights = graph.cost.tolist(), graph.weight.tolist()
    for chosen in range(2 ** len(costs)):
        members = [i for i in range(len(costs)) if chosen >> i & 1]
        above = sum(Fraction(costs[i]) for i in members) - Fraction(budget)
        if above <= 2 * len(members) * Fraction(math.ulp(budget)):
            covered = math.fsum(weights[a] for a in set().union(*(words[i] for i in members)))
            best = max(best, covered)
            if above <= 0:
                surely = max(surely, covered)
    return best, surely


def faults(problem: Problem, name: str) -> list[str]:
    """Return all faults of a selector on a problem."""
    config = Config().with_settings(problem.settings, selectors=tuple(SELECTORS))
    selector = config.selectors[name]
    found: list[str] = []
    for polished in (False, True):
        try:
            made = solve(problem.graph, problem.budget, selector, "x", polished=polished, certified=True)
        except NoSummaryError:
            if problem.surely > 0:
                found.append("says that there is nothing to choose")
            continue
        found += _wrong(problem, name, made)
    return found


def _wrong(problem: Problem, name: str, selection: Selection) -> Iterator[str]:
    graph, best = problem.graph, problem.best
    covered, bound, said = selection.covered_weight, selection.bound, selection.diagnostics
    cost = math.fsum(graph.cost[list(selection.chosen)])
    if cost > problem.budget + 2 * len(selection.chosen) * math.ulp(problem.budget):
        yield f"spends {cost!r} of {problem.budget!r}"
    if (selection.cost, covered) != (min(cost, problem.budget), oracles.coverage(graph, selection.chosen)):
        yield "miscounts its cost or coverage"
    if covered > best:
        yield f"covers {covered!r}, more than the optimum {best!r}"
    guaranteed = {
        "exact": 1.0 if said.get("optimal") else 0.0,
        "g-greedy-guaranteed": (1 - 1 / math.e) / 2,
        "g-greedy-enumerated": 1 - 1 / math.e
        if said.get("complete") and problem.settings["seeds"] == 3
        else 0.0,
    }
    if covered < problem.surely * guaranteed.get(name, 0.0) * (1 - _NEAR):
        yield f"covers {covered!r} of {best!r}, less than it guarantees"
    if bound is None or not bound >= problem.surely * (1 - _NEAR):
        yield f"proves a bound of {bound!r}; the optimum is {problem.surely!r}"
    line = {"graph": codec.encode_graph(graph), "selection": codec.encode_selection(selection)}
    try:
        again = codec.parse_line(json_objects.dump(line).encode(), "x")
        if codec.decode_selection(again, "x") != selection or json.loads(json_objects.dump(line)) != again:
            yield "is not the same when read back"
    except (ValueError, InputError) as error:
        yield f"cannot be written and read back: {error}"


def main() -> int:
    """Try the number of problems given on the command line, and print all faults."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = 0
    for number in range(count):
        problem = make_problem(seed, number)
        for name in SELECTORS:
            try:
                told = faults(problem, name)
            except Exception as error:  # noqa: BLE001 (any exception is a fault to report)
                told = [f"{type(error).__name__}: {error}"]
            for fault in told:
                wrong += 1
                where = f"problem {seed}/{number} ({problem.kind}), K = {problem.budget!r}"
                print(f"{where}, {name}: {fault}", flush=True)
    print(f"{count} problems, {len(SELECTORS)} selectors: {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
