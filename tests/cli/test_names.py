"""How messages name settings: as Python has them to a Python caller, as flags on the command line."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from summc import SummcError, summarize
from summc.cli.console import in_flags
from summc.errors import typed_as
from summc.settings import rules
from summc.settings.config import TABLES
from summc.system.processes import map_in_order
from tests.conftest import Cli
from tests.support.sources import PACKAGE, sources
from tests.support.work import refuse

#: Modules that write flags: they start these programs.
STARTERS = {PACKAGE / "selectors" / "compiled" / "build.py"}
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if PACKAGE / "cli" not in path.parents and path not in STARTERS
)
#: What looks like a flag, --jobs or -k, and is not a part of a word or the end of a rule of dashes.
FLAG = re.compile(r"(?<![\w-])--?[a-z][a-z-]*(?![\w-])")
DAM = "The dam above the town broke on Friday. Nobody in the town was hurt. The mayor blamed the dam."


@cache
def flags() -> set[str]:
    """Every flag of every command."""
    outlines = json.loads((PACKAGE / "system" / "resources" / "command-outlines.json").read_text())
    found = {"--help", "--version", "--debug"}
    for parameter in outlines["parameters"]:
        declared = [*parameter["declared"], *parameter.get("off", [])]
        found.update(name for name in declared if name.startswith("-"))
    return found


def test_only_the_command_line_knows_its_flags() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), flag)
        for path in MODULES
        for text in sources()[path].texts
        for flag in FLAG.findall(text)
    }
    assert not {(path, flag) for path, flag in found if flag in flags()}


def test_the_search_for_flags_finds_them() -> None:
    assert {"--budget", "-k", "--keep-stopwords", "--jobs"} <= flags()
    assert FLAG.findall("fewer --jobs, ``--query`` or -k 5; a--b, ---, --Z") == ["--jobs", "--query", "-k"]


def test_every_name_in_a_message_has_a_flag_or_a_command() -> None:
    names = {name for path in MODULES for name in sources()[path].names}
    assert {"budget", "least_words", "by_topic", "jobs", "summc learn"} <= names
    for name in names | {name for settings in TABLES.values() for name in rules(settings)}:
        written = FLAG.findall(in_flags(name))
        assert written, name
        assert set(written) <= flags(), name


@pytest.mark.parametrize(
    ("settings", "arguments", "message"),
    [
        (
            {"boost": ("dam=2", "dam=3")},
            ["--boost", "dam=2", "--boost", "dam=3"],
            "{boost}: dam=3 conflicts with dam=2; give each word one factor",
        ),
        (
            {"boost": ("dam=2",), "ignore": ("dam",)},
            ["--boost", "dam=2", "--ignore", "dam"],
            "{ignore}: dam conflicts with {boost} dam=2; give one of them",
        ),
        (
            {"least_words": 9, "most_words": 3},
            ["--least-words", "9", "--most-words", "3"],
            "{most_words}: 3 is below {least_words}, 9; raise it, or lower the other",
        ),
        ({"beta": -3}, ["--beta", "-3"], "{beta}: must be a number above 0, or auto, got -3"),
        ({"query": "fish"}, ["--query", "fish"], "{query}: none of its words stands in the documents of "),
        ({"language": "klingon"}, ["--language", "klingon"], '{language}: unknown language "klingon"; '),
        ({"budget": 2}, ["-k", "2"], "fits a budget of 2 words (the shortest has 5); raise {budget}"),
    ],
)  # fmt: skip
def test_a_setting_is_named_as_the_caller_knows_it(
    summc: Cli, tmp_path: Path, settings: dict[str, Any], arguments: list[str], message: str
) -> None:
    (tmp_path / "dam.txt").write_text(DAM)
    shown = summc("summarize", tmp_path / "dam.txt", *arguments).err
    with pytest.raises(SummcError) as refused:
        summarize([DAM], config=settings)
    # After a run of the command line too, which ends with an error here.
    assert re.sub(r"\{(\w+)\}", r"`\1`", message) in str(refused.value)
    assert re.sub(r"\{(\w+)\}", lambda name: f"--{name[1].replace('_', '-')}", message) in shown
    assert "`" not in shown


def test_a_warning_names_a_setting_as_the_caller_knows_it(
    summc: Cli, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    summarize([DAM], boost=("fish=2",), ignore=("whale",))
    assert caplog.messages == [
        '`boost`: no document holds "fish"; it has no effect',
        '`ignore`: no document holds "whale"; it has no effect',
    ]
    (tmp_path / "dam.txt").write_text(DAM)
    assert summc("summarize", tmp_path / "dam.txt", "--boost", "fish=2", "--ignore", "whale").err == (
        'warning: --boost: no document holds "fish"; it has no effect\n'
        'warning: --ignore: no document holds "whale"; it has no effect\n'
    )


def test_names_in_backquotes_that_a_user_wrote_stay(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "`budget`.txt"
    path.write_bytes(b"\0`budget`")
    told = "a binary file, not text; leave it out, or name its encoding with --encoding"
    assert summc("summarize", path).err == f"error: {path}: {told}\n"
    path.write_text(DAM)
    asked = summc("summarize", path, "--boost", "`boost`").err
    assert asked == "error: --boost: must be WORD=FACTOR, got `boost`; write dam=2, or dam=0.5\n"
    assert summc("summarize", path, "--must", "`must` be").err == (
        'error: --must: no sentence holds "`must` be"; copy a part of the sentence as it stands\n'
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_workers_name_settings_as_those_who_ask_them(jobs: int) -> None:
    assert list(map_in_order(refuse, [1], jobs)) == ["1 is too little; raise `budget`"]
    with typed_as(in_flags):
        assert list(map_in_order(refuse, [1], jobs)) == ["1 is too little; raise --budget"]


def test_what_the_command_line_saves_has_its_flags(summc: Cli, tmp_path: Path) -> None:
    arguments = ["-k", "2", "--selector", "greedy"]
    many = tmp_path / "many.jsonl"
    lines = [{"id": str(i), "documents": [DAM], "references": [DAM]} for i in range(2)]
    many.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    shown = summc("evaluate", "--dataset", many, *arguments, "--save", tmp_path / "saved").err
    saved = (tmp_path / "saved" / "outcomes.jsonl").read_text()
    summc("batch", many, "-o", tmp_path / "out", *arguments)
    written = (tmp_path / "out" / "part-00000.jsonl").read_text()
    for text in (shown, saved, written):
        assert "; raise --budget" in text or '"remedy": "raise --budget"' in text
        assert "`" not in text
