"""Lock a folder, so that only one run writes to it at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from types import ModuleType

from summc.errors import OutputError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None


@contextlib.contextmanager
def hold(folder: str) -> Iterator[None]:
    """Lock an existing folder until the end of the ``with`` block.

    Raise an error if another run on this machine has locked it. The operating system releases the lock when
    the process ends, even if it crashes, so a lock never outlives its run. On systems and disks without such
    locks (Windows, some network disks) the folder is not locked.
    """
    if fcntl is None:
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise OutputError(folder, f"cannot be read ({error.strerror})", "check the path") from None
    try:
        with contextlib.suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                remedy = "wait until it has ended, or write to another folder"
                raise OutputError(folder, "another run is writing there", remedy) from None
        yield
    finally:
        os.close(handle)
