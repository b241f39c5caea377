"""Mail: text, quotations and attachments."""

from __future__ import annotations

from pathlib import Path

import pytest

from summc.documents import load
from summc.documents.formats.mail import without_quotes
from tests.support.readers import problem, read, read_one
from tests.support.writers import PROSE, SITE, column, mail, pdf


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
)
def test_quotations_and_signatures_of_a_mail_are_left_out(text: str, expected: str) -> None:
    assert " ".join(without_quotes(text).split()) == expected


def test_a_mail_is_read_without_its_subject() -> None:
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
def test_a_mail_is_read_in_its_encoding(head: bytes, body: bytes) -> None:
    assert read_one(head + b"\nContent-Transfer-Encoding: 8bit\n\n" + body, "x.eml").paragraphs == ["“Café”"]


def test_invalid_names_of_attachments_are_repaired() -> None:
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
def test_quotations_and_signatures_of_an_html_mail_are_left_out(quote: str) -> None:
    page = f"<html><style>p</style><body><p>It <b>holds</b>.</p><div>Yes.</div>{quote}</body></html>"
    assert read_one(mail(html=page), "x.eml").paragraphs == ["It holds.", "Yes."]


def test_a_forwarded_html_mail_is_kept() -> None:
    page = (
        '<div>FYI.</div><div class="gmail_quote">---------- Forwarded message ---------<br>From: Bob<br>'
        "Date: Mon, 7 Jan 2030<br>Subject: Dam<br><br><p>It broke.</p></div>"
    )
    assert read_one(mail(html=page), "x.eml").paragraphs == ["FYI.", "It broke."]


def test_attachments_are_separate_documents(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
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


def test_the_depth_of_mails_within_mails_is_limited() -> None:
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
