"""Write files completely or not at all, and keep folders of saved results for one run at a time."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from summc.errors import OutputError, SettingError
from summc.system.logs import log
from summc.system.versions import release_of

if sys.platform != "win32":
    import fcntl

#: The name of a temporary file begins with up to this many characters of the name of the final file. More
#: could make the name too long.
_NAME_PREFIX = 50


def write_whole(path: str, chunks: Iterable[bytes]) -> None:
    """Write chunks of bytes to a file, so that the file is never half written.

    They go to a temporary file beside it, which then replaces it. If anything fails, an older file stays as
    it is. A read-only file is not replaced. A pipe or a device such as ``/dev/stdout`` is written directly.
    """
    check_writable(path)
    try:
        if Path(path).exists() and not Path(path).is_file():
            with Path(path).open("wb") as stream:
                stream.writelines(chunks)
            return
        target = Path(path).resolve()
        mode = target.stat().st_mode & 0o7777 if target.exists() else None
        temporary = target.with_name(f".{target.name[:_NAME_PREFIX]}.{uuid.uuid4().hex[:8]}")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
            with os.fdopen(handle, "wb") as stream:
                stream.writelines(chunks)
                stream.flush()
                os.fsync(handle)
            if mode is not None:
                temporary.chmod(mode)  # the umask may have taken some of it away
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(path, problem, "nothing was changed there") from None


def check_writable(path: str) -> None:
    """Raise an error if a path is a folder or a read-only file, or if its folder does not exist.

    Called before the work of a run, it saves the user from an error after hours of work.
    """
    try:
        with contextlib.suppress(FileNotFoundError):
            Path(path).stat()  # raises for a link that points to itself
        if Path(path).is_dir():
            raise OutputError(path, "cannot be written (a folder)", "name a file")
        if not Path(path).parent.is_dir():
            raise OutputError(path, "cannot be written (no such folder)", "make the folder first")
        # A read-only file could be replaced all the same. Root may write to any file: look at its mode too.
        if Path(path).is_file() and not (os.access(path, os.W_OK) and Path(path).stat().st_mode & 0o222):
            problem = "cannot be written (a read-only file)"
            raise OutputError(path, problem, "chmod u+w it, or name another file")
    except OSError as error:
        raise OutputError(path, f"cannot be written ({error.strerror})", "name another file") from None


# Folders


@contextlib.contextmanager
def locked_folder(folder: str | None) -> Iterator[None]:
    """Make a folder, and lock it during the ``with`` block; raise an error if another run has locked it.

    If ``folder`` is None or "", do nothing. The operating system releases the lock when the process ends,
    even if it crashes. On Windows and on some network disks there are no such locks.
    """
    if folder:
        make_folder(Path(folder))
    if not folder or sys.platform == "win32":
        yield
        return
    with reporting_errors(folder, "read"):
        handle = os.open(folder, os.O_RDONLY)
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


def make_folder(folder: Path) -> None:
    """Make a folder and its parent folders, unless they exist."""
    with reporting_errors(folder, "made"):
        folder.mkdir(parents=True, exist_ok=True)


def remove(path: Path) -> None:
    """Remove a file, if it exists."""
    with reporting_errors(path, "written"):
        path.unlink(missing_ok=True)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder, if it exists and is empty."""
    with contextlib.suppress(OSError):
        folder.rmdir()


@contextlib.contextmanager
def reporting_errors(path: Path | str, done: str) -> Iterator[None]:
    """Turn an error of the operating system into an ``OutputError`` that says: cannot be ``done``."""
    try:
        yield
    except OSError as error:
        raise OutputError(str(path), f"cannot be {done} ({error.strerror})", "check the path") from None


# Going on with saved results


def check_same(before: Mapping[str, Any], now: Mapping[str, Any], place: str, remedy: str) -> None:
    """Raise an error if results saved at ``place`` were made under other conditions than those of this run.

    Conditions map a name to a value: "data" to a digest, and others to a setting. Only the commit of summc
    may differ, within the same release, because most commits change no results.
    """
    for name in [*now, *before]:
        old, new = before.get(name), now.get(name)
        if name == "summc":
            old, new = release_of(old), release_of(new)
        if old != new:
            what = "of other data" if name == "data" else f"with other settings ({name}: {old}, now {new})"
            raise SettingError(place, f"made {what}", remedy)


def warn_of_other_commit(before: Mapping[str, Any], now: Mapping[str, Any], place: str) -> None:
    """Warn if the saved results were made by another commit of summc than the present one."""
    old, new = before.get("summc"), now.get("summc")
    if old != new:
        log.warning("%s: begun with summc %s, now it is %s; results may differ", place, old, new)
