"""TF-IDF, the mixture, and what a question changes, against values by hand."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.config import Config
from summc.errors import NoSummaryError
from summc.method import fit, weigh
from summc.records import Cluster, ConceptIndex, Document, Question, Sentence, TokenizedCluster
from summc.weights import Expected
from summc.weights.base import Counts
from summc.weights.coverage import Position
from summc.weights.mixed import MixedWeigher
from summc.weights.questions import ask, turned_toward
from summc.weights.tfidf import TfIdf, TfIdfWeigher
from tests.support.depth import few_examples

PLAIN = {"least_documents": 1, "bigram_factor": 1, "place_bonus": 0}


def tokenized(name: str, *documents: list[str]) -> TokenizedCluster:
    """Return a cluster of documents, each given as a list of sentences of space-separated terms."""
    made = (
        Document(f"{name}{d}", tuple(Sentence(d, p, each, len(each.split())) for p, each in enumerate(texts)))
        for d, texts in enumerate(documents)
    )
    index = ConceptIndex.of([text.split() for texts in documents for text in texts])
    return TokenizedCluster(Cluster(name, tuple(made)), index)


FLOOD = tokenized("flood", ["dam broke", "town flooded town"], ["dam held", "town slept"])
VOTE = tokenized("vote", ["party won", "town voted"])


def fitted(
    clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster] = (), **settings: Any
) -> TfIdfWeigher:
    return TfIdf(**{**PLAIN, **settings}).fit(clusters, background)


def by_hand(df: dict[str, int], n: int) -> dict[str, float]:
    counts = {"dam": 2, "broke": 1, "town": 3, "flooded": 1, "held": 1, "slept": 1}
    raw = {word: count * (math.log((1 + n) / (1 + df.get(word, 1))) + 1) for word, count in counts.items()}
    norm = math.sqrt(sum(value**2 for value in raw.values()))
    boosted = {"dam", "broke", "held"}  # in first sentences, some of them in two
    return {word: value / norm * (1.5 if word in boosted else 1) for word, value in sorted(raw.items())}


@pytest.mark.parametrize(
    ("texts", "unit", "counted", "n", "df"),
    [
        (([FLOOD, VOTE], []), "cluster", "cluster", 2, {"town": 2}),
        (([FLOOD, VOTE], []), "document", "document", 3, {"dam": 2, "town": 3}),
        (([FLOOD, VOTE], []), "sentence", "sentence", 6, {"dam": 2, "town": 3}),
        (([FLOOD], []), "cluster", "sentence", 4, {"dam": 2, "town": 2}),
        (([FLOOD], [VOTE]), "cluster", "cluster", 2, {"town": 2}),
    ],
)
def test_tf_idf_matches_values_by_hand(
    texts: tuple[list[TokenizedCluster], ...], unit: str, counted: str, n: int, df: dict[str, int]
) -> None:
    weigher = fitted(*texts, idf_unit=unit)
    made = weigher.weigh(FLOOD, 5)
    assert (weigher.signature["idf"], made.counted) == (f"{counted}/{n}", counted)
    assert dict(zip(made.words, made.weight.tolist(), strict=True)) == pytest.approx(by_hand(df, n))


def test_clusters_without_words_are_an_error_unless_others_have_some() -> None:
    void = tokenized("void", [""])
    with pytest.raises(NoSummaryError, match="void: no words to weigh"):
        fitted([void])
    assert fitted([FLOOD, void]).weigh(void, 5).words == ()


@pytest.mark.parametrize("tfidf", ["numpy", "scikit-learn"])
def test_words_that_were_not_fitted_are_left_out(tfidf: str) -> None:
    weigher = fitted([VOTE, VOTE], tfidf=tfidf, first_sentence_boost=1)
    made = weigher.weigh(FLOOD, 5)
    assert (made.words, made.weight.tolist()) == (("town",), [1])
    assert ("scikit-learn" in weigher.signature) == (tfidf == "scikit-learn")


TERMS = st.lists(
    st.sampled_from(["dam", "town", "broke", "é", "z", "3.5", "u.s", "Ω", "a'b", "town's"]), max_size=9
)


@few_examples()
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
    if not any(cluster.index.concepts for cluster in clusters):
        return
    ours, theirs = (
        fitted(clusters, tfidf=name, idf_unit=unit, first_sentence_boost=boost)
        for name in ("numpy", "scikit-learn")
    )
    assert (ours.unit, ours.units) == (theirs.unit, theirs.units)
    for cluster in clusters:
        one, other = ours.weigh(cluster, 5), theirs.weigh(cluster, 5)
        assert one.words == other.words
        assert one.weight.tobytes() == other.weight.tobytes()


def test_pairs_of_function_words_are_worth_nothing_and_other_pairs_something() -> None:
    terms = ("in", "in dam", "in the", "inner", "dam", "dam in", "the")
    cluster = dataclasses.replace(
        tokenized("c", ["x"] * 6), index=ConceptIndex.of([terms] * 6), function_terms=frozenset({"in", "the"})
    )
    made = MixedWeigher(Position(place_bonus=0, least_documents=1), Expected()).weigh(cluster, 5)
    rest = dict(zip(made.words, Expected().weigh(cluster, 5).weight / made.weight, strict=True))
    # Only concepts with a content word have the weight of position beside that of expected overlap.
    alone, both = ("in", "in the", "the"), ("dam", "dam in", "in dam", "inner")
    assert len({round(rest[word], 9) for word in alone}) == 1
    assert all(rest[word] < rest["in"] for word in both)


def test_no_sentence_has_a_bonus_if_no_word_has_weight() -> None:
    weights = Position(place_bonus=1).as_weights(FLOOD, (), np.zeros(0))
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


def test_the_lead_is_the_first_whole_sentence() -> None:
    counts = Counts(dataclasses.replace(tokenized("c", ["dam", "dam broke", "town"]), whole=(1, 2)))
    assert counts.words == ("broke", "dam", "town")
    assert counts.leads.tolist() == [1, 1, 0]


def test_a_boost_applies_to_every_occurrence_of_a_word_and_to_its_bigrams() -> None:
    text = tokenized("c", ["a b a a"], ["a a"])
    text = dataclasses.replace(text, index=ConceptIndex.of([("a", "b", "a", "a", "a b"), ("a", "a", "a a")]))
    plain, heavier = (
        weigh(text, fit([text], config), config)
        for config in (
            Config().with_settings({"weighting": "expected", "stemmer": "none", **more})
            for more in ({}, {"boost": ("a=2", "b=0.25"), "remove_stopwords": False})
        )
    )
    assert plain.words == ("a", "a a", "a b", "b")
    assert (heavier.weight / plain.weight).tolist() == [2, 2, 0.5, 0.25]
    assert plain.repeats is not None
    assert heavier.repeats is not None
    assert (heavier.repeats / plain.repeats).tolist() == [2] * len(plain.repeats)


def test_words_in_only_one_document_count_if_words_are_boosted() -> None:
    text = tokenized("c", ["dam broke"], ["dam held"], ["dam leaked"])
    for boost, words in ((), {"dam"}), (("broke=2",), {"dam", "broke", "held", "leaked"}):
        config = Config().with_settings({"weighting": "position", "stemmer": "none", "boost": boost})
        assert set(weigh(text, fit([text], config), config).words) == words


# Questions


def bm25(cluster: TokenizedCluster, words: dict[str, float], *, of: int) -> float:
    """Return BM25 of a sentence by the formula of Robertson, with k1 = 1 and b = 0.5."""
    tokens, total = cluster.tokens, 0.0
    mean = sum(map(len, tokens)) / len(tokens)
    for word, counts_for in words.items():
        holders = sum(word in sentence for sentence in tokens)
        idf = math.log(1 + (len(tokens) - holders + 0.5) / (holders + 0.5))
        often = tokens[of].count(word)
        total += counts_for * idf * often * 2 / (often + 0.5 + 0.5 * len(tokens[of]) / mean)
    return total


def test_relevance_is_bm25_of_a_sentence_and_of_its_neighbours() -> None:
    cluster = tokenized("c", ["dam", "dam town dam town", "x", "y", "z"], ["z"])
    question = ask(cluster, "dam town", lambda text: frozenset(text.split()))
    assert question is not None
    a, b = (bm25(cluster, {"dam": 1, "town": 1}, of=i) for i in (0, 1))
    near = [a + 0.3 * b, b + 0.5 * a, 0.5 * b + 0.3 * a, 0.3 * b + 0.2 * a, 0.2 * b, 0]
    assert question.relevance.tolist() == pytest.approx([6 * value / sum(near) for value in near])
    assert ask(cluster, "sea", lambda text: frozenset(text.split())) is None


def test_a_question_lowers_the_weight_of_words_by_their_distance_from_it() -> None:
    position = Position(power=0, lead_factor=0, place_bonus=1, least_documents=1, bigram_factor=1)
    weights = position.weigh(FLOOD, 5)
    weights = dataclasses.replace(weights, weight=2 * weights.weight)  # each is 2
    turned = turned_toward(weights, FLOOD, Question("", {"flooded": 1.0}, np.ones(4), np.ones(4)))
    assert dict(zip(turned.words, turned.weight.tolist(), strict=True)) == pytest.approx(
        {"broke": 0.2, "dam": 0.2, "flooded": 6, "held": 0.2, "slept": 0.2, "town": 0.2 + 0.9}
    )
    assert weights.bonus is not None
    assert turned.bonus is not None
    assert turned.bonus.tolist() == pytest.approx((weights.bonus * [0.1, 1, 0.1, 0.1]).tolist())
    nothing = Question("", {}, np.ones(4), np.ones(4))
    assert turned_toward(weights, FLOOD, nothing) is weights
    assert turned_toward(dataclasses.replace(weights, bonus=None), FLOOD, nothing).bonus is None
