"""Whole commands, from start to exit: how long they take and how much memory."""

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
from summc.processes.signals import undisturbed

Result = TypeVar("Result")

log = logging.getLogger("summc")

_WATCH = str(Path(__file__).with_name("watch.py"))


@dataclass(frozen=True, slots=True)
class Run:
    """A command that ended well: seconds from start to exit, those a core worked, and megabytes at most."""

    seconds: float
    cpu_seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Command:
    """Python with some arguments; ``environment`` is added to what there is."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


def run_in_turn(
    commands: Mapping[str, Command], repeat: int, not_ours: Container[str] = ()
) -> dict[str, Run]:
    """Run each of some commands several times, and return its shortest time and its least memory.

    One after another, and then all of them again: a machine that is slow for a minute is so for each.
    Of those that are ``not_ours`` one that fails is left out, with a warning: the rest is worth its minutes.
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
    """Return the shortest time and the least memory of several runs of a command."""
    return Run(*(min(column) for column in zip(*map(astuple, runs), strict=True)))


def run_once(command: Command) -> Run:
    """Run a command from start to exit; whoever is ended meanwhile leaves nothing running."""
    arguments = [sys.executable, "-I", "-S", _WATCH, sys.executable, *command.arguments]
    environment = {**os.environ, **command.environment}
    watch: subprocess.Popen[bytes] | None = None
    try:
        with undisturbed():  # a session of its own: what the command starts can be ended with it
            watch = subprocess.Popen(  # noqa: S603 (commands of our own)
                arguments, env=environment, stdout=subprocess.PIPE, start_new_session=True
            )
        told, _ = watch.communicate()
    except BaseException:
        if watch is not None:
            with suppress(ProcessLookupError):  # it may be gone already
                os.killpg(watch.pid, signal.SIGKILL)
            watch.communicate()
        raise
    report: dict[str, Any] = json.loads(told) if told else {"code": watch.returncode, "errors": ""}
    if report["code"]:
        last = report["errors"].strip().splitlines()[-1:] or [f"exit code {report['code']}"]
        raise InternalError(" ".join(command.arguments[:2]), last[0], "run it by itself to see")
    return Run(report["seconds"], report["cpu_seconds"], report["megabytes"])


def best_time(work: Callable[[], Result], repeat: int) -> tuple[float, Result]:
    """Return the shortest of several runs in this process, in seconds, and what the last returned."""
    shortest = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result
