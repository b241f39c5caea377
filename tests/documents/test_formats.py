"""Everyday documents: recognising formats, the real command on them, and damaged files."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import formats
from summc.documents.formats import read_documents
from summc.errors import SummcError
from tests.conftest import Cli
from tests.documents.test_loading import check
from tests.support.cases import read_cases
from tests.support.readers import read
from tests.support.sessions import sessions
from tests.support.writers import (
    MARKDOWN,
    PROSE,
    SITE,
    WORD_XML,
    column,
    epub,
    head_and_foot,
    mail,
    pdf,
    word,
    word_xml,
    write_files,
    xhtml,
    zipped,
)

CASES = read_cases("documents/cases/formats.toml")

# Recognising the format

PAGE = "<!DOCTYPE html><html><body><p>It rained.</p></body></html>"


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (word(), "x", "WORD"),
        (epub({}, []), "x.zip", "EPUB"),
        (zipped({"a.txt": "x"}), "x", ""),
        (PAGE.encode("utf-16"), "stdin", "WEB_PAGE"),
        *((text.encode("latin-1"), *more) for text, *more in CASES["recognised"]),
    ],
)
def test_the_format_is_recognised_by_content_before_name(data: bytes, name: str, expected: str) -> None:
    assert formats.recognise(data, name) == (getattr(formats, expected) if expected else None)


# Arbitrary input

SUFFIXES = ("", ".pdf", ".docx", ".epub", ".html", ".md", ".eml", ".odt", ".pptx", ".rtf", ".csv", ".json")
NAMES = [f"x{suffix}" for suffix in SUFFIXES]
MAGIC = [
    *(b"", b"%PDF-1.7\n", b"{\\rtf1 ", b"PK\x03\x04", b"<!DOCTYPE html>", b"From: a\nMessage-ID: b\n"),
    *(b"---\n", b"\xff\xfe<", b"\xd0\xcf\x11\xe0"),
]
WHOLE = {
    "x.pdf": pdf(column(PROSE), column(PROSE)),
    "x.docx": word_xml(
        f'<w:document xmlns:w="{WORD_XML}"><w:body><w:p><w:r><w:t>It rained.</w:t></w:r></w:p></w:body>'
        "</w:document>"
    ),
    "x.epub": epub({"a.xhtml": xhtml("<p>It rained.</p>")}, ["a.xhtml"]),
    "x.rtf": rb"{\rtf1\ansi{\fonttbl{\f0 Times;}}\f0 It rained \'e9 \u8220?all day.\par}",
    "x.html": SITE.encode(),
    "x.md": MARKDOWN.encode(),
    "x.csv": b'id,text\n1,"It rained <p>all</p> day, and **more**."\n2,It snowed in the hills.\n',
    "x.json": b'[{"text": ["It rained all day. ", {"text": "Yes"}], "user": {"name": "Ann"}, "ts": 1e9}]',
    "x.eml": mail("Yes.", "<p>Rich.</p>", a__txt=b"It rained.").as_bytes(),
}


def read_or_refuse(data: bytes, name: str) -> None:
    try:
        found = read_documents(data, name, name)
    except SummcError as error:
        found, message = [], str(error)
    else:
        message = ""
    assert "\n" not in message
    for document in found:
        assert document.paragraphs or document.problem
        "".join(document.paragraphs).encode()  # raises if the text cannot be written


@given(magic=st.sampled_from(MAGIC), data=st.binary(max_size=200), name=st.sampled_from(NAMES))
def test_arbitrary_bytes_never_crash(magic: bytes, data: bytes, name: str) -> None:
    read_or_refuse(magic + data, name)


@given(data=st.data(), name=st.sampled_from(sorted(WHOLE)))
def test_damaged_files_never_crash(data: st.DataObject, name: str) -> None:
    broken = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(len(broken) // 2, len(broken)))
    read_or_refuse(bytes(broken[:end]), name)


@given(
    markup=st.text("<>/pdivblockquote &;!-[]()*_`#|\n\"'= 1", max_size=120),
    name=st.sampled_from(["x.html", "x.md", "x.docx", "x.epub", "x.eml"]),
)
def test_arbitrary_markup_never_crashes(markup: str, name: str) -> None:
    made: dict[str, Callable[[str], bytes]] = {
        "x.docx": word_xml,
        "x.epub": lambda text: epub({"a.xhtml": text}, ["a.xhtml"]),
        "x.eml": lambda text: mail(html=text).as_bytes(),
    }
    read_or_refuse(made.get(name, str.encode)(markup), name)


# The real command


def test_a_folder_of_mixed_documents_is_one_cluster(summc: Cli, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Word brought news that the northern levee had failed before dawn.")
    second = column(["Page two is about sandbags."])
    files: dict[str, str | bytes] = {
        "a.pdf": pdf(head_and_foot(1) + column(PROSE), head_and_foot(2) + second),
        "b.html": SITE,
        "c.docx": word(document),
        "d.eml": mail("Mail says that the ferry is late.\n\n-- \nAnn").as_bytes(),
        "e.epub": epub({"a.xhtml": xhtml("<h1>One</h1><p>Books tell of older floods.</p>")}, ["a.xhtml"]),
        "f.md": b"# Notes\n\nMarkdown notes mention `pumps`.",
        "g.txt": b"Plain text of a witness.",
        "h.png": b"\x89PNG\r\n",
        "i.pdf": b"%PDF-1.7 broken",
    }
    folder = write_files(tmp_path, files)
    options = ("-k", 1000, "--reading", 0, "--format", "json")  # short sentences have a price
    whole = summc("summarize", *options, folder)
    assert whole.code == 0
    sentences = json.loads(whole.out)["sentences"]
    assert {
        ("a.pdf", "The state-owned power station was closed for a week.", 0, 1),
        ("a.pdf", "Page two is about sandbags.", 1, 2),
        ("b.html", "The school stays closed until May.", 4, None),
        ("c.docx", "Word brought news that the northern levee had failed before dawn.", 0, None),
        ("d.eml", "Mail says that the ferry is late.", 0, None),
        ("e.epub", "Books tell of older floods.", 1, None),
        ("f.md", "Markdown notes mention pumps.", 1, None),
        ("g.txt", "Plain text of a witness.", 0, None),
    } <= {(each["document"], each["text"], each["paragraph"], each.get("page")) for each in sentences}
    broken = "a PDF that cannot be read (Failed to load document (PDFium: Data format error))"
    assert whole.err.splitlines()[:2] == [
        f"warning: {folder / 'h.png'}: a binary file, not text; left out",
        f"warning: {folder / 'i.pdf'}: {broken}; left out",
    ]
    # The stages keep page numbers, and files can be read together with standard input.
    loaded = summc("load", folder)
    line = loaded.out
    stages = ("preprocess", "weigh -k 1000", "graph", "select -k 1000 --reading 0", "render --format json")
    for stage in stages:
        line = summc(*stage.split(), stdin=line).out
    assert json.loads(line) == json.loads(whole.out)
    result = summc("load", folder / "a.pdf", folder / "f.md", "-", stdin=(folder / "c.docx").read_bytes())
    assert (result.code, result.err) == (0, "")
    documents = json.loads(result.out)["cluster"]["documents"]
    assert [document["id"] for document in documents] == ["a.pdf", "f.md", "stdin"]
    assert documents[2]["sentences"][0]["text"].startswith("Word brought news")


# Without the extra

LIBRARIES = ("lxml", "pypandoc", "pypdfium2", "trafilatura")


def without(monkeypatch: pytest.MonkeyPatch, *libraries: str) -> None:
    """Simulate that libraries are not installed: unload them and the modules that use them."""
    for name in list(sys.modules):
        if name.split(".")[0] in libraries or name.startswith("summc.documents.formats."):
            monkeypatch.delitem(sys.modules, name)
            if name.startswith("summc."):  # else later tests would see modules loaded here
                monkeypatch.delattr(formats, name.rpartition(".")[2], raising=False)
    for library in libraries:
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(formats, "LIMITED", ())  # the helper process has the libraries


@pytest.mark.parametrize("session", sessions("missing_extra.txt"), ids=count(1))
def test_documents_that_lack_an_extra_are_reported(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str
) -> None:
    without(monkeypatch, *LIBRARIES)
    monkeypatch.chdir(tmp_path)
    check(summc, tmp_path, session)


def test_a_batch_reports_a_lacking_extra_until_the_part_is_made_with_it(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a/x.txt", "a/y.html", "b/x.txt", "b/y.html")
    folder, out = tmp_path / "in", tmp_path / "out"
    write_files(folder, {name: f"The ferry of {name[2]} left late because of the fog." for name in names})
    arguments = ("batch", folder, "-o", out, "--part-size", "1")
    remedy = "the extra summc[documents] is not installed; pip install 'summc[documents]'"
    with monkeypatch.context() as patch:
        without(patch, *LIBRARIES)
        for _ in ("a run", "the same again, which finds all parts"):
            result = summc(*arguments)
            assert result.code == 3
            assert result.err == f"error: {folder}/a/y.html and 1 more: left out, because {remedy}\n"
        for command in (["explain"], ["curve", "-k", "20"]):
            result = summc(*command, folder / "a")
            assert (result.code, result.out != "", result.err.count("pip install")) == (3, True, 1)
    (out / "part-00000.jsonl").unlink()
    again = summc(*arguments)
    assert (again.code, again.err) == (3, f"error: {folder}/b/y.html: left out, because {remedy}\n")
    (out / "part-00001.jsonl").unlink()
    assert (summc(*arguments).code, summc(*arguments).err) == (0, "")


# Libraries


def test_libraries_print_nothing_on_stderr() -> None:
    code = (
        "import sys; from summc.documents.formats import read_documents\n"
        "for name, data in eval(sys.stdin.read()).items(): read_documents(data, name, name)\n"
        "import logging; assert logging.getLogger('trafilatura').level == logging.NOTSET"
    )
    command = [sys.executable, "-W", "always", "-c", code]
    ran = subprocess.run(command, input=repr(WHOLE).encode(), capture_output=True, check=True)
    assert ran.stderr == b""


def test_warnings_of_summc_are_shown_while_libraries_are_silenced(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "summc"):
        read(b"<p>Caf\xe9.", "x.html")
    assert "x.html: not UTF-8, read as Windows-1252" in caplog.text
