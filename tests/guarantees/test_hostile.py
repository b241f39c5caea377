"""Hostile input to the real command: it is refused in one line or read as plain text, and does no harm."""

from __future__ import annotations

import contextlib
import csv
import gc
import gzip
import io
import json
import logging
import os
import re
import subprocess
import tarfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from summc.documents import formats, sentences
from summc.documents.formats.pandoc import pandoc
from summc.documents.tree import files_in
from summc.report.tables import render_cells
from summc.system import inputs
from summc.system.inputs import most_bytes
from tests.conftest import PATIENCE, ROOT, Cli
from tests.support.sessions import check
from tests.support.terminals import on_terminal
from tests.support.writers import epub, mail, nested_forms, pdf_of, word_xml, zipped

TEXT = b"The dam broke. Nobody was hurt."
SUMMARY = "The dam broke.\nNobody was hurt.\n"
SECRET = b"A secret that nobody gave to summc."


def tar(path: Path, members: Mapping[str, bytes | tuple[bytes, str]]) -> Path:
    """Write an archive of files and of other members, which are given as type and link target."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            if isinstance(content, tuple):
                member.type, member.linkname = content
                archive.addfile(member)
            else:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return path


def test_session(summc: Cli, tmp_path: Path) -> None:
    check(summc, tmp_path, "hostile.txt")


def test_the_limits_are_those_of_the_table_of_guarantees() -> None:
    table = (ROOT / "docs" / "pages" / "guarantees.md").read_text()
    size, memory, pages, characters = map(int, inputs.limits().values())
    for promise in (
        f"when unpacked may have {size} MB |",
        f"with at most {memory} MB of memory plus three times the size of the file",
        f"A PDF may have {pages:,} pages and {characters // 10**6} million characters,",
    ):
        assert promise in table


# Archives


def test_links_devices_and_names_in_an_archive_do_no_harm(summc: Cli, tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    (inside / "secret").write_bytes(SECRET)
    path = tar(
        inside / "x.tgz",
        {
            "docs/c/link": (tarfile.SYMTYPE, str(inside / "secret")),
            "docs/c/hard": (tarfile.LNKTYPE, str(inside / "secret")),
            "docs/c/a": (tarfile.SYMTYPE, "b"),
            "docs/c/b": (tarfile.SYMTYPE, "a"),
            "docs/c/self": (tarfile.LNKTYPE, "docs/c/self"),
            "docs/c/device": (tarfile.CHRTYPE, ""),
            "docs/c/pipe": (tarfile.FIFOTYPE, ""),
            "../../docs/c/up": TEXT,
            "/docs/c/root": b"The lake fell.",
        },
    )
    result = summc("summarize", "-k", 9, "--labels", "never", path)
    assert (result.code, result.err) == (0, "")
    assert result.out == "The lake fell.\n" + SUMMARY  # in the order of the names
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a", "b", "secret", "x.tgz"]


def lying_zip() -> bytes:
    """Return an archive with a file of 5 MB that it says has 5 bytes."""
    zeros = b"0" * (5 << 20)
    data, lie = zipped({"docs/c/big": zeros}), len(zeros).to_bytes(4, "little")
    assert data.count(lie) == 2
    return data.replace(lie, (5).to_bytes(4, "little"))


def encrypted_zip() -> bytes:
    data = bytearray(zipped({"docs/c/x": TEXT}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    return bytes(data)


def nested_zip(depth: int, width: int) -> bytes:
    data = zipped({"docs/c/x": TEXT})
    for _ in range(depth):
        data = zipped({f"{i}.zip": data for i in range(width)})
    return data


def long_header(kind: bytes) -> bytes:
    header = tarfile.TarInfo("docs/c/x")
    header.type, header.size = kind, 5 << 18
    block = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    if kind == tarfile.GNUTYPE_SPARSE:  # each block says that another one comes
        block[482] = 1
        block[148:156] = b" " * 8  # its own bytes count as spaces in the checksum
        block[148:156] = b"%06o\0 " % sum(block[:512])
    return gzip.compress(bytes(block) + b"1" * header.size)


BOMB = {"docs/c/big": b"0" * (5 << 20)}
LONG_HEADER = "x.tgz: an archive that cannot be read (a header of more than 1 MB, or a sparse file); fetch"


@pytest.mark.parametrize(
    ("name", "make", "problem"),
    [
        ("x.zip", lambda: zipped(BOMB), "x.zip: more than 4 MB; split it, or raise SUMMC_MOST_MB"),
        ("x.tgz", lambda: tar(Path("x.tgz"), BOMB).read_bytes(), "x.tgz: more than 4 MB; split it, or raise SUMMC_MOST_MB"),
        ("x.zip", lying_zip, "Bad CRC"),  # only the stated size is read
        ("x.zip", encrypted_zip, "is encrypted, "),
        ("x.zip", lambda: nested_zip(200, 1), "archives nested more than 8 deep; unpack it first"),
        ("x.zip", lambda: nested_zip(3, 10), "x.zip: more than 100 archives within it; unpack it first"),
        ("x.zip", lambda: zipped({f"docs/c/{'x' * 65_000}{i}": b"" for i in range(9)}), "its list of files has more than 0 MB"),
        ("x.tgz", lambda: long_header(tarfile.XHDTYPE), LONG_HEADER),
        ("x.tgz", lambda: long_header(tarfile.GNUTYPE_LONGNAME), LONG_HEADER),
        ("x.tgz", lambda: long_header(tarfile.GNUTYPE_SPARSE), LONG_HEADER),
    ],
)  # fmt: skip
def test_a_harmful_archive_is_refused(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, make: Callable[[], bytes], problem: str
) -> None:  # fmt: skip
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    monkeypatch.setattr("summc.documents.tree._MOST_ARCHIVES", 100)
    monkeypatch.setattr("summc.documents.tree._LONGEST_DIRECTORY", 1 << 19)
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(make())
    result = summc("summarize", name)
    assert (result.code, result.out) == (3, "")
    assert problem in result.err


def test_archives_in_a_folder_share_one_limit_and_each_file_has_its_own(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    for folder in ("set/docs", "set/models"):
        (tmp_path / folder).mkdir(parents=True)
    for name in "abcde":
        tar(tmp_path / "set" / "docs" / f"{name}.tgz", {"c/big": b"0" * (most_bytes() - 9)})
    result = summc("summarize", tmp_path / "set")
    assert (result.code, result.out) == (3, "")
    assert result.err.endswith(f"error: {tmp_path}/set: more than 4 MB; split it, or raise SUMMC_MOST_MB\n")
    path = tar(tmp_path / "x.tgz", {"docs/c/big": b"0 " * most_bytes(), "docs/c/text": TEXT})
    result = summc("summarize", "-k", 6, path)
    assert (result.code, result.out) == (0, SUMMARY)
    assert result.err == f"warning: {path}: docs/c/big: more than 1 MB; left out\n"


def test_members_of_an_archive_are_not_kept(tmp_path: Path) -> None:
    path = tar(tmp_path / "x.tgz", {f"docs/c/{i}": b"" for i in range(100)})
    files = files_in(path)
    for _ in range(100):
        next(files)
    assert sum(isinstance(each, tarfile.TarInfo) for each in gc.get_objects()) < 10


# Files that take too much to read


GREEDY: dict[str, tuple[int, str, Callable[[], bytes], str]] = {
    "one page": (60, "x.pdf", lambda: pdf_of(b"BT /F1 1 Tf " + b"(a)Tj " * 200_000), "a PDF"),
    "no text": (60, "x.pdf", lambda: pdf_of(b"q " * 1_000_000), "a PDF"),
    "word": (60, "x.docx", lambda: word_xml(f"<a>{'<b/>' * 600_000}</a>"), "a Word document"),
    "book": (60, "x.epub", lambda: epub({"a": f"<a>{'<b/>' * 600_000}</a>"}, ["a"]), "an e-book"),
    "page": (100, "x.html", lambda: b"<html>" + b"<p>a" * 520_000, "an HTML page"),
}


@pytest.mark.parametrize("kind", GREEDY)
def test_a_file_that_takes_too_much_memory_to_read_is_refused(
    summc: Cli, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed, name, make, noun = GREEDY[kind]
    monkeypatch.setenv("SUMMC_MOST_MEMORY_MB", str(allowed))  # so that small files exceed it too
    (tmp_path / name).write_bytes(data := make())
    result = summc("summarize", tmp_path / name)
    assert (result.code, result.out) == (3, "")
    problem = f"{noun} that takes more than {allowed + 3 * (len(data) >> 20)} MB of memory to read"
    remedy = "split it, save it as text, or raise SUMMC_MOST_MEMORY_MB"
    assert result.err == f"error: {tmp_path / name}: {problem}; {remedy}\n"


def test_pages_and_characters_of_a_pdf_are_limited(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(pdf_of(b"BT /F1 9 Tf 9 9 Td (The dam.) Tj ET", 90))
    for noun, most in (("pages", 90), ("characters", 720)):
        variable = f"SUMMC_MOST_{noun.upper()}"
        monkeypatch.setenv(variable, str(most))
        assert summc("load", path).code == 0
        monkeypatch.setenv(variable, str(most - 1))
        result = summc("load", path)
        assert (result.code, result.out) == (3, "")
        problem = f"a PDF of more than {most - 1} {noun}"
        assert result.err == f"error: {path}: {problem}; split it, or raise {variable}\n"
        monkeypatch.delenv(variable)


def test_files_on_which_a_reader_hangs_are_refused(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "HANGS", 0.51)
    # PDFium loads the one page for minutes. It takes no memory, and finds no objects and no characters.
    slow = nested_forms(b"1 w " * 1_000_000, depth=4, times=10)
    assert len(slow) < 2000
    (tmp_path / "x.pdf").write_bytes(slow)
    result = summc("summarize", tmp_path / "x.pdf")
    problem = "a PDF that keeps its reader busy for more than 1 s"
    remedy = "it may be damaged: save it again, or as text"
    assert (result.code, result.err) == (3, f"error: {tmp_path}/x.pdf: {problem}; {remedy}\n")
    (tmp_path / "x.eml").write_bytes(mail(TEXT.decode(), a__pdf=slow).as_bytes())
    result = summc("summarize", "-k", 6, "--labels", "never", tmp_path / "x.eml")
    assert (result.code, result.out) == (0, SUMMARY)
    assert result.err == f"warning: {tmp_path}/x.eml: a.pdf: {problem}; left out\n"


@pytest.mark.parametrize("end", [" ", "\n\n"])
def test_texts_that_take_too_long_to_split_are_left_out(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.txt").write_text(f"It rained on the river.{end}" * 400)
    assert "It rained" in summc("summarize", "-k", 99, tmp_path).out
    monkeypatch.setattr(sentences, "time_limit", lambda size: 30.0 if size < 100 else 0.001)
    result = summc("summarize", "-k", 6, tmp_path)
    problem = "it takes too long to split into sentences"
    assert (result.code, result.out) == (0, SUMMARY)
    assert result.err == f"warning: {tmp_path}/b.txt: {problem}; left out\n"


def nested_page(depth: int) -> str:
    return f"<html><body>{'<div>' * depth}<p>The dam broke.</p>{'</div>' * depth}<p>Nobody was hurt.</p>"


@pytest.mark.parametrize(
    ("name", "make", "depths", "problem"),
    [
        ("x.html", lambda depth: nested_page(depth).encode(), (300, 3000), "its elements are nested too deeply"),
        ("x.epub", lambda depth: epub({"a": nested_page(depth)}, ["a"]), (300, 3000), "its elements are nested too deeply"),
        ("x.eml", lambda depth: mail(html=nested_page(depth)).as_bytes(), (300, 3000), "its elements are nested too deeply"),
        ("x.md", lambda depth: b"> " * depth + b"The dam broke.\n\nNobody was hurt.\n", (200, 3000), "its elements are nested too deeply"),
        ("x.md", lambda depth: b"- " * depth + b"The dam broke.\n\nNobody was hurt.\n", (200, 3000), "its elements are nested too deeply"),
    ],
)  # fmt: skip
def test_deeply_nested_texts_are_read_or_refused(
    summc: Cli, tmp_path: Path, name: str, make: Callable[[int], bytes], depths: tuple[int, int], problem: str
) -> None:
    # By default libxml2 drops what is nested more than 256 deep, without an error.
    (tmp_path / name).write_bytes(make(depths[0]))
    result = summc("summarize", "-k", 6, "--labels", "never", tmp_path / name)
    assert (result.code, result.out, result.err) == (0, SUMMARY, "")
    (tmp_path / name).write_bytes(make(depths[1]))
    result = summc("summarize", tmp_path / name)
    assert (result.code, result.out) == (3, "")
    assert re.search(rf"that cannot be read \(.*{problem}\); ", result.err)


# Folders


def test_a_file_that_vanishes_is_left_out(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.txt").write_bytes(SECRET)
    opened = Path.open

    def vanishing(path: Path, *args: Any, **options: Any) -> Any:
        if path.name == "a.txt":
            (tmp_path / "b.txt").unlink(missing_ok=True)
        return opened(path, *args, **options)

    monkeypatch.setattr(Path, "open", vanishing)
    result = summc("summarize", "-k", 6, tmp_path)
    assert (result.code, result.out) == (0, SUMMARY)
    assert result.err == f"warning: {tmp_path}/b.txt: no such file; left out\n"


def test_an_empty_pipe_is_waited_for_with_a_warning_and_an_endless_one_refused(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setattr(inputs, "_PATIENCE", 0.01)
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    warned = threading.Event()

    def feed(times: int) -> None:
        if times == 1:
            warned.wait(PATIENCE)  # nobody has opened the pipe
        with contextlib.suppress(BrokenPipeError), path.open("wb") as stream:
            warned.wait(PATIENCE)  # it is open, and empty
            for _ in range(times):
                stream.write(TEXT)

    def hear(record: logging.LogRecord) -> bool:
        if "waiting for a program" in record.getMessage():
            warned.set()
        return True

    logging.getLogger("summc").addFilter(hear)
    results = []
    for times in (1, 10**9):
        warned.clear()
        thread = threading.Thread(target=feed, args=(times,), daemon=True)
        thread.start()
        results.append(summc("summarize", "-k", 6, path))
        thread.join(PATIENCE)
        assert not thread.is_alive()
    logging.getLogger("summc").removeFilter(hear)
    waits = f"warning: {path}: a pipe with nothing in it yet; waiting for a program that writes to it\n"
    refused = f"error: {path}: more than 1 MB; split it, or raise SUMMC_MOST_MB\n"
    assert [(each.code, each.out, each.err) for each in results] == [
        (0, SUMMARY, waits),
        (3, "", waits + refused),
    ]


@pytest.mark.parametrize(
    "name", ["new\nline", "bell\x07", "clear\x1b[2J", "turned\u202egpj", os.fsdecode(b"\xff\x9b31m")]
)
def test_names_cannot_break_a_line_or_move_the_cursor(summc: Cli, tmp_path: Path, name: str) -> None:
    folder = tmp_path / f"folder {name}"
    folder.mkdir()
    (folder / name).write_bytes(b"\x00 binary")
    (folder / "a.txt").write_bytes(TEXT)
    for format_ in ("text", "json", "md"):
        result = summc("summarize", folder, "-v", "-k", 6, "--format", format_)
        assert result.code == 0
        lines = result.err.splitlines()
        assert [line.partition(":")[0] == "warning" for line in lines] == [False, True, False]
        assert not [c for c in result.err if (c < " " and c != "\n") or "\x7f" <= c < "\xa0" or c == "\u202e"]


def test_no_surrogate_goes_further_than_lines_and_arguments(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    half, damaged = "dam \udce9", b"\xed\xa0\x80"  # half a pair, of bytes that are not UTF-8 and as UTF-8
    flags = ("--ignore", half, "--query", half, "--embedder", "none", "--why-not", half, "--format", "json")
    explained = summc("explain", tmp_path / "a.txt", "-k", 9, *flags)
    assert (explained.code, "dam \ufffd" in explained.out) == (0, True), explained.err
    for flag in ("--ignore", "--query"):
        made = summc("summarize", tmp_path / "a.txt", "--embedder", "none", flag, half, "--format", "json")
        assert (made.code, made.out.count("dam \ufffd")) == (0, 1), made.err
    loaded = summc("load", tmp_path / "a.txt").out.encode().replace(b"dam", damaged)
    assert "The \ufffd" in summc("preprocess", stdin=loaded).out


def test_escape_sequences_of_a_document_do_not_reach_a_terminal(summc: Cli) -> None:
    text = "The \x1b]0;owned\x07dam \x1b[2J\x9b31mbroke\x7f \u202eleft to right\u2066."
    document = {"id": "d", "sentences": [{"text": text, "words": 3}]}
    line = {
        "cluster": {"id": "x\x1b[2J", "language": "en", "documents": [document], "references": []},
        "graph": {"cost": [3], "weight": [1], "edge_sentence": [0], "edge_word": [0]},
        "selection": {
            "selector": "bp", "budget": 9, "chosen": [0], "cost": 3, "covered_weight": 1, "bound": None,
            "diagnostics": {},
        },
    }  # fmt: skip
    data = json.dumps(line).encode()
    with on_terminal("stdout") as out, on_terminal("stderr") as err:
        summc("render", "-v", stdin=data)
        sent = out() + err()
    assert "dam" in sent
    assert not set(sent) & set("\x1b\x07\x7f\x9b\u202e\u2066")
    assert summc("render", stdin=data).out == f"{text}\n"  # a pipe gets the text unchanged


# Texts


def test_the_number_of_warnings_is_limited(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("<DOC></DOC>" * 1010 + "<DOC><TEXT>The dam broke.</TEXT></DOC>")
    result = summc("summarize", tmp_path / "x")
    assert (result.code, result.out) == (0, "The dam broke.\n")
    assert len(result.err.splitlines()) == 1001
    assert result.err.endswith("warning: more than 1000 warnings; the others are not shown\n")


# Output for other programs


def test_no_csv_cell_is_a_formula_in_disguise() -> None:
    for start in (
        "\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe66", "\u2212", "\ufeff=", "\u200b@", "\u202e+", "\u00ad=",
        "\u2060-", "\u180e=", " =", "\u3000=", "\t=", "\r=", "\n=", "\x00=", "\x1f=", "\ufeff\u200b \uff1d",
    ):  # fmt: skip
        assert render_cells([[f"{start}1+1", "a"]], "csv").lstrip('"').startswith(f"'{start}")
    cells = [["-0.25", "+0.1", "-1e-05", "-", "-3%", "=1", "-x"]]  # numbers are not escaped
    assert render_cells(cells, "csv") == '-0.25,+0.1,-1e-05,-,-3%,"\'=1","\'-x"\n'


@pytest.mark.parametrize("name", ["x;=1+1", "x\t=1+1", 'x";=1+1', "plain"])
def test_no_csv_cell_is_split_by_another_separator(name: str) -> None:
    table = render_cells([["id", "words"], [name, "12"]], "csv")
    assert table == '"id","words"\n"{}",12\n'.format(name.replace('"', '""'))
    for separator in ",;\t":  # spreadsheets of many languages separate cells by semicolons
        rows = list(csv.reader(table.splitlines(), delimiter=separator))
        assert [row[0][: len(name)] for row in rows[1:]] == [name]


@pytest.mark.parametrize("text", ["The &lt;b&gt; and &#60; broke.", "R&D broke &amp; AT&T; too."])
def test_entities_in_a_cell_stay_literal_in_markdown(text: str) -> None:
    table = render_cells([["a"], [text]], "md").encode()
    command = [pandoc(), "--from", "gfm", "--to", "html", "--wrap", "none"]
    shown = subprocess.run(command, input=table, capture_output=True, check=True).stdout.decode()
    assert text in shown.replace("&amp;", "&")
    assert render_cells([["a"], ["www.example.com"]], "md").splitlines()[2].strip("| ") == r"www\.example.com"
