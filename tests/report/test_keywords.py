"""Keywords: which words and phrases are shown, and where they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from summc import WEIGHTINGS, keywords
from summc.errors import SettingError
from summc.system.resources import stopwords
from tests.conftest import SAMPLE, Cli

REPORTS = {
    "monday": "The Tarn Dam broke at noon. The mayor of Ansby said that 12 40 people saw it break.",
    "tuesday": "Engineers said the Tarn Dam had cracks. Cracks were in the Tarn Dam for years.",
    "wednesday": "The mayor said the cracks of 1755 were known. The mayor resigned.",
}


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize(
    "settings", [{}, {"concepts": "words"}, {"concepts": "bigrams"}, {"remove_stopwords": False}], ids=str
)
def test_keywords_are_no_function_words_and_stand_in_their_sentences(
    weighting: str, settings: dict[str, object]
) -> None:
    items = keywords(REPORTS, 50, config={"weighting": weighting, **settings})
    assert items
    weights = [item.weight for item in items]
    assert weights == sorted(weights, reverse=True)
    assert min(weights) > 0
    for item in items:
        assert stopwords("en").isdisjoint(item.word.lower().split())
        assert item.word not in ("said", "12", "12 40")
        assert any(item.word in place.sentence.text for place in item.sentences)


def test_a_phrase_as_heavy_as_its_words_replaces_them() -> None:
    shown = [item.word for item in keywords(REPORTS)]
    assert "Tarn Dam" in shown
    assert not {"Tarn", "Dam", "Dam broke"} & set(shown)  # "Dam broke" stands once
    assert "Tarn" in [item.word for item in keywords(REPORTS, config={"concepts": "words"})]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("水坝在中午破裂。市长辞职。水坝有裂缝。", "水坝"),
        ("A co-op opened in town. The co-op closed again.", "co-op"),
        ("The Tarn  Dam broke. Rain hit the Tarn  Dam.", "Tarn Dam"),
    ],
)
def test_phrases_are_shown_as_the_text_writes_them(text: str, phrase: str) -> None:
    assert phrase in [item.word for item in keywords(text, config={"concepts": "bigrams"})]


def test_ignored_words_are_no_keywords_and_boosted_ones_come_first() -> None:
    config = {"ignore": ["cracks"], "boost": {"mayor": 9}, "concepts": "words"}
    shown = [item.word for item in keywords(REPORTS, config=config)]
    assert shown[0] == "mayor"
    assert "cracks" not in [word.lower() for word in shown]


@pytest.mark.parametrize("most", [0, -1, 1.5, "many", None])
def test_a_wrong_number_of_keywords_is_rejected(most: object) -> None:
    with pytest.raises(SettingError, match="most: must be a whole number"):
        keywords(REPORTS, most)  # type: ignore[arg-type]


def test_the_command_prints_what_python_returns(summc: Cli) -> None:
    folder = Path(SAMPLE, "docs", "d90004t")
    items = keywords(folder, 3)
    rows = [line.split(None, 2) for line in summc("keywords", "-n", "3", str(folder)).out.splitlines()]
    assert rows[0] == ["weight", "sentences", "word"]
    assert [(int(n), word) for _, n, word in rows[1:]] == [(len(item.sentences), item.word) for item in items]
    printed = json.loads(summc("keywords", "-n", "3", "--format", "json", str(folder)).out)
    assert [item["weight"] for item in printed["keywords"]] == [item.weight for item in items]
    places = [(place.document.id, place.sentence.position) for place in items[0].sentences]
    assert [(s["document"], s["position"]) for s in printed["keywords"][0]["sentences"]] == places


def test_several_clusters_are_named(summc: Cli) -> None:
    assert summc("keywords", "-n", "1", SAMPLE).out.startswith("d90001t\n  weight")
    assert len(json.loads(summc("keywords", "--format", "json", SAMPLE).out)) == 6
