"""Whole commands, from start to exit: how long they take and how much memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TypeVar

from summc.errors import InternalError

Result = TypeVar("Result")

_WATCH = str(Path(__file__).with_name("watch.py"))


@dataclass(frozen=True, slots=True)
class Run:
    """A command that ended well: seconds from start to exit, those a core worked, and megabytes at most."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def run_python(
    arguments: Sequence[str], repeat: int = 1, environment: Mapping[str, str] | None = None
) -> Run:
    """Run Python with some arguments several times, and return the shortest time and the least memory.

    ``environment`` is added to what there is.
    """
    runs = [_run([sys.executable, *arguments], environment or {}) for _ in range(repeat)]
    return Run(*(min(column) for column in zip(*map(astuple, runs), strict=True)))


def _run(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    watched = subprocess.run(  # noqa: S603 (commands of our own)
        [sys.executable, "-I", "-S", _WATCH, *command],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
    )
    report = json.loads(watched.stdout)
    if report["code"]:
        last = report["errors"].strip().splitlines()[-1:] or [f"exit code {report['code']}"]
        raise InternalError(" ".join(command[1:3]), last[0], "run it by itself to see")
    return Run(report["seconds"], report["cpu_seconds"], report["megabytes"])


def best_time(work: Callable[[], Result], repeat: int) -> tuple[float, Result]:
    """Return the shortest of several runs in this process, in seconds, and what the last returned."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result
