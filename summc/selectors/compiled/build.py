"""Compile the C code of the inner loops during installation, if there is a C compiler.

Without the compiled library summc uses NumPy: same results, but slower.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# SOURCES and LIBRARY are copies of constants in __init__.py, which cannot be imported here because it needs
# NumPy. A test checks that the copies are equal.
FOLDER = "summc/selectors/compiled"
SOURCES = ("messages.c", "search.c")
LIBRARY = "_compiled.so"

#: The compiler may neither fuse a multiplication with an addition nor reorder sums, so that a search gives
#: the same answer as in NumPy. It may ignore floating-point traps, so that it can vectorize loops with
#: branches.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno", "-fPIC", "-shared")


class Compiled(BuildHookInterface[Any]):
    """Hatchling's build hook: compile the library beside its sources and include it in the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Compile the library; if that fails, show a warning and continue without it."""
        if self.target_name != "wheel":
            return
        problem = compile_library(Path(self.root) / FOLDER)
        if problem:
            self.app.display_warning(f"nothing was compiled, summc will be slower: {problem}")
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["artifacts"].append(f"{FOLDER}/{LIBRARY}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"


def compile_library(folder: Path) -> str:
    """Compile the C sources in a folder into a library in that folder.

    Return "", or the reason if compiling failed.
    """
    library, sources = folder / LIBRARY, [folder / name for name in SOURCES]
    compiler = _compiler()
    if not compiler:
        return "this machine has no C compiler"
    made = library.with_suffix(f".{os.getpid()}.tmp")
    stamp = f"-DSOURCES={zlib.crc32(b''.join(source.read_bytes() for source in sources))}u"
    command = [*compiler, *FLAGS, stamp, *map(str, sources), "-o", str(made), "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 (runs the installed compiler)
        made.replace(library)
    except (OSError, subprocess.CalledProcessError) as error:
        made.unlink(missing_ok=True)
        return str(error)
    return ""


def _compiler() -> list[str]:
    named = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    commands = [shlex.split(name) for name in named if name]
    return next((command for command in commands if shutil.which(command[0])), [])


if __name__ == "__main__":  # run after a change to the sources: python summc/selectors/compiled/build.py
    sys.exit(compile_library(Path(__file__).parent) or 0)
