"""Stale figures: what numbers count, which ones later reports replace, and how summaries use them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.config import Config
from summc.documents import cluster_of_texts
from summc.pipeline import Workings, work_out
from summc.preprocess.terms import tokenize
from summc.reading import Fault, ReadingPrices, in_words
from summc.reading.counts import numbers_in
from summc.reading.figures import Figures, is_same
from summc.reading.likeness import Likeness
from summc.records import Cluster
from summc.weights.base import ranks_of
from tests.conftest import Run


def counted(text: str, language: str = "en") -> list[tuple[float, str]]:
    return [(each.value, each.counted) for each in numbers_in(text, language) if each.counted]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The blast left 12 dead.", [(12, "dead")]),
        ("Twelve miners were killed and 31 injured.", [(12, "dead"), (31, "injured")]),
        ("The fire claimed 52 lives.", [(52, "dead")]),
        ("A landslide near Ostrel killed at least 1,250 people.", [(1250, "dead")]),
        ("The toll from the flood in the valley passed 3.5 million people.", [(3_500_000, "dead")]),
        ("The toll rose from 12 to 47.", [(47, "dead")]),
        ("Two bombs killed 47 people.", [(2, "bomb"), (47, "dead")]),
        ("Fifty-two houses burned.", [(52, "hous")]),
        ("Some 600 people were evacuated.", [(600, "evacu")]),
        ("About 190 countries take part.", [(190, "countri")]),
        ("Firefighters saved two dozen barns.", [(24, "barn")]),
    ],
)
def test_the_thing_that_a_number_counts_is_found(text: str, expected: list[tuple[float, str]]) -> None:
    assert counted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The mine opened in 1987.",
        "The strike began on March 12 and ended on 14 April.",
        "The siren sounded at 6:30 a.m. and at 7 p.m. again.",
        "Marta Denholm, 47, was aged 12 when the dam broke.",
        "The 12-year-old waited for 3 days.",
        "Prices rose by 12 percent and wages by 3%.",
        "The repair cost $12 million, or 9 million euros.",
        "The quake had a magnitude of 6.1.",
        "The crack is 40 meters long, 12 km from Ansby.",
        "Passengers of Flight 447 landed on runway A12.",
        "The toll may rise to 100.",
        "Rescuers fear that 100 people could be dead.",
        "Divers found 12 more bodies.",
        "The two men went home.",
        "Nobody counted the dead.",
    ],
)
def test_numbers_that_are_not_counts_are_ignored(text: str) -> None:
    assert counted(text) == []


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("L'explosion a fait 12 morts.", "fr", [(12, "mort")]),
        ("Le bilan est de 12 000 morts.", "fr", [(12000, "mort")]),
        ("Il est venu le 12 janvier 2004.", "fr", []),
        ("Výbuch zabil 47 horníků.", "cs", [(47, "horníků")]),
        ("Douze morts.", "fr", []),
        ("ב-12 בינואר היו 12 הרוגים ו 470 פצועים.", "he", [(470, "פצועים")]),
    ],
)
def test_numbers_in_digits_count_in_any_language(
    text: str, language: str, expected: list[tuple[float, str]]
) -> None:
    assert counted(text, language) == expected


@given(
    st.text() | st.text("0123456789., -$%atwofromhundredbillion"), st.sampled_from(["en", "fr", "he", "zh"])
)
def test_any_text_can_be_read(text: str, language: str) -> None:
    assert all(each.value > 1 and is_same(each.value, each.value) for each in numbers_in(text, language))


def test_a_number_of_thousands_of_words_or_digits_is_read() -> None:
    for text in ("two " + "billion " * 4000, "9" * 4000, "9" + " 999" * 4000, "9" + ",999" * 4000):
        for language in ("en", "fr"):
            assert all(is_same(each.value, each.value) for each in numbers_in(text, language))


def test_rounded_numbers_are_the_same() -> None:
    assert is_same(150_000, 146_200)
    assert is_same(222_570, 220_000)
    assert not is_same(222_570, 200_000)
    assert not is_same(47, 48)


def dated(texts: Sequence[str], dates: Sequence[str] = (), language: str = "en") -> Cluster:
    cluster = cluster_of_texts(texts, language=language)
    days = dates or [f"2031-05-{day:02}" for day in range(1, len(texts) + 1)]
    documents = (
        dataclasses.replace(document, date=day) for document, day in zip(cluster.documents, days, strict=True)
    )
    return dataclasses.replace(cluster, documents=tuple(documents))


def later(cluster: Cluster, index: int = 0) -> str:
    """Return the figure that replaces one in a sentence, by default in the first one."""
    found = Figures(cluster, Likeness(tokenize(cluster))).later(index % len(cluster.sentences))
    return found.shown if found else ""


BETWEEN = (
    "Families waited at the gate all night. Farmers sold wool and cheese. A choir sang old songs. "
    "Snow fell on the hills. The museum showed paintings of birds. Children played chess in the library. "
    "Bakers struck for better pay. Nobody knew when the bridge would open."
)
LAST = "Rescuers said the explosion in the Corvane mine had left 47 people dead."
FIRST_DEAD = "An explosion in the Corvane mine left 12 people dead on Monday."


def test_a_later_report_replaces_a_figure() -> None:
    assert later(dated([FIRST_DEAD, BETWEEN, LAST])) == "47"
    assert later(dated([FIRST_DEAD, BETWEEN, LAST]), -1) == ""
    assert later(dated([LAST, BETWEEN, FIRST_DEAD], ["2031-05-03", "2031-05-02", "2031-05-01"]), -1) == "47"


def test_number_words_are_read_as_figures() -> None:
    first = "Seven aftershocks shook the coast of Ansby on Monday."
    last = "Nineteen aftershocks have shaken the coast of Ansby by now."
    assert later(dated([first, BETWEEN, last])) == "Nineteen"


def test_the_latest_of_several_figures_counts() -> None:
    middle = "The explosion in the Corvane mine left 31 people dead, police said."
    cluster = dated([FIRST_DEAD, middle, BETWEEN, LAST])
    assert [later(cluster, i) for i in (0, 1, -1)] == ["47", "47", ""]


def test_a_figure_that_later_reports_repeat_is_not_stale() -> None:
    more = "Police said the explosion in the Corvane mine had left 20 people dead."
    again = "Police now say the explosion in the Corvane mine left 12 people dead."
    assert later(dated([FIRST_DEAD, more, BETWEEN])) == "20"
    assert later(dated([FIRST_DEAD, more, f"{again} {BETWEEN}"])) == ""
    assert later(dated([FIRST_DEAD, more, f"{again} {BETWEEN}"]), 1) == "12"
    assert later(dated([FIRST_DEAD, f"{more} {again}", BETWEEN])) == ""


def test_a_sentence_with_the_last_figure_is_not_stale() -> None:
    both = "The explosion in the Corvane mine left 12 people dead, later 47."
    assert later(dated([both, BETWEEN, LAST])) == ""


def test_a_rise_from_the_old_figure_replaces_it() -> None:
    rise = "The toll of the explosion in the Corvane mine rose from 12 to 47."
    assert later(dated([FIRST_DEAD, BETWEEN, rise])) == "47"


@pytest.mark.parametrize(
    ("first", "last"),
    [
        # something else is counted
        (FIRST_DEAD, "The explosion in the Corvane mine left 47 people injured."),
        (FIRST_DEAD, "The explosion in the Corvane mine destroyed 47 lamps."),
        # other events
        (FIRST_DEAD, "A ferry sank off Hesk island with 47 dead."),
        (FIRST_DEAD, "In 1987 an explosion in the Corvane mine left 47 people dead."),
        ("An explosion in 1987 left 12 people dead.", "An explosion left 47 people dead."),
        ("Two trains stood in the station of Ansby.", "Nine trains will be bought by Orvane."),
        # years, dates, times and ages
        ("The Corvane mine opened in 1950.", "The Corvane mine opened in 1960."),
        ("The Corvane mine opened on May 3.", "The Corvane mine opened on May 7."),
        ("The Corvane mine opened at 6:30.", "The Corvane mine opened at 7:45."),
        ("The owner of the Corvane mine is 50 years old.", "The owner of the Corvane mine is 61 years old."),
        ("The owner of the Corvane mine, 50, resigned.", "The owner of the Corvane mine, 61, resigned."),
        # shares and money
        ("The Corvane mine sold 12 percent of its coal.", "The Corvane mine sold 47 percent of its ore."),
        ("The Corvane mine paid $12 million in taxes.", "The Corvane mine paid $47 million for pumps."),
        ("The Corvane mine paid 12 million euros.", "The Corvane mine paid 47 million euros."),
        # measures
        ("The Corvane mine is 12 km from Ansby.", "The Corvane mine is 47 km from Ostrel."),
        # forecasts, parts and additions
        (FIRST_DEAD, "The explosion in the Corvane mine may have left 47 people dead."),
        (FIRST_DEAD, "The explosion in the Corvane mine left another 47 people dead."),
        ("Nine men in the Corvane mine were trapped.", "The three men in the Corvane mine were trapped."),
        # the same number, rounded
        (
            "The explosion in the Corvane mine left 1,230 people dead.",
            "The explosion in the Corvane mine left 1,200 people dead.",
        ),
        # far too many, or so few that it is only a part
        (FIRST_DEAD, "All explosions in mines such as Corvane left 4,700 people dead."),
        (LAST, "The explosion in the Corvane mine left 3 people of Ansby dead."),
    ],
)
def test_unrelated_figures_are_not_stale(first: str, last: str) -> None:
    assert later(dated([first, BETWEEN, last])) == ""


def test_things_that_one_document_counts_twice_do_not_become_stale() -> None:
    last = "Ansby sent 47 trucks to the Corvane mine."
    first = "Ansby sent 12 trucks to the Corvane mine."
    assert later(dated([first, BETWEEN, last])) == "47"
    assert later(dated([first, f"{BETWEEN} Ostrel sent 5 trucks. Hesk sent 9 trucks.", last])) == ""


def test_stale_figures_need_three_documents_with_known_different_dates() -> None:
    texts = [FIRST_DEAD, BETWEEN, LAST]
    assert later(dated(texts, ["2031-05-01", "", "2031-05-03"])) == ""
    assert later(dated(texts, ["2031-05-01"] * 3)) == ""
    assert later(dated([FIRST_DEAD, LAST])) == ""
    assert later(dated(texts, ["2031-05-01", "2031-05-01", "2031-05-02"])) == "47"


def test_in_other_languages_the_sentences_must_be_much_alike() -> None:
    first = "L'explosion de la mine de Corvane a fait 12 morts."
    between = (
        "Les familles attendent devant la porte. La neige tombe sur les collines. Un chœur chante la mer. "
        "Le musée montre des oiseaux. Les boulangers font grève. Personne ne connaît le pont."
    )
    alike = "L'explosion de la mine de Corvane a fait 47 morts."
    other = "Le ministre a parlé lundi de 47 morts dans une mine."
    assert later(dated([first, between, alike], language="fr")) == "47"
    assert later(dated([first, between, other], language="fr")) == ""


# Summaries

REPORTS = {
    "2031-05-01.txt": (
        "An explosion of gas in the northern shaft of the Corvane mine near Ansby left 12 people dead on "
        "Monday, the police said. Miners said that gas had been smelled in the northern shaft for days."
    ),
    "2031-05-02.txt": (
        "Rescue teams from Ostrel reached the northern shaft of the Corvane mine near Ansby on Tuesday, "
        "after the explosion of gas. The owner of the mine, Casimir Drell, said that gas had never been a "
        "danger there."
    ),
    "2031-05-06.txt": (
        "Prosecutors searched the offices of Casimir Drell, owner of the Corvane mine, in Ostrel on "
        "Saturday. The police said that the explosion in the Corvane mine had left 47 people dead."
    ),
}
OLD, NEW = "left 12 people dead", "left 47 people dead"


def folder(tmp_path: Path, reports: dict[str, str]) -> str:
    for name, text in reports.items():
        (tmp_path / name).write_text(text)
    return str(tmp_path)


def test_a_summary_has_the_last_figure_instead_of_a_stale_one(summc: Run, tmp_path: Path) -> None:
    where = folder(tmp_path, REPORTS)
    out = summc("summarize", where, "-k", "25").out
    assert NEW in out
    assert OLD not in out


def test_an_explanation_names_the_figure_of_the_later_report(summc: Run, tmp_path: Path) -> None:
    where = folder(tmp_path, REPORTS)
    said = " ".join(summc("explain", where, "-k", "25", "--why-not", OLD).out.split())
    assert "a later report says 47" in said
    found = json.loads(summc("explain", where, "-k", "25", "--why-not", OLD, "--format", "json").out)
    assert "a later report says 47" in json.dumps(found)


def test_without_dates_the_first_figure_stays(summc: Run, tmp_path: Path) -> None:
    where = folder(tmp_path, dict(zip(("a.txt", "b.txt", "c.txt"), REPORTS.values(), strict=True)))
    assert OLD in summc("summarize", where, "-k", "25").out


def prices(made: Workings) -> ReadingPrices:
    budget = made.summary.selection.budget
    return ReadingPrices(made.tokenized, made.graph, budget, ranks_of(made.tokenized).tolist())


def worked_out(cluster: Cluster, budget: float) -> Workings:
    (made,) = work_out([cluster], Config().with_settings({"least_words": 1, "budget": budget}))
    assert isinstance(made, Workings)
    return made


def test_a_stale_figure_costs_as_much_as_a_missing_one() -> None:
    made = worked_out(dated([FIRST_DEAD, BETWEEN, LAST]), 30)
    found = prices(made)
    old, other, new = 0, 1, len(made.graph.cost) - 1
    assert set(found.stale([old, other, new])) == {old}
    assert not [fault for fault in found.faults([old]) if fault.kind == "stale"]
    found = found.renewing([old])
    kinds = {
        chosen: [(fault.kind, fault.price) for fault in found.faults(chosen) if fault.about == "47"]
        for chosen in [(old,), (other,), (new,), (old, new)]
    }
    ((stale, price),) = kinds[(old,)]
    assert (stale, kinds[(other,)], kinds[(new,)]) == ("stale", [("figure", price)], [])
    assert kinds[(old, new)] == [("stale", price)]
    for chosen in kinds:
        assert found.of(chosen) == pytest.approx(sum(fault.price for fault in found.faults(chosen)))


def test_the_reasons_name_the_figure() -> None:
    assert in_words(Fault("stale", 0, "47", 0.1), {}) == "a later report says 47"
    assert in_words(Fault("figure", 0, "47", 0.1), {}) == "it leaves out the last figure, 47"
