"""All stages together, through Python."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import summc
from summc.documents import cluster_of_texts
from summc.errors import NoSummaryError, SummcError
from summc.method import read, summarize
from summc.records import Cluster
from summc.report.summaries import render
from summc.settings.config import Config
from tests.conftest import SAMPLE, examples
from tests.support.small import DAM

TEXTS = [
    "The dam broke at dawn. Water covered the lower town. Nobody was hurt.",
    "The dam above the town broke on Monday. Engineers had warned of cracks. The mayor resigned.",
]


@pytest.fixture(scope="module")
def dam() -> list[Cluster]:
    return list(read([*map(str, DAM)], Config()))


def test_a_summary_has_whole_sentences_in_reading_order() -> None:
    summary = summc.summarize(TEXTS, budget=12)
    assert 0 < summary.words <= 12
    assert set(summary.text.split("\n")) <= {s.text for s in summary.cluster.sentences}
    places = [(s.document, s.position) for s in summc.summarize(TEXTS, 100).sentences]
    assert places == sorted(places)
    assert {document for document, _ in places} == {"text 1", "text 2"}


@examples(15)
@given(budget=st.integers(1, 200), selector=st.sampled_from(sorted(summc.SELECTORS)))
def test_the_budget_is_never_exceeded_in_words_as_readers_count(
    dam: list[Cluster], budget: int, selector: str
) -> None:
    config = Config().with_settings({"budget": budget, "selector": selector})
    for cluster in summarize(dam, config):
        if isinstance(cluster, SummcError):
            assert budget < Config().candidates.least_words
        else:
            assert 0 < len(cluster.text.split()) == cluster.words <= budget


def test_a_failing_cluster_does_not_stop_the_others() -> None:
    long = cluster_of_texts(["This sentence has six words."], id_="long")
    short = cluster_of_texts(["Dams broke."], id_="short")
    failed, made = summarize([long, short], Config().with_settings({"budget": 3}))
    assert str(failed) == "long: no sentence fits a budget of 3 words (the shortest has 5); raise `budget`"
    assert not isinstance(made, SummcError)
    assert made.text == "Dams broke."


@pytest.mark.parametrize(
    ("texts", "settings", "summary"),
    [
        (["The dam broke. Water rose.", "The dam broke. People fled."], {"selector": "g-greedy"},
         "The dam broke.\nWater rose.\nPeople fled."),  # a repeated sentence is chosen once
        (["Flood"], {}, "Flood"),
        (["Flood.", "Fire."], {}, "Flood.\nFire."),
        (["It was what it was."], {"remove_stopwords": False}, "It was what it was."),
        (["Il pleut sur la ville. Les maisons brûlent."], {"language": "french", "budget": 4},
         "Les maisons brûlent."),
        (["河水上涨。城市被淹。"], {"language": "chinese", "budget": 4}, "河水上涨。"),
    ],
)  # fmt: skip
def test_small_texts_can_be_summarized(texts: list[str], settings: dict[str, object], summary: str) -> None:
    assert summc.summarize(texts, config=settings).text == summary


def test_text_of_stop_words_alone_or_no_text_is_an_error() -> None:
    with pytest.raises(NoSummaryError, match="no sentence has a word worth covering; keep stop words or"):
        summc.summarize(["It was what it was."], 5, weighting="position")
    with pytest.raises(NoSummaryError, match="no words to weigh; keep stop words or give more text"):
        summc.summarize(["It was what it was."], 5, config=Config().with_file("paper"))
    for texts in ([], [""], ["", " \n"]):
        with pytest.raises(SummcError, match="no text"):
            summc.summarize(texts)


def test_the_signature_shows_that_no_stop_words_are_known_and_the_background(dam: list[Cluster]) -> None:
    icelandic = summc.summarize(["Dagur kom. Nótt fór."], 5, language="is", weighting="position")
    assert "language:is|splitter:sentencex-" in icelandic.signature
    assert "stopwords:none-known" in icelandic.signature
    config = Config().with_file("paper").with_settings({"background": (str(SAMPLE / "docs" / "d90002t"),)})
    (summary,) = summarize(dam, config)
    assert not isinstance(summary, SummcError)
    assert "idf:cluster/2|" in summary.signature
    assert "|background:d90002t|" in summary.signature


def test_markdown_is_escaped() -> None:
    summary = summc.summarize(["A *bold* [claim](x) _was_ <b>made</b>."], 10)
    assert render([summary.run], "md") == (
        "## texts\n\n- A \\*bold\\* \\[claim\\](x) \\_was\\_ \\<b\\>made\\</b\\>. (text 1)\n"
    )
