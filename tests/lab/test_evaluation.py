from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import cluster_of_texts, load
from summc.lab.evaluation import evaluate, make_cases
from summc.lab.evaluation.cases import best_extract
from summc.lab.evaluation.intervals import estimate, holm, p_text
from summc.lab.evaluation.report import (
    Figure,
    ScoreRow,
    Versus,
    difference_styles,
    render_evaluation,
    score_rows,
)
from summc.records import Cluster, Outcome, Score, Selection
from summc.settings.config import Config
from summc.system.outputs import own_folder
from summc.text.screens import Screen
from summc.text.tables import BETTER, WORSE
from tests.conftest import Cli
from tests.support.small import lines_of, write_lines

GOLDEN = Path(__file__).parent.parent / "golden"


# Intervals


@pytest.mark.parametrize("n", [2, 6, 50])
def test_intervals_and_p_values_agree_with_scipys_t_test(n: int) -> None:
    from scipy import stats  # imported late: it is slow to load

    values = np.random.default_rng(n).normal(0.01, 0.03, n)
    found, theirs = estimate(values.tolist()), stats.ttest_1samp(values, 0)
    assert found.ci == pytest.approx(tuple(theirs.confidence_interval()), abs=6e-7)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-5)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8), st.floats(-1e-5, 1e-5))
def test_an_interval_excludes_0_exactly_if_p_is_below_5_percent(values: list[float], offset: float) -> None:
    # Shift the values so that the interval ends near 0: there a rounding error could make a contradiction.
    low, high = estimate(values).ci or (0, 0)
    for shifted in ([x - low + offset for x in values], [x - high + offset for x in values], values):
        found = estimate(shifted)
        assert found.ci is not None
        assert found.p is not None
        assert (found.ci[0] > 0 or found.ci[1] < 0) == (found.p < 0.05)
        shown = p_text(found.p)
        assert (shown.startswith("<") or float(shown) < 0.05) == (found.p < 0.05)


@pytest.mark.parametrize(
    ("values", "ci", "p"),
    [
        ([3e-17, 4e-17, 3e-17], (0, 0), 1),  # a rounding error is no difference
        ([-0.1] * 3, (-0.1, -0.1), 0),
        ([0.3], None, None),
    ],
)
def test_intervals_of_few_or_equal_values(values: list[float], ci: Any, p: float | None) -> None:
    found = estimate(values)
    assert (found.ci, found.p) == (ci, p)
    assert found.mean == pytest.approx(values[0])


def test_p_values_are_corrected_by_holm() -> None:
    # By hand: 4 times the smallest, 3 times the next, and never less than the one before.
    assert holm([0.04, 0.01, 0.03, 0.5]) == [0.09, 0.04, 0.09, 0.5]
    assert holm([0.6, 0.7]) == [1.0, 1.0]


# Baselines


def recall_of(chosen: Sequence[int], sentences: list[list[str]], references: list[list[str]]) -> float:
    mine = Counter(word for i in chosen for word in sentences[i])
    return float(np.mean([(mine & Counter(r)).total() / len(r) for r in references]))


words = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4)


@given(
    sentences=st.lists(words, min_size=1, max_size=6), references=st.lists(words, min_size=1, max_size=2),
    budget=st.integers(1, 10),
)  # fmt: skip
def test_the_oracle_has_the_best_recall_of_all_extracts(
    sentences: list[list[str]], references: list[list[str]], budget: int
) -> None:
    cost = np.array([len(sentence) for sentence in sentences], dtype=float)
    chosen, proven = best_extract(sentences, cost, references, budget, pooled=False)
    best = max(
        recall_of(tried, sentences, references)
        for size in range(len(sentences) + 1)
        for tried in itertools.combinations(range(len(sentences)), size)
        if cost[list(tried)].sum() <= budget
    )
    assert proven
    assert cost[list(chosen)].sum() <= budget
    assert recall_of(chosen, sentences, references) == pytest.approx(best)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data set of two clusters with two documents each."""
    return write_lines(tmp_path_factory.mktemp("two") / "two.jsonl")


def run(clusters: list[Cluster], names: list[str], **settings: object) -> list[Outcome]:
    config = Config().with_settings(settings)
    cases, _ = make_cases(clusters, config)
    return [outcome for outcomes in evaluate(cases, names, config) for outcome in outcomes]


def test_the_rows_have_the_expected_order_of_recall(two: Path) -> None:
    outcomes = run(list(load([two])), ["g-greedy", "lead", "random", "human", "oracle"])
    rows = {row.selector: row for row in score_rows(outcomes)}
    recall = {name: row.figures["rouge1"].recall for name, row in rows.items()}
    assert recall["oracle"] == max(recall.values())
    assert recall["random"] < recall["g-greedy"]
    assert rows["human"].covered_weight is None
    assert rows["lead"].words <= 100
    assert rows["g-greedy"].figures["rouge1"].versus is None
    for name, row in rows.items():
        figure = row.figures["rouge1"]
        assert figure.ci is not None
        assert figure.ci[0] <= recall[name] <= figure.ci[1]
        if figure.versus:
            assert figure.versus.difference == pytest.approx(recall[name] - recall["g-greedy"])


def test_lead_takes_all_first_sentences_before_second_ones() -> None:
    cluster = cluster_of_texts(["One alpha. Two alpha. Three alpha.", "One beta. Two beta."])
    (outcome,) = run([dataclasses.replace(cluster, references=("one",))], ["lead"], budget=6)
    assert (outcome.text, outcome.words) == ("One alpha.\nTwo alpha.\nOne beta.", 6)


def test_human_scores_each_reference_against_the_others() -> None:
    cluster = cluster_of_texts(["The dam broke."])
    (outcome,) = run([dataclasses.replace(cluster, references=("a b", "a c", "a b"))], ["human"])
    assert outcome.scores["rouge1"].recall == pytest.approx(((0.5 + 1) / 2 + 0.5 + (1 + 0.5) / 2) / 3)


# The table

ABOUT = {"dataset": "d", "clusters": 3, "signature": "s", "selectors": {}}


def outcome(cluster: str, selector: str, recall: float) -> Outcome:
    return Outcome(cluster, selector, "x", 1, {"rouge1": Score(recall, recall, recall, "s")})


def test_differences_are_paired_over_the_clusters_that_both_summarized() -> None:
    recalls = [("a", "x", 0.1), ("b", "x", 0.2), ("c", "x", 0.9), ("a", "y", 0.2), ("b", "y", 0.4)]
    outcomes = [outcome(*each) for each in recalls]
    rows = score_rows([*outcomes, Outcome("c", "y", problem="failed")])
    assert [row.clusters for row in rows] == [3, 2]
    versus = rows[1].figures["rouge1"].versus
    assert versus is not None
    assert versus.difference == pytest.approx(0.15)
    assert versus.p == versus.p_holm == pytest.approx(0.204833)  # t = 3 with one degree of freedom


def measured(
    cluster: str, scores: tuple[float, float, float], weight: float, bound: float | None, words: int
) -> Outcome:
    """Return an outcome with recall, precision and F1 of rouge1, and a selection that converged or not."""
    selection = Selection("x", 9, (0,), 4, weight, bound, {"converged": bound is None})
    two = {"rouge1": Score(*scores, "s"), "rouge2": Score(scores[1], scores[2], scores[0], "s")}
    return Outcome(cluster, "x", "t", words, two, selection)


def test_a_row_has_the_means_of_its_outcomes() -> None:
    first, second = measured("a", (0.1, 0.3, 0.5), 4, 8, 10), measured("b", (0.3, 0.7, 0.6), 2, None, 15)
    (row,) = score_rows([first, second, Outcome("c", "x", problem="failed")])
    figures = row.figures["rouge1"]
    assert (figures.recall, figures.precision, figures.f1) == pytest.approx((0.2, 0.5, 0.55))
    assert row.figures["rouge2"].recall == pytest.approx(0.5)
    # One of the outcomes has a bound.
    assert (row.covered_weight, row.words, row.converged, row.proven) == (3, 12.5, 0.5, 0.5)
    (plain,) = score_rows([outcome("a", "y", 0.1)])
    assert (plain.covered_weight, plain.converged, plain.proven) == (None, None, None)


@pytest.mark.parametrize(
    ("versus", "others", "column"),
    [
        ("first", [None, "x", "x"], ["vs x", "-", "+0.3000", "+0.2000"]),
        ("before", [None, "x", "y"], ["vs row before", "-", "+0.3000", "-0.1000"]),
    ],
)
def test_rows_are_compared_with_the_first_row_or_the_row_before(
    versus: str, others: list[str | None], column: list[str]
) -> None:
    outcomes = [outcome("a", name, recall) for name, recall in (("x", 0.1), ("y", 0.4), ("z", 0.3))]
    compared = [row.figures["rouge1"].versus for row in score_rows(outcomes, versus)]
    assert [each and each.selector for each in compared] == others
    heading, _, *rows = render_evaluation(
        ABOUT, outcomes, "md", per_cluster=False, versus=versus
    ).splitlines()[:5]
    assert [line.split("|")[-5].strip() for line in (heading, *rows)] == column


def test_a_narrow_table_lacks_columns_but_keeps_differing_numbers_of_clusters() -> None:
    outcomes = [outcome(cluster, name, 0.1) for name in "xy" for cluster in "abc"]
    for made, kept in ((outcomes, False), (outcomes[:-1], True)):
        table = render_evaluation(ABOUT, made, "text", per_cluster=False, screen=Screen(70))
        assert ("clusters" in table.splitlines()[0]) == kept
        assert "precision" not in table.splitlines()[0]
    for columns, heading in ((80, "rouge1 rouge2 weight words"), (40, "rouge1 rouge2"), (30, "rouge1")):
        made = [measured("a", (0.1, 0.3, 0.5), 4, 8, 10)]
        table = render_evaluation(ABOUT, made, "text", per_cluster=True, screen=Screen(columns))
        assert table.splitlines()[0].split() == ["cluster", "selector", *heading.split()]


def test_a_difference_has_a_colour_only_if_its_interval_excludes_0() -> None:
    intervals = [None, (0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1), (0.0, 0.1), (-0.1, 0.0)]
    figures = [Figure(0, 0, 0, None, ci and Versus("x", 0, ci, 1, 1)) for ci in intervals]
    rows = [ScoreRow("x", 1, {"rouge1": figure}, None, 1, None, None) for figure in figures]
    assert difference_styles(rows, 1) == {(2, 1): BETTER, (3, 1): WORSE}


def test_json_has_the_weight_and_the_problem_of_each_cluster() -> None:
    made = measured("a", (0.1, 0.3, 0.5), 4, 8, 10)
    outcomes = [made, dataclasses.replace(made, selection=None), Outcome("c", "x", problem="no")]
    found = json.loads(render_evaluation(ABOUT, outcomes, "json", per_cluster=True))["per_cluster"]
    assert [(each["covered_weight"], each["problem"]) for each in found] == [
        (4, None), (None, None), (None, "no"),
    ]  # fmt: skip
    assert found[0]["rouge1"] == {"recall": 0.1, "precision": 0.3, "f1": 0.5}


# The command


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table)))


def test_the_tables_of_the_sample_match_the_golden_files(summc: Cli, tmp_path: Path) -> None:
    command = (
        "evaluate --dataset sample --config paper --selector g-greedy,greedy,lead,random,human,oracle -v"
    )
    result = summc(*command.split(), "--save", tmp_path / "run")
    assert (result.code, result.out) == (0, (GOLDEN / "evaluate-sample-80.txt").read_text())
    wide = summc("evaluate", "--saved", tmp_path / "run", "--wide")
    assert (wide.out, wide.err) == ((GOLDEN / "evaluate-sample.txt").read_text(), "")
    assert re.match(r"encoding:auto\|language:en\|.*\|k:100\|.*rouge1\|references:3,mean\|", result.err)


def test_the_configured_selector_comes_first_and_is_the_baseline(summc: Cli, two: Path) -> None:
    options = ["evaluate", "--dataset", two, "-k", 30, "--iterations", 9]
    for config, first in (("default", "auto"), ("paper", "g-greedy"), ("paper-fig4", "bp")):
        made = summc(*options, "--config", config).out
        heading, *rows = made.split("\n\n")[0].splitlines()
        names = [row.split()[0] for row in rows]
        assert f"vs {first}" in heading
        assert names == [first, *(n for n in ("bp", "g-greedy", "greedy", "lead", "random") if n != first)]
        if config == "default":
            assert summc(*options).out == made


def test_json_csv_markdown_and_per_cluster_rows_agree(summc: Cli, two: Path) -> None:
    command = f"evaluate --dataset {two} --selector bp,g-greedy --beta 45 --iterations 9".split()
    metrics = ("rouge1", "rouge2", "rougeL")
    several = [*command, "--metrics", ",".join(metrics)]
    json_ = summc(*several, "--format", "json", "--per-cluster").out
    assert summc(*several, "--format", "json", "--per-cluster", "--jobs", 2).out == json_
    found = json.loads(json_)
    assert list(found) == ["dataset", "clusters", "signature", "rows", "per_cluster"]
    assert (found["dataset"], found["clusters"]) == (str(two), 2)
    bp, g_greedy = found["rows"]
    assert list(bp["rouge1"]) == ["recall", "precision", "f1", "ci", "versus"]
    assert bp["rouge2"]["recall"] < bp["rougeL"]["recall"] < bp["rouge1"]["recall"]
    assert (bp["rouge1"]["versus"], bp["settings"]["beta"]) == (None, 45)
    for metric in metrics:
        versus = g_greedy[metric]["versus"]
        assert list(versus) == ["selector", "difference", "ci", "p", "p_holm"]
        assert versus["difference"] == pytest.approx(g_greedy[metric]["recall"] - bp[metric]["recall"])
    # CSV has the same, each number in a column of its own.
    first, second = rows_of(summc(*several, "--format", "csv").out)
    assert {name for name, value in first.items() if value == ""} == {
        "proven", "versus",
        *(f"{metric}_{part}" for metric in metrics
          for part in ("difference", "difference_low", "difference_high", "p", "p_holm")),
    }  # fmt: skip
    for name, value in second.items():
        if name not in ("selector", "versus") and value:
            assert value == repr(float(value)) or value.isdigit()
    numbers = [float(second[f"rougeL_{part}"]) for part in ("p", "p_holm", "difference_low")]
    assert numbers == [versus["p"], versus["p_holm"], versus["ci"][0]]
    rows = rows_of(summc(*command, "--format", "csv", "--per-cluster").out)
    assert len(rows) == 4
    mean = np.mean([float(row["rouge1"]) for row in rows if row["selector"] == "bp"])
    assert mean == pytest.approx(bp["rouge1"]["recall"], abs=1e-4)
    assert summc(*command, "--format", "md").out.startswith("| selector | rouge1 |")


def test_a_saved_run_gives_the_same_table_and_can_be_used_as_peers(
    summc: Cli, two: Path, tmp_path: Path
) -> None:
    run, peers = tmp_path / "run", tmp_path / "run" / "summaries"
    few = ("evaluate", "--dataset", two, "--iterations", 9)
    made = summc(*few, "--selector", "bp,g-greedy", "--beta", 45, "--save", run)
    again = summc("evaluate", "--saved", run)
    assert (again.code, again.out) == (0, made.out)
    assert "beta = 45" in (run / "config.toml").read_text()
    scored = summc("score", "--summaries", peers, "--dataset", two, "--format", "json")
    saved = summc("evaluate", "--saved", run, "--format", "json")
    recalls, same = (
        {row["selector"]: row["rouge1"] for row in json.loads(each.out)["rows"]} for each in (scored, saved)
    )
    assert recalls == same
    together = summc(*few, "--selector", "bp", "--peers", peers)
    assert [line.split("  ")[0] for line in together.out.splitlines()[1:4]] == ["bp", "bp (peer)", "g-greedy"]


def test_a_folder_with_one_file_per_cluster_is_a_system(summc: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "d90001t.txt").write_text("The ferry ran aground.")
    command = ("score", "--summaries", folder, "--dataset", "sample", "--format", "json")
    alone = summc(*command)
    assert (alone.code, "d90002t: no summary by mine" in alone.err) == (5, True)
    assert [(row["selector"], row["clusters"]) for row in json.loads(alone.out)["rows"]] == [("mine", 1)]
    for n in range(2, 7):  # files with DUC names belong to the system that they name
        (folder / f"D9000{n}.M.100.T.9").write_text("The dam broke.")
    rows = json.loads(summc(*command).out)["rows"]
    assert [(row["selector"], row["clusters"]) for row in rows] == [("9", 5), ("mine", 1)]


def test_a_failing_cluster_is_reported_and_the_rest_go_on(summc: Cli, tmp_path: Path) -> None:
    lines = [
        {"id": "good", "documents": ["The dam broke."], "references": ["It broke."]},
        {"id": "long", "documents": ["This sentence is longer than that."], "references": ["It broke."]},
        {"id": "alone", "documents": ["The dam broke."]},
        {"id": "void", "documents": [""], "references": ["It broke."]},
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    result = summc("evaluate", "--dataset", path, "--selector", "greedy,human", "-k", 3, "--format", "json")
    assert result.code == 5
    errors = [line for line in result.err.splitlines() if line.startswith("error: ")]
    assert errors == [
        f"error: {path}:4: no text; give documents that hold text",
        "error: good: only one reference; human needs two or more",
        "error: long: no sentence fits a budget of 3 words (the shortest has 6); raise --budget",
        "error: long: only one reference; human needs two or more",
        "error: alone: no references; give some or leave the cluster out",
    ]
    assert [(row["selector"], row["clusters"]) for row in json.loads(result.out)["rows"]] == [("greedy", 1)]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("evaluate", 2, "--dataset: nothing to evaluate; name a data set, such as sample, or a path"),
        ("evaluate --dataset nowhere", 4, "nowhere: no such data set or path; give a path or one of sample, duc2004, duc2003, duc2005, duc2006, duc2007, multiling2011"),
        ("evaluate --dataset sample --selector bpp", 2, '--selector: unknown selector "bpp"; perhaps "bp"?'),
        ("evaluate --dataset sample --selector lead --beta 3", 2, "--beta: not a setting of lead; choose bp or bp-decimation"),
        ("evaluate --dataset sample --metrics rouge9", 2, '--metrics: must be some of rouge1, rouge2, rouge3, rouge4, rougeL, rougeW, rougeSU4, got "rouge9"; perhaps "rougeW"?'),
        ("evaluate --dataset sample --peers nowhere", 4, "nowhere: no such folder of summaries; check the path"),
        ("evaluate --dataset sample --save /dev/null/x", 6, "/dev/null/x: cannot be made (Not a directory); check the path"),
        ("evaluate --saved nowhere", 4, "nowhere: no saved evaluation; make one with --save"),
        ("evaluate --dataset sample --jobs 0", 2, "--jobs: 0 is not in the range x>=1; see summc evaluate --help"),
        ("score --dataset sample", 2, "--summaries: goes with --dataset; give both"),
        ("datasets check nowhere", 4, "nowhere: no such data set or path; give a path or one of sample, duc2004, duc2003, duc2005, duc2006, duc2007, multiling2011"),
    ],
)  # fmt: skip
def test_a_bad_call_gives_a_one_line_error(summc: Cli, arguments: str, code: int, message: str) -> None:
    result = summc(*arguments.split())
    assert (result.code, result.err) == (code, f"error: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("evaluate --saved run --dataset sample", "--saved: given with --dataset; "),
        ("evaluate --saved run --metrics rouge2", "--saved: given with --metrics; "),
        ("evaluate --saved run --selector lead", "--saved: given with --selector; "),
        ("evaluate --saved run --save other", "--saved: given with --save; "),
        ("score a.txt --summaries b --dataset sample", "--summaries: given with a.txt; "),
        ("score --reference c --summaries b --dataset sample", "--summaries: given with --reference; "),
        ("score a.txt --reference c --rouge official --config s.toml", "--budget: is counted in words "),
        ("datasets --format json check sample", "--format: is for the list alone; "),
        ("datasets -o out check sample", "-o: is for the list alone; "),
    ],
)
def test_options_without_effect_are_refused(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "c"):
        Path(name).write_text("The dam broke.")
    Path("s.toml").write_text('[select]\nbudget = 2\nunit = "sentences"\n')
    result = summc(*arguments.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {message}")
    if "s.toml" in arguments:  # a budget in words is taken
        assert "|limit:50|" in summc(*arguments.split(), "-k", "50", "-v").err


# Lengths


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """Return a data set of one cluster with one reference."""
    return lines_of(tmp_path / "one.jsonl", ["The dam broke."])


def systems(folder: Path, **texts: str) -> Path:
    """Write the summary of the first cluster by each system, and return their folder."""
    for name, text in texts.items():
        (folder / "systems" / name).mkdir(parents=True)
        (folder / "systems" / name / f"line-1.{name}").write_text(text)
    return folder / "systems"


@pytest.mark.parametrize(
    ("short", "flags", "warned"),
    [
        (35, "", True),
        (71, "", False),  # 10% more
        (70, "", True),
        (35, "--rouge official -k 35", False),
        (35, "--rouge official -k 100", True),  # the cut leaves both as they are
        (35, "--rouge official --rouge-bytes 100", False),
    ],
)
def test_systems_of_unequal_length_are_reported(
    summc: Cli, tmp_path: Path, one: Path, short: int, flags: str, warned: bool
) -> None:
    folder = systems(tmp_path, long="dam " * 78, short="dam " * short)
    result = summc("score", "--dataset", one, "--summaries", folder, *flags.split())
    told = (
        f"warning: long has 78.0 words a summary, short {short}.0: recall favours the longer; "
        f"cut all alike with --rouge official --budget {short}\n"
    )
    assert (result.code, result.err) == (0, told if warned else "")
    assert "words" in result.out.splitlines()[0]


def test_summaries_of_summc_are_compared_with_peers_in_length(summc: Cli, tmp_path: Path, one: Path) -> None:
    evaluate = ("evaluate", "--dataset", one, "--selector", "lead", "-k", 7, "--format", "csv", "--peers")
    result = summc(*evaluate, systems(tmp_path, long="dam " * 78))
    assert result.err.startswith("warning: long has 78.0 words a summary, lead 7.0: ")
    assert [row["words"] for row in rows_of(result.out)] == ["7.0", "78.0"]
    assert summc(*evaluate, systems(tmp_path / "b", alike="dam " * 7)).err == ""


def test_one_cluster_has_no_interval_and_the_table_says_so(summc: Cli, one: Path) -> None:
    options = ("evaluate", "--dataset", one, "--selector", "lead,greedy", "-k", 7)
    table = summc(*options, "--wide").out
    assert "one cluster has no interval and no p-value\n" in table
    row = dict(zip(re.split(r"  +", table.splitlines()[0]), table.splitlines()[2].split(), strict=True))
    assert (row["95% interval"], row["p"]) == ("-", "-")
    figures = json.loads(summc(*options, "--format", "json").out)["rows"][1]["rouge1"]
    assert figures["ci"] is None
    assert [figures["versus"][part] for part in ("ci", "p", "p_holm")] == [None] * 3


def test_a_table_can_be_written_for_latex(summc: Cli, tmp_path: Path) -> None:
    data = lines_of(tmp_path / "a.jsonl", ["The dam broke."], ["Nobody was hurt."])
    peers, table = systems(tmp_path, a_b="dam " * 7), tmp_path / "table.tex"
    summc("evaluate", "--dataset", data, "--selector", "lead", "-k", 7, "--peers", peers, "-o", table)
    lines = table.read_text().splitlines()
    assert lines[1:3] == [r"\begin{tabular}{lrrrrrrrrrrr}", r"\toprule"]
    assert lines[3].startswith(r"selector & rouge1 & 95\% interval & precision & F1 & ")
    assert [line.split(" & ")[0] for line in lines[5:7]] == ["lead", r"a\_b"]
    assert lines[7:9] == [r"\bottomrule", r"\end{tabular}"]


# Cluster names that cannot be file names


ODD = ["a/b", "a-b", "a%2Fb", "a", "a.b", "A", "..", ".", "x" * 300, "x" * 301, "é" * 200, "c:d", "a#2", "a", "a\u0000b", "a b"]  # fmt: skip


def test_clusters_and_configurations_of_any_name_are_saved_in_separate_files(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, preset = tmp_path / "odd.jsonl", tmp_path / "mine.toml"
    lines = [
        {"id": id_, "documents": [f"The dam {n} broke."], "references": [f"The dam {n}."]}
        for n, id_ in enumerate(ODD)
    ]
    data.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    preset.write_text('[select]\nselector = "greedy"\n')
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    names = ("--selector", "lead", "--preset", f"../mine.toml,{preset}")
    made = summc("evaluate", "--dataset", data, *names, "--save", "run", "--per-cluster")
    assert made.code == 0
    files = [path for path in Path("run/summaries").rglob("*") if path.is_file()]
    assert [len(list(folder.iterdir())) for folder in Path("run/summaries").iterdir()] == [len(ODD)] * 3
    assert {path.read_text() for path in files} == {f"The dam {n} broke.\n" for n in range(len(ODD))}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "mine.toml", "odd.jsonl"]
    assert summc("evaluate", "--saved", "run", "--per-cluster").out == made.out
    # Read back as peers, each summary is matched to its cluster.
    again = summc("score", "--summaries", "run/summaries", "--dataset", data, "--format", "json")
    rows = json.loads(again.out)["rows"]
    assert [(row["clusters"], row["rouge1"]["recall"]) for row in rows] == [(len(ODD), 1.0)] * 3


def test_a_second_run_into_the_same_folder_is_refused(summc: Cli, tmp_path: Path, one: Path) -> None:
    target = tmp_path / "run"
    told = f"error: {target}: another run is writing there; wait until it has ended, or write to another folder\n"
    target.mkdir()
    with own_folder(str(target)):
        for command in (["evaluate", "--selector", "lead"], ["sweep", "--mu", "0.1"]):
            refused = summc(*command, "--dataset", one, "--save", target)
            assert (refused.code, refused.out, refused.err) == (6, "", told)
            assert list(target.iterdir()) == []
    assert summc("evaluate", "--selector", "lead", "--dataset", one, "--save", target).code == 0


# References and summaries with few words or none


@pytest.mark.parametrize(
    ("reference", "flags"), [("...", ()), (" ", ()), ("The and of.", ("--rouge-stopwords", "removed"))]
)
def test_a_reference_without_words_fails_only_its_cluster(
    summc: Cli, tmp_path: Path, reference: str, flags: tuple[str, ...]
) -> None:
    path = lines_of(tmp_path / "a.jsonl", ["The dam broke near the old town."], [reference])
    result = summc("evaluate", "--dataset", path, "--selector", "oracle,lead", "-k", 7, *flags)
    assert (result.code, len(result.out.splitlines())) == (5, 6)
    assert result.err == "error: line-2: reference 1 has no words; give a reference that holds text\n"


def test_the_signature_covers_all_clusters(summc: Cli, tmp_path: Path) -> None:
    said, mixed = "The dam broke.", tmp_path / "c.jsonl"
    english = lines_of(tmp_path / "a.jsonl", [said] * 2, [said], [said] * 4, []).read_text()
    greek = lines_of(tmp_path / "b.jsonl", ["Το φράγμα έσπασε."], language="el").read_text()
    mixed.write_text(english + greek)
    for how in (("--selector", "lead"), ("--preset", "default")):
        signature = summc("evaluate", "--dataset", mixed, *how, "-v").err.splitlines()[-1]
        assert "|language:el+en|splitter:nupunkt-" in signature
        assert "|references:1-4,mean|case:lower|tokenizer:ascii+every-script|" in signature
    found = summc("evaluate", "--dataset", mixed, "--preset", "default", "--format", "json")
    assert json.loads(found.out)["rows"][0]["settings"]["stemmer"] == "none+porter"


def test_words_of_peers_are_counted_as_a_reader_counts(summc: Cli, tmp_path: Path) -> None:
    chinese = "\u5927\u575d\u7834\u88c2\u3002"
    path = lines_of(tmp_path / "a.jsonl", [chinese, chinese], language="zh")
    options = ("--selector", "human", "--peers", systems(tmp_path, one=chinese), "--format", "json")
    rows = json.loads(summc("evaluate", "--dataset", path, *options).out)["rows"]
    assert [row["words"] for row in rows] == [4, 4]


def test_a_selector_named_twice_is_run_once(summc: Cli, one: Path) -> None:
    options = ("--dataset", one, "--per-cluster", "--format", "csv")
    once, twice = (summc("evaluate", *options, "--selector", names).out for names in ("lead", "lead,lead"))
    assert once == twice
    assert len(once.splitlines()) == 2


def test_a_line_without_a_selection_does_not_stop_the_scores_of_the_rest(summc: Cli, tmp_path: Path) -> None:
    text = summc("load", lines_of(tmp_path / "a.jsonl", *[["The dam broke."]] * 3)).out
    for stage in ("preprocess", "weigh", "graph", "select --selector g-greedy"):
        text = summc(*stage.split(), stdin=text).out
    lines = [json.loads(line) for line in text.splitlines()]
    del lines[1]["selection"]
    lines[1]["failure"] = "line-2: no sentence fits"
    result = summc("score", stdin="".join(f"{json.dumps(line)}\n" for line in lines))
    assert (result.code, result.err) == (5, "error: line-2: no sentence fits\n")
    assert [line.split()[0] for line in result.out.splitlines()[1:]] == ["line-1", "line-3", "mean"]


# Saved files


def test_summaries_of_an_earlier_evaluation_are_removed(summc: Cli, tmp_path: Path, one: Path) -> None:
    run = tmp_path / "run"
    (run / "summaries").mkdir(parents=True)
    (run / "summaries" / "mine").write_text("Not of an evaluation.")
    for names in ("lead,random", "random"):
        summc("evaluate", "--dataset", one, "--selector", names, "--save", run)
    found = {each.relative_to(run / "summaries").as_posix() for each in (run / "summaries").rglob("*")}
    assert found == {"mine", "random", "random/line-1.random"}


def test_a_system_without_summaries_gives_a_warning(summc: Cli, tmp_path: Path, one: Path) -> None:
    folder = systems(tmp_path, one="The dam.", two="The dam.")
    (folder / "two" / "line-1.two").rename(folder / "two" / "other.two")
    result = summc("score", "--dataset", one, "--summaries", folder)
    assert result.err == f"warning: {folder}: no summaries of these clusters by two; left out\n"


@pytest.mark.parametrize(
    "damage",
    [
        {"selection": {"covered_weight": "x"}},
        {"selection": {"bound": "x"}},
        {"selection": {"diagnostics": None}},
        {"selection": {"diagnostics": {"converged": "x"}}},
        {"scores": {}},
        {"scores": {"rouge2": {"recall": 1, "precision": 1, "f1": 1, "signature": ""}}},
        {"problem": "failed"},
        {"words": "x"},
        {"cluster": ["x"]},
    ],
)
def test_a_damaged_saved_evaluation_is_refused(summc: Cli, tmp_path: Path, damage: dict[str, Any]) -> None:
    path, run = lines_of(tmp_path / "a.jsonl", ["The dam broke."], ["Nobody was hurt."]), tmp_path / "run"
    summc("evaluate", "--dataset", path, "--selector", "lead", "--save", run)
    first, *others = map(json.loads, (run / "outcomes.jsonl").read_text().splitlines())
    for member, parts in damage.items():
        first[member] = {**first[member], **parts} if member == "selection" else parts
    (run / "outcomes.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in (first, *others)))
    result = summc("evaluate", "--saved", run)
    assert (result.code, result.err) == (3, f"error: {run}: not a saved evaluation; make one with --save\n")
