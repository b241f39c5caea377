from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import load
from summc.errors import NoSummaryError
from summc.preprocess.terms import tokenize
from summc.records import Cluster, ConceptIndex, Document, Sentence, TokenizedCluster, WordWeights
from summc.weights import ContentWeigher, fit_idf, weigh
from summc.weights.base import Counts
from summc.weights.mixed import mixed
from summc.weights.position import Position
from summc.weights.relevance import relevance_of
from summc.weights.shape import Shape
from summc.weights.steering import boosted, turned_toward
from summc.weights.tfidf import TfIdf
from tests.conftest import SAMPLE


def tokenized(name: str, *documents: list[str]) -> TokenizedCluster:
    """Return a cluster of documents, each given as a list of sentences of space-separated terms."""
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
        ConceptIndex.of([text.split() for texts in documents for text in texts]),
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
def test_tf_idf_matches_values_by_hand(unit: str, n: int, df: dict[str, int]) -> None:
    idf = fit_idf([FLOOD, VOTE], unit=unit)
    assert (idf.unit, idf.units) == (unit, n)
    weights = weigh(FLOOD, idf)
    expected = by_hand(COUNTS, df, n, FIRST)
    assert weights.words == tuple(sorted(expected))
    assert weights.weight == pytest.approx([expected[word] for word in sorted(expected)], rel=1e-12)
    assert weights.idf_unit == unit


def test_words_in_several_first_sentences_are_boosted_once() -> None:
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


def test_a_background_counts_in_the_document_frequency() -> None:
    idf = fit_idf([FLOOD], [VOTE], unit="cluster")
    assert (idf.unit, idf.units) == ("cluster", 2)
    assert weigh(FLOOD, idf).weight == pytest.approx(weigh(FLOOD, fit_idf([FLOOD, VOTE])).weight)


def test_clusters_without_any_words_are_an_error() -> None:
    with pytest.raises(NoSummaryError, match="void: no words to weigh"):
        fit_idf([tokenized("void", [""])])


def test_a_cluster_without_words_among_others_has_no_weights() -> None:
    void = tokenized("void", [""])
    assert weigh(void, fit_idf([FLOOD, void])).words == ()


@pytest.mark.parametrize("tfidf", ["numpy", "scikit-learn"])
def test_words_that_were_not_fitted_are_left_out(tfidf: str) -> None:
    weights = weigh(FLOOD, fit_idf([VOTE, VOTE], tfidf=tfidf), first_sentence_boost=1)
    assert (weights.words, weights.weight.tolist()) == (("town",), [1])


TERMS = st.lists(
    st.sampled_from(["dam", "town", "broke", "é", "z", "3.5", "u.s", "Ω", "a'b", "town's"]), max_size=9
)


@given(
    flood=st.lists(st.lists(TERMS, min_size=1, max_size=6), min_size=1, max_size=3),
    vote=st.lists(st.lists(TERMS, min_size=1, max_size=6), max_size=2),
    unit=st.sampled_from(["cluster", "document", "sentence"]),
    boost=st.sampled_from([1.0, 1.5, 0.3]),
)
def test_weights_equal_those_of_scikit_learn_to_the_last_bit(
    flood: list[list[list[str]]], vote: list[list[list[str]]], unit: str, boost: float
) -> None:
    clusters = [
        tokenized(name, *([" ".join(terms) for terms in document] for document in documents))
        for name, documents in (("flood", flood), ("vote", vote))
        if documents
    ]
    if not any(terms for cluster in clusters for terms in cluster.tokens):
        return
    ours, theirs = (fit_idf(clusters, unit=unit, tfidf=name) for name in ("numpy", "scikit-learn"))
    assert (ours.unit, ours.units) == (theirs.unit, theirs.units)
    for cluster in clusters:
        one, other = (weigh(cluster, idf, first_sentence_boost=boost) for idf in (ours, theirs))
        assert one.words == other.words
        assert one.weight.tobytes() == other.weight.tobytes()


def test_weights_of_the_sample_equal_those_of_scikit_learn_to_the_last_bit() -> None:
    clusters = [tokenize(cluster) for cluster in load([SAMPLE])]
    for group in [clusters, *([cluster] for cluster in clusters[:2])]:
        ours, theirs = (fit_idf(group, tfidf=name) for name in ("numpy", "scikit-learn"))
        for cluster in group:
            assert weigh(cluster, ours).words == weigh(cluster, theirs).words
            assert weigh(cluster, ours).weight.tobytes() == weigh(cluster, theirs).weight.tobytes()


def test_pairs_of_function_words_are_worth_nothing_and_other_pairs_something() -> None:
    cluster = tokenized("c", ["in the", "in dam", "dam in", "dam", "inner", "the"])
    terms = ("in", "in dam", "in the", "inner", "dam", "dam in", "the")
    cluster = dataclasses.replace(cluster, index=ConceptIndex.of([terms] * 6))
    by_all, weight = Position().weigh(cluster)
    kept, left = ContentWeigher(Position(), frozenset({"in", "the"})).weigh(cluster)
    assert kept == ("dam", "dam in", "in dam", "inner")
    assert left.tolist() == [weight[by_all.index(word)] for word in kept]


def test_no_sentence_has_a_bonus_if_no_word_has_weight() -> None:
    nothing = ContentWeigher(Position(), frozenset({"dam", "broke", "town", "flooded", "held", "slept"}))
    weights = Shape(place_bonus=1).weigh(FLOOD, nothing)
    assert weights.words == ()
    assert weights.bonus is not None
    assert not weights.bonus.any()


def test_a_mixture_adds_what_each_half_is_worth_of_what_it_reaches() -> None:
    second = WordWeights(
        ("a", "b"), np.array([3.0, 1.0]), "document", None, np.array([2.0]), np.array([0, 1, 1])
    )
    number = np.array([-1, 0])
    for bonus in (None, np.array([5.0])):
        first = WordWeights(("b",), np.array([4.0]), "document", bonus)
        both = mixed(first, second, number, [10, 25])
        assert (both.words, both.weight.tolist()) == (("a", "b"), [6, 2 + 20])
        assert both.further is not None
        assert both.further.tolist() == [4]
        assert (both.bonus is None) == (bonus is None)
    assert both.bonus is not None
    assert both.bonus.tolist() == [25]


def test_only_weights_by_scikit_learn_name_it_in_their_signature() -> None:
    signatures = [TfIdf(tfidf=name).fit([FLOOD], []).signature for name in ("numpy", "scikit-learn")]
    assert ["scikit-learn" in signature for signature in signatures] == [False, True]


def test_headlines_stand_before_the_first_whole_sentence() -> None:
    cluster = dataclasses.replace(tokenized("c", ["dam", "dam broke", "town"]), whole=(1, 2))
    counts = Counts(cluster)
    assert counts.words == ("broke", "dam", "town")
    assert counts.headlines.tolist() == [0, 1, 0]
    assert counts.leads.tolist() == [1, 1, 0]


def test_a_boost_applies_to_every_occurrence_of_a_word() -> None:
    weights = WordWeights(
        ("a", "b"), np.array([3.0, 1.0]), "document", None, np.array([2.0, 1]), np.array([0, 2, 2])
    )
    heavier = boosted(weights, lambda word: 2.0 if word == "a" else 0.5)
    assert heavier.weight.tolist() == [6, 0.5]
    assert heavier.further is not None
    assert heavier.further.tolist() == [4, 2]
    plain = dataclasses.replace(weights, further=None, further_start=None)
    assert boosted(plain, lambda _: 2.0).further is None


# Questions


def test_relevance_matches_values_by_hand() -> None:
    cluster = tokenized("c", ["dam", "dam town dam town", "x", "y", "z"], ["z"])
    dam, town = math.log(6 / 2) + 1 / 6, math.log(6 / 1) + 1 / 6  # in two and in one of six sentences
    alone = [dam, (dam + town) / 2, 0, 0, 0, 0]
    near = [alone[0] + alone[1] / 2, alone[1] + alone[0] / 2, alone[1] / 2 + alone[0] / 4, alone[1] / 4, 0, 0]
    relevance = relevance_of(cluster, lambda term: term in {"dam", "town"})
    assert relevance is not None
    assert relevance.tolist() == pytest.approx([6 * value / sum(near) for value in near])


def test_a_question_lowers_the_weight_of_words_by_their_distance_from_it() -> None:
    weights = Shape(place_bonus=1).weigh(FLOOD, Position(power=0, lead_factor=0))
    turned = turned_toward(weights, FLOOD, lambda word: word == "flooded")
    assert dict(zip(turned.words, turned.weight.tolist(), strict=True)) == pytest.approx(
        {"broke": 0.1, "dam": 0.1, "flooded": 3, "held": 0.1, "slept": 0.1, "town": 0.1 + 0.9 / 2}
    )
    assert weights.bonus is not None
    assert turned.bonus is not None
    assert turned.bonus.tolist() == pytest.approx((weights.bonus * [0.1, 1, 0.1, 0.1]).tolist())
    assert turned_toward(weights, FLOOD, lambda _: False) is weights
