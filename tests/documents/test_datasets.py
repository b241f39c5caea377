"""Data sets: where they are searched, their problems, MultiLing, and the names of summaries."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc import datasets as catalogue
from summc.datasets import data_folders, locate, read, read_raw
from summc.datasets.peers import read_peers
from summc.documents.duc import summaries_of, written
from summc.errors import InputError, NotFoundError
from tests.conftest import Cli
from tests.support.cases import read_cases
from tests.support.duc_trees import duc2004, html, sgml
from tests.support.small import DAM, write_lines
from tests.support.writers import write_files

CASES = read_cases("documents/cases/datasets.toml")


# MultiLing


def test_multiling_is_read_by_language(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    files: dict[str, str | bytes] = {
        f"SourceTexts/M00{c}{d}.{language}": f"Text {d} {language}."
        for c in range(2)
        for d in range(3)
        for language in ("english", "Czech" if c else "czech")
    }
    files |= {f"Model Summaries/English/M00{c}.{w}.250": f"Reference {w}." for c in range(2) for w in "AB"}
    write_files(tmp_path / "multiling2011", files | {"Model Summaries/English/M000.C.250": b"\x00"})
    english = list(read("multiling2011", [tmp_path]))
    assert [(c.id, len(c.documents), c.references, c.language) for c in english] == [
        (name, 3, ("Reference A.", "Reference B."), "en") for name in ("M000", "M001")
    ]
    assert "M000.C.250: a binary file, not text; left out" in caplog.text
    czech = list(read("multiling2011", [tmp_path], language="cs"))
    assert [(c.sentences[0].text.lower(), c.references) for c in czech] == [("text 0 czech.", ())] * 2
    with pytest.raises(InputError, match=r"choose `language` from czech, english$"):
        read_raw("multiling2011", [tmp_path], language="fr")


# Where data sets are searched


def test_folders_are_searched_in_the_documented_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMC_DATA", "/from/environment")
    monkeypatch.setenv("XDG_DATA_HOME", "/users/own")
    folders = ["/given", "/from/environment", "/users/own/summc", "data"]
    assert data_folders("/given") == [Path(folder) for folder in folders]
    monkeypatch.delenv("SUMMC_DATA")
    assert data_folders() == [Path("/users/own/summc"), Path("data")]
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/ada")
    assert data_folders() == [Path("/home/ada/.local/share/summc"), Path("data")]
    # A data set is recognised by its name or by the content of its folder.
    found = duc2004(tmp_path / "second", "archives")
    for folder in (found, found.parent):
        assert locate("duc2004", [tmp_path / "first", folder]) == found
        assert locate("duc2003", [folder]) is None
    message = f"duc2003: not found in {tmp_path}, data; .*NIST.* put it into data/duc2003 or name its folder"
    with pytest.raises(NotFoundError, match=f"{message} with `data`"):
        read_raw("duc2003", [tmp_path, Path("data")])


def test_a_user_without_a_home_folder_causes_no_error(summc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)  # as in a container whose user has no name
    background = ("--config", "paper", "--background", DAM[1])
    assert (summc("summarize", DAM[0], *background).code, summc("datasets").code) == (0, 0)


def test_datasets_lists_all_known_data_sets(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the current folder may hold data sets too
    duc2004(tmp_path, "archives")
    result = summc("datasets", "--data", tmp_path)
    assert result.code == 0
    assert all(name in result.out for name in catalogue.DATASETS)
    assert "3 clusters (expected 50), 6 documents (expected 500), 12 references (expected 200)" in result.out
    assert f"looked in: {tmp_path}, " in result.out
    listed = json.loads(summc("datasets", "--data", tmp_path, "--format", "json").out)["datasets"]
    assert [each["name"] for each in listed] == list(catalogue.DATASETS)
    assert [each["found"] for each in listed[1:3]] == [str(tmp_path / "duc2004"), None]


def test_a_data_set_can_be_the_background(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    duc2004(tmp_path)
    options = [write_lines(tmp_path / "two.jsonl"), "--config", "paper", "--data", tmp_path]
    result = summc("summarize", *options, "--background", "duc2004", "--format", "jsonl")
    assert json.loads(result.out.splitlines()[0])["signature"].count("idf:cluster/5|background:duc2004") == 1
    missing = summc("summarize", *options, "--background", "duc2003")
    assert (missing.code, "apply to NIST" in missing.err) == (4, True)


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems take UTF-8 alone")
def test_names_that_are_not_utf_8_work_in_every_command(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, other = os.fsdecode(b"s\xff"), os.fsdecode(b"s\xfe")
    files = {
        f"{odd}/docs/{odd}/{odd}": "The dam broke near the town.",
        f"{odd}/models/{odd}.A": "The dam broke.",
        f"peers/{odd}/s\ufffd.txt": "The dam.",
        f"peers/{other}/s\ufffd.txt": "The dam broke near the dam.",
        f"{odd}.txt": "The dam broke.",
    }
    write_files(tmp_path, files)
    monkeypatch.chdir(tmp_path)

    made = json.loads(summc("summarize", "--format", "json", odd).out)
    assert (made["id"], made["sentences"][0]["document"]) == ("s\ufffd", "s\ufffd")
    scored = json.loads(summc("score", f"{odd}.txt", "--reference", f"{odd}.txt", "--format", "json").out)
    assert (scored["id"], scored["rouge1"]["recall"]) == ("s\ufffd.txt", 1)
    options = ("--selector", "lead", "--peers", "peers", "--save", odd, "--format", "json")
    table = json.loads(summc("evaluate", "--dataset", odd, *options).out)
    assert table["dataset"] == "s\ufffd"
    # Two systems stay separate even if their repaired names are equal.
    assert [row["selector"] for row in table["rows"]] == ["lead", "s\ufffd", "s\ufffd#2"]
    assert summc("datasets", "check", odd).out.startswith("s\ufffd: s\ufffd\n1 clusters")
    for format_ in ("text", "json"):
        assert "s\ufffd" in summc("datasets", "--data", odd, "--format", format_).out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("evaluate --dataset LONG", 4),
        ("datasets check LONG", 4),
        ("datasets --data LONG check duc2004", 4),
        ("score --dataset sample --summaries LONG", 4),
        ("datasets --data LONG", 0),
    ],
)
def test_a_name_too_long_for_a_file_is_not_found(summc: Cli, arguments: str, code: int) -> None:
    result = summc(*arguments.replace("LONG", "a" * 5000).split())
    assert (result.code, "internal" in result.err) == (code, False)


# Problems of a data set


@pytest.mark.parametrize("begin", [b"", b"no archive at all"])
def test_a_damaged_archive_is_named(tmp_path: Path, begin: bytes) -> None:
    archive = duc2004(tmp_path, "archives") / "DUC2004_Summarization_Documents.tgz"
    data = archive.read_bytes()
    archive.write_bytes(begin + data[: len(data) if begin else len(data) // 2])
    with pytest.raises(InputError, match=re.escape(f"{archive}: an archive that cannot be read (")):
        read_raw("duc2004", [tmp_path])


def test_duplicates_as_nist_ships_them_are_notes(summc: Cli, tmp_path: Path) -> None:
    docs = duc2004(tmp_path) / "docs"
    story = (docs / "d30001t" / "AAA20300101.0000").read_text()
    (docs / "d30001t" / "AAA20300101.0009").write_text(story.replace("AAA20300101.0000", "AAA20300101.0009"))
    (docs / "d30002t" / "AAA20300101.0000").write_text(story)
    (docs.parent / "models" / "D30002.M.100.T.D").unlink()
    result = summc("datasets", "check", "duc2004", "--data", tmp_path)
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if line.startswith(("note: ", "problem: "))] == [
        f"note: {docs}/d30001t/AAA20300101.0009: AAA20300101.0009: the same text as AAA20300101.0000",
        "note: AAA20300101.0000: in d30001t and d30002t",
        f"note: {docs}/d30002t: 3 references for d30002t, others have 4",
    ]


def test_duplicates_in_several_clusters_are_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = ["The dam broke.", "The dam broke.", "Rain fell in the valley."]
    (tmp_path / "in.jsonl").write_text(f"{json.dumps({'documents': texts, 'language': 'en'})}\n" * 30)
    clusters = list(read(str(tmp_path / "in.jsonl"), []))
    assert {len(cluster.documents) for cluster in clusters} == {2}
    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning.endswith(
        "in.jsonl:1: documents[1] and 29 more: the same text as another document; left out"
    )


def test_check_lists_problems_and_sets_the_exit_code(summc: Cli, tmp_path: Path) -> None:
    root = duc2004(tmp_path)
    for writer in "ABCD":
        (root / "models" / f"D30001.M.100.T.{writer}").unlink()
    files = {
        "docs/d30001t/AAA20300101.0001": b"<DOC><DOCNO> E </DOCNO><TEXT>\n</TEXT></DOC>",
        "docs/d30002t/AAA20300102.0001": b"\x00\x01",
        "models/D30002.M.100.T.D": b"\x00\x01",
        "models/D30003.M.100.T.D": b" ",
    }
    write_files(root, files)
    result = summc("datasets", "--data", tmp_path, "check", "duc2004")
    assert result.code == 3
    assert "3 clusters (expected 50), 6 documents (expected 500), 6 references (expected 200)" in result.out
    assert [line.rpartition("/")[2] for line in re.findall("problem: (.*)", result.out)] == [
        "AAA20300101.0001: E: no text",
        "d30001t: no references for d30001t",
        "AAA20300102.0001: a binary file, not text",
        "D30002.M.100.T.D: a binary file, not text; left out",
        "D30003.M.100.T.D: an empty reference",
    ]
    assert result.err == "error: duc2004: 5 problems found; see the list above\n"
    whole = summc("datasets", "check", "sample")
    counted = "6 clusters, 42 documents, 18 references\n695 sentences, of which 0 look broken\n"
    assert (whole.code, whole.out.partition("\n")[2]) == (0, counted)


# Names and texts of summaries


@pytest.mark.parametrize(("reference", "cluster", "expected"), CASES["matched"])
def test_a_summary_is_matched_to_its_cluster_by_name(reference: str, cluster: str, expected: bool) -> None:
    assert summaries_of([reference], [cluster]) == ({cluster: [reference]} if expected else {})


@given(st.lists(st.text("aB.", max_size=5)), st.sets(st.text("aB.", max_size=4)))
def test_a_summary_belongs_to_the_cluster_with_the_longest_matching_name(
    names: list[str], clusters: set[str]
) -> None:
    found = summaries_of(names, clusters)
    for name in names:
        begun = [each for each in clusters if f"{name}.".lower().startswith(f"{each}.".lower())]
        longest = [each for each in begun if len(each) == max(map(len, begun))]
        exact = [each for each in longest if name.startswith(each)]
        assert {each for each, own in found.items() if name in own} == set(exact or longest)


@pytest.mark.parametrize("junk", ["<a", "<a name=", "<head ", "<head></head>", "<!", "<!-- "])
def test_a_reference_of_unclosed_tags_is_read_quickly(junk: str) -> None:
    page = f"{junk * 60_000} <head><title>No</title></head><p>The dam broke.</p>"
    assert written(page, "A.html").endswith("The dam broke.")


@pytest.mark.parametrize(
    ("name", "text", "read_as"),
    [
        ("a.X.html", html("AT&amp;T&nbsp;gave 3&#37;"), "AT&T gave 3%"),
        ("a.X", html("AT&amp;T gave"), "AT&T gave"),
        ("a.X", f'<!DOCTYPE html PUBLIC "x">\n{html("AT&T <!-- a > b --> gave 1 < 2")}', "AT&T gave 1 < 2"),
        ("a.X", sgml("X", "AT&amp;T gave &lt;p&gt;"), "AT&T gave <p>"),
        ("a.X", "AT&amp;T gave", "AT&amp;T gave"),
        ("a.txt", "<html> AT&amp;T gave", "<html> AT&amp;T gave"),
    ],
)
def test_entities_are_decoded_in_html_and_sgml_only(
    summc: Cli, tmp_path: Path, name: str, text: str, read_as: str
) -> None:
    files = {"docs/a/1": "AT&amp;T gave money.", f"models/{name}": text, f"systems/{name}": text}
    write_files(tmp_path, {**files, "own.txt": read_as})
    (cluster,) = read_raw(str(tmp_path), [])
    assert cluster.references == [read_as]
    assert read_peers(tmp_path / "systems", ["a"]) == {"systems": {"a": read_as}}
    reference = tmp_path / "models" / name
    scored = summc("score", tmp_path / "own.txt", "--reference", reference, "--format", "json")
    assert [json.loads(scored.out)["rouge1"][figure] for figure in ("recall", "precision")] == [1, 1]
