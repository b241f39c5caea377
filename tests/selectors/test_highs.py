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
from pathlib import Path

import numpy as np
import pytest

from summc.graph.build import make_graph
from summc.records import CoverageGraph
from summc.selectors import Exact, upper_bound
from tests.conftest import PATIENCE, wait_until


def problem(seed: int) -> CoverageGraph:
    rng = np.random.default_rng(seed)
    sentence, word = np.nonzero(rng.random((25, 60)) < 0.15)
    return make_graph(rng.integers(3, 20, 25), 0.1 + rng.random(60), sentence, word)


def test_several_threads_solve_at_once_and_standard_output_stays(capfd: pytest.CaptureFixture[str]) -> None:
    alone = [(upper_bound(problem(seed), 60, 0), Exact().select(problem(seed), 60)) for seed in range(6)]
    descriptor = os.fstat(1)
    together = threading.Barrier(3)

    def solve(seed: int) -> tuple[float, object]:
        together.wait()
        os.write(1, f"solving {seed}\n".encode())  # at once, where print writes the end of the line apart
        return upper_bound(problem(seed), 60, 0), Exact().select(problem(seed), 60)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(solve, range(6))) == alone
    assert os.path.samestat(os.fstat(1), descriptor)
    print("after", flush=True)
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == ["after", *(f"solving {seed}" for seed in range(6))]


def write_hard(path: Path) -> None:
    """Write two clusters of random words, with which HiGHS is busy for minutes."""
    draw, words = random.Random(1), [f"word{n}" for n in range(400)]
    text = "\n".join(f"{' '.join(draw.sample(words, draw.randint(8, 24)))}.".capitalize() for _ in range(150))
    path.write_text("".join(f"{json.dumps({'id': name, 'documents': [text]})}\n" for name in "ab"))


def state(process: int) -> list[str]:
    """Return the state of a process, its parent, and further fields; ["Z"] if it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["Z"]


def family(process: int) -> list[int]:
    """Return the processes that a process has started, and those that they have started, and so on."""
    running = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    own = [each for each in running if state(each)[1:2] == [str(process)]]
    return own + [repeats for each in own for repeats in family(each)]


def seconds(process: int) -> float:
    """Return the seconds of CPU time that a process has taken."""
    fields = state(process)
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if len(fields) > 1 else 0.0


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

        def helpers() -> list[int]:
            found = family(process.pid)
            return [each for each in found if b"processes" in Path(f"/proc/{each}/cmdline").read_bytes()]

        # HiGHS takes the time of the helpers, apart from some imports.
        wait_until(lambda: sum(seconds(each) > 2 for each in helpers()) == busy, process)
        working = helpers()
        process.send_signal(sent)
        assert process.communicate(timeout=PATIENCE / 2) == (b"", b"error: interrupted\n")
    assert process.returncode == code
    until = time.monotonic() + PATIENCE / 2
    while any(state(each)[0] != "Z" for each in working):
        assert time.monotonic() < until, "a process is still there"
        time.sleep(0.01)
