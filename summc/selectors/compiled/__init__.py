"""Load the inner loops that are written in C, if they were compiled when summc was installed.

Without the compiled library summc uses NumPy, with the same results. The C code does not use Python's headers
and is loaded by ctypes, so one build works with every version of Python.
"""

from __future__ import annotations

import ctypes
import logging
import zlib
from collections.abc import Mapping
from ctypes import POINTER, c_double, c_int, c_int64, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SOURCES = ("messages.c", "search.c")
LIBRARY = "_compiled.so"

_HERE = Path(__file__).parent

log = logging.getLogger("summc")


class Problem(ctypes.Structure):
    """The C structure ``Problem`` of search.c: the coverage problem, and how much work may be done on it."""

    _fields_ = (
        ("sentences", c_int64), ("words", c_int64), ("budget", c_double),
        ("cost", c_void_p), ("own", c_void_p),
        ("value", c_void_p), ("value_start", c_void_p),
        ("word_start", c_void_p), ("word", c_void_p), ("word_count", c_void_p),
        ("run_start", c_void_p), ("run_count", c_void_p), ("run_begin", c_void_p),
        ("holder", c_void_p), ("by_cost", c_void_p),
        ("before", c_void_p), ("touched", c_void_p), ("touched_size", c_int64),
        ("is_new", c_void_p), ("most_work", c_int64), ("work", c_int64),
    )  # fmt: skip


class State(ctypes.Structure):
    """The C structure ``State`` of search.c: a selection, with the gains and losses of exchanges."""

    _fields_ = (
        ("slots", c_int64), ("spent", c_double), ("chosen", c_void_p),
        ("member", c_void_p), ("count", c_void_p),
        ("gain", c_void_p), ("freed", c_void_p), ("loss", c_void_p),
    )  # fmt: skip


class Tabu(ctypes.Structure):
    """The C structure ``Tabu`` of search.c: the settings and the progress of a tabu search."""

    _fields_ = (
        ("step", c_int64), ("last", c_int64), ("patience", c_int64),
        ("most_work", c_int64), ("wobbles", c_int64), ("stay", c_int64),
        ("away", c_int64), ("wobble", c_void_p), ("bound_until", c_void_p),
        ("best", c_double),
    )  # fmt: skip


class Edges(ctypes.Structure):
    """The C structure ``Edges`` of messages.c: the edges and word factors on which BP runs."""

    _fields_ = (
        ("sentences", c_int64), ("words", c_int64), ("edges", c_int64),
        ("word_start", c_void_p), ("sentence", c_void_p), ("present", c_void_p),
        ("absent", c_void_p), ("log_present", c_void_p), ("log_absent", c_void_p),
        ("level_start", c_void_p), ("step", c_void_p), ("factor", c_void_p),
        ("count", c_void_p),
    )  # fmt: skip


#: Name of the library's function that returns the size of a C structure -> the same structure in Python.
#: If the sizes differ, the library does not fit this package and is not used.
STRUCTURES: Mapping[str, type[ctypes.Structure]] = {
    "summc_size_of_problem": Problem,
    "summc_size_of_state": State,
    "summc_size_of_tabu": Tabu,
    "summc_size_of_edges": Edges,
}

#: Name of each function of the library -> its return type and argument types. Arrays are passed by address.
FUNCTIONS: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
    "summc_sources": (c_uint32, ()),
    **dict.fromkeys(STRUCTURES, (c_int64, ())),
    "summc_add": (c_int, (POINTER(Problem), POINTER(State), c_int64)),
    "summc_remove": (c_int, (POINTER(Problem), POINTER(State), c_void_p, c_int64)),
    "summc_value": (c_double, (POINTER(Problem), POINTER(State))),
    "summc_fill": (c_int, (POINTER(Problem), POINTER(State), c_void_p)),
    "summc_improve": (c_int, (POINTER(Problem), POINTER(State))),
    "summc_tabu": (c_int, (POINTER(Problem), POINTER(State), POINTER(State), POINTER(Tabu))),
    "summc_refill": (c_int, (POINTER(Problem), POINTER(State), c_void_p, c_void_p, c_void_p)),
    "summc_exchanges": (
        c_int,
        (POINTER(Problem), POINTER(State), c_void_p, c_double, c_void_p, c_void_p),
    ),
    "summc_step": (None, (POINTER(Edges), c_int64, *[c_void_p] * 6)),
}


@cache
def library() -> ctypes.CDLL | None:
    """Return the compiled library, or None if it was not built or does not fit this package."""
    return load_library(_HERE)


def load_library(folder: Path) -> ctypes.CDLL | None:
    """Return the library in a folder, or None if it is missing or does not fit this package.

    If the folder contains the C sources, the library must have been built from them. An installation may have
    the library without its sources; then this is not checked.
    """
    try:
        found = ctypes.CDLL(str(folder / LIBRARY))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
        problem = _mismatch(found, folder)
    except (OSError, AttributeError) as error:
        problem = str(error)
    if problem:
        log.debug("%s: not used (%s); NumPy does its work", folder / LIBRARY, problem)
        return None
    return found


def _mismatch(found: ctypes.CDLL, folder: Path) -> str:
    """Return the reason why a library does not fit this package, or "" if it fits."""
    sources = [folder / name for name in SOURCES]
    if any(source.exists() for source in sources) and found.summc_sources() != checksum(folder):
        return "built of other sources"
    for name, structure in STRUCTURES.items():
        size = getattr(found, name)()
        if size != ctypes.sizeof(structure):
            return f"{structure.__name__} has {size} bytes there and {ctypes.sizeof(structure)} here"
    if np.dtype(np.intp).itemsize != ctypes.sizeof(c_int64):
        return "made for machines of 64 bits"
    return ""


def checksum(folder: Path) -> int:
    """Return a checksum of the C sources in a folder. The build stores the same number in the library."""
    return zlib.crc32(b"".join((folder / name).read_bytes() for name in SOURCES))
