"""Help that fits a screen: ``--help`` and ``--help-all``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from summc.cli import COMMANDS, cli
from summc.cli.help import HEADINGS, HELP, Command, Group, Option
from summc.system.versions import version
from tests.conftest import Cli


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand, by what a user types."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {each}", part) for each, part in command.commands.items())


NAMES = [name for name, _ in commands()]


@pytest.fixture(autouse=True)
def _a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def flags_in(text: str) -> list[str]:
    """The flags that a help lists, in order; not those in examples and explanations."""
    terms = re.findall(r"^  (-.*?)(?:  |$)", text, flags=re.MULTILINE)
    return [flag for term in terms for flag in re.findall(r"(?<!\S)--?[a-z][a-z-]*", term)]


def sections(text: str) -> list[str]:
    return re.findall(r"^(\S[^:]*):$", text, flags=re.MULTILINE)


def test_the_help_of_summarize_fits_a_screen(summc: Cli) -> None:
    text = summc("summarize", "--help").out
    assert len(text.splitlines()) <= 40
    assert flags_in(text)[:2] == ["-k", "--budget"]
    assert sections(text) == ["Length", "Documents", "Steering", "Output", "Settings"]
    assert len(flags_in(text)) < 20


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_80_columns_and_help_all_has_every_option(summc: Cli, name: str) -> None:
    text, everything = (summc(*name.split(), flag).out for flag in ("--help", "--help-all"))
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 48
    assert len(re.findall(rf"^    .*summc {name}", text, flags=re.MULTILINE)) in (1, 2, 3, 4)
    command = dict(commands())[name]
    if name in COMMANDS:
        assert command.get_short_help_str(limit=200) == COMMANDS[name][1]
    flags = [flag for each in command.params if isinstance(each, Option) for flag in each.opts]
    off = [flag for each in command.params for flag in each.secondary_opts]
    assert sorted(flags_in(everything)) == sorted([*flags, *off, "-h", "--help"])
    found = sections(everything)
    assert found == sorted(found, key=[*HEADINGS, "Commands"].index)
    short, long = (sum(line.startswith("  -") for line in each.splitlines()) for each in (text, everything))
    assert set(flags_in(text)) <= set(flags_in(everything))
    more = f"\n\n{long - 2 - short} more options: summc {name} --help-all\n"
    assert text.endswith(more) == ("--help-all" in text) == (long - 2 > short)


def test_short_commands_show_all_options_and_those_of_a_stage_its_settings(summc: Cli) -> None:
    text = summc("load", "--help").out
    assert "--quiet" in text
    assert "--help-all" not in text
    assert {"--selector", "--fill", "--polish"} <= set(flags_in(summc("select", "--help").out))
    assert not {"--mu", "--beam"} & set(flags_in(summc("select", "--help").out))
    assert not {"--selector", "--fill"} & set(flags_in(summc("summarize", "--help").out))


def test_help_lists_the_commands_and_version_is_shown(summc: Cli) -> None:
    assert all(f"\n  {name}" in summc("--help").out for name in COMMANDS)
    assert summc("--version").out == f"summc {version('summc')}\n"


def test_every_option_has_a_known_heading_and_a_text() -> None:
    for name, command in commands():
        assert isinstance(command, Command | Group), name
        for each in command.params:
            if not isinstance(each, click.Argument):
                assert isinstance(each, Option), (name, each.name)
                assert each.heading in HEADINGS, (name, each.name)
                assert (each.heading == HELP) == (each.name == "help_all"), (name, each.name)
                assert each.help, (name, each.name)
