"""The inner loops in C, where they were compiled when summc was installed; elsewhere numpy does the same.

Plain C without Python's headers, loaded by ctypes: one build serves every version of Python.
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
    """``Problem`` of search.c."""

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
    """``State`` of search.c."""

    _fields_ = (
        ("slots", c_int64), ("spent", c_double), ("chosen", c_void_p),
        ("member", c_void_p), ("count", c_void_p),
        ("gain", c_void_p), ("freed", c_void_p), ("loss", c_void_p),
    )  # fmt: skip


class Tabu(ctypes.Structure):
    """``Tabu`` of search.c."""

    _fields_ = (
        ("step", c_int64), ("last", c_int64), ("patience", c_int64),
        ("most_work", c_int64), ("wobbles", c_int64), ("stay", c_int64),
        ("away", c_int64), ("wobble", c_void_p), ("bound_until", c_void_p),
        ("best", c_double),
    )  # fmt: skip


class Edges(ctypes.Structure):
    """``Edges`` of messages.c."""

    _fields_ = (
        ("sentences", c_int64), ("words", c_int64), ("edges", c_int64),
        ("word_start", c_void_p), ("sentence", c_void_p), ("present", c_void_p),
        ("absent", c_void_p), ("log_present", c_void_p), ("log_absent", c_void_p),
        ("level_start", c_void_p), ("step", c_void_p), ("factor", c_void_p),
        ("count", c_void_p),
    )  # fmt: skip


#: The function of the library that tells the size of a structure there -> the structure here.
STRUCTURES: Mapping[str, type[ctypes.Structure]] = {
    "summc_size_of_problem": Problem,
    "summc_size_of_state": State,
    "summc_size_of_tabu": Tabu,
    "summc_size_of_edges": Edges,
}

#: Every function of the library -> what it returns, and its arguments. Arrays are passed by their addresses.
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
    """Return the compiled library; None where there is none."""
    return load_library(_HERE)


def load_library(folder: Path) -> ctypes.CDLL | None:
    """Return the library in a folder; None where there is none that fits.

    One that was built of other sources than those beside it does not. An installation may have the library
    alone, without its sources.
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
    """Return why a library does not fit this package, or ""."""
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
    """Return what tells the sources in a folder from others, as the build wrote it into the library."""
    return zlib.crc32(b"".join((folder / name).read_bytes() for name in SOURCES))
