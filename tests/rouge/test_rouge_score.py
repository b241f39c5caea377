"""``RougeScorer`` against scores that the package rouge_score 0.1.2 printed."""

from __future__ import annotations

import pytest

from summc.errors import SettingError
from summc.rouge import RougeScorer

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
#: Target, prediction, whether words are stemmed, and precision and recall by each type.
PRINTED = [
    (
        "the police killed the gunman", "the gunman police killed", False,
        [(1, 0.8), (0.666667, 0.5), (0.75, 0.6), (0.75, 0.6)],
    ),
    (
        "The dam broke at noon.\nThe mayor resigned on Monday.",
        "On Monday the mayor resigned.\nAt noon, the Tarn dam broke!", False,
        [(0.909091, 1), (0.6, 0.666667), (0.363636, 0.4), (0.545455, 0.6)],
    ),
    (
        "Engineers inspected the cracked dams; 36,500 residents returned.",
        "An engineer inspects dams with cracks. Residents return: 36,500", True,
        [(0.8, 0.888889), (0.333333, 0.375), (0.5, 0.555556), (0.5, 0.555556)],
    ),
    (
        "w1 w2 w3 w4 w5", "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", False,
        [(0.4, 0.8), (0.111111, 0.25), (0.4, 0.8), (0.4, 0.8)],
    ),
    ("", "nothing to find", False, [(0, 0)] * 4),
    ("a dam", "...", True, [(0, 0)] * 4),
]  # fmt: skip


@pytest.mark.parametrize(("target", "prediction", "stemmed", "printed"), PRINTED)
def test_scores_are_those_of_rouge_score(
    target: str, prediction: str, stemmed: bool, printed: list[tuple[float, float]]
) -> None:
    scores = RougeScorer(TYPES, use_stemmer=stemmed).score(target, prediction)
    assert list(scores) == TYPES
    for score, (precision, recall) in zip(scores.values(), printed, strict=True):
        f = 2 * precision * recall / (precision + recall) if precision else 0
        assert score == pytest.approx((precision, recall, f), abs=2e-6)
        assert (score.precision, score.recall, score.fmeasure) == score


def test_the_best_of_several_targets_counts_for_each_type() -> None:
    best = RougeScorer(["rouge1", "rougeL"]).score_multi(["first text", "first something"], "text first")
    assert (best["rouge1"], best["rougeL"]) == ((1, 1, 1), (0.5, 0.5, 0.5))


def test_words_have_the_letters_of_every_script_or_are_those_of_a_tokenizer() -> None:
    class Letters:
        def tokenize(self, text: str) -> list[str]:
            return list(text.replace("\n", ""))

    assert RougeScorer(["rouge1"]).score("Η δασκάλα μίλησε", "η δασκάλα")["rouge1"] == (1, 2 / 3, 0.8)
    assert RougeScorer(["rouge1"]).score("été", "âtâ")["rouge1"].recall == 0  # rouge_score finds "t" in both
    assert RougeScorer(TYPES, tokenizer=Letters()).score("ab\nc", "a\nbd")["rougeLsum"].recall == 2 / 3


@pytest.mark.parametrize("name", ["rouge0", "rouge10", "rougeW", "bleu"])
def test_unknown_types_are_rejected(name: str) -> None:
    with pytest.raises(SettingError, match="use rouge1 to rouge9, rougeL or rougeLsum"):
        RougeScorer([name])
