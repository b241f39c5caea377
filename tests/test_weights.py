from __future__ import annotations

import math

import numpy as np
import pytest

from summc.errors import NoSummaryError
from summc.records import Cluster, Document, Sentence, TokenizedCluster
from summc.weights import fit_idf, weigh


def tokenized(name: str, *documents: list[str]) -> TokenizedCluster:
    """A cluster of documents given as sentences, each a string of terms."""
    return TokenizedCluster(
        Cluster(
            name,
            tuple(
                Document(
                    f"{name}{d}",
                    tuple(Sentence(d, p, text, len(text.split())) for p, text in enumerate(texts)),
                )
                for d, texts in enumerate(documents)
            ),
        ),
        tuple(tuple(text.split()) for texts in documents for text in texts),
    )


FLOOD = tokenized("flood", ["dam broke", "town flooded town"], ["dam held", "town slept"])
VOTE = tokenized("vote", ["party won", "town voted"])


def by_hand(counts: dict[str, int], df: dict[str, int], n: int, boosted: set[str]) -> dict[str, float]:
    raw = {word: count * (math.log((1 + n) / (1 + df[word])) + 1) for word, count in counts.items()}
    norm = math.sqrt(sum(value**2 for value in raw.values()))
    return {word: value / norm * (1.5 if word in boosted else 1) for word, value in raw.items()}


COUNTS = {"dam": 2, "broke": 1, "town": 3, "flooded": 1, "held": 1, "slept": 1}
FIRST = {"dam", "broke", "held"}


@pytest.mark.parametrize(
    ("unit", "n", "df"),
    [
        ("cluster", 2, {"dam": 1, "broke": 1, "town": 2, "flooded": 1, "held": 1, "slept": 1}),
        ("document", 3, {"dam": 2, "broke": 1, "town": 3, "flooded": 1, "held": 1, "slept": 1}),
        ("sentence", 6, {"dam": 2, "broke": 1, "town": 3, "flooded": 1, "held": 1, "slept": 1}),
    ],
)
def test_tf_idf_by_hand(unit: str, n: int, df: dict[str, int]) -> None:
    idf = fit_idf([FLOOD, VOTE], unit=unit)
    assert (idf.unit, idf.units) == (unit, n)
    weights = weigh(FLOOD, idf)
    expected = by_hand(COUNTS, df, n, FIRST)
    assert weights.words == tuple(sorted(expected))
    assert weights.weight == pytest.approx([expected[word] for word in sorted(expected)], rel=1e-12)
    assert weights.idf_unit == unit


def test_the_boost_is_applied_once_even_to_words_of_several_first_sentences() -> None:
    idf = fit_idf([FLOOD, VOTE])
    plain, boosted = weigh(FLOOD, idf, first_sentence_boost=1), weigh(FLOOD, idf, first_sentence_boost=2)
    ratio = dict(zip(plain.words, boosted.weight / plain.weight, strict=True))
    assert ratio == {"broke": 2, "dam": 2, "held": 2, "flooded": 1, "slept": 1, "town": 1}
    assert np.linalg.norm(plain.weight) == pytest.approx(1)


def test_a_lone_cluster_counts_sentences() -> None:
    idf = fit_idf([FLOOD], unit="cluster")
    assert (idf.unit, idf.units) == ("sentence", 4)
    df = {"dam": 2, "broke": 1, "town": 2, "flooded": 1, "held": 1, "slept": 1}
    expected = by_hand(COUNTS, df, 4, FIRST)
    assert weigh(FLOOD, idf).weight == pytest.approx([expected[word] for word in sorted(expected)])


def test_a_background_makes_its_words_common() -> None:
    idf = fit_idf([FLOOD], [VOTE], unit="cluster")
    assert (idf.unit, idf.units) == ("cluster", 2)
    assert weigh(FLOOD, idf).weight == pytest.approx(weigh(FLOOD, fit_idf([FLOOD, VOTE])).weight)


def test_no_words_at_all_is_an_error() -> None:
    with pytest.raises(NoSummaryError, match="void: no words to weigh"):
        fit_idf([tokenized("void", [""])])


def test_a_cluster_without_words_among_others_has_no_weights() -> None:
    void = tokenized("void", [""])
    assert weigh(void, fit_idf([FLOOD, void])).words == ()
