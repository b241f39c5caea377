"""The coverage-guided fuzzer: ``python -m tests.fuzz TARGET [options of libFuzzer]``, needs atheris.

For a minute: ``python -m tests.fuzz graph -max_total_time=60``. It begins with what is in
``tests/fuzz/corpus/TARGET``: bytes made up from nothing hardly ever open a tag. What it finds is written to a
file ``crash-...``; put it there too, where the tests feed it to its target ever after.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["summc"]):
    from tests.fuzz.targets import TARGETS, checked


def main() -> None:
    """Fuzz the target that the command line names."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m tests.fuzz {'|'.join(TARGETS)} [options]")
    name = sys.argv.pop(1)
    target = TARGETS[name]
    logging.getLogger("summc").setLevel(logging.CRITICAL)  # warnings are for people
    with tempfile.TemporaryDirectory() as new:
        known = Path(__file__).parent / "corpus" / name
        atheris.Setup([*sys.argv, new, str(known)], lambda data: checked(target, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
