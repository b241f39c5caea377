"""Load the inner loops, which are written in C and compiled when summc is installed.

The C code does not use Python's headers and is loaded by ctypes, so one build works with every version of
Python.
"""

from __future__ import annotations

import ctypes
import zlib
from ctypes import POINTER, c_double, c_int, c_int64, c_uint32, c_void_p
from functools import cache
from pathlib import Path

from summc.errors import SummcError

SOURCES = ("messages.c", "search.c")
LIBRARY = "_compiled.so"


class Problem(ctypes.Structure):
    """The C structure ``Problem`` of search.c."""

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
    """The C structure ``State`` of search.c."""

    _fields_ = (
        ("slots", c_int64), ("spent", c_double), ("chosen", c_void_p),
        ("member", c_void_p), ("count", c_void_p),
        ("gain", c_void_p), ("freed", c_void_p), ("loss", c_void_p),
    )  # fmt: skip


class Tabu(ctypes.Structure):
    """The C structure ``Tabu`` of search.c."""

    _fields_ = (
        ("step", c_int64), ("last", c_int64), ("patience", c_int64),
        ("most_work", c_int64), ("wobbles", c_int64), ("stay", c_int64),
        ("away", c_int64), ("wobble", c_void_p), ("bound_until", c_void_p),
        ("best", c_double),
    )  # fmt: skip


class Edges(ctypes.Structure):
    """The C structure ``Edges`` of messages.c."""

    _fields_ = (
        ("sentences", c_int64), ("words", c_int64), ("edges", c_int64),
        ("word_start", c_void_p), ("sentence", c_void_p), ("present", c_void_p),
        ("absent", c_void_p), ("log_present", c_void_p), ("log_absent", c_void_p),
        ("level_start", c_void_p), ("step", c_void_p), ("factor", c_void_p),
        ("count", c_void_p),
    )  # fmt: skip


class Run(ctypes.Structure):
    """The C structure ``Run`` of messages.c."""

    _fields_ = (
        ("most", c_int64), ("adapts", c_int64), ("tolerance", c_double), ("damping", c_double),
        ("converged", c_int64), ("made", c_int64), ("change", c_double), ("last", c_double),
    )  # fmt: skip


_SEARCH = (POINTER(Problem), POINTER(State))
#: Name of each function of the library -> its return type and argument types. Arrays are passed by address.
FUNCTIONS = {
    "summc_sources": (c_uint32, ()),
    "summc_add": (c_int, (*_SEARCH, c_int64)),
    "summc_remove": (c_int, (*_SEARCH, c_void_p, c_int64)),
    "summc_value": (c_double, _SEARCH),
    "summc_fill": (c_int, (*_SEARCH, c_void_p)),
    "summc_improve": (c_int, _SEARCH),
    "summc_tabu": (c_int, (*_SEARCH, POINTER(State), POINTER(Tabu))),
    "summc_refill": (c_int, (*_SEARCH, c_void_p, POINTER(c_int64), c_void_p)),
    "summc_exchanges": (c_int, (*_SEARCH, c_void_p, c_double, c_void_p, POINTER(c_int64))),
    "summc_settle": (c_int, (POINTER(Edges), *[c_void_p] * 5, POINTER(Run))),
}


@cache
def library() -> ctypes.CDLL:
    """Return the compiled library; raise if it is missing or was built from other sources."""
    return load_library(Path(__file__).parent)


def load_library(folder: Path) -> ctypes.CDLL:
    """Return the library in a folder, which must have been built from the C sources beside it."""
    path, remedy = str(folder / LIBRARY), f"install summc again, or run `python {folder / 'build.py'}`"
    try:
        found = ctypes.CDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise SummcError(
            str(folder / LIBRARY), f"the compiled loops cannot be loaded ({error})", remedy
        ) from error
    if found.summc_sources() != checksum(folder):
        raise SummcError(path, "the C code has changed since it was compiled", remedy)
    return found


def checksum(folder: Path) -> int:
    """Return a checksum of the C sources in a folder. The build stores the same number in the library."""
    return zlib.crc32(b"".join((folder / name).read_bytes() for name in SOURCES))
