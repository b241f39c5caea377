"""Sections of documents, and apparatus such as references and captions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from summc.config import Config
from summc.datasets import read
from summc.documents.headings import known_kind
from summc.documents.sentences import make_document
from summc.documents.sources import cluster_of_texts, load
from summc.method import preprocess
from summc.records import KINDS, Document
from tests.conftest import ROOT, SAMPLE, Cli
from tests.preprocess import CASES
from tests.support.depth import every_second
from tests.support.papers import ABSTRACT, PAPER
from tests.support.readers import paged_document

SHARED = ROOT.parent / "shared" / "data"


def document_of(text: str) -> Document:
    return cluster_of_texts([text]).documents[0]


def left_out(text: str) -> dict[str, str]:
    """Return the sentences of a text that are apparatus, each with the reason."""
    kinds = {s.text: KINDS[s.kind] for s in document_of(text).sentences if s.kind in KINDS}
    return {said: kind.reason for said, kind in kinds.items() if kind.rule == "apparatus"}


def headings_of(document: Document) -> list[tuple[str, str]]:
    """Return the heading of each section and its kind, both "" if it has none."""
    return [(document.sentences[each.start].text * bool(each.kind), each.kind) for each in document.sections]


@pytest.mark.parametrize(("kind", "headings"), CASES["headings"].items())
def test_known_headings_are_recognised(kind: str, headings: list[str]) -> None:
    expected = "" if kind == "other" else kind
    assert {heading: known_kind(heading) for heading in headings} == dict.fromkeys(headings, expected)


def test_sections_begin_at_their_headings() -> None:
    document = document_of(PAPER)
    sections = document.sections
    assert headings_of(document) == [
        ("", ""),
        ("Abstract", "abstract"),
        ("1 Introduction", "introduction"),
        ("2 Method", "heading"),
        ("3 Conclusion", "conclusion"),
    ]
    assert [section.start for section in sections[1:]] == [section.end for section in sections[:-1]]
    assert (sections[0].start, sections[-1].end) == (0, len(document.sentences))
    assert Document("empty", ()).sections == []


@pytest.mark.parametrize(("text", "titles"), CASES["section_titles"])
def test_headings_have_text_below(text: str, titles: list[str]) -> None:
    assert [heading for heading, _ in headings_of(document_of(text))] == titles


def test_known_headings_between_wrapped_lines_are_found() -> None:
    lines = [line for line in PAPER.splitlines() if line]  # as many programs export the text of a PDF
    document = document_of("\n".join(lines))
    kinds = [section.kind for section in document.sections if section.kind]
    assert kinds == ["abstract", "introduction", "conclusion"]
    assert {"bibliography", "back matter"} <= {sentence.kind for sentence in document.sentences}


@pytest.mark.parametrize("mark", [". ", ": ", "\u2014", " - "])
def test_the_word_abstract_is_not_part_of_the_abstract(mark: str) -> None:
    document = document_of(PAPER.replace("Abstract\n\n", f"Abstract{mark}"))
    first = next(i for i, sentence in enumerate(document.sentences) if sentence.text.startswith("Abstract"))
    assert document.sentences[first + 1].text.startswith("We present a method")
    assert document.sections[1].kind == "abstract"


@pytest.mark.parametrize(("words", "reason"), CASES["apparatus"])
def test_the_apparatus_of_a_paper_is_recognised(words: str, reason: str) -> None:
    found = {why for text, why in left_out(PAPER).items() if words in text}
    assert found == {reason}


@pytest.mark.parametrize(("old", "new", "start", "is_left_out"), CASES["changed_papers"])
def test_only_apparatus_is_left_out(old: str, new: str, start: str, is_left_out: bool) -> None:
    text = f"{PAPER}<end>".replace(old, new).replace("<end>", "")
    assert any(each.startswith(start) for each in left_out(text)) == is_left_out


def test_a_footnote_is_recognised_on_a_page() -> None:
    note = "1 The gauge was lent to us by the province."
    paragraphs = PAPER.replace("3 Conclusion", f"{note}\n\n3 Conclusion").split("\n\n")
    for pages, kind in ([((0, 1),)] * len(paragraphs), "footnote"), ([], "prose"):
        document = make_document(paged_document(paragraphs, pages), 0, "en")
        assert {sentence.text: sentence.kind for sentence in document.sentences}[note] == kind


def test_a_bibliography_without_a_heading_is_found() -> None:
    text = PAPER.replace("References\n\n", "").replace("Acknowledgements\n\n", "")
    text = re.sub(r"(Quill, A. 2011.) (.*?\.)", r"\2 \1", text)
    more = "".join(
        f"\n\nMarsh, P. 200{year}. Rivers that rise in the {year}th month of a wet year. "
        f"Water Letters, {year}(1):1-9."
        for year in range(1, 7)
    )
    found = left_out(text + more)
    assert found["Rivers that rise in the 3th month of a wet year."] == "it belongs to a bibliography"
    assert "The price of a gauge on a small river." in found


@pytest.mark.parametrize("text", CASES["news"])
def test_news_has_no_apparatus(text: str) -> None:
    assert left_out(f"Flood at Pell Crossing\n\n{text}\n\nThe dam above the town broke on Monday.") == {}


def test_the_apparatus_rule_does_not_change_news() -> None:
    kept = tuple(rule for rule in Config().candidates.leave_out if rule != "apparatus")
    clusters = list(load([SAMPLE]))
    if (SHARED / "multiling2011").is_dir():
        clusters += read("multiling2011", [SHARED])
    for cluster in every_second(clusters):
        assert preprocess(cluster, Config()) == preprocess(
            cluster, Config().with_settings({"leave_out": kept})
        )


def test_apparatus_does_not_count() -> None:
    tokenized = preprocess(cluster_of_texts([PAPER]), Config())
    for i, sentence in enumerate(tokenized.cluster.sentences):
        if "The price of a gauge" in sentence.text:
            assert tokenized.tokens[i] == ()
            assert i not in (tokenized.candidates or ())
            assert i not in (tokenized.whole or ())
    entries = (f"Marsh, P. 200{i}. Rivers rise in a wet year. Water Letters, {i}(1):1-9." for i in range(9))
    only = "\n\n".join(["References", *entries])
    assert preprocess(cluster_of_texts([only]), Config()).candidates != ()  # nothing else could be chosen


def test_apparatus_is_chosen_only_if_it_is_required(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text(PAPER, encoding="utf-8")
    said = summc("summarize", path, "-k", "120").out
    assert "microphone" in said
    for words in ("Journal", "Proceedings", "grateful", "Figure 1", "Table 2", "@", "thesis", "h t ="):
        assert words not in said
    assert ABSTRACT.split(". ")[0] in said
    fish = "The children of the village counted fish"
    why_not = " ".join(summc("explain", path, "--why-not", fish).out.split())
    assert "it stands among thanks, keywords, contents or notes" in why_not
    assert fish in summc("summarize", path, "-k", "60", "--must", fish).out


def kind_in(text: str, sentence: str) -> str:
    """Return the kind of a sentence of a text."""
    (kind,) = (s.kind for s in document_of(text).sentences if s.text == sentence)
    return kind


@pytest.mark.parametrize(("sentence", "kind", "elsewhere"), CASES["pointers"])
def test_a_paper_may_refer_to_itself_but_not_to_its_parts(sentence: str, kind: str, elsewhere: str) -> None:
    assert kind_in(PAPER.replace("2 Method\n\n", f"2 Method\n\n{sentence} "), sentence) == kind
    news = f"The dam above the town of Pell Crossing broke early on Monday. {sentence}"
    assert kind_in(news, sentence) == elsewhere


def test_an_abstract_may_point_back_to_itself() -> None:
    sentence = "It also tells when the river will fall again after a flood."
    assert kind_in(PAPER.replace(ABSTRACT, f"{ABSTRACT} {sentence}"), sentence) == "prose"
