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

from summc.api.evaluation import evaluate as evaluate_in_python
from summc.config import Config
from summc.documents.sources import cluster_of_texts
from summc.lab.evaluation import best_extract, evaluate, make_cases
from summc.lab.evaluation.intervals import estimate, holm, p_text, randomized
from summc.lab.evaluation.report import render_evaluation, score_rows
from summc.records import Cluster, Outcome, Score, Selection
from summc.report.screens import Screen
from summc.report.tables import BETTER, WORSE
from summc.system.outputs import locked_folder
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


def test_intervals_of_few_or_equal_values() -> None:
    # A rounding error is no difference.
    for values, ci, p in (
        ([3e-17, 4e-17, 3e-17], (0, 0), 1),
        ([-0.1] * 3, (-0.1, -0.1), 0),
        ([0.3], None, None),
    ):
        found = estimate(values)
        assert (found.ci, found.p) == (ci, p)
        assert found.mean == pytest.approx(values[0])


@pytest.mark.parametrize(("n", "tolerance"), [(2, 0), (6, 0), (12, 0), (40, 0.01)])
def test_the_randomization_test_agrees_with_scipys(n: int, tolerance: float) -> None:
    from scipy import stats  # imported late: it is slow to load

    values = np.random.default_rng(n).normal(0.01, 0.03, n)
    options: dict[str, Any] = {"permutation_type": "samples", "vectorized": True, "n_resamples": 2**13}
    theirs = stats.permutation_test((values, np.zeros(n)), lambda x, y, axis: (x - y).mean(axis), **options)
    assert randomized(values.tolist()) == pytest.approx(theirs.pvalue, rel=1e-5, abs=tolerance)


def test_the_randomization_test_of_few_or_equal_values() -> None:
    assert randomized([0.3]) is None
    assert randomized([0.1, 0.1, -0.1]) == 1
    assert randomized([0.0] * 30) == 1
    assert randomized([0.1] * 30) == pytest.approx(2**-14, rel=1e-5)  # never 0


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
    return list(evaluate(cases, {name: (name, config) for name in names}))


def test_lead_takes_all_first_sentences_before_second_ones() -> None:
    cluster = cluster_of_texts(["One alpha. Two alpha. Three alpha.", "One beta. Two beta."])
    (outcome,) = run([dataclasses.replace(cluster, references=("one",))], ["lead"], budget=6)
    assert (outcome.text, outcome.words) == ("One alpha.\nTwo alpha.\nOne beta.", 6)


# The table

ABOUT = {"dataset": "d", "clusters": 3, "signature": "s", "selectors": {}}


def outcome(cluster: str, selector: str, recall: float) -> Outcome:
    return Outcome(cluster, selector, "x", 1, {"rouge1": Score(recall, recall, recall, "s")})


def test_differences_are_paired_over_the_clusters_that_both_summarized() -> None:
    recalls = [("a", "x", 0.1), ("b", "x", 0.2), ("c", "x", 0.9), ("a", "y", 0.2), ("b", "y", 0.4)]
    outcomes = [outcome(*each) for each in recalls]
    rows = score_rows([*outcomes, Outcome("c", "y", problem="failed")])
    assert [row.clusters for row in rows] == [3, 2]
    versus = rows[1].means["rouge1"]
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
    figures = row.scores["rouge1"]
    assert (figures.recall, figures.precision, figures.f1) == pytest.approx((0.2, 0.5, 0.55))
    assert row.scores["rouge2"].recall == pytest.approx(0.5)
    # One of the outcomes has a bound.
    assert (row.covered_weight, row.words, row.converged, row.proven) == (3, 12.5, 0.5, 0.5)
    (plain,) = score_rows([outcome("a", "y", 0.1)])
    assert (plain.covered_weight, plain.converged, plain.proven) == (None, None, None)


@pytest.mark.parametrize(
    ("versus", "column"),
    [("first", "vs x|-|+0.3000|+0.2000"), ("before", "vs row before|-|+0.3000|-0.1000")],
)
def test_rows_are_compared_with_the_first_row_or_the_row_before(versus: str, column: str) -> None:
    outcomes = [outcome("a", name, recall) for name, recall in (("x", 0.1), ("y", 0.4), ("z", 0.3))]
    table = render_evaluation(ABOUT, outcomes, "md", per_cluster=False, versus=versus).splitlines()
    assert "|".join(table[i].split("|")[-5].strip() for i in (0, 2, 3, 4)) == column


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
    recalls = {"x": (0.1, 0.2, 0.3), "up": (0.4, 0.5, 0.6), "down": (0.0, 0.1, 0.2), "same": (0.1, 0.3, 0.2)}
    outcomes = [
        outcome(cluster, name, recall)
        for name, values in recalls.items()
        for cluster, recall in zip("abc", values, strict=True)
    ]
    table = render_evaluation(ABOUT, outcomes, "text", screen=Screen(None, colour=True))
    colours = [
        re.findall(rf"\x1b\[({BETTER}|{WORSE})m([+-][0-9.]+)", line) for line in table.splitlines()[1:5]
    ]
    assert colours == [[], [(BETTER, "+0.3000")], [(WORSE, "-0.1000")], []]


def test_json_has_the_weight_and_the_problem_of_each_cluster() -> None:
    made = measured("a", (0.1, 0.3, 0.5), 4, 8, 10)
    outcomes = [made, dataclasses.replace(made, selection=None), Outcome("c", "x", problem="no")]
    found = json.loads(render_evaluation(ABOUT, outcomes, "json", per_cluster=True))["per_cluster"]
    assert [each["covered_weight"] for each in found] == [4, None, None]
    assert [each["problem"] for each in found] == [None, None, "no"]
    assert found[0]["rouge1"] == {"recall": 0.1, "precision": 0.3, "f1": 0.5}


def test_the_table_has_the_difference_by_each_metric() -> None:
    firsts = [measured(cluster, (0.1, 0.3, 0.5), 4, 8, 10) for cluster in "ab"]
    outcomes = [*firsts, *(dataclasses.replace(each, selector="y") for each in firsts)]
    for format_, screen, number in (("md", None, 2), ("text", Screen(70), 2)):
        heading = render_evaluation(ABOUT, outcomes, format_, screen).splitlines()[0]
        assert heading.count("vs x") == heading.count("p Holm") == number


# The command


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table)))


def test_the_tables_of_the_sample_match_the_golden_files(summc: Cli, tmp_path: Path) -> None:
    selectors = "g-greedy,greedy,lead,random,human,oracle"
    command = f"evaluate --dataset sample --config paper --selector {selectors} -v"
    result = summc(*command.split(), "--save", tmp_path / "run")
    assert (result.code, result.out) == (0, (GOLDEN / "evaluate-sample-80.txt").read_text())
    wide = summc("evaluate", "--saved", tmp_path / "run", "--wide")
    assert (wide.out, wide.err) == ((GOLDEN / "evaluate-sample.txt").read_text(), "")
    assert re.match(r"encoding:auto\|language:en\|.*\|k:100\|.*rouge1\|references:3,mean\|", result.err)


def test_the_configured_selector_comes_first_and_is_the_baseline(summc: Cli, one: Path) -> None:
    options = ["evaluate", "--dataset", one, "-k", 9, "--iterations", 9]
    for config, first in (("default", "auto"), ("paper", "g-greedy"), ("paper-fig4", "bp")):
        made = summc(*options, "--config", config).out
        heading, *rows = made.split("\n\n")[0].splitlines()
        names = [row.split()[0] for row in rows]
        assert f"vs {first}" in heading
        assert names == [first, *(n for n in ("bp", "g-greedy", "greedy", "lead", "random") if n != first)]
        if config == "default":
            assert summc(*options).out == made


def test_json_csv_and_per_cluster_rows_agree(summc: Cli, two: Path, tmp_path: Path) -> None:
    metrics = ("rouge1", "rouge2", "rougeL")
    command = f"evaluate --dataset {two} --selector bp,g-greedy --beta 45 --iterations 9".split()
    several = ("--metrics", ",".join(metrics), "--save", tmp_path, "--format", "json", "--per-cluster")
    found = json.loads(summc(*command, *several).out)
    assert list(found) == ["dataset", "clusters", "signature", "rows", "per_cluster"]
    assert (found["dataset"], found["clusters"]) == (str(two), 2)
    bp, g_greedy = found["rows"]
    assert list(bp["rouge1"]) == ["recall", "precision", "f1", "ci", "versus"]
    assert bp["rouge2"]["recall"] < bp["rougeL"]["recall"] < bp["rouge1"]["recall"]
    assert (bp["rouge1"]["versus"], bp["settings"]["beta"]) == (None, 45)
    saved = ("evaluate", "--saved", tmp_path, "--format", "csv")
    _, second = rows_of(summc(*saved).out)
    for metric in metrics:
        versus = g_greedy[metric]["versus"]
        assert list(versus) == ["selector", "difference", "ci", "p", "p_random", "p_holm"]
        assert versus["difference"] == pytest.approx(g_greedy[metric]["recall"] - bp[metric]["recall"])
        numbers = [float(second[f"{metric}_{part}"]) for part in ("p", "p_holm", "difference_low")]
        assert numbers == [versus["p"], versus["p_holm"], versus["ci"][0]]
    rows = rows_of(summc(*saved, "--per-cluster").out)
    assert len(rows) == 4
    for part in ("recall", "precision", "f1"):
        mean = np.mean([float(row[f"rouge1_{part}"]) for row in rows if row["selector"] == "bp"])
        assert mean == pytest.approx(bp["rouge1"][part])
    from_python = evaluate_in_python(two, ["bp", "g-greedy"], per_cluster=True, metrics=metrics)
    assert list(rows[0]) == list(from_python[0])


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


# Lengths


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """Return a data set of one cluster with one reference."""
    return lines_of(tmp_path / "one.jsonl", ["The dam broke."])


def test_a_table_for_a_paper_marks_what_differs_with_the_correction_used(summc: Cli, tmp_path: Path) -> None:
    peers, table = tmp_path / "peers.jsonl", tmp_path / "table.tex"
    lines = [{"system": "a_b", "cluster": f"d9000{n}t", "text": "nothing " * 30} for n in range(1, 7)]
    peers.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    command = ("evaluate", "--dataset", "sample", "--selector", "lead,greedy", "-k", 30, "--peers", peers)
    summc(*command, "-o", table, "--save", tmp_path / "run")
    found = table.read_text().splitlines()
    assert found[1:4] == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"system & ROUGE-1 & 95\% interval & words \\",
    ]
    assert [line.split(" & ")[0] for line in found[5:8]] == ["lead", "greedy", r"a\_b"]
    # A note in a cell would widen the table.
    assert found[8:10] == [r"\bottomrule", r"\end{tabular}"]
    note = r"p \textless{} 0.05 by Student's paired t, corrected for 2 comparisons by Holm's method"
    assert re.fullmatch(rf"\\par\\smallskip{{\\footnotesize .*{re.escape(note)}\\par}}", found[10])
    made = json.loads(summc("evaluate", "--saved", tmp_path / "run", "--format", "json").out)
    assert "per_cluster" not in made
    versus = [row["rouge1"]["versus"] for row in made["rows"]]
    differs = [bool(each and each["p_holm"] < 0.05) for each in versus]
    assert ["*" in line for line in found[5:8]] == differs
    assert differs == [False, True, True]
    few = lines_of(tmp_path / "few.jsonl", ["The dam broke."], ["The old town."])
    summc("evaluate", "--dataset", few, "--selector", "lead,greedy", "-o", table)  # only one comparison
    assert r"p \textless{} 0.05 by Student's paired t\par}" in table.read_text()


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
    with locked_folder(str(target)):
        for command in (["evaluate", "--selector", "lead"], ["sweep", "--mu", "0.1"]):
            refused = summc(*command, "--dataset", one, "--save", target)
            assert (refused.code, refused.out, refused.err) == (6, "", told)
            assert list(target.iterdir()) == []
    assert summc("evaluate", "--selector", "lead", "--dataset", one, "--save", target).code == 0


# References and summaries with few words or none


def test_the_signature_covers_all_clusters(summc: Cli, tmp_path: Path) -> None:
    said, mixed = "The dam broke.", tmp_path / "c.jsonl"
    english = lines_of(tmp_path / "a.jsonl", [said] * 2, [said], [said] * 4, []).read_text()
    greek = lines_of(tmp_path / "b.jsonl", ["Το φράγμα έσπασε."], language="el").read_text()
    mixed.write_text(english + greek)
    for how in (("--selector", "lead", "--reading", "0.5"), ("--selector", "lead"), ("--preset", "default")):
        found = json.loads(summc("evaluate", "--dataset", mixed, *how, "--format", "json").out)
        assert "|language:el+en|splitter:nupunkt-" in found["signature"]
        assert "|references:1-4,mean|case:lower|tokenizer:ascii+every-script|" in found["signature"]
        assert re.findall(r"\|reading:[^|]*", found["signature"]) == ["|reading:0.5"] * ("--reading" in how)
    assert found["rows"][0]["settings"]["stemmer"] == "none+porter"
    curve = json.loads(summc("curve", mixed, "-k", "10", "--selector", "g-greedy", "--format", "json").out)
    assert "|language:el+en|" in curve["signature"]


# Saved files


def test_summaries_of_an_earlier_evaluation_are_removed(summc: Cli, tmp_path: Path, one: Path) -> None:
    run = tmp_path / "run"
    (run / "summaries").mkdir(parents=True)
    (run / "summaries" / "mine").write_text("Not of an evaluation.")
    for names in ("lead,random", "random"):
        summc("evaluate", "--dataset", one, "--selector", names, "--save", run)
    found = {each.relative_to(run / "summaries").as_posix() for each in (run / "summaries").rglob("*")}
    assert found == {"mine", "random", "random/line-1.random"}


DAMAGES: list[dict[str, Any]] = [
    {"selection": {"covered_weight": "x"}},
    {"selection": {"bound": "x"}},
    {"selection": {"diagnostics": None}},
    {"selection": {"diagnostics": {"converged": "x"}}},
    {"scores": {}},
    {"scores": {"rouge2": {"recall": 1, "precision": 1, "f1": 1, "signature": ""}}},
    {"problem": "failed"},
    {"words": "x"},
    {"cluster": ["x"]},
]


def test_a_damaged_saved_evaluation_is_refused(summc: Cli, tmp_path: Path) -> None:
    path, run = lines_of(tmp_path / "a.jsonl", ["The dam broke."], ["Nobody was hurt."]), tmp_path / "run"
    summc("evaluate", "--dataset", path, "--selector", "lead", "--save", run)
    first, other = (run / "outcomes.jsonl").read_text().splitlines()
    for damage in DAMAGES:
        line = json.loads(first)
        for member, parts in damage.items():
            line[member] = {**line[member], **parts} if member == "selection" else parts
        (run / "outcomes.jsonl").write_text(f"{json.dumps(line)}\n{other}\n")
        result = summc("evaluate", "--saved", run)
        told = f"error: {run}: not a saved evaluation; make one with --save\n"
        assert (damage, result.code, result.err) == (damage, 3, told)
    (run / "outcomes.jsonl").unlink()
    (run / "outcomes.jsonl").mkdir()
    problem = f"error: {run}: cannot be read (Is a directory); check the path\n"
    assert summc("evaluate", "--saved", run).err == problem
