"""A short run of the fuzzers, and all problems that they found before."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from summc.selectors import SELECTORS
from tests.conftest import Cli
from tests.fuzz import against_oracle
from tests.fuzz.targets import TARGETS, checked
from tests.support.depth import is_deep

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus"

# Every problem on which a selector once failed, as (seed, number).
FOUND = [(0, 12), (0, 16), (0, 146), (0, 383), (1, 976), (1, 1411), (1, 2051), (1, 2350), (2, 2035)]


@pytest.mark.parametrize(("seed", "number"), FOUND)
def test_problems_that_once_failed_are_solved(seed: int, number: int) -> None:
    problem = against_oracle.make_problem(seed, number)
    for name in SELECTORS:
        assert against_oracle.faults(problem, name) == [], (number, problem.kind, name)


def test_every_selector_against_enumeration() -> None:
    for number in range(100 if is_deep() else 6):
        test_problems_that_once_failed_are_solved(7, number)


@pytest.mark.parametrize("target", TARGETS)
def test_targets_survive_the_corpus_and_variations_of_it(target: str) -> None:
    files = sorted((CORPUS / target).iterdir())
    assert files
    rng = random.Random(target)
    for path in files:
        data = path.read_bytes()
        checked(TARGETS[target], data)
        for _ in range(100 if is_deep() else 12):
            checked(TARGETS[target], _spoilt(data, rng))


def _spoilt(data: bytes, rng: random.Random) -> bytes:
    """Return the data with a few bytes changed, a piece removed or a piece repeated."""
    new = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        start, length = rng.randrange(len(new) + 1), rng.randint(1, 20)
        kind = rng.randrange(3)
        if kind == 0 and start < len(new):
            new[start] = rng.randrange(256)
        elif kind == 1:
            del new[start : start + length]
        else:
            new[start:start] = new[start : start + length]
    return bytes(new)


def test_no_command_crashes_on_random_arguments(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("The dam broke. Nobody was hurt. The lake fell by night.")
    Path("c.jsonl").write_text(json.dumps({"id": "c", "documents": ["It broke."], "references": ["It."]}))
    Path("d").mkdir()
    commands = ["summarize", "explain", "curve", "load", "preprocess", "weigh", "graph", "select", "render", "score",
                "evaluate", "sweep", "datasets", "nonsense"]  # fmt: skip
    words = ["a.txt", "c.jsonl", "d", "-", "", "-k", "0", "5", "1e300", "nan", "-1", "--selector", "bp", "greedy", "=",
             "--beta", "--mu", "auto", "--config", "paper-fig3", "--format", "json", "csv", "html", "--dataset", "-v",
             "--jobs", "--save", "run", "--saved", "--language", "fr", "xx", "--encoding", "utf-16", "rot13",
             "--background", "--reference", "--why-not", "dam", "--explain", "-o", "out", "--stats", "check", "--",
             "--iterations", "--damping", "0.5", "--polish", "--certify", "\udcff", "1:2:0.1", "--show-config"]  # fmt: skip
    rng = random.Random(8)
    for _ in range(250):
        arguments = [rng.choice(commands), *(rng.choice(words) for _ in range(rng.randint(0, 6)))]
        result = summc(*arguments, stdin=rng.choice([b"", b"The dam broke.", b"{}", b"[", b"\xff\x00"]))
        assert result.code in (0, 2, 3, 4, 5, 6), (arguments, result.err)
        if result.code:
            assert "error: " in result.err, arguments
        assert "Traceback" not in result.err
