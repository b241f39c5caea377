"""Compile the C code of the inner loops when summc is built or installed, if there is a C compiler.

Without the compiled library summc uses NumPy: same results, but slower. Set the environment variable
SUMMC_PURE=1 to build without the library; then one wheel fits every system.

The compiler must be GCC or Clang; on Windows, MinGW's GCC. Microsoft's compiler takes other options and is
not used.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
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
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno", "-shared")


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
    if os.environ.get("SUMMC_PURE", "0") not in ("", "0"):
        return "SUMMC_PURE is set"
    sources, compiler = [folder / name for name in SOURCES], _compiler()
    if not compiler:
        return "this machine has no C compiler"
    stamp = f"-DSOURCES={zlib.crc32(b''.join(source.read_bytes() for source in sources))}u"
    command = [*compiler, *FLAGS, *system_flags(), stamp, *map(str, sources), "-lm"]
    try:
        # Compiled in a folder of its own, since some compilers write further files beside the library.
        with tempfile.TemporaryDirectory(dir=folder) as made:
            made_library = Path(made) / LIBRARY
            subprocess.run([*command, "-o", str(made_library)], check=True, capture_output=True)  # noqa: S603 (runs the installed compiler)
            made_library.replace(folder / LIBRARY)
    except (OSError, subprocess.CalledProcessError) as error:
        return str(error)
    return ""


def system_flags() -> list[str]:
    """Return the flags that this system needs besides ``FLAGS``.

    On macOS, ARCHFLAGS names the processors that the library is for. A Python for two kinds of processors
    ("universal2") installs wheels for both of them, so then the library must be for both.
    """
    if sys.platform == "win32":
        return ["-static-libgcc"]  # else the library may need one that only MinGW has
    if sys.platform == "darwin" and "ARCHFLAGS" in os.environ:
        return ["-fPIC", *shlex.split(os.environ["ARCHFLAGS"])]
    if sysconfig.get_platform().endswith("-universal2"):
        return ["-fPIC", "-arch", "x86_64", "-arch", "arm64"]
    return ["-fPIC"]


def _compiler() -> list[str]:
    named = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    commands = [shlex.split(name) for name in named if name]
    return next((command for command in commands if shutil.which(command[0])), [])


if __name__ == "__main__":  # run after a change to the sources: python summc/selectors/compiled/build.py
    sys.exit(compile_library(Path(__file__).parent) or 0)
