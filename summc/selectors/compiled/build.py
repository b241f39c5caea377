"""Compile the inner loops during installation if there is a C compiler. Without one summc uses NumPy."""

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

# Copies of constants in __init__.py, which needs NumPy and cannot be imported here. A test compares them.
FOLDER = "summc/selectors/compiled"
SOURCES = ("messages.c", "search.c")
LIBRARY = "_compiled.so"

#: Sums are neither contracted nor reordered, so that a search gives the same answer as in NumPy.
#: Floating-point exceptions are ignored, so that loops with branches can be vectorized.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno", "-fPIC", "-shared")


class Compiled(BuildHookInterface[Any]):
    """Hatchling's build hook: builds the library beside its sources and puts it into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (the hook's)
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
    """Compile the sources in a folder into a library there; return why that failed, or ""."""
    library, sources = folder / LIBRARY, [folder / name for name in SOURCES]
    compiler = _compiler()
    if not compiler:
        return "this machine has no C compiler"
    made = library.with_suffix(f".{os.getpid()}.tmp")
    stamp = f"-DSOURCES={zlib.crc32(b''.join(source.read_bytes() for source in sources))}u"
    command = [*compiler, *FLAGS, stamp, *map(str, sources), "-o", str(made), "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 (the compiler of this machine)
        made.replace(library)
    except (OSError, subprocess.CalledProcessError) as error:
        made.unlink(missing_ok=True)
        return str(error)
    return ""


def _compiler() -> list[str]:
    named = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    commands = [shlex.split(name) for name in named if name]
    return next((command for command in commands if shutil.which(command[0])), [])


if __name__ == "__main__":  # after a change to the sources: python summc/selectors/compiled/build.py
    sys.exit(compile_library(Path(__file__).parent) or 0)
