from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sumeval.metrics.rouge import RougeCalculator

from summc.records import Score
from summc.report.summaries import render_scores
from summc.rouge.scorer import Rouge
from summc.rouge.texts import is_mostly_ascii, warn_of_unsegmented
from summc.system.versions import version
from tests.conftest import Cli


def rouge1(summary: str, references: list[str]) -> Score:
    return Rouge().score(summary, references)["rouge1"]


def test_recall_is_clipped_and_averaged_over_references() -> None:
    score = rouge1("The the the dam", ["the dam broke", "the the town"])
    assert score.recall == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert score.precision == pytest.approx((2 / 4 + 2 / 4) / 2)


WORDS = ["the", "dam", "broke", "a", "Town", "flooded", "it's", "U.S.", "3.5", "don't"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=20)


@pytest.mark.parametrize(
    "text",
    [
        "The dam broke at 5 p.m., well-known engineers said.",
        "Ο ποταμός ξεχείλισε τη νύχτα.",
        "فاض النهر في الليل.",
        "河水在夜里上涨。",
        "Řeka se v noci rozvodnila",
        "नदी रात में उफान पर थी",
    ],
)
def test_a_text_against_itself_scores_1(text: str) -> None:
    score = rouge1(text, [text, text])
    assert (score.recall, score.precision, score.f1) == (1, 1, 1)


def test_the_signature_states_every_option() -> None:
    assert rouge1("a", ["a", "b"]).signature == (
        "rouge1|references:2,mean|case:lower|tokenizer:ascii|stem:none|stopwords:kept|limit:none"
        f"|sumeval:{version('sumeval')}|summc:{version('summc')}"
    )
    assert "tokenizer:every-script" in rouge1("γεια", ["γεια"]).signature


def test_letters_with_marks_count_outside_english() -> None:
    french = Rouge().score("été", ["ete"], language="fr")["rouge1"]
    assert french.recall == 0
    assert "tokenizer:every-script" in french.signature
    assert Rouge().score("l'été", ["été"], language="fr")["rouge1"].recall == 1


def test_composed_and_decomposed_accents_score_the_same() -> None:
    one, other = (unicodedata.normalize(form, "Đập đã vỡ, été") for form in ("NFC", "NFD"))
    assert one != other
    assert Rouge().score(one, [other], language="vi")["rouge1"].recall == 1


def test_official_scores_use_only_ascii_letters_as_the_official_tool_does() -> None:
    official = Rouge(protocol="official", limit=100)
    assert official.score("été ici", ["ete ici"], language="fr")["rouge1"].recall == 0.5
    assert "tokenizer:ascii" in official.score("été ici", ["été ici"], language="fr")["rouge1"].signature
    assert official.score("γεια σου", ["γεια σου"], language="el")["rouge1"].recall == 1


@pytest.mark.parametrize(
    "text", ["河水在夜里上涨，城里的人都离开了家。", "川は夜に増水し、町の人々は NHK のニュースを見た。"]
)
@given(limit=st.integers(1, 25))
def test_official_scores_cut_chinese_and_japanese_at_k_words_too(text: str, limit: int) -> None:
    official, whole = Rouge(protocol="official", limit=limit), Rouge(protocol="official")
    words = whole.tokens(text, "every-script")
    assert official.tokens(text, "every-script") == words[:limit]
    missing = "山" * limit + text
    assert official.score(text, [missing], language="zh")["rouge1"].recall == 0
    assert official.score(missing, [text], language="zh")["rouge1"].recall == 0


def test_a_mostly_english_text_is_cut_as_the_official_tool_counts() -> None:
    official = Rouge(protocol="official", limit=3)
    assert official.tokens("The well-known film 英雄 opened", "ascii") == ["the", "well", "known", "film"]


@pytest.mark.parametrize(("text", "warned"), [("กกกaa", True), ("กกaa", False), ("กกaaa", False)])
def test_a_warning_needs_a_script_without_spaces_in_most_letters(
    text: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_unsegmented(["dam", text], "here")
    assert bool(caplog.messages) == warned


def test_scores_in_a_language_without_spaces_give_a_warning(summc: Cli, tmp_path: Path) -> None:
    thai = "แม่น้ำเอ่อล้นในตอนกลางคืน ชาวบ้านหนีออกจากเมือง"
    told = (
        "references in a language that writes no spaces between words, which are not told apart; "
        "scores will be far too low\n"
    )
    summary, reference, data = (tmp_path / name for name in ("a.txt", "b.txt", "c.jsonl"))
    summary.write_text(thai)
    reference.write_text(f"{thai} 2005 (BBC)")
    data.write_text(
        json.dumps({"id": "a", "documents": [thai], "references": [thai], "language": "th"}) + "\n"
    )
    scored = summc("score", summary, "--reference", reference)
    assert (scored.code, scored.err) == (0, f"warning: {reference}: {told}")
    evaluated = summc("evaluate", "--dataset", data, "--selector", "lead")
    assert (evaluated.code, evaluated.err) == (0, f"warning: {data}: {told}")
    reference.write_text("河水在夜里上涨。")
    assert summc("score", reference, "--reference", reference).err == ""


def test_a_summary_without_words_scores_0() -> None:
    assert rouge1("", ["the dam"]).recall == 0


# Other ways of scoring


def ngrams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


@pytest.mark.parametrize(("metric", "n"), [(f"rouge{n}", n) for n in (1, 2, 3, 4)])
@given(summary=sentences, references=st.lists(sentences, min_size=1, max_size=3), limit=st.integers(1, 15))
def test_official_scores_match_a_plain_pooled_count(
    metric: str, n: int, summary: list[str], references: list[list[str]], limit: int
) -> None:
    score = Rouge((metric,), "official", limit=limit).score(
        " ".join(summary), [" ".join(reference) for reference in references]
    )[metric]
    mine = ngrams(" ".join(summary[:limit]), n)
    theirs = [ngrams(" ".join(reference[:limit]), n) for reference in references]
    matches = sum((mine & reference).total() for reference in theirs)
    total = sum(reference.total() for reference in theirs)
    assert score.recall == round(matches / total if total else 0, 5)
    assert score.precision == round(matches / (mine.total() * len(theirs)) if mine else 0, 5)


def test_summary_and_references_are_both_stemmed() -> None:
    assert Rouge(stem=True).score("dams breaking", ["the dam breaks"])["rouge1"].recall == pytest.approx(
        2 / 3
    )
    assert Rouge(stem=False).score("dams breaking", ["the dam breaks"])["rouge1"].recall == 0
    text = "generalizations were happily relational"
    assert Rouge(stem=True).score(text, [text])["rouge1"].recall == 1


def test_stop_words_can_be_removed() -> None:
    assert Rouge(remove_stopwords=True).score("dam", ["the dam of it"])["rouge1"].recall == 1
    signature = Rouge(remove_stopwords=True, stem=True, limit=100, protocol="official").signature(
        "rouge1", 4, "ascii"
    )
    assert "references:4,pooled" in signature
    assert "stem:rouge-1.5.5|stopwords:removed|limit:100" in signature


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
