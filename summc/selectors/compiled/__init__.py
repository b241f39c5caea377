"""The inner loops in C, where they were compiled when summc was installed; elsewhere numpy does the same.

Plain C without Python's headers, loaded by ctypes: one build serves every version of Python.
"""

from __future__ import annotations

import ctypes
import zlib
from functools import cache
from pathlib import Path

import numpy as np

SOURCES = ("messages.c", "search.c")
LIBRARY = "_compiled.so"

_HERE = Path(__file__).parent


@cache
def library() -> ctypes.CDLL | None:
    """Return the compiled library; None where there is none."""
    return load_library(_HERE)


def load_library(folder: Path) -> ctypes.CDLL | None:
    """Return the library in a folder; None where there is none, or one of other sources than those there."""
    try:
        found = ctypes.CDLL(str(folder / LIBRARY))
        found.summc_sources.restype = ctypes.c_uint32
        built_from = found.summc_sources()
    except (OSError, AttributeError):
        return None
    if built_from != checksum(folder) or np.dtype(np.intp).itemsize != ctypes.sizeof(ctypes.c_int64):
        return None
    found.summc_value.restype = ctypes.c_double
    found.summc_step.restype = None
    return found


def checksum(folder: Path) -> int:
    """Return what tells the sources in a folder from others, as the build wrote it into the library."""
    return zlib.crc32(b"".join((folder / name).read_bytes() for name in SOURCES))
