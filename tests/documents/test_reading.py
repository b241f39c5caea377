"""Everyday documents in the files of the folder reading: what is read from each, or why it cannot be read.

A case is a text, or rows of texts, and what is expected of the fields of the document.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import json
import re
import resource
import subprocess
from pathlib import Path
from typing import Any

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from summc.documents import formats
from summc.documents.formats.layout import PageLine, page_paragraphs
from summc.documents.formats.pandoc import pandoc
from summc.documents.raw import HEADING
from summc.documents.sentences import make_document
from summc.documents.sources import load
from summc.errors import InputError
from summc.system.processes import Helper, Limits
from tests.conftest import ROOT
from tests.support.cases import read_cases
from tests.support.readers import problem, read, read_one
from tests.support.writers import (
    PROSE,
    SITE,
    WORD_XML,
    Put,
    column,
    epub,
    head_and_foot,
    mail,
    pdf,
    word,
    word_xml,
    xhtml,
    zipped,
)

TEXTS = ROOT / "tests" / "support" / "texts"
LAYOUTS = read_cases("documents/cases/layout.toml")
BOOK = {"a.xhtml": xhtml("<p>It rained.</p>")}

FIELDS = ("paragraphs", "pages", "turns", "date", "file_date", "language", "title", "problem")


def placed(text: str) -> bytes:
    """Return a PDF of lines below each other. ``@`` sets place, size and font; ``---`` begins a page."""
    pages: list[list[Put]] = [[]]
    x, y, size, font = 60.0, 700.0, 10.0, "Times-Roman"
    for line in text.splitlines():
        if line == "---":
            pages.append([])
        elif line.startswith("@"):
            place = line[1:].split()
            x, y, size = (float(number) for number in [*place, "10"][:3])
            font = place[3] if len(place) > 3 else "Times-Roman"
        else:
            pages[-1].append(Put(x, y, line, size, font))
            y -= 12
    return pdf(*pages)


def made(case: dict[str, Any], text: str) -> bytes:
    """Return the bytes of a file. A ZIP file is made of its members."""
    text = case.get("around", "{}").replace("{}", text)
    if "members" in case:
        return zipped({name: content.replace("{}", text) for name, content in case["members"].items()})
    match Path(case["file"]).suffix:
        case ".pdf":
            return placed(text)
        case ".docx":
            return word_xml(f'<w:document xmlns:w="{WORD_XML}"><w:body>{text}</w:body></w:document>')
        case ".epub":
            return epub(BOOK, ["a.xhtml"], metadata=text)
    return text.encode(case.get("encoding", "utf-8"))


def all_cases() -> list[Any]:
    found = []
    for path in sorted((Path(__file__).parent / "reading").glob("*.toml")):
        for title, case in read_cases(f"documents/reading/{path.name}").items():
            text = (TEXTS / case["source"]).read_text() if "source" in case else case.get("text", "")
            alone = [(text, {name: case[name] for name in FIELDS if name in case})]
            rows = [(text, {case.get("field", "paragraphs"): value}) for text, value in case.get("rows", [])]
            found += [pytest.param(case, *row, id=title) for row in rows or alone]
    return found


@pytest.mark.parametrize(("case", "text", "expected"), all_cases())
def test_reading(case: dict[str, Any], text: str, expected: dict[str, Any]) -> None:
    if "problem" in expected:
        assert problem(made(case, text), case["file"]).startswith(expected["problem"])
        return
    document = read_one(made(case, text), case["file"])
    of_blocks = {
        "pages": [block.pages for block in document.blocks],
        "turns": [(block.speaker, block.text) for block in document.blocks],
        "kinds": [block.kind for block in document.blocks],
    }
    found = {name: of_blocks.get(name) or getattr(document, name) for name in expected}
    assert json.loads(json.dumps(found)) == expected


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("The dam\n holds", "The dam holds"),
        ("Microsoft Word - dam 2.doc", ""),
        ("the dam.pdf", ""),
        ("Dam", ""),
    ],
)
def test_the_title_of_a_pdf_is_no_file_name(tmp_path: Path, stated: str, title: str) -> None:
    (tmp_path / "x.pdf").write_bytes(pdf([Put(60, 700, "It rained on the dam all night.")], title=stated))
    ((document,),) = (cluster.documents for cluster in load([tmp_path / "x.pdf"]))
    assert (document.title, document.name) == (title, title or "x.pdf")


def test_the_abstract_of_a_latex_paper_is_read() -> None:
    abstract = r"\begin{abstract}Dams hold.\end{abstract}"
    text = rf"\documentclass{{article}}\begin{{document}}{abstract}\section{{Rain}}It rained.\end{{document}}"
    blocks = [(block.kind, block.text) for block in read_one(text.encode(), "x.tex").blocks]
    assert blocks[:2] == [("heading", "Abstract"), ("paragraph", "Dams hold.")]
    assert blocks[2:] == [("heading", "Rain"), ("paragraph", "It rained.")]


def test_a_paragraph_above_a_row_of_hyphens_is_no_heading() -> None:
    prose = "From next year on the board will meet twice a year\ninstead of four times, as was moved by Ann."
    blocks = read_one(f"{prose}\n---\n\nBudget\n---\n\nIt rained.\n".encode(), "x.md").blocks
    assert [block.kind for block in blocks] == ["paragraph", "heading", "paragraph"]


def test_code_within_a_sentence_of_a_page_is_read_also_if_its_line_is_broken() -> None:
    prose = [
        f"<p>Dam {i} leaks. The people of the town below it must leave before the evening.</p>"
        for i in range(9)
    ]
    page = f"<article><p>Give the tag <code>\nhtml</code> a language.</p>{''.join(prose)}</article>"
    assert read_one(page.encode(), "x.html").paragraphs[0] == "Give the tag html a language."


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Board meeting, January 9, 2030\n\nAnn led it.\n\n## Finances\n\nAll is well.", None),
        ("## February 01\n\nAnn led it.\n\n## February 08\n\nAll is well.", ""),
    ],
)
def test_the_first_heading_is_the_title_unless_it_is_one_of_several(
    tmp_path: Path, text: str, title: str | None
) -> None:
    (tmp_path / "x.md").write_text(text)
    ((document,),) = (cluster.documents for cluster in load([tmp_path / "x.md"]))
    assert document.title == ("Board meeting, January 9, 2030" if title is None else title)


def test_an_underlined_line_of_plain_text_is_a_heading() -> None:
    text = "Summary\n=======\n\nIt was rejected.\n\nIt rained all day.\n-----------------\n\nIt ended.\n"
    blocks = read_one(text.encode(), "x.txt").blocks
    assert [block.kind for block in blocks] == ["heading", "paragraph", "paragraph", "paragraph"]


def test_lines_with_unknown_bullets_and_headings_without_marks_are_told_apart() -> None:
    marks = "# D\n\nSee **c** and **d** and **e** in [a](b) here.\n"
    text = f"**Dams**\n\n- Give 10 mg.\nSevere floods\n・ Leave the valley\nbefore noon.\n\n{marks}"
    blocks = read_one(text.encode(), "x.md").blocks
    assert [(block.kind, block.text) for block in blocks][1:4] == [
        ("item", "Give 10 mg."), ("paragraph", "Severe floods"), ("item", "・ Leave the valley before noon.")
    ]  # fmt: skip
    kinds = [s.kind for s in make_document(read_one(text.encode(), "x.txt"), 0, "en").sentences]
    assert kinds[2] == "heading"


def test_lines_that_an_editor_wrapped_with_marked_ends_are_one_sentence() -> None:
    ends = (
        "The promotion of the dam and of all that is built on the river of the north  \nPell is done poorly."
    )
    assert read_one(ends.encode(), "x.md").paragraphs == [ends.replace("  \n", " ")]
    meant = "Ada Lowe, 4 Mill Lane  \nPell"
    assert read_one(meant.encode(), "x.md").paragraphs == meant.split("  \n")


def test_a_plan_in_restructured_text_is_recognised_by_its_links_and_underlines() -> None:
    text = "Plan\n====\n\nSee `the list`_ and :pep:`8`.\n\nEnd\n====\n\nAs `before`_, `so`_ it stays.\n"
    assert read_one(text.encode(), "x.txt").paragraphs[1] == "See the list and PEP 8."


def test_news_have_their_headline_as_title_and_go_by_their_number(tmp_path: Path) -> None:
    head = "<DOCNO>AP20300107.0001</DOCNO><HEADLINE><P>Dam &amp; lake</P></HEADLINE>"
    (tmp_path / "x").write_text(f"<DOC>{head}<TEXT>It rained <HEADLINE>all</HEADLINE> night.</TEXT></DOC>")
    ((document,),) = (cluster.documents for cluster in load([tmp_path / "x"]))
    assert (document.title, document.name) == ("Dam & lake", "AP20300107.0001")
    assert [sentence.text for sentence in document.sentences] == ["It rained all night."]


def test_the_system_limits_a_reader_too() -> None:
    helper = Helper()
    space, _ = helper.call(resource.getrlimit, resource.RLIMIT_AS, limits=Limits(60, 4096))
    assert 4096 < space / 1024**2 < 5000
    helper.end()


# PDF


@pytest.mark.parametrize("title", LAYOUTS)
def test_lines_of_a_page_make_paragraphs(title: str) -> None:
    page = [
        PageLine(text, 1, left, right, bottom, 10) for left, right, bottom, text in LAYOUTS[title]["lines"]
    ]
    assert [block.text for block in page_paragraphs([page])] == LAYOUTS[title]["paragraphs"]


#: Lines of text. One such as "S. 1" or "Z - 1" may be the number of the page.
lines = st.builds(
    PageLine,
    text=st.from_regex(r"(?!\w{1,6}\.? [- ]*1)[ab.1Z-](?:[ab. 1Z-]{0,10}[ab.1Z-])?", fullmatch=True),
    page=st.just(1),
    left=st.integers(0, 300).map(float),
    right=st.integers(301, 600).map(float),
    bottom=st.integers(0, 800).map(float),
    size=st.sampled_from([8.0, 10.0, 16.0]),
    bold=st.booleans(),
)


@given(page=st.lists(lines, min_size=1, max_size=12))
def test_no_layout_of_lines_loses_letters(page: list[PageLine]) -> None:
    kept = "".join(block.text for block in page_paragraphs([page]))
    # Only page numbers at the edge and hyphens at line ends may be dropped.
    for letter in "aZ":
        assert kept.count(letter) == sum(line.text.count(letter) for line in page)


def test_a_long_pdf_is_read_with_its_page_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The time after which a reader is taken to hang grows with the file, so that no length comes near it.
    monkeypatch.setattr("summc.documents.formats.HANGS", 0)
    names = ["".join("ABCDEFGHIJ"[int(digit)] for digit in str(number)) for number in range(150)]
    pages = [
        head_and_foot(number) + column([f"{name} has a river that rose through", f"the night. {name} sank."])
        for number, name in enumerate(names, start=1)
    ]
    (tmp_path / "x.pdf").write_bytes(pdf(*pages))
    (cluster,) = load([tmp_path / "x.pdf"])
    assert [(sentence.text, sentence.page) for sentence in cluster.sentences] == [
        (text, number)
        for number, name in enumerate(names, start=1)
        for text in (f"{name} has a river that rose through the night.", f"{name} sank.")
    ]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_rotated_page_is_read_without_text_across_it(turn: int) -> None:
    steps = {0: (0, -12), 90: (12, 0), 180: (0, 12), 270: (-12, 0)}[turn]
    lines = [Put(300 + steps[0] * i, 400 + steps[1] * i, text, turn=turn) for i, text in enumerate(PROSE)]
    stamp = Put(30, 30, "stamp", turn=turn + 90)
    (text,) = read_one(pdf([stamp, *lines], form=-turn % 360), "x.pdf").paragraphs
    assert text.startswith("The river rose all through the night and by the morning it had")
    assert "stamp" not in text


def test_only_a_pdf_that_cannot_be_opened_is_refused() -> None:
    assert read_one(pdf(column(PROSE), password=""), "x.pdf").paragraphs[0].startswith("The river rose")
    locked = pdf(column(PROSE), password="dam")  # noqa: S106 (a test password)
    assert problem(locked, "x.pdf") == "x.pdf: a PDF that is encrypted; save it without a password"
    for data in (b"", pdf(column(PROSE))[:500]):
        assert problem(data, "x.pdf").startswith("x.pdf: a PDF that cannot be read (")


def test_footnote_marks_are_dropped_and_exponents_kept() -> None:
    def put(text: str, x: float, y: float, mark: str, after: str) -> list[Put]:
        end = x + stringWidth(text, "Times-Roman", 10)
        raised = Put(end, y + 4, mark, size=6)
        return [Put(x, y, text), raised, Put(end + stringWidth(mark, "Times-Roman", 6), y, after)]

    first = put("The river rose by a metre.", 60, 700, "1", " Then it fell over a week.")
    second = put("It moved 10", 60, 650, "6", " tons of sand into the harbour.")
    said = " ".join(read_one(pdf([*first, *second]), "x.pdf").paragraphs)
    assert "a metre. Then" in said
    assert "106 tons" in said or "10 6 tons" in said


@pytest.mark.parametrize(
    ("created", "date"),
    [
        ("D:20210304233000-05'00'", "2021-03-04"),
        ("20210304233000", "2021-03-04"),
        ("D:20000101000000+00'00'", ""),  # the default of ReportLab
        ("D:191000725160746", ""),  # the year 2000, as old programs wrote it
        ("D:2021", ""),
    ],
)
def test_the_date_of_a_pdf_is_in_its_properties(created: str, date: str) -> None:
    stream = io.BytesIO()
    canvas = Canvas(stream, invariant=1, pageCompression=0)
    canvas.drawString(60, 700, "It rained all day in the town of Hask.")
    canvas.save()
    # The date is padded so that no offset in the file changes.
    default = b"(D:20000101000000+00'00')"
    value = f"({created})".encode().ljust(len(default))
    document = read_one(stream.getvalue().replace(default, value), "x.pdf")
    assert (document.date, document.file_date) == ("", date)


# HTML


def test_headings_that_the_library_leaves_out_stand_above_their_paragraphs() -> None:
    part = "<h2>{}<span>[<a href='?action=edit'>edit</a>]</span></h2><div><div><p>{}</p></div></div>"
    names = ["Until 1 May", "From 1 May"]
    parts = [part.format(name, f"{name} it rained. {' '.join(PROSE)}") for name in names]
    menu = "<div><h3>Menu</h3><p>Home.</p></div>"
    page = f"<html><body>{menu}<h1>Ferry</h1><p>{' '.join(PROSE)}</p>{parts[0]}{parts[1]}</body></html>"
    blocks = read_one(page.encode(), "x.html").blocks
    headings = [block.text for block in blocks if block.kind == "heading"]
    assert [name for name in headings if name != "Ferry"] == names


def test_deeply_nested_html_does_not_crash() -> None:
    with contextlib.suppress(InputError):
        read(b"<div>" * 20_000 + b"It rained.", "x.html")


@pytest.mark.parametrize(
    "hostile",
    [
        f'<script type="application/ld+json">{"[" * 100_000}</script>',
        f'<script type="application/ld+json">{{"datePublished": {"9" * 10_000}}}</script>',
        '<time datetime=""></time>' * 500,
    ],
)
def test_hostile_dates_of_a_web_page_are_ignored(hostile: str) -> None:
    page = f"<html><head>{hostile}</head><body>{hostile}<p>{' '.join(PROSE)}</p></body></html>"
    assert read_one(page.encode(), "x.html").date == ""
    stated = page.replace("</head>", '<meta name="date" content="2021-03-04"></head>')
    assert read_one(stated.encode(), "x.html").date == "2021-03-04"


# Word, OpenDocument and presentations


def test_paragraphs_and_cells_of_a_word_document_are_read() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Head"
    document.sections[0].footer.paragraphs[0].text = "Foot"
    document.add_heading("A heading", 1)
    document.add_paragraph("It rained. It ").add_run("poured.").bold = True
    table = document.add_table(2, 3)
    table.cell(0, 0).text = "One cell"
    table.cell(0, 1).merge(table.cell(1, 2)).text = "Merged"
    document.add_paragraph("An item", style="List Bullet")
    found = read_one(word(document), "x.docx")
    assert found.paragraphs == ["A heading", "It rained. It poured.", "One cell | Merged", "An item"]
    assert found.date == ""
    assert found.file_date == ""  # the date of the template does not count
    document.core_properties.modified = dt.datetime(2022, 5, 6)  # noqa: DTZ001 (python-docx has no zones)
    assert read_one(word(document), "x.docx").file_date == "2022-05-06"
    document.core_properties.created = dt.datetime(2021, 3, 4, 10)  # noqa: DTZ001
    assert read_one(word(document), "x.docx").file_date == "2021-03-04"


def test_a_word_document_that_cannot_be_read_says_why() -> None:
    assert problem(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "x.docx") == (
        "x.docx: encrypted, or in the format of Word 97; save it as .docx without a password"
    )
    no_text = "x.docx: a Word document with no text in it; give a file that holds text"
    assert problem(word(), "x.docx") == no_text
    unreadable = "x.docx: a Word document that cannot be read ("
    assert problem(b"", "x.docx").startswith(f"{unreadable}File is not a zip file)")
    for data in (word()[:900], word_xml("<w:document")):
        assert problem(data, "x.docx").startswith(unreadable)


def test_entities_are_not_expanded_and_no_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    hostile = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">'
        '<!ENTITY a "laugh"><!ENTITY b "&a;&a;&a;">]>'
        f'<w:document xmlns:w="{WORD_XML}"><w:p><w:r><w:t>It &x;rained&b;.</w:t></w:r></w:p></w:document>'
    )
    page = hostile
    for element, name in (("w:document", "html"), ("w:p", "p"), ("w:r", "b"), ("w:t", "i")):
        page = page.replace(element, name)
    assert problem(word_xml(hostile), "x.docx").startswith("x.docx: a Word document that cannot be read (")
    text = str(read_one(epub({"a.xhtml": page}, ["a.xhtml"]), "x.epub").paragraphs)
    assert "It" in text
    assert "secret" not in text
    assert "laugh" not in text


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    paragraph = f"<w:p><w:r><w:t>{'It rained. ' * 100_000}</w:t></w:r></w:p>"
    bomb = word_xml(f'<w:document xmlns:w="{WORD_XML}">{paragraph}</w:document>')
    assert len(bomb) < 20_000
    assert problem(bomb, "x.docx") == (
        "x.docx: unpacks to more than 1 MB; split it, save it as text, or raise SUMMC_MOST_MB"
    )
    halves = {f"{name}.xhtml": xhtml(f"<p>{'It rained. ' * 70_000}</p>") for name in "ab"}
    assert problem(epub(halves, list(halves)), "x.epub").startswith("x.epub: unpacks to more than 1 MB")


# E-books


def test_the_chapters_of_a_book_are_read_in_order(tmp_path: Path) -> None:
    chapters = {
        "two words.xhtml": xhtml("<h1>Two</h1><p>It poured.</p>"),
        "one.xhtml": xhtml("<h1>One</h1><p>It rained&#160;&#8212; a little.<br/>Yes.</p><a id='x'/>"),
        "notes.xhtml": xhtml("<p>Notes.</p>"),
    }
    (tmp_path / "x.epub").write_bytes(epub(chapters, ["one.xhtml", "two words.xhtml", "!notes.xhtml"]))
    (cluster,) = load([tmp_path / "x.epub"])
    assert [(s.text, s.paragraph, s.kind) for s in cluster.sentences] == [
        ("One", 0, "headline"),
        ("It rained — a little.", 1, "linked"),
        ("Yes.", 2, "prose"),
        ("Two", 3, "heading"),
        ("It poured.", 4, "linked"),
    ]


def test_a_book_that_cannot_be_read_says_why() -> None:
    no_text = "x.epub: an e-book with no text in it; give a file that holds text"
    assert problem(epub(BOOK, []), "x.epub") == no_text
    assert problem(epub(BOOK, ["unknown"]), "x.epub").startswith("x.epub: an e-book that cannot be read (")


# All that pandoc reads

TEXT = """# A heading

It *rained* all [day](https://example.org/x) and `ls` worked, as $n$ said.

- An item of a list

> They quoted the mayor.

```
int code = 1;
```
"""


@pytest.mark.parametrize(
    "format_", [*(each for each in formats.LIMITED if each.module.endswith("pandoc")), formats.SLIDES]
)
def test_what_pandoc_writes_is_read_as_blocks(format_: formats.Format, tmp_path: Path) -> None:
    path = tmp_path / f"x{format_.suffixes[0]}"
    writer = format_.name or "pptx"
    command = [pandoc(), "--from", "markdown", "--to", writer, "--standalone", "--output", str(path)]
    subprocess.run(command, input=TEXT.encode(), check=True, capture_output=True)
    document = read_one(path.read_bytes(), path.name)
    text = " ".join(document.paragraphs)
    assert "It rained all day and" in text
    assert "An item of a list" in text
    assert "A heading" in [block.text for block in document.blocks if block.kind == HEADING]
    assert "int code" not in text or writer in {"fb2", "odt", "pptx", "rtf"}  # they do not mark code
    assert not re.search(r"https?:|\\\\|[*`{}<>$]", text)


# Mail


def test_the_plain_text_of_a_mail_is_read_unless_it_is_blank() -> None:
    assert read_one(mail("Plain.", "<p>Rich.</p>"), "x.eml").paragraphs == ["Plain."]
    assert read_one(mail(" \n", "<p>Rich.</p>"), "x.eml").paragraphs == ["Rich."]


def test_attachments_are_separate_documents(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    inner = mail("An inner mail.", notes_2019_05_06__txt=b"Inner notes.")
    message = mail(
        "See below.", plan__pdf=pdf(column(PROSE)), data__bin=b"\x00\x01", page__html=SITE.encode()
    )
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(inner)
    date = b"Thu, 4 Mar 2021 23:30:00 -0500"
    (tmp_path / "x.eml").write_bytes(message.as_bytes().replace(b"Mon, 07 Jan 2030 10:00:00 +0000", date))
    (cluster,) = load([tmp_path / "x.eml"])
    found = [(document.id, document.sentences[0].text[:14], document.date) for document in cluster.documents]
    assert found == [
        ("x.eml", "See below.", "2021-03-04"),
        ("x.eml/plan.pdf", "The river rose", "2021-03-04"),
        ("x.eml/page.html", "Dam breaks in ", "2021-03-04"),
        ("x.eml/Subjects are left out.eml", "An inner mail.", "2021-03-04"),
        ("x.eml/Subjects are left out.eml/notes_2019_05_06.txt", "Inner notes.", "2019-05-06"),
    ]
    assert caplog.messages == [f"{tmp_path / 'x.eml'}: data.bin: a binary file, not text; left out"]


def test_invalid_names_of_attachments_are_repaired() -> None:
    message = mail("Yes.", a__txt=b"It rained.").as_bytes().replace(b'"a.txt"', b'"\xff\xfe.txt"')
    assert [document.id.encode() for document in read(message, "x.eml")][1].endswith(b".txt")


def test_the_depth_of_mails_within_mails_is_limited() -> None:
    message = mail("Level 0.")
    for level in range(1, 12):
        outer = mail(f"Level {level}.")
        outer.add_attachment(message)
        message = outer
    *found, last = read(message, "x.eml")
    assert [document.paragraphs for document in found] == [[f"Level {11 - depth}."] for depth in range(9)]
    assert last.problem == "mails nested more than 8 deep"
