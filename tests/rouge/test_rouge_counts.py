"""The counts of ROUGE-SU4, ROUGE-L and ROUGE-W, by hand and by plain enumeration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.rouge import METRICS, Rouge
from summc.rouge.lcs import POWER, lcs_matches, weighted_lcs_matches
from summc.rouge.ngrams import GAP, Matches, ngram_matches, skip_bigrams
from summc.rouge.texts import Reading, Text, read

Lines = Sequence[Sequence[str]]

lines = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=3)
words = st.lists(st.sampled_from("abcde"), max_size=14)


def text(*texts: str) -> Text:
    """Return a text with the given lines."""
    return read("\n".join(texts), Reading("ascii"))


def as_text(given_lines: Lines) -> Text:
    return text(*(" ".join(line) for line in given_lines))


def test_recall_and_precision_of_nothing_are_0() -> None:
    assert (Matches(0, 0, 5).recall, Matches(0, 5, 0).precision) == (0, 0)
    assert (Matches(1, 2, 4).recall, Matches(1, 2, 4).precision) == (0.5, 0.25)


# ROUGE-SU4


def test_pairs_have_at_most_four_words_between_them() -> None:
    counts = skip_bigrams(text("a b c d e f g"))
    assert counts["a", "f"] == 1
    assert counts["a", "g"] == 0
    assert counts["b", "a"] == 0


def test_the_last_word_counts_in_pairs_only() -> None:
    assert skip_bigrams(text("a b")) == {"a": 1, ("a", "b"): 1}
    assert skip_bigrams(text("a")) == {}


def test_rouge_su4_matches_a_value_by_hand() -> None:
    # The summary has a, c, a-c, a-d, c-d; the reference a, b, c, a-b, a-c, a-d, b-c, b-d, c-d.
    score = Rouge(("rougeSU4",), "official").score("a c d", ["a b c d"])["rougeSU4"]
    assert (score.recall, score.precision) == (round(5 / 9, 5), 1)


@given(words)
def test_skip_bigrams_are_all_pairs_within_the_gap(tokens: list[str]) -> None:
    places = combinations(range(len(tokens)), 2)
    pairs = [(tokens[i], tokens[j]) for i, j in places if j - i - 1 <= GAP]
    assert skip_bigrams(text(" ".join(tokens))) == Counter(pairs) + Counter(tokens[:-1])


# ROUGE-L and ROUGE-W


def test_rouge_l_counts_the_union_over_the_lines_of_the_summary() -> None:
    # The example of Lin (2004): w1 w2 from one line, w1 w3 w5 from the other.
    reference, summary = text("w1 w2 w3 w4 w5"), text("w1 w2 w6 w7 w8", "w1 w3 w8 w9 w5")
    matches = lcs_matches(summary, reference)
    assert (matches.matched, matches.in_reference, matches.in_summary) == (4, 5, 10)


def test_rouge_l_counts_a_word_at_most_as_often_as_the_summary_has_it() -> None:
    assert lcs_matches(text("a"), text("a b", "a c")).matched == 1
    assert lcs_matches(text("a", "a"), text("a b", "a c")).matched == 2


def test_rouge_w_gives_consecutive_words_more_weight() -> None:
    summary = text("a b c d h i k")
    in_a_row = weighted_lcs_matches(summary, text("a b c d e f g"))
    apart = weighted_lcs_matches(summary, text("a e b f c g d"))
    assert (in_a_row.matched, apart.matched) == pytest.approx((4**1.2, 4))
    assert in_a_row.in_reference == apart.in_reference == pytest.approx((7**1.2) ** 1.2)
    assert in_a_row.in_summary == pytest.approx(7**1.2)


def test_rouge_w_is_the_root_of_the_weighted_share() -> None:
    score = Rouge(("rougeW",), "official").score("a b c d h i k", ["a b c d e f g"])["rougeW"]
    assert score.recall == round((4**1.2 / 7**1.44) ** (1 / 1.2), 5)
    assert score.precision == round(4 / 7, 5)


def test_rouge_w_drops_a_run_that_ends_in_an_uncounted_word() -> None:
    # Both words of the second line are marked, but the summary's only b counted in the first line.
    matches = weighted_lcs_matches(text("a b"), text("b", "a b"))
    assert matches.matched == 1


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


@given(lines, lines)
def test_rouge_l_never_matches_more_than_rouge_1(summary: Lines, reference: Lines) -> None:
    unigrams = ngram_matches(as_text(summary), as_text(reference), 1)
    found = lcs_matches(as_text(summary), as_text(reference))
    assert found.matched <= unigrams.matched
    assert (found.in_reference, found.in_summary) == (unigrams.in_reference, unigrams.in_summary)


def longest_common(a: Sequence[str], b: Sequence[str]) -> int:
    if not a or not b:
        return 0
    if a[-1] == b[-1]:
        return longest_common(a[:-1], b[:-1]) + 1
    return max(longest_common(a[:-1], b), longest_common(a, b[:-1]))


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_rouge_l_of_single_lines_is_the_longest_common_subsequence(
    summary: list[str], reference: list[str]
) -> None:
    assert lcs_matches(as_text([summary]), as_text([reference])).matched == longest_common(summary, reference)


# All metrics


@pytest.mark.parametrize("protocol", ["paper", "official"])
@given(
    given_lines=st.lists(st.lists(st.sampled_from("abcde"), min_size=4, max_size=9), min_size=1, max_size=3)
)
def test_a_text_scores_1_against_itself(protocol: str, given_lines: Lines) -> None:
    metrics = tuple(metric for metric in METRICS if metric != "rougeW")
    text_ = "\n".join(" ".join(line) for line in given_lines)
    scores = Rouge(metrics, protocol).score(text_, [text_, text_])
    assert tuple(scores) == metrics
    for metric, score in scores.items():
        assert (score.recall, score.precision, score.f1) == (1, 1, 1), metric


@pytest.mark.parametrize("protocol", ["paper", "official"])
@given(summary=lines, reference=lines)
def test_no_figure_is_outside_0_to_1(protocol: str, summary: Lines, reference: Lines) -> None:
    texts = ["\n".join(" ".join(line) for line in each) for each in (summary, [*reference, ["a"]])]
    for score in Rouge(METRICS, protocol).score(texts[0], texts[1:]).values():
        assert all(0 <= figure <= 1 for figure in (score.recall, score.precision, score.f1))
