"""The entry point of the commands ``summc`` and ``python -m summc``."""

from __future__ import annotations

import gc
import importlib
import signal
import sys
from types import ModuleType
from typing import Any

#: Thresholds of Python's garbage collector. Documents become millions of objects without reference cycles.
#: With the default thresholds, Python would spend a fifth of the time searching them for cycles.
_NEW_OBJECTS, _COLLECTIONS = 100_000, 50


class _LaterNumpy(ModuleType):
    """Stands for NumPy and imports it when something of it is used: ``--help`` takes a third less time."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get("numpy") is self:  # another thread may be importing it
            del sys.modules["numpy"]
        vars(self).update(vars(importlib.import_module("numpy")))
        self.__class__ = ModuleType  # type: ignore[assignment]
        return getattr(self, name)


def main() -> None:
    """Run the command line. While modules are still being imported, Ctrl-C ends it without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_NEW_OBJECTS, _COLLECTIONS, _COLLECTIONS)
    sys.modules.setdefault("numpy", _LaterNumpy("numpy"))
    from summc.cli import main as run  # noqa: PLC0415 (slow: the user may interrupt it)

    run()


if __name__ == "__main__":  # worker processes import this module too, and must not run it
    main()
