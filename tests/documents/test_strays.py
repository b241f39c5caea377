"""Stray files: next to cluster folders, within them, in DUC's layout and in archives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from summc.documents import load
from summc.documents.catalogue import read
from tests.conftest import Cli
from tests.support import duc_trees
from tests.support.duc_trees import QUESTION, YEAR_2006, Year
from tests.support.writers import tar_of
from tests.support.writers import write_files as write

PNG = b"\x89PNG\r\n\x1a\n"
#: Files that are not documents if they are next to cluster folders.
STRAYS: dict[str, bytes] = {
    "_DS_Store": b"\x00\x00\x00\x01Bud1",
    "Thumbs.db": b"\xd0\xcf\x11\xe0\x00\x00",
    "thumbs.db": b"as text",
    "desktop.ini": b"[.ShellClassInfo]\n",
    "logo.png": PNG,
    "empty.txt": b"",
    "README": b"Fifty clusters of news, one folder each.",
    "readme.txt": b"Fifty clusters of news, one folder each.",
    "Read Me.md": b"# Fifty clusters of news",
    "00README": b"Fifty clusters of news, one folder each.",
    "LICENSE": b"You may use this for research.",
    "LICENCE.txt": b"You may use this for research.",
    "COPYING": b"You may use this for research.",
}
CLUSTERS = {"one/a.txt": b"The dam broke.", "two/b.txt": b"The ferry ran aground."}
LEFT_OUT = "beside cluster folders, and not a document; left out"


def loaded(summc: Cli, *paths: Path) -> tuple[list[str], list[str]]:
    """Return the names of the loaded clusters, and the warnings."""
    result = summc("load", *paths)
    assert result.code == 0
    names = [json.loads(line)["cluster"]["id"] for line in result.out.splitlines()]
    return names, result.err.splitlines()


def batched(summc: Cli, path: Path, output: Path) -> tuple[list[str], list[str]]:
    """Return the names of the summarized clusters of a batch, and its warnings."""
    result = summc("batch", path, "-o", output)
    (part,) = output.glob("part-*.jsonl")
    lines = [json.loads(line) for line in part.read_text().splitlines()]
    return [line["id"] for line in lines if "error" not in line], result.err.splitlines()


# Next to cluster folders


def test_stray_files_next_to_clusters_hide_none_of_them_and_each_gives_a_warning(
    summc: Cli, tmp_path: Path
) -> None:
    folder = write(tmp_path / "in", {**CLUSTERS, **STRAYS})
    expected = (["one", "two"], [f"warning: {folder / name}: {LEFT_OUT}" for name in sorted(STRAYS)])
    assert loaded(summc, folder) == expected
    assert batched(summc, folder, tmp_path / "out") == expected


@pytest.mark.parametrize("name", STRAYS)
def test_each_stray_file_is_left_out(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path, {**CLUSTERS, name: STRAYS[name]})
    assert [cluster.id for cluster in load([folder])] == ["one", "two"]


def test_hidden_stray_files_are_ignored_silently(summc: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path, {**CLUSTERS, ".DS_Store": b"\x00", "one/.hidden": b"x"})
    assert loaded(summc, folder) == (["one", "two"], [])


@pytest.mark.parametrize("depth", ["in", "in/deeper"])
def test_stray_files_at_any_depth_hide_no_cluster(summc: Cli, tmp_path: Path, depth: str) -> None:
    files = {f"{depth}/{name}": data for name, data in {**CLUSTERS, "README.md": b"# News"}.items()}
    folder = write(tmp_path, {**files, "_DS_Store": b"\x00"})
    names, warnings = loaded(summc, folder)
    assert names == [f"{depth}/one", f"{depth}/two"]
    assert [line.partition(": ")[2].partition(": ")[0] for line in warnings] == [
        str(folder / "_DS_Store"),
        str(folder / depth / "README.md"),
    ]


def test_data_sets_read_every_cluster_next_to_a_stray_file(summc: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path, {**CLUSTERS, "_DS_Store": b"\x00", "README": b"News."})
    assert [cluster.id for cluster in read(str(folder), [])] == ["one", "two"]
    result = summc("datasets", "check", folder)
    assert "2 clusters, 2 documents" in result.out


@pytest.mark.parametrize("name", ["D100a", "d30001t"])
def test_a_cluster_with_a_duc_name_hides_no_other(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path, {**CLUSTERS, f"{name}/c": b"It rained."})
    assert {cluster.id for cluster in read(str(folder), [])} == {"one", "two", name}


# Files that are still documents


def test_a_document_and_a_readme_next_to_a_folder_are_one_cluster(tmp_path: Path) -> None:
    folder = write(tmp_path, {**CLUSTERS, "README": b"About this.", "report.txt": b"It rained."})
    (cluster,) = load([folder])
    assert [document.id for document in cluster.documents] == ["README", "report.txt"]


@pytest.mark.parametrize("other", ["pictures/logo.png", "pictures/.hidden", "pictures/Thumbs.db"])
def test_a_readme_next_to_a_folder_without_documents_is_a_document(tmp_path: Path, other: str) -> None:
    folder = write(tmp_path, {"README": b"It rained all day.", other: PNG})
    (cluster,) = load([folder])
    assert [document.id for document in cluster.documents] == ["README"]


def test_a_file_given_by_its_path_is_read_whatever_its_name(tmp_path: Path) -> None:
    folder = write(tmp_path, {"README": b"It rained.", "desktop.ini": b"It snowed."})
    (cluster,) = load([folder / "README", folder / "desktop.ini"])
    assert [document.id for document in cluster.documents] == ["README", "desktop.ini"]


def test_json_lines_next_to_folders_are_clusters(summc: Cli, tmp_path: Path) -> None:
    line = json.dumps({"id": "x", "documents": ["It rained."]}).encode()
    folder = write(tmp_path / "in", {**CLUSTERS, "README": b"About this.", "in.jsonl": line})
    assert loaded(summc, folder)[0] == ["x", "in"]


def test_a_folder_with_only_stray_files_is_an_error(summc: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path, {"_DS_Store": b"\x00", "empty/logo.png": PNG})
    result = summc("load", folder)
    assert (result.code, result.out) == (3, "")
    assert result.err.splitlines()[-1].startswith(f"error: {folder}: no text; ")


# Within a cluster


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("_DS_Store", b"\x00\x00\x01Bud1", "a binary file, not text"),
        ("Thumbs.db", b"Text", "a file of the system, not a document"),
        ("desktop.ini", b"Text", "a file of the system, not a document"),
    ],
)
def test_a_system_file_among_documents_is_left_out(
    summc: Cli, tmp_path: Path, name: str, data: bytes, problem: str
) -> None:
    folder = write(tmp_path / "in", {"one/a.txt": b"The dam broke.", f"one/{name}": data})
    for names, warnings in (loaded(summc, folder), batched(summc, folder, tmp_path / "out")):
        assert names == ["one"]
        assert warnings == [f"warning: {folder / 'one' / name}: {problem}; left out"]
    (cluster,) = load([folder])
    assert [document.id for document in cluster.documents] == ["a.txt"]


# DUC's layout and archives


def test_stray_files_in_the_duc_layout_hide_no_cluster(summc: Cli, tmp_path: Path) -> None:
    files = {f"docs/{name}": data for name, data in CLUSTERS.items()}
    strays = dict.fromkeys(("models/_DS_Store", "docs/_DS_Store"), b"\x00")
    strays |= dict.fromkeys(("docs/README", "docs/one/Thumbs.db", "README"), b"Text")
    folder = write(tmp_path, {**files, "models/one.A": b"It broke.", **strays})
    names, warnings = loaded(summc, folder)
    assert names == ["one", "two"]
    assert warnings == [
        f"warning: {folder}: read as docs/ and models/; left out: README",
        f"warning: {folder}/docs/one/Thumbs.db: a file of the system, not a document; left out",
    ]
    names, _ = batched(summc, folder, tmp_path.parent / "out")
    assert names == ["one", "two"]


def test_stray_files_in_an_archive_hide_no_cluster(summc: Cli, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"docs/{name}": data for name, data in CLUSTERS.items()}
    strays = {"docs/_DS_Store": b"\x00", "docs/README": b"x", "docs/one/_DS_Store": b"x", "README": b"x"}
    (tmp_path / "news.tgz").write_bytes(tar_of({**files, **strays}))
    names, warnings = loaded(summc, tmp_path / "news.tgz")
    assert names == ["one", "two"]
    assert warnings == [
        f"warning: {tmp_path}/news.tgz: docs/one/_DS_Store: a file of the system, not a document; left out"
    ]


def test_stray_files_in_a_nist_tree_hide_no_cluster(tmp_path: Path) -> None:
    folder = duc_trees.as_nist_ships_it(tmp_path, YEAR_2006)
    for place in ("", YEAR_2006.docs, f"{YEAR_2006.docs}/D0601A", YEAR_2006.models, YEAR_2006.peers):
        write(folder / place, {"_DS_Store": b"\x00", "Thumbs.db": b"\x00"})
    clusters = list(read("duc2006", [tmp_path]))
    assert [(each.id, len(each.documents), len(each.references)) for each in clusters] == [
        ("D0601A", 3, 4), ("D0602B", 3, 4),
    ]  # fmt: skip


# Topics next to cluster folders


@pytest.mark.parametrize("layout", [duc_trees.copied_together, duc_trees.beside_the_models])
def test_topics_next_to_clusters_give_them_their_questions(
    summc: Cli, tmp_path: Path, layout: Callable[[Path, Year], Path]
) -> None:
    folder = layout(tmp_path, YEAR_2006)
    if layout is duc_trees.copied_together:
        shutil.rmtree(folder / "models")
    result = summc("load", folder)
    assert (result.code, result.err) == (0, "")
    clusters = [json.loads(line)["cluster"] for line in result.out.splitlines()]
    assert [(each["id"], each["query"]) for each in clusters] == [("D0601A", QUESTION), ("D0602B", QUESTION)]
    alone = summc("summarize", "-k", "20", "--format", "jsonl", folder).out.splitlines()
    batch = tmp_path / "out"
    assert summc("batch", "-k", "20", folder, "-o", batch).err == ""
    made = (batch / "part-00000.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in made] == [json.loads(line)["text"] for line in alone]
    assert all("|query:own|" in line for line in made)


def test_topics_are_found_in_a_parent_folder_of_the_clusters(summc: Cli, tmp_path: Path) -> None:
    files = duc_trees.documents_of(YEAR_2006)
    topics = duc_trees.topics(["D0601A", "D0649C"])
    folder = write(tmp_path / "in", {name: text.encode() for name, text in files.items()})
    write(folder, {"duc2006_topics.sgml": topics.encode()})
    result = summc("load", folder)
    queries = [json.loads(line)["cluster"].get("query", "") for line in result.out.splitlines()]
    assert queries == [QUESTION, ""]
    assert result.err == f"warning: {folder}/duc2006_topics.sgml: no documents for topic D0649C\n"
    summc("batch", folder, "-o", tmp_path / "out")
    made = (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()
    assert ["query:own" in line for line in made] == [True, False]


def test_a_batch_is_not_resumed_with_other_questions(summc: Cli, tmp_path: Path) -> None:
    folder = duc_trees.beside_the_models(tmp_path, YEAR_2006)
    assert summc("batch", folder, "-o", tmp_path / "out").code == 0
    (folder / YEAR_2006.topics).write_text(duc_trees.topics(YEAR_2006.clusters, title="Another flood"))
    again = summc("batch", folder, "-o", tmp_path / "out")
    assert again.code == 2
    assert "has changed" in again.err
