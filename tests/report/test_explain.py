"""Explanations: their numbers against a plain recount, and how they are shown."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from summc.config import Config
from summc.documents.sources import cluster_of_texts
from summc.graph import make_graph
from summc.method import render, summarize
from summc.preprocess.terms import term_finder, term_spans, terms, words
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
    MissedText,
    Word,
    explain,
    explain_all,
    field_of,
    surface_forms,
    worth_showing,
)
from summc.report.text import render_explanations, weight
from summc.selectors import BeliefPropagation, GGreedy
from summc.selectors.base import make_selection
from summc.selectors.belief_propagation import propagate
from summc.selectors.solving import solve
from tests.conftest import ROOT, SAMPLE, Cli, examples
from tests.oracles import coverage, holdings, levels
from tests.support.small import DAM, write_lines
from tests.support.strategies import graphs
from tests.support.terminals import on_terminal

#: Settings without reading prices.
BY_COVERAGE = Config().with_settings({"reading": 0})


def run_of(
    texts: list[str], graph: CoverageGraph, budget: float, chosen: Iterable[int], config: Config = BY_COVERAGE
) -> Run:
    """Return a run on a given graph, whose words are w0, w1, ..."""
    cost = dict(zip(graph.sentence_ids.tolist(), graph.cost.tolist(), strict=True))
    sentences = tuple(Sentence(0, i, text, int(cost.get(i, 3))) for i, text in enumerate(texts))
    cluster = Cluster("c", (Document("d", sentences),))
    tokenized = TokenizedCluster(cluster, ConceptIndex.of([()] * len(texts)))
    weights = WordWeights(tuple(f"w{a}" for a in range(len(graph.weight))), graph.weight, "sentence")
    summary = render(cluster, graph, make_selection(graph, budget, "test", list(chosen)))
    return Run(summary, tokenized, weights, graph, config)


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
    return {int(word.word[1:]): word.weight for word in listed}


def worth(graph: CoverageGraph, a: int, occurrences: int) -> float:
    """Return V_a(n), the worth of the first n occurrences of word a, by a recount."""
    return sum(levels(graph)[a][:occurrences])


@examples(150)
@given(made_choices)
def test_chosen_sentences_match_a_recount(made: Run) -> None:
    graph, chosen = made.graph, made.summary.selection.chosen
    held, covered = holdings(graph), coverage(graph, chosen)
    found = explain(made)
    assert [each.location.index for each in found.sentences] == list(chosen)
    for i, each in zip(chosen, found.sentences, strict=True):
        rest = tuple(j for j in chosen if j != i)
        # The words of a sentence add up to what its removal uncovers.
        lost, shared = weights_of(each.alone), weights_of(each.shared)
        assert each.weight == coverage(graph, (i,))
        assert each.lost_without == sum(lost.values()) == covered - coverage(graph, rest)
        assert sum(shared.values()) == each.weight - each.lost_without
        for a, count in held[i].items():
            others = sum(held[j].get(a, 0) for j in rest)
            loss = worth(graph, a, others + count) - worth(graph, a, others)
            assert lost.get(a) == (loss if others < len(levels(graph)[a]) else None)
            assert shared.get(a) == (worth(graph, a, count) - loss if others else None)
        # The runner-up is the best replacement.
        room = made.summary.selection.budget - sum(graph.cost[j] for j in rest)
        possible = [j for j in range(len(graph.cost)) if j not in chosen and graph.cost[j] <= room]
        values = {j: coverage(graph, (*rest, j)) for j in possible}
        best = max(values.values(), default=0)
        runner_up = each.runner_up and (each.runner_up.location.index, each.runner_up.change)
        assert runner_up == (
            (min(j for j in possible if values[j] == best), best - covered)
            if best > coverage(graph, rest)
            else None
        )
    for i, (total, gain) in enumerate(found.figures):
        rest = tuple(j for j in chosen if j != i)
        assert total == coverage(graph, (i,))
        assert gain == coverage(graph, (*rest, i)) - coverage(graph, rest)


@examples(150)
@given(made_choices, st.data())
def test_why_not_gives_the_gain_of_a_sentence(made: Run, data: st.DataObject) -> None:
    graph, selection = made.graph, made.summary.selection
    chosen, held = selection.chosen, holdings(graph)
    asked = data.draw(st.integers(0, len(graph.cost) - 1))
    (answer,) = explain(made, [MissedText("?", asked, quoted=True)]).why_not
    more = coverage(graph, tuple({*chosen, asked})) - coverage(graph, chosen)
    assert answer.chosen_as == (chosen.index(asked) + 1 if asked in chosen else None)
    assert answer.adds == sum(weights_of(answer.new).values()) == more
    assert answer.weight == coverage(graph, (asked,))
    times = {a: sum(held[i].get(a, 0) for i in chosen) for a in held[asked]}
    added = {a for a in times if asked not in chosen and times[a] < len(levels(graph)[a])}
    assert weights_of(answer.new).keys() == added
    assert [each.sentence for each in answer.covered_by] == [
        n for n, other in enumerate(chosen, start=1) if held[other].keys() & held[asked].keys()
    ]
    for common in answer.covered_by:
        other = chosen[common.sentence - 1]
        assert weights_of(common.words).keys() == held[asked].keys() & held[other].keys()
        if other != asked:
            both = coverage(graph, (asked,)) + coverage(graph, (other,)) - coverage(graph, (asked, other))
            assert sum(word.weight for word in common.words) == both
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
    graph, chosen = made.graph, made.summary.selection.chosen
    held = holdings(graph)
    others = [i for i in range(len(graph.cost)) if i not in chosen]
    times = {a: sum(held[i].get(a, 0) for i in chosen) for a in range(len(graph.weight))}
    left = {a for i in others for a in held[i]}
    following = [worth(graph, a, times[a] + 1) - worth(graph, a, times[a]) for a in left]
    found = explain(made).uncovered
    assert [each.weight for each in found] == sorted(filter(None, following), reverse=True)[:MOST_MISSED]
    for each in found:
        a, i = int(each.word[1:]), each.in_.index
        assert each.occurrences == times[a]
        assert i in others
        assert a in held[i]
        assert each.adds == coverage(graph, (*chosen, i)) - coverage(graph, chosen)


# Function words


def explained(texts: list[str], **settings: object) -> tuple[Run, Config]:
    config = Config().with_settings({"selector": "g-greedy", **settings})
    (made,) = summarize([cluster_of_texts(texts)], config)
    assert isinstance(made, Run)
    return made, config


def test_missed_words_say_something() -> None:
    text = "The dam of 1755 broke at 9 40 in the first hour. Nobody of the town was hurt. It rained."
    made, _ = explained([text], budget=2)
    words = {missed.word for missed in explain(made).uncovered}
    assert words == {"1755", "dam", "first hour", "hour", "broke", "first"}


def test_function_words_are_shown_if_there_are_no_others() -> None:
    words = [Word("of", 0.5, function=True), Word("the", 0.2, function=True)]
    assert worth_showing(words) == words
    assert worth_showing([*words, Word("dam", 0.1, function=False)]) == [Word("dam", 0.1, function=False)]
    assert worth_showing([]) == []


# Forecasts and beliefs


def test_the_forecast_is_shown_in_every_output(summc: Cli) -> None:
    flags = ("-k", 60, *DAM, "--weighting", "expected", "--selector", "g-greedy", "--reading", 0)
    told = "expected to contain 42% of a person's summary of this length"
    assert summc("summarize", *flags, "-v").err.endswith(f", {told}\n")
    assert told in " ".join(summc("explain", *flags).out.split())
    found = json.loads(summc("summarize", *flags, "--explain", "--format", "json").out)
    assert found["forecast"] == found["explanation"]["forecast"] == 0.417


def test_the_belief_shown_is_the_one_that_ranked_the_sentences() -> None:
    graph = explained(["The dam broke. Water rose high. People fled the town."])[0].graph
    selector = BeliefPropagation(beta=45, mu=0.04, damping=0.5)
    field = field_of(graph, solve(graph, 4, selector, ""), selector)
    assert field is not None
    assert list(np.isnan(field)) == list(graph.cost > 4)
    whole = field_of(graph, solve(graph, 100, selector, ""), selector)
    assert whole is not None
    assert whole.tolist() == propagate(graph, 45.0, [0.04], 150, 0.5, 1e-6)[0].field.tolist()
    assert field_of(graph, solve(graph, 100, GGreedy(), ""), GGreedy()) is None
    found = solve(graph, 100, BeliefPropagation(), "")
    assert field_of(graph, found, BeliefPropagation()) is not None


# Words as people read them


@examples(90)
@given(st.text(), st.sampled_from(["en", "fr", "tr", "zh"]))
def test_spans_match_the_terms(text: str, language: str) -> None:
    term_of = term_finder(language, "none", remove_stopwords=True)
    spans = term_spans(text, language, term_of)
    assert [span.term for span in spans] == terms(text, language, term_of)
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
    spans = term_spans(text, "en", term_finder("en", "none", remove_stopwords=False))
    assert [text[span.start : span.end] for span in spans] == expected
    assert [span.term for span in spans] == words(text)


def test_a_word_is_shown_in_its_most_frequent_form() -> None:
    cluster = cluster_of_texts(["Dams break. The dam broke, dams fail, dams hold, dams go. U.S. dam."])
    forms = surface_forms(cluster, Config().preprocessor.locate(cluster))
    assert (forms["dam"], forms["u.s"]) == ("dams", "U.S")
    of_words = Config().with_settings({"concepts": "words"}).preprocessor.locate(cluster)
    assert "dam broke" not in surface_forms(cluster, of_words)


# Questions


def test_a_question_is_answered_for_each_budget(summc: Cli) -> None:
    asked = ("--why-not", "95 million crowns", "--format", "json", *DAM)
    summaries = json.loads(summc("summarize", "--selector", "g-greedy", "-k", "20,40", *asked).out)
    for summary in summaries:
        (answer,) = summary["explanation"]["why_not"]
        alone = json.loads(summc("explain", "--selector", "g-greedy", "-k", summary["budget"], *asked).out)
        assert answer == alone["why_not"][0]
    assert summaries[0]["explanation"]["why_not"] != summaries[1]["explanation"]["why_not"]


def test_equal_sentences_are_told_apart_by_their_places() -> None:
    texts = ["The dam broke.", "The river rose.", "The dam broke."]
    config = BY_COVERAGE.with_settings({"must": ("dam broke",)})
    made = run_of(texts, make_graph([3, 3, 3], [1, 1, 1], [0, 1, 2], [0, 1, 2]), 6, [0, 2], config)
    found = explain(made, [MissedText("?", asked, quoted=True) for asked in (0, 1, 2)])
    assert [each.required for each in found.sentences] == [True, False]
    assert [(each.location.index, each.chosen_as) for each in found.why_not] == [(0, 1), (1, None), (2, 2)]


def test_a_repetition_that_is_not_in_the_graph_stands_for_the_first() -> None:
    texts = ["The river rose.", "The dam broke.", "The dam broke."]
    made = run_of(texts, make_graph([3, 3], [1, 1], [0, 1], [0, 1], sentence_ids=[0, 1]), 6, [1])
    (answer,) = explain(made, [MissedText("?", 2, quoted=True)]).why_not
    assert (answer.location.index, answer.chosen_as) == (1, 1)


# Required sentences


def test_a_required_sentence_has_no_replacement(summc: Cli) -> None:
    flags = ("--must", "No. 9, in Lower", *DAM, "--selector", "g-greedy", "-k")
    asked = ("--why-not", "sirens were tested")  # as long as the required one, and it would cover more
    found = json.loads(summc("explain", *flags, 60, *asked, "--format", "json").out)
    by_text = {each["text"]: each for each in found["sentences"]}
    required = by_text.pop("No. 9, in Lower Ansby, was silent.")
    assert (required["required"], required["runner_up"]) == (True, None)
    assert by_text
    assert all(each["runner_up"] and "required" not in each for each in by_text.values())
    assert found["why_not"][0]["exchange"]["text"] in by_text
    assert "<dt>Required</dt>" in summc("summarize", *flags, "50,60", "--format", "html").out


# Output


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("explain-sample", ""),
        ("explain-sample-paper", "--config paper --selector bp"),
        ("explain-sample-expected", "--weighting expected --selector g-greedy --reading 0"),
    ],
)
def test_explanations_match_the_golden_files(summc: Cli, name: str, flags: str) -> None:
    questions = ["--why-not", "repairs at 95 million crowns", "--why-not", "No. 9"]
    if "expected" not in name:
        questions += ["--why-not", "evacuated people went to relatives"]
    result = summc("explain", *flags.split(), "-k", 60, SAMPLE / "docs" / "d90004t", *questions)
    assert (result.code, result.err) == (0, "")
    assert result.out == (ROOT / "tests" / "golden" / f"{name}.txt").read_text()


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
    found = explain_all([made])
    shown = render_explanations(found, width)
    for line in shown.split("\n"):
        assert 0 <= wcswidth(line) <= width  # -1 if there are control characters
    coloured = render_explanations(found, width, colour=True)
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == shown


def test_lines_of_many_sentences_fit_the_width() -> None:
    text = " ".join(f"Flood {i} reached town {i} with a{'h' * (i % 9)} at dawn." for i in range(101))
    made, _ = explained([text], budget=5000, weighting="position", reading=0)
    (found,) = explain_all([made])
    assert len(found.sentences) == 101
    for width in (30, 53):
        assert max(map(len, render_explanations([found], width).splitlines())) <= width


def test_explanations_have_the_colour_and_width_of_a_terminal(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    flags = ("-q", "-k", 20, "--selector", "greedy", DAM[0])
    to_file = ["summarize", "--explain", "-o", str(tmp_path / "a.txt")]
    commands = {"stdout": ["explain"], "stderr": to_file}
    for width, most in ((45, 45), (60, 60), (500, 120)):
        for stream, command in commands.items():
            with on_terminal(stream, width) as shown:
                assert summc(*command, *flags).code == 0
                text = shown()
            assert "\x1b[1;36m" in text
            lines = re.sub(r"\x1b\[[\d;]+m", "", text).split("\r\n")
            assert most - 9 < max(map(len, lines)) <= most


def test_an_empty_choice_has_an_explanation() -> None:
    found = explain(run_of([], make_graph([], [], [], []), 1, []))
    assert (found.sentences, found.uncovered, found.why_not) == ((), (), ())


def test_weights_are_shown_in_three_digits_or_more() -> None:
    values = (0.0, 0.01234, 12.0, 999.7, 8861.3, 1e20)
    assert [weight(value) for value in values] == ["0.00", "0.0123", "12.0", "1000", "8861", "1e+20"]
