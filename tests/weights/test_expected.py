"""Weighting by expected overlap: chances, their distribution, lengths and questions."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import cluster_of_texts
from summc.method import summarize, tokenize, weigh
from summc.records import Run, TokenizedCluster, WordWeights
from summc.settings.config import Config
from summc.weights import Expected
from summc.weights.base import units_of
from summc.weights.expected import chances
from tests.conftest import SAMPLE, Cli

DAM = str(SAMPLE / "docs" / "d90004t")
TEXTS = [
    "The dam broke early on Tuesday morning. The river rose and the town was flooded by the river at night.",
    "The dam in the valley broke. Nobody in the town was hurt, the mayor of the town said on Tuesday.",
]
EXPECTED = Config().with_settings({"weighting": "expected", "least_words": 1})


def prepared_texts(config: Config = EXPECTED) -> TokenizedCluster:
    return tokenize(cluster_of_texts(TEXTS), config)


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
    for a, m in enumerate(means):
        levels = [first[a], *repeats[start[a] : start[a + 1]]]
        exact = nbinom.sf(np.arange(len(levels)), dispersion, dispersion / (dispersion + m))
        assert levels == pytest.approx(exact, rel=1e-6, abs=1e-9)
        assert all(value >= 1e-3 for value in levels[1:])
        assert levels == sorted(levels, reverse=True)


def test_a_word_has_at_most_the_allowed_number_of_levels() -> None:
    _, repeats, start = chances(np.array([30.0, 30.0]), 4.0, np.array([1, 3]))
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
    longer = config.with_settings({"budget": 30})
    short, long = (weigh(prepared_texts(), Expected(), each) for each in (config, longer))
    assert short.weight.sum() < long.weight.sum()
    results = list(summarize([cluster_of_texts(TEXTS)], config, config.with_settings({"budget": 30})))
    totals = [each.total_weight for each in results]  # type: ignore[union-attr]
    assert totals[0] < totals[1]


@pytest.mark.parametrize(
    ("budget", "unit", "told"), [(2, "sentences", False), (120, "characters", True), (50, "percent", True)]
)
def test_budgets_in_other_units_are_converted_to_words(budget: float, unit: str, told: bool) -> None:
    assert (summary({"budget": budget, "unit": unit}).forecast is not None) == told
    cluster = cluster_of_texts(TEXTS)
    words = sum(sentence.words for sentence in cluster.sentences)
    all_four = Config().with_settings({"budget": 4, "unit": "sentences"}).select
    assert all_four.length_in_words(cluster) == pytest.approx(words)


def summary(settings: dict[str, object], language: str = "en") -> Run:
    (made,) = summarize([cluster_of_texts(TEXTS, language=language)], EXPECTED.with_settings(settings))
    assert isinstance(made, Run)
    return made


def test_the_forecast_is_the_expected_share_of_matching_words() -> None:
    made = summary({"budget": 20, "selector": "g-greedy", "concepts": "words"})
    assert made.forecast == pytest.approx(made.selection.covered_weight / 20)
    made = summary({"budget": 20, "selector": "g-greedy"})
    assert 0 < (made.forecast or 0) < made.selection.covered_weight / 20


def test_a_budget_beyond_the_documents_changes_nothing() -> None:
    assert sum(sentence.words for sentence in cluster_of_texts(TEXTS).sentences) == 40
    whole, endless = (summary({"budget": budget}) for budget in (40, 10**6))
    assert (endless.text, endless.forecast) == (whole.text, whole.forecast)


@pytest.mark.parametrize(
    "settings",
    [{"weighting": "position"}, {"boost": ("dam=2",)}, {"ignore": ("dam",)}, {"concepts": "bigrams"}],
)
def test_there_is_no_forecast_if_weights_are_not_chances(settings: dict[str, object]) -> None:
    assert summary({"budget": 20, **settings}).forecast is None


def test_a_question_changes_the_summary(summc: Cli) -> None:
    asked = summc("summarize", "--weighting", "expected", "-k", 40, "--query", "evacuees went home", DAM)
    plain = summc("summarize", "--weighting", "expected", "-k", 40, DAM)
    assert (asked.code, plain.code) == (0, 0)
    assert asked.out != plain.out
    assert "home" in asked.out


def test_text_whose_stop_words_were_removed_is_refused(summc: Cli) -> None:
    lines = summc("preprocess", "--config", "paper", stdin=summc("load", DAM).out).out
    refused = summc("weigh", "--weighting", "expected", stdin=lines)
    assert refused.code == 3
    assert refused.err == (
        "error: standard input:1: its stop words were removed, and weighting expected counts them; "
        "run summc preprocess --keep-stopwords before\n"
    )


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        ({"weight": [[1, 2]]}, "graph.weight[0][1] must be at most 1, the weight before it, got 2"),
        ({"weight": [[2, -1]]}, "graph.weight[0][1] must be 0 or a number from 1e-100 to 1e100, got -1"),
        ({"weight": [[]]}, "graph.weight[0] must be a number, or a list of one or more"),
        ({"weight": ["x"]}, 'graph.weight[0] must be 0 or a number from 1e-100 to 1e100, got "x"'),
        ({"count": [0]}, "graph.count[0] must be a count of 1 or more"),
        ({"count": [1.5]}, "graph.count[0] must be a count of 1 or more"),
        ({"count": [1, 1]}, "graph.count must have 1 items, got 2"),
    ],
)
def test_impossible_levels_and_counts_are_refused(summc: Cli, graph: dict[str, object], problem: str) -> None:
    line = {"graph": {"cost": [1], "weight": [1], "edge_sentence": [0], "edge_word": [0], **graph}}
    refused = summc("select", "-k", 5, stdin=json.dumps(line))
    assert refused.code == 3
    assert problem in refused.err


def test_a_graph_with_levels_can_be_read_from_json(summc: Cli) -> None:
    graph = {"cost": [1, 1, 1], "weight": [[5, 4, 1], 3], "edge_sentence": [0, 1, 2], "edge_word": [0, 0, 1]}
    for more, chosen, weight in ({}, [0, 1], 9), ({"count": [3, 1, 1]}, [0, 2], 13):
        line = json.dumps({"graph": {**graph, **more}})
        solved = json.loads(summc("select", "-k", 2, "--selector", "exact", stdin=line).out)["selection"]
        assert (solved["chosen"], solved["covered_weight"]) == (chosen, weight)


def test_forecasts_are_calibrated_in_languages_with_known_scores() -> None:
    hebrew, finnish = (summary({"budget": 20, "stemmer": "none"}, language) for language in ("he", "fi"))
    assert hebrew.forecast == pytest.approx(0.7 * (finnish.forecast or 0))
