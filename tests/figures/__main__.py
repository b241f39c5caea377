"""Make parts: ``python -m tests.figures PART ...``, or all of them."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime

from summc.system.versions import version
from tests.figures import RESULTS, Record, as_lines, results
from tests.figures.commands import SHARED, Commands
from tests.figures.parts import PARTS, small


def make(name: str) -> Record:
    """Return the record of a part: its table, the small one, and how both were made."""
    run, before = Commands(small=False), sum(os.times()[:4])
    table = as_lines(PARTS[name](run))
    return {
        "version": version("summc").partition("+")[0],  # commits of a branch may be gone later
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "seconds": round(sum(os.times()[:4]) - before),  # of the processor
        "commands": list(run.lines),
        "table": table,
        "small": small(name),
    }


if __name__ == "__main__":
    os.environ.setdefault("SUMMC_DATA", str(SHARED))
    for part in sys.argv[1:] or PARTS:
        print(part, file=sys.stderr)
        made = make(part)
        # Read again: another run may have made other parts meanwhile.
        records = {name: record for name, record in (results() | {part: made}).items() if name in PARTS}
        RESULTS.write_text(f"{json.dumps(records, indent=1, ensure_ascii=False)}\n", encoding="utf-8")
