"""Everyday documents: what is kept of each, what is dropped, where it stands, and whatever may be wrong."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import formats, load
from summc.documents.formats.layout import Line, page_paragraphs
from summc.documents.formats.mail import without_quotes
from summc.documents.plain import read_documents
from summc.documents.raw import RawDocument
from summc.errors import InputError, SummcError
from tests.conftest import Run
from tests.writers import Put, column, epub, mail, pdf, word, xhtml, zipped


def read_one(data: bytes | EmailMessage, name: str) -> RawDocument:
    (document,) = read(data, name)
    return document


def read(data: bytes | EmailMessage, name: str) -> list[RawDocument]:
    return read_documents(data if isinstance(data, bytes) else data.as_bytes(), name, name)


def problem(data: bytes | EmailMessage, name: str) -> str:
    with pytest.raises(InputError) as raised:
        read(data, name)
    return str(raised.value)


# Which format a file is in

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
def test_the_content_decides_where_it_can(data: bytes, name: str, expected: formats.Format | None) -> None:
    assert formats.recognise(data, name) == expected


# PDF

PROSE = [
    "The river rose all through the night and by the morn-",
    "ing it had cut off the town from the north. The state-",
    "owned power station was closed for a week. It is a",
    "state-owned one, built in 1950 at the river.",
]


def head_and_foot(number: int) -> list[Put]:
    return [Put(60, 770, "Annals of Rivers, vol. 3"), Put(300, 30, f"- {number} -")]


def test_a_pdf_joins_lines_and_hyphenated_words() -> None:
    document = read_one(pdf(column(PROSE)), "x.pdf")
    assert " ".join(document.paragraphs) == (
        "The river rose all through the night and by the morning it had cut off the town from the north. "
        "The state-owned power station was closed for a week. "
        "It is a state-owned one, built in 1950 at the river."
    )
    assert document.pages == [((0, 1),)]


def test_headings_stand_alone_in_a_pdf() -> None:
    bold = [Put(60, 760, "A bold heading of the size of the text", font="Times-Bold"), *column(PROSE, y=748)]
    large = [Put(60, 640, "A Large Heading", size=16), *column(["Short text under it that goes on"], y=626)]
    found = read_one(pdf(bold + large), "x.pdf").paragraphs
    assert [text[:30] for text in found] == [
        "A bold heading of the size of ",
        "The river rose all through the",
        "A Large Heading",
        "Short text under it that goes ",
    ]


def test_paragraphs_of_a_pdf_are_told_by_indents_spaces_and_short_lines() -> None:
    indented = [
        *column(PROSE[:3]),
        Put(75, 664, "A new paragraph is indented here, and it"),
        *column(["runs on."], y=652),
    ]
    spaced = column(["After a space there is another one, which"], y=630) + column(["ends here."], y=618)
    short = column(["Then comes one that is not set apart at all, but"], y=606)
    assert [text[:20] for text in read_one(pdf(indented + spaced + short), "x.pdf").paragraphs] == [
        "The river rose all t",
        "A new paragraph is i",
        "After a space there ",
        "Then comes one that ",
    ]


def test_heads_feet_and_page_numbers_of_a_pdf_are_dropped() -> None:
    bodies = [
        column([f"{word} stands on a page of its own, all by itself here."]) for word in ("One", "Two", "Six")
    ]
    document = read_one(pdf(*(head_and_foot(i + 9) + body for i, body in enumerate(bodies))), "x.pdf")
    assert [text[:3] for text in document.paragraphs] == ["One", "Two", "Six"]
    assert document.pages == [((0, 1),), ((0, 2),), ((0, 3),)]


def test_left_and_right_pages_have_heads_of_their_own() -> None:
    heads = ["On Rivers", "A. Author", "On Rivers", "A. Author"]
    pages = [
        [Put(60, 770, head), *column([f"Text {'abcd'[i]} stands here."])] for i, head in enumerate(heads)
    ]
    assert read_one(pdf(*pages), "x.pdf").paragraphs == [f"Text {c} stands here." for c in "abcd"]


def test_a_number_that_is_no_page_number_stays() -> None:
    page = column(["In all there were found", "42", "of them, which is a lot."])
    assert "42" in " ".join(read_one(pdf(page), "x.pdf").paragraphs)


def test_a_paragraph_goes_on_over_pages_and_notes_and_each_sentence_knows_its_page(tmp_path: Path) -> None:
    first = [*head_and_foot(1), *column(PROSE[:3]), Put(60, 60, "1 A note at the foot of the page.", size=7)]
    second = [*head_and_foot(2), *column(["state-owned one. The second page has this sentence."])]
    (tmp_path / "x.pdf").write_bytes(pdf(first, second))
    (cluster,) = load([tmp_path / "x.pdf"])
    assert [(s.text[:9], s.paragraph, s.page) for s in cluster.sentences] == [
        ("The river", 0, 1),
        ("The state", 0, 1),
        ("It is a s", 0, 1),
        ("The secon", 0, 2),
        ("1 A note ", 1, 1),
    ]
    assert cluster.sentences[2].text == "It is a state-owned one."


LEFT = [
    "The left column tells of the river and of",
    "the town, and it ends with an open sen-",
    "tence that goes on",
]
RIGHT = [
    "over there, at the right of the page, and",
    "then it comes to its end after the third",
    "line of the column.",
]
READ = "and it ends with an open sentence that goes on over there, at the right"


def test_columns_of_a_pdf_are_read_one_after_the_other() -> None:
    page = [Put(60, 760, "A title", size=18), *column(LEFT), *column(RIGHT, x=320)]
    assert READ in read_one(pdf(page), "x.pdf").paragraphs[1]


def test_columns_written_row_by_row_are_read_one_after_the_other() -> None:
    rows = [put for pair in zip(column(LEFT), column(RIGHT, x=320), strict=True) for put in pair]
    page = [
        Put(60, 730, "A line above them that reaches from one side over to the other side, across both."),
        *rows,
    ]
    title, text = read_one(pdf(page), "x.pdf").paragraphs
    assert title.startswith("A line above")
    assert READ in text


def test_rows_of_a_table_stay_rows() -> None:
    rows = [Put(x, y, text) for y, row in zip((700, 680, 660), ("A1 B1", "A2 B2", "A3 B3"), strict=True)
            for x, text in zip((60, 300), row.split(), strict=True)]  # fmt: skip
    assert read_one(pdf(rows), "x.pdf").paragraphs == ["A1 B1", "A2 B2", "A3 B3"]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_turned_page_is_read_and_what_stands_across_it_is_not(turn: int) -> None:
    steps = {0: (0, -12), 90: (12, 0), 180: (0, 12), 270: (-12, 0)}[turn]
    lines = [Put(300 + steps[0] * i, 400 + steps[1] * i, text, turn=turn) for i, text in enumerate(PROSE)]
    stamp = Put(30, 30, "stamp", turn=turn + 90)
    (text,) = read_one(pdf([stamp, *lines], form=-turn % 360), "x.pdf").paragraphs
    assert text.startswith("The river rose all through the night and by the morning it had")
    assert "stamp" not in text


def test_a_pdf_that_cannot_be_read_says_why() -> None:
    assert problem(pdf(column(PROSE), password="dam"), "x.pdf") == (  # noqa: S106 (to be refused)
        "x.pdf: a PDF that is encrypted; save it without a password"
    )
    assert problem(pdf([]), "x.pdf") == "x.pdf: a PDF with no text in it; it may be scanned: run OCR first"
    assert problem(pdf(column(PROSE))[:500], "x.pdf").startswith("x.pdf: a PDF that cannot be read (")
    assert problem(b"", "x.pdf").startswith("x.pdf: a PDF that cannot be read (")


def test_a_pdf_that_only_its_owner_may_change_is_read() -> None:
    assert read_one(pdf(column(PROSE), password=""), "x.pdf").paragraphs[0].startswith("The river rose")


lines = st.builds(
    Line,
    text=st.text("ab-. 1Z", min_size=1, max_size=12).map(str.strip).filter(bool),
    page=st.just(1),
    left=st.integers(0, 300).map(float),
    right=st.integers(301, 600).map(float),
    bottom=st.integers(0, 800).map(float),
    size=st.sampled_from([8.0, 10.0, 16.0]),
    bold=st.booleans(),
)


@given(page=st.lists(lines, min_size=1, max_size=12))
def test_wherever_lines_stand_their_letters_stay(page: list[Line]) -> None:
    found, pages = page_paragraphs([page])
    kept = "".join(found)
    assert len(found) == len(pages)
    # Only a page number at the edge, and hyphens at line ends, may go.
    for letter in "aZ":
        assert kept.count(letter) == sum(line.text.count(letter) for line in page)


def test_pages_from_right_to_left_are_read_as_others_are() -> None:
    texts = ["הנהר עלה כל הלילה ועד הבוקר כבר", "ניתק את העיר מן הצפון.", "פסקה חדשה מתחילה כאן והיא ארוכה"]
    lefts = [100.0, 180.0, 100.0]
    page = [
        Line(text, 1, left, 400.0, 700.0 - 12 * i, 10.0)
        for i, (text, left) in enumerate(zip(texts, lefts, strict=True))
    ]
    assert page_paragraphs([page])[0] == [f"{texts[0]} {texts[1]}", texts[2]]


# HTML

SITE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Tide Times</title>
<style>p {color: red}</style><script>var tracker = "on";</script></head><body>
<div class="cookie-banner" id="cookies"><p>We use cookies to make this site better for you.</p>
<button>Accept</button></div>
<nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul></nav>
<main><article><h1>Dam breaks in the night</h1>
<p>The dam broke on <a href="https://example.org/f">Friday</a> night after a week of rain<!-- no -->, and the
town was flooded&nbsp;within an hour.</p><h2>What comes next</h2>
<p>Engineers said it would take a year to build the dam again, and that the town had to wait for it.</p>
<ul><li>The school stays closed until May.</li><li>The bridge opens on Monday.</li></ul>
<table><tr><td>Houses flooded in the town</td><td>214 of them</td></tr></table>
<p>Use <code>sandbag</code> to close doors, the mayor said to the people of the town.</p>
<pre><code>while true:
    do_not_read()
</code></pre></article></main>
<aside><h3>Related stories</h3><a href="/x">Ferry strikes reef</a></aside>
<footer><p>Copyright 2030 Tide Times. All rights reserved.</p></footer></body></html>"""


def test_an_html_page_is_its_article() -> None:
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


def test_a_page_without_an_article_is_read_whole_but_for_what_surrounds_it() -> None:
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
def test_the_encoding_of_an_html_page(data: bytes) -> None:
    assert read_one(data, "x.html").paragraphs == ["Łódź płonie."]


@pytest.mark.parametrize("data", [b"", b" ", b"<html></html>", b"<!-- only that -->", b"<script>x</script>"])
def test_an_html_page_without_text_says_so(data: bytes) -> None:
    assert problem(data, "x.html") == "x.html: an HTML page with no text in it; give a file that holds text"


def test_deep_nesting_is_no_crash() -> None:
    with contextlib.suppress(InputError):
        read(b"<div>" * 20_000 + b"It rained.", "x.html")


# Word


def revised(body: str) -> docx.document.Document:
    document = docx.Document()
    document.element.body.insert(
        0, parse_xml(f"<w:sdt {nsdecls('w')}><w:sdtContent>{body}</w:sdtContent></w:sdt>")
    )
    return document


def test_a_word_document_is_its_paragraphs_and_cells() -> None:
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


def test_a_word_document_under_revision_is_read_as_it_stands() -> None:
    document = revised(
        "<w:p><w:pPr><w:pStyle w:val='TOC1'/></w:pPr><w:r><w:t>A heading 3</w:t></w:r></w:p>"
        "<w:p><w:r><w:t xml:space='preserve'>It </w:t></w:r>"
        "<w:ins><w:r><w:t>rained</w:t></w:r></w:ins><w:del><w:r><w:delText>snowed</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:r><w:tab/><w:t>all</w:t><w:noBreakHyphen/><w:t>day.</w:t></w:r></w:p>"
    )
    assert read_one(word(document), "x.docx").paragraphs == ["It rained all-day."]


WORD_XML = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" '
    'Target="/word/document.xml"/></Relationships>'
)


def word_xml(document: str) -> bytes:
    return zipped({"_rels/.rels": RELATIONS, "word/document.xml": document})


def test_no_entity_is_resolved_and_no_file_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    hostile = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">'
        '<!ENTITY a "laugh"><!ENTITY b "&a;&a;&a;">]>'
        f'<w:document xmlns:w="{WORD_XML}"><w:p><w:r><w:t>It &x;rained&b;.</w:t></w:r></w:p></w:document>'
    )
    text = read_one(word_xml(hostile), "x.docx").paragraphs
    assert "secret" not in str(text)
    assert "laugh" not in str(text)
    chapter = (
        hostile.replace("w:document", "html")
        .replace("w:p", "p")
        .replace("<w:r><w:t>", "")
        .replace("</w:t></w:r>", "")
    )
    book = read_one(epub({"a.xhtml": chapter}, ["a.xhtml"]), "x.epub").paragraphs
    assert "secret" not in str(book)
    assert "laugh" not in str(book)


def test_a_file_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from summc.documents.formats import package

    monkeypatch.setattr(package, "MOST_BYTES", 2 * 1024**2)
    paragraph = "<w:p><w:r><w:t>It rained.</w:t></w:r></w:p>"
    bomb = f'<w:document xmlns:w="{WORD_XML}">{paragraph * 60_000}</w:document>'
    assert len(word_xml(bomb)) < 20_000
    assert (
        problem(word_xml(bomb), "x.docx") == "x.docx: unpacks to more than 2 MB; split it, or save it as text"
    )
    halves = {f"{name}.xhtml": xhtml("<p>It rained.</p>" * 90_000) for name in "ab"}
    assert problem(epub(halves, list(halves)), "x.epub").startswith("x.epub: unpacks to more than 2 MB")


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

MARKDOWN = """---
title: Front matter
tags: [a, b]
---
# A heading with `code` and **weight**

It rained on [the dam](https://example.org/dam "Dam"), see <https://example.org>,
and ![a picture](https://example.org/x.png) it *poured*[^1].

Setext heading
--------------

- [x] first item
- second item
  goes on

> A quotation.

| town  | houses |
| ----- | ------ |
| Ansby | `214`  |

```python
print("not text")
```

    nor this

<!-- nor
this -->

<details><summary>More</summary>

Text <b>within</b><br>It &amp; more \\* here.

</details>

[^1]: A footnote.
[^2]: Another one.

[ref]: https://example.org/ref
"""


def test_markdown_is_the_text_that_is_read() -> None:
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


def test_a_rule_in_markdown_is_no_front_matter() -> None:
    assert read_one(b"---\n\nIt rained.\n\n---\n\nIt poured.\n", "x.md").paragraphs == [
        "It rained.",
        "It poured.",
    ]
    assert read_one(b"+++\ntitle = 'x'\n+++\nIt rained.", "x.md").paragraphs == ["It rained."]
    assert problem(b"```\ncode\n```\n", "x.md").startswith("x.md: a Markdown text with no text in it")


# Mail


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello.\n\n-- \nAnn\nExample Inc.", "Hello."),
        ("Yes.\n\nOn Mon, 7 Jan 2030 at 10:00, Bob <b@example.org> wrote:\n> Will it\n> hold?\n", "Yes."),
        (
            "Yes.\n\nOn Mon, 7 Jan 2030, Bob of the Dam Office\n<b@example.org> wrote:\n\n> Will it?\n",
            "Yes.",
        ),
        ("Am 07.01.2030 schrieb Bob:\n> H\u00e4lt er?\nJa.\n> Sicher?\nNein.", "Ja. Nein."),
        ("See this list:\n> quoted\nFine.", "See this list: Fine."),
        ("Yes.\n-----Original Message-----\nFrom: Bob\n\nWill it hold?", "Yes."),
        (
            "Yes.\n________________________________\nFrom: Bob <b@example.org>\nSent: Monday\n\nWill it?",
            "Yes.",
        ),
        (
            "FYI\n---------- Forwarded message ---------\nFrom: Bob\nDate: x\nSubject: Dam\n\nIt broke.",
            "FYI It broke.",
        ),
        ("a -- b\n--x\nend", "a -- b --x end"),
    ],
    ids=[
        "signature",
        "reply",
        "long reply",
        "between",
        "colon",
        "outlook",
        "outlook web",
        "forward",
        "dashes",
    ],
)
def test_what_is_quoted_is_left_out(text: str, expected: str) -> None:
    assert " ".join(without_quotes(text).split()) == expected


def test_a_mail_is_its_text_without_the_subject() -> None:
    assert read_one(mail("It rained.\n\nIt poured: \u00e4.\n"), "x.eml").paragraphs == [
        "It rained.",
        "It poured: ä.",
    ]
    assert read_one(mail("Plain.", "<p>Rich.</p>"), "x.eml").paragraphs == ["Plain."]
    assert read_one(mail(" \n", "<p>Rich.</p>"), "x.eml").paragraphs == ["Rich."]


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"Content-Type: text/plain; charset=iso-8859-1", b"\x93Caf\xe9\x94"),
        (b"Content-Type: text/plain; charset=utf-8", "“Café”".encode()),
        (b"Content-Type: text/plain; charset=nonsense", "“Café”".encode()),
        (b"Content-Type: text/plain", "“Café”".encode("cp1252")),
        (b"Content-Type: text/html; charset=koi8-r", "<p>&ldquo;Caf&eacute;&rdquo;".encode("koi8-r")),
    ],
)
def test_the_encoding_of_a_mail(head: bytes, body: bytes) -> None:
    assert read_one(head + b"\nContent-Transfer-Encoding: 8bit\n\n" + body, "x.eml").paragraphs == ["“Café”"]


def test_names_that_cannot_be_written_are_mended() -> None:
    message = mail("Yes.", a__txt=b"It rained.").as_bytes().replace(b'"a.txt"', b'"\xff\xfe.txt"')
    assert [document.id.encode() for document in read(message, "x.eml")][1].endswith(b".txt")


def test_flowed_text_is_joined() -> None:
    message = mail()
    message.set_content("It rained \nall day \n long.\n From then on.\n-- \nAnn", params={"format": "flowed"})
    assert read_one(message, "x.eml").paragraphs == ["It rained all day long.", "From then on."]


@pytest.mark.parametrize(
    "quote",
    [
        '<blockquote type="cite"><div>On Monday Bob wrote:</div>Will it hold?</blockquote>',
        '<div class="gmail_quote"><div class="gmail_attr">On 7 Jan Bob wrote:</div><p>Will it?</p></div>',
        '<div class="moz-cite-prefix">On 7 Jan, Bob wrote:<br></div><blockquote type="cite">So?</blockquote>',
        '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Bob</div><div>Will it?</div>',
        '<div class="gmail_signature">Ann<br>Example Inc.</div>',
        "<div>-- <br>Ann<br>Example Inc.</div>",
    ],
)
def test_what_an_html_mail_quotes_is_left_out(quote: str) -> None:
    page = f"<html><style>p</style><body><p>It <b>holds</b>.</p><div>Yes.</div>{quote}</body></html>"
    assert read_one(mail(html=page), "x.eml").paragraphs == ["It holds.", "Yes."]


def test_an_html_mail_that_is_passed_on_is_kept() -> None:
    page = (
        '<div>FYI.</div><div class="gmail_quote">---------- Forwarded message ---------<br>From: Bob<br>'
        "Date: Mon, 7 Jan 2030<br>Subject: Dam<br><br><p>It broke.</p></div>"
    )
    assert read_one(mail(html=page), "x.eml").paragraphs == ["FYI.", "It broke."]


def test_attachments_are_documents_of_their_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    inner = mail("An inner mail.", notes__txt=b"Inner notes.")
    message = mail(
        "See below.", plan__pdf=pdf(column(PROSE)), data__bin=b"\x00\x01", page__html=SITE.encode()
    )
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(inner)
    (tmp_path / "x.eml").write_bytes(message.as_bytes())
    (cluster,) = load([tmp_path / "x.eml"])
    assert [(document.id, document.sentences[0].text[:14]) for document in cluster.documents] == [
        ("x.eml", "See below."),
        ("x.eml/plan.pdf", "The river rose"),
        ("x.eml/page.html", "Dam breaks in "),
        ("x.eml/Subjects are left out.eml", "An inner mail."),
        ("x.eml/Subjects are left out.eml/notes.txt", "Inner notes."),
    ]
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path / 'x.eml'}: data.bin: a binary file, not text; left out"
    ]


def test_mails_within_mails_end_somewhere() -> None:
    message = mail("Level 0.")
    for level in range(1, 12):
        outer = mail(f"Level {level}.")
        outer.add_attachment(message)
        message = outer
    found = read(message, "x.eml")
    assert [document.paragraphs for document in found[:3]] == [["Level 11."], ["Level 10."], ["Level 9."]]
    assert found[-1].problem == "mails nested more than 8 deep"


def test_a_mail_that_cannot_be_read_says_why() -> None:
    assert (
        problem(mail("-- \nAnn"), "x.eml") == "x.eml: a mail with no text in it; give a file that holds text"
    )
    assert problem(mail(), "x.eml").startswith("x.eml: a mail with no text in it")
    locked = b"Content-Type: multipart/encrypted; boundary=x\n\n--x\n\nVersion: 1\n--x--\n"
    assert problem(locked, "x.eml") == "x.eml: encrypted; save it decrypted"


# Whatever comes in

NAMES = ["x.pdf", "x.docx", "x.epub", "x.html", "x.md", "x.eml", "x"]
MAGIC = [
    b"",
    b"%PDF-1.7\n",
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
        "".join(document.paragraphs).encode()  # what cannot be written would be found out later


@given(magic=st.sampled_from(MAGIC), data=st.binary(max_size=200), name=st.sampled_from(NAMES))
def test_no_bytes_are_a_crash(magic: bytes, data: bytes, name: str) -> None:
    read_or_refuse(magic + data, name)


@given(data=st.data(), name=st.sampled_from(sorted(WHOLE)))
def test_no_damage_is_a_crash(data: st.DataObject, name: str) -> None:
    broken = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(len(broken) // 2, len(broken)))
    read_or_refuse(bytes(broken[:end]), name)


@given(
    markup=st.text("<>/pdivblockquote &;!-[]()*_`#|\n\"'= 1", max_size=120),
    name=st.sampled_from(["x.html", "x.md", "x.docx", "x.epub", "x.eml"]),
)
def test_no_markup_is_a_crash(markup: str, name: str) -> None:
    made = {"x.docx": word_xml, "x.epub": one_chapter, "x.eml": html_mail}.get(name, str.encode)
    read_or_refuse(made(markup), name)


def one_chapter(markup: str) -> bytes:
    return epub({"a.xhtml": markup}, ["a.xhtml"])


def html_mail(markup: str) -> bytes:
    return mail(html=markup).as_bytes()


# The real command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of everyday documents, a picture and a broken file among them."""
    document = docx.Document()
    document.add_paragraph("Word brought news that the northern levee had failed before dawn.")
    for name, data in {
        "a.pdf": pdf(
            head_and_foot(1) + column(PROSE), head_and_foot(2) + column(["Page two is about sandbags."])
        ),
        "b.html": SITE.encode(),
        "c.docx": word(document),
        "d.eml": mail("Mail says that the ferry is late.\n\n-- \nAnn").as_bytes(),
        "e.epub": epub({"a.xhtml": xhtml("<h1>One</h1><p>Books tell of older floods.</p>")}, ["a.xhtml"]),
        "f.md": b"# Notes\n\nMarkdown notes mention `pumps`.",
        "g.txt": b"Plain text of a witness.",
        "h.png": b"\x89PNG\r\n",
        "i.pdf": b"%PDF-1.7 broken",
    }.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_a_folder_of_mixed_documents_is_one_cluster(folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "summc",
        "summarize",
        "-k",
        "1000",
        "--config",
        "paper",
        "--selector",
        "greedy",
        "--format",
        "json",
    ]
    ran = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=True)
    found = [
        (s["document"], s["text"], s["paragraph"], s.get("page")) for s in json.loads(ran.stdout)["sentences"]
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
    assert ran.stderr.splitlines() == [
        f"warning: {folder / 'h.png'}: a PNG picture, not a text file; left out",
        (
            f"warning: {folder / 'i.pdf'}: a PDF that cannot be read "
            "(Failed to load document (PDFium: Data format error)); left out"
        ),
    ]


def test_files_named_together_and_standard_input(summc: Run, folder: Path) -> None:
    result = summc("load", folder / "a.pdf", folder / "f.md", "-", stdin=(folder / "c.docx").read_bytes())
    assert (result.code, result.err) == (0, "")
    documents = json.loads(result.out)["cluster"]["documents"]
    assert [document["id"] for document in documents] == ["a.pdf", "f.md", "stdin"]
    assert documents[0]["sentences"][-1] == {
        "text": "Page two is about sandbags.",
        "words": 5,
        "paragraph": 1,
        "page": 2,
    }
    assert documents[2]["sentences"][0]["text"].startswith("Word brought news")


def test_the_stages_carry_pages_to_the_end(summc: Run, folder: Path) -> None:
    whole = summc("summarize", "-k", 1000, "--least-words", 1, "--format", "json", folder / "a.pdf")
    line = summc("load", folder / "a.pdf").out
    for stage in (
        ["preprocess", "--least-words", 1],
        ["weigh"],
        ["graph"],
        ["select", "-k", 1000],
        ["render", "--format", "json"],
    ):
        line = summc(*stage, stdin=line).out
    assert json.loads(line) == json.loads(whole.out)
    assert {sentence["page"] for sentence in json.loads(line)["sentences"]} == {1, 2}


@pytest.mark.parametrize(
    ("file", "library", "kind"),
    [
        ("a.pdf", "pypdfium2", "a PDF"),
        ("b.html", "trafilatura", "an HTML page"),
        ("c.docx", "lxml", "a Word document"),
        ("e.epub", "lxml", "an e-book"),
        ("f.md", "markdown_it", "a Markdown text"),
    ],
)
def test_without_the_extra_one_line_names_it(
    summc: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, file: str, library: str, kind: str
) -> None:
    without(monkeypatch, library)
    needs = f"{folder / file}: {kind}, which needs the extra summc[documents]"
    named = summc("load", folder / file)
    assert (named.code, named.out) == (3, "")
    assert named.err == f"error: {needs}; pip install 'summc[documents]'\n"
    found = summc("load", folder)
    assert found.code == 0
    assert f"warning: {needs}; left out\n" in found.err


def without(monkeypatch: pytest.MonkeyPatch, *libraries: str) -> None:
    """Make it as if libraries were not installed: nothing of them, or of what stands on them, is loaded."""
    for name in list(sys.modules):
        if name.split(".")[0] in libraries or name.startswith("summc.documents.formats."):
            monkeypatch.delitem(sys.modules, name)
    for library in libraries:
        monkeypatch.setitem(sys.modules, library, None)


def test_text_and_mail_need_no_extra(summc: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "lxml", "pypdfium2", "trafilatura", "markdown_it")
    result = summc("load", folder / "d.eml", folder / "g.txt")
    assert "Mail says that the ferry is late." in result.out
    assert (result.code, result.err) == (0, "")
    rich = summc("load", "-", stdin=mail(html="<p>Rich.</p>").as_bytes())
    assert "standard input: a mail, which needs the extra summc[documents]" in rich.err


def test_what_the_libraries_have_to_say_stays_off_stderr() -> None:
    code = (
        "import sys; from summc.documents.plain import read_documents\n"
        "for name, data in eval(sys.stdin.read()).items(): read_documents(data, name, name)\n"
        "import logging; assert logging.getLogger('trafilatura').level == logging.NOTSET"
    )
    command = [sys.executable, "-W", "always", "-c", code]
    ran = subprocess.run(command, input=repr(WHOLE).encode(), capture_output=True, check=True)
    assert ran.stderr == b""


def test_our_own_warnings_are_heard_while_libraries_are_silenced(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "summc"):
        read(b"<p>Caf\xe9.", "x.html")
    assert "x.html: not UTF-8, read as Windows-1252" in caplog.text


def test_every_format_is_told_of_in_the_readme() -> None:
    readme = Path(__file__).parent.parent.joinpath("README.md").read_text()
    assert all(f"`{suffix}`" in readme for suffix in formats.FORMATS)
