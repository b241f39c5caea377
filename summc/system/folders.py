"""Make, lock and clean up the folders that results are saved in."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
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


@contextlib.contextmanager
def own_folder(folder: str | None) -> Iterator[None]:
    """Make a folder, and lock it during the ``with`` block, so that no other run writes to it.

    If ``folder`` is None or "", nothing is made or locked.
    """
    if not folder:
        yield
        return
    make_folder(Path(folder))
    with hold(folder):
        yield


def make_folder(folder: Path) -> None:
    """Make a folder and its parent folders, unless they exist; raise an error if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(str(folder), f"cannot be made ({error.strerror})", "check the path") from None


def remove(path: Path) -> None:
    """Remove a file, if it exists."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(str(path), f"cannot be written ({error.strerror})", "check the path") from None


def remove_if_empty(folder: Path) -> None:
    """Remove a folder, if it exists and is empty."""
    try:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        raise OutputError(str(folder), f"cannot be written ({error.strerror})", "check the path") from None
