"""Sections of documents, and apparatus such as references and captions."""

from __future__ import annotations

from pathlib import Path

import pytest

from summc.documents import cluster_of_texts, load
from summc.documents.catalogue import read
from summc.method import tokenize
from summc.records import Document
from summc.settings.config import Config
from summc.text.papers import apparatus_of
from summc.text.structure import known_kind, sections_of
from tests.conftest import ROOT, SAMPLE, Cli
from tests.preprocess import CASES
from tests.support.depth import every_second
from tests.support.papers import ABSTRACT, PAPER

SHARED = ROOT.parent / "shared" / "data"


def document_of(text: str) -> Document:
    return cluster_of_texts([text]).documents[0]


def left_out(text: str) -> dict[str, str]:
    """Return the sentences of a text that are apparatus, each with the reason."""
    document = document_of(text)
    return {document.sentences[i].text: reason for i, reason in apparatus_of(document).items()}


@pytest.mark.parametrize(("kind", "headings"), CASES["headings"].items())
def test_known_headings_are_recognised(kind: str, headings: list[str]) -> None:
    expected = "" if kind == "other" else kind
    assert {heading: known_kind(heading) for heading in headings} == dict.fromkeys(headings, expected)


def test_sections_begin_at_their_headings() -> None:
    document = document_of(PAPER)
    sections = sections_of(document)
    assert [(section.title, section.kind) for section in sections if section.title] == [
        ("Abstract", "abstract"),
        ("1 Introduction", "introduction"),
        ("2 Method", ""),
        ("3 Conclusion", "conclusion"),
        ("Acknowledgements", "back-matter"),
        ("References", "references"),
    ]
    assert [section.start for section in sections[1:]] == [section.end for section in sections[:-1]]
    assert (sections[0].start, sections[-1].end) == (0, len(document.sentences))


@pytest.mark.parametrize(("text", "titles"), CASES["section_titles"])
def test_headings_have_text_below(text: str, titles: list[str]) -> None:
    assert [section.title for section in sections_of(document_of(text))] == titles


def test_known_headings_between_wrapped_lines_are_found() -> None:
    lines = [line for line in PAPER.splitlines() if line]  # as many programs export the text of a PDF
    document = document_of("\n".join(lines))
    kinds = [section.kind for section in sections_of(document) if section.kind]
    assert kinds == ["abstract", "introduction", "conclusion", "back-matter", "references"]
    assert "it stands in the bibliography" in apparatus_of(document).values()


@pytest.mark.parametrize("mark", [". ", ": ", "\u2014", " - "])
def test_the_word_abstract_is_not_part_of_the_abstract(mark: str) -> None:
    document = document_of(PAPER.replace("Abstract\n\n", f"Abstract{mark}"))
    first = next(i for i, sentence in enumerate(document.sentences) if sentence.text.startswith("Abstract"))
    assert document.sentences[first + 1].text.startswith("We present a method")
    assert [section.kind for section in sections_of(document)][1] == "abstract"


def test_text_below_the_keywords_is_kept() -> None:
    text = PAPER.replace("1 Introduction\n\n", "Keywords\n\nrivers, floods, microphones, sound\n\n")
    assert not any(each.startswith("Floods on small rivers") for each in left_out(text))


def test_acknowledgements_on_one_line_with_their_heading_are_left_out() -> None:
    found = left_out(PAPER.replace("Acknowledgements\n\n", "Acknowledgements. "))
    assert any(text.startswith("The children of the village") for text in found)


def test_a_document_without_sentences_has_no_sections() -> None:
    assert sections_of(Document("empty", ())) == ()
    assert apparatus_of(Document("empty", ())) == {}


@pytest.mark.parametrize(("words", "reason"), CASES["apparatus"])
def test_the_apparatus_of_a_paper_is_recognised(words: str, reason: str) -> None:
    found = {why for text, why in left_out(PAPER).items() if words in text}
    assert found == {reason}


def test_the_sentence_after_a_label_is_a_caption_even_in_a_long_paragraph() -> None:
    rest = " ".join(
        f"The gauge at {name} was read by hand." for name in ("Pell", "Medrin", "Ostrey", "Lannick")
    )
    captions = left_out(
        PAPER.replace("2 Method\n\n", f"2 Method\n\nTable 3. Rivers rise at night. {rest}\n\n")
    )
    assert captions["Rivers rise at night."] == "it is the caption of a figure or table"
    assert "The gauge at Medrin was read by hand." not in captions


def test_the_text_of_a_paper_is_kept() -> None:
    starts = (
        "On eleven rivers",
        "A gauge costs more",
        "A linear model",
        "Sound alone",
        "The authors of this",
    )
    assert not any(each.startswith(starts) for each in left_out(PAPER))


def test_a_bibliography_without_a_heading_is_found() -> None:
    text = PAPER.replace("References\n\n", "").replace("Acknowledgements\n\n", "")
    more = "".join(
        f"\n\nMarsh, P. 200{year}. Rivers that rise in the {year}th month of a wet year. "
        f"Water Letters, {year}(1):1-9."
        for year in range(1, 7)
    )
    found = left_out(text + more)
    assert found["Rivers that rise in the 3th month of a wet year."] == "it stands in the bibliography"
    assert "The price of a gauge on a small river." in found


def test_a_section_after_a_bibliography_is_kept() -> None:
    more = (
        "\n\nLessons for Villages\n\nA village should hang two microphones under its bridge. "
        "One of them will fail in the first winter after that. "
        "The other will tell the height of the river until spring comes."
    )
    assert not any(text.startswith("A village should") for text in left_out(PAPER + more))


@pytest.mark.parametrize("text", CASES["news"])
def test_news_has_no_apparatus(text: str) -> None:
    assert left_out(f"Flood at Pell Crossing\n\n{text}\n\nThe dam above the town broke on Monday.") == {}


def without_apparatus() -> Config:
    kept = tuple(rule for rule in Config().candidates.leave_out if rule != "apparatus")
    return Config().with_settings({"leave_out": kept})


def test_the_apparatus_rule_does_not_change_news() -> None:
    clusters = list(load([SAMPLE]))
    if (SHARED / "multiling2011").is_dir():
        clusters += every_second(read("multiling2011", [SHARED]))
    for cluster in clusters:
        assert tokenize(cluster, Config()) == tokenize(cluster, without_apparatus())


def test_apparatus_does_not_count() -> None:
    tokenized = tokenize(cluster_of_texts([PAPER]), Config())
    for i, sentence in enumerate(tokenized.cluster.sentences):
        if "The price of a gauge" in sentence.text:
            assert tokenized.tokens[i] == ()
            assert i not in (tokenized.candidates or ())
            assert i not in (tokenized.whole or ())


def test_a_document_of_only_references_is_still_summarized() -> None:
    text = "\n\n".join(
        f"Marsh, P. 200{i}. Rivers that rise in a wet year. Water Letters, {i}(1):1-9." for i in range(9)
    )
    assert tokenize(cluster_of_texts([f"References\n\n{text}"]), Config()).candidates != ()


def test_apparatus_is_chosen_only_if_it_is_required(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text(PAPER, encoding="utf-8")
    said = summc("summarize", path, "-k", "120").out
    assert "microphone" in said
    for words in ("Journal", "Proceedings", "grateful", "Figure 1", "Table 2", "@", "thesis", "h t ="):
        assert words not in said
    assert ABSTRACT.split(". ")[0] in said
    fish = "The children of the village counted fish"
    assert 'it stands under "Acknowledgements"' in " ".join(
        summc("explain", path, "--why-not", fish).out.split()
    )
    assert fish in summc("summarize", path, "-k", "60", "--must", fish).out


def reason_in(text: str, sentence: str) -> str:
    """Return why a sentence of a text is not a candidate, or ""."""
    made = tokenize(cluster_of_texts([text]), Config())
    (index,) = (i for i, s in enumerate(made.cluster.sentences) if s.text == sentence)
    return Config().candidates.reason(made, index)


ELSEWHERE, BACK = "it points to another part of the paper", "it points back to what was said before"


@pytest.mark.parametrize(("sentence", "reason"), CASES["pointers"])
def test_a_paper_may_refer_to_itself_but_not_to_its_parts(sentence: str, reason: str) -> None:
    assert reason_in(PAPER.replace("2 Method\n\n", f"2 Method\n\n{sentence} "), sentence) == reason
    if reason != ELSEWHERE:
        news = f"The dam above the town of Pell Crossing broke. {sentence}"
        assert reason_in(news, sentence) == BACK


def test_an_abstract_may_point_back_to_itself() -> None:
    sentence = "It also tells when the river will fall again after a flood."
    assert reason_in(PAPER.replace(ABSTRACT, f"{ABSTRACT} {sentence}"), sentence) == ""
