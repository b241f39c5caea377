"""BP on words with several levels, against enumeration and high-precision equations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from summc.graph.build import make_graph, without_sentences
from summc.records import CoverageGraph, Floats, Indices
from summc.selectors import BeliefPropagation, Decimation, GGreedy, updates
from summc.selectors.belief_propagation import propagate, propagate_all
from summc.selectors.compiled import library
from summc.selectors.decimation import start
from summc.selectors.factors import Levels
from summc.selectors.updates import CompiledUpdate, Update, UpdateInNumpy
from tests import oracles
from tests.conftest import examples
from tests.support.depth import few_examples
from tests.support.strategies import graphs, trees

needs_library = pytest.mark.skipif(library() is None, reason="summc was installed without a C compiler")


def with_scaled_weights(graph: CoverageGraph, factor: float) -> CoverageGraph:
    return make_graph(
        graph.cost, graph.weight * factor, graph.edge_sentence, graph.edge_word,
        count=graph.count, repeats=graph.repeats * factor, repeats_start=graph.repeats_start,
    )  # fmt: skip


def levelled(seed: int, sentences: int = 60, words: int = 40, most_levels: int = 12) -> CoverageGraph:
    """Return a graph like that of a text: a few words are in many sentences and have many levels."""
    rng = np.random.default_rng(seed)
    held = rng.random((sentences, words)) < 1 / np.sqrt(1 + np.arange(words))
    sentence, word = np.nonzero(held)
    levels = np.maximum(1, most_levels // (1 + np.arange(words) // 3))
    weights = [np.sort(rng.random(n))[::-1] for n in levels]
    return make_graph(
        rng.integers(5, 30, sentences), [w[0] for w in weights], sentence, word,
        count=1 + rng.poisson(0.3, len(word)),
        repeats=np.concatenate([w[1:] for w in weights]),
        repeats_start=np.concatenate([[0], np.cumsum(levels - 1)]),
    )  # fmt: skip


# The beliefs


@few_examples()
@given(graph=trees(most_levels=4, most_count=3), beta=st.floats(0.1, 4), mu=st.floats(0, 2))
def test_fields_on_trees_are_the_exact_marginals(graph: CoverageGraph, beta: float, mu: float) -> None:
    beliefs = propagate(graph, beta, mu, iterations=200, damping=0, tolerance=1e-13)
    assert beliefs.converged
    probability = 1 / (1 + np.exp(-beta * beliefs.field))
    assert probability == pytest.approx(oracles.marginals(graph, beta, mu), abs=1e-9)


@few_examples()
@given(
    graph=graphs(most_sentences=5, most_words=4, least_edges=6, most_levels=4, most_count=3),
    beta=st.sampled_from([0.05, 1.0, 3.0, 45.0]),
    mu=st.floats(0, 5),
    iterations=st.integers(1, 5),
    damping=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_updates_follow_the_equations(
    graph: CoverageGraph, beta: float, mu: float, iterations: int, damping: float
) -> None:
    expected = oracles.beliefs(graph, beta, mu, iterations, damping)
    found = propagate(graph, beta, mu, iterations, damping, tolerance=0).field
    scale = max(1, *map(abs, expected))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)


@few_examples()
@given(
    graph=graphs(most_sentences=4, most_words=3, least_edges=6, most_levels=4, most_count=3),
    beta=st.sampled_from([200.0, 1e3, 1e4]),
    mu=st.floats(0, 20),
    scale=st.sampled_from([1, 30, 1000]),
)
def test_updates_follow_the_equations_where_exponentials_underflow(
    graph: CoverageGraph, beta: float, mu: float, scale: float
) -> None:
    scaled = with_scaled_weights(graph, scale / 9)
    expected = oracles.beliefs_without_cancellation(scaled, beta, mu, 3, 0.5)
    found = propagate(scaled, beta, mu, 3, 0.5, tolerance=0).field
    # If fields of opposite sign nearly cancel, rounding decides which term of a sum is the largest.
    error = 16 * math.log(4) / beta + 1e-9 * max(1, *map(abs, expected))
    assert found == pytest.approx(expected, abs=error)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("is_compiled", [pytest.param(True, marks=needs_library), False])
@few_examples()
@given(
    graph=graphs(integers=False, least_edges=5, most_levels=5, most_count=3),
    beta=st.floats(0.01, 1e4),
    mu=st.floats(0, 100),
    scale=st.floats(0, 1e3),
    damping=st.floats(0, 0.99),
)
def test_all_results_are_finite_and_numpy_does_not_warn(
    is_compiled: bool, graph: CoverageGraph, beta: float, mu: float, scale: float, damping: float
) -> None:
    scaled = with_scaled_weights(graph, scale / 10)
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="raise", under="ignore"):
        if not is_compiled:
            patch.setattr(updates, "library", lambda: None)
        beliefs = propagate(scaled, beta, mu, 20, damping, 1e-6)
    assert np.isfinite(beliefs.field).all()
    assert math.isfinite(beliefs.last_change)


def test_a_word_of_one_sentence_sends_a_constant() -> None:
    graph = make_graph([4], [2.0], [0], [0], count=[2], repeats=[1.5, 0.5], repeats_start=[0, 2])
    beliefs = propagate(graph, beta=3, mu=0.5, iterations=10, damping=0.5, tolerance=1e-6)
    constant = (math.log(1 + math.exp(3 * 2.0)) + math.log(1 + math.exp(3 * 1.5))) / 3
    assert beliefs.field == pytest.approx([-0.5 * 4 + constant])
    assert (beliefs.converged, beliefs.iterations, beliefs.last_change) == (True, 0, 0.0)


@few_examples()
@given(graph=graphs(integers=False, least_edges=5), seed=st.integers(0, 99))
def test_levels_that_are_not_reached_change_nothing(graph: CoverageGraph, seed: int) -> None:
    # Each word gets extra levels that its sentences cannot reach.
    degree = np.bincount(graph.edge_word, minlength=len(graph.weight))
    extra = np.random.default_rng(seed).integers(0, 3, len(graph.weight))
    levels = [graph.weight[a] * np.ones(max(int(degree[a]), 1)) for a in range(len(graph.weight))]
    more = [np.concatenate([w, w[:1] * np.ones(n)]) for w, n in zip(levels, extra, strict=True)]
    fields = [
        propagate(
            make_graph(
                graph.cost, graph.weight, graph.edge_sentence, graph.edge_word,
                repeats=np.concatenate([w[1:] for w in each]),
                repeats_start=list(itertools.accumulate((len(w) - 1 for w in each), initial=0)),
            ),
            3, 1, 20, 0.5, 0,
        ).field
        for each in (levels, more)
    ]  # fmt: skip
    assert fields[0] == pytest.approx(fields[1], rel=1e-12, abs=1e-12)


@few_examples()
@given(
    graph=graphs(integers=False, least_edges=5, most_levels=4, most_count=2),
    mus=st.lists(st.floats(0, 5), min_size=2, max_size=5),
    damping=st.sampled_from([None, 0.3]),
)
def test_runs_together_give_the_same_as_runs_alone(
    graph: CoverageGraph, mus: list[float], damping: float | None
) -> None:
    for mu, together in zip(mus, propagate_all(graph, 3, mus, 40, damping, 1e-6), strict=True):
        alone = propagate(graph, 3, mu, 40, damping, 1e-6)
        assert together.field.tolist() == alone.field.tolist()


# One update, to the last digits


def expected_update(
    edges: tuple[Indices, Indices, Indices], levels: list[list[float]], own_field: Floats, message: Floats
) -> list[float]:
    """Return the message of each word to each of its sentences."""
    sentence, word, count = edges
    cavity = (own_field + np.bincount(sentence, message, len(own_field)))[sentence] - message
    return [
        oracles.told_with_levels(
            levels[a],
            int(count[e]),
            [(float(cavity[j]), int(count[j])) for j in np.flatnonzero(word == a) if j != e],
        )
        for e, a in enumerate(word.tolist())
    ]


def both_updates(
    edges: tuple[Indices, Indices, Indices], levels: list[list[float]], own_field: Floats, message: Floats
) -> dict[str, Update]:
    sentence, word, count = edges
    start = list(itertools.accumulate((len(each) - 1 for each in levels), initial=0))
    repeats = np.array([v for each in levels for v in each[1:]])
    more = Levels(count, repeats, np.array(start, dtype=np.intp))
    weight = np.array([each[0] for each in levels])[word]
    found = library()
    made: dict[str, Update] = {
        "numpy": UpdateInNumpy(sentence, word, weight, own_field, message, more),
    }
    if found:
        made["c"] = CompiledUpdate(found, sentence, word, weight, own_field, message, more)
    return made


@examples(150)
@given(
    shape=st.lists(st.tuples(st.integers(2, 6), st.integers(1, 9)), min_size=1, max_size=5),
    runs=st.integers(1, 2),
    weight_scale=st.sampled_from([0.0, 1e-9, 1.0, 40.0, 150.0, 700.0, 1e5]),
    field_scale=st.sampled_from([1e-9, 1.0, 30.0, 150.0, 600.0, 1e6]),
    most_count=st.integers(1, 4),
    seed=st.integers(0, 999),
)
def test_an_update_is_correct_in_c_and_in_numpy(
    shape: list[tuple[int, int]],
    runs: int,
    weight_scale: float,
    field_scale: float,
    most_count: int,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    word = np.repeat(np.arange(len(shape)), [degree for degree, _ in shape])
    sentence = rng.integers(6, size=len(word))
    levels = [sorted((weight_scale * rng.random(n)).tolist(), reverse=True) for _, n in shape]
    most = np.array([n for _, n in shape])[word]
    count = np.minimum(rng.integers(1, most_count + 1, len(word)), most)
    own_field = field_scale * rng.normal(size=(runs, 6))
    message = weight_scale * rng.random((runs, len(word)))
    edges = (sentence, word, count)
    for name, update in both_updates(edges, levels, own_field, message).items():
        change = update(np.ones(runs))
        assert change.tolist() == np.abs(update.moved).max(axis=1).tolist()
        for run in range(runs):
            told = np.array(expected_update(edges, levels, own_field[run], message[run]))
            scale = 1 + np.abs(told) + np.abs(message[run])
            error = np.abs(update.moved[run] - (message[run] - told)) / scale
            assert error.max() <= (2e-14 if name == "c" else 1e-7)


@needs_library
@pytest.mark.parametrize(
    ("weight_scale", "fields"),
    [(3.0, (-300, -10, 0)), (30.0, (-60, -3, 20)), (100.0, (-300, -3, 0)), (400.0, (-60, -10, 20))],
)
def test_messages_of_words_with_many_sentences_and_levels_are_correct(
    weight_scale: float, fields: tuple[int, ...]
) -> None:
    # Like function words in news: the exponential of their total weight is far beyond a float.
    rng = np.random.default_rng(7)
    degree = 12
    levels = [(weight_scale / (1 + np.exp((np.arange(n) - n / 3) / (n / 10)))).tolist() for n in (10, 24)]
    word = np.repeat([0, 1], degree)
    sentence = np.tile(np.arange(degree), 2)
    count = rng.integers(1, 5, len(word))
    edges = (sentence, word, count)
    message = np.zeros((1, len(word)))
    for field in fields:
        own_field = field + rng.normal(size=(1, degree)) * abs(field) / 5
        told = np.array(expected_update(edges, levels, own_field[0], message[0]))
        for name, update in both_updates(edges, levels, own_field, message).items():
            update(np.ones(1))
            error = np.abs(update.moved[0] + told) / (1 + np.abs(told))
            assert error.max() <= (1e-13 if name == "c" else 1e-10)


@pytest.mark.parametrize("runs", [1, 2])
def test_messages_of_words_with_few_levels_are_correct(runs: int) -> None:
    # The trees of a group of words have different heights, and some leaves have no edge.
    rng = np.random.default_rng(11)
    degree = np.array([2, 9, 3, 17, 2, 5, 19, 4, 8, 7])
    word, sentence = np.repeat(np.arange(len(degree)), degree), rng.integers(6, size=degree.sum())
    levels = [sorted((9 * rng.random(n)).tolist(), reverse=True) for n in (4, 1, 2, 4, 3, 1, 4, 2, 3, 6)]
    count = np.minimum(rng.integers(1, 4, len(word)), np.array([len(each) for each in levels])[word])
    edges = (sentence, word, count)
    own_field, message = rng.normal(size=(runs, 6)) - 30, rng.random((runs, len(word)))
    told = np.array([expected_update(edges, levels, *each) for each in zip(own_field, message, strict=True)])
    for update in both_updates(edges, levels, own_field, message).values():
        update(np.ones(runs))
        assert update.moved == pytest.approx(message - told, abs=1e-12, rel=1e-12)


# The selectors


@few_examples()
@given(
    graph=graphs(least_edges=4, most_levels=4, most_count=3),
    budget=st.integers(0, 30),
    beta=st.sampled_from(["auto", 0.5, 30.0]),
)
def test_selections_fit_the_budget_and_report_their_coverage(
    graph: CoverageGraph, budget: int, beta: float | str
) -> None:
    best = oracles.optimum(graph, budget)
    for selector in (BeliefPropagation(beta=beta), Decimation(beta=beta)):
        found = selector.select(graph, budget)
        assert found.cost <= budget
        assert found.covered_weight == oracles.coverage(graph, found.chosen) <= best + 1e-9
        assert found.diagnostics["iterations"] >= 0


def left_of(graph: CoverageGraph, chosen: list[int], candidates: list[int]) -> CoverageGraph:
    """Return the graph of the remaining candidates, without words that have no level left."""
    rest = without_sentences(graph, chosen)
    kept = np.isin(rest.edge_sentence, candidates) & (rest.weight[rest.edge_word] > 0)
    return make_graph(
        graph.cost, rest.weight, rest.edge_sentence[kept], rest.edge_word[kept],
        count=rest.count[kept], repeats=rest.repeats, repeats_start=rest.repeats_start,
    )  # fmt: skip


@few_examples(100)
@given(graph=trees(most_levels=4, most_count=3), budget=st.integers(1, 20), mu=st.floats(0.1, 2))
def test_decimation_is_bp_on_the_remaining_graph(graph: CoverageGraph, budget: int, mu: float) -> None:
    # On trees messages converge to the same values from any start. A level of weight 0 is still a level.
    assume((graph.repeats > 0).all())
    beta, terms = 2.0, (2000, 0.5, 1e-12)
    chosen: list[int] = []
    live, spent = start(graph, beta, mu), 0.0
    while candidates := [
        i for i in range(len(graph.cost)) if i not in chosen and spent + graph.cost[i] <= budget
    ]:
        live, _ = live.without(~np.isin(np.arange(len(graph.cost)), candidates)).settled(*terms)
        field = live.field()[candidates]
        plain = propagate(left_of(graph, chosen, candidates), beta, mu, *terms).field[candidates]
        assert field == pytest.approx(beta * plain, rel=1e-9, abs=1e-9)
        best = candidates[int((field / graph.cost[candidates]).argmax())]
        chosen.append(best)
        spent += float(graph.cost[best])
        live = live.with_covered(best)
    selector = Decimation(beta=beta, mu=mu, iterations=2000, rounds=2000, damping=0.5, tolerance=1e-12)
    assert selector.select(graph, budget).chosen == tuple(sorted(chosen))


@given(graph=graphs(least_edges=8, most_levels=4, most_count=3), data=st.data())
def test_covering_a_sentence_leaves_the_graph_without_it(graph: CoverageGraph, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(graph.cost))))[:3]
    live = start(graph, 2.0, 1.0)
    for i in order:
        live = live.with_covered(i)
    rest = without_sentences(graph, order)
    left = oracles.holdings(rest)
    weights = oracles.levels(rest)
    now = live.messages
    found = {
        (i, a): c
        for i, a, c in zip(now.sentence.tolist(), now.word.tolist(), now.count.tolist(), strict=True)
    }
    times = {a: sum(oracles.holdings(graph)[i].get(a, 0) for i in order) for a in range(len(graph.weight))}
    for i, a in set(zip(graph.edge_sentence.tolist(), graph.edge_word.tolist(), strict=True)):
        if i in order or times[a] >= len(oracles.levels(graph)[a]):
            assert (i, a) not in found
        else:
            assert found[i, a] == left[i][a]
            begin, end = now.factors.repeats_start[a : a + 2]
            assert [now.factors.weight[a], *now.factors.repeats[begin:end]] == pytest.approx(
                [2 * v for v in weights[a]]
            )


def test_bp_converges_and_reports_it() -> None:
    graph = levelled(1)
    settled = BeliefPropagation(beta=2, mu=0.1, iterations=500).select(graph, 100).diagnostics
    assert settled["converged"]
    assert settled["iterations"] < 500
    assert settled["last_change"] <= 1e-6
    cut = BeliefPropagation(beta=2, mu=0.1, iterations=3).select(graph, 100).diagnostics
    assert (cut["converged"], cut["iterations"]) == (False, 3)


def test_messages_converge_to_the_same_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = levelled(5, sentences=20, words=20)
    selectors = (BeliefPropagation(), Decimation(mu=0.2))
    quick = [selector.select(graph, 100) for selector in selectors]
    monkeypatch.setattr(updates, "library", lambda: None)
    slow = [selector.select(graph, 100) for selector in selectors]
    assert [found.chosen for found in slow] == [found.chosen for found in quick]
    assert slow[0].diagnostics["iterations"] == quick[0].diagnostics["iterations"]


def test_the_scale_of_the_weights_does_not_matter() -> None:
    graph = levelled(2, sentences=20, words=20)
    for selector in (BeliefPropagation(), Decimation()):
        plain = selector.select(graph, 100)
        for factor in (1e-3, 7):
            scaled = selector.select(with_scaled_weights(graph, factor), 100)
            assert scaled.chosen == plain.chosen
            assert scaled.diagnostics["beta"] == pytest.approx(plain.diagnostics["beta"] / factor)


def test_decimation_covers_more_than_g_greedy() -> None:
    cases = [levelled(seed, sentences=20, words=20) for seed in range(4)]
    more = [
        Decimation().select(graph, 100).covered_weight / GGreedy().select(graph, 100).covered_weight
        for graph in cases
    ]
    assert np.mean(more) > 1
