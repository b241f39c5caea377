"""A terminal for a run of the command in this process."""

from __future__ import annotations

import os
import pty
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

_END = b"<end>"


@contextmanager
def on_terminal(stream: str, columns: int = 80) -> Iterator[Callable[[], str]]:
    """Make a standard stream a terminal, and yield a function that returns what it has shown."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, columns))

    def shown() -> str:
        os.write(its, _END)
        seen = b""
        while not seen.endswith(_END):
            seen += os.read(ours, 4096)
        return seen.removesuffix(_END).decode()

    with open(its, "w") as terminal, pytest.MonkeyPatch.context() as patch:  # noqa: PTH123 (no path)
        patch.setattr(sys, stream, terminal)
        yield shown
    os.close(ours)
