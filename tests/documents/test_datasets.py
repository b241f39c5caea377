"""Data sets in the layouts of NIST and MultiLing, whole and damaged, with invented text."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import catalogue
from summc.documents.catalogue import data_folders, locate, read, read_raw, take_inventory
from summc.documents.duc import read_reference, summaries_of
from summc.documents.peers import read_peers
from summc.documents.raw import RawCluster
from summc.documents.tree import TreeFile, files_in
from summc.errors import InputError, NotFoundError
from tests.conftest import ROOT, Cli
from tests.support.writers import tar_of, write_files, zipped

MULTILING = ROOT.parent / "shared" / "data" / "multiling2011"


def sgml_2004(docno: str, text: str) -> str:
    return (
        f"<DOC>\n<DOCNO> {docno} </DOCNO>\n<DOCTYPE> NEWS STORY </DOCTYPE>\n<TXTTYPE> NEWSWIRE </TXTTYPE>\n"
        f"<TEXT>\n{text}\n</TEXT>\n</DOC>\n"
    )


def sgml_2003(docno: str, text: str) -> str:
    return (
        f"<DOC>\n<DOCNO> {docno} </DOCNO>\n<DATE_TIME> 2030-01-01 00:00:00 </DATE_TIME>\n<BODY>\n"
        f"<HEADER>\nA0001 &Cx1f; ttj-z\n</HEADER>\n<SLUG> BC-DAM&LR; </SLUG>\n<CATEGORY> r </CATEGORY>\n"
        f"<TEXT>\n<P>\n{text} &AMP; more.&LR;\n<ANNOTATION> (editor's note) </ANNOTATION>\n</P>\n</TEXT>\n"
        f"<TRAILER>\nAAA-00-00\n</TRAILER>\n</BODY>\n</DOC>\n"
    )


def html_2003(*sentences: str) -> str:
    lines = "\n".join(
        f'<a name="{i}">[{i}]</a> <a href="#{i}" id={i}>{s}</a>' for i, s in enumerate(sentences, start=1)
    )
    return f"<html>\n<head>\n<title>D30003.M.100.T.B</title>\n</head>\n<body>\n{lines}\n</body>\n</html>\n"


def duc2004_files(clusters: int = 3, documents: int = 2) -> tuple[dict[str, str], dict[str, str]]:
    """Return the documents and the references by path. Some references belong to other tasks."""
    docs, models = {}, {}
    for c in range(1, clusters + 1):
        name = f"d3000{c}t"
        for d in range(documents):
            docno = f"AAA2030010{c}.000{d}"
            docs[f"{name}/{docno}"] = sgml_2004(docno, f"Dam number {c} broke on day {d}. Nobody was hurt.")
        for writer in "ABCD":
            models[f"2/D3000{c}.M.100.T.{writer}"] = f"Writer {writer} says that dam {c} broke.\n"
        models[f"1/D3000{c}.P.10.T.A.AAA2030010{c}.0000"] = "A headline of task one.\n"
        models[f"5/D13{c}.M.100.B.A"] = "Of task five.\n"
    return docs, models


def shape_a(root: Path) -> None:
    docs, models = duc2004_files()
    write_files(root / "docs", docs)
    write_files(root / "models", {name[2:]: text for name, text in models.items() if name.startswith("2/")})


DOCS = "DUC2004_Summarization_Documents/duc2004_testdata/tasks1and2/duc2004_tasks1and2_docs/docs/"


def shape_c(root: Path) -> None:
    docs, models = duc2004_files()
    inner = tar_of(models, "./eval/models/")
    results: dict[str, str | bytes] = {"ROUGE/duc2004.task2.ROUGE.models.tar.gz": inner, "README": "x"}
    documents, evaluation = tar_of(docs, DOCS), tar_of(results, "duc2004_results/")
    archives = {"DUC2004_Summarization_Documents.tgz": documents, "duc2004_results.tgz": evaluation}
    write_files(root, archives)


def shape_e(root: Path) -> None:
    docs, models = duc2004_files()
    files = {f"docs/{name}": text for name, text in docs.items()}
    files |= {f"models/{name}": text for name, text in models.items()}
    root.with_suffix(".zip").write_bytes(zipped(files))


def shape_d(root: Path) -> None:
    """Write shape (c) with nested archives of documents, and the same files unpacked next to them."""
    docs, models = duc2004_files()
    shape_a(root)
    inner = tar_of(docs, "docs/")
    outer = {"DUC2004_Summarization_Documents/duc2004_testdata/tasks1and2/docs.tar.gz": inner}
    (root / "all.tar.gz").write_bytes(tar_of({**outer, **{f"eval/models/{k}": v for k, v in models.items()}}))


@pytest.mark.parametrize("shape", [shape_a, shape_c, shape_d, shape_e])
def test_duc_2004_is_read_in_each_of_its_layouts(tmp_path: Path, shape: object) -> None:
    assert callable(shape)
    shape(tmp_path / "duc2004")
    clusters = list(read("duc2004", [tmp_path]))
    assert [cluster.id for cluster in clusters] == ["d30001t", "d30002t", "d30003t"]
    for c, cluster in enumerate(clusters, start=1):
        assert [document.id for document in cluster.documents] == [f"AAA2030010{c}.000{d}" for d in range(2)]
        assert cluster.sentences[0].text == f"Dam number {c} broke on day 0."
        assert cluster.references == tuple(f"Writer {w} says that dam {c} broke." for w in "ABCD")


def test_duc_2003_is_read_with_its_tags_entities_and_html_references(tmp_path: Path) -> None:
    docs = {f"d30003t/AAA{d}": sgml_2003(f"AAA{d}", f"The dam broke {d} times") for d in range(2)}
    others = {"d1000x/BBB1": sgml_2003("BBB1", "Not of this task")}
    models = {
        f"D30003.M.100.T.{w}.html": html_2003(
            "Dams &amp; locks broke .", f"Writer {w} of AT&T knew &lt;1&gt; ."
        )
        for w in "AB"
    }
    inner = {
        "task1/task1.docs.tar.gz": tar_of(docs, "task1/docs/"),
        "task2/task2.docs.tar.gz": tar_of({**docs, **others}, "task2/docs/"),
    }
    outer = tar_of(inner, "DUC2003_Summarization_Documents/duc2003_testdata/")
    folder = write_files(tmp_path / "duc2003", {"DUC2003_Summarization_Documents.tgz": outer})
    write_files(folder / "models", models)
    (cluster,) = read("duc2003", [tmp_path])
    assert cluster.id == "d30003t"
    assert [s.text for s in cluster.sentences] == [f"The dam broke {d} times & more." for d in range(2)]
    assert cluster.references == tuple(f"Dams & locks broke .\nWriter {w} of AT&T knew <1> ." for w in "AB")


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: b"no archive at all" + data]
)
def test_a_damaged_archive_is_named(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    shape_c(tmp_path / "duc2004")
    archive = tmp_path / "duc2004" / "DUC2004_Summarization_Documents.tgz"
    archive.write_bytes(damage(archive.read_bytes()))
    with pytest.raises(InputError, match=re.escape(f"{archive}: a damaged archive")):
        read_raw("duc2004", [tmp_path])


def test_an_archive_can_be_loaded_by_its_path(summc: Cli, tmp_path: Path) -> None:
    docs, _ = duc2004_files(clusters=2)
    (tmp_path / "news.tgz").write_bytes(tar_of(docs, "docs/"))
    result = summc("load", tmp_path / "news.tgz")
    assert [json.loads(line)["cluster"]["id"] for line in result.out.splitlines()] == ["d30001t", "d30002t"]
    (tmp_path / "other.tgz").write_bytes(tar_of({"readme": "x"}))
    assert "no clusters in this archive" in summc("load", tmp_path / "other.tgz").err


def test_your_own_clusters_may_have_any_name(tmp_path: Path) -> None:
    models = {"models/flood.ann": "It broke.", "models/FLOOD.bob.txt": "Broken."}
    write_files(tmp_path / "mine", {"docs/flood/a.txt": "The dam broke.", **models})
    (cluster,) = read(str(tmp_path / "mine"), [])
    assert (cluster.id, cluster.references) == ("flood", ("Broken.", "It broke."))


@pytest.mark.parametrize(
    ("reference", "cluster", "expected"),
    [
        ("D30001.M.100.T.A", "d30001t", True),
        ("D30001.M.100.T.A.html", "d30001t", True),
        ("D30001.M.100.T.A", "d30001", True),
        ("D30001.M.100.T.A", "d30002t", False),
        ("flood.sys", "flood", True),
        ("flood", "flood", True),
        ("flooding.sys", "flood", False),
    ],
)
def test_a_summary_is_matched_to_its_cluster_by_name(reference: str, cluster: str, expected: bool) -> None:
    assert summaries_of([reference], [cluster]) == ({cluster: [reference]} if expected else {})


def test_multiling_is_read_by_language(tmp_path: Path) -> None:
    files = {
        f"SourceTexts/M00{c}{d}.{lang}": f"Text {d} {lang}."
        for c in range(2)
        for d in range(3)
        for lang in ("english", "czech")
    }
    files |= {f"Model Summaries/English/M00{c}.{w}.250": f"Reference {w}." for c in range(2) for w in "AB"}
    write_files(tmp_path / "multiling2011", files)
    english = list(read("multiling2011", [tmp_path]))
    assert [(c.id, len(c.documents), len(c.references), c.language) for c in english] == [
        ("M000", 3, 2, "en"), ("M001", 3, 2, "en"),
    ]  # fmt: skip
    czech = list(read("multiling2011", [tmp_path], language="cs"))
    assert czech[0].sentences[0].text == "Text 0 czech."
    assert czech[0].references == ()


def test_the_case_of_multilings_endings_does_not_matter(tmp_path: Path) -> None:
    files = {"M0000.hebrew": "א.", "M0010.Hebrew": "ב.", "M0020.HEBREW": "ג."}
    write_files(tmp_path / "multiling2011" / "SourceTexts", files)
    assert [cluster.id for cluster in read("multiling2011", [tmp_path], language="he")] == [
        "M000", "M001", "M002",
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"choose `language` from hebrew$"):
        read_raw("multiling2011", [tmp_path], language="fr")


@pytest.mark.skipif(not MULTILING.exists(), reason="MultiLing 2011 is not here")
@pytest.mark.parametrize("language", ["en", "cs", "ar", "fr", "he"])
def test_the_real_multiling_is_complete(language: str) -> None:
    found = take_inventory(read_raw(str(MULTILING), [], language=language))
    references = 33 if language == "fr" else 30
    assert (found.clusters, found.documents, found.references) == (10, 100, references)
    assert found.problems == ()  # although one Czech text is in Windows-1250 without saying so


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
    shape_a(tmp_path / "second" / "duc2004")
    assert locate("duc2004", [tmp_path / "first", tmp_path / "second"]) == tmp_path / "second" / "duc2004"


def test_a_user_without_a_home_folder_causes_no_error(summc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)  # as in a container whose user has no name
    assert (summc("summarize", "--sample", "--config", "paper").code, summc("datasets").code) == (0, 0)


def test_a_data_set_is_recognised_by_the_content_of_its_folder(tmp_path: Path) -> None:
    shape_c(tmp_path / "corpora")
    assert locate("duc2004", [tmp_path / "corpora"]) == tmp_path / "corpora"
    assert locate("duc2003", [tmp_path / "corpora"]) is None
    shape_a(tmp_path / "plain")
    assert locate("duc2004", [tmp_path / "plain", tmp_path]) == tmp_path / "plain"


def test_the_error_for_a_missing_data_set_says_where_to_get_and_put_it(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as error:
        read_raw("duc2004", [tmp_path, Path("data")])
    message = str(error.value)
    assert f"duc2004: not found in {tmp_path}, data;" in message
    assert "NIST" in message
    assert "put it into data/duc2004 or name its folder with `data`" in message


# Problems of a data set


def broken_dataset(root: Path) -> list[RawCluster]:
    shape_a(root)
    (root / "docs" / "d30001t" / "AAA20300101.0001").write_text(
        "<DOC><DOCNO> E </DOCNO><TEXT>\n</TEXT></DOC>"
    )
    (root / "docs" / "d30002t" / "AAA20300102.0001").write_bytes(b"\x00\x01")
    for writer in "ABCD":
        (root / "models" / f"D30001.M.100.T.{writer}").unlink()
    (root / "models" / "D30002.M.100.T.D").write_bytes(b"\x00\x01")
    (root / "models" / "D30003.M.100.T.D").write_text(" ")
    return read_raw(str(root), [])


def test_duplicates_as_nist_ships_them_are_notes(summc: Cli, tmp_path: Path) -> None:
    shape_a(tmp_path / "duc2004")
    docs = tmp_path / "duc2004" / "docs"
    story = (docs / "d30001t" / "AAA20300101.0000").read_text()
    (docs / "d30001t" / "AAA20300101.0009").write_text(story.replace("AAA20300101.0000", "AAA20300101.0009"))
    (docs / "d30002t" / "AAA20300101.0000").write_text(story)
    (tmp_path / "duc2004" / "models" / "D30002.M.100.T.D").unlink()
    result = summc("datasets", "check", "duc2004", "--data", tmp_path)
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if line.startswith(("note: ", "problem: "))] == [
        f"note: {docs}/d30001t/AAA20300101.0009: AAA20300101.0009: the same text as AAA20300101.0000",
        "note: AAA20300101.0000: in d30001t and d30002t",
        f"note: {docs}/d30002t: 3 references for d30002t, others have 4",
    ]


def test_documents_without_ids_of_their_own_are_not_called_shared(summc: Cli, tmp_path: Path) -> None:
    files = {f"docs/{cluster}/doc1": f"A dam broke in {cluster}." for cluster in ("ossel", "vell")}
    files |= {f"models/{cluster}.A": "A dam broke." for cluster in ("ossel", "vell")}
    lines = [
        {"documents": [f"It broke in {place}.", {"id": "APW1", "text": "Rain fell."}], "references": ["A."]}
        for place in ("Ossel", "Vell")
    ]
    write_files(tmp_path, files | {"mine.jsonl": "\n".join(map(json.dumps, lines))})
    assert "note: " not in summc("datasets", "check", tmp_path).out
    notes = re.findall("note: .*", summc("datasets", "check", tmp_path / "mine.jsonl").out)
    assert notes == ["note: APW1: in line-1 and line-2"]


def test_a_reference_that_cannot_be_read_is_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = {"SourceTexts/M0000.english": "Text.", "Model Summaries/English/M000.A.250": "Reference."}
    write_files(tmp_path / "multiling2011", files)
    (tmp_path / "multiling2011" / "Model Summaries" / "English" / "M000.B.250").write_bytes(b"\x00")
    (cluster,) = read("multiling2011", [tmp_path])
    assert cluster.references == ("Reference.",)
    assert "M000.B.250: a binary file, not text; left out" in caplog.text


def test_check_lists_problems_and_sets_the_exit_code(summc: Cli, tmp_path: Path) -> None:
    broken_dataset(tmp_path / "duc2004")
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
    assert result.err == "error: duc2004: 5 problems found; they are listed above\n"
    whole = summc("datasets", "check", "sample")
    assert (whole.code, whole.out.splitlines()[1]) == (0, "6 clusters, 42 documents, 18 references")


def test_datasets_lists_all_known_data_sets(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the current folder may hold data sets too
    shape_c(tmp_path / "duc2004")
    result = summc("datasets", "--data", tmp_path)
    assert result.code == 0
    assert all(name in result.out for name in catalogue.DATASETS)
    assert "3 clusters (expected 50), 6 documents (expected 500), 12 references (expected 200)" in result.out
    assert f"looked in: {tmp_path}, " in result.out
    listed = json.loads(summc("datasets", "--data", tmp_path, "--format", "json").out)
    assert [each["name"] for each in listed["datasets"]] == list(catalogue.DATASETS)
    assert listed["datasets"][1]["found"] == str(tmp_path / "duc2004")
    assert listed["datasets"][2]["found"] is None


def test_a_data_set_can_be_the_background(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shape_a(tmp_path / "duc2004")
    options = ["--sample", "--config", "paper", "--data", tmp_path]
    result = summc("summarize", *options, "--background", "duc2004", "--format", "jsonl")
    assert json.loads(result.out.splitlines()[0])["signature"].count("idf:cluster/9|background:duc2004") == 1
    missing = summc("summarize", *options, "--background", "duc2003")
    assert missing.code == 4
    assert "apply to NIST" in missing.err


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
    saved = ("--save", odd, "--format", "json")
    table = json.loads(
        summc("evaluate", "--dataset", odd, "--selector", "lead", "--peers", "peers", *saved).out
    )
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


def test_entries_left_out_of_a_data_set_give_warnings(summc: Cli, tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    names = ("data/docs/a/a.txt", "data/models/a.txt", "elsewhere/a.txt")
    write_files(tmp_path, dict.fromkeys(names, "The dam broke."))
    (data / "docs" / "b").symlink_to(elsewhere)
    (data / "docs" / "c").symlink_to("a")
    os.mkfifo(data / "docs" / "a" / "pipe")
    result = summc("load", data)
    assert [json.loads(line)["cluster"]["id"] for line in result.out.splitlines()] == ["a"]
    assert result.err == (
        f"warning: {data}/docs/b: a link that leads out of the folder; left out\n"
        f"warning: {data}/docs/c: a link to a folder that is read by its own name; left out\n"
        f"warning: {data}/docs/a/pipe: neither file nor folder; left out\n"
    )


def test_a_folder_that_cannot_be_listed_gives_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a").mkdir()

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("os.scandir", refuse)
    assert not list(files_in(tmp_path))
    assert caplog.messages == [f"{tmp_path}: cannot be read (Permission denied); left out"]


def test_hidden_files_of_an_archive_are_ignored(tmp_path: Path) -> None:
    names = ("./docs/a/one", "docs/a/.hidden", "__MACOSX/docs/a/._one", ".git/docs/a/two")
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(dict.fromkeys(names, "The dam broke.")))
    assert [file.path for file in files_in(path)] == ["x.zip/docs/a/one"]


@pytest.mark.parametrize("folders", [["docs", "models"], ["one", "two/three"]])
def test_a_data_set_without_documents_is_an_error(summc: Cli, tmp_path: Path, folders: list[str]) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    for command in ("load", "summarize"):
        result = summc(command, tmp_path)
        assert (result.code, result.out) == (3, "")
        assert result.err.splitlines()[-1].startswith(f"error: {tmp_path}: no documents in it; ")


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


def test_cluster_names_may_begin_with_each_other(tmp_path: Path) -> None:
    said = {"a": "The dam broke.", "a.b": "Nobody was hurt.", "A": "It rained."}
    for cluster, text in said.items():
        names = (f"docs/{cluster}/1", f"models/{cluster}.X", f"systems/{cluster}.txt")
        write_files(tmp_path, dict.fromkeys(names, text))
    assert {cluster.id: cluster.references[0] for cluster in read_raw(str(tmp_path), [])} == said
    assert read_peers(tmp_path / "systems", list(said)) == {"systems": said}


@pytest.mark.parametrize("junk", ["<a", "<a name=", "<head ", "<head></head>", "<!", "<!-- "])
def test_a_reference_of_unclosed_tags_is_read_quickly(junk: str) -> None:
    page = f"{junk * 60_000} <head><title>No</title></head><p>The dam broke.</p>".encode()
    reference = read_reference(TreeFile("A.html", "A.html", lambda: page))
    assert reference.text is not None
    assert reference.text.endswith("The dam broke.")


@pytest.mark.parametrize(
    ("name", "text", "read_as"),
    [
        ("a.X.html", html_2003("AT&amp;T&nbsp;gave 3&#37;"), "AT&T gave 3%"),
        ("a.X", html_2003("AT&amp;T gave"), "AT&T gave"),
        (
            "a.X",
            f'<!DOCTYPE html PUBLIC "x">\n{html_2003("AT&T <!-- a > b --> gave 1 < 2")}',
            "AT&T gave 1 < 2",
        ),
        ("a.X", sgml_2003("X", "AT&amp;T gave &lt;p&gt;"), "AT&T gave <p> & more."),
        ("a.X", "AT&amp;T gave", "AT&amp;T gave"),
        ("a.txt", "<html> AT&amp;T gave", "<html> AT&amp;T gave"),
    ],
)
def test_entities_are_decoded_in_html_and_sgml_only(
    summc: Cli, tmp_path: Path, name: str, text: str, read_as: str
) -> None:
    write_files(
        tmp_path, {"docs/a/1": "AT&amp;T gave money.", f"models/{name}": text, f"systems/{name}": text}
    )
    (cluster,) = read_raw(str(tmp_path), [])
    assert cluster.references == [read_as]
    assert read_peers(tmp_path / "systems", ["a"]) == {"systems": {"a": read_as}}
    own, reference = tmp_path / "own.txt", tmp_path / "models" / name
    own.write_text(read_as)
    scored = summc("score", own, "--reference", reference, "--format", "json")
    assert [json.loads(scored.out)["rouge1"][figure] for figure in ("recall", "precision")] == [1, 1]
