from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sumeval.metrics.rouge import RougeCalculator

from summc.report.summaries import render_scores
from summc.rouge import METRICS
from summc.rouge.counts import (
    GAP,
    lcs_matches,
    skip_bigrams,
    whole_lcs_matches,
)
from summc.rouge.scorer import Rouge
from summc.rouge.texts import Text, is_mostly_ascii, read
from summc.system.versions import version

CASES = tomllib.loads((Path(__file__).parent / "cases" / "scores.toml").read_text())["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_scores_of_small_texts(case: dict[str, Any]) -> None:
    rouge = Rouge(**case.get("options", {}))
    score = rouge.score(case["summary"], case["references"], language=case.get("language", "en"))["rouge1"]
    assert (score.recall, score.precision) == pytest.approx((case["recall"], case["precision"]), abs=5e-6)
    if "f1" in case:
        assert score.f1 == pytest.approx(case["f1"], abs=5e-6)


WORDS = ["the", "dam", "broke", "a", "Town", "flooded", "it's", "U.S.", "3.5", "don't"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=20)


@pytest.mark.parametrize("protocol", ["paper", "official"])
@pytest.mark.parametrize(
    "text",
    [
        "The dam broke at 5 p.m., well-known engineers said.\nNobody was hurt in the town, they said.",
        "Ο ποταμός ξεχείλισε τη νύχτα.",
        "فاض النهر في الليل.",
        "河水在夜里上涨。",
        "Řeka se v noci rozvodnila",
        "नदी रात में उफान पर थी",
    ],
)
def test_a_text_against_itself_scores_1(text: str, protocol: str) -> None:
    metrics = tuple(metric for metric in METRICS if metric != "rougeW")
    scores = Rouge(metrics, protocol).score(text, [text, text])
    assert tuple(scores) == metrics
    assert {(score.recall, score.precision, score.f1) for score in scores.values()} == {(1, 1, 1)}


def test_the_signature_states_every_option() -> None:
    assert Rouge().score("a", ["a", "b"])["rouge1"].signature == (
        "rouge1|references:2,mean|case:lower|tokenizer:ascii|stem:none|stopwords:kept|limit:none"
        f"|sumeval:{version('sumeval')}|summc:{version('summc')}"
    )
    signature = Rouge(("rouge1",), "official", True, True, 100).signature("rouge1", 4, "ascii")
    assert "references:4,pooled|case:lower|tokenizer:ascii" in signature
    assert "stem:rouge-1.5.5|stopwords:removed|limit:100" in signature
    for protocol, tokenizer in (("paper", "every-script"), ("official", "ascii")):
        french = Rouge(protocol=protocol).score("été ici", ["ici"], language="fr")
        assert f"tokenizer:{tokenizer}|" in french["rouge1"].signature


@pytest.mark.parametrize(
    "text", ["河水在夜里上涨，城里的人都离开了家。", "川は夜に増水し、町の人々は NHK のニュースを見た。"]
)
@given(limit=st.integers(1, 25))
def test_official_scores_cut_chinese_and_japanese_at_k_words_too(text: str, limit: int) -> None:
    official, whole = Rouge(protocol="official", limit=limit), Rouge(protocol="official")
    words = whole.read(text, "every-script").tokens
    assert official.read(text, "every-script").tokens == words[:limit]
    missing = "山" * limit + text
    assert official.score(text, [missing], language="zh")["rouge1"].recall == 0
    assert official.score(missing, [text], language="zh")["rouge1"].recall == 0


# Other ways of scoring


@given(st.text("ab ", max_size=12), st.text("ab ", min_size=1).map("a ".__add__))
def test_scores_against_one_reference_match_sumeval(summary: str, reference: str) -> None:
    calculator = RougeCalculator(stopwords=False, stemming=False, lang="en")
    measures = {
        "rougeL": calculator.rouge_l,
        **{f"rouge{n}": partial(calculator.rouge_n, n=n) for n in (1, 2, 3, 4)},
    }
    for metric, score in Rouge(tuple(measures)).score(summary, [reference]).items():
        figures = [measures[metric](summary, [reference], alpha=alpha) for alpha in (0, 1, 0.5)]
        assert (score.recall, score.precision, score.f1) == pytest.approx(figures, rel=1e-12)


def test_every_signature_is_printed_below_a_markdown_table() -> None:
    scores = [(str(n), Rouge().score("The dam.", ["The dam broke."] * n)) for n in (1, 2, 1)]
    *_, first, second = render_scores(scores, "md").splitlines()
    assert ("references:1,mean" in first, "references:2,mean" in second) == (True, True)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(["dam"], True), (["ab", "дa"], True), (["abд", "дж"], False), (["ab", "дж"], True), (["дж"], False)],
)
def test_half_of_the_letters_make_a_text_ascii(texts: list[str], expected: bool) -> None:
    assert is_mostly_ascii(texts) == expected


# ROUGE-SU4, ROUGE-L and ROUGE-W

Lines = Sequence[Sequence[str]]

lines = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=3)
tokens_ = st.lists(st.sampled_from("abcde"), max_size=14)


def text(*texts: str) -> Text:
    """Return a text with the given lines."""
    return read("\n".join(texts), "ascii")


def as_text(given_lines: Lines) -> Text:
    return text(*(" ".join(line) for line in given_lines))


@given(tokens_)
def test_skip_bigrams_are_all_words_but_the_last_and_all_pairs_within_the_gap(tokens: list[str]) -> None:
    places = combinations(range(len(tokens)), 2)
    pairs = [(tokens[i], tokens[j]) for i, j in places if j - i - 1 <= GAP]
    assert skip_bigrams(text(" ".join(tokens))) == Counter(pairs) + Counter(tokens[:-1])


@given(tokens_, tokens_)
def test_rouge_l_of_single_lines_is_that_of_whole_texts(summary: list[str], reference: list[str]) -> None:
    texts = as_text([summary]), as_text([reference])
    assert lcs_matches(*texts) == whole_lcs_matches(*texts)


@pytest.mark.parametrize("protocol", ["paper", "official"])
@given(summary=lines, reference=lines)
def test_no_figure_is_outside_0_to_1(protocol: str, summary: Lines, reference: Lines) -> None:
    texts = ["\n".join(" ".join(line) for line in each) for each in (summary, [*reference, ["a"]])]
    for score in Rouge(METRICS, protocol).score(texts[0], texts[1:]).values():
        assert all(0 <= figure <= 1 for figure in (score.recall, score.precision, score.f1))
