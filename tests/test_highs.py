"""HiGHS beside other threads: what it prints goes nowhere, and what Python prints arrives."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from summc.graph.build import make_graph
from summc.records import CoverageGraph
from summc.selectors import Exact, upper_bound
from summc.selectors.highs import _c_streams, quiet

needs_glibc = pytest.mark.skipif(_c_streams()[0] is None, reason="C's stdout can be set in glibc only")


def problem(seed: int) -> CoverageGraph:
    rng = np.random.default_rng(seed)
    sentence, word = np.nonzero(rng.random((25, 60)) < 0.15)
    return make_graph(rng.integers(3, 20, 25), 0.1 + rng.random(60), sentence, word)


def printed(code: str) -> list[str]:
    """What a program prints, Python and C alike."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_python_prints_while_highs_is_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet():
        print("within", flush=True)
        os.write(1, b"by descriptor\n")
    assert capfd.readouterr().out == "within\nby descriptor\n"


@needs_glibc
def test_what_c_prints_is_kept_back_until_the_last_thread_is_done() -> None:
    # Two users that overlap, as two threads do: the first to come is the first to leave.
    code = """
import ctypes
from summc.selectors.highs import quiet
c = ctypes.CDLL(None)
c.puts(b"before")
first, second = quiet(), quiet()
first.__enter__()
c.puts(b"lost")
second.__enter__()
first.__exit__(None, None, None)
c.puts(b"lost")
print("python", flush=True)
second.__exit__(None, None, None)
c.puts(b"after")
c.fflush(None)
"""
    assert sorted(printed(code)) == ["after", "before", "python"]


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


@needs_glibc
def test_cs_own_stream_is_as_before() -> None:
    stream = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "stdout")
    before = stream.value
    with quiet():
        assert stream.value != before
    assert stream.value == before
    with pytest.raises(ZeroDivisionError), quiet():
        raise ZeroDivisionError
    assert stream.value == before
