"""HiGHS in its helper process: signals end it at once, and threads can solve at the same time."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from summc.graph import make_graph
from summc.records import CoverageGraph
from summc.selectors import Exact, upper_bound
from tests.conftest import PATIENCE, wait_until


def problem(seed: int) -> CoverageGraph:
    rng = np.random.default_rng(seed)
    sentence, word = np.nonzero(rng.random((25, 60)) < 0.15)
    return make_graph(rng.integers(3, 20, 25), 0.1 + rng.random(60), sentence, word)


def test_several_threads_solve_at_once_and_standard_output_stays(capfd: pytest.CaptureFixture[str]) -> None:
    alone = [(upper_bound(problem(seed), 60, 0), Exact().select(problem(seed), 60)) for seed in range(2)]
    descriptor = os.fstat(1)
    together = threading.Barrier(2)

    def solve(seed: int) -> tuple[float, object]:
        together.wait()
        os.write(1, f"solving {seed}\n".encode())  # at once, where print writes the end of the line apart
        return upper_bound(problem(seed), 60, 0), Exact().select(problem(seed), 60)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(solve, range(2))) == alone
    assert os.path.samestat(os.fstat(1), descriptor)
    print("after", flush=True)
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == ["after", *(f"solving {seed}" for seed in range(2))]


def write_hard(path: Path) -> None:
    """Write two clusters of random words, in English sentences, with which HiGHS is busy for minutes."""
    draw, words = random.Random(1), [f"word{n}" for n in range(300)]
    text = "\n".join(f"The {' the '.join(draw.sample(words, draw.randint(8, 20)))}." for _ in range(200))
    path.write_text("".join(f"{json.dumps({'id': name, 'documents': [text]})}\n" for name in "ab"))


def helpers_of(process: int | str) -> list[Path]:
    """Return the entries in /proc of the processes that a process has started, and that these have."""
    found = []
    for thread in Path("/proc", str(process), "task").glob("*"):
        with suppress(OSError):  # it has ended
            for child in (thread / "children").read_text().split():
                found += [Path("/proc", child), *helpers_of(child)]
    return found


def is_solving(helper: Path) -> bool:
    """Return whether a helper has loaded HiGHS, and has taken more CPU time than that takes."""
    with suppress(OSError):  # it has ended
        fields = (helper / "stat").read_text().rpartition(")")[2].split()
        seconds = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        return seconds > 0.7 and "highs" in (helper / "maps").read_text()
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
@pytest.mark.parametrize(
    ("command", "busy", "sent", "code"),
    [
        (["summarize", "in.jsonl"], 1, signal.SIGTERM, 143),
        (["batch", "in.jsonl", "-o", "out", "--part-size", "1", "--jobs", "2"], 2, signal.SIGINT, 130),
    ],
)
def test_a_signal_ends_exact_at_once(
    command: list[str], busy: int, sent: signal.Signals, code: int, tmp_path: Path
) -> None:
    write_hard(tmp_path / "in.jsonl")
    options = ["--selector", "exact", "--time-limit", str(PATIENCE), "-k", "400"]
    with subprocess.Popen(
        [sys.executable, "-m", "summc", *command, *options], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        wait_until(lambda: sum(map(is_solving, helpers_of(process.pid))) == busy, process)
        helpers = helpers_of(process.pid)
        process.send_signal(sent)
        assert process.communicate(timeout=PATIENCE / 2) == (b"", b"error: interrupted\n")
    assert process.returncode == code
    until = time.monotonic() + PATIENCE / 2
    while any((helper / "cwd").exists() for helper in helpers):
        assert time.monotonic() < until, "a process is still there"
        time.sleep(0.01)
