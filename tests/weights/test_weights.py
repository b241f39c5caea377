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
from summc.weights import Expected, fit_idf, weigh
from summc.weights.base import Counts
from summc.weights.mixed import MixedWeigher
from summc.weights.position import Position
from summc.weights.steering import boosted, relevance_of, turned_toward
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
    words, weight = weigh(FLOOD, idf)
    expected = by_hand(COUNTS, df, n, FIRST)
    assert words == tuple(sorted(expected))
    assert weight == pytest.approx([expected[word] for word in sorted(expected)], rel=1e-12)


def test_words_in_several_first_sentences_are_boosted_once() -> None:
    idf = fit_idf([FLOOD, VOTE])
    words, plain = weigh(FLOOD, idf, first_sentence_boost=1)
    _, boosted = weigh(FLOOD, idf, first_sentence_boost=2)
    ratio = dict(zip(words, boosted / plain, strict=True))
    assert ratio == {"broke": 2, "dam": 2, "held": 2, "flooded": 1, "slept": 1, "town": 1}
    assert np.linalg.norm(plain) == pytest.approx(1)


def test_a_lone_cluster_counts_sentences() -> None:
    idf = fit_idf([FLOOD], unit="cluster")
    assert (idf.unit, idf.units) == ("sentence", 4)
    df = {"dam": 2, "broke": 1, "town": 2, "flooded": 1, "held": 1, "slept": 1}
    expected = by_hand(COUNTS, df, 4, FIRST)
    assert weigh(FLOOD, idf)[1] == pytest.approx([expected[word] for word in sorted(expected)])


def test_a_background_counts_in_the_document_frequency() -> None:
    idf = fit_idf([FLOOD], [VOTE], unit="cluster")
    assert (idf.unit, idf.units) == ("cluster", 2)
    assert weigh(FLOOD, idf)[1] == pytest.approx(weigh(FLOOD, fit_idf([FLOOD, VOTE]))[1])


def test_clusters_without_any_words_are_an_error() -> None:
    with pytest.raises(NoSummaryError, match="void: no words to weigh"):
        fit_idf([tokenized("void", [""])])


def test_a_cluster_without_words_among_others_has_no_weights() -> None:
    void = tokenized("void", [""])
    assert weigh(void, fit_idf([FLOOD, void]))[0] == ()


@pytest.mark.parametrize("tfidf", ["numpy", "scikit-learn"])
def test_words_that_were_not_fitted_are_left_out(tfidf: str) -> None:
    words, weight = weigh(FLOOD, fit_idf([VOTE, VOTE], tfidf=tfidf), first_sentence_boost=1)
    assert (words, weight.tolist()) == (("town",), [1])


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
        assert one[0] == other[0]
        assert one[1].tobytes() == other[1].tobytes()


def test_weights_of_the_sample_equal_those_of_scikit_learn_to_the_last_bit() -> None:
    clusters = [tokenize(cluster) for cluster in load([SAMPLE])]
    for group in [clusters, *([cluster] for cluster in clusters[:2])]:
        ours, theirs = (fit_idf(group, tfidf=name) for name in ("numpy", "scikit-learn"))
        for cluster in group:
            one, other = weigh(cluster, ours), weigh(cluster, theirs)
            assert one[0] == other[0]
            assert one[1].tobytes() == other[1].tobytes()


def test_pairs_of_function_words_are_worth_nothing_and_other_pairs_something() -> None:
    cluster = tokenized("c", ["in the", "in dam", "dam in", "dam", "inner", "the"])
    terms = ("in", "in dam", "in the", "inner", "dam", "dam in", "the")
    cluster = dataclasses.replace(cluster, index=ConceptIndex.of([terms] * 6))
    cluster = dataclasses.replace(cluster, function_terms=frozenset({"in", "the"}))
    by_position = Position(place_bonus=0, least_documents=1)
    made = MixedWeigher(by_position, Expected()).weigh(cluster, 5)
    rest = dict(zip(made.words, Expected().weigh(cluster, 5).weight / made.weight, strict=True))
    # Only concepts with a content word have the weight of position beside that of expected overlap.
    alone, both = ("in", "in the", "the"), ("dam", "dam in", "in dam", "inner")
    assert len({round(rest[word], 9) for word in alone}) == 1
    assert all(rest[word] < rest["in"] for word in both)


def test_no_sentence_has_a_bonus_if_no_word_has_weight() -> None:
    weights = Position(place_bonus=1).shaped(FLOOD, (), np.zeros(0))
    assert weights.words == ()
    assert weights.bonus is not None
    assert not weights.bonus.any()


def test_a_mixture_is_worth_at_most_100_by_the_heaviest_words_of_its_length() -> None:
    # Five words of one sentence each; the summary has room for two of them.
    text = tokenized("c", ["a", "b", "c", "d", "e"], ["a", "b", "a"])
    position, expected = Position(place_bonus=0, least_documents=1), Expected()
    made = MixedWeigher(position, expected).weigh(text, 2)
    first, second = position.weigh(text, 2), expected.weigh(text, 2)
    assert second.repeats is not None
    levels = sorted([*second.weight, *second.repeats], reverse=True)
    by_first, by_second = 52 / sum(sorted(first.weight, reverse=True)[:2]), 48 / sum(levels[:2])
    both = by_first * first.weight + by_second * second.weight
    assert made.weight.tolist() == pytest.approx(both.tolist())
    assert made.repeats is not None
    assert made.repeats.tolist() == pytest.approx((by_second * second.repeats).tolist())
    assert made.bonus is None
    with_places = MixedWeigher(Position(place_bonus=1, least_documents=1), expected).weigh(text, 2)
    assert with_places.bonus is not None
    assert with_places.bonus.argmax() == 0
    assert with_places.weight.sum() < made.weight.sum()  # the bonus is a part of what the half is worth


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
    assert heavier.repeats is not None
    assert heavier.repeats.tolist() == [4, 2]
    plain = dataclasses.replace(weights, repeats=None, repeats_start=None)
    assert boosted(plain, lambda _: 2.0).repeats is None


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
    weights = Position(power=0, lead_factor=0, place_bonus=1, least_documents=1, bigram_factor=1).weigh(
        FLOOD, 5
    )
    turned = turned_toward(weights, FLOOD, lambda word: word == "flooded")
    assert dict(zip(turned.words, turned.weight.tolist(), strict=True)) == pytest.approx(
        {"broke": 0.1, "dam": 0.1, "flooded": 3, "held": 0.1, "slept": 0.1, "town": 0.1 + 0.9 / 2}
    )
    assert weights.bonus is not None
    assert turned.bonus is not None
    assert turned.bonus.tolist() == pytest.approx((weights.bonus * [0.1, 1, 0.1, 0.1]).tolist())
    assert turned_toward(weights, FLOOD, lambda _: False) is weights
