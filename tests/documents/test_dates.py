"""Dates of documents: where they are read, which one wins, and the place of undated documents."""

from __future__ import annotations

import datetime as dt
import io
import json
import logging
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from summc.documents import load
from summc.documents.formats.markup import parse_html
from summc.documents.formats.web_page import published
from summc.documents.jsonl import parse_cluster
from summc.preprocess.order import in_order_of_dates
from summc.records import Cluster, Document, Sentence
from summc.text.dates import read_property_date, read_stated_date
from tests.conftest import Cli
from tests.support.readers import read_one
from tests.support.writers import epub, mail, word, write_files, xhtml, zipped

PROSE = "The council of Hask met again and spoke for a long time about the dam above the town. "
NEXT_YEAR = dt.datetime.now(dt.UTC).year + 1

# Stated dates


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2021-03-04", "2021-03-04"),
        ("2021-03-04T23:30:00-05:00", "2021-03-04"),
        ("20210304T233000Z", "2021-03-04"),
        ("2021/03/04", "2021-03-04"),
        ("Thu, 04 Mar 2021 23:30:00 -0500", "2021-03-04"),
        ("Thu Mar 04 2021 23:30:00 GMT+0200", "2021-03-04"),
        ("March 4, 2021", "2021-03-04"),
        ("1970-01-02", "1970-01-02"),
        ("1970-01-01T00:00:00Z", ""),
        ("0101-01-01T00:00:00+00:00", ""),
        (f"{NEXT_YEAR}-12-31", ""),
        ("99999-01-01", ""),
        ("2021-02-30", ""),
        ("2021-03", ""),
        ("03/04/2021", ""),  # March or April
        ("yesterday", ""),
        ("", ""),
        ("9" * 10_000, ""),
        (" " * 10_000 + "2021-03-04", ""),
        ("\ud800 2021-03-04\0", "2021-03-04"),
    ],
)
def test_a_plausible_stated_date_is_read(text: str, date: str) -> None:
    assert read_stated_date(text) == date


def test_tomorrow_is_accepted_because_of_time_zones() -> None:
    today = dt.datetime.now(dt.UTC).date()
    assert read_stated_date((today + dt.timedelta(days=1)).isoformat())
    assert not read_stated_date((today + dt.timedelta(days=3)).isoformat())


@pytest.mark.parametrize("default", ["1970-01-01", "1980-01-01", "2000-01-01"])
def test_default_dates_of_programs_are_ignored(default: str) -> None:
    assert read_property_date(f"{default}T00:00:00Z") == ""
    assert read_property_date("2000-01-02T00:00:00Z") == "2000-01-02"


# HTML


def page(head: str = "", body: str = "") -> str:
    return f"<html><head>{head}</head><body>{body}<p>{PROSE * 6}</p></body></html>"


def linked(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize(
    ("html", "date"),
    [
        (page('<meta property="article:published_time" content="2021-03-04T23:30:00-05:00">'), "2021-03-04"),
        (page('<meta name="DC.Date.Issued" content="2021-03-04">'), "2021-03-04"),
        (page('<meta itemprop="datePublished" content="2021-03-04">'), "2021-03-04"),
        (page('<meta name="citation_publication_date" content="2021/03/04">'), "2021-03-04"),
        (page('<meta property="article:modified_time" content="2022-01-01">'), ""),
        (page('<meta property="article:published_time">'), ""),
        (page(linked({"@type": "NewsArticle", "datePublished": "2021-03-04"})), "2021-03-04"),
        (page(linked({"@graph": [{"@type": ["BlogPosting"], "datePublished": "2021-03-04"}]})), "2021-03-04"),
        (page(linked([{"@type": "WebSite", "datePublished": "2001-01-01"},
                      {"@type": "Article", "datePublished": "2021-03-04"}])), "2021-03-04"),
        (page(linked({"@type": "Article", "hasPart": [{"datePublished": "2001-01-01"}]})), ""),
        (page(linked({"@type": "Article", "dateModified": "2022-01-01"})), ""),
        # The date of publication wins over the date at which the page was made.
        (page("<meta name=date content=2023-01-01>" + linked({"datePublished": "2021-03-04"})), "2021-03-04"),
        (page('<meta name="date" content="2021-03-04">'), "2021-03-04"),
        (page(body='<p>By Ann, <time datetime="2021-03-04T10:00">March 4</time></p>'), "2021-03-04"),
        (page(body="<div><h1>Dam</h1><time>March 4, 2021</time></div>"), "2021-03-04"),
        (page(body='<article><h1>Dam</h1><time datetime="2021-03-04">4.3.</time><p>It broke.</p></article>'
                   '<article><time datetime="2015-01-02">old</time></article>'), "2021-03-04"),
        (page(body='<aside><time datetime="2015-01-02" class="published">old</time></aside>'
                   '<span><time class="entry-date" datetime="2021-03-04">new</time></span>'), "2021-03-04"),
        (page(body="<p><time>January 2, 2015</time></p><p><time>March 4, 2021</time></p>"), ""),
        (page(body=f'<p>On <time datetime="2001-07-20">July 20</time> people came. {PROSE}</p>'), ""),
        # A date in the text, a headline, an address or a notice is not the date of the page.
        (page(body="<h1>The flood of May 3, 2011</h1><p>On 2019-05-04 the dam broke.</p>"), ""),
        (page(body='<img src="/2016/03/04/dam.jpg"><footer>Version of 2017-10-02</footer>'), ""),
    ],
)  # fmt: skip
def test_the_date_of_a_web_page_is_read(html: str, date: str) -> None:
    assert read_one(html.encode(), "x.html").date == date


@pytest.mark.parametrize(
    "hostile",
    [
        f'<script type="application/ld+json">{"[" * 100_000}</script>',
        f'<script type="application/ld+json">{{"datePublished": {"9" * 10_000}}}</script>',
        '<script type="application/ld+json">{"@graph": 7, "@type": {}, "datePublished": []}</script>',
        '<script type="application/ld+json">{not json</script>',
        '<time datetime=""></time>' * 500,
    ],
)
def test_hostile_dates_of_a_web_page_are_ignored(hostile: str) -> None:
    assert read_one(page(hostile, hostile).encode(), "x.html").date == ""
    tree = parse_html(page(hostile + '<meta name="date" content="2021-03-04">'))
    assert tree is not None
    assert published(tree) == "2021-03-04"


# Mail


def sent(date: str, message: EmailMessage) -> bytes:
    return message.as_bytes().replace(b"Mon, 07 Jan 2030 10:00:00 +0000", date.encode())


@pytest.mark.parametrize(
    ("header", "date"),
    [
        ("Thu, 4 Mar 2021 23:30:00 -0500", "2021-03-04"),  # already the next day in London
        ("Thu,\n 04 Mar 2021 23:30:00 GMT", "2021-03-04"),
        ("Thu, 4 Mar 99999 23:30:00 +0000", ""),
        ("", ""),
    ],
)
def test_the_date_of_a_mail_is_in_its_senders_time_zone(header: str, date: str) -> None:
    assert read_one(sent(header, mail("It rained.")), "x.eml").date == date


def test_an_attachment_has_the_date_of_its_mail_unless_it_has_its_own(tmp_path: Path) -> None:
    message = mail("It rained.", a__txt=b"A dam broke.", b_2019_05_06__txt=b"Two dams broke.")
    (tmp_path / "x.eml").write_bytes(sent("Thu, 4 Mar 2021 23:30:00 -0500", message))
    (cluster,) = load([tmp_path / "x.eml"])
    dates = [document.date for document in cluster.documents]
    assert dates == ["2021-03-04", "2021-03-04", "2019-05-06"]


# Word, PDF, e-books, Markdown


def word_made(created: dt.datetime | None, changed: dt.datetime | None = None) -> bytes:
    document = docx.Document()
    document.add_paragraph("It rained.")
    for name, day in {"created": created, "modified": changed}.items():
        if day:
            setattr(document.core_properties, name, day)
    return word(document)


def test_the_date_of_a_word_document_is_in_its_properties() -> None:
    made, changed = dt.datetime(2021, 3, 4, 10), dt.datetime(2022, 5, 6)  # noqa: DTZ001 (python-docx has no zones)
    assert read_one(word_made(made, changed), "x.docx").file_date == "2021-03-04"
    assert read_one(word_made(None, changed), "x.docx").file_date == "2022-05-06"
    # python-docx keeps the date of its template, which does not count.
    assert read_one(word_made(None), "x.docx").file_date == ""
    assert read_one(word_made(made), "x.docx").date == ""


@pytest.mark.parametrize(
    "properties",
    [
        "<x",
        "<p/>",
        "<p><created>99999-01-01T00:00:00Z</created><modified/></p>",
    ],
)
def test_a_word_document_with_strange_properties_is_read(properties: str) -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    about = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
    parts = {
        "_rels/.rels": f'<r><a Type="{kind}" Target="word/d.xml"/><a Type="{about}" Target="p.xml"/></r>',
        "word/d.xml": "<d><p><r><t>It rained.</t></r></p></d>",
        "p.xml": properties,
    }
    for members in (parts, {name: text for name, text in parts.items() if name != "p.xml"}):
        document = read_one(zipped(members), "x.docx")
        assert (document.paragraphs, document.file_date) == (["It rained."], "")


def pdf_made(created: str) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, invariant=1, pageCompression=0)
    canvas.drawString(60, 700, "It rained all day in the town of Hask.")
    canvas.save()
    # The date is padded so that no offset in the file changes.
    default = b"(D:20000101000000+00'00')"
    assert stream.getvalue().count(b"/CreationDate " + default) == 1
    value = f"({created})".encode().ljust(len(default))
    assert len(value) == len(default)
    return stream.getvalue().replace(b"/CreationDate " + default, b"/CreationDate " + value)


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
    document = read_one(pdf_made(created), "x.pdf")
    assert (document.date, document.file_date) == ("", date)


@pytest.mark.parametrize(
    ("metadata", "date"),
    [
        ("<d:date>2021-03-04</d:date>", "2021-03-04"),
        ('<d:date o:event="conversion">2023-01-01</d:date><d:date o:event="publication">2021-03-04</d:date>',
         "2021-03-04"),
        ('<d:date o:event="modification">2023-01-01</d:date>', ""),
        ("<d:date>0101-01-01T00:00:00+00:00</d:date>", ""),  # Calibre's value for "no date"
        ("<d:date/>", ""),
    ],
)  # fmt: skip
def test_the_date_of_a_book_is_its_date_of_publication(metadata: str, date: str) -> None:
    names = 'xmlns:o="http://www.idpf.org/2007/opf" xmlns:d="http://purl.org/dc/elements/1.1/"'
    chapters = {"a.xhtml": xhtml("<p>It rained.</p>")}
    book = epub(chapters, ["a.xhtml"], metadata=f"<all {names}>{metadata}</all>")
    assert read_one(book, "x.epub").date == date


@pytest.mark.parametrize(
    ("front", "date"),
    [
        ("---\ntitle: Dam\ndate: 2021-03-04 10:00:00 +0100\n---\n", "2021-03-04"),
        ('---\ndate: "2021-03-04"\n---\n', "2021-03-04"),
        ("---\r\ndate: March 4, 2021\r\n---\r\n", "2021-03-04"),
        ("+++\ndate = 2021-03-04T10:00:00Z\n+++\n", "2021-03-04"),
        ("---\npublished: true\nPubDate: 2021-03-04\n---\n", "2021-03-04"),
        ("---\npublished: 2023-01-01\ndate: 2021-03-04\n---\n", "2021-03-04"),
        ("---\nupdated: 2021-03-04\n---\n", ""),
        ("date: 2021-03-04\n\n", ""),  # text, not front matter
    ],
)
def test_the_date_of_a_markdown_text_is_in_its_front_matter(front: str, date: str) -> None:
    document = read_one(f"{front}It rained.\n".encode(), "x.md")
    assert (document.date, document.paragraphs[-1]) == (date, "It rained.")


@pytest.mark.parametrize(
    ("stated", "date"),
    [
        ("2021-03-04T10:00:00Z", "2021-03-04"),
        ("March 4, 2021", "2021-03-04"),
        ("soon", "1999-07-07"),
        (1614852000, "1999-07-07"),
        (None, "1999-07-07"),
    ],
)
def test_the_date_of_a_document_in_json_is_read(stated: object, date: str) -> None:
    plain, sgml = "It rained.", "<DOC><DATE_TIME>1999-07-07</DATE_TIME><TEXT>It rained.</TEXT></DOC>"
    documents = [{"text": plain, "date": stated}, {"text": sgml, "date": stated}]
    cluster = parse_cluster(json.dumps({"documents": documents}), "x:1")
    assert [document.date for document in cluster.documents] == ["" if date < "2000" else date, date]


# Which date wins


def test_a_stated_date_wins_over_name_opening_and_file_properties(tmp_path: Path) -> None:
    front = "Saturday, January 8, 2005"
    stated = '<meta property="article:published_time" content="2001-02-03">'
    made = dt.datetime(2021, 3, 4)  # noqa: DTZ001

    def written(*paragraphs: str) -> bytes:
        document = docx.Document()
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
        document.core_properties.created = made
        return word(document)

    files: dict[str, str | bytes] = {
        "a-2010-11-12.html": page(stated, f"<p>{front}</p>"),
        "b-2010-11-12.docx": written(front, "A dam broke."),
        "c.docx": written(front, "Two dams broke."),
        "d.docx": written("Three dams broke."),
    }
    (cluster,) = load([write_files(tmp_path, files)])
    expected = ["2001-02-03", "2010-11-12", "2005-01-08", "2021-03-04"]
    ordered = {document.id[0]: document.date for document in in_order_of_dates(cluster).documents}
    assert list(ordered.items()) == sorted(zip("abcd", expected, strict=True), key=lambda each: each[1])


# The place of a document without a date


def made_of(*documents: tuple[str, str, str], language: str = "en") -> Cluster:
    """Return a cluster of documents, each given by its name, its date or "", and a text."""
    return Cluster(
        "made",
        tuple(
            Document(name, (Sentence(i, 0, PROSE, 17), Sentence(i, 1, text, 5)), date)
            for i, (name, date, text) in enumerate(documents)
        ),
        language=language,
    )


def order(cluster: Cluster) -> str:
    ordered = in_order_of_dates(cluster)
    assert [sentence.document for sentence in ordered.sentences[::2]] == list(range(len(ordered.documents)))
    assert sorted(sentence.text for sentence in ordered.sentences) == sorted(
        sentence.text for sentence in cluster.sentences
    )
    return "".join(document.id for document in ordered.documents)


JAN, FEB, MAR = "2021-01-10", "2021-02-10", "2021-03-10"
LATEST = "Built on May 5, 1950, it broke on 11 February 2021; the next is due on June 1, 2035."


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([("a", MAR, ""), ("b", "", "No day."), ("c", JAN, "")], "cab"),
        ([("a", "", "No day."), ("b", MAR, ""), ("c", JAN, "")], "acb"),
        ([("a", MAR, ""), ("b", "", "No day."), ("c", "", "None."), ("d", JAN, "")], "dabc"),
        ([("a", MAR, ""), ("b", "", "It broke on February 9, 2021."), ("c", JAN, "")], "cba"),
        ([("a", MAR, ""), ("b", "", "From 2021-01-09 to 2021-02-09 it rained."), ("c", JAN, "")], "cba"),
        # Of the days in the text between the first and the last date, the latest counts.
        ([("a", MAR, ""), ("b", "", LATEST), ("c", JAN, ""), ("d", FEB, "")], "cdba"),
        ([("a", MAR, ""), ("b", "", "It was built on May 5, 1950."), ("c", JAN, "")], "cab"),
        ([("a", MAR, ""), ("b", "", "Order 20210209 of February 31, 2021."), ("c", JAN, "")], "cab"),
        ([("a", "", "One."), ("b", "", "Another, of May 5, 2021.")], "ab"),
        ([("b", JAN, ""), ("a", JAN, ""), ("c", JAN, "")], "bac"),
    ],
)
def test_a_document_without_a_date_is_placed_by_its_text_or_its_neighbour(
    documents: list[tuple[str, str, str]], expected: str
) -> None:
    assert order(made_of(*documents)) == expected


def test_dates_in_a_text_are_read_in_its_language() -> None:
    documents = (("a", MAR, ""), ("b", "", "Le barrage a cédé le 9 février 2021."), ("c", JAN, ""))
    assert order(made_of(*documents, language="fr")) == "cba"
    assert order(made_of(*documents, language="en")) == "cab"


def test_placing_a_document_does_not_give_it_a_date() -> None:
    cluster = made_of(("a", MAR, ""), ("b", "", "It broke on February 9, 2021."), ("c", JAN, ""))
    assert [document.date for document in in_order_of_dates(cluster).documents] == [JAN, "", MAR]
    assert in_order_of_dates(in_order_of_dates(cluster)) == in_order_of_dates(cluster)


NO_DAY, DAY = "No day.", "It broke on March 10, 2021."
BY_TEXT, AFTER = "by the latest date in the text", "as in the order given"


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([("a", MAR, ""), ("b", "", NO_DAY)], f"1 of 2 documents has no date (b); placed {AFTER}"),
        (
            [("a", MAR, ""), ("b", "", DAY), ("c", "", DAY)],
            f"2 of 3 documents have no date (the first is b); placed {BY_TEXT}",
        ),
        (
            [("a", MAR, ""), ("b", "", DAY), ("c", "", NO_DAY)],
            f"2 of 3 documents have no date (the first is b); placed 1 {BY_TEXT}, 1 {AFTER}",
        ),
        ([("a", MAR, ""), ("b", JAN, "")], ""),
        ([("a", "", NO_DAY), ("b", "", DAY)], ""),
    ],
)
def test_one_line_reports_documents_without_a_date(
    documents: list[tuple[str, str, str]], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="summc"):
        in_order_of_dates(made_of(*documents))
    assert [record.getMessage() for record in caplog.records] == ([f"made: {said}"] if said else [])


@pytest.mark.parametrize(
    "run", ["x" * 100_000, "May " * 30_000, "1 " * 50_000, "1 de " * 30_000, "2021-" * 20_000]
)
def test_a_long_text_without_a_date_is_searched_in_one_pass(run: str) -> None:
    assert order(made_of(("a", MAR, ""), ("b", "", run), ("c", JAN, ""))) == "cab"


# The command


def reports(folder: Path) -> Path:
    """Write a web page, a mail, a note and a text, whose names are not in the order of their dates."""
    broke = "<p>The dam above Hask broke in the night and the water reached the town.</p>"
    crack = mail("The dam above Hask had a crack, engineers of the town said.")
    told: dict[str, str | bytes] = {
        "a.html": page('<meta property="article:published_time" content="2021-03-04">', broke),
        "b.eml": sent("Tue, 2 Mar 2021 08:00:00 +0100", crack),
        "c.md": "---\ndate: 2021-03-03\n---\nThe dam above Hask was watched by engineers of the town.\n",
        "d.txt": "The town below the dam was dry again, and the engineers left Hask by train.\n",
    }
    return write_files(folder, told)


def test_a_summary_of_everyday_documents_follows_their_dates(summc: Cli, tmp_path: Path) -> None:
    folder = reports(tmp_path)
    told = summc("summarize", folder, "-k", "200", "--format", "json", "--least-documents", "1")
    sentences = json.loads(told.out)["sentences"]
    first = {sentence["document"]: sentence.get("date", "") for sentence in sentences}
    assert list(first.items()) == [
        ("b.eml", "2021-03-02"), ("c.md", "2021-03-03"), ("d.txt", ""), ("a.html", "2021-03-04"),
    ]  # fmt: skip
    for order in ("dates", "given"):
        flags = ("--dates", "--order", order, "-k", "200", "--least-documents", "1")
        shown = summc("summarize", folder, *flags).out.splitlines()
        # A sentence without a date must not seem to be of the day of the next one.
        ends = {line.partition(" [")[2] for line in shown if " [" in line}
        assert ends == {"2 March 2021]", "3 March 2021]", "4 March 2021]", "?]"}
    assert told.err.count("no date") == 1
    assert "1 of 4 documents has no date (d.txt); placed as in the order given\n" in told.err
    given = summc("summarize", folder, "-k", "200", "--least-documents", "1", "--order", "given")
    assert "no date" not in given.err
    (folder / "d.txt").unlink()
    assert "no date" not in summc("summarize", folder, "-k", "200").err


def test_load_writes_the_dates_and_preprocess_uses_them(summc: Cli, tmp_path: Path) -> None:
    line = summc("load", reports(tmp_path)).out
    documents = json.loads(line)["cluster"]["documents"]
    dates = ["2021-03-04", "2021-03-02", "2021-03-03", None]
    assert [document.get("date") for document in documents] == dates
    done = summc("preprocess", stdin=line)
    assert [d["id"][0] for d in json.loads(done.out)["cluster"]["documents"]] == list("bcda")
    assert done.err.count("no date") == 1


def test_the_page_and_the_explanation_show_dates(summc: Cli, tmp_path: Path) -> None:
    folder = reports(tmp_path)
    options = (folder, "-k", "200", "--least-documents", "1")
    shown = summc("summarize", *options, "--format", "html").out
    assert '<bdi>c.md</bdi>, <time datetime="2021-03-03" dir="ltr">3 March 2021</time>, sentence 1' in shown
    assert "<bdi>d.txt</bdi></h" in shown
    told = json.loads(summc("explain", *options, "--format", "json").out)
    dates = {sentence["document"]: sentence.get("date") for sentence in told["sentences"]}
    assert dates == {"a.html": "2021-03-04", "b.eml": "2021-03-02", "c.md": "2021-03-03", "d.txt": None}
