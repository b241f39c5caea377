"""A folder for one run at a time."""

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
    """Hold a folder that is there, or refuse it where another run on this machine does.

    The system lets go of it when the process ends, however it ends, so that nothing is ever left behind.
    Where it has no such locks, as on some network disks, nothing is held.
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
