"""Run the command in a fork of this process, which has its modules already: loading them takes half a second.

The standard streams are real ones. A test of how Python or the command starts needs a new process instead.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from dataclasses import dataclass
from typing import BinaryIO

from summc.cli import main


@dataclass(frozen=True)
class Fork:
    """A command that runs in a fork, and the file for its standard error."""

    process: int
    errors: BinaryIO

    def ended(self) -> tuple[int, str]:
        """Wait for the end; return the exit code (negative for a signal) and standard error."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        with self.errors:
            self.errors.seek(0)
            return code, self.errors.read().decode()


def start(*arguments: object, stdin: int | None = None, stdout: int, stderr: int | None = None) -> Fork:
    """Start the command with open files as its standard streams; stdin is empty if it is not given."""
    errors = tempfile.TemporaryFile()  # noqa: SIM115 (it is read later)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about forking with threads: the child uses none
        child = os.fork()
    if child:
        return Fork(child, errors)
    code = 99
    try:
        given = os.open(os.devnull, os.O_RDONLY) if stdin is None else stdin
        code = _run([*map(str, arguments)], given, stdout, errors.fileno() if stderr is None else stderr)
    finally:
        os._exit(code)


def _run(arguments: list[str], *streams: int) -> int:
    for number, copy in enumerate([os.dup(stream) for stream in streams]):
        os.dup2(copy, number)
    os.closerange(3, 1000)  # as in a new process: a pipe does not end while a fork has it open
    sys.stdin, sys.stdout, sys.stderr = (open(n, "w" if n else "r", closefd=False) for n in range(3))  # noqa: SIM115 (they stay open)
    try:
        main(arguments)
    except SystemExit as leaving:
        code = leaving.code
    try:
        sys.stdout.flush()
    except OSError:
        return 120  # as Python does at its end
    return code if isinstance(code, int) else 98
