from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import summc
from summc.documents import cluster_of_texts
from summc.errors import NoSummaryError, SettingError, SummcError
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


def test_summarize_returns_a_summary_within_the_budget() -> None:
    summary = summc.summarize(TEXTS, budget=12)
    assert 0 < summary.words <= 12
    assert str(summary) == summary.text
    assert set(summary.text.split("\n")) <= {s.text for s in summary.cluster.sentences}
    assert "selector:auto" in summary.signature


def test_settings_are_given_by_name() -> None:
    config = {"stemmer": "none", "remove_stopwords": False}
    summary = summc.summarize(TEXTS, 12, selector="g-greedy", config=config)
    assert "stemmer:none|stopwords:kept" in summary.signature
    assert "selector:g-greedy|k:12" in summary.signature
    with pytest.raises(SettingError, match='`selectr`: unknown setting; perhaps "selector"'):
        summc.summarize(TEXTS, config={"selectr": "greedy"})
    with pytest.raises(SettingError, match="`budget`: must be a number at least 1, got 0"):
        summc.summarize(TEXTS, 0)


def test_reading_order_is_by_document_and_position() -> None:
    summary = summc.summarize(TEXTS, 100)
    places = [(s.document, s.position) for s in summary.sentences]
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


def test_repeated_sentences_are_chosen_once() -> None:
    texts = ["The dam broke. Water rose.", "The dam broke. People fled."]
    chosen = summc.summarize(texts, 100, selector="g-greedy").text.split("\n")
    assert sorted(chosen) == ["People fled.", "The dam broke.", "Water rose."]


def test_documents_of_one_word_or_sentence_can_be_summarized() -> None:
    assert summc.summarize(["Flood"], 5).text == "Flood"
    assert summc.summarize(["Flood.", "Fire."], 5).text == "Flood.\nFire."


def test_text_of_stop_words_alone_is_an_error() -> None:
    with pytest.raises(NoSummaryError, match="no sentence has a word worth covering; keep stop words or"):
        summc.summarize(["It was what it was."], 5, weighting="position")
    with pytest.raises(NoSummaryError, match="no words to weigh; keep stop words or give more text"):
        summc.summarize(["It was what it was."], 5, config=Config().with_file("paper"))
    assert summc.summarize(["It was what it was."], 5, config={"remove_stopwords": False}).words == 5


def test_other_languages_can_be_summarized() -> None:
    summary = summc.summarize(["Il pleut sur la ville. Les maisons brûlent."], 4, language="french")
    assert summary.text == "Les maisons brûlent."
    assert "language:fr|splitter:sentencex-" in summary.signature
    assert summc.summarize(["河水上涨。城市被淹。"], 4, language="chinese").words == 4


def test_the_signature_shows_that_no_stop_words_are_known() -> None:
    assert (
        "stopwords:none-known"
        in summc.summarize(["Dagur kom. Nótt fór."], 5, language="is", weighting="position").signature
    )


def test_an_empty_list_or_an_empty_text_is_an_error() -> None:
    for texts in ([], [""], ["", " \n"]):
        with pytest.raises(SummcError, match="no text"):
            summc.summarize(texts)


def test_a_background_changes_the_signature_and_the_weights(dam: list[Cluster]) -> None:
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
