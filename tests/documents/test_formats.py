"""Everyday documents: recognising formats, the real command on them, and damaged files."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import formats
from summc.documents.formats import read_documents
from summc.documents.formats.layout import Line, page_paragraphs
from summc.errors import SummcError
from tests.conftest import Cli
from tests.support.readers import read
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

# Recognising the format

PAGE = "<!DOCTYPE html><html><body><p>It rained.</p></body></html>"


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"%PDF-1.7", "x", formats.PDF),
        (b"%PDF-1.7", "x.txt", formats.PDF),
        (b"", "x.PDF", formats.PDF),
        (word(), "x", formats.WORD),
        (epub({}, []), "x.zip", formats.EPUB),
        (zipped({"a.txt": "x"}), "x", None),
        (b"PK\x03\x04 broken", "x.docx", formats.WORD),
        (b"PK\x03\x04 broken", "x", None),
        (PAGE.encode(), "stdin", formats.WEB_PAGE),
        (PAGE.encode("utf-16"), "stdin", formats.WEB_PAGE),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a --> <HTML lang='en'>", "x", formats.WEB_PAGE),
        (PAGE.encode(), "x.txt", None),
        (b"<p>x</p>", "x.html", formats.WEB_PAGE),
        (b"<DOC><TEXT>x</TEXT></DOC>", "x.html", None),
        (b'<?xml version="1.0"?>\n<doc id="3">', "x.html", None),
        (b"<DOCTOR>", "x.html", formats.WEB_PAGE),
        (b"A <DOC> in the middle.", "x.html", formats.WEB_PAGE),
        (b"<headline>", "x", None),
        (mail("x").as_bytes(), "stdin", formats.MAIL),
        (b"From ann Mon Jan 7\n" + mail("x").as_bytes(), "stdin", formats.MAIL),
        (mail("x").as_bytes(), "x.txt", None),
        (b"From: a\nNote: from here on, text\nThis is how it went.\n", "stdin", None),
        (b"From: a\nTo: b\n\nNo subject, no date: a dialogue perhaps.", "stdin", None),
        (b"# Head", "x.md", formats.MARKDOWN),
        (b"# Head", "stdin", None),
        (b"", "x", None),
    ],
)
def test_the_format_is_recognised_by_content_before_name(
    data: bytes, name: str, expected: formats.Format | None
) -> None:
    assert formats.recognise(data, name) == expected


# Arbitrary input

NAMES = ["x.pdf", "x.docx", "x.epub", "x.html", "x.md", "x.eml", "x.odt", "x.pptx", "x.rtf", "x"]
MAGIC = [
    b"",
    b"%PDF-1.7\n",
    b"{\\rtf1 ",
    b"PK\x03\x04",
    b"<!DOCTYPE html>",
    b"From: a\nMessage-ID: b\n",
    b"---\n",
    b"\xff\xfe<",
    b"\xd0\xcf\x11\xe0",
]
WHOLE = {
    "x.pdf": pdf(column(PROSE), column(PROSE)),
    "x.docx": word_xml(
        f'<w:document xmlns:w="{WORD_XML}"><w:p><w:r><w:t>It rained.</w:t></w:r></w:p></w:document>'
    ),
    "x.epub": epub({"a.xhtml": xhtml("<p>It rained.</p>")}, ["a.xhtml"]),
    "x.rtf": rb"{\rtf1\ansi{\fonttbl{\f0 Times;}}\f0 It rained \'e9 \u8220?all day.\par}",
    "x.html": SITE.encode(),
    "x.md": MARKDOWN.encode(),
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
        assert len(document.pages) in (0, len(document.paragraphs))
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
    made = {"x.docx": word_xml, "x.epub": one_chapter, "x.eml": html_mail}.get(name, str.encode)
    read_or_refuse(made(markup), name)


def one_chapter(markup: str) -> bytes:
    return epub({"a.xhtml": markup}, ["a.xhtml"])


def html_mail(markup: str) -> bytes:
    return mail(html=markup).as_bytes()


# The real command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of everyday documents, with a picture and a broken file among them."""
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
    return write_files(tmp_path, files)


def test_a_folder_of_mixed_documents_is_one_cluster(summc: Cli, folder: Path) -> None:
    flags = ("-k", 1000, "--config", "paper", "--selector", "greedy", "--format", "json")
    result = summc("summarize", *flags, folder)
    assert result.code == 0
    found = [
        (s["document"], s["text"], s["paragraph"], s.get("page")) for s in json.loads(result.out)["sentences"]
    ]
    for expected in [
        ("a.pdf", "The state-owned power station was closed for a week.", 0, 1),
        ("a.pdf", "Page two is about sandbags.", 1, 2),
        ("b.html", "What comes next", 2, None),
        ("c.docx", "Word brought news that the northern levee had failed before dawn.", 0, None),
        ("d.eml", "Mail says that the ferry is late.", 0, None),
        ("e.epub", "Books tell of older floods.", 1, 1),
        ("f.md", "Markdown notes mention pumps.", 1, None),
        ("g.txt", "Plain text of a witness.", 0, None),
    ]:
        assert expected in found
    assert result.err.splitlines() == [
        f"warning: {folder / 'h.png'}: a PNG picture, not a text file; left out",
        (
            f"warning: {folder / 'i.pdf'}: a PDF that cannot be read "
            "(Failed to load document (PDFium: Data format error)); left out"
        ),
    ]


def test_files_and_standard_input_can_be_read_together(summc: Cli, folder: Path) -> None:
    result = summc("load", folder / "a.pdf", folder / "f.md", "-", stdin=(folder / "c.docx").read_bytes())
    assert (result.code, result.err) == (0, "")
    documents = json.loads(result.out)["cluster"]["documents"]
    assert [document["id"] for document in documents] == ["a.pdf", "f.md", "stdin"]
    last = {"text": "Page two is about sandbags.", "words": 5, "paragraph": 1, "page": 2}
    assert documents[0]["sentences"][-1] == last
    assert documents[2]["sentences"][0]["text"].startswith("Word brought news")


def test_the_stages_keep_page_numbers(summc: Cli, folder: Path) -> None:
    whole = summc("summarize", "-k", 1000, "--least-words", 1, "--format", "json", folder / "a.pdf")
    line = summc("load", folder / "a.pdf").out
    stages = "preprocess --least-words 1", "weigh", "graph", "select -k 1000", "render --format json"
    for stage in stages:
        line = summc(*stage.split(), stdin=line).out
    assert json.loads(line) == json.loads(whole.out)
    assert {sentence["page"] for sentence in json.loads(line)["sentences"]} == {1, 2}


@pytest.mark.parametrize(
    ("file", "library", "kind"),
    [
        ("a.pdf", "pypdfium2", "a PDF"),
        ("k.rtf", "striprtf", "an RTF document"),
        ("b.html", "trafilatura", "an HTML page"),
        ("c.docx", "lxml", "a Word document"),
        ("e.epub", "lxml", "an e-book"),
        ("j.md", "lxml", "a Markdown text"),
    ],
)
def test_a_one_line_error_names_the_missing_extra(
    summc: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, file: str, library: str, kind: str
) -> None:
    without(monkeypatch, library)
    (folder / "j.md").write_text("# Notes\n\n<details>More notes.</details>")
    (folder / "k.rtf").write_text(r"{\rtf1 Notes.}")
    needs = f"{folder / file}: {kind}, which needs the extra summc[documents]"
    named = summc("load", folder / file)
    assert (named.code, named.out) == (3, "")
    assert named.err == f"error: {needs}; pip install 'summc[documents]'\n"


def test_documents_that_lack_an_extra_are_reported_once_and_by_the_exit_code(
    summc: Cli, folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "lxml", "pypdfium2", "trafilatura")
    remedy = "the extra summc[documents] is not installed; pip install 'summc[documents]'"
    reported = f"error: {folder / 'a.pdf'} and 4 more: left out, because {remedy}"
    for arguments in (["load"], ["summarize", "--format", "json"], ["explain"], ["curve", "-k", "20"]):
        found = summc(*arguments, folder)
        assert (found.code, found.out != "") == (3, True)
        assert [line for line in found.err.splitlines() if "extra" in line] == [reported]
    out = tmp_path_factory.mktemp("out")
    for _ in ("a run", "the same again, which finds all parts"):
        batch = summc("batch", folder, "-o", out)
        assert (batch.code, [line for line in batch.err.splitlines() if "extra" in line]) == (3, [reported])
    one = json.loads(summc("summarize", "--format", "json", folder).out)
    assert one["id"] == folder.name  # still one cluster, so an object and no list


def test_a_part_that_is_made_again_with_the_extra_is_no_longer_reported(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a/x.txt", "a/y.html", "b/x.txt", "b/y.html")
    files = {name: f"<p>The ferry {name} left late because of the fog." for name in names}
    write_files(tmp_path / "in", files)
    arguments = ("batch", tmp_path / "in", "-o", tmp_path / "out", "--part-size", "1")
    with monkeypatch.context() as patch:
        without(patch, "trafilatura")
        assert "a/y.html and 1 more: left out" in summc(*arguments).err
    (tmp_path / "out" / "part-00000.jsonl").unlink()
    again = summc(*arguments)
    assert (again.code, again.err.count("left out")) == (3, 1)
    assert "b/y.html: left out" in again.err
    (tmp_path / "out" / "part-00001.jsonl").unlink()
    assert (summc(*arguments).code, summc(*arguments).err) == (0, "")


def test_a_cluster_without_a_readable_document_fails_and_the_extra_is_named_once(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a/x.html", "b/x.html", "c/x.txt")
    write_files(tmp_path, dict.fromkeys(names, "The ferry left late on a Monday because of the fog."))
    without(monkeypatch, "trafilatura")
    result = summc("summarize", tmp_path)
    assert result.out.startswith("==> c <==\n")
    assert result.code == 3
    assert result.err.count("pip install") == 1
    assert len(result.err.splitlines()) == 3


def test_the_layout_of_a_folder_does_not_depend_on_the_extra(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"notes.html": "The ferry left late.", "below/b.txt": "The bridge fell."})
    without(monkeypatch, "trafilatura")
    result = summc("summarize", tmp_path)
    assert (result.code, result.out) == (3, "")
    assert f"{tmp_path / 'below'}: a folder among documents; left out" in result.err


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


def test_text_markdown_mail_need_no_extra(summc: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "lxml", "pypdfium2", "trafilatura")
    (folder / "f.md").write_text(
        "<p><img src=x></p>\n\n# Notes\n<!-- no text -->\nMarkdown *notes* of pumps."
    )
    result = summc("summarize", folder / "d.eml", folder / "g.txt", folder / "f.md", "--format", "json")
    texts = [sentence["text"] for sentence in json.loads(result.out)["sentences"]]
    assert {"Mail says that the ferry is late.", "Markdown notes of pumps."} <= set(texts)
    assert (result.code, result.err) == (0, "")
    rich = summc("load", "-", stdin=mail(html="<p>Rich.</p>").as_bytes())
    assert "standard input: a mail, which needs the extra summc[documents]" in rich.err


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


def test_a_page_of_very_many_lines_is_read_quickly() -> None:
    lines = [Line(f"line {i}", 1, 10, 90, -12.0 * i, 10) for i in range(5_000)]
    assert page_paragraphs([lines])[0]


FLOWED = b"From: a\nTo: b\nContent-Type: text/plain; format=flowed\n\n"


@pytest.mark.parametrize(
    ("name", "data"), [("a.eml", FLOWED + b"the dam broke \n" * 20_000), ("a.md", b"[^" * 10_000)]
)
def test_reading_time_does_not_grow_quadratically(name: str, data: bytes) -> None:
    assert read_documents(data, name, name)


def test_footnote_marks_do_not_nest() -> None:
    (document,) = read_documents(b"The dam[^1] broke[^[^2].", "a.md", "a.md")
    assert document.paragraphs == ["The dam broke[^."]


def test_a_page_that_claims_to_be_punycode_is_read_as_plain_text() -> None:
    # Decoding it as punycode would take quadratic time.
    data = b'<meta charset="punycode"><p>The dam broke in the night, and nobody was hurt-abc.</p>'
    (document,) = read_documents(data, "a.html", "a.html")
    assert document.paragraphs == ["The dam broke in the night, and nobody was hurt-abc."]
