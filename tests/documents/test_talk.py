"""Texts in which people talk: their turns, and the labels of their speakers."""

from __future__ import annotations

from pathlib import Path

import pytest

from summc.documents.talk import read_turns
from tests.conftest import Cli
from tests.support import sessions
from tests.support.cases import read_cases

CASES = read_cases("documents/cases/talk.toml")


@pytest.mark.parametrize("name", CASES["turns"])
def test_turns(name: str) -> None:
    text, expected = CASES["turns"][name]
    assert [": ".join(turn) for turn in read_turns(text.lstrip("\n"))] == expected


@pytest.mark.parametrize("name", CASES["other"])
def test_other_texts_are_not_talk(name: str) -> None:
    assert read_turns(CASES["other"][name]) == []


def test_sessions(summc: Cli, tmp_path: Path) -> None:
    sessions.check(summc, tmp_path, "talk.txt")
