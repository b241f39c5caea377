"""Standard input, as bytes."""

from __future__ import annotations

import sys
from io import BufferedReader
from typing import cast

from summc.errors import InputError


def standard_input() -> BufferedReader:
    """Return the stream, or say that the shell has closed it."""
    if sys.stdin is None:
        raise InputError("standard input", "closed", "pipe something into it or name a file")
    return cast("BufferedReader", sys.stdin.buffer)
