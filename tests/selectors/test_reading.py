"""Readable summaries: the needs of a sentence, the prices of faults, and the search that avoids them."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.config import Config
from summc.documents.sources import cluster_of_texts, load
from summc.graph import make_graph
from summc.method import summarize
from summc.records import CoverageGraph, Run
from summc.selectors import Auto, GGreedy
from summc.selectors import prices as prices_module
from summc.selectors.introductions import Introductions
from summc.selectors.prices import Fault, PriceList, ReadingPrices, describe_fault
from summc.selectors.readable import improve_reading
from summc.selectors.solving import solve
from summc.weights.base import units_of
from tests.bench.inputs import make_dense_graph
from tests.conftest import SAMPLE, Cli
from tests.oracles import coverage
from tests.support.cases import read_cases
from tests.support.sessions import check
from tests.support.small import DAM
from tests.support.strategies import graphs
from tests.support.writers import write_files

LEAD = "A crack opened in the spillway of the Tarn Gate Dam on Tuesday, engineers said."
MONTHS = ("May", "June", "July", "March", "April")
NAMED = "Governor Casimir Drell ordered two towns to be emptied before the night."


def needs_of(*sentences: str, language: str = "en") -> tuple[str, ...]:
    """Return what the last sentence of a document needs to have introduced."""
    cluster = cluster_of_texts([" ".join(sentences)], language=language)
    assert len(cluster.sentences) == len(sentences)
    last = len(sentences) - 1
    return Introductions(cluster, range(len(sentences))).needs(last)


def test_the_needs_of_a_sentence_are_found() -> None:
    cases = (Path(__file__).parent / "cases" / "needs.txt").read_text().splitlines()[1:]
    for sentence, _, need in (case.partition(" =>") for case in cases):
        assert " ".join(needs_of(LEAD, NAMED, sentence)) == need.strip(), sentence
    # In other languages only names need an introduction.
    french = ("Le gouverneur Casimir Drell a parlé mardi.", "Elle a remercié Drell de la fissure.")
    assert needs_of(*french, language="fr") == ("name Drell",)


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("It holds two million tons of water.", True), ("Swapping them takes an hour.", True),
        ("Until then, nobody may enter Pell.", True), ("After that date the pass is void.", True),
        ("This means that Pell has no water.", True), ("For example, a wet wall may burst.", True),
        ("Yes, you may enter Pell on Monday.", False), ("It is safer to wait for the engineers.", False),
        ("This policy applies to guests of the dam.", False), ("Those who left Pell may return.", False),
        ("We repaired it so that nobody drowns.", True), ("In March 2, it may burst.", True),
        ("However, guests may enter Pell.", True), ("But the board in Harrow disagrees.", True),
        ("The dam was closed this week.", False), ("Drell said that he was sorry.", False),
    ],
)  # fmt: skip
def test_a_sentence_leans_on_the_one_before_it(text: str, leans: bool) -> None:
    cluster = cluster_of_texts([f"{LEAD} {text}"])
    assert Introductions(cluster, range(2)).leans(1) == leans
    made = worked_out([f"{LEAD} {NAMED} Many people of both towns slept at the school of Harrow. {text}"])
    first, *_, last = range(len(made.graph.cost))
    apart = [fault.price for fault in prices(made).faults([first, last]) if fault.name == "apart"]
    assert (sum(apart) > 0.1) == leans
    assert not any(fault.name == "apart" and fault.price for fault in prices(made).faults([last - 1, last]))


@pytest.mark.parametrize(
    ("text", "language", "leans"),
    [
        ("Ben: The dam is old.\n\nBen: a huge win if you ask me\n\nAda: no", "en", [False, True, False]),
        ('The mayor spoke. "The dam is too dear for Pell."', "en", [False, True]),
        ('The mayor spoke. "The dam is too dear," said Rosa Lindt of Pell.', "en", [False, False]),
        ("Der Austritt ist frei. Er erfolgt durch Erklärung.", "de", [False, True]),
        ("May I sell the plan to my neighbours? No. The town sells it.", "en", [False, False, True]),
    ],
)
def test_a_remark_a_bare_quotation_and_a_pronoun_lean(text: str, language: str, leans: list[bool]) -> None:
    cluster = cluster_of_texts([text], language=language)
    found = Introductions(cluster, ())
    assert [found.leans(i) for i in range(len(cluster.sentences))] == leans


@pytest.mark.parametrize(
    ("text", "language", "is_limited"),
    [
        ("Drain one node at a time. However, two people may drain two nodes.", "en", True),
        ("Leave ends at five. (For disabled children it ends at eighteen.)", "en", True),
        ("Drain one node at a time.\n\nHowever, two people may drain two nodes.", "en", False),
        ("Ada: Drain one node at a time.\n\nBen: But two people may drain two.", "en", False),
        ("Der Austritt ist frei. Allerdings gilt eine Frist von drei Monaten.", "de", True),
    ],
)
def test_a_sentence_stands_only_with_what_limits_it(text: str, language: str, is_limited: bool) -> None:
    assert Introductions(cluster_of_texts([text], language=language), ()).is_limited(0) == is_limited
    made = worked_out([text])
    hanging = [fault.price for fault in prices(made).faults([0]) if fault.name == "hanging"]
    assert (sum(hanging) > 0.1) == (is_limited and language == "en")


def test_an_answer_stands_only_with_its_question() -> None:
    talk = (
        "Ada: Will the dam in Pell be repaired before the winter comes?\n\nBen: The board in Harrow pays.\n"
    )
    cluster = cluster_of_texts(
        [f"{talk}\nAda: Thank you all for coming to the hall.\n\nBen: See you in May.\n"]
    )
    assert [Introductions(cluster, ()).leans(i) for i in range(len(cluster.sentences))][:3] == [
        False,
        True,
        False,
    ]


def test_a_lead_needs_no_introduction_for_words_of_its_headline() -> None:
    cluster = cluster_of_texts(["Death toll rises\n\nThe toll from the flood passed 80 on Friday."])
    headline, lead = range(2)
    assert Introductions(cluster, [lead]).needs(lead) == ()
    assert Introductions(cluster, [headline, lead]).needs(lead) == ("the toll",)


def worked_out(texts: Sequence[str], **settings: object) -> Run:
    config = Config().with_settings({"labels": "never", **settings})  # these texts are too short to judge
    (made,) = summarize([cluster_of_texts(texts)], config)
    assert isinstance(made, Run)
    return made


@cache
def sample_workings() -> list[Run]:
    folders = [SAMPLE / "docs" / name for name in ("d90001t", "d90004t")]
    return [made for made in summarize(load(folders), Config()) if isinstance(made, Run)]


def prices(made: Run) -> ReadingPrices:
    budget = made.summary.selection.budget
    return ReadingPrices(made.tokenized, made.graph, budget, units_of(made.tokenized).rank.tolist())


CITIES = "Lots of children in the town of Ansby were hurt, the police said on Tuesday."


@pytest.mark.parametrize(
    ("kind", "yes", "no"),
    [
        ("bland", "The crew say that the light was dark.", "The crew of the Oriel say so."),
        ("bland", "Lots of children were hurt by it.", "Lots of children, 27 in all, were hurt."),
        ("bland", "Lots of children were hurt by it.", "انهار السد في الوادي وغرقت البلدة"),  # no capitals
        ("loose_day", "Police searched houses today.", "Police searched houses on Monday."),
        ("no_verb", "Ambulances at Russell Square after the bombings.", "The Roadmap was agreed."),
    ],
)
def test_faults_of_a_single_sentence_are_recognised(kind: str, yes: str, no: str) -> None:
    made = worked_out([yes, no, CITIES, NAMED], language="en")
    assert len(made.graph.cost) == 4
    found = [fault for i in (0, 1) for fault in prices(made).faults([i])]
    assert [fault.sentence for fault in found if fault.name == kind and fault.price > 0] == [0]


@pytest.mark.parametrize(
    ("news", "other"),
    [
        ("A crack opened early on Tuesday.", "The keepers had a problem."),
        ("The dam may fail, engineers said.", "The dam had a reputation."),
        ("The council approved the dam last night.", "The dam lasted many nights."),
    ],
)
def test_an_opening_that_reports_no_news_is_dearer(news: str, other: str) -> None:
    made = worked_out([news, other, CITIES, CITIES.replace("Ansby", "Pell")], language="en")
    # Without weights no sentence is central, which costs 0.08.
    graph = dataclasses.replace(made.graph, weight=0 * made.graph.weight, repeats=0 * made.graph.repeats)
    found = prices(dataclasses.replace(made, graph=graph)).opening_prices()
    assert found == pytest.approx([0.08, 0.13, 0.08, 0.08])


def test_documents_of_a_few_words_are_no_reports() -> None:
    rows = [f"The {thing} was {word}." for thing, word in zip(THINGS, MONTHS, strict=False)]
    assert not worked_out(rows).tokenized.are_reports
    assert worked_out([f"{row} {CITIES} {NAMED}" for row in rows[:3]]).tokenized.are_reports


def test_only_documents_in_the_order_of_their_dates_have_stages() -> None:
    as_given = Config().with_settings({"order": "given", "selector": "g-greedy", "reading": 0})
    (given,) = summarize(load([SAMPLE / "docs" / "d90004t"]), as_given)
    assert isinstance(given, Run)
    for made, expected in (sample_workings()[1], [True]), (given, []):
        assert all(document.date for document in made.tokenized.cluster.documents)
        found = prices(made)
        assert [each.price > 0 for each in found.faults([0]) if each.name == "missed_stage"] == expected
        rank = units_of(made.tokenized).rank[made.graph.sentence_ids]
        assert set(rank[list(found.openings())]) == {0, 1, 2}


def test_a_short_opening_or_lead_is_dear() -> None:
    leads = [
        f"The dam above the town of Pell broke early on {day} and the water took 40 houses away."
        for day in ("Monday", "Tuesday", "Friday", "Sunday")
    ]
    inside, teaser = "Emil Tass, 54, was there.", "Nobody in Pell slept a minute that night."
    made = worked_out([f"{leads[0]} {inside} {leads[1]}", leads[2], f"{teaser} {leads[3]}"])
    texts = [made.tokenized.cluster.sentences[i].text for i in made.graph.sentence_ids]
    found = prices(made)
    faults = found.faults(range(len(texts)))
    dear = {texts[each.sentence]: each.price for each in faults if each.name == "teaser" and each.price}
    assert dear == {teaser: pytest.approx(0.08 / 3)}
    assert [texts[i] for i in np.flatnonzero(found.table()["short_opening"])] == [inside]
    few = prices(worked_out([leads[0], teaser]))
    assert not any(fault.price for fault in few.faults([0, 1]) if fault.name == "teaser")


def test_every_fault_has_a_reason_in_words() -> None:
    made = sample_workings()[0]
    found = prices(made)
    everything = range(len(made.graph.cost))
    reasons = {fault.name: describe_fault(fault, {}) for fault in found.faults(everything)}
    assert {"introduction", "opening", "apart", "trivia", "restated", "missed_stage"} <= set(reasons)
    assert all(reasons.values())
    assert describe_fault(Fault("restated", 4, "2", 0.1), {2: 1}) == "it repeats much of sentence 1"
    assert describe_fault(Fault("introduction", 4, "the crack", 0.1), {}) == (
        'nothing before it introduces "the crack"'
    )


def test_a_need_is_free_after_the_sentence_that_introduces_it() -> None:
    made = worked_out(
        [f"{LEAD} {NAMED} Farmers said that Drell had waited until the crack was seen."], budget=60
    )
    kinds = [[fault.name for fault in prices(made).faults(chosen)] for chosen in ([2], [0, 1, 2])]
    assert kinds[0].count("introduction") == 2
    assert "introduction" not in kinds[1]


PRICED_TEXTS = read_cases("selectors/cases/prices.toml")["texts"]


@pytest.mark.parametrize("case", PRICED_TEXTS, ids=lambda case: "+".join(case["turns_on"]))
def test_the_summary_changes_if_a_price_is_doubled_or_halved(
    monkeypatch: pytest.MonkeyPatch, summc: Cli, tmp_path: Path, case: dict[str, Any]
) -> None:
    documents = enumerate(case["text"].replace("* ", "").split("\n\n"), start=8)
    write_files(tmp_path, {f"2009-06-{day:02}.txt": text.replace("\n", " ") for day, text in documents})
    expected = [line[2:] for line in case["text"].splitlines() if line.startswith("* ")]
    command = ("summarize", tmp_path, "-k", case["budget"], "--labels", "never")
    assert summc(*command).out.splitlines() == expected
    for turn in case["turns_on"]:
        *other, name, change = turn.split()
        usual = prices_module._OTHER_TEXTS if other else PriceList()  # noqa: SLF001 (no setting reaches them)
        price = getattr(usual, name) * {"doubled": 2, "halved": 0.5}[change]
        with monkeypatch.context() as changed:
            changed.setattr(prices_module, "PriceList", partial(dataclasses.replace, usual, **{name: price}))
            changed.setattr(prices_module, "_OTHER_TEXTS", prices_module.PriceList())
            assert summc(*command).out.splitlines() != expected, turn


def test_every_price_decides_a_choice() -> None:
    turning = {turn for case in PRICED_TEXTS for turn in case["turns_on"]}
    names = [field.name for field in dataclasses.fields(PriceList)]
    assert {f"{name} {change}" for name in names for change in ("doubled", "halved")} <= turning


# Kinds of sentences

NEEDED = "Every house in the valley has to keep these things ready:"


@pytest.mark.parametrize("language", ["en", "sw"])
def test_an_item_needs_the_line_that_introduces_its_list(language: str) -> None:
    text = f"{LEAD}\n\n{NEEDED}\n\n- two blankets\n- a lamp\n- a radio\n\n{NAMED}\n\n- a boat"
    cluster = cluster_of_texts([text], language=language)
    found = Introductions(cluster, range(len(cluster.sentences)))
    lines = [[need for need in found.needs(i) if need.startswith("line")] for i in range(7)]
    assert lines == [[], [], ["line 1"], ["line 1"], ["line 1"], [], []]
    assert found.missing(3, [0, 1]) == []
    assert found.missing(3, [0, 2]) == ["line 1"]
    assert "its list is missing" in describe_fault(Fault("introduction", 3, "line 1", 0.1), {})


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("The board does not allow:", True),
        ("Mieter dürfen in der Anlage keine Feuer machen:", True),
        ("A boat in the harbour is:", True),  # the items end the sentence
        ("These are the rules of the harbour:", False),
    ],
)
def test_a_whole_sentence_of_a_list_needs_a_line_that_turns_or_begins_its_meaning(
    line: str, needed: bool
) -> None:
    cluster = cluster_of_texts(
        [f"{LEAD}\n\n{line}\n\n- Boats stay in the harbour. They pay.\n- Nets are dry."]
    )
    found = Introductions(cluster, range(len(cluster.sentences)))
    lines = [[need for need in found.needs(i) if need.startswith("line")] for i in range(2, 5)]
    assert lines == [["line 1"] * needed, [], ["line 1"] * needed]


#: A sentence of each kind that has a price, about one thing.
PRICED = {
    "question": "Who will pay for the old {} of Pell Crossing after the flood?",
    "quotation": '"Nobody closed the old {} of Pell Crossing," said a man.',
    "linked": "But the old {} of Pell Crossing was closed after the flood.",
    "voice": "We saw the old {} of Pell Crossing after the flood.",
    "small letter": "the old {} of Pell Crossing was closed after the flood.",
    "prose": "Workers closed the old {}.",  # an aside
}
#: What each of them costs in a summary of 60 words.
COST = dict(zip(PRICED, (0.2 * 13 / 60, 0.01, 0.02, 0, 0.02, 0.04), strict=True))
THINGS = ("dam", "bridge", "school", "mill", "road", "gate", "siren", "market", "harbour")


@pytest.mark.parametrize("kind", PRICED)
@pytest.mark.parametrize("documents", [1, 3])
def test_sentences_with_a_price_fill_the_budget_if_there_are_no_others(kind: str, documents: int) -> None:
    said = [PRICED[kind].format(thing) for thing in THINGS]
    made = worked_out([" ".join(said[i::documents]) for i in range(documents)], budget=60)
    sentences = made.tokenized.cluster.sentences
    assert sum(sentence.kind == kind for sentence in sentences) >= len(said) - documents
    assert made.summary.words >= min(45, sum(sentence.words for sentence in sentences))
    assert max(prices(made).kind_prices) == pytest.approx(COST[kind])


@pytest.mark.parametrize("kind", PRICED)
def test_reports_are_summarized_without_sentences_that_have_a_price(kind: str) -> None:
    leads = [
        f"The dam above the town of Pell broke early on {day} and the water took {number} houses away."
        for day, number in (("Monday", 40), ("Tuesday", 60), ("Friday", 80), ("Sunday", 95))
    ]
    said = [PRICED[kind].format(thing) for thing in THINGS[:4]]
    made = worked_out([f"{lead} {more}" for lead, more in zip(leads, said, strict=True)], budget=40)
    assert made.summary.words > 20
    assert set(made.summary.text.splitlines()) <= set(leads)


def test_a_sentence_that_takes_half_of_the_budget_gives_way_to_shorter_ones() -> None:
    things = ("kitchen", "stable", "bakery", "chapel", "cellar")
    short = [
        f"The {thing} of the hut closes in {month}." for thing, month in zip(things, MONTHS, strict=True)
    ]
    names = ", ".join(f"{name} Lowe" for name in ("Ann", "Ben", "Carl", "Dora", "Emil", "Fritz", "Greta") * 3)
    made = worked_out([f"Wood was carried up by {names}, said the keeper. {' '.join(short)}"], budget=52)
    assert made.summary.text.splitlines() == short


def test_a_courtesy_is_left_out_of_a_text_that_fits_the_budget() -> None:
    news = "Visitors may watch the firing of the kiln in May and October."
    thanked = worked_out([f"{news} Thanks to Hanna Voss for the bowls and the birch."], budget=29)
    assert thanked.summary.text == news


class _Priced:
    """Prices from a table: one for each sentence, and an extra one if it comes first."""

    def __init__(self, price: list[float], first: list[float]) -> None:
        self.price, self.first, self.kind_prices = price, first, price

    def of(self, chosen: Sequence[int]) -> float:
        return sum(self.price[i] for i in chosen) + (self.first[chosen[0]] if chosen else 0.0)

    def openings(self) -> Iterator[int]:
        return iter(sorted(range(len(self.first)), key=self.first.__getitem__))


shares = st.lists(st.sampled_from([0.0, 0.05, 0.2, 0.6]), min_size=7, max_size=7)


@given(graphs(least_edges=6, most_levels=3, most_count=2), st.integers(1, 20), shares, shares, st.data())
def test_the_improved_choice_is_between_the_selectors_choice_and_the_best(
    graph: CoverageGraph, budget: int, price: list[float], first: list[float], data: st.DataObject
) -> None:
    start = GGreedy().select(graph, budget)
    fixed = data.draw(st.lists(st.sampled_from(start.chosen), unique=True)) if start.chosen else []
    priced = _Priced(price, first)
    made = improve_reading(graph, start, priced, fixed)

    def worth(chosen: tuple[int, ...]) -> float:
        return coverage(graph, chosen) / max(start.covered_weight, 1e-9) - priced.of(chosen)

    assert set(fixed) <= set(made.chosen)
    assert made.cost <= budget
    assert made.covered_weight == pytest.approx(coverage(graph, made.chosen))
    if start.covered_weight > 0:
        possible = (
            chosen
            for size in range(1, len(graph.cost) + 1)
            for chosen in itertools.combinations(range(len(graph.cost)), size)
            if graph.cost[list(chosen)].sum() <= budget and set(fixed) <= set(chosen)
        )
        assert worth(start.chosen) - 1e-6 <= worth(made.chosen) <= max(map(worth, possible)) + 1e-6


def test_the_search_for_reading_is_unchanged() -> None:
    """Another order of exchanges, or another opening, would change the answers."""
    chosen = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        graph = make_dense_graph(24, 0.2, 30, seed)
        start = GGreedy().select(graph, 200)
        priced = _Priced(*(rng.choice([0.0, 0.02, 0.1, 0.3], 24).tolist() for _ in range(2)))
        chosen.append(improve_reading(graph, start, priced, start.chosen[: seed % 2]).chosen)
    assert chosen == [
        (3, 6, 13, 15, 23), (4, 9, 12, 18), (6, 7, 11, 15, 23),
        (0, 3, 8, 19, 20), (7, 15, 21, 23), (4, 5, 12, 15, 17),
    ]  # fmt: skip


def test_a_choice_without_faults_is_not_changed() -> None:
    for made in sample_workings():
        start = Auto().select(made.graph, 100)
        free = _Priced([0.0] * len(made.graph.cost), [0.0] * len(made.graph.cost))
        assert improve_reading(made.graph, start, free).chosen == start.chosen


def test_an_exchange_for_reading_must_fit_and_gain_something() -> None:
    graph = make_graph([5, 20], [1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 2])
    start = GGreedy().select(graph, 10)
    assert improve_reading(graph, start, _Priced([0.5, 0.0], [0.0, 0.0])).chosen == (0,)
    graph = make_graph([1, 1], [1, 1], [0, 0, 1], [0, 1, 1])
    start = GGreedy().select(graph, 2)
    assert improve_reading(graph, start, _Priced([0.25, 0.0], [0.0, 0.0])).chosen == (0, 1)


def test_a_very_long_choice_is_not_changed() -> None:
    size = 150
    graph = make_graph([1] * size, [1] * size, range(size), range(size))
    start = GGreedy().select(graph, 120)
    dear = _Priced([0.5] * size, [0.5] * size)
    assert improve_reading(graph, start, dear) is start


def test_reading_lowers_the_price_and_gives_up_little_coverage() -> None:
    for made in sample_workings():
        start = Auto().select(made.graph, 100)
        found = prices(made)
        after = made.summary.selection
        assert found.of(after.chosen) <= found.of(start.chosen)
        assert after.covered_weight >= 0.8 * start.covered_weight
        # What is given up is counted from the best choice of sentences without a price for their kind.
        cost = np.where(np.array(found.kind_prices) > 0, np.inf, made.graph.cost)
        clear = solve(dataclasses.replace(made.graph, cost=cost), 100, Auto(), "")
        assert after.diagnostics["given_up"] == pytest.approx(
            max(0.0, 1 - after.covered_weight / clear.covered_weight)
        )


def test_bounds_hold_with_and_without_reading() -> None:
    for reading in (0, 1):
        config = Config().with_settings({"certify": True, "reading": reading, "budget": 35})
        (made,) = summarize(load(DAM), config)
        assert isinstance(made, Run)
        auto = Auto().select(made.graph, 35)
        assert made.summary.selection.bound is not None
        assert made.summary.selection.bound >= auto.covered_weight * (1 - 1e-9)
        assert (made.summary.selection.chosen == auto.chosen) == (reading == 0)


# The command


def test_session(summc: Cli, tmp_path: Path) -> None:
    days = tmp_path / "days"
    days.mkdir()
    (days / "2009-06-08.txt").write_text(f"{LEAD} {NAMED}")
    (days / "2009-06-10.txt").write_text("All families went home today, the governor said on Wednesday.")
    (tmp_path / "story").symlink_to(SAMPLE / "docs" / "d90001t")
    check(summc, tmp_path, "reading.txt")


def test_another_weighting_leaves_out_the_stop_words_kept_by_preprocess(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The dam broke in the night. The river rose in the morning.")
    tokens = summc("preprocess", stdin=summc("load", str(tmp_path)).out).out
    assert json.loads(tokens)["signature"]["preprocess"]["stopwords"] == "weighed"
    weights = json.loads(summc("weigh", "--weighting", "position", stdin=tokens).out)["weights"]
    assert "the" not in weights["words"]
    assert "the" in json.loads(summc("weigh", "-k", "20", stdin=tokens).out)["weights"]["words"]


def test_an_explanation_says_why_coverage_was_given_up(summc: Cli) -> None:
    found = json.loads(summc("explain", str(SAMPLE / "docs" / "d90001t"), "--format", "json").out)
    assert any(each["runner_up"].get("reading") for each in found["sentences"])


def test_a_line_with_an_empty_sentence_is_read(summc: Cli) -> None:
    line = summc("load", "-", stdin="The dam broke on Monday near Pell. Nobody was hurt there.").out
    for stage in ("preprocess", "weigh", "graph"):
        line = summc(stage, stdin=line).out
    assert summc("select", stdin=line.replace("The dam broke on Monday near Pell.", "")).code == 0


TERSE = """The meeting of the board was led by Ann Drell, who thanked the staff.

- Rowing club: new boats for the spring
- will help with the statistics that sponsors want
- will do all of it in one go, after that review
- grant for the school of Ansby
- it depends on these elections
- charts of the finances, every month
- legal advice about the tax status, in Kansas
"""


def test_terse_notes_fill_the_budget_unless_reading_is_asked_for() -> None:
    cluster = cluster_of_texts([TERSE])
    used = [
        run.summary.selection.cost
        for reading in ("auto", 1)
        for run in summarize([cluster], Config().with_settings({"budget": 20, "reading": reading}))
        if isinstance(run, Run)
    ]
    assert used == [20, 14]


RULES = """# Side jobs

The company allows side jobs of the staff if they do not harm it.

These are the jobs that nobody here may have:

- work for a competitor of the company
- speaking tours of many weeks

## Action items

- Ann writes the list of all side jobs.
"""


def test_items_stand_with_the_line_that_introduces_them_and_that_line_with_an_item(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(RULES)
    (cluster,) = load([tmp_path / "x.md"])
    for budget in range(9, 33):
        (run,) = summarize([cluster], Config().with_settings({"budget": budget}))
        assert isinstance(run, Run)
        line, first, second = (
            text in run.summary.text for text in ("nobody here", "work for a competitor", "speaking tours")
        )
        assert line == first or (line and second), run.summary.text
        assert line or not second, run.summary.text


@pytest.mark.parametrize("question", ["How many action items are there?", "Who has action items?"])
def test_a_heading_answers_no_question(tmp_path: Path, question: str) -> None:
    (tmp_path / "x.md").write_text(RULES)
    (cluster,) = load([tmp_path / "x.md"])
    for budget in range(9, 33):
        (run,) = summarize([cluster], Config().with_settings({"budget": budget, "query": question}))
        assert isinstance(run, Run)
        assert "Action items" not in [sentence.text for sentence in run.summary.sentences]
