"""Lengths in other units, required sentences, boosted words and questions."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from summc.config import Config
from summc.documents.sources import cluster_of_texts
from summc.errors import NoSummaryError, SettingError
from summc.graph import make_graph, without_sentences
from summc.records import CoverageGraph, Selection
from summc.selectors import SELECTORS, GGreedy
from summc.selectors.solving import solve
from summc.text.numbers import parse_amount
from tests import oracles
from tests.conftest import SAMPLE, Cli, examples
from tests.support import languages
from tests.support.long_documents import REPORT
from tests.support.sessions import check
from tests.support.small import DAM
from tests.support.strategies import graphs
from tests.support.writers import write_files

COST = "What did the repairs cost?"
TEXTS = {
    "a.txt": """The spillway of the Tarn Gate Dam cracked at dawn, and crews are repairing it.
About 41,000 people have left the Ossel valley since the dam cracked. The utility says all 14 sirens sounded.
Firefighters said that one of the sirens had not worked since lightning struck it in the autumn. Gov. Ada Lund
said the water stood two meters high. No. 9, in Lower Ansby, was silent.""",
    "b.txt": """The last people of the valley went home ten days after the dam cracked.
The utility put the repairs at 95 million crowns. Engineers found a crack where an old drawing had shown one.
Three people died, and the water flooded 214 houses below the dam.""",
}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of two documents and JSON lines of the same with questions, and work beside them."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path / "dam", TEXTS)
    documents = [{"id": name, "text": text} for name, text in TEXTS.items()]
    references = [path.read_text() for path in sorted((SAMPLE / "models").glob("D90004*"))]
    cluster = {"id": "dam", "documents": documents, "references": references}
    asking = {"plain": None, "own": COST, "unknown": "zebra", "empty": " \n ", "number": 7}
    lines = {name: json.dumps({**cluster, "query": query}) + "\n" for name, query in asking.items()}
    lines |= {"number": lines["plain"] + lines["number"], "mixed": lines["own"] + lines["plain"]}
    lines["two"] = "".join(
        json.dumps({"documents": [text]}) + "\n"
        for text in ("The spillway of the dam broke at dawn.", "The ferry ran aground at night.")
    )
    for name, text in lines.items():
        (tmp_path / f"{name}.jsonl").write_text(text)
    (tmp_path / "report.txt").write_text(REPORT)
    (tmp_path / "fr.txt").write_text(languages.TEXTS["fr"])  # a background is read in its own language
    (tmp_path / "asking.toml").write_text(f'[weigh]\nquery = "{COST}"\n')
    return tmp_path


def test_session(summc: Cli, inputs: Path) -> None:
    check(summc, inputs, "stage3.txt")


def made_by(summc: Cli, *arguments: str | Path, stdin: str = "") -> str:
    result = summc(*arguments, stdin=stdin)
    assert (result.code, result.err) == (0, "")
    return result.out


# Lengths


def test_a_length_is_a_number_and_a_unit() -> None:
    amounts: dict[str, tuple[float, str]] = {"100w": (100, "words"), " 5 S ": (5, "sentences")}
    amounts |= {"100": (100, ""), "600c": (600, "characters"), "2.5 %": (2.5, "percent")}
    assert {text: parse_amount(text, "-k") for text in amounts} == amounts
    for text in ("", "s", "5x", "five", "%5", "5ss", "5s%"):
        with pytest.raises(SettingError, match="is not a length; write 100, 5s, 600c, 10% or 2000t"):
            parse_amount(text, "-k")


@pytest.mark.parametrize(
    ("k", "selector"),
    [("1s", "auto"), ("4s", "bp"), ("80c", "stack"), ("300c", "auto"), ("3%", "stack"), ("10%", "g-greedy")],
)
def test_no_length_is_exceeded(summc: Cli, k: str, selector: str) -> None:
    out = summc("summarize", "-k", k, "--selector", selector, *DAM).out
    words = sum(len(path.read_text().partition("<TEXT>")[2].split()) for path in DAM)
    used = {"s": out.count("\n"), "c": len(out), "%": 100 * len(out.split()) / words}
    assert 0 < used[k[-1]] <= float(k[:-1])  # characters as wc -m counts them, with line ends


def test_every_output_shows_the_unit(summc: Cli, inputs: Path) -> None:
    found = json.loads(summc("summarize", "-k", "3s", "--format", "json", inputs / "dam").out)
    assert (found["budget"], found["unit"]) == (3, "sentences")
    assert "|k:3s|" in found["signature"]
    several = summc("summarize", "-k", "1s,60c", inputs / "dam").out
    assert re.findall(", K = .*", several) == [", K = 1s <==", ", K = 60c <=="]
    assert "in 3 of 3 sentences" in summc("summarize", "-k", "3s,1s", "--format", "html", inputs / "dam").out


@pytest.mark.parametrize(
    ("words", "percent", "budget"),
    [(100, 10, 10), (99, 10, 9), (19, 10, 1), (10, 25, 2), (7, 99.9, 6), (7, 100, 7), (299, 1, 2)],
)
def test_a_share_of_the_words_is_rounded_down(words: int, percent: float, budget: int) -> None:
    cluster = cluster_of_texts([" ".join(["the"] * words) + "."])
    used = Config().with_settings({"budget": percent, "unit": "percent"}).for_cluster(cluster).select
    assert (used.budget, used.unit) == (budget, "words")


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


@dataclasses.dataclass(frozen=True)
class Unsure(GGreedy):
    """A selector that gives a bound ``gap`` above what it covers."""

    gap: float = 0.2

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        found = super().select(graph, budget)
        bound = found.covered_weight * (1 + self.gap)
        return dataclasses.replace(found, bound=bound, diagnostics={"gap": self.gap})


def test_a_bound_is_computed_only_if_it_is_asked_for_and_the_selector_gives_none() -> None:
    graph = make_graph([1, 1], [1.0, 5.0], [0, 1], [0, 1])
    for fixed in ([], [0], [0, 1]):
        assert solve(graph, 2, GGreedy(), "x", fixed=fixed).bound is None
        proven = solve(graph, 2, GGreedy(), "x", fixed=fixed, certified=True)
        assert (proven.bound, proven.diagnostics) == (6, {})
    assert solve(graph, 2, Unsure(gap=0.5), "x", certified=True).bound == 9
    # Beside required sentences, a gap refers to the whole coverage.
    for gap, share in (0.2, 1 / 6), (0.0, 0.0):
        assert solve(graph, 2, Unsure(gap=gap), "x", fixed=[0]).diagnostics["gap"] == pytest.approx(share)


@pytest.mark.parametrize("fixed", [[], [4]])
def test_a_selection_is_polished_only_if_asked_for(fixed: list[int]) -> None:
    # g-greedy takes the short sentence 0 first, which keeps out one of the long ones.
    graph = make_graph([1, 5, 5, 4, 0], [3, 10, 10, 1, 1], range(5), range(5))
    for polished, weight in (False, 15), (True, 21):
        found = solve(graph, 10, GGreedy(), "x", fixed=fixed, polished=polished)
        assert (found.covered_weight, found.diagnostics) == (weight, {})


@pytest.mark.parametrize(
    ("costs", "budget"),
    [
        ((4.0, 2.6, 3.2, 4.7, 1.1), 15.6),
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


def test_of_equal_sentences_the_one_that_is_required_is_chosen(summc: Cli) -> None:
    line = json.loads(summc("load", "-", stdin="The dam broke. The river rose. The dam broke.").out)
    for ids, chosen in ([0, 1, 2], [0]), ([1, 2], [1]):
        numbers = list(range(len(ids)))  # each sentence has a word of its own; the last weighs most
        line["graph"] = {
            "cost": [3] * len(ids), "weight": [1 + n for n in numbers], "sentence_ids": ids,
            "edge_sentence": numbers, "edge_word": numbers,
        }  # fmt: skip
        result = summc("select", "-k", 3, "--must", "dam broke", stdin=json.dumps(line))
        assert json.loads(result.out)["selection"]["chosen"] == chosen


# Words and questions


def test_ignored_words_do_not_count(summc: Cli) -> None:
    flags = ("--ignore", "dam", "--ignore", "meters", "--format", "json")
    explained = json.loads(summc("explain", "-k", 30, *flags, *DAM).out)
    assert not {"dam", "meter"} & {word["word"] for each in explained["sentences"] for word in each["alone"]}


@pytest.mark.parametrize(
    "command",
    [
        "explain -k 2s --format json", "curve -k 20 --selector g-greedy --format csv",
        "evaluate -k 20 --selector g-greedy --format csv --dataset",
        "sweep -k 20 --mu 0.01 --format csv --dataset",
    ],
)  # fmt: skip
def test_other_commands_use_the_clusters_own_question(summc: Cli, inputs: Path, command: str) -> None:
    def summary_of(name: str, *flags: str) -> str:
        out = made_by(summc, *command.split(), inputs / name, *flags)
        return re.sub(r"(encoding:|\"signature\").*", "", out)

    with_question, without = summary_of("own.jsonl"), summary_of("plain.jsonl")
    assert with_question == summary_of("plain.jsonl", "--query", COST)
    assert without == summary_of("own.jsonl", "--no-query") == summary_of("plain.jsonl", "--query", " ")
    assert with_question != without


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("summarize own.jsonl", ["|query:own|"]),
        ("summarize own.jsonl --query sirens", ["|query:sirens|"]),
        ("summarize own.jsonl --no-query", ["|query:none|", "|documents:2+|"]),
        ("evaluate --selector auto --dataset own.jsonl", ["|query:own|"]),
        ("evaluate --selector auto --dataset mixed.jsonl", ["|query:own|", "|documents:1+,2+|"]),
        ("evaluate --selector g-greedy --dataset plain.jsonl -k 50.5", ["|documents:2+|", "|k:50.5|summc:"]),
        ("evaluate --selector g-greedy --dataset plain.jsonl -k 50.5 --fill truncate --polish --reading 1",
         ["|fill:truncate|k:50.5|polish:on|reading:1|summc:"]),
        ("summarize dam --must '95 million crowns' --must 'all 14 sirens' --polish --boost 'a dam=2'",
         ["|polish:on|reading:1|must:95 million crowns,all 14 sirens|", "|boosted:a dam=2|"]),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("inputs")
def test_the_signature_names_what_was_asked_for(summc: Cli, command: str, parts: list[str]) -> None:
    signature = json.loads(summc(*shlex.split(command), "--format", "json").out)["signature"]
    assert all(part in signature for part in parts)
    for name in ("query", "polish", "must", "boosted"):
        assert (f"|{name}:" in signature) == (f"|{name}:" in "".join(parts))


@pytest.mark.parametrize(
    ("source", "preprocess", "weigh", "select"),
    [
        ("dam", "", "-k 3s", ""),
        ("dam", "", "-k 200c", ""),
        ("dam", "", "-k 10%", ""),
        ("dam", "", "-k 30", "--fill truncate"),
        ("dam", "--keep-stopwords", "-k 40 --weighting expected", ""),
        ("dam", "", "-k 40 --boost crack=50 --query 'sirens and firefighters'", "--must '95 million'"),
        (
            "dam",
            "--keep-stopwords --stemmer snowball",
            "-k 50 --weighting tfidf --idf-unit document --place-bonus 0.5 --background fr.txt",
            "--selector bp --beta 80 --mu 0.03",
        ),
        ("report.txt", "", "-k 100", ""),  # a single long document, whose sections are counted
    ],
)
@pytest.mark.usefixtures("inputs")
def test_the_stages_give_the_same_summary_as_summarize(
    summc: Cli, source: str, preprocess: str, weigh: str, select: str
) -> None:
    length = " ".join(weigh.split()[:2])
    ran = summc("load", source)
    for stage in (f"preprocess {preprocess}", f"weigh {weigh}", "graph", f"select {length} {select}"):
        ran = summc(*shlex.split(stage), stdin=ran.out)
        assert ran.code == 0, ran.err
    piped = json.loads(summc("render", "--format", "json", stdin=ran.out).out)
    flags = shlex.split(f"{preprocess} {weigh} {select} --format json")
    made = json.loads(summc("summarize", *flags, source).out)
    assert piped == {name: value for name, value in made.items() if name != "forecast"}


def weights_of(line: str) -> dict[str, float]:
    """Return the words of a line of stage 3, each with the weight of its first level."""
    weights = json.loads(line)["weights"]
    firsts = [each[0] if isinstance(each, list) else each for each in weights["weight"]]
    return dict(zip(weights["words"], firsts, strict=True))


@pytest.mark.parametrize(
    "weighting", ["mixed", "tfidf", "tfidf --idf-unit sentence --background background.txt"]
)
def test_each_line_is_weighed_by_its_own_preprocessing(summc: Cli, inputs: Path, weighting: str) -> None:
    (inputs / "background.txt").write_text("Crews are repairing a bridge. They repaired it before.")
    (inputs / "thai.txt").write_text("เขื่อนแตกเมื่อคืนนี้ ไม่มีใครได้รับบาดเจ็บ")
    loaded = made_by(summc, "load", "dam")
    lines = (
        made_by(summc, "preprocess", stdin=made_by(summc, "load", "--language", "th", "thai.txt")),
        made_by(summc, "preprocess", stdin=loaded),
        made_by(summc, "preprocess", "--stemmer", "none", stdin=loaded),
    )
    flags = f"weigh --weighting {weighting} --boost repairing=100 --boost valley=9 --ignore zebra".split()
    made = [summc(*flags, stdin="".join(order)) for order in (lines, lines[::-1], (*lines[1:], lines[0]))]
    assert {each.err for each in made} == {'warning: --ignore: no document holds "zebra"; it has no effect\n'}
    assert {frozenset(each.out.splitlines()) for each in made} == {frozenset(made[0].out.splitlines())}
    plain = made_by(summc, *flags[:-6], stdin="".join(lines)).splitlines()
    for number, words in (1, {"repair": 100, "vallei": 9}), (2, {"repairs": 1, "valley": 9}):
        boosted, before = weights_of(made[0].out.splitlines()[number]), weights_of(plain[number])
        assert {word: boosted[word] / before[word] for word in words} == pytest.approx(words)
