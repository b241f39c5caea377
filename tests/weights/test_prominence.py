"""What the place and the form of a sentence are worth in a text with sections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from summc.records import Cluster, ConceptIndex, Document, Sentence, TokenizedCluster
from summc.weights.mixed import Mixed
from summc.weights.prominence import has_sections, prominence

DAM = "the gate of the old dam was closed by men"
HEADING = ("heading", "", "Dams")


def text(*rows: tuple[str, str, str], documents: int = 1) -> TokenizedCluster:
    """Return documents of these sentences: kind, speaker, text. "|" before the text begins a paragraph."""
    paragraphs = np.cumsum([row[2].startswith("|") for row in rows]).tolist()
    made = [
        Sentence(0, i, words.lstrip("|"), len(words.split()), paragraphs[i], kind=kind, speaker=speaker)
        for i, (kind, speaker, words) in enumerate(rows)
    ]
    cluster = Cluster("c", (Document("d", tuple(made)),) * documents)
    return TokenizedCluster(cluster, ConceptIndex.of([s.text.split() for s in cluster.sentences]))


def prose(words: str = DAM, speaker: str = "") -> tuple[str, str, str]:
    return "prose", speaker, words


@pytest.mark.parametrize(
    ("less", "more"),
    [
        pytest.param([prose(), prose()], [prose(), prose(f"|{DAM}")], id="first of a paragraph"),
        pytest.param([prose(), prose()], [HEADING, prose()], id="first of a section"),
        pytest.param([HEADING, prose()], [("conclusion", "", "Summary"), prose()], id="summary"),
        pytest.param([prose("yes"), prose("no"), prose()], [prose("yes"), prose()], id="early"),
        pytest.param([prose(DAM.replace(" ", "_ "))], [prose()], id="no code"),
        pytest.param([prose("it was closed")], [prose()], id="no aside"),
    ],
)
def test_some_places_and_forms_promise_more(
    less: list[tuple[str, str, str]], more: list[tuple[str, str, str]]
) -> None:
    texts = text(*less), text(*more)
    least, most = (float(prominence(made, np.zeros(made.index.size))[-1]) for made in texts)
    assert least < most


def test_places_count_also_in_a_text_by_one_voice() -> None:
    made = text(HEADING, prose(), prose(), HEADING, prose(), ("conclusion", "", "Summary"), prose())
    weights = Mixed().fit([], []).weigh(replace(made, one_voice=1.0), 20.0)
    assert weights.bonus is not None
    assert weights.bonus[-1] > weights.bonus[2]


def test_a_text_of_three_headings_has_sections_and_is_no_report() -> None:
    assert has_sections(text(*[HEADING, prose()] * 3))
    assert not has_sections(text(*[HEADING, prose()] * 2, prose()))
    assert text(prose(), documents=3).are_reports
    assert not text(HEADING, prose(), documents=3).are_reports
    assert not text(prose(DAM, "Ann"), documents=3).are_reports
