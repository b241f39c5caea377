"""Compile the C code of the inner loops when summc is built or installed.

The compiler must be GCC or Clang; on Windows, MinGW's GCC. Microsoft's compiler takes other options and is
not used. Where none of them works, the build asks the package index for ``ziglang``, which contains Clang.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# SOURCES and LIBRARY are copies of constants in __init__.py, which cannot be imported here because it imports
# summc. A test checks that the copies are equal.
FOLDER = "summc/system/compiled"
SOURCES = ("arithmetic.c", "bounds.c", "messages.c", "search.c")
LIBRARY = "_compiled.so"

#: The compiler may neither fuse a multiplication with an addition nor reorder sums, so that results are the
#: same bits with every compiler. It may ignore floating-point traps, so that it can vectorize loops with
#: branches.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno", "-shared")
#: Clang as ``ziglang`` has it. It would otherwise compile for this processor alone.
ZIG = (sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline")


class Compiled(BuildHookInterface[Any]):
    """Hatchling's build hook: compile the library beside its sources and include it in the wheel."""

    def dependencies(self) -> list[str]:
        """Ask for a compiler if this machine has none that works."""
        return [] if self.target_name != "wheel" or _works(compilers()) else ["ziglang"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Compile the library; end the build with a message if that fails."""
        if self.target_name != "wheel":
            return
        if problem := compile_library(Path(self.root) / FOLDER):
            self.app.abort(f"summc: {problem}; install GCC or Clang, or set CC to a C compiler")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["artifacts"].append(f"{FOLDER}/{LIBRARY}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"


def compilers() -> list[list[str]]:
    """Return the commands of the C compilers that this machine may have, with the flags of the system."""
    named = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    commands = [[*shlex.split(name), *system_flags()] for name in dict.fromkeys(named) if name]
    # The library that ziglang makes is for this machine alone, so it needs no flags for two processors.
    zig = [*ZIG] if sys.platform == "win32" else [*ZIG, "-fPIC"]
    return [*commands, zig] if importlib.util.find_spec("ziglang") else commands


def _works(commands: Sequence[list[str]]) -> bool:
    """Tell whether one of the compilers can make a library that uses C's standard library."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "test.c"
        source.write_text("#include <math.h>\n#include <stdlib.h>\ndouble f(double x) { return exp(x); }\n")
        return not _compiled_by_first(commands, [str(source)], Path(folder) / LIBRARY)


def compile_library(folder: Path) -> str:
    """Compile the C sources in a folder into a library in that folder; return "", or why it failed."""
    sources = [folder / name for name in SOURCES]
    stamp = f"-DSOURCES={zlib.crc32(b''.join(source.read_bytes() for source in sources))}u"
    return _compiled_by_first(compilers(), [stamp, *map(str, sources)], folder / LIBRARY)


def _compiled_by_first(commands: Sequence[list[str]], arguments: list[str], library: Path) -> str:
    """Compile with the first compiler that works; return "", or why the last of them failed."""
    problem = "this machine has no C compiler"
    for command in commands:
        # Compile in a temporary folder, since some compilers write further files beside the library.
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            cache = {"ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}
            output = Path(folder) / LIBRARY
            whole = [*command, *FLAGS, *arguments, "-lm", "-o", str(output)]
            try:
                subprocess.run(whole, check=True, capture_output=True, text=True, env=os.environ | cache)  # noqa: S603 (runs the installed compiler)
            except FileNotFoundError:
                continue
            except (OSError, subprocess.CalledProcessError) as error:
                messages = getattr(error, "stderr", "").strip().splitlines()
                problem = f"{command[0]} cannot compile summc ({messages[-1] if messages else error})"
            else:
                output.replace(library)
                return ""
    return problem


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


if __name__ == "__main__":  # run after a change to the sources: python summc/system/compiled/build.py
    sys.exit(compile_library(Path(__file__).parent) or 0)
