"""Dates of documents: which one wins, and the place of undated documents."""

from __future__ import annotations

import datetime as dt
import json
import logging
from pathlib import Path

import docx
import pytest

from summc.documents.formats.sgml import read_sgml
from summc.documents.jsonl import parse_cluster
from summc.documents.sources import load
from summc.preprocess.order import in_order_of_dates
from summc.records import Cluster, Document, Sentence
from summc.text.dates import read_property_date, read_stated_date
from tests.conftest import Cli
from tests.support.cases import read_cases
from tests.support.writers import mail, word, write_files

CASES = read_cases("documents/cases/dates.toml")
PROSE = "The council of Hask met again and spoke for a long time about the dam above the town. "
TODAY = dt.datetime.now(dt.UTC).date()


@pytest.mark.parametrize(
    ("text", "date"),
    [
        *CASES["stated"],
        (f"{TODAY.year + 1}-12-31", ""),
        ("9" * 10_000, ""),
        (" " * 10_000 + "2021-03-04", ""),
        ("\ud800 2021-03-04\0", "2021-03-04"),
    ],
)
def test_a_plausible_stated_date_is_read(text: str, date: str) -> None:
    assert read_stated_date(text) == date


def test_tomorrow_is_accepted_because_of_time_zones() -> None:
    assert read_stated_date((TODAY + dt.timedelta(days=1)).isoformat())
    assert not read_stated_date((TODAY + dt.timedelta(days=3)).isoformat())


def test_default_dates_of_programs_are_ignored() -> None:
    for default in ("1970-01-01", "1980-01-01", "2000-01-01"):
        assert read_property_date(f"{default}T00:00:00Z") == ""
    assert read_property_date("2000-01-02T00:00:00Z") == "2000-01-02"


@pytest.mark.parametrize(("element", "date"), CASES["sgml"])
def test_the_date_of_an_sgml_document_is_read(element: str, date: str) -> None:
    text = "It rained on <DATE>May 5, 2001</DATE> in Hask."
    (document,) = read_sgml(f"<DOC><DOCNO>A</DOCNO>{element}<TEXT>{text}</TEXT></DOC>")
    assert (document.date, document.paragraphs) == (date, ["It rained on May 5, 2001 in Hask."])


@pytest.mark.parametrize(
    ("stated", "date"),
    [("2021-03-04T10:00:00Z", "2021-03-04"), *((bad, "1999-07-07") for bad in ("soon", 1614852000, None))],
)
def test_the_date_of_a_document_in_json_is_read(stated: object, date: str) -> None:
    plain, sgml = "It rained.", "<DOC><DATE_TIME>1999-07-07</DATE_TIME><TEXT>It rained.</TEXT></DOC>"
    documents = [{"text": plain, "date": stated}, {"text": sgml, "date": stated}]
    cluster = parse_cluster(json.dumps({"documents": documents}), "x:1")
    assert [document.date for document in cluster.documents] == ["" if date < "2000" else date, date]


def test_a_stated_date_wins_over_name_opening_and_file_properties(tmp_path: Path) -> None:
    front = "Saturday, January 8, 2005"
    stated = '<meta property="article:published_time" content="2001-02-03">'

    def written(*paragraphs: str) -> bytes:
        document = docx.Document()
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
        document.core_properties.created = dt.datetime(2021, 3, 4)  # noqa: DTZ001 (python-docx has no zones)
        return word(document)

    files: dict[str, str | bytes] = {
        "a-2010-11-12.html": f"<html>{stated}<p>{front}</p><p>{PROSE * 6}</p></html>",
        "b-2010-11-12.docx": written(front, "A dam broke."),
        "c.docx": written(front, "Two dams broke."),
        "d.docx": written("Three dams broke."),
        "e19980101.0001": "<DOC><DATE_TIME>1999-07-09</DATE_TIME><TEXT>Four dams broke.</TEXT></DOC>",
    }
    (cluster,) = load([write_files(tmp_path, files)])
    found = [(document.id[0], document.date) for document in in_order_of_dates(cluster).documents]
    assert found == [
        ("e", "1999-07-09"),
        ("a", "2001-02-03"),
        ("c", "2005-01-08"),
        ("b", "2010-11-12"),
        ("d", "2021-03-04"),
    ]


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
    """Return the names in the order of dates, in which no sentence and no date changes."""
    ordered = in_order_of_dates(cluster)
    assert [sentence.document for sentence in ordered.sentences[::2]] == list(range(len(ordered.documents)))
    assert {(d.id, d.date, d.sentences[1].text) for d in ordered.documents} == {
        (d.id, d.date, d.sentences[1].text) for d in cluster.documents
    }
    assert in_order_of_dates(ordered) == ordered
    return "".join(document.id for document in ordered.documents)


JAN, MAR = "2021-01-10", "2021-03-10"
LONG = ["x" * 100_000, "May " * 30_000, "1 " * 50_000, "1 de " * 30_000, "2021-" * 20_000]


@pytest.mark.parametrize(("documents", "expected"), CASES["placed"])
def test_a_document_without_a_date_is_placed_by_its_text_or_its_neighbour(
    documents: list[tuple[str, str, str]], expected: str
) -> None:
    assert order(made_of(*documents)) == expected


def test_dates_in_a_text_are_read_in_its_language() -> None:
    documents = (("a", MAR, ""), ("b", "", "Le barrage a cédé le 9 février 2021."), ("c", JAN, ""))
    assert order(made_of(*documents, language="fr")) == "cba"
    assert order(made_of(*documents, language="en")) == "cab"


@pytest.mark.parametrize("run", LONG)
def test_a_long_text_without_a_date_is_searched_in_one_pass(run: str) -> None:
    assert order(made_of(("a", MAR, ""), ("b", "", run), ("c", JAN, ""))) == "cab"


NO_DAY, DAY = "No day.", "It broke on March 10, 2021."
PLACED = "no date (the first is 1); placed by the latest date in the text, or as given"


@pytest.mark.parametrize(
    ("undated", "said"),
    [
        ([NO_DAY], f"1 of 2 documents with {PLACED}"),
        ([DAY, NO_DAY], f"2 of 3 documents with {PLACED}"),
        ([], ""),
    ],
)
def test_one_line_reports_documents_without_a_date(
    undated: list[str], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="summc")
    documents = [(str(i), "", text) for i, text in enumerate(undated, start=1)]
    in_order_of_dates(made_of(("a", MAR, ""), *documents))
    in_order_of_dates(made_of(*documents))  # none has a date, which is not reported
    assert caplog.messages == ([f"made: {said}"] if said else [])


def test_a_summary_of_everyday_documents_follows_their_dates(summc: Cli, tmp_path: Path) -> None:
    broke = "<p>The dam above Hask broke in the night and the water reached the town.</p>"
    crack = mail("The dam above Hask had a crack, engineers of the town said.").as_bytes()
    stated = '<meta property="article:published_time" content="2021-03-04">'
    files: dict[str, str | bytes] = {
        "a.html": f"<html><head>{stated}</head><body>{broke}<p>{PROSE * 6}</p></body></html>",
        "b.eml": crack.replace(b"Mon, 07 Jan 2030 10:00:00 +0000", b"Tue, 2 Mar 2021 08:00:00 +0100"),
        "c.md": "---\ndate: 2021-03-03\n---\nThe dam above Hask was watched by engineers of the town.\n",
        "d.txt": "The town below the dam was dry again, and the engineers left Hask by train.\n",
    }
    options = (write_files(tmp_path, files), "-k", "200", "--least-documents", "1", "--selector", "g-greedy")
    told = summc("summarize", *options, "--format", "json")
    dates = {each["document"]: each.get("date", "") for each in json.loads(told.out)["sentences"]}
    assert list(dates.items()) == [
        ("b.eml", "2021-03-02"), ("c.md", "2021-03-03"), ("d.txt", ""), ("a.html", "2021-03-04"),
    ]  # fmt: skip
    assert told.err.count("no date") == 1
    assert "1 of 4 documents with no date (the first is d.txt); placed by " in told.err

    given = summc("summarize", *options, "--dates", "--order", "given")
    assert "no date" not in given.err
    for shown in (given.out, summc("summarize", *options, "--dates").out):
        # A sentence without a date must not seem to be of the day of the next one.
        ends = {line.partition(" [")[2] for line in shown.splitlines() if " [" in line}
        assert ends == {"2 March 2021]", "3 March 2021]", "4 March 2021]", "?]"}
    page = summc("summarize", *options, "-k", "200,100", "--format", "html").out
    assert '<bdi>c.md</bdi>, <time datetime="2021-03-03" dir="ltr">3 March 2021</time>, sentence 1' in page
    assert "<bdi>d.txt</bdi></h" in page
    explained = json.loads(summc("explain", *options, "--format", "json").out)["sentences"]
    assert {each["document"]: each.get("date", "") for each in explained} == dates

    line = summc("load", tmp_path).out
    documents = json.loads(line)["cluster"]["documents"]
    assert {each["id"]: each.get("date", "") for each in documents} == dates
    done = summc("preprocess", stdin=line)
    assert [each["id"] for each in json.loads(done.out)["cluster"]["documents"]] == list(dates)
    assert done.err.count("no date") == 1
    (tmp_path / "d.txt").unlink()
    assert "no date" not in summc("summarize", *options).err
