"""The README is correct: its examples print what it shows, and it names configurations and exit codes."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.conftest import ROOT, Run

README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"```console\n\$ (.*)\n((?:.*\n)*?)```", README)


def shown(summc: Run, line: str) -> str:
    """Return what the last command of a pipe prints on stdout, followed by its stderr."""
    result, stdin = None, ""
    for command in line.split(" | "):
        name, *arguments = shlex.split(command)
        if name == "echo":
            stdin = arguments[0]
        else:
            assert name == "summc"
            result = summc(*arguments, stdin=stdin)
            stdin = result.out
    assert result is not None
    return result.out + result.err


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command[:60] for command, _ in EXAMPLES])
def test_examples_print_the_output_shown(
    summc: Run, monkeypatch: pytest.MonkeyPatch, command: str, output: str
) -> None:
    monkeypatch.chdir(ROOT)
    versionless = re.compile(
        r"(nltk|numpy|pystemmer|scikit-learn|splitter|sumeval|summc)(\"?): ?\"?[\w.+-]+\"?"
    )
    assert versionless.sub("", shown(summc, command)) == versionless.sub("", output)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


def test_the_install_and_test_commands_are_one_line_each() -> None:
    commands = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("summc summarize --sample")
    assert commands[1].endswith("-m pytest")


def test_the_readme_names_all_configurations_and_exit_codes() -> None:
    for config in (ROOT / "configs").glob("*.toml"):
        assert f"`{config.stem}`" in README
    from summc import errors

    codes = {kind.exit_code for kind in errors.SummcError.__subclasses__()}
    assert all(f"\n| {code} |" in README for code in codes)
