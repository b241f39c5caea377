"""Explanations of short texts, and several budgets in one run, as users see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.support.sessions import check

FILES = {
    "flood.txt": "The dam of the town broke in the night. Water rose in all streets of the town. "
    "Nobody was hurt.",
    "again.txt": "The dam broke. What it was it was. Water rose. The dam broke. The dam held.",
    "both/long/a.txt": "Someone wrote a sentence that has many words.",
    "both/short/a.txt": "Dams broke.",
}


@pytest.mark.parametrize("name", ["explain.txt", "budgets.txt"])
def test_users_see_this(summc: Cli, tmp_path: Path, name: str) -> None:
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    check(summc, tmp_path, name)
