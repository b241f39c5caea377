"""Load the inner loops, which are written in C and compiled when summc is installed.

The C code does not use Python's headers and is loaded by ctypes, so one build works with every version of
Python. The declarations of structures and functions for ctypes are read from the C code.
"""

from __future__ import annotations

import ctypes
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from summc.errors import SummcError

SOURCES = ("arithmetic.c", "bounds.c", "messages.c", "search.c")
LIBRARY = "_compiled.so"

_CODE = "".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in SOURCES)
_DECLARED = re.sub(r"/\*.*?\*/", "", _CODE, flags=re.DOTALL)
#: The constants of the C code, as they are written there.
DEFINED = dict(re.findall(r"^#define (\w+) (\S+)$", _DECLARED, re.MULTILINE))
_KINDS: dict[str, Any] = {
    "int": ctypes.c_int, "int64_t": ctypes.c_int64, "uint32_t": ctypes.c_uint32, "double": ctypes.c_double,
}  # fmt: skip


def _structure(name: str) -> Any:
    """Return a structure of the C code as a class for ctypes. Arrays are passed by address.

    ``types`` has the type of the numbers in each array.
    """
    body = _DECLARED.partition(f"}} {name};")[0].rpartition("typedef struct {")[2]
    declared = [
        (field.strip(" *"), kind, "*" in field)
        for kind, names in re.findall(r"(?:const )?(\w+) ([^;]+);", body)
        for field in names.split(",")
    ]
    fields = [(field, ctypes.c_void_p if is_array else _KINDS[kind]) for field, kind, is_array in declared]
    types = {field: kind.removesuffix("_t") for field, kind, is_array in declared if is_array}
    return type(name, (ctypes.Structure,), {"_fields_": fields, "types": types})


_STRUCTURES = {name: _structure(name) for name in ("Problem", "State", "Tabu", "Edges", "Run", "Prices")}
Problem, State, Tabu, Edges, Run, Prices = _STRUCTURES.values()


def _argument(declared: str) -> Any:
    kind = declared.replace("const ", "").split()[0]
    if kind in _STRUCTURES:
        return ctypes.POINTER(_STRUCTURES[kind])
    return ctypes.c_void_p if "*" in declared else _KINDS[kind]


@cache
def library() -> ctypes.CDLL:
    """Return the compiled library; raise if it is missing or was built from other sources."""
    return load_library(Path(__file__).parent)


def load_library(folder: Path) -> ctypes.CDLL:
    """Return the library in a folder, which must have been built from the C sources beside it."""
    path, remedy = str(folder / LIBRARY), f"install summc again, or run `python {folder / 'build.py'}`"
    try:
        library = ctypes.CDLL(path)
        declared = re.findall(r"^(\w+) (summc_\w+)\(([^)]*)\) {", _DECLARED, re.MULTILINE)
        for result, name, arguments in declared:
            function, pieces = getattr(library, name), [] if arguments == "void" else arguments.split(",")
            function.restype, function.argtypes = _KINDS[result], list(map(_argument, pieces))
    except (OSError, AttributeError) as error:
        raise SummcError(path, f"the compiled loops cannot be loaded ({error})", remedy) from error
    if library.summc_sources() != checksum(folder):
        raise SummcError(path, "the C code has changed since it was compiled", remedy)
    return library


def checksum(folder: Path) -> int:
    """Return a checksum of the C sources in a folder. The build stores the same number in the library."""
    return zlib.crc32(b"".join((folder / name).read_bytes() for name in SOURCES))
