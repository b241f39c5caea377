"""Warnings of summc: one logger for all modules, whose messages a caller can capture."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator

log = logging.getLogger("summc")


@contextlib.contextmanager
def captured_logs(on_step: Callable[[str], None] | None = None) -> Iterator[list[str]]:
    """Collect the messages that this thread logs in a list, instead of showing them.

    ``on_step`` gets those that are no warnings, such as which document is read now.
    """
    messages: list[str] = []
    thread = threading.get_ident()

    def capture(record: logging.LogRecord) -> bool:
        if record.thread != thread:
            return True
        if on_step and record.levelno < logging.WARNING:
            on_step(record.getMessage())
        else:
            messages.append(record.getMessage())
        return False

    log.addFilter(capture)
    try:
        yield messages
    finally:
        log.removeFilter(capture)
