"""Texts in which people talk: their turns, and the labels of their speakers."""

from __future__ import annotations

from pathlib import Path

import pytest

from summc.documents.plain import plain_content
from tests.conftest import Cli
from tests.support import sessions
from tests.support.cases import read_cases

CASES = read_cases("documents/cases/talk.toml")


@pytest.mark.parametrize("name", CASES["turns"])
def test_turns(name: str) -> None:
    text, expected = CASES["turns"][name]
    content = plain_content(text.lstrip("\n"))
    blocks = [block for part in (content, *content.parts) for block in part.blocks]
    assert [f"{block.speaker}: {block.text}" for block in blocks] == expected


@pytest.mark.parametrize("name", CASES["other"])
def test_other_texts_are_not_talk(name: str) -> None:
    content = plain_content(CASES["other"][name])
    assert not content.parts
    assert not any(block.speaker for block in content.blocks)


def test_sessions(summc: Cli, tmp_path: Path) -> None:
    sessions.check(summc, tmp_path, "talk.txt")
