"""Concepts and their weights, against a plain recount."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from itertools import chain, count, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.config import Config
from summc.documents.sources import cluster_of_texts, load
from summc.graph import build_graph
from summc.method import fit, preprocess, summarize, weigh
from summc.preprocess.concepts import concepts_among, is_bigram
from summc.preprocess.order import with_dates
from summc.records import ConceptIndex, Run, TokenizedCluster
from summc.signatures import signature_of_run
from summc.weights import WEIGHTINGS
from tests.conftest import SAMPLE, Cli
from tests.support.depth import few_examples
from tests.support.small import DAM, write_lines
from tests.weights.test_weights import tokenized

Words = st.lists(st.sampled_from(["dam", "broke", "the", "of", "town"]), max_size=8)
STOP = frozenset({"the", "of"})


def made(documents: Sequence[Sequence[tuple[Sequence[str], bool]]]) -> TokenizedCluster:
    """Return a tokenized cluster. Each sentence is given by its concepts and whether it is whole."""
    texts = (
        [f"{d}.{p} {' '.join(terms)}" for p, (terms, _) in enumerate(sentences)]
        for d, sentences in enumerate(documents)
    )
    flat = [pair for sentences in documents for pair in sentences]
    whole = tuple(i for i, (_, is_whole) in enumerate(flat) if is_whole)
    index = ConceptIndex.of([terms for terms, _ in flat])
    return dataclasses.replace(tokenized("made", *texts), index=index, whole=whole, candidates=whole)


#: Indices32 clusters. Some sentences are neither whole nor candidates.
CONCEPTS = st.lists(st.sampled_from(["a", "b", "c", "a b", "b c"]), max_size=4)
CLUSTERS = st.lists(
    st.lists(st.tuples(CONCEPTS, st.booleans()), min_size=1, max_size=4), min_size=1, max_size=5
).map(made)


def weights_of(text: TokenizedCluster, **settings: object) -> dict[str, float]:
    config = Config().with_settings(settings)
    weights = weigh(text, fit([text], config), config)
    return dict(zip(weights.words, weights.weight.tolist(), strict=True))


# Concepts


@given(st.lists(Words, max_size=4))
def test_bigrams_are_neighbouring_words_that_are_not_both_stop_words(sentences: list[list[str]]) -> None:
    words = [tuple(term for term in terms if term not in STOP) for terms in sentences]
    pairs = [tuple(f"{a} {b}" for a, b in pairwise(terms) if {a, b} - STOP) for terms in sentences]
    both = [one + two for one, two in zip(words, pairs, strict=True)]
    for name, expected in (("words", words), ("bigrams", pairs), ("words+bigrams", both)):
        found = concepts_among(ConceptIndex.of(sentences), STOP, name)
        again = ConceptIndex.of(expected)
        assert found.tokens == tuple(expected)
        assert (found.concepts, found.size) == (again.concepts, again.size)
        assert found.concept.tolist() == again.concept.tolist()
        assert found.sentence.tolist() == again.sentence.tolist()
    assert all(map(is_bigram, chain.from_iterable(pairs)))
    assert not any(map(is_bigram, chain.from_iterable(words)))


@given(st.lists(Words, max_size=4), st.sets(st.integers(0, 20)))
def test_occurrences_can_be_left_out_of_an_index(sentences: list[list[str]], gone: set[int]) -> None:
    numbers = count()
    left = [[term for term in terms if next(numbers) not in gone] for terms in sentences]
    index = ConceptIndex.of(sentences)
    kept = index.where(np.array([k not in gone for k in range(len(index.concept))], dtype=bool))
    assert kept == ConceptIndex.of(left)
    assert kept.concepts == ConceptIndex.of(left).concepts
    for i, terms in enumerate(left):
        assert [kept.concepts[number] for number in kept.in_sentence(i)] == terms


def test_removed_stop_words_stay_in_bigrams() -> None:
    cluster = cluster_of_texts(["The dams of the town broke."])
    by_position = Config().with_settings({"weighting": "position"})
    (tokens,) = preprocess(cluster, by_position).tokens
    assert tokens == ("dam", "town", "broke", "the dam", "dam of", "the town", "town broke")
    for needing in (Config(), by_position.with_settings({"remove_stopwords": False})):
        (kept,) = preprocess(cluster, needing).tokens
        assert kept[:6] == ("the", "dam", "of", "the", "town", "broke")
    (words,) = preprocess(cluster, by_position.with_settings({"concepts": "words"})).tokens
    assert words == ("dam", "town", "broke")


# Weights


@few_examples()
@given(CLUSTERS, st.integers(1, 4))
def test_document_frequency_and_position_match_a_recount(text: TokenizedCluster, least: int) -> None:
    size = len(text.cluster.documents)
    sentences, whole = text.cluster.sentences, set(text.whole or ())
    expected, plain, shared = {}, {}, set()
    for concept in {term for terms in text.tokens for term in terms}:
        holders = {i for i, terms in enumerate(text.tokens) if concept in terms}
        df = len({sentences[i].document for i in holders})
        early = set()
        for document in range(size):
            own = [i for i, sentence in enumerate(sentences) if sentence.document == document]
            wholes = [i for i in own if i in whole]
            if is_bigram(concept):  # in the opening, up to the third whole sentence
                front = own[: own.index(wholes[2]) + 1] if len(wholes) > 2 else own
            else:
                front = wholes[:1]
            early |= {document for i in front if i in holders}
        factor = 1.5 if is_bigram(concept) else 1
        more = 3 if is_bigram(concept) else 5
        plain[concept] = factor * (df / size) ** 2
        expected[concept] = plain[concept] * (1 + more * len(early) / size)
        shared |= {concept} if df >= least else set()
    # Concepts in too few documents count only if there are no others, or only two documents.
    kept = shared if shared and size > 2 else set(plain)
    settings = {"least_documents": least, "bigram_factor": 1.5, "power": 2.0}
    found = weights_of(text, **settings, weighting="position", lead_factor=5.0, opening_factor=3.0)
    assert found == pytest.approx({concept: expected[concept] for concept in kept})
    found = weights_of(text, **settings, weighting="document-frequency")
    assert found == pytest.approx({concept: plain[concept] for concept in kept})


@few_examples()
@given(CLUSTERS, st.floats(0.1, 4), st.integers(1, 6))
def test_the_place_bonus_is_a_private_word_that_grows_with_cost_and_fades(
    text: TokenizedCluster, place_bonus: float, fades: int
) -> None:
    given = {"weighting": "position", "place_bonus": place_bonus, "place_fades": fades}
    config = Config().with_settings(given)
    weights = weigh(text, fit([text], config), config)
    worth = dict(zip(weights.words, weights.weight.tolist(), strict=True))
    sentences, chosen = text.cluster.sentences, text.candidates or ()
    held = {i: sum(worth.get(term, 0) for term in set(text.tokens[i])) for i in chosen}
    unit = sum(held.values()) / max(1, sum(sentences[i].words for i in chosen))
    assert weights.bonus is not None
    for i, sentence in enumerate(sentences):
        before = [j for j in text.whole or () if sentences[j].document == sentence.document and j < i]
        bonus = place_bonus * unit * sentence.words * max(0, 1 - len(before) / fades)
        assert weights.bonus[i] == pytest.approx(bonus if held.get(i) else 0)
    graph = build_graph(text, weights)
    assert set(graph.sentence_ids.tolist()) <= set(chosen)
    for node, i in enumerate(graph.sentence_ids.tolist()):
        own = graph.edge_word[graph.edge_sentence == node]
        places = [a for a in own.tolist() if graph.word_ids[a] >= len(weights.words)]
        assert [int(graph.word_ids[a]) for a in places] == [len(weights.words) + i] * int(
            weights.bonus[i] > 0
        )
        assert all((graph.edge_word == a).sum() == 1 for a in places)
        assert graph.weight[own].sum() == pytest.approx(held[i] + weights.bonus[i])


def test_every_weighting_makes_a_summary_and_is_in_the_signature() -> None:
    clusters = list(load([SAMPLE / "docs" / "d90001t"]))
    for weighting in WEIGHTINGS:
        config = Config().with_settings({"weighting": weighting, "selector": "g-greedy"})
        (made,) = summarize(clusters, config)
        assert isinstance(made, Run)
        assert f"|weights:{weighting}|" in signature_of_run(made)
        assert 80 < made.summary.words <= 100


# The default and the presets


def test_the_papers_presets_have_the_documented_settings() -> None:
    (cluster,) = load([SAMPLE / "docs" / "d90001t"])
    for name in ("paper", "paper-fig2", "paper-fig3", "paper-fig4"):
        config = Config().with_file(name)
        assert (config.preprocess.concepts, config.weigh.weighting) == ("words", "tfidf")
        assert [config.conditions()[f"weigh.{each}"] for each in ("least_documents", "place_bonus")] == [1, 0]
        assert (config.candidates.datelines, config.candidates.leave_out) == ("kept", ())
        tokenized = preprocess(cluster, config)
        assert (tokenized.cluster, tokenized.whole, tokenized.candidates) == (with_dates(cluster), None, None)


def test_evaluate_shows_presets_as_rows_with_all_their_settings(summc: Cli, tmp_path: Path) -> None:
    data, mine = write_lines(tmp_path / "two.jsonl"), tmp_path / "mine.toml"
    mine.write_text(
        '[preprocess]\nconcepts = "bigrams"\n[weigh]\nweighting = "position"\n[select]\nselector = "greedy"\n'
    )
    options = ["evaluate", "--dataset", data, "--rouge", "official", "--format", "json", "--preset"]
    result = summc(*options, f"paper,{mine},default", "--selector", "lead", "--versus", "before")
    rows = json.loads(result.out)["rows"]
    assert [row["selector"] for row in rows] == ["paper", str(mine), "default", "lead"]
    compared = [(row["rouge1"]["versus"] or {}).get("selector") for row in rows]
    assert compared == [None, "paper", str(mine), "default"]
    names = ("concepts", "selector", "weights")
    assert [[row["settings"][name] for name in names] for row in rows[:3]] == [
        ["words", "g-greedy", "tfidf"],
        ["bigrams", "greedy", "position"],
        ["words+bigrams", "auto", "mixed"],
    ]
    (alone,) = json.loads(summc(*options, "default").out)["rows"]
    assert alone["rouge1"] == {**rows[2]["rouge1"], "versus": None}


@pytest.mark.parametrize(("budget", "name"), [(100, "d90001t"), (250, "d90002t")])
def test_the_budget_is_nearly_used_up(budget: int, name: str) -> None:
    clusters = list(load([SAMPLE / "docs" / name]))
    for fill, reading, least in (("whole", 0, 0.99), ("whole", 1, 0.95), ("truncate", 1, 1.0)):
        config = Config().with_settings({"budget": budget, "fill": fill, "reading": reading})
        (made,) = summarize(clusters, config)
        assert isinstance(made, Run)
        assert least * budget <= made.summary.words <= budget


def test_lines_hold_bonuses_and_whole_sentences(summc: Cli) -> None:
    lines = summc("preprocess", stdin=summc("load", *DAM).out).out
    line = json.loads(summc("weigh", stdin=lines).out)
    assert len(line["weights"]["bonus"]) == len(line["tokenized"]["tokens"])
    sentences = [each for document in line["cluster"]["documents"] for each in document["sentences"]]
    assert line["tokenized"]["whole"] == [i for i, each in enumerate(sentences) if each["words"] >= 8]
    selected = json.loads(summc("select", "-k", 65, stdin=summc("graph", stdin=json.dumps(line)).out).out)
    selected["selection"]["cut"] = 10**6
    words = summc("preprocess", "--concepts", "words", stdin=lines).out
    signed = json.loads(summc("weigh", "--weighting", "position", stdin=words).out)["signature"]["weigh"]
    assert "bigrams" not in signed
    assert "selection.cut: must be an index of" in summc("render", stdin=json.dumps(selected)).err
