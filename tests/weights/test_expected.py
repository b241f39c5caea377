"""Weighting by expected overlap: chances, their distribution, lengths and questions."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.config import Config
from summc.documents.sources import cluster_of_texts
from summc.method import preprocess, summarize
from summc.records import Cluster, Run, TokenizedCluster, WordWeights
from summc.weights import Expected
from summc.weights.base import units_of
from summc.weights.expected import chances
from tests.support.depth import few_examples

TEXTS = [
    "The dam broke early on Tuesday morning. The river rose and the town was flooded by the river at night.",
    "The dam in the valley broke. Nobody in the town was hurt, the mayor of the town said on Tuesday.",
]
EXPECTED = Config().with_settings({"weighting": "expected"})


def prepared_texts(config: Config = EXPECTED) -> TokenizedCluster:
    return preprocess(cluster_of_texts(TEXTS), config)


@few_examples()
@given(
    st.lists(st.floats(1e-9, 60), min_size=1, max_size=8),
    st.sampled_from([0.5, 1.0, 4.0, 30.0, 1e6]),
)
def test_levels_are_the_tails_of_a_negative_binomial_distribution(
    means: list[float], dispersion: float
) -> None:
    from scipy.stats import nbinom

    mean = np.array(means)
    first, repeats, start = chances(mean, dispersion, np.full(len(mean), 10_000))
    tails = nbinom.sf(
        np.arange(max(np.diff(start)) + 1), dispersion, dispersion / (dispersion + mean[:, None])
    )
    for a, exact in enumerate(tails):
        levels = [first[a], *repeats[start[a] : start[a + 1]]]
        exact = exact[: len(levels)]  # noqa: PLW2901
        assert np.all(np.abs(levels - exact) <= np.maximum(1e-6 * exact, 1e-9))
        assert all(value >= 1e-3 for value in levels[1:])
        assert levels == sorted(levels, reverse=True)
    _, repeats, start = chances(np.array([30.0, 30.0]), 4.0, np.array([1, 3]))  # as many levels as allowed
    assert (start.tolist(), len(repeats)) == ([0, 0, 2], 2)


def weights_by_hand(tokenized: TokenizedCluster, length: float, weighting: Expected) -> dict[str, float]:
    """Return how often each concept is expected in a person's summary."""
    documents: dict[str, set[int]] = {}
    occurring: dict[str, float] = defaultdict(float)
    for sentence, rank, terms in zip(
        tokenized.cluster.sentences, units_of(tokenized).rank, tokenized.tokens, strict=True
    ):
        for term in terms:
            documents.setdefault(term, set()).add(sentence.document)
            occurring[term] += (1 + rank) ** -weighting.early_power
    size = len(tokenized.cluster.documents)
    rate = {t: occurring[t] * (len(documents[t]) / size) ** weighting.share_power for t in occurring}
    total = {kind: sum(r for t, r in rate.items() if (" " in t) == kind) for kind in (False, True)}
    return {t: length * r / total[" " in t] for t, r in rate.items()}


@pytest.mark.parametrize("length", [5, 20, 100])
def test_weights_are_the_chances_that_a_person_writes_a_concept(length: float) -> None:
    tokenized, weighting = prepared_texts(), Expected()
    made = weighting.weigh(tokenized, length)
    assert "the" in made.words
    mean = weights_by_hand(tokenized, length, weighting)
    for word, weight in zip(made.words, made.weight.tolist(), strict=True):
        chance = 1 - (1 + mean[word] / 3) ** -3
        assert weight == pytest.approx(chance * (1.25 if " " in word else 1))
    assert levels_of(made, "the") >= levels_of(made, "mayor") == 1
    assert length < 20 or levels_of(made, "the") == 9  # it occurs 9 times in the texts
    assert all(levels_of(made, word) == 1 for word in made.words if " " in word)


def levels_of(weights: WordWeights, word: str) -> int:
    assert weights.repeats_start is not None
    a = weights.words.index(word)
    return 1 + int(weights.repeats_start[a + 1] - weights.repeats_start[a])


def test_each_budget_has_weights_of_its_own() -> None:
    config = EXPECTED.with_settings({"budget": 10})
    results = list(summarize([cluster_of_texts(TEXTS)], config, config.with_settings({"budget": 30})))
    totals = [each.summary.total_weight for each in results]  # type: ignore[union-attr]
    assert totals[0] < totals[1]


def summary(settings: dict[str, object], language: str = "en") -> Run:
    (made,) = summarize([cluster_of_texts(TEXTS, language=language)], EXPECTED.with_settings(settings))
    assert isinstance(made, Run)
    return made


@pytest.mark.parametrize(
    ("settings", "has_forecast"),
    [
        ({}, True),
        ({"budget": 2, "unit": "sentences"}, False),
        ({"budget": 120, "unit": "characters"}, True),
        ({"budget": 50, "unit": "percent"}, True),
        ({"weighting": "position"}, False),
        ({"boost": ("dam=2",)}, False),
        ({"ignore": ("dam",)}, False),
        ({"concepts": "bigrams"}, False),
    ],
)
def test_a_forecast_needs_chances_as_weights_and_a_length(
    settings: dict[str, object], has_forecast: bool
) -> None:
    assert (summary({"budget": 20, **settings}).summary.forecast is not None) == has_forecast


def test_the_forecast_is_the_expected_share_of_matching_words() -> None:
    made = summary({"budget": 20, "selector": "g-greedy", "concepts": "words"})
    assert made.summary.forecast == pytest.approx(made.summary.selection.covered_weight / 20)
    made = summary({"budget": 20, "selector": "g-greedy"})
    assert 0 < (made.summary.forecast or 0) < made.summary.selection.covered_weight / 20
    # In some languages it is calibrated by known scores.
    hebrew, finnish = (summary({"budget": 20, "stemmer": "none"}, language) for language in ("he", "fi"))
    assert hebrew.summary.forecast == pytest.approx(0.7 * (finnish.summary.forecast or 0))


def test_a_budget_beyond_the_documents_changes_nothing() -> None:
    cluster = cluster_of_texts(TEXTS)
    assert sum(sentence.words for sentence in cluster.sentences) == 40
    # Without prices: they are shares of the budget.
    whole, endless = (summary({"budget": budget, "reading": 0}) for budget in (40, 10**6))
    assert (endless.summary.text, endless.summary.forecast) == (whole.summary.text, whole.summary.forecast)
    all_four = Config().with_settings({"budget": 4, "unit": "sentences"}).select
    assert all_four.length_in_words(cluster) == pytest.approx(40)
    assert all_four.length_in_words(Cluster("empty", ())) == 0
