"""The inner loops in C give the same answers as numpy, and summc works without them."""

from __future__ import annotations

import logging
import os
import re
import shutil
from ctypes import c_double, c_int, c_int64, c_uint32
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.graph.build import make_graph
from summc.records import CoverageGraph
from summc.selectors import (
    SELECTORS,
    Auto,
    BeliefPropagation,
    auto,
    compiled,
    compiled_search,
    readable,
    tabu,
    updates,
)
from summc.selectors.compiled import library, load_library
from summc.selectors.compiled_search import CompiledSearch
from summc.selectors.local_search import ENDLESS, LocalSearch, State
from summc.selectors.reduction import reduce_problem
from summc.selectors.updates import CompiledUpdate, UpdateInNumpy
from tests import oracles
from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.depth import few_examples
from tests.support.loading import load_file
from tests.support.strategies import graphs

needs_library = pytest.mark.skipif(library() is None, reason="summc was installed without a C compiler")
needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here")


@pytest.fixture(scope="module")
def build() -> ModuleType:
    """Return the script that builds the library. It builds quickly here, because speed does not matter."""
    script = load_file(ROOT / "summc" / "selectors" / "compiled" / "build.py")
    vars(script).update(FLAGS=(*script.FLAGS, "-O0"))
    return script


@pytest.fixture(scope="module")
def built(build: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the C sources and the library built from them."""
    folder = sources(tmp_path_factory.mktemp("built"))
    assert build.compile_library(folder) == ""
    assert {path.name for path in folder.iterdir()} == {*compiled.SOURCES, compiled.LIBRARY}
    return folder


def sources(folder: Path) -> Path:
    """Copy the C sources into a folder, and return it."""
    for name in compiled.SOURCES:
        shutil.copy(ROOT / "summc" / "selectors" / "compiled" / name, folder)
    return folder


# The library


@needs_compiler
def test_a_library_is_used_only_with_the_sources_it_was_built_from(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    assert load_library(tmp_path) is not None
    with (tmp_path / "search.c").open("a") as file:
        file.write("/* changed */\n")
    assert load_library(tmp_path) is None


def test_build_and_package_name_the_same_files(build: ModuleType) -> None:
    assert (build.SOURCES, build.LIBRARY) == (compiled.SOURCES, compiled.LIBRARY)
    assert {path.name for path in (ROOT / build.FOLDER).glob("*.c")} == set(compiled.SOURCES)


@pytest.mark.parametrize("compiler", ["false", "no-such-compiler"])
def test_without_a_compiler_the_build_says_so_and_leaves_nothing(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    monkeypatch.setattr(build, "_compiler", lambda: [compiler])
    assert compiler in build.compile_library(sources(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == set(compiled.SOURCES)


def test_nothing_is_compiled_if_the_user_says_so(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMC_PURE", "1")
    assert build.compile_library(sources(tmp_path)) == "SUMMC_PURE is set"
    assert {path.name for path in tmp_path.iterdir()} == set(compiled.SOURCES)


def test_a_broken_library_is_ignored(tmp_path: Path) -> None:
    (sources(tmp_path) / compiled.LIBRARY).write_bytes(os.urandom(100))
    assert load_library(tmp_path) is None


@needs_compiler
def test_a_library_without_its_sources_is_taken(built: Path, tmp_path: Path) -> None:
    shutil.copy(built / compiled.LIBRARY, tmp_path)
    found = load_library(tmp_path)
    assert found is not None
    problem = reduce_problem(random_graph(1, 30, 40, 5), 90)
    search = CompiledSearch(found, problem, 90)
    state = search.empty()
    search.fill(state, np.ones(len(problem.cost)))
    assert search.value(state) > 0


@needs_compiler
def test_a_library_beside_some_of_its_sources_is_not_taken(
    built: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    (tmp_path / "messages.c").unlink()
    with caplog.at_level(logging.DEBUG, "summc"):
        assert load_library(tmp_path) is None
    assert "messages.c" in caplog.text


#: In which file, and how, each structure becomes larger than the one in Python.
LARGER = {
    "Problem": ("search.c", "work; /*", "work, more; /*", "Problem has 176 bytes there and 168 here"),
    "State": ("search.c", "*freed, *loss;", "*freed, *loss, *more;", "State has 72 bytes there and 64 here"),
    "Tabu": ("search.c", "double best;", "double best, more;", "Tabu has 88 bytes there and 80 here"),
    "Edges": ("messages.c", "words, edges;", "words, edges, more;", "Edges has 112 bytes there and 104 here"),
}


def change(folder: Path, source: str, old: str, new: str) -> None:
    text = (folder / source).read_text()
    assert text.count(old) == 1
    (folder / source).write_text(text.replace(old, new))


@needs_compiler
def test_a_library_with_other_structures_is_not_taken(
    build: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources(tmp_path)
    for source, old, new, _ in LARGER.values():
        change(tmp_path, source, old, new)
    assert build.compile_library(tmp_path) == ""
    all_ = compiled.STRUCTURES
    assert {each.__name__ for each in all_.values()} == set(LARGER)
    for function, structure in all_.items():
        monkeypatch.setattr(compiled, "STRUCTURES", {function: structure})
        caplog.clear()
        with caplog.at_level(logging.DEBUG, "summc"):
            assert load_library(tmp_path) is None
        assert LARGER[structure.__name__][-1] in caplog.text
        assert "NumPy does its work" in caplog.text


@needs_compiler
def test_a_library_with_other_functions_is_not_taken(
    build: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    change(sources(tmp_path), "search.c", "int summc_improve(", "int summc_better(")
    assert build.compile_library(tmp_path) == ""
    with caplog.at_level(logging.DEBUG, "summc"):
        assert load_library(tmp_path) is None
        for name in compiled.SOURCES:
            (tmp_path / name).unlink()
        assert load_library(tmp_path) is None
    assert ["summc_improve" in record.getMessage() for record in caplog.records] == [True, True]


def test_every_function_is_declared_as_c_has_it() -> None:
    types = {"int": c_int, "int64_t": c_int64, "uint32_t": c_uint32, "double": c_double, "void": None}
    found = {}
    for name in compiled.SOURCES:
        text = (ROOT / "summc" / "selectors" / "compiled" / name).read_text()
        for result, function, listed in re.findall(r"^(\w+) (summc_\w+)\(([^)]*)\) {", text, re.MULTILINE):
            arguments = [] if listed == "void" else [each.split() for each in listed.split(",")]
            pointers = [argument[-1].startswith("*") for argument in arguments]
            structures = [
                next((word for word in argument if word in vars(compiled)), "") for argument in arguments
            ]
            found[function] = (types[result], pointers, structures)
    declared = {
        function: (
            result,
            [argument not in (c_int64, c_double) for argument in arguments],
            [getattr(getattr(argument, "_type_", None), "__name__", "") for argument in arguments],
        )
        for function, (result, arguments) in compiled.FUNCTIONS.items()
    }
    assert declared == found


# Local search: bit for bit

one_level = graphs(most_sentences=14, most_words=16, integers=False)
levelled = graphs(
    most_sentences=14, most_words=16, integers=False, least_edges=15, most_levels=4, most_count=3
)


def searches(graph: CoverageGraph, budget: float, most_work: int) -> tuple[LocalSearch, LocalSearch]:
    problem, found = reduce_problem(graph, budget), library()
    assert found
    return LocalSearch(problem, budget, most_work), CompiledSearch(found, problem, budget, most_work)


def content(search: LocalSearch, state: State) -> list[object]:
    """Return the content of a state without its empty slots, whose number may differ."""
    used = int(np.flatnonzero(state.member >= 0).max(initial=-1)) + 1
    arrays = (state.chosen, state.member[:used], state.loss[:used], state.count, state.gain)
    return [
        state.spent, search.work, search.value(state), state.freed[:used].tolist(),
        *(array.tolist() for array in arrays),
    ]  # fmt: skip


@needs_library
@few_examples(120)
@given(graph=one_level | levelled, budget=st.integers(1, 40),
       seed=st.integers(0, 99), most_work=st.sampled_from([0, 100, 300, ENDLESS]))  # fmt: skip
def test_every_operation_leaves_the_same_state(
    graph: CoverageGraph, budget: int, seed: int, most_work: int
) -> None:
    pair = searches(graph, budget, most_work)
    n = len(pair[0].cost)
    if not n:
        return
    rng = np.random.default_rng(seed)
    preference, moves, more = rng.random(n), rng.integers(n, size=6), rng.integers(4, size=8192)
    states = [search.empty() for search in pair]

    def same() -> None:
        assert content(pair[0], states[0]) == content(pair[1], states[1])

    for move in moves.tolist():
        for search, state in zip(pair, states, strict=True):
            (search.remove if state.chosen[move] else search.add)(state, move)
        same()
    states = [
        search.without(state, np.flatnonzero(state.chosen))
        for search, state in zip(pair, states, strict=True)
    ]
    same()
    for search, state in zip(pair, states, strict=True):
        search.fill(state, preference)
    same()
    for search, state in zip(pair, states, strict=True):
        search.improve(state)
    same()
    in_numpy, in_c = pair
    assert isinstance(in_c, CompiledSearch)
    states = [
        tabu.in_numpy(in_numpy, states[0], 40, 10**9, more),
        in_c.tabu(states[1], 40, 10**9, more, *tabu.TERMS),
    ]
    same()


@needs_library
@few_examples(200)
@given(graph=one_level | levelled, budget=st.integers(1, 40), seed=st.integers(0, 99),
       share=st.sampled_from([0.0, 0.8, 1.0]))  # fmt: skip
def test_the_same_exchanges_are_found_in_the_same_order(
    graph: CoverageGraph, budget: int, seed: int, share: float
) -> None:
    pair = searches(graph, budget, ENDLESS)
    n = len(pair[0].cost)
    rng = np.random.default_rng(seed)
    preference, may_go = rng.random(n), rng.random(n) < share
    found = []
    for search in pair:
        state = search.empty()
        search.fill(state, preference)
        before = content(search, state)
        least = share * search.value(state)
        found.append(readable.best_exchanges(search, state, may_go, least))
        before[1] = search.work  # all else stays as it was
        assert content(search, state) == before
        for value, out, into in found[-1]:
            assert value > least
            assert all(may_go[i] for i in out)
            search.exchange(state, out, into)
            assert search.value(state) == value
            assert state.spent <= budget
            search.exchange(state, into, out)
    assert found[0] == found[1]


@needs_library
@pytest.mark.parametrize(("shape", "budget"), [((60, 90, 8), 300), ((60, 200, 8), 1200), ((300, 60, 10), 90)])
@pytest.mark.parametrize("levels", [1, 9])
def test_large_choices_have_the_same_exchanges(shape: tuple[int, int, int], budget: int, levels: int) -> None:
    pair = searches(random_graph(7, *shape, levels), budget, ENDLESS)
    found = []
    for search in pair:
        state = search.empty()
        search.fill(state, np.ones(len(search.cost)))
        may_go = np.ones(len(search.cost), dtype=bool)
        found.append(readable.best_exchanges(search, state, may_go, 0.9 * search.value(state)))
    assert found[0] == found[1]
    assert len(found[0]) == 40


def random_graph(seed: int, sentences: int, words: int, held: int, levels: int = 1) -> CoverageGraph:
    """Return a problem whose sentences hold ``held`` words each; a word has ``levels`` levels."""
    rng = np.random.default_rng(seed)
    held_by = np.concatenate([rng.choice(words, held, replace=False) for _ in range(sentences)])
    cost, weight = rng.integers(5, 40, sentences), rng.random(words)
    repeats = np.multiply.accumulate(rng.random((words, levels - 1)), axis=1) * weight[:, None]
    return make_graph(
        cost,
        weight,
        np.repeat(np.arange(sentences), held),
        held_by,
        count=rng.integers(1, 4, len(held_by)),
        repeats=repeats.ravel(),
        repeats_start=np.arange(words + 1) * (levels - 1),
    )


@needs_library
@pytest.mark.parametrize(
    ("shape", "budget", "effort", "levels"),
    [
        ((60, 90, 8), 300, "low", 9),
        ((80, 300, 12), 100, "normal", 1),
        ((300, 60, 10), 90, "low", 1),
        ((100, 60, 10), 90, "low", 9),
    ],
)
def test_auto_chooses_the_same_with_and_without_the_library(
    shape: tuple[int, int, int], budget: int, effort: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = random_graph(7, *shape, levels)
    quick = Auto(effort).select(graph, budget)
    monkeypatch.setattr(auto, "make_search", LocalSearch)
    assert Auto(effort).select(graph, budget) == quick


# Messages: to the last digits


@needs_library
@few_examples(150)
@given(
    degrees=st.lists(st.integers(2, 5), min_size=1, max_size=6),
    runs=st.integers(1, 3),
    weight_scale=st.sampled_from([0.0, 1e-9, 1.0, 40.0, 700.0, 1e5]),
    field_scale=st.sampled_from([1e-9, 1.0, 30.0, 600.0, 800.0, 1e6]),
    seed=st.integers(0, 999),
)
def test_an_update_in_c_and_in_numpy_gives_the_same_messages(
    degrees: list[int], runs: int, weight_scale: float, field_scale: float, seed: int
) -> None:
    found, rng = library(), np.random.default_rng(seed)
    assert found
    word = np.repeat(np.arange(len(degrees)), degrees)
    sentence = rng.integers(6, size=len(word))
    weight = (weight_scale * rng.random(len(degrees)))[word]
    own_field = field_scale * rng.normal(size=(runs, 6))
    message = weight * rng.random((runs, len(word)))
    edges = np.arange(len(word))
    compiled = CompiledUpdate(found, sentence, word, weight, own_field, message)
    plain = UpdateInNumpy(sentence, word, weight, own_field, message)
    change, _ = compiled(np.ones(runs)), plain(np.ones(runs))
    in_c, in_numpy = compiled.moved, plain.moved
    for run in range(runs):
        cavity = (own_field[run] + np.bincount(sentence, message[run], 6))[sentence] - message[run]
        told = [
            oracles.told(w, cavity[(word == a) & (edges != e)].tolist())
            for e, (a, w) in enumerate(zip(word, weight, strict=True))
        ]
        expected = message[run] - told
        scale = 1 + np.abs(told) + np.abs(message[run])
        assert (np.abs(in_c[run] - expected) <= 1e-14 * scale).all()
        assert (np.abs(in_numpy[run] - expected) <= 1e-7 * scale).all()
    assert change.tolist() == np.abs(in_c).max(axis=1).tolist()


@pytest.mark.parametrize(
    "fields",
    [(40.0, -20.0, -21.0), (-800.0, -801.0, -802.5), (-800.0, -800.0, -800.0), (5.0, -900.0, -901.0)],
)
def test_an_update_in_numpy_loses_no_digits_beside_large_terms_or_to_underflow(
    fields: tuple[float, ...],
) -> None:
    edges = np.arange(3)
    update = UpdateInNumpy(edges, np.zeros(3, int), np.full(3, 2000.0), np.array([fields]), np.zeros((1, 3)))
    update(np.ones(1))
    expected = [oracles.told(2000.0, [*fields[:i], *fields[i + 1 :]]) for i in range(3)]
    assert (-update.moved[0]).tolist() == pytest.approx(expected, rel=1e-9)


@needs_library
def test_an_update_of_many_edges_does_not_depend_on_how_they_are_blocked() -> None:
    found, rng = library(), np.random.default_rng(3)
    assert found
    word = np.repeat(np.arange(40), rng.integers(2, 3000, 40))
    sentence = rng.integers(500, size=len(word))
    weight, own_field = (10 * rng.random(40))[word], 4 * rng.normal(size=(2, 500)) - 12
    message = rng.random((2, len(word)))
    in_c = CompiledUpdate(found, sentence, word, weight, own_field, message)
    in_numpy = UpdateInNumpy(sentence, word, weight, own_field, message)
    for taken in (0.0, 0.3, 0.5):
        part = np.array([taken, 0.4])
        assert in_c(part) == pytest.approx(in_numpy(part), rel=1e-9)
    # Compared by numpy, as pytest.approx is slow for a hundred thousand numbers.
    assert np.isclose(in_c.moved, in_numpy.moved, rtol=5e-10, atol=5e-10).all()
    assert np.isclose(in_c.message, in_numpy.message, rtol=5e-10, atol=5e-10).all()


# The whole


@pytest.mark.parametrize("selector", sorted(set(SELECTORS) - {"exact"}))
def test_summaries_of_the_sample_do_not_depend_on_the_library(
    summc: Cli, selector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sorted((SAMPLE / "docs" / "d90004t").iterdir())[:2]
    arguments = ["summarize", *files, "--selector", selector, "-k", "60"]
    as_built = summc(*arguments)
    monkeypatch.setattr(compiled_search, "library", lambda: None)
    monkeypatch.setattr(updates, "library", lambda: None)
    plain = summc(*arguments)
    assert (plain.code, plain.out) == (0, as_built.out)


def test_messages_converge_to_the_same_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(5, 80, 120, 6)
    quick = BeliefPropagation(mu=0.02).select(graph, 200)
    monkeypatch.setattr(updates, "library", lambda: None)
    slow = BeliefPropagation(mu=0.02).select(graph, 200)
    assert slow.chosen == quick.chosen
    assert slow.diagnostics["iterations"] == quick.diagnostics["iterations"]
