"""Explanations: their numbers against a plain recount, and how they are shown."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import pty
import re
import subprocess
import sys
import termios
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.cli.summarize import screen
from summc.documents import cluster_of_texts
from summc.errors import SettingError
from summc.graph.build import make_graph
from summc.method import summarize, write
from summc.preprocess.terms import make_stemmer, term_spans, terms, words
from summc.records import (
    Cluster,
    ConceptIndex,
    CoverageGraph,
    Document,
    Run,
    Sentence,
    TokenizedCluster,
    WordWeights,
)
from summc.report.explain import (
    MOST_MISSED,
    Question,
    Word,
    explain,
    explain_all,
    field_of,
    figures_of,
    find,
    surface_forms,
    worth_showing,
)
from summc.report.text import render_explanations, weight
from summc.selectors import BeliefPropagation, GGreedy
from summc.selectors.base import make_selection
from summc.selectors.belief_propagation import propagate
from summc.selectors.solving import solve
from summc.settings.config import Config
from tests.conftest import ROOT, SAMPLE, Cli, examples
from tests.oracles import coverage, holdings, levels
from tests.support.small import DAM, write_lines
from tests.support.strategies import graphs

GOLDEN = Path(__file__).parent.parent / "golden"
WHOLE = SAMPLE / "docs" / "d90004t"
#: Settings without reading prices.
BY_COVERAGE = Config().with_settings({"reading": 0})


def run_of(texts: list[str], graph: CoverageGraph, budget: float, chosen: Iterable[int]) -> Run:
    """Return a run on a given graph, whose words are w0, w1, ..."""
    cost = dict(zip(graph.sentence_ids.tolist(), graph.cost.tolist(), strict=True))
    sentences = tuple(Sentence(0, i, text, int(cost.get(i, 3))) for i, text in enumerate(texts))
    tokenized = TokenizedCluster(
        Cluster("c", (Document("d", sentences),)), ConceptIndex.of([()] * len(texts))
    )
    weights = WordWeights(tuple(f"w{a}" for a in range(len(graph.weight))), graph.weight, "sentence")
    return write(tokenized, weights, graph, make_selection(graph, budget, "test", list(chosen)), Config())


@st.composite
def choices(draw: st.DrawFn, *, most_levels: int = 1, most_count: int = 1, least_edges: int = 0) -> Run:
    """Draw a choice within a budget for a small problem."""
    graph = draw(graphs(most_levels=most_levels, most_count=most_count, least_edges=least_edges))
    budget = draw(st.integers(1, 30))
    chosen: list[int] = []
    for i in draw(st.permutations(range(len(graph.cost)))):
        if graph.cost[i] + sum(graph.cost[j] for j in chosen) <= budget and draw(st.booleans()):
            chosen.append(i)
    return run_of([f"Sentence {i}" for i in range(len(graph.cost))], graph, budget, chosen)


#: Choices from problems in which most sentences share words with others, few of them do, or words are worth
#: covering more than once.
made_choices = choices(least_edges=6) | choices() | choices(most_levels=4, most_count=3, least_edges=4)


def weights_of(named: Iterable[Word]) -> dict[int, float]:
    """Return the weights of words by word number, and check that the heaviest comes first."""
    listed = list(named)
    assert [word.weight for word in listed] == sorted((word.weight for word in listed), reverse=True)
    return {int(word.text[1:]): word.weight for word in listed}


def worth(graph: CoverageGraph, a: int, occurrences: int) -> float:
    """Return V_a(n), the worth of the first n occurrences of word a, by a recount."""
    return sum(levels(graph)[a][:occurrences])


@examples(150)
@given(made_choices)
def test_the_words_of_a_sentence_add_up_to_what_its_removal_uncovers(made: Run) -> None:
    graph, chosen = made.graph, made.selection.chosen
    held = holdings(graph)
    found = explain(made, BY_COVERAGE)
    assert [each.location.index for each in found.sentences] == list(chosen)
    for i, each in zip(chosen, found.sentences, strict=True):
        rest = tuple(j for j in chosen if j != i)
        lost, shared = weights_of(each.alone), weights_of(each.shared)
        assert each.total == coverage(graph, (i,))
        assert each.loss == sum(lost.values()) == coverage(graph, chosen) - coverage(graph, rest)
        assert sum(shared.values()) == each.total - each.loss
        for a, count in held[i].items():
            others = sum(held[j].get(a, 0) for j in rest)
            loss = worth(graph, a, others + count) - worth(graph, a, others)
            assert lost.get(a) == (loss if others < len(levels(graph)[a]) else None)
            assert shared.get(a) == (worth(graph, a, count) - loss if others else None)


@examples(90)
@given(made_choices)
def test_the_runner_up_is_the_best_replacement(made: Run) -> None:
    graph, chosen = made.graph, made.selection.chosen
    for i, each in zip(chosen, explain(made, BY_COVERAGE).sentences, strict=True):
        rest = tuple(j for j in chosen if j != i)
        room = made.selection.budget - sum(graph.cost[j] for j in rest)
        others = [j for j in range(len(graph.cost)) if j not in chosen and graph.cost[j] <= room]
        values = {j: coverage(graph, (*rest, j)) for j in others}
        best = max(values.values(), default=0)
        found = each.runner_up and (each.runner_up.location.index, each.runner_up.change)
        assert found == (
            (min(j for j in others if values[j] == best), best - coverage(graph, chosen))
            if best > coverage(graph, rest)
            else None
        )


@examples(150)
@given(made_choices, st.data())
def test_why_not_gives_the_gain_of_a_sentence(made: Run, data: st.DataObject) -> None:
    graph, selection = made.graph, made.selection
    chosen, held = selection.chosen, holdings(graph)
    asked = data.draw(st.integers(0, len(graph.cost) - 1))
    (answer,) = explain(made, BY_COVERAGE, [Question("?", asked, quoted=True)]).answers
    more = coverage(graph, tuple({*chosen, asked})) - coverage(graph, chosen)
    assert answer.number == (chosen.index(asked) + 1 if asked in chosen else None)
    assert answer.gain == sum(weights_of(answer.new).values()) == more
    assert answer.total == coverage(graph, (asked,))
    times = {a: sum(held[i].get(a, 0) for i in chosen) for a in held[asked]}
    added = {a for a in times if asked not in chosen and times[a] < len(levels(graph)[a])}
    assert weights_of(answer.new).keys() == added
    assert [number for number, _ in answer.covered] == [
        n for n, other in enumerate(chosen, start=1) if held[other].keys() & held[asked].keys()
    ]
    for number, common in answer.covered:
        other = chosen[number - 1]
        assert weights_of(common).keys() == held[asked].keys() & held[other].keys()
        if other != asked:
            both = coverage(graph, (asked,)) + coverage(graph, (other,)) - coverage(graph, (asked, other))
            assert sum(word.weight for word in common) == both
    assert answer.fits == (graph.cost[asked] + selection.cost <= selection.budget)
    exchanges = [
        coverage(graph, (*(j for j in chosen if j != i), asked)) - coverage(graph, chosen)
        for i in chosen
        if asked not in chosen and selection.cost - graph.cost[i] + graph.cost[asked] <= selection.budget
    ]
    assert (answer.exchange.change if answer.exchange else None) == max(exchanges, default=None)


@examples(150)
@given(made_choices)
def test_missed_words_are_those_whose_next_occurrence_weighs_most(made: Run) -> None:
    graph, chosen = made.graph, made.selection.chosen
    held = holdings(graph)
    others = [i for i in range(len(graph.cost)) if i not in chosen]
    times = {a: sum(held[i].get(a, 0) for i in chosen) for a in range(len(graph.weight))}
    left = {a for i in others for a in held[i]}
    following = [worth(graph, a, times[a] + 1) - worth(graph, a, times[a]) for a in left]
    found = explain(made, BY_COVERAGE).missed
    assert [each.word.weight for each in found] == sorted(filter(None, following), reverse=True)[:MOST_MISSED]
    for each in found:
        a, i = int(each.word.text[1:]), each.location.index
        assert each.covered == times[a]
        assert i in others
        assert a in held[i]
        assert each.gain == coverage(graph, (*chosen, i)) - coverage(graph, chosen)


@examples(90)
@given(made_choices)
def test_figures_match_a_recount(made: Run) -> None:
    graph, chosen = made.graph, made.selection.chosen
    for i, (total, gain) in enumerate(figures_of(made)):
        rest = tuple(j for j in chosen if j != i)
        assert total == coverage(graph, (i,))
        assert gain == coverage(graph, (*rest, i)) - coverage(graph, rest)


# Function words


def explained(texts: list[str], **settings: object) -> tuple[Run, Config]:
    config = Config().with_settings({"selector": "g-greedy", **settings})
    (made,) = summarize([cluster_of_texts(texts)], config)
    assert isinstance(made, Run)
    return made, config


def test_function_words_are_left_out_of_lists_but_counted_in_sums() -> None:
    made, config = explained(["The dam of the town broke in the night."], budget=20, weighting="expected")
    (found,) = explain_all([made], config)
    (only,) = found.sentences
    function = {word.text for word in only.alone if word.function}
    assert function == {"the", "of", "in", "of the", "in the"}
    assert sum(word.weight for word in only.alone) == pytest.approx(only.loss)
    (line,) = re.findall("^    lost +(.*)$", render_explanations([found], 1000), re.MULTILINE)
    *shown, more = line.split(", ")
    assert [re.sub(r"\xa0[\d.]+$", "", word).replace("\xa0", " ") for word in shown] == [
        word.text for word in only.alone if not word.function
    ]
    assert more == "and 5 more"


def test_function_words_are_shown_as_written(summc: Cli) -> None:
    flags = ("-k", 60, *DAM, "--weighting", "expected", "--concepts", "words", "--selector", "g-greedy")
    asked = ("--why-not", "No. 9, in Lower Ansby, was silent", "--least-words", 1, "--leave-out", "nothing")
    (answer,) = json.loads(summc("explain", *flags, *asked, "--format", "json").out)["why_not"]
    assert "was" in {word["word"] for word in answer["new"]}  # its stem is "wa"


def test_function_words_are_shown_if_there_are_no_others() -> None:
    words = [Word("of", 0.5, function=True), Word("the", 0.2, function=True)]
    assert worth_showing(words) == words
    assert worth_showing([*words, Word("dam", 0.1)]) == [Word("dam", 0.1)]
    assert worth_showing([]) == []


def test_other_weightings_list_the_stop_words_that_they_keep(summc: Cli) -> None:
    by_coverage = ("--weighting", "position", "--reading", 0, "--keep-stopwords")
    flags = ("-k", 60, *DAM, "--selector", "g-greedy", *by_coverage)
    (missed, *_) = json.loads(summc("explain", *flags, "--format", "json").out)["uncovered"]
    text = summc("explain", *flags).out
    assert missed["word"] == "in the"
    assert f"The heaviest words that are not covered\n    {missed['word']} " in text
    assert " (again)" not in text


def test_the_list_of_missed_words_is_full_without_function_words(summc: Cli) -> None:
    flags = ("-k", 120, *DAM, "--weighting", "expected", "--selector", "g-greedy")
    found = json.loads(summc("explain", *flags, "--format", "json").out)["uncovered"]
    _, _, shown = summc("explain", *flags).out.partition("The heaviest words that are not covered\n")
    words = re.findall("^    ([^ ].*?)((?: \\(again\\))?) [0-9.]+, in ", shown, re.MULTILINE)
    assert len(words) == MOST_MISSED < len(found)
    by_word = {each["word"]: each for each in found}
    for word, again in words:
        assert bool(again) == ("occurrences" in by_word[word])
    assert not {"of", "a", "in"} & {word for word, _ in words}
    assert any(again for _, again in words)
    weights = [each["weight"] for each in found]
    assert weights == sorted(weights, reverse=True)


# Forecasts and beliefs


def test_the_forecast_is_shown_in_every_output(summc: Cli) -> None:
    flags = ("-k", 60, *DAM, "--weighting", "expected", "--selector", "g-greedy", "--reading", 0)
    told = "expected to contain 41% of a person's summary of this length"
    assert summc("summarize", *flags, "-v").err.endswith(f", {told}\n")
    assert told in " ".join(summc("explain", *flags).out.split())
    found = json.loads(summc("summarize", *flags, "--explain", "--format", "json").out)
    assert found["forecast"] == found["explanation"]["forecast"] == 0.408


@pytest.mark.parametrize("more", [(), ("--boost", "dam=2"), ("--ignore", "dam"), ("-k", "3s")])
def test_there_is_no_forecast_if_weights_or_length_were_changed(summc: Cli, more: tuple[str, ...]) -> None:
    flags = ("-k", 60, *DAM, "--selector", "g-greedy", *(("--weighting", "expected") if more else ()), *more)
    result = summc("summarize", *flags, "--explain", "--format", "json", "-v")
    assert "forecast" not in result.out
    assert " covered (" in result.err
    assert "a person" not in result.err


def test_the_belief_shown_is_the_one_that_ranked_the_sentences() -> None:
    graph = explained(["The dam broke. Water rose high. People fled the town."])[0].graph
    selector = BeliefPropagation(beta=45, mu=0.04, damping=0.5)
    field = field_of(graph, solve(graph, 4, selector, ""), selector)
    assert field is not None
    assert list(np.isnan(field)) == list(graph.cost > 4)
    whole = field_of(graph, solve(graph, 100, selector, ""), selector)
    assert whole is not None
    assert whole.tolist() == propagate(graph, 45.0, 0.04, 150, 0.5, 1e-6).field.tolist()
    assert field_of(graph, solve(graph, 100, GGreedy(), ""), GGreedy()) is None
    found = solve(graph, 100, BeliefPropagation(), "")
    assert field_of(graph, found, BeliefPropagation()) is not None


# Words as people read them


@examples(90)
@given(st.text(), st.sampled_from(["en", "fr", "tr", "zh"]))
def test_spans_match_the_terms(text: str, language: str) -> None:
    spans = term_spans(text, language, str, frozenset({"the"}))
    assert [span.term for span in spans] == list(terms(text, language, str, frozenset({"the"})))
    for before, after in itertools.pairwise(spans):
        assert before.end <= after.start
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("China's DAM (broke!)", ["China", "DAM", "broke"]),
        ("the U.S. cafe\u0301 of O\u2019Brien", ["the", "U.S", "cafe\u0301", "of", "O\u2019Brien"]),
        ("ΟΔΟΣ İstanbul 3.5", ["ΟΔΟΣ", "İstanbul", "3.5"]),
        ("再见 abc", ["再", "见", "abc"]),
    ],
)
def test_spans_give_the_word_as_written(text: str, expected: list[str]) -> None:
    spans = term_spans(text, "en", make_stemmer("none", "en"), frozenset())
    assert [text[span.start : span.end] for span in spans] == expected
    assert [span.term for span in spans] == words(text)


def test_a_word_is_shown_in_its_most_frequent_form() -> None:
    cluster = cluster_of_texts(["Dams break. The dam broke, dams fail, dams hold, dams go. U.S. dam."])
    forms = surface_forms(cluster, Config().analysis.locate(cluster))
    assert (forms["dam"], forms["u.s"]) == ("dams", "U.S")


# Questions


def test_a_question_finds_the_sentence_that_contains_it_or_the_nearest() -> None:
    texts = ["The dam broke. Water  rose.", "The mayor has resigned."]
    clusters = [cluster_of_texts([text]) for text in texts]
    assert find("WATER rose", clusters) == (0, Question("WATER rose", 1, quoted=True))
    assert find("mayor resigned", clusters) == (1, Question("mayor resigned", 0, quoted=False))
    with pytest.raises(SettingError, match='`why_not`: no sentence has a word of "xyz"; quote some words'):
        find("xyz", clusters)
    with pytest.raises(SettingError, match="`why_not`"):
        find(" ", clusters)


def test_repeated_and_worthless_sentences_get_answers_too() -> None:
    texts = [
        "The dam broke. What it was it was. Water rose.",
        "People fled. The dam broke. Water rose again here.",
    ]
    made, _ = explained(texts, budget=3, selector="greedy", weighting="position")
    (found,) = explain_all([made], Config(), ["dam broke", "what it was it was"])
    repeated, worthless = found.answers
    assert repeated.location.sentence.document == 0
    assert (worthless.total, worthless.gain, worthless.exchange) == (0, 0, None)
    assert "None of its words is worth covering." in render_explanations([found], 80)


def test_a_question_is_answered_for_each_budget(summc: Cli) -> None:
    asked = ("--why-not", "95 million crowns", "--format", "json", *DAM)
    summaries = json.loads(summc("summarize", "--selector", "g-greedy", "-k", "20,40", *asked).out)
    for summary in summaries:
        (answer,) = summary["explanation"]["why_not"]
        alone = json.loads(summc("explain", "--selector", "g-greedy", "-k", summary["budget"], *asked).out)
        assert answer == alone["why_not"][0]
    assert summaries[0]["explanation"]["why_not"] != summaries[1]["explanation"]["why_not"]


def test_why_not_says_that_a_sentence_was_cut_to_fill_the_budget(summc: Cli) -> None:
    flags = ("--selector", "g-greedy", "-k", 30, "--reading", 0, "--fill", "truncate", *DAM)
    *_, cut = summc("summarize", *flags).out.splitlines()
    assert len(cut.split()) > 2
    asked = summc("explain", *flags, "--why-not", cut).out.partition("Why not")[2]
    assert asked.endswith(f"It is in the summary, at its end, cut to {len(cut.split())} words.\n")


@pytest.mark.parametrize(("k", "cost"), [("60", 7), ("3s", 1), ("300c", 35)])
def test_the_cost_of_a_sentence_that_is_no_candidate_is_shown_in_the_unit(
    summc: Cli, k: str, cost: int
) -> None:
    found = summc("explain", "-k", k, *DAM, "--why-not", "No. 9, in Lower Ansby", "--format", "json")
    (answer,) = json.loads(found.out)["why_not"]
    assert (answer["no_candidate"], answer["cost"]) == ("it has fewer than 8 words", cost)


def test_equal_sentences_are_told_apart_by_their_places() -> None:
    texts = ["The dam broke.", "The river rose.", "The dam broke."]
    made = run_of(texts, make_graph([3, 3, 3], [1, 1, 1], [0, 1, 2], [0, 1, 2]), 6, [0, 2])
    config = BY_COVERAGE.with_settings({"must": ("dam broke",)})
    found = explain(made, config, [Question("?", asked, quoted=True) for asked in (0, 1, 2)])
    assert [each.required for each in found.sentences] == [True, False]
    assert [(each.location.index, each.number) for each in found.answers] == [(0, 1), (1, None), (2, 2)]


def test_a_repetition_that_is_not_in_the_graph_stands_for_the_first() -> None:
    texts = ["The river rose.", "The dam broke.", "The dam broke."]
    made = run_of(texts, make_graph([3, 3], [1, 1], [0, 1], [0, 1], sentence_ids=[0, 1]), 6, [1])
    (answer,) = explain(made, BY_COVERAGE, [Question("?", 2, quoted=True)]).answers
    assert (answer.location.index, answer.number) == (1, 1)


# Required sentences


def test_required_sentences_may_leave_no_room_for_bp(summc: Cli) -> None:
    required = "Ossel Valley Power put repairs at 95 million crowns."
    flags = ("--selector", "bp", "-k", 9, "--must", required, "--why-not", "No. 9")
    for command in ("explain", "summarize"):
        result = summc(command, *flags, *DAM)
        assert (result.code, required in result.out) == (0, True)
        assert "belief" not in result.out + result.err


def test_a_required_sentence_has_no_replacement(summc: Cli) -> None:
    flags = ("--must", "No. 9, in Lower", *DAM, "-k")
    asked = ("--why-not", "repairs at 95 million crowns")  # it would cover more than the required one
    found = json.loads(summc("explain", *flags, 60, *asked, "--format", "json").out)
    by_text = {each["text"]: each for each in found["sentences"]}
    required = by_text.pop("No. 9, in Lower Ansby, was silent.")
    assert (required["required"], required["runner_up"]) == (True, None)
    assert by_text
    assert all(each["runner_up"] and "required" not in each for each in by_text.values())
    assert found["why_not"][0]["exchange"]["text"] in by_text
    shown = "required   you asked for it, so nothing may take its place"
    assert summc("explain", *flags, 60).out.count(shown) == 1
    assert "<dt>Required</dt>" in summc("summarize", *flags, "50,60", "--format", "html").out


# Output


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("explain-sample", ()),
        ("explain-sample-paper", ("--config", "paper", "--selector", "bp")),
        (
            "explain-sample-expected",
            ("--weighting", "expected", "--selector", "g-greedy", "--reading", 0),
        ),
    ],
)
def test_terminal_output_matches_the_golden_file(summc: Cli, name: str, flags: tuple[str, ...]) -> None:
    asked = ["repairs at 95 million crowns", "No. 9", "evacuated people went to relatives"]
    questions = [
        part for text in (asked if "expected" not in name else asked[:2]) for part in ("--why-not", text)
    ]
    result = summc("explain", *flags, "-k", 60, WHOLE, *questions)
    assert (result.code, result.err) == (0, "")
    assert result.out == (GOLDEN / f"{name}.txt").read_text()


def test_summarize_explains_on_stderr_or_in_a_json_member(summc: Cli, tmp_path: Path) -> None:
    flags = ("-k", 40, "--selector", "g-greedy", *DAM)
    plain, shown = summc("summarize", *flags), summc("summarize", *flags, "--explain")
    assert shown.out == plain.out
    assert shown.err.strip() == summc("explain", *flags).out.strip()
    in_json = summc("summarize", *flags, "--explain", "--format", "json")
    assert in_json.err == ""
    found = json.loads(in_json.out)
    alone = json.loads(summc("explain", *flags, "--format", "json").out)
    assert {"id": found["id"], **found.pop("explanation")} == alone
    assert found == json.loads(summc("summarize", *flags, "--format", "json").out)
    assert alone["sentences"][0]["text"] in plain.out
    lost = sum(each["lost_without"] for each in alone["sentences"])
    assert lost <= alone["covered_weight"] * (1 + 1e-12)  # equal if no two sentences share a word
    both = ("--selector", "g-greedy", write_lines(tmp_path / "two.jsonl"))
    lines = summc("summarize", *both, "--why-not", "the ferry", "--format", "jsonl").out.splitlines()
    assert sorted(len(json.loads(line)["explanation"]["why_not"]) for line in lines) == [0, 1]


letters = st.characters(exclude_categories=["Cs"])


@examples(60)
@given(st.lists(st.text(letters, min_size=1, max_size=60), min_size=1, max_size=4), st.integers(30, 90))
def test_lines_fit_the_width_and_have_no_control_characters(texts: list[str], width: int) -> None:
    sentences = [Sentence(0, i, f"Flood {text} water.", 3) for i, text in enumerate(texts)]
    cluster = Cluster("\x1b[31mc", (Document("d\x9b1m", tuple(sentences)),))
    quick = {"budget": 200, "selector": "greedy", "weighting": "position", "reading": 0}
    (made,) = summarize([cluster], Config().with_settings(quick))
    assert isinstance(made, Run)
    found = explain_all([made], BY_COVERAGE)
    shown = render_explanations(found, width)
    for line in shown.split("\n"):
        assert not any(unicodedata.category(character) == "Cc" for character in line)
        wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
        marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in line)
        assert len(line) + wide - marks <= width
    coloured = render_explanations(found, width, colour=True)
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == shown


def test_lines_of_many_sentences_fit_the_width() -> None:
    text = " ".join(f"Flood {i} reached town {i} with a{'h' * (i % 9)} at dawn." for i in range(101))
    made, config = explained([text], budget=5000, weighting="position", least_words=1, reading=0)
    (found,) = explain_all([made], config)
    assert len(found.sentences) == 101
    for width in (30, 53):
        assert max(map(len, render_explanations([found], width).splitlines())) <= width


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, (60, True)),
        ({"NO_COLOR": "1"}, (60, False)),
        ({"NO_COLOR": ""}, (60, True)),
        ({"TERM": "dumb"}, (60, False)),
        ({"COLUMNS": "500"}, (120, True)),
    ],
)
def test_a_terminal_gets_colour_unless_it_is_switched_off(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: tuple[int, bool]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"TERM": "xterm", "COLUMNS": "60", **environment}.items():
        monkeypatch.setenv(name, value)
    assert screen(Terminal()) == expected
    assert screen(io.StringIO()) == screen(None) == (100, False)


# Both commands in one process, since imports take most of the time.
EXPLAIN_ON_BOTH = """
import sys
from summc.cli import main
for command in (["explain"], ["summarize", "--explain", "-o", "summary.txt"]):
    try:
        main([*command, *sys.argv[1:]])
    except SystemExit as leaving:
        assert leaving.code == 0
"""


def test_the_real_command_uses_colour_and_width_of_a_real_terminal(tmp_path: Path) -> None:
    terminals = {60: pty.openpty(), 45: pty.openpty()}  # by their widths, for stdout and stderr
    for width, (_, theirs) in terminals.items():
        termios.tcsetwinsize(theirs, (24, width))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    for name in ("NO_COLOR", "COLUMNS"):
        environment.pop(name, None)
    out, err = (theirs for _, theirs in terminals.values())
    command = [sys.executable, "-c", EXPLAIN_ON_BOTH, "-k", "20", "--selector", "greedy", *map(str, DAM)]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=out, stderr=err) as process:
        os.close(out)
        os.close(err)
        for width, (ours, _) in terminals.items():
            text = everything_on(ours).decode().replace("\r\n", "\n")
            assert "\x1b[1;36m" in text
            lines = re.sub(r"\x1b\[[\d;]+m", "", text).split("\n")
            assert width - 9 < max(map(len, lines)) <= width
    assert process.returncode == 0


def everything_on(terminal: int) -> bytes:
    """Read from a terminal until its other end is closed, and close it."""
    output = b""
    # When the other end is closed, Linux raises an error and other systems return no bytes.
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 65536):
            output += part
    os.close(terminal)
    return output


def test_escape_sequences_in_names_and_texts_are_removed(summc: Cli) -> None:
    evil = "\x1b]0;owned\x07 \x9b31m"
    line = {"id": f"a{evil}", "documents": [{"id": f"b{evil}", "text": f"The dam broke{evil} at dawn."}]}
    for command in (["explain"], ["summarize", "-v"], ["summarize", "--format", "md"]):
        result = summc(*command, "-", stdin=json.dumps(line))
        assert result.code == 0
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.out + result.err)


def test_a_cluster_without_a_summary_is_reported_and_the_others_explained(summc: Cli, tmp_path: Path) -> None:
    for name, text in (("long", "Someone wrote a sentence that has many words."), ("short", "Dams broke.")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(text)
    result = summc("explain", "-k", 3, tmp_path)
    assert result.code == 5
    assert result.err.startswith("error: long: no sentence fits")
    assert result.out.startswith("short: 2 of 3 words")
    assert summc("explain", tmp_path, "--why-not", "zebra").code == 2


def test_an_empty_choice_has_an_explanation() -> None:
    found = explain(run_of([], make_graph([], [], [], []), 1, []), BY_COVERAGE)
    assert (found.sentences, found.missed, found.answers) == ((), (), ())


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0.00"), (0.01234, "0.0123"), (12.0, "12.0"), (999.7, "1000"), (8861.3, "8861"), (1e20, "1e+20")],
)  # fmt: skip
def test_weights_are_shown_in_three_digits_or_more(value: float, shown: str) -> None:
    assert weight(value) == shown
