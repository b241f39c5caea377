"""Moments in which nobody may be interrupted: what is begun in them is known to who has to end it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_HEARD = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let signals wait; a process that is started meanwhile begins with them waiting too."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hear() -> None:
    """Let signals through, in a process that began with them waiting."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)
