"""``summc mcp``, through a real pipe, with the client of the SDK."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import pytest

from summc.api.summaries import summarize
from summc.cli.mcp import answer_schema
from tests.conftest import ROOT, SAMPLE, Cli

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp", reason="needs summc[mcp]")
stdio = pytest.importorskip("mcp.client.stdio")

OUTSIDE = "outside of the folders that may be read"
#: Arguments of a tool -> the place and the problem that the result names.
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"paths": ["../secret.txt"]}, "../secret.txt", OUTSIDE),
    ({"paths": ["/etc/passwd"]}, "/etc/passwd", OUTSIDE),
    ({"paths": ["link.txt"]}, "link.txt", OUTSIDE),
    ({"paths": ["pipe"]}, "pipe", "neither file nor folder"),
    ({"paths": ["a\0b"]}, "'a\\x00b'", "no such file or folder"),
    ({"paths": ["none.txt"]}, "none.txt", "no such file or folder"),
    ({"paths": ["other/bad.pdf"]}, "bad.pdf", "a PDF that cannot be read"),
    ({"budget": "many"}, "budget", "'many' is not a length"),
    ({"paths": ["dam"], "texts": ["The dam broke."]}, "texts", "given together with paths"),
    ({"question": " "}, "question", "is empty"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("The code is 1234.")
    folder = tmp_path / "docs"
    shutil.copytree(SAMPLE / "docs" / "d90004t", folder / "dam")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    shutil.copytree(SAMPLE / "docs" / "d90001t", folder / "other")
    (folder / "other" / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    return folder


def test_models_summarize_and_search_a_folder_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(folder / "pipe")
    page = (ROOT / "docs" / "pages" / "guide" / "mcp.md").read_text()
    common, other = map(json.loads, re.findall(r"```json\n(.*?)```", page, re.DOTALL))
    shown = common["mcpServers"]["summc"]
    assert {**shown, "type": "stdio"} == other["servers"]["summc"]
    arguments = [*shown["args"][:-1], str(folder), "--embedder", "none"]
    server = stdio.StdioServerParameters(
        command=sys.executable, args=["-m", shown["command"], *arguments], env=dict(os.environ)
    )
    steps: list[str] = []

    async def note(_progress: float, _total: float | None, message: str | None) -> None:
        steps.append(message or "")

    async def talk(errors: TextIO) -> None:
        async with mcp.Client(stdio.stdio_client(server, errors)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"summarize", "find"}
            for tool in tools.values():  # the client checks the results of the tools by these schemas
                assert {"answered", "covered", "sentences", "error"} <= set(tool.output_schema["properties"])
                assert tool.output_schema == answer_schema()

            async def call(name: str, **given: Any) -> tuple[dict[str, Any], str]:
                result = await client.call_tool(name, given, progress_callback=note)
                return result.structured_content, result.content[0].text

            data, text = await call("summarize", paths=["dam"], budget=60)
            sentences = summarize(folder / "dam", 60).sentences
            assert data["sentences"] == list(map(asdict, sentences))
            assert all(f"- {sentence.text} ({sentence.document}" in text for sentence in sentences)
            assert 0 < data["covered"] < 1
            assert f"reading {folder / 'dam' / 'EQW20320309.0014'}" in steps

            data, _ = await call("find", question="Why did the spillway crack?", paths=["docs/dam"])
            assert data["answered"]
            assert "spillway" in data["sentences"][0]["text"]
            data, text = await call("find", question="Do oboes, zithers or banjos outlast a dam?")
            assert (data["answered"], data["covered"], len(data["sentences"])) == (False, 0, 1)
            assert data["sentences"][0]["document"].startswith("dam/")  # both folders are read together
            assert "bad.pdf: a PDF that cannot be read" in text
            data, text = await call("find", question="Xylophones in Zanzibar?", paths=["dam"])
            assert (data["answered"], data["sentences"]) == (False, [])
            assert re.fullmatch(
                "The documents do not seem to answer the question.\nwarning: .* documents", text
            )

            for wrong, place, problem in REFUSED:
                result = await client.call_tool("find" if "question" in wrong else "summarize", wrong)
                error = result.structured_content["error"]
                assert result.is_error
                assert error["place"].endswith(place)
                assert error["problem"].startswith(problem)
                assert result.content[0].text == f"{error['place']}: {error['problem']}; {error['remedy']}"

            with anyio.CancelScope() as scope:

                async def cancel(*_: object) -> None:
                    scope.cancel()

                await client.call_tool("summarize", {"paths": ["dam"]}, progress_callback=cancel)
            assert scope.cancelled_caught
            assert not (await client.call_tool("summarize", {"texts": ["The dam broke."]})).is_error

    with (tmp_path / "stderr").open("w+") as errors:
        asyncio.run(talk(errors))
    assert (tmp_path / "stderr").read_text() == ""  # warnings are in the results


def test_a_missing_folder_and_a_missing_sdk_are_reported(
    folder: Path, summc: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = summc("mcp", "nowhere")
    assert (missing.code, missing.err) == (4, "error: nowhere: no such folder; check the path\n")
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    missing = summc("mcp", folder)
    message = "error: summc mcp: needs the MCP SDK; pip install 'summc[mcp]'\n"
    assert (missing.code, missing.err) == (2, message)


def test_the_entry_for_the_registry_names_the_release_and_the_command() -> None:
    entry = json.loads((ROOT / "docs" / "server.json").read_text())
    release = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["version"]
    (package,) = entry["packages"]
    assert {entry["version"], package["version"]} == {release["fallback-version"]}
    assert [each.get("value") for each in package["packageArguments"]] == ["mcp", None]
    assert len(entry["description"]) <= 100  # the registry takes no longer ones
