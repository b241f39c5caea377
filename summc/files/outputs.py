"""Write a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from summc.errors import OutputError
from summc.processes.signals import undisturbed

#: How much of a file's name its temporary file takes over: a file name must not become too long.
_NAME_PREFIX = 50


def write_whole(path: str, chunks: Iterable[str | bytes]) -> None:
    """Write a file so that it appears under its name only when it is complete; text becomes UTF-8.

    Anything other than an ordinary file (``/dev/stdout``, a pipe) is written directly.
    """
    data = (chunk.encode("utf-8") if isinstance(chunk, str) else chunk for chunk in chunks)
    try:
        if Path(path).exists() and not Path(path).is_file():
            with Path(path).open("wb") as stream:
                stream.writelines(data)
            return
        target = Path(path).resolve()
        temporary = ""
        try:
            with undisturbed():  # a signal in between would leave the file behind, its name unknown
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
    """Raise an error for a path that cannot be written, so that a run fails before its work, not after."""
    try:
        if Path(path).is_dir():
            raise OutputError(path, "cannot be written (a folder)", "name a file")
        if not Path(path).parent.is_dir():
            raise OutputError(path, "cannot be written (no such folder)", "make the folder first")
    except OSError as error:
        raise OutputError(path, f"cannot be written ({error.strerror})", "name another file") from None


def _make_beside(target: Path) -> tuple[int, str]:
    return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:_NAME_PREFIX]}.")


def _permissions(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
