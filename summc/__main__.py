"""The entry point of the commands ``summc`` and ``python -m summc``."""

from __future__ import annotations

import gc
import signal

#: Thresholds of Python's garbage collector. Documents become millions of objects without reference cycles.
#: With the default thresholds, Python would spend a fifth of the time searching them for cycles.
_NEW_OBJECTS, _COLLECTIONS = 100_000, 50


def main() -> None:
    """Run the command line. While modules are still being imported, Ctrl-C ends it without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_NEW_OBJECTS, _COLLECTIONS, _COLLECTIONS)
    from summc.cli import main as run  # noqa: PLC0415 (slow: the user may interrupt it)

    run()


if __name__ == "__main__":  # worker processes import this module too, and must not run it
    main()
