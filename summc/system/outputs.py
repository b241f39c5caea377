"""Write a file completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from summc.errors import OutputError
from summc.system.signals import undisturbed

#: The name of a temporary file begins with up to this many characters of the name of the final file. More
#: could make the name too long.
_NAME_PREFIX = 50


def write_whole(path: str, chunks: Iterable[str | bytes]) -> None:
    """Write chunks of text (as UTF-8) or bytes to a file, so that the file is never half written.

    The chunks go to a temporary file in the same folder, which then replaces the file at ``path``. If
    anything fails, an older file at ``path`` stays as it is. A read-only file is not replaced. If ``path`` is
    not an ordinary file, but a pipe or ``/dev/stdout``, it is written directly.
    """
    data = (chunk.encode("utf-8") if isinstance(chunk, str) else chunk for chunk in chunks)
    try:
        if Path(path).exists() and not Path(path).is_file():
            with Path(path).open("wb") as stream:
                stream.writelines(data)
            return
        target = Path(path).resolve()
        _check_not_read_only(path)
        temporary = ""
        try:
            # A signal between making the file and storing its name would leave the file behind.
            with undisturbed():
                handle, temporary = _make_beside(target)
            with os.fdopen(handle, "wb") as stream:
                stream.writelines(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(_permissions(target))
            Path(temporary).replace(target)
        except BaseException:
            if temporary:
                Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(
            path, f"cannot be written ({error.strerror})", "nothing was changed there"
        ) from None


def check_writable(path: str) -> None:
    """Raise an error if a path is a folder or a read-only file, or if its folder does not exist.

    Called before the work of a run, it saves the user from an error after hours of work.
    """
    try:
        if Path(path).is_dir():
            raise OutputError(path, "cannot be written (a folder)", "name a file")
        if not Path(path).parent.is_dir():
            raise OutputError(path, "cannot be written (no such folder)", "make the folder first")
        _check_not_read_only(path)
    except OSError as error:
        raise OutputError(path, f"cannot be written ({error.strerror})", "name another file") from None


def _check_not_read_only(path: str) -> None:
    # The temporary file could replace it all the same. Root may write to any file, so look at its mode too.
    if Path(path).is_file() and not (os.access(path, os.W_OK) and Path(path).stat().st_mode & 0o222):
        raise OutputError(path, "cannot be written (a read-only file)", "chmod u+w it, or name another file")


def _make_beside(target: Path) -> tuple[int, str]:
    return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:_NAME_PREFIX]}.")


def _permissions(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
