from __future__ import annotations

import io
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from summc.cli import main

# As the command does, before numpy is there: small products are slower in threads, most of all beside others.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples every time, and no clock: a slow machine must not fail a test.
settings.register_profile("summc", derandomize=True, deadline=None, max_examples=150)
settings.load_profile("summc")

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "data" / "sample"


@dataclass(frozen=True)
class Result:
    """What a run of the command left."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def summc(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run the command line in this process, which spares each test the second that its imports take."""
    log = logging.getLogger("summc")
    handlers, propagate = log.handlers, log.propagate
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def run(*args: str | Path, stdin: bytes | str = b"") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
        monkeypatch.setattr(sys, "stdin", stream)
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main([str(arg) for arg in args])
        out, err = capfdbinary.readouterr()
        assert isinstance(leaving.value.code, int)
        return Result(leaving.value.code, out.decode(), err.decode())

    yield run
    log.handlers, log.propagate = handlers, propagate
    for number, handler in signals.items():
        signal.signal(number, handler)
