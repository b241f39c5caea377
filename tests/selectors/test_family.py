"""The selectors of the paper's references: the defining property of each."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summc.graph import make_graph
from summc.records import CoverageGraph
from summc.report.codec import encode_graph
from summc.selectors import (
    SELECTORS,
    EnumeratedGreedy,
    GGreedy,
    GuaranteedGreedy,
    Knapsack,
    LpRounding,
    StackDecoding,
)
from tests import oracles
from tests.conftest import Cli
from tests.support.depth import few_examples
from tests.support.strategies import graphs

SELECTOR_NAMES = sorted(SELECTORS)

#: Problems whose sentences share words, and budgets for a part of them, so that few choices are optimal.
hard = graphs(most_sentences=9, most_words=12, least_edges=12)
levelled = graphs(most_levels=4, most_count=3, least_edges=4)
budgets = st.integers(5, 20)


@st.composite
def lopsided(draw: st.DrawFn) -> tuple[CoverageGraph, int]:
    """Draw problems that g-greedy is bad at: short sentences of high ratio keep out long ones."""
    budget = draw(st.integers(3, 40))
    short = draw(st.lists(st.tuples(st.integers(1, 2), st.integers(1, 5)), min_size=1, max_size=4))
    long = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1)), min_size=1, max_size=4))
    costs = [c for c, _ in short] + [max(budget - less, 1) for less, _ in long]
    weights = [c * 3 + w for c, w in short] + [max(budget * 2 + more, 1) for _, more in long]
    n = len(costs)
    held = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=6))
    edges = [(i, i) for i in range(n)] + held
    return make_graph(costs, weights, [i for i, _ in edges], [a for _, a in edges]), budget


# g-greedy with its guarantees


@few_examples(150)
@given(problem=st.tuples(hard | levelled, budgets) | lopsided())
def test_the_guarantees_of_greedy_hold(problem: tuple[CoverageGraph, int]) -> None:
    graph, budget = problem
    best, share = oracles.optimum(graph, budget), 1 - 1 / math.e
    found = GuaranteedGreedy().select(graph, budget).covered_weight
    assert found >= share / 2 * best - 1e-9
    assert found >= GGreedy().select(graph, budget).covered_weight
    enumerated = EnumeratedGreedy().select(graph, budget)
    assert enumerated.diagnostics["complete"]
    assert enumerated.covered_weight >= share * best - 1e-9
    assert enumerated.bound is None or enumerated.bound >= best - 1e-9


@pytest.mark.parametrize("budget", [10, 1000, 10**6])
def test_g_greedy_alone_is_arbitrarily_bad(budget: int) -> None:
    # One sentence of 1 word is worth 2, another that fills the budget is worth K - 1.
    graph = make_graph([1, budget], [2, budget - 1], [0, 1], [0, 1])
    assert GGreedy().select(graph, budget).covered_weight == 2
    found = GuaranteedGreedy().select(graph, budget)
    assert (found.chosen, found.diagnostics) == ((1,), {"single_sentence": True})
    assert EnumeratedGreedy().select(graph, budget).chosen == (1,)


@few_examples()
@given(problem=lopsided(), seeds=st.integers(1, 3))
# The best is a pair that g-greedy does not find, and one of the two sentences is worth more than the other.
@example((make_graph([5, 5, 2], [50, 45, 30], range(3), range(3)), 10), 3)
def test_enumeration_is_at_least_as_good_as_every_completed_seed(
    problem: tuple[CoverageGraph, int], seeds: int
) -> None:
    graph, budget = problem
    expected = 0.0
    for size in range(seeds + 1):
        for chosen in itertools.combinations(range(len(graph.cost)), size):
            if sum(graph.cost[list(chosen)]) <= budget:
                value = (
                    _completed(graph, budget, chosen) if size == seeds else oracles.coverage(graph, chosen)
                )
                expected = max(expected, value)
    assert EnumeratedGreedy(seeds=seeds).select(graph, budget).covered_weight >= expected


def test_every_single_sentence_is_tried_as_a_seed() -> None:
    for seed in (1, 2):
        graph = oracles.biregular(np.random.default_rng(seed), sentences=16)
        best = max(_completed(graph, 30, (i,)) for i in range(16))
        assert EnumeratedGreedy(seeds=1).select(graph, 30).covered_weight == best


def _completed(graph: CoverageGraph, budget: float, seed: tuple[int, ...]) -> float:
    """Return what Algorithm 1 covers in total when it starts from a seed."""
    covered = set().union(*(oracles.words_of(graph)[i] for i in seed))
    weight = [0 if a in covered else w for a, w in enumerate(graph.weight)]
    rest = make_graph(graph.cost, weight, graph.edge_sentence, graph.edge_word)
    room = budget - sum(graph.cost[list(seed)])
    chosen = oracles.algorithm_1(rest, room, by_cost=True)
    return oracles.coverage(graph, tuple(seed)) + oracles.coverage(rest, tuple(chosen))


def test_an_enumeration_that_is_cut_short_reports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = oracles.biregular(np.random.default_rng(31), sentences=24)
    cut, more = (EnumeratedGreedy(seed_sets=seeds).select(graph, 40) for seeds in (5, 50))
    assert cut.diagnostics == {"complete": False, "seed_sets": 5}
    assert more.diagnostics["seed_sets"] > 5
    assert more.covered_weight >= cut.covered_weight >= GGreedy().select(graph, 40).covered_weight
    for limit in ("_WORK", "_SCANNED"):
        with monkeypatch.context() as limited:
            limited.setattr(f"summc.selectors.enumerated.{limit}", 100)
            assert not EnumeratedGreedy().select(graph, 40).diagnostics["complete"]


# Stack decoding


@few_examples()
@given(
    graph=hard | levelled,
    scale=st.sampled_from([1, 0.01, 0.37, math.pi, 1e4]),
    budget=budgets,
)
def test_a_stack_that_keeps_everything_is_exact(graph: CoverageGraph, scale: float, budget: int) -> None:
    # Lengths that are no whole numbers share a stack.
    real = dataclasses.replace(graph, cost=graph.cost * scale)
    found = StackDecoding(beam=10_000).select(real, budget * scale)
    assert found.cost <= budget * scale
    # A choice that costs exactly the budget may be missed because of rounding.
    least = budget if scale == 1 else budget * scale * (1 - 1e-12)
    assert found.covered_weight >= oracles.optimum(real, least) * (1 - 1e-12)


def test_wider_beams_cover_more() -> None:
    graph = oracles.biregular(np.random.default_rng(1), 30)
    greedy = GGreedy().select(graph, 40).covered_weight
    covered = [StackDecoding(beam).select(graph, 40).covered_weight for beam in (1, 5, 10)]
    assert greedy < covered[0] < covered[1] <= covered[2]


def test_each_set_is_in_a_stack_only_once() -> None:
    # Each set of up to four of ten sentences can be reached in every order of its sentences.
    graph = make_graph([1] * 10, [1] * 10, range(10), range(10))
    found = StackDecoding(beam=1000).select(graph, 4)
    assert found.diagnostics == {"stacks": 5, "summaries": sum(math.comb(10, k) for k in range(5))}
    assert found.chosen == (0, 1, 2, 3)


# LP rounding


@few_examples()
@given(graph=graphs(most_sentences=15, most_words=20, least_edges=20, integers=False), budget=budgets)
def test_draws_are_repeatable_and_more_draws_are_no_worse(graph: CoverageGraph, budget: int) -> None:
    few, again, many = (LpRounding(draws).select(graph, budget) for draws in (5, 5, 40))
    assert few == again
    assert many.covered_weight >= few.covered_weight >= GGreedy().select(graph, budget).covered_weight


def test_an_integral_relaxation_is_found_and_proven() -> None:
    # The relaxation is integral if no words are shared and the best ratios fill the budget exactly.
    graph = make_graph([2, 3, 4], [6, 6, 4], [0, 1, 2], [0, 1, 2])
    found = LpRounding().select(graph, 5)
    assert (found.chosen, found.bound) == ((0, 1), 12)


def test_lp_rounding_covers_more_than_greedy() -> None:
    graph = oracles.biregular(np.random.default_rng(1))
    found, greedy = LpRounding().select(graph, 100), GGreedy().select(graph, 100)
    assert found.covered_weight > greedy.covered_weight


# The knapsack


@given(graph=graphs(), budget=st.integers(0, 30))
def test_the_knapsack_table_matches_a_plain_one(graph: CoverageGraph, budget: int) -> None:
    words = oracles.words_of(graph)

    def score(chosen: tuple[int, ...]) -> float:
        pairs = itertools.combinations(chosen, 2)
        relevance = sum(float(graph.weight[a]) for i in chosen for a in words[i])
        return relevance - sum(float(graph.weight[a]) for i, j in pairs for a in words[i] & words[j])

    order = sorted(range(len(graph.cost)), key=lambda i: -sum(graph.weight[a] for a in words[i]))
    table: list[tuple[int, ...]] = [()] * (budget + 1)
    for i in order:
        length = int(graph.cost[i])
        with_it = {k: (*table[k - length], i) for k in range(length, budget + 1)}
        table = [max(table[k], with_it.get(k, ()), key=score) for k in range(budget + 1)]
    found = Knapsack().select(graph, budget)
    assert found.diagnostics["score"] == score(found.chosen) == max(map(score, table))


@few_examples()
@given(
    costs=st.lists(st.floats(0.001, 10) | st.just(0.0), min_size=1, max_size=8),
    budget=st.floats(0.01, 30),
)
def test_the_knapsack_rounds_real_costs_up(costs: list[float], budget: float) -> None:
    own = range(len(costs))
    graph = make_graph(costs, [c + 1 for c in costs], own, own)
    found = Knapsack().select(graph, budget)
    assert found.cost <= budget
    # A choice that leaves a little of the budget free is found.
    assert found.covered_weight >= oracles.optimum(graph, budget * (1 - len(costs) / 2048)) * (1 - 1e-12)


@pytest.mark.parametrize(
    ("costs", "budget", "lengths"),
    [
        ([3, 4], 5, 5),  # whole numbers count as they are
        ([3, 4], 5.5, 5),
        ([3, 4], 9, 7),  # no longer than all sentences
        ([3, 4], 1e6, 7),
        ([0.5, 0.75], 1, 100),  # and decimals by their last digit
        ([3000.5, 3000.5], 5000, 3125),  # at most 4096 lengths
        ([3, 4], 2, 0),
    ],
)
def test_the_knapsack_has_a_length_for_each_unit_of_the_budget(
    costs: list[float], budget: float, lengths: int
) -> None:
    graph = make_graph(costs, [1, 1], [0, 1], [0, 1])
    assert Knapsack().select(graph, budget).diagnostics["lengths"] == lengths


# The command


def test_settings_of_these_selectors_are_flags(summc: Cli) -> None:
    line = json.dumps({"graph": encode_graph(oracles.biregular(np.random.default_rng(7), sentences=20))})
    for flags in (
        "--selector stack --beam 3",
        "--selector lp-rounding --draws 4",
        "--selector g-greedy-enumerated --seeds 2 --seed-sets 9",
    ):
        made = json.loads(summc("select", "-k", 20, *flags.split(), stdin=line).out)["signature"]["select"]
        given = dict(zip(flags.split()[::2], flags.split()[1::2], strict=True))
        assert all(str(made[flag[2:].replace("-", "_")]) == value for flag, value in given.items())
    refused = summc("select", "--selector", "g-greedy-enumerated", "--seeds", 4, stdin=line)
    assert (refused.code, refused.err) == (2, "error: --seeds: must be a whole number at most 3, got 4\n")
