"""Block signals while a resource is being acquired, so that its owner can always clean it up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_BLOCKED = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Block SIGINT and SIGTERM during the ``with`` block; they are delivered at its end.

    A process that is started in the block begins with both signals blocked, and must call ``hear``.
    """
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _BLOCKED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hear() -> None:
    """Unblock SIGINT and SIGTERM in a process that was started while they were blocked."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _BLOCKED)
