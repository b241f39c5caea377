"""The coverage-guided fuzzer: ``python -m tests.fuzz TARGET [options of libFuzzer]``, needs atheris.

For a minute: ``python -m tests.fuzz graph -max_total_time=60 new/ tests/fuzz/corpus/graph``. What it finds is
written to a file ``crash-...``; put it into ``tests/fuzz/corpus/TARGET``, where the tests feed it to its
target ever after.
"""

from __future__ import annotations

import logging
import sys

import atheris

with atheris.instrument_imports(include=["summc"]):
    from tests.fuzz.targets import TARGETS, checked


def main() -> None:
    """Fuzz the target that the command line names."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m tests.fuzz {'|'.join(TARGETS)} [options]")
    target = TARGETS[sys.argv.pop(1)]
    logging.getLogger("summc").setLevel(logging.CRITICAL)  # warnings are for people
    atheris.Setup(sys.argv, lambda data: checked(target, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
