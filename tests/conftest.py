from __future__ import annotations

import gc
import io
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import xdist  # type: ignore[import-untyped]
from hypothesis import HealthCheck, settings

gc.disable()  # until all modules are loaded: that takes less time
# Set before numpy is imported, as the command does: threads slow small products down.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

# The user's settings and home folder must not change a test. Python may write bytecode, or each of the many
# processes would compile the package again.
MOST = ("SUMMC_MOST_MB", "SUMMC_MOST_MEMORY_MB", "SUMMC_MOST_PAGES", "SUMMC_MOST_CHARACTERS")
for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "SUMMC_DATA", *MOST):
    os.environ.pop(name, None)
sys.dont_write_bytecode = False
os.environ |= {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
}  # frameworks report nothing
os.environ["SUMMC_CACHE"] = ""  # tests leave nothing in the cache of who runs them
os.environ["XDG_DATA_HOME"] = os.path.join(os.devnull, "nobodys")  # noqa: PTH118 (no file can exist there)

# Draw the same examples every time and set no deadline: a slow machine must not fail a test. A run has few
# examples, so that it is quick. `pytest --hypothesis-profile=deep` has five times as many.
NO_CLOCK = (HealthCheck.too_slow,)
DEEP = 150
for profile, count in (("summc", 30), ("deep", DEEP)):
    settings.register_profile(
        profile, derandomize=True, deadline=None, suppress_health_check=NO_CLOCK, max_examples=count
    )
settings.load_profile("summc")


@pytest.fixture(autouse=True)
def _no_model_of_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer questions by their words alone, whether or not the extra is installed."""
    monkeypatch.setattr("summc.weights.embedders.is_extra_installed", lambda: False)


def examples(deep: int) -> settings:
    """Set the number of examples of a test: ``deep`` in a deep run; in others a third of that, or 30."""
    is_deep = settings().max_examples == DEEP
    return settings(max_examples=deep if is_deep else min(deep, max(30, deep // 3)))


ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "data" / "sample"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Load all modules of summc, unless this process only hands tests out to others.

    Hypothesis also draws constants of the modules that are loaded. So the examples of a test do not depend on
    the tests that ran before it.
    """
    if xdist.is_xdist_controller(session):
        return
    for path in sorted((ROOT / "summc").rglob("*.py")):
        is_adapter = (
            path.parent.name == "adapters" and path.stem != "__init__"
        )  # its framework may be missing
        if path.name != "watch.py" and not is_adapter:  # watch.py is a program
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 50, 50)  # collect garbage as rarely as the command does


def pytest_sessionfinish() -> None:
    """Collect garbage once more, and let it rest then: pytest collects it five times at its end."""
    gc.collect()
    gc.freeze()


#: Seconds after which a process counts as hung: far longer than anything takes, even on a busy machine.
PATIENCE = 900


@dataclass(frozen=True)
class Result:
    """Exit code, standard output and standard error of a run of the command."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


@contextmanager
def held(file: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a real batch, and hold its last item back until ``file`` exists: see tests/support/held.py."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.held", str(file), *arguments], cwd=ROOT, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    """Wait until ``happened()`` is true. Fail if the process ends or hangs before that."""
    until = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, "it ended before"
        assert time.monotonic() < until, "it hangs"
        time.sleep(0.05)


@pytest.fixture
def summc(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """Run the command line in this process. A new process would take a second for its imports.

    Nothing is synced to the disk, for speed: no test cuts the power. ``test_codec.py`` tests that files are
    synced before they get their names.
    """
    from summc.cli import main

    monkeypatch.setattr(os, "fsync", lambda _: None)

    log = logging.getLogger("summc")
    handlers, propagate, level = log.handlers, log.propagate, log.level
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
    log.setLevel(level)
    for number, handler in signals.items():
        signal.signal(number, handler)


@pytest.fixture
def clusters(tmp_path: Path) -> Path:
    """Return a JSON lines file with 23 clusters."""
    from tests.support.batches import make_lines  # imported late: it imports this module

    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(make_lines(23)) + "\n")
    return path
