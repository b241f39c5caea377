"""Help that fits a screen: ``--help`` and ``--help-all``, and names of options that users guess."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from summc.cli import COMMANDS, cli
from summc.cli.help import HEADINGS, HELP, Command, Group, Option
from summc.system.versions import version
from tests.conftest import Cli

#: Commands that have more options than fit a screen.
LONG = (
    "summarize", "explain", "curve", "batch", "weigh", "select", "score", "evaluate", "learn", "sweep",
    "experiment random-graphs",
)  # fmt: skip


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
    assert 24 <= len(text.splitlines()) <= 40
    assert flags_in(text)[:2] == ["-k", "--budget"]
    assert sections(text) == ["Length", "Documents", "Steering", "Output", "Settings"]
    assert 2 <= text.count("    summc summarize") <= 4
    assert text.index("    summc summarize") < text.index("PATH is")
    assert len(flags_in(text)) < 20


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_80_columns_and_few_lines(summc: Cli, name: str) -> None:
    text = summc(*name.split(), "--help").out
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 48
    assert len(re.findall(rf"^    .*summc {name}", text, flags=re.MULTILINE)) in (1, 2, 3, 4)
    if name in COMMANDS:
        assert dict(commands())[name].get_short_help_str(limit=200) == COMMANDS[name][1]


@pytest.mark.parametrize("name", NAMES)
def test_help_all_lists_every_option_once_under_a_heading(summc: Cli, name: str) -> None:
    command = dict(commands())[name]
    declared = [flag for each in command.params if isinstance(each, Option) for flag in each.opts]
    off = [flag for each in command.params for flag in each.secondary_opts]
    text = summc(*name.split(), "--help-all").out
    assert sorted(flags_in(text)) == sorted([*declared, *off, "-h", "--help"])
    known = [*HEADINGS, "Commands"]
    found = sections(text)
    assert found == sorted(found, key=known.index)


@pytest.mark.parametrize("name", LONG)
def test_long_help_ends_with_the_way_to_the_rest(summc: Cli, name: str) -> None:
    text, everything = (summc(*name.split(), flag).out for flag in ("--help", "--help-all"))
    short, long = (sum(line.startswith("  -") for line in each.splitlines()) for each in (text, everything))
    own = sum(line.startswith(("  -h, ", "  --help-all")) for line in everything.splitlines())
    assert own == 2
    assert text.endswith(f"\n\n{long - own - short} more options: summc {name} --help-all\n")
    assert set(flags_in(text)) < set(flags_in(everything))


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


def test_a_flag_for_help_may_be_a_value_and_a_wrong_option_is_reported_first(summc: Cli) -> None:
    assert 'query = "--help"\n' in summc("summarize", "--query", "--help", "--show-config").out
    refused = summc("summarize", "--selectr", "bp", "--help")
    assert (refused.code, refused.err) == (2, 'error: --selectr: no such option; perhaps "--selector"?\n')


# Names that users guess


@pytest.mark.parametrize(
    "command",
    ["summarize", "explain", "curve", "batch", "evaluate", "sweep", "learn", "select", "weigh", "score"],
)
def test_guessed_names_of_the_length_are_those_of_k(summc: Cli, command: str) -> None:
    guesses = ("-n", "--words", "--length", "--max-words")
    for guess in guesses:
        shown = summc(command, guess, "50", "--show-config")
        assert (shown.code, shown.err) == (0, ""), guess
        assert "\nbudget = 50\n" in shown.out
    assert not set(guesses) & set(flags_in(summc(command, "--help-all").out))


@pytest.mark.parametrize("command", ["summarize", "explain", "curve", "batch", "sweep", "select"])
def test_a_preset_is_a_configuration(summc: Cli, command: str) -> None:
    assert summc(command, "--preset", "paper", "--show-config") == summc(
        command, "--config", "paper", "--show-config"
    )
    refused = summc(command, "--preset", "highst", "--show-config")
    assert refused.err.startswith("error: highst: no such configuration; give a TOML file or one of default")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("summarize --selectr bp", '--selectr: no such option; perhaps "--selector"?'),
        ("summarize --word 50", '--word: no such option; perhaps "--words"?'),
        ("summarize --keep-stopword", '--keep-stopword: no such option; perhaps "--keep-stopwords"?'),
        ("summarize --hlep-all", '--hlep-all: no such option; perhaps "--help-all"?'),
        ("summarize --zzz", "--zzz: no such option; see summc summarize --help-all"),
        ("--zzz", "--zzz: no such option; see summc --help"),
        ("nonsense --help", "nonsense: no such command; see summc --help"),
        ("experiment mop", 'mop: no such command; perhaps "map"?'),
        ("summarize --sample --words many", "--budget: 'many' is not a length; write 100, 5s, 600c or 10%"),
        ("summarize --sample --beam wide", '--beam: must be a whole number at least 1, got "wide"'),
        ("summarize --sample --mu much", '--mu: must be a number at least 0, or auto, got "much"'),
        ("summarize --sample --format jsn",
         "--format: 'jsn' is not one of 'text', 'json', 'jsonl', 'md', 'html'; see summc summarize --help"),
        ("batch --jobs 0 in -o out", "--jobs: 0 is not in the range x>=1; see summc batch --help"),
        ("score -k many", "--budget: 'many' is not a valid float; see summc score --help"),
        ("summarize -k", "Option '-k' requires an argument; see summc --help"),
        ("datasets check", "Missing argument 'NAME|PATH'; see summc datasets check --help"),
        ("evaluate --preset nonsense",
         ("nonsense: no such configuration; give a TOML file or one of default, highest, paper, paper-fig2, "
         "paper-fig3, paper-fig4")),
        ("curve --sample --no-signature",
         "--no-signature: given without --plot; name a picture, or leave it out"),
    ],
)  # fmt: skip
def test_what_a_command_does_not_know_is_refused_with_a_hint(summc: Cli, arguments: str, error: str) -> None:
    refused = summc(*arguments.split())
    assert (refused.code, refused.err) == (4 if "configuration" in error else 2, f"error: {error}\n")


# Completion by the shell


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("summc ev", ["plain,evaluate"]),
        ("summc summarize --cert", ["plain,--certify"]),
        ("summc summarize --quiet --why", ["plain,--why-not"]),
        ("summc summarize --selector g-greedy-", ["plain,g-greedy-guaranteed", "plain,g-greedy-enumerated"]),
        ("summc evaluate --rouge o", ["plain,official"]),
        ("summc summarize --format js", ["plain,json", "plain,jsonl"]),
        ("summc datasets ch", ["plain,check"]),
        ("summc summarize a.txt b", ["file,b"]),
        ("summc batch in/ -o ou", ["file,ou"]),
        ("summc nonsense --fo", []),
    ],
)
def test_completion_offers_what_fits(
    summc: Cli, monkeypatch: pytest.MonkeyPatch, typed: str, offered: list[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["summc"])
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    monkeypatch.setenv("_SUMMC_COMPLETE", "bash_complete")
    assert summc().out.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_completion_script(summc: Cli, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setattr("sys.argv", ["summc"])
    monkeypatch.setenv("_SUMMC_COMPLETE", f"{shell}_source")
    assert f"_SUMMC_COMPLETE={shell}_complete" in summc().out
