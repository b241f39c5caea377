"""How messages name settings: as Python has them to a Python caller, as flags on the command line."""

from __future__ import annotations

import re
from functools import cache

import pytest

from summc import summarize
from summc.cli.console import in_flags
from summc.config import TABLES
from summc.settings import rules
from tests.cli.test_help import commands
from tests.support.sources import PACKAGE, sources

#: Modules that write flags: two start other programs, one is for the command line alone.
STARTERS = {
    PACKAGE / "documents" / "formats" / "pandoc.py",
    PACKAGE / "system" / "compiled" / "build.py",
    PACKAGE / "report" / "tables.py",
}
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if PACKAGE / "cli" not in path.parents and path not in STARTERS
)
#: What looks like a flag of summc, --jobs or -k, and is not a part of a word or the end of a rule of dashes.
FLAG = re.compile(r"(?<![\w-])(?<!ulimit )--?[a-z][a-z-]*(?![\w-])")
DAM = "The dam above the town broke on Friday. Nobody in the town was hurt. The mayor blame the dam."


@cache
def flags() -> set[str]:
    """Every flag of every command."""
    params = [each for _, command in commands() for each in command.params]
    return {"--debug", *(flag for each in params for flag in (*each.opts, *each.secondary_opts))}


def test_only_the_command_line_knows_its_flags() -> None:
    assert {"--budget", "-k", "--keep-stopwords", "--jobs"} <= flags()
    found = {
        (path.relative_to(PACKAGE).as_posix(), flag)
        for path in MODULES
        for text in sources()[path].texts
        for flag in FLAG.findall(text)
    }
    assert not {(path, flag) for path, flag in found if flag in flags()}


def test_every_name_in_a_message_has_a_flag_or_a_command() -> None:
    names = {name for path in MODULES for name in sources()[path].names}
    assert {"budget", "least_words", "by_topic", "jobs", "summc.summarize"} <= names
    for name in names | {name for settings in TABLES.values() for name in rules(settings)}:
        written = FLAG.findall(in_flags(f"`{name}`"))
        assert written, name
        assert set(written) <= flags(), name


def test_a_warning_names_a_setting_as_python_has_it(caplog: pytest.LogCaptureFixture) -> None:
    summarize([DAM], boost=("fish=2",), ignore=("whale",))
    assert caplog.messages == [
        '`boost`: no document holds "fish"; it has no effect',
        '`ignore`: no document holds "whale"; it has no effect',
    ]
