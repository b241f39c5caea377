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
from tests.support.depth import every_second
from tests.support.papers import ABSTRACT, PAPER

SHARED = ROOT.parent / "shared" / "data"


def document_of(text: str) -> Document:
    return cluster_of_texts([text]).documents[0]


def left_out(text: str) -> dict[str, str]:
    """Return the sentences of a text that are apparatus, each with the reason."""
    document = document_of(text)
    return {document.sentences[i].text: reason for i, reason in apparatus_of(document).items()}


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("References", "references"),
        ("REFERENCES", "references"),
        ("7. References", "references"),
        ("VII. REFERENCES", "references"),
        ("R E F E R E N C E S", "references"),
        ("R EFERENCES", "references"),
        ("References:", "references"),
        ("Notes and References", "references"),
        ("Bibliography", "references"),
        ("Literaturverzeichnis", "references"),
        ("Références", "references"),
        ("Réferences", "references"),
        ("Список литературы", "references"),
        ("参考文献", "references"),
        ("Acknowledgments", "back-matter"),
        ("8 Acknowledgements", "back-matter"),
        ("Appendix A: Proofs", "back-matter"),
        ("Appendix", "back-matter"),
        ("Danksagung", "back-matter"),
        ("Conflict of Interest", "back-matter"),
        ("Author's contributions", "back-matter"),
        ("Author\u2019s Contributions", "back-matter"),
        ("Abstract", "abstract"),
        ("A B S T R A C T", "abstract"),
        ("1 Introduction", "introduction"),
        ("5 Conclusion", "conclusion"),
        ("Discussion and Conclusions", "conclusion"),
        ("Conclusions and Future Work.", "conclusion"),
        ("Keywords", "keywords"),
        ("Related Work", ""),
        ("Literature Review", ""),
        ("Reference Resolution", ""),
        ("references to the dam were removed", ""),
        ("Pronouns and References in Dialogue", ""),
        ("", ""),
        ("...", ""),
    ],
)
def test_known_headings_are_recognised(heading: str, kind: str) -> None:
    assert known_kind(heading) == kind


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


def test_a_heading_may_be_on_the_same_line_as_its_text() -> None:
    text = "The river rose by a metre in one night. Conclusion. Villages need a warning that they can afford."
    assert [section.kind for section in sections_of(document_of(text))] == ["", "conclusion"]


def test_known_headings_between_wrapped_lines_are_found() -> None:
    lines = [line for line in PAPER.splitlines() if line]  # as many programs export the text of a PDF
    document = document_of("\n".join(lines))
    kinds = [section.kind for section in sections_of(document) if section.kind]
    assert kinds == ["abstract", "introduction", "conclusion", "back-matter", "references"]
    assert "it stands in the bibliography" in apparatus_of(document).values()


def test_a_line_that_continues_below_is_not_a_heading() -> None:
    text = (
        "The river rose.\n\nThe figures for the winter are\n\nThe river rose by a metre in one night again."
    )
    assert [section.title for section in sections_of(document_of(text))] == [""]


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


def test_a_short_paragraph_without_text_below_is_not_a_heading() -> None:
    text = "The river rose by a metre in one night.\n\nOstrey 12 m\n\nMedrin 9 m\n\nLannick"
    assert [section.title for section in sections_of(document_of(text))] == [""]


def test_a_document_without_sentences_has_no_sections() -> None:
    assert sections_of(Document("empty", ())) == ()
    assert apparatus_of(Document("empty", ())) == {}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("{quill,berend}@hydro", "it stands above the abstract"),
        ("under the bridge of Pell Crossing, seen", "it is the caption of a figure or table"),
        ("h t = w 0", "it is mostly figures and symbols, as tables and formulas are"),
        ("Table 2: Mean error", "it is the caption of a figure or table"),
        ("Ostrey 12.4 9.1", "it is mostly figures and symbols, as tables and formulas are"),
        ("The children of the village", 'it stands under "Acknowledgements"'),
        ("The price of a gauge", "it stands in the bibliography"),
        ("In Proceedings of the Third", "it stands in the bibliography"),
        ("Microphones and how to keep them dry", "it stands in the bibliography"),
    ],
)
def test_the_apparatus_of_a_paper_is_recognised(words: str, reason: str) -> None:
    found = {why for text, why in left_out(PAPER).items() if words in text}
    assert found == {reason}


def test_the_text_of_a_paper_is_kept() -> None:
    found = left_out(PAPER)
    for text in (
        "On eleven rivers",
        "A gauge costs more",
        "A linear model",
        "Sound alone",
        "The authors of this",
    ):
        assert not any(each.startswith(text) for each in found)


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


@pytest.mark.parametrize(
    "text",
    [
        "The mayor said that the references to the dam were removed from the report in 2011.",
        "Write to help@pell.example if the water has reached your house or garden.",
        "Pell beat Medrin 3-2, 4-1, 5-0 and 2-2 in the four games of the winter.",
        "The council bought Vol. 3 of the chronicle for the library last week.",
    ],
)
def test_news_has_no_apparatus(text: str) -> None:
    assert left_out(f"Flood at Pell Crossing\n\n{text}\n\nThe dam above the town broke on Monday.") == {}


def without_apparatus() -> Config:
    kept = tuple(rule for rule in Config().candidates.leave_out if rule != "apparatus")
    return Config().with_settings({"leave_out": kept})


def test_the_apparatus_rule_does_not_change_multiling() -> None:
    if not (SHARED / "multiling2011").is_dir():
        pytest.skip("the MultiLing texts are not there")
    clusters = list(read("multiling2011", [SHARED]))
    assert len(clusters) == 10
    for cluster in every_second(clusters):
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


def test_a_summary_of_a_paper_contains_no_apparatus(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text(PAPER, encoding="utf-8")
    said = summc("summarize", str(path), "-k", "120").out
    assert "microphone" in said
    for words in ("Journal", "Proceedings", "grateful", "Figure 1", "Table 2", "@", "thesis", "h t ="):
        assert words not in said
    assert ABSTRACT.split(". ")[0] in said


def test_explain_says_why_apparatus_is_left_out(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text(PAPER, encoding="utf-8")
    said = summc("explain", str(path), "--why-not", "The children of the village counted fish").out
    assert 'it stands under "Acknowledgements"' in " ".join(said.split())


def test_apparatus_can_be_required(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text(PAPER, encoding="utf-8")
    said = summc("summarize", str(path), "-k", "60", "--must", "The children of the village counted fish").out
    assert "The children of the village" in said


def test_an_abstract_may_point_back_to_itself() -> None:
    sentence = "It also tells when the river will fall again after a flood."
    paper = tokenize(cluster_of_texts([PAPER.replace(ABSTRACT, f"{ABSTRACT} {sentence}")]), Config())
    (index,) = (i for i, s in enumerate(paper.cluster.sentences) if s.text == sentence)
    assert index in (paper.candidates or ())


@pytest.mark.parametrize(
    "sentence",
    [
        "Figure 3 shows how the error of the gauge grows over the winter.",
        "The rivers of the study are listed in Table 2 with their lengths.",
        "The rest of this paper is about the sound of small rivers.",
        "The height of the water is computed from the sound as follows.",
    ],
)
def test_a_sentence_that_points_to_another_part_of_a_paper_is_left_out(sentence: str) -> None:
    cluster = cluster_of_texts([PAPER.replace("2 Method\n\n", f"2 Method\n\n{sentence} ")])
    paper = tokenize(cluster, Config())
    (index,) = (i for i, s in enumerate(paper.cluster.sentences) if s.text == sentence)
    assert Config().candidates.reason(paper, index) == "it points to another part of the paper"


def test_the_apparatus_rule_does_not_change_the_sample() -> None:
    for cluster in load([SAMPLE]):
        assert tokenize(cluster, Config()) == tokenize(cluster, without_apparatus())


@pytest.mark.parametrize(
    ("sentence", "chosen"),
    [
        ("We present a method that tells how high a small river stands.", True),
        ("This paper tells how high a small river stands by its sound.", True),
        ("We also tried a camera that was carried away by the river.", False),
        ("This camera was carried away by the river in the first winter.", False),
        ("We tested it on eleven rivers in the hills above the town.", False),
    ],
)
def test_a_paper_may_refer_to_itself(sentence: str, chosen: bool) -> None:
    paper = tokenize(cluster_of_texts([PAPER.replace("2 Method\n\n", f"2 Method\n\n{sentence} ")]), Config())
    news = tokenize(
        cluster_of_texts([f"The dam above the town of Pell Crossing broke. {sentence}"]), Config()
    )
    for tokenized, may_be in ((paper, chosen), (news, False)):
        (index,) = (i for i, s in enumerate(tokenized.cluster.sentences) if s.text == sentence)
        assert (index in (tokenized.candidates or ())) is may_be
