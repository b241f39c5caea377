"""The main commands with all sockets blocked: summc never uses the network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.conftest import SAMPLE, Cli
from tests.support import writers

DOCUMENT = SAMPLE / "docs" / "d90004t" / "EQW20320309.0014"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("summc opened a socket")

    for name in ("socket.connect", "socket.connect_ex", "socket.bind", "socket.sendto"):
        monkeypatch.setattr(f"socket.{name}", refuse)
    for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(f"socket.{name}", refuse)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data set of one cluster, which is one document."""
    path = tmp_path_factory.mktemp("dataset") / "one.jsonl"
    path.write_text(json.dumps({"documents": [DOCUMENT.read_text()], "references": ["The dam cracked."]}))
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        f"summarize {DOCUMENT}",
        f"summarize {DOCUMENT} -k 20 --format html --selector g-greedy",
        f"summarize {DOCUMENT} --language german -q --selector exact",
        f"explain {DOCUMENT} -k 20",
        f"curve {DOCUMENT} -k 50",
        "evaluate --dataset one.jsonl --selector lead,oracle -k 20 --rouge official --stem",
        "sweep --dataset one.jsonl --mu 0.02:0.02:0.01 --iterations 5",
        "experiment random-graphs --graphs 1 --sentences 20 --mu 4:4:1",
        "datasets",
        "datasets check sample",
    ],
)
def test_commands_do_not_use_the_network(
    summc: Cli, dataset: Path, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.chdir(dataset.parent)
    result = summc(*arguments.split())
    assert (result.code, result.err) == (0, "")
    assert result.out


def test_stages_do_not_use_the_network(summc: Cli) -> None:
    lines = summc("load", DOCUMENT).out
    for stage in ("preprocess", "weigh", "graph", "select", "render"):
        result = summc(stage, stdin=lines)
        assert (result.code, result.err) == (0, "")
        lines = result.out


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
