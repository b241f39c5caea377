"""Folders that results are saved in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from summc.errors import OutputError
from summc.files.locks import hold


@contextlib.contextmanager
def own_folder(folder: str | None) -> Iterator[None]:
    """Make a folder, if one is named, and hold it for this run alone."""
    if not folder:
        yield
        return
    make_folder(Path(folder))
    with hold(folder):
        yield


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(str(folder), f"cannot be made ({error.strerror})", "check the path") from None


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(str(path), f"cannot be written ({error.strerror})", "check the path") from None


def remove_if_empty(folder: Path) -> None:
    """Remove a folder, if it is there and empty."""
    try:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        raise OutputError(str(folder), f"cannot be written ({error.strerror})", "check the path") from None
