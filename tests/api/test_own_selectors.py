"""Selectors as objects: with settings, and of classes that the user wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import summc
from summc.errors import SettingError
from tests.support.small import write_lines

BP = summc.SELECTORS["bp"]
TEXT = "The dam broke at noon. The mayor resigned. Rain fell on the dam for a week."
PROBLEM = summc.Problem.from_sets({"a": "xy", "b": "y", "c": "z"}, costs={"a": 2, "b": 1, "c": 1})


class Last:
    name = "last"

    def select(self, graph: summc.CoverageGraph, budget: float) -> Iterable[int]:
        return [len(graph.cost) - 1] if budget else []


@dataclass(frozen=True)
class Copy:
    """Chooses as g-greedy does, and returns a selection; ``depth`` only tells objects apart."""

    depth: int = 2
    name = "copy"

    def select(self, graph: summc.CoverageGraph, budget: float) -> summc.Selection:
        return summc.SELECTORS["g-greedy"]().select(graph, budget)


@pytest.mark.parametrize(
    "chosen_by",
    [
        lambda selector: summc.summarize(TEXT, "1s", selector=selector).text,
        lambda selector: summc.summarize(TEXT, "1s", config={"selector": selector}).text,
        lambda selector: summc.Summarizer("1s", selector=selector).fit_transform([TEXT])[0],
    ],
)
def test_own_selectors_make_summaries(chosen_by: Callable[[Any], str]) -> None:
    assert chosen_by(Last()) == "Rain fell on the dam for a week."
    assert chosen_by(Copy()) == chosen_by("g-greedy")


def test_own_selectors_solve_problems_with_cost_weight_and_bound() -> None:
    solution = summc.solve(PROBLEM, 2, Last())
    assert (solution.chosen, solution.cost, solution.covered_weight) == (("c",), 1, 1)
    assert (solution.selector, solution.bound) == ("last", 2)
    assert summc.solve(PROBLEM, 3, Last(), include=["a"]).chosen == ("a", "c")
    assert summc.least_budget(PROBLEM, 0.3, Copy()).share >= 0.3


def test_summaries_by_own_selectors_are_explained_and_signed() -> None:
    summary = summc.summarize(TEXT, "1s", selector=Copy(depth=3))
    assert "|selector:copy|depth:3|" in summary.signature
    assert summary.explain().sentences
    assert 'selector = "copy"' in summary.run.config.to_toml()


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Return a data set of two clusters with two documents each."""
    return write_lines(tmp_path / "two.jsonl")


def test_a_table_has_a_row_for_each_selector_and_names_its_settings(two: Path) -> None:
    own = Last()
    bps: list[Any] = [BP(beta=3), BP(beta=10, mu=0.5), BP(beta=3.0), "bp", BP(), "bp"]
    rows = summc.evaluate(two, [*bps, own, Last(), own, Copy(), Copy(4), "lead"])
    assert [row["selector"] for row in rows] == [
        "bp(beta=3)", "bp(beta=10, mu=0.5)", "bp", "last", "last#2", "copy", "copy(depth=4)", "lead",
    ]  # fmt: skip
    assert {row["versus"] for row in rows[1:]} == {"bp(beta=3)"}
    by_name = {row["selector"]: row["rouge1"] for row in rows}
    (tuned,) = summc.evaluate(two, "bp", config={"selector": "bp", "beta": 3})
    (greedy,) = summc.evaluate(two, summc.SELECTORS["g-greedy"]())
    assert (by_name["bp(beta=3)"], by_name["copy"]) == (tuned["rouge1"], greedy["rouge1"])


def test_a_sweep_and_a_curve_take_objects(two: Path) -> None:
    by_name = summc.sweep(two, 0.1, config={"selector": "bp", "damping": 0.2})
    assert summc.sweep(two, 0.1, selector=BP(damping=0.2)) == by_name
    rows = summc.sweep(two, 0.1, versus=[Copy(), Copy(3), BP(beta=3), "lead"])
    assert [row["selector"] for row in rows] == ["copy", "copy(depth=3)", "bp(beta=3)", "lead", "bp"]
    assert rows[0]["rouge1"] == by_name[0]["rouge1"]
    assert [row["selector"] for row in summc.sweep(two, 0.1, versus=Copy())] == ["copy", "bp"]
    assert summc.curve(two, 9, selector=Copy()) == summc.curve(two, 9, selector="g-greedy")
    with pytest.raises(SettingError, match="last has no mu to vary"):
        summc.sweep(two, 0.1, selector=Last())


@pytest.mark.parametrize(
    ("chosen", "problem"),
    [
        ([0, 1, 2], "selector odd chose sentences of 4 for a budget of 2"),
        ([3], "selector odd chose a sentence that is not in the graph"),
        ([-1], "selector odd chose a sentence that is not in the graph"),
        (None, "selector odd returned no indices of sentences"),
        ([0.5], "selector odd returned no indices of sentences"),
    ],
)
def test_wrong_choices_are_rejected(chosen: Any, problem: str) -> None:
    class Odd:
        name = "odd"

        def select(self, graph: object, budget: float) -> Any:  # noqa: ARG002
            return chosen

    with pytest.raises(SettingError, match=problem):
        summc.solve(PROBLEM, 2, Odd())


@pytest.mark.parametrize("name", ["bp", "lead", "", None, 3])
def test_an_own_selector_needs_a_name_that_is_not_taken(name: Any) -> None:
    named = type("Named", (Last,), {"name": name})()
    for call in (lambda: summc.solve(PROBLEM, 2, named), lambda: summc.evaluate("sample", [named])):
        with pytest.raises(SettingError, match="a name"):
            call()
    with pytest.raises(SettingError, match="an object with a name and select"):
        summc.solve(PROBLEM, 2, Last)  # type: ignore[arg-type]  # a class, not an object
