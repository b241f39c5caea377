from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from summc.graph.build import make_graph
from summc.records import CoverageGraph
from summc.selectors import Auto, auto, recombination
from summc.selectors.auto import EFFORTS
from summc.selectors.compiled_search import make_search
from summc.selectors.local_search import LocalSearch, State
from summc.selectors.recombination import _child, _kept, recombined
from summc.selectors.reduction import reduce_problem
from tests import oracles

K = 1000
SEEDS = (0, 2, 4)


def dense_graph(seed: int, items: int = 150, density: float = 0.06) -> CoverageGraph:
    """Return a problem of the shape that the literature on budgeted maximum coverage uses, but smaller."""
    rng = np.random.default_rng(seed)
    sentence, word = np.nonzero(rng.random((items, items)) < density)
    return make_graph(rng.integers(100, 200, items), rng.integers(100, 200, items), sentence, word)


def test_high_effort_never_covers_less_than_normal_and_sometimes_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = dataclasses.replace(EFFORTS["high"], children=60)
    monkeypatch.setattr(auto, "EFFORTS", {**EFFORTS, "high": few})
    more = 0
    for seed in SEEDS:
        graph = dense_graph(seed)
        normal, high = Auto("normal").select(graph, 2 * K), Auto("high").select(graph, 2 * K)
        assert high.cost <= 2 * K
        assert high.covered_weight >= normal.covered_weight
        more += high.covered_weight > normal.covered_weight
    assert more


def test_recombination_finds_the_optimum_from_the_empty_selection() -> None:
    for seed in range(5):
        graph = oracles.biregular(np.random.default_rng(seed), sentences=14)
        search = make_search(reduce_problem(graph, 5), 5)
        found = recombined(search, search.empty(), 40, 10**9, np.random.default_rng(0))
        assert search.value(found) == oracles.optimum(graph, 5)


def test_it_stops_when_its_work_is_done() -> None:
    search = make_search(reduce_problem(dense_graph(1), K), K)
    recombined(search, search.empty(), 10**6, 3_000_000, np.random.default_rng(0))
    assert 3_000_000 <= search.work < 6_000_000


def test_a_time_limit_limits_the_work_and_not_the_clock() -> None:
    graph = dense_graph(2)
    brief = Auto("max", time_limit=0.02).select(graph, K)
    assert Auto("max", time_limit=0.02).select(graph, K) == brief
    assert brief.diagnostics["work"] < 2 * 0.02 * 3 * 10**8
    assert brief.covered_weight > 0


def test_it_chooses_the_same_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    few = dataclasses.replace(EFFORTS["high"], starts=16, patience=50, children=6)
    monkeypatch.setattr(auto, "EFFORTS", {**EFFORTS, "high": few})
    monkeypatch.setattr(auto, "_CANDIDATES", 20)
    monkeypatch.setattr(auto, "_BEYOND_CHOSEN", 1)
    graph = dense_graph(3, items=60, density=0.1)
    quick = Auto("high").select(graph, K)
    monkeypatch.setattr(auto, "make_search", LocalSearch)
    assert Auto("high").select(graph, K) == quick


@pytest.mark.parametrize(("tables", "newcomers"), [(1000, 60 + 10), (5, 5 + 38), (1, 2 + 40)])
def test_it_keeps_fewer_selections_of_large_problems_and_then_makes_every_other_one_anew(
    monkeypatch: pytest.MonkeyPatch, tables: int, newcomers: int
) -> None:
    graph = dense_graph(0, items=40, density=0.1)
    search = make_search(reduce_problem(graph, K), K)
    made = {"_newcomer": 0, "_child": 0}

    def counting(name: str, make: Callable[..., State]) -> Callable[..., State]:
        def counted(*arguments: Any) -> State:
            made[name] += 1
            return make(*arguments)

        return counted

    for name in made:
        monkeypatch.setattr(recombination, name, counting(name, getattr(recombination, name)))
    state = search.empty()
    monkeypatch.setattr(recombination, "_ENTRIES", tables * state.freed.size)
    recombined(search, state, 80, 10**9, np.random.default_rng(1))
    assert made == {"_newcomer": newcomers, "_child": 80 - newcomers}


def test_selections_are_kept_once_each_and_the_best_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[Any]] = []

    def noted(search: LocalSearch, kept: list[Any], *arguments: Any) -> State:
        seen.append(kept)
        return _child(search, kept, *arguments)

    monkeypatch.setattr(recombination, "_child", noted)
    monkeypatch.setattr(recombination, "_KEPT", 5)
    graph = dense_graph(0, items=30, density=0.1)
    search = make_search(reduce_problem(graph, K), K)
    recombined(search, search.empty(), 30, 10**9, np.random.default_rng(0))
    assert 2 <= len(seen[-1]) <= 5
    for kept in seen:
        assert len({each.chosen for each in kept}) == len(kept)
        assert [each.value for each in kept] == sorted((each.value for each in kept), reverse=True)
    assert [sum(each.value for each in kept) for kept in seen] == sorted(
        sum(each.value for each in kept) for kept in seen
    )


def test_a_child_keeps_what_both_parents_chose_and_prefers_what_one_chose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search = LocalSearch(reduce_problem(dense_graph(0, items=40, density=0.1), K), K)
    first, second = (search.choose(np.array(chosen)) for chosen in ([0, 1, 2], [2, 3]))
    asked: list[tuple[State, Any, Any]] = []

    def refilled(_: LocalSearch, state: State, gone: Any, preference: Any) -> State:
        asked.append((state, gone, preference))
        return state

    monkeypatch.setattr(LocalSearch, "refilled", refilled)
    monkeypatch.setattr(recombination, "varied", lambda scale, _: np.ones(len(scale)))
    kept = [_kept(search, state) for state in (first, second)]
    for seed in range(9):
        _child(search, kept, 0, np.random.default_rng(seed))
    for state, gone, preference in asked:
        assert gone.tolist() == ([0, 1] if state is first else [3])
        assert preference.tolist() == [preference[0]] * 4 + [1] * (len(preference) - 4)
    assert {float(preference[0]) for _, _, preference in asked} == {1, 2, 3}
    _child(search, kept[:1] * 2, 0, np.random.default_rng(0))
    assert sorted(asked[-1][1].tolist()) == [0, 1, 2]  # nothing differs, so common sentences are removed


def test_a_child_is_improved_after_its_tabu_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recombination, "tabu_search", lambda search, *_: search.empty())
    search = make_search(reduce_problem(dense_graph(0, items=20, density=0.2), K), K)
    assert search.value(recombined(search, search.empty(), 1, 10**9, np.random.default_rng(0))) > 0


@pytest.mark.parametrize(
    ("least", "start", "costs"), [(1, 0, [1, 5]), (3, 0, [1, 5, 5]), (1, 1, [1, 5, 5]), (1, 3, [1, 5, 5, 6])]
)
def test_it_recombines_promising_sentences_and_then_searches_among_all(
    monkeypatch: pytest.MonkeyPatch, least: int, start: int, costs: list[float]
) -> None:
    seen = []

    def poor_search(search: LocalSearch, *_: Any) -> tuple[State, int]:
        return search.choose(np.array([start])), 1

    def no_recombination(search: LocalSearch, state: State, *_: Any) -> State:
        seen.append(search.cost.tolist())
        return state

    monkeypatch.setattr(auto, "_search", poor_search)
    monkeypatch.setattr(auto, "recombined", no_recombination)
    monkeypatch.setattr(auto, "_CANDIDATES", least)
    graph = make_graph([1, 5, 5, 6], [3, 10, 9, 6], [0, 1, 2, 3], [0, 1, 2, 3])  # by falling weight per cost
    assert Auto("high").select(graph, 10).chosen == (1, 2)
    assert seen == [costs]
