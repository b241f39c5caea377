"""Explanations of short texts, and several budgets in one run, as users see them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT, Cli
from tests.support.sessions import replay

FILES = {
    "flood.txt": "The dam of the town broke in the night. Water rose in all streets of the town. "
    "Nobody was hurt.",
    "again.txt": "The dam broke. What it was it was. Water rose. The dam broke. The dam held.",
    "both/long/a.txt": "Someone wrote a sentence that has many words.",
    "both/short/a.txt": "Dams broke.",
}


def sessions_of(name: str) -> list[str]:
    """Return the sessions in a file. Explanations have blank lines, so that only a command divides them."""
    text = (ROOT / "tests" / "sessions" / name).read_text(encoding="utf-8")
    return re.split(r"\n\n(?=\$ )", re.sub(r"^# .*\n+", "", text, flags=re.MULTILINE).rstrip())


@pytest.mark.parametrize("session", [*sessions_of("explain.txt"), *sessions_of("budgets.txt")])
def test_users_see_this(summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    assert replay(summc, session) == session
