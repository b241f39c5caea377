"""HTML, Word, e-books and Markdown: which text is kept and which is dropped."""

from __future__ import annotations

import contextlib
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from summc.documents import load
from summc.errors import InputError
from tests.support.readers import problem, read, read_one
from tests.support.writers import MARKDOWN, SITE, WORD_XML, epub, word, word_xml, xhtml, zipped

# HTML


def test_only_the_article_of_an_html_page_is_read() -> None:
    assert read_one(SITE.encode(), "x.html").paragraphs == [
        "Dam breaks in the night",
        "The dam broke on Friday night after a week of rain, and the town was flooded within an hour.",
        "What comes next",
        "Engineers said it would take a year to build the dam again, and that the town had to wait for it.",
        "The school stays closed until May.",
        "The bridge opens on Monday.",
        "Houses flooded in the town",
        "214 of them",
        "Use sandbag to close doors, the mayor said to the people of the town.",
    ]


def test_a_page_without_an_article_is_read_without_menu_and_footer() -> None:
    page = """<nav>Menu</nav><h1>Short</h1><div>It rained.<br>It <b>pour</b>ed.</div><div hidden>No.</div>
    <p style="display: none">Nor this.</p><script>x</script><footer>Imprint</footer>Bare text."""
    assert read_one(page.encode(), "x.htm").paragraphs == ["Short", "It rained.", "It poured.", "Bare text."]


@pytest.mark.parametrize(
    "data",
    [
        "<meta charset=iso-8859-2><p>Łódź płonie.".encode("iso-8859-2"),
        "<?xml version='1.0' encoding='iso-8859-2'?><html><p>Łódź płonie.</p></html>".encode("iso-8859-2"),
        "<meta charset=utf-9><p>Łódź płonie.".encode(),
        "<meta charset=ascii><p>Łódź płonie.".encode(),
        "<meta charset=iso-8859-2><p>Łódź płonie.".encode("utf-16"),
        b"<p>&#321;&oacute;d&zacute; p&lstrok;onie.",
    ],
)
def test_an_html_page_is_read_in_its_encoding(data: bytes) -> None:
    assert read_one(data, "x.html").paragraphs == ["Łódź płonie."]


@pytest.mark.parametrize("data", [b"", b" ", b"<html></html>", b"<!-- only that -->", b"<script>x</script>"])
def test_an_html_page_without_text_is_reported(data: bytes) -> None:
    assert problem(data, "x.html") == "x.html: an HTML page with no text in it; give a file that holds text"


def test_deeply_nested_html_does_not_crash() -> None:
    with contextlib.suppress(InputError):
        read(b"<div>" * 20_000 + b"It rained.", "x.html")


# Word


def revised(body: str) -> docx.document.Document:
    document = docx.Document()
    document.element.body.insert(
        0, parse_xml(f"<w:sdt {nsdecls('w')}><w:sdtContent>{body}</w:sdtContent></w:sdt>")
    )
    return document


def test_paragraphs_and_cells_of_a_word_document_are_read() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Head"
    document.sections[0].footer.paragraphs[0].text = "Foot"
    document.add_heading("A heading", 1)
    document.add_paragraph("It rained. It ").add_run("poured.").bold = True
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "One cell", "Another cell"
    document.add_paragraph("An item", style="List Bullet")
    found = read_one(word(document), "x.docx")
    assert found.paragraphs == [
        "A heading",
        "It rained. It poured.",
        "One cell",
        "Another cell",
        "An item",
    ]
    assert found.pages == []


def test_merged_cells_are_read_once() -> None:
    document = docx.Document()
    table = document.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(1, 1)).text = "Merged"
    assert read_one(word(document), "x.docx").paragraphs == ["Merged"]


def test_a_word_document_is_read_with_its_tracked_changes_accepted() -> None:
    document = revised(
        "<w:p><w:pPr><w:pStyle w:val='TOC1'/></w:pPr><w:r><w:t>A heading 3</w:t></w:r></w:p>"
        "<w:p><w:r><w:t xml:space='preserve'>It </w:t></w:r>"
        "<w:ins><w:r><w:t>rained</w:t></w:r></w:ins><w:del><w:r><w:delText>snowed</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:r><w:tab/><w:t>all</w:t><w:noBreakHyphen/><w:t>day.</w:t></w:r></w:p>"
    )
    assert read_one(word(document), "x.docx").paragraphs == ["It rained all-day."]


@pytest.mark.parametrize(("value", "shown"), [("0", True), ("false", True), ("1", False), ("true", False)])
def test_hidden_runs_of_a_word_document_are_left_out(value: str, shown: bool) -> None:
    document = revised(
        "<w:p><w:r><w:t>It rained.</w:t></w:r>"
        f"<w:r><w:rPr><w:vanish w:val='{value}'/></w:rPr><w:t>It snowed.</w:t></w:r></w:p>"
    )
    assert read_one(word(document), "x.docx").paragraphs == ["It rained." + "It snowed." * shown]


def test_a_text_box_does_not_divide_the_paragraph_around_it() -> None:
    box = (
        "<w:drawing><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></w:drawing>"
        "<mc:Fallback xmlns:mc='x'><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></mc:Fallback>"
    )
    document = revised(f"<w:p><w:r><w:t>It rained </w:t>{box}</w:r><w:r><w:t>all day.</w:t></w:r></w:p>")
    assert read_one(word(document), "x.docx").paragraphs == ["In a box.", "It rained all day."]


def test_an_opendocument_text_is_read() -> None:
    content = (
        '<o:document-content xmlns:o="o" xmlns:t="t"><o:text><t:tracked-changes><t:p>Gone.</t:p>'
        "</t:tracked-changes><t:table-of-content><t:p>A heading 1</t:p></t:table-of-content>"
        "<t:h>A heading</t:h><t:p>It <t:span>rai</t:span>ned<t:s/>all<t:tab/>day.<t:note><t:p>A note.</t:p>"
        "</t:note><t:line-break/>Yes.</t:p></o:text></o:document-content>"
    )
    meta = (
        '<m xmlns:d="d"><d:creation-date>2005-01-08T10:15:00</d:creation-date><d:language>de</d:language></m>'
    )
    kind = {"mimetype": "application/vnd.oasis.opendocument.text"}
    found = read_one(zipped({**kind, "content.xml": content, "meta.xml": meta}), "x")
    assert found.paragraphs == ["A heading", "It rained all day.", "Yes."]
    assert (found.file_date, found.language) == ("2005-01-08", "de")
    assert read_one(zipped({**kind, "content.xml": content, "meta.xml": "<"}), "x.odt").file_date == ""


def test_the_slides_of_a_presentation_are_read_in_order_and_count_as_pages() -> None:
    slide = "<s><p><r><t>{}</t></r><fld><t>7</t></fld></p></s>"
    slides = "".join(f'<r Id="{id_}" Type="x/slide" Target="slides/{id_}.xml"/>' for id_ in "ab")
    members = {
        "_rels/.rels": '<r><r Type="x/officeDocument" Target="ppt/p.xml"/></r>',
        "ppt/p.xml": '<p xmlns:r="r"><sldId id="1" r:id="b"/><sldId id="2" r:id="a"/></p>',
        "ppt/_rels/p.xml.rels": f"<r>{slides}</r>",
        "ppt/slides/a.xml": slide.format("It rained."),
        "ppt/slides/b.xml": slide.format("A heading"),
    }
    found = read_one(zipped(members), "x")
    assert found.paragraphs == ["A heading", "It rained."]
    assert found.pages == [((0, 1),), ((0, 2),)]


def test_an_rtf_document_is_read() -> None:
    text = (
        rb"{\rtf1\ansi{\fonttbl{\f0 Times;}}{\info{\creatim\yr2005\mo1\dy8}}"
        rb"\f0 It rained\tab {\b all} day.\par Caf\'e9 \u8220?Anna\u8221?."
        rb"{\footnote A note.}\par\trowd\cellx9\cellx18 One\cell Two\cell\row}"
    )
    found = read_one(text, "x")
    assert found.paragraphs == ["It rained all day.", "Café “Anna”.", "One", "Two"]
    assert found.file_date == "2005-01-08"
    assert problem(rb"{\rtf1 \u99999999 }", "x.rtf").startswith(
        "x.rtf: an RTF document that cannot be read ("
    )


def test_entities_are_not_expanded_and_no_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    hostile = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">'
        '<!ENTITY a "laugh"><!ENTITY b "&a;&a;&a;">]>'
        f'<w:document xmlns:w="{WORD_XML}"><w:p><w:r><w:t>It &x;rained&b;.</w:t></w:r></w:p></w:document>'
    )
    text = read_one(word_xml(hostile), "x.docx").paragraphs
    assert "secret" not in str(text)
    assert "laugh" not in str(text)
    for element, name in (("w:document", "html"), ("w:p", "p"), ("w:r", "b"), ("w:t", "i")):
        hostile = hostile.replace(element, name)
    book = read_one(epub({"a.xhtml": hostile}, ["a.xhtml"]), "x.epub").paragraphs
    assert "secret" not in str(book)
    assert "laugh" not in str(book)


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    paragraph = "<w:p><w:r><w:t>It rained.</w:t></w:r></w:p>"
    bomb = f'<w:document xmlns:w="{WORD_XML}">{paragraph * 30_000}</w:document>'
    assert len(word_xml(bomb)) < 20_000
    assert problem(word_xml(bomb), "x.docx") == (
        "x.docx: unpacks to more than 1 MB; split it, save it as text, or raise SUMMC_MOST_MB"
    )
    halves = {f"{name}.xhtml": xhtml("<p>It rained.</p>" * 45_000) for name in "ab"}
    assert problem(epub(halves, list(halves)), "x.epub").startswith("x.epub: unpacks to more than 1 MB")


def test_a_word_document_that_cannot_be_read_says_why() -> None:
    assert problem(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "x.docx") == (
        "x.docx: encrypted, or in the format of Word 97; save it as .docx without a password"
    )
    assert (
        problem(word(), "x.docx") == "x.docx: a Word document with no text in it; give a file that holds text"
    )
    assert problem(b"", "x.docx").startswith(
        "x.docx: a Word document that cannot be read (File is not a zip file)"
    )
    assert problem(word()[:900], "x.docx").startswith("x.docx: a Word document that cannot be read (")
    assert "cannot be read" in problem(word_xml("<w:document"), "x.docx")
    assert problem(zipped({"xl/workbook.xml": ""}), "x.xlsx") == (
        "x.xlsx: a zip archive or office document, not a text file; convert it to text first"
    )


# E-books


def test_the_chapters_of_a_book_are_read_in_order_and_count_as_pages(tmp_path: Path) -> None:
    chapters = {
        "nav.xhtml": xhtml("<nav><ol><li>Contents</li></ol></nav>"),
        "two words.xhtml": xhtml("<h1>Two</h1><p>It poured.</p>"),
        "one.xhtml": xhtml("<h1>One</h1><p>It rained&nbsp;&mdash; a little.<br/>Yes.</p><a id='x'/>"),
        "notes.xhtml": xhtml("<p>Notes.</p>"),
        "broken.xhtml": "<html><body><p>Three & <b>more.</p>",
    }
    data = epub(
        chapters, ["nav.xhtml", "one.xhtml", "two words.xhtml", "!notes.xhtml", "broken.xhtml", "unknown"]
    )
    (tmp_path / "x.epub").write_bytes(data)
    (cluster,) = load([tmp_path / "x.epub"])
    assert [(s.text, s.paragraph, s.page) for s in cluster.sentences] == [
        ("One", 0, 1),
        ("It rained — a little.", 1, 1),
        ("Yes.", 2, 1),
        ("Two", 3, 2),
        ("It poured.", 4, 2),
        ("Three & more.", 5, 3),
    ]


def test_a_book_that_cannot_be_read_says_why(caplog: pytest.LogCaptureFixture) -> None:
    chapters = {"a.xhtml": xhtml("<p>It rained.</p>")}
    lock = '<e><d><CipherReference URI="OEBPS/{}"/></d></e>'
    locked = {"META-INF__encryption.xml": lock.format("a.xhtml")}
    assert problem(epub(chapters, ["a.xhtml"], **locked), "x.epub") == (
        "x.epub: encrypted; give a copy without copy protection"
    )
    fonts = {"META-INF__encryption.xml": lock.format("font.otf")}
    assert read_one(epub(chapters, ["a.xhtml"], **fonts), "x.epub").paragraphs == ["It rained."]
    assert (
        problem(epub(chapters, []), "x.epub")
        == "x.epub: an e-book with no text in it; give a file that holds text"
    )
    data = epub({**chapters, "b.xhtml": ""}, ["b.xhtml", "a.xhtml"]).replace(
        b"OEBPS/b.xhtml", b"OEBPS/c.xhtml"
    )
    assert read_one(data, "x.epub").paragraphs == ["It rained."]
    assert "x.epub: OEBPS/b.xhtml is missing; left out" in caplog.text


# Markdown


def test_markdown_is_read_without_its_markup() -> None:
    assert read_one(MARKDOWN.encode(), "x.md").paragraphs == [
        "A heading with code and weight",
        "It rained on the dam, see https://example.org, and it poured.",
        "Setext heading",
        "first item",
        "second item goes on",
        "A quotation.",
        "town",
        "houses",
        "Ansby",
        "214",
        "More",
        "Text within",
        "It & more * here.",
        "A footnote.",
        "Another one.",
    ]


def test_a_horizontal_rule_in_markdown_is_not_front_matter() -> None:
    assert read_one(b"---\n\nIt rained.\n\n---\n\nIt poured.\n", "x.md").paragraphs == [
        "It rained.",
        "It poured.",
    ]
    assert read_one(b"+++\ntitle = 'x'\n+++\nIt rained.", "x.md").paragraphs == ["It rained."]
    assert problem(b"```\ncode\n```\n", "x.md").startswith("x.md: a Markdown text with no text in it")
