"""Sessions: what users type and see, as text files in tests/sessions. A blank line divides two sessions.

A line "$ COMMAND" is followed by what the command prints on standard output, then on standard error, then by
its exit code in brackets unless that is 0. ``...`` stands for any text. ``summc`` runs in this process, after
variables of its environment if there are any; what it is piped from and into, and every other line, runs in
bash. A line with "# " is a comment.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
from pathlib import Path
from unittest.mock import patch

from tests.conftest import ROOT, Cli, Result
from tests.support.schemas import check_json

_COMMAND = re.compile(r"^(?=\$ )", re.MULTILINE)
_SUMMC = re.compile(r"(?P<variables>(?:\w+=(?:'[^']*'|\S+) )*)summc\b")


def text_of(name: str) -> str:
    """Return all sessions in a file of tests/sessions, without comments, to be given to ``replay``."""
    text = (ROOT / "tests" / "sessions" / name).read_text(encoding="utf-8")
    return re.sub(r"^# .*\n+", "", text, flags=re.MULTILINE).strip("\n")


def sessions(name: str) -> list[str]:
    """Return the sessions in a file of tests/sessions one by one, to be given to ``replay``."""
    return [session.strip("\n") for session in text_of(name).split("\n\n") if session.strip()]


def check(summc: Cli, folder: Path, name: str) -> None:
    """Replay all sessions in a file of tests/sessions one after the other, in a folder."""
    with contextlib.chdir(folder):
        for command in _COMMAND.split(text_of(name))[1:]:
            assert replay(summc, command) == command


def replay(summc: Cli, session: str) -> str:
    """Return a session with what its commands print now."""
    shown = []
    for expected in _COMMAND.split(session)[1:]:
        line = expected.partition("\n")[0]
        result = run(summc, line.removeprefix("$ "))
        code = f"[{result.code}]\n" if result.code else ""
        now = f"{line}\n{result.out}{result.err}{code}".rstrip("\n")
        text = expected.rstrip("\n")
        pattern = re.escape(text).replace(r"\.\.\.", ".*?")
        is_same = now == text or ("..." in text and re.fullmatch(pattern, now, re.DOTALL))
        shown.append(expected if is_same else now + expected[len(text) :])
    return "".join(shown)


def run(summc: Cli, line: str) -> Result:
    """Return what the last command of a pipe prints."""
    if not any(map(_SUMMC.match, line.split(" | "))):
        return _in_bash(line, "")
    line, _, file = line.partition(" > ")
    result = Result(0, "", "")
    for command in line.split(" | "):
        if found := _SUMMC.match(command):
            variables = dict(each.split("=", 1) for each in shlex.split(found["variables"]))
            with patch.dict(os.environ, variables), patch("sys.argv", ["summc"]):
                arguments = shlex.split(command[found.end() :])
                result = summc(*arguments, stdin=result.out)
            check_json(arguments, result.out)
        else:
            result = _in_bash(command, result.out)
    if file:
        Path(file).write_text(result.out)
        return Result(result.code, "", result.err)
    return result


def _in_bash(line: str, given: str) -> Result:
    ran = subprocess.run(
        ["bash", "-c", line],  # noqa: S607
        env={**os.environ, "LC_ALL": "C.UTF-8"}, input=given, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Result(ran.returncode, ran.stdout, ran.stderr)
