"""Data files: tables, exports in JSON, and logs."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from summc.documents.formats.data_files import is_table
from summc.documents.plain import plain_document
from summc.documents.raw import RawDocument
from tests.conftest import Cli
from tests.support import sessions
from tests.support.cases import read_cases
from tests.support.readers import problem, read
from tests.support.writers import zipped

CASES = read_cases("documents/cases/data.toml")


def shown(document: RawDocument) -> str:
    """Return "title | date | speaker: paragraph | paragraph" without what is empty."""
    said = [f"{block.speaker}: {block.text}" if block.speaker else block.text for block in document.blocks]
    return " | ".join(filter(None, [document.title, document.date, *said]))


def data_of(case: dict[str, Any]) -> bytes:
    text = case["text"].lstrip("\n") if "text" in case else json.dumps(case["json"])
    return str(text).encode(case.get("encoding", "utf-8"))


@pytest.mark.parametrize("name", CASES["files"])
def test_rows_and_messages(name: str) -> None:
    case = CASES["files"][name]
    if "problem" in case:
        assert problem(data_of(case), case["file"]) == case["problem"]
    else:
        assert list(map(shown, read(data_of(case), case["file"]))) == case["documents"]


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"[" * 100_000, "x.json", "x.json: JSON nested too deeply; give a plain list of objects"),
        (b'{"a":' * 990 + b"1" + b"}" * 990, "x.json", "x.json: JSON "),
        (b'[{"a": ' + b"9" * 5000 + b"}]", "x.json", "x.json: JSON without prose; "),
        (b'[{"text": "a\0b"}]', "x.json", "x.json: a binary file, not text; "),
        (bytes(range(256)), "x.csv", "x.csv: a binary file, not text; "),
    ],
)
def test_hostile_data_is_refused_in_one_line(data: bytes, name: str, expected: str) -> None:
    assert problem(data, name).startswith(expected)


def workbook(*rows: str) -> bytes:
    """Return an Excel file with one sheet, given the XML of its rows, and two shared texts."""
    lines = "".join(f"<row>{row}</row>" for row in rows)
    texts = ("It rained, and &lt;b&gt;nobody&lt;/b&gt; came.", "It snowed</t></r><r><t> at night.")
    strings = "".join(f"<si><r><t>{text}</t></r></si>" for text in texts)
    return zipped({
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="urn:x"><sheetData>{lines}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="urn:x">{strings}</sst>',
    })  # fmt: skip


@pytest.mark.parametrize("name", ["x.xlsx", "stdin"])
def test_rows_of_a_workbook_are_documents(name: str) -> None:
    names = "".join(
        f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("day", "reviewer", "stars", "review")
    )
    first = '<c r="A2"><v>44260</v></c><c r="B2" t="str"><v>Ann</v></c><c r="D2" t="s"><v>0</v></c>'
    second = '<c r="A3"><v>44261.5</v></c><c r="C3"><v>5</v></c><c r="D3" t="s"><v>1</v></c>'
    assert list(map(shown, read(workbook(names, first, second), name))) == [
        "2021-03-05 | Ann: It rained, and nobody came.",
        "2021-03-06 | It snowed at night.",
    ]


# Logs


@pytest.mark.parametrize("name", CASES["logs"])
def test_logs(name: str) -> None:
    text, expected = CASES["logs"][name]
    document = plain_document("x", text.lstrip("\n"), "x")
    assert document.knows_headings
    assert [f"{'' if block.kind == 'line' else '- '}{block.text}" for block in document.blocks] == expected


@pytest.mark.parametrize("name", CASES["no_logs"])
def test_other_texts_are_not_logs(name: str) -> None:
    assert not plain_document("x", CASES["no_logs"][name], "x").knows_headings


def test_sessions(summc: Cli, tmp_path: Path) -> None:
    sessions.check(summc, tmp_path, "data.txt")


def test_looking_for_a_table_leaves_the_limit_of_csv_alone() -> None:
    before = csv.field_size_limit()
    assert not is_table("name,text\nx,y\n")
    assert csv.field_size_limit() >= before
