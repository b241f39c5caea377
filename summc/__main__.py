"""Run ``python -m summc`` as ``summc``."""

from __future__ import annotations

import gc
import signal

#: Thresholds of Python's garbage collector. Documents are millions of objects without reference cycles: with
#: the default thresholds a fifth of the time would go into the search for cycles.
_NEW_OBJECTS, _COLLECTIONS = 100_000, 50


def main() -> None:
    """Run summc; until it has loaded, Ctrl-C ends the process without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_NEW_OBJECTS, _COLLECTIONS, _COLLECTIONS)
    from summc.cli import main as run  # noqa: PLC0415 (slow enough to be interrupted)

    run()


if __name__ == "__main__":  # worker processes import this too
    main()
