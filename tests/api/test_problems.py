"""Coverage problems without text, and belief propagation on them, from Python."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import summc
from summc.api.problems import parts_of
from summc.records import CoverageGraph
from tests.oracles import coverage, enumerated
from tests.support.depth import few_examples
from tests.support.strategies import trees

HELD = {"a": {"x", "y"}, "b": {"y", "z"}, "c": {"z"}, "d": set[str]()}
COSTS = {"a": 2, "b": 3, "c": 1, "d": 1}
WEIGHTS = {"z": 4.0, "y": 2.0, "x": 1.0}
ANY: Any = [["x"]]  # what no argument takes


def test_the_same_problem_comes_from_sets_a_matrix_and_a_graph() -> None:
    sets = summc.Problem.from_sets(HELD, COSTS, WEIGHTS)
    table = np.array([[element in held for element in WEIGHTS] for held in HELD.values()])
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(((name, {"cost": cost}) for name, cost in COSTS.items()), bipartite=0)
    graph.add_nodes_from(((name, {"weight": weight}) for name, weight in WEIGHTS.items()), bipartite=1)
    graph.add_edges_from((name, element) for name, held in HELD.items() for element in held)
    columns = (COSTS.values(), WEIGHTS.values(), HELD, WEIGHTS)
    others = [
        summc.Problem.from_matrix(table, *columns),
        summc.Problem.from_matrix(csr_array(table), *columns),
        summc.Problem.from_networkx(graph),
        summc.Problem.from_networkx(graph, HELD),
    ]
    solution = summc.solve(sets, 4)
    assert (solution.chosen, solution.covered, solution.cost) == (("a", "c"), ("z", "y", "x"), 3)
    assert (solution.covered_weight, solution.share, solution.bound) == (7, 1, 7)
    assert summc.solve(summc.Problem.from_sets({"a": "x"}, weights={"x": 0}), 1).share == 1
    for other in others:
        assert summc.solve(other, 4) == solution
        assert (other.sets, other.elements) == (tuple(HELD), tuple(WEIGHTS))
        assert (other.costs, other.weights, other.edges) == (sets.costs, sets.weights, sets.edges)


def test_a_set_can_hold_an_element_several_times() -> None:
    weights: dict[str, float | list[float]] = {"x": [3, 2], "y": 1}
    lists = summc.Problem.from_sets({"a": ["x", "x"], "b": ["x", "y"]}, weights=weights)
    counters = summc.Problem.from_sets({"a": Counter(x=2), "b": Counter(x=1, y=1)}, weights=weights)
    counts = summc.Problem.from_matrix([[2, 0], [1, 1]], weights=list(weights.values()))
    assert lists.edges == counters.edges == counts.edges == [(0, 0, 2), (1, 0, 1), (1, 1, 1)]
    assert summc.solve(lists, 1).chosen == ("a",)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: summc.Problem.from_sets(HELD, {"a": 1}), "costs: none for 'b'; give one for each"),
        (lambda: summc.Problem.from_sets(HELD, weights={"x": 1}), "weights: none for 'y'; give one for each"),
        (lambda: summc.Problem.from_sets(HELD, [1, 2]), "costs: must be a mapping, got [1, 2]"),  # type: ignore[arg-type]
        (lambda: summc.Problem.from_sets(ANY), "sets: must be a mapping of names to elements, got ["),
        (lambda: summc.Problem.from_sets({"a": ANY}), "sets: must be a mapping of names to elements, got {"),
        (lambda: summc.Problem([1], [1], [], sets="ab"), "sets: must be 1 different names, got 2"),
        (lambda: summc.Problem([1], [1], [], sets=3), "sets: must be a list, got 3"),  # type: ignore[arg-type]
        (lambda: summc.Problem([1], [1], [], sets=ANY), "sets: must be names that can be hashed, got (["),
        (lambda: summc.Problem([1], [1], np.array([[2**63, 0]], np.uint64)), "edges[0]: must be (set"),
        (lambda: summc.Problem.from_matrix([1, 1]), "matrix: must have rows and columns of numbers, got ["),
        (
            lambda: summc.Problem.from_matrix(np.ones((2, 2, 2))),
            "of numbers, got array([[[1., 1.],         [",
        ),
        (lambda: summc.Problem.from_matrix([[math.nan]]), "matrix: must hold true and false, or counts"),
        (lambda: summc.solve(ANY, 1), "problem: must be a Problem, got [["),
        (
            lambda: summc.Problem.from_matrix([[1]], {0: 3}),
            "costs: must be a list of 1, as the matrix has, got {0: 3}",
        ),
        (
            lambda: summc.Problem.from_matrix([[1]], [3, 4]),
            "costs: must be a list of 1, as the matrix has, got [3, 4]",
        ),
        (lambda: summc.Problem.from_matrix([[0.5]]), "matrix: must hold true and false, or counts"),
        (lambda: summc.Problem.from_matrix("no"), "matrix: must have rows and columns of numbers, got 'no'"),
        (lambda: summc.Problem.from_networkx(nx.path_graph(3)), "graph: is not bipartite; set the attribute"),
        (lambda: summc.Problem.from_networkx(nx.path_graph(3), [0, 1]), "graph: is not bipartite"),
        (lambda: summc.Problem.from_networkx(nx.path_graph(3), [7]), "sets: no node 7"),
        (lambda: summc.Problem.from_networkx(nx.path_graph(3), 7), "sets: must be nodes of the graph, got 7"),  # type: ignore[arg-type]
        (lambda: summc.Problem.from_networkx(ANY), "graph: must be a graph of networkx, got [['x']]"),
        (
            lambda: summc.Problem.from_networkx(SimpleNamespace(nodes=dict)),
            "graph: must be a graph of networkx",
        ),
        (
            lambda: summc.Problem.from_networkx(nx.DiGraph([("a", "x"), ("y", "a")]), ["a"]),
            "graph: has an edge from 'y' to the set 'a'; direct edges from sets",
        ),
        (
            lambda: summc.Problem.from_matrix(np.ma.masked_equal([[1, 2]], 2)),
            "matrix: has masked entries; fill them",
        ),
        (
            lambda: summc.Problem.from_networkx(nx.Graph([("a", "x", {"count": "two"})]), ["a"]),
            "count of the edge 'a', 'x': must be a whole number, got 'two'",
        ),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(summc.InputError) as raised:
        make()
    assert message in str(raised.value)


def test_numbers_of_numpy_and_series_of_pandas_are_taken() -> None:
    single, whole = cast("tuple[Any, Any]", (np.float32(2), np.int64(2)))
    costs, weights = pd.Series({"a": 2.0, "b": 1.0}), pd.Series({"y": 1.0, "x": 3.0})
    problem = summc.Problem.from_sets({"a": "xy", "b": "x"}, costs, weights)  # type: ignore[arg-type]
    assert (problem.elements, problem.costs) == (("y", "x"), [2, 1])
    assert summc.solve(problem, single).chosen == summc.solve(problem, whole).chosen == ("a",)
    assert summc.Problem(np.ones(1, np.float32), [single], [(0, 0)]).weights == [[2]]
    given: dict[str, Any] = {"mu": single, "beta": single, "iterations": whole, "tolerance": single}
    assert summc.propagate(problem, **given).beta == 2
    named = summc.Problem([1, 1], [1], [], sets=np.array(["a", "b"]))
    assert [type(name) for name in named.sets] == [str, str]


def test_counts_are_added_up() -> None:
    weights: list[float | list[float]] = [[3, 2, 1]]
    counter = summc.Problem.from_sets({"a": Counter(x=2, y=0)}, weights={"x": [3, 2, 1], "y": 1})
    assert counter.edges == [(0, 0, 2)]
    assert summc.Problem([1], weights, [(0, 0, 2**62), (0, 0, 2**62)]).edges == [(0, 0, 3)]
    graph: nx.MultiGraph[str] = nx.MultiGraph([("a", "x"), ("a", "x")])
    graph.nodes["x"]["weight"] = [3, 2, 1]
    assert summc.Problem.from_networkx(graph, ["a"]).edges == [(0, 0, 2)]


def test_sets_can_be_included_and_excluded() -> None:
    problem = summc.Problem.from_sets(HELD, COSTS, WEIGHTS)
    assert summc.solve(problem, 4, include=["d"]).chosen == ("a", "c", "d")
    assert summc.solve(problem, 3, include=["d"]).chosen == ("c", "d")
    assert summc.solve(problem, 3, exclude=["c"]).chosen == ("b",)
    assert summc.solve(problem, 3, exclude=HELD).chosen == ()
    refused: list[tuple[dict[str, Any], str]] = [
        ({"include": ["q"]}, "include: no set 'q'"),
        ({"include": ["a"], "exclude": ["a"]}, "exclude: 'a' is also in include"),
        ({"include": ["a", "b"]}, "include: costs 5, more than the budget 4"),
        ({"exclude": 3}, "exclude: must be a list of sets, got 3"),
    ]
    for options, message in refused:
        with pytest.raises(summc.SettingError) as raised:
            summc.solve(problem, 4, **options)
        assert str(raised.value) == message


PROBLEMS = st.integers(1, 6).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(0, 5), min_size=size, max_size=size),
        st.lists(st.integers(0, 9), min_size=5, max_size=5),
        st.lists(st.sets(st.integers(0, 4)), min_size=size, max_size=size),
    )
)


@given(PROBLEMS, st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]))
def test_the_least_budget_is_that_of_the_cheapest_choice(
    drawn: tuple[list[int], list[int], list[set[int]]], share: float
) -> None:
    costs, weights, held = drawn
    edges = [(s, element) for s, each in enumerate(held) for element in each]
    problem = summc.Problem(costs, weights, edges)
    graph, *_ = parts_of(problem)
    choices = [each for n in range(len(costs) + 1) for each in itertools.combinations(range(len(costs)), n)]
    target = share * coverage(graph, tuple(range(len(costs)))) * (1 - 1e-9)
    cheapest = min(sum(costs[i] for i in each) for each in choices if coverage(graph, each) >= target)
    found = summc.least_budget(problem, share, "exact")
    assert found.cost == found.budget == cheapest
    assert found.share >= share * (1 - 1e-9)
    assert found.diagnostics["optimal"]
    too_small = found.diagnostics["too_small"]
    assert too_small is None if cheapest == 0 else too_small < cheapest


def test_the_least_budget_keeps_to_the_rules_of_solve() -> None:
    problem = summc.Problem.from_sets(HELD, {"a": 0.5, "b": 0.25, "c": 0.125, "d": 2.5}, WEIGHTS)
    assert summc.least_budget(problem, 1).chosen == ("a", "c")
    assert summc.least_budget(problem, 0.5, include=["d"]).chosen == ("c", "d")
    with pytest.raises(summc.SettingError, match=r"share: at most 0\.857143 can be covered without exclude"):
        summc.least_budget(problem, 0.9, exclude=["a"])
    with pytest.raises(summc.SettingError, match="share: must be a number from 0 to 1, got 2"):
        summc.least_budget(problem, 2)


def test_the_least_budget_is_found_whatever_the_size_of_the_costs() -> None:
    held, few = {"a": "x", "b": "y", "c": "z", "d": "y"}, 1 / 3
    cheap = summc.Problem.from_sets(held, {"a": 0.5, "b": 0.25, "c": 1e15, "d": 0.3})
    assert summc.least_budget(cheap, few).chosen == ("b",)
    for costs in ([1, 1e17, 3e17], [1e16, 1e16 + 4, 3e16], [1e100, 1e100, 1e100]):
        large = summc.Problem(costs, [1, 1], [(0, 0), (1, 1), (2, 0), (2, 1)])
        cheapest = min(math.fsum(costs[:2]), costs[2])
        assert summc.least_budget(large, 1).cost == pytest.approx(cheapest, rel=1e-15)


@few_examples()
@given(
    trees() | trees(most_levels=3, most_count=2),
    st.floats(0.1, 3),
    st.floats(0, 2),
    st.integers(0, 3),
)
def test_beliefs_are_exact_on_trees(graph: CoverageGraph, beta: float, mu: float, pins: int) -> None:
    include = [0] if pins & 1 else []
    exclude = [len(graph.cost) - 1] if pins & 2 and len(graph.cost) > 1 else []
    options: dict[str, Any] = {"damping": 0, "tolerance": 1e-13, "iterations": 500}
    beliefs = summc.propagate(graph, mu=mu, beta=beta, include=include, exclude=exclude, **options)
    marginals, of_elements, free_energy, entropy = enumerated(graph, beta, mu, include, exclude)
    assert beliefs.converged
    np.testing.assert_allclose(beliefs.marginals, marginals, atol=1e-9)
    np.testing.assert_allclose(beliefs.element_marginals, of_elements, atol=1e-9)
    np.testing.assert_allclose([beliefs.free_energy, beliefs.entropy], [free_energy, entropy], atol=1e-8)


def test_equation_12_is_not_the_field_of_a_word() -> None:
    costs, weights, edges = [2, 3, 1], [1, 2, 0.5], [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]
    total, ones = 0.0, np.zeros(3)
    for x, y in itertools.product(itertools.product((0, 1), repeat=3), repeat=2):
        if all(y[a] <= sum(x[i] for i, b in edges if b == a) for a in range(3)):
            value = math.exp(np.dot(weights, y) - np.dot(costs, x))
            total, ones = total + value, ones + value * np.array(y)
    problem = summc.Problem(costs, weights, edges)
    beliefs = summc.propagate(problem, mu=1, beta=1, tolerance=1e-13, messages=True)
    assert beliefs.to_elements is not None
    np.testing.assert_allclose(beliefs.element_marginals, ones / total, rtol=1e-9)
    product = np.ones(3)
    np.multiply.at(product, problem.graph.edge_word, 1 + np.exp(beliefs.to_elements))
    field = weights + np.log(1 - 1 / product)
    np.testing.assert_allclose(1 / (1 + np.exp(-field)), ones / total, rtol=1e-9)
    printed = -np.log(1 - 1 / (1 + np.exp(-np.array(weights))) / product)
    assert (printed > 0).all()
    assert (abs(1 / (1 + np.exp(-printed)) - ones / total) > 0.05).all()


def test_beliefs_of_large_fields_are_finite() -> None:
    problem = summc.Problem([1, 1, 1], [[1e4, 1e3], 1e-3, 0], [(0, 0), (1, 0, 2), (1, 1), (2, 1)])
    beliefs = summc.propagate([problem, problem], mu=2e4, beta=50, include=[2])[1]
    assert np.isfinite([*beliefs.element_marginals, beliefs.free_energy, beliefs.entropy]).all()
    assert beliefs.fields[2] == np.inf
    assert beliefs.element_marginals[2] == 0  # no set holds it
    with pytest.raises(summc.SettingError, match="exclude: 2 is also in include"):
        summc.propagate(problem, mu=1, include=[2], exclude=[2])
    with pytest.raises(summc.InputError, match="problem: must be a Problem, got 'a'"):
        summc.propagate(["a"], mu=1)  # type: ignore[list-item]


def test_a_run_can_be_watched_and_stopped() -> None:
    problem = summc.Problem.from_sets(HELD, COSTS, WEIGHTS)
    seen: list[tuple[int, float, list[float]]] = []
    beliefs = summc.propagate(problem, mu=1.2, callback=lambda *now: seen.append((*now[:2], now[2].tolist())))
    assert [change for _, change, _ in seen] == beliefs.residuals.tolist()
    assert [step for step, _, _ in seen] == list(range(1, beliefs.iterations + 1))
    assert seen[-1][2] == pytest.approx(beliefs.fields.tolist())
    assert beliefs.residuals[-1] <= 1e-6 < beliefs.residuals[-2]
    stopped = summc.propagate(problem, mu=1.2, callback=lambda step, *_: step == 3)
    assert (stopped.iterations, stopped.converged) == (3, False)
    assert stopped.residuals.tolist() == beliefs.residuals[:3].tolist()
    shorter = summc.propagate(problem, mu=1.2, iterations=3)
    assert shorter.fields.tolist() == stopped.fields.tolist()
    assert summc.propagate(problem, mu=1.2, damping=0, tolerance=0).converged


def test_messages_obey_the_equations_of_the_paper() -> None:
    problem = summc.Problem.from_sets(HELD, COSTS, WEIGHTS)
    beliefs = summc.propagate(problem, mu=0.7, beta=1.5, tolerance=1e-13, iterations=2000, messages=True)
    assert beliefs.to_sets is not None
    assert beliefs.to_elements is not None
    for (i, a, _), to_set, to_element in zip(
        problem.edges, beliefs.to_sets, beliefs.to_elements, strict=True
    ):
        told = sum(
            m for (s, b, _), m in zip(problem.edges, beliefs.to_sets, strict=True) if s == i and b != a
        )
        assert to_element == pytest.approx(told - 0.7 * problem.costs[i])
        others = [
            h for (s, b, _), h in zip(problem.edges, beliefs.to_elements, strict=True) if b == a and s != i
        ]
        product = math.prod(math.exp(1.5 * h) + 1 for h in others)
        inner = 1 - 1 / (1 + math.exp(-1.5 * problem.weights[a][0])) / product
        assert to_set == pytest.approx(-math.log(inner) / 1.5)
    assert summc.propagate(problem, mu=0.7).to_sets is None


def test_bp_from_python_ranks_as_the_selector_does() -> None:
    rng = np.random.default_rng(3)
    problem = summc.Problem.from_matrix(rng.random((40, 60)) < 0.1, rng.integers(1, 9, 40), rng.random(60))
    budget, mu = 40, 0.08
    chosen = summc.solve(problem, budget, summc.SELECTORS["bp"](mu=mu, beta=20.0)).chosen
    beliefs = summc.propagate(problem, mu=mu, beta=20.0)
    taken, spent = [], 0.0
    for i in np.argsort(-beliefs.fields / problem.costs, kind="stable").tolist():
        if spent + problem.costs[i] <= budget:
            taken.append(i)
            spent += problem.costs[i]
    assert tuple(sorted(taken)) == chosen


def test_settings_of_bp_are_checked() -> None:
    problem = summc.Problem.from_sets(HELD)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"mu": "auto"}, "mu: must be a number from 0 to 1e100, got 'auto'"),
        ({"mu": 1, "damping": 1}, "`damping`: must be"),
        ({"mu": 1, "iterations": 0}, "`iterations`: must be"),
    ]
    for options, message in refused:
        with pytest.raises(summc.SettingError) as raised:
            summc.propagate(problem, **options)
        assert message in str(raised.value)
