"""The main commands with all sockets blocked: summc never uses the network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.conftest import SAMPLE, Cli
from tests.support import writers
from tests.support.sessions import run

DOCUMENT = SAMPLE / "docs" / "d90004t" / "EQW20320309.0014"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("summc opened a socket")

    methods = ("socket.connect", "socket.connect_ex", "socket.bind", "socket.sendto")
    for name in (*methods, "socket", "create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(f"socket.{name}", refuse)


@pytest.mark.parametrize(
    "line",
    [
        "summc summarize DOCUMENT",
        "summc summarize DOCUMENT -k 20 --format html --selector g-greedy",
        "summc summarize DOCUMENT --language german -q --selector exact",
        "summc explain DOCUMENT -k 20",
        "summc curve DOCUMENT -k 50",
        "summc evaluate --dataset one.jsonl --selector lead,oracle -k 20 --rouge official --stem",
        "summc sweep --dataset one.jsonl --mu 0.02:0.02:0.01 --iterations 5",
        "summc experiment random-graphs --graphs 1 --sentences 20 --mu 4:4:1",
        "summc datasets",
        "summc datasets check sample",
        "summc load DOCUMENT | summc preprocess | summc weigh | summc graph | summc select | summc render",
    ],
)
def test_commands_do_not_use_the_network(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    one = {"documents": [DOCUMENT.read_text()], "references": ["The dam cracked."]}
    Path("one.jsonl").write_text(json.dumps(one))
    result = run(summc, line.replace("DOCUMENT", str(DOCUMENT)))
    assert (result.code, result.err) == (0, "")
    assert result.out


def test_links_of_a_document_are_not_fetched(summc: Cli, tmp_path: Path) -> None:
    link = "http://192.0.2.1/x"
    page = (
        f'<!DOCTYPE html SYSTEM "{link}"><html><head><link rel="stylesheet" href="{link}">'
        f'<script src="{link}"></script><meta http-equiv="refresh" content="0; url={link}"></head>'
        "<body><article><p>The dam broke on Tuesday and the valley was flooded by night.</p>"
        f'<img src="{link}"><iframe src="{link}"></iframe>'
        "<p>Nobody was hurt, the mayor said, when the water had gone.</p></article></body></html>"
    )
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "b.md").write_text(f"The lake fell. ![x]({link}) It [rose]({link}) by day.\n")
    (tmp_path / "c.eml").write_bytes(writers.mail(html=page).as_bytes())
    body = f'<!DOCTYPE html [<!ENTITY x SYSTEM "{link}">]><p>Snow fell in the hills. &x;</p>'
    (tmp_path / "d.epub").write_bytes(writers.epub({"one.xhtml": body}, ["one.xhtml"]))
    result = summc("load", tmp_path)
    assert result.code == 0
    assert len(json.loads(result.out)["cluster"]["documents"]) >= 3
