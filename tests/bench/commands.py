"""Measure the time and the memory of whole commands, from start to exit."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from summc.errors import InternalError

Result = TypeVar("Result")

log = logging.getLogger("summc")

_WATCH = str(Path(__file__).with_name("watch.py"))


@dataclass(frozen=True, slots=True)
class Run:
    """What a successful command took: seconds from start to exit, CPU seconds, and peak megabytes."""

    seconds: float
    cpu_seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Command:
    """A command to measure: the arguments for Python, and variables to add to the current environment."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


def run_in_turn(
    commands: Mapping[str, Command], repeat: int, not_ours: Container[str] = ()
) -> dict[str, Run]:
    """Run each command ``repeat`` times, and return its shortest time and its least memory.

    The commands take turns, so that a machine that is slow for a minute slows all of them. ``not_ours`` names
    the commands of other programs. If one of these fails, it is left out with a warning. Any other failure
    raises.
    """
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(repeat):
        for name in list(runs):
            try:
                runs[name].append(run_once(commands[name]))
            except InternalError as error:
                if name not in not_ours:
                    raise
                log.warning("%s: fails (%s); left out", name, error.problem)
                del runs[name]
    return {name: best(own) for name, own in runs.items()}


def best(runs: Sequence[Run]) -> Run:
    """Return the least time, CPU time and memory over several runs of a command, each by itself."""
    return Run(*(min(column) for column in zip(*map(astuple, runs), strict=True)))


def run_once(command: Command) -> Run:
    """Run a command from start to exit, and return its time and memory; raise ``InternalError`` if it fails.

    If this process is interrupted, it kills the command and all processes that the command has started.
    """
    arguments = [sys.executable, "-I", "-S", _WATCH, sys.executable, *command.arguments]
    environment = {**os.environ, **command.environment}
    watch: subprocess.Popen[bytes] | None = None
    try:
        # The command gets a session of its own, so that its children can be killed too.
        watch = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, start_new_session=True)
        told, _ = watch.communicate()
    except BaseException:
        if watch is not None:
            with suppress(ProcessLookupError):  # the command may have ended already
                os.killpg(watch.pid, signal.SIGKILL)
            watch.communicate()
        raise
    report: dict[str, Any] = json.loads(told) if told else {"code": watch.returncode, "errors": ""}
    if report["code"]:
        last = report["errors"].strip().splitlines()[-1:] or [f"exit code {report['code']}"]
        raise InternalError(" ".join(command.arguments[:2]), last[0], "run it by itself to see")
    return Run(report["seconds"], report["cpu_seconds"], report["megabytes"])


def best_time(work: Callable[[], Result], repeat: int) -> tuple[float, Result]:
    """Call ``work`` ``repeat`` times; return the shortest time of a call in seconds, and the last result."""
    shortest = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result
