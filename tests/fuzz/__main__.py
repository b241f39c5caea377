"""The coverage-guided fuzzer: ``python -m tests.fuzz TARGET [options of libFuzzer]``. Needs atheris.

Run it for a minute with ``python -m tests.fuzz graph -max_total_time=60``. It starts from the files in
``tests/fuzz/corpus/TARGET``, as random bytes hardly ever open a tag. A crash is written to a file
``crash-...``. Add that file to the corpus, and the tests will feed it to the target from then on.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["summc"]):
    from summc.documents import formats
    from tests.fuzz.targets import TARGETS, checked


def main() -> None:
    """Fuzz the target given on the command line."""
    formats.LIMITED = ()  # the fuzzer sees only what runs in its own process
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m tests.fuzz {'|'.join(TARGETS)} [options]")
    name = sys.argv.pop(1)
    target = TARGETS[name]
    logging.getLogger("summc").setLevel(logging.CRITICAL)  # nobody reads warnings while fuzzing
    with tempfile.TemporaryDirectory() as new:
        known = Path(__file__).parent / "corpus" / name
        atheris.Setup([*sys.argv, new, str(known)], lambda data: checked(target, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
