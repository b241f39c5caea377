"""Which sentences may be chosen, and which parts of them are cut off."""

from __future__ import annotations

import dataclasses
import json
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summc.config import Config
from summc.documents.kinds import with_kinds
from summc.documents.raw import RawDocument, paragraph_blocks
from summc.documents.sentences import make_document, split_sentences
from summc.documents.sources import cluster_of_texts
from summc.method import preprocess
from summc.preprocess.candidates import RULES, Candidates
from summc.preprocess.order import cut_datelines, in_order_of_dates
from summc.records import Cluster, ConceptIndex, Document, Sentence, TokenizedCluster
from summc.system.resources import linked_words
from summc.text.dates import date_of
from summc.text.numbers import count_words, first_words
from tests.conftest import ROOT, SAMPLE, Cli
from tests.preprocess import CASES

GOOD = "The dam above the town of Pell Crossing broke early on Monday."


#: All rules except "nothing".
EVERY = RULES[:-1]


def cluster_of(*documents: list[str], language: str = "en") -> Cluster:
    """Return a cluster of documents that are given as lists of sentences."""
    made = list[Document]()
    for d, texts in enumerate(documents):
        sentences = [Sentence(d, p, text, count_words(text)) for p, text in enumerate(texts)]
        made.append(Document(f"{d}", tuple(with_kinds(sentences, language))))
    return Cluster("made", tuple(made), language=language)


def marked(cluster: Cluster, candidates: Candidates | None = None) -> TokenizedCluster:
    tokens = tuple(tuple(sentence.text.lower().split()) for sentence in cluster.sentences)
    return (candidates or Candidates()).mark(TokenizedCluster(cluster, ConceptIndex.of(tokens)))


RIVER = "The river rose."


@pytest.mark.parametrize(("front", "sentence"), CASES["datelines"])
def test_a_dateline_is_cut_and_not_counted(front: str, sentence: str) -> None:
    cluster = cluster_of(["Flood", front + sentence, front + sentence])
    headline, cut, left = cut_datelines(cluster).sentences
    assert headline.text == "Flood"
    assert (cut.text, cut.words) == (sentence, len(sentence.split()))
    assert left.text == front + sentence  # only the first dateline of a document is cut


def test_a_headline_that_looks_like_a_dateline_hides_no_dateline() -> None:
    cluster = cluster_of(["URGENT - Dam breaks", f"PELL CROSSING, March 17 (EQW) - {RIVER}"])
    assert [s.text for s in cut_datelines(cluster).sentences] == ["URGENT - Dam breaks", RIVER]


@pytest.mark.parametrize(("rule", "text", "reason"), CASES["rules"])
def test_each_rule_leaves_out_its_sentences_and_can_be_switched_off(
    rule: str, text: str, reason: str
) -> None:
    cluster, alone = cluster_of([GOOD, text]), Candidates(leave_out=(rule,))
    made = marked(cluster, alone)
    assert made.candidates == (0,)
    assert alone.reason(made, 1) == reason
    assert alone.reason(made, 0) == ""
    others = tuple(other for other in EVERY if other != rule)
    assert marked(cluster, Candidates(leave_out=others)).candidates == (0, 1)
    assert marked(cluster).candidates == (0, 1)  # by default it only has a price
    assert marked(cluster, Candidates(leave_out=("nothing",))).candidates is None


@pytest.mark.parametrize(("text", "language", "stays"), CASES["points_back"] + CASES["half_quotations"])
def test_linked_sentences_and_half_quotations_are_recognised_by_language(
    text: str, language: str, stays: bool
) -> None:
    made = marked(cluster_of([GOOD, text], language=language), Candidates(leave_out=EVERY))
    assert made.candidates == ((0, 1) if stays else (0,))


@pytest.mark.parametrize("marks", ['""', "“”", "„“", "””", "«»", "»«", "「」"])
def test_a_sentence_within_a_quotation_is_left_out(marks: str) -> None:
    within = "The dam was never as strong as the company told us."
    said = (
        f"{marks[0]}We are lost. {within} Nobody will pay for it now,{marks[1]} said the mayor of the town."
    )
    rules = Candidates(leave_out=EVERY)
    for language in ("en", "sw"):  # English is split within quotations, Swahili need not be
        cluster = cluster_of_texts([f"{GOOD}\n\n{said} {GOOD[:-1]} again."], language=language)
        chosen = [cluster.sentences[i].text for i in marked(cluster, rules).candidates or ()]
        assert chosen == [GOOD, f"{GOOD[:-1]} again."]
    cluster = cluster_of_texts([f"{GOOD}\n\n{said}"])
    index = [sentence.text for sentence in cluster.sentences].index(within)
    assert rules.reason(marked(cluster, rules), index) == "it stands within a quotation"
    others = Candidates(leave_out=tuple(rule for rule in EVERY if rule != "quotes"))
    assert index in (marked(cluster, others).candidates or ())
    # A quotation mark that is not closed affects only its own sentence.
    slip = f"The mayor said {marks[0]}the dam broke early on Monday. {GOOD} {GOOD[:-1]} again."
    assert marked(cluster_of_texts([f"{slip}\n\n{GOOD[:-1]} too."]), rules).candidates == (1, 2, 3)


def test_the_lists_of_words_that_point_back_are_well_formed() -> None:
    lines = (ROOT / "summc" / "system" / "resources" / "linked.txt").read_text().splitlines()
    for line in lines:
        code, *words = line.split()
        assert linked_words(code) == frozenset(words)
        assert len(words) == len(set(words))
        assert words == [word.lower() for word in words]
    assert linked_words("sw") == frozenset()


def test_long_repeated_and_boilerplate_sentences_are_left_out() -> None:
    long = GOOD.replace(".", " and more.")
    longest = Candidates(most_words=12)
    text = marked(cluster_of([GOOD, long]), longest)
    assert text.candidates == (0,)
    assert longest.reason(text, 1) == "it has more than 12 words"
    assert longest.signature.endswith("+apparatus,words=1-12,overlap=1")
    repeated = marked(cluster_of([GOOD], [GOOD, long]))
    assert repeated.candidates == (0, 2)
    assert repeated.whole == (0, 1, 2)
    assert Candidates().reason(repeated, 1) == "it repeats sentence 1 of 0"
    apart = Candidates(most_overlap=0.7)
    overlapping = marked(
        cluster_of(["The mayor of the town had called for help twice."], [GOOD, long]), apart
    )
    assert overlapping.candidates == (0, 1)
    assert apart.reason(overlapping, 2) == "more than 70% of what it holds stands in sentence 1 of 1"
    notice = "All rights to this text are reserved by the owners of the paper."
    noticed = marked(cluster_of([GOOD, notice], [notice], [notice, long]))
    assert noticed.candidates == (0, 4)
    assert {Candidates().reason(noticed, i) for i in (1, 2, 3)} == {"it stands word for word in 3 documents"}
    others = ([GOOD.replace("Monday", day)] for day in ("Tuesday", "Friday", "Saturday", "Sunday"))
    few = marked(cluster_of([notice], [notice], [notice], *others))  # in less than half of the documents
    assert 0 in (few.candidates or ())
    # Boilerplate in slightly other words is left out as well.
    cluster = cluster_of([GOOD, notice], [notice], [notice, notice.replace("the owners", "owners")])
    tokens = ConceptIndex.of([("dam",), *[("right", "owner")] * 4])
    reworded = Candidates().mark(TokenizedCluster(cluster, tokens))
    assert reworded.candidates == (0,)
    assert Candidates().reason(reworded, 4) == "it repeats sentence 2 of 0"


@pytest.mark.parametrize("overlap", [1.0, 0.7])
def test_repeating_a_sentence_that_cannot_be_chosen_is_allowed(overlap: float) -> None:
    said = "The dam above the town broke early on Monday, the mayor said."
    other = "Nobody knew why so much water had come from hills upstream."
    cluster = cluster_of([f'"{said[:44]}" {said[45:]}', other], [said], [said])
    tokens = tuple(tuple(re.findall(r"\w+", sentence.text.lower())) for sentence in cluster.sentences)
    rules = Candidates(leave_out=EVERY, most_overlap=overlap)
    text = rules.mark(TokenizedCluster(cluster, ConceptIndex.of(tokens)))
    assert tokens[0] == tokens[2]
    assert text.candidates == (1, 2)
    assert rules.reason(text, 3) == "it repeats sentence 1 of 1"


@given(
    st.lists(st.text("abcdefg", min_size=1, max_size=6), max_size=12), st.sampled_from([0.1, 0.5, 0.7, 0.99])
)
def test_overlap_is_measured_against_every_kept_sentence(sentences: list[str], most: float) -> None:
    cluster = cluster_of([" ".join(letters) + " ." for letters in sentences])
    text = TokenizedCluster(cluster, ConceptIndex.of(sentences))
    rules = Candidates(leave_out=("repetitions",), most_overlap=most)
    kept: list[int] = []
    for i, letters in enumerate(sentences):
        own = set(letters)
        if not any(len(own & set(sentences[j])) > most * len(own) for j in kept):
            kept.append(i)
    assert rules.mark(text).candidates == tuple(kept)


def test_sentences_that_share_only_a_frequent_word_are_not_compared() -> None:
    size = 20_000
    alike = cluster_of(["The dam broke in a town called Orle."]).documents[0].sentences * size
    cluster = Cluster("x", (Document("x", alike),))
    # Every second one shares a rare concept with the one before, and repeats it.
    text = TokenizedCluster(cluster, ConceptIndex.of([("dam", f"a{i // 2}", f"b{i}") for i in range(size)]))
    start = time.process_time()
    rules = Candidates(leave_out=("repetitions",), most_overlap=0.5)
    assert rules.mark(text).candidates == tuple(range(0, size, 2))
    assert time.process_time() - start < 10  # minutes if all that share the dam were compared


@pytest.mark.parametrize("rules", [EVERY, ("nothing",), ()])
@pytest.mark.parametrize(
    ("limits", "left_out", "kept", "reason"),
    [
        ({"most_words": 5}, GOOD, "The dam broke.", "it has more than 5 words"),
        ({"least_words": 12}, "A dam broke near Medrin early on Monday.", GOOD, "it has fewer than 12 words"),
    ],
)
def test_sentences_of_another_length_are_used_only_if_there_is_no_other(
    rules: tuple[str, ...], limits: dict[str, int], left_out: str, kept: str, reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    asked = Candidates(leave_out=rules, **limits)  # type: ignore[arg-type]
    text = marked(cluster_of([left_out], [kept]), asked)
    assert (text.candidates, asked.reason(text, 0)) == ((1,), reason)
    assert not caplog.records
    assert marked(cluster_of([left_out]), asked).candidates == (0,)
    assert caplog.messages == ["made: the rules leave no sentence; all are taken"]


@pytest.mark.parametrize(
    ("second", "is_date"),
    [
        ("Saturday, 8 January 2005.", True), ("السبت 8 يناير 2005.", True), ("שבת, ה-8 בינואר, 2005", True),
        ("2005-01-08", True), ("The first crack was seen on 8 January 2005.", False),
        ("In 2005 it was new.", False), ("Background", False),
    ],
)  # fmt: skip
def test_the_line_above_a_date_is_a_headline_even_with_a_full_stop(second: str, is_date: bool) -> None:
    def kinds(*below: str) -> list[str]:
        raw = RawDocument("a", paragraph_blocks([GOOD, second, *below]), "a")
        return [s.kind for s in make_document(raw, 0, "en").sentences[:2]]

    days = [GOOD.replace("Monday", day) for day in ("Tuesday", "Friday")]
    assert (kinds(*days) == ["headline", "date"]) == is_date
    assert kinds()[0] == "prose"  # there is no text below


def test_in_a_document_without_a_whole_sentence_all_sentences_count() -> None:
    text = marked(cluster_of(["the dam broke", "people fled"], [GOOD, "Flood"]))
    assert text.whole == (0, 1, 2)
    assert text.candidates == (0, 1, 2, 3)


@given(st.text("ab 河城。 ", max_size=20), st.integers(0, 8))
@example("城a城 a。a城", 5)  # one more character adds two words
def test_a_text_cut_at_words_is_the_longest_within_the_limit(text: str, most: int) -> None:
    pieces = [text[:end] for end in range(len(text) + 1)]
    longest = max((piece for piece in pieces if count_words(piece) <= most), key=len)
    assert first_words(text, most).split() == longest.split()
    assert first_words("河" * 10_000, 100) == "河" * 100


@pytest.mark.parametrize(("text", "language"), CASES["sentence_ends"])
def test_where_sentences_end(text: str, language: str) -> None:
    assert split_sentences(text.replace("| ", ""), language) == text.split(" | ")


# The order of documents


def dated(names: list[str], fronts: list[str], language: str = "en") -> Cluster:
    cluster = cluster_of(*([front, GOOD] for front in fronts), language=language)
    documents = (dataclasses.replace(d, id=name) for d, name in zip(cluster.documents, names, strict=True))
    return dataclasses.replace(cluster, documents=tuple(documents))


@pytest.mark.parametrize(("name", "front", "language", "date"), CASES["dates"])
def test_the_date_of_a_document(name: str, front: str, language: str, date: str) -> None:
    (document,) = dated([name], [front or GOOD], language).documents
    assert date_of(document, language) == date


def test_documents_are_read_by_date() -> None:
    fronts = ["Monday, May 5, 2003", "Sunday, May 4, 2003", "Sunday, May 4, 2003"]
    cluster = dated(["a", "b", "c"], fronts)
    ordered = in_order_of_dates(cluster)
    assert [document.id for document in ordered.documents] == ["b", "c", "a"]
    assert [(s.document, s.position) for s in ordered.sentences] == [(d, p) for d in range(3) for p in (0, 1)]
    assert preprocess(cluster, Config()).cluster == ordered
    given = preprocess(cluster, Config().with_settings({"order": "given"})).cluster
    dates = {"a": "2003-05-05", "b": "2003-05-04", "c": "2003-05-04"}
    assert {document.id: document.date for document in given.documents} == dates
    assert given.sentences == cluster.sentences
    undated = dated(["b", "a"], ["A day in May", "Another"])
    assert in_order_of_dates(undated) == undated


@pytest.mark.parametrize("order", ["dates", "given"])
def test_a_summary_follows_the_order_of_dates(summc: Cli, order: str) -> None:
    folder = SAMPLE / "docs" / "d90004t"
    quick = ("--selector", "g-greedy", "--format", "jsonl")
    made = json.loads(summc("summarize", folder, *quick, "--order", order).out)
    names = [sentence["document"] for sentence in made["sentences"]]
    dates = [name[3:11] for name in names]
    assert (dates == sorted(dates)) == (order == "dates")
    assert (names == sorted(names)) == (order == "given")
    assert ("|order:dates|" in made["signature"]) == (order == "dates")
    assert [sentence["date"].replace("-", "") for sentence in made["sentences"]] == dates
    line = summc("preprocess", "--order", order, stdin=summc("load", folder).out).out
    assert '"date": "2032-03-09"' in line
    assert summc("preprocess", "--order", order, stdin=line).out == line
    wrong = summc("weigh", stdin=line.replace("2032-03-09", "\\u001b[2J"))
    assert "].date: must be a date such as 2005-01-08" in wrong.err
