"""The HTML page as written: complete, self-contained, and without anything from documents that could run."""

from __future__ import annotations

import dataclasses
import html
import itertools
import json
import re
import shutil
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.config import Config
from summc.documents.sources import cluster_of_texts, load
from summc.method import preprocess, summarize
from summc.records import Cluster, Document, Run, Sentence
from summc.report.budgets import ClusterReport, budgets_around, report_of
from summc.report.html import render_page, timeline_of
from summc.system.compiled import DEFINED
from tests.conftest import ROOT, SAMPLE, Cli, examples
from tests.support.small import write_lines

CASES = Path(__file__).parent / "cases"
HOSTILE = (CASES / "hostile.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")


def report_for(cluster: Cluster, others: Sequence[Run] | None = None, **settings: object) -> ClusterReport:
    """Return a report; ``others`` are the summaries of other lengths, as for ``report_of``."""
    config = Config().with_settings(settings)
    (made,) = summarize([cluster], config)
    assert isinstance(made, Run)
    return report_of(made, others)


def made_of(texts: list[str], others: Sequence[Run] | None = None, **settings: object) -> ClusterReport:
    """Return a report of documents of one sentence each, whose names are as hostile as their texts."""
    documents = tuple(
        Document(text, (Sentence(i, 0, text, len(text.split())),)) for i, text in enumerate(texts)
    )
    usual: dict[str, Any] = {"budget": 20, "selector": "g-greedy", "reading": 0}
    usual.update(settings)
    return report_for(Cluster(texts[0], documents), others, **usual)


def carried(page: str) -> dict[str, Any]:
    """Return the data of the first cluster that a page carries."""
    first: dict[str, Any] = json.loads(Page(page).texts["data"])[0]
    return first


def made_of_news(**settings: Any) -> ClusterReport:
    """Return a report of two dated files, the first with a headline and a heading, for one length."""
    (cluster,) = load([CASES / "news"])
    return report_for(cluster, (), budget=24, **settings)


@pytest.fixture(scope="module")
def dam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cluster of two documents of the sample: a page takes long to make of seven."""
    folder = tmp_path_factory.mktemp("few") / "d90004t"
    folder.mkdir()
    for path in sorted((SAMPLE / "docs" / "d90004t").iterdir())[:2]:
        shutil.copyfile(path, folder / path.name)
    return folder


class Page(HTMLParser):
    """A parsed page: its elements, and the text of each element that has an id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.open: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag not in ("meta", "input"):
            self.open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for _, id_ in self.open:
            if id_:
                self.texts[id_] = self.texts.get(id_, "") + data

    def as_typed(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]


markup = st.sampled_from(
    ["<b>", "</p>", "<!--", "--!>", "<![CDATA[", "&lt;", "&#60;", '"', "'", "{{", "{% if %}", "</script>",
     "<script>", "</style>", "' onclick='a()", "\u202e", "\u2028"]
)  # fmt: skip


@examples(90)
@given(st.lists(st.lists(st.text(max_size=20) | markup, min_size=1).map("".join), min_size=1, max_size=4))
def test_any_text_is_escaped_in_the_page(texts: list[str]) -> None:
    # HTML parsers replace control characters, and so do the readers of documents.
    clean = [re.sub("[\x00-\x1f\x7f-\x9f]", " ", f"Flood {text} water.") for text in texts]
    report = made_of(clean, others=(), budget=1000)
    words = [dataclasses.replace(word, word=clean[0]) for word in report.words]
    page = Page(render_page([dataclasses.replace(report, words=words)]))
    assert page.open == []
    assert [page.texts[f"c1-s{i}"] for i in range(len(clean))] == clean
    assert page.texts["c1-title"].strip() == clean[0].strip()
    assert [script.get("type") for script in page.as_typed("script")] == ["application/json", None]
    assert len(page.as_typed("style")) == 1
    for _, attributes in page.elements:
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "style", "srcdoc")]
        assert (attributes.get("href") or "#").startswith("#")
    # No text can close the element with the data, which holds all texts all the same.
    data = page.texts["data"]
    assert not set("<>&'") & set(data)
    assert clean[0] in [name for name, _ in json.loads(data)[0]["words"]]


def test_a_page_is_written_in_which_every_link_has_a_target(summc: Cli, dam: Path, tmp_path: Path) -> None:
    other, target = shutil.copytree(dam, tmp_path / "other"), tmp_path / "page.html"
    flags = ("summarize", dam, other, "-k", "20,40", "--selector", "g-greedy", "--labels", "never")
    result = summc(*flags, "--format", "html", "-o", target)
    assert (result.code, result.out, result.err) == (0, "", "")
    text = target.read_text()
    assert text.startswith('<!doctype html>\n<html lang="en">')
    for sentence in json.loads(summc(*flags, "--format", "json").out)[0]["sentences"]:
        assert html.unescape(re.sub("<[^>]*>", "", text)).count(sentence["text"]) >= 2
    page = Page(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [link["href"] for link in page.as_typed("a") if link.get("href")]
    assert len(targets) > 50
    assert all(target and target[1:] in ids for target in targets)
    referred = [a[key] for _, a in page.elements for key in ("aria-labelledby", "for") if a.get(key)]
    assert set(referred) <= set(ids)
    headings = [int(name[1]) for name, _ in page.elements if re.fullmatch("h[1-6]", name)]
    assert headings[0] == headings.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(headings))


def test_the_page_has_the_direction_and_language_of_the_documents() -> None:
    report = report_for(cluster_of_texts(["انهار السد. ارتفعت المياه."], language="ar"), ())
    page = Page(render_page([report]))
    assert page.as_typed("html")[0]["lang"] == "en"
    assert {(a["lang"], a["dir"]) for a in page.as_typed("article")} == {("ar", "rtl")}
    assert {(a["lang"], a["dir"]) for a in page.as_typed("ol") if a.get("class") == "sentences"} == {
        ("ar", "rtl")
    }


# Headlines and dates


@pytest.mark.parametrize("case", (CASES / "headlines.txt").read_text().splitlines()[1:])
def test_the_headline_is_the_first_paragraph_that_is_no_sentence(case: str) -> None:
    text, expected = case.split(" -> ")
    cluster = cluster_of_texts([text.replace(" | ", "\n\n")])
    assert next((each.text for each in cluster.sentences if each.kind == "headline"), "none") == expected


def test_a_single_document_lends_its_headline_and_headings_to_the_page() -> None:
    text = "How \u202edams break\n\nCauses\n\n{0}\n\nRemedies\n\n{0}".format(
        "Water finds its way through the smallest hole in the wall."
    )
    page = render_page([report_for(cluster_of_texts([text]), (), budget=12)])
    assert "<title>How dams break - summc</title>" in page
    listed = re.findall(r'<li><a href="#c1-s[0-9]+" lang="en">(.*?)</a></li>', page)
    assert listed == ["Causes", "Remedies"]


def test_a_hostile_headline_is_escaped_wherever_it_is_shown() -> None:
    headline = "</title></script><script>window.hacked = 1</script> Dam"
    text = f"{headline}\n\nThe dam above the town broke on Sunday and nobody was hurt."
    for texts in ([text], [text, text.replace("dam", "dike")]):
        page = Page(render_page([report_for(cluster_of_texts(texts), ())]))
        assert page.texts["c1-h0"] == headline
        assert len(page.as_typed("script")) == 2


def test_days_are_placed_by_their_dates_and_labels_do_not_meet() -> None:
    dates = ["2021-05-02", "", "2021-05-12", "2021-05-03", "2021-05-07", "2021-05-12"]
    days = timeline_of(dates, {"2021-05-02", "2021-05-03", "2021-05-12"})
    assert [(day.date, day.place, day.label) for day in days] == [
        ("2021-05-02", 0, "2 May 2021"), ("2021-05-03", 10, ""), ("2021-05-07", 50, "7 May"),
        ("2021-05-12", 100, "12 May"),
    ]  # fmt: skip
    assert timeline_of(["2021-05-02", "", "2021-05-02"], ()) == ()
    near = timeline_of([f"2021-{month:02}-{day:02}" for month in (1, 12) for day in range(1, 6)], ())
    assert [day.label for day in near if day.label] == ["1 Jan 2021", "5 Dec"]


def test_near_marks_are_in_different_rows_and_name_the_sentences_of_their_day() -> None:
    dates = [f"2021-05-{day:02}" for day in (1, 2, 3, 4, 31)]
    assert [day.row for day in timeline_of(dates, dates)] == [0, 1, 2, 0, 0]
    (news,) = load([CASES / "news"])
    page = render_page([report_for(news, (), budget=60)])
    assert re.findall('<li id="c1-t.*<b>(.*)</b>', page) == ["1\N{EN DASH}3", "4\N{EN DASH}5"]


# The problem that a page carries


def test_required_sentences_are_named_to_the_page() -> None:
    report = made_of_news(must=("no power yet",))
    texts = [sentence.text for sentence in report.run.tokenized.cluster.sentences]
    required = carried(render_page([report]))["required"]
    assert [texts[i] for i in required] == ["The town of Ferrow has no power yet."]


def test_a_page_tries_as_many_exchanges_as_the_c_code() -> None:
    few = {name: int(number) for name, number in DEFINED.items() if name.startswith("FEW_")}
    assert carried(render_page([made_of_news()]))["few"] == few
    script = (ROOT / "summc" / "report" / "search.js").read_text()
    assert set(re.findall(r"\bFEW_\w+", script)) == set(few) == {"FEW_FIRSTS", "FEW_SECONDS", "FEW_MEMBERS"}


def test_a_large_page_has_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    report = made_of_news()
    assert "to pin it to the summary or ban it" in render_page([report])
    monkeypatch.setattr("summc.report.html.MOST_PROBLEM", 100)
    for large in ([report], [report, report]):
        page = render_page(large)
        assert "This page is too large to pin or ban sentences" in page
        assert "problems" not in carried(page)
        assert 'class="choice own"' not in page


# Budgets


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (100, [25, 50, 75, 100, 150, 200]),
        (3, [1, 2, 2, 3, 4, 6]),
        (2.5, [1, 1, 2, 2.5, 4, 5]),
        (1, [1, 1, 1, 1, 2, 2]),
    ],
)
def test_budgets_around_the_given_one_are_offered(budget: float, expected: list[float]) -> None:
    assert budgets_around(budget) == expected


def test_budgets_that_change_nothing_are_left_out() -> None:
    report = made_of(["The dam broke.", "Water rose."], budget=40)
    assert [choice.summary.selection.budget for choice in report.explanations] == [40]
    assert "range" not in render_page([report])
    (run,) = (choice.run for choice in report.explanations)
    covered = run.summary.selection.covered_weight
    loose = dataclasses.replace(run.summary.selection, bound=covered / 0.99996)
    summary = dataclasses.replace(run.summary, selection=loose)
    page = render_page([report_of(dataclasses.replace(run, summary=summary), ())])
    assert "Proven to be 99.9% or more" in page  # rounded down
    short = made_of(["The dam broke at dawn.", "Water rose."], budget=4, weighting="position")
    assert [choice.summary.selection.budget for choice in short.explanations] == [4, 8]


@pytest.mark.parametrize("budgets", ["10%,60", "100,5", "3s,5s", "300c,600c"])
def test_each_given_budget_gives_the_same_summary_as_alone(summc: Cli, dam: Path, budgets: str) -> None:
    each = ("summarize", "--selector=g-greedy", "--least-words=8", min(dam.iterdir()), "-k", budgets)
    alone = json.loads(summc(*each, "--format", "json").out)
    data = carried(summc(*each, "--format", "html").out)
    rising = sorted(alone, key=lambda summary: summary["budget"])
    assert [choice["budget"] for choice in data["choices"]] == [summary["budget"] for summary in rising]
    assert data["asked"] == rising.index(alone[0])
    (cluster,) = load([min(dam.iterdir())])
    texts = [sentence.text for sentence in preprocess(cluster, Config()).cluster.sentences]
    for choice, summary in zip(data["choices"], rising, strict=True):
        assert [texts[i] for i in choice["chosen"]] == summary["text"].splitlines()
        # All sentences are candidates only if no regular candidate fits.
        everything = (summary["budget"], summary["unit"]) == (5, "words")
        assert (len(choice["candidates"]) > 0.9 * len(texts)) == everything


def test_every_output_says_that_a_sentence_was_cut(summc: Cli, dam: Path) -> None:
    by_coverage = ("--selector", "g-greedy", "--weighting", "position", "--reading", "0", "--least-words", 8)
    flags = (*by_coverage, "--fill", "truncate", "--labels", "never", dam, "-k")
    summary = json.loads(summc("summarize", *flags, 40, "--explain", "--format", "json").out)
    *whole, cut = summary["text"].splitlines()
    assert summary["explanation"]["cut"]["text"] == cut == "Bettina Aldous left Pell Crossing with"
    assert len(summary["explanation"]["sentences"]) == len(whole) == 1
    told = (
        f" 2  {cut}\n    EQW20320310.0202, sentence 1 of 18,"
        " cut to 6 words, to fill the budget; it counts for no weight\n"
    )
    assert told in summc("explain", *flags, 40).out
    page = summc("summarize", *flags, "40,60", "--format", "html").out
    assert re.search(f'<a class="cut" href="#c1-s[0-9]+">{cut}</a>', page)
    assert '<p class="rest">40 of 40 words. ' in page
    assert '"told":"40 words: 2 sentences, ' in page


def test_function_words_are_neither_listed_nor_marked(summc: Cli, dam: Path) -> None:
    flags = ("--weighting", "expected", "--selector", "g-greedy", dam, "-k", "20,30", "--format", "html")
    page = summc("summarize", *flags).out
    # A page has a forecast only if the command has one.
    assert page.count('class="forecast"') == 2
    assert 'class="forecast"' not in summc("summarize", *flags, "--boost", "dam=2").out
    data = carried(page)
    names = {data["words"][a][0].lower() for a in data["function"]}
    assert {"the", "of", "of the"} <= names
    assert not {"dam", "the dam", "tarn"} & names
    marked = set(re.findall('class="w" data-w="([0-9]+)"', page))
    assert len(marked) > 100
    assert marked.isdisjoint(map(str, data["function"]))
    lists = " ".join(re.findall("<dt>Lost without it</dt><dd>(.*?)</dd>", page))
    assert "<bdi" in lists
    assert not names & {word.lower() for word in re.findall("<bdi[^>]*>(.*?)</bdi>", lists)}


# Parts of the page


def test_the_page_shows_paragraphs_and_page_numbers() -> None:
    sentences = (
        Sentence(0, 0, "The dam broke.", 3, paragraph=0, page=1),
        Sentence(0, 1, "Water rose.", 2, paragraph=0, page=1),
        Sentence(0, 2, "People fled the town.", 4, paragraph=1, page=2),
    )
    cluster = Cluster("c", (Document("a.pdf", sentences),))
    page = render_page([report_for(cluster, (), budget=4, selector="greedy")])
    assert page.count("<p><span") + page.count("<p><a") == 2
    assert "page 2, sentence 3 of 3, 4 words" in page


# Several budgets in one run


def test_each_budget_gives_the_same_summary_as_alone(summc: Cli, tmp_path: Path) -> None:
    two = write_lines(tmp_path / "two.jsonl")
    quick = ("summarize", two, "--selector", "g-greedy", "--format", "json")
    alone = [json.loads(summc(*quick, "-k", k).out) for k in (30, 60)]
    together = summc(*quick, "-v", "-k", "30,60")
    assert json.loads(together.out) == [alone[b][c] for c in range(2) for b in range(2)]
    told = re.findall("^(d9000.t): [0-9]+ of ([0-9]+) words", together.err, re.MULTILINE)
    assert told == [("d90001t", "30"), ("d90001t", "60"), ("d90002t", "30"), ("d90002t", "60")]
