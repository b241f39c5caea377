"""DUC 2003 and DUC 2005 to 2007: documents, references, question and systems of every cluster."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from summc.documents.catalogue import locate, read, read_raw
from summc.documents.duc import read_topics
from summc.documents.peers import read_peers
from summc.documents.sgml import is_topics_file
from summc.errors import InputError
from tests.conftest import Cli
from tests.support import duc_trees
from tests.support.duc_trees import QUESTION, YEAR_2005, YEAR_2006, YEARS, Year
from tests.support.writers import write_files

LAYOUTS = [
    duc_trees.as_nist_ships_it,
    duc_trees.in_archives,
    duc_trees.copied_together,
    duc_trees.beside_the_models,
]


# Every cluster is complete


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("year", YEARS, ids=lambda year: year.name)
def test_clusters_have_documents_references_and_a_question(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, year: Year, layout: Callable[[Path, Year], Path]
) -> None:
    folder = layout(tmp_path, year)
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
        write_files(tmp_path / "corpora", duc_trees.all_files(year))
    for year in YEARS:
        assert locate(year.name, [tmp_path / "corpora"]) == tmp_path / "corpora"
        clusters = read_raw(year.name, [tmp_path / "corpora"])
        assert [cluster.id for cluster in clusters] == list(year.clusters)
        assert {len(cluster.references) for cluster in clusters} == {len(year.writers)}


def test_a_user_cluster_may_be_called_update(tmp_path: Path) -> None:
    files = {"docs/update/a": "The dam broke.", "models/update.A": "It broke."}
    (cluster,) = read(str(write_files(tmp_path, files)), [])
    assert (cluster.id, cluster.references) == ("update", ("It broke.",))


def test_a_folder_may_have_the_name_of_its_year_in_capital_letters(tmp_path: Path) -> None:
    duc_trees.as_nist_ships_it(tmp_path, YEAR_2006).rename(tmp_path / "DUC2006")
    assert len(read_raw("duc2006", [tmp_path])) == 2


def test_all_clusters_of_duc_2003_are_found(tmp_path: Path) -> None:
    duc_trees.duc2003(tmp_path)
    clusters = list(read("duc2003", [tmp_path]))
    assert [cluster.id for cluster in clusters] == ["d100a", "d101b", "d30001t", "d30002t"]
    for cluster, task in zip(clusters, "3322", strict=True):
        assert cluster.sentences[0].text.startswith(f"Cluster {cluster.id} of task {task} & ")
        assert cluster.references == ("AT&T by G .", "AT&T by H .")


def test_references_with_and_without_tags_count_once(tmp_path: Path) -> None:
    folder = duc_trees.duc2003(tmp_path)
    plain = {"detagged/models/D100.M.100.A.G": "By G.", "detagged/models/D100.M.100.A.I": "By I."}
    write_files(folder, plain)
    cluster = next(cluster for cluster in read("duc2003", [tmp_path]) if cluster.id == "d100a")
    assert cluster.references == ("By G.", "AT&T by H .", "By I.")


def test_references_may_be_named_after_their_cluster_too(tmp_path: Path) -> None:
    folder = duc_trees.copied_together(tmp_path, YEAR_2006)
    write_files(folder, {"models/D0601A.mine.txt": "Mine."})
    assert read_raw("duc2006", [tmp_path])[0].references[-1] == "Mine."


# Topics


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("duc2006_topics.sgml", True),
        ("DUC2005_TOPICS.SGML", True),
        ("topics.sgml", True),
        ("topics.sgm", True),
        ("hot-topics.txt", False),
        ("topics.sgml.bak", False),
        ("duc2007_UPDATEtopics.sgml", False),
        ("duc2007_update_topics.sgml", False),
        ("topics", False),
    ],
)
def test_topics_files_are_recognised_by_name(name: str, expected: bool) -> None:
    assert is_topics_file(name) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<topic><num> D1A </num><title> T </title><narr> N. </narr></topic>", {"d1a": "T. N."}),
        ("<TOPIC><NUM>D1A</NUM><TITLE>T.</TITLE><NARR>A\n\tb</NARR></TOPIC>", {"d1a": "T. A b"}),
        ("<topic><num> Number: D1A <title> T <narr> N <docs> D </topic>", {"d1a": "T. N"}),
        ("<topic><num>D1A</num><narr><p>One.</p><p>Two.</p></narr></topic>", {"d1a": "One. Two."}),
        ("<topic><num>D1A</num><title>R&amp;D?</title></topic>", {"d1a": "R&D?"}),
        ("<topic><num>a</num><title>A</title><topic><num>b</num><title>B</title>", {"a": "A", "b": "B"}),
    ],
)
def test_topics_are_read(text: str, expected: dict[str, str]) -> None:
    assert read_topics(text, "topics.sgml") == expected


@pytest.mark.parametrize("text", ["", "No topics.", "<top><num>1</num></top>"])
def test_a_file_without_topics_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"topics.sgml: no <topic> in it"):
        read_topics(text, "topics.sgml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<topic><title>T</title></topic>", "topic 1 has no <num>"),
        ("<topic><num>D1A</num></topic>", "topic D1A has neither <title> nor <narr>"),
        (
            "<topic><num>D1A</num><title>T</title></topic><topic><num>d1a</num><title>U</title></topic>",
            "topic d1a again, with another question",
        ),
    ],
)
def test_a_topic_that_cannot_be_used_is_left_out_with_a_warning(
    caplog: pytest.LogCaptureFixture, text: str, problem: str
) -> None:
    whole = "<topic><num>D2A</num><title>Whole</title></topic>"
    assert read_topics(text + whole, "topics.sgml")["d2a"] == "Whole"
    assert caplog.messages == [f"topics.sgml: {problem}; left out"]


@pytest.mark.parametrize("data", [b"", b"\x00\x01", b"No topics at all."])
def test_a_damaged_topics_file_loses_the_questions_with_a_warning(
    summc: Cli, tmp_path: Path, data: bytes
) -> None:
    folder = duc_trees.as_nist_ships_it(tmp_path, YEAR_2006)
    (folder / YEAR_2006.topics).write_bytes(data)
    result = summc("evaluate", "--dataset", "duc2006", "--data", tmp_path, "-k", "40", "--selector", "auto")
    assert result.code == 0
    first, second = result.err.splitlines()
    assert first.startswith(f"warning: {folder / YEAR_2006.topics}: ")
    assert second == (
        "warning: duc2006: 2 of 2 clusters have no question (D0601A, D0602B); summarized without one"
    )


def test_topics_without_clusters_and_clusters_without_topics_are_reported(summc: Cli, tmp_path: Path) -> None:
    folder = duc_trees.as_nist_ships_it(tmp_path, YEAR_2006)
    unused = [f"D06{number}A" for number in range(10, 20)]
    (folder / YEAR_2006.topics).write_text(duc_trees.topics(["D0601A", *unused]))
    result = summc("datasets", "check", "duc2006", "--data", tmp_path)
    assert result.code == 3
    assert f"problem: {folder}/duc2006_docs/D0602B: no question for D0602B\n" in result.out
    named = "D0610A, D0611A, D0612A, D0613A, D0614A and 5 more"
    assert f"warning: {folder / YEAR_2006.topics}: no documents for topics {named}\n" in result.err
    assert result.err.endswith("error: duc2006: a problem found; it is listed above\n")


# The commands


@pytest.mark.parametrize("year", YEARS, ids=lambda year: year.name)
def test_check_counts_each_year(summc: Cli, tmp_path: Path, year: Year) -> None:
    duc_trees.as_nist_ships_it(tmp_path, year)
    result = summc("datasets", "check", year.name, "--data", tmp_path)
    assert (result.code, result.err) == (0, "")
    counts = {
        "duc2005": "2 clusters (expected 50), 6 documents, 4 references",
        "duc2006": "2 clusters (expected 50), 6 documents (expected 1250), 8 references (expected 200)",
        "duc2007": "2 clusters (expected 45), 6 documents (expected 1125), 8 references (expected 180)",
    }
    assert counts[year.name] in result.out


def test_check_takes_the_data_folder_before_and_after_its_name(summc: Cli, tmp_path: Path) -> None:
    duc_trees.duc2003(tmp_path)
    after = summc("datasets", "check", "duc2003", "--data", tmp_path)
    before = summc("datasets", "--data", tmp_path, "check", "duc2003")
    assert (after.code, after.out) == (0, before.out)
    assert "4 clusters (expected 60), 4 documents, 8 references (expected 240)" in after.out
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert summc("datasets", "--data", elsewhere, "check", "duc2003", "--data", tmp_path).out == after.out


@pytest.mark.parametrize("year", [YEAR_2005, YEAR_2006])
def test_evaluate_takes_title_and_narrative_as_the_question(summc: Cli, tmp_path: Path, year: Year) -> None:
    duc_trees.as_nist_ships_it(tmp_path, year)
    peers = write_files(tmp_path / "elsewhere", duc_trees.summaries_of_systems(year)) / year.peers

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
    write_files(tmp_path, files)
    found = read_peers(tmp_path, ["D0601A", "D0602B"])
    assert found == {"3": {"D0601A": "Of 3."}, "24": {"D0601A": "Of 24.", "D0602B": "Of 24 too."}}
    assert list(found) == ["3", "24"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # DUC 2004 has subfolders of several systems, for example peers/2/ for the second task.
        (
            {"2/D30001.M.100.T.11": "Of 11.", "2/D30001.M.100.T.A": "Of A.", "mine/d30001t.txt": "Mine."},
            {"11": "Of 11.", "A": "Of A.", "mine": "Mine."},
        ),
        (
            {"mine/D30001.M.100.T.11": "Mine.", "yours/D30001.M.100.T.11": "Yours."},
            {"mine": "Mine.", "yours": "Yours."},
        ),
        ({"D30001.M.100.T.11": "Of 11.", "notes/x": "Nothing."}, {"11": "Of 11."}),
    ],
)
def test_a_subfolder_holds_one_system_or_several(
    tmp_path: Path, files: dict[str, str], expected: dict[str, str]
) -> None:
    write_files(tmp_path, files)
    assert {name: own["d30001t"] for name, own in read_peers(tmp_path, ["d30001t"]).items()} == expected
