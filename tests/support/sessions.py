"""Sessions: what users type and see, as text files in tests/sessions. A blank line divides two sessions.

A line "$ COMMAND" is followed by what the command prints on standard output, then on standard error, then by
its exit code in brackets unless that is 0. A command is ``summc``, or ``echo TEXT``, whose text the next
command reads; ``|`` joins commands, and ``> FILE`` writes the output to a file. A line with # is a comment.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.conftest import ROOT, Cli, Result


def sessions(name: str) -> list[str]:
    """Return the sessions in a file of tests/sessions, to be given to ``replay``."""
    lines = (ROOT / "tests" / "sessions" / name).read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    return [session.strip("\n") for session in text.split("\n\n") if session.strip()]


def replay(summc: Cli, session: str) -> str:
    """Return a session with what its commands print now."""
    shown = []
    for line in session.splitlines():
        if line.startswith("$ "):
            result = run(summc, line.removeprefix("$ "))
            code = f"[{result.code}]\n" if result.code else ""
            shown.append(f"{line}\n{result.out}{result.err}{code}")
    return "".join(shown).rstrip("\n")


def run(summc: Cli, line: str) -> Result:
    """Return what the last command of a pipe prints."""
    line, _, file = line.partition(" > ")
    result = Result(0, "", "")
    for command in line.split(" | "):
        name, *arguments = shlex.split(command)
        if name == "echo":
            result = Result(0, f"{arguments[0]}\n", "")
        else:
            assert name == "summc"
            result = summc(*arguments, stdin=result.out)
    if file:
        Path(file).write_text(result.out)
        return Result(result.code, "", result.err)
    return result
