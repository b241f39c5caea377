"""Several stories in one folder: they are found, titled, summarized separately, or told apart by labels."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc import load as load_all
from summc import summarize
from summc.config import Config
from summc.datasets import read
from summc.documents.sources import cluster_of_texts, load
from summc.method import preprocess, reading_prices
from summc.preprocess import topics
from summc.preprocess.names import share_names
from summc.preprocess.order import numbered
from summc.preprocess.terms import stop_terms
from summc.preprocess.topics import (
    by_topic,
    document_vectors,
    similarities,
    stories_in,
    title_of,
    unique_slug,
)
from summc.records import Cluster, Document, Sentence, TokenizedCluster
from tests.conftest import ROOT, SAMPLE, Cli
from tests.preprocess import CASES
from tests.support.depth import is_deep
from tests.support.sessions import check

MULTILING = ROOT.parent / "shared" / "data" / "multiling2011"
REAL = ROOT.parent / "shared" / "data" / "real"

#: Three stories of three reports, each a paragraph.
REPORTS = Path(__file__).with_name("stories.txt").read_text()
VOLCANO, CHESS, FERRY = (story.split("\n\n") for story in REPORTS.split("\n\n\n"))
STORIES = {"volcano": VOLCANO, "chess": CHESS, "ferry": FERRY}


def text_of(texts: Sequence[str]) -> TokenizedCluster:
    return preprocess(cluster_of_texts(texts), Config().with_settings({"weighting": "position"}))


def groups(text: TokenizedCluster) -> list[tuple[int, ...]]:
    return list(stories_in(text, stop_terms("porter", text.cluster.language)))


def load_texts(sources: str | dict[str, str]) -> Cluster:
    (cluster,) = load_all(sources)
    return cluster


@pytest.fixture
def mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with three reports on each of two stories and two on a third, and work beside it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "news"
    folder.mkdir()
    for number in range(3):
        for name, texts in STORIES.items():
            if (name, number) != ("ferry", 2):
                (folder / f"{number}-{name}.txt").write_text(texts[number] + "\n")
    return folder


# Groups


def test_stories_are_found_in_any_order() -> None:
    texts = [text for story in STORIES.values() for text in story]
    assert groups(text_of(texts)) == [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    for seed in range(5):
        order = random.Random(seed).sample(range(9), 9)
        found = groups(text_of([texts[i] for i in order]))
        assert sorted(sorted({order[i] // 3 for i in each}) for each in found) == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (VOLCANO, [(0, 1, 2)]), (CHESS, [(0, 1, 2)]), (FERRY, [(0, 1, 2)]), (VOLCANO[:1], [(0,)]),
        ([VOLCANO[0], CHESS[0], FERRY[0]], [(0,), (1,), (2,)]),
        ([CHESS[0], *FERRY, VOLCANO[0]], [(1, 2, 3), (0,), (4,)]),  # by size, then by first document
        ([*VOLCANO, "The.", "It is."], [(0, 1, 2), (3,), (4,)]),  # documents without words
    ],
)  # fmt: skip
def test_documents_about_the_same_are_one_group(texts: list[str], found: list[tuple[int, ...]]) -> None:
    assert groups(text_of(texts)) == found


def test_documents_are_grouped_by_bigrams_if_bigrams_are_covered() -> None:
    bigrams = Config().with_settings({"concepts": "bigrams"})
    vectors = document_vectors(preprocess(cluster_of_texts([*VOLCANO, *CHESS]), bigrams))
    assert all(" " in vectors.terms[a] for a in vectors.term.tolist())
    assert vectors.documents == 6


def test_few_and_many_documents_get_the_same_similarities(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = document_vectors(text_of([*VOLCANO, *CHESS, *FERRY]))
    few = similarities(vectors)
    monkeypatch.setattr(topics, "FEW_DOCUMENTS", 0)
    monkeypatch.setattr(topics, "_ROWS", 4)
    assert np.allclose(similarities(vectors), few, atol=1e-6)
    assert few.max() > 0


def plainly_linked(similar: np.ndarray, threshold: float) -> set[frozenset[int]]:
    """Return the same groups by a plain method that computes all means again before each merge."""
    found = [frozenset({i}) for i in range(len(similar))]
    while True:
        means = {}
        for a, b in itertools.combinations(sorted(found, key=min), 2):
            pairs = len(a) * len(b)
            mean = sum(float(similar[i, j]) for i in a for j in b) / pairs
            if mean >= max(threshold, 0.2 / pairs**0.5):
                means[a, b] = mean
        if not means:
            return set(found)
        a, b = max(means, key=lambda pair: means[pair])
        found = [each for each in found if each not in (a, b)] + [a | b]


@given(st.integers(2, 12), st.integers(0, 10**6), st.floats(0.05, 0.5))
def test_linkage_matches_plain_enumeration(size: int, seed: int, threshold: float) -> None:
    square = np.random.default_rng(seed).random((size, size)) ** 2
    similar = ((square + square.T) / 2).astype(np.float32)
    labels = topics.linked(similar.copy(), threshold).tolist()
    found = {frozenset(i for i, label in enumerate(labels) if label == each) for each in labels}
    assert found == plainly_linked(similar, threshold)


def test_the_clusters_of_the_sample_are_found_again_in_a_mixture() -> None:
    clusters = list(load([SAMPLE]))

    def comes_back(*some: Cluster) -> bool:
        return mixture(some) == {frozenset(each.id for each in cluster.documents) for cluster in some}

    assert all(map(comes_back, clusters))
    assert comes_back(*clusters)
    # Two stories are about the sea, and their words alone do not separate them.
    assert sum(not comes_back(*pair) for pair in itertools.combinations(clusters, 2)) <= 1


def mixture(clusters: Sequence[Cluster]) -> set[frozenset[str]]:
    """Return the ids of the documents of each story in the shuffled documents of several clusters."""
    documents = [document for cluster in clusters for document in cluster.documents]
    random.Random(7).shuffle(documents)
    cluster = Cluster("all", tuple(numbered(documents)), language=clusters[0].language)
    text = preprocess(cluster, Config())
    return {frozenset(text.cluster.documents[i].id for i in each) for each in groups(text)}


@pytest.mark.skipif(not MULTILING.exists(), reason="MultiLing 2011 is not here")
@pytest.mark.parametrize("language", ["en", "fr", "cs", "ar", "he"])
def test_the_topics_of_multiling_are_found_again(language: str) -> None:
    every = read(str(MULTILING), [], language=language)
    clusters = list(every if is_deep() or language == "en" else itertools.islice(every, 3))
    for cluster in clusters if is_deep() else clusters[:3]:
        assert preprocess(cluster, Config()).cluster.stories == 1
    if language == "en":
        story = {document.id: cluster.id for cluster in clusters for document in cluster.documents}
        found = [{story[name] for name in each} for each in mixture(clusters)]
        assert all(len(each) == 1 for each in found)
        assert len(found) <= len(clusters) + 1


# Titles


def words(text: str) -> list[tuple[str, str]]:
    """Return the words of a sentence, each with its term: here the word in lower case."""
    return [(word.lower(), word) for word in text.split()]


@pytest.mark.parametrize(("terms", "sentences", "title"), CASES["titles"])
def test_titles_join_the_heaviest_words(terms: list[str], sentences: list[str], title: str) -> None:
    assert title_of(terms, list(map(words, sentences))) == title


def test_slugs_are_unique() -> None:
    taken: Counter[str] = Counter()
    titles = ["Mount Serrat, ash", "Mount Serrat ash", "Mount Serrat, ash 2", "Été, à Lyon", "!", "?"]
    found = [unique_slug(title, taken) for title in titles]
    assert found[0] == "mount-serrat-ash"
    assert found[3:5] == ["été-à-lyon", "untitled"]
    assert len(set(found)) == len(found)


def test_a_story_has_the_documents_of_its_cluster_but_not_the_references() -> None:
    cluster = replace(cluster_of_texts([VOLCANO[0], *CHESS, *VOLCANO[1:]]), references=("Two stories.",))
    stories = list(by_topic([cluster], Config().preprocessor))
    assert [[document.id for document in each.documents] for each in stories] == [
        [cluster.documents[i].id for i in places] for places in ((0, 4, 5), (1, 2, 3))
    ]
    for each in stories:
        assert each.references == ()
        assert [s.document for s in each.sentences] == sorted(s.document for s in each.sentences)
        assert {s.document for s in each.sentences} == {0, 1, 2}


# The command


def test_session(summc: Cli, mixed: Path) -> None:
    check(summc, mixed.parent, "stage2.txt")


def test_each_story_has_a_heading_and_a_summary(summc: Cli, mixed: Path) -> None:
    result = summc("summarize", "--by-topic", "-k", 20, "--must", "resigned after forty moves", mixed)
    assert (result.code, result.err) == (0, "")
    titles = [
        "news: Ilka Toldi, chess, Norhaven (3 documents)",
        "news: Mount Serrat, Belmira, eruption (3 documents)",
        "news: electric ferries, Greyport, harbor (2 documents)",
    ]
    assert [story.splitlines()[0] for story in result.out.split("\n\n")] == [f"==> {t} <==" for t in titles]
    assert result.out.count("resigned after forty moves") == 1
    quick = ("summarize", "--by-topic", "--selector", "g-greedy", mixed, "-k")
    markdown = summc(*quick, 20, "--format", "md").out
    assert [line for line in markdown.splitlines() if line.startswith("#")] == [f"## {t}" for t in titles]
    several = summc(*quick, "15,30").out
    assert several.count("documents), K = 15 <==") == several.count("documents), K = 30 <==") == 3
    page = summc(*quick, "15,30", "--format", "html").out
    assert "<h1>3 summaries</h1>" in page
    assert page.count("Toldi") > 3


def test_json_has_title_and_documents(summc: Cli, mixed: Path) -> None:
    quick = ("--by-topic", "--selector", "g-greedy", mixed, "-k", 20, "--format")
    found = json.loads(summc("summarize", *quick, "json").out)
    lines = summc("summarize", *quick, "jsonl").out.splitlines()
    assert list(map(json.loads, lines)) == found
    assert [each["documents"] for each in found] == [
        [f"{number}-{name}.txt" for number in range(size)]
        for name, size in (("chess", 3), ("volcano", 3), ("ferry", 2))
    ]
    assert found[0]["id"] == "news/ilka-toldi-chess-norhaven"
    assert found[0]["title"] == "Ilka Toldi, chess, Norhaven"
    assert "|grouped:by-topic|" in found[0]["signature"]
    explained = json.loads(summc("explain", *quick, "json").out)
    assert [each["id"] for each in explained] == [each["id"] for each in found]
    without = json.loads(summc("summarize", "-q", *quick[1:], "json").out)
    assert not {"title", "documents"} & without.keys()
    assert "grouped" not in without["signature"]


def test_more_documents_than_can_be_compared_are_refused(
    summc: Cli, mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "MOST_DOCUMENTS", 7)
    result = summc("summarize", "--by-topic", mixed)
    problem = "news has 8 documents, and at most 7 can be grouped"
    assert (result.code, result.out) == (2, "")
    assert result.err == f"error: --by-topic: {problem}; split the folder\n"


# Labels


def test_a_large_folder_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "FEW_DOCUMENTS", 6)
    assert text_of([*VOLCANO, *CHESS, *FERRY]).cluster.stories == 3
    ends = ("The ash fell.", "The lava came.", "People left.")
    assert text_of([f"{text} {end}" for text in VOLCANO for end in ends]).cluster.stories == 1


@pytest.mark.parametrize(
    ("titles", "speaker", "stories"),
    [
        (["", "", ""], "Ada", 1), (["Tea", "Tea", "Tea"], "", 1), (["Tea", "Tea", "Rain"], "", 2),
        (["", "", ""], "", 3),  # as reviews in a table
    ],
)  # fmt: skip
def test_messages_of_a_file_are_one_story_unless_their_titles_differ_or_nobody_speaks(
    titles: list[str], speaker: str, stories: int
) -> None:
    cluster = cluster_of_texts([VOLCANO[0], CHESS[0], FERRY[0]])
    named = zip(cluster.documents, ("mail#1", "mail#2", "mail#3"), titles, strict=True)
    documents = tuple(
        replace(d, id=id_, title=title, sentences=tuple(replace(s, speaker=speaker) for s in d.sentences))
        for d, id_, title in named
    )
    found = preprocess(replace(cluster, documents=documents), Config()).cluster
    assert found.stories == stories


def unmarked(text: str, home: dict[str, str]) -> list[tuple[str, str]]:
    """Return the neighbours of different documents without a label between them; ``home``: by sentence."""
    pairs = itertools.pairwise(text.splitlines())
    return [(a, b) for a, b in pairs if a in home and b in home and home[a] != home[b]]


@given(st.integers(2, 3).flatmap(lambda n: st.permutations(list(STORIES)).map(lambda names: names[:n])),
       st.integers(0, 2), st.integers(20, 120), st.sampled_from(["auto", "always"]))  # fmt: skip
def test_different_stories_never_stand_side_by_side_unmarked(
    names: list[str], number: int, budget: int, labels: str
) -> None:
    made = summarize({name: STORIES[name][number] for name in names}, budget, config={"labels": labels})
    home = {sentence.text: sentence.document for sentence in made.sentences}
    assert made.cluster.stories == len(names)
    assert not unmarked(made.text, home)
    assert [line for line in made.text.splitlines() if line in home] == [s.text for s in made.sentences]
    assert made.words <= budget
    flowing = summarize({name: STORIES[name][number] for name in names}, budget, config={"labels": "never"})
    assert flowing.text == "\n".join(sentence.text for sentence in flowing.sentences)


def test_labels_are_titles_or_who_and_when_or_files() -> None:
    texts = {"a.txt": f"Ash on Belmira\n\n{VOLCANO[0]}", "b.txt": CHESS[0], "c.txt": FERRY[0]}
    cluster = load_texts(texts)
    a, b, c = cluster.documents
    said = tuple(replace(sentence, speaker="Ida Holm") for sentence in c.sentences)
    long = replace(b, title="Chess in Norhaven, " * 9)
    documents = (replace(a, title="Ash on Belmira"), long, replace(c, sentences=said, date="2031-05-08"))
    made = summarize(replace(cluster, documents=documents), 100, order="given").text.splitlines()
    found = [line for line in made if line.startswith("[")]
    assert found == [
        "[Ash on Belmira]", f"[{'Chess in Norhaven, ' * 3}Chess in …]", "[Ida Holm, 8 May 2031]",
    ]  # fmt: skip


RULES = """# Rules of the Norhaven ferry

The harbor of Norhaven has a ferry for everybody.

## Until 1 May

Dogs of every size travel free on the ferry across the harbor.

## From 1 May

Dogs of every size pay four crowns on the ferry across the harbor.
"""


@pytest.mark.parametrize(("labels", "expected"), [
    ("auto", ["[Rules of the Norhaven ferry]", "", "[Until 1 May]", "", "[From 1 May]", ""]),
    ("never", ["", "", ""]),
])  # fmt: skip
def test_sections_that_contradict_each_other_are_told_apart_by_their_headings(
    tmp_path: Path, labels: str, expected: list[str]
) -> None:
    (tmp_path / "rules.md").write_text(RULES)
    made = summarize(tmp_path / "rules.md", 40, config={"labels": labels})
    assert [line if line.startswith("[") else "" for line in made.text.splitlines()] == expected
    assert [sentence.get("heading") for sentence in made.to_dict()["sentences"]] == [
        None, "Until 1 May", "From 1 May"
    ]  # fmt: skip


def test_sentences_of_one_section_stand_under_its_heading(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("# Pets\n\n## Not allowed\n\nDogs of any size are on the ferry.\n")
    expected = "[Pets]\n[Not allowed]\nDogs of any size are on the ferry."
    assert summarize(tmp_path / "rules.md", 8).text == expected


def test_a_heading_that_recurs_stands_behind_the_one_above_it() -> None:
    texts = ["Ferries", "They run.", "Spring", "Fares", "They rise.", "Autumn", "Fares", "They fall."]
    kinds = ["heading", "prose", "heading", "heading", "prose", "heading", "heading", "prose"]
    pairs = enumerate(zip(texts, kinds, strict=True))
    sentences = tuple(Sentence(0, i, text, len(text.split()), kind=kind) for i, (text, kind) in pairs)
    headings = Document("a", sentences, title="Ferries").headings
    assert [headings[i] for i in (1, 4, 7)] == ["", "Spring: Fares", "Autumn: Fares"]


def test_a_heading_of_one_word_stands_behind_that_of_the_section_around_it(tmp_path: Path) -> None:
    parts = "[2.1] - 2031-02-05\n### Fixed\n- a\n", "[2.0] - 2031-01-03\n**Gone:**\n- b\n\n### Fixed\n- c\n"
    (tmp_path / "news.md").write_text("\n## ".join(["# News", *parts]))
    ((document,),) = (cluster.documents for cluster in load([tmp_path / "news.md"]))
    labels = [h for h, s in zip(document.headings, document.sentences, strict=True) if s.text in "abc"]
    assert labels == ["2.1 - 2031-02-05: Fixed", "2.0 - 2031-01-03: Gone", "2.0 - 2031-01-03: Fixed"]


def test_sections_of_documents_that_tell_one_story_have_no_labels(tmp_path: Path) -> None:
    for number, story in enumerate(VOLCANO[:3]):
        (tmp_path / f"{number}.md").write_text(f"# Ash\n\n{story}\n\n## Later\n\n{story}\n")
    assert "[" not in summarize(tmp_path, 80).text


POLICY = """# Privacy

The {} app keeps no names, no addresses and no numbers of its users, and it never did so in the past.
What you write in the app stays on your telephone, because the app has no server that could store it.
We may change this policy from time to time, and then a notice stands in the app for at least a month.
Children under thirteen may use the app with their parents, and we ask nobody for an age or a picture.
If you have questions about this policy, write to us, and {} will send you an answer within some days.
"""


def test_texts_of_one_genre_without_a_common_name_are_several_stories(tmp_path: Path) -> None:
    for name, author in (("dam", "Ada Lowe"), ("mill", "Ben Okoro"), ("ferry", "Cora Lindt")):
        (tmp_path / f"{name}.md").write_text(POLICY.format(name.capitalize(), author))
    made = summarize(tmp_path, 80)
    labels = [line for line in made.text.splitlines() if line.startswith("[")]
    assert labels == ["[Privacy (dam.md)]", "[Privacy (ferry.md)]", "[Privacy (mill.md)]"]
    documents = load_all([tmp_path])[0].documents
    assert not share_names(documents)
    same = [replace(d, sentences=documents[0].sentences) for d in documents]
    assert share_names(same)


def test_one_name_in_common_is_no_sign_that_rules_are_about_the_same(tmp_path: Path) -> None:
    for name, author in (("dam", "the HR of Ada Lowe"), ("mill", "the HR of Ben Okoro")):
        policy = POLICY.format(name.capitalize(), author).replace("We may", "\n## Changes\n\nWe may")
        (tmp_path / f"{name}.md").write_text(policy)
    assert not share_names(load_all([tmp_path])[0].documents)


def test_each_document_has_a_sentence_before_any_has_two() -> None:
    texts = {name: story[0] for name, story in STORIES.items()}
    chosen = [sentence.document for sentence in summarize(texts, 60).sentences]
    assert set(chosen) == {*STORIES}
    run = summarize(texts, 60).run
    prices = reading_prices(run.graph, run.tokenized, run.config.select)
    assert prices is not None
    home = run.summary.cluster.document_of[run.graph.sentence_ids].tolist()
    leads = [home.index(document) for document in range(3)]
    names = [[fault.name for fault in prices.faults(chosen)] for chosen in ([0, 1], [0, 1, *leads[1:]])]
    assert [each.count("crowded") for each in names] == [1, 0]


def test_the_stages_write_the_labels_of_summarize(summc: Cli, mixed: Path) -> None:
    lines = summc("load", mixed).out
    for stage in ("preprocess", "weigh", "graph", "select"):
        lines = summc(stage, stdin=lines).out
    whole = summc("summarize", mixed)
    assert whole.out == summc("render", stdin=lines).out
    assert whole.out.startswith("[")
    found = json.loads(summc("summarize", mixed, "--format", "json").out)
    assert (found["stories"], found["text"] + "\n") == (3, whole.out)
    markdown = summc("summarize", mixed, "--format", "md").out
    assert all(f"({sentence['document']})" in markdown for sentence in found["sentences"])


@pytest.mark.skipif(not REAL.exists(), reason="the real texts are not here")
@pytest.mark.parametrize(
    ("folder", "stories"),
    [("postmortems", 25), ("mixed", 5), ("handbook", 10), ("mattermost-handbook", 5), ("lisbon", 1),
     ("xz-backdoor", 1)],
)  # fmt: skip
def test_real_folders_of_different_stories_have_no_unmarked_neighbours(folder: str, stories: int) -> None:
    made = summarize(REAL / folder)
    assert made.cluster.stories == stories
    home = {sentence.text: sentence.document for sentence in made.sentences}
    assert stories == 1 or not unmarked(made.text, home)
