"""A single document: its sections count as documents do in a cluster."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from summc.config import Config
from summc.documents.sources import cluster_of_texts, load
from summc.method import preprocess, summarize
from summc.records import Cluster, Run, TokenizedCluster
from summc.weights.base import Counts, units_of
from tests.conftest import ROOT
from tests.support.long_documents import ESSAY, MINUTES, REPORT
from tests.support.papers import ABSTRACT
from tests.support.writers import xhtml

SHARED = ROOT.parent / "shared" / "data"


def preprocessed(text: str) -> TokenizedCluster:
    return preprocess(cluster_of_texts([text]), Config())


def summary_of(cluster: Cluster, budget: float, preset: str = "default") -> Run:
    (summary,) = summarize([cluster], Config().with_file(preset).with_settings({"budget": budget}))
    assert isinstance(summary, Run)
    return summary


def test_words_of_a_long_document_are_counted_by_section() -> None:
    tokenized = preprocessed(MINUTES)
    units, counts = units_of(tokenized), Counts(tokenized)
    assert (units.name, units.size, counts.size) == ("section", 6, 6)
    by_sentence = {s.text: int(u) for s, u in zip(tokenized.cluster.sentences, units.unit, strict=True)}
    assert by_sentence["Forty books were lost to the rain in February alone."] == 3
    assert by_sentence["Library roof"] == 3
    assert by_sentence["The clerk will send the minutes to every house in the village."] == 5
    often = dict(zip(counts.words, counts.documents.tolist(), strict=True))
    assert (often["council"], often["roof"]) == (6, 1)


def test_a_document_without_headings_is_cut_into_equal_parts() -> None:
    units = units_of(preprocessed(ESSAY))
    assert np.bincount(units.unit).tolist() == [20, 20]
    assert units.rank.tolist() == list(range(40))  # without headings ranks run through the whole document


def test_short_and_several_documents_are_units_themselves() -> None:
    body = " ".join(f"The council met about road {number} in May." for number in range(24))
    assert units_of(preprocessed(body)).name == "section"
    shorter = units_of(preprocessed(body.replace("The council met about road 7 in May.", "")))
    assert (shorter.name, shorter.size) == ("document", 1)
    several = preprocess(cluster_of_texts([MINUTES, REPORT]), Config())
    units = units_of(several)
    assert units.size == 2
    assert units.unit.tolist() == [s.document for s in several.cluster.sentences]
    assert units.rank.tolist() == units.place.tolist()


@pytest.mark.parametrize(("sentences", "size"), [(3, 6), (4, 7)])
def test_a_section_of_fewer_than_four_sentences_is_joined_to_the_one_before(
    sentences: int, size: int
) -> None:
    more = " ".join(f"The council met visitor {number} at the gate." for number in range(sentences))
    text = MINUTES.replace("6. Close", f"6. Visitors\n\n{more}\n\n7. Close")
    assert units_of(preprocessed(text)).size == size


@pytest.mark.parametrize(
    ("before", "ranks"),
    [
        ("", {"The commission was asked": 0, "Four towns with thirty": 1, "The reservoir was built": 1,
              "Pipes under the four": 1, "Most leaks were found": 2, "The commission recommends": 0.5}),
        # An abstract ranks before the sections.
        (f"Abstract\n\n{ABSTRACT}\n\n",
         {"We present a method": 0, "On eleven rivers it halves": 0.6, "The commission was asked": 0.5,
          "The commission recommends": 4, "The reservoir was built": 60}),
    ],
)  # fmt: skip
def test_ranks_depend_on_the_kind_of_section(before: str, ranks: dict[str, float]) -> None:
    tokenized = preprocessed(REPORT.replace("Introduction\n", f"{before}Introduction\n"))
    found = dict(zip((s.text for s in tokenized.cluster.sentences), units_of(tokenized).rank, strict=True))
    for start, rank in ranks.items():
        assert [r for text, r in found.items() if text.startswith(start)] == pytest.approx([rank])


@pytest.mark.parametrize("preset", ["default", "highest"])
@pytest.mark.parametrize(("text", "least"), [(MINUTES, 3), (REPORT, 3)])
def test_a_summary_draws_from_several_sections(preset: str, text: str, least: int) -> None:
    cluster = cluster_of_texts([text])
    sections = cluster.documents[0].sections
    chosen = [s.position for s in summary_of(cluster, 100, preset).summary.sentences]
    drawn = {i for i, section in enumerate(sections) for p in chosen if section.start <= p < section.end}
    assert len(drawn) >= least


def test_a_summary_has_the_abstract_the_conclusion_and_the_second_half() -> None:
    assert "The commission recommends" in summary_of(cluster_of_texts([REPORT]), 100).summary.text
    essay = [s.position for s in summary_of(cluster_of_texts([ESSAY]), 150).summary.sentences]
    assert min(essay) == 0
    assert max(essay) >= 20
    paper = REPORT.replace("Introduction\n", f"Abstract\n\n{ABSTRACT}\n\nIntroduction\n")
    assert ABSTRACT.split(". ")[0] in summary_of(cluster_of_texts([paper]), 60).summary.text


def test_headings_of_web_pages_make_sections(tmp_path: Path) -> None:
    parts = [" ".join(part.split()) for part in REPORT.split("\n\n") if part.strip()]
    body = "".join(f"<h2>{part}</h2>" if len(part) < 60 else f"<p>{part}</p>" for part in parts)
    (tmp_path / "page.html").write_text(xhtml(f"<article>{body}</article>"), encoding="utf-8")
    (cluster,) = load([tmp_path / "page.html"])
    assert units_of(preprocess(cluster, Config())).size == 6
