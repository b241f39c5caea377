"""Lengths in other units, required sentences, boosted words and questions."""

from __future__ import annotations

import dataclasses
import json
import math
import shlex
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from summc.documents import cluster_of_texts
from summc.errors import NoSummaryError, SettingError
from summc.graph.build import make_graph, without_sentences
from summc.records import Cluster, CoverageGraph, Document, Selection, Sentence
from summc.report.codec import encode_cluster
from summc.selectors import SELECTORS, GGreedy
from summc.selectors.solving import solve
from summc.settings.config import Config
from summc.text.numbers import parse_amount
from tests import oracles
from tests.conftest import SAMPLE, Cli, examples
from tests.support.long_documents import REPORT
from tests.support.small import DAM
from tests.support.strategies import graphs

#: The name of the cluster that the two files of ``DAM`` make.
NAME = "EQW20320310+1"


# Lengths


def test_a_length_is_a_number_and_a_unit() -> None:
    amounts = {
        "100": (100, "words"), "100w": (100, "words"), "5s": (5, "sentences"), " 5 S ": (5, "sentences"),
        "600c": (600, "characters"), "10%": (10, "percent"), "2.5 %": (2.5, "percent"),
    }  # fmt: skip
    assert {text: parse_amount(text, "-k") for text in amounts} == amounts
    for text in ("", "s", "5x", "five", "%5", "5ss", "5s%"):
        with pytest.raises(SettingError, match="is not a length; write 100, 5s, 600c or 10%"):
            parse_amount(text, "-k")


@pytest.mark.parametrize(
    ("k", "selector"),
    [("1s", "auto"), ("4s", "bp"), ("80c", "stack"), ("300c", "auto"), ("3%", "stack"), ("10%", "g-greedy")],
)
def test_no_length_is_exceeded(summc: Cli, k: str, selector: str) -> None:
    result = summc("summarize", "-k", k, "--selector", selector, *DAM)
    assert result.code == 0
    number, unit = parse_amount(k, "-k")
    words = sum(len(path.read_text().partition("<TEXT>")[2].split()) for path in DAM)
    used = {
        "sentences": result.out.count("\n"),
        "characters": len(result.out),  # like wc -m, with line ends
        "percent": 100 * len(result.out.split()) / words,
    }
    assert 0 < used[unit] <= number


def test_every_output_shows_the_unit(summc: Cli) -> None:
    found = json.loads(summc("summarize", "-k", "3s", "--format", "json", *DAM).out)
    assert (found["budget"], found["unit"]) == (3, "sentences")
    assert "|k:3s|" in found["signature"]
    told = summc("summarize", "-v", "-k", "300c", *DAM).err
    assert "of 300 characters" in told
    several = summc("summarize", "-k", "1s,60c", *DAM).out
    assert f"==> {NAME}, K = 1s <==" in several
    assert f"==> {NAME}, K = 60c <==" in several
    page = summc("summarize", "-k", "3s,1s", "--format", "html", *DAM).out
    assert "in 3 of 3 sentences" in page


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("-k 3s --unit words", "--unit: words, where --budget counts sentences; give one of them"),
        ("-k 0s", "--budget: must be a number at least 1, got 0"),
        ("-k 2c", f"{NAME}: no sentence fits a budget of 2 characters (the shortest has 24); raise --budget"),
        ("--must 'nobody said this'",
         '--must: no sentence holds "nobody said this"; copy a part of the sentence as it stands'),
        *((f"--boost {boost}", f"--boost: must be WORD=FACTOR, got {boost}; write dam=2, or dam=0.5")
          for boost in ("dam", "=2", "dam=x", "dam=-1", "dam=nan")),
    ],
)  # fmt: skip
def test_impossible_wishes_give_a_one_line_error(summc: Cli, flags: str, message: str) -> None:
    assert summc("summarize", *shlex.split(flags), *DAM).err == f"error: {message}\n"


def test_evaluate_takes_only_budgets_in_words(summc: Cli) -> None:
    result = summc("evaluate", "--dataset", "sample", "-k", "5s")
    assert result.err == "error: --budget: is counted in words where summaries are compared; write 100\n"


def test_a_graph_without_a_cluster_cannot_count_characters(summc: Cli) -> None:
    graph = {"cost": [9, 9], "weight": [1, 2], "edge_sentence": [0, 1], "edge_word": [0, 1]}
    line = json.dumps({"graph": graph})
    assert json.loads(summc("select", "-k", "1s", stdin=line).out)["selection"]["chosen"] == [1]
    refused = summc("select", "-k", "9c", stdin=line)
    assert (refused.code, 'no "cluster" on this line' in refused.err) == (3, True)


# Required sentences


@examples(90)
@given(
    graph=graphs(most_sentences=6, most_words=6) | graphs(most_words=6, least_edges=12),
    budget=st.integers(1, 25), data=st.data(),
)  # fmt: skip
def test_required_sentences_are_chosen_and_the_bound_holds(
    graph: CoverageGraph, budget: int, data: st.DataObject
) -> None:
    fixed = sorted(data.draw(st.sets(st.integers(0, len(graph.cost) - 1), min_size=1, max_size=2)))
    room = budget - graph.cost[fixed].sum()
    if room < 0:
        for selector in SELECTORS.values():
            with pytest.raises(NoSummaryError, match="the required sentences take"):
                solve(graph, budget, selector(), "x", fixed=fixed)
        return
    rest = without_sentences(graph, fixed)
    best = oracles.coverage(graph, tuple(fixed)) + oracles.optimum(rest, room)
    for name, selector in SELECTORS.items():
        note(name)
        found = solve(graph, budget, selector(), "x", fixed=fixed, certified=True)
        assert set(fixed) <= set(found.chosen)
        assert found.cost == graph.cost[list(found.chosen)].sum() <= budget
        assert found.covered_weight == pytest.approx(oracles.coverage(graph, found.chosen))
        assert found.bound is not None
        assert found.covered_weight <= best * (1 + 1e-9) <= found.bound * (1 + 1e-9) + 1e-9
        if name == "exact":
            assert found.covered_weight == pytest.approx(best)


def test_a_bound_is_computed_only_if_it_is_asked_for_and_the_selector_gives_none() -> None:
    @dataclasses.dataclass(frozen=True)
    class Sure(GGreedy):
        def select(self, graph: CoverageGraph, budget: float) -> Selection:
            return dataclasses.replace(super().select(graph, budget), bound=9)

    graph = make_graph([1, 1], [1.0, 5.0], [0, 1], [0, 1])
    for fixed, bound in ([], 6), ([0], 6), ([0, 1], 6):
        assert solve(graph, 2, GGreedy(), "x", fixed=fixed).bound is None
        proven = solve(graph, 2, GGreedy(), "x", fixed=fixed, certified=True)
        assert (proven.bound, proven.diagnostics) == (bound, {})
    assert solve(graph, 2, Sure(), "x", certified=True).bound == 9


@pytest.mark.parametrize("fixed", [[], [4]])
def test_a_selection_is_polished_only_if_asked_for(fixed: list[int]) -> None:
    # g-greedy takes the short sentence 0 first, which keeps out one of the long ones.
    graph = make_graph([1, 5, 5, 4, 0], [3, 10, 10, 1, 1], range(5), range(5))
    for polished, weight in (False, 15), (True, 21):
        found = solve(graph, 10, GGreedy(), "x", fixed=fixed, polished=polished)
        assert found.covered_weight == weight
        assert found.diagnostics == {}


@pytest.mark.parametrize(("whole", "share"), [(0.2, 1 / 6), (0.0, 0.0)])
def test_a_gap_with_required_sentences_refers_to_the_whole_coverage(whole: float, share: float) -> None:
    @dataclasses.dataclass(frozen=True)
    class Unsure(GGreedy):
        def select(self, graph: CoverageGraph, budget: float) -> Selection:
            found = super().select(graph, budget)
            bound = found.covered_weight * (1 + whole)
            return dataclasses.replace(found, bound=bound, diagnostics={"gap": whole})

    graph = make_graph([1, 1], [1.0, 5.0], [0, 1], [0, 1])
    beside = solve(graph, 2, Unsure(), "x", fixed=[0])
    assert beside.covered_weight == 6
    assert beside.diagnostics["gap"] == pytest.approx(share)


def test_a_required_sentence_is_found_by_some_of_its_words(summc: Cli) -> None:
    result = summc("summarize", "-k", 40, "--must", "no. 9,  in LOWER", *DAM)
    assert "No. 9, in Lower Ansby, was silent.\n" in result.out
    assert len(result.out.split()) <= 40
    other = json.dumps({"documents": ["The ferry ran aground at night. Nobody was hurt."]})
    both = summc("summarize", "-k", 40, "--must", "No. 9, in Lower", "-", *DAM, stdin=other)
    assert (both.code, both.out.count("==>")) == (0, 2)


def test_the_signature_names_required_sentences_and_polishing(summc: Cli) -> None:
    flags = ("--must", "95 million crowns", "--must", "all 14 sirens", "--polish", "--format", "json")
    signature = json.loads(summc("summarize", *flags, *DAM).out)["signature"]
    assert "|polish:on|reading:1|must:95 million crowns,all 14 sirens|" in signature
    plain = json.loads(summc("summarize", "--format", "json", *DAM).out)["signature"]
    assert "polish" not in plain
    assert "must" not in plain


# Words and questions


def test_a_boosted_word_is_covered_and_an_ignored_word_does_not_count(summc: Cli) -> None:
    plain = summc("summarize", "-k", 30, *DAM).out
    assert "lightning" not in plain
    assert "lightning" in summc("summarize", "-k", 60, "--boost", "lightning=5000", *DAM).out
    explained = json.loads(
        summc("explain", "-k", 30, "--ignore", "dam", "--ignore", "meters", "--format", "json", *DAM).out
    )
    assert not {"dam", "meter"} & {word["word"] for each in explained["sentences"] for word in each["alone"]}
    boosted = json.loads(summc("summarize", "--boost", "a dam=2", "--format", "json", *DAM).out)
    assert "|boosted:a dam=2|" in boosted["signature"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--boost dam=2 --ignore dam", "--ignore: dam conflicts with --boost dam=2; give one of them"),
        ("--boost Dam=2 --ignore dam", "--ignore: dam conflicts with --boost Dam=2; give one of them"),
        ("--boost dams=2 --ignore dam", "--ignore: dam conflicts with --boost dams=2; give one of them"),
        ("--boost 'Tarn Gate=2' --ignore gates",
         "--ignore: gates conflicts with --boost Tarn Gate=2; give one of them"),
        ("--boost the=2 --ignore The", "--ignore: The conflicts with --boost the=2; give one of them"),
        ("--boost dam=2 --boost 'Dam =3'", "--boost: Dam =3 conflicts with dam=2; give each word one factor"),
        ("--boost dam=2 --boost Dams=3", "--boost: Dams=3 conflicts with dam=2; give each word one factor"),
        ("--boost dam=0 --ignore dam", ""), ("--boost dams=0 --ignore dam", ""),
        ("--boost dams=2 --boost dam=2", ""), ("--boost dam=2 --boost dam=2", ""),
        ("--stemmer none --boost dam=2 --ignore dams", ""),
    ],
)  # fmt: skip
def test_words_with_the_same_stem_have_one_factor(
    summc: Cli, tmp_path: Path, flags: str, message: str
) -> None:
    result = summc("summarize", *shlex.split(flags), *DAM)
    if not message:
        assert result.code == 0
        return
    assert (result.code, result.out, result.err) == (2, "", f"error: {message}\n")
    assert summc("batch", *shlex.split(flags), *DAM, "-o", tmp_path / "out").err == result.err


@pytest.mark.parametrize(
    ("flags", "warnings"),
    [
        (("--boost", "lightening=9"), ['--boost: no document holds "lightening"; it has no effect']),
        (("--boost", "Tran Gate=2", "--ignore", "zebra"),
         ['--boost: no document holds "tran"; it has no effect',
          '--ignore: no document holds "zebra"; it has no effect']),
        (("--boost", "the=2", "--ignore", "of"), ['--boost: "the" is no word that counts; it has no effect']),
        (("--boost", "the dams=2", "--ignore", "LIGHTNING", "--ignore", "meter"), []),
    ],
)  # fmt: skip
def test_a_boosted_or_ignored_word_without_effect_gives_a_warning(
    summc: Cli, flags: tuple[str, ...], warnings: list[str]
) -> None:
    expected = "".join(f"warning: {line}\n" for line in warnings)
    result = summc("summarize", *flags, *DAM)
    assert (result.code, result.err) == (0, expected)
    lines = summc("preprocess", stdin=summc("load", *DAM).out).out
    assert summc("weigh", *flags, stdin=lines).err == expected


def test_a_boosted_word_in_one_cluster_gives_no_warning(summc: Cli, tmp_path: Path) -> None:
    texts = ["The spillway of the dam broke at dawn.", "The ferry ran aground at night."]
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps({"documents": [text]}) + "\n" for text in texts))
    arguments = ["--boost", "spillway=2", path]
    assert summc("summarize", *arguments).err == ""
    # A batch sees one cluster at a time, and the word may occur in another one.
    assert summc("batch", *arguments, "-o", tmp_path / "out").err == ""


@pytest.mark.parametrize(
    ("path", "preprocess", "weigh", "select"),
    [
        ("d90004t", "", "-k 3s", ""),
        ("d90004t", "", "-k 300c", ""),
        ("d90004t", "", "-k 10%", ""),
        ("d90002t", "", "-k 65", "--fill truncate"),
        ("d90004t", "--keep-stopwords", "-k 60 --weighting expected", ""),
        ("d90004t", "", "-k 100 --boost crack=50 --query 'sirens and firefighters'", "--must '95 million'"),
        (REPORT, "", "-k 100", ""),  # a single long document, whose sections are counted
    ],
)
def test_the_stages_give_the_same_summary_as_summarize(
    summc: Cli, tmp_path: Path, path: str, preprocess: str, weigh: str, select: str
) -> None:
    source = SAMPLE / "docs" / path
    if path == REPORT:
        source = tmp_path / "report.txt"
        source.write_text(path)
    length = " ".join(weigh.split()[:2])
    lines = summc("load", source).out
    for stage in (f"preprocess {preprocess}", f"weigh {weigh}", "graph", f"select {length} {select}"):
        lines = summc(*shlex.split(stage), stdin=lines).out
    piped = json.loads(summc("render", "--format", "json", stdin=lines).out)
    flags = shlex.split(f"{preprocess} {weigh} {select} --format json")
    made = json.loads(summc("summarize", *flags, source).out)
    assert piped == {name: value for name, value in made.items() if name != "forecast"}


def weights_of(line: str) -> dict[str, float]:
    """The words of a line of stage 3, each with the weight of its first level."""
    weights = json.loads(line)["weights"]
    firsts = [each[0] if isinstance(each, list) else each for each in weights["weight"]]
    return dict(zip(weights["words"], firsts, strict=True))


@pytest.mark.parametrize("weighting", ["mixed", "tfidf"])
def test_each_line_is_weighed_by_its_own_preprocessing(summc: Cli, weighting: str) -> None:
    stemmed = summc("preprocess", stdin=summc("load", *DAM).out).out
    ferry = SAMPLE / "docs" / "d90001t" / "QNS20311106.0214"
    plain = summc("preprocess", "--stemmer", "none", stdin=summc("load", ferry).out).out
    flags = ["--weighting", weighting, "--boost", "repairing=100", "--boost", "passengers=100"]
    made = {order: summc("weigh", *flags, stdin="".join(order)) for order in permutations((stemmed, plain))}
    assert {result.err for result in made.values()} == {""}
    first, second = (result.out.splitlines() for result in made.values())
    assert first == second[::-1]
    flags = ["--weighting", weighting, "--boost", "repairing=1"]
    unboosted = summc("weigh", *flags, stdin=stemmed + plain).out.splitlines()
    for boosted, before, word in zip(first, unboosted, ("repair", "passengers"), strict=True):
        assert weights_of(boosted)[word] == pytest.approx(100 * weights_of(before)[word])


def test_the_background_of_each_line_is_preprocessed_as_the_line_was(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "background.txt").write_text("Crews are repairing a bridge. They repaired it before.")
    lines = summc("load", *DAM).out
    stemmed, plain = (summc("preprocess", "--stemmer", name, stdin=lines).out for name in ("porter", "none"))
    flags = ["--weighting", "tfidf", "--idf-unit", "sentence", "--background", tmp_path / "background.txt"]
    first, second = (
        summc("weigh", *flags, stdin="".join(order)).out.splitlines()
        for order in permutations((stemmed, plain))
    )
    assert first == second[::-1]
    assert first[0] != first[1]


def test_a_cluster_in_a_language_without_stems_does_not_spoil_the_next(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "th").mkdir()
    (tmp_path / "th" / "a.txt").write_text("เขื่อนแตกเมื่อคืนนี้ ไม่มีใครได้รับบาดเจ็บ")
    load = ["load", "--language", "th", tmp_path / "th"]
    lines = [summc("preprocess", stdin=summc(*load).out).out]
    lines += [summc("preprocess", stdin=summc("load", *DAM).out).out]
    result = summc("weigh", "--boost", "repairing=100", stdin="".join(lines))
    assert result.err == ""
    alone = summc("weigh", "--boost", "repairing=100", stdin=lines[1])
    assert result.out.splitlines()[1] == alone.out.splitlines()[0]


def test_stages_sign_the_concepts_that_were_preprocessed(summc: Cli) -> None:
    lines = summc("preprocess", "--concepts", "words", stdin=summc("load", *DAM).out).out
    made = json.loads(summc("weigh", "--weighting", "position", stdin=lines).out)["signature"]["weigh"]
    assert "bigrams" not in made


def test_lines_give_one_warning_of_a_word_that_none_of_them_holds(summc: Cli) -> None:
    lines = summc("load", *DAM).out
    stdin = summc("preprocess", stdin=lines).out + summc("preprocess", "--stemmer", "none", stdin=lines).out
    result = summc("weigh", "--boost", "repairing=9", "--ignore", "zebra", stdin=stdin)
    assert result.err == 'warning: --ignore: no document holds "zebra"; it has no effect\n'


@pytest.mark.parametrize(
    ("words", "percent", "budget"),
    [(100, 10, 10), (99, 10, 9), (19, 10, 1), (10, 25, 2), (7, 99.9, 6), (7, 100, 7), (299, 1, 2)],
)
def test_a_share_of_the_words_is_rounded_down(words: int, percent: float, budget: int) -> None:
    cluster = cluster_of_texts([" ".join(["dam"] * words) + "."])
    used = Config().with_settings({"budget": percent, "unit": "percent"}).select.for_cluster(cluster)
    assert (used.budget, used.unit) == (budget, "words")


@pytest.mark.parametrize(
    ("costs", "budget"),
    [
        ((4.0, 2.6, 3.2, 4.7, 1.1), 15.6),
        ((0.81, 0.03, 0.53, 0.93, 0.81), 3.11),
        ((0.1, 0.12, 0.93, 0.14, 0.39), 1.68),
        ((0.5, 0.1, 0.1, 0.8, 0.2, 0.3), 1.7),  # in floats, 0.1 + 0.8 + 0.2 fits 1.7 - 0.6
    ],
)
def test_room_beside_required_sentences_is_rounded_down(costs: tuple[float, ...], budget: float) -> None:
    assert math.fsum(costs[:5]) > budget  # by rounding alone, so that not all of them fit
    graph = make_graph(costs, [1, 1, 5, 9, 5, 1][: len(costs)], range(len(costs)), range(len(costs)))
    for name in sorted(SELECTORS):
        found = solve(graph, budget, SELECTORS[name](), "x", fixed=[0, 1])
        assert {0, 1} < set(found.chosen), name
        assert found.cost <= budget, name


def test_required_sentences_and_their_words_are_removed_from_the_graph() -> None:
    graph = oracles.biregular(np.random.default_rng(5), sentences=30)
    rest = without_sentences(graph, [3])
    assert not np.isfinite(rest.cost[3])
    covered = oracles.words_of(graph)[3]
    assert all(not covered & words for words in oracles.words_of(rest))


def test_quiet_hides_warnings_but_not_errors(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The dam broke. Nobody was hurt.")
    (tmp_path / "b.txt").write_bytes(b"\x00\x01")
    assert "left out" in summc("summarize", tmp_path).err
    assert summc("summarize", "-q", tmp_path).err == ""
    assert summc("summarize", "--quiet", tmp_path / "none").err.startswith("error: ")


def test_the_signature_of_scores_names_fill_and_polish(summc: Cli, tmp_path: Path) -> None:
    cluster = {"documents": ["The dam broke. Nobody was hurt there."], "references": ["The dam broke."]}
    (tmp_path / "x.jsonl").write_text(json.dumps(cluster))
    flags = ("--dataset", tmp_path / "x.jsonl", "--selector", "g-greedy", "-k", "50.5", "--format", "json")
    plain, other = (
        json.loads(summc("evaluate", *flags, *more).out)["signature"]
        for more in ((), ("--fill", "truncate", "--polish", "--reading", 1))
    )
    assert "|k:50.5|summc:" in plain
    assert "|fill:truncate|k:50.5|polish:on|reading:1|summc:" in other


def line_of(texts: list[str], sentence_ids: list[int]) -> str:
    """A line of stage 4 about a document, each sentence with a word of its own; the last weighs most."""
    sentences = tuple(Sentence(0, i, text, 3) for i, text in enumerate(texts))
    cluster = encode_cluster(Cluster("c", (Document("d", sentences),)))
    numbers = list(range(len(sentence_ids)))
    graph = {"cost": [3] * len(numbers), "weight": [1 + n for n in numbers], "sentence_ids": sentence_ids,
             "edge_sentence": numbers, "edge_word": numbers}  # fmt: skip
    return json.dumps({"cluster": cluster, "graph": graph})


def test_of_equal_sentences_the_one_that_is_required_is_chosen(summc: Cli) -> None:
    texts = ["The dam broke.", "The river rose.", "The dam broke."]
    for ids, chosen in ([0, 1, 2], [0]), ([1, 2], [1]):
        result = summc("select", "-k", 3, "--must", "dam broke", stdin=line_of(texts, ids))
        assert json.loads(result.out)["selection"]["chosen"] == chosen


def test_a_graph_of_another_cluster_is_refused(summc: Cli) -> None:
    result = summc("select", "-k", 3, "--must", "dam", stdin=line_of(["The dam broke."], [0, 7]))
    assert result.code == 3
    problem = "graph.sentence_ids names a sentence the cluster does not have"
    assert result.err == f"error: standard input:1: {problem}; build it again\n"
