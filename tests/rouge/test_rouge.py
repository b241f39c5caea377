from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sumeval.metrics.rouge import RougeCalculator

from summc.records import Score
from summc.report.summaries import render_scores
from summc.rouge import METRICS
from summc.rouge.counts import (
    GAP,
    POWER,
    lcs_matches,
    skip_bigrams,
    weighted_lcs_matches,
    whole_lcs_matches,
)
from summc.rouge.scorer import Rouge
from summc.rouge.texts import Reading, Text, is_mostly_ascii, read, warn_of_unsegmented
from summc.system.versions import version
from tests.conftest import Cli


def rouge1(summary: str, references: list[str]) -> Score:
    return Rouge().score(summary, references)["rouge1"]


def test_recall_is_clipped_and_averaged_over_references() -> None:
    score = rouge1("The the the dam", ["the dam broke", "the town"])
    assert score.recall == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert score.precision == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert score.f1 == pytest.approx((4 / 7 + 1 / 3) / 2)  # the mean of both, not the F of the means


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
    assert rouge1("a", ["a", "b"]).signature == (
        "rouge1|references:2,mean|case:lower|tokenizer:ascii|stem:none|stopwords:kept|limit:none"
        f"|sumeval:{version('sumeval')}|summc:{version('summc')}"
    )
    signature = Rouge(("rouge1",), "official", True, True, 100).signature("rouge1", 4, "ascii")
    assert "references:4,pooled" in signature
    assert "stem:rouge-1.5.5|stopwords:removed|limit:100" in signature


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
    told = "no spaces between words, which are not told apart; scores will be far too low\n"
    summary, reference, data = (tmp_path / name for name in ("a.txt", "b.txt", "c.jsonl"))
    summary.write_text(thai)
    reference.write_text(f"{thai} 2005 (BBC)")
    data.write_text(json.dumps({"documents": [thai], "references": [thai], "language": "th"}) + "\n")
    score, evaluate = ("score", summary, "--reference", reference), ("evaluate", "--selector", "lead")
    for command, place in ((score, reference), ((*evaluate, "--dataset", data), data)):
        made = summc(*command)
        problem = f"references in a language that writes {told}"
        assert (made.code, made.err) == (0, f"warning: {place}: {problem}")
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
    for stem, recall in ((True, 2 / 3), (False, 0)):
        assert Rouge(stem=stem).score("dams breaking", ["the dam breaks"])["rouge1"].recall == recall


def test_stop_words_can_be_removed() -> None:
    assert Rouge(remove_stopwords=True).score("dam", ["the dam of it"])["rouge1"].recall == 1


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
    return read("\n".join(texts), Reading("ascii"))


def as_text(given_lines: Lines) -> Text:
    return text(*(" ".join(line) for line in given_lines))


def test_rouge_su4_matches_values_by_hand() -> None:
    counts = skip_bigrams(text("a b c d e f g"))
    assert (counts["a", "f"], counts["a", "g"], counts["b", "a"]) == (1, 0, 0)
    # The summary has a, c, a-c, a-d, c-d; the reference a, b, c, a-b, a-c, a-d, b-c, b-d, c-d.
    score = Rouge(("rougeSU4",), "official").score("a c d", ["a b c d"])["rougeSU4"]
    assert (score.recall, score.precision) == (round(5 / 9, 5), 1)


@given(tokens_)
def test_skip_bigrams_are_all_words_but_the_last_and_all_pairs_within_the_gap(tokens: list[str]) -> None:
    places = combinations(range(len(tokens)), 2)
    pairs = [(tokens[i], tokens[j]) for i, j in places if j - i - 1 <= GAP]
    assert skip_bigrams(text(" ".join(tokens))) == Counter(pairs) + Counter(tokens[:-1])


def test_rouge_l_counts_the_union_over_the_lines_of_the_summary() -> None:
    # The example of Lin (2004): w1 w2 from one line, w1 w3 w5 from the other.
    reference, summary = text("w1 w2 w3 w4 w5"), text("w1 w2 w6 w7 w8", "w1 w3 w8 w9 w5")
    assert lcs_matches(summary, reference) == (4, 5, 10)
    # A word counts at most as often as the summary has it.
    assert lcs_matches(text("a"), text("a b", "a c")) == (1, 4, 1)
    assert lcs_matches(text("a", "a"), text("a b", "a c")) == (2, 4, 2)


def test_rouge_w_gives_consecutive_words_more_weight() -> None:
    summary = text("a b c d h i k")
    for reference, matched in (("a b c d e f g", 4**1.2), ("a e b f c g d", 4)):
        counted = weighted_lcs_matches(summary, text(reference))
        assert counted == pytest.approx((matched, (7**1.2) ** 1.2, 7**1.2))
    score = Rouge(("rougeW",), "official").score("a b c d h i k", ["a b c d e f g"])["rougeW"]
    assert score.recall == round((4**1.2 / 7**1.44) ** (1 / 1.2), 5)
    assert score.precision == round(4 / 7, 5)


def test_rouge_w_drops_a_run_that_ends_in_an_uncounted_word() -> None:
    # Both words of the second line are marked, but the summary's only b counted in the first line.
    assert weighted_lcs_matches(text("a b"), text("b", "a b")).matched == 1


def plain_marks(line: Sequence[str], other: Sequence[str], power: float) -> set[int]:
    """Return the positions in a line that its best alignment with another matches, by plain recursion."""

    def best(i: int, j: int) -> tuple[float, int, set[int]]:
        """Return weight, length of the last run and positions for the first i and the first j words."""
        if not i or not j:
            return 0.0, 0, set()
        if line[i - 1] == other[j - 1]:
            weight, run, marks = best(i - 1, j - 1)
            return weight + (run + 1) ** power - run**power, run + 1, {*marks, i - 1}
        without, skipping = best(i - 1, j), best(i, j - 1)
        weight, _, marks = without if without[0] >= skipping[0] else skipping
        return weight, 0, marks

    return best(len(line), len(other))[2]


def plain_runs(summary: Lines, reference: Lines, power: float) -> tuple[int, float]:
    """Return how many words of the reference count, and the weight of their runs."""
    left = Counter(word for line in reference for word in line)
    left_in_summary = Counter(word for line in summary for word in line)
    number, weight = 0, 0.0
    for line in reference:
        marks = {i for other in summary for i in plain_marks(line, other, power)}
        run = 0
        for i in sorted(marks):
            if left[line[i]] and left_in_summary[line[i]]:
                left[line[i]] -= 1
                left_in_summary[line[i]] -= 1
                number += 1
                run += 1
                if i + 1 not in marks:
                    weight += run**power
                    run = 0
    return number, weight


@given(lines, lines)
def test_lcs_counts_match_plain_recursion(summary: Lines, reference: Lines) -> None:
    found = lcs_matches(as_text(summary), as_text(reference))
    assert found.matched == plain_runs(summary, reference, 1)[0]
    weighted = weighted_lcs_matches(as_text(summary), as_text(reference))
    assert weighted.matched == pytest.approx(plain_runs(summary, reference, POWER)[1])


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
