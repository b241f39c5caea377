"""DUC 2003 to 2007: documents, references, question and systems of every cluster."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from summc.datasets import locate, read, read_raw
from summc.datasets.peers import read_peers
from summc.documents.duc import read_topics
from summc.documents.formats.sgml import is_topics_file
from summc.errors import InputError
from tests.conftest import Cli
from tests.support import duc_trees
from tests.support.cases import read_cases
from tests.support.duc_trees import LAYOUTS, QUESTION, YEAR_2005, YEAR_2006, YEARS, Year
from tests.support.writers import write_files

CASES = read_cases("documents/cases/datasets.toml")


# Every cluster is complete


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("year", YEARS, ids=lambda year: year.name)
def test_clusters_have_documents_references_and_a_question(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, year: Year, layout: Callable[[Path, Year], Path]
) -> None:
    folder = layout(tmp_path / year.name.upper(), year)
    clusters = list(read(year.name, [tmp_path]))
    assert [cluster.id for cluster in clusters] == list(year.clusters)
    for cluster in clusters:
        assert sorted(document.id for document in cluster.documents) == sorted(year.documents)
        assert {document.date for document in cluster.documents} == {"1999-07-07"}
        assert len(cluster.references) == len(year.writers)
        assert cluster.references[-1] == f"Writer {year.writers[-1]}: the flood reached the lower valley."
        assert cluster.query == QUESTION
        assert not any("update task" in sentence.text for sentence in cluster.sentences)
    assert caplog.messages == []
    assert list(read(str(folder), [])) == clusters


def test_years_that_share_a_folder_are_kept_apart(tmp_path: Path) -> None:
    for year in YEARS:
        duc_trees.as_nist_ships_it(tmp_path / "corpora", year)
    for year in YEARS:
        assert locate(year.name, [tmp_path / "corpora"]) == tmp_path / "corpora"
        clusters = read_raw(year.name, [tmp_path / "corpora"])
        assert [cluster.id for cluster in clusters] == list(year.clusters)
        assert {len(cluster.references) for cluster in clusters} == {len(year.writers)}


def test_stray_files_hide_no_cluster(tmp_path: Path) -> None:
    folder = duc_trees.as_nist_ships_it(tmp_path / "duc2006", YEAR_2006)
    rouge = f"{YEAR_2006.evaluation}/ROUGE"
    for place in ("", YEAR_2006.docs, f"{YEAR_2006.docs}/D0601A", f"{rouge}/models", f"{rouge}/peers"):
        write_files(folder / place, {"_DS_Store": b"\x00", "Thumbs.db": b"\x00"})
    clusters = list(read("duc2006", [tmp_path]))
    assert [(each.id, len(each.documents), len(each.references)) for each in clusters] == [
        ("D0601A", 3, 4), ("D0602B", 3, 4),
    ]  # fmt: skip


@pytest.mark.parametrize("shape", ["plain", "archives", "both", "zip"])
def test_duc_2004_is_read_in_each_of_its_layouts(tmp_path: Path, shape: str) -> None:
    duc_trees.duc2004(tmp_path, shape)
    clusters = list(read("duc2004", [tmp_path]))
    assert [cluster.id for cluster in clusters] == ["d30001t", "d30002t", "d30003t"]
    for c, cluster in enumerate(clusters, start=1):
        assert [document.id for document in cluster.documents] == [f"AAA2030010{c}.000{d}" for d in range(2)]
        assert cluster.sentences[0].text == f"Dam number {c} broke on day 0."
        assert cluster.references == tuple(f"Writer {w} says that dam {c} broke." for w in "ABCD")


@pytest.mark.parametrize("packed", [False, True])
def test_all_clusters_of_duc_2003_are_found(tmp_path: Path, packed: bool) -> None:
    folder = duc_trees.duc2003(tmp_path, packed=packed)
    clusters = list(read("duc2003", [tmp_path]))
    assert [cluster.id for cluster in clusters] == ["d100a", "d101b", "d30001t", "d30002t"]
    for cluster, task in zip(clusters, "3322", strict=True):
        assert [s.text for s in cluster.sentences] == [f"Cluster {cluster.id} of task {task} & more."]
        assert cluster.references == ("AT&T by G .\nIt had <1> .", "AT&T by H .\nIt had <1> .")
    # References with and without tags count once.
    plain = {"detagged/models/D100.M.100.A.G": "By G.", "detagged/models/D100.M.100.A.I": "By I."}
    write_files(folder, plain)
    cluster = next(cluster for cluster in read("duc2003", [tmp_path]) if cluster.id == "d100a")
    assert cluster.references == ("By G.", "AT&T by H .\nIt had <1> .", "By I.")


def test_references_may_be_named_after_their_cluster_too(tmp_path: Path) -> None:
    folder = duc_trees.copied_together(tmp_path / "duc2006", YEAR_2006)
    write_files(folder, {"models/D0601A.mine.txt": "Mine."})
    assert read_raw("duc2006", [tmp_path])[0].references[-1] == "Mine."


# Topics


def test_topics_files_are_recognised_by_name() -> None:
    assert all(is_topics_file(name) for name in CASES["topics_files"])
    assert not any(is_topics_file(name) for name in CASES["other_files"])


@pytest.mark.parametrize(("text", "expected"), CASES["topics"])
def test_topics_are_read(text: str, expected: dict[str, str]) -> None:
    assert read_topics(text, "topics.sgml") == expected


@pytest.mark.parametrize("text", ["", "No topics.", "<top><num>1</num></top>"])
def test_a_file_without_topics_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"topics.sgml: no <topic> in it"):
        read_topics(text, "topics.sgml")


def test_topics_that_cannot_be_used_are_left_out_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    text = "".join(
        f"<topic>{topic}</topic>"
        for topic in (
            "<title>T</title>",
            "<num>D1A</num>",
            "<num>D2A</num><title>Whole</title>",
            "<num>d2a</num><title>U</title>",
        )
    )
    assert read_topics(text, "topics.sgml") == {"d2a": "Whole"}
    assert caplog.messages == [
        "topics.sgml: topic 1 has no <num>, or no <title> and <narr>; left out",
        "topics.sgml: topic 2 has no <num>, or no <title> and <narr>; left out",
        "topics.sgml: topic d2a again, with another question; left out",
    ]


def test_a_damaged_topics_file_loses_the_questions_with_a_warning(summc: Cli, tmp_path: Path) -> None:
    folder = duc_trees.as_nist_ships_it(tmp_path / "duc2006", YEAR_2006)
    for data in (b"", b"\x00\x01", b"No topics at all."):
        (folder / YEAR_2006.topics).write_bytes(data)
        result = summc("load", folder)
        assert (result.code, "query" in result.out) == (0, False)
        assert result.err.startswith(f"warning: {folder / YEAR_2006.topics}: ")
    result = summc("evaluate", "--dataset", "duc2006", "--data", tmp_path, "-k", "40", "--selector", "lead")
    unasked = "2 of 2 clusters have no question (D0601A, D0602B); summarized without one"
    assert f"warning: duc2006: {unasked}\n" in result.err


def test_topics_without_clusters_and_clusters_without_topics_are_reported(summc: Cli, tmp_path: Path) -> None:
    folder = duc_trees.as_nist_ships_it(tmp_path / "duc2006", YEAR_2006)
    unused = [f"D06{number}A" for number in range(10, 20)]
    (folder / YEAR_2006.topics).write_text(duc_trees.topics(["D0601A", *unused]))
    result = summc("datasets", "check", "duc2006", "--data", tmp_path)
    assert result.code == 3
    assert f"problem: {folder}/duc2006_docs/D0602B: no question for D0602B\n" in result.out
    named = "D0610A, D0611A, D0612A, D0613A, D0614A and 5 more"
    assert f"warning: {folder / YEAR_2006.topics}: no documents for topics {named}\n" in result.err
    assert result.err.endswith("error: duc2006: 1 problem found; see the list above\n")


@pytest.mark.parametrize("layout", [duc_trees.copied_together, duc_trees.beside_the_models])
def test_topics_next_to_clusters_give_them_their_questions(
    summc: Cli, tmp_path: Path, layout: Callable[[Path, Year], Path]
) -> None:
    folder, out = layout(tmp_path / "in", YEAR_2006), tmp_path / "out"
    if layout is duc_trees.copied_together:
        shutil.rmtree(folder / "models")
    result = summc("load", folder)
    assert (result.code, result.err) == (0, "")
    clusters = [json.loads(line)["cluster"] for line in result.out.splitlines()]
    assert [(each["id"], each["query"]) for each in clusters] == [("D0601A", QUESTION), ("D0602B", QUESTION)]
    alone = summc("summarize", "-k", "20", "--format", "jsonl", folder).out.splitlines()
    assert summc("batch", "-k", "20", folder, "-o", out).err == ""
    made = (out / "part-00000.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in made] == [json.loads(line)["text"] for line in alone]
    assert all("|query:own|" in line for line in made)
    # With other questions it is another batch.
    (folder / YEAR_2006.topics).write_text(duc_trees.topics(YEAR_2006.clusters, title="Another flood"))
    again = summc("batch", "-k", "20", folder, "-o", out)
    assert (again.code, "content of" in again.err) == (2, True)


def test_topics_are_found_in_a_parent_folder_of_the_clusters(summc: Cli, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "in", YEAR_2006.stories("docs/deeper/"))
    write_files(folder, {YEAR_2006.topics: duc_trees.topics(["D0601A", "D0649C"])})
    result = summc("load", folder)
    queries = [json.loads(line)["cluster"].get("query", "") for line in result.out.splitlines()]
    assert queries == [QUESTION, ""]
    assert result.err == f"warning: {folder}/{YEAR_2006.topics}: no documents for topic D0649C\n"
    summc("batch", folder, "-o", tmp_path / "out")
    made = (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()
    assert ["query:own" in line for line in made] == [True, False]


# The commands


def test_check_counts_each_year(summc: Cli, tmp_path: Path) -> None:
    for year in YEARS:
        duc_trees.as_nist_ships_it(tmp_path / year.name, year)
    duc_trees.duc2003(tmp_path)
    counts = {
        "duc2003": "4 clusters (expected 60), 4 documents, 8 references (expected 240)",
        "duc2005": "2 clusters (expected 50), 6 documents, 4 references",
        "duc2006": "2 clusters (expected 50), 6 documents (expected 1250), 8 references (expected 200)",
        "duc2007": "2 clusters (expected 45), 6 documents (expected 1125), 8 references (expected 180)",
    }
    for name, counted in counts.items():
        result = summc("datasets", "check", name, "--data", tmp_path)
        assert (result.code, result.err) == (0, "")
        assert counted in result.out
    before = summc("datasets", "--data", tmp_path, "check", name)
    both = summc("datasets", "--data", tmp_path / "duc2005", "check", name, "--data", tmp_path)
    assert result == before == both


@pytest.mark.parametrize("year", [YEAR_2005, YEAR_2006], ids=lambda year: year.name)
def test_evaluate_takes_title_and_narrative_as_the_question(summc: Cli, tmp_path: Path, year: Year) -> None:
    duc_trees.as_nist_ships_it(tmp_path / year.name, year)
    peers = write_files(tmp_path / "elsewhere", year.peers()) / year.evaluation / "ROUGE" / "peers"

    def table(*flags: str) -> dict[str, float]:
        result = summc(
            "evaluate", "--dataset", year.name, "--data", tmp_path, "-k", "20", "--selector", "auto",
            "--peers", peers, "--format", "json", *flags,
        )  # fmt: skip
        assert result.code == 0
        assert re.fullmatch(r"warning: auto has .* words a summary, 1 9\.0: .*\n", result.err)  # nothing else
        return {row["selector"]: row["rouge1"]["recall"] for row in json.loads(result.out)["rows"]}

    asked, unasked = table(), table("--no-query")
    assert list(asked) == ["auto", "1", "2", "24"]
    assert asked["auto"] > unasked["auto"]
    assert asked["24"] == unasked["24"]


# Systems


def test_systems_in_one_folder_are_separated_by_the_last_part_of_the_name(tmp_path: Path) -> None:
    files = {
        "D0601.M.250.A.24": "Of 24.",
        "D0602.M.250.B.24": "Of 24 too.",
        "D0601.M.250.A.3": "Of 3.",
        "D0699.M.250.A.3": "Of a cluster that is not asked for.",
        "_DS_Store": "Of nobody.",
    }
    found = read_peers(write_files(tmp_path, files), ["D0601A", "D0602B"])
    assert found == {"3": {"D0601A": "Of 3."}, "24": {"D0601A": "Of 24.", "D0602B": "Of 24 too."}}
    assert list(found) == ["3", "24"]


@pytest.mark.parametrize(("files", "expected"), CASES["systems"])
def test_a_subfolder_holds_one_system_or_several(
    tmp_path: Path, files: dict[str, str], expected: dict[str, str]
) -> None:
    found = read_peers(write_files(tmp_path, files), ["d30001t"])
    assert {name: own["d30001t"] for name, own in found.items()} == expected
