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
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.cli.summarize import screen
from summc.documents import cluster_of_texts
from summc.errors import SettingError, SummcError
from summc.graph.build import make_graph
from summc.method import summarize, write
from summc.preprocess.terms import Span, make_stemmer, term_spans, terms, words
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
    Cover,
    Explanation,
    Question,
    Word,
    explain,
    explain_all,
    field_of,
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
from tests.oracles import coverage, holdings, levels, words_of
from tests.support.small import DAM, write_lines
from tests.support.strategies import graphs

GOLDEN = Path(__file__).parent.parent / "golden"
WHOLE = SAMPLE / "docs" / "d90004t"


@st.composite
def choices(
    draw: st.DrawFn, *, most_levels: int = 1, most_count: int = 1, least_edges: int = 0
) -> tuple[Run, dict[str, str]]:
    """Draw a choice within a budget for a small problem, whose sentences have words w0, w1, ..."""
    graph = draw(graphs(most_levels=most_levels, most_count=most_count, least_edges=least_edges))
    order = draw(st.permutations(range(len(graph.cost))))
    budget = draw(st.integers(1, 30))
    chosen: list[int] = []
    for i in order:
        if graph.cost[i] + sum(graph.cost[j] for j in chosen) <= budget and draw(st.booleans()):
            chosen.append(i)
    held = [sorted(own) for own in words_of(graph)]
    texts = [" ".join([f"Sentence{i}", *(f"w{a}" for a in own)]) for i, own in enumerate(held)]
    spans = [
        tuple(Span(found.start(), found.end(), found.group()) for found in re.finditer(r"w\d+", text))
        for text in texts
    ]
    sentences = [Sentence(0, i, text, int(graph.cost[i])) for i, text in enumerate(texts)]
    cluster = Cluster("c", (Document("d", tuple(sentences)),))
    selection = make_selection(graph, budget, "test", chosen)
    text = TokenizedCluster(cluster, ConceptIndex.of([[f"w{a}" for a in own] for own in held]))
    weights = WordWeights(tuple(f"w{a}" for a in range(len(graph.weight))), graph.weight, "sentence")
    return write(text, weights, graph, selection, Config()), surface_forms(cluster, spans)


#: Choices from problems in which most sentences share words with others, or few of them do.
plain = choices(least_edges=6) | choices()

#: Choices from problems in which words are worth covering more than once.
levelled = choices(most_levels=4, most_count=3, least_edges=4)


def numbers(found: Explanation, i: int) -> dict[str, set[int]]:
    return {
        "alone": {int(word.text[1:]) for word in found.sentences[i].alone},
        "shared": {int(word.text[1:]) for word in found.sentences[i].shared},
    }


@examples(90)
@given(plain)
def test_the_loss_of_a_sentence_is_what_its_removal_uncovers(
    made: tuple[Run, dict[str, str]],
) -> None:
    workings, forms = made
    graph, chosen = workings.graph, workings.selection.chosen
    found = explain(workings, forms)
    assert [each.location.index for each in found.sentences] == list(chosen)
    for n, (i, each) in enumerate(zip(chosen, found.sentences, strict=True)):
        rest = tuple(j for j in chosen if j != i)
        others: set[int] = set().union(*(words_of(graph)[j] for j in rest))
        assert each.total == coverage(graph, (i,))
        assert each.loss == coverage(graph, chosen) - coverage(graph, rest)
        assert numbers(found, n) == {
            "alone": words_of(graph)[i] - others,
            "shared": words_of(graph)[i] & others,
        }
        assert [word.weight for word in each.alone] == sorted((w.weight for w in each.alone), reverse=True)


@examples(90)
@given(plain | levelled)
def test_the_runner_up_is_the_best_replacement(made: tuple[Run, dict[str, str]]) -> None:
    workings, forms = made
    graph, selection = workings.graph, workings.selection
    chosen = selection.chosen
    for i, each in zip(chosen, explain(workings, forms).sentences, strict=True):
        rest = tuple(j for j in chosen if j != i)
        room = selection.budget - sum(graph.cost[j] for j in rest)
        values = {
            j: coverage(graph, (*rest, j))
            for j in range(len(graph.cost))
            if j not in chosen and graph.cost[j] <= room
        }
        best = max(values.values(), default=0)
        if best <= coverage(graph, rest):
            assert each.runner_up is None
        else:
            assert each.runner_up is not None
            assert each.runner_up.change == best - coverage(graph, chosen)
            assert each.runner_up.location.index == min(j for j, value in values.items() if value == best)


@examples(90)
@given(plain, st.data())
def test_why_not_gives_the_gain_of_a_sentence(made: tuple[Run, dict[str, str]], data: st.DataObject) -> None:
    workings, forms = made
    graph, selection = workings.graph, workings.selection
    chosen = selection.chosen
    asked = data.draw(st.integers(0, len(graph.cost) - 1))
    (answer,) = explain(workings, forms, None, [Question("?", asked, quoted=True)]).answers
    covered: set[int] = set().union(*(words_of(graph)[j] for j in chosen))
    assert answer.number == (chosen.index(asked) + 1 if asked in chosen else None)
    assert answer.gain == coverage(graph, (*chosen, asked)) - coverage(graph, chosen)
    assert {int(word.text[1:]) for word in answer.new} == words_of(graph)[asked] - covered
    for number, held in answer.covered:
        common = words_of(graph)[asked] & words_of(graph)[chosen[number - 1]]
        assert {int(word.text[1:]) for word in held} == common != set()
    assert answer.fits == (graph.cost[asked] + selection.cost <= selection.budget)
    exchanges = [
        coverage(graph, (*(j for j in chosen if j != i), asked)) - coverage(graph, chosen)
        for i in chosen
        if asked not in chosen and selection.cost - graph.cost[i] + graph.cost[asked] <= selection.budget
    ]
    assert (answer.exchange.change if answer.exchange else None) == max(exchanges, default=None)


@examples(90)
@given(plain)
def test_missed_words_are_the_heaviest_uncovered_ones(made: tuple[Run, dict[str, str]]) -> None:
    workings, forms = made
    graph, chosen = workings.graph, workings.selection.chosen
    found = explain(workings, forms).missed
    covered: set[int] = set().union(*(words_of(graph)[j] for j in chosen))
    held: set[int] = set().union(*words_of(graph))
    left = sorted((graph.weight[a] for a in held - covered if graph.weight[a] > 0), reverse=True)
    assert [each.word.weight for each in found] == left[:MOST_MISSED]
    for each in found:
        assert int(each.word.text[1:]) in words_of(graph)[each.location.index]
        assert each.gain == coverage(graph, (*chosen, each.location.index)) - coverage(graph, chosen)


# Words that are worth covering more than once


def weights_of(named: Iterable[Word]) -> dict[int, float]:
    """Return the weights of words by word number, and check that the heaviest comes first."""
    listed = list(named)
    assert [word.weight for word in listed] == sorted((word.weight for word in listed), reverse=True)
    return {int(word.text[1:]): word.weight for word in listed}


def worth(graph: CoverageGraph, a: int, occurrences: int) -> float:
    """Return V_a(n), the worth of the first n occurrences of word a, by a recount."""
    return sum(levels(graph)[a][:occurrences])


@examples(90)
@given(levelled)
def test_with_levels_the_words_of_a_sentence_add_up_to_its_loss(
    made: tuple[Run, dict[str, str]],
) -> None:
    workings, forms = made
    graph, chosen = workings.graph, workings.selection.chosen
    held = holdings(graph)
    for i, each in zip(chosen, explain(workings, forms).sentences, strict=True):
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
@given(levelled, st.data())
def test_with_levels_why_not_adds_up_to_the_gain_of_a_sentence(
    made: tuple[Run, dict[str, str]], data: st.DataObject
) -> None:
    workings, forms = made
    graph, selection = workings.graph, workings.selection
    chosen, held = selection.chosen, holdings(graph)
    asked = data.draw(st.integers(0, len(graph.cost) - 1))
    (answer,) = explain(workings, forms, None, [Question("?", asked, quoted=True)]).answers
    more = coverage(graph, tuple({*chosen, asked})) - coverage(graph, chosen)
    assert answer.gain == sum(weights_of(answer.new).values()) == more
    assert answer.total == coverage(graph, (asked,))
    for number, common in answer.covered:
        other = chosen[number - 1]
        assert weights_of(common).keys() == held[asked].keys() & held[other].keys()
        if other != asked:
            both = coverage(graph, (asked,)) + coverage(graph, (other,)) - coverage(graph, (asked, other))
            assert sum(word.weight for word in common) == both
    exchanges = [
        coverage(graph, (*(j for j in chosen if j != i), asked)) - coverage(graph, chosen)
        for i in chosen
        if asked not in chosen and selection.cost - graph.cost[i] + graph.cost[asked] <= selection.budget
    ]
    assert (answer.exchange.change if answer.exchange else None) == max(exchanges, default=None)


@examples(90)
@given(levelled)
def test_with_levels_missed_words_are_those_with_the_heaviest_next_level(
    made: tuple[Run, dict[str, str]],
) -> None:
    workings, forms = made
    graph, chosen = workings.graph, workings.selection.chosen
    held = holdings(graph)
    others = [i for i in range(len(graph.cost)) if i not in chosen]
    times = {a: sum(held[i].get(a, 0) for i in chosen) for a in range(len(graph.weight))}
    following = [
        worth(graph, a, times[a] + 1) - worth(graph, a, times[a])
        for a in {b for i in others for b in held[i]}
    ]
    found = explain(workings, forms).missed
    assert [each.word.weight for each in found] == sorted(filter(None, following), reverse=True)[:MOST_MISSED]
    for each in found:
        a = int(each.word.text[1:])
        assert each.covered == times[a]
        assert each.location.index in others
        assert a in held[each.location.index]
        assert each.gain == coverage(graph, (*chosen, each.location.index)) - coverage(graph, chosen)


@examples(90)
@given(plain | levelled)
def test_figures_match_a_recount(made: tuple[Run, dict[str, str]]) -> None:
    workings, _ = made
    graph, selection = workings.graph, workings.selection
    chosen = selection.chosen
    for i, (total, gain) in enumerate(Cover.of(graph, chosen, selection.budget).figures()):
        rest = tuple(j for j in chosen if j != i)
        assert total == coverage(graph, (i,))
        assert gain == coverage(graph, (*rest, i)) - coverage(graph, rest)


def test_function_words_are_left_out_of_lists_but_counted_in_sums() -> None:
    config = Config().with_settings({"budget": 20, "selector": "g-greedy", "weighting": "expected"})
    (made,) = summarize([cluster_of_texts(["The dam of the town broke in the night."])], config)
    assert isinstance(made, Run)
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
    named = {word["word"] for word in answer["new"]}
    assert "was" in named  # its stem is "wa"


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


def test_terminal_output_with_levels_matches_the_golden_file(summc: Cli) -> None:
    arguments = ["-k", 60, WHOLE, "--weighting", "expected", "--selector", "g-greedy", "--reading", 0]
    asked = ["--why-not", "repairs at 95 million crowns", "--why-not", "No. 9"]
    result = summc("explain", *arguments, *asked)
    assert (result.code, result.err) == (0, "")
    assert result.out == (GOLDEN / "explain-sample-expected.txt").read_text()
    found = json.loads(summc("explain", *arguments, *asked, "--format", "json").out)
    for each in found["sentences"]:
        assert sum(word["weight"] for word in each["alone"]) == pytest.approx(each["lost_without"])
        assert sum(word["weight"] for word in each["shared"]) == pytest.approx(
            each["weight"] - each["lost_without"]
        )
    for answer in found["why_not"]:
        assert sum(word["weight"] for word in answer["new"]) == pytest.approx(answer["adds"])
    assert "the" in {word["word"] for each in found["sentences"] for word in each["alone"]}


# The forecast


def test_the_forecast_is_shown_in_every_output(summc: Cli) -> None:
    flags = ("-k", 60, *DAM, "--weighting", "expected", "--selector", "g-greedy", "--reading", 0)
    told = "expected to contain 41% of a person's summary of this length"
    assert summc("summarize", *flags, "-v").err.endswith(f", {told}\n")
    assert told in " ".join(summc("explain", *flags).out.split())
    explained = json.loads(summc("summarize", *flags, "--explain", "--format", "json").out)
    assert explained["forecast"] == explained["explanation"]["forecast"] == 0.408


def test_there_is_no_forecast_if_weights_or_length_were_changed(summc: Cli) -> None:
    expected = ("--weighting", "expected")
    for more in (
        (),
        (*expected, "--boost", "dam=2"),
        (*expected, "--ignore", "dam"),
        (*expected, "-k", "3s"),
    ):
        flags = ("-k", 60, *DAM, "--selector", "g-greedy", *more)
        result = summc("summarize", *flags, "--explain", "--format", "json", "-v")
        assert "forecast" not in result.out
        assert " covered (" in result.err
        assert "a person" not in result.err


def test_the_belief_shown_is_the_one_that_ranked_the_sentences() -> None:
    (made,) = summarize(
        [cluster_of_texts(["The dam broke. Water rose high. People fled the town."])], Config()
    )
    assert isinstance(made, Run)
    selector = BeliefPropagation(beta=45, mu=0.04, damping=0.5)
    field = field_of(made.graph, solve(made.graph, 4, selector, ""), selector)
    assert field is not None
    kept = made.graph.cost <= 4
    assert list(np.isnan(field)) == list(~kept)
    whole = field_of(made.graph, solve(made.graph, 100, selector, ""), selector)
    beliefs = propagate(made.graph, 45.0, 0.04, 150, 0.5, 1e-6)
    assert whole is not None
    assert whole.tolist() == beliefs.field.tolist()
    assert field_of(made.graph, solve(made.graph, 100, GGreedy(), ""), GGreedy()) is None
    found = solve(made.graph, 100, BeliefPropagation(), "")
    assert field_of(made.graph, found, BeliefPropagation()) is not None


# Words as people read them


@given(st.text(), st.sampled_from(["en", "fr", "tr", "zh"]))
def test_spans_match_the_terms(text: str, language: str) -> None:
    def stem(word: str) -> str:
        return word

    spans = term_spans(text, language, stem, frozenset({"the"}))
    assert [span.term for span in spans] == list(terms(text, language, stem, frozenset({"the"})))
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
    assert forms["dam"] == "dams"
    assert forms["u.s"] == "U.S"


# Questions


def test_a_question_finds_the_sentence_that_contains_it_or_the_nearest() -> None:
    clusters = [
        cluster_of_texts(["The dam broke. Water  rose."]),
        cluster_of_texts(["The mayor has resigned."]),
    ]
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
    config = Config().with_settings({"budget": 3, "selector": "greedy", "weighting": "position"})
    (made,) = summarize([cluster_of_texts(texts)], config)
    assert not isinstance(made, SummcError)
    repeated, worthless = explain_all([made], Config(), ["dam broke", "what it was it was"])[0].answers
    assert repeated.location.sentence.document == 0
    assert (worthless.total, worthless.gain, worthless.exchange) == (0, 0, None)
    shown = render_explanations(explain_all([made], Config(), ["what it was it was"]), 80)
    assert "None of its words is worth covering." in shown


# Output


def test_terminal_output_matches_the_golden_files(summc: Cli) -> None:
    arguments = ["-k", 60, WHOLE, "--why-not", "repairs at 95 million crowns"]
    more = ["--why-not", "No. 9", "--why-not", "evacuated people went to relatives"]
    result = summc("explain", *arguments, *more)
    assert (result.code, result.err) == (0, "")
    assert result.out == (GOLDEN / "explain-sample.txt").read_text()
    by_paper = summc("explain", "--config", "paper", "--selector", "bp", *arguments, *more)
    assert by_paper.out == (GOLDEN / "explain-sample-paper.txt").read_text()


def test_summarize_explains_on_stderr_or_in_a_json_member(summc: Cli, tmp_path: Path) -> None:
    flags = ("-k", 40, "--selector", "g-greedy", *DAM)
    plain = summc("summarize", *flags)
    explained = summc("summarize", *flags, "--explain")
    assert explained.out == plain.out
    assert explained.err.strip() == summc("explain", *flags).out.strip()
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
    answers = [len(json.loads(line)["explanation"]["why_not"]) for line in lines]
    assert sorted(answers) == [0, 1]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60), min_size=1, max_size=4
    ),
    st.integers(30, 90),
)
def test_lines_fit_the_width_and_have_no_control_characters(texts: list[str], width: int) -> None:
    import unicodedata

    documents = [f"Flood {text} water." for text in texts]
    sentences = [Sentence(0, i, text, len(text.split())) for i, text in enumerate(documents)]
    cluster = Cluster("\x1b[31mc", (Document("d\x9b1m", tuple(sentences)),))
    quick = {"budget": 200, "selector": "greedy", "weighting": "position", "reading": 0}
    (made,) = summarize([cluster], Config().with_settings(quick))
    assert not isinstance(made, SummcError)
    explained = explain_all([made], Config())
    shown = render_explanations(explained, width)
    for line in shown.split("\n"):
        assert not any(unicodedata.category(character) == "Cc" for character in line)
        wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
        marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in line)
        assert len(line) + wide - marks <= width
    coloured = render_explanations(explained, width, colour=True)
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == shown


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
    arguments = ["-k", "20", "--selector", "greedy", *map(str, DAM)]
    out, err = (theirs for _, theirs in terminals.values())
    command = [sys.executable, "-c", EXPLAIN_ON_BOTH, *arguments]
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


def test_explained_words_add_up_to_the_covered_weight() -> None:
    """The words in the explanation have the covered weight of the selection."""
    cluster = cluster_of_texts(
        ["The dam broke at dawn. Water covered the town.", "The dam held. The mayor fled."]
    )
    (made,) = summarize([cluster], Config().with_settings({"budget": 8, "weighting": "position"}))
    assert not isinstance(made, SummcError)
    (found,) = explain_all([made], Config())
    covered = {word for each in found.sentences for word in (*each.alone, *each.shared)}
    assert sum(word.weight for word in covered) == pytest.approx(made.selection.covered_weight)


def test_an_empty_choice_has_an_explanation() -> None:
    graph = make_graph([], [], [], [])
    cluster = Cluster("c", (Document("d", ()),))
    made = write(
        TokenizedCluster(cluster, ConceptIndex.of(())),
        WordWeights((), np.zeros(0), "sentence"),
        graph,
        make_selection(graph, 1, "test", []),
        Config(),
    )
    found = explain(made, {})
    assert (found.sentences, found.missed, found.answers) == ((), (), ())


def test_lines_of_many_sentences_fit_the_width() -> None:
    text = " ".join(f"Flood {i} reached town {i} with a{'h' * (i % 9)} at dawn." for i in range(101))
    config = Config().with_settings(
        {"budget": 5000, "selector": "g-greedy", "weighting": "position", "least_words": 1, "reading": 0}
    )
    (explanation,) = explain_all(
        [each for each in summarize([cluster_of_texts([text])], config) if isinstance(each, Run)], config
    )
    assert len(explanation.sentences) == 101
    for width in (30, 53):
        assert max(map(len, render_explanations([explanation], width).splitlines())) <= width


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0.00"), (0.01234, "0.0123"), (12.0, "12.0"), (999.7, "1000"), (8861.3, "8861"), (1e20, "1e+20")],
)  # fmt: skip
def test_weights_are_shown_in_three_digits_or_more(value: float, shown: str) -> None:
    assert weight(value) == shown


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


def test_required_sentences_may_leave_no_room_for_bp(summc: Cli) -> None:
    required = "Ossel Valley Power put repairs at 95 million crowns."
    for command in ("explain", "summarize"):
        flags = ("--selector", "bp", "-k", 9, "--must", required, "--why-not", "No. 9")
        result = summc(command, *flags, *DAM)
        assert (result.code, required in result.out) == (0, True)
        assert "belief" not in result.out + result.err


@pytest.mark.parametrize(("k", "cost"), [("60", 7), ("3s", 1), ("300c", 35)])
def test_the_cost_of_a_sentence_that_is_no_candidate_is_shown_in_the_unit(
    summc: Cli, k: str, cost: int
) -> None:
    found = summc("explain", "-k", k, *DAM, "--why-not", "No. 9, in Lower Ansby", "--format", "json")
    (answer,) = json.loads(found.out)["why_not"]
    assert (answer["no_candidate"], answer["cost"]) == ("it has fewer than 8 words", cost)


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
    page = summc("summarize", *flags, "50,60", "--format", "html").out
    assert "<dt>Required</dt>" in page


def test_equal_sentences_are_told_apart_by_their_places() -> None:
    texts = ["The dam broke.", "The river rose.", "The dam broke."]
    cluster = Cluster("c", (Document("d", tuple(Sentence(0, i, text, 3) for i, text in enumerate(texts))),))
    graph = make_graph([3, 3, 3], [1, 1, 1], [0, 1, 2], [0, 1, 2])
    made = write(
        TokenizedCluster(cluster, ConceptIndex.of(())),
        WordWeights((), np.zeros(0), "sentence"),
        graph,
        make_selection(graph, 6, "test", [0, 2]),
        Config(),
    )
    questions = [Question("?", asked, quoted=True) for asked in (0, 1, 2)]
    found = explain(made, {}, None, questions, must=["dam broke"])
    assert [each.required for each in found.sentences] == [True, False]
    assert [(each.location.index, each.number) for each in found.answers] == [(0, 1), (1, None), (2, 2)]


def test_a_repetition_that_is_not_in_the_graph_stands_for_the_first() -> None:
    texts = ["The river rose.", "The dam broke.", "The dam broke."]
    cluster = Cluster("c", (Document("d", tuple(Sentence(0, i, text, 3) for i, text in enumerate(texts))),))
    graph = make_graph([3, 3], [1, 1], [0, 1], [0, 1], sentence_ids=[0, 1])
    made = write(
        TokenizedCluster(cluster, ConceptIndex.of(())),
        WordWeights((), np.zeros(0), "sentence"),
        graph,
        make_selection(graph, 6, "test", [1]),
        Config(),
    )
    (answer,) = explain(made, {}, None, [Question("?", 2, quoted=True)]).answers
    assert (answer.location.index, answer.number) == (1, 1)
