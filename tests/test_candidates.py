"""Which sentences may be chosen, and what is cut off them."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.candidates import RULES, Candidates
from summc.config import Config
from summc.documents import cluster_of_texts
from summc.documents.datelines import cut_datelines
from summc.documents.sentences import count_words, first_words, split_sentences
from summc.pipeline import preprocess
from summc.records import Cluster, Document, Sentence, TokenizedCluster
from tests.conftest import Run

GOOD = "The dam above the town of Pell Crossing broke early on Monday."


def cluster_of(*documents: list[str], language: str = "en") -> Cluster:
    """A cluster of documents given as their sentences."""
    return Cluster(
        "made",
        tuple(
            Document(f"{d}", tuple(Sentence(d, p, text, count_words(text)) for p, text in enumerate(texts)))
            for d, texts in enumerate(documents)
        ),
        language=language,
    )


def marked(cluster: Cluster, candidates: Candidates | None = None) -> TokenizedCluster:
    tokens = tuple(tuple(sentence.text.lower().split()) for sentence in cluster.sentences)
    return (candidates or Candidates()).mark(TokenizedCluster(cluster, tokens))


@pytest.mark.parametrize(
    ("front", "sentence"),
    [
        ("HANOI, Vietnam (AP) _ ", "The river rose."),
        ("PORT LANNICK, Ostrey (QNS) _ ", "The river rose."),
        ("MEDRIN, May 15: ", "The river rose."),
        ("WASHINGTON _ ", "The river rose."),
        ("NEW YORK -- ", "The river rose."),
        ("London, England — ", "The river rose."),
        ("Tuesday, January 18, 2005 ", "The river rose."),
        ("2005/01/08 ", "Tsunami aid arrived."),
        ("", "NATO said on May 15: no more."),
        ("", "The African Union (AU) -- which sent troops -- was there."),
        ("", "WASHINGTON -- his home -- was far."),
        ("", "The river rose."),
        ("", "BEIRUT _ "),
    ],
)
def test_a_dateline_is_cut_and_not_counted(front: str, sentence: str) -> None:
    cluster = cluster_of(["Flood", front + sentence, front + sentence])
    headline, cut, left = cut_datelines(cluster).sentences
    assert headline.text == "Flood"
    assert (cut.text, cut.words) == (sentence, len(sentence.split()))
    assert left.text == front + sentence  # a document has one


def test_what_is_cut_is_neither_printed_nor_counted(summc: Run) -> None:
    text = f"PELL CROSSING, Wendmark (EQW) _ {GOOD}\n"
    assert summc("summarize", "-", "-k", 12, stdin=text).out == f"{GOOD}\n"
    kept = summc("summarize", "-", "-k", 12, "--datelines", "kept", stdin=text)
    assert (kept.code, kept.out) == (5, "")


@pytest.mark.parametrize(
    ("rule", "text", "reason"),
    [
        ("fragments", "Dam at Pell Crossing above the town breaks early on Monday", "it does not end as a"),
        (
            "fragments",
            "Dam at Pell Crossing breaks and troops come from the U.S.",
            "it does not end as a sentence",
        ),
        ("questions", "Why did the dam above the town break early on Monday?", "it is a question"),
        ("quotes", "``The dam above the town broke,'' he said early on Monday.", "it opens with a quotation"),
        ("quotes", "« Le barrage au-dessus de la ville a cédé », a dit le maire lundi.", "it opens with a"),
        (
            "unbalanced",
            "The dam broke above the town early on Monday,'' he said.",
            "a quotation or parenthesis is",
        ),
        (
            "unbalanced",
            "The dam (above the town broke early on Monday, he said.",
            "a quotation or parenthesis is",
        ),
        (
            "small-letters",
            "the dam above the town of Pell broke early on Monday.",
            "it begins with a small letter",
        ),
        ("linked", "He said the dam above the town broke early on Monday.", "its first word points back"),
        ("linked", "But the dam above the town had broken early on Monday.", "its first word points back"),
        ("linked", "It's the dam above the town that broke early on Monday.", "its first word points back"),
    ],
)
def test_each_rule_leaves_out_its_sentences_and_can_be_switched_off(
    rule: str, text: str, reason: str
) -> None:
    cluster = cluster_of([GOOD, text])
    tokenized = marked(cluster)
    assert tokenized.candidates == (0,)
    assert Candidates().reason(tokenized, 1).startswith(reason)
    assert Candidates().reason(tokenized, 0) == ""
    others = tuple(other for other in RULES if other not in (rule, "nothing"))
    assert marked(cluster, Candidates(leave_out=others)).candidates == (0, 1)
    assert marked(cluster, Candidates(leave_out=("nothing",), least_words=1)).candidates is None


def test_openings_that_point_back_are_known_of_english_alone() -> None:
    text = "But est le mot que le maire de la ville a prononcé lundi."
    assert marked(cluster_of([GOOD, text], language="fr")).candidates == (0, 1)


def test_length_repetition_and_boilerplate() -> None:
    short, long = "The dam broke.", GOOD.replace(".", " and more.")
    assert marked(cluster_of([GOOD, short])).candidates == (0,)
    longest = Candidates(most_words=12)
    tokenized = marked(cluster_of([GOOD, long]), longest)
    assert tokenized.candidates == (0,)
    assert longest.reason(tokenized, 1) == "it has more than 12 words"
    repeated = marked(cluster_of([GOOD], [GOOD, long]))
    assert repeated.candidates == (0, 2)
    assert repeated.whole == (0, 1, 2)
    assert Candidates().reason(repeated, 1) == "another sentence says the same"
    assert marked(cluster_of([GOOD, long]), Candidates(most_overlap=0.7)).candidates == (0,)
    notice = "All rights to this text are reserved by the owners of the paper."
    assert marked(cluster_of([GOOD, notice], [notice], [notice, long])).candidates == (0, 4)


@given(
    st.lists(st.text("abcdefg", min_size=1, max_size=6), max_size=12), st.sampled_from([0.1, 0.5, 0.7, 0.99])
)
def test_overlap_is_with_any_sentence_that_is_kept(sentences: list[str], most: float) -> None:
    cluster = cluster_of([" ".join(letters) + " ." for letters in sentences])
    tokenized = TokenizedCluster(cluster, tuple(map(tuple, sentences)))
    rules = Candidates(leave_out=("repetitions",), least_words=1, most_overlap=most)
    kept: list[int] = []
    for i, letters in enumerate(sentences):
        own = set(letters)
        if not any(len(own & set(sentences[j])) > most * len(own) for j in kept):
            kept.append(i)
    assert rules.mark(tokenized).candidates == tuple(kept)


def test_overlap_among_very_many_sentences_that_share_a_word() -> None:
    cluster = cluster_of([f"The dam broke in a town called number{i} ." for i in range(20_000)])
    tokenized = TokenizedCluster(cluster, tuple(("dam", f"a{i}", f"b{i}") for i in range(20_000)))
    rules = Candidates(leave_out=("repetitions",), least_words=1, most_overlap=0.7)
    assert rules.mark(tokenized).candidates == tuple(range(20_000))


def test_a_document_without_a_whole_sentence_keeps_all_of_them() -> None:
    tokenized = marked(
        cluster_of(["the dam broke", "people fled"], [GOOD, "Flood"]), Candidates(leave_out=RULES[:1])
    )
    assert tokenized.whole == tokenized.candidates == (0, 1, 2)


def test_rules_that_leave_nothing_are_not_followed_and_say_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        tokenized = marked(cluster_of(["Why did the dam above the town break early on Monday?"]))
    assert tokenized.candidates == (0,)
    assert caplog.messages == ["made: no sentence can stand alone by the rules; all are taken"]


@given(
    st.lists(
        st.lists(st.text("aA .?\"(`'", min_size=1).filter(str.strip), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    ),
    st.sets(st.sampled_from(RULES)),
    st.integers(1, 12),
)
def test_there_is_always_a_candidate(documents: list[list[str]], rules: set[str], least: int) -> None:
    settings = Candidates(leave_out=tuple(sorted(rules)), least_words=least)
    tokenized = marked(cluster_of(*documents), settings)
    count = len(tokenized.cluster.sentences)
    whole = range(count) if tokenized.whole is None else tokenized.whole
    candidates = range(count) if tokenized.candidates is None else tokenized.candidates
    assert candidates
    assert set(candidates) <= set(whole)
    assert list(candidates) == sorted(candidates)


def test_the_rules_stand_in_the_signature() -> None:
    assert Candidates(leave_out=("questions",), least_words=3, most_words=50).signature == (
        "questions,words=3-50,overlap=1"
    )
    assert Candidates(leave_out=(), least_words=1).signature == "all,words=1+,overlap=1"


def test_candidates_survive_in_french() -> None:
    cluster = cluster_of_texts(
        ["Le barrage au-dessus de la ville a cédé tôt lundi matin. Fuite"], language="fr"
    )
    assert preprocess(cluster, Config()).candidates == (0,)


@given(st.text("ab 河城。 ", max_size=20), st.integers(0, 8))
def test_a_text_cut_at_words_is_the_longest_that_counts_no_more(text: str, most: int) -> None:
    cut = first_words(text, most)
    assert count_words(cut) == min(most, count_words(text))
    assert "".join(text.split()).startswith("".join(cut.split()))


def test_a_sentence_does_not_end_after_a_major() -> None:
    text = "The warden of the prison, Maj. David Kane, was heard on Monday."
    assert split_sentences(text, "en") == [text]
