"""The counts of ROUGE-SU4, ROUGE-L and ROUGE-W, by hand and by plain enumeration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.rouge.counts import (
    GAP,
    POWER,
    Matches,
    lcs_matches,
    skip_bigrams,
    weighted_lcs_matches,
    whole_lcs_matches,
)
from summc.rouge.scorer import Rouge
from summc.rouge.settings import METRICS
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


def test_rouge_su4_matches_values_by_hand() -> None:
    counts = skip_bigrams(text("a b c d e f g"))
    assert (counts["a", "f"], counts["a", "g"], counts["b", "a"]) == (1, 0, 0)
    # The summary has a, c, a-c, a-d, c-d; the reference a, b, c, a-b, a-c, a-d, b-c, b-d, c-d.
    score = Rouge(("rougeSU4",), "official").score("a c d", ["a b c d"])["rougeSU4"]
    assert (score.recall, score.precision) == (round(5 / 9, 5), 1)


@given(words)
def test_skip_bigrams_are_all_words_but_the_last_and_all_pairs_within_the_gap(tokens: list[str]) -> None:
    places = combinations(range(len(tokens)), 2)
    pairs = [(tokens[i], tokens[j]) for i, j in places if j - i - 1 <= GAP]
    assert skip_bigrams(text(" ".join(tokens))) == Counter(pairs) + Counter(tokens[:-1])


# ROUGE-L and ROUGE-W


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


@given(words, words)
def test_rouge_l_of_single_lines_is_that_of_whole_texts(summary: list[str], reference: list[str]) -> None:
    texts = as_text([summary]), as_text([reference])
    assert lcs_matches(*texts) == whole_lcs_matches(*texts)


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
    assert {(score.recall, score.precision, score.f1) for score in scores.values()} == {(1, 1, 1)}


@pytest.mark.parametrize("protocol", ["paper", "official"])
@given(summary=lines, reference=lines)
def test_no_figure_is_outside_0_to_1(protocol: str, summary: Lines, reference: Lines) -> None:
    texts = ["\n".join(" ".join(line) for line in each) for each in (summary, [*reference, ["a"]])]
    for score in Rouge(METRICS, protocol).score(texts[0], texts[1:]).values():
        assert all(0 <= figure <= 1 for figure in (score.recall, score.precision, score.f1))
