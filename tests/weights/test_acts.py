"""Texts by one voice, in which what a sentence does counts more than how often its words occur."""

from __future__ import annotations

import pytest

from summc.config import Config
from summc.documents.sources import cluster_of_texts, load
from summc.method import preprocess, summarize
from summc.records import Run
from summc.weights.acts import acts_of
from tests.conftest import ROOT, SAMPLE

SPEECH = (ROOT / "tests" / "support" / "texts" / "speech.txt").read_text(encoding="utf-8")
FACTS = (
    "The eastern mole will be closed on 1 October, because shipworm has eaten 60 percent of its piles.",
    "The council approved 4 million crowns for new piles of greenheart on Tuesday.",
)


def voice_of(*texts: str) -> float:
    return preprocess(cluster_of_texts(texts), Config()).one_voice


def test_a_speech_is_one_voice_and_reports_of_one_story_are_many() -> None:
    assert voice_of(SPEECH) > 0.9
    assert {preprocess(cluster, Config()).one_voice for cluster in load([SAMPLE])} == {0.0}
    # Many who say the same are many voices, and a few words are too few to tell.
    assert voice_of(*[SPEECH.replace("grandmother", name) for name in ("aunt", "uncle", "sister")]) == 0.0
    assert voice_of(FACTS[0]) < 0.1


@pytest.mark.parametrize(
    ("language", "plain", "number", "figure", "outcome"),
    [
        ("en", "Gulls sat there.", "Two gulls sat there.", "The 14 gulls sat.", "The mole was closed."),
        ("de", "Möwen saßen dort.", "Zwei Möwen saßen dort.", "Dort saßen 14.", "Die Mole muss schließen."),
    ],
)
def test_acts(language: str, plain: str, number: str, figure: str, outcome: str) -> None:
    asked = f"{outcome[:-1]} in 2031?"
    texts = [plain, number, figure, outcome, f"{figure[:-1]}: {outcome}", asked]
    none, in_words, in_digits, decides, both, question = acts_of(
        cluster_of_texts(["\n\n".join(texts)], language=language)
    ).tolist()
    assert 0 == none == question < in_words < in_digits < both
    assert 0 < decides < both == in_digits + decides


@pytest.mark.parametrize(
    ("language", "plain", "limited", "narrowed"),
    [
        ("en", "Gulls love it.", "It is open until June.", "It is open only until June."),
        ("de", "Möwen lieben es.", "Es bleibt bis Juni offen.", "Es bleibt nur bis Juni offen."),
        ("fr", "La mer est belle.", "Elle dort jusqu'en juin.", "Elle dort seulement jusqu'en juin."),
        ("es", "La playa es bella.", "Abre hasta junio.", "Solo abre hasta junio."),
        ("it", "La baia piace.", "Apre entro giugno.", "Apre solo entro giugno."),
        ("pt", "A praia encanta.", "Abre até junho.", "Só abre até junho."),
        ("nl", "De pier is mooi.", "De pier blijft tot juni.", "De pier blijft alleen tot juni."),
        ("cs", "Moře je krásné.", "Molo bude během června.", "Molo bude jen během června."),
    ],
)
def test_every_limit_counts_and_so_does_a_month(
    language: str, plain: str, limited: str, narrowed: str
) -> None:
    cluster = cluster_of_texts([f"{plain}\n\n{limited}\n\n{narrowed}"], language=language)
    assert acts_of(cluster).tolist() == pytest.approx([0, 0.65, 1.05])


@pytest.mark.parametrize("budget", [60, 100])
def test_a_summary_of_a_speech_has_what_was_decided(budget: int) -> None:
    (made,) = summarize([cluster_of_texts([SPEECH])], Config().with_settings({"budget": budget}))
    assert isinstance(made, Run)
    assert set(FACTS) <= set(made.summary.text.splitlines())
    assert "thank you" not in made.summary.text


def test_a_question_outweighs_acts() -> None:
    config = Config().with_settings({"budget": 30, "query": "Who drank the coffee?"})
    (made,) = summarize([cluster_of_texts([SPEECH])], config)
    assert isinstance(made, Run)
    assert "drank our terrible coffee" in made.summary.text
