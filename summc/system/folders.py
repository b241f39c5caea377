"""Make, lock and clean up the folders that results are saved in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from summc.errors import OutputError
from summc.system.locks import hold


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
