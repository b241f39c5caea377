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
    alone = [(upper_bound(problem(seed), 60, 0), Exact().select(problem(seed), 60)) for seed in range(3)]
    descriptor = os.fstat(1)
    together = threading.Barrier(3)

    def solve(seed: int) -> tuple[float, object]:
        together.wait()
        os.write(1, f"solving {seed}\n".encode())  # at once, where print writes the end of the line apart
        return upper_bound(problem(seed), 60, 0), Exact().select(problem(seed), 60)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(solve, range(3))) == alone
    assert os.path.samestat(os.fstat(1), descriptor)
    print("after", flush=True)
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == ["after", *(f"solving {seed}" for seed in range(3))]


def write_hard(path: Path) -> None:
    """Write two clusters of random words, with which HiGHS is busy for minutes."""
    draw, words = random.Random(1), [f"word{n}" for n in range(400)]
    text = "\n".join(f"{' '.join(draw.sample(words, draw.randint(8, 24)))}.".capitalize() for _ in range(150))
    path.write_text("".join(f"{json.dumps({'id': name, 'documents': [text]})}\n" for name in "ab"))


def seconds_of_helpers(folder: Path, library: str = "") -> list[float]:
    """Return the CPU time of each helper of a command in this folder, if it has loaded a library."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to somebody else
            if (process / "cwd").readlink() != folder or library not in (process / "maps").read_text():
                continue
            if b"processes" in (process / "cmdline").read_bytes():
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                found.append(sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK"))
    return found


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
    options = ["--selector", "exact", "--time-limit", str(PATIENCE), "-k", "400", "--language", "en"]
    with subprocess.Popen(
        [sys.executable, "-m", "summc", *command, *options], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        # A helper has taken less than this when it has loaded HiGHS.
        wait_until(lambda: sum(each > 0.7 for each in seconds_of_helpers(tmp_path, "highs")) == busy, process)
        process.send_signal(sent)
        out, err = process.communicate(timeout=PATIENCE / 2)
        # The generated words look damaged, which is a warning for each cluster.
        assert (out, err.splitlines()[-1]) == (b"", b"error: interrupted")
    assert process.returncode == code
    until = time.monotonic() + PATIENCE / 2
    while seconds_of_helpers(tmp_path):
        assert time.monotonic() < until, "a process is still there"
        time.sleep(0.01)
