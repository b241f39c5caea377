"""Warnings of summc: one logger for all modules, whose messages a caller can capture."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator

log = logging.getLogger("summc")


@contextlib.contextmanager
def captured_logs() -> Iterator[list[str]]:
    """Collect the messages that this thread logs in a list, instead of showing them."""
    messages: list[str] = []
    thread = threading.get_ident()

    def capture(record: logging.LogRecord) -> bool:
        if record.thread != thread:
            return True
        messages.append(record.getMessage())
        return False

    log.addFilter(capture)
    try:
        yield messages
    finally:
        log.removeFilter(capture)
