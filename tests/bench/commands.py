"""Measure the time and the memory of whole commands, from start to exit."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_WATCH = [sys.executable, "-I", "-S", str(Path(__file__).with_name("watch.py")), sys.executable]


class Run(NamedTuple):
    """What a command took: seconds from start to exit, CPU seconds, and peak megabytes."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def run_once(arguments: Sequence[str]) -> Run:
    """Run Python with some arguments, and return its time and memory; raise if it fails."""
    told = subprocess.run([*_WATCH, *arguments], stdout=subprocess.PIPE, check=True).stdout
    return Run(*json.loads(told))


def run_in_turn(commands: Mapping[str, Sequence[str]], repeat: int) -> dict[str, Run]:
    """Run each command ``repeat`` times, and return its least time, CPU time and memory.

    The commands take turns, so that a machine that is slow for a minute slows all of them.
    """
    rounds = [[run_once(arguments) for arguments in commands.values()] for _ in range(repeat)]
    return {
        name: Run(*map(min, zip(*runs, strict=True)))
        for name, runs in zip(commands, zip(*rounds, strict=True), strict=True)
    }
