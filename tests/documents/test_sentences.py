"""Sentences and words of a text, and the pages they begin on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc import load
from summc.documents.paragraphs import paragraphs
from summc.documents.raw import PageStarts, RawDocument, paragraph_blocks
from summc.documents.sentences import make_document, split_sentences
from summc.text.numbers import count_words
from tests.conftest import Cli
from tests.support.cases import read_cases
from tests.support.readers import paged_document

CASES = read_cases("documents/cases/sentences.toml")


@pytest.mark.parametrize(("language", "paragraph", "expected"), CASES["sentences"])
def test_text_is_split_into_sentences(language: str, paragraph: str, expected: int) -> None:
    assert len(split_sentences(paragraph, language)) == expected


@pytest.mark.parametrize(("language", "marked"), CASES["divided"])
def test_initials_titles_and_list_markers_end_no_sentence(language: str, marked: str) -> None:
    sentences = [sentence.strip() for sentence in marked.split("|")]
    joined = ("" if language in ("ja", "zh") else " ").join(sentences)
    assert split_sentences(joined, language) == sentences


def test_an_untranslated_paragraph_is_split_by_its_own_language() -> None:
    german = "Der Damm brach am 7. Juli und das Wasser stieg in der Nacht. Niemand wurde verletzt, z. B. weil die Leute in der Stadt schon am 5. Juli gewarnt waren."  # noqa: E501
    assert len(german) >= 150
    assert split_sentences(german, "en") == split_sentences(german, "de")
    assert len(split_sentences(german, "de")) == 2


def test_a_sentence_ends_after_a_title_or_a_quotation() -> None:
    assert split_sentences("M. Dupont est là. Il mange.", "fr") == ["M. Dupont est là.", "Il mange."]
    said = "Je n'ai rien à voler.\" a déclaré un habitant."
    assert split_sentences(f"{said} Il pleut.", "fr") == [said, "Il pleut."]


OUTPUT = """\
pump.c: The valve is never
closed. It leaks.

Abstract. The gate   stays open
-----
- one warning
"""


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("lines", ["pump.c: The valve is never", "closed. It leaks.", "Abstract. The gate stays open",
                   "one warning"]),
        ("paragraphs", ["pump.c: The valve is never closed. It leaks.", "Abstract. The gate stays open",
                        "one warning"]),
        ("sentences", ["pump.c: The valve is never closed.", "It leaks.", "Abstract.", "The gate stays open",
                       "one warning"]),
    ],
)  # fmt: skip
def test_a_text_is_split_as_the_user_says(split: str, expected: list[str], tmp_path: Path) -> None:
    (file := tmp_path / "output.txt").write_text(OUTPUT)
    for source in (OUTPUT, file):
        [cluster] = load(source, {"split": split})
        assert [sentence.text for sentence in cluster.sentences] == expected
        assert ({sentence.kind for sentence in cluster.sentences} == {"line"}) == (split == "lines")


def test_all_commands_split_alike(summc: Cli, tmp_path: Path) -> None:
    (file := tmp_path / "output.txt").write_text(OUTPUT)
    (config := tmp_path / "lines.toml").write_text('[load]\nsplit = "lines"\n')
    whole = summc("summarize", file, "--split", "lines", "-k", "9", "--format", "jsonl").out
    assert "|split:lines|" in whole
    assert "splitter:" not in whole
    line = summc("load", "--config", config, file).out
    for stage in ("preprocess", "weigh", "graph", "select"):
        line = summc(stage, *["-k", "9"][: 2 * (stage != "preprocess")], stdin=line).out
    assert summc("render", "--format", "jsonl", stdin=line).out == whole
    (clusters := tmp_path / "one.jsonl").write_text(
        json.dumps({"documents": [{"id": file.name, "text": OUTPUT}]})
    )
    assert summc("batch", clusters, "--split", "lines", "-k", "9", "-o", tmp_path / "out").code == 0
    line = (tmp_path / "out" / "part-00000.jsonl").read_text()
    assert json.loads(line)["sentences"] == json.loads(whole)["sentences"]


def test_formats_without_lines_are_split_into_their_paragraphs() -> None:
    turns = ["Anna: It rained. It poured.", "Ben: The dam held.", "Anna: Good. Very good."]
    [cluster] = load("\n\n".join(turns), {"split": "lines"})
    assert [sentence.text for sentence in cluster.sentences] == turns


def test_a_sentence_knows_its_paragraph_and_the_page_it_begins_on() -> None:
    body = ["A heading", "* * *", "* It rained. It poured\non and on. It stopped."]
    pages: list[PageStarts] = [((0, 1),), ((0, 1),), ((0, 1), (18, 2), (26, 4))]
    document = make_document(paged_document(body, pages), 0, "en")
    found = [(s.text, s.position, s.paragraph, s.page) for s in document.sentences]
    assert found == [
        ("A heading", 0, 0, 1),
        ("It rained.", 1, 2, 1),
        ("It poured\non and on.", 2, 2, 1),
        ("It stopped.", 3, 2, 4),
    ]
    assert {
        s.page for s in make_document(RawDocument("a", paragraph_blocks(body), "a"), 0, "en").sentences
    } == {None}


def test_a_paragraph_may_run_over_very_many_pages() -> None:
    starts = tuple((5 * i, i + 1) for i in range(2_000))
    document = make_document(paged_document(["Go on. " * 2_000], [starts]), 0, "en")
    assert [sentence.page for sentence in document.sentences] == [i + 1 for i in range(2_000)]


@pytest.mark.parametrize(("paragraph", "sentence", "words"), CASES["bullets"])
def test_a_bullet_is_neither_printed_nor_counted(paragraph: str, sentence: str, words: int) -> None:
    pages: list[PageStarts] = [((0, 1), (len("".join(paragraph.split())), 2))]
    (found,) = make_document(paged_document([paragraph], pages), 0, "en").sentences
    assert (found.text, found.words, found.page) == (sentence, words, 1)


def test_control_characters_do_not_reach_the_summary() -> None:
    assert paragraphs("red \x1b[31mdam\x07 and\u200bwall") == ["red [31mdam and wall"]


@given(paragraph=st.text(max_size=60), language=st.sampled_from(["en", "fr", "zh"]))
def test_splitting_loses_only_white_space(paragraph: str, language: str) -> None:
    folded = " ".join(paragraph.split())
    sentences = split_sentences(folded, language)
    if sentences:
        assert "".join("".join(sentences).split()) == "".join(folded.split())
    else:
        assert not any(character.isalnum() for character in folded)


@pytest.mark.parametrize(("text", "count"), CASES["words"])
def test_words_are_counted_as_a_reader_counts(text: str, count: int) -> None:
    assert count_words(text) == count


@given(text=st.text(max_size=100))
def test_the_word_count_is_never_below_that_of_split(text: str) -> None:
    assert count_words(text) >= len(text.split())
