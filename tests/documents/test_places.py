"""Where in its file a sentence stands: offsets in a text, boxes on the pages of a PDF, and the marked PDF."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from pypdfium2 import raw

from summc.config import Config
from summc.documents.formats import read_documents
from summc.documents.places import letters_of
from summc.documents.sentences import make_document
from summc.documents.sources import cluster_of_texts
from summc.method import summarize
from summc.records import Sentence
from summc.report.summaries import sentence_objects
from tests.conftest import ROOT, Cli
from tests.support.sessions import run
from tests.support.writers import Put, pdf

GUIDE = (ROOT / "docs" / "pages" / "guide" / "explaining.md").read_text(encoding="utf-8")
PROSE = "The old dam above Barnby broke at dawn on Monday.  Nobody in the town was hurt.\n\n"
WRAPPED = """\
The old dam above the town of Barnby broke at dawn on Monday, and the whole
valley was under water by noon. "Nobody was hurt," said the mayor. The
council will meet on Tues-
day. (It met last in May.)

    The council will meet again. The council will meet again.
"""
FB2 = '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description/><body>'
#: File -> a text in that format. Each has the same two sentences, of which the second comes twice.
TEXTS = {
    "a.txt": WRAPPED,
    "b.txt": f"\ufeff# Dam\r\n\r\n{PROSE}----\r\n1. Nobody in the town was hurt.\r\n",
    "quoted.txt": "> The dam above Barnby broke at dawn\n> on Monday. Nobody was hurt.\n\nSo they say.\n",
    "chat.txt": "".join(
        f"[12/03/2026, 18:0{i}] {who}: {said}\n"
        for i, (who, said) in enumerate([
            ("Anna", "The old dam broke at dawn. Did you hear?"), ("Ben", "Nobody in the town was hurt."),
            ("Anna", "Nobody in the town was hurt."), ("Ben", "The mayor wants a new dam."),
        ])
    ),
    "talk.srt": "1\n00:00:01,000 --> 00:00:04,000\nThe old dam above Barnby\n\n"
    "2\n00:00:04,000 --> 00:00:09,000\nbroke at dawn. Nobody was hurt there.\n",
    "a.vtt": "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Anna>The old dam above Barnby broke.</v>\n\n"
    "00:04.000 --> 00:06.000\n<v Ben>When?\n\n00:06.000 --> 00:09.000\n<v Anna>At dawn. Nobody was hurt.\n",
    **{
        f"a.{suffix}": f"{head}\n\nThe {old} dam above Barnby broke at dawn. {PROSE}{''.join(tail)}"
        for suffix, head, old, *tail in [
            ("adoc", "== Dam", "*old*"), ("dj", "# Dam", "*old*"), ("jira", "h1. Dam", "*old*"),
            ("man", ".TH BARNBY 1\n.SH Dam", r"\fBold\fR"), ("org", "* Dam", "*old*"),
            ("rst", "Dam\n===", "*old*"), ("tex", r"\section{Dam}", r"\emph{old}"),
            ("textile", "h1. Dam", "*old*"), ("wiki", "== Dam ==", "'''old'''"),
            ("dbk", "<article><para>", "<emphasis>old</emphasis>", "</para></article>"),
            ("fb2", f"{FB2}<title><p>Dam</p></title><p>", "<sub>old</sub>", "</p></body></FictionBook>"),
            ("jats", "<article><body><p>", "<italic>old</italic>", "</p></body></article>"),
        ]
    },
    "a.md": f"# The dam\n\n- Yes\n- No\n\n| Rain | Sun |\n|---|---|\n| a | b |\n\n"
    f"The **old** dam `above` [Barnby](http://example.org/x) broke at dawn. {PROSE}",
    "a.html": "<html><head><title>Dam</title></head><body><p>The old <b>dam</b> broke &amp; fell at dawn"
    f" on Monday, they say.</p><p>{PROSE}</p></body></html>",
    "a.eml": f"From: Ann <a@example.org>\nTo: b@example.org\nSubject: Dam\nMessage-ID: <1@a>\n\n{PROSE}",
    "a.mbox": "".join(
        f"From a Mon Jan  1 10:00:00 2026\nFrom: {who}@example.org\nMessage-ID: <{who}>\n\n{text}\n"
        for who, text in [("ann", PROSE), ("ben", "When? The mayor wants another dam now.\n")]
    ),
    "a.tsv": "id\treview\n1\tThe old dam broke.\n2\tNobody in the town was hurt by it at all.\n",
    "a.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Dam\n\n", f"The **old** dam. {PROSE}"]}
    ]}),
    "a.ndjson": "".join(json.dumps({"id": i, "body": f"{PROSE}So says {i}."}) + "\n" for i in range(3)),
    "a.csv": 'id,review\n1,"The old dam broke at dawn, they ""say"" here."\n'
    "2,Nobody in the town was hurt by it at all.\n",
    "a.json": json.dumps([{"id": i, "body": f"{PROSE}And number {i} says so."} for i in range(3)]),
    "news": f"<DOC>\n<DOCNO> A </DOCNO>\n<TEXT>\n<P>\n{PROSE}</P>\n</TEXT>\n</DOC>\n",
    "app.log": "".join(
        f"2026-01-02 10:00:0{i} {level} app.main: {text}\n"
        for i, (level, text) in enumerate([
            ("INFO", "the service was started"), ("INFO", "the service listens on port 80"),
            ("ERROR", "cannot open the file of the dam"), ("INFO", "the service goes on"),
            ("INFO", "the service was stopped"),
        ])
    ),
}  # fmt: skip


#: What is not read of these texts.
MARKUP = re.compile(r"<[^<>]*>|\]\([^()]*\)|\\(?:f[BR]|[a-z]+)|&\w+;|\d+\n[\d:,]+ -->.*")


def sentences_in(name: str, data: bytes) -> Iterator[Sentence]:
    for document in read_documents(data, name, name):
        yield from make_document(document, 0, "en").sentences


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_at_the_offsets_is_the_sentence(name: str) -> None:
    data = TEXTS[name].encode()
    text = data.decode("utf-8-sig" if name == "b.txt" else "utf-8")
    sentences = list(sentences_in(name, data))
    before = 0
    for sentence in sentences:
        part = text[sentence.start : sentence.end]
        assert letters_of(MARKUP.sub("", part)) == letters_of(sentence.text[sentence.label :])
        if name.endswith(".txt") and "-\n" not in part and ">" not in part:
            assert " ".join(part.split()) == sentence.text[sentence.label :]
        assert sentence.start is not None
        assert before <= sentence.start < (sentence.end or 0)  # also if sentences are repeated
        before = sentence.end or 0


def test_offsets_cover_quotation_marks_hyphens_and_line_ends() -> None:
    parts = [WRAPPED[s.start : s.end] for s in sentences_in("a.txt", WRAPPED.encode())]
    assert parts[1:4] == [
        '"Nobody was hurt," said the mayor.',
        "The\ncouncil will meet on Tues-\nday.",
        "(It met last in May.)",
    ]


def test_a_sentence_that_may_stand_in_two_places_has_no_offsets() -> None:
    # Only one of the two is read: the other stands in a comment.
    text = "<html><body><p>The old dam broke at dawn.</p><!-- <p>The old dam broke at dawn.</p> -->"
    text += "<p>The mayor of the town wants another dam.</p></body></html>"
    offsets = {s.text: s.start for s in sentences_in("a.html", text.encode())}
    assert offsets["The old dam broke at dawn."] in (None, text.index("The old"))
    assert offsets["The mayor of the town wants another dam."] == text.index("The mayor")


LINES = [
    "The old dam above Barnby broke at dawn on Monday. Nobody in the",
    "town was hurt by it. The mayor wants",
]


def page(turn: float = 0) -> list[Put]:
    """Return a page with two lines; turned, they run upwards."""
    return [
        Put(300 + 12 * i if turn else 80, 100 if turn else 700 - 12 * i, t, turn=turn)
        for i, t in enumerate(LINES)
    ]


@pytest.mark.parametrize("turn", [0, 90])
def test_boxes_in_a_pdf_hold_the_words_of_their_sentence(turn: float) -> None:
    data = pdf(page(turn), [Put(80, 700, "a new one. The dam was eighty years old.")])
    sentences = list(sentences_in("a.pdf", data))
    pages = [page.get_textpage() for page in pypdfium2.PdfDocument(data)]
    assert [[box.page for box in s.boxes] for s in sentences] == [[1], [1, 1], [1, 2], [2]]
    for sentence in sentences:
        assert sentence.start is None
        words = [pages[box.page - 1].get_text_bounded(*box[1:]) for box in sentence.boxes]
        assert " ".join(" ".join(words).split()) == sentence.text


def test_the_guide_marks_the_chosen_sentences_in_a_copy_of_the_pdf(summc: Cli, tmp_path: Path) -> None:
    (command,) = re.findall(r"^summc .* -o marked.pdf$", GUIDE, re.MULTILINE)
    more = [Put(80, 600 - 12 * i, f"The council met {i} times and asked for help in May.") for i in range(9)]
    (tmp_path / "paper.pdf").write_bytes(pdf([*page(), *more]))
    with contextlib.chdir(tmp_path):
        first, second = ((run(summc, command), Path("marked.pdf").read_bytes()) for _ in range(2))
        result = json.loads(run(summc, command.replace("-o marked.pdf", "--format json")).out)
    assert first == second
    boxes = [box for sentence in result["sentences"] for box in sentence["boxes"]]
    marked = pypdfium2.PdfDocument(second[1])[0]
    assert raw.FPDFPage_GetAnnotCount(marked) == 1
    picture = marked.render(scale=4).to_pil().convert("RGB")
    for left, bottom, right, top in (box[1:] for box in boxes):
        for x in (left + 1, right - 1):  # just within the corners of the box, and just outside of them
            assert is_yellow(picture.getpixel((4 * x, 4 * (800 - top + 0.5))))
            assert not is_yellow(picture.getpixel((4 * x, 4 * (800 - top - 2))))
        assert not is_yellow(picture.getpixel((4 * (left - 2), 4 * (800 - bottom - 1))))


def is_yellow(pixel: tuple[int, ...]) -> bool:
    return pixel[0] > 200 and pixel[2] < 100


ONE_PDF = "-o: a.pdf shows the marks of one PDF; name one file, or write .html"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            "dam.txt -o a.pdf",
            "dam.txt: not a PDF, so it cannot be marked; show its summary with -o page.html",
        ),
        ("dam.pdf dam.txt -o a.pdf", ONE_PDF),
        ("folder -o a.pdf", ONE_PDF),
        ("--sample -o a.pdf", ONE_PDF),
        ("dam.pdf -k 5,9 -o a.pdf", "--budget: given several times for one marked PDF; give one length"),
        ("dam.pdf --format pdf", "--format: pdf needs a file; give -o marked.pdf"),
        ("no.pdf -o a.pdf", "no.pdf: no such file; check the path"),
    ],
)
def test_only_one_pdf_can_be_marked(summc: Cli, tmp_path: Path, given: str, problem: str) -> None:
    (tmp_path / "dam.pdf").write_bytes(pdf(page()))
    (tmp_path / "dam.txt").write_text(PROSE)
    (tmp_path / "folder").mkdir()
    with contextlib.chdir(tmp_path):
        result = summc("summarize", *given.split())
    assert (result.out, result.err) == ("", f"error: {problem}\n")
    assert not (tmp_path / "a.pdf").exists()


def test_parts_of_sentences_have_their_own_offsets() -> None:
    text = (
        "BARNBY, Wendmark (EQW) _ The old dam above the town broke at dawn on Monday. Nobody was hurt then."
    )
    config = Config().with_settings({"budget": 14, "fill": "truncate"})
    (run,) = summarize([cluster_of_texts([text])], config)
    assert not isinstance(run, Exception)
    results = sentence_objects(run.summary)
    assert [text[result["start"] : result["end"]] for result in results] == [
        "The old dam above the town broke at dawn on Monday.", "Nobody was hurt",
    ]  # fmt: skip
    assert [result.get("cut") for result in results] == [None, "then."]
