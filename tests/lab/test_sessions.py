"""What users type and see: ``evaluate``, ``score``, ``sweep``, ``curve``, ``experiment`` and ``learn``."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.support.sessions import replay, sessions
from tests.support.writers import write_files

FILES = tomllib.loads((Path(__file__).parent / "cases" / "files.toml").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the files that the sessions read, and work in their folder."""
    write_files(tmp_path, {**FILES, "latin.json": b"\xff"})
    for words in (35, 70, 71):
        systems = {"long": "dam " * 78, "short": "dam " * words}
        write_files(tmp_path, {f"of-{words}/{name}/line-1.{name}": text for name, text in systems.items()})
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("session", sessions("lab.txt"))
def test_users_see_what_the_session_shows(summc: Cli, session: str) -> None:
    assert replay(summc, session) == session
