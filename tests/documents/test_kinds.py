"""The kind of each sentence, which is given when a document is read."""

from __future__ import annotations

import dataclasses

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from summc.documents.kinds import with_kinds
from summc.documents.raw import RawDocument, paragraph_blocks
from summc.documents.sentences import make_document
from summc.documents.sources import cluster_of_texts
from summc.records import KIND_RULES, KINDS, PROSE
from tests.support.cases import read_cases

CASES = read_cases("documents/cases/kinds.toml")
MARKER = regex.compile(r"[-*\u2022]|\(?\p{L}{1,5}\)|\d{1,3}[.)]")


@pytest.mark.parametrize("name", CASES["texts"])
def test_kinds(name: str) -> None:
    text, kinds = CASES["texts"][name]
    sentences = cluster_of_texts([text.lstrip("\n")]).sentences
    assert list(zip(kinds, (s.text for s in sentences), strict=True)) == [(s.kind, s.text) for s in sentences]


def test_the_table_has_every_kind_outside_papers() -> None:
    shown = {kind for _, kinds in CASES["texts"].values() for kind in kinds}
    assert shown >= {kind for kind, (rule, _) in KINDS.items() if rule != "apparatus"} - {
        "abstract", "introduction", "conclusion",
    }  # fmt: skip
    assert set(KIND_RULES) == {kind.rule for kind in KINDS.values()}


lines = st.lists(st.sampled_from(CASES["lines"]), min_size=1, max_size=4).map(" ".join)
marked = st.builds(
    "{}{}".format, st.sampled_from(["", "", "- ", "* ", "\u2022", "1. ", "2) ", "(a) "]), lines
)


@given(st.lists(marked, max_size=8), st.sampled_from(["en", "de", "sw"]))
def test_each_sentence_has_one_known_kind_and_no_word_is_lost(paragraphs: list[str], language: str) -> None:
    sentences = make_document(RawDocument("a", paragraph_blocks(paragraphs), "a"), 0, language).sentences
    assert {sentence.kind for sentence in sentences} <= {PROSE, *KINDS}
    for number, paragraph in enumerate(paragraphs):
        said = "".join(s.text for s in sentences if s.paragraph == number)
        inked, kept = "".join(paragraph.split()), "".join(said.split())
        dropped = inked.removesuffix(kept)
        assert dropped + kept == inked
        assert not dropped or MARKER.fullmatch(dropped)
    # Kinds depend on nothing but the sentences, and nothing else of a sentence changes.
    bare = [dataclasses.replace(sentence, kind=PROSE, lead_in=None) for sentence in sentences]
    again = with_kinds(with_kinds(bare, language), language)
    assert again == with_kinds(bare, language)
    assert [dataclasses.replace(sentence, kind=PROSE, lead_in=None) for sentence in again] == bare
